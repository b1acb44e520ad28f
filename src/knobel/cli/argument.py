"""What several commands take on the command line, and what they make of it: options, rulesets, the terminal."""

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from typer.exceptions import TyperException

from knobel.errors import KnobelError, Param, Reason, RulesetError
from knobel.option import from_text
from knobel.ruleset import admitted_options, compose_ruleset
from knobel.schema import listed, shown
from knobel.text import LANGUAGES
from knobel.vocabulary import OptionValue, Ruleset

_WIDTH_OF_PIPES, _MAX_PORT, _MAX_THREADS = 100, 65_535, 1024
_MAX_GAMES, _MAX_SEED = 100_000_000, 2**63 - 1


class MissingParameter(TyperException):
    """An argument that this call needs, although not every call of the command does."""

    def __init__(self, context: typer.Context, name: str) -> None:
        """`name` is that of the parameter in the code."""
        super().__init__(name)
        self.ctx = context
        self.param = next(parameter for parameter in context.command.params if parameter.name == name)


def _known_language(text: str) -> str:
    if text and text not in LANGUAGES:
        raise RulesetError("--lang", "", Reason("expected-one-of", {"values": listed(LANGUAGES), "found": shown(text)}))
    return text


def _whole(option: str, low: int, high: int) -> Callable[[str | int], int]:
    """What reads a whole number between limits, from an option of this name."""

    def read(text: str | int) -> int:
        digits = str(text)
        if not digits.isdecimal() or len(digits) > len(str(high)) or not low <= int(digits) <= high:
            limits: dict[str, Param] = {"low": low, "high": str(high), "found": shown(digits)}
            raise RulesetError(option, "", Reason("expected-whole", limits))
        return int(digits)

    return read


Json = Annotated[bool, typer.Option("--json", help="cli-help-json")]
Lang = Annotated[str, typer.Option("--lang", metavar="de|en", parser=_known_language, help="cli-help-lang")]
RulesetId = Annotated[str, typer.Argument(metavar="ID", help="cli-help-id")]
Options = Annotated[list[str] | None, typer.Option("-o", metavar="NAME=VALUE", help="cli-help-option")]
Port = Annotated[
    int | None, typer.Option("--port", metavar="PORT", parser=_whole("--port", 0, _MAX_PORT), help="cli-help-port")
]
Threads = Annotated[
    int | None,
    typer.Option("--threads", metavar="N", parser=_whole("--threads", 1, _MAX_THREADS), help="cli-help-threads"),
]
Games = Annotated[
    int | None, typer.Option("--games", metavar="N", parser=_whole("--games", 1, _MAX_GAMES), help="cli-help-games")
]
Seed = Annotated[int, typer.Option("--seed", metavar="N", parser=_whole("--seed", 0, _MAX_SEED), help="cli-help-seed")]
Data = Annotated[Path | None, typer.Option("--data", envvar="KNOBEL_DATA", help="cli-help-data")]
Host = Annotated[str | None, typer.Option("--host", metavar="ADDRESS", help="cli-help-host")]
Lan = Annotated[bool, typer.Option("--lan", help="cli-help-lan")]
PublicUrl = Annotated[str | None, typer.Option("--public-url", metavar="URL", help="cli-help-public-url")]
DatabaseAddress = Annotated[
    str | None,
    typer.Option("--database", metavar="URL", envvar="KNOBEL_DATABASE", show_envvar=False, help="cli-help-database"),
]
Workers = Annotated[
    int | None, typer.Option("--workers", metavar="N", parser=_whole("--workers", 1, 64), help="cli-help-workers")
]
NoBrowser = Annotated[bool, typer.Option("--no-browser", help="cli-help-no-browser")]


def compose(source: str, texts: Sequence[str]) -> Ruleset:
    """The ruleset with options as they stand on the command line."""
    admitted = {option.name: option for option in admitted_options(source)}
    choices: dict[str, OptionValue] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not name or not equals:
            raise KnobelError(Reason("cli-option-form", {"found": shown(text)}))
        choices[name] = from_text(admitted[name], value) if name in admitted else value
    return compose_ruleset(source, choices)


def console() -> Console:
    """Standard output: colours and the width of a terminal, plain text elsewhere."""
    wide = None if sys.stdout.isatty() or "COLUMNS" in os.environ else _WIDTH_OF_PIPES
    return Console(width=wide, highlight=False, markup=False, emoji=False)
