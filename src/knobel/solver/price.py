"""Compiled functions for situations that have nothing to do with each other, one in each lane.

A situation is a state between two turns and, within its turn, a roll and the throws left. Where `kernel` works on
neighbouring totals, whose entries are neighbours too, here every lane gathers its entries for itself; means and bests
then run through the lattice for all of them at once.
"""

from typing import NamedTuple

import numpy as np

from knobel.solver.compiled import compiled, inlined, int64
from knobel.solver.kernel import BOX, CODE, Turns, Unit, Workspace, find_moves, row_after
from knobel.solver.lanes import peek
from knobel.solver.lattice import Array, bests, means
from knobel.solver.model import LOWER_FREE, STATUS

TIE = 1e-9  # points: what differs less is equally good


class Situation(NamedTuple):
    """A state between two turns."""

    unit: Unit
    lane: int
    saved: int


class Outcome(NamedTuple):
    """What an entry brings and where it leads."""

    worth: float  # multiplied points and what is paid for a further five; negative: not legal
    points: int  # unmultiplied
    place: int  # of the state after it, among the values of the next layer


@inlined
def lane_after(turns: Turns, situation: Situation, code: int, shift: int) -> int:
    """The lane of the last column's total in the next layer, after so many more points in its upper section."""
    shapes = turns.shapes
    last = shapes.n_lanes.shape[1] - 1
    lane = situation.lane + shapes.base[situation.unit.code, last] - shapes.base[code, last] + shift
    return min(max(lane, 0), shapes.n_lanes[code, last] - 1)


@inlined
def index_after(turns: Turns, situation: Situation, box: int, code: int, flag: int, points: int, left: int) -> int:
    """Place of the next state's value in the next layer."""
    shapes, entries = turns.shapes, turns.entries
    last = shapes.n_lanes.shape[1] - 1
    shift = points if entries.is_upper[box] and entries.column[box] == last else 0
    row = row_after(turns, situation.unit, code, box, flag, points)
    saved = left * shapes.n_lanes[code, last] if turns.n_saved_after > 1 else 0
    return row + saved + lane_after(turns, situation, code, shift)


@inlined
def face_of(turns: Turns, roll: int) -> int:
    """The face less one that all dice of a roll show, if that is anything special; else -1."""
    for face in range(len(turns.entries.five_rolls)):
        if turns.entries.five_rolls[face] == roll:
            return face
    return -1


@inlined
def enter(
    turns: Turns, situation: Situation, box: int, code: int, roll: int, face: int, left: int, is_struck: bool
) -> Outcome:
    """An entry of a roll, whose `face_of` is told, with so many throws left.

    `is_struck`: no column is open, 0 may be entered anywhere.
    """
    shapes, entries = turns.shapes, turns.entries
    sign = shapes.signs[situation.unit.code]
    state = 2 * (sign >> STATUS) + situation.unit.flag
    if not is_struck and not entries.is_open[min(left, len(entries.is_open) - 1), entries.column[box]]:
        return Outcome(-1.0, 0, 0)
    if face >= 0 and is_struck:
        flag = entries.struck_flag[state, box]
        return Outcome(0.0, 0, index_after(turns, situation, box, code, flag, 0, left))
    if face >= 0:
        own, lower = sign >> face & 1, sign >> LOWER_FREE & 1
        at = (((state * 6 + face) * 2 + own) * 2 + lower) * len(entries.column) + box
        worth = peek(entries.five_worth, at)
        if worth < 0:
            return Outcome(-1.0, 0, 0)
        points, flag = peek(entries.five_points, at), peek(entries.five_flag, at)
        return Outcome(worth, points, index_after(turns, situation, box, code, flag, points, left))
    points = 0 if is_struck else entries.points[roll, entries.row[box]]
    flag = entries.flag_after[state, box, 1 if points > 0 else 0]
    worth = entries.factor[box] * points
    return Outcome(worth, points, index_after(turns, situation, box, code, flag, points, left))


@inlined
def is_struck(work: Workspace, n_moves: int, turns: Turns, left: int) -> bool:
    """Whether no open column has a free box, and 0 may be entered in any other."""
    entries = turns.entries
    if not entries.may_strike:
        return False
    for move in range(n_moves):
        if entries.is_open[min(left, len(entries.is_open) - 1), entries.column[work.moves[move, BOX]]]:
            return False
    return True


@inlined
def best_entry(
    work: Workspace, n_moves: int, turns: Turns, after: Array, situation: Situation, roll: int, left: int
) -> tuple[float, int, Outcome]:
    """Value of the best entry of a roll, its move and outcome; among equals the first box of the pad."""
    best, choice, result = -np.inf, -1, Outcome(-1.0, 0, 0)
    struck, face = is_struck(work, n_moves, turns, left), face_of(turns, roll)
    for move in range(n_moves):
        outcome = enter(turns, situation, work.moves[move, BOX], work.moves[move, CODE], roll, face, left, struck)
        if outcome.worth >= 0:
            value = outcome.worth + after[outcome.place]
            if value > best + TIE:
                best, choice, result = value, move, outcome
    return best, choice, result


