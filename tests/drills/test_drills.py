import os
from pathlib import Path

import pytest

from tests.drills import mutants
from tests.drills.figure import Figure, Progress, latencies, percentile, summed, timed
from tests.drills.registry import DRILLS, NEED_ROOT

SCALE = 0.01


@pytest.mark.parametrize("name", DRILLS)
def test_drill(name: str, tmp_path: Path) -> None:
    if name in NEED_ROOT and os.geteuid() != 0:
        pytest.skip("mounting a file system of its own needs root")
    assert "\n" not in DRILLS[name](SCALE, tmp_path).text


@pytest.mark.parametrize("name", mutants.QUICK)
def test_a_drill_notices_that_a_guard_is_missing(name: str, tmp_path: Path) -> None:
    assert mutants.noticed(name, SCALE, tmp_path / "data")


def test_there_is_a_broken_server_for_every_drill() -> None:
    assert {mutant.drill for mutant in mutants.MUTANTS.values()} == set(DRILLS)


def test_a_figure_is_one_line() -> None:
    figure = Figure("done", {"events": 12_345}, {"p99 ms": 1.23456})
    assert figure.text == "done; 12,345 events; p99 1.235 ms"
    assert figure.missed == ()


def test_a_missed_mark_is_told() -> None:
    marks = {"p99 ms": 100.0, "gone after s": 3.0}
    figure = Figure("done", measured={"p99 ms": 120.0, "gone after s": 3.0}, marks=timed(1, marks))
    assert figure.missed == ("p99 ms",)
    assert figure.text == "done; p99 120 ms, gone after 3 s; MISSED: p99 100 ms"
    assert timed(0.01, marks) == {}


def test_percentiles() -> None:
    values = [n / 1000 for n in range(1, 1001)]
    assert (percentile(values, 0.5), percentile(values, 0.99), percentile([], 0.5)) == (0.501, 0.991, 0.0)
    assert latencies(values, "a ")["a p50 ms"] == 501


def test_a_run_that_was_stopped_goes_on(tmp_path: Path) -> None:
    done: list[str] = []

    def step(name: str) -> dict[str, float]:
        done.append(name)
        return {"events": len(done)}

    for key in (1, 1, 2):
        progress = Progress(tmp_path, key=key)
        steps = [progress.done(name, lambda name=name: step(name)) for name in "ab"]  # type: ignore[misc]
    assert done == ["a", "b", "a", "b"]
    assert summed(steps) == {"events": 7}
