"""Between wire types and tables: what the server says about a game, and what browsers ask for."""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from pydantic import TypeAdapter
from pydantic_core import to_json

from knobel import seat
from knobel.errors import KnobelError
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
from knobel.room import Command, Room, Terms
from knobel.seat import Act, Arranged, Happening, Opened, Said, Seat, Substituted
from knobel.server import messages
from knobel.server.difference import Change, difference
from knobel.server.messages import (
    PROTOCOL,
    EventView,
    FairView,
    Live,
    PongMessage,
    PoolThrow,
    PresentMessage,
    Problem,
    ReplyMessage,
    RoomView,
    SeatView,
    TermsView,
)
from knobel.server.name import clean_name
from knobel.table import Refused
from knobel.view import Drawn, RulesetView, SheetView, drawn_from, ruleset_view, sheet_view, view_without_sheets
from knobel.vocabulary import Ruleset

RECENT = 50  # events that a table message carries
MISSED = 64  # missed events that are sent one by one; beyond that the whole table is sent

_Small = PresentMessage | PongMessage | ReplyMessage
_SERVER: TypeAdapter[_Small] = TypeAdapter(_Small)
_LIVE, _SHEET = TypeAdapter(Live), TypeAdapter(SheetView)
_TERMS, _EVENTS = TypeAdapter(TermsView), TypeAdapter(tuple[EventView, ...])


def encode(message: _Small) -> str:
    """The text of a frame."""
    return _SERVER.dump_json(message).decode()


def problem_of(code: str, error: KnobelError) -> Problem:
    """A refusal for the wire."""
    return Problem(code, error.reason.key, dict(error.reason.params))


def refusal_of(error: Refused) -> Problem:
    """A refusal that carries its own code."""
    return problem_of(error.code, error)


@dataclass(frozen=True, slots=True)
class Shown:
    """The part of a table that changes as plain data, and what each sheet in it was drawn from."""

    live: dict[str, Any]
    drawn: tuple[Drawn, ...] = ()


def shown(room: Room, seed: bytes, before: Shown | None = None) -> Shown:
    """How a table looks to a person on turn. The seed stays hidden until the end.

    Sheets that look as in `before` are the same objects.
    """
    table = room.table
    if table is None:
        return Shown(_dumped(Live(room.version, room_view(room, seed), None, (), None)))
    turn, acting = table.state.turn, room.acting
    seat = turn.seat if turn is not None and acting is not None and acting.player == "person" else None
    pool = tuple(PoolThrow(thrower, dice) for thrower, dice in table.pool)
    view = view_without_sheets(table.state, seat)
    live = _dumped(Live(room.version, room_view(room, seed), table.dice, pool, view))
    drawn = drawn_from(table.state)
    if before is None or len(before.drawn) != len(drawn):
        live["view"]["sheets"] = [_sheet_data(new) for new in drawn]
    else:
        known = zip(drawn, before.drawn, before.live["view"]["sheets"], strict=True)
        live["view"]["sheets"] = [sheet if new == old else _sheet_data(new) for new, old, sheet in known]
    return Shown(live, drawn)


def _dumped(live: Live) -> dict[str, Any]:
    data: dict[str, Any] = _LIVE.dump_python(live, mode="json")
    return data


def _sheet_data(drawn: Drawn) -> dict[str, Any]:
    data: dict[str, Any] = _SHEET.dump_python(sheet_view(drawn), mode="json")
    return data


def room_view(room: Room, seed: bytes) -> RoomView:
    """The table around the game."""
    shares = dict(room.shares)
    fair = FairView(
        room.commitment,
        tuple(seat.sealed for seat in room.seats),
        tuple(shares.get(number) for number in range(len(room.seats))),
        seed.hex() if room.is_over else None,
    )
    return RoomView(room.phase, room.host, seat_views(room.seats), fair, room.next)


def table_text(room: Room, code: str, you: str | None, live: dict[str, Any]) -> str:
    """The frame that says everything about a table; `live` is as it is `shown`."""
    message = {
        "id": room.id,
        "code": code,
        "ruleset": _rules_data(room.ruleset),
        "terms": _TERMS.dump_python(terms_view(room.terms), mode="json"),
        "you": you,
        "events": _events_data(room, max(0, room.version - RECENT)),
        "live": live,
        "protocol": PROTOCOL,
        "type": "table",
    }
    return to_json(message).decode()


def missed_text(room: Room, since: int, live: dict[str, Any]) -> str | None:
    """The frame with the events after `since`; None if there are too many or nobody can have seen that version."""
    if not 0 < since <= room.version or room.version - since > MISSED:
        return None
    return update_text(room, since, None, live)


def update_text(room: Room, since: int, before: dict[str, Any] | None, after: dict[str, Any]) -> str:
    """The frame with the events after `since` and how they have changed the live part; None: it is sent whole."""
    if before is None:
        return _update_text(room, since, None, [after])
    return _update_text(room, since, since, difference(before, after))


