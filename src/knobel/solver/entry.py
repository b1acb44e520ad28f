"""What entries bring and where they lead, as arrays: asked of `sheet` and `scoring` box by box, nothing is known here.

Ordinary rolls bring the same in a box whatever else the pad holds. All dice alike depend on a few things (jokers,
further fives of a kind), so they are asked of one example pad for each combination:

    status   how many of the boxes for five of a kind are filled: NONE, SOME, ALL
    flag     see `flag_of`
    own      whether a box for the face shown is free
    lower    whether a lower box is free
"""

from dataclasses import replace
from itertools import product
from typing import NamedTuple

import numpy as np

from knobel import sheet as pad
from knobel.dice import FACES, roll_index, rolls
from knobel.scoring import points_table
from knobel.sheet import Entry, Sheet
from knobel.solver.lattice import Array
from knobel.turn import Turn, is_open
from knobel.vocabulary import Ruleset

NONE, SOME, ALL = range(3)


class Entries(NamedTuple):
    """Lines of boxes and the worth of entries, as arrays for compiled functions. A class is `2 * status + flag`."""

    is_free: bool  # no fixed order: every line is one box
    line_stride: Array  # (lines,) int64: what one more filled box adds to the code of a shape
    line_length: Array  # (lines,) int64
    line_box: Array  # (lines, longest) int64
    column: Array  # (boxes,) int64
    row: Array  # (boxes,) int64
    factor: Array  # (boxes,) float64: multiplier of the column
    is_upper: Array  # (boxes,) bool: its points count for the upper bonus
    most_upper: Array  # (boxes,) int64: most that an entry adds to the upper total
    is_open: Array  # (throws left, columns) bool: whether a turn that ends with so many left may end in the column
    may_strike: bool  # whether a turn that reaches no column with a free box enters 0 anywhere
    # Ordinary rolls: the points other than 0 that each row can bring, and the rolls that bring them
    groups_from: Array  # (rows + 1,) int32
    group_points: Array  # (groups,) int64
    rolls_from: Array  # (groups + 1,) int32
    group_rolls: Array  # int32
    points: Array  # (rolls, rows) int64: the same as a table
    flag_after: Array  # (classes, boxes, 2) int8: the flag after an entry of 0, and of points
    # All dice alike, by class, face, own, lower, box
    five_rolls: Array  # (faces,) int32; empty where they are ordinary rolls
    five_worth: Array  # float64: multiplied points and what a further five is paid; -1: not legal
    five_points: Array  # int64: unmultiplied points
    five_flag: Array  # int8
    struck_flag: Array  # (classes, boxes) int8: the flag after all dice alike where nothing but 0 may be entered


def entries_of(ruleset: Ruleset) -> Entries:
    """The arrays for a ruleset."""
    lines, n_rows = pad.lines(ruleset), len(ruleset.categories)
    boxes, n_boxes = ruleset.boxes, len(ruleset.boxes)
    length = np.array([len(line) for line in lines], np.int64)
    line_box = np.zeros((len(lines), int(length.max())), np.int64)
    for line, places in zip(line_box, lines, strict=True):
        line[: len(places)] = places
    row = np.arange(n_boxes) % n_rows
    upper = np.array([index % n_rows in ruleset.upper_rows for index in range(n_boxes)])
    points = np.array([points_table(ruleset)[roll] for roll in rolls(ruleset.dice)], np.int64)
    fives = _fives(ruleset)
    most = np.maximum(points.max(axis=0)[row], fives[1].reshape(-1, n_boxes).max(axis=0, initial=0))
    return Entries(
        not ruleset.order,
        np.cumprod([1, *(length[:-1] + 1)], dtype=np.int64),
        length,
        line_box,
        np.array([box.column for box in boxes], np.int64),
        row,
        np.array([float(ruleset.columns[box.column].multiplier) for box in boxes]),
        upper,
        np.where(upper, most, 0),
        _open_columns(ruleset),
        ruleset.is_gated and ruleset.overthrow == "strike_any",
        *_groups(ruleset, points),
        points,
        _flags_after(ruleset),
        _five_rolls(ruleset),
        *fives,
        _struck_flags(ruleset),
    )


def flag_of(ruleset: Ruleset, sheet: Sheet) -> int:
    """Whether the past lets further fives of a kind be paid, apart from which boxes are filled (RULES 1, 2, 6 K1).

    With `any_after_first`: one was entered. With `box_has_50`: all filled boxes for them hold points, or any does.
    """
    if not has_flag(ruleset):
        return 0
    if ruleset.extra_five.when == "any_after_first":
        return int(pad.count(ruleset, sheet, "fives") > 0)
    held = [value > 0 for value in _all_equal(ruleset, sheet) if value is not None]
    return int(bool(held) and (all(held) if ruleset.extra_five.columns == "all_50" else any(held)))


def has_flag(ruleset: Ruleset) -> bool:
    """Whether the flag of a state can matter."""
    return ruleset.all_equal is not None and ruleset.extra_five.when in ("box_has_50", "any_after_first")


def _all_equal(ruleset: Ruleset, sheet: Sheet) -> tuple[int | None, ...]:
    first = ruleset.category_index[ruleset.all_equal] if ruleset.all_equal else len(ruleset.categories)
    return sheet.entries[first :: len(ruleset.categories)]


def _open_columns(ruleset: Ruleset) -> Array:
    """Which columns a turn may end in, by throws left; the last row stands for every greater number."""
    columns = range(len(ruleset.columns))
    if not ruleset.is_gated:
        return np.ones((1, len(columns)), bool)
    turns = [Turn(0, ruleset.throws - left) for left in range(ruleset.throws)]
    return np.array([[is_open(ruleset, turn, column) for column in columns] for turn in turns])


