"""The event log: tables and their events in a database, appended in durable transactions, never changed.

A table is its events; the row in `tables` only holds what was fixed at its beginning and a summary for the list.
"""

import json
import sqlite3
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

import sqlalchemy as sa
from pydantic import Field, TypeAdapter
from sqlalchemy import event as hooks
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from knobel import game
from knobel.errors import KnobelError, Reason
from knobel.event import Event
from knobel.schema import parse, to_mapping
from knobel.table import BrokenTable, Refused, Seat, Table, replay
from knobel.vocabulary import OptionValue, Ruleset

BUSY_SECONDS = 2
METADATA = sa.MetaData()
TABLES = sa.Table(
    "tables",
    METADATA,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("created", sa.Float, nullable=False),
    sa.Column("ruleset", sa.Text, nullable=False),  # composed, as JSON
    sa.Column("options", sa.Text, nullable=False),  # chosen ones, as JSON
    sa.Column("seats", sa.Text, nullable=False),  # JSON
    sa.Column("begin", sa.Text, nullable=False),
    sa.Column("follows", sa.Text),  # the table this is a new game of
    sa.Column("version", sa.Integer, nullable=False),  # number of events; with the rest a summary for the list
    sa.Column("totals", sa.Text, nullable=False),  # JSON
    sa.Column("over", sa.Boolean, nullable=False),
    sa.Column("updated", sa.Float, nullable=False, index=True),
)
EVENTS = sa.Table(
    "events",
    METADATA,
    sa.Column("table_id", sa.Text, sa.ForeignKey("tables.id"), primary_key=True),
    sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("command_id", sa.Text),  # what it answered; none for the beginning and computer players
    sa.Column("at", sa.Float, nullable=False),
    sa.Column("body", sa.Text, nullable=False),  # JSON
    sa.UniqueConstraint("table_id", "command_id", name="events_command"),
)
Trouble = Literal["full", "locked", "read-only", "failed"]
_TROUBLES: dict[int, Trouble] = {
    sqlite3.SQLITE_FULL: "full",
    sqlite3.SQLITE_BUSY: "locked",
    sqlite3.SQLITE_LOCKED: "locked",
    sqlite3.SQLITE_READONLY: "read-only",
}
_EVENT: TypeAdapter[Event] = TypeAdapter(Annotated[Event, Field(discriminator="kind")])
_SEATS: TypeAdapter[tuple[Seat, ...]] = TypeAdapter(tuple[Seat, ...])


@dataclass(frozen=True, slots=True)
class Opened:
    """A new table with its first event."""

    table: Table
    follows: str | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """The latest event of `table` and the command it answers."""

    table: Table
    command_id: str | None = None


@dataclass(frozen=True, slots=True)
class Stored:
    """A table as the log has it, and the versions that answered commands."""

    table: Table
    answers: dict[str, int]


@dataclass(frozen=True, slots=True)
class Line:
    """A table in the list of tables."""

    id: str
    ruleset: Ruleset
    seats: tuple[Seat, ...]
    totals: tuple[int, ...]
    over: bool
    updated: float


class Store:
    """The log on one database."""

    def __init__(self, engine: AsyncEngine) -> None:
        """`engine` must be at the present revision of the schema."""
        self.engine = engine

    @staticmethod
    def on_sqlite(path: Path) -> "Store":
        """A store on a SQLite file that `folder.prepare` has seen to."""
        engine = create_async_engine(sa.URL.create("sqlite+aiosqlite", database=str(path)))
        use_pragmas(engine.sync_engine)
        return Store(engine)

    async def append(self, opened: Sequence[Opened], steps: Sequence[Step]) -> None:
        """Write everything in one durable transaction. Raises `Refused`; then nothing was written."""
        now = time.time()
        events = [_event_row(item.table, None, now) for item in opened]
        events += [_event_row(item.table, item.command_id, now) for item in steps]
        latest = {step.table.id: _summary(step.table, now) for step in steps}
        try:
            async with self.engine.begin() as connection:
                if opened:
                    await connection.execute(sa.insert(TABLES), [_table_row(item, now) for item in opened])
                await connection.execute(sa.insert(EVENTS), events)
                if latest:
                    await connection.execute(_UPDATE, list(latest.values()))
        except (SQLAlchemyError, OSError) as error:
            raise failed(error) from error

    async def load(self, table_id: str) -> Stored | None:
        """A table replayed from its events, None if unknown. Raises `BrokenTable`, or `Refused` if reading fails."""
        columns = (EVENTS.c.version, EVENTS.c.command_id, EVENTS.c.body)
        query = sa.select(*columns).where(EVENTS.c.table_id == table_id).order_by(EVENTS.c.version)
        try:
            async with self.engine.connect() as connection:
                head = (await connection.execute(sa.select(TABLES).where(TABLES.c.id == table_id))).one_or_none()
                rows = (await connection.execute(query)).all()
        except (SQLAlchemyError, OSError) as error:
            raise failed(error) from error
        return None if head is None else _replayed(head, rows)

    async def latest(self, n: int) -> tuple[Line, ...]:
        """The tables that were played last. Raises `Refused` if reading fails."""
        return await self._lines(sa.select(TABLES).order_by(TABLES.c.updated.desc(), TABLES.c.id).limit(n))

    async def line(self, table_id: str) -> Line | None:
        """One table as in the list. Raises `Refused` if reading fails."""
        return next(iter(await self._lines(sa.select(TABLES).where(TABLES.c.id == table_id))), None)

    async def _lines(self, query: sa.Select[Any]) -> tuple[Line, ...]:
        try:
            async with self.engine.connect() as connection:
                rows = (await connection.execute(query)).all()
        except (SQLAlchemyError, OSError) as error:
            raise failed(error) from error
        return tuple(line for row in rows if (line := _line(row)) is not None)

    async def close(self) -> None:
        """Close all connections."""
        await self.engine.dispose()


