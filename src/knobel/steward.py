"""What a command brings at a table: a move of the game, or a change around it. The checks have a fixed order.

Codes: `room/…` for the table as a whole, `seat/…` for a seat, `fair/…` for the shares of the dice, `guest/…` for who
asks, and those of the game itself.
"""

from collections.abc import Mapping
from dataclasses import replace

from knobel import table as game_table
from knobel.dice import FACES
from knobel.errors import Param, Reason
from knobel.event import Event, Move, ThrowDice
from knobel.fair import HEX
from knobel.room import MAX_SEATS, Command, Dice, Room, evolve, fits, seated
from knobel.seat import (
    Add,
    Arranged,
    Close,
    Closed,
    Continue,
    Continued,
    HandOver,
    Happening,
    Kind,
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
    Shares,
    Sit,
    StandIn,
    Start,
    Substituted,
    Unready,
    What,
)
from knobel.table import Draw, Refused, first_event

MAX_SAID = 100  # phrases between two events of the game
Events = tuple[Event | Happening, ...]


def decide(room: Room, command: Command, dice: Dice) -> Events:
    """The events that a command brings, none if what it wants is so already. Raises `Refused`."""
    act = command.act
    if isinstance(act, Proceed | StandIn | Continue):
        return _served(room, command, dice)
    if isinstance(act, Move):
        return (_moved(room, command, act, dice),)
    if command.by != "server":
        if command.guest is None:
            raise _refused("guest-needed")
        if room.phase == "closed":
            raise _refused("room-closed")
    match act:
        case Sit():
            return _sit(room, command.guest or "", act)
        case Rise():
            return _rise(room, command.guest)
        case Add() | Remove() | HandOver():
            return _arranged_by_host(room, command)
        case Ready():
            return _ready(room, command.guest, act.commitments)
        case Unready():
            return _unready(room, command.guest)
        case Start():
            return _start(room, command, dice)
        case Reveal():
            return _reveal(room, command.guest, act.shares, dice)
        case Return():
            mine = [number for number in room.seats_of(command.guest) if room.seats[number].stand_in]
            return tuple(map(Returned, mine)) if room.phase == "playing" else ()
        case Say():
            return _say(room, command.guest, act)
        case Close():
            return _close(room, command)


def begun(room: Room, dice: Dice) -> Events:
    """What lets a game begin at once: nobody adds a share to the dice. The room must have no free seat."""
    sealed = Sealed(tuple(replace(seat, sealed=None) for seat in room.seats))
    return sealed, _begin(evolve(room, sealed), dice)


# --- the game ---


def _moved(room: Room, command: Command, move: Move, dice: Dice) -> Event:
    """The event of a move: the table checks it, this only who asks and what he has seen."""
    table = room.table
    if room.phase == "closed":
        raise _refused("room-closed")
    if table is None:
        raise _refused("room-not-begun")
    if command.by == "server":  # it plays for nobody
        raise _refused("table-not-your-seat", "action/not-your-seat", seat=command.seat or 0)
    turn = table.state.turn
    if turn is not None and command.seat == turn.seat and command.by == "person":
        seat = room.seats[turn.seat]
        if seat.kind == "person" and seat.guest != command.guest:
            raise _refused("table-not-your-seat", "action/not-your-seat", seat=turn.seat)
        if seat.stand_in:
            raise _refused("seat-stand-in", seat=turn.seat)
    is_fresh = room.moved <= command.version <= room.version
    by: Kind = "computer" if command.by == "computer" else "person"
    seen = table.version if is_fresh else -1
    number = -1 if command.seat is None else command.seat
    try:
        return game_table.decide(table, game_table.Command(number, seen, move, by), _draw(room, move, dice))
    except Refused as error:
        if error.code != "action/stale":
            raise
        raise _refused("table-stale", "action/stale", found=command.version, expected=room.version) from None


