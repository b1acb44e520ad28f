"""Running a command of `knobel` in the test's own process."""

import json
from pathlib import Path
from typing import Any

import pytest

from knobel.cli.command import run


class Command:
    """Runs one command with a data folder of its own, in English unless told otherwise."""

    def __init__(
        self, name: str, capsys: pytest.CaptureFixture[str], data: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for variable in ("LC_ALL", "LC_MESSAGES", "COLUMNS", "KNOBEL_DATA"):
            monkeypatch.delenv(variable, raising=False)
        monkeypatch.setenv("LANG", "C.UTF-8")
        self._name, self._capsys, self.data = name, capsys, data

    def __call__(self, *arguments: str, code: int = 0) -> tuple[str, str]:
        """What the command prints on standard output, and on standard error."""
        assert run([self._name, *arguments, "--data", str(self.data)]) == code
        captured = self._capsys.readouterr()
        assert "Traceback" not in captured.err
        return captured.out, captured.err

    def json(self, *arguments: str) -> Any:
        return json.loads(self(*arguments, "--json")[0])

    def refused(self, *arguments: str) -> str:
        """The error of a command that is refused."""
        out, err = self(*arguments, code=2)
        assert out == ""
        assert err.startswith("knobel: ")
        return err.removeprefix("knobel: ").rstrip()

    def rows(self, *arguments: str) -> list[list[str]]:
        """The cells of the printed lines; two blanks part them."""
        out, _ = self(*arguments)
        return [[cell.strip() for cell in line.split("  ") if cell.strip()] for line in out.splitlines()]
