"""The event log: tables and their events in a database, appended in durable transactions, never changed.

Of several processes that append the same version of a table, or an answer to the same command, one succeeds; the others
get a `Conflict`. A table is its events; the row in `tables` only holds what was fixed at its beginning and a summary
for lists.
"""

import asyncio
import sqlite3
import time
from collections.abc import Collection, Sequence
from contextlib import suppress
from operator import itemgetter
from pathlib import Path
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from knobel.errors import Reason
from knobel.event import Event
from knobel.room import Phase
from knobel.seat import Happening
from knobel.server import bus
from knobel.server.database import Database, file_database
from knobel.server.rows import (
    EVENTS,
    MEMBERS,
    TABLES,
    Entry,
    Founded,
    Line,
    Step,
    Stored,
    event_of,
    event_rows,
    events_of,
    is_rearranged,
    line_of,
    member_rows,
    replayed,
    summary,
    table_row,
)
from knobel.table import Refused

MOST_AT_ONCE = 1_000  # events that are replayed without a break
Trouble = Literal["full", "locked", "read-only", "failed"]
_TROUBLES: dict[int, Trouble] = {
    sqlite3.SQLITE_FULL: "full",
    sqlite3.SQLITE_BUSY: "locked",
    sqlite3.SQLITE_LOCKED: "locked",
    sqlite3.SQLITE_READONLY: "read-only",
}
_STATES: dict[str, Trouble] = {  # of PostgreSQL: https://www.postgresql.org/docs/current/errcodes-appendix.html
    "53100": "full",
    "55P03": "locked",  # waited too long for a lock
    "57014": "locked",  # took too long
    "40P01": "locked",
    "40001": "locked",
    "25006": "read-only",
}
_RACES = ("events_pkey", "events_command")  # what a process meets that was not the first
_RACES_ON_SQLITE = ("events.table_id, events.version", "events.table_id, events.command_id")


class Conflict(Refused):
    """Another process was first: nothing was written; read what is new of the tables (`versions`) and decide again."""

    def __init__(self) -> None:
        """Who cannot decide again says what is said when storing fails."""
        super().__init__("storage/failed", Reason("server-storage-failed"))


