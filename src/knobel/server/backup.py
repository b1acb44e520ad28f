"""Backups of the database: a copy of one moment while the games go on, and the way back.

A backup is one file without a write-ahead log. It gets its name only when it is whole, checked and on the disk. What is
restored takes the place of the old database in one rename, after the old one was merged with its write-ahead log: the
log of one database must never lie beside another, since SQLite would play it into that.
"""

import asyncio
import errno
import os
import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from knobel.errors import KnobelError
from knobel.server import exchange, folder
from knobel.server.database import BUSY_SECONDS, Database, problem_at
from knobel.server.database import explained as database_explained
from knobel.server.folder import DATABASE, LOCK

STEP_PAGES = 256  # that are copied at a time, 1 MiB
LOGS = ("-wal", "-shm", "-journal")  # files that SQLite keeps beside a database
_COUNTS = ("SELECT count(*) FROM tables", "SELECT count(*) FROM events")
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


@dataclass(frozen=True, slots=True)
class Copy:
    """A whole database in one file."""

    path: Path
    n_tables: int
    n_events: int
    n_bytes: int


@dataclass(frozen=True, slots=True)
class Restored:
    """The database that is in place now, and where the one before it is kept, if there was one."""

    copy: Copy
    kept: Path | None


def back_up(data: Path, file: Path, is_forced: bool = False) -> Copy:
    """Copy the database of a data folder, served or not, to `file`. Raises `KnobelError`; then `file` is as it was.

    `is_forced` replaces a file that is there already.
    """
    database = data / DATABASE

    def fill(part: Path) -> None:
        with closing(_connect(database, "rw")) as source:
            _copy(source, database, part)

    if not database.is_file() or not database.stat().st_size:
        raise problem_at("server-backup-nothing", data)
    return _put(file, database, fill, lambda place: _check_place(place, database, is_forced))


def back_up_shared(database: Database, file: Path, is_forced: bool = False) -> Copy:
    """Copy one moment of a PostgreSQL database to `file`, a backup like that of a data folder. Raises `KnobelError`."""

    def fill(part: Path) -> None:
        with database_explained(database):
            asyncio.run(exchange.read(database, part))
        with closing(_connect(part, "rw")) as connection:
            _merge_log(connection)

    return _put(file, database, fill, lambda place: _check_place(place, None, is_forced))


def _put(file: Path, origin: object, fill: Callable[[Path], None], check: Callable[[Path], None]) -> Copy:
    """Give a backup its name when it is whole, checked and on the disk."""
    place = Path(os.path.realpath(file))
    part = place.with_name(f"{place.name}.{os.getpid()}.part")
    with _explained(place, origin):
        check(place)
        _sweep(place)
        try:
            fill(part)
            copy = _checked(part, origin)
            _sync(part)
            check(place)
            part.replace(place)
            _sync(place.parent)
        finally:
            _remove(part)
    return replace(copy, path=place)


def restore(file: Path, data: Path, is_forced: bool = False) -> Restored:
    """Put a backup in the place of the database of a folder that no server uses. Raises `KnobelError`.

    `is_forced` does so even if the present database holds events or cannot be read. It is kept in any case. Whoever
    kills this finds the old or the new database in place; an old one that is too damaged to be merged with its
    write-ahead log may be found without it, and both are kept then.
    """
    with _explained(data / DATABASE, file):
        if not file.is_file():
            raise problem_at("server-restore-no-file", file)
        with closing(_reader(file)) as source:  # before a folder is made
            _revision(source, file)
        with folder.owned(data) as database:
            return _restore(file, database, is_forced)


def restore_shared(file: Path, database: Database) -> Copy:
    """Put a backup into a PostgreSQL database without games. Raises `KnobelError`; then nothing was changed."""
    with TemporaryDirectory(prefix="knobel-restore-") as scratch, _explained(Path(scratch), file):
        if not file.is_file():
            raise problem_at("server-restore-no-file", file)
        part = Path(scratch) / DATABASE
        with closing(_reader(file)) as source:
            _copy(source, file, part)
        _bring_up_to_date(part, file)
        copy = _checked(part, file)
        with database_explained(database):
            asyncio.run(exchange.write(part, database))
    return copy


