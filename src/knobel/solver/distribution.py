"""The exact distribution of the final total under optimal play, from any state: mass flows forward through the layers.

For each state that can be reached, a turn is followed backwards through the lattice once more, now with probabilities:
a keep hands its mass to the six keeps with one die more. What a turn leads to are arcs, each with a probability, to a
state of the next layer. Each state holds the probabilities of the points made so far, from the lowest to the highest.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from knobel import turn as rules
from knobel.errors import KnobelError, Reason
from knobel.game import State
from knobel.solver.compiled import compiled, inlined, int64
from knobel.solver.decide import Choices, best_keep, look_ahead, situation_of
from knobel.solver.kernel import BOX, Turns, Workspace, find_moves, workspace
from knobel.solver.lanes import lanes_of
from knobel.solver.lattice import Array, parts_of
from knobel.solver.model import States, Unsolvable
from knobel.solver.price import best_entry
from knobel.solver.solve import WIDTH, default_threads
from knobel.solver.values import Values
from knobel.vocabulary import Box

MOST_VALUES = 3_000_000  # of a table whose distributions can be had in a minute or so
_STATES_OF_TASK = 512


@dataclass(frozen=True, slots=True)
class BoxFigures:
    """What a box brings under optimal play."""

    box: Box
    mean: float  # unmultiplied points, over the games in which it is still to be filled
    zero_rate: float  # how often it gets 0


@dataclass(frozen=True, slots=True)
class Distribution:
    """Final totals with their probabilities (they sum to 1), and what makes them up."""

    totals: Array  # (n,) int64, ascending, one apart
    chances: Array  # (n,) float64
    boxes: tuple[BoxFigures, ...]  # those that are still free
    bonus: float  # mean of the upper bonuses, multiplied
    bonus_chance: float  # of having the upper bonus, on average over the columns
    extra: float  # mean of what is still paid for further fives of a kind

    @property
    def mean(self) -> float:
        """Expected final total."""
        return float(self.totals @ self.chances)

    @property
    def variance(self) -> float:
        """Mean square of the deviation from the mean, in points squared."""
        return float(np.square(self.totals - self.mean) @ self.chances)

    @property
    def deviation(self) -> float:
        """Standard deviation in points."""
        return float(np.sqrt(self.variance))

    def percentile(self, percent: float) -> int:
        """The lowest total that at least so many percent of games do not exceed; 50 is the median."""
        share = np.cumsum(self.chances)
        return int(self.totals[min(int(np.searchsorted(share, percent / 100 - 1e-12)), len(share) - 1)])

    def chance_of(self, total: int) -> float:
        """Probability to reach at least so many points."""
        return float(self.chances[self.totals >= total].sum())


class _Arcs(NamedTuple):
    """What turns lead to, arc by arc."""

    source: Array  # int64: number of the state
    target: Array  # int64: place in the next layer
    worth: Array  # int64: points that the total gains
    chance: Array  # float64
    box: Array  # int64
    points: Array  # int64, unmultiplied


class _Masses(NamedTuple):
    """States of a layer, and for each of them the probabilities of the points made so far."""

    places: Array  # (states,) int64: in the layer, ascending
    low: Array  # (states,) int64: the fewest points that have a probability
    start: Array  # (states + 1,) int64: where those of each state begin
    mass: Array  # float64


def distribution(values: Values, state: State, threads: int | None = None) -> Distribution:
    """How the final total of the seat on turn is distributed if it plays optimally from this state on.

    Raises `Unsolvable` where the ruleset has too many states for it, `KnobelError` for a game of other rules.
    """
    model = values.table.model
    if model.n_values > MOST_VALUES:
        raise Unsolvable(
            Reason("solver-no-distribution", {"ruleset": model.ruleset.id, "states": f"{model.n_states:,}"})
        )
    if state.turn is None:
        raise KnobelError(Reason("game-over", {"action": "-"}))
    sheet = state.sheets[state.turn.owner]
    first = model.place(sheet).layer
    masses = _Masses(np.array([values.index(first, sheet)]), np.zeros(1, np.int64), np.array([0, 1]), np.ones(1))
    n_boxes = len(model.ruleset.boxes)
    mean, zero, extra = np.zeros(n_boxes), np.zeros(n_boxes), 0.0
    roll, left = -1, 0
    if state.turn.roll is not None:
        situations = values.situations([state])
        roll, left = int(situations.roll[0]), rules.budget(model.ruleset, sheet, state.turn) - state.turn.throws
    with ThreadPoolExecutor(threads or default_threads()) as pool:
        for layer in range(first, model.n_layers - 1):
            arcs = _arcs(values, layer, masses.places, roll, left, pool)
            reached = np.add.reduceat(masses.mass, masses.start[:-1])[arcs.source] * arcs.chance
            mean += np.bincount(arcs.box, reached * arcs.points, n_boxes)
            zero += np.bincount(arcs.box, reached * (arcs.points == 0), n_boxes)
            extra += float(reached @ (arcs.worth - model.entries.factor[arcs.box] * arcs.points))
            masses, roll = _moved(masses, arcs, pool), -1
    free = [index for index, value in enumerate(sheet.entries) if value is None]
    figures = tuple(BoxFigures(model.ruleset.boxes[box], float(mean[box]), float(zero[box])) for box in free)
    bonus, chance = model.last()[masses.places], model.reached()[masses.places]
    ends = masses._replace(low=masses.low + np.rint(bonus).astype(np.int64))
    weights = np.add.reduceat(masses.mass, masses.start[:-1])
    totals, chances = _merged(ends, int(values.settled(sheet)))
    return Distribution(totals, chances, figures, float(weights @ bonus), float(weights @ chance), extra)


def _merged(ends: _Masses, settled: int) -> tuple[Array, Array]:
    """All masses in one row, by total."""
    lengths = np.diff(ends.start)
    low, high = int(ends.low.min()), int((ends.low + lengths).max())
    chances = np.zeros(high - low)
    for number in range(len(ends.places)):
        at = int(ends.low[number]) - low
        chances[at : at + lengths[number]] += ends.mass[ends.start[number] : ends.start[number + 1]]
    known = np.flatnonzero(chances)
    return settled + np.arange(low + known[0], low + known[-1] + 1), chances[known[0] : known[-1] + 1]


def _arcs(values: Values, layer: int, places: Array, roll: int, left: int, pool: ThreadPoolExecutor) -> _Arcs:
    """The arcs from these states; from one roll with so many throws left, if there is one."""
    states = values.table.model.states(layer, places)
    bounds = pairwise([*range(0, len(places), _STATES_OF_TASK), len(places)])
    found = pool.map(lambda part: _part_of_arcs(values, layer, states, part, roll, left), bounds)
    return _Arcs(*(np.concatenate(column) for column in zip(*found, strict=True)))


def _part_of_arcs(
    values: Values, layer: int, states: States, part: tuple[int, int], roll: int, left: int
) -> tuple[Array, ...]:
    model, (first, end) = values.table.model, part
    ruleset, entries = model.ruleset, model.entries
    n_throws = ruleset.throws - 1 + (int(states.saved[first:end].max()) if ruleset.saved_throws else 0)
    n_left = n_throws + 1 if model.enters_always else 1
    size = (
        WIDTH * (len(entries.group_points) * len(ruleset.columns) + 8 * len(ruleset.boxes)) * n_left
    )  # no state has more arcs, times a block
    source, target, worth, box, points = np.zeros((5, size), np.int64)
    room = _Arcs(source, target, worth, np.zeros(size), box, points)
    turns = values.turns[layer]
    stages = np.zeros((max(n_throws, 1), model.lattice.n_keeps * WIDTH))
    choices = Choices(stages, *parts_of(ruleset.dice))
    work, flow = workspace(turns, WIDTH), np.zeros((2, model.lattice.n_keeps))
    result: list[tuple[Array, ...]] = []
    for start in range(first, end, WIDTH):
        chosen = np.arange(start, min(start + WIDTH, end))
        count = follow_turns(
            room, turns, values.table.layers[layer + 1], states, chosen, roll, left, choices, work, flow,
            lanes_of(WIDTH),
        )  # fmt: skip
        result.append(tuple(column[:count].copy() for column in room))
    return tuple(np.concatenate(column) for column in zip(*result, strict=True))


@compiled
def follow_turns(
    arcs: _Arcs,
    turns: Turns,
    after: Array,
    states: States,
    chosen: Array,
    roll: int,
    left: int,
    choices: Choices,
    work: Workspace,
    flow: Array,
    lanes: tuple[int, ...],
) -> int:
    """Write the arcs from the chosen states and return their number; `flow` is room for (2, keeps) numbers."""
    width, n_small, n_rolls = len(lanes), len(turns.steps.more), len(turns.steps.chance)
    top = left
    if roll < 0:
        for lane in range(len(chosen)):
            top = max(top, turns.throws - 1 + states.saved[chosen[lane]])
    look_ahead(choices, work, turns, after, states, chosen, len(chosen), top, lanes)
    count = 0
    for lane in range(len(chosen)):
        situation = situation_of(states, chosen[lane])
        n_moves = find_moves(work, turns, situation.unit)
        begin = count
        now, following = flow[0], flow[1]
        now[:] = 0
        throws_left = left
        if roll < 0:
            throws_left = turns.throws - 1 + situation.saved
            for each in range(n_rolls):
                now[n_small + each] = turns.steps.chance[each]
        else:
            now[n_small + roll] = 1
        while throws_left >= 0:
            following[:] = 0
            for each in range(n_rolls):
                chance = now[n_small + each]
                if chance == 0:
                    continue
                keep = best_keep(choices, work, n_moves, turns, after, situation, each, throws_left, lane, width)
                if keep >= 0:
                    following[keep] += chance
                    continue
                _, move, outcome = best_entry(work, n_moves, turns, after, situation, each, throws_left)
                box, worth = work.moves[move, BOX], int64(round(outcome.worth))
                count = _add_arc(arcs, begin, count, chosen[lane], outcome.place, worth, chance, box, outcome.points)
            for keep in range(n_small):
                if following[keep] != 0:
                    share = following[keep] / 6
                    for face in range(6):
                        following[turns.steps.more[keep, face]] += share
            now, following = following, now
            throws_left -= 1
    return count


@inlined
def _add_arc(
    arcs: _Arcs, begin: int, count: int, source: int, target: int, worth: int, chance: float, box: int, points: int
) -> int:
    """Add to an arc from `begin` on that is the same, or to a new one; returns the number of arcs."""
    for place in range(count - 1, begin - 1, -1):
        if (
            arcs.target[place] == target
            and arcs.worth[place] == worth
            and arcs.box[place] == box
            and (arcs.points[place] == points)
        ):
            arcs.chance[place] += chance
            return count
    arcs.source[count], arcs.target[count], arcs.worth[count] = source, target, worth
    arcs.chance[count], arcs.box[count], arcs.points[count] = chance, box, points
    return count + 1


def _moved(masses: _Masses, arcs: _Arcs, pool: ThreadPoolExecutor) -> _Masses:
    """The masses of the next layer."""
    order = np.argsort(arcs.target, kind="stable")
    source, target, worth, chance = (column[order] for column in arcs[:4])
    starts = np.flatnonzero(np.diff(target, prepend=-1))
    lengths = np.diff(masses.start)
    low = np.minimum.reduceat(masses.low[source] + worth, starts)
    high = np.maximum.reduceat(masses.low[source] + worth + lengths[source], starts)
    start = np.concatenate([[0], np.cumsum(high - low)])
    result = _Masses(target[starts], low, start, np.zeros(int(start[-1])))
    ends = np.append(starts, len(target))
    bounds = pairwise([*range(0, len(starts), _STATES_OF_TASK), len(starts)])
    sorted_arcs = (source, worth, chance)
    list(pool.map(lambda part: gather_mass(result, masses, *sorted_arcs, ends, *part), bounds))
    return result


@compiled
def gather_mass(
    result: _Masses, masses: _Masses, source: Array, worth: Array, chance: Array, ends: Array, first: int, end: int
) -> None:
    """Sum what arrives at the states `first` to `end`; their arcs are those between two `ends`."""
    for number in range(first, end):
        for arc in range(ends[number], ends[number + 1]):
            begin = masses.start[source[arc]]
            at = result.start[number] + masses.low[source[arc]] + worth[arc] - result.low[number]
            for place in range(masses.start[source[arc] + 1] - begin):
                result.mass[at + place] += chance[arc] * masses.mass[begin + place]
