"""All tests: numba compiles a function in one process at a time, and long files begin first."""

import fcntl
import sys
from collections.abc import Callable
from pathlib import Path
from threading import RLock
from typing import Any

import pytest

FIRST = (  # those that take longest, so that none is left alone at the end; not all begin with the same compilation
    "browser/test_acht.py",
    "solver/test_table.py",
    "browser/test_games.py",
    "server/test_restart.py",
    "browser/test_access.py",
    "solver/test_distribution.py",
    "drills/test_drills.py",
    "browser/test_rooms.py",
    "test_cli.py",
    "solver/test_file.py",
    "browser/test_rules.py",
    "solver/test_cluster.py",
    "server/test_folder.py",
    "test_sim.py",
    "server/test_api.py",
    "core/test_machine.py",
)
HERE = Path(__file__).parent
RANK = {HERE / name: rank for rank, name in enumerate(FIRST)}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: RANK.get(item.path, len(FIRST)))


def pytest_collection_finish() -> None:
    if "numba" in sys.modules:  # a test that was collected needs it
        compile_in_turn()


def compile_in_turn() -> None:
    """Of processes that need a function at the same time one compiles it, and the others read its code from disk."""
    import numba
    from numba.core.dispatcher import Dispatcher

    compile_now: Callable[..., Any] = Dispatcher.compile
    file = Path(numba.config.CACHE_DIR) / "turn.lock"
    turn, depth = RLock(), 0  # a function may be compiled for the sake of another one

    def compile_alone(dispatcher: Any, signature: Any) -> Any:
        nonlocal depth
        with turn:
            if depth:
                return compile_now(dispatcher, signature)
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                depth += 1
                try:
                    return compile_now(dispatcher, signature)
                finally:
                    depth -= 1

    Dispatcher.compile = compile_alone  # type: ignore[assignment, method-assign]
