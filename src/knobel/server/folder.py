"""The data folder: one server at a time, a database that is ours and up to date; what is wrong is said at the start."""

import errno
import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import sqlalchemy as sa

from knobel.errors import KnobelError
from knobel.server import database
from knobel.server.database import APPLICATION_ID, REVISION, problem_at

DATABASE, LOCK = "knobel.sqlite3", "knobel.lock"
_PROBE = 1 << 20  # room that a start needs: the write-ahead log and some games


@contextmanager
def locked(folder: Path) -> Iterator[Path]:
    """The path of an up-to-date database, for as long as this process owns the folder. Raises `KnobelError`."""
    with owned(folder) as path:
        prepare(path)
        yield path


@contextmanager
def owned(folder: Path) -> Iterator[Path]:
    """Where the database is or will be, for as long as this process owns the folder. Raises `KnobelError`."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / LOCK).open("a")
    except OSError as error:
        raise _unusable(folder, error) from None
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise problem_at("server-folder-in-use", folder) from None
        except OSError as error:
            raise _unusable(folder, error) from None
        _probe(folder)
        yield folder / DATABASE


def prepare(path: Path) -> None:
    """Make the database, or bring it up to date. Raises `KnobelError` for one that is not ours, newer, or unusable."""
    try:
        if _revision(path) != REVISION:
            migrate(path)
    except (sqlite3.Error, sa.exc.SQLAlchemyError, OSError) as error:
        raise problem_at("server-database-unusable", path, problem=str(error).splitlines()[0][:120]) from None


def _probe(folder: Path) -> None:
    """Find out now whether there is room, not in the middle of a game."""
    probe = folder / ".knobel-probe"
    try:
        with probe.open("wb") as file:
            file.write(bytes(_PROBE))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise _unusable(folder, error) from None
    finally:
        probe.unlink(missing_ok=True)


def _revision(path: Path) -> str | None:
    """Revision of a database of ours, None for a new one."""
    if not path.exists() or path.stat().st_size == 0:
        return None
    with closing(sqlite3.connect(path)) as connection:
        return revision_in(connection, path)


def revision_in(connection: sqlite3.Connection, path: Path | str) -> str | None:
    """Revision of a database of ours, None for an empty one; `path` is what errors call it. Raises `KnobelError`."""
    try:
        owner = connection.execute("PRAGMA application_id").fetchone()[0]
        names = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_NOTADB:
            raise
        raise problem_at("server-database-foreign", path) from None
    if not names and owner == 0:
        return None
    if owner != APPLICATION_ID or "alembic_version" not in names:
        raise problem_at("server-database-foreign", path)
    row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    return database.known_revision(str(row[0]) if row else None, str(path))


def migrate(path: Path, revision: str = "head") -> None:
    """All missing migrations up to a revision in one transaction."""
    engine = sa.create_engine(sa.URL.create("sqlite", database=str(path)))
    database.use_pragmas(engine)
    try:
        with engine.begin() as connection:
            connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
            database.migrate(connection, revision)
    finally:
        engine.dispose()


def _unusable(folder: Path, error: OSError) -> KnobelError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return problem_at("server-folder-full", folder)
    return problem_at("server-folder-unwritable", folder, problem=error.strerror or str(error))
