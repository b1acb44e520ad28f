"""The command line: what it prints for people and programs, and that bad input is a sentence and exit code 2."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

import pytest

import knobel
from knobel.cli.command import run

ROOT = Path(__file__).parents[1]
SHARED = ROOT / "tests/data/rule_cases.json"
HOUSE = str(ROOT / "examples/house_rules.toml")
COMMANDS = (
    ("rules", "list"),
    ("rules", "show"),
    ("rules", "diff"),
    ("rules", "check"),
    ("rules", "export"),
    ("rules", "cases"),
    ("play",),
    ("serve",),
    ("solve",),
    ("verify",),
    ("backup",),
    ("restore",),
)


class Shell:
    """Runs command lines in this process, in English unless told otherwise."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: str, code: int = 0) -> str:
        """What the command prints on standard output; nothing may be on standard error."""
        assert run(arguments) == code
        captured = self._capsys.readouterr()
        assert captured.err == ""
        return captured.out

    def json(self, *arguments: str, code: int = 0) -> Any:
        return json.loads(self(*arguments, "--json", code=code))

    def refused(self, *arguments: str) -> str:
        """The error of a command that is refused: one or two lines."""
        assert run(arguments) == 2
        captured = self._capsys.readouterr()
        assert captured.out == ""
        assert captured.err.startswith("knobel: ")
        assert len(captured.err.splitlines()) <= 2
        assert "Traceback" not in captured.err
        return captured.err.removeprefix("knobel: ").rstrip()


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    for name in ("LC_ALL", "LC_MESSAGES", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "C.UTF-8")
    return Shell(capsys)


def _rows(output: str) -> list[list[str]]:
    """The cells of the printed lines; two blanks part them."""
    return [[cell.strip() for cell in line.split("  ") if cell.strip()] for line in output.splitlines()]


def test_the_list_names_every_ruleset(shell: Shell) -> None:
    rows = _rows(shell("rules", "list"))
    assert [row[0] for row in rows[2:]] == list(knobel.builtin_ids())
    assert ["six-dice", "Six dice", "6", "20", "100 from 84"] in rows
    assert ["six-dice", "Sechs Würfel", "6", "20", "100 ab 84"] in _rows(shell("rules", "list", "--lang", "de"))
    assert [item["id"] for item in shell.json("rules", "list")] == list(knobel.builtin_ids())


def test_show_prints_the_whole_pad(shell: Shell) -> None:
    rows = _rows(shell("rules", "show", "six-dice"))
    assert ["Six dice (six-dice)"] in rows
    assert ["Unused throws", "are saved for later turns"] in rows
    assert ["Upper bonus", "100 points once the upper boxes reach 84"] in rows
    assert ["Three pairs", "three_pairs", "2 + 2 + 2 alike", "all dice"] in rows
    assert ["Tower", "tower", "4 + 2 alike", "all dice"] in rows
    assert ["Chance", "chance", "any roll", "all dice"] in rows
    assert any(row[0] == "full_straight_points" and row[-2:] == ["21", "21, 30"] for row in rows if row)
    ids = [row.id for row in knobel.load("six-dice").categories]
    assert [row[1] for row in rows if len(row) == 4 and row[1] in ids] == ids


def test_show_prints_joker_and_options_as_chosen(shell: Shell) -> None:
    output = shell(
        "rules", "show", "classic", "-o", "joker=forced", "-o", "columns=3", "-o", "order=down", "--lang", "de"
    )
    rows = _rows(output)
    assert ["Klassischer Block (classic columns=3 order=down joker=forced)"] in rows
    assert ["Joker", "vorgeschrieben"] in rows
    assert ["Spalten", "×1, ×2, ×3"] in rows
    assert ["Reihenfolge in drei Spalten", "Spalte für Spalte"] in rows
    assert ["Full House", "full_house", "3 + 2 Gleiche", "25", "25"] in rows
    assert any(row[:3] == ["joker", "Joker", "forced (sonst"] for row in rows)


def test_show_knows_house_rules_and_their_own_options(shell: Shell) -> None:
    rows = _rows(shell("rules", "show", HOUSE, "-o", "straights=strict"))
    assert ["Sunday rules (sunday-rules straights=strict)"] in rows
    assert ["Twenty-one", "twenty_one", "sum 21", "42"] in rows
    assert ["lucky_points", "Points for 21", "42", "42, 21, 84"] in rows


