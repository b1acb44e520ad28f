from pathlib import Path

import pytest

from tests import long


def test_an_unknown_name_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert long.main(["no-such-run"]) == 2
    assert "no-such-run" in capsys.readouterr().err


def test_a_run_gets_its_scale(monkeypatch: pytest.MonkeyPatch) -> None:
    scales: list[float] = []
    monkeypatch.setitem(long.RUNS, "probe", scales.append)
    assert long.main(["probe", "--scale", "0.25"]) == 0
    assert scales == [0.25]


def test_a_row_replaces_its_older_one(tmp_path: Path) -> None:
    results = tmp_path / "results.md"
    results.write_text("# Results\n\nSpeed.\n", encoding="utf-8")
    for run, scale, figure in (("a", 1.0, "old"), ("b", 1.0, "other"), ("a", 0.5, "small"), ("a", 1.0, "new")):
        long.write_row(results, run, scale, figure)
    text = results.read_text(encoding="utf-8")
    assert text.startswith("# Results\n\nSpeed.\n")
    rows = [line.split(" | ") for line in text.splitlines() if line.startswith(("| a", "| b"))]
    assert sorted((row[0], row[1], row[4]) for row in rows) == [
        ("| a", "0.5", "small |"),
        ("| a", "1", "new |"),
        ("| b", "1", "other |"),
    ]
