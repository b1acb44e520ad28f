"""Backups while games go on, and the way back."""

import asyncio
import multiprocessing
import random
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import httpx
import pytest
import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from websockets.sync.client import connect

import knobel
from knobel.errors import KnobelError
from knobel.fair import commitment_of
from knobel.room import Room, Terms, evolve, open_room
from knobel.seat import Opened, Seat
from knobel.server import backup, folder
from knobel.server.database import APPLICATION_ID, REVISION
from knobel.server.rows import TABLES, Founded, Head, Step
from knobel.server.store import Store
from knobel.steward import begun
from tests.seated import played, random_dice
from tests.server.serving import (
    BEGUN,
    PEOPLE,
    Player,
    cookie_of,
    needs_root,
    serve,
    serving,
    small_disk,
    wire_move,
)

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["tests.server.serving"])
N_TABLES = 6
SEED = bytes(32)
Row = tuple[str, int, str | None, str]


def rows_of(database: Path) -> list[Row]:
    with closing(sqlite3.connect(database)) as connection:
        query = "SELECT table_id, version, command_id, body FROM events ORDER BY 1, 2"
        return connection.execute(query).fetchall()


def log(data: Path, name: str, n_tables: int = 2, n_events: int = 20, seed: int = 1) -> list[Row]:
    """Games in the database of a data folder, as a server that was stopped leaves them."""

    async def write() -> None:
        with folder.locked(data) as database:
            store = Store.on_sqlite(database)
            for number in range(n_tables):
                first = new_room(f"{name}-{number}")
                assert first.table is not None
                room, steps = first, []
                for table in played(first.table, seed + number, n_events):
                    room = evolve(room, table.events[-1])
                    steps.append(Step(room, 1, f"c{room.version}"))
                await store.append([Founded(first, Head(room.id, SEED))], steps)
            await store.close()

    asyncio.run(write())
    return rows_of(data / folder.DATABASE)


def new_room(room_id: str) -> Room:
    """A game of two that has just begun."""
    seats = (Seat("Ada", "person", "ada"), Seat("Ben", "person", "ada"))
    room = open_room(room_id, knobel.load("classic"), Terms(), Opened("ada", seats, commitment_of(SEED)))
    for event in begun(room, lambda _: random_dice(1)):
        room = evolve(room, event)
    assert room.version == BEGUN
    return room


def killed_server(data: Path, name: str) -> list[Row]:
    """Games of which the last are in the write-ahead log only."""
    whole = data.with_name("whole")
    rows = log(whole, name, 1)
    with closing(sqlite3.connect(whole / folder.DATABASE)) as connection:
        connection.execute("PRAGMA wal_autocheckpoint=0")
        connection.execute("UPDATE events SET command_id = 'late' WHERE version = 20")
        connection.commit()
        data.mkdir()
        for end in ("", "-wal", "-shm"):
            shutil.copy(f"{whole / folder.DATABASE}{end}", data)
    return [(*row[:2], "late", row[3]) if row[1] == 20 else row for row in rows]


def names(data: Path) -> set[str]:
    return {path.name for path in data.iterdir()}


def kept_in(data: Path) -> list[Path]:
    return [path for path in data.iterdir() if ".before-restore-" in path.name]


def problem(work: Callable[[], object]) -> tuple[str, str]:
    """Key and path of a refusal."""
    with pytest.raises(KnobelError) as error:
        work()
    return error.value.reason.key, str(error.value.reason.params["path"])


def assert_whole(database: Path) -> None:
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)


def assert_replays(database: Path) -> int:
    """Every table can be loaded; how many there are."""

    async def load() -> int:
        store = Store.on_sqlite(database)
        async with store.engine.connect() as connection:
            found = list((await connection.execute(sa.select(TABLES.c.id))).scalars())
        for table_id in found:
            assert await store.load(table_id) is not None
        await store.close()
        return len(found)

    return asyncio.run(load())


# --- while a server runs ---


