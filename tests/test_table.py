import pytest
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
    PickBox,
    Picked,
    SpendToken,
    Spent,
    Threw,
    ThrowDice,
)
from knobel.header import Begin
from knobel.record import Record
from knobel.seat import Seat
from knobel.table import (
    BrokenTable,
    Command,
    Draw,
    Refused,
    Table,
    decide,
    evolve,
    first_event,
    open_table,
    replay,
    to_record,
)
from tests.seated import PEOPLE, code_of, dice, does, opened, played, random_dice

# --- the tray ---


def test_dice_that_stay_keep_their_places_and_new_ones_fill_the_free_places_from_the_left() -> None:
    table = does(opened(), ThrowDice(), dice("46142"))
    table = does(table, ThrowDice((0, 3)), dice("563"))
    assert table.dice == (4, 5, 6, 4, 3)
    assert table.state.turn is not None
    assert table.state.turn.roll == (3, 4, 4, 5, 6)


def test_of_equal_dice_only_the_named_ones_are_thrown() -> None:  # B063
    table = does(opened(), ThrowDice(), dice("44421"))
    table = does(table, ThrowDice((0, 2, 3)), dice("55"))
    assert table.events[-1] == Threw(0, (0, 2, 3), (4, 5, 4, 2, 5))


def test_no_dice_lie_on_the_table_before_the_first_throw_of_a_turn() -> None:  # B052, B055, B060
    table = does(opened(), ThrowDice(), dice("66666"))
    table = does(table, EnterBox("sixes"))
    assert table.dice is None
    assert code_of(table, Command(1, table.version, EnterBox("chance"))) == "action/illegal"
    assert code_of(table, Command(1, table.version, ThrowDice((0,)))) == "action/illegal"


@pytest.mark.parametrize("keep", [(0, 0), (5,), (-1,), (0, 1, 2, 3, 4), tuple(range(8))])
def test_impossible_places_change_nothing(keep: tuple[int, ...]) -> None:
    table = does(opened(), ThrowDice(), dice("11345"))
    with pytest.raises(Refused) as refused:
        decide(table, Command(0, table.version, ThrowDice(keep)), random_dice(1))
    assert refused.value.code == "action/illegal"


def test_saved_throws_are_offered_only_if_there_are_some() -> None:  # B067
    table = opened("six-dice")
    for _ in range(3):
        table = does(table, ThrowDice(), dice("123456"))
    assert code_of(table, Command(0, table.version, ThrowDice())) == "action/illegal"
    table = does(table, EnterBox("chance"))
    table = does(does(table, ThrowDice(), dice("111111")), EnterBox("six_kind"))
    for _ in range(3):
        table = does(table, ThrowDice(), dice("123456"))
    table = does(table, EnterBox("ones"))
    for _ in range(5):  # three and two saved ones
        table = does(table, ThrowDice(), dice("123456"))
    assert code_of(table, Command(1, table.version, ThrowDice())) == "action/illegal"


# --- the order of the checks ---


def test_every_check_has_its_code_and_its_place_in_the_order() -> None:
    table = does(opened(), ThrowDice(), dice("12345"))
    wrong_in_every_way = Command(1, 99, EnterBox("nonsense"), by="computer")
    assert code_of(table, wrong_in_every_way) == "action/not-your-turn"
    assert code_of(table, Command(0, 99, EnterBox("nonsense"), by="computer")) == "action/not-your-seat"
    assert code_of(table, Command(0, 99, EnterBox("nonsense"))) == "action/stale"
    assert code_of(table, Command(0, table.version, EnterBox("nonsense"))) == "action/illegal"
    *_, over = played(opened("yatzy"), 3)
    assert code_of(over, wrong_in_every_way) == "table/over"


def test_nobody_plays_for_a_computer_and_a_computer_for_nobody() -> None:
    table = opened(seats=(Seat("Ada", "person"), Seat("Robo", "computer")))
    assert code_of(table, Command(0, 1, ThrowDice(), by="computer")) == "action/not-your-seat"
    table = does(does(table, ThrowDice(), dice("12345")), EnterBox("chance"))
    assert code_of(table, Command(1, table.version, ThrowDice())) == "action/not-your-seat"
    assert does(table, ThrowDice(), dice("11111"), by="computer").dice == (1, 1, 1, 1, 1)


