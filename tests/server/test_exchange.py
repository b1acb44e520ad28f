"""Backups of PostgreSQL: one moment, and the same file as from a data folder, so games move both ways."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event as hooks
from sqlalchemy.util import await_only

import knobel
from knobel.errors import KnobelError
from knobel.room import Room
from knobel.server import backup, exchange, folder
from knobel.server.database import OWNER, REVISION, Database, file_database, migrate
from knobel.server.guest import Guests
from knobel.server.house import House
from knobel.server.rows import Step
from knobel.server.store import Store
from tests.commanding import Command
from tests.postgres import execute, outcome
from tests.server.serving import needs_root, small_disk
from tests.server.test_shared_store import FIRST, founded, new_room, thrown

TABLES = ("tables", "members", "events", "house_rules", "guests", "guest_tokens")
N_EVENTS = 3 * (FIRST + 1)
HOUSE = {"id": "our-rules", "labels": {"de": "Würfel", "en": "🎲"}, "base": "classic"}


def fill(database: Database, n_tables: int = 3) -> None:
    """Some games and a house ruleset."""

    async def work() -> None:
        store = Store.on(database)
        for number in range(n_tables):
            room = new_room(f"t{number}")
            await store.append([founded(room, "before" if number else None)], [Step(thrown(room, 3), 1, f"c{number}")])
        await House(store).add(knobel.load(HOUSE))
        guests = Guests(store.engine)
        guest, _ = await guests.make("Ada")
        await guests.make_phrase(guest)
        await store.close()

    outcome(work)


def rows_of(database: Database) -> dict[str, list[tuple[Any, ...]]]:
    return {name: [tuple(row) for row in execute(database, f"SELECT * FROM {name} ORDER BY 1, 2")] for name in TABLES}


def problem(work: Callable[[], object]) -> str:
    with pytest.raises(KnobelError) as error:
        work()
    return error.value.reason.key


def test_games_go_from_postgresql_to_a_folder_and_back(
    postgres: Database, empty_postgres: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exchange, "ROWS", 2)
    fill(postgres)
    rows, file = rows_of(postgres), tmp_path / "copy"
    copy = backup.back_up_shared(postgres, file)
    assert (copy.n_tables, copy.n_events, copy.n_bytes) == (3, N_EVENTS, file.stat().st_size)
    assert [path.name for path in tmp_path.iterdir()] == ["copy"]
    backup.restore(file, tmp_path / "data")
    local = file_database(tmp_path / "data" / folder.DATABASE)
    assert rows_of(local) == rows
    backup.back_up(tmp_path / "data", file, is_forced=True)
    before = file.read_bytes()
    assert backup.restore_shared(file, empty_postgres).n_events == N_EVENTS
    assert rows_of(empty_postgres) == rows
    assert file.read_bytes() == before

    async def replayed() -> None:
        one, other = Store.on(postgres), Store.on(empty_postgres)
        stored = await one.load("t1")
        assert stored is not None
        assert await other.load("t1") == stored
        await other.append([], [Step(thrown(stored.room, 4), 1)])  # and they go on
        await one.close()
        await other.close()

    outcome(replayed)


def test_a_backup_is_one_moment_while_servers_write(
    postgres: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(postgres)
    rows, engine_of, writes = rows_of(postgres), Database.engine, [new_room("late")]

    def watched(database: Database) -> Any:
        engine = engine_of(database)

        @hooks.listens_for(engine.sync_engine, "before_cursor_execute")
        def _(_connection: object, _cursor: object, statement: str, *_: object) -> None:
            if "FROM events" in statement and writes:  # the tables were read before
                await_only(write(writes.pop()))

        return engine

    async def write(room: Room) -> None:
        monkeypatch.undo()
        store = Store.on(postgres)
        await store.append([founded(room)], [Step(thrown(room, 1), 1)])
        await store.close()

    monkeypatch.setattr(Database, "engine", watched)
    backup.back_up_shared(postgres, tmp_path / "copy")
    assert not writes
    assert rows_of(file_database(tmp_path / "copy")) == rows
    assert len(rows_of(postgres)["tables"]) == 4


def test_games_that_are_there_are_never_replaced(postgres: Database, tmp_path: Path) -> None:
    fill(postgres)
    rows, file = rows_of(postgres), tmp_path / "copy"
    backup.back_up_shared(postgres, file)
    assert problem(lambda: backup.restore_shared(file, postgres)) == "server-restore-not-empty"
    assert rows_of(postgres) == rows
    assert problem(lambda: backup.back_up_shared(postgres, file)) == "server-backup-exists"


def test_a_restore_that_fails_leaves_nothing(
    postgres: Database, empty_postgres: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(postgres)
    backup.back_up_shared(postgres, tmp_path / "copy")
    outcome(empty_postgres.prepare)
    execute(empty_postgres, "ALTER TABLE events ADD CONSTRAINT few CHECK (table_id <> 't2')")
    assert problem(lambda: backup.restore_shared(tmp_path / "copy", empty_postgres)) == "server-database-unusable"
    assert rows_of(empty_postgres) == {name: [] for name in TABLES}


def test_a_database_of_an_older_knobel(postgres: Database, empty_postgres: Database, tmp_path: Path) -> None:
    async def make() -> None:
        engine = empty_postgres.engine()
        async with engine.begin() as connection:
            await connection.run_sync(migrate, "0003")
            await connection.exec_driver_sql(f"COMMENT ON TABLE alembic_version IS '{OWNER}'")
            await connection.exec_driver_sql("INSERT INTO guests (id, name, created, seen) VALUES ('ada', 'Ada', 1, 1)")
        await engine.dispose()

    outcome(make)
    file = tmp_path / "copy"
    backup.back_up_shared(empty_postgres, file)
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("SELECT version_num FROM alembic_version").fetchone() == ("0003",)
    backup.restore_shared(file, postgres)
    assert execute(postgres, "SELECT version_num FROM alembic_version").scalar() == REVISION
    assert [row.name for row in execute(postgres, "SELECT name FROM guests")] == ["Ada"]


def test_what_is_no_database_of_ours(empty_postgres: Database, postgres: Database, tmp_path: Path) -> None:
    file = tmp_path / "copy"
    assert problem(lambda: backup.back_up_shared(empty_postgres, file)) == "server-backup-nothing"
    execute(empty_postgres, "CREATE TABLE tables (id text)")
    assert problem(lambda: backup.back_up_shared(empty_postgres, file)) == "server-database-foreign"
    away = Database(postgres.url.set(port=1))
    assert problem(lambda: backup.back_up_shared(away, file)) == "server-database-unusable"
    assert list(tmp_path.iterdir()) == []
    file.write_bytes(b"no database at all, but long enough" * 1000)
    assert problem(lambda: backup.restore_shared(file, postgres)) == "server-database-foreign"
    assert problem(lambda: backup.restore_shared(tmp_path / "none", postgres)) == "server-restore-no-file"


@needs_root
def test_a_full_disk_is_not_the_fault_of_the_database(postgres: Database, tmp_path: Path) -> None:
    fill(postgres, 40)
    with small_disk(tmp_path / "small", "size=128k") as small:
        assert problem(lambda: backup.back_up_shared(postgres, small / "copy")) == "server-backup-full"
        assert list(small.iterdir()) == []


def test_the_commands(
    postgres: Database,
    empty_postgres: Database,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fill(postgres)
    one, other = (database.url.render_as_string(hide_password=False) for database in (postgres, empty_postgres))
    back_up = Command("backup", capsys, tmp_path / "none", monkeypatch)
    restore = Command("restore", capsys, tmp_path / "none", monkeypatch)
    file = str(tmp_path / "copy")
    assert back_up.json(file, "--database", one)["events"] == N_EVENTS
    monkeypatch.setenv("KNOBEL_DATABASE", other)
    assert restore.rows(file)[0] == ["Database", str(empty_postgres)]
    assert restore.refused(file) == f"There are games in {empty_postgres} already. A backup goes into a new database."
    assert "mysql" in back_up.refused(file, "--database", "mysql://ada:secret@host/games")
    assert not (tmp_path / "none").exists()
