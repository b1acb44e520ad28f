"""When the server must act by itself at a table: a share that does not come, a guest who is away, a turn too long.

All in seconds of a clock that never jumps; nothing here is decided by the time of day.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from knobel.event import Began, Entered, Picked
from knobel.room import Room
from knobel.seat import HandOver, Proceed, Returned, Sealed, Service, StandIn, Substituted

REVEAL = 30.0  # for the shares
GRACE = 60.0  # for a guest who lost his connection in a live game while others wait, and for a host before it
LAG = 1.0  # given with every turn that is timed
SLOW = 3 * 86_400  # for a turn of a slow game, if nothing else was agreed
AFTER_LOADING = 3_600.0  # at least so much is left of a slow turn when the server has been away


class Due(NamedTuple):
    """What the server does, and when."""

    at: float
    act: Service


@dataclass(eq=False, slots=True)
class Clock:
    """What has to be remembered for one table."""

    present: dict[str, int] = field(default_factory=dict)  # sockets of each guest who is there
    gone: dict[str, float] = field(default_factory=dict)  # since when the others are not
    since: float = 0.0  # of the phase or turn
    seat: int | None = None  # that must act

    def load(self, room: Room, now: float, age: float = 0.0) -> None:
        """Begin with a table whose last event is `age` seconds old by the time of day."""
        is_slow = room.terms.pace == "slow"
        elapsed = min(max(0.0, age), max(0.0, turn_limit(room) - AFTER_LOADING)) if is_slow else 0.0
        self.since = now - elapsed
        self.seat = _seat(room)
        self.gone = {guest: now for guest in room.guests if guest not in self.present}

    def happened(self, room: Room, events: Iterable[object], now: float) -> None:
        """Take in new events, the last of which made `room`."""
        for guest in room.guests:
            if guest not in self.present:
                self.gone.setdefault(guest, now)
        seat = _seat(room)
        if seat != self.seat or any(isinstance(event, _TURNS) for event in events):
            self.since, self.seat = now, seat

    def came(self, guest: str, now: float) -> None:
        """A socket of a guest was opened; whoever is first waits for the others from now on."""
        if not self.present:
            self.gone = dict.fromkeys(self.gone, now)
        self.present[guest] = self.present.get(guest, 0) + 1
        self.gone.pop(guest, None)

    def left(self, guest: str, now: float) -> None:
        """One was closed."""
        n = self.present.pop(guest) - 1
        if n:
            self.present[guest] = n
        else:
            self.gone[guest] = now

    def due(self, room: Room) -> Due | None:
        """What comes next if nobody does anything."""
        if room.phase == "revealing":
            return Due(self.since + REVEAL, Proceed())
        if room.phase == "gathering":
            return self._next_host(room)
        acting = room.acting
        if acting is None or acting.player == "computer" or room.terms.dice == "typed" or self.seat is None:
            return None
        late = Due(self.since + turn_limit(room) + LAG, StandIn(self.seat, "clock"))
        is_waited_for = room.terms.pace == "live" and any(seat.guest in self.present for seat in room.seats)
        away = self.gone.get(acting.guest or "", math.inf) if is_waited_for else math.inf
        first = min(late, Due(away + GRACE, StandIn(self.seat, "away")), key=lambda due: due.at)
        return first if first.at < math.inf else None

    def _next_host(self, room: Room) -> Due | None:
        """Before the game somebody who is there takes over from a host who is not."""
        away = self.gone.get(room.host)
        if away is None or room.terms.pace == "slow":
            return None
        heirs = (number for number, seat in enumerate(room.seats) if seat.guest in self.present)
        heir = next(heirs, None)
        return None if heir is None else Due(away + GRACE, HandOver(heir))


_TURNS = (Sealed, Began, Entered, Picked, Substituted, Returned)  # after these a turn is timed anew


def turn_limit(room: Room) -> float:
    """Seconds for a turn; without end in a live game without a clock."""
    if room.terms.clock is not None:
        return float(room.terms.clock)
    return SLOW if room.terms.pace == "slow" else math.inf


def _seat(room: Room) -> int | None:
    turn = room.table.state.turn if room.table is not None else None
    return None if turn is None else turn.seat
