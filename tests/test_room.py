"""People around a table: seats, the sealed shares of the dice, stand-ins, phrases; and any mixture of these."""

import hashlib
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import knobel
from knobel.event import Began, EnterBox, Move, ThrowDice
from knobel.fair import commitment_of, draw_of
from knobel.room import Command, Room, Terms, evolve, open_room, replay
from knobel.seat import (
    Act,
    Add,
    Close,
    Continue,
    HandOver,
    Opened,
    Proceed,
    Ready,
    Remove,
    Return,
    Returned,
    Reveal,
    Revealed,
    Rise,
    Said,
    Say,
    Sealed,
    Seat,
    Service,
    Shares,
    Sit,
    StandIn,
    Start,
    Substituted,
    Unready,
)
from knobel.steward import MAX_SAID, begun, decide
from knobel.table import BrokenTable, Draw, Refused
from knobel.vocabulary import Ruleset

SEED = bytes(range(32))
FREE = Seat("", "person")
ROBO = Seat("Robo", "computer")
CLASSIC = knobel.load("classic")


def fair_dice(room: Room) -> Draw:
    return draw_of(SEED, room.id, [share for _, share in room.shares], room.event_number)


def gathered(*seats: Seat, ruleset: Ruleset = CLASSIC, terms: Terms = Terms()) -> Room:  # noqa: B008 - a value
    """Ada is the host and sits on the first seat."""
    ada = Seat("Ada", "person", "ada")
    return open_room("t", ruleset, terms, Opened("ada", (ada, *seats), commitment_of(SEED)))


def does(room: Room, who: str | None, act: Move | Act | Service, seat: int | None = None, **more: Any) -> Room:
    for event in decide(room, Command(act, room.version, seat, who, **more), fair_dice):
        room = evolve(room, event)
    return room


def serves(room: Room, act: Service) -> Room:
    return does(room, None, act, by="server")


def code_of(room: Room, who: str | None, act: Move | Act | Service, seat: int | None = None, **more: Any) -> str:
    with pytest.raises(Refused) as refused:
        does(room, who, act, seat, **more)
    return refused.value.code


def test_the_server_itself_plays_for_nobody() -> None:
    room = gathered(Seat("Ben", "person", "ben"))
    for event in begun(room, fair_dice):
        room = evolve(room, event)
    for who in (None, "ada", "ben"):
        assert code_of(room, who, ThrowDice(), 0, by="server") == "action/not-your-seat"
    assert code_of(room, "ada", ThrowDice(), by="server") == "action/not-your-seat"


def share(room: Room, seat: int) -> bytes:
    return hashlib.sha256(f"{room.id} {seat} {room.seats[seat].guest}".encode()).digest()


def shares(room: Room, who: str) -> Shares:
    return tuple((seat, share(room, seat).hex()) for seat in room.seats_of(who))


def sealed(room: Room, *guests: str) -> Room:
    for who in guests:
        commitments = tuple((seat, commitment_of(share(room, seat))) for seat in room.seats_of(who))
        room = does(room, who, Ready(commitments))
    return room


def started(*guests: str, room: Room | None = None) -> Room:
    """Everybody is ready, the host starts, the shares come."""
    room = room or gathered(FREE)
    for who in guests[1:]:
        room = does(room, who, Sit(who.title()))
    room = does(sealed(room, *guests), guests[0], Start())
    for who in guests:
        room = does(room, who, Reveal(shares(room, who)))
    return room


def names(room: Room) -> list[str]:
    return [seat.name for seat in room.seats]


# --- sitting down and getting up ---


def test_whoever_comes_takes_the_first_free_seat_and_keeps_it() -> None:  # B084
    room = does(gathered(ROBO, FREE, FREE), "ben", Sit("Ben"))
    assert names(room) == ["Ada", "Robo", "Ben", ""]
    assert does(room, "ben", Sit("Ben")) is room
    assert names(does(room, "ben", Sit("Benno"))) == ["Ada", "Robo", "Benno", ""]
    left = does(room, "ben", Rise())
    assert names(left) == ["Ada", "Robo", "", ""]
    assert does(left, "ben", Rise()) is left
    assert does(left, "ben", Sit("Ben")).seats == room.seats


def test_one_guest_may_hold_several_seats() -> None:
    room = does(gathered(FREE, FREE), "ada", Sit("Oma", 2))
    assert room.seats_of("ada") == (0, 2)
    assert code_of(room, "ada", Ready(((0, "0" * 64),))) == "seat/not-yours"
    assert names(does(room, "ada", Rise())) == ["", "", ""]


