"""Many games: real ones with fair dice, as good as the values say, and the same however they are spread."""

import pickle
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise
from math import sqrt
from random import Random

import numpy as np
import pytest

import knobel
from knobel import Action, KnobelError, Ruleset, State, Throw, game, sim
from knobel import sheet as pad
from knobel.players.chance import Aimless
from knobel.players.optimal import Optimal
from knobel.players.policy import Policy
from knobel.players.simple import Greedy
from knobel.sheet import Sheet
from knobel.sim import Array, Simulation, simulate, simulate_optimal
from knobel.solver.distribution import Distribution, distribution
from knobel.solver.values import Values
from tests.solver.toys import CHANCE, PAIR, RUN, SIXES, STAIRS, TOYS, TRIPLE, bonus, columns, fives, order, toy, upper

RULES: dict[str, Callable[[], Ruleset]] = {
    "forced": lambda: knobel.load("classic", joker="forced"),
    "free": lambda: knobel.load("classic", joker="free"),
    "none": lambda: knobel.load("classic", joker="none"),
    "kniffel-2003": lambda: knobel.load("kniffel-2003"),
    "yatzy": lambda: knobel.load("yatzy"),
    "down": lambda: knobel.load("classic", order="down"),
    "six-down": lambda: knobel.load("six-dice", order="down"),  # with saved throws
    "saved": lambda: toy(3, 2, SIXES, TRIPLE, STAIRS, CHANCE, saved_throws=True, **bonus(12, 20)),
    "columns": lambda: toy(2, 2, SIXES, PAIR, RUN, **columns(1, 3), **fives("box_has_50", "free"), **bonus(12, 7)),
    "gates": lambda: TOYS["gates-three-strike"],
}
WITH_DISTRIBUTION = ("down", "six-down", "saved", "columns", "gates")


@cache
def values_of(name: str) -> Values:
    """The values of one of `RULES`."""
    return Values.solve(RULES[name]())


@cache
def games_of(name: str, n_games: int = 2000) -> Simulation:
    """Games of the optimal player."""
    return simulate_optimal(values_of(name), n_games, seed=7)


@cache
def distribution_of(name: str) -> Distribution:
    """How the totals are distributed."""
    values = values_of(name)
    return distribution(values, knobel.start(values.ruleset))


def is_same(one: Simulation, other: Simulation) -> bool:
    """Whether these are the same games."""
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in ("totals", "points", "bonus"))


# Real games


@pytest.mark.parametrize("name", RULES)
def test_totals_are_what_the_pads_say(name: str) -> None:
    """But for further fives, which the entries do not show: they are paid in whole."""
    simulation = games_of(name)
    ruleset = simulation.ruleset
    factors = [column.multiplier for column in ruleset.columns]
    extra, n_paid = ruleset.extra_five, 0
    for total, points, upper_bonus in zip(simulation.totals, simulation.points, simulation.bonus, strict=True):
        sheet = Sheet(tuple(points.tolist()), (0,) * len(ruleset.counters))
        tally = pad.tally(ruleset, sheet)
        assert upper_bonus == sum(factor * part.bonus for factor, part in zip(factors, tally.columns, strict=True))
        rest = total - tally.total
        if extra.when == "none":
            assert rest == 0
        else:
            assert rest >= 0
            assert rest % extra.points == 0
        n_paid += rest > 0
    assert (n_paid > 0) == (extra.when != "none")


@pytest.mark.parametrize("name", RULES)
def test_every_box_has_points_that_it_can_have(name: str) -> None:
    simulation = games_of(name)
    ruleset = simulation.ruleset
    for box, column in zip(ruleset.boxes, simulation.points.T, strict=True):
        row = ruleset.category_index[box.category]
        possible = {knobel.points(ruleset, roll)[box.category] for roll in knobel.dice.rolls(ruleset.dice)} | {0}
        joker = ruleset.categories[row].joker
        if ruleset.joker != "none" and joker is not None:
            possible.add(joker)
        assert {*column.tolist()} <= possible
        assert len({*column.tolist()}) > 1


# As good as the values say


@pytest.mark.parametrize("name", RULES)
def test_the_mean_is_the_value(name: str) -> None:
    simulation = games_of(name, 20_000)
    assert abs(simulation.mean - values_of(name).table.value) < 4 * simulation.deviation / sqrt(20_000)


@pytest.mark.parametrize(("name", "expected"), [("forced", 59.61), ("free", 59.61), ("yatzy", 38.48)])
def test_the_deviation_is_the_published_one(name: str, expected: float) -> None:
    simulation = games_of(name, 20_000)
    squares = (simulation.totals - simulation.mean) ** 2
    error = squares.std() / sqrt(len(squares)) / (2 * expected)
    assert abs(simulation.deviation - expected) < 3 * error < 2.5


