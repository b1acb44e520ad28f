"""`knobel verify`: what it prints for people and programs, and its exit codes."""

import io
import json
import sys
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

import knobel
from knobel import Record
from knobel.cli.command import run
from knobel.players.chance import Aimless
from tests.fair_dice import exchange_of, played

FAIR = exchange_of("cli-table", 3, silent=1)
GAME = replace(
    played(knobel.load("yatzy"), FAIR, "highest_throw", Aimless(), Random(1), 4), seats=("Ada", "Ben", "Ada", "\x1b[2J")
)
N_THROWS = sum(bool(event.faces) for event in GAME.events)


class Shell:
    def __init__(self, capsys: pytest.CaptureFixture[str], folder: Path) -> None:
        self._capsys, self.path = capsys, folder / "game.knobel"

    def __call__(self, record: Record, *arguments: str, code: int) -> str:
        self.path.write_text(record.format(), encoding="utf-8")
        return self.run(str(self.path), *arguments, code=code)

    def run(self, *arguments: str, code: int) -> str:
        assert run(["verify", *arguments]) == code
        captured = self._capsys.readouterr()
        assert "Traceback" not in captured.err
        assert (captured.err == "") == (code < 2)
        return captured.err if code == 2 else captured.out


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    for name in ("LC_ALL", "LC_MESSAGES", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "C.UTF-8")
    return Shell(capsys, tmp_path)


def damaged(number: int = 1) -> Record:
    """The game with another first throw of this event."""
    event = GAME.events[number - 1]
    faces = tuple(7 - face for face in event.faces)
    return replace(GAME, events=(*GAME.events[: number - 1], replace(event, faces=faces), *GAME.events[number:]))


def test_a_verified_record(shell: Shell) -> None:
    first = ("Ada", "Ben", "Ada", "?[2J")[GAME.first]
    assert shell(GAME, code=0).splitlines() == [
        "Yatzy (yatzy)",
        "Dice       from seed and shares",
        "Table      cli-table",
        "Seat 1     Ada: commitment and share fit",
        "Seat 2     Ben: commitment and share fit",
        "Seat 3     Ada: commitment without a share, adds nothing",
        "Seat 4     ?[2J: no share",
        "Seed       fits its commitment",
        f"Beginning  {first} begins, as derived",
        f"Throws     {N_THROWS} as derived",
        "",
        "Verified: every throw follows from seed and shares.",
    ]
    assert shell(GAME, "--lang", "de", code=0).endswith("\nBestätigt: Jeder Wurf folgt aus Startwert und Anteilen.\n")


def test_a_record_that_differs_says_where(shell: Shell) -> None:
    derived, found = ("".join(map(str, dice)) for dice in (GAME.events[0].faces, damaged().events[0].faces))
    lines = shell(damaged(), code=1).splitlines()
    assert f"Throws     0 as derived – event 1: kept -, derived {derived}, on the table {found}" in lines
    assert lines[-1] == "Not verified at event 1: Seed and shares bring other dice."
    lines = shell(replace(GAME, first=(GAME.first + 1) % 4), code=1).splitlines()
    assert lines[-1].startswith("Not verified: Seat ")
    assert "by the record" in lines[8]
    assert "Not verified at event" in shell(replace(GAME, events=GAME.events[1:]), code=1)


@pytest.mark.parametrize(
    ("record", "words"),
    [
        (replace(GAME, dice="typed", fair=None), "thrown on a real table"),
        (replace(GAME, dice="server", fair=None), "no exchange of secrets"),
        (replace(GAME, fair=None), "no exchange of secrets"),
        (replace(GAME, fair=replace(FAIR, seed=None)), "not shown yet"),
        (replace(GAME, fair=replace(FAIR, seed="ab" * 32)), "does not fit its commitment"),
        (replace(GAME, fair=replace(FAIR, shares=((0, "ab" * 32),))), "Ada: commitment and share do not fit"),
        (replace(GAME, fair=replace(FAIR, commitments=())), "without a commitment"),
        (replace(GAME, first=9, begin="seat"), "Not verified"),
    ],
)
def test_what_proves_nothing_is_said_plainly(shell: Shell, record: Record, words: str) -> None:
    out = shell(record, code=1)
    assert words in out
    assert "Not verified" in out.splitlines()[-1]
    assert shell(record, "--lang", "de", code=1).splitlines()[-1].startswith("Nicht bestätigt")


def test_json_has_every_throw(shell: Shell) -> None:
    data: dict[str, Any] = json.loads(shell(GAME, "--json", code=0))
    assert data["verified"] is True
    assert (data["dice"], data["begin"], data["table"], data["seed"]) == (
        "provable",
        "highest_throw",
        "cli-table",
        "fits",
    )
    assert [seat["share"] for seat in data["seats"]] == ["fits", "fits", "withheld", "none"]
    assert (data["derived"], len(data["throws"]), data["differs"]) == (N_THROWS, N_THROWS, None)
    assert data["first"] == data["beginner"] == GAME.first
    assert data["throws"][0] == {
        "event": 1, "seat": GAME.first, "keep": [], "thrown": list(GAME.events[0].faces),
        "recorded": list(GAME.events[0].faces), "agrees": True,
    }  # fmt: skip
    data = json.loads(shell(damaged(), "--json", code=1))
    assert (data["verified"], data["differs"], data["reason"]["key"]) == (False, 1, "verify-differs")
    assert [throw["agrees"] for throw in data["throws"]] == [False]
    data = json.loads(shell(replace(GAME, fair=None), "--json", code=1))
    assert [problem["key"] for problem in data["problems"]] == ["verify-no-exchange"]
    assert (data["table"], data["seed"]) == (None, "hidden")


def stdin(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


def test_text_and_json_from_standard_input(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    for text in (GAME.format(), json.dumps(GAME.to_json())):
        stdin(monkeypatch, text.encode())
        assert "Verified" in shell.run("-", code=0)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "header line knobel is missing"),
        (b"knobel 1\nnonsense", "line 2"),
        (b"{", "no valid JSON"),
        (b"{}", "header line knobel is missing"),
        (b'{"a":' * 100_000, "no valid JSON"),
        (b"\xff", "UTF-8"),
        (b"x" * (16 * 2**20 + 1), "too large"),
        (GAME.format().replace("seed ", "seed x").encode(), "64 lower-case hex digits"),
    ],
    ids=["nothing", "line", "brace", "empty", "deep", "bytes", "large", "hex"],
)
def test_what_cannot_be_read_is_refused(shell: Shell, monkeypatch: pytest.MonkeyPatch, data: bytes, words: str) -> None:
    stdin(monkeypatch, data)
    assert words in shell.run("-", code=2)
    shell.path.write_bytes(data)
    assert words in shell.run(str(shell.path), code=2)


def test_a_file_that_is_not_there_is_refused(shell: Shell) -> None:
    assert str(shell.path) in shell.run(str(shell.path), code=2)
