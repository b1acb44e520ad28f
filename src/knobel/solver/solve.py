"""Backward induction over the layers of a pad: from the full one to the empty one, on as many threads as there are.

The values of a layer are independent of each other, so neither the number of threads nor the number of lanes changes
a single bit of them.
"""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import pairwise
from time import perf_counter

import numpy as np

from knobel.solver.kernel import Turns, solve_units, workspace
from knobel.solver.lanes import lanes_of
from knobel.solver.lattice import Array
from knobel.solver.model import SECONDS_PER_KEEP, Model, model_of
from knobel.vocabulary import Category, Labels, Rule, Ruleset

WIDTH = 16  # lanes of a block: enough work for each step, and the lattice stays close to the processor
_WORK_OF_TASK = 4000  # blocks times steps: some ten milliseconds


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a solve is: layers are counted by filled boxes, so they go down to 0."""

    layer: int
    n_layers: int
    states: int  # values written so far
    share: float  # of the work, 0 to 1
    seconds: float  # since the solve began or went on

    @property
    def states_per_second(self) -> float:
        """Values a second, on average."""
        return self.states / self.seconds if self.seconds else 0.0


Watch = Callable[[Progress], None]


def default_threads() -> int:
    """The processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def turns_of(model: Model, layer: int) -> Turns:
    """The turns that lead from a layer to the next, as arguments for compiled functions."""
    return Turns(
        model.shapes,
        model.entries,
        model.lattice.steps,
        model.ruleset.throws,
        model.n_saved(layer),
        model.n_saved(layer + 1),
        model.enters_always,
    )


@dataclass(frozen=True, slots=True)
class Work:
    """The work on one layer: its units in the order of their values."""

    layer: int
    turns: Turns
    code: Array
    flag: Array
    outer: Array
    offsets: Array  # (units + 1,): where the values of each unit begin, and the end
    ends: Array  # (units + 1,): blocks times steps of all units before, and in all
    width: int

    @property
    def amount(self) -> int:
        """Blocks times steps of the whole layer."""
        return int(self.ends[-1])

    def parts(self, amount: int = _WORK_OF_TASK) -> list[tuple[int, int]]:
        """The units in parts of about this amount of work, as (first, end)."""
        cuts = np.searchsorted(self.ends, np.arange(amount, self.amount + amount, amount))
        return list(pairwise(sorted({0, *np.minimum(cuts, len(self.code)).tolist()})))

    def fill(self, first: int, end: int, values: Array, after: Array) -> tuple[int, int]:
        """Write the values of the units `first` to `end`; `after` holds the next layer. Their number and the work."""
        units = slice(first, end)
        solve_units(
            values, self.turns, read_only(after), self.code[units], self.flag[units], self.outer[units],
            workspace(self.turns, self.width), lanes_of(self.width),
        )  # fmt: skip
        return len(values), int(self.ends[end] - self.ends[first])


def work_of(model: Model, layer: int, width: int = WIDTH) -> Work:
    """The work on a layer in blocks of so many lanes."""
    code, flag, outer = model.units(layer)
    blocks = -(-model.shapes.n_lanes[code, -1] // width)
    ends = np.concatenate([[0], np.cumsum(blocks * (model.ruleset.throws - 1 + model.n_saved(layer)))])
    return Work(layer, turns_of(model, layer), code, flag, outer, model.unit_offsets(layer), ends, width)


def estimated_seconds(model: Model, threads: int) -> float:
    """About how long a solve takes."""
    amount = sum(work_of(model, layer).amount for layer in range(model.n_layers - 1))
    return amount * model.lattice.n_keeps * SECONDS_PER_KEEP / threads


def layers(
    model: Model,
    threads: int | None = None,
    width: int = WIDTH,
    watch: Watch | None = None,
    above: tuple[int, Array] | None = None,
) -> Iterator[tuple[int, Array]]:
    """The values of each layer (float64), from the full pad to the empty one, with the number of filled boxes.

    `above` is a layer that is known already: the solve goes on below it. At most two layers are held at a time.
    """
    with ThreadPoolExecutor(threads or default_threads()) as pool:
        try:
            yield from descend(model, partial(_solve_layer, pool), width, watch, above)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


Solver = Callable[[Work, Array, Array], Iterator[tuple[int, int]]]


def descend(
    model: Model, solve_layer: Solver, width: int, watch: Watch | None, above: tuple[int, Array] | None
) -> Iterator[tuple[int, Array]]:
    """`layers` with any way to solve one: told the work, where the values go and those of the next layer.

    It yields the number of values and the work of each task that is done.
    """
    begin, states = perf_counter(), 0
    amounts = [work_of(model, layer, width).amount for layer in range(model.n_layers - 1)]
    total = max(sum(amounts), 1)
    if above is None:
        after, top = model.last(), model.n_layers - 1
        yield top, after
    else:
        top, after = above
    done = sum(amounts[top:])
    for layer in range(top - 1, -1, -1):
        here = np.empty(model.size(layer))
        for n_values, work in solve_layer(work_of(model, layer, width), here, after):
            states, done = states + n_values, done + work
            if watch is not None:
                watch(Progress(layer, model.n_layers, states, done / total, perf_counter() - begin))
        yield layer, here
        after = here


def _solve_layer(pool: ThreadPoolExecutor, work: Work, here: Array, after: Array) -> Iterator[tuple[int, int]]:
    """The tasks of a layer on threads."""
    tasks = [
        pool.submit(work.fill, first, end, here[work.offsets[first] : work.offsets[end]], after)
        for first, end in work.parts()
    ]
    for task in as_completed(tasks):
        yield task.result()


def read_only(values: Array) -> Array:
    """The same values, not to be written: compiled functions take no others, since each kind is compiled anew."""
    view = values.view()
    view.flags.writeable = False
    return view


@lru_cache
def get_ready() -> None:
    """Compile what a solve needs, or read it from disk: a game of one die and one box does it."""
    chance = Category("chance", Labels("-", "-"), (Rule("all"),))
    for _ in layers(model_of(Ruleset("ready", Labels("-", "-"), 1, 1, (chance,))), threads=1):
        pass