def _restore(file: Path, database: Path, is_forced: bool) -> Restored:
    part, spare = (database.with_name(f"{DATABASE}.{name}.part") for name in ("restored", "kept"))
    if os.path.realpath(file) in map(os.path.realpath, (database, part, spare)):
        raise problem_at("server-backup-same-file", file)
    if not is_forced:
        _check_replaceable(database)
    _remove(part, spare)
    try:
        with closing(_reader(file)) as source:
            _copy(source, file, part)
        _checked(part, file)
        _bring_up_to_date(part, file)
        copy = _checked(part, file)
        _sync(part)
        with _explained(spare, database):
            kept = _set_aside(database, spare)
        part.replace(database)
        _sync(database.parent)
    finally:
        _remove(part, spare)
    return Restored(replace(copy, path=database), kept)


def _check_place(place: Path, database: Path | None, is_forced: bool) -> None:
    """Whether a backup may get this name."""
    if database is not None:
        ours = {os.path.realpath(database.with_name(name)) for name in (LOCK, *(DATABASE + end for end in ("", *LOGS)))}
        if str(place) in ours or (place.exists() and place.samefile(database)):
            raise problem_at("server-backup-same-file", place)
    if not place.parent.is_dir():
        raise problem_at("server-backup-no-folder", place.parent)
    if place.exists() and not place.is_file():
        raise problem_at("server-backup-no-file", place)
    if place.exists() and not is_forced:
        raise problem_at("server-backup-exists", place)
    for log in _beside(place):
        if log.exists():
            raise problem_at("server-backup-log", log)


def _check_replaceable(database: Path) -> None:
    """Whether the present database holds nothing that anybody could miss."""
    if not database.exists() or not database.stat().st_size:
        return
    try:
        with closing(_connect(database, "rw")) as connection:
            if folder.revision_in(connection, database) is None:
                return
            n_events = connection.execute(_COUNTS[1]).fetchone()[0]
    except (sqlite3.Error, KnobelError):
        raise problem_at("server-restore-unreadable", database) from None
    if n_events:
        raise problem_at("server-restore-events", database, count=n_events)


def _copy(source: sqlite3.Connection, origin: Path, part: Path) -> None:
    """Copy one moment of a database of ours into a single file.

    The transaction holds the moment, else each commit of a server would make SQLite begin the copy anew; in WAL mode it
    keeps no writer waiting.
    """
    source.execute("BEGIN")
    _revision(source, origin)
    with closing(_connect(part, "rwc")) as target:
        target.execute("PRAGMA synchronous=OFF")  # the whole file is synced at its end
        source.backup(target, pages=STEP_PAGES, progress=_listen)
        _merge_log(target)
    source.rollback()


def _listen(_status: int, _remaining: int, _total: int) -> None:
    """Between two steps, so that Ctrl-C is heard."""


def _checked(part: Path, origin: object) -> Copy:
    """A copy that was looked through; errors name its origin."""
    with closing(_connect(part, "ro")) as connection:
        found = str(connection.execute("PRAGMA integrity_check(1)").fetchone()[0])
        if found != "ok":
            raise problem_at("server-database-damaged", origin, problem=found.splitlines()[-1][:120])
        _revision(connection, origin)
        n_tables, n_events = (connection.execute(query).fetchone()[0] for query in _COUNTS)
    return Copy(part, n_tables, n_events, part.stat().st_size)


def _revision(connection: sqlite3.Connection, path: object) -> None:
    """Whether a database is one of ours and not newer than this program."""
    if folder.revision_in(connection, str(path)) is None:
        raise problem_at("server-database-foreign", path)