def test_show_as_json_can_be_loaded_again(shell: Shell) -> None:
    data = shell.json("rules", "show", "classic", "-o", "multipliers=1,1,2", "-o", "columns=3")
    rules = knobel.load("classic", columns=3, multipliers=(1, 1, 2))
    assert data["digest"] == knobel.digest(rules)[:16]
    assert knobel.digest(knobel.load(data["ruleset"])) == knobel.digest(rules)
    options = {option["name"]: option for option in data["options"]}
    assert options["multipliers"] == {
        "name": "multipliers",
        "value": [1, 1, 2],
        "default": [1, 2, 3],
        "kind": "numbers",
        "values": [],
        "needs": {"columns": [3]},
    }


def test_diff_prints_only_what_differs(shell: Shell) -> None:
    rows = _rows(shell("rules", "diff", "classic", "kniffel-2003"))
    assert rows[0] == ["Classic pad (classic)", "Kniffel 2003 (kniffel-2003)"]
    assert ["Full house (full_house)", "3 + 2 alike: 25", "3 + 2 alike: 25; 5 alike: 25"] in rows
    assert ["Bonus visible", "at once", "only at the end"] in rows
    assert ["name of five_kind", "Five of a kind", "Kniffel"] in rows
    assert ["-o joker", "none, forced, free", "–"] in rows
    labels = [row[0] for row in rows if row]
    assert not [
        label for label in labels if label.startswith(("Ones", "Dice", "-o order_seed", "-o upper_bonus", "Joker"))
    ]


def test_diff_as_json_has_the_same_rows_as_data(shell: Shell) -> None:
    data = shell.json("rules", "diff", "classic", "kniffel-2003")
    rows = {row["key"]: row for row in data["differences"]}
    assert rows["bonus_shown"] == {"key": "bonus_shown", "left": "at_once", "right": "at_end"}
    assert rows["options.joker"]["right"] is None
    assert rows["categories.four_kind.labels"]["right"] == {"de": "Vierer Pasch", "en": "Four of a kind"}
    assert "categories.ones" not in rows


@pytest.mark.parametrize("name", knobel.builtin_ids())
def test_a_ruleset_does_not_differ_from_itself(shell: Shell, name: str) -> None:
    assert shell("rules", "diff", name, name) == "No difference.\n"
    assert shell.json("rules", "diff", name, name)["differences"] == []
    assert shell("rules", "diff", name, name, "-o", "upper_bonus=1", "--lang=de") == "Kein Unterschied.\n"


def test_each_side_of_a_diff_may_have_options(shell: Shell) -> None:
    data = shell.json("rules", "diff", "classic", "classic", "--right", "joker=free", "-o", "columns=3")
    assert (data["left"]["options"], data["right"]["options"]) == ({"columns": 3}, {"columns": 3, "joker": "free"})
    assert data["differences"][0]["key"] == "joker"
    keys = {row["key"] for row in data["differences"]}
    assert keys == {"joker", "categories.full_house", "categories.small_straight", "categories.large_straight"}


def test_the_shared_cases_pass(shell: Shell) -> None:
    lines = shell("rules", "cases", str(SHARED)).splitlines()
    assert lines[-1] == "262 passed, 0 failed"
    data = shell.json("rules", "cases", str(SHARED))
    assert (data["passed"], data["failed"], data["failures"]) == (262, 0, [])


