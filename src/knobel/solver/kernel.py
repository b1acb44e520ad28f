"""Compiled functions: what one turn is worth, for many upper totals at once (SOLVER.md 1).

A block is `len(lanes)` neighbouring lanes of one unit of work. With `left` throws left the best entry of each roll
gives A_left; means and bests of the lattice lead to A_left+1. All reads the values of the layer with one box more.
"""

from typing import Any, NamedTuple

import numpy as np

from knobel.solver.compiled import compiled, inlined, int64
from knobel.solver.entry import Entries
from knobel.solver.lanes import add, load, maximum, peek, splat, store
from knobel.solver.lattice import Array, Steps, bests, mean_of_rolls, means
from knobel.solver.model import LOWER_FREE, STATUS, Shapes


class Unit(NamedTuple):
    """One row of lanes: everything of a state but saved throws and the total of the last column."""

    code: int
    flag: int
    outer: int


class Turns(NamedTuple):
    """What a turn of one layer is made of, as arguments for compiled functions."""

    shapes: Shapes
    entries: Entries
    steps: Steps
    throws: int
    n_saved: int  # of this layer
    n_saved_after: int  # of the next
    enters_always: bool


class Workspace(NamedTuple):
    """Room that one thread works in."""

    values: Array  # (keeps x lanes,): what each keep is worth
    windows: Array  # (lines + 1, lanes + most points): rows of the next layer, one for each move; the last for others
    moves: Array  # (lines, 3) int64: the free boxes that may be filled, see BOX, CODE and ROW


BOX, CODE, ROW = range(3)  # of a move: the box, the code of the shape after it, the row after an entry of 0


@inlined
def outer_after(turns: Turns, unit: Unit, code: int, column: int, points: int) -> int:
    """Totals of all columns but the last after `points` more in the upper section of a column."""
    shapes = turns.shapes
    last = shapes.n_lanes.shape[1] - 1
    result, rest = 0, unit.outer
    for here in range(last):
        inner = 1
        for further in range(here + 1, last):
            inner *= shapes.n_lanes[unit.code, further]
        total = shapes.base[unit.code, here] + rest // inner + (points if here == column else 0)
        rest %= inner
        n_lanes = shapes.n_lanes[code, here]
        result = result * n_lanes + min(max(total - shapes.base[code, here], 0), n_lanes - 1)
    return result


@inlined
def row_after(turns: Turns, unit: Unit, code: int, box: int, flag: int, points: int) -> int:
    """Place of the first lane of the next layer's row for a filled box and no saved throws.

    `points` count for the upper total of the box's column, unless that is the last one: there they shift the lanes.
    """
    shapes, entries = turns.shapes, turns.entries
    last = shapes.n_lanes.shape[1] - 1
    n_outer, outer = 1, 0
    if last > 0:
        for column in range(last):
            n_outer *= shapes.n_lanes[code, column]
        outer = outer_after(turns, unit, code, entries.column[box], points if entries.is_upper[box] else 0)
    row = (min(flag, shapes.n_flags[code] - 1) * n_outer + outer) * turns.n_saved_after
    return shapes.offset[code] + row * shapes.n_lanes[code, last]


@inlined
def find_moves(work: Workspace, turns: Turns, unit: Unit) -> int:
    """Write the moves of a unit and return their number."""
    entries = turns.entries
    state = 2 * (turns.shapes.signs[unit.code] >> STATUS) + unit.flag
    n_moves = 0
    for line in range(len(entries.line_stride)):
        if entries.is_free:  # every line is one box and one bit of the code
            progress = unit.code >> line & 1
        else:
            progress = unit.code // entries.line_stride[line] % (entries.line_length[line] + 1)
        if progress < entries.line_length[line]:
            box = entries.line_box[line, progress]
            code = unit.code + entries.line_stride[line]
            work.moves[n_moves, BOX] = box
            work.moves[n_moves, CODE] = code
            work.moves[n_moves, ROW] = row_after(turns, unit, code, box, entries.flag_after[state, box, 0], 0)
            n_moves += 1
    return n_moves


@inlined
def view_row(
    window: Array, size: int, turns: Turns, after: Array, unit: Unit, code: int, row: int, left: int, first: int
) -> None:
    """What the next layer holds in a row for `size` totals, the lowest of which are those of the lanes from `first`."""
    shapes = turns.shapes
    last = shapes.n_lanes.shape[1] - 1
    n_lanes = shapes.n_lanes[code, last]
    row += left * n_lanes if turns.n_saved_after > 1 else 0
    shift = first + shapes.base[unit.code, last] - shapes.base[code, last]
    below = min(max(-shift, 0), size)
    above = max(min(n_lanes - shift, size), below)
    for place in range(below):
        window[place] = peek(after, row)
    for place in range(below, above):
        window[place] = peek(after, row + shift + place)
    for place in range(above, size):
        window[place] = peek(after, row + n_lanes - 1)


