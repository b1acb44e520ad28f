"""Turns in which others act: helpers who throw, choices from the pool, tokens, and special rounds."""

import re
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import event as note
from hypothesis import given, settings
from hypothesis import strategies as st

import knobel
from knobel.event import (
    Began,
    ChooseDice,
    Chose,
    EnterBox,
    Entered,
    Event,
    Move,
    PickBox,
    Picked,
    SpendToken,
    Spent,
    Threw,
    ThrowDice,
    owner_of,
)
from knobel.record import Record
from knobel.seat import Seat
from knobel.table import BrokenTable, Command, Refused, Table, decide, evolve, open_table, replay, to_record
from knobel.vocabulary import OptionValue
from tests.seated import FIVE, PEOPLE, code_of, dice, does, lucky_dice, opened, played

NOTATION = (Path(__file__).parents[1] / "docs/notation.md").read_text(encoding="utf-8")
OPTIONS: dict[str, tuple[OptionValue, ...]] = {
    "samuel_mode": ("turn", "throw"),
    "wunder_pool": ("own_and_helpers", "helpers"),
    "solo_helpers": (0, 3),
    "overthrow": ("forbid", "strike_any"),
    "extra_grant": ("both", "each", "either"),
    "extra_minima": ((21, 22, 23, 24, 25, 26), (0, 0, 0, 0, 0, 0)),
    "extra_mode": ("keeps_column", "same_column", "after_fifth"),
    "jokers_in_special": (True, False),
    "bonus_trigger": ("sum", "complete"),
    "upper_threshold": (63, 10),
    "special_order": ("bonus_first", "seat"),
    "special_throws": (3, 1),
    "special_bonus_triggers": (False, True),
    "special_last": ("bottom", "any"),
    "final_order": ("rows", "players"),
}
UPPER = ("ones", "twos", "threes", "fours", "fives", "sixes")


def asked(seats: tuple[Seat, ...] = FIVE[:3], **options: OptionValue) -> Table:
    """The first seat has thrown 11345, then 11 and 266, and asks the others for help."""
    table = does(opened("acht-mann", seats, **options), ThrowDice(), dice("11345"))
    return does(does(table, ThrowDice((0, 1)), dice("266")), SpendToken("wunder"))


def helped(table: Table, *throws: str) -> Table:
    for faces in throws:
        table = does(table, ThrowDice(), dice(faces))
    return table


def before_bonus(seats: tuple[Seat, ...] = PEOPLE, **options: OptionValue) -> Table:
    """The first seat has thrown five sixes and lacks only these for the bonus of the first column."""
    table = opened("acht-mann", seats, **options)
    for face, box in enumerate(UPPER[:5], 1):
        for _ in seats:
            table = does(does(table, ThrowDice(), dice(f"{face}" * 4 + "6")), EnterBox(box))
        assert seat_on_turn(table) == 0
    return does(table, ThrowDice(), dice("66666"))


def seat_on_turn(table: Table) -> int:
    assert table.state.turn is not None
    return table.state.turn.seat


# --- helpers and the pool ---


def test_helpers_throw_by_their_own_action_in_seat_order_and_the_tray_of_the_owner_stays() -> None:
    table = asked()
    assert (table.dice, table.pool) == ((1, 1, 2, 6, 6), ((0, (1, 1, 2, 6, 6)),))
    assert seat_on_turn(table) == 1
    table = helped(table, "54321")
    assert seat_on_turn(table) == 2
    table = helped(table, "61616")
    assert seat_on_turn(table) == 0
    assert table.events[-2:] == (Threw(1, (), (5, 4, 3, 2, 1)), Threw(2, (), (6, 1, 6, 1, 6)))
    assert table.dice == (1, 1, 2, 6, 6)
    assert table.pool == ((0, (1, 1, 2, 6, 6)), (1, (5, 4, 3, 2, 1)), (2, (6, 1, 6, 1, 6)))


