"""The greedy player: legal and sensible on every ruleset."""

from random import Random

import pytest

import knobel
from knobel.game import Enter, State, Throw, Turn
from knobel.players.simple import Greedy
from knobel.sheet import sheet_from_card
from knobel.vocabulary import OptionValue

RNG = Random(0)


def played(ruleset: knobel.Ruleset, rng: Random, players: int = 1) -> knobel.Result:
    state, policy = knobel.start(ruleset, players), Greedy()
    while not knobel.is_over(state):
        action = policy.choose(state, rng)
        roll = None
        if isinstance(action, Throw):
            thrown = (rng.randint(1, 6) for _ in range(ruleset.dice - len(action.keep)))
            roll = (*action.keep, *thrown)
        state = knobel.apply(state, action, roll)
    return knobel.result(state)


def turn_of(ruleset: knobel.Ruleset, card: dict[str, int], roll: tuple[int, ...], throws: int = 1) -> State:
    return State(ruleset, (sheet_from_card(ruleset, [card]),), Turn(0, throws, roll))


@pytest.mark.parametrize(
    ("ruleset", "options"),
    [
        *((name, {}) for name in knobel.builtin_ids()),
        ("classic", {"columns": 3, "joker": "forced"}),
        ("classic", {"order": "up", "joker": "free"}),
        ("yatzy", {"columns": 3, "order": "random", "order_scope": "per_column", "saved_throws": True}),
    ],
)
def test_plays_whole_games(ruleset: str, options: dict[str, OptionValue]) -> None:
    result = played(knobel.load(ruleset, **options), Random(7), players=2)
    assert min(result.totals) > 0


def test_is_far_better_than_chance() -> None:
    """Within four standard errors of the mean measured over 200 games (241), where random play makes about 46."""
    rng = Random(11)
    ruleset = knobel.load("classic")
    totals = [played(ruleset, rng).totals[0] for _ in range(16)]
    assert 180 < sum(totals) / len(totals) < 302


def test_last_box_keeps_the_three_alike() -> None:
    """Case B069: only five of a kind is left."""
    ruleset = knobel.load("classic")
    card = {row.id: 1 for row in ruleset.categories if row.id != "five_kind"}
    assert Greedy().choose(turn_of(ruleset, card, (1, 2, 4, 4, 4)), RNG) == Throw((4, 4, 4))


def test_keeps_four_in_a_row_for_the_large_straight() -> None:
    """Case B065: equal faces are one number."""
    ruleset = knobel.load("classic")
    card = {row.id: 1 for row in ruleset.categories if row.id != "large_straight"}
    assert Greedy().choose(turn_of(ruleset, card, (2, 2, 3, 4, 5)), RNG) == Throw((2, 3, 4, 5))


def test_stops_when_nothing_can_get_better() -> None:
    ruleset = knobel.load("classic")
    card = {row.id: 1 for row in ruleset.categories if row.id not in ("large_straight", "ones")}
    box = knobel.Box("large_straight")
    assert Greedy().choose(turn_of(ruleset, card, (2, 3, 4, 5, 6)), RNG) == Enter(box)


def test_goes_on_while_throws_are_saved_up() -> None:
    """Six of a kind needs many throws; with one box left saved throws are worth nothing else."""
    ruleset = knobel.load("six-dice")
    card = {row.id: 1 for row in ruleset.categories if row.id != "six_kind"}
    assert Greedy().choose(turn_of(ruleset, card, (5, 5, 5, 5, 5, 6)), RNG) == Throw((5,) * 5)
