"""Long drills and solves: `./check --long NAME [--scale 0.1]` runs one of them.

A run is a function that takes its scale (1.0 is the full size), can be stopped and started again, and
writes its own row to docs/results.md. It joins the registry with one line in RUNS.
"""

import argparse
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from knobel.folder import data_folder
from tests import audit, fair_dice
from tests.browser import acht_game
from tests.core import option_pairs
from tests.drills import mutants
from tests.drills.figure import PROGRESS
from tests.drills.registry import DRILLS, Drill
from tests.solver import six_dice

ROOT = Path(__file__).parents[1]
HEAD = """## Long runs

Each row is the last run of its kind, written by `./check --long NAME`.

| run | scale | date | commit | result |
|---|---|---|---|---|
"""


def write_row(results: Path, run: str, scale: float, figure: str) -> None:
    """Put the row of this run and scale into the table of the results file, in place of an older one."""
    commit = _git("rev-parse", "--short", "HEAD") or "-"
    if _git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!docs/results.md"):
        commit += "-dirty"
    start = f"| {run} | {scale:g} |"
    text = results.read_text(encoding="utf-8") if results.exists() else "# Results\n"
    if HEAD not in text:
        text = f"{text.rstrip()}\n\n{HEAD}"
    text = "".join(line for line in text.splitlines(keepends=True) if not line.startswith(start))
    row = f"{start} {datetime.now(UTC):%Y-%m-%d} | {commit} | {figure} |\n"
    results.write_text(text.replace(HEAD, HEAD + row), encoding="utf-8")


def _git(*args: str) -> str:
    return subprocess.run(["git", "-C", str(ROOT), *args], capture_output=True, text=True, check=False).stdout.strip()


def _figured(name: str, figure: Callable[[float], str], scale: float) -> None:
    words = figure(scale)
    print(words)
    write_row(ROOT / "docs" / "results.md", name, scale, words)


def _audit(scale: float) -> None:
    """Always whole. What was not looked up makes no row, and neither that nor a vulnerable package is a success."""
    status, words = audit.main()
    print(words)
    if status != audit.NOT_AUDITED:
        write_row(ROOT / "docs" / "results.md", "audit", scale, words)
    if status:
        raise SystemExit(status)


def _drill(name: str, drill: Drill, scale: float) -> None:
    """In a folder that is kept until the drill has ended: one that was stopped goes on there."""
    folder = data_folder() / "long" / name
    if not (folder / PROGRESS).exists():
        shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    figure = drill(scale, folder)
    print(figure.text)
    write_row(ROOT / "docs" / "results.md", name, scale, figure.text)
    shutil.rmtree(folder)
    if figure.missed:
        raise SystemExit(1)


FIGURES = {
    "acht-browser": acht_game.figure,
    "fair-dice": fair_dice.figure,
    "options": option_pairs.figure,
    "six-dice": six_dice.figure,
}
RUNS: dict[str, Callable[[float], None]] = {
    "audit": _audit,
    **{name: partial(_figured, name, figure) for name, figure in FIGURES.items()},
    **{name: partial(_drill, name, drill) for name, drill in {**DRILLS, "mutants": mutants.drill}.items()},
}


def main(args: list[str]) -> int:
    """Run the drill that the arguments name; 2 if there is none of that name."""
    parser = argparse.ArgumentParser(prog="./check --long", description="Run one long drill or solve.")
    parser.add_argument("name", metavar="NAME", help=f"one of: {known()}")
    parser.add_argument("--scale", type=float, default=1.0, metavar="X", help="share of the full size (default: 1)")
    options = parser.parse_args(args)
    if options.name not in RUNS:
        print(f"unknown long run {options.name!r}; known: {known()}", file=sys.stderr)
        return 2
    if not 0 < options.scale <= 1:
        parser.error("--scale must be above 0 and at most 1")
    RUNS[options.name](options.scale)
    return 0


def known() -> str:
    """The names of all long runs, for messages."""
    return ", ".join(sorted(RUNS)) or "none yet"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
