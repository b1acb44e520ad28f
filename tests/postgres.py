"""A PostgreSQL of one's own for tests: made in a temporary folder, gone with the process that made it.

Without Debian's `postgresql` (or initdb on the PATH) the tests that need it fail; `./check` installs it.
"""

import asyncio
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

import asyncpg
import pytest
import sqlalchemy as sa

from knobel.server import folder
from knobel.server.database import Database, file_database, parse_database

T = TypeVar("T")
USER = "knobel"
_FOLDER = re.compile(r"knobel-postgres-(\d{1,9})-\w+")
_TEMPLATE = "knobel_template"
_SETTINGS = {"fsync": "off", "full_page_writes": "off", "max_connections": "60", "shared_buffers": "16MB"}


class Cluster:
    """A running server with the databases of one test process."""

    def __init__(self, home: Path) -> None:
        """`home` is empty and belongs to whoever runs the server."""
        self.home, self.password = home, secrets.token_hex(8)
        self._names = (f"test_{number}" for number in count())

    def start(self) -> None:
        """Make the cluster and start its server."""
        _binary("initdb")  # says what is missing
        secret, files = self.home / "password", self.home / "files"
        secret.write_text(self.password)
        _own(secret)
        options = ["--no-sync", "--auth-local=trust", "--auth-host=scram-sha-256", "--encoding=UTF8", "--locale=C"]
        command = [_binary("initdb"), *options, f"--username={USER}", f"--pwfile={secret}", "-D", str(files)]
        subprocess.run([*_unprivileged(), *command], check=True, capture_output=True, cwd=self.home)
        for _ in range(5):  # another program may take the port first
            if self._listens(files):
                return
        raise RuntimeError((self.home / "log").read_text())

    def _listens(self, files: Path) -> bool:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        settings = _SETTINGS | {"port": str(self.port), "listen_addresses": "127.0.0.1"}
        settings |= {"unix_socket_directories": str(self.home)}
        command = [_binary("postgres"), "-D", str(files), *(f"--{name}={value}" for name, value in settings.items())]
        with (self.home / "log").open("a") as log:
            self.process = subprocess.Popen([*_unprivileged(), *command], stdout=log, stderr=log, cwd=self.home)
        while self.process.poll() is None:
            with suppress(OSError):
                if (files / "postmaster.pid").read_text().splitlines()[7:8] == ["ready   "]:
                    return True
            threading.Event().wait(0.01)
        return False

    def stop(self) -> None:
        """Stop the server, whoever is connected."""
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def database(self, name: str) -> Database:
        """A database of the cluster."""
        return parse_database(f"postgresql+asyncpg://{USER}:{self.password}@127.0.0.1:{self.port}/{name}")

    def run(self, *statements: str, name: str = "postgres") -> list[Any]:
        """The rows of the last of these statements."""

        async def work() -> list[Any]:
            rows: list[Any] = []
            connection = await asyncpg.connect(host=str(self.home), port=self.port, user=USER, database=name)
            try:
                for statement in statements:
                    rows = await connection.fetch(statement)
            finally:
                await connection.close()
            return rows

        return asyncio.run(work())

    @contextmanager
    def new(self, template: str = "template0") -> Iterator[Database]:
        """A database that is empty, or a copy of another one."""
        name = next(self._names)
        self.run(f"CREATE DATABASE {name} TEMPLATE {template}")
        try:
            yield self.database(name)
        finally:
            self.run(f"DROP DATABASE {name} WITH (FORCE)")


@contextmanager
def running() -> Iterator[Cluster]:
    """A cluster for as long as the block runs, with a prepared database that others are copied from."""
    _sweep()
    home = Path(tempfile.mkdtemp(prefix=f"knobel-postgres-{os.getpid()}-"))
    try:
        _own(home)
        cluster = Cluster(home)
        cluster.start()
        try:
            cluster.run(f"CREATE DATABASE {_TEMPLATE}")
            asyncio.run(cluster.database(_TEMPLATE).prepare())
            yield cluster
        finally:
            cluster.stop()
    finally:
        shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """The one PostgreSQL of this test process."""
    with running() as started:
        yield started


@pytest.fixture
def empty_postgres(cluster: Cluster) -> Iterator[Database]:
    """A database without anything in it."""
    with cluster.new() as database:
        yield database


@pytest.fixture
def postgres(cluster: Cluster) -> Iterator[Database]:
    """A new database, prepared."""
    with cluster.new(_TEMPLATE) as database:
        yield database


def execute(database: Database, *statements: str) -> sa.CursorResult[Any]:
    """Run statements on either kind of database; the rows of the last, or how many it changed."""

    async def work() -> sa.CursorResult[Any]:
        engine = database.engine()
        try:
            async with engine.begin() as connection:
                results = [await connection.exec_driver_sql(statement) for statement in statements]
        finally:
            await engine.dispose()
        return results[-1]

    return outcome(work)


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Database:
    """A new database of either kind, prepared."""
    if request.param == "postgres":
        database: Database = request.getfixturevalue("postgres")
        return database
    folder.prepare(tmp_path / folder.DATABASE)
    return file_database(tmp_path / folder.DATABASE)


def outcome(work: Callable[[], Awaitable[T]]) -> T:
    """The result of something asynchronous."""

    async def run() -> T:
        async with asyncio.timeout(60):
            return await work()

    return asyncio.run(run())


def _binary(name: str) -> str:
    """The newest program of this name."""
    places = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=lambda path: int(path.parts[4]))
    found = str(places[-1]) if places else shutil.which(name)
    assert found, f"{name} is missing: install Debian's postgresql, or run ./check"
    return found


def _unprivileged() -> list[str]:
    """What starts a program that ends with this one; PostgreSQL refuses to be root."""
    user = ["--reuid=nobody", "--regid=nogroup", "--clear-groups"] if os.geteuid() == 0 else []
    return ["setpriv", *user, "--pdeathsig=QUIT", "--"]


def _own(path: Path) -> None:
    if os.geteuid() == 0:
        shutil.chown(path, "nobody", "nogroup")


def _sweep() -> None:
    """Remove what killed test runs have left."""
    for path in Path(tempfile.gettempdir()).iterdir():
        if (match := _FOLDER.fullmatch(path.name)) and not Path(f"/proc/{match[1]}").exists():
            shutil.rmtree(path, ignore_errors=True)