def test_what_cannot_be_sat_on_says_why() -> None:
    room = gathered(ROBO, FREE)
    assert code_of(room, None, Sit("Ben")) == "guest/needed"
    assert code_of(room, "ben", Sit("Ben", 0)) == "seat/taken"
    assert code_of(room, "ben", Sit("Ben", 1)) == "seat/taken"
    assert code_of(room, "ben", Sit("Ben", 7)) == "seat/unknown"
    assert code_of(does(room, "ben", Sit("Ben")), "cem", Sit("Cem")) == "room/full"


def test_the_host_and_nobody_else_arranges_the_seats() -> None:
    room = does(gathered(FREE, FREE), "ben", Sit("Ben"))
    for act in (Add("person"), Remove(2), HandOver(1), Start(), Close()):
        assert code_of(room, "ben", act) == "room/host-only"
    assert names(does(room, "ada", Add("computer", "Robo"))) == ["Ada", "Ben", "", "Robo"]
    assert code_of(room, "ada", HandOver(2)) == "seat/nobody"
    handed = does(room, "ada", HandOver(1))
    assert handed.host == "ben"
    assert code_of(handed, "ada", Start()) == "room/host-only"
    full = gathered(*[FREE] * 11)
    assert code_of(full, "ada", Add("person")) == "room/full"
    assert code_of(gathered(), "ada", Remove(0)) == "room/empty"


def test_whoever_is_sent_away_does_not_come_back() -> None:  # drill 19
    room = does(does(gathered(FREE, FREE), "ben", Sit("Ben")), "ada", Remove(1))
    assert names(room) == ["Ada", ""]
    assert code_of(room, "ben", Sit("Ben")) == "guest/barred"
    assert names(does(room, "cem", Sit("Cem"))) == ["Ada", "Cem"]
    own = does(does(gathered(FREE), "ada", Remove(0)), "ada", Sit("Ada"))
    assert names(own) == ["Ada"]


def test_when_the_host_gets_up_another_one_takes_over() -> None:  # B080
    room = does(does(gathered(FREE), "ben", Sit("Ben")), "ada", Rise())
    assert (room.host, names(room)) == ("ben", ["", "Ben"])
    alone = does(gathered(FREE), "ada", Rise())
    assert alone.host == "ada"  # he may come back
    assert serves(does(gathered(FREE), "ben", Sit("Ben")), HandOver(1)).host == "ben"


# --- the shares of the dice ---


def test_no_share_is_revealed_before_every_seat_has_sealed_its_own() -> None:  # B117
    room = does(gathered(FREE), "ben", Sit("Ben"))
    room = sealed(room, "ada")
    assert code_of(room, "ada", Reveal(shares(room, "ada"))) == "fair/too-early"
    assert code_of(room, "ada", Start()) == "room/not-ready"
    room = does(sealed(room, "ben"), "ada", Start())
    assert room.phase == "revealing"
    room = does(room, "ben", Reveal(shares(room, "ben")))
    assert room.table is None
    room = does(room, "ada", Reveal(shares(room, "ada")))
    assert room.phase == "playing"
    assert room.shares == (*shares(room, "ada"), *shares(room, "ben"))


def test_wrong_and_foreign_shares_are_refused_and_the_same_one_counts_once() -> None:
    room = does(sealed(does(gathered(FREE), "ben", Sit("Ben")), "ada", "ben"), "ada", Start())
    assert code_of(room, "ada", Reveal(((0, "00" * 32),))) == "fair/mismatch"
    assert code_of(room, "ada", Reveal(shares(room, "ben"))) == "seat/not-yours"
    assert code_of(room, "cem", Reveal(shares(room, "ben"))) == "seat/not-yours"
    room = does(room, "ada", Reveal(shares(room, "ada")))
    assert does(room, "ada", Reveal(shares(room, "ada"))) is room
    assert code_of(room, "ada", Reveal(((0, "00" * 32),))) == "fair/mismatch"


def test_a_share_that_does_not_come_is_not_waited_for() -> None:
    room = does(sealed(does(gathered(FREE), "ben", Sit("Ben")), "ada", "ben"), "ada", Start())
    late, theirs = shares(room, "ben"), does(room, "ada", Reveal(shares(room, "ada")))
    begun_without = serves(theirs, Proceed())
    assert begun_without.shares == shares(room, "ada")
    assert begun_without.phase == "playing"
    assert code_of(begun_without, "ben", Reveal(late)) == "fair/too-late"
    assert serves(begun_without, Proceed()) is begun_without