def test_the_same_throw_twice_counts_once() -> None:
    table = opened()
    command = Command(0, table.version, ThrowDice())
    table = evolve(table, decide(table, command, dice("12345")))
    assert code_of(table, command) == "action/stale"


def test_a_filled_box_is_refused_with_its_reason() -> None:
    table = does(does(opened(seats=PEOPLE[:1]), ThrowDice(), dice("12345")), EnterBox("chance"))
    table = does(table, ThrowDice(), dice("12345"))
    with pytest.raises(Refused) as refused:
        decide(table, Command(0, table.version, EnterBox("chance")), dice())
    assert (refused.value.code, refused.value.reason.key) == ("action/illegal", "box-filled")


# --- who begins ---


def test_the_first_seat_begins_unless_something_else_was_agreed() -> None:
    rules = knobel.load("classic")
    assert first_event(rules, 3, "seat", dice()) == Began(0)
    assert first_event(rules, 3, "rotate", dice()) == Began(0)
    assert first_event(rules, 3, "rotate", dice(), previous=2) == Began(0)
    assert first_event(rules, 3, "rotate", dice(), previous=0) == Began(1)


@pytest.mark.parametrize("n_seats", [1, 5, 7, 12])
def test_chance_lets_every_seat_begin_equally_often(n_seats: int) -> None:
    rules = knobel.load("classic")
    pairs = [f"{high}{low}" for high in range(1, 7) for low in range(1, 7)]
    begins = [first_event(rules, n_seats, "random", dice(pair, "12")).seat for pair in pairs]
    usable = 36 - 36 % n_seats
    counts = [begins[:usable].count(seat) for seat in range(n_seats)]
    assert counts == [36 // n_seats] * n_seats
    assert begins[usable:] == [1] * (36 - usable)  # thrown again


def test_the_highest_throw_begins_and_ties_throw_again() -> None:
    rules = knobel.load("classic")
    event = first_event(rules, 3, "highest_throw", dice("66611", "11111", "55451", "66666", "11111"))
    first, second = ((0, (6, 6, 6, 1, 1)), (1, (1,) * 5), (2, (5, 5, 4, 5, 1))), ((0, (6,) * 5), (2, (1,) * 5))
    assert event == Began(0, (first, second))
    table = open_table("t", rules, (*PEOPLE, Seat("Cem", "person")), "highest_throw", event)
    assert table.state.turn is not None
    assert table.state.turn.seat == 0


@pytest.mark.parametrize(
    "event",
    [
        Began(2),
        Began(1, (((0, (6,) * 5), (1, (1,) * 5)),)),
        Began(0, (((0, (6,) * 5),),)),
        Began(0, (((0, (6,) * 5), (1, (7,) * 5)),)),
        Began(0, (((0, (6,) * 5), (1, (6,) * 5)),)),
    ],
)
def test_a_false_beginning_is_found(event: Began) -> None:
    with pytest.raises(BrokenTable):
        open_table("t", knobel.load("classic"), PEOPLE, "highest_throw", event)


# --- the log ---


@pytest.mark.parametrize(
    ("number", "event", "why"),
    [
        (3, Threw(0, (0,), (6, 1, 6, 6, 6)), "keep not on table"),
        (3, Threw(0, (0,), (2, 1, 6, 6, 6)), "other dice or points"),
        (3, Threw(1, (), (1, 2, 3, 4, 5)), "not your turn"),
        (3, Threw(0, (), (1, 2, 3, 4, 7)), "roll impossible"),
        (3, Entered(0, "chance", 14), "other dice or points"),
        (3, Entered(0, "chance", 15, 100), "other dice or points"),
        (3, Entered(0, "attic", 15), "unknown box"),
        (3, Entered(0, "chance/1", 15), "other dice or points"),
        (3, Threw(0, (0, 0), (1, 2, 3, 4, 5)), "table places"),
        (3, Threw(0, (-1,), (1, 2, 3, 4, 5)), "table places"),
        (3, Threw(0, (1, 0), (1, 2, 3, 4, 5)), "other dice or points"),
        (3, Threw(0, (0,), (1, 2, 3)), "roll impossible"),
        (3, Threw(0, (0,), (1, 2, 3, 4, 5), extra=True), "no extra throw"),
        (3, Spent(0, "samuel"), "token not to spend"),
        (3, Chose(0, (0, 1, 2, 3, 4), (1, 2, 3, 4, 5)), "choose not allowed"),
        (3, Picked(0, "ones"), "pick not allowed"),
        (3, Began(0), "a second beginning"),
    ],
)
def test_an_impossible_event_is_found_by_its_number(number: int, event: Event, why: str) -> None:
    rules = knobel.load("classic")
    with pytest.raises(BrokenTable, match=why) as broken:
        replay("t", rules, PEOPLE, "seat", (Began(0), Threw(0, (), (1, 2, 3, 4, 5)), event))
    assert broken.value.version == number


def test_a_log_needs_its_beginning() -> None:
    for events in ((), (Threw(0, (), (1, 2, 3, 4, 5)),)):
        with pytest.raises(BrokenTable, match="no beginning"):
            replay("t", knobel.load("classic"), PEOPLE, "seat", events)


@pytest.mark.parametrize("name", knobel.builtin_ids())
def test_a_whole_game_is_a_fold_over_its_events_and_its_record_replays(name: str) -> None:
    *_, table = played(opened(name), 7)
    assert replay("t", table.ruleset, table.seats, "seat", table.events) == table
    record = Record.parse(to_record(table).format())
    assert list(record.replay())[-1] == table.state
    assert record.seats == ("Ada", "Ben")


def test_a_seat_list_never_changes() -> None:  # B087
    assert {table.seats for table in played(opened(), 5)} == {PEOPLE}


moves = st.one_of(
    st.builds(ThrowDice, st.lists(st.integers(-1, 6), max_size=6).map(tuple), st.booleans()),
    st.builds(ChooseDice, st.lists(st.integers(-1, 6), max_size=6).map(tuple)),
    st.builds(SpendToken, st.sampled_from(["samuel", "wunder", "", "chance"])),
    st.builds(PickBox, st.sampled_from(["ones", "chance/2", "attic", ""])),
    st.builds(EnterBox, st.sampled_from(["ones", "full_house", "chance", "chance/2", "attic", "", "keep 1", "x/0"])),
)
commands = st.builds(Command, st.integers(-1, 3), st.integers(0, 60), moves, st.sampled_from(["person", "computer"]))


@settings(deadline=None, max_examples=60)
@given(
    name=st.sampled_from(["classic", "six-dice", "kniffel-2003"]),
    seed=st.integers(0, 10_000),
    begin=st.sampled_from(["seat", "random", "highest_throw"]),
    noise=st.lists(commands, max_size=20),
)
def test_only_legal_commands_change_a_table_and_the_tray_is_a_fold(
    name: str, seed: int, begin: Begin, noise: list[Command]
) -> None:
    rules, draw = knobel.load(name), random_dice(seed)
    event = first_event(rules, 2, begin, draw)
    table = open_table("t", rules, PEOPLE, begin, event)
    for following in played(table, seed, 40):
        latest = following.events[-1]
        if isinstance(latest, Threw):
            assert following.state.turn is not None
            assert following.state.turn.roll == tuple(sorted(latest.dice))
            assert all(latest.dice[place] == (table.dice or ())[place] for place in latest.keep)
        assert following.dice == (latest.dice if isinstance(latest, Threw) else None)
        table = following
    for command in noise:
        assert_counts_or_changes_nothing(table, command, draw)
    assert replay("t", rules, PEOPLE, begin, table.events) == table


def assert_counts_or_changes_nothing(table: Table, command: Command, draw: Draw) -> None:
    before, legal = (table, hash(table.state)), set(map(str, knobel.legal_actions(table.state)))
    code = None
    try:
        after = evolve(table, decide(table, command, draw))
    except Refused as refused:
        code = refused.code
    assert (table, hash(table.state)) == before
    if code is None:
        assert (after.version, command.version) == (table.version + 1, table.version)
        assert str(to_record(after).events[-1].action) in legal
    else:
        assert code in {"action/not-your-turn", "action/not-your-seat", "action/stale", "action/illegal"}
