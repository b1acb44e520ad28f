"""Long drills and solves: `./check --long NAME [--scale 0.1]` runs one of them.

A run is a function that takes its scale (1.0 is the full size), can be stopped and started again, and
writes its own row to docs/results.md. It joins the registry with one line in RUNS.
"""

import argparse
import sys
from collections.abc import Callable

RUNS: dict[str, Callable[[float], None]] = {}


def main(args: list[str]) -> int:
    """Run the drill that the arguments name; 2 if there is none of that name."""
    parser = argparse.ArgumentParser(prog="./check --long", description="Run one long drill or solve.")
    parser.add_argument("name", metavar="NAME", help=f"one of: {known()}")
    parser.add_argument(
        "--scale", type=float, default=1.0, metavar="X", help="share of the full size (default: 1)"
    )
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