class Store:
    """The log on one database."""

    def __init__(self, engine: AsyncEngine) -> None:
        """`engine` must be at the present revision of the schema."""
        self.engine = engine
        is_postgres = engine.dialect.name == "postgresql"  # SQLite reads one moment in every transaction
        self._reader = engine.execution_options(isolation_level="REPEATABLE READ") if is_postgres else engine

    @staticmethod
    def on(database: Database) -> "Store":
        """A store on a database that is prepared."""
        return Store(database.engine())

    @staticmethod
    def on_sqlite(path: Path) -> "Store":
        """A store on a SQLite file that `folder.prepare` has seen to."""
        return Store.on(file_database(path))

    async def append(self, founded: Sequence[Founded], steps: Sequence[Step]) -> None:
        """Write everything in one durable transaction. Raises `Refused` or `Conflict`; then nothing was written.

        Only if a connection to PostgreSQL breaks at the wrong moment, what was refused may be there after all; whoever
        appends to the same table next gets a `Conflict` and finds it.
        """
        now = time.time()
        events = [row for item in founded for row in event_rows(item.room, item.room.version, None, now)]
        events += [row for step in steps for row in event_rows(step.room, step.n_events, step.command_id, now)]
        events.sort(key=itemgetter("table_id", "version"))  # else two processes could block each other
        latest = {step.room.id: step.room for step in sorted(steps, key=lambda step: (step.room.id, step.room.version))}
        summaries = [{"table_id": room.id, **summary(room, now, "new_")} for room in latest.values()]
        rearranged = {step.room.id for step in steps if is_rearranged(step)}
        members = [*(item.room for item in founded), *(latest[table_id] for table_id in sorted(rearranged))]
        versions = {item.room.id: item.room.version for item in founded}
        versions |= {room.id: room.version for room in latest.values()}
        try:
            async with self.engine.begin() as connection:
                if founded:
                    await connection.execute(sa.insert(TABLES), [table_row(item, now) for item in founded])
                await connection.execute(sa.insert(EVENTS), events)
                if summaries:
                    await connection.execute(_UPDATE, summaries)
                if rearranged:
                    await connection.execute(sa.delete(MEMBERS).where(MEMBERS.c.table_id.in_(rearranged)))
                if members:
                    rows = [row for room in members for row in member_rows(room)]
                    await connection.execute(sa.insert(MEMBERS), rows)
                await bus.announce(connection, versions)
        except IntegrityError as error:
            raise (Conflict() if _is_race(error) else failed(error)) from error
        except (SQLAlchemyError, OSError) as error:
            raise failed(error) from error

    async def load(self, table_id: str) -> Stored | None:
        """A table replayed from its events, None if unknown. Raises `BrokenTable`, or `Refused` if reading fails."""
        if not table_id.isprintable():  # PostgreSQL has no text with a NUL
            return None
        query = _ENTRIES.where(EVENTS.c.table_id == table_id)
        try:
            async with self._reader.connect() as connection:
                head = (await connection.execute(sa.select(TABLES).where(TABLES.c.id == table_id))).one_or_none()
                rows = (await connection.execute(query)).all()
        except (SQLAlchemyError, OSError) as error:
            raise failed(error) from error
        if head is None:
            return None
        if len(rows) > MOST_AT_ONCE:
            return await asyncio.to_thread(replayed, head, rows)  # so that all other tables go on
        return replayed(head, rows)

    async def mine(self, guest: str, n: int) -> tuple[Line, ...]:
        """A guest's tables, the latest first. Raises `Refused` if reading fails."""
        query = sa.select(TABLES).join(MEMBERS, MEMBERS.c.table_id == TABLES.c.id).where(MEMBERS.c.guest == guest)
        return await self._lines(query.order_by(TABLES.c.updated.desc(), TABLES.c.id).limit(n))

    async def lobby(self, n: int, since: float) -> tuple[Line, ...]:
        """Open tables that wait for players, changed after `since`. Raises `Refused` if reading fails."""
        is_open = TABLES.c.public & (TABLES.c.phase == "gathering") & (TABLES.c.updated > since)
        return await self._lines(sa.select(TABLES).where(is_open).order_by(TABLES.c.updated.desc()).limit(n))

    async def results(self, guest: str, n: int) -> tuple[Line, ...]:
        """A guest's finished games, the latest first. Raises `Refused` if reading fails."""
        query = sa.select(TABLES).join(MEMBERS, MEMBERS.c.table_id == TABLES.c.id)
        query = query.where((MEMBERS.c.guest == guest) & (TABLES.c.phase == "over"))
        return await self._lines(query.order_by(TABLES.c.updated.desc(), TABLES.c.id).limit(n))

    async def events_of(self, table_ids: Sequence[str]) -> dict[str, list[Event | Happening]]:
        """The events of some tables, in order and not checked; those that cannot be read are left out.

        Raises `Refused` if reading fails.
        """
        query = sa.select(EVENTS.c.table_id, EVENTS.c.body).where(EVENTS.c.table_id.in_(table_ids))
        events: dict[str, list[Event | Happening]] = {}
        for row in await self._rows(query.order_by(EVENTS.c.table_id, EVENTS.c.version)):
            with suppress(ValueError):
                events.setdefault(row.table_id, []).append(event_of(row.body))
        return events

    async def due(self, now: float, n: int) -> tuple[str, ...]:
        """Slow games in which a turn should be over by the time of day. Raises `Refused` if reading fails."""
        query = sa.select(TABLES.c.id).where((TABLES.c.due < now) & (TABLES.c.phase == "playing"))
        return await self._ids(query.order_by(TABLES.c.due).limit(n))

    async def abandoned(self, phases: Sequence[Phase], before: float, n: int) -> tuple[str, ...]:
        """Tables in one of these phases at which nothing has happened since. Raises `Refused` if reading fails."""
        query = sa.select(TABLES.c.id).where(TABLES.c.phase.in_(phases) & (TABLES.c.updated < before))
        return await self._ids(query.order_by(TABLES.c.updated).limit(n))

    async def never_begun(self, before: float, n: int) -> tuple[str, ...]:
        """Tables that were given up before a game began. Raises `Refused` if reading fails."""
        is_empty = (TABLES.c.phase == "closed") & (TABLES.c.totals == "[]")
        return await self._ids(sa.select(TABLES.c.id).where(is_empty & (TABLES.c.updated < before)).limit(n))

    async def drop(self, table_ids: Sequence[str]) -> None:
        """Forget tables with their events. Raises `Refused`."""
        try:
            async with self.engine.begin() as connection:
                for table, column in (
                    (EVENTS, EVENTS.c.table_id),
                    (MEMBERS, MEMBERS.c.table_id),
                    (TABLES, TABLES.c.id),
                ):
                    await connection.execute(sa.delete(table).where(column.in_(table_ids)))
        except (SQLAlchemyError, OSError) as error:
            raise failed(error) from error

    async def later(self, table_id: str, version: int) -> tuple[Entry, ...]:
        """What came after a version of a table. Raises `BrokenTable`, or `Refused` if reading fails."""
        rows = await self._rows(_ENTRIES.where(EVENTS.c.table_id == table_id, EVENTS.c.version > version))
        events = events_of(table_id, rows, version + 1)
        return tuple(Entry(event, row.command_id) for event, row in zip(events, rows, strict=True))

    async def versions(self, table_ids: Collection[str]) -> dict[str, int]:
        """How far the log is with these tables. Raises `Refused` if reading fails."""
        found: dict[str, int] = {}
        wanted = list(table_ids)
        for ids in (wanted[at : at + _MOST_IDS] for at in range(0, len(wanted), _MOST_IDS)):
            query = sa.select(TABLES.c.id, TABLES.c.version).where(TABLES.c.id.in_(ids))
            found |= {row.id: row.version for row in await self._rows(query)}
        return found

    async def line(self, table_id: str) -> Line | None:
        """One table as in the list. Raises `Refused` if reading fails."""
        if not table_id.isprintable():
            return None
        return next(iter(await self._lines(sa.select(TABLES).where(TABLES.c.id == table_id))), None)

    async def with_code(self, code: str) -> str | None:
        """The id of the table with this code. Raises `Refused` if reading fails."""
        if not code.isprintable():
            return None
        return next(iter(await self._ids(sa.select(TABLES.c.id).where(TABLES.c.code == code))), None)

    async def _ids(self, query: sa.Select[Any]) -> tuple[str, ...]:
        return tuple(row.id for row in await self._rows(query))

    async def _lines(self, query: sa.Select[Any]) -> tuple[Line, ...]:
        return tuple(line for row in await self._rows(query) if (line := line_of(row)) is not None)

    async def _rows(self, query: sa.Select[Any]) -> list[Any]:
        try:
            async with self._reader.connect() as connection:
                return list(await connection.execute(query))
        except (SQLAlchemyError, OSError) as error:
            raise failed(error) from error

    async def close(self) -> None:
        """Close all connections."""
        await self.engine.dispose()