@inlined
def enter_block(
    work: Workspace, n_moves: int, turns: Turns, after: Array, unit: Unit, left: int, first: int, lanes: tuple[int, ...]
) -> None:
    """Value of the best entry of every roll with `left` throws left, into the part of the values that holds the rolls.

    A roll that cannot be entered is worth -infinity.
    """
    width = len(lanes)
    entries = turns.entries
    last = turns.shapes.n_lanes.shape[1] - 1
    rolls_at = len(turns.steps.more) * width
    is_open = entries.is_open[min(left, len(entries.is_open) - 1)]
    n_open = 0
    none = splat(work.values.dtype.type(-np.inf), lanes)
    zero, strike = none, none
    for move in range(n_moves):
        box, code, row = work.moves[move]
        size = width + (entries.most_upper[box] if entries.column[box] == last else 0)
        window = work.windows[move]
        view_row(window, size, turns, after, unit, code, row, left, first)
        strike = maximum(strike, load(window, 0, lanes))
        if is_open[entries.column[box]]:
            zero = maximum(zero, load(window, 0, lanes))
            n_open += 1
    if n_open == 0 and entries.may_strike:
        zero = strike
    for roll in range(len(turns.steps.chance)):
        store(work.values, rolls_at + roll * width, zero)
    if n_open == 0 and entries.may_strike:
        strike_fives(work, n_moves, turns, after, unit, left, first, lanes)
    if n_open > 0:
        enter_points(work, n_moves, turns, after, unit, left, first, lanes)
        enter_fives(work, n_moves, turns, after, unit, left, first, lanes)


@inlined
def enter_points(
    work: Workspace, n_moves: int, turns: Turns, after: Array, unit: Unit, left: int, first: int, lanes: tuple[int, ...]
) -> None:
    """Raise the value of each ordinary roll to its best entry with points; all values are those of an entry of 0."""
    width = len(lanes)
    values, entries = work.values, turns.entries
    last = turns.shapes.n_lanes.shape[1] - 1
    rolls_at = len(turns.steps.more) * width
    state = 2 * (turns.shapes.signs[unit.code] >> STATUS) + unit.flag
    is_open = entries.is_open[min(left, len(entries.is_open) - 1)]
    other = work.windows[len(work.windows) - 1]
    for move in range(n_moves):
        box, code, _ = work.moves[move]
        column = entries.column[box]
        if not is_open[column]:
            continue
        is_elsewhere = entries.is_upper[box] and column != last
        shift = 1 if entries.is_upper[box] and column == last else 0
        flag = entries.flag_after[state, box, 1]
        window = work.windows[move]
        if flag != entries.flag_after[state, box, 0]:
            window = other
            row = row_after(turns, unit, code, box, flag, 0)
            view_row(window, width + entries.most_upper[box] * shift, turns, after, unit, code, row, left, first)
        for group in range(entries.groups_from[entries.row[box]], entries.groups_from[entries.row[box] + 1]):
            points = entries.group_points[group]
            if is_elsewhere:
                window = other
                row = row_after(turns, unit, code, box, flag, points)
                view_row(window, width, turns, after, unit, code, row, left, first)
            worth = splat(values.dtype.type(entries.factor[box] * points), lanes)
            value = add(load(window, points * shift, lanes), worth)
            for place in range(peek(entries.rolls_from, group), peek(entries.rolls_from, group + 1)):
                at = rolls_at + int64(peek(entries.group_rolls, place)) * width
                store(values, at, maximum(load(values, at, lanes), value))


