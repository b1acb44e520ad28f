"""Between the processes that share a database: news of tables, and leases, so that one process alone acts for a table.

News say only which table has which version; what happened is in the log. They are sent by the transaction that brings
the events, so they are neither early nor lost with a connection that breaks: whoever was not listening for a while is
told that news may be missing.

A lease spares work, it decides nothing: for a moment after a connection broke two processes may believe they hold it,
and then the unique versions in the log let one of them act.
"""

import asyncio
import logging
import random
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, suppress
from typing import Any, Protocol

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from knobel.server.database import CONNECT_SECONDS, Database, database_errors, explained, lock_number

CHANNEL, PRESENCE = "knobel", "knobel_present"
BEAT = 2.0  # seconds between two looks at a connection, and at the leases that others hold
_FIRST_WAIT, _LONGEST_WAIT = 0.1, 10.0  # seconds until a lost connection is tried again
_ANNOUNCE = sa.text("SELECT pg_notify(:channel, payload) FROM unnest(CAST(:payloads AS text[])) AS payload")
logger = logging.getLogger(__name__)


class Listener(Protocol):
    """Whoever uses a bus; it is called in the event loop and must not wait."""

    @abstractmethod
    def changed(self, table_id: str, version: int) -> None:
        """The log has this version of a table; this process's own commits are told as well."""

    @abstractmethod
    def missed(self) -> None:
        """News may have been lost: look at every table that matters."""

    @abstractmethod
    def told(self, text: str) -> None:
        """A process, perhaps this one, has said something to all."""

    @abstractmethod
    def granted(self, table_id: str) -> None:
        """A lease that was wanted is held now."""

    @abstractmethod
    def lost(self, table_id: str) -> None:
        """A lease is held no more; it stays wanted."""


class Bus(ABC):
    """Use it as an asynchronous context: inside, its listener hears."""

    async def __aenter__(self) -> "Bus":
        return self

    async def __aexit__(self, *_: object) -> None:
        return

    @property
    @abstractmethod
    def is_alone(self) -> bool:
        """Whether no other process works on the log."""

    @abstractmethod
    async def tell(self, text: str) -> None:
        """Say something to all processes; while there is no connection nobody hears it."""

    @abstractmethod
    async def lease(self, table_id: str) -> bool:
        """Whether this process alone acts for a table from now on; if not yet, `Listener.granted` says when."""

    @abstractmethod
    def holds(self, table_id: str) -> bool:
        """Whether this process holds the lease, as far as it knows."""

    @abstractmethod
    async def release(self, table_id: str) -> None:
        """Want the lease no more."""


class LocalBus(Bus):
    """One process alone has the database: there are no news, and every lease is granted."""

    def __init__(self) -> None:
        """Nobody needs to listen."""
        self._held: set[str] = set()

    @property
    def is_alone(self) -> bool:
        """It is."""
        return True

    async def tell(self, text: str) -> None:
        """Nobody is there."""

    async def lease(self, table_id: str) -> bool:
        """Granted."""
        self._held.add(table_id)
        return True

    def holds(self, table_id: str) -> bool:
        """Whether it was asked for."""
        return table_id in self._held

    async def release(self, table_id: str) -> None:
        """Forget it."""
        self._held.discard(table_id)


class PostgresBus(Bus):
    """LISTEN on one connection, session-level advisory locks on another; both are made again when they are lost."""

    def __init__(self, database: Database, listener: Listener) -> None:
        """`database` is prepared."""
        self._database, self._listener = database, listener
        self._held: set[str] = set()
        self._wanted: dict[str, None] = {}  # asked for and not held, the oldest first
        self._given: set[str] = set()  # to be unlocked before anything is locked
        self._news = _Link(database, self._listen, self._beat)
        self._locks = _Link(database, self._take, self._take, self._drop)
        self._is_new = True
        self._inside = AsyncExitStack()

    async def __aenter__(self) -> "PostgresBus":
        """Raises `KnobelError` if the database cannot be reached."""
        async with AsyncExitStack() as stack:
            for link in (self._news, self._locks):
                await stack.enter_async_context(link)
            self._inside = stack.pop_all()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._wanted.clear()
        await self._inside.aclose()
        self._held.clear()

    @property
    def is_alone(self) -> bool:
        """Nobody knows."""
        return False

    async def tell(self, text: str) -> None:
        """At most 8,000 bytes."""
        await self._news.use(lambda connection: self._say(connection, text))

    async def lease(self, table_id: str) -> bool:
        """Try the lock; while there is no connection the lease waits for one."""
        if table_id not in self._held:
            self._wanted.setdefault(table_id)
            await self._locks.use(lambda connection: self._take(connection, table_id))
        return table_id in self._held

    def holds(self, table_id: str) -> bool:
        """What the connection that holds the locks was last told."""
        return table_id in self._held

    async def release(self, table_id: str) -> None:
        """Unlock; without a connection there is nothing to unlock."""
        self._wanted.pop(table_id, None)
        if table_id in self._held:
            self._held.discard(table_id)
            self._given.add(table_id)
        await self._locks.use(self._give)

    async def _listen(self, connection: Any) -> None:
        await connection.add_listener(CHANNEL, self._hear)
        await connection.add_listener(PRESENCE, lambda *told: self._listener.told(str(told[-1])))
        if not self._is_new:
            self._listener.missed()
        self._is_new = False

    async def _beat(self, connection: Any) -> None:
        await connection.fetchval("SELECT 1", timeout=CONNECT_SECONDS)

    async def _say(self, connection: Any, text: str) -> None:
        await connection.fetchval("SELECT pg_notify($1, $2)", PRESENCE, text, timeout=CONNECT_SECONDS)

    def _hear(self, _connection: object, _process: int, _channel: str, payload: object) -> None:
        table_id, _, version = str(payload).partition(" ")
        if table_id and version.isdecimal() and len(version) < 10:
            self._listener.changed(table_id, int(version))
        else:
            logger.warning("a notification that is not ours")

    async def _take(self, connection: Any, *table_ids: str) -> None:
        """Take what is free of what is wanted, or of these tables."""
        await self._give(connection)
        wanted = {
            lock_number(f"lease {name}"): name for name in table_ids or tuple(self._wanted) if name in self._wanted
        }
        query = "SELECT number FROM unnest($1::bigint[]) AS number WHERE pg_try_advisory_lock(number)"
        for row in await connection.fetch(query, list(wanted), timeout=CONNECT_SECONDS):
            table_id = wanted[row["number"]]
            if table_id not in self._wanted:  # released in the meantime
                await connection.fetchval("SELECT pg_advisory_unlock($1)", row["number"], timeout=CONNECT_SECONDS)
                continue
            del self._wanted[table_id]
            self._held.add(table_id)
            if not table_ids:
                self._listener.granted(table_id)

    async def _give(self, connection: Any) -> None:
        """Unlock what is given back."""
        numbers, self._given = [lock_number(f"lease {table_id}") for table_id in self._given], set()
        if numbers:
            query = "SELECT pg_advisory_unlock(number) FROM unnest($1::bigint[]) AS number"
            await connection.fetch(query, numbers, timeout=CONNECT_SECONDS)

    def _drop(self) -> None:
        """The connection is gone, and all locks with it."""
        held, self._held, self._given = sorted(self._held), set(), set()
        self._wanted |= dict.fromkeys(held)
        for table_id in held:
            self._listener.lost(table_id)


