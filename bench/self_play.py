"""Random self-play through the public interface: games per second on one core.

    python bench/self_play.py [--games 500] [--seed 1] [--ruleset classic] [--json]

Each decision takes one of the legal actions at random, each throw brings fair dice; nothing is shown or recorded.
Wall-clock and processor time are both told: where they differ much, the machine was busy with something else.
"""

import argparse
import json
import platform
from random import Random
from time import perf_counter, process_time

import knobel


def play(rules: knobel.Ruleset, rng: Random) -> tuple[int, int]:
    """Total and number of actions of one solo game."""
    state, n_actions = knobel.start(rules), 0
    while not knobel.is_over(state):
        action = rng.choice(knobel.legal_actions(state))
        roll = None
        if isinstance(action, knobel.Throw):
            roll = (*action.keep, *rng.choices((1, 2, 3, 4, 5, 6), k=rules.dice - len(action.keep)))
        state, n_actions = knobel.apply(state, action, roll), n_actions + 1
    return knobel.result(state).totals[0], n_actions


def main() -> None:
    """Play the games and print how fast that was."""
    parser = argparse.ArgumentParser(description="Random self-play: games per second on one core.")
    parser.add_argument("--games", type=int, default=500, help="number of solo games (default: 500)")
    parser.add_argument("--seed", type=int, default=1, help="seed of dice and choices (default: 1)")
    parser.add_argument("--ruleset", default="classic", help="ruleset by id or file (default: classic)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    if options.games < 1:
        parser.error("--games must be at least 1")

    rules, rng = knobel.load(options.ruleset), Random(options.seed)
    play(rules, rng)  # fills the caches
    start, cpu_start = perf_counter(), process_time()
    games = [play(rules, rng) for _ in range(options.games)]
    seconds, cpu_seconds = perf_counter() - start, process_time() - cpu_start

    n_actions = sum(actions for _, actions in games)
    figures = {
        "ruleset": rules.id,
        "games": options.games,
        "seed": options.seed,
        "seconds": round(seconds, 3),
        "cpu_seconds": round(cpu_seconds, 3),
        "games_per_second": round(options.games / seconds, 1),
        "games_per_cpu_second": round(options.games / cpu_seconds, 1),
        "actions_per_second": round(n_actions / seconds),
        "mean_total": round(sum(total for total, _ in games) / options.games, 2),
        "python": platform.python_version(),
    }
    if options.json:
        print(json.dumps(figures))
    else:
        for name, figure in figures.items():
            print(f"{name.replace('_', ' '):<22}{figure}")


if __name__ == "__main__":
    main()