def _update_text(room: Room, since: int, base: int | None, change: Change) -> str:
    message = {
        "events": _events_data(room, since),
        "version": room.version,
        "base": base,
        "change": change,
        "type": "update",
    }
    return to_json(message).decode()


def terms_view(terms: Terms) -> TermsView:
    """What is agreed."""
    return TermsView(terms.begin, terms.dice, terms.pace, terms.clock, terms.public)


def event_view(event: Event | Happening, version: int, owner: int | None, seats: tuple[Seat, ...] = ()) -> EventView:
    """An event as browsers show it; `owner` is whose turn it was, `seats` are those before it."""
    seat: int | None = getattr(event, "seat", None)
    view = EventView(version, event.kind, seat, owner)
    match event:
        case Began():
            winning = next((dice for thrower, dice in event.rounds[-1] if thrower == seat), ()) if event.rounds else ()
            return replace(view, dice=winning)
        case Threw():
            return replace(view, dice=event.dice, thrown=event.thrown, extra=event.extra)
        case Entered():
            return replace(view, box=event.box, points=event.points, bonus=event.bonus)
        case Spent():
            return replace(view, token=event.token)
        case Chose():
            return replace(view, dice=event.dice)
        case Picked():
            return replace(view, box=event.box)
        case Arranged():
            of = seats if event.what in ("rise", "remove") else event.seats
            return replace(view, what=event.what, name=of[event.seat].name if event.seat < len(of) else None)
        case Substituted():
            return replace(view, why=event.why)
        case Said():
            return replace(view, phrase=event.phrase)
        case _:
            return view


def command_of(message: messages.Command | messages.Request, guest: str | None) -> Command:
    """What a browser wants. Raises `Refused` for a name of which nothing can be seen."""
    if isinstance(message, messages.Command):
        return Command(_move_of(message.move), message.version, message.seat, guest)
    return Command(_act_of(message.act), message.version, None, guest)


def _act_of(act: messages.Act) -> Act:
    match act:
        case messages.Sit():
            return seat.Sit(clean_name(act.name), act.seat)
        case messages.Rise():
            return seat.Rise()
        case messages.Add():
            return seat.Add(act.kind, "" if act.kind == "person" else clean_name(act.name or ""))
        case messages.Remove():
            return seat.Remove(act.seat)
        case messages.HandOver():
            return seat.HandOver(act.seat)
        case messages.Ready():
            return seat.Ready(act.commitments)
        case messages.Unready():
            return seat.Unready()
        case messages.Start():
            return seat.Start()
        case messages.Reveal():
            return seat.Reveal(act.shares)
        case messages.Return():
            return seat.Return()
        case messages.Say():
            return seat.Say(act.phrase)
        case messages.Close():
            return seat.Close()


def _move_of(move: messages.Move) -> Move:
    match move:
        case messages.Throw():
            return ThrowDice(move.keep, move.extra, move.faces)
        case messages.Enter():
            return EnterBox(move.box)
        case messages.Spend():
            return SpendToken(move.token)
        case messages.Choose():
            return ChooseDice(move.places)
        case messages.Pick():
            return PickBox(move.box)


def _events_data(room: Room, since: int) -> list[dict[str, Any]]:
    """The events after a version, as plain data."""
    views: list[EventView] = []
    played = room.table.events if room.table is not None else ()
    n_played = len(played)
    for index in range(room.version - 1, since - 1, -1):
        event = room.events[index]
        owner = None
        if not isinstance(event, Happening):
            n_played -= 1
            owner = owner_of(played, n_played)
        views.append(event_view(event, index + 1, owner, _seats_before(room, index)))
    data: list[dict[str, Any]] = _EVENTS.dump_python(tuple(reversed(views)), mode="json")
    return data


def _seats_before(room: Room, index: int) -> tuple[Seat, ...]:
    """The seats before an arrangement that takes one away."""
    event = room.events[index]
    if not isinstance(event, Arranged):
        return ()
    return next(earlier.seats for earlier in reversed(room.events[:index]) if isinstance(earlier, Opened | Arranged))


def seat_views(seats: tuple[Seat, ...]) -> tuple[SeatView, ...]:
    """The players."""
    return tuple(
        SeatView(seat.name, seat.kind, seat.guest, seat.kind == "computer" or seat.sealed is not None, seat.stand_in)
        for seat in seats
    )


@lru_cache(maxsize=256)
def rules_of(ruleset: Ruleset) -> RulesetView:
    """The rules of a table; most tables share them."""
    return ruleset_view(ruleset)


@lru_cache(maxsize=256)
def _rules_data(ruleset: Ruleset) -> Any:
    return TypeAdapter(RulesetView).dump_python(rules_of(ruleset), mode="json")
