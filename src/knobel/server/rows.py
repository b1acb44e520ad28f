"""The log as rows: its tables in the database, and what becomes of values on their way there and back."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any

import sqlalchemy as sa
from pydantic import Field, TypeAdapter

from knobel import game
from knobel.errors import KnobelError
from knobel.event import Event
from knobel.fair import commitment_of
from knobel.room import Phase, Room, Terms, replay
from knobel.schema import parse, to_mapping
from knobel.seat import Arranged, Happening, Sealed, Seat
from knobel.server.clock import turn_limit
from knobel.table import BrokenTable
from knobel.vocabulary import OptionValue, Ruleset

METADATA = sa.MetaData()
TABLES = sa.Table(
    "tables",
    METADATA,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("code", sa.Text, nullable=False, unique=True),  # to join by
    sa.Column("created", sa.Float, nullable=False),
    sa.Column("ruleset", sa.Text, nullable=False),  # composed, as JSON
    sa.Column("options", sa.Text, nullable=False),  # chosen ones, as JSON
    sa.Column("terms", sa.Text, nullable=False),  # JSON
    sa.Column("seed", sa.Text, nullable=False),  # of the dice, hex; secret until the end
    sa.Column("follows", sa.Text),  # the table this is a new game of
    sa.Column("public", sa.Boolean, nullable=False),
    sa.Column("version", sa.Integer, nullable=False),  # number of events; with the rest a summary for lists
    sa.Column("phase", sa.Text, nullable=False),
    sa.Column("seats", sa.Text, nullable=False),  # JSON
    sa.Column("totals", sa.Text, nullable=False),  # JSON
    sa.Column("acting", sa.Integer),  # the seat that must act
    sa.Column("due", sa.Float, index=True),  # when somebody must look at it though nobody asks: slow games
    sa.Column("updated", sa.Float, nullable=False, index=True),
    sa.Index("tables_phase", "phase", "updated"),
)
MEMBERS = sa.Table(  # guests by the tables that they sit at or are the host of
    "members",
    METADATA,
    sa.Column("table_id", sa.Text, sa.ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("guest", sa.Text, primary_key=True, index=True),
)
EVENTS = sa.Table(
    "events",
    METADATA,
    sa.Column("table_id", sa.Text, sa.ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("command_id", sa.Text),  # what it answered; none for the beginning and computer players
    sa.Column("at", sa.Float, nullable=False),
    sa.Column("body", sa.Text, nullable=False),  # JSON
    sa.UniqueConstraint("table_id", "command_id", name="events_command"),
)
_EVENT: TypeAdapter[Event | Happening] = TypeAdapter(Annotated[Event | Happening, Field(discriminator="kind")])
_SEATS: TypeAdapter[tuple[Seat, ...]] = TypeAdapter(tuple[Seat, ...])
_TERMS: TypeAdapter[Terms] = TypeAdapter(Terms)


@dataclass(frozen=True, slots=True)
class Head:
    """What the log holds of a table beside its events."""

    code: str  # to join by
    seed: bytes  # of the dice
    follows: str | None = None


@dataclass(frozen=True, slots=True)
class Founded:
    """A new table with its first events."""

    room: Room
    head: Head


@dataclass(frozen=True, slots=True)
class Step:
    """The latest events of `room`, and the command that they answer."""

    room: Room
    n_events: int
    command_id: str | None = None


@dataclass(frozen=True, slots=True)
class Stored:
    """A table as the log has it, the versions that answered commands, and when its last event was stored."""

    room: Room
    head: Head
    answers: dict[str, int]
    at: float


@dataclass(frozen=True, slots=True)
class Entry:
    """An event as the log has it, and the command it answers."""

    event: Event | Happening
    command_id: str | None


@dataclass(frozen=True, slots=True)
class Line:
    """A table in a list of tables."""

    id: str
    ruleset: Ruleset
    terms: Terms
    phase: Phase
    seats: tuple[Seat, ...]
    totals: tuple[int, ...]
    acting: int | None
    updated: float


def event_rows(room: Room, n: int, command_id: str | None, now: float) -> list[dict[str, object]]:
    """The rows of the latest `n` events; the last one answers the command."""
    return [
        {
            "table_id": room.id,
            "version": version,
            "command_id": command_id if version == room.version else None,
            "at": now,
            "body": _EVENT.dump_json(room.events[version - 1]).decode(),
        }
        for version in range(room.version - n + 1, room.version + 1)
    ]


def summary(room: Room, now: float, prefix: str = "") -> dict[str, object]:
    state = room.table.state if room.table is not None else None
    fields = {
        "version": room.version,
        "phase": room.phase,
        "seats": _SEATS.dump_json(room.seats).decode(),
        "totals": json.dumps(game.result(state).totals if state is not None else ()),
        "acting": state.turn.seat if state is not None and state.turn is not None else None,
        "due": now + turn_limit(room) if room.phase == "playing" and room.terms.pace == "slow" else None,
        "updated": now,
    }
    return {prefix + name: value for name, value in fields.items()}


def table_row(item: Founded, now: float) -> dict[str, object]:
    room, head = item.room, item.head
    return {
        "id": room.id,
        "code": head.code,
        "created": now,
        "ruleset": json.dumps(to_mapping(room.ruleset)),
        "options": json.dumps(room.ruleset.options),
        "terms": _TERMS.dump_json(room.terms).decode(),
        "seed": head.seed.hex(),
        "follows": head.follows,
        "public": room.terms.public,
        **summary(room, now),
    }


def member_rows(room: Room) -> list[dict[str, object]]:
    return [{"table_id": room.id, "guest": guest} for guest in sorted(room.guests)]


def is_rearranged(step: Step) -> bool:
    return any(isinstance(event, Arranged | Sealed) for event in step.room.events[-step.n_events :])


@lru_cache(maxsize=256)
def _ruleset(text: str, options: str) -> Ruleset:
    """The ruleset of a stored table; most tables share them. Raises `ValueError` or `KnobelError`."""
    chosen: list[tuple[str, OptionValue]] = [
        (name, tuple(value) if isinstance(value, list) else value) for name, value in json.loads(options)
    ]
    return parse(json.loads(text), "store", tuple(chosen))


def replayed(head: Any, rows: Sequence[Any]) -> Stored:
    """A table, from its row and those of its events. Raises `BrokenTable`."""
    try:
        ruleset, terms = _ruleset(head.ruleset, head.options), _TERMS.validate_json(head.terms, strict=True)
        seed = bytes.fromhex(head.seed)
    except (ValueError, TypeError, KnobelError) as error:
        raise BrokenTable(head.id, 0, f"its header cannot be read: {str(error)[:80]}") from None
    events = events_of(head.id, rows, 1)
    if len(events) != head.version:
        raise BrokenTable(head.id, min(len(events), head.version) + 1, f"{head.version} events were written")
    room = replay(head.id, ruleset, terms, events)
    if commitment_of(seed) != room.commitment:
        raise BrokenTable(head.id, 0, "its seed is not the one that was committed to")
    answers = {row.command_id: row.version for row in rows if row.command_id is not None}
    return Stored(room, Head(head.code, seed, head.follows), answers, rows[-1].at)


def events_of(table_id: str, rows: Sequence[Any], first: int) -> list[Event | Happening]:
    """The events of rows in order, from the version `first` on. Raises `BrokenTable`."""
    events: list[Event | Happening] = []
    for number, row in enumerate(rows, first):
        if row.version != number:
            raise BrokenTable(table_id, number, "the event is missing")
        try:
            events.append(event_of(row.body))
        except ValueError as error:
            raise BrokenTable(table_id, number, f"the event cannot be read: {str(error)[:80]}") from None
    return events


def event_of(body: str) -> Event | Happening:
    """An event from its text. Raises `ValueError`."""
    return _EVENT.validate_json(body, strict=True)


def line_of(row: Any) -> Line | None:
    """A line of a list; None for a row that cannot be read, which loading it will tell."""
    try:
        seats, totals = _SEATS.validate_json(row.seats, strict=True), tuple(json.loads(row.totals))
        ruleset, terms = _ruleset(row.ruleset, row.options), _TERMS.validate_json(row.terms, strict=True)
        return Line(row.id, ruleset, terms, row.phase, seats, totals, row.acting, row.updated)
    except (ValueError, TypeError, KnobelError):
        return None
