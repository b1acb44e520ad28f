"""A ruleset as arrays: which states a pad has between two turns, and where their values lie.

A state between turns is

    shape    how far each line of boxes is filled (`sheet.lines`), as one number: its code
    flag     whether the past lets further fives of a kind be paid (`entry.flag_of`)
    totals   upper total of each column, as a lane: totals that play alike share one
    saved    throws saved from earlier turns

A layer holds all states with equally many filled boxes. Its values lie in the order of codes, flags, totals of all
columns but the last, saved throws, and lanes of the last column, which are contiguous.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import prod
from time import perf_counter
from typing import NamedTuple

import numpy as np

from knobel import sheet as pad
from knobel.dice import FACES
from knobel.errors import KnobelError, Param, Reason
from knobel.sheet import Sheet
from knobel.solver.entry import ALL, NONE, SOME, Entries, entries_of, flag_of, has_flag
from knobel.solver.lattice import Array, Lattice, lattice_of
from knobel.vocabulary import Ruleset

MAX_SHAPES = 1 << 24
SECONDS_PER_KEEP = 1.0e-8  # for a step of a block of 16 lanes: about what a processor of 2024 takes
OWN_FREE, LOWER_FREE, STATUS = 0, 6, 7  # bits of `Shapes.signs`


class Unsolvable(KnobelError):
    """A ruleset that the tables cannot hold: what stands against it is the reason."""


class Shapes(NamedTuple):
    """What follows from the code of a shape, as arrays for compiled functions.

    Upper totals that play alike share a lane: all from which the bonus is out of reach, and all that have reached it.
    A total is the lane `clip(total - base, 0, n_lanes - 1)`.
    """

    offset: Array  # (codes,) int64: first value of the code within its layer
    n_flags: Array  # (codes,) int64
    base: Array  # (codes, columns) int64
    n_lanes: Array  # (codes, columns) int64
    signs: Array  # (codes,) int64; bit f - 1: a box for face f is free; bit 6: a lower box is; from bit 7: status


class States(NamedTuple):
    """States of one layer as arrays of equal length (int64), as arguments for compiled functions."""

    codes: Array
    flags: Array
    outers: Array
    lanes: Array
    saved: Array


@dataclass(frozen=True, slots=True)
class Place:
    """Where the values of one state between turns lie: in which layer, and the parts of its index."""

    layer: int
    code: int
    flag: int
    outer: int  # totals of all columns but the last, as one number
    saved: int
    lane: int


@dataclass(frozen=True)
class Model:
    """All arrays for a ruleset."""

    ruleset: Ruleset
    lattice: Lattice
    entries: Entries
    shapes: Shapes
    layers: tuple[Array, ...]  # for each number of filled boxes the codes, ascending
    n_states: int  # states with something left to decide; totals that a game can reach, not merged
    seconds: float  # that it took to make this

    @property
    def enters_always(self) -> bool:
        """Whether an entry is worth something else after each throw of a turn."""
        return self.ruleset.saved_throws or self.ruleset.is_gated

    @property
    def n_layers(self) -> int:
        """One more than there are boxes."""
        return len(self.layers)

    def n_saved(self, layer: int) -> int:
        """How many different numbers of saved throws a state of the layer can have."""
        return (self.ruleset.throws - 1) * layer + 1 if self.ruleset.saved_throws else 1

    def n_outer(self, codes: Array) -> Array:
        """For each code the number of totals of all columns but the last."""
        return np.prod(self.shapes.n_lanes[codes, :-1], axis=1, dtype=np.int64)

    def size(self, layer: int) -> int:
        """Number of values of a layer."""
        codes = self.layers[layer]
        rows = self.shapes.n_flags[codes] * self.n_outer(codes)
        return int((rows * self.shapes.n_lanes[codes, -1]).sum()) * self.n_saved(layer)

    @cached_property
    def n_values(self) -> int:
        """Number of values of all layers."""
        return sum(map(self.size, range(self.n_layers)))

    def units(self, layer: int) -> tuple[Array, Array, Array]:
        """Code, flag and outer totals of each unit of work of a layer, in the order of the values."""
        codes = self.layers[layer]
        n_outer = self.n_outer(codes)
        rows = self.shapes.n_flags[codes] * n_outer
        code = np.repeat(codes, rows)
        number = np.arange(len(code)) - np.repeat(np.cumsum(rows) - rows, rows)
        flag, outer = np.divmod(number, np.repeat(n_outer, rows))
        return code, flag, outer

    def unit_offsets(self, layer: int) -> Array:
        """First value of each unit of work, and the end of the last one."""
        code, _, _ = self.units(layer)
        sizes = self.shapes.n_lanes[code, -1] * self.n_saved(layer)
        return np.concatenate([[0], np.cumsum(sizes)])

    def last(self) -> Array:
        """Values of the full pad, the upper bonuses of all columns (float64)."""
        bonus = self.ruleset.upper.bonus if self.ruleset.upper else 0
        factors = np.array([column.multiplier for column in self.ruleset.columns], float)
        return np.asarray(self._reached() @ (bonus * factors))

    def reached(self) -> Array:
        """For each value of the full pad the share of columns that have the upper bonus (float64)."""
        return np.asarray(self._reached().mean(axis=1))

    def _reached(self) -> Array:
        """For each value of the full pad and each column whether it has the upper bonus."""
        code, _, outer = self.units(self.n_layers - 1)
        base, n_lanes = self.shapes.base[code[0]], self.shapes.n_lanes[code[0]]
        reached = np.zeros((len(code), int(n_lanes[-1]), len(n_lanes)), bool)
        if self.ruleset.upper is not None:
            for column in range(len(n_lanes)):
                inner = prod(n_lanes[column + 1 : -1].tolist())
                is_last = column == len(n_lanes) - 1
                lane = np.arange(n_lanes[-1]) if is_last else (outer // inner % n_lanes[column])[:, None]
                reached[:, :, column] = base[column] + lane >= self.ruleset.upper.threshold
        return np.repeat(reached, self.n_saved(self.n_layers - 1), axis=0).reshape(-1, len(n_lanes))

    def states(self, layer: int, index: Array) -> States:
        """The states whose values have these places in a layer."""
        code, flag, outer = self.units(layer)
        offsets = self.unit_offsets(layer)
        unit = np.searchsorted(offsets, index, "right") - 1
        saved, lane = np.divmod(index - offsets[unit], self.shapes.n_lanes[code[unit], -1])
        return States(code[unit], flag[unit], outer[unit], lane, saved)

    def place(self, sheet: Sheet) -> Place:
        """Where the values of a pad lie; raises `KnobelError` for one that no game leads to."""
        code, entries = 0, self.entries
        for stride, line in zip(entries.line_stride.tolist(), pad.lines(self.ruleset), strict=True):
            filled = [sheet.entries[index] is not None for index in line]
            n_filled = sum(filled)
            if not all(filled[:n_filled]):
                raise KnobelError(Reason("solver-no-such-pad", {"ruleset": self.ruleset.id}))
            code += stride * n_filled
        layer = sum(value is not None for value in sheet.entries)
        saved = pad.count(self.ruleset, sheet, "saved_throws")
        if saved >= self.n_saved(layer):
            raise KnobelError(Reason("solver-no-such-pad", {"ruleset": self.ruleset.id}))
        totals = [pad.tally_column(self.ruleset, sheet, column).upper for column in range(len(self.ruleset.columns))]
        base, n_lanes = self.shapes.base[code].tolist(), self.shapes.n_lanes[code].tolist()
        lanes = [min(max(total - low, 0), n - 1) for total, low, n in zip(totals, base, n_lanes, strict=True)]
        outer = 0
        for lane, n in zip(lanes[:-1], n_lanes[:-1], strict=True):
            outer = outer * n + lane
        flag = min(flag_of(self.ruleset, sheet), int(self.shapes.n_flags[code]) - 1)
        return Place(layer, code, flag, outer, saved, lanes[-1])


@lru_cache(maxsize=8)
def model_of(ruleset: Ruleset) -> Model:
    """The arrays for a ruleset; raises `Unsolvable` if the tables have no words for it or it has too many shapes."""
    begin = perf_counter()
    for word in ("tokens", "earned_throws", "special_rounds", "no_strike"):
        if getattr(ruleset, word):
            raise Unsolvable(Reason("solver-word", {"ruleset": ruleset.id, "word": word}))
    n_shapes = prod(len(line) + 1 for line in pad.lines(ruleset))
    entries = entries_of(ruleset)
    if n_shapes > MAX_SHAPES:
        raise Unsolvable(Reason("solver-too-many-states", _guess(ruleset, entries)))
    code = np.arange(n_shapes, dtype=np.int64)
    filled = np.zeros((len(ruleset.boxes), n_shapes), bool)
    for stride, line in zip(entries.line_stride.tolist(), pad.lines(ruleset), strict=True):
        progress = code // stride % (len(line) + 1)
        for place, box in enumerate(line):
            filled[box] = progress > place
    base, n_lanes = _lanes(ruleset, entries, filled)
    signs, status = _signs(ruleset, filled)
    n_flags = np.ones(n_shapes, np.int64)
    if has_flag(ruleset):
        n_flags += code > 0 if ruleset.extra_five.when == "any_after_first" else status != NONE
    layer = filled.sum(axis=0)
    order = np.argsort(layer, kind="stable")
    layers = tuple(np.split(order, np.cumsum(np.bincount(layer))[:-1]))
    model = Model(
        ruleset, lattice_of(ruleset.dice), entries, Shapes(code, n_flags, base, n_lanes, signs), layers, 0, 0.0
    )
    offset = np.zeros(n_shapes, np.int64)
    n_states = 0
    totals = _n_totals(ruleset, entries, filled)
    for number, codes in enumerate(layers):
        sizes = n_flags[codes] * np.prod(n_lanes[codes], axis=1) * model.n_saved(number)
        offset[codes] = np.cumsum(sizes) - sizes
        if number < len(layers) - 1:
            n_states += int((n_flags[codes] * totals[codes]).sum()) * model.n_saved(number)
    shapes = Shapes(offset, n_flags, base, n_lanes, signs)
    return Model(ruleset, model.lattice, entries, shapes, layers, n_states, perf_counter() - begin)


def _lanes(ruleset: Ruleset, entries: Entries, filled: Array) -> tuple[Array, Array]:
    """`base` and `n_lanes` of each code and column."""
    threshold = ruleset.upper.threshold if ruleset.upper else 0
    n_shapes, n_columns = filled.shape[1], len(ruleset.columns)
    reach = np.zeros((n_shapes, n_columns), np.int64)
    rest = np.zeros((n_shapes, n_columns), np.int64)
    for box, most in enumerate(entries.most_upper.tolist()):
        reach[:, entries.column[box]] += most * filled[box]
        rest[:, entries.column[box]] += most * ~filled[box]
    top = np.minimum(reach, threshold)
    base = np.clip(threshold - rest - 1, 0, top)
    return base, top - base + 1


def _signs(ruleset: Ruleset, filled: Array) -> tuple[Array, Array]:
    """`signs` of each code, and the status in them."""
    n_rows = len(ruleset.categories)
    signs = np.zeros(filled.shape[1], np.int64)
    for face, row in ruleset.upper_of_face.items():
        if face in FACES:
            signs |= (~filled[row::n_rows]).any(axis=0).astype(np.int64) << (OWN_FREE + face - 1)
    lower = [box for box in range(len(filled)) if box % n_rows not in ruleset.upper_rows]
    signs |= (~filled[lower]).any(axis=0).astype(np.int64) << LOWER_FREE
    status = np.full(filled.shape[1], NONE, np.int64)
    if ruleset.all_equal is not None:
        cells = filled[ruleset.category_index[ruleset.all_equal] :: n_rows]
        status = np.where(cells.all(axis=0), ALL, np.where(cells.any(axis=0), SOME, NONE))
    return signs | status << STATUS, status


def _n_totals(ruleset: Ruleset, entries: Entries, filled: Array) -> Array:
    """For each code the number of upper totals that can occur, over all columns."""
    number = np.ones(filled.shape[1], np.int64)
    for column in range(len(ruleset.columns)):
        boxes = np.flatnonzero(entries.is_upper & (entries.column == column)).tolist()
        key = sum((filled[box].astype(np.int64) << bit for bit, box in enumerate(boxes)), np.zeros_like(number))
        number *= _n_totals_of_column(ruleset, entries, boxes)[key]
    return number


def _n_totals_of_column(ruleset: Ruleset, entries: Entries, boxes: list[int]) -> Array:
    """For each set of these filled boxes, as bits, the number of totals they can have; from the threshold on one."""
    threshold = ruleset.upper.threshold if ruleset.upper else 0
    steps = [sorted({0, *entries.points[:, entries.row[box]].tolist(), int(entries.most_upper[box])}) for box in boxes]
    totals = [{0}]
    for step in steps:
        totals += [{min(total + points, threshold) for total in before for points in step} for before in totals]
    return np.array([len(found) for found in totals], np.int64)


def _guess(ruleset: Ruleset, entries: Entries) -> dict[str, Param]:
    """What stands against a ruleset whose shapes are too many to be looked at: states, disk, time, for messages."""
    states = 1.0
    for column in range(len(ruleset.columns)):
        boxes = np.flatnonzero(entries.is_upper & (entries.column == column)).tolist()
        n_lower = len(ruleset.categories) - len(boxes)
        states *= float(_n_totals_of_column(ruleset, entries, boxes).sum()) * 2.0**n_lower
    if ruleset.saved_throws:
        states *= 1 + (ruleset.throws - 1) * len(ruleset.boxes) / 2
    seconds = states / 16 * ruleset.throws * lattice_of(ruleset.dice).n_keeps * SECONDS_PER_KEEP
    known = {"states": states, "disk": 4 * states / 1e9, "hours": seconds / 3600}
    return {"ruleset": ruleset.id, **{name: f"{value:.1e}" for name, value in known.items()}}