def test_the_dice_are_those_of_seed_and_shares() -> None:
    room = does(started("ada", "ben"), "ada", ThrowDice(), 0)
    assert room.table is not None
    texts = [share(room, 0).hex(), share(room, 1).hex()]
    assert room.table.dice == draw_of(SEED, "t", texts, 1)(5)
    again = does(room, "ada", ThrowDice((0,)), 0)
    assert again.table is not None
    assert again.table.events[-1].dice[1:] == draw_of(SEED, "t", texts, 2)(4)  # type: ignore[union-attr]


def test_whoever_is_not_ready_any_more_seals_anew() -> None:
    room = sealed(gathered(), "ada")
    assert does(sealed(room, "ada"), "ada", Unready()).seats == gathered().seats
    assert code_of(does(room, "ada", Unready()), "ada", Start()) == "room/not-ready"
    assert code_of(gathered(), "ada", Ready(((0, "x"),))) == "fair/malformed"


def test_free_seats_go_at_the_start_and_computers_seal_nothing() -> None:
    room = started("ada", room=gathered(FREE, ROBO))
    assert names(room) == ["Ada", "Robo"]
    assert [event.kind for event in room.events] == ["open", "arrange", "seal", "reveal", "begin"]
    robots = open_room("t", CLASSIC, Terms(), Opened("ada", (ROBO, ROBO), commitment_of(SEED)))
    assert [event.kind for event in does(robots, "ada", Start()).events] == ["open", "seal", "begin"]


def test_a_game_may_begin_at_once_without_shares() -> None:
    room = gathered(ROBO)
    for event in begun(room, fair_dice):
        room = evolve(room, event)
    assert (room.phase, room.shares) == ("playing", ())


# --- playing ---


def test_only_the_guest_of_a_seat_plays_there() -> None:  # drill 19
    room = started("ada", "ben")
    assert code_of(room, "ben", ThrowDice(), 0) == "action/not-your-seat"
    assert code_of(room, "ben", ThrowDice(), 1) == "action/not-your-turn"
    assert code_of(room, None, ThrowDice(), 0) == "action/not-your-seat"
    assert code_of(room, "cem", ThrowDice(), 0) == "action/not-your-seat"
    assert code_of(room, "ada", ThrowDice(), None) == "action/not-your-turn"
    assert code_of(gathered(), "ada", ThrowDice(), 0) == "room/not-begun"
    assert does(room, "ada", ThrowDice(), 0).version == room.version + 1


def test_what_is_only_said_makes_no_move_stale() -> None:
    room = started("ada", "ben")
    said = does(room, "ben", Say("luck"))
    moved = decide(said, Command(ThrowDice(), room.version, 0, "ada"), fair_dice)
    assert len(moved) == 1
    after = evolve(said, moved[0])
    for seen in (room.version, said.version, after.version + 1):
        with pytest.raises(Refused) as refused:
            decide(after, Command(ThrowDice(), seen, 0, "ada"), fair_dice)
        assert refused.value.code == "action/stale"
        assert refused.value.reason.params == {"found": seen, "expected": after.version}


def test_a_computer_stands_in_and_the_guest_comes_back_to_the_same_seat() -> None:
    room = started("ada", "ben")
    away = serves(room, StandIn(0, "away"))
    assert away.acting is not None
    assert (away.acting.player, away.acting.guest) == ("computer", "ada")
    assert serves(away, StandIn(0, "away")) is away
    assert code_of(away, "ada", ThrowDice(), 0) == "seat/stand-in"
    thrown = does(away, None, ThrowDice(), 0, by="computer")
    back = does(thrown, "ada", Return())
    assert does(back, "ada", Return()) is back
    assert code_of(back, None, EnterBox("chance"), 0, by="computer") == "action/not-your-seat"
    assert back.table is not None
    assert thrown.table is not None
    assert back.table.dice == thrown.table.dice
    assert does(back, "ada", EnterBox("chance"), 0).version == back.version + 1


def test_nobody_is_replaced_while_it_is_not_his_turn() -> None:
    room = started("ada", "ben")
    assert serves(room, StandIn(1, "away")) is room
    assert code_of(room, "ben", StandIn(0, "away")) == "room/not-allowed"
    gone = does(room, "ben", Rise())  # but he may go
    assert gone.seats[1].stand_in == "left"
    assert does(gone, "ben", Rise()) is gone
    assert does(gone, "ben", Sit("Ben")) is gone