_MOST_IDS = 1000  # in one query
_ENTRIES = sa.select(EVENTS.c.version, EVENTS.c.command_id, EVENTS.c.body, EVENTS.c.at).order_by(EVENTS.c.version)
_SUMMARY = ("version", "phase", "seats", "totals", "acting", "due", "updated")
_UPDATE = (
    sa.update(TABLES)
    .where(TABLES.c.id == sa.bindparam("table_id"))
    .values({name: sa.bindparam(f"new_{name}") for name in _SUMMARY})
)


def trouble(error: BaseException | None) -> Trouble:
    """What is the matter with the database, in one word."""
    original = getattr(error, "orig", None)
    state = getattr(original, "sqlstate", None)
    if state is not None:
        return _STATES.get(state, "failed")
    number = getattr(original, "sqlite_errorcode", None) or 0
    return _TROUBLES.get(number & 0xFF, "failed")  # the rest of the number only says where


def _is_race(error: IntegrityError) -> bool:
    """Whether another process has written the same version, or the answer to the same command."""
    cause = getattr(error.orig, "__cause__", None)
    return getattr(cause, "constraint_name", None) in _RACES or str(error.orig).endswith(_RACES_ON_SQLITE)


def failed(error: Exception) -> Refused:
    """What is said when the database does not do what it should."""
    if trouble(error) == "full":
        return Refused("storage/full", Reason("server-storage-full"))
    return Refused("storage/failed", Reason("server-storage-failed"))
