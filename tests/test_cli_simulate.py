"""`knobel simulate`: figures for people and programs, files with every game, and sentences for what cannot be."""

import csv
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import knobel
from knobel import sim
from knobel.cli import games, progress
from knobel.cli.simulation import _bars
from knobel.sim import Simulation, simulate_optimal
from knobel.solver.values import Values
from tests.commanding import Command

DOWN = ("classic", "-o", "order=down")  # solved in a moment
RULES = knobel.load("classic", order="down")
OPTIMUM = 130.28597194057116
KEYS = [
    "ruleset", "digest", "policy", "games", "seed", "seconds", "games_per_second", "mean", "interval", "deviation",
    "min", "percentiles", "max", "bonus_rate", "boxes", "histogram", "file",
]  # fmt: skip
COLUMNS = ["game", "total", "bonus", *map(str, RULES.boxes)]


@pytest.fixture
def simulator(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    return Command("simulate", capsys, tmp_path / "data", monkeypatch)


@pytest.fixture(scope="module")
def played() -> Simulation:
    """What the command plays with `--games 5000 --seed 9`."""
    return simulate_optimal(Values.solve(RULES), 5000, 9)


def test_the_result_as_json(simulator: Command, played: Simulation) -> None:
    result = simulator.json(*DOWN, "--games", "5000", "--seed", "9", "--threads", "2")
    assert list(result) == KEYS
    assert (result["ruleset"], result["digest"]) == ("classic", knobel.digest(RULES))
    assert (result["policy"], result["games"], result["seed"], result["file"]) == ("optimal", 5000, 9, None)
    assert result["games_per_second"] == pytest.approx(5000 / result["seconds"])
    assert result["mean"] == played.totals.mean()
    low, high = result["interval"]
    assert (low + high) / 2 == pytest.approx(result["mean"])
    assert low < OPTIMUM < high
    assert result["deviation"] == pytest.approx(np.std(played.totals, ddof=1))
    assert (result["min"], result["max"]) == (played.totals.min(), played.totals.max())
    ordered = sorted(played.totals.tolist())
    assert result["percentiles"] == {str(n): ordered[5000 * n // 100 - 1] for n in (1, 5, 25, 50, 75, 95, 99)}
    assert result["bonus_rate"] == np.mean(played.bonus == 35)
    assert list(result["boxes"]) == COLUMNS[3:]
    for box, points in zip(RULES.boxes, played.points.T, strict=True):
        assert result["boxes"][str(box)] == {"mean": points.mean(), "zero_rate": np.mean(points == 0)}
    assert sum(count for *_, count in result["histogram"]) == 5000
    assert result["histogram"] == [list(row) for row in played.histogram()]


@pytest.mark.parametrize(
    ("policy", "ruleset", "low", "high"),
    [("greedy", "classic", 200, 280), ("random", "classic", 20, 90), ("random", "acht-mann", 150, 800)],
)
def test_other_players(simulator: Command, policy: str, ruleset: str, low: int, high: int) -> None:
    call = (ruleset, "--policy", policy, "--games", "10", "--threads", "1")
    result, again = simulator.json(*call), simulator.json(*call)
    assert list(result) == KEYS
    assert (result["policy"], result["games"], result["seed"]) == (policy, 10, 1)
    assert low < result["mean"] < high
    assert result["histogram"] == again["histogram"]
    assert simulator.json(*call, "--seed", str(2**63 - 1))["histogram"] != result["histogram"]
    assert not simulator.data.exists()  # no table is needed


@pytest.mark.parametrize(("arguments", "n_games"), [(DOWN, 1_000_000), ((*DOWN, "--policy", "random"), 1_000)])
def test_how_many_games_when_nobody_says(
    simulator: Command, played: Simulation, monkeypatch: pytest.MonkeyPatch, arguments: Sequence[str], n_games: int
) -> None:
    asked: list[tuple[Any, ...]] = []

    def play(*given: Any) -> Simulation:
        asked.append(given)
        return played

    monkeypatch.setattr(sim, "simulate_optimal", play)
    monkeypatch.setattr(sim, "simulate", play)
    simulator(*arguments)
    assert n_games in asked[-1]


def test_the_result_for_people(simulator: Command, played: Simulation) -> None:
    rows = simulator.rows(*DOWN, "--games", "5000", "--seed", "9")
    assert rows[0] == ["Classic pad (classic order=down)"]
    assert rows[1:3] == [["Policy", "optimal: plays for the highest expected total"], ["Games", "5,000 (seed 9)"]]
    assert rows[3][0] == "Speed"
    low, high = played.interval
    assert rows[4] == ["Mean", f"{played.mean:.2f} (with 95 % confidence {low:.2f} to {high:.2f})"]
    assert rows[5:7] == [
        ["Standard deviation", f"{played.deviation:.2f}"],
        ["With upper bonus", f"{100 * played.bonus_rate:.1f} %"],
    ]
    assert rows[8] == ["Totals", "lowest", *(f"{n} %" for n in (1, 5, 25, 50, 75, 95, 99)), "highest"]
    found = [played.percentile(n) for n in (1, 5, 25, 50, 75, 95, 99)]
    assert rows[10] == [*map(str, (played.totals.min(), *found, played.totals.max()))]
    assert rows[12] == ["Box", "Mean points", "No points"]
    column = played.points[:, 0]
    assert rows[14] == ["Ones", f"{column.mean():.2f}", f"{100 * np.mean(column == 0):.1f} %"]
    bars = rows[14 + len(RULES.boxes) + 1 :]
    assert len(bars) == len(played.histogram())
    assert 8 <= len(bars) <= 20


def test_numbers_as_the_language_writes_them(simulator: Command, played: Simulation, tmp_path: Path) -> None:
    file = tmp_path / "games.csv"
    call = (*DOWN, "--games", "5000", "--seed", "9", "--out", str(file))
    german, english = simulator(*call, "--lang", "de")[0], simulator(*call)[0]
    assert "5.000 (Seed 9)" in german
    assert f"Standardabweichung  {played.deviation:.2f}".replace(".", ",") in german
    assert "Spiele/s (" in german
    assert german.endswith(f"\n5.000 Zeilen stehen in {file}.\n")
    assert english.endswith(f"\n5,000 rows are in {file}.\n")
    one = simulator(*DOWN, "--games", "1", "--out", str(file))[0]
    assert one.endswith(f"\n1 row is in {file}.\n")


def test_boxes_of_several_columns_are_told_apart(simulator: Command) -> None:
    rows = simulator.rows("acht-mann", "--policy", "random", "--games", "2", "--threads", "1")
    boxes = [row[0] for row in rows if len(row) == 3 and "column" in row[0]]
    assert len(boxes) == len(set(boxes)) == len(knobel.load("acht-mann").boxes)
    assert "With upper bonus" in {row[0] for row in rows if row}


def test_bars_fill_the_width_and_show_the_least(simulator: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    bins = [(0, 499, 1), (500, 999, 0), (1000, 1499, 4000), (1500, 1999, 2000)]
    assert _bars(bins, 45, "en") == [
        "    0–  499   0.0 %  ▏",
        "  500–  999   0.0 %",
        "1,000–1,499  66.7 %  " + "█" * 24,
        "1,500–1,999  33.3 %  " + "█" * 12,
    ]
    assert _bars(bins, 10, "de")[2] == "1.000–1.499  66,7 %  " + "█" * 10
    monkeypatch.setenv("COLUMNS", "60")
    out = simulator(*DOWN, "--games", "1000")[0]
    assert max(len(line) for line in out.splitlines() if "█" in line) == 60


# Files


def rows_of(simulation: Simulation) -> list[list[int]]:
    """What a file is to hold."""
    facts = zip(simulation.totals.tolist(), simulation.bonus.tolist(), simulation.points.tolist(), strict=True)
    return [[number, total, bonus, *points] for number, (total, bonus, points) in enumerate(facts)]


@pytest.mark.parametrize("ending", ["csv", "parquet", "json", "CSV"])
def test_every_game_is_a_row(
    simulator: Command, played: Simulation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    monkeypatch.setattr(games, "_ROWS", 999)
    file = tmp_path / f"games.{ending}"
    file.write_text("what was there before")
    result = simulator.json(*DOWN, "--games", "5000", "--seed", "9", "--out", str(file))
    assert result["file"] == str(file)
    expected = rows_of(played)
    if ending == "parquet":
        parquet = pytest.importorskip("pyarrow.parquet")
        columns = parquet.read_table(file).to_pydict()
        assert list(columns) == COLUMNS
        assert [list(row) for row in zip(*columns.values(), strict=True)] == expected
    elif ending == "json":
        found = json.loads(file.read_text(encoding="utf-8"))
        assert [list(row) for row in found] == [COLUMNS] * 5000
        assert [list(row.values()) for row in found] == expected
    else:
        with file.open(encoding="utf-8", newline="") as lines:
            title, *rows = csv.reader(lines)
        assert title == COLUMNS
        assert [list(map(int, row)) for row in rows] == expected
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", file.name]


@pytest.fixture
def without_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody may play."""

    def play(*_: Any) -> None:
        raise AssertionError("games were played")

    monkeypatch.setattr(sim, "simulate_optimal", play)
    monkeypatch.setattr(sim, "simulate", play)


@pytest.mark.usefixtures("without_games")
@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("games.txt", "games.txt: The ending must be one of .csv, .parquet, .json."),
        ("games", "games: The ending must be one of .csv, .parquet, .json."),
        ("nowhere/games.csv", "nowhere/games.csv cannot be written: No such file or directory"),
        ("file/games.csv", "file/games.csv cannot be written: Not a directory"),
        ("folder.csv", "folder.csv cannot be written: Is a directory"),
    ],
)
def test_a_file_that_cannot_be_is_refused_before_the_games(
    simulator: Command, tmp_path: Path, name: str, sentence: str
) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder.csv").mkdir()
    assert simulator.refused(*DOWN, "--out", str(tmp_path / name)).endswith(sentence)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder.csv"]


@pytest.mark.usefixtures("without_games")
def test_parquet_needs_a_package(simulator: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    error = simulator.refused(*DOWN, "--out", str(tmp_path / "games.parquet"))
    assert error == 'For Parquet the package pyarrow is needed: pip install "knobel[parquet]".'


def test_nothing_half_done_is_left(simulator: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "games.csv"
    file.write_text("before")

    def stop(*_: Any) -> None:
        assert len(list(tmp_path.glob(".games.csv.*.part"))) == 1
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(sim, "simulate_optimal", stop)
        assert simulator(*DOWN, "--out", str(file), code=130)[0] == ""

    def fail(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("knobel.cli.games.csv.writer", fail)
        error = simulator.refused(*DOWN, "--games", "1", "--out", str(file))
    assert error == f"The file {file} cannot be written: No space left on device"
    assert file.read_text() == "before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "games.csv"]


# Refused


@pytest.mark.usefixtures("without_games")
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("", "ID is missing.\nHelp: knobel simulate --help"),
        ("yazty", "yazty: There is no such ruleset."),
        ("classic -o joker=yes", "classic, options.joker: Expected one of none, forced, free, not yes."),
        ("classic --policy wise", "--policy: Expected one of optimal, greedy, random, not wise."),
        ("classic --games 0", "--games: Expected a whole number from 1 to 100000000, not 0."),
        ("classic --games 100000001", "--games: Expected a whole number from 1 to 100000000, not 100000001."),
        ("classic --seed -1", "--seed: Expected a whole number from 0 to 9223372036854775807, not -1."),
        (f"classic --seed {2**63}", f"not {2**63}."),
        ("classic --threads 0", "--threads: Expected a whole number from 1 to 1024, not 0."),
        (
            "acht-mann",
            "acht-mann cannot be solved exactly: the tables have no place for tokens. With --policy greedy any ruleset",
        ),
        (
            "acht-mann --lang de",
            "Für tokens haben die Tabellen keinen Platz. Mit --policy greedy geht jedes Regelwerk.",
        ),
    ],
)
def test_bad_input_is_a_sentence(simulator: Command, arguments: str, sentence: str) -> None:
    assert sentence in simulator.refused(*arguments.split())
    assert not simulator.data.exists()


def test_what_only_solve_takes_is_said_so(simulator: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("knobel.solver.table.MOST_SECONDS", 0)
    assert simulator.refused(*DOWN).endswith(
        "If that is meant: --force. Only knobel solve takes these; --policy greedy needs no table."
    )


def test_more_than_memory_holds(simulator: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    simulator(*DOWN, "--games", "1")
    monkeypatch.setattr(sim, "free_memory", lambda: 10**9)
    error = simulator.refused(*DOWN, "--games", "100000000")
    assert error == "100,000,000 games need 11.6 GB of memory; 1 GB are free."


# Progress


def test_lines_of_progress_go_to_standard_error(simulator: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_PAUSE_OF_LINES", 0.0)
    out, err = simulator(*DOWN, "--games", "20000", "--json")
    assert list(json.loads(out)) == KEYS
    last = err.splitlines()[-1]
    assert last.startswith("100 % of 20,000 games, ")
    assert last.endswith(" games/s, about 1 s left")
    assert sum("20,000 games" in line for line in err.splitlines()) == len(RULES.boxes)
    monkeypatch.undo()
    assert simulator(*DOWN, "--games", "2000", "--json")[1] == ""


def test_a_table_that_is_interrupted(simulator: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(progress.Teller, "watch", stop)
        out, err = simulator(*DOWN, code=130)
    assert (
        out,
        err.splitlines()[-1].endswith(f"knobel solve classic -o order=down --data {simulator.data} --resume"),
    ) == (
        "",
        True,
    )
