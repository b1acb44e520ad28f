"""Begins a server process for a drill: more generous limits, and whatever the drill wants to be wrong with it."""

import os
import signal
from dataclasses import dataclass
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Literal

from sqlalchemy import event as hooks

from knobel.server import app, database, socket, store
from knobel.server.limit import Limits
from knobel.server.writer import Writer
from tests.drills import patch

Point = Literal["before commit", "in commit", "after commit", "in broadcast"]
POINTS: tuple[Point, ...] = ("before commit", "in commit", "after commit", "in broadcast")
RAISED = Limits(
    new=1_000_000_000,
    codes=1_000_000_000,
    names=1_000_000_000,
    tries=1_000_000_000,
    sockets=20_000,
    sockets_of_loopback=20_000,
)


@dataclass(frozen=True, slots=True)
class Build:
    """A server that differs from the real one."""

    mutant: str | None = None  # a guard that is missing, see `patch`
    tuning: tuple[tuple[str, Any], ...] = ()  # other constants, as ("socket.RATE", 50) for knobel.server.socket.RATE
    limits: Limits = RAISED
    dies: tuple[Point, int] | None = None  # it is killed there, at this commit
    checkpoint_pages: int | None = None  # a commit that makes the log so long is followed by a checkpoint
    read_only: Path | None = None  # while this file is there nothing can be written


def begin(data: Path, port: int, ready: Connection, log: Path, build: Build) -> None:
    """A whole server; it sends its port, and writes its log into a file."""
    with log.open("ab") as file:
        os.dup2(file.fileno(), 2)
    socket.RATE = 1_000_000  # clients may be as fast as they can
    for name, value in build.tuning:
        module, _, constant = name.rpartition(".")
        assert hasattr(import_module(f"knobel.server.{module}"), constant), name
        setattr(import_module(f"knobel.server.{module}"), constant, value)
    if build.checkpoint_pages is not None:
        _hook(f"PRAGMA wal_autocheckpoint={build.checkpoint_pages}")
    if build.dies is not None:
        _die(*build.dies)
    if build.read_only is not None:
        _freeze(build.read_only)
    if build.mutant is not None:
        patch.apply(build.mutant)
    app.run(port=port, data_dir=data, limits=build.limits, on_ready=lambda address: ready.send(address.port))


def _hook(pragma: str) -> None:
    whole = database.use_pragmas

    def use_pragmas(engine: Any) -> None:
        whole(engine)
        hooks.listen(engine, "connect", lambda connection, _: connection.execute(pragma).close())

    database.use_pragmas = use_pragmas


def _freeze(flag: Path) -> None:
    """A database that cannot be written, as SQLite sees a read-only file."""
    whole = database.use_pragmas

    def use_pragmas(engine: Any) -> None:
        whole(engine)
        hooks.listen(
            engine, "begin", lambda connection: connection.exec_driver_sql(f"PRAGMA query_only={flag.exists():d}")
        )

    database.use_pragmas = use_pragmas


def _die(point: Point, commit: int) -> None:
    """Kill this process at a point of its life that no clock would find."""
    left = commit

    def count() -> None:
        nonlocal left
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)

    append, publish = store.Store.append, Writer._publish
    if point == "in commit":
        whole = database.use_pragmas

        def use_pragmas(engine: Any) -> None:
            whole(engine)
            hooks.listen(engine, "commit", lambda _: count())

        database.use_pragmas = use_pragmas

    async def dying_append(self: store.Store, *args: Any) -> None:
        if point == "before commit":
            count()
        await append(self, *args)
        if point == "after commit":
            count()

    def dying_publish(self: Writer, draft: Any) -> None:
        if point == "in broadcast":
            draft.master.watchers[lambda _: count()] = None  # after the others
        publish(self, draft)

    store.Store.append = dying_append  # type: ignore[method-assign, assignment]
    Writer._publish = dying_publish  # type: ignore[method-assign]
