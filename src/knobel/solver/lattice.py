"""The lattice of keeps: how mean values and best values of a throw run through it (SOLVER.md 1).

A keep is a multiset of dice; the complete ones are rolls and come last. The mean value of a keep is the mean of the
six keeps with one die more; the best value within some dice is the best of these dice and of those with one die less.
So a throw costs about 1,260 additions and 1,260 comparisons for five dice. Arrays hold values keep by keep, each with
its lanes side by side.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from knobel.dice import FACES, Keep, keep_index, keeps, keeps_of, probability, rolls
from knobel.solver.compiled import compiled, inlined, int64
from knobel.solver.lanes import add, load, maximum, multiply, peek, splat, store

Array = np.ndarray[Any, np.dtype[Any]]


class Steps(NamedTuple):
    """The lattice as arrays for compiled functions."""

    more: Array  # (keeps that are no rolls, 6) int32: the keep with one die more, face by face
    order: Array  # (keeps - 1,) int32: all keeps but the empty one, smaller ones first, then those of fewer faces
    fewer: Array  # int32: the keeps with one die less, as many as it has faces, for each keep in that order
    runs: Array  # (runs, 3) int64: how many keeps of equal size have equally many faces, their place in both arrays
    chance: Array  # (rolls,) float64: probability of each roll of all dice


@dataclass(frozen=True, slots=True)
class Lattice:
    """The lattice for a number of dice."""

    n_dice: int
    n_keeps: int
    n_rolls: int
    steps: Steps

    @property
    def first_roll(self) -> int:
        """Index of the first keep of all dice."""
        return self.n_keeps - self.n_rolls


@lru_cache
def lattice_of(n_dice: int) -> Lattice:
    """The lattice for `n_dice` dice: 462 keeps for five, 924 for six."""
    index, every = keep_index(n_dice), keeps(n_dice)
    n_small = len(every) - len(rolls(n_dice))
    more = [[index[tuple(sorted((*keep, face)))] for face in FACES] for keep in every[:n_small]]
    order = sorted(every[1:], key=_run_of)
    fewer = [sorted({index[keep[:place] + keep[place + 1 :]] for place in range(len(keep))}) for keep in order]
    runs, start, taken = [], 0, 0
    for (_, n_faces), group in groupby(order, key=_run_of):
        length = len(list(group))
        runs.append((length, start, taken))
        start, taken = start + length, taken + length * n_faces
    steps = Steps(
        np.array(more, np.int32).reshape(n_small, len(FACES)),
        np.array([index[keep] for keep in order], np.int32),
        np.array([smaller for row in fewer for smaller in row], np.int32),
        np.array(runs, np.int64),
        np.array([float(probability(roll)) for roll in rolls(n_dice)]),
    )
    return Lattice(n_dice, len(every), len(rolls(n_dice)), steps)


def _run_of(keep: Keep) -> tuple[int, int]:
    return len(keep), len(set(keep))


@lru_cache
def parts_of(n_dice: int) -> tuple[Array, Array]:
    """The keeps within each roll that leave a die to throw, most dice first, and where those of each roll begin."""
    index = keep_index(n_dice)
    return _ragged([[index[keep] for keep in reversed(keeps_of(roll))] for roll in rolls(n_dice)])


def _ragged(rows: list[list[int]]) -> tuple[Array, Array]:
    """Rows of different lengths one after another, and where each begins."""
    starts = np.cumsum([0, *map(len, rows)])
    return np.array([item for row in rows for item in row], np.int32), starts.astype(np.int32)


@compiled
def means(values: Array, steps: Steps, lanes: tuple[int, ...]) -> None:
    """From the values of all rolls the mean value of every smaller keep, in place."""
    width = len(lanes)
    sixth = splat(values.dtype.type(1 / 6), lanes)
    for keep in range(len(steps.more) - 1, -1, -1):
        at = 6 * keep
        one = add(_value(values, steps.more, at, lanes), _value(values, steps.more, at + 1, lanes))
        two = add(_value(values, steps.more, at + 2, lanes), _value(values, steps.more, at + 3, lanes))
        six = add(_value(values, steps.more, at + 4, lanes), _value(values, steps.more, at + 5, lanes))
        store(values, keep * width, multiply(add(add(one, two), six), sixth))


@inlined
def _value(values: Array, keeps: Array, place: int, lanes: tuple[int, ...]) -> Any:
    return load(values, int64(peek(keeps, place)) * len(lanes), lanes)


@compiled
def bests(values: Array, steps: Steps, lanes: tuple[int, ...]) -> None:
    """For every keep the best value among all keeps within it, in place."""
    for number in range(len(steps.runs)):
        length, start, taken = steps.runs[number]
        n_faces = (steps.runs[number + 1, 2] if number + 1 < len(steps.runs) else len(steps.fewer)) - taken
        if n_faces == length:
            _bests_of(values, steps, length, start, taken, (0,), lanes)
        elif n_faces == 2 * length:
            _bests_of(values, steps, length, start, taken, (0, 0), lanes)
        elif n_faces == 3 * length:
            _bests_of(values, steps, length, start, taken, (0, 0, 0), lanes)
        elif n_faces == 4 * length:
            _bests_of(values, steps, length, start, taken, (0, 0, 0, 0), lanes)
        elif n_faces == 5 * length:
            _bests_of(values, steps, length, start, taken, (0, 0, 0, 0, 0), lanes)
        else:
            _bests_of(values, steps, length, start, taken, (0, 0, 0, 0, 0, 0), lanes)


@inlined
def _bests_of(
    values: Array, steps: Steps, length: int, start: int, taken: int, faces: tuple[int, ...], lanes: tuple[int, ...]
) -> None:
    """The same for a run of keeps with equally many faces, so that the inner loop has a fixed length."""
    for number in range(length):
        at = int64(peek(steps.order, start + number)) * len(lanes)
        best = load(values, at, lanes)
        for face in range(len(faces)):
            best = maximum(best, _value(values, steps.fewer, taken + number * len(faces) + face, lanes))
        store(values, at, best)


@compiled
def mean_of_rolls(values: Array, steps: Steps, lanes: tuple[int, ...]) -> None:
    """The mean value over all rolls of all dice, for the keep of no dice: what `means` gives it, and nothing else."""
    width, rolls_at = len(lanes), len(steps.more) * len(lanes)
    total = splat(values.dtype.type(0), lanes)
    for roll in range(len(steps.chance)):
        chance = splat(values.dtype.type(steps.chance[roll]), lanes)
        total = add(total, multiply(load(values, rolls_at + roll * width, lanes), chance))
    store(values, 0, total)
