"""Server processes that drills start, kill and stop, and what is in their database afterwards."""

import asyncio
import hashlib
import multiprocessing
import os
import resource
import signal
import sqlite3
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from time import monotonic

import httpx

from knobel.room import Room
from knobel.server import folder
from knobel.server.store import Store
from tests.drills.figure import hold
from tests.drills.start import Build, begin

FORKS = multiprocessing.get_context("forkserver")  # a server process each time, without importing everything again
_missing: list[str] = []  # guards that all servers are without, see `built_without`


@contextmanager
def built_without(mutant: str) -> Iterator[None]:
    """All servers that are started inside lack this guard."""
    _missing.append(mutant)
    try:
        yield
    finally:
        _missing.pop()


@contextmanager
def _unnamed_main() -> Iterator[None]:
    """Processes started inside do not import the program that starts them, which may take long."""
    names: dict[str, object] = vars(sys.modules["__main__"])
    kept: dict[str, object] = {name: names.pop(name) for name in ("__spec__", "__file__") if name in names}
    names["__spec__"] = None
    try:
        yield
    finally:
        names.update(kept)


class Server:
    """A real server process on a folder; it may be started again there, on the same port."""

    def __init__(self, data: Path, build: Build | None = None) -> None:
        """Nothing is started yet."""
        self._process: ForkServerProcess | None = None
        self.data, self.build, self.port = data, build or Build(), 0
        self.log = data.with_name(f"{data.name}.log")

    async def __aenter__(self) -> "Server":
        if not self.is_alive:
            await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.signal(signal.SIGKILL)
        await self.ended()

    @property
    def url(self) -> str:
        """Without a slash at its end."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        """Of the process."""
        return self._process.pid or 0 if self._process is not None else 0

    async def start(self, build: Build | None = None) -> float:
        """Start it (again); how many seconds until it answers."""
        begin_, self.build = monotonic(), build or self.build
        await asyncio.to_thread(self._start)
        return monotonic() - begin_

    def _start(self) -> None:
        build = self.build
        if _missing:
            build = replace(build, mutant=_missing[-1])
        FORKS.set_forkserver_preload(["tests.drills.warm"])  # other tests may have said something else meanwhile
        ours, theirs = FORKS.Pipe(duplex=False)
        self.data.parent.mkdir(parents=True, exist_ok=True)
        self._process = FORKS.Process(target=begin, args=(self.data, self.port, theirs, self.log, build))
        with _unnamed_main():
            self._process.start()
        theirs.close()
        with ours:
            try:
                port = int(ours.recv())
            except EOFError:
                raise AssertionError(f"the server did not start: {self.log_lines()[-5:]}") from None
        hold(self.port in (0, port), f"the server came back at port {port} instead of {self.port}")
        self.port = port

    def signal(self, number: signal.Signals) -> None:
        """Send the process a signal; not the one that is awaited by `kill` or `stop`."""
        if self.is_alive:
            os.kill(self.pid, number)

    async def kill(self) -> None:
        """kill -9."""
        self.signal(signal.SIGKILL)
        await self.ended()

    async def stop(self) -> float:
        """SIGTERM; how many seconds until it has ended."""
        begin_ = monotonic()
        self.signal(signal.SIGTERM)
        await self.ended()
        return monotonic() - begin_

    async def ended(self) -> None:
        """Wait until the process has ended, however that comes about."""
        if self._process is not None:
            await asyncio.to_thread(self._process.join, 30)
        hold(not self.is_alive, "the server does not end")

    @property
    def is_alive(self) -> bool:
        """Whether the process is there."""
        return self._process is not None and self._process.is_alive()

    def log_lines(self) -> list[str]:
        """What it has logged so far."""
        return self.log.read_text("utf-8", "replace").splitlines() if self.log.exists() else []

    @property
    def rss(self) -> float:
        """MiB of memory."""
        text = Path(f"/proc/{self.pid}/status").read_text("ascii")
        return int(text.split("VmRSS:")[1].split()[0]) / 1024

    @property
    def cpu(self) -> float:
        """Seconds of processor time."""
        fields = Path(f"/proc/{self.pid}/stat").read_text("ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @property
    def n_files(self) -> int:
        """Open files."""
        return len(list(Path(f"/proc/{self.pid}/fd").iterdir()))

    def limit_file_size(self, most: int | None) -> None:
        """No file of the process may grow beyond so many bytes: writing there fails."""
        hard = resource.prlimit(self.pid, resource.RLIMIT_FSIZE)[1]
        resource.prlimit(self.pid, resource.RLIMIT_FSIZE, (hard if most is None else most, hard))

    async def metrics(self) -> dict[str, float]:
        """What it counts itself, by name and labels."""
        async with httpx.AsyncClient(base_url=self.url, timeout=30) as http:
            text = (await http.get("/metrics")).raise_for_status().text
        lines = [line.rpartition(" ") for line in text.splitlines() if not line.startswith("#")]
        return {name: float(value) for name, _, value in lines}

    async def health(self) -> tuple[int, str]:
        """Status of `/healthz`, and what it says about the database."""
        async with httpx.AsyncClient(base_url=self.url, timeout=30) as http:
            answer = await http.get("/healthz")
        return answer.status_code, str(answer.json()["database"])


@dataclass(frozen=True, slots=True)
class Row:
    """A stored event."""

    table: str
    version: int
    command: str | None
    body: str


@dataclass(frozen=True, slots=True)
class Content:
    """A database: its events in the order of their commits."""

    rows: tuple[Row, ...]
    n_tables: int

    @property
    def digest(self) -> str:
        """Of all events."""
        return digest_of(self.rows)


def digest_of(rows: Sequence[Row]) -> str:
    """The same for the same events, in whatever order they were committed."""
    found = hashlib.sha256()
    for row in sorted(rows, key=lambda row: (row.table, row.version)):
        found.update(f"{row.table} {row.version} {row.body}\n".encode())
    return found.hexdigest()


def content_of(data: Path, name: str = folder.DATABASE) -> Content:
    """What is in the database of a folder. Raises `AssertionError` if SQLite finds it damaged."""
    path = data / name
    with closing(sqlite3.connect(path)) as connection:
        found = connection.execute("PRAGMA integrity_check").fetchall()
        hold(found == [("ok",)], f"{path.name} is damaged: {found[:3]}")
        rows = connection.execute("SELECT table_id, version, command_id, body FROM events ORDER BY rowid").fetchall()
        (n_tables,) = connection.execute("SELECT count(*) FROM tables").fetchone()
    return Content(tuple(Row(*row) for row in rows), n_tables)


async def replayed(data: Path, tables: Sequence[str]) -> dict[str, Room]:
    """Tables as their logs have them. Raises `BrokenTable` for one that cannot be true."""
    store = Store.on_sqlite(data / folder.DATABASE)
    try:
        stored = {table: await store.load(table) for table in tables}
    finally:
        await store.close()
    return {table: found.room for table, found in stored.items() if found is not None}


async def whole(data: Path) -> Content:
    """The content of a database, all of whose tables replay."""
    content = content_of(data)
    tables = {row.table for row in content.rows}
    hold(len(tables) == content.n_tables, f"{content.n_tables} tables, but events of {len(tables)}")
    found = await replayed(data, sorted(tables))
    hold(len(found) == len(tables), "a table is gone")
    return content
