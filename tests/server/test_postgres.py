"""The PostgreSQL of the tests itself: gone with whoever made it."""

import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests import postgres
from tests.postgres import Cluster, running

KILLED = """
import os, signal
from tests.postgres import running

with running() as cluster:
    print(cluster.port, cluster.home, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_it_ends_when_the_tests_are_killed_and_is_swept_up_by_the_next() -> None:
    killed = subprocess.run([sys.executable, "-c", KILLED], capture_output=True, text=True, check=False)
    port, home = killed.stdout.split()
    while is_open(int(port)):
        threading.Event().wait(0.01)
    while Path(home).exists():  # its other processes may end a little later
        postgres._sweep()


def test_it_ends_with_its_block_and_leaves_nothing() -> None:
    with running() as cluster:
        assert is_open(cluster.port)
    assert not is_open(cluster.port)
    assert not cluster.home.exists()


def test_without_its_programs_a_test_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(Path, "glob", lambda *_: iter(()))
    monkeypatch.setenv("PATH", os.devnull)
    with pytest.raises(AssertionError, match="initdb is missing"):
        Cluster(tmp_path).start()


def is_open(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
