"""Worked examples of a box: instructive rolls, chosen by rule, with the points that `scoring` gives them."""

from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise

from knobel.dice import FACES, Roll, parse_faces, rolls
from knobel.errors import Reason
from knobel.explain.page import BoxPage, Example, Line
from knobel.scoring import points_table
from knobel.vocabulary import Category, Rule, Ruleset

_TEACHING = {  # rolls that show something, the plainest first
    5: "55543 44411 22555 66655 66554 12346 33456 12345 23456 12356 22225 66665 66666 44444 11123 11226 "
    "12456 11111 12246",
    6: "555123 344666 336666 666655 222555 666555 225566 123455 234566 123456 112345 444421 555552 666665 666666 "
    "333444 553312 122346 123466 111111 223456",
}
_TYPICAL = 2  # examples between the best roll and those that bring nothing
_SEARCHED = 60  # rolls among which the nearest miss is sought


def box_pages(ruleset: Ruleset) -> tuple[BoxPage, ...]:
    """Every row of the pad with its rules and examples."""
    return tuple(
        BoxPage(row.id, row.labels, row.section, box_lines(ruleset, row), examples(ruleset, index))
        for index, row in enumerate(ruleset.categories)
    )


def box_lines(ruleset: Ruleset, category: Category) -> tuple[Line, ...]:
    """What a box counts, a line for each of its rules and one for its joker value."""
    lines = [Line((pattern(ruleset, rule), points_of(rule)), category.id) for rule in category.rules]
    if ruleset.joker != "none" and category.joker is not None:
        lines.append(Line((Reason("rules-pattern-joker"), _number(category.joker)), category.id))
    return tuple(lines)


def pattern(ruleset: Ruleset, rule: Rule) -> Reason:
    """What must lie on the table."""
    if rule.face is not None:
        return Reason("rules-pattern-face", {"face": rule.face})
    if rule.groups:
        return _groups(ruleset, rule)
    if rule.sets:
        return _sets(rule)
    return Reason("rules-pattern-any") if rule.total is None else Reason("rules-pattern-total", {"total": rule.total})


def points_of(rule: Rule) -> Reason:
    """What the pattern brings."""
    return _number(rule.points) if isinstance(rule.points, int) else Reason(f"rules-points-{rule.points}")


def examples(ruleset: Ruleset, row: int) -> tuple[Example, ...]:
    """Three to five rolls for a row: the best, typical ones, a near miss, and one that brings nothing."""
    table = points_table(ruleset)
    pool = [*_teaching(ruleset.dice), *(roll for roll in rolls(ruleset.dice) if roll not in _teaching(ruleset.dice))]
    most = max(points[row] for points in table.values())
    best = next(roll for roll in pool if table[roll][row] == most)
    typical: list[Roll] = []
    for roll in pool:
        points = table[roll][row]
        known = {table[other][row] for other in (best, *typical)}
        if points and len(typical) < _TYPICAL and roll != best and (points not in known or most == points != 0):
            typical.append(roll)
    zeros = [roll for roll in pool if table[roll][row] == 0]
    near = max(
        zeros[:_SEARCHED], key=lambda roll: sum(table[other][row] > 0 for other in _neighbours(roll)), default=None
    )
    rule = ruleset.categories[row].rules[0]
    if rule.sets or len(rule.groups) > 1:  # all dice alike are worth a look there
        zeros.sort(key=lambda roll: roll[0] != roll[-1])
    far = next((roll for roll in zeros if roll != near), None)
    found = [Example(best, most, "best"), *(Example(roll, table[roll][row], "typical") for roll in typical)]
    found += [Example(roll, 0, "near") for roll in (near,) if roll]
    return tuple(found + [Example(roll, 0, "zero") for roll in (far,) if roll])


@lru_cache
def _teaching(dice: int) -> tuple[Roll, ...]:
    return tuple(tuple(sorted(parse_faces(text))) for text in _TEACHING.get(dice, "").split())


def _neighbours(roll: Roll) -> Iterable[Roll]:
    """The rolls with one other die."""
    for place in range(len(roll)):
        for face in FACES:
            yield tuple(sorted((*roll[:place], face, *roll[place + 1 :])))


def _number(points: int) -> Reason:
    return Reason("rules-points-number", {"points": points})


_GROUPS = {(2,), (2, 2), (2, 2, 2), (3,), (4,), (5,), (6,), (3, 2), (3, 3), (4, 2)}  # have a sentence of their own


def _groups(ruleset: Ruleset, rule: Rule) -> Reason:
    signature = tuple(sorted(rule.groups, reverse=True))
    if rule.exact:
        if signature == (2, 2, 1) and ruleset.dice == 5:
            return Reason("rules-pattern-two-pairs-only")
        return Reason("rules-pattern-groups-exact", {"groups": " + ".join(map(str, signature))})
    if signature in _GROUPS:
        return Reason(f"rules-groups-{'-'.join(map(str, signature))}")
    return Reason("rules-pattern-groups", {"groups": " + ".join(map(str, signature))})


def _sets(rule: Rule) -> Reason:
    lengths = {len(faces) for faces in rule.sets}
    texts = ["-".join(map(str, faces)) for faces in rule.sets]
    if len(rule.sets) == 1:
        return Reason("rules-pattern-set", {"dice": texts[0]})
    length = max(lengths)
    runs = {faces for faces in rule.sets if all(after - before == 1 for before, after in pairwise(faces))}
    if lengths == {length} and len(runs) == len(rule.sets) == 7 - length:
        return Reason("rules-pattern-run", {"length": length})
    return Reason("rules-pattern-one-of", {"dice": ", ".join(texts)})
