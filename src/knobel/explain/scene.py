"""Worked cases for pads: each is set up by hand and answered by the engine, under any ruleset that has its boxes.

A demo gives None where a ruleset has nothing of the kind. Cases of columns by throws, tokens and special rounds are
in `special`.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

from knobel import game
from knobel import sheet as pad
from knobel.action import Enter, Throw
from knobel.dice import Roll
from knobel.errors import Reason
from knobel.explain.example import examples
from knobel.explain.page import Scene
from knobel.scoring import points_table
from knobel.sheet import Sheet
from knobel.vocabulary import Box, Ruleset

Demo = Callable[[Ruleset], Scene | None]
_FACE = 4  # of the further five of a kind in all cases


def compared(demos: tuple[Demo, ...], standard: Ruleset, this: Ruleset) -> tuple[Scene, ...]:
    """The cases that come out differently, or the first if none does."""
    pairs = [(demo(standard), demo(this)) for demo in demos]
    scenes = [replace(after, standard=before.shows) for before, after in pairs if before and after]
    return tuple(scene for scene in scenes if scene.shows != scene.standard) or tuple(scenes[:1])


def shown(demos: tuple[Demo, ...], ruleset: Ruleset) -> tuple[Scene, ...]:
    """The cases under one ruleset."""
    return tuple(scene for demo in demos if (scene := demo(ruleset)))


def all_alike(ruleset: Ruleset) -> Roll:
    """The roll of all dice alike that the cases use."""
    return (_FACE,) * ruleset.dice


def card(ruleset: Ruleset, free: set[str], values: Mapping[str, int], fives: int | None = None) -> Sheet:
    """A pad with every box filled in every column but the free ones: with these values, else with some points."""
    filled = {row.id: values.get(row.id, 3 * (row.face or 4)) for row in ruleset.categories if row.id not in free}
    return pad.sheet_from_card(ruleset, [filled] * len(ruleset.columns), fives)


def entries(ruleset: Ruleset, sheet: Sheet, roll: Roll) -> tuple[Reason, ...]:
    """What the engine says about every free box."""
    return tuple(
        Reason("rules-shows-barred", {"box": box})
        if not entry.legal
        else Reason("rules-shows-entry-bonus", {"box": box, "points": entry.points, "bonus": entry.bonus})
        if entry.token
        else Reason("rules-shows-entry", {"box": box, "points": entry.points})
        for entry in pad.entries(ruleset, sheet, roll)
        for box in [str(ruleset.boxes[entry.index])]
    )


def joker_demo(equal: int | None, is_filled: bool, free: tuple[str, ...]) -> Demo:
    """All dice alike while their own box holds `equal` (None: free), and the upper box is filled or not."""

    def demo(ruleset: Ruleset) -> Scene | None:
        own, row = ruleset.all_equal, ruleset.upper_of_face.get(_FACE)
        if own is None or row is None or any(name not in ruleset.category_index for name in free):
            return None
        upper = ruleset.categories[row].id
        open_boxes = {*free, *(() if is_filled else (upper,)), *((own,) if equal is None else ())}
        sheet = card(ruleset, open_boxes, {own: equal or 0})
        given = [_held(own, equal), *([Reason("rules-given-filled", {"box": upper})] if is_filled else [])]
        given.append(Reason("rules-given-free", {"rows": _rows(ruleset, open_boxes)}))
        return Scene(tuple(given), all_alike(ruleset), entries(ruleset, sheet, all_alike(ruleset)))

    return demo


def _held(box: str, points: int | None) -> Reason:
    if points is None:
        return Reason("rules-given-open", {"box": box})
    return (
        Reason("rules-given-holds", {"box": box, "points": points})
        if points
        else Reason("rules-given-struck", {"box": box})
    )


def _rows(ruleset: Ruleset, boxes: set[str]) -> str:
    return ", ".join(row.id for row in ruleset.categories if row.id in boxes)


JOKER: tuple[Demo, ...] = (  # RULES 1.1 E01 to E10
    joker_demo(50, False, ("full_house", "large_straight")),
    joker_demo(50, True, ("ones", "full_house", "small_straight", "large_straight", "chance")),
    joker_demo(50, True, ("ones", "sixes")),
    joker_demo(0, True, ("ones", "full_house", "large_straight")),
    joker_demo(None, False, ("full_house",)),
)


def extra_demo(held: tuple[int, ...], fives: int | None = None) -> Demo:
    """Further dice all alike while the boxes for them hold `held`, column by column (with no column left: the last)."""

    def demo(ruleset: Ruleset) -> Scene | None:
        own, last, n_columns = ruleset.all_equal, ruleset.categories[-1].id, len(ruleset.columns)
        if own is None or last == own or (n_columns != len(held) and (len(held) > 1 or n_columns == 3)):
            return None
        face = ruleset.upper_of_face.get(_FACE)
        upper = {} if face is None else {ruleset.categories[face].id: 3 * _FACE}  # so that a forced joker may go below
        filled = [{**upper, **({own: value} if value >= 0 else {})} for value in held]
        sheet = pad.sheet_from_card(ruleset, filled, fives)
        boxes = [str(Box(last, column)) for column in range(len(held))] + ([own] if held == (-1,) else [])
        found = {str(reason.params["box"]): reason for reason in entries(ruleset, sheet, all_alike(ruleset))}
        given = [_held(str(Box(own, column)), None if value < 0 else value) for column, value in enumerate(held)]
        given += [Reason("rules-given-filled", {"box": name}) for name in upper if ruleset.joker != "none"]
        if fives:
            given.append(Reason("rules-given-fives"))
        return Scene(tuple(given), all_alike(ruleset), tuple(found[box] for box in boxes if box in found))

    return demo


EXTRA: tuple[Demo, ...] = (extra_demo((50,)), extra_demo((0,)), extra_demo((-1,), 1))
EXTRA_TRIPLE: tuple[Demo, ...] = (extra_demo((50, 50, 50)), extra_demo((50, 0, 0)))


def upper_demo(missing: int) -> Demo:
    """A column whose upper boxes have their par, but for so many hits of the threes."""

    def demo(ruleset: Ruleset) -> Scene | None:
        hits = ruleset.par_per_hit
        if not hits or hits.denominator != 1:
            hits = ruleset.par_per_hit.__class__(ruleset.dice - 2)
        filled = {
            ruleset.categories[row].id: face * (int(hits) - (missing if face == 3 else 0))
            for face, row in ruleset.upper_of_face.items()
        }
        part = pad.tally_column(ruleset, pad.sheet_from_card(ruleset, [filled]), 0)
        points = ", ".join(map(str, filled.values()))
        return Scene(
            (Reason("rules-given-upper", {"values": points}),),
            (),
            (Reason("rules-shows-upper", {"sum": part.upper, "bonus": part.bonus, "points": part.total}),),
        )

    return demo


UPPER: tuple[Demo, ...] = (upper_demo(0), upper_demo(1))


def running_demo(ruleset: Ruleset) -> Scene | None:
    """The running total of a pad whose upper bonus is earned."""
    if ruleset.upper is None:
        return None
    filled = {ruleset.categories[row].id: face * (ruleset.dice - 1) for face, row in ruleset.upper_of_face.items()}
    part = pad.tally_column(ruleset, pad.sheet_from_card(ruleset, [filled]), 0)
    running = part.total if ruleset.bonus_shown == "at_once" else part.total - part.bonus
    given = Reason("rules-given-upper", {"values": ", ".join(map(str, filled.values()))})
    return Scene((given,), (), (Reason("rules-shows-running", {"points": running}),))


def saved_demo(ruleset: Ruleset) -> Scene | None:
    """Three turns of one throw, one, and as many as there are: the throws that each of them may have."""
    state, shows, roll = game.start(ruleset), [], (1,) * ruleset.dice
    for index, row in enumerate(ruleset.categories[:3], 1):
        shows.append(Reason("rules-shows-throws", {"turn": index, "throws": game.budget(state)}))
        state = game.apply(state, Throw(), roll)
        legal = [action for action in game.legal_actions(state) if isinstance(action, Enter)]
        state = game.apply(state, next((x for x in legal if x.box.category == row.id), legal[0]))
    return Scene((Reason("rules-given-one-throw"),), (), tuple(shows))


def columns_demo(ruleset: Ruleset) -> Scene | None:
    """The total of a pad on which every column has the same."""
    filled = {row.id: examples(ruleset, index)[0].points for index, row in enumerate(ruleset.categories)}
    sheet = pad.sheet_from_card(ruleset, [filled] * len(ruleset.columns))
    tally = pad.tally(ruleset, sheet)
    given = Reason("rules-given-columns", {"points": tally.columns[0].total})
    return Scene((given,), (), (Reason("rules-shows-total", {"points": tally.total}),))


def order_demo(n_filled: int) -> Demo:
    """Where a first roll may go, or a roll after some entries in the first boxes that are allowed."""

    def demo(ruleset: Ruleset) -> Scene | None:
        roll = (
            (1, 1, 4, 4, 4) if ruleset.dice == 5 else (3, 4, 4, 6, 6, 6) if ruleset.dice == 6 else (1,) * ruleset.dice
        )
        sheet, filled = pad.empty_sheet(ruleset), []
        for _ in range(n_filled):
            entry = next(entry for entry in pad.entries(ruleset, sheet, roll) if entry.legal)
            sheet = pad.enter(ruleset, sheet, roll, entry)
            filled.append(str(ruleset.boxes[entry.index]))
        legal = [str(ruleset.boxes[entry.index]) for entry in pad.entries(ruleset, sheet, roll) if entry.legal]
        given = Reason("rules-given-boxes", {"boxes": ", ".join(filled)}) if filled else Reason("rules-given-new")
        shows = (
            Reason("rules-shows-free-choice", {"boxes": len(legal)})
            if len(legal) > 6
            else Reason("rules-shows-legal", {"boxes": ", ".join(legal)})
        )
        return Scene((given,), roll, (shows,))

    return demo


ORDER: tuple[Demo, ...] = (order_demo(0), order_demo(1))


def tie_demo(ruleset: Ruleset) -> Scene | None:
    """Two pads with the same total, one better in the last row, the other in the row before."""
    if len(ruleset.categories) < 2:
        return None
    other, last = ruleset.categories[-2].id, ruleset.categories[-1].id
    sheets = tuple(pad.sheet_from_card(ruleset, [card]) for card in ({last: 24, other: 18}, {last: 18, other: 24}))
    result = game.result(replace(game.start(ruleset, 2), sheets=sheets, turn=None))
    given = Reason("rules-given-tie", {"box": last, "category": other, "points": result.totals[0]})
    return Scene((given,), (), (Reason("rules-shows-ranks", {"first": result.ranks[0], "second": result.ranks[1]}),))


def boxes_that_differ(standard: Ruleset, this: Ruleset) -> tuple[Demo, ...]:
    """For rows that count differently: a roll that shows it in each of them."""
    others = {row.id: row for row in standard.categories}
    demos: list[Demo] = []
    for row in this.categories:
        other = others.get(row.id)
        if other is not None and other.rules != row.rules and standard.dice == this.dice:
            demos += [_box_demo(row.id, roll) for roll in _telling(standard, this, row.id)]
    return tuple(demos)


def _telling(standard: Ruleset, this: Ruleset, box: str) -> list[Roll]:
    """Up to two rolls whose points differ in a box."""
    tables = [points_table(ruleset) for ruleset in (standard, this)]
    places = [ruleset.category_index[box] for ruleset in (standard, this)]
    wanted = [example.dice for example in examples(this, places[1])] + list(tables[0])
    before, after = ({roll: tables[i][roll][places[i]] for roll in wanted} for i in (0, 1))
    return [roll for roll in wanted if before[roll] != after[roll]][:1]


def _box_demo(box: str, roll: Roll) -> Demo:
    def demo(ruleset: Ruleset) -> Scene | None:
        found = entries(ruleset, pad.empty_sheet(ruleset), roll)
        return Scene((), roll, tuple(reason for reason in found if reason.params["box"] == box))

    return demo