def test_a_failing_case_is_named_and_gives_exit_code_1(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "cases.json"
    wrong = {"id": "W1", "ruleset": "yatzy", "dice": [1, 1, 1, 1, 1], "points": {"yatzy": 51}}
    odd = {"id": "W2", "ruleset": "yahtzee", "dice": [1, 1, 1, 1, 1], "points": {}}
    right = {"id": "R", "upper": {}, "balance": 0}
    file.write_text(json.dumps({"dice_cases": [wrong, odd], "balance_cases": [right]}))
    lines = shell("rules", "cases", str(file), code=1).splitlines()
    assert lines[-1] == "1 passed, 2 failed"
    assert lines[0].startswith("dice_cases W1: expected {")
    assert '"yatzy": 51' in lines[0]
    assert '"yatzy": 50' in lines[0]
    assert lines[1].startswith("dice_cases W2: yahtzee: There is no such ruleset.")
    assert shell("rules", "cases", str(file), "--lang", "de", code=1).splitlines()[-1] == "1 passed, 2 failed"
    assert shell.json("rules", "cases", str(file), code=1)["failures"][0]["id"] == "W1"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("rules show nope", "nope: There is no such ruleset. Known are classic"),
        ("rules show yazty", "Did you mean yatzy?"),
        ("rules show none.toml", "none.toml: There is no such file."),
        ("rules show classic -o joker", "An option is given as -o name=value, not joker."),
        ("rules show classic -o =x", "An option is given as -o name=value, not =x."),
        ("rules show classic -o joker=yes", "classic, options.joker: Expected one of none, forced, free, not yes."),
        ("rules show six-dice -o joker=free", "six-dice, options.joker: There is no option joker here."),
        ("rules show classic -o order_scope=row_major", "order_scope works only together with order"),
        ("rules show classic -o upper_bonus=-1", "Expected a whole number from 0 to 100000, not -1."),
        ("rules show classic -o upper_bonus=9999999999999", "Expected a whole number from 0 to 100000"),
        ("rules show classic -o columns=3 -o multipliers=1,2", "Expected a list of 3 to 3 items, not 2."),
        ("rules show classic -o order=ones,twos", "classic, order: The order must name every box exactly once"),
        ("rules show classic -o order=Ones", "not Ones"),
        ("rules show", "ID is missing.\nHelp: knobel rules show --help"),
        ("rules show classic yatzy", "This call is not possible:"),
        (
            "rules show classic --jsn",
            "There is no option --jsn here. Did you mean --json?\nHelp: knobel rules show --help",
        ),
        ("rules show classic -o", "This call is not possible:"),
        ("rules diff classic", "ID is missing."),
        ("rules diff classic six-dice -o joker=free", "six-dice, options.joker"),
        ("rules cases none.json", "none.json: There is no such file."),
        ("rules cases .", ".: The file cannot be read"),
        ("rules cases pyproject.toml", "This is no valid JSON"),
        (
            "rules shw",
            "There is no command shw. Possible are list, show, diff, check, export, cases. Did you mean show?",
        ),
        ("ruls", "Possible are play, serve, solve, simulate, verify, backup, restore, rules. Did you mean rules?"),
        ("play --port 70000", "--port: Expected a whole number from 0 to 65535, not 70000."),
        ("serve --port x", "--port: Expected a whole number from 0 to 65535, not x."),
        ("--port -1", "--port: Expected a whole number from 0 to 65535, not -1."),
        ("rules list --lang fr", "--lang: Expected one of de, en, not fr."),
        ("rules list --lang de --lang fr", "--lang: Erwartet ist eines von de, en, nicht fr."),
        ("--lang de rules show clasic", "clasic: Dieses Regelwerk gibt es nicht."),
        ("rules show clasic --lang=de", "Meintest du classic?"),
    ],
)
def test_bad_input_is_a_sentence(shell: Shell, arguments: str, sentence: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert sentence in shell.refused(*arguments.split(" "))


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"id = ", "This is no valid TOML: "),
        (b"\xff", "The file is no text in UTF-8."),
        (
            b'base = "classic"\nid = 3',
            "id: Expected an id of at most 40 lower-case letters, digits and hyphens, not 3.",
        ),
        (b"", "id: This key is missing."),
        (b"#" * 70_000, "The file is too large; 65536 bytes are allowed."),
        (b'base = "classic"\nidd = "x"', "idd: There is no such key here."),
        (b'base = "clasic"', "clasic: There is no such ruleset."),
        (b'base = "classic"\nremove = ["one"]', "remove: Expected one of ones, twos"),
        (b'base = "classic"\nid = "x"\norder = 5', "order: Expected a list of 0 to 40 items, not 5."),
        (b"a = " + b"[" * 5000, "This is no valid TOML: "),
    ],
)
def test_a_broken_file_is_named_with_key_and_expectation(
    shell: Shell, tmp_path: Path, content: bytes, sentence: str
) -> None:
    file = tmp_path / "broken.toml"
    file.write_bytes(content)
    error = shell.refused("rules", "show", str(file))
    assert sentence in error
    assert str(file) in error or b"clasic" in content


