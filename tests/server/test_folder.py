import os
import signal
import socket
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from knobel.errors import KnobelError
from knobel.server import app, database, folder
from knobel.server.rows import METADATA
from tests.server.serving import needs_root, small_disk


def problem(data: Path) -> str:
    """Why a folder cannot be used."""
    with pytest.raises(KnobelError) as error, folder.locked(data):
        pass
    assert str(data) in str(error.value.reason.params["path"])
    return error.value.reason.key


def test_a_new_folder_gets_a_database_that_is_ours_and_as_the_code_expects_it(tmp_path: Path) -> None:
    data = tmp_path / "a" / "Würfel? #1 50%20 b"
    with folder.locked(data) as path:
        assert [file.name for file in data.iterdir() if "probe" in file.name] == []
    engine = sa.create_engine(sa.URL.create("sqlite", database=str(path)))
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), METADATA) == []
        assert connection.exec_driver_sql("PRAGMA application_id").scalar() == database.APPLICATION_ID
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
    engine.dispose()


def test_the_code_knows_the_newest_migration() -> None:
    scripts = ScriptDirectory(str(Path(folder.__file__).parent / "migrations"))
    assert scripts.get_current_head() == database.REVISION


def test_a_folder_serves_one_server_at_a_time(tmp_path: Path) -> None:
    with folder.locked(tmp_path):
        assert problem(tmp_path) == "server-folder-in-use"
    with folder.locked(tmp_path):
        pass


def test_a_file_in_the_place_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    assert problem(tmp_path / "data") == "server-folder-unwritable"


@needs_root
def test_a_full_disk_is_said_at_the_start(tmp_path: Path) -> None:
    with small_disk(tmp_path / "small", "size=256k") as data:
        assert problem(data) == "server-folder-full"
        assert not (data / ".knobel-probe").exists()


@needs_root
def test_a_read_only_disk_is_said_at_the_start(tmp_path: Path) -> None:
    with small_disk(tmp_path / "small", "size=8m,ro") as data:
        assert problem(data) == "server-folder-unwritable"


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    (tmp_path / folder.DATABASE).write_bytes(b"no database at all, but long enough" * 1000)
    assert problem(tmp_path) == "server-database-foreign"


@pytest.mark.parametrize("table", ["tables (id)", "alembic_version AS SELECT '0001' AS version_num"])
def test_a_database_of_somebody_else(tmp_path: Path, table: str) -> None:
    with closing(sqlite3.connect(tmp_path / folder.DATABASE)) as connection:
        connection.execute(f"CREATE TABLE {table}")
        connection.commit()
    before = (tmp_path / folder.DATABASE).read_bytes()
    assert problem(tmp_path) == "server-database-foreign"
    assert (tmp_path / folder.DATABASE).read_bytes() == before


def test_a_database_of_a_newer_knobel(tmp_path: Path) -> None:
    with folder.locked(tmp_path) as path, closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.commit()
    assert problem(tmp_path) == "server-database-newer"


def test_a_migration_that_fails_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.sqlite3"
    with monkeypatch.context() as broken:
        from alembic import op

        broken.setattr(op, "create_index", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            folder.prepare(path)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM sqlite_schema").fetchone() == (0,)
    folder.prepare(path)


# --- addresses ---


def test_a_busy_port_gives_way_to_the_next_free_one() -> None:
    with app.listen("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        with app.listen("127.0.0.1", port) as second:
            assert second.getsockname()[1] > port


@pytest.mark.parametrize("host", ["no.such.host.invalid", "203.0.113.1", "x" * 300])
def test_an_address_that_is_not_ours(host: str) -> None:
    with pytest.raises(KnobelError) as error:
        app.listen(host, 0)
    assert error.value.reason.key == "server-address-unusable"


def test_the_last_port_has_no_next_one() -> None:
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 65535))
        busy.listen()
        with pytest.raises(KnobelError) as error:
            app.listen("127.0.0.1", 65535)
    assert error.value.reason.key == "server-no-free-port"


def test_the_address_is_one_that_a_browser_can_use() -> None:
    assert app.Address("0.0.0.0", 80, 80).url == "http://127.0.0.1:80/"
    assert app.Address("::1", 80, 80).url == "http://[::1]:80/"


# --- the whole server ---

PROGRAM = "import sys, pathlib; from knobel.server import app; app.run(port=0, data_dir=pathlib.Path(sys.argv[1]), "
PROGRAM += "on_ready=lambda address: print(address.url, flush=True))"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_stops_soon_and_quietly(tmp_path: Path, number: signal.Signals) -> None:
    command = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        assert server.stdout.readline().startswith("http://127.0.0.1:")
        again = subprocess.run(command, capture_output=True, text=True, check=False)
        assert "server folder in use" in again.stderr
        os.kill(server.pid, number)
        _, errors = server.communicate(timeout=10)
        assert (server.returncode, errors) == (0, "")