def play(url: str, seed: int, stop: threading.Event, answered: dict[str, int]) -> None:
    """Games on one table after another; `answered` gets the versions that were acknowledged."""
    rng = random.Random(seed)
    while not stop.is_set():
        body = {"ruleset": "classic", "options": {}, "seats": PEOPLE, "start": True}
        opened = httpx.post(f"{url}api/tables", json=body).raise_for_status()
        table, headers = str(opened.json()["id"]), {"Cookie": cookie_of(opened)}
        answered[table] = BEGUN
        address = f"ws{url[4:]}api/tables/{table}/socket"
        with connect(address, compression=None, additional_headers=headers) as connection:
            player = Player(connection)
            while player.view["actions"] and not stop.is_set():
                player.send(player.command(wire_move(rng.choice(player.view["actions"]), player.live)))
                assert player.until_reply()["ok"]
                answered[table] = player.version


def test_backups_under_load_hold_a_moment_of_every_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data, stop, n_copies = tmp_path / "data", threading.Event(), 4
    seen: list[dict[str, int]] = []
    ours, theirs = FORKS.Pipe()
    server = FORKS.Process(target=serve, args=(data, theirs))
    server.start()
    url = ours.recv()
    answered: list[dict[str, int]] = [{} for _ in range(N_TABLES)]
    players = [threading.Thread(target=play, args=(url, n, stop, answered[n]), daemon=True) for n in range(N_TABLES)]
    monkeypatch.setattr(backup, "STEP_PAGES", 2)
    monkeypatch.setattr(backup, "_listen", lambda *_: time.sleep(0.002))
    try:
        for player in players:
            player.start()
        until = time.monotonic() + 20
        while not all(answered):
            assert time.monotonic() < until, "not everybody was answered"
            time.sleep(0.01)
        for n in range(n_copies):
            time.sleep(0.5)
            seen.append({table: version for known in answered for table, version in tuple(known.items())})
            copy = backup.back_up(data, tmp_path / f"copy{n}")
            assert copy.n_events >= sum(seen[-1].values())
    finally:
        stop.set()
        for player in players:
            player.join(20)
        server.kill()
        server.join()
    live = rows_of(data / folder.DATABASE)
    n_before = 0
    for n, known in enumerate(seen):
        file = tmp_path / f"copy{n}"
        rows = rows_of(file)
        assert_whole(file)
        assert assert_replays(file) >= len(known) >= N_TABLES
        for table in {row[0] for row in rows}:
            part = [row for row in rows if row[0] == table]
            assert part == [row for row in live if row[0] == table][: len(part)]
            assert len(part) >= known.get(table, BEGUN)  # what was answered before the backup began
        assert n_before < len(rows) <= len(live)
        n_before = len(rows)


def test_a_backup_keeps_no_writer_waiting_and_no_writer_makes_it_begin_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log(tmp_path, "old", 10)
    database, n_steps = tmp_path / folder.DATABASE, 0
    before = rows_of(database)

    def commit(*_: object) -> None:
        nonlocal n_steps
        n_steps += 1
        assert n_steps < 1000
        with closing(sqlite3.connect(database, timeout=0)) as connection:
            connection.execute("UPDATE events SET command_id = ? WHERE version = 5", (f"new-{n_steps}",))
            connection.commit()

    monkeypatch.setattr(backup, "STEP_PAGES", 1)
    monkeypatch.setattr(backup, "_listen", commit)
    copy = backup.back_up(tmp_path, tmp_path / "copy")
    assert n_steps > 10
    assert rows_of(copy.path) == before != rows_of(database)


def test_a_backup_is_one_file_that_tells_what_is_in_it(tmp_path: Path) -> None:
    rows = killed_server(tmp_path / "data", "old")
    copy = backup.back_up(tmp_path / "data", tmp_path / "copy")
    assert names(tmp_path) == {"data", "whole", "copy"}
    assert (copy.n_tables, copy.n_events, copy.n_bytes) == (1, len(rows), (tmp_path / "copy").stat().st_size)
    assert (tmp_path / "copy").read_bytes()[18:20] == b"\1\1"  # needs no write-ahead log
    assert rows_of(tmp_path / "copy") == rows


# --- and back ---