def use_pragmas(engine: sa.Engine) -> None:
    """Durable commits on SQLite; transactions begin when SQLAlchemy says so, also for changes of the schema."""

    @hooks.listens_for(engine, "connect")
    def _(connection: Any, _record: object) -> None:
        connection.isolation_level = None
        cursor = connection.cursor()
        for pragma in (
            "journal_mode=WAL",
            "synchronous=FULL",
            "foreign_keys=ON",
            f"busy_timeout={BUSY_SECONDS * 1000}",
        ):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @hooks.listens_for(engine, "begin")
    def _(connection: sa.Connection) -> None:
        connection.exec_driver_sql("BEGIN")


_UPDATE = (
    sa.update(TABLES)
    .where(TABLES.c.id == sa.bindparam("table_id"))
    .values({name: sa.bindparam(f"new_{name}") for name in ("version", "totals", "over", "updated")})
)


def trouble(error: BaseException | None) -> Trouble:
    """What is the matter with the database, in one word."""
    number = getattr(getattr(error, "orig", None), "sqlite_errorcode", None) or 0
    return _TROUBLES.get(number & 0xFF, "failed")  # the rest of the number only says where


def failed(error: Exception) -> Refused:
    """What is said when the database does not do what it should."""
    if trouble(error) == "full":
        return Refused("storage/full", Reason("server-storage-full"))
    return Refused("storage/failed", Reason("server-storage-failed"))


def _event_row(table: Table, command_id: str | None, now: float) -> dict[str, object]:
    body = _EVENT.dump_json(table.events[-1]).decode()
    return {"table_id": table.id, "version": table.version, "command_id": command_id, "at": now, "body": body}


def _summary(table: Table, now: float, prefix: str = "new_") -> dict[str, object]:
    totals = json.dumps(game.result(table.state).totals)
    fields = {"version": table.version, "totals": totals, "over": game.is_over(table.state), "updated": now}
    return {"table_id": table.id, **{prefix + name: value for name, value in fields.items()}}


def _table_row(item: Opened, now: float) -> dict[str, object]:
    table, summary = item.table, _summary(item.table, now, "")
    return {
        "id": summary.pop("table_id"),
        "created": now,
        "ruleset": json.dumps(to_mapping(table.ruleset)),
        "options": json.dumps(table.ruleset.options),
        "seats": _SEATS.dump_json(table.seats).decode(),
        "begin": table.begin,
        "follows": item.follows,
        **summary,
    }


@lru_cache(maxsize=256)
def _ruleset(text: str, options: str) -> Ruleset:
    """The ruleset of a stored table; most tables share them. Raises `ValueError` or `KnobelError`."""
    chosen: list[tuple[str, OptionValue]] = [
        (name, tuple(value) if isinstance(value, list) else value) for name, value in json.loads(options)
    ]
    return parse(json.loads(text), "store", tuple(chosen))


def _replayed(head: Any, rows: Sequence[Any]) -> Stored:
    try:
        ruleset, seats = _ruleset(head.ruleset, head.options), _SEATS.validate_json(head.seats, strict=True)
    except (ValueError, KnobelError) as error:
        raise BrokenTable(head.id, 0, f"its header cannot be read: {str(error)[:80]}") from None
    events: list[Event] = []
    for number, row in enumerate(rows, 1):
        if row.version != number:
            raise BrokenTable(head.id, number, "the event is missing")
        try:
            events.append(_EVENT.validate_json(row.body, strict=True))
        except ValueError as error:
            raise BrokenTable(head.id, number, f"the event cannot be read: {str(error)[:80]}") from None
    if len(events) != head.version:
        raise BrokenTable(head.id, min(len(events), head.version) + 1, f"{head.version} events were written")
    table = replay(head.id, ruleset, seats, head.begin, events)
    return Stored(table, {row.command_id: row.version for row in rows if row.command_id is not None})


def _line(row: Any) -> Line | None:
    """A line of the list; None for a row that cannot be read, which loading it will tell."""
    try:
        seats, totals = _SEATS.validate_json(row.seats, strict=True), tuple(json.loads(row.totals))
        return Line(row.id, _ruleset(row.ruleset, row.options), seats, totals, row.over, row.updated)
    except (ValueError, TypeError, KnobelError):
        return None
