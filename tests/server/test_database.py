import asyncio
import logging

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

import knobel
from knobel.errors import KnobelError
from knobel.server import database as databases
from knobel.server import house
from knobel.server.database import Database, parse_database
from knobel.server.house import House
from knobel.server.rows import METADATA
from knobel.server.store import Store
from knobel.table import Refused
from tests.postgres import Cluster, execute, outcome

SECRET = "s3cret"


def problem(database: Database) -> KnobelError:
    """Why a database cannot be used."""
    with pytest.raises(KnobelError) as error:
        outcome(database.prepare)
    assert str(error.value.reason.params["path"]) == str(database)
    assert str(database.url.password) not in str(error.value)
    return error.value


# --- addresses ---


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("games.sqlite3", "scheme"),
        (f"mysql://ada:{SECRET}@db/games", "scheme"),
        (f"postgresql+psycopg://ada:{SECRET}@db/games", "scheme"),
        (f"ada:{SECRET}://postgresql", "scheme"),
        ("", "scheme"),
        (f"postgresql://ada:{SECRET}@db:port/games", "bad-address"),
        (f"postgresql://ada:{SECRET}@x@db/games", "bad-password"),
        (f"postgresql://ada:x@{SECRET}/word@db/games", "bad-password"),
        (f"postgresql://ada:{SECRET}@db", "bad-name"),
        (f"postgresql://ada:{SECRET}@db/", "bad-name"),
        (f"postgresql://ada:{SECRET}@db/games?statement_cache_size=0", "bad-option"),
        (f"postgresql://ada:{SECRET}@db/games?host=a&host=b", "bad-option"),
    ],
)
def test_an_address_that_is_none_is_refused_without_its_password(text: str, key: str) -> None:
    with pytest.raises(KnobelError) as error:
        parse_database(text)
    assert error.value.reason.key == f"server-database-{key}"
    assert SECRET not in str(error.value)


@pytest.mark.parametrize("scheme", ["postgresql", "postgresql+asyncpg"])
def test_an_address_is_shown_without_its_password(scheme: str) -> None:
    database = parse_database(f"{scheme}://ada:{SECRET}%40@db/games?ssl=require")
    arguments = database.connect_arguments()
    assert database.is_shared
    assert (arguments["password"], arguments["host"], arguments["ssl"]) == (f"{SECRET}@", "db", "require")
    for shown in (str(database), repr(database), repr(database.engine().sync_engine)):
        assert "db/games" in shown
        assert SECRET not in shown


# --- the schema on PostgreSQL ---


def test_an_empty_database_becomes_ours_and_as_the_code_expects_it(empty_postgres: Database) -> None:
    outcome(empty_postgres.prepare)

    def differences(connection: sa.Connection) -> object:
        return compare_metadata(MigrationContext.configure(connection), METADATA)

    async def compare() -> object:
        engine = empty_postgres.engine()
        async with engine.connect() as connection:
            found = await connection.run_sync(differences)
        await engine.dispose()
        return found

    assert outcome(compare) == []
    outcome(empty_postgres.prepare)  # again


def test_many_servers_may_start_at_once(empty_postgres: Database) -> None:
    async def start() -> None:
        await asyncio.gather(*(empty_postgres.prepare() for _ in range(8)))

    outcome(start)
    assert execute(empty_postgres, "SELECT version_num FROM alembic_version").scalars().all() == [databases.REVISION]


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE tables (id text)",
        "CREATE VIEW games AS SELECT 1",
        "CREATE TABLE alembic_version AS SELECT '0001' AS version_num",
    ],
)
def test_a_database_of_somebody_else_is_refused_and_left_alone(empty_postgres: Database, statement: str) -> None:
    execute(empty_postgres, statement)
    assert problem(empty_postgres).reason.key == "server-database-foreign"
    tables = "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace"
    assert execute(empty_postgres, tables).scalar() == 1


def test_a_database_of_a_newer_knobel_is_refused(postgres: Database) -> None:
    execute(postgres, "UPDATE alembic_version SET version_num = '9999'")
    assert problem(postgres).reason.key == "server-database-newer"


def test_a_revision_that_never_was_is_refused(postgres: Database) -> None:
    execute(postgres, "UPDATE alembic_version SET version_num = '0000'")
    assert problem(postgres).reason.key == "server-database-unusable"


def test_a_migration_that_fails_leaves_nothing_behind(
    empty_postgres: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        from alembic import op

        broken.setattr(op, "create_index", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            outcome(empty_postgres.prepare)
    tables = "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace"
    assert execute(empty_postgres, tables).scalar() == 0
    outcome(empty_postgres.prepare)


def test_another_encoding_is_refused(cluster: Cluster) -> None:
    cluster.run("CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1'")
    assert "server_encoding" in str(problem(cluster.database("latin")).reason)


def test_a_database_that_only_reads_is_refused_at_the_start(cluster: Cluster, postgres: Database) -> None:
    cluster.run(f"ALTER DATABASE {postgres.url.database} SET default_transaction_read_only = on")
    assert "transaction_read_only" in str(problem(postgres).reason)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"password": "wrong"}, "password authentication failed"),
        ({"database": "none"}, "does not exist"),
        ({"port": 1}, "Connect call failed"),
        ({"host": "no.such.host.invalid"}, ""),
    ],
)
def test_a_database_that_cannot_be_reached(postgres: Database, change: dict[str, str], says: str) -> None:
    error = problem(Database(postgres.url.set(**change)))  # type: ignore[arg-type]
    assert error.reason.key == "server-database-unusable"
    assert says in str(error.reason.params["problem"])


def test_no_log_line_holds_the_password_or_what_players_said(
    postgres: Database, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    outcome(postgres.prepare)

    async def fail() -> None:
        engine = postgres.engine()
        with pytest.raises(sa.exc.SQLAlchemyError) as error:
            async with engine.begin() as connection:
                await connection.execute(sa.text("SELECT :name FROM nowhere"), {"name": SECRET})
        assert SECRET not in str(error.value)
        await engine.dispose()

    outcome(fail)
    assert str(postgres.url.password) not in caplog.text


# --- house rules on both ---


def test_house_rules_are_kept_up_to_a_number(place: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(house, "MOST_STORED", 1)
    rules = [
        knobel.load({"id": f"our-rules-{n}", "labels": {"de": "Ü", "en": "Ü"}, "base": "classic"}) for n in range(2)
    ]

    async def keep() -> None:
        store = Store.on(place)
        kept = House(store)
        digest = await kept.add(rules[0])
        assert await kept.add(rules[0]) == digest
        assert await kept.find(digest) == rules[0]
        assert [line.digest for line in await kept.latest(5)] == [digest]
        for unknown in ("0" * 64, "a\0", "\ud800"):
            with pytest.raises(Refused) as refused:
                await kept.find(unknown)
            assert refused.value.code == "ruleset/unknown"
        with pytest.raises(Refused) as refused:
            await kept.add(rules[1])
        assert refused.value.code == "ruleset/full"
        await store.close()

    outcome(keep)
