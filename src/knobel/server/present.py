"""Between wire types and tables: what the server says about a game, and what browsers ask for."""

from functools import lru_cache

from pydantic import TypeAdapter

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
from knobel.ruleset import admitted_options, builtin_ids, load
from knobel.server import messages
from knobel.server.messages import (
    EventView,
    Live,
    OptionView,
    PoolThrow,
    Problem,
    ReplyMessage,
    RulesetOffer,
    RulesetOffers,
    SeatView,
    ServerMessage,
    TableMessage,
    UpdateMessage,
)
from knobel.table import Command, Refused, Seat, Table
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
        events=_events_after(table, first),
        live=live_of(table),
    )


def missed_message(table: Table, since: int | None) -> TableMessage | UpdateMessage:
    """The events after `since` if they are few enough and the client can have seen that version, else everything."""
    if since is None or not 0 < since <= table.version or table.version - since > MISSED:
        return table_message(table)
    return UpdateMessage(_events_after(table, since), live_of(table))


def update_message(table: Table) -> UpdateMessage:
    """The latest event and the state after it."""
    return UpdateMessage(_events_after(table, table.version - 1), live_of(table))


def live_of(table: Table) -> Live:
    """The part that changes; it shows the actions of the person on turn, since all sit at one device."""
    turn, acting = table.state.turn, table.acting
    seat = turn.seat if turn is not None and acting is not None and acting.kind == "person" else None
    pool = tuple(PoolThrow(thrower, dice) for thrower, dice in table.pool)
    return Live(table.version, table.dice, pool, view_of(table.state, seat))


def event_view(event: Event, version: int, owner: int) -> EventView:
    """An event in a turn of `owner` as browsers show it."""
    seat = event.seat
    match event:
        case Began():
            winning = next((dice for thrower, dice in event.rounds[-1] if thrower == seat), ()) if event.rounds else ()
            return EventView(version, "begin", seat, owner, dice=winning)
        case Threw():
            return EventView(version, "throw", seat, owner, event.dice, event.thrown, event.extra)
        case Entered():
            return EventView(version, "enter", seat, owner, box=event.box, points=event.points, bonus=event.bonus)
        case Spent():
            return EventView(version, "spend", seat, owner, token=event.token)
        case Chose():
            return EventView(version, "choose", seat, owner, dice=event.dice)
        case Picked():
            return EventView(version, "pick", seat, owner, box=event.box)


def command_of(message: messages.Command) -> Command:
    """A command of a browser for its table."""
    return Command(message.seat, message.version, _move_of(message.move))


def _move_of(move: messages.Move) -> Move:
    match move:
        case messages.Throw():
            return ThrowDice(move.keep, move.extra)
        case messages.Enter():
            return EnterBox(move.box)
        case messages.Spend():
            return SpendToken(move.token)
        case messages.Choose():
            return ChooseDice(move.places)
        case messages.Pick():
            return PickBox(move.box)


def _events_after(table: Table, version: int) -> tuple[EventView, ...]:
    return tuple(
        event_view(table.events[index], index + 1, owner_of(table.events, index))
        for index in range(version, table.version)
    )


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