def test_chosen_dice_lie_in_the_tray_in_the_order_of_the_choice() -> None:
    table = does(helped(asked(), "54321", "61616"), ChooseDice((14, 3, 4, 10, 12)))
    assert table.events[-1] == Chose(0, (14, 3, 4, 10, 12), (6, 6, 6, 6, 6))
    table = does(helped(asked(), "54321", "61616"), ChooseDice((9, 5, 8, 6, 7)))
    assert (table.dice, table.pool) == ((1, 5, 2, 4, 3), ())
    assert code_of(table, Command(0, table.version, ThrowDice((0,)))) == "action/illegal"
    table = does(table, EnterBox("large_straight/2"))
    assert table.events[-1] == Entered(0, "large_straight/2", 40)
    assert (table.dice, seat_on_turn(table)) == (None, 1)


def test_the_dice_of_the_owner_may_stay_out_of_the_pool() -> None:
    table = asked(wunder_pool="helpers")
    assert table.pool == ()
    table = helped(table, "54321", "61616")
    assert table.pool == ((1, (5, 4, 3, 2, 1)), (2, (6, 1, 6, 1, 6)))
    assert does(table, ChooseDice((5, 7, 9, 0, 1))).dice == (6, 6, 6, 5, 4)


def test_alone_the_owner_throws_for_phantoms() -> None:
    assert code_of(does(opened("acht-mann", PEOPLE[:1]), ThrowDice(), dice("12345")), spend(0, 2)) == "action/illegal"
    table = asked(PEOPLE[:1], solo_helpers=2)
    table = helped(table, "54321", "61616")
    assert table.pool == ((0, (1, 1, 2, 6, 6)), (0, (5, 4, 3, 2, 1)), (0, (6, 1, 6, 1, 6)))
    assert does(table, ChooseDice((3, 4, 10, 12, 14))).dice == (6, 6, 6, 6, 6)


def spend(seat: int, version: int) -> Command:
    return Command(seat, version, SpendToken("wunder"))


@pytest.mark.parametrize(
    "places",
    [(), (0, 1, 2, 3), (0, 1, 2, 3, 4, 5), (0, 1, 2, 3, 3), (0, 1, 2, 3, 15), (-1, 0, 1, 2, 3), tuple(range(200))],
)
def test_impossible_places_of_the_pool_change_nothing(places: tuple[int, ...]) -> None:
    table = helped(asked(), "54321", "61616")
    assert code_of(table, Command(0, table.version, ChooseDice(places))) == "action/illegal"


@pytest.mark.parametrize(
    "move",
    [
        ThrowDice((0,)),
        ThrowDice((), extra=True),
        EnterBox("ones"),
        SpendToken("samuel"),
        SpendToken("wunder"),
        ChooseDice((0, 1, 2, 3, 4)),
        PickBox("ones/6"),
    ],
)
def test_a_helper_throws_all_dice_and_does_nothing_else(move: Move) -> None:
    table = asked()
    assert code_of(table, Command(1, table.version, move)) == "action/illegal"


def test_while_helpers_throw_everybody_else_must_wait() -> None:
    table = asked()
    for seat in (0, 2):
        for move in (ThrowDice(), SpendToken("samuel"), EnterBox("ones"), ChooseDice((0, 1, 2, 3, 4))):
            assert code_of(table, Command(seat, table.version, move)) == "action/not-your-turn"
    throw = Command(1, table.version, ThrowDice())
    table = evolve(table, decide(table, throw, dice("54321")))
    assert code_of(table, throw) == "action/not-your-turn"  # the same once more
    assert code_of(table, Command(2, table.version - 1, ThrowDice())) == "action/stale"  # sent too early


def test_computers_help_as_computers() -> None:
    table = asked((PEOPLE[0], Seat("Robo", "computer")))
    assert table.acting == Seat("Robo", "computer")
    assert code_of(table, Command(1, table.version, ThrowDice())) == "action/not-your-seat"
    assert does(table, ThrowDice(), dice("66666"), by="computer").acting == PEOPLE[0]


# --- tokens and earned throws ---