def _special_faces(ruleset: Ruleset) -> tuple[int, ...]:
    """The faces for which all dice alike are no ordinary roll: all or none."""
    is_special = ruleset.all_equal is not None and (ruleset.joker != "none" or ruleset.extra_five.when != "none")
    return FACES if is_special else ()


def _five_rolls(ruleset: Ruleset) -> Array:
    index = roll_index(ruleset.dice)
    return np.array([index[(face,) * ruleset.dice] for face in _special_faces(ruleset)], np.int32)


def _groups(ruleset: Ruleset, points: Array) -> tuple[Array, Array, Array, Array]:
    """`groups_from`, `group_points`, `rolls_from`, `group_rolls` over the rolls that are not special."""
    special = set(_five_rolls(ruleset).tolist())
    ordinary = np.array([roll for roll in range(len(points)) if roll not in special], np.int64)
    values: list[int] = []
    members: list[Array] = []
    starts = [0]
    for row in range(points.shape[1]):
        for value in sorted(set(points[ordinary, row].tolist())):
            if value > 0:
                values.append(value)
                members.append(ordinary[points[ordinary, row] == value])
        starts.append(len(values))
    ends = np.cumsum([0, *map(len, members)])
    flat = np.concatenate([np.zeros(0, np.int64), *members])
    return np.array(starts, np.int32), np.array(values, np.int64), ends.astype(np.int32), flat.astype(np.int32)


def _flags_after(ruleset: Ruleset) -> Array:
    """For each class and box the flag after an ordinary entry of 0, and of points."""
    after = np.zeros((6, len(ruleset.boxes), 2), np.int8)
    for status, flag, index in product((NONE, SOME, ALL), (0, 1), range(len(ruleset.boxes))):
        sheet = _example(ruleset, status, flag, (), index)
        for value in (0, 1):
            cells = (*sheet.entries[:index], value, *sheet.entries[index + 1 :])
            after[2 * status + flag, index, value] = flag_of(ruleset, Sheet(cells, sheet.counters))
    return after


def _struck_flags(ruleset: Ruleset) -> Array:
    flags = np.zeros((6, len(ruleset.boxes)), np.int8)
    roll = (FACES[0],) * ruleset.dice
    for status, flag, index in product((NONE, SOME, ALL), (0, 1), range(len(ruleset.boxes))):
        sheet = _example(ruleset, status, flag, (), index)
        free = Sheet((*sheet.entries[:index], None, *sheet.entries[index + 1 :]), sheet.counters)
        after = pad.enter(ruleset, free, roll, Entry(index, 0, 0, False, True))
        flags[2 * status + flag, index] = flag_of(ruleset, after)
    return flags


def _fives(ruleset: Ruleset) -> tuple[Array, Array, Array]:
    """`five_worth`, `five_points`, `five_flag`: every entry of all dice alike, tried on an example."""
    faces = _special_faces(ruleset)
    shape = (6, len(faces), 2, 2, len(ruleset.boxes))
    worth, points, flags = np.full(shape, -1.0), np.zeros(shape, np.int64), np.zeros(shape, np.int8)
    free = replace(ruleset, order=(), upper=None)  # the lines see to a fixed order, the lanes to the upper bonus
    n_rows = len(ruleset.categories)
    lower_rows = [row for row in range(n_rows) if row not in ruleset.upper_rows]
    boxes = _all_equal_boxes(ruleset)
    statuses = (NONE, SOME, ALL) if len(boxes) > 1 else (NONE, ALL)
    for status, flag, own, lower in product(statuses, (0, 1) if has_flag(ruleset) else (0,), (0, 1), (0, 1)):
        for face, avoided in product(faces, (-1, *boxes) if status == SOME else (-1,)):
            rows = [] if own or face not in ruleset.upper_of_face else [ruleset.upper_of_face[face]]
            sheet = _example(ruleset, status, flag, (*rows, *([] if lower else lower_rows)), avoided)
            before = pad.tally(free, sheet).total
            roll = (face,) * ruleset.dice
            for entry in pad.entries(free, sheet, roll):
                if status == SOME and entry.index in boxes and entry.index != avoided:
                    continue  # which of these boxes are filled differs from box to box
                at = (2 * status + flag, face - 1, own, lower, entry.index)
                after = pad.enter(free, sheet, roll, entry)
                if entry.legal or ruleset.order:
                    worth[at] = pad.tally(free, after).total - before
                points[at] = entry.points
                flags[at] = flag_of(ruleset, after)
    return worth, points, flags


def _all_equal_boxes(ruleset: Ruleset) -> range:
    row = ruleset.category_index[ruleset.all_equal] if ruleset.all_equal else len(ruleset.boxes)
    return range(row, len(ruleset.boxes), len(ruleset.categories))


def _example(ruleset: Ruleset, status: int, flag: int, struck: tuple[int, ...], avoided: int) -> Sheet:
    """A pad with this status and flag, with 0 in the struck rows of every column; the box `avoided` stays free."""
    cells: list[int | None] = [None] * len(ruleset.boxes)
    n_rows = len(ruleset.categories)
    for index in range(len(cells)):
        if index % n_rows in struck and index != avoided:
            cells[index] = 0
    boxes = _all_equal_boxes(ruleset)
    filled = {NONE: [], SOME: [index for index in boxes if index != avoided][:1], ALL: list(boxes)}[status]
    for index in boxes:
        cells[index] = flag if index in filled else None
    counters = [0] * len(ruleset.counters)
    if "fives" in ruleset.counter_index:
        counters[ruleset.counter_index["fives"]] = flag
    return Sheet(tuple(cells), tuple(counters))
