"""Points of a roll in a category: the only place where dice become points. No pad, no turn, no history."""

from collections.abc import Mapping
from functools import lru_cache
from itertools import permutations

from knobel.dice import FACES, Roll, rolls
from knobel.errors import KnobelError, Reason
from knobel.vocabulary import Category, Rule, Ruleset


def points(ruleset: Ruleset, faces: tuple[int, ...]) -> dict[str, int]:
    """Points of the dice in every category by id, in any order of the dice: no joker, no bonus, no multiplier.

    Raises `KnobelError` unless these are as many faces 1 to 6 as the ruleset has dice.
    """
    if len(faces) != ruleset.dice or any(face not in FACES for face in faces):
        raise KnobelError(Reason("expected-dice", {"dice": ruleset.dice, "found": str(tuple(faces))[:60]}))
    row = points_table(ruleset)[tuple(sorted(faces))]
    return {category.id: value for category, value in zip(ruleset.categories, row, strict=True)}


@lru_cache(maxsize=64)
def points_table(ruleset: Ruleset) -> Mapping[Roll, tuple[int, ...]]:
    """For every roll the points in each category, in the order of the rows."""
    return _points_table(ruleset.dice, ruleset.categories)


@lru_cache(maxsize=16)
def _points_table(dice: int, categories: tuple[Category, ...]) -> Mapping[Roll, tuple[int, ...]]:
    """The same table for all rulesets that differ in other things only."""
    return {roll: tuple(score(category, roll) for category in categories) for roll in rolls(dice)}


def rule_that_fires(category: Category, roll: Roll) -> Rule | None:
    """The first rule of the category whose pattern the roll matches."""
    return next((rule for rule in category.rules if _matched(rule, roll) is not None), None)


def joker_points(category: Category, natural: int) -> int:
    """Points of a joker in this category: its joker value if it has one, else what the dice give (RULES 1.1)."""
    return natural if category.joker is None else category.joker


def score(category: Category, roll: Roll) -> int:
    rule = rule_that_fires(category, roll)
    if rule is None:
        return 0
    if rule.points == "all":
        return sum(roll)
    if rule.points == "matched":
        return _matched(rule, roll) or 0
    return rule.points


def _matched(rule: Rule, roll: Roll) -> int | None:
    """Sum of the best dice that form the pattern of the rule; None where the roll does not match."""
    if rule.face is not None:
        return rule.face * roll.count(rule.face) or None
    if rule.groups:
        return _best_groups(rule.groups, roll, rule.exact)
    if rule.sets:
        return max((sum(faces) for faces in rule.sets if _shows(faces, roll, rule.exact)), default=None)
    return sum(roll) if rule.total in (None, sum(roll)) else None


def _best_groups(groups: tuple[int, ...], roll: Roll, exact: bool) -> int | None:
    """Highest sum of dice over all ways to give each group a face of its own."""
    counts = {face: roll.count(face) for face in FACES}
    fits = [
        sum(size * face for size, face in zip(groups, faces, strict=True))
        for faces in permutations(set(roll), len(groups))
        if all(
            counts[face] == size if exact else counts[face] >= size for size, face in zip(groups, faces, strict=True)
        )
    ]
    return max(fits, default=None)


def _shows(faces: tuple[int, ...], roll: Roll, exact: bool) -> bool:
    return faces == roll if exact else set(faces) <= set(roll)
