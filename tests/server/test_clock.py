"""When the server acts by itself, in seconds that nobody waits for."""

from dataclasses import replace

import pytest

from knobel.event import EnterBox, ThrowDice
from knobel.room import Room, Terms
from knobel.seat import HandOver, Proceed, StandIn, Start
from knobel.server.clock import AFTER_LOADING, GRACE, LAG, REVEAL, SLOW, Clock, Due
from tests.test_room import FREE, does, gathered, sealed, serves, started


def game(**terms: object) -> Room:
    """Ada and Ben play, and it is Ada's turn."""
    return started("ada", "ben", room=gathered(FREE, terms=replace(Terms(), **terms)))  # type: ignore[arg-type]


def loaded(room: Room, *present: str, age: float = 0.0) -> Clock:
    """A clock that starts at 1000, where these guests are there."""
    clock = Clock()
    clock.load(room, 1000.0, age)
    for guest in present:
        clock.came(guest, 1000.0)
    return clock


def test_a_guest_who_is_away_is_replaced_when_it_is_his_turn_and_somebody_waits() -> None:
    room = game()
    assert loaded(room).due(room) is None
    assert loaded(room, "eve").due(room) is None
    assert loaded(room, "ada").due(room) is None  # it is not Ben's turn
    clock = loaded(room, "ben")
    assert clock.due(room) == Due(1000 + GRACE, StandIn(0, "away"))
    clock.left("ben", 1010.0)
    assert clock.due(room) is None
    clock.came("ben", 5000.0)  # whoever comes back first waits from then on
    assert clock.due(room) == Due(5000 + GRACE, StandIn(0, "away"))


def test_a_guest_is_there_as_long_as_one_of_his_sockets_is() -> None:
    room = game()
    clock = loaded(room, "ada", "ada", "ben")
    clock.left("ada", 1010.0)
    assert clock.due(room) is None
    clock.left("ada", 1020.0)
    assert clock.due(room) == Due(1020 + GRACE, StandIn(0, "away"))
    clock.came("ada", 1030.0)
    assert clock.due(room) is None


def test_the_turn_clock_runs_for_those_who_are_there_and_anew_for_the_next() -> None:
    room = game(clock=30)
    clock = loaded(room, "ada", "ben")
    assert clock.due(room) == Due(1030 + LAG, StandIn(0, "clock"))
    for act, seconds in ((ThrowDice(), 1000), (EnterBox("chance"), 1020)):
        after = does(room, "ada", act, 0)
        clock.happened(after, after.events[-1:], 1020.0)
        seat = 0 if isinstance(act, ThrowDice) else 1
        assert clock.due(after) == Due(seconds + 30 + LAG, StandIn(seat, "clock"))
        room = after
    away = serves(room, StandIn(1, "clock"))
    clock.happened(away, away.events[-1:], 1051.0)
    assert clock.due(away) is None  # a computer plays


def test_a_slow_turn_goes_on_while_the_server_is_away_but_never_ends_at_once() -> None:
    room = game(pace="slow")
    assert loaded(room, "ben", age=1000.0).due(room) == Due(SLOW + LAG, StandIn(0, "clock"))
    assert loaded(room, age=10 * SLOW).due(room) == Due(1000 + AFTER_LOADING + LAG, StandIn(0, "clock"))
    assert loaded(room, age=-500.0).due(room) == Due(
        1000 + SLOW + LAG, StandIn(0, "clock")
    )  # a time of day that jumped


def test_real_dice_wait_for_everybody() -> None:
    room = game(dice="typed", clock=30)
    assert loaded(room, "ben").due(room) is None


@pytest.mark.parametrize(("present", "heir"), [((), None), (("ada", "ben"), None), (("ben",), 1), (("eve",), None)])
def test_before_the_game_somebody_who_sits_there_follows_the_host(present: tuple[str, ...], heir: int | None) -> None:
    room = gathered(FREE)
    room = replace(room, seats=(room.seats[0], replace(FREE, name="Ben", guest="ben")))
    assert loaded(room, *present).due(room) == (None if heir is None else Due(1000 + GRACE, HandOver(heir)))
    slow = replace(room, terms=Terms(pace="slow"))
    assert loaded(slow, *present).due(slow) is None


def test_shares_are_waited_for_a_while() -> None:
    room = does(sealed(gathered(), "ada"), "ada", Start())
    assert room.phase == "revealing"
    assert loaded(room).due(room) == Due(1000 + REVEAL, Proceed())
