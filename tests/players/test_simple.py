"""The greedy player: legal and sensible on every ruleset."""

from dataclasses import replace
from random import Random
from typing import Any

import pytest

import knobel
from knobel.action import Action, Choose, Enter, Extra, Pick, Spend, Throw
from knobel.game import State
from knobel.players.simple import Greedy
from knobel.sheet import Sheet, count, sheet_from_card, spare_throws
from knobel.turn import Turn
from knobel.vocabulary import OptionValue
from tests.core.houses import HOUSES
from tests.core.playing import packed_choices

RNG = Random(0)


def played(ruleset: knobel.Ruleset, rng: Random, players: int = 1) -> tuple[State, list[Action]]:
    state, policy, actions = knobel.start(ruleset, players), Greedy(), list[Action]()
    while not knobel.is_over(state):
        action = policy.choose(state, rng)
        roll = None
        if isinstance(action, Throw | Extra):
            thrown = (rng.randint(1, 6) for _ in range(ruleset.dice - len(action.keep)))
            roll = (*action.keep, *thrown)
        state = knobel.apply(state, action, roll)
        actions.append(action)
    return state, actions


def turn_of(ruleset: knobel.Ruleset, card: dict[str, int], roll: tuple[int, ...], throws: int = 1) -> State:
    return State(ruleset, (sheet_from_card(ruleset, [card]),), Turn(0, throws, roll))


def acht(card: list[dict[str, int]], roll: str, throws: int = 1, players: int = 2, **turn: Any) -> State:
    """A game of Acht, Mann! in which the first seat has this pad and these dice."""
    rules = knobel.load("acht-mann")
    dice = tuple(sorted(map(int, roll)))
    pads = (sheet_from_card(rules, card), *(sheet_from_card(rules, []) for _ in range(players - 1)))
    return State(rules, pads, Turn(0, throws, dice, **turn))


def full_but(*free: str) -> list[dict[str, int]]:
    """All six columns filled with 1 but for these boxes."""
    rules = knobel.load("acht-mann")
    columns = range(len(rules.columns))
    boxes = {str(box): box for box in rules.boxes}
    return [{b.category: 1 for t, b in boxes.items() if b.column == column and t not in free} for column in columns]


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
    state, _ = played(knobel.load(ruleset, **options), Random(7), players=2)
    assert min(knobel.result(state).totals) > 0


def test_is_far_better_than_chance() -> None:
    """Within four standard errors of the mean measured over 200 games (241), where random play makes about 46."""
    rng = Random(11)
    ruleset = knobel.load("classic")
    totals = [knobel.result(played(ruleset, rng)[0]).totals[0] for _ in range(16)]
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


@pytest.mark.parametrize("house", HOUSES)
def test_plays_house_rules(house: str) -> None:
    for seed, choices in enumerate(packed_choices(HOUSES[house])):
        state, _ = played(knobel.load(HOUSES[house], **choices), Random(seed), players=1 + seed % 3)
        assert min(knobel.result(state).totals) > 0


def test_plays_acht_mann_with_all_options() -> None:
    for seed, choices in enumerate([*packed_choices("acht-mann")][:4]):
        played(knobel.load("acht-mann", **choices), Random(seed), players=1 + seed % 2)


def test_plays_acht_mann_sensibly() -> None:
    """Measured: 2,048 points a pad in six games of four (standard deviation 100); random play 312 in 20 solo games."""
    state, actions = played(knobel.load("acht-mann"), Random(5), players=4)
    rules, totals = state.ruleset, knobel.result(state).totals
    assert 1500 < min(totals) <= max(totals) < 2500
    assert sum(pad.entries.count(0) for pad in state.sheets) < 4 * 20  # of 90 boxes each
    for pad in state.sheets:
        assert count(rules, pad, "samuel") == count(rules, pad, "wunder") == 1
        assert spare_throws(rules, pad) == 0
    assert {type(action) for action in actions} == {Throw, Extra, Spend, Choose, Pick, Enter}


def test_a_good_first_throw_goes_to_the_front() -> None:
    assert Greedy().choose(acht([], "23456"), RNG) == Enter(knobel.Box("large_straight"))
    assert Greedy().choose(acht([], "11114"), RNG) == Enter(knobel.Box("scrap_or_eight"))


def test_a_bad_fifth_throw_that_must_be_struck_calls_samuel_or_the_others() -> None:
    few = full_but("five_kind/5", "large_straight/5", "four_kind/5")
    assert isinstance(Greedy().choose(acht(few, "11235", throws=5), RNG), Spend)
    alone = Greedy().choose(acht(few, "11235", throws=5, players=1), RNG)
    assert alone == Spend("samuel")


def test_a_good_result_needs_no_help() -> None:
    few = full_but("five_kind/5", "large_straight/5", "four_kind/5")
    assert Greedy().choose(acht(few, "23456", throws=5), RNG) == Enter(knobel.Box("large_straight", 4))


def test_the_last_box_takes_all_the_help_there_is() -> None:
    last = full_but("sixes/6")
    last[0] |= {"three_kind": 30, "four_kind": 30}
    state = acht(last, "66661", throws=3, box=knobel.Box("sixes", 5))
    assert Greedy().choose(state, RNG) in (Extra((6, 6, 6, 6)), Spend("wunder"))


def test_it_does_not_strike_what_it_need_not() -> None:
    """A poor fifth throw: a row that pays goes before a dear 0."""
    few = full_but("scrap_or_eight/5", "five_kind/5", "large_straight/5")
    for number in range(5):
        few[number] |= {"three_kind": 20, "four_kind": 20}
    state = acht(few, "45666", throws=5)
    pads = tuple(Sheet(pad.entries, tuple(1 for _ in pad.counters)) for pad in state.sheets)  # everything is spent
    assert Greedy().choose(replace(state, sheets=pads), RNG) == Enter(knobel.Box("scrap_or_eight", 4))


def test_the_best_five_are_chosen() -> None:
    state = acht(full_but("large_straight/5", "ones/5"), "11166", throws=5, pool=(2, 2, 3, 3, 4, 4, 5, 5, 6, 6))
    assert Greedy().choose(state, RNG) == Choose((2, 3, 4, 5, 6))


def test_the_picked_box_is_one_that_pays() -> None:
    state = acht(full_but("five_kind/6", "sixes/6", "ones/6", "scrap_or_eight/6"), "11166")
    state = replace(state, turn=Turn(0, picks=True))
    assert Greedy().choose(state, RNG) == Pick(knobel.Box("sixes", 5))