def test_samuel_empties_the_tray_and_the_turn_begins_anew() -> None:
    table = does(opened("acht-mann"), ThrowDice(), dice("12345"))
    table = does(does(table, ThrowDice((0, 1)), dice("345")), SpendToken("samuel"))
    assert table.events[-1] == Spent(0, "samuel")
    assert (table.dice, seat_on_turn(table)) == (None, 0)
    assert code_of(table, Command(0, table.version, ThrowDice((0,)))) == "action/illegal"
    assert does(table, ThrowDice(), dice("66666")).dice == (6, 6, 6, 6, 6)


def test_samuel_for_a_throw_leaves_what_stayed_in_its_place_and_the_next_throw_keeps_just_that() -> None:
    table = does(opened("acht-mann", samuel_mode="throw"), ThrowDice(), dice("61616"))
    table = does(does(table, ThrowDice((2, 3)), dice("555")), SpendToken("samuel"))
    assert table.dice == (0, 0, 6, 1, 0)
    for keep in ((), (2,), (0, 2), (2, 3, 4), (3, 4)):
        assert code_of(table, Command(0, table.version, ThrowDice(keep))) == "action/illegal"
    table = does(table, ThrowDice((3, 2)), dice("234"))
    assert table.dice == (2, 3, 6, 1, 4)
    assert table.events[-1] == Threw(0, (2, 3), (2, 3, 6, 1, 4))


def test_samuel_after_the_choice_takes_the_owner_back_to_his_own_dice() -> None:
    table = does(helped(asked(samuel_mode="throw"), "54321", "61616"), ChooseDice((9, 5, 8, 6, 7)))
    table = does(table, SpendToken("samuel"))
    assert table.dice == (1, 1, 0, 0, 0)
    assert does(table, ThrowDice((0, 1)), dice("345")).dice == (1, 1, 3, 4, 5)


def test_an_earned_throw_keeps_places_and_says_that_it_was_one() -> None:
    table = opened("acht-mann", PEOPLE[:1])
    for box in ("three_kind", "four_kind"):
        table = does(does(table, ThrowDice(), dice("66666")), EnterBox(box))
    table = does(table, ThrowDice(), dice("12345"))
    table = does(table, ThrowDice((1, 4), extra=True), dice("666"))
    assert table.events[-1] == Threw(0, (1, 4), (6, 2, 6, 6, 5), extra=True)
    assert str(to_record(table).events[-1]) == "0 extra 25 -> 62665"
    assert table.state.turn is not None
    assert table.state.turn.throws == 1
    assert code_of(table, Command(0, table.version, ThrowDice((1,), extra=True))) == "action/illegal"


# --- special rounds ---


def test_a_bonus_interrupts_the_game_and_everybody_throws_for_the_picked_box() -> None:
    table = does(before_bonus(), EnterBox("sixes"))
    for early in (ThrowDice(), PickBox("ones/6")):
        assert code_of(table, Command(1, table.version, early)) == "action/not-your-turn"
    for move in (ThrowDice(), EnterBox("ones/6"), PickBox("ones"), PickBox("scrap_or_eight/6"), PickBox("attic")):
        assert code_of(table, Command(0, table.version, move)) == "action/illegal"
    table = does(table, PickBox("full_house/6"))
    assert table.events[-1] == Picked(0, "full_house/6")
    for seat in (0, 1):
        assert (seat_on_turn(table), table.dice) == (seat, None)
        table = does(does(table, ThrowDice(), dice("55566")), EnterBox("full_house/6"))
    assert [sheet.entries[-3] for sheet in table.state.sheets] == [25, 25]
    assert seat_on_turn(table) == 1  # the turn that was next when the game was interrupted


def test_helpers_and_samuel_in_a_special_round() -> None:
    table = does(does(before_bonus(), EnterBox("sixes")), PickBox("full_house/6"))
    table = does(does(table, ThrowDice(), dice("12346")), SpendToken("samuel"))
    table = does(does(table, ThrowDice(), dice("12346")), SpendToken("wunder"))
    table = does(helped(table, "55566"), ChooseDice((5, 6, 7, 8, 9)))
    assert code_of(table, Command(0, table.version, EnterBox("sixes/2"))) == "action/illegal"
    table = does(table, EnterBox("full_house/6"))
    assert (table.events[-1], seat_on_turn(table)) == (Entered(0, "full_house/6", 25), 1)


