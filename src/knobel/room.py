"""A table with the people around it: who sits where, the sealed shares of the dice, the game, and who stands in.

A room is the fold over its events, those of the game among them; `evolve` makes the next room of an event. It holds no
secrets: the seed of the dice stays with the caller.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, cast

from knobel import table as game_table
from knobel.event import Began, Event, Move
from knobel.fair import HEX, Exchange, commitment_of
from knobel.header import Begin
from knobel.record import Record
from knobel.seat import (
    Act,
    Arranged,
    Closed,
    Continued,
    Happening,
    Opened,
    Returned,
    Revealed,
    Said,
    Sealed,
    Seat,
    Service,
    Shares,
    Substituted,
)
from knobel.table import BrokenTable, Draw, Table, open_table
from knobel.vocabulary import Ruleset

MAX_SEATS = 12
Phase = Literal["gathering", "revealing", "playing", "over", "closed"]
DiceSource = Literal["provable", "typed"]  # the server's, which can be checked; or real ones, typed in
Pace = Literal["live", "slow"]


@dataclass(frozen=True, slots=True)
class Terms:
    """What is agreed for a table at its beginning and never changes."""

    begin: Begin = "seat"
    dice: DiceSource = "provable"
    pace: Pace = "live"
    clock: int | None = None  # seconds that a turn may take
    public: bool = False  # whether it is in the list of open tables
    previous: int | None = None  # the seat that began the game before this one


@dataclass(frozen=True, slots=True)
class Command:
    """What somebody wants: a guest (None: one without a name), a computer player or the server itself."""

    act: Move | Act | Service
    version: int  # the room that the sender saw
    seat: int | None = None  # for moves: whose
    guest: str | None = None
    by: Literal["person", "computer", "server"] = "person"


@dataclass(frozen=True, slots=True)
class Room:
    """A table at one moment; the number of its events is its version."""

    id: str
    ruleset: Ruleset
    terms: Terms
    host: str  # a guest
    seats: tuple[Seat, ...]
    commitment: str  # the server's
    events: tuple[Event | Happening, ...]
    phase: Phase = "gathering"
    shares: Shares = ()  # revealed ones, in seat order
    table: Table | None = None  # the game, once it has begun
    moved: int = 0  # the version of the last event of the game, or of who may play it
    n_said: int = 0  # phrases since then
    next: str | None = None  # the table at which it goes on
    barred: frozenset[str] = frozenset()  # guests whom the host has sent away

    @property
    def version(self) -> int:
        """Number of events so far."""
        return len(self.events)

    @property
    def guests(self) -> frozenset[str]:
        """Those who sit here, and the host."""
        return frozenset(seat.guest for seat in self.seats if seat.guest is not None) | {self.host}

    @property
    def acting(self) -> Seat | None:
        """The player who must do something in the game; None when there is nothing to do."""
        turn = self.table.state.turn if self.table is not None and self.phase == "playing" else None
        return None if turn is None else self.seats[turn.seat]

    @property
    def is_over(self) -> bool:
        """Whether nothing more will be thrown, so that the seed may be shown."""
        return self.phase in ("over", "closed")

    @property
    def event_number(self) -> int:
        """Of the next event of the game, from 0, as the derivation of the dice counts them."""
        return 0 if self.table is None else self.table.version

    def seats_of(self, guest: str | None) -> tuple[int, ...]:
        """The numbers of the seats that a guest holds."""
        return tuple(number for number, seat in enumerate(self.seats) if guest is not None and seat.guest == guest)


Dice = Callable[[Room], Draw]  # how the dice of the next event fall


def open_room(room_id: str, ruleset: Ruleset, terms: Terms, event: Opened) -> Room:
    """The room after its first event. Raises `BrokenTable`."""
    if not 1 <= len(event.seats) <= MAX_SEATS:
        raise BrokenTable(room_id, 1, "no seats, or too many")
    return Room(room_id, ruleset, terms, event.host, event.seats, event.commitment, (event,))


def evolve(room: Room, event: Event | Happening) -> Room:
    """The room after one more event. Raises `BrokenTable` for one that cannot follow."""
    return replace(_followed(room, event), events=(*room.events, event))


def replay(room_id: str, ruleset: Ruleset, terms: Terms, events: Sequence[Event | Happening]) -> Room:
    """The room after all its events. Raises `BrokenTable` with the number of the first one that cannot be."""
    if not events or not isinstance(events[0], Opened):
        raise BrokenTable(room_id, 1, "no opening")
    seen: list[Event | Happening] = [events[0]]  # grows under the room: a copy for every event takes long for many
    room = replace(open_room(room_id, ruleset, terms, events[0]), events=cast("tuple[Event | Happening, ...]", seen))
    for event in events[1:]:
        room = _followed(room, event)
        seen.append(event)
    return replace(room, events=tuple(seen))


def to_record(room: Room, seed: bytes) -> Record | None:
    """The game so far with what its dice follow from, None before it; the seed is in it at the end only."""
    if room.table is None:
        return None
    record = game_table.to_record(room.table)
    if room.terms.dice == "typed":
        return replace(record, dice="typed", begin=room.terms.begin)
    sealed = tuple((number, seat.sealed) for number, seat in enumerate(room.seats) if seat.sealed is not None)
    shown = seed.hex() if room.is_over else None
    fair = Exchange(room.id, room.commitment, sealed, room.shares, shown)
    return replace(record, dice="provable", begin=room.terms.begin, fair=fair)


def _followed(room: Room, event: Event | Happening) -> Room:
    """The room after an event that is not yet among its events."""
    try:
        return _after(room, event)
    except BrokenTable as error:  # counted by the game's own events
        raise BrokenTable(room.id, room.version + 1, str(error.reason.params["problem"])) from None


def _after(room: Room, event: Event | Happening) -> Room:
    match event:
        case Arranged():
            _need(room, event, "gathering")
            _need_seats(room, event.seats)
            gone = room.seats[event.seat].guest if event.what == "remove" else None
            barred = room.barred if gone in (None, event.host) else room.barred | {str(gone)}
            return replace(room, seats=event.seats, host=event.host, barred=barred)
        case Sealed():
            _need(room, event, "gathering")
            _need_seats(room, event.seats)
            if any(seat.is_free for seat in event.seats):
                raise _broken(room, "a free seat")
            return replace(room, seats=event.seats, phase="revealing")
        case Revealed():
            _need(room, event, "revealing")
            if not all(fits(room, seat, share) for seat, share in event.shares):
                raise _broken(room, "a share that its seat has not sealed")
            return replace(room, shares=tuple(sorted((*room.shares, *event.shares))))
        case Began():
            _need(room, event, "revealing")
            table = open_table(room.id, room.ruleset, room.seats, room.terms.begin, event)
            return replace(room, table=table, phase="playing", moved=room.version + 1, n_said=0)
        case Substituted() | Returned():
            _need(room, event, "playing")
            if not 0 <= event.seat < len(room.seats) or room.seats[event.seat].guest is None:
                raise _broken(room, "no seat of a guest")
            why = event.why if isinstance(event, Substituted) else None
            seats = seated(room, {event.seat: replace(room.seats[event.seat], stand_in=why)})
            assert room.table is not None  # as in every room that is being played
            table = replace(room.table, seats=seats)
            return replace(room, seats=seats, table=table, moved=room.version + 1, n_said=0)
        case Said():
            _need(room, event, "gathering", "revealing", "playing", "over")
            return replace(room, n_said=room.n_said + 1)
        case Closed():
            _need(room, event, "gathering", "revealing", "playing")
            return replace(room, phase="closed")
        case Continued():
            _need(room, event, "over")
            return replace(room, next=event.table)
        case Opened():
            raise _broken(room, "a second opening")
        case _:
            _need(room, event, "playing")
            assert room.table is not None  # as in every room that is being played
            table = game_table.evolve(room.table, event)
            phase: Phase = "playing" if table.state.turn is not None else "over"
            return replace(room, table=table, phase=phase, moved=room.version + 1, n_said=0)


def fits(room: Room, seat: int, share: str) -> bool:
    """Whether this is the share that a seat has sealed and still owes."""
    if not 0 <= seat < len(room.seats) or not HEX.fullmatch(share) or seat in dict(room.shares):
        return False
    return commitment_of(bytes.fromhex(share)) == room.seats[seat].sealed


def seated(room: Room, changed: Mapping[int, Seat]) -> tuple[Seat, ...]:
    """The seats with some of them changed."""
    return tuple(changed.get(number, seat) for number, seat in enumerate(room.seats))


def _need(room: Room, event: Event | Happening, *phases: Phase) -> None:
    if room.phase not in phases:
        raise _broken(room, f"{event.kind!r} while the table is {room.phase}")


def _need_seats(room: Room, seats: tuple[Seat, ...]) -> None:
    if not 1 <= len(seats) <= MAX_SEATS:
        raise _broken(room, "no seats, or too many")


def _broken(room: Room, why: str) -> BrokenTable:
    return BrokenTable(room.id, room.version + 1, why)
