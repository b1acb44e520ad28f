"""What a database is: the SQLite file of a data folder, or one of PostgreSQL that several servers may share.

Nothing here shows a password: not in errors, not in logs, not in the `repr` of anything.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event as hooks
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from knobel.errors import KnobelError, Param, Reason
from knobel.schema import shown

APPLICATION_ID = 0x4B4E4F42  # "KNOB", in the header of our SQLite files
REVISION = "0004"  # of the schema; the newest file in migrations/versions
OWNER = "knobel"  # what our `alembic_version` says about itself on PostgreSQL
BUSY_SECONDS = 2  # that a lock is waited for
CONNECT_SECONDS, STATEMENT_SECONDS, IDLE_SECONDS = 5, 10, 30
MIGRATE_SECONDS = 60  # that a server waits for another one to finish the schema
POOL = 5  # connections that a server keeps: one writes, the others read
MORE = 5  # that it may open for a while
_SCHEME = "postgresql+asyncpg"
_SCHEMES = (_SCHEME, "postgresql")
_QUERY = ("host", "port", "ssl")  # of an address, with what asyncpg makes of them


@dataclass(frozen=True, slots=True)
class Database:
    """Where tables and events are kept."""

    url: sa.URL

    @property
    def is_shared(self) -> bool:
        """Whether several servers may work on it at once."""
        return self.url.get_backend_name() == "postgresql"

    def __str__(self) -> str:
        """The path of a file, or the address without its password."""
        return self.url.render_as_string(hide_password=True) if self.is_shared else str(self.url.database)

    def engine(self) -> AsyncEngine:
        """Connections with durable commits that give up in time. Nothing is connected yet."""
        if not self.is_shared:
            engine = create_async_engine(self.url)
            use_pragmas(engine.sync_engine)
            return engine
        return create_async_engine(
            self.url,
            pool_size=POOL,
            max_overflow=MORE,
            pool_timeout=CONNECT_SECONDS,
            pool_pre_ping=True,  # a restart of the database costs nobody a command
            hide_parameters=True,
            connect_args=_connect_arguments(),
        )

    def connect_arguments(self) -> dict[str, Any]:
        """For a connection of one's own: what `asyncpg.connect` takes."""
        _, arguments = self.url.get_dialect()().create_connect_args(self.url)
        return {**arguments, **_connect_arguments()}

    async def prepare(self) -> None:
        """Make the schema of a shared database, or bring it up to date; several servers may do so at once.

        Raises `KnobelError` for a database that is not ours, newer, or unusable.
        """
        engine = self.engine()
        try:
            with explained(self):
                async with engine.begin() as connection:
                    await connection.run_sync(_prepare, self)
        finally:
            await engine.dispose()


def file_database(path: Path) -> Database:
    """The database in a SQLite file."""
    return Database(sa.URL.create("sqlite+aiosqlite", database=str(path)))


def parse_database(text: str) -> Database:
    """The PostgreSQL database at an address like `postgresql+asyncpg://user:password@host/name`. Raises `KnobelError`.

    >>> str(parse_database("postgresql://ada:secret@db.example/games"))
    'postgresql+asyncpg://ada:***@db.example/games'
    """
    scheme, separator, _ = text.partition("://")
    if not separator or scheme not in _SCHEMES:
        found = shown(scheme) if separator and scheme.replace("+", "").isalnum() else "…"  # the rest may be a password
        raise KnobelError(Reason("server-database-scheme", {"found": found, "expected": _SCHEME}))
    if text.count("@") > 1:
        raise _bad("password")
    try:
        url = sa.make_url(text).set(drivername=_SCHEME)
    except (SQLAlchemyError, ValueError):
        raise _bad("address") from None
    if not url.database:
        raise _bad("name")
    for name, value in url.query.items():
        if name not in _QUERY or not isinstance(value, str):
            raise _bad("option", option=shown(name))
    return Database(url)


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


def migrate(connection: sa.Connection, revision: str = "head") -> None:
    """All missing migrations in the transaction of the connection. Raises `SQLAlchemyError`."""
    from alembic import command  # half a second that only a first start should take
    from alembic.config import Config
    from alembic.util import CommandError

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, revision)
    except CommandError as error:  # a revision that never was
        raise SQLAlchemyError(str(error)) from None