def _bring_up_to_date(part: Path, origin: Path) -> None:
    """Migrate as at a start."""
    try:
        folder.prepare(part)
    except KnobelError as error:
        problem = error.reason.params.get("problem", str(error.reason))
        raise problem_at("server-database-unusable", origin, problem=problem) from None
    with closing(_connect(part, "rw")) as connection:
        _merge_log(connection)


def _merge_log(connection: sqlite3.Connection) -> None:
    """Make one file of a database and its write-ahead log; SQLite does so only if nobody else has it open."""
    connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()  # rolls back what a crash left half done
    mode = connection.execute("PRAGMA journal_mode=DELETE").fetchone()[0]
    if mode != "delete":
        raise sqlite3.OperationalError(f"journal mode {mode}")


def _set_aside(database: Path, spare: Path) -> Path | None:
    """Keep a copy of the present database under a name of its own, and leave it in its place without any log."""
    kept = database.with_name(f"{DATABASE}.before-restore-{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}")
    if database.exists() and database.stat().st_size:
        try:
            with closing(_connect(database, "rw")) as connection:
                _merge_log(connection)
        except sqlite3.DatabaseError as error:
            if _code(error) in _BUSY:
                raise problem_at("server-restore-open", database) from None
            if _code(error) not in _DAMAGED:
                raise
    is_kept = False
    for end in ("", "-wal", "-journal"):
        present = Path(f"{database}{end}")
        if present.exists() and present.stat().st_size:
            shutil.copyfile(present, spare)
            _sync(spare)
            spare.replace(f"{kept}{end}")
            is_kept = True
    _sync(database.parent)
    for log in _beside(database):
        log.unlink(missing_ok=True)
    _sync(database.parent)
    return kept if is_kept else None


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    """Open a database; `mode` is ro, rw or rwc."""
    address = f"{path.absolute().as_uri()}?mode={mode}"
    return sqlite3.connect(address, timeout=BUSY_SECONDS, isolation_level=None, uri=True)


def _reader(file: Path) -> sqlite3.Connection:
    """Open a backup and leave no trace, also on a disk that cannot be written."""
    with file.open("rb") as content:
        has_log_mode = content.read(20)[18:] == b"\2\2"  # https://www.sqlite.org/fileformat2.html, 1.3
    is_alone = has_log_mode and not Path(f"{file.absolute()}-wal").exists()
    return _connect(file, "ro&immutable=1" if is_alone else "ro")


def _beside(path: Path) -> list[Path]:
    return [Path(f"{path}{end}") for end in LOGS]


def _remove(*parts: Path) -> None:
    """Remove what is not finished."""
    for path in (path for part in parts for path in (part, *_beside(part))):
        with suppress(OSError):
            path.unlink()


def _sweep(place: Path) -> None:
    """Remove what backups to the same file have left that were killed."""
    name = re.compile(rf"{re.escape(place.name)}\.(\d{{1,9}})\.part({'|'.join(LOGS)})?")
    for path in place.parent.iterdir():
        if (match := name.fullmatch(path.name)) and not _is_alive(int(match[1])):
            _remove(path)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _sync(path: Path) -> None:
    """Wait until a file or a folder is on the disk."""
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


@contextmanager
def _explained(place: Path, origin: object) -> Iterator[None]:
    """Say what went wrong when a copy of `origin` was to be made at `place`."""
    try:
        yield
    except sqlite3.Error as error:
        if _code(error) == sqlite3.SQLITE_FULL:
            raise problem_at("server-backup-full", place.parent) from None
        if _code(error) in _DAMAGED:
            raise problem_at("server-database-damaged", origin, problem=str(error)[:120]) from None
        raise problem_at("server-backup-failed", origin, place=str(place), problem=str(error)[:120]) from None
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise problem_at("server-backup-full", place.parent) from None
        problem = error.strerror or str(error)
        raise problem_at("server-backup-failed", origin, place=str(place), problem=problem) from None


def _code(error: sqlite3.Error) -> int:
    """The primary result code."""
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