def _draw(room: Room, move: Move, dice: Dice) -> Draw:
    """Where the dice of a move come from: the seed, or what was typed in."""
    typed = move.faces if isinstance(move, ThrowDice) else None
    if room.terms.dice != "typed":
        if typed is not None:
            raise _refused("typed-faces-unasked", "action/illegal")
        return dice(room)

    def draw(n: int) -> tuple[int, ...]:
        if typed is None or len(typed) != n or not set(typed) <= set(FACES):
            raise _refused("typed-faces-expected", "action/illegal", dice=n, found=len(typed or ()))
        return typed

    return draw


# --- seats before the game ---


def _sit(room: Room, guest: str, act: Sit) -> Events:
    mine = room.seats_of(guest)
    if room.phase != "gathering":
        if mine:
            return ()
        raise _refused("room-begun")
    if guest in room.barred:
        raise _refused("guest-barred")
    free = [number for number, seat in enumerate(room.seats) if seat.is_free]
    number = act.seat if act.seat is not None else next(iter((*mine, *free)), None)
    if number is None:
        raise _refused("room-full")
    seat = _seat(room, number)
    if seat.guest == guest:
        same = seat.name == act.name
        return () if same else (_arranged(room, "rename", number, {number: replace(seat, name=act.name)}),)
    if not seat.is_free:
        raise _refused("seat-taken", seat=number)
    return (_arranged(room, "sit", number, {number: Seat(act.name, "person", guest)}),)


def _rise(room: Room, guest: str | None) -> Events:
    mine = room.seats_of(guest)
    if not mine or room.phase == "over":
        return ()
    if room.phase == "playing":
        if room.terms.dice == "typed":
            raise _refused("seat-typed-stays")
        return tuple(Substituted(number, "left") for number in mine if room.seats[number].stand_in != "left")
    _need_gathering(room)
    others = [seat.guest for seat in room.seats if seat.guest not in (None, guest)]
    host = others[0] if room.host == guest and others else room.host
    freed = {number: Seat("", "person") for number in mine}
    return (replace(_arranged(room, "rise", mine[0], freed), host=str(host)),)


def _arranged_by_host(room: Room, command: Command) -> Events:
    act = command.act
    _need_host(room, command)
    _need_gathering(room)
    if isinstance(act, Add):
        if len(room.seats) >= MAX_SEATS:
            raise _refused("room-full")
        if act.kind == "computer" and room.terms.dice == "typed":
            raise _refused("seat-typed-people")
        added = Seat(act.name, act.kind)
        return (Arranged("add", len(room.seats), room.host, (*room.seats, added)),)
    assert isinstance(act, Remove | HandOver)
    seat = _seat(room, act.seat)
    if isinstance(act, HandOver):
        if seat.guest is None:
            raise _refused("seat-nobody", seat=act.seat)
        return () if seat.guest == room.host else (replace(_arranged(room, "host", act.seat), host=seat.guest),)
    if len(room.seats) == 1:
        raise _refused("room-empty")
    left = room.seats[: act.seat] + room.seats[act.seat + 1 :]
    return (Arranged("remove", act.seat, room.host, left),)


# --- from ready to the beginning ---


def _ready(room: Room, guest: str | None, commitments: Shares) -> Events:
    _need_gathering(room)
    sealed = dict(commitments)
    mine = room.seats_of(guest)
    if not mine or set(sealed) != set(mine) or len(sealed) != len(commitments):
        raise _refused("seat-not-yours")
    if not all(map(HEX.fullmatch, sealed.values())):
        raise _refused("fair-malformed")
    changed = {number: replace(room.seats[number], sealed=sealed[number]) for number in mine}
    return () if seated(room, changed) == room.seats else (_arranged(room, "ready", mine[0], changed),)


def _unready(room: Room, guest: str | None) -> Events:
    _need_gathering(room)
    changed = {n: replace(room.seats[n], sealed=None) for n in room.seats_of(guest) if room.seats[n].sealed}
    return (_arranged(room, "unready", min(changed), changed),) if changed else ()