def test_restored_games_go_on(tmp_path: Path) -> None:
    with serving(tmp_path / "data") as served:
        table = served.open()
        with served.join(table) as player:
            player.throw()
            player.enter_first()
            player.throw()
            player.throw(0, 1)
            before, cookie = player.live, served.http.headers["cookie"]
        backup.back_up(tmp_path / "data", tmp_path / "copy")
    rows = rows_of(tmp_path / "data" / folder.DATABASE)
    restored = backup.restore(tmp_path / "copy", tmp_path / "fresh" / "folder")
    assert restored.kept is None
    assert names(tmp_path / "fresh/folder") == {folder.DATABASE, folder.LOCK}
    assert rows_of(tmp_path / "fresh/folder" / folder.DATABASE) == rows
    with serving(tmp_path / "fresh/folder") as served, served.join(table, cookie=cookie) as player:
        assert player.live == before
        assert player.enter_first()["ok"]


def test_no_restore_while_a_server_runs(tmp_path: Path) -> None:
    log(tmp_path / "other", "new")
    copy = backup.back_up(tmp_path / "other", tmp_path / "copy").path
    with serving(tmp_path / "data") as served:
        table = served.open()
        refusal = problem(lambda: backup.restore(copy, tmp_path / "data", is_forced=True))
        assert refusal == ("server-folder-in-use", str(tmp_path / "data"))
        with served.join(table) as player:
            assert player.throw()["ok"]


def test_no_restore_while_another_program_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backup, "BUSY_SECONDS", 0.1)
    rows = log(tmp_path / "data", "old")
    copy = backup.back_up(tmp_path / "data", tmp_path / "copy").path
    database = tmp_path / "data" / folder.DATABASE
    with closing(sqlite3.connect(database)) as reader:
        reader.execute("SELECT count(*) FROM events").fetchone()
        refusal = problem(lambda: backup.restore(copy, tmp_path / "data", is_forced=True))
        assert refusal == ("server-restore-open", str(database))
    assert rows_of(database) == rows


def test_games_are_replaced_only_when_told_so_and_kept(tmp_path: Path) -> None:
    old, new = killed_server(tmp_path / "data", "old"), log(tmp_path / "other", "new")
    database = tmp_path / "data" / folder.DATABASE
    copy = backup.back_up(tmp_path / "other", tmp_path / "copy").path
    assert problem(lambda: backup.restore(copy, tmp_path / "data")) == ("server-restore-events", str(database))
    assert rows_of(database) == old
    restored = backup.restore(copy, tmp_path / "data", is_forced=True)
    assert (rows_of(database), [restored.kept]) == (new, kept_in(tmp_path / "data"))
    assert restored.kept is not None
    assert rows_of(restored.kept) == old
    assert backup.restore(restored.kept, tmp_path / "data", is_forced=True).copy.n_events == len(old)
    assert rows_of(database) == old
    assert len(kept_in(tmp_path / "data")) == 2


def test_an_empty_database_gives_way(tmp_path: Path) -> None:
    new = log(tmp_path / "other", "new")
    copy = backup.back_up(tmp_path / "other", tmp_path / "copy").path
    with folder.locked(tmp_path / "data") as database:
        pass
    assert backup.restore(copy, tmp_path / "data").kept is not None
    assert rows_of(database) == new


def test_a_backup_of_an_older_knobel_is_brought_up_to_date(tmp_path: Path) -> None:
    old = tmp_path / "data" / folder.DATABASE
    old.parent.mkdir()
    older(old, "0003")
    with closing(sqlite3.connect(old)) as connection:
        connection.execute("INSERT INTO guests (id, name, created, seen) VALUES ('ada', 'Ada', 1, 1)")
        connection.commit()
    copy = backup.back_up(tmp_path / "data", tmp_path / "copy").path
    before = copy.read_bytes()
    database = backup.restore(copy, tmp_path / "fresh").copy.path
    assert names(tmp_path / "fresh") == {folder.DATABASE, folder.LOCK}
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("SELECT version_num FROM alembic_version").fetchone() == (REVISION,)
        assert connection.execute("SELECT count(*) FROM members").fetchone() == (0,)
        assert connection.execute("SELECT id, name FROM guests").fetchall() == [("ada", "Ada")]
    assert copy.read_bytes() == before


