"""Tables, events and errors as wire types: what the server says about a game."""

from functools import lru_cache

from pydantic import TypeAdapter

from knobel.errors import KnobelError
from knobel.ruleset import admitted_options, builtin_ids, load
from knobel.server.messages import (
    EventView,
    Live,
    OptionView,
    Problem,
    ReplyMessage,
    RulesetOffer,
    RulesetOffers,
    SeatView,
    ServerMessage,
    TableMessage,
    UpdateMessage,
)
from knobel.table import Began, Event, Refused, Seat, Table, Threw
from knobel.view import RulesetView, ruleset_view, view_of
from knobel.vocabulary import Ruleset

RECENT = 50  # events that a table message carries
MISSED = 64  # missed events that are sent one by one; beyond that the whole table is sent

_SERVER: TypeAdapter[TableMessage | UpdateMessage | ReplyMessage] = TypeAdapter(ServerMessage)


def encode(message: TableMessage | UpdateMessage | ReplyMessage) -> str:
    """The text of a frame."""
    return _SERVER.dump_json(message).decode()


def problem_of(code: str, error: KnobelError) -> Problem:
    """A refusal for the wire."""
    return Problem(code, error.reason.key, dict(error.reason.params))


def refusal_of(error: Refused) -> Problem:
    """A refusal that carries its own code."""
    return problem_of(error.code, error)


def table_message(table: Table) -> TableMessage:
    """Everything about a table."""
    first = max(0, table.version - RECENT)
    return TableMessage(
        id=table.id,
        ruleset=rules_of(table.ruleset),
        seats=seat_views(table.seats),
        begin=table.begin,
        events=tuple(event_view(event, number) for number, event in enumerate(table.events[first:], first + 1)),
        live=live_of(table),
    )


def missed_message(table: Table, since: int | None) -> TableMessage | UpdateMessage:
    """The events after `since` if they are few enough and the client can have seen that version, else everything."""
    if since is None or not 0 < since <= table.version or table.version - since > MISSED:
        return table_message(table)
    events = tuple(event_view(event, number) for number, event in enumerate(table.events[since:], since + 1))
    return UpdateMessage(events, live_of(table))


def update_message(table: Table) -> UpdateMessage:
    """The latest event and the state after it."""
    return UpdateMessage((event_view(table.events[-1], table.version),), live_of(table))


def live_of(table: Table) -> Live:
    """The part that changes; it shows the actions of the person on turn, since all sit at one device."""
    turn, acting = table.state.turn, table.acting
    seat = turn.seat if turn is not None and acting is not None and acting.kind == "person" else None
    return Live(table.version, table.dice, view_of(table.state, seat))


def event_view(event: Event, version: int) -> EventView:
    """An event as browsers show it."""
    if isinstance(event, Began):
        winning = next((dice for seat, dice in event.rounds[-1] if seat == event.seat), ()) if event.rounds else ()
        return EventView(version, "begin", event.seat, dice=winning)
    if isinstance(event, Threw):
        thrown = tuple(place for place in range(len(event.dice)) if place not in event.keep)
        return EventView(version, "throw", event.seat, dice=event.dice, thrown=thrown)
    return EventView(version, "enter", event.seat, box=event.box, points=event.points, bonus=event.bonus)


def seat_views(seats: tuple[Seat, ...]) -> tuple[SeatView, ...]:
    """The players."""
    return tuple(SeatView(seat.name, seat.kind) for seat in seats)


@lru_cache(maxsize=256)
def rules_of(ruleset: Ruleset) -> RulesetView:
    """The rules of a table; most tables share them."""
    return ruleset_view(ruleset)


@lru_cache
def offers() -> RulesetOffers:
    """Every ruleset that comes with knobel and the options it admits."""
    return RulesetOffers(tuple(RulesetOffer(rules_of(load(name)), _options(name)) for name in builtin_ids()))


def _options(name: str) -> tuple[OptionView, ...]:
    return tuple(
        OptionView(option.name, option.kind, option.values, option.default, option.needs, option.labels)
        for option in admitted_options(name)
    )
