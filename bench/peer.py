"""What the peer, yatzy-solver 1.0.0, needs for the work that bench/solver.py times: tables, queries, whole games.

    python bench/peer.py build [--rules american-forced]
    python bench/peer.py queries [--rules american-forced] [--count 3000] [--rounds 5] [--seed 1]
    python bench/peer.py simulate [--rules american-forced] [--games 20000] [--seed 1]

Every call starts a fresh interpreter with one worker thread, so nothing is warm and nothing is shared, and the figures
compare with one core of ours. The peer keeps no tables on disk unless it is told to: each build starts from nothing.
Figures come as dictionaries that JSON can hold.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed_version
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter, process_time
from typing import Any, NamedTuple, TypedDict

RULES = {  # our name: the peer's; our rulesets are classic with joker=..., the last one yatzy
    "american-forced": "american+forced-joker",
    "american-free": "american",
    "american-none": "american+no-joker",  # 100 points for a further five alike all the same
    "yatzy": "yatzy-scandinavian",
}
INSTALL = ".ci/uv sync --inexact --group bench"
FIVE_ALIKE = 11  # the row of the American pad whose points decide about the 100 points


class Situation(NamedTuple):
    """A decision to be made, in terms that both programs can be told."""

    dice: tuple[int, ...]  # ascending
    throws_left: int  # 2, 1 or 0
    entries: tuple[int | None, ...]  # points by row of the pad, None where free


class BuildFigures(TypedDict):
    """A table from nothing, without the start of the interpreter."""

    value: float  # expected total of a game
    seconds: float
    cpu_seconds: float  # user time of all threads
    peak_mb: float  # resident, of the whole process with the interpreter, in units of 2**20 bytes


class QueryFigures(TypedDict):
    """How fast the values of all options of a situation come."""

    situations: int
    latency_us: dict[int, float]  # by throws left: one query at a time, text in and a list of pairs out
    batch_per_second: float  # situations, a third each with 2, 1 and 0 throws left; arrays in, arrays out
    batch_per_cpu_second: float
    peak_mb: float


class SimulateFigures(TypedDict):
    """How fast whole games of best play go, without the table they need."""

    games: int
    mean: float
    seconds: float
    cpu_seconds: float
    games_per_second: float
    games_per_cpu_second: float


def version() -> str | None:
    """The version of the installed peer, None if there is none."""
    try:
        return installed_version("yatzy-solver")
    except PackageNotFoundError:
        return None


def situations(rules: str, count: int, seed: int = 1) -> list[Situation]:
    """Seeded situations in which throws left go 2, 1, 0 in turn, on pads with none to all but one of the boxes filled.

    >>> situations("yatzy", 1)[0].throws_left
    2
    """
    rng, size = Random(seed), 15 if rules == "yatzy" else 13
    found = []
    for number in range(count):
        entries: list[int | None] = [None] * size
        for row in rng.sample(range(size), rng.randrange(size)):
            if row < 6:
                entries[row] = (row + 1) * rng.randrange(6)
            else:  # what other lower boxes hold matters to no decision
                entries[row] = rng.choice((0, 50)) if row == FIVE_ALIKE and size == 13 else 0
        dice = tuple(sorted(rng.choices((1, 2, 3, 4, 5, 6), k=5)))
        found.append(Situation(dice, 2 - number % 3, tuple(entries)))
    return found


def build(rules: str = "american-forced") -> BuildFigures:
    """Time and memory of a table from nothing, in double precision, and the value of a game."""
    figures: BuildFigures = _fresh("build", rules=rules)
    return figures


def queries(rules: str = "american-forced", count: int = 3000, rounds: int = 5, seed: int = 1) -> QueryFigures:
    """Query times: the median of so many rounds over `situations(rules, count, seed)`, after an unmeasured one."""
    if count < 3 or rounds < 1:
        raise ValueError(f"count {count}, rounds {rounds}: expected at least 3 situations and 1 round")
    figures: QueryFigures = _fresh("queries", rules=rules, count=count, rounds=rounds, seed=seed)
    by_text = figures["latency_us"]  # JSON made the keys text
    figures["latency_us"] = {int(left): value for left, value in by_text.items()}
    return figures


def simulate(n_games: int, rules: str = "american-forced", seed: int = 1) -> SimulateFigures:
    """Games of best play, in one run."""
    if n_games < 1:
        raise ValueError(f"n_games {n_games}: expected at least 1")
    figures: SimulateFigures = _fresh("simulate", rules=rules, n_games=n_games, seed=seed)
    return figures


def _fresh(job: str, **arguments: object) -> Any:
    """The figures of a job, run by this file in an interpreter of its own with one worker thread."""
    if arguments["rules"] not in RULES:
        raise ValueError(f"rules {arguments['rules']!r}: expected one of {', '.join(RULES)}")
    if version() is None:
        print(f"yatzy-solver is not installed for {sys.executable}. To install it: {INSTALL}", file=sys.stderr)
        raise SystemExit(2)
    command = [sys.executable, str(Path(__file__).resolve()), "--here", job, json.dumps(arguments)]
    done = subprocess.run(
        command, env={**os.environ, "RAYON_NUM_THREADS": "1"}, stdout=subprocess.PIPE, check=True, text=True
    )
    return json.loads(done.stdout)


def _build_here(rules: str) -> BuildFigures:
    peer = import_module("yatzy_solver")
    start, cpu_start = perf_counter(), os.times().user
    solver = peer.Solver.build(peer.Variant(RULES[rules]))
    seconds, cpu_seconds = perf_counter() - start, os.times().user - cpu_start
    value: float = solver.state_value("upper 0 | filled -")
    return {"value": value, "seconds": seconds, "cpu_seconds": cpu_seconds, "peak_mb": _peak_mb()}


def _queries_here(rules: str, count: int, rounds: int, seed: int) -> QueryFigures:
    peer = import_module("yatzy_solver")
    variant = peer.Variant(RULES[rules])
    solver = peer.Solver.build(variant)
    asked = situations(rules, count, seed)
    texts = [_notation(situation, variant.categories) for situation in asked]
    columns = variant.situation_arrays(texts)
    arrays = [columns[name] for name in ("filled", "upper", "armed", "dice", "rolls_left")]

    latency_us = {}
    for left in (2, 1, 0):
        own = [text for text, situation in zip(texts, asked, strict=True) if situation.throws_left == left]
        times = [_ask_each(solver.option_values, own) for _ in range(rounds + 1)][1:]
        latency_us[left] = median(times) / len(own) * 1e6

    solver.option_values_batch(*arrays)
    seconds, cpu_seconds = [], []
    for _ in range(rounds):
        start, cpu_start = perf_counter(), process_time()
        solver.option_values_batch(*arrays)
        seconds.append(perf_counter() - start)
        cpu_seconds.append(process_time() - cpu_start)
    return {
        "situations": count,
        "latency_us": latency_us,
        "batch_per_second": count / median(seconds),
        "batch_per_cpu_second": count / median(cpu_seconds),
        "peak_mb": _peak_mb(),
    }


def _simulate_here(rules: str, n_games: int, seed: int) -> SimulateFigures:
    peer = import_module("yatzy_solver")
    solver = peer.Solver.build(peer.Variant(RULES[rules]))
    solver.simulate(10, seed=seed)  # what is set up at the first use
    start, cpu_start = perf_counter(), process_time()
    mean: float = solver.simulate(n_games, seed=seed)["mean"]
    seconds, cpu_seconds = perf_counter() - start, process_time() - cpu_start
    return {
        "games": n_games,
        "mean": mean,
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "games_per_second": n_games / seconds,
        "games_per_cpu_second": n_games / cpu_seconds,
    }


def _ask_each(ask: Callable[[str], object], texts: Sequence[str]) -> float:
    """Seconds to ask for one situation after the other."""
    start = perf_counter()
    for text in texts:
        ask(text)
    return perf_counter() - start


def _notation(situation: Situation, ids: Sequence[str]) -> str:
    """The situation as the peer reads it."""
    entries = situation.entries
    filled = ",".join(name for name, points in zip(ids, entries, strict=True) if points is not None)
    parts = [
        f"dice {' '.join(map(str, situation.dice))}",
        f"rolls {situation.throws_left}",
        f"upper {sum(points or 0 for points in entries[:6])}",
        f"filled {filled or '-'}",
    ]
    if len(ids) == 13 and entries[FIVE_ALIKE] is not None:
        parts.append(f"{ids[FIVE_ALIKE]} {entries[FIVE_ALIKE]}")
    return " | ".join(parts)


def _peak_mb() -> float:
    """Peak of this process alone: what getrusage says on Linux may still be the peak of the process that started it."""
    status = Path("/proc/self/status")
    if status.exists():
        lines = status.read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) / 1024
    usage = import_module("resource")
    peak: int = usage.getrusage(usage.RUSAGE_SELF).ru_maxrss
    return peak / 2**20 if sys.platform == "darwin" else peak / 1024


HERE: dict[str, Callable[..., object]] = {"build": _build_here, "queries": _queries_here, "simulate": _simulate_here}


def main() -> None:
    """Print the figures of one job as a JSON object."""
    if sys.argv[1:2] == ["--here"]:  # the inside of _fresh
        print(json.dumps(HERE[sys.argv[2]](**json.loads(sys.argv[3]))))
        return
    parser = argparse.ArgumentParser(description="Figures of yatzy-solver, the peer, on one thread.")
    parser.add_argument("job", choices=list(HERE))
    parser.add_argument("--rules", choices=list(RULES), default="american-forced")
    parser.add_argument("--count", type=int, default=3000, help="situations to ask about (default: 3000)")
    parser.add_argument("--rounds", type=int, default=5, help="measured rounds of queries (default: 5)")
    parser.add_argument("--games", type=int, default=20000, help="games to simulate (default: 20000)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    jobs: dict[str, Callable[[], object]] = {
        "build": lambda: build(options.rules),
        "queries": lambda: queries(options.rules, options.count, options.rounds, options.seed),
        "simulate": lambda: simulate(options.games, options.rules, options.seed),
    }
    try:
        print(json.dumps(jobs[options.job]()))
    except ValueError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
