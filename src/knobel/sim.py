"""Many games for one player each: totals, and points box by box. The dice depend on seed and number of a game alone.

The optimal player plays all games in lockstep on a table; any other policy plays them one after another through the
public game, spread over processes. Either way the number of threads or processes changes nothing.
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import pairwise
from math import sqrt
from multiprocessing import get_context
from random import Random
from signal import SIG_IGN, SIGINT, signal
from time import perf_counter
from typing import Any

import numpy as np

from knobel import game
from knobel import sheet as pad
from knobel.action import Throw
from knobel.dice import FACES, keeps
from knobel.errors import KnobelError, Reason
from knobel.players.policy import Policy
from knobel.solver.compiled import uint64
from knobel.solver.decide import Choices
from knobel.solver.distribution import BoxFigures
from knobel.solver.kernel import workspace
from knobel.solver.lanes import lanes_of
from knobel.solver.lattice import parts_of
from knobel.solver.lockstep import Played, play_turns
from knobel.solver.model import States
from knobel.solver.solve import default_threads
from knobel.solver.table import free_memory
from knobel.solver.values import Values
from knobel.vocabulary import Ruleset

Array = np.ndarray[Any, np.dtype[Any]]
Watch = Callable[[float], None]  # told the share that is done
_Game = tuple[int, int, tuple[int, ...]]  # total, upper bonuses, points box by box

_GAMES_OF_BATCH = 1 << 20
_GAMES_OF_TASK = 4096
_GAMES_OF_PROCESS = 10  # at once: few, since Ctrl-C waits for them
_BYTES_OF_GAME, _BYTES_OF_BOX = 64, 4
_RESERVE = 1 << 28  # bytes of memory that are left alone
_WIDTH = 8  # lanes: what the games of a block look up should stay close to the processor
_Z_95 = 1.959963984540054  # of the normal distribution


@dataclass(frozen=True, slots=True)
class Simulation:
    """The games that were played."""

    ruleset: Ruleset
    policy: str
    seed: int
    totals: Array  # (games,) int64
    points: Array  # (games, boxes) int32, unmultiplied, in the order of `ruleset.boxes`
    bonus: Array  # (games,) int64: upper bonuses, multiplied
    seconds: float

    @property
    def mean(self) -> float:
        """Mean total."""
        return float(self.totals.mean())

    @property
    def deviation(self) -> float:
        """Standard deviation of a total (of the sample, n - 1); 0 for a single game."""
        return float(self.totals.std(ddof=1)) if len(self.totals) > 1 else 0.0

    @property
    def bonus_rate(self) -> float:
        """Share of the games with an upper bonus, in any column."""
        return float((self.bonus > 0).mean())

    @property
    def interval(self) -> tuple[float, float]:
        """Confidence interval of 95 percent for the mean, by the normal distribution."""
        half = _Z_95 * self.deviation / sqrt(len(self.totals))
        return self.mean - half, self.mean + half

    def percentile(self, percent: float) -> int:
        """The lowest total that at least so many percent of the games do not exceed; 50 is the median."""
        return int(np.percentile(self.totals, percent, method="inverted_cdf"))

    def box_figures(self) -> tuple[BoxFigures, ...]:
        """Mean points of each box, unmultiplied, and how often it got 0."""
        columns = zip(self.ruleset.boxes, self.points.T, strict=True)
        return tuple(BoxFigures(box, float(column.mean()), float((column == 0).mean())) for box, column in columns)

    def histogram(self, n_bins: int = 20) -> tuple[tuple[int, int, int], ...]:
        """Totals in bins of equal, round width: first total, last total, number of games.

        The first and the last bin also hold what lies beyond the middle 99 percent, so they may be wider.
        """
        low, high = self.percentile(0.5), self.percentile(99.5)
        width = next(width for width in _round_widths() if (high // width - low // width) < n_bins)
        bins = np.clip(self.totals // width, low // width, high // width) - low // width
        counts = np.bincount(bins)
        first = low // width * width
        rows = [[first + n * width, first + (n + 1) * width - 1, int(count)] for n, count in enumerate(counts)]
        rows[0][0] = min(rows[0][0], int(self.totals.min()))
        rows[-1][1] = max(rows[-1][1], int(self.totals.max()))
        return tuple((one, other, count) for one, other, count in rows)


def simulate_optimal(
    values: Values, n_games: int, seed: int = 1, threads: int | None = None, watch: Watch | None = None
) -> Simulation:
    """Games of the optimal player. Raises `KnobelError` for more than memory holds."""
    model = values.table.model
    _check(n_games, model.ruleset)
    begin = perf_counter()
    worth = np.zeros(n_games)
    points = np.zeros((n_games, len(model.ruleset.boxes)), np.int32)
    bonus = np.zeros(n_games)
    bounds = [*range(0, n_games, _GAMES_OF_BATCH), n_games]
    with ThreadPoolExecutor(threads or default_threads()) as pool:
        for first, end in pairwise(bounds):
            index = np.zeros(end - first, np.int64)
            played = Played(index, worth[first:end], points[first:end])
            for layer in range(model.n_layers - 1):
                order = np.argsort(index, kind="stable")
                states = model.states(layer, index[order])
                cuts = [*range(0, len(order), _GAMES_OF_TASK), len(order)]
                play = partial(_play_part, values, layer, played, states, order, first, seed)
                list(pool.map(play, cuts[:-1], cuts[1:]))
                if watch is not None:
                    watch((first + (end - first) * (layer + 1) / (model.n_layers - 1)) / n_games)
            bonus[first:end] = model.last()[index]
    totals = np.rint(worth + bonus).astype(np.int64)
    return Simulation(
        model.ruleset, "optimal", seed, totals, points, np.rint(bonus).astype(np.int64), perf_counter() - begin
    )  # fmt: skip


def _play_part(
    values: Values,
    layer: int,
    played: Played,
    states: States,
    order: Array,
    offset: int,
    seed: int,
    first: int,
    end: int,
) -> None:
    """A turn of some games, in the order of their states; `offset` is the number of the batch's first game."""
    ruleset, turns = values.ruleset, values.turns[layer]
    part = States(*(column[first:end] for column in states))
    n_throws = ruleset.throws - 1 + int(part.saved.max())
    stages = np.zeros((max(n_throws, 1), values.table.model.lattice.n_keeps * _WIDTH))
    sizes = np.array([len(keep) for keep in keeps(ruleset.dice)])
    play_turns(
        played, turns, values.table.layers[layer + 1], part, order[first:end], offset, uint64(seed % 2**64),
        layer * _most_throws(ruleset), sizes, Choices(stages, *parts_of(ruleset.dice)), workspace(turns, _WIDTH),
        np.zeros(_WIDTH, np.int64), lanes_of(_WIDTH),
    )  # fmt: skip