@inlined
def enter_lane(
    work: Workspace, n_moves: int, turns: Turns, after: Array, situation: Situation, left: int, lane: int, width: int
) -> None:
    """Value of the best entry of every roll into one lane of the values of rolls."""
    values, shapes, entries = work.values, turns.shapes, turns.entries
    last = shapes.n_lanes.shape[1] - 1
    at_rolls = len(turns.steps.more) * width + lane
    sign = shapes.signs[situation.unit.code]
    state, lower = 2 * (sign >> STATUS) + situation.unit.flag, sign >> LOWER_FREE & 1
    is_open = entries.is_open[min(left, len(entries.is_open) - 1)]
    struck = is_struck(work, n_moves, turns, left)
    zero = -np.inf
    for move in range(n_moves):
        box, code, row = work.moves[move]
        if struck or is_open[entries.column[box]]:
            row += left * shapes.n_lanes[code, last] if turns.n_saved_after > 1 else 0
            zero = max(zero, np.float64(peek(after, row + lane_after(turns, situation, code, 0))))
    for roll in range(len(turns.steps.chance)):
        values[at_rolls + roll * width] = zero
    for face in range(len(entries.five_rolls)):
        if not struck:
            values[at_rolls + entries.five_rolls[face] * width] = -np.inf
    if struck:
        for face in range(len(entries.five_rolls)):
            roll = entries.five_rolls[face]
            best, _, _ = best_entry(work, n_moves, turns, after, situation, roll, left)
            values[at_rolls + roll * width] = best
        return
    for move in range(n_moves):
        box, code, _ = work.moves[move]
        column = entries.column[box]
        if not is_open[column]:
            continue
        flag = entries.flag_after[state, box, 1]
        for group in range(entries.groups_from[entries.row[box]], entries.groups_from[entries.row[box] + 1]):
            points = entries.group_points[group]
            index = index_after(turns, situation, box, code, flag, points, left)
            value = np.float64(peek(after, index)) + entries.factor[box] * points
            for place in range(peek(entries.rolls_from, group), peek(entries.rolls_from, group + 1)):
                at = at_rolls + int64(peek(entries.group_rolls, place)) * width
                values[at] = max(values[at], value)
        for face in range(len(entries.five_rolls)):
            own = sign >> face & 1
            at = (((state * 6 + face) * 2 + own) * 2 + lower) * len(entries.column) + box
            worth = peek(entries.five_worth, at)
            if worth >= 0:
                points, flag = peek(entries.five_points, at), peek(entries.five_flag, at)
                value = np.float64(after[index_after(turns, situation, box, code, flag, points, left)]) + worth
                at = at_rolls + int64(peek(entries.five_rolls, face)) * width
                values[at] = max(values[at], value)


class Query(NamedTuple):
    """Situations of one layer, as arrays of equal length."""

    codes: Array
    flags: Array
    outers: Array
    lanes: Array
    saved: Array
    rolls: Array  # index of the roll; -1: nothing is thrown yet
    left: Array  # throws left


@compiled
def price(
    keeps: Array,
    entered: Array,
    turns: Turns,
    after: Array,
    query: Query,
    parts: Array,
    parts_from: Array,
    work: Workspace,
    lanes: tuple[int, ...],
) -> None:
    """Values of all that may be done in each situation, as points to come with the upper bonus.

    `keeps` (situations, most parts) takes those of the keeps of the roll in the order of `parts`; before the first
    throw its first element alone, of the throw. `entered` (situations, boxes) takes those of entries. What is not
    legal or does not exist is left as it is.
    """
    width, values = len(lanes), work.values
    for start in range(0, len(query.codes), width):
        end = min(start + width, len(query.codes))
        top = 0
        for number in range(start, end):
            top = max(top, query.left[number])
        for left in range(top):
            if left == 0 or turns.enters_always:
                for number in range(start, end):
                    unit = Unit(query.codes[number], query.flags[number], query.outers[number])
                    situation = Situation(unit, query.lanes[number], query.saved[number])
                    n_moves = find_moves(work, turns, unit)
                    enter_lane(work, n_moves, turns, after, situation, left, number - start, width)
            if left > 0:
                bests(values, turns.steps, lanes)
            means(values, turns.steps, lanes)
            for number in range(start, end):
                if query.left[number] == left + 1:
                    lane, roll = number - start, query.rolls[number]
                    if roll < 0:
                        keeps[number, 0] = values[lane]
                    else:
                        for place in range(parts_from[roll], parts_from[roll + 1]):
                            value = values[int64(parts[place]) * width + lane]
                            if value > -np.inf:  # else nothing could be entered after it
                                keeps[number, place - parts_from[roll]] = value
        for number in range(start, end):
            roll, left = query.rolls[number], query.left[number]
            if roll >= 0:
                unit = Unit(query.codes[number], query.flags[number], query.outers[number])
                situation = Situation(unit, query.lanes[number], query.saved[number])
                n_moves = find_moves(work, turns, unit)
                struck, face = is_struck(work, n_moves, turns, left), face_of(turns, roll)
                for move in range(n_moves):
                    box = work.moves[move, BOX]
                    outcome = enter(turns, situation, box, work.moves[move, CODE], roll, face, left, struck)
                    if outcome.worth >= 0:
                        entered[number, box] = outcome.worth + after[outcome.place]