@pytest.mark.parametrize("name", WITH_DISTRIBUTION)
def test_the_totals_are_distributed_as_they_should(name: str) -> None:
    simulation, exact = games_of(name, 20_000), distribution_of(name)
    n_games = len(simulation.totals)
    fourth = float(((exact.totals - exact.mean) ** 4) @ exact.chances)
    assert abs(simulation.deviation**2 - exact.variance) < 4 * sqrt((fourth - exact.variance**2) / n_games)
    assert int(simulation.totals.min()) >= exact.totals[0]
    assert int(simulation.totals.max()) <= exact.totals[-1]
    expected = n_games * exact.chances
    counts = np.bincount(simulation.totals - exact.totals[0], minlength=len(expected))
    assert np.count_nonzero(counts[expected == 0]) == 0
    assert is_likely(counts, expected)
    for found, figures in zip(simulation.box_figures(), exact.boxes, strict=True):
        column = simulation.points[:, simulation.ruleset.box_index[found.box]]
        assert found.box == figures.box
        assert found.mean == column.mean()
        assert abs(found.mean - figures.mean) < 4.5 * column.std() / sqrt(n_games)
        error = sqrt(figures.zero_rate * (1 - figures.zero_rate) / n_games)
        assert abs(found.zero_rate - figures.zero_rate) <= 4.5 * error + 1e-12


def is_likely(counts: Array, expected: Array) -> bool:
    """Chi-square of counts against expected ones, neighbours with few put together; four deviations either way."""
    parts, seen, hoped = [], 0.0, 0.0
    for count, wanted in zip(counts.ravel().tolist(), expected.ravel().tolist(), strict=True):
        seen, hoped = seen + count, hoped + wanted
        if hoped >= 8:
            parts.append((seen - hoped) ** 2 / hoped)
            seen = hoped = 0.0
    free = len(parts) - 1
    cube = (sum(parts) / free) ** (1 / 3)  # nearly normal: Wilson and Hilferty, 1931
    return bool(abs(cube - (1 - 2 / (9 * free))) < 4 * sqrt(2 / (9 * free)))


# Dice

FACES = tuple(upper(face) for face in range(1, 7))
ONE_THROW = toy(5, 1, *FACES, CHANCE, **order(*(f"face_{face}" for face in range(1, 7)), "chance"))


def test_the_dice_are_fair_and_know_nothing_of_each_other() -> None:
    """With one throw a turn and a fixed order the boxes tell how often each face came in each turn."""
    n_games = 50_000
    points = simulate_optimal(Values.solve(ONE_THROW), n_games, seed=3).points
    counts = points[:, :6] // np.arange(1, 7)
    hits = np.array([1.0])
    for _ in range(5):
        hits = np.convolve(hits, [5 / 6, 1 / 6])
    for face in range(6):
        assert is_likely(np.bincount(counts[:, face], minlength=6), n_games * hits)
    for one, other in pairwise(range(6)):  # turns, and games, that follow each other
        pairs = np.bincount(6 * counts[:, one] + counts[:, other], minlength=36)
        assert is_likely(pairs, n_games * np.outer(hits, hits))
    follow = np.bincount(6 * counts[:-1, 0] + counts[1:, 0], minlength=36)
    assert is_likely(follow, (n_games - 1) * np.outer(hits, hits))
    sums = np.array([1.0])
    for _ in range(5):
        sums = np.convolve(sums, [0, *[1 / 6] * 6])
    assert is_likely(np.bincount(points[:, 6], minlength=31), n_games * sums)


def test_seeds_make_other_games() -> None:
    values = values_of("down")
    one, other = (simulate_optimal(values, 2000, seed=seed) for seed in (1, 2))
    same = np.count_nonzero((one.points == other.points).all(axis=1))
    assert same < 10
    assert not is_same(one, other)
    assert is_same(one, simulate_optimal(values, 2000, seed=1))
    assert is_same(simulate_optimal(values, 500, seed=2**63 - 1), simulate_optimal(values, 500, seed=2**63 - 1))
    assert len({tuple(row) for row in one.points.tolist()}) > 1900  # games differ from each other


# The same decisions as in the public game

_WORD = 2**64 - 1


def mixed(number: int) -> int:
    """The finalizer of SplitMix64, after the published code."""
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9 & _WORD
    number = (number ^ number >> 27) * 0x94D049BB133111EB & _WORD
    return number ^ number >> 31