@inlined
def enter_fives(
    work: Workspace, n_moves: int, turns: Turns, after: Array, unit: Unit, left: int, first: int, lanes: tuple[int, ...]
) -> None:
    """Set the value of all dice alike to that of their best entry."""
    width = len(lanes)
    values, entries = work.values, turns.entries
    last = turns.shapes.n_lanes.shape[1] - 1
    rolls_at = len(turns.steps.more) * width
    sign = turns.shapes.signs[unit.code]
    state, lower = 2 * (sign >> STATUS) + unit.flag, sign >> LOWER_FREE & 1
    is_open = entries.is_open[min(left, len(entries.is_open) - 1)]
    other = work.windows[len(work.windows) - 1]
    for face in range(len(entries.five_rolls)):
        store(values, rolls_at + entries.five_rolls[face] * width, splat(values.dtype.type(-np.inf), lanes))
    for move in range(n_moves):
        box, code, _ = work.moves[move]
        column = entries.column[box]
        if not is_open[column]:
            continue
        is_elsewhere = entries.is_upper[box] and column != last
        flag_after = entries.flag_after[state, box, 0]
        for face in range(len(entries.five_rolls)):
            own = sign >> face & 1
            at = ((((state * 6) + face) * 2 + own) * 2 + lower) * len(entries.column) + box
            bonus = peek(entries.five_worth, at)
            if bonus < 0:
                continue
            points = peek(entries.five_points, at)
            shift = points if entries.is_upper[box] and column == last else 0
            flag = peek(entries.five_flag, at)
            window = work.windows[move]
            if is_elsewhere or flag != flag_after:
                window = other
                row = row_after(turns, unit, code, box, flag, points)
                view_row(window, width + shift, turns, after, unit, code, row, left, first)
            worth = splat(values.dtype.type(bonus), lanes)
            at = rolls_at + int64(peek(entries.five_rolls, face)) * width
            store(values, at, maximum(load(values, at, lanes), add(load(window, shift, lanes), worth)))


@inlined
def strike_fives(
    work: Workspace, n_moves: int, turns: Turns, after: Array, unit: Unit, left: int, first: int, lanes: tuple[int, ...]
) -> None:
    """Set the value of all dice alike to that of the best entry of 0 anywhere."""
    width = len(lanes)
    entries, other = turns.entries, work.windows[len(work.windows) - 1]
    state = 2 * (turns.shapes.signs[unit.code] >> STATUS) + unit.flag
    best = splat(work.values.dtype.type(-np.inf), lanes)
    for move in range(n_moves):
        box, code, _ = work.moves[move]
        row = row_after(turns, unit, code, box, entries.struck_flag[state, box], 0)
        view_row(other, width, turns, after, unit, code, row, left, first)
        best = maximum(best, load(other, 0, lanes))
    for face in range(len(entries.five_rolls)):
        store(work.values, (len(turns.steps.more) + entries.five_rolls[face]) * width, best)


@inlined
def step_block(
    work: Workspace, n_moves: int, turns: Turns, after: Array, unit: Unit, left: int, first: int, lanes: tuple[int, ...]
) -> None:
    """One step of a turn: the values hold what the step with one throw less left behind, anything if there is none.

    Afterwards the rolls hold A_left; what the smaller keeps hold is of no use until `means` has run.
    """
    if left == 0 or turns.enters_always:
        enter_block(work, n_moves, turns, after, unit, left, first, lanes)
    if left > 0:
        bests(work.values, turns.steps, lanes)


@compiled
def solve_units(
    here: Array,
    turns: Turns,
    after: Array,
    codes: Array,
    flags: Array,
    outers: Array,
    work: Workspace,
    lanes: tuple[int, ...],
) -> None:
    """Values of some units of a layer, one after another into `here`."""
    width, at = len(lanes), 0
    values = work.values
    n_steps = turns.throws - 1 + turns.n_saved
    for number in range(len(codes)):
        unit = Unit(codes[number], flags[number], outers[number])
        n_lanes = turns.shapes.n_lanes[unit.code, turns.shapes.n_lanes.shape[1] - 1]
        n_moves = find_moves(work, turns, unit)
        for first in range(0, n_lanes, width):
            for left in range(n_steps):
                step_block(work, n_moves, turns, after, unit, left, first, lanes)
                if left == n_steps - 1:
                    mean_of_rolls(values, turns.steps, lanes)
                else:
                    means(values, turns.steps, lanes)
                saved = left - turns.throws + 1
                if saved >= 0:
                    row = at + saved * n_lanes + first
                    for lane in range(min(width, n_lanes - first)):
                        here[row + lane] = values[lane]
        at += n_lanes * turns.n_saved


def room(numbers: int, kind: Any) -> Array:
    """Room for so many numbers, at the border of a cache line so that no vector crosses one."""
    size = np.dtype(kind).itemsize
    raw = np.zeros(numbers + 64 // size, kind)
    skip = -raw.ctypes.data % 64 // size
    return raw[skip : skip + numbers]


def workspace(turns: Turns, width: int, kind: Any = np.float64) -> Workspace:
    """Room for a thread that works on blocks of `width` lanes."""
    n_lines, most = len(turns.entries.line_stride), int(turns.entries.most_upper.max(initial=0))
    n_keeps = len(turns.steps.more) + len(turns.steps.chance)
    windows = np.zeros((n_lines + 1, width + most), kind)
    return Workspace(room(n_keeps * width, kind), windows, np.zeros((n_lines, 3), np.int64))
