"""Backups and restores that are killed, at every few lines and at any time."""

import multiprocessing
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

from knobel.server import backup, folder
from tests.server.test_backup import assert_whole, kept_in, killed_server, log, names, rows_of

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["tests.server.test_backup_killed"])


def killing(line: int, work: Callable[..., object], *args: Any) -> None:
    """Run something in a process that is killed before so many lines of the module, or of shutil for it."""
    n = 0

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal n
        if frame.f_code.co_filename not in (backup.__file__, shutil.__file__):
            return None
        if event == "line":
            n += 1
            if n == line:
                os.kill(os.getpid(), signal.SIGKILL)
        return trace

    backup.STEP_PAGES = 4
    sys.settrace(trace)
    work(*args)


def kills(step: int, work: Callable[..., object], *args: Any) -> Iterator[int]:
    """Exit codes of processes that are killed later and later, until one is not."""
    for line in range(1, 10_000, step):
        process = FORKS.Process(target=killing, args=(line, work, *args))
        process.start()
        process.join()
        code = process.exitcode
        assert code in (0, -signal.SIGKILL)
        yield code
        if code == 0:
            return


def test_a_killed_backup_has_no_name_or_is_whole(tmp_path: Path) -> None:
    rows, outcomes = killed_server(tmp_path / "data", "old"), []
    file = tmp_path / "copies" / "copy"
    file.parent.mkdir()
    for code in kills(5, backup.back_up, tmp_path / "data", file):
        outcomes.append(file.exists())
        if file.exists():
            assert_whole(file)
            assert rows_of(file) == rows
            file.unlink()
        assert rows_of(tmp_path / "data" / folder.DATABASE) == rows or code
    assert outcomes.count(False) > 10
    assert outcomes.count(True) > 1
    assert names(file.parent) == set()  # each run has removed what was left by the one before


def test_what_a_killed_backup_has_left_goes_with_the_next_one(tmp_path: Path) -> None:
    log(tmp_path / "data", "old")
    ended = subprocess.Popen(["true"])
    ended.wait()
    for end in (".part", ".part-shm", ".part-wal", ".part-journal"):
        (tmp_path / f"{end}-alone").mkdir()
        (tmp_path / f"{end}-alone" / f"copy.{ended.pid}{end}").touch()
        backup.back_up(tmp_path / "data", tmp_path / f"{end}-alone" / "copy")
        assert names(tmp_path / f"{end}-alone") == {"copy"}


def test_a_killed_restore_leaves_the_old_or_the_new_database(tmp_path: Path) -> None:
    new, old = log(tmp_path / "other", "new"), killed_server(tmp_path / "template", "old")
    copy = backup.back_up(tmp_path / "other", tmp_path / "copy").path
    data, outcomes = tmp_path / "data", []
    database = data / folder.DATABASE
    shutil.copytree(tmp_path / "template", data)
    for _ in kills(4, backup.restore, copy, data, True):
        before = names(data)
        with folder.locked(data):
            assert_whole(database)
            found = rows_of(database)
        outcomes.append(found == new)
        assert found in (old, new)
        kept = kept_in(data)
        assert [rows_of(path) for path in kept] == [old] * len(kept)
        assert kept or found == old
        backup.restore(copy, data, is_forced=True)
        assert rows_of(database) == new
        assert not [name for name in names(data) if name.endswith(".part")], before
        shutil.rmtree(data)
        shutil.copytree(tmp_path / "template", data)
    assert outcomes.count(False) > 10
    assert outcomes.count(True) > 1
    assert outcomes == sorted(outcomes)


def test_killed_at_any_time_also_inside_sqlite(tmp_path: Path) -> None:
    log(tmp_path / "other", "new", 30)
    copy = backup.back_up(tmp_path / "other", tmp_path / "copy").path
    new, old = rows_of(copy), log(tmp_path / "data", "old", 30)
    rng, n_killed = random.Random(3), 0
    for n in range(12):
        file = tmp_path / f"copy{n}"
        for arguments in ((backup.back_up, tmp_path / "data", file), (backup.restore, copy, tmp_path / "data", True)):
            process = FORKS.Process(target=ready, args=(event := FORKS.Event(), *arguments))
            process.start()
            event.wait(20)
            time.sleep(rng.uniform(0, 0.015))
            process.kill()
            process.join()
            n_killed += process.exitcode != 0
        if file.exists():
            assert rows_of(file) in (old, new)
            assert_whole(file)
        assert rows_of(tmp_path / "data" / folder.DATABASE) in (old, new)
        assert_whole(tmp_path / "data" / folder.DATABASE)
    assert n_killed > 0  # the others were faster


def ready(event: Any, work: Callable[..., object], *args: Any) -> None:
    event.set()
    work(*args)