def dice_of(seed: int, number: int, turn: int, throw: int, n_dice: int) -> tuple[int, ...]:
    """The dice of a throw (all counted from 0): the digits of a fraction of 52 bits in base six."""
    key = mixed((seed + (number + 1) * 0x9E3779B97F4A7C15) & _WORD)
    fraction = mixed((key + (64 * turn + throw + 1) * 0x9E3779B97F4A7C15) & _WORD) >> 12
    faces = []
    for _ in range(n_dice):
        digit, fraction = divmod(6 * fraction, 2**52)
        faces.append(digit + 1)
    return tuple(faces)


def replayed(policy: Policy, ruleset: Ruleset, seed: int, number: int) -> State:
    """The end of a game through the public rules, with the dice of the simulation."""
    state, turn, throw = knobel.start(ruleset), 0, 0
    while not game.is_over(state):
        action: Action = policy.choose(state, Random(0))
        if isinstance(action, Throw):
            dice = dice_of(seed, number, turn, throw, ruleset.dice - len(action.keep))
            state, throw = knobel.apply(state, action, (*action.keep, *dice)), throw + 1
        else:
            state, turn, throw = knobel.apply(state, action), turn + 1, 0
    return state


@pytest.mark.parametrize("name", ["forced", "kniffel-2003", "six-down", "saved", "columns", "gates"])
def test_the_lockstep_plays_as_the_player_of_the_public_game_does(name: str) -> None:
    simulation = games_of(name)
    policy = Optimal(values_of(name))
    for number in range(40):
        end = replayed(policy, simulation.ruleset, simulation.seed, number)
        tally = pad.tally(simulation.ruleset, end.sheets[0])
        assert end.sheets[0].entries == tuple(simulation.points[number].tolist())
        assert tally.total == simulation.totals[number]


# However they are spread


@pytest.mark.parametrize("name", ["down", "saved", "none"])
def test_threads_and_parts_change_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    values = values_of(name)
    one = simulate_optimal(values, 3000, seed=11, threads=1)
    assert len(one.totals) == 3000
    assert all(is_same(one, simulate_optimal(values, 3000, seed=11, threads=n)) for n in (2, 3))
    monkeypatch.setattr(sim, "_GAMES_OF_TASK", 37)
    assert is_same(one, simulate_optimal(values, 3000, seed=11, threads=2))
    monkeypatch.setattr(sim, "_GAMES_OF_BATCH", 701)
    shares: list[float] = []
    assert is_same(one, simulate_optimal(values, 3000, seed=11, threads=2, watch=shares.append))
    assert shares == sorted(shares)
    assert (len(shares), shares[-1]) == (5 * len(values.ruleset.boxes), 1.0)
    fewer = simulate_optimal(values, 100, seed=11)
    assert np.array_equal(fewer.totals, one.totals[:100])


def test_processes_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    ruleset = TOYS["three-dice"]
    shares: list[float] = []
    monkeypatch.setattr(sim, "_GAMES_OF_PROCESS", 30)
    one = simulate(ruleset, Greedy, "greedy", 30, seed=4, processes=1, watch=shares.append)
    assert (one.policy, one.seed, one.points.shape, shares) == ("greedy", 4, (30, 3), [1.0])
    monkeypatch.setattr(sim, "_GAMES_OF_PROCESS", 7)
    shares.clear()
    assert is_same(one, simulate(ruleset, Greedy, "greedy", 30, seed=4, processes=2, watch=shares.append))
    assert shares == [7 / 30, 14 / 30, 21 / 30, 28 / 30, 1.0]
    assert not is_same(one, simulate(ruleset, Greedy, "greedy", 30, seed=5, processes=1))


def test_equal_rulesets_become_one_in_each_process() -> None:
    """What is known about a ruleset is kept under it: a copy would be compared with it each time."""
    seen: list[Ruleset] = []

    class Watching(Aimless):
        def choose(self, state: State, rng: Random) -> Action:
            seen.append(state.ruleset)
            return super().choose(state, rng)

    ruleset = TOYS["three-dice"]
    sent = [pickle.loads(pickle.dumps(ruleset)) for _ in range(2)]
    for copy in sent:
        simulate(copy, Watching, "watching", 1, processes=1)
    assert sent[0] is not sent[1]
    assert len({*map(id, seen)}) == 1


# Any policy


@pytest.mark.parametrize(("name", "n_games"), [("acht-mann", 5), ("columns", 200)])
def test_games_of_any_policy_are_real_games(name: str, n_games: int) -> None:
    ruleset = RULES[name]() if name in RULES else knobel.load(name)
    simulation = simulate(ruleset, Aimless if name == "acht-mann" else Greedy, "any", n_games, processes=1)
    assert name == "acht-mann" or {7, 21} <= {*simulation.bonus.tolist()}  # in the simple column, in the triple one
    for total, points, upper_bonus in zip(simulation.totals, simulation.points, simulation.bonus, strict=True):
        tally = pad.tally(ruleset, Sheet(tuple(points.tolist()), (0,) * len(ruleset.counters)))
        factors = [column.multiplier for column in ruleset.columns]
        assert total >= tally.total > 0
        assert upper_bonus == sum(factor * part.bonus for factor, part in zip(factors, tally.columns, strict=True))