def _start(room: Room, command: Command, dice: Dice) -> Events:
    _need_host(room, command)
    if room.phase != "gathering":
        return ()
    seats = tuple(seat for seat in room.seats if not seat.is_free)
    if not seats:
        raise _refused("room-empty")
    late = sum(seat.kind == "person" and seat.sealed is None for seat in seats)
    if late:
        raise _refused("room-not-ready", seats=late)
    sealed = Sealed(seats)
    after = evolve(room, sealed)
    return (sealed,) if _is_owed(after) else (sealed, _begin(after, dice))


def _reveal(room: Room, guest: str | None, shares: Shares, dice: Dice) -> Events:
    if room.phase == "gathering":  # never before every commitment is in
        raise _refused("fair-too-early")
    known, mine = dict(room.shares), room.seats_of(guest)
    fresh = tuple(sorted((seat, share) for seat, share in shares if known.get(seat) != share))
    if not fresh:
        return ()
    if room.phase != "revealing":
        raise _refused("fair-too-late")
    if not all(seat in mine for seat, _ in fresh):
        raise _refused("seat-not-yours")
    if len(dict(fresh)) != len(fresh) or not all(fits(room, seat, share) for seat, share in fresh):
        raise _refused("fair-mismatch")
    revealed = Revealed(fresh)
    after = evolve(room, revealed)
    return (revealed,) if _is_owed(after) else (revealed, _begin(after, dice))


def _is_owed(room: Room) -> bool:
    return any(seat.sealed and number not in dict(room.shares) for number, seat in enumerate(room.seats))


def _begin(room: Room, dice: Dice) -> Event:
    terms = room.terms
    return first_event(room.ruleset, len(room.seats), terms.begin, dice(room), terms.previous)


# --- around the game ---


def _say(room: Room, guest: str | None, act: Say) -> Events:
    mine = room.seats_of(guest)
    if not mine:
        raise _refused("seat-not-yours")
    if room.n_said >= MAX_SAID:
        raise _refused("room-said-enough")
    return (Said(mine[0], act.phrase),)


def _close(room: Room, command: Command) -> Events:
    if room.phase in ("over", "closed"):
        return ()
    if command.by != "server":
        _need_host(room, command)
        _need_gathering(room)
    return (Closed(),)


def _served(room: Room, command: Command, dice: Dice) -> Events:
    """What the server itself does; it asks again and again, so what is not called for any more brings nothing."""
    act, acting = command.act, room.acting
    if command.by != "server":
        raise _refused("room-not-allowed")
    if isinstance(act, Proceed):
        return (_begin(room, dice),) if room.phase == "revealing" else ()
    if isinstance(act, StandIn):
        is_called_for = acting is not None and acting.player == "person" and acting is room.seats[act.seat]
        return (Substituted(act.seat, act.why),) if is_called_for else ()
    assert isinstance(act, Continue)
    return (Continued(act.table),) if room.phase == "over" and room.next is None else ()


def _arranged(room: Room, what: What, seat: int, changed: Mapping[int, Seat] | None = None) -> Arranged:
    return Arranged(what, seat, room.host, seated(room, changed or {}))


def _seat(room: Room, number: int) -> Seat:
    if not 0 <= number < len(room.seats):
        raise _refused("seat-unknown", seat=number)
    return room.seats[number]


def _need_host(room: Room, command: Command) -> None:
    if command.by != "server" and command.guest != room.host:
        raise _refused("room-host-only")


def _need_gathering(room: Room) -> None:
    if room.phase != "gathering":
        raise _refused("room-begun")


def _refused(key: str, code: str = "", **params: Param) -> Refused:
    """`room-closed` has the code `room/closed` unless it is told."""
    return Refused(code or key.replace("-", "/", 1), Reason(key, params))