def known_revision(found: str | None, name: str) -> str | None:
    """A revision that is not newer than this program; `name` is what errors call the database."""
    if found is not None and found > REVISION:
        raise problem_at("server-database-newer", name, found=found[:20], expected=REVISION)
    return found


def revision_in(connection: sa.Connection, database: Database) -> str | None:
    """Revision of a PostgreSQL database of ours, None for an empty one. Raises `KnobelError`."""
    tables = {row.relname: row.comment for row in connection.exec_driver_sql(_TABLES)}
    if not tables:
        return None
    if tables.get("alembic_version") != OWNER:
        raise problem_at("server-database-foreign", database)
    found = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
    return known_revision(found, str(database))


def lock_number(purpose: str) -> int:
    """The advisory lock of PostgreSQL for something: 64 bits with a sign.

    >>> lock_number("schema") == lock_number("schema") != lock_number("lease abc")
    True
    """
    return int.from_bytes(hashlib.sha256(f"knobel {purpose}".encode()).digest()[:8], "big", signed=True)


@contextmanager
def explained(database: Database) -> Iterator[None]:
    """Say what is wrong when a database cannot be used."""
    try:
        yield
    except database_errors() as error:
        raise problem_at("server-database-unusable", database, problem=_words(error)) from None


def database_errors() -> tuple[type[Exception], ...]:
    """What SQLAlchemy raises, and the driver of PostgreSQL on connections of one's own."""
    import asyncpg  # a server on SQLite does without it

    return SQLAlchemyError, OSError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError


def problem_at(key: str, path: object, **params: Param) -> KnobelError:
    """What is wrong with a file, folder or database; `key` is of the catalogs."""
    return KnobelError(Reason(key, {"path": str(path), **params}))


def _connect_arguments() -> dict[str, Any]:
    settings = {
        "application_name": "knobel",
        "synchronous_commit": "on",  # acknowledged means on the disk
        "client_encoding": "utf8",
        "lock_timeout": f"{BUSY_SECONDS}s",
        "statement_timeout": f"{STATEMENT_SECONDS}s",
        "idle_in_transaction_session_timeout": f"{IDLE_SECONDS}s",  # a server that hangs must not stop the others
        "tcp_keepalives_idle": "10",  # so that the locks of a machine that is gone are free in half a minute
        "tcp_keepalives_interval": "5",
        "tcp_keepalives_count": "3",
    }
    return {"timeout": CONNECT_SECONDS, "command_timeout": 2 * STATEMENT_SECONDS, "server_settings": settings}


_TABLES = """
    SELECT relname, obj_description(pg_class.oid, 'pg_class') AS comment FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f')
    AND NOT EXISTS (
        SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid AND deptype = 'e'
    )"""  # what extensions bring belongs to nobody


def _prepare(connection: sa.Connection, database: Database) -> None:
    """In one transaction, one server after the other."""
    run = connection.exec_driver_sql
    run(f"SET LOCAL lock_timeout = '{MIGRATE_SECONDS}s'")
    run(f"SET LOCAL statement_timeout = '{MIGRATE_SECONDS}s'")
    run(f"SELECT pg_advisory_xact_lock({lock_number('schema')})")
    for setting, expected in (("server_encoding", "UTF8"), ("transaction_read_only", "off")):
        if (found := str(run(f"SHOW {setting}").scalar())) != expected:
            raise problem_at("server-database-unusable", database, problem=f"{setting} = {found}")
    if revision_in(connection, database) != REVISION:
        migrate(connection)
        run(f"COMMENT ON TABLE alembic_version IS '{OWNER}'")


def _words(error: BaseException) -> str:
    """The first line of what a driver says; SQLAlchemy would put its own words around it."""
    cause = getattr(error, "orig", None) or error
    if cause.__cause__ is not None:
        cause = cause.__cause__
    return (str(cause) or type(cause).__name__).splitlines()[0][:120]


def _bad(what: str, **params: Param) -> KnobelError:
    return KnobelError(Reason(f"server-database-bad-{what}", params))