def test_what_is_shown_is_never_taken_for_commands(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "odd.toml"
    file.write_text('base = "yatzy"\nid = "odd"\nlabels = { de = "[/b]:dice:", en = "[red]x[/nope]" }\n')
    assert shell("rules", "show", str(file)).startswith("[red]x[/nope] (odd)\n")
    assert "[/b]:dice: (odd)" in shell("rules", "diff", "classic", str(file), "--lang", "de")
    assert "a?[31m?b: There is no such ruleset." in shell.refused("rules", "show", "a\x1b[31m\nb")


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({"LANG": "de_DE.UTF-8"}, "de"),
        ({"LANG": "en_GB.UTF-8"}, "en"),
        ({"LANG": "fr_FR.UTF-8"}, "en"),
        ({"LANG": "en_GB.UTF-8", "LC_ALL": "de_AT"}, "de"),
        ({}, "en"),
    ],
)
def test_the_language_is_that_of_the_environment(
    shell: Shell, environment: dict[str, str], language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LANG")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    word = {"de": "Klassischer Block", "en": "Classic pad"}[language]
    assert word in shell("rules", "list")
    assert "Classic pad" in shell("rules", "list", "--lang", "en")


@pytest.mark.parametrize("language", ["de", "en"])
@pytest.mark.parametrize("command", [(), ("rules",), *COMMANDS])
def test_every_command_has_help_in_both_languages(shell: Shell, command: tuple[str, ...], language: str) -> None:
    output = shell(*command, "--help", "--lang", language) if command != ("rules",) else shell("rules", "--help")
    assert "cli-" not in output
    assert "knobel" in output
    if command != ("rules",):
        assert {"de": "Diese Hilfe zeigen.", "en": "Show this help."}[language] in output


def test_the_version_is_printed(shell: Shell) -> None:
    assert shell("--version") == f"knobel {knobel.__version__}\n"


@pytest.mark.parametrize("columns", ["20", "40", "200"])
def test_narrow_terminals_are_not_overrun(shell: Shell, columns: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    for command in (("show", "six-dice"), ("diff", "classic", "yatzy"), ("list",)):
        output = shell("rules", *command)
        assert max(map(len, output.splitlines())) <= int(columns)


def _start(*arguments: str, **settings: Any) -> "subprocess.Popen[str]":
    environment = {**os.environ, "LANG": "C.UTF-8", "PYTHONUNBUFFERED": "1", **settings.pop("env", {})}
    return subprocess.Popen(
        [sys.executable, "-m", "knobel", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        **settings,
    )


def test_a_reader_that_goes_away_is_no_error() -> None:
    process = _start("rules", "show", "six-dice", "--json")
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == ""
    assert process.wait(20) == 1
    process.stderr.close()


def test_a_terminal_without_umlauts_is_no_error() -> None:
    process = _start("rules", "show", "classic", "--lang", "de", env={"PYTHONIOENCODING": "ascii"})
    output, errors = process.communicate(timeout=20)
    assert (process.returncode, errors) == (0, "")
    assert "Stra?e" in output


def test_the_rules_need_no_server() -> None:
    code = "import sys; from knobel.cli.command import run; run(['rules', 'list']); print('fastapi' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=20)
    assert done.stdout.splitlines()[-1] == "False"


def _address(process: "subprocess.Popen[str]") -> str:
    """The address that a starting server prints."""
    assert process.stdout is not None
    for line in process.stdout:
        if "http://" in line:
            return "http://" + line.partition("http://")[2].split()[0]
    raise AssertionError(process.communicate())


@pytest.mark.parametrize("command", [["serve"], ["play", "--no-browser"], ["--no-browser"]])
def test_the_server_starts_says_where_and_ends_with_ctrl_c(tmp_path: Path, command: list[str]) -> None:
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        port = busy.getsockname()[1]
        process = _start(*command, "--data", str(tmp_path), "--port", str(port))
        try:
            address = _address(process)
            assert f":{port}/" not in address
            with urllib.request.urlopen(f"{address}api/rulesets", timeout=10) as answer:
                assert "six-dice" in answer.read().decode()
            assert any(tmp_path.iterdir())
        finally:
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=20)
        assert (process.returncode, errors) == (0, "")


def test_ctrl_c_gives_130(tmp_path: Path) -> None:
    fifo = tmp_path / "slow.json"
    os.mkfifo(fifo)
    process = _start("rules", "cases", str(fifo))
    with fifo.open("w"):  # the command waits for more
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
    assert (process.returncode, errors) == (130, "")
