"""Our solver against the peer yatzy-solver in one run: tables from nothing, queries, simulation; and what it needs.

    .ci/uv sync --inexact --group bench
    python bench/solver.py [--rounds 3] [--json]        the peer's figures and ours, ratio first
    python bench/solver.py --large                      six dice without saved throws, two threads

Every figure of ours comes from a fresh interpreter on one thread, with compiled code on disk from an earlier run.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

import peer

OURS: Mapping[str, tuple[str, dict[str, Any]]] = {
    "american-forced": ("classic", {"joker": "forced"}),
    "american-free": ("classic", {"joker": "free"}),
    "yatzy": ("yatzy", {}),
}


def build(rules: str) -> dict[str, float]:
    """A table from nothing on one thread."""
    from knobel import load
    from knobel.solver import Values

    source, options = OURS[rules]
    composed, begin = load(source, **options), process_time()
    values = Values.solve(composed, threads=1)
    return {
        "value": values.table.value,
        "seconds": values.table.seconds,
        "cpu_seconds": process_time() - begin,
        "peak_mb": peak_mb(),
    }


def queries(rules: str, count: int = 3000, rounds: int = 5) -> dict[str, Any]:
    """All options of a situation, one at a time by throws left, and many at once: the peer's situations."""
    import numpy as np

    from knobel import load
    from knobel.dice import roll_index
    from knobel.game import State
    from knobel.sheet import Sheet, empty_sheet
    from knobel.solver import Values
    from knobel.turn import Turn

    source, options = OURS[rules]
    composed = load(source, **options)
    values = Values.solve(composed)
    states = []
    for case in peer.situations(rules, count):
        sheet = Sheet(case.entries, empty_sheet(composed).counters)
        turn = Turn(0, composed.throws - case.throws_left, case.dice)
        states.append(State(composed, (sheet,), turn))
    assert all(state.turn is not None and state.turn.roll in roll_index(composed.dice) for state in states)
    latencies: dict[int, list[float]] = {0: [], 1: [], 2: []}
    for state in states:
        begin = perf_counter()
        values.action_values(state)
        assert state.turn is not None
        latencies[composed.throws - state.turn.throws].append(perf_counter() - begin)
    situations = values.situations(states * max(1, 60_000 // len(states)))
    values.prices(situations)
    rates = []
    for _ in range(rounds):
        begin = process_time()
        values.prices(situations)
        rates.append(len(situations) / (process_time() - begin))
    return {
        "median_us": {left: 1e6 * median(times) for left, times in latencies.items()},
        "p99_us": {left: 1e6 * float(np.percentile(times, 99)) for left, times in latencies.items()},
        "batch_per_cpu_second": median(rates),
    }


def simulate(rules: str, n_games: int = 1_000_000) -> dict[str, float]:
    """Games of the optimal player on one thread."""
    from knobel import load
    from knobel.sim import simulate_optimal
    from knobel.solver import Values

    source, options = OURS[rules]
    values = Values.solve(load(source, **options))
    simulate_optimal(values, 1000, threads=1)
    begin = process_time()
    games = simulate_optimal(values, n_games, threads=1)
    return {"games": n_games, "mean": games.mean, "games_per_cpu_second": n_games / (process_time() - begin)}


def distribute(rules: str) -> dict[str, float]:
    """The exact distribution of the final total, on all threads."""
    from knobel import load, start
    from knobel.solver import Values, distribution

    source, options = OURS[rules]
    composed = load(source, **options)
    values = Values.solve(composed)
    begin = perf_counter()
    found = distribution(values, start(composed))
    first = perf_counter() - begin
    begin = perf_counter()
    distribution(values, start(composed))
    return {"seconds": perf_counter() - begin, "first_seconds": first, "deviation": found.deviation}


def large() -> dict[str, float]:
    """Six dice without saved throws, on two threads."""
    from knobel import load
    from knobel.solver import Values

    begin = process_time()
    values = Values.solve(load("six-dice", saved_throws=False), threads=2)
    return {
        "value": values.table.value,
        "seconds": values.table.seconds,
        "cpu_seconds": process_time() - begin,
        "peak_mb": peak_mb(),
    }


def starts() -> dict[str, float]:
    """Seconds of a whole `solve classic` with nothing compiled yet, and again; and of importing knobel."""
    command = [sys.executable, "-m", "knobel", "solve", "classic", "-o", "joker=forced", "--json", "--data"]
    result = {}
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "NUMBA_CACHE_DIR": f"{folder}/code"}
        for name in ("cold", "warm"):
            begin = perf_counter()
            subprocess.run([*command, f"{folder}/{name}"], env=environment, check=True, capture_output=True)
            result[f"{name}_solve_seconds"] = perf_counter() - begin
    code = "import sys, time; t = time.perf_counter(); import knobel; t -= time.perf_counter(); print(-t, *sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert "numpy" not in told, "import knobel has loaded numpy"
    return {**result, "import_seconds": float(told[0])}


def peak_mb() -> float:
    """Most memory of this process so far, in units of 2**20 bytes; 0 where the system does not tell."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")), 0.0)


PARTS: Mapping[str, Callable[..., dict[str, Any]]] = {
    "build": build,
    "queries": queries,
    "simulate": simulate,
    "distribute": distribute,
    "large": large,
}


def apart(part: str, *arguments: str) -> dict[str, Any]:
    """Run a part in a fresh interpreter."""
    command = [sys.executable, __file__, "--part", part, *arguments]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return dict(json.loads(told))


def compare(rounds: int) -> dict[str, Any]:
    """All figures, ours and the peer's by turns."""
    result: dict[str, Any] = {}
    for rules in ("american-forced", "yatzy"):
        apart("build", rules)  # the compiled code is on disk after this
        ours, theirs = [], []
        for _ in range(rounds):
            ours.append(apart("build", rules))
            theirs.append(peer.build(rules))
        mine, other = (median(run["seconds"] for run in runs) for runs in (ours, theirs))
        assert abs(ours[0]["value"] - theirs[0]["value"]) < 1e-9, "the two programs disagree"
        result[f"build {rules}"] = {
            "ratio": other / mine,
            "seconds": mine,
            "peer_seconds": other,
            "peak_mb": ours[0]["peak_mb"],
            "peer_peak_mb": theirs[0]["peak_mb"],
        }
    mine, other = apart("queries", "american-forced"), peer.queries("american-forced")
    result["queries american-forced"] = {
        "ratio": mine["batch_per_cpu_second"] / other["batch_per_cpu_second"],
        **mine,
        "peer_latency_us": other["latency_us"],
        "peer_batch_per_cpu_second": other["batch_per_cpu_second"],
    }
    mine, theirs_ = apart("simulate", "american-forced"), peer.simulate(20_000)
    result["simulate american-forced"] = {
        "ratio": mine["games_per_cpu_second"] / theirs_["games_per_cpu_second"],
        **mine,
        "peer_games_per_cpu_second": theirs_["games_per_cpu_second"],
    }
    result["distribution american-forced"] = apart("distribute", "american-forced")
    result["starts"] = starts()
    return result


def main(arguments: Sequence[str]) -> None:
    """Run what is asked for and print it."""
    parser = argparse.ArgumentParser(description="Our solver against yatzy-solver, in one run.")
    parser.add_argument("--rounds", type=int, default=3, help="tables that each program builds (default: 3)")
    parser.add_argument("--large", action="store_true", help="six dice without saved throws instead")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--part", choices=PARTS, help=argparse.SUPPRESS)
    parser.add_argument("rest", nargs="*", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.part:
        print(json.dumps(PARTS[options.part](*options.rest)))
        return
    figures = {"six dice, no saved throws": apart("large")} if options.large else compare(options.rounds)
    if options.json:
        print(json.dumps(figures))
        return
    for name, row in figures.items():
        print(name)
        for key, value in row.items():
            print(f"  {key:28} {_shown(value)}")


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {_shown(one)}" for key, one in value.items())
    return f"{value:,.4g}" if isinstance(value, float) and abs(value) < 1e5 else f"{value:,.0f}"


if __name__ == "__main__":
    main(sys.argv[1:])
