"""`knobel solve`: what it prints and keeps, that it goes on after a stop, and that standard output has results only."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import knobel
from knobel.cli import progress
from knobel.errors import Reason
from knobel.solver import cluster
from knobel.solver.solve import Progress
from knobel.solver.table import open_table
from tests.commanding import Command

DOWN = ("classic", "-o", "order=down")  # 13 layers of a few values each
RULES = knobel.load("classic", order="down")
OPTIMUM = 130.28597194057116  # "fixed_order_optimal_expectation" of tests/data/rule_cases.json
KEYS = ["ruleset", "digest", "value", "states", "seconds", "total_seconds", "threads", "file"]


class Solver(Command):
    """`knobel solve`, and where it keeps the table of `RULES`."""

    @property
    def folder(self) -> Path:
        """Where the table of `RULES` lies."""
        return self.data / "tables" / knobel.digest(RULES)[:16]


@pytest.fixture
def solver(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Solver:
    return Solver("solve", capsys, tmp_path / "data", monkeypatch)


@pytest.fixture
def stopped(solver: Solver, monkeypatch: pytest.MonkeyPatch) -> Solver:
    """With a table of `RULES` that was interrupted once six boxes were left to fill."""

    def stop(_: progress.Teller, at: Progress) -> None:
        if at.layer == 6:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(progress.Teller, "watch", stop)
        out, err = solver(*DOWN, code=130)
    assert out == ""
    assert err.splitlines()[-1] == (
        "Stopped; what is finished is kept. Go on with: "
        f"knobel solve classic -o order=down --data {solver.data} --resume"
    )
    return solver


def test_the_result_as_json(solver: Solver) -> None:
    result = solver.json(*DOWN, "--threads", "2")
    assert list(result) == KEYS
    table = open_table(RULES, solver.data)
    assert result["ruleset"] == "classic"
    assert result["digest"] == knobel.digest(RULES)
    assert result["value"] == table.value == pytest.approx(OPTIMUM, rel=1e-12)
    assert result["states"] == table.model.n_states
    assert result["threads"] == 2
    assert result["file"] == str(solver.folder)
    assert 0 < result["seconds"] == table.seconds
    assert 0 < result["total_seconds"] < 24 * 3600


def test_the_whole_process_is_counted(tmp_path: Path) -> None:
    begin = time.monotonic()
    call = [sys.executable, "-m", "knobel", "solve", *DOWN, "--json", "--data", str(tmp_path)]
    result = json.loads(subprocess.run(call, capture_output=True, text=True, check=True, timeout=100).stdout)
    assert result["seconds"] < result["total_seconds"] < time.monotonic() - begin + 0.5


@pytest.mark.parametrize(
    ("language", "rows"),
    [
        (
            "en",
            [["Classic pad (classic order=down)"], ["Expected total", "130.2860"], ["States", "681"], ["Solved in"]],
        ),
        ("de", [["Klassischer Block (classic order=down)"], ["Erwartete Summe", "130,2860"], ["Zustände", "681"]]),
    ],
)
def test_the_result_for_people(solver: Solver, language: str, rows: list[list[str]]) -> None:
    printed = solver.rows(*DOWN, "--threads", "1", "--lang", language)
    assert [row[: len(expected)] for row, expected in zip(printed, rows, strict=False)] == rows
    assert printed[3][1].endswith({"en": " s on one thread", "de": " s mit einem Thread"}[language])
    assert printed[4] == [{"en": "Folder", "de": "Ordner"}[language], str(solver.folder)]


def test_large_numbers_are_grouped_as_the_language_does(solver: Solver) -> None:
    assert ["States", "536,320"] in solver.rows("classic")
    assert ["Zustände", "536.320"] in solver.rows("classic", "--lang", "de")


def test_a_table_is_made_once_and_anew_if_forced(solver: Solver) -> None:
    first = solver.json(*DOWN)
    file = solver.folder / "table.json"
    made = file.stat().st_mtime_ns
    second = solver.json(*DOWN, "--threads", "1")
    assert file.stat().st_mtime_ns == made
    assert {**second, "total_seconds": 0} == {**first, "total_seconds": 0}
    third = solver.json(*DOWN, "--force", "--threads", "1")
    assert file.stat().st_mtime_ns > made
    assert (third["value"], third["threads"]) == (first["value"], 1)


def test_a_stopped_solve_goes_on(stopped: Solver, tmp_path: Path) -> None:
    assert "holds an unfinished table of classic. --resume goes on, --force begins anew." in stopped.refused(*DOWN)
    (item,) = stopped.json("--list")
    assert (item["is_finished"], item["value"], item["layers"], item["n_layers"]) == (False, None, 7, 14)
    assert stopped.rows("--list")[2][-2:] == ["7 of 14 layers", "–"]
    assert stopped.rows("--list", "--lang", "de")[2][-2:] == ["7 von 14 Schichten", "–"]
    gone_on = stopped.json(*DOWN, "--resume")
    stopped.data = tmp_path / "other"
    assert stopped.json(*DOWN)["value"] == gone_on["value"]


def test_a_stopped_solve_may_begin_anew(stopped: Solver) -> None:
    assert stopped.json(*DOWN, "--force")["value"] == pytest.approx(OPTIMUM, rel=1e-12)


def test_ctrl_c_stops_soon(tmp_path: Path) -> None:
    call = [sys.executable, "-m", "knobel", "solve", "yatzy", "--threads", "1", "--data", str(tmp_path)]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(call, env={**os.environ, "LANG": "C.UTF-8", "LC_ALL": ""}, **pipes) as process:
        while process.poll() is None and not list(tmp_path.glob("tables/*/table.json")):
            time.sleep(0.005)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (130, "")
    assert err.splitlines()[-1].endswith(f"knobel solve yatzy --data {tmp_path} --resume")


def test_the_list_of_tables(solver: Solver) -> None:
    assert solver("--list")[0] == f"There are no tables in {solver.data} yet. Make one with: knobel solve ID\n"
    assert solver.json("--list") == []
    solver(*DOWN)
    mark = knobel.digest(RULES)[:16]
    for language, state, value in (("en", "finished", "130.2860"), ("de", "fertig", "130,2860")):
        row = solver.rows("--list", "--lang", language)[2]
        assert row[:4] == ["classic order=down", mark, "float64", "150"]
        assert re.fullmatch(r"\d[.,]\d kB", row[4])
        assert row[5:] == [state, value]
    (item,) = solver.json("--list")
    assert item == {
        "ruleset": "classic",
        "options": {"order": "down"},
        "digest": knobel.digest(RULES),
        "kind": "float64",
        "values": 150,
        "layers": 14,
        "n_layers": 14,
        "is_finished": True,
        "value": solver.json(*DOWN)["value"],
        "bytes": sum(path.stat().st_size for path in solver.folder.iterdir()),
        "file": str(solver.folder),
        "error": None,
    }


def test_a_damaged_table_is_named_in_the_list_and_refused(solver: Solver) -> None:
    solver(*DOWN)
    file = solver.folder / "table.json"
    file.write_bytes(file.read_bytes()[:-100])
    rows = solver.rows("--list")
    assert rows[2][:2] == ["?", solver.folder.name]
    assert rows[2][-2:] == ["damaged", "–"]
    assert rows[-1] == [f"The table {file} cannot be read. knobel solve --force makes it anew."]
    (item,) = solver.json("--list")
    assert (item["ruleset"], item["file"]) == (None, str(solver.folder))
    assert "unreadable" in item["error"]
    assert solver.refused(*DOWN) == f"The table {file} cannot be read. knobel solve --force makes it anew."
    assert solver.json(*DOWN, "--force")["value"] == pytest.approx(OPTIMUM, rel=1e-12)
    (solver.folder / "layer-05.npy").write_bytes(b"")
    assert "layer-05.npy is not as it was written" in solver.refused(*DOWN)
    (solver.folder / "layer-05.npy").unlink()
    assert "fehlt die Datei" in solver.refused(*DOWN, "--lang", "de")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("", "ID is missing.\nHelp: knobel solve --help"),
        ("--lang de", "Es fehlt ID.\nHilfe: knobel solve --help"),
        ("yazty", "yazty: There is no such ruleset."),
        ("classic -o joker=yes", "classic, options.joker: Expected one of none, forced, free, not yes."),
        ("acht-mann", "acht-mann cannot be solved exactly: the tables have no place for tokens."),
        ("acht-mann --lang de", "Für tokens haben die Tabellen keinen Platz."),
        ("classic -o columns=3", "A prescribed order makes them fewer, such as -o order=down."),
        ("classic --threads 0", "--threads: Expected a whole number from 1 to 1024, not 0."),
        ("classic --threads 1025", "--threads: Expected a whole number from 1 to 1024, not 1025."),
        ("classic --threads -1", "--threads: Expected a whole number from 1 to 1024, not -1."),
        ("classic --threads two", "--threads: Expected a whole number from 1 to 1024, not two."),
        (f"classic --threads {'9' * 5000}", "--threads: Expected a whole number from 1 to 1024, not 999"),
        ("classic --list", "--list shows all tables: without ID and without -o."),
        ("--list -o joker=free", "--list shows all tables: without ID and without -o."),
        ("classic --force --resume", "--force begins anew, --resume goes on: only one of them."),
    ],
)
def test_bad_input_is_a_sentence(solver: Solver, arguments: str, sentence: str) -> None:
    assert sentence in solver.refused(*arguments.split())
    assert not solver.data.exists()


def test_a_cluster_is_asked_by_its_address(solver: Solver, monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody(ruleset: object, data: Path, address: str, *_: object) -> None:
        raise cluster.ClusterError(Reason("solver-cluster-unreachable", {"address": address, "problem": "nobody"}))

    monkeypatch.setattr(cluster, "solve_into", nobody)
    assert solver.refused(*DOWN, "--cluster", "tcp://far:8786") == "No scheduler answers at tcp://far:8786: nobody"


@pytest.mark.parametrize("force", [(), ("--force",)])
def test_a_file_in_the_place_of_the_folder(solver: Solver, force: tuple[str, ...]) -> None:
    solver.data.write_text("")
    assert str(solver.data) in solver.refused(*DOWN, *force)


def test_lines_of_progress_go_to_standard_error(solver: Solver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_PAUSE_OF_LINES", 0.0)
    monkeypatch.setattr(progress, "_LARGE", 0.0)
    out, err = solver(*DOWN, "--json", "--threads", "2")
    assert list(json.loads(out)) == KEYS
    lines = err.splitlines()
    plan = r"classic: 681 states, [\d.]+ \w+ of memory, [\d.]+ \w+ on disk; all in all about [\d.]+ s on 2 threads\."
    assert re.fullmatch(plan, lines[0])
    assert re.fullmatch(r"100 %, pads with 0 of 13 boxes filled, [\d,]+ values/s, about 1 s left", lines[-1])
    out, err = solver(*DOWN, "--json")
    assert (list(json.loads(out)), err) == (KEYS, "")


def test_a_word_while_nothing_is_there_yet(solver: Solver, monkeypatch: pytest.MonkeyPatch) -> None:
    def wait(*_: Any, **__: Any) -> None:
        time.sleep(0.3)
        raise KeyboardInterrupt

    monkeypatch.setattr(progress, "_PATIENCE", 0.05)
    monkeypatch.setattr("knobel.solver.table.solve_into", wait)
    assert solver(*DOWN, "--lang", "de", code=130)[1].splitlines()[0] == (
        "Das Rechenwerk wird übersetzt, nur dieses erste Mal …"
    )


def test_a_bar_on_a_terminal(tmp_path: Path) -> None:
    code = "from knobel.cli import progress; progress._PAUSE_OF_BAR = 0; from knobel.cli import main; main()"
    call = [sys.executable, "-c", code, "solve", *DOWN, "--json", "--data", str(tmp_path)]
    terminal, end = pty.openpty()
    environment = {**os.environ, "LANG": "C.UTF-8", "LC_ALL": "", "TERM": "xterm", "COLUMNS": "120"}
    with subprocess.Popen(call, stdout=subprocess.PIPE, stderr=end, env=environment) as process:
        os.close(end)
        drawn = b""
        while piece := _read(terminal):
            drawn += piece
        assert process.stdout is not None
        assert list(json.loads(process.stdout.read())) == KEYS
    os.close(terminal)
    assert process.returncode == 0
    assert "boxes filled" in drawn.decode()


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 1 << 16)
    except OSError:  # nobody writes to it any more
        return b""


def test_other_commands_do_without_the_solver() -> None:
    code = "import sys; from knobel.cli.command import run; run(['rules', 'list']); "
    code += "print({'numpy', 'numba'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=20)
    assert done.stdout.splitlines()[-1] == "set()"