def test_the_optimal_player_is_the_same_either_way() -> None:
    """Its mean, played one by one with other dice."""
    values = values_of("saved")
    one_by_one = simulate(values.ruleset, lambda: Optimal(values), "optimal", 300, processes=1)
    assert abs(one_by_one.mean - values.table.value) < 4 * one_by_one.deviation / sqrt(300)


# Figures


def simulation_of(totals: list[int], bonus: list[int] | None = None) -> Simulation:
    """Made-up games on a pad of one box."""
    found = np.array(totals, np.int64)
    upper_bonus = np.array(bonus or [0] * len(totals), np.int64)
    return Simulation(TOYS["one-box"], "made-up", 1, found, found[:, None].astype(np.int32), upper_bonus, 1.0)


def test_games_that_are_all_equal() -> None:
    simulation = simulation_of([245] * 4)
    assert simulation.histogram() == ((245, 245, 4),)
    assert (simulation.mean, simulation.deviation, simulation.interval) == (245, 0, (245, 245))
    assert {simulation.percentile(percent) for percent in (0, 1, 50, 99, 100)} == {245}


def test_a_single_game() -> None:
    simulation = simulation_of([0])
    assert simulation.histogram(1) == ((0, 0, 1),)
    assert (simulation.deviation, simulation.interval) == (0, (0, 0))
    assert simulation.box_figures()[0].zero_rate == 1


def test_figures_by_hand() -> None:
    simulation = simulation_of([1, 2, 3, 10], [0, 35, 0, 70])
    assert simulation.mean == 4
    assert simulation.deviation == pytest.approx(sqrt(50 / 3))
    low, high = simulation.interval
    assert (low + high) / 2 == pytest.approx(4)
    assert high - 4 == pytest.approx(1.959964 * sqrt(50 / 3) / 2)
    assert [simulation.percentile(percent) for percent in (25, 26, 50, 75, 75.1, 100)] == [1, 2, 2, 3, 10, 10]
    assert simulation.bonus_rate == 0.5


@pytest.mark.parametrize("n_bins", [1, 2, 7, 20])
def test_bins_are_round_and_hold_every_game(n_bins: int) -> None:
    rng = Random(n_bins)
    for _ in range(50):
        totals = [rng.randint(0, 10 ** rng.randint(1, 4)) + 10_000 * rng.randint(0, 1) for _ in range(30)]
        bins = simulation_of(totals).histogram(n_bins)
        widths = {last - first + 1 for first, last, _ in bins}
        assert len(widths) == 1
        width = widths.pop()
        assert str(width).rstrip("0") in ("1", "2", "5")
        assert len(bins) <= n_bins
        assert all(first % width == 0 for first, _, _ in bins)
        assert all(one[1] + 1 == other[0] for one, other in pairwise(bins))
        found = Counter(total // width * width for total in totals)
        assert {first: count for first, _, count in bins if count} == dict(found)
        assert bins[0][2] > 0
        assert bins[-1][2] > 0


def test_rare_totals_do_not_stretch_the_bins() -> None:
    bins = simulation_of([1, *range(100, 200), *range(100, 200), *range(100, 200), 5000]).histogram(10)
    assert bins == (
        (1, 109, 31), *((first, first + 9, 30) for first in range(110, 190, 10)), (190, 5000, 31)
    )  # fmt: skip


# Refused


def refused(n_games: int) -> Iterator[KnobelError]:
    """Both ways to play so many games."""
    values = values_of("saved")
    with pytest.raises(KnobelError) as error:
        simulate_optimal(values, n_games)
    yield error.value
    with pytest.raises(KnobelError) as error:
        simulate(values.ruleset, Greedy, "greedy", n_games, processes=1)
    yield error.value


@pytest.mark.parametrize("n_games", [0, -1])
def test_no_games_are_refused(n_games: int) -> None:
    assert [error.reason.key for error in refused(n_games)] == ["sim-games"] * 2


def test_more_than_memory_holds_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [error.reason.key for error in refused(10**12)] == ["sim-memory"] * 2
    monkeypatch.setattr(sim, "free_memory", lambda: (1 << 28) + 79_999)  # four boxes: 80 bytes a game
    assert [error.reason.params["games"] for error in refused(1000)] == [1000, 1000]
    assert len(simulate_optimal(values_of("saved"), 999).totals) == 999