async def announce(connection: AsyncConnection, versions: Mapping[str, int]) -> None:
    """Tell all processes, once the transaction is committed, which versions tables have; with SQLite there is one."""
    if connection.dialect.name == "postgresql" and versions:
        payloads = [f"{table_id} {version}" for table_id, version in versions.items()]
        await connection.execute(_ANNOUNCE, {"channel": CHANNEL, "payloads": payloads})


class _Link:
    """A connection that is made again whenever it is lost, and looked at every `BEAT` seconds."""

    def __init__(
        self,
        database: Database,
        made: Callable[[Any], Awaitable[None]],
        beat: Callable[[Any], Awaitable[None]],
        lost: Callable[[], None] = lambda: None,
    ) -> None:
        self._database, self._made, self._beat, self._lost = database, made, beat, lost
        self._connection: Any = None
        self._turn = asyncio.Lock()  # a connection does one thing at a time
        self._gone = asyncio.Event()

    async def __aenter__(self) -> "_Link":
        with explained(self._database):
            await self._connect()
        self._task = asyncio.create_task(self._run())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task
        if self._connection is not None:
            connection, self._connection = self._connection, None
            try:
                await connection.close(timeout=CONNECT_SECONDS)
            except database_errors():
                connection.terminate()

    async def use(self, work: Callable[[Any], Awaitable[None]]) -> None:
        """Do something with the connection if there is one; it is done to its end even if the caller goes away."""
        await asyncio.shield(asyncio.ensure_future(self._do(work)))

    async def _do(self, work: Callable[[Any], Awaitable[None]]) -> None:
        async with self._turn:
            if self._connection is None:
                return
            try:
                await work(self._connection)
            except Exception as error:
                _report("no answer from the database", error)
                self._gone.set()  # what was done is not known: the next connection begins anew

    async def _connect(self) -> None:
        import asyncpg

        connection = await asyncpg.connect(**self._database.connect_arguments())
        gone = self._gone = asyncio.Event()
        connection.add_termination_listener(lambda _: gone.set())
        try:
            async with self._turn:
                self._connection = connection
                await self._made(connection)
        except BaseException:
            self._cut(connection)
            raise

    async def _run(self) -> None:
        wait = _FIRST_WAIT
        while True:
            if self._connection is not None:
                await self._watch()
                wait = _FIRST_WAIT
            await asyncio.sleep(wait * random.uniform(0.5, 1))
            wait = min(2 * wait, _LONGEST_WAIT)
            try:
                await self._connect()
            except Exception as error:
                _report("no connection to the database", error)

    async def _watch(self) -> None:
        """Return when the connection is lost."""
        while not self._gone.is_set():
            try:
                async with asyncio.timeout(BEAT):
                    await self._gone.wait()
            except TimeoutError:
                await self._do(self._beat)
        logger.warning("a connection to the database is lost")
        async with self._turn:
            self._cut(self._connection)

    def _cut(self, connection: Any) -> None:
        self._connection = None
        connection.terminate()
        self._lost()


def _report(what: str, error: Exception) -> None:
    """Log without what the database said, which may hold names; a fault of ours with its place."""
    if isinstance(error, database_errors()):
        logger.warning("%s: %s", what, type(error).__name__)
    else:
        logger.error(what, exc_info=error)