# --- the notation ---


def test_the_second_record_of_the_document_replays_with_everything_that_it_says() -> None:
    text = re.findall(r"```record\n(.*?)```", NOTATION, re.DOTALL)[1]
    record = Record.parse(text)
    *_, last = record.replay()
    assert knobel.is_over(last)
    assert knobel.result(last).totals == (53, 59)
    assert "Anna ends with 53 points, Ben with 59." in NOTATION
    assert record.format() == "".join(line for line in text.splitlines(keepends=True) if not line.startswith("#"))
    actions = {str(event.action).split()[0] for event in record.events}
    texts = re.findall(r"^\| `((?:keep|enter|extra|spend|choose|pick) [^`]+)` \|", NOTATION, re.MULTILINE)
    assert {text.split()[0] for text in texts} == actions
    assert [str(knobel.parse_action(text)) for text in texts] == texts


# --- the log ---

AFTER_HELP: tuple[Event, ...] = asked(PEOPLE).events


@pytest.mark.parametrize(
    ("event", "why"),
    [
        (Threw(0, (), (1, 2, 3, 4, 5)), "not your turn"),
        (Threw(1, (0,), (1, 2, 3, 4, 5)), "throw is fixed|first throw keeps nothing"),
        (Threw(1, (), (1, 2, 3, 4, 5), extra=True), "helpers first"),
        (Threw(1, (), (1, 2, 3, 4)), "roll impossible"),
        (Spent(1, "wunder"), "helpers first"),
        (Chose(1, (0, 1, 2, 3, 4), (1, 1, 2, 6, 6)), "helpers first"),
        (Picked(1, "ones/6"), "pick not allowed"),
    ],
)
def test_an_impossible_event_among_helpers_is_found(event: Event, why: str) -> None:
    with pytest.raises(BrokenTable, match=why) as broken:
        replay("t", opened("acht-mann").ruleset, PEOPLE, "seat", (*AFTER_HELP, event))
    assert broken.value.version == len(AFTER_HELP) + 1


@pytest.mark.parametrize(
    ("event", "why"),
    [
        (Chose(0, (5, 6, 7, 8, 9), (5, 4, 3, 1, 2)), "other dice or points"),
        (Chose(0, (0, 1, 2, 3, 4), (5, 4, 3, 2, 1)), "other dice or points"),
        (Chose(0, (5, 6, 7, 8, 8), (5, 4, 3, 2, 2)), "table places"),
        (Chose(0, (5, 6, 7, 8, 10), (5, 4, 3, 2, 1)), "table places"),
        (Chose(0, (5, 6, 7, 8), (5, 4, 3, 2)), "choose not allowed"),
        (Chose(0, (5, 6, 7, 8, 9), (5, 5, 5, 5, 5)), "choose not allowed"),
        (Entered(0, "ones", 2), "choose first"),
    ],
)
def test_an_impossible_choice_is_found(event: Event, why: str) -> None:
    events = (*AFTER_HELP, Threw(1, (), (5, 4, 3, 2, 1)), event)
    with pytest.raises(BrokenTable, match=why) as broken:
        replay("t", opened("acht-mann").ruleset, PEOPLE, "seat", events)
    assert broken.value.version == len(events)


def test_every_event_knows_whose_turn_it_was() -> None:
    table = does(helped(asked(), "54321", "61616"), ChooseDice((0, 1, 2, 3, 4)))
    table = does(does(does(table, SpendToken("samuel")), ThrowDice(), dice("66666")), EnterBox("sixes"))
    table = does(table, ThrowDice(), dice("12345"))
    seats = [event.seat for event in table.events]
    owners = [owner_of(table.events, index) for index in range(table.version)]
    assert seats == [0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 1]
    assert owners == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]


# --- whole random games ---