def _most_throws(ruleset: Ruleset) -> int:
    """Throws that a turn can have, 64 at least: so far apart are the numbers of the turns' first throws."""
    saved = (ruleset.throws - 1) * len(ruleset.boxes) if ruleset.saved_throws else 0
    return max(ruleset.throws + saved, 64)


def simulate(
    ruleset: Ruleset,
    make_policy: Callable[[], Policy],
    name: str,
    n_games: int,
    seed: int = 1,
    processes: int | None = None,
    watch: Watch | None = None,
) -> Simulation:
    """Games of any policy, which is made anew for each part of them; `make_policy` must be known by name to others.

    Raises `KnobelError` for more games than memory holds.
    """
    _check(n_games, ruleset)
    begin = perf_counter()
    cuts = [*range(0, n_games, _GAMES_OF_PROCESS), n_games]
    play = partial(_play_games, ruleset, make_policy, seed)
    processes = min(processes or default_threads(), len(cuts) - 1)
    totals, bonus = np.zeros((2, n_games), np.int64)
    points = np.zeros((n_games, len(ruleset.boxes)), np.int32)

    def gather(parts: Iterable[list[_Game]]) -> None:
        for first, end, part in zip(cuts[:-1], cuts[1:], parts, strict=True):
            totals[first:end], bonus[first:end], points[first:end] = zip(*part, strict=True)
            if watch is not None:
                watch(end / n_games)

    if processes == 1:
        gather(map(play, cuts[:-1], cuts[1:]))
    else:
        others = get_context("spawn")  # Ctrl-C is for this process; it waits for what the others have begun
        with ProcessPoolExecutor(processes, others, signal, (SIGINT, SIG_IGN)) as pool:
            gather(pool.map(play, cuts[:-1], cuts[1:]))
    return Simulation(ruleset, name, seed, totals, points, bonus, perf_counter() - begin)


def _play_games(ruleset: Ruleset, make_policy: Callable[[], Policy], seed: int, first: int, end: int) -> list[_Game]:
    """Total, upper bonuses and points box by box of the games `first` to `end`."""
    ruleset, policy, result = _first_of(ruleset), make_policy(), []
    for number in range(first, end):
        rng = Random(f"{seed}:{number}")
        state = game.start(ruleset)
        while not game.is_over(state):
            action = policy.choose(state, rng)
            outcomes = game.chance_outcomes(state, action)
            roll = None
            if outcomes[0][0] is not None:
                kept = action.keep if isinstance(action, Throw) else getattr(action, "keep", ())
                roll = (*kept, *rng.choices(FACES, k=ruleset.dice - len(kept)))
            state = game.apply(state, action, roll)
        tally = pad.tally(ruleset, state.sheets[0])
        factors = [column.multiplier for column in ruleset.columns]
        bonus = sum(factor * column.bonus for factor, column in zip(factors, tally.columns, strict=True))
        result.append((tally.total, bonus, tuple(value or 0 for value in state.sheets[0].entries)))
    return result


@lru_cache(maxsize=8)
def _first_of(ruleset: Ruleset) -> Ruleset:
    """The first of equal rulesets that this process got: in caches the very same one is found ten times as quickly."""
    return ruleset


def _check(n_games: int, ruleset: Ruleset) -> None:
    if n_games < 1:
        raise KnobelError(Reason("sim-games", {"found": n_games}))
    needed = n_games * (_BYTES_OF_GAME + _BYTES_OF_BOX * len(ruleset.boxes))
    if needed > (free := free_memory()) - _RESERVE:
        found = {"games": n_games, "memory": round(needed / 1e9, 1), "free": round(free / 1e9, 1)}
        raise KnobelError(Reason("sim-memory", found))


def _round_widths() -> Iterator[int]:
    """1, 2, 5, 10, 20, 50, ..."""
    power = 1
    while True:
        yield from (power, 2 * power, 5 * power)
        power *= 10
