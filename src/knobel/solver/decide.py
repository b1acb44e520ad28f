"""Compiled functions that decide: which dice an optimal player keeps, when he stops, where he enters.

Equally good decisions (up to `TIE`) go to whoever keeps more dice, stopping first, then to the box that comes first.
"""

from typing import NamedTuple

import numpy as np

from knobel.solver.compiled import inlined, int64
from knobel.solver.kernel import Turns, Unit, Workspace, find_moves
from knobel.solver.lattice import Array, bests, means
from knobel.solver.model import States
from knobel.solver.price import TIE, Situation, best_entry, enter_lane


class Choices(NamedTuple):
    """What a decision needs: for each number of throws left what every keep is worth, for many states in lanes."""

    stages: Array  # (throws left, keeps x lanes) float64: in row n what keeps are worth with n + 1 throws left
    parts: Array  # see `lattice.parts_of`
    parts_from: Array


@inlined
def situation_of(states: States, number: int) -> Situation:
    """One of the states."""
    unit = Unit(states.codes[number], states.flags[number], states.outers[number])
    return Situation(unit, states.lanes[number], states.saved[number])


@inlined
def is_same(states: States, one: int, other: int) -> bool:
    """Whether two states differ in saved throws at most."""
    return (
        states.codes[one] == states.codes[other]
        and states.flags[one] == states.flags[other]
        and states.outers[one] == states.outers[other]
        and states.lanes[one] == states.lanes[other]
    )


@inlined
def look_ahead(
    choices: Choices,
    work: Workspace,
    turns: Turns,
    after: Array,
    states: States,
    chosen: Array,
    n_chosen: int,
    top: int,
    lanes: tuple[int, ...],
) -> None:
    """Fill the stages for `top` throws left and fewer; lane n holds the state with the number `chosen[n]`."""
    for left in range(top):
        if left == 0 or turns.enters_always:
            for lane in range(n_chosen):
                situation = situation_of(states, chosen[lane])
                n_moves = find_moves(work, turns, situation.unit)
                enter_lane(work, n_moves, turns, after, situation, left, lane, len(lanes))
        if left > 0:
            bests(work.values, turns.steps, lanes)
        means(work.values, turns.steps, lanes)
        stage = choices.stages[left]
        for place in range(len(work.values)):
            stage[place] = work.values[place]


@inlined
def best_keep(
    choices: Choices,
    work: Workspace,
    n_moves: int,
    turns: Turns,
    after: Array,
    situation: Situation,
    roll: int,
    left: int,
    lane: int,
    width: int,
) -> int:
    """The keep to go on with, or -1 to enter the roll now."""
    if left == 0:
        return -1
    best, choice = -np.inf, -1
    if turns.enters_always:
        best, _, _ = best_entry(work, n_moves, turns, after, situation, roll, left)
    else:
        best = choices.stages[0, (len(turns.steps.more) + roll) * width + lane]
    stage = choices.stages[left - 1]
    for place in range(choices.parts_from[roll], choices.parts_from[roll + 1]):
        part = int64(choices.parts[place])
        value = stage[part * width + lane]
        if value > best + TIE:
            best, choice = value, part
    return choice
