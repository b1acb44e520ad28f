"""Drills 4 and 5: a full disk, a locked database, a read-only one, a failing write.

What cannot be stored is refused and has not happened; reading goes on; once the trouble is over the same command
counts, without a restart.
"""

import asyncio
import os
import random
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

import httpx

from knobel.server import folder
from tests.drills.client import Client, run
from tests.drills.figure import Figure, hold, share
from tests.drills.ledger import Ledger
from tests.drills.server import Server, whole
from tests.drills.start import Build
from tests.drills.tables import open_tables, visiting
from tests.server.serving import small_disk

LOCKS = (0.1, 2.0, 30.0)  # seconds
_ROUNDS = 50


@dataclass
class Play:
    """Some tables on a server, and what their players were told."""

    server: Server
    http: httpx.AsyncClient
    clients: list[Client]
    ledger: Ledger = field(default_factory=Ledger)
    rng: random.Random = field(default_factory=lambda: random.Random(4))
    n_refused: int = 0

    async def well(self) -> None:
        """One command at each table, which counts."""
        for client in self.clients:
            hold(await self._tried(client) == "", "refused although nothing is wrong")

    async def _tried(self, client: Client) -> str:
        command = client.command(client.move(self.rng))
        reply = await client.ask(command)
        if self.ledger.reply(client.seated.id, command, reply):
            self.ledger.take(client)
            return ""
        return str(reply["problem"]["code"])

    async def badly(self, code: str, database: str, over: Callable[[], object], tries: int = 200) -> None:
        """Commands until one is refused, which must say `code`; then all is `over`, and the same one counts."""
        client = self.clients[0]
        for _ in range(tries):
            before, command = client.version, client.command(client.move(self.rng))
            reply = await client.ask(command)
            if not self.ledger.reply(client.seated.id, command, reply):
                break
            if client.is_over:
                client = self.clients[1]
        else:
            raise AssertionError("everything was acknowledged although nothing can be stored")
        self.n_refused += 1
        found = reply["problem"]["code"]
        hold(found == code, f"refused with {found} instead of {code}")
        hold(await self.server.health() == (503, database), f"the health check is {await self.server.health()}")
        await asyncio.sleep(0.05)
        hold(client.version == before, "a refused command has changed the table")
        for path in ("/api/tables", f"/api/tables/{client.seated.id}", f"/api/tables/{client.seated.id}/record"):
            hold((await self.http.get(path)).status_code == 200, f"{path} cannot be read")
        over()
        reply = await client.ask(command)
        hold(self.ledger.reply(client.seated.id, command, reply), f"refused although all is well again: {reply}")
        hold(await self.server.health() == (200, "ok"), "the health check is still red")
        await self.well()


@asynccontextmanager
async def playing(data: Path, build: Build | None = None) -> AsyncIterator[Play]:
    """Two long games; what was acknowledged is held against the database at the end."""
    async with Server(data, build) as server, visiting(server.url) as http:
        tables = await open_tables(http, 2, "acht-mann", 4)
        play = Play(server, http, [await seated.join() for seated in tables])
        await play.well()
        yield play
        for client in play.clients:
            play.ledger.take(client)
            await client.leave()
        hold(len(server.log_lines()) <= 100, "the log is not calm")
        await server.stop()
    content = await whole(data)
    play.ledger.check(content)
    versions = {seated.id: max(row.version for row in content.rows if row.table == seated.id) for seated in tables}
    hold(len(content.rows) == sum(versions.values()), "events without an acknowledgement")


def full(scale: float, folder: Path) -> Figure:
    """The disk is full, again and again."""
    rounds = share(_ROUNDS, scale, 2)
    with small_disk(folder / "disk", f"size={64 if scale > 0.5 else 8}m") as disk:
        refused = run(_full(disk / "data", disk / "filler", rounds))
    (folder / "disk").rmdir()
    counts = {"times": rounds, "refused commands that counted later": refused}
    return Figure("disk full in the middle of games: refused, readable, recovers without a restart", counts)


async def _full(data: Path, filler: Path, rounds: int) -> int:
    async with playing(data) as play:
        for _ in range(rounds):
            _fill(filler)
            await play.badly("storage/full", "full", filler.unlink)
        return play.n_refused


def _fill(filler: Path) -> None:
    with filler.open("wb", buffering=0) as file:
        for size in (1 << 20, 1 << 12):
            with suppress(OSError):
                while True:
                    file.write(os.urandom(size))


def broken(scale: float, folder: Path) -> Figure:
    """Locked for some time, read-only, and a write that fails."""
    waits = LOCKS if scale > 0.5 else (0.1, 2.5)
    return Figure(
        "database locked, read-only, failing: refused, health check red, recovers without a restart",
        {"refused commands that counted later": run(_broken(folder, waits))},
    )


async def _broken(data: Path, waits: tuple[float, ...]) -> int:
    flag = data / "read-only"
    async with playing(data / "data", Build(read_only=flag)) as play:
        for seconds in waits:
            await _locked(play, seconds)
        flag.touch()
        await play.badly("storage/failed", "read-only", flag.unlink)
        play.server.limit_file_size(4096)
        await play.badly("storage/failed", "failed", lambda: play.server.limit_file_size(None))
        return play.n_refused


async def _locked(play: Play, seconds: float) -> None:
    """Another process holds the lock for writing."""
    with closing(sqlite3.connect(play.server.data / folder.DATABASE, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        begin = monotonic()
        if seconds < 1:
            free: Awaitable[object] = asyncio.ensure_future(_later(seconds, connection))
            await play.well()
            await free
            return
        while monotonic() - begin < seconds - 2:
            hold(await play._tried(play.clients[1]) == "storage/failed", "acknowledged although the database is locked")
        if seconds <= 2:
            free = asyncio.ensure_future(_later(seconds, connection))
            await play._tried(play.clients[1])
            await free
            return
        await play.badly("storage/failed", "locked", lambda: connection.execute("ROLLBACK"))


async def _later(seconds: float, connection: sqlite3.Connection) -> None:
    await asyncio.sleep(seconds)
    connection.execute("ROLLBACK")