@settings(deadline=None, max_examples=15)
@given(
    seed=st.integers(0, 10**6),
    n_seats=st.integers(1, 5),
    options=st.fixed_dictionaries({name: st.sampled_from(values) for name, values in OPTIONS.items()}),
)
def test_a_random_game_is_a_fold_and_its_record_replays(seed: int, n_seats: int, options: dict[str, Any]) -> None:
    rules = knobel.load("acht-mann", **options)
    table = open_table("t", rules, FIVE[:n_seats], "seat", Began(seed % n_seats))
    noise = Random(seed)
    owners = [table.events[0].seat]
    for following in played(table, seed, draw=lucky_dice(seed)):
        if noise.random() < 0.05:
            assert_nothing_else_counts(table, noise)
        assert_tray_follows(table, following)
        assert table.state.turn is not None
        owners.append(table.state.turn.owner)
        table = following
    for kind in {type(event).__name__ for event in table.events}:
        note(kind)
    assert [owner_of(table.events, index) for index in range(table.version)] == owners
    assert knobel.is_over(table.state)
    assert replay("t", rules, table.seats, "seat", table.events) == table
    record = Record.parse(to_record(table).format())
    assert record == to_record(table)
    assert list(record.replay())[-1] == table.state
    assert Record.from_json(record.to_json()) == record


def assert_tray_follows(table: Table, following: Table) -> None:
    """The dice of table and core are the same ones, and those that stay keep their places."""
    before, turn, event = table.state.turn, following.state.turn, following.events[-1]
    assert before is not None
    roll = turn.roll or turn.keep if turn else ()
    assert tuple(sorted(filter(None, following.dice or ()))) == roll
    assert tuple(sorted(following.tray.pooled)) == (turn.pool if turn else ())
    if before.helpers:
        assert following.dice == table.dice
        assert isinstance(event, Threw)
        assert following.pool == (*table.pool, (event.seat, event.dice))
    elif isinstance(event, Threw):
        assert following.dice == event.dice
        assert all(event.dice[place] == (table.dice or ())[place] for place in event.keep)
        assert following.pool == ()
    elif isinstance(event, Chose):
        assert following.dice == tuple(table.tray.pooled[place] for place in event.places)


def assert_nothing_else_counts(table: Table, rng: Random) -> None:
    """Other seats, other versions and impossible places change nothing and cost no dice."""
    turn = table.state.turn
    assert turn is not None
    before = (table, hash(table.state))
    for seat in range(-1, len(table.seats) + 1):
        if seat != turn.seat:
            assert code_of(table, Command(seat, table.version, random_move(rng))) == "action/not-your-turn"
    assert code_of(table, Command(turn.seat, table.version, random_move(rng), "computer")) == "action/not-your-seat"
    for version in (table.version - 1, table.version + 1, 0):
        assert code_of(table, Command(turn.seat, version, random_move(rng))) == "action/stale"
    for places in ((0, 0), (-1,), (len(table.dice or ()),), tuple(range(len(table.dice or ())))):
        if places:
            for extra in (False, True):
                move = ThrowDice(places, extra)
                assert code_of(table, Command(turn.seat, table.version, move)) == "action/illegal"
    for places in ((0, 0, 1, 2, 3), (-1, 0, 1, 2, 3), (0, 1, 2, 3, len(table.tray.pooled)), (0, 1, 2, 3)):
        assert code_of(table, Command(turn.seat, table.version, ChooseDice(places))) == "action/illegal"
    legal = set(map(str, knobel.legal_actions(table.state)))
    for _ in range(5):
        after = None
        with suppress(Refused):
            after = evolve(table, decide(table, Command(turn.seat, table.version, random_move(rng)), lucky_dice(1)))
        assert after is None or str(to_record(after).events[-1].action) in legal
    assert (table, hash(table.state)) == before


def random_move(rng: Random) -> Move:
    places = tuple(rng.sample(range(8), rng.randint(0, 5)))
    box = rng.choice((*UPPER, "full_house/6", "scrap_or_eight/6", "four_kind/5", "attic", ""))
    return rng.choice(
        (
            ThrowDice(places, rng.random() < 0.5),
            ChooseDice(places),
            EnterBox(box),
            PickBox(box),
            SpendToken(rng.choice(("samuel", "wunder", ""))),
        )
    )
