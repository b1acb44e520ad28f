"""Everything in a PostgreSQL database as a SQLite file of the same revision, and back: for `backup` only.

Whatever tables the migrations have made are taken over row by row, so a new table needs nothing here.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa

from knobel.server import folder
from knobel.server.database import MIGRATE_SECONDS, Database, problem_at, revision_in, use_pragmas

ROWS = 1_000  # that are taken at a time


async def read(database: Database, file: Path) -> None:
    """Copy one moment of a database to a new SQLite file; servers go on writing. Raises `KnobelError` and others."""
    engine = database.engine()
    moment = engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
    try:
        async with moment.connect() as source:
            revision = await source.run_sync(revision_in, database)
            if revision is None:
                raise problem_at("server-backup-nothing", database)
            with _plain():
                folder.migrate(file, revision)
            with _opened(file) as (target, tables):
                for table in tables:
                    rows = await source.stream(sa.select(table), execution_options={"yield_per": ROWS})
                    async for part in rows.mappings().partitions():
                        target.execute(sa.insert(table), [dict(row) for row in part])
    finally:
        await engine.dispose()


async def write(file: Path, database: Database) -> None:
    """Put all rows of an up-to-date SQLite file into a database without games, in one transaction.

    Raises `KnobelError` and others.
    """
    await database.prepare()
    engine = database.engine()
    try:
        with _opened(file) as (source, tables):
            async with engine.begin() as target:
                await target.exec_driver_sql(f"SET LOCAL statement_timeout = '{MIGRATE_SECONDS}s'")
                for table in tables:
                    await target.exec_driver_sql(f'LOCK TABLE "{table.name}" IN EXCLUSIVE MODE')
                    if await target.scalar(sa.select(sa.func.count()).select_from(table)):
                        raise problem_at("server-restore-not-empty", database)
                for table in tables:
                    for part in source.execute(sa.select(table)).mappings().partitions(ROWS):
                        await target.execute(sa.insert(table), [dict(row) for row in part])
    finally:
        await engine.dispose()


@contextmanager
def _opened(file: Path) -> Iterator[tuple[sa.Connection, list[sa.Table]]]:
    """A transaction on a SQLite file, and its tables in the order in which rows can be put in."""
    engine = sa.create_engine(sa.URL.create("sqlite", database=str(file)))
    use_pragmas(engine)
    metadata = sa.MetaData()
    try:
        with _plain(), engine.begin() as connection:
            metadata.reflect(connection)
            yield connection, [table for table in metadata.sorted_tables if table.name != "alembic_version"]
    finally:
        engine.dispose()


@contextmanager
def _plain() -> Iterator[None]:
    """What SQLite says as its own error: the other database is not to blame."""
    try:
        yield
    except sa.exc.DBAPIError as error:
        if isinstance(error.orig, sqlite3.Error):
            raise error.orig from None
        raise
