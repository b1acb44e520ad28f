"""The optimal player through the public game: legal, as good as the values say, and only in the game it knows."""

from math import sqrt
from random import Random
from statistics import fmean, stdev

import pytest

import knobel
from knobel import KnobelError, Throw, game
from knobel.players.chance import Aimless
from knobel.players.optimal import Optimal
from knobel.solver.values import Values
from tests.players.test_simple import RNG
from tests.solver.toys import TOYS


def total(policy: Optimal | Aimless, ruleset: knobel.Ruleset, rng: Random) -> int:
    """What a game brings; every action goes through the rules, which refuse what is not legal."""
    state = knobel.start(ruleset)
    while not game.is_over(state):
        action = policy.choose(state, rng)
        roll = None
        if isinstance(action, Throw):
            roll = (*action.keep, *rng.choices(range(1, 7), k=ruleset.dice - len(action.keep)))
        state = knobel.apply(state, action, roll)
    return knobel.result(state).totals[0]


@pytest.mark.parametrize("name", ["lower", "saved-three-throws", "gates-strike", "fives-any_after_first-joker-forced"])
def test_the_mean_is_the_value(name: str) -> None:
    ruleset, rng = TOYS[name], Random(5)
    values = Values.solve(ruleset)
    policy, n_games = Optimal(values), 400
    totals = [total(policy, ruleset, rng) for _ in range(n_games)]
    assert abs(fmean(totals) - values.table.value) < 4 * stdev(totals) / sqrt(n_games)
    others = [total(Aimless(), ruleset, rng) for _ in range(n_games)]
    assert fmean(others) < values.table.value - 4 * stdev(others) / sqrt(n_games)


def test_equal_states_get_equal_actions_whatever_the_random_numbers() -> None:
    ruleset = TOYS["three-dice"]
    policy = Optimal(Values.solve(ruleset))
    state = knobel.apply(knobel.start(ruleset), Throw(), (2, 6, 6))
    assert {policy.choose(state, Random(seed)) for seed in range(5)} == {Throw((6, 6))}


def test_it_plays_for_itself_among_others() -> None:
    ruleset = TOYS["three-dice"]
    policy = Optimal(Values.solve(ruleset))
    state = knobel.start(ruleset, players=3, first=2)
    assert policy.choose(knobel.apply(state, Throw(), (6, 6, 2)), RNG) == Throw((6, 6))


@pytest.mark.parametrize("other", ["classic", "toy"])
@pytest.mark.parametrize("is_thrown", [False, True])
def test_other_rules_are_refused(other: str, is_thrown: bool) -> None:
    """Also those of the same id, and where there is but one thing to do."""
    ruleset = TOYS["lower"] if other == "toy" else knobel.load(other)
    state = knobel.start(ruleset)
    if is_thrown:
        state = knobel.apply(state, Throw(), (1,) * ruleset.dice)
    with pytest.raises(KnobelError) as refused:
        Optimal(Values.solve(TOYS["three-dice"])).choose(state, RNG)
    assert (refused.value.reason.key, refused.value.reason.params["found"]) == ("solver-other-rules", other)


def test_after_the_end_there_is_nothing_to_choose() -> None:
    ruleset = TOYS["one-box"]
    state = knobel.apply(knobel.start(ruleset), Throw(), (1, 6))
    state = knobel.apply(state, knobel.Enter(ruleset.boxes[0]))
    with pytest.raises(KnobelError) as refused:
        Optimal(Values.solve(ruleset)).choose(state, RNG)
    assert refused.value.reason.key == "game-over"