def older(database: Path, revision: str) -> None:
    """A database as it was at an earlier revision of the schema."""
    engine = sa.create_engine(sa.URL.create("sqlite", database=str(database)))
    config = Config()
    config.set_main_option("script_location", str(Path(folder.__file__).parent / "migrations"))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
        command.upgrade(config, revision)
    engine.dispose()


def test_a_plain_copy_of_the_database_can_be_restored_and_is_left_alone(tmp_path: Path) -> None:
    rows = killed_server(tmp_path / "data", "old")
    assert rows_of(backup.restore(tmp_path / "data" / folder.DATABASE, tmp_path / "fresh").copy.path) == rows
    log(tmp_path / "stopped", "new")
    plain = tmp_path / "stopped" / folder.DATABASE  # says that it has a write-ahead log, and has none
    before = names(tmp_path / "stopped")
    backup.restore(plain, tmp_path / "fresher")
    assert names(tmp_path / "stopped") == before


# --- files that are refused ---


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    log(tmp_path / "data", "old", 8)
    return backup.back_up(tmp_path / "data", tmp_path / "copy").path


def damage(path: Path, how: str) -> None:
    content = bytearray(path.read_bytes())
    if how == "middle":
        content[len(content) // 2 : len(content) // 2 + 9000] = bytes(9000)
    elif how == "cut":
        del content[len(content) // 2 :]
    elif how == "head":
        content[:16] = b"no database at a"
    elif how == "schema":
        content[100:200] = bytes(100)
    path.write_bytes(content)


@pytest.mark.parametrize("how", ["middle", "cut", "head", "schema"])
def test_damaged_files_are_neither_restored_nor_written(tmp_path: Path, copy: Path, how: str) -> None:
    damage(copy, how)
    expected = "server-database-foreign" if how == "head" else "server-database-damaged"
    assert problem(lambda: backup.restore(copy, tmp_path / "fresh")) == (expected, str(copy))
    if (tmp_path / "fresh").exists():
        assert names(tmp_path / "fresh") == {folder.LOCK}
    database = tmp_path / "data" / folder.DATABASE
    damage(database, how)
    assert problem(lambda: backup.back_up(tmp_path / "data", tmp_path / "second")) == (expected, str(database))
    assert names(tmp_path) <= {"data", "copy", "fresh"}


@pytest.mark.parametrize("how", ["middle", "head", "schema", "cut"])
def test_a_damaged_database_is_replaced_only_when_told_so_and_kept(tmp_path: Path, how: str) -> None:
    new = log(tmp_path / "other", "new")
    copy = backup.back_up(tmp_path / "other", tmp_path / "copy").path
    killed_server(tmp_path / "data", "old")
    database = tmp_path / "data" / folder.DATABASE
    damage(database, how)
    shutil.copytree(tmp_path / "data", tmp_path / "again")
    key, _ = problem(lambda: backup.restore(copy, tmp_path / "again"))
    assert key in {"server-restore-unreadable", "server-restore-events"}
    restored = backup.restore(copy, tmp_path / "data", is_forced=True)
    assert rows_of(database) == new
    assert restored.kept is not None
    assert b"late" in b"".join(path.read_bytes() for path in kept_in(tmp_path / "data"))


def test_a_log_without_its_database_is_put_aside(tmp_path: Path) -> None:
    new = log(tmp_path / "other", "new")
    copy = backup.back_up(tmp_path / "other", tmp_path / "copy").path
    killed_server(tmp_path / "data", "old")
    (tmp_path / "data" / folder.DATABASE).unlink()
    backup.restore(copy, tmp_path / "data")
    assert rows_of(tmp_path / "data" / folder.DATABASE) == new
    assert [path.name[-4:] for path in kept_in(tmp_path / "data")] == ["-wal"]


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ("PRAGMA application_id = 7", "server-database-foreign"),
        ("DELETE FROM alembic_version", "server-database-foreign"),
        ("UPDATE alembic_version SET version_num = '9999'", "server-database-newer"),
        ("UPDATE alembic_version SET version_num = '0000'", "server-database-unusable"),
        ("DROP TABLE events", "server-backup-failed"),
    ],
)
def test_databases_that_are_not_ours_are_refused(tmp_path: Path, copy: Path, change: str, key: str) -> None:
    with closing(sqlite3.connect(copy)) as connection:
        connection.execute(change)
        connection.commit()
    before = copy.read_bytes()
    assert problem(lambda: backup.restore(copy, tmp_path / "fresh")) == (key, str(copy))
    assert not (tmp_path / "fresh" / folder.DATABASE).exists()
    assert copy.read_bytes() == before
    if "'0000'" not in change:
        copy.replace(database := tmp_path / "data" / folder.DATABASE)
        assert problem(lambda: backup.back_up(tmp_path / "data", tmp_path / "second")) == (key, str(database))
        assert names(tmp_path) <= {"data", "fresh"}