def test_who_leaves_does_not_move_the_turn() -> None:  # B078
    room = started("ada", "ben", "cem", room=gathered(FREE, FREE))
    for who, seat in (("ada", 0), ("ben", 1)):
        room = does(does(room, who, ThrowDice(), seat), who, EnterBox("chance"), seat)
    room = does(room, "ada", Rise())
    assert room.acting == room.seats[2]
    assert room.acting.guest == "cem"


def test_the_game_ends_with_a_result_though_the_host_is_gone() -> None:  # B080
    room = does(started("ada", "ben"), "ada", Rise())
    while room.phase == "playing":
        assert room.table is not None
        turn = room.table.state.turn
        assert turn is not None
        move: Move = ThrowDice() if turn.roll is None else EnterBox(_first_box(room))
        by = "computer" if room.seats[turn.seat].player == "computer" else "person"
        room = does(room, "ben", move, turn.seat, by=by)
    assert room.phase == "over"
    assert room.acting is None
    assert code_of(room, "ben", ThrowDice(), 1) == "table/over"
    assert serves(room, Continue("u")).next == "u"
    assert serves(serves(room, Continue("u")), Continue("v")).next == "u"
    assert does(room, "ada", Rise()) is room


def _first_box(room: Room) -> str:
    assert room.table is not None
    return next(
        str(action.box) for action in knobel.legal_actions(room.table.state) if isinstance(action, knobel.Enter)
    )


def test_phrases_need_a_seat_and_end_some_day() -> None:
    room = gathered(FREE)
    assert code_of(room, "ben", Say("hello")) == "seat/not-yours"
    for _ in range(MAX_SAID):
        room = does(room, "ada", Say("hello"))
    assert room.events[-1] == Said(0, "hello")
    assert code_of(room, "ada", Say("hello")) == "room/said-enough"


def test_a_table_that_is_given_up_does_nothing_more() -> None:
    room = does(gathered(FREE), "ada", Close())
    assert serves(room, Close()) is room
    for act in (Sit("Ben"), Rise(), Say("hello"), Start(), Close()):
        assert code_of(room, "ada", act) == "room/closed"
    assert code_of(room, "ada", ThrowDice(), 0) == "room/closed"
    playing = started("ada", "ben")
    assert code_of(playing, "ada", Close()) == "room/begun"
    assert serves(playing, Close()).phase == "closed"


# --- real dice ---


def test_real_dice_are_typed_in() -> None:
    typed = started("ada", room=gathered(terms=Terms(dice="typed")))
    for faces in (None, (1, 2, 3), (1, 2, 3, 4, 5, 6), (1, 2, 3, 4, 7), (0, 1, 2, 3, 4)):
        assert code_of(typed, "ada", ThrowDice((), faces=faces), 0) == "action/illegal"
    room = does(typed, "ada", ThrowDice((), faces=(5, 5, 1, 2, 3)), 0)
    assert room.table is not None
    assert room.table.dice == (5, 5, 1, 2, 3)
    room = does(room, "ada", ThrowDice((0, 1), faces=(6, 6, 6)), 0)
    assert room.table is not None
    assert room.table.dice == (5, 5, 6, 6, 6)
    assert code_of(started("ada", room=gathered()), "ada", ThrowDice((), faces=(1,) * 5), 0) == "action/illegal"


def test_nobody_throws_real_dice_for_somebody_else() -> None:
    room = gathered(FREE, terms=Terms(dice="typed"))
    assert code_of(room, "ada", Add("computer", "Robo")) == "seat/typed-people"
    assert code_of(started("ada", room=room), "ada", Rise()) == "seat/typed-stays"


# --- a log that cannot be ---


@pytest.mark.parametrize(
    "events",
    [
        (),
        (Began(0),),
        (Opened("ada", (), "x"),),
        (Opened("ada", (FREE,) * 13, "x"),),
        (Opened("ada", (FREE,), "x"), Opened("ada", (FREE,), "x")),
        (Opened("ada", (FREE,), "x"), Began(0)),
        (Opened("ada", (FREE,), "x"), Sealed((FREE,))),
        (Opened("ada", (ROBO,), "x"), Sealed((ROBO,)), Revealed(((0, "00" * 32),))),
        (Opened("ada", (ROBO,), "x"), Sealed((ROBO,)), Began(1)),
        (Opened("ada", (ROBO,), "x"), Sealed((ROBO,)), Began(0), Substituted(0, "away")),
        (Opened("ada", (ROBO,), "x"), Returned(0)),
    ],
)
def test_impossible_events_are_refused_by_their_number(events: Sequence[Any]) -> None:
    with pytest.raises(BrokenTable) as broken:
        replay("t", CLASSIC, Terms(), events)
    assert broken.value.version == max(1, len(events))


