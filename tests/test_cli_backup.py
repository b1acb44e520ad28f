"""`knobel backup` and `knobel restore` on the command line."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from knobel.server import folder
from tests.commanding import Command
from tests.server.serving import serving

ROWS = (
    "INSERT INTO tables VALUES ('t', 'CODE', 0, '{}', '[]', '{}', '', NULL, 0, 2, 'over', '[]', '[]', NULL, NULL, 0)",
    "INSERT INTO events VALUES ('t', 1, NULL, 0, '{}'), ('t', 2, NULL, 0, '{}')",
)


@pytest.fixture
def backup(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """With one table and two events in its data folder."""
    with folder.locked(tmp_path / "data") as database, closing(sqlite3.connect(database)) as connection:
        for row in ROWS:
            connection.execute(row)
        connection.commit()
    return Command("backup", capsys, tmp_path / "data", monkeypatch)


@pytest.fixture
def restore(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    return Command("restore", capsys, tmp_path / "fresh", monkeypatch)


def test_a_backup_and_the_way_back(backup: Command, restore: Command, tmp_path: Path) -> None:
    file = tmp_path / "Würfel #1?.sqlite3"
    size = f"{backup.json(str(file))['bytes'] / 1000:.1f} kB"
    counts = [["Tables", "1"], ["Events", "2"], ["Size", size]]
    assert backup.rows(str(file), "--force") == [["Backup", str(file)], *counts]
    assert restore.rows(str(file)) == [["Database", str(restore.data / folder.DATABASE)], *counts]
    assert backup.rows(str(file), "--force", "--lang", "de")[0] == ["Sicherung", str(file)]
    rows = restore.rows(str(file), "--force", "--lang", "de")
    assert [row[0] for row in rows] == ["Datenbank", "Vorherige", "Tische", "Ereignisse", "Größe"]
    assert Path(rows[1][1]).parent == restore.data


def test_as_json(backup: Command, restore: Command, tmp_path: Path) -> None:
    file, database = tmp_path / "copy", restore.data / folder.DATABASE
    size = {"bytes": backup.json(str(file))["bytes"]}
    assert size["bytes"] == file.stat().st_size
    assert backup.json(str(file), "--force") == {"file": str(file), "tables": 1, "events": 2, **size}
    assert restore.json(str(file)) == {"file": str(database), "tables": 1, "events": 2, **size, "kept": None}
    (kept,) = {restore.json(str(file), "--force")["kept"]}
    assert Path(kept).name.startswith("knobel.sqlite3.before-restore-20")
    assert Path(kept).exists()


def test_refusals_in_both_languages(backup: Command, restore: Command, tmp_path: Path) -> None:
    file, foreign = tmp_path / "copy", tmp_path / "foreign"
    foreign.write_bytes(b"no database at all, but long enough" * 1000)
    backup(str(file))
    assert backup.refused(str(file)) == f"{file} is there already. --force replaces it."
    assert backup.refused(str(file), "--lang", "de") == f"{file} gibt es schon. --force ersetzt die Datei."
    assert restore.refused(str(foreign)) == f"{foreign} is not a database of knobel."
    assert restore.refused(str(foreign), "--lang", "de") == f"{foreign} ist keine Datenbank von knobel."
    assert restore.refused(str(tmp_path / "no")) == f"There is no file {tmp_path / 'no'}."
    restore(str(file))
    database = restore.data / folder.DATABASE
    assert restore.refused(str(file)) == (
        f"The database {database} holds 2 events. --force puts the backup in its place and keeps it under another name."
    )
    assert restore.refused(str(file), "--lang", "de").startswith(f"In der Datenbank {database} stehen 2 Ereignisse. ")
    assert "FILE is missing" in restore.refused()


def test_a_folder_without_games(backup: Command, tmp_path: Path) -> None:
    backup.data = tmp_path / "none"
    assert backup.refused(str(tmp_path / "copy")) == f"There are no games in {backup.data} yet."
    assert not backup.data.exists()


def test_while_a_server_runs(backup: Command, restore: Command, tmp_path: Path) -> None:
    restore.data = tmp_path / "served"
    with serving(restore.data) as served:
        served.open()
        backup.data = restore.data
        assert backup.json(str(tmp_path / "copy"))["events"] == 3
        refusal = restore.refused(str(tmp_path / "copy"), "--force")
        assert refusal == f"Another knobel server is using the data folder {restore.data}."