def test_an_existing_file_is_replaced_only_when_told_so(tmp_path: Path, copy: Path) -> None:
    before = copy.read_bytes()
    log(tmp_path / "data", "more")
    assert problem(lambda: backup.back_up(tmp_path / "data", copy)) == ("server-backup-exists", str(copy))
    assert copy.read_bytes() == before
    link = tmp_path / "latest"
    link.symlink_to(copy)
    assert backup.back_up(tmp_path / "data", link, is_forced=True).path == copy
    assert link.is_symlink()
    assert rows_of(copy) == rows_of(tmp_path / "data" / folder.DATABASE)


def test_places_where_no_backup_goes(tmp_path: Path) -> None:
    data, database = tmp_path / "data", tmp_path / "data" / folder.DATABASE
    log(data, "old")
    (tmp_path / "link").hardlink_to(database)
    (tmp_path / "old-wal").touch()
    before = database.read_bytes()
    for file, key, path in (
        (database, "server-backup-same-file", database),
        (Path(f"{database}-wal"), "server-backup-same-file", Path(f"{database}-wal")),
        (data / folder.LOCK, "server-backup-same-file", data / folder.LOCK),
        (tmp_path / "link", "server-backup-same-file", tmp_path / "link"),
        (tmp_path / "no" / "copy", "server-backup-no-folder", tmp_path / "no"),
        (tmp_path, "server-backup-no-file", tmp_path),
        (Path("/dev/null"), "server-backup-no-file", Path("/dev/null")),
        (tmp_path / "old", "server-backup-log", tmp_path / "old-wal"),
        (tmp_path / ("x" * 255), "server-backup-failed", database),
    ):
        assert problem(lambda: backup.back_up(data, file, is_forced=True)) == (key, str(path))  # noqa: B023 - at once
    assert database.read_bytes() == before
    assert problem(lambda: backup.back_up(tmp_path / "none", tmp_path / "x"))[0] == "server-backup-nothing"
    assert problem(lambda: backup.restore(tmp_path / "none", data))[0] == "server-restore-no-file"
    assert problem(lambda: backup.restore(database, data, is_forced=True))[0] == "server-backup-same-file"
    assert not (tmp_path / "none").exists()


@needs_root
def test_a_full_disk(tmp_path: Path) -> None:
    old = log(tmp_path / "data", "old", 40)
    with small_disk(tmp_path / "small", "size=64k") as small:
        assert problem(lambda: backup.back_up(tmp_path / "data", small / "copy")) == ("server-backup-full", str(small))
        assert names(small) == set()
    copy = backup.back_up(tmp_path / "data", tmp_path / "copy").path
    n_bytes = copy.stat().st_size
    with small_disk(tmp_path / "smaller", f"size={(1 << 20) + 40960}") as data:
        shutil.copy(copy, data / folder.DATABASE)
        (data / "else").write_bytes(bytes((1 << 20) - 3 * n_bytes // 2))
        refusal = problem(lambda: backup.restore(copy, data, is_forced=True))
        assert refusal in (("server-backup-full", str(data)), ("server-folder-full", str(data)))
        assert rows_of(data / folder.DATABASE) == old
        assert {name for name in names(data) if ".part" in name} == set()