# --- any mixture ---

GUESTS = ("ada", "ben", "cem", None)


def test_a_very_long_log_is_replayed_in_time() -> None:
    room = gathered()
    for event in begun(room, fair_dice):
        room = evolve(room, event)
    begin, events = time.monotonic(), [*room.events, *60_000 * [Said(0, "luck")]]
    assert replay("t", CLASSIC, Terms(), events).version == len(events)
    assert time.monotonic() - begin < 4  # a third of a second; 12 if the log were copied for every event


class Around(RuleBasedStateMachine):
    """Anybody asks for anything at any moment: it is done or refused by a code, and the log replays to the same."""

    room: Room

    @initialize(
        seats=st.lists(st.sampled_from([FREE, ROBO]), max_size=3),
        begin=st.sampled_from(["seat", "rotate", "random", "highest_throw"]),
    )
    def open(self, seats: list[Seat], begin: Any) -> None:
        self.room = gathered(*seats, ruleset=knobel.load("yatzy"), terms=Terms(begin))

    def ask(self, who: str | None, act: Move | Act | Service, seat: int | None = None, by: Any = "person") -> None:
        with suppress(Refused):  # and nothing else
            self.room = does(self.room, who, act, seat, by=by)

    @rule(
        who=st.sampled_from(GUESTS),
        act=st.one_of(
            st.builds(Sit, st.just("X"), st.none() | st.integers(-1, 5)),
            st.builds(Add, st.sampled_from(["person", "computer"]), st.just("Y")),
            st.builds(Remove, st.integers(-1, 5)),
            st.builds(HandOver, st.integers(-1, 5)),
            st.sampled_from([Rise(), Unready(), Start(), Return(), Say("wow")]),
        ),
    )
    def around(self, who: str | None, act: Act) -> None:
        self.ask(who, act)

    @rule(who=st.sampled_from(GUESTS[:3]))
    def seals(self, who: str) -> None:
        self.ask(who, Ready(tuple((seat, commitment_of(share(self.room, seat))) for seat in self.room.seats_of(who))))

    @rule(who=st.sampled_from(GUESTS[:3]))
    def reveals(self, who: str) -> None:
        self.ask(who, Reveal(shares(self.room, who)))

    @rule(act=st.sampled_from([Proceed(), StandIn(0, "away"), StandIn(1, "clock")]))
    def serves(self, act: Service) -> None:
        if not isinstance(act, StandIn) or act.seat < len(self.room.seats):
            self.ask(None, act, by="server")

    @precondition(lambda self: self.room.acting is not None)
    @rule(who=st.sampled_from([*GUESTS, "whoever it is"]), throws=st.booleans())
    def plays(self, who: str | None, throws: bool) -> None:
        room, acting = self.room, self.room.acting
        assert acting is not None
        assert room.table is not None
        turn = room.table.state.turn
        assert turn is not None
        guest, is_right = (acting.guest, True) if who == "whoever it is" else (who, who == acting.guest)
        move: Move = ThrowDice() if throws or turn.roll is None else EnterBox(_first_box(room))
        before = self.room.version
        self.ask(guest, move, turn.seat, by=acting.player if who == "whoever it is" else "person")
        assert self.room.version == before or (is_right and (who != acting.guest or acting.player == "person"))

    @invariant()
    def is_the_fold_of_its_events(self) -> None:
        assert replay("t", self.room.ruleset, self.room.terms, self.room.events) == self.room

    @invariant()
    def exactly_one_seat_may_act(self) -> None:
        acting = self.room.acting
        assert (acting is not None) == (self.room.phase == "playing")
        if self.room.table is not None:
            assert self.room.table.seats == self.room.seats

    @invariant()
    def there_is_a_host_and_a_seat(self) -> None:
        assert self.room.host in GUESTS[:3]
        assert 1 <= len(self.room.seats) <= 12


Around.TestCase.settings = settings(max_examples=25, stateful_step_count=40, deadline=None)
TestAround = Around.TestCase
