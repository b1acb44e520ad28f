"""The long drill `options`: a full checked game for every two option values that can be chosen together.

About five minutes at full size, so there is nothing to resume: a stopped drill starts again.
"""

import sys
from collections.abc import Iterator
from random import Random
from time import monotonic

import knobel
from tests.core.playing import CheckedGame, paired_choices
from tests.core.reference import Choices


def drill(scale: float) -> int:
    """Play every n-th pair, n = 1 / scale, of each ruleset; the number of games. The first fault is raised."""
    step, played = max(1, round(1 / scale)), 0
    for number, (ruleset, choices) in enumerate(_pairs()):
        if number % step:
            continue
        game = CheckedGame(ruleset, choices, players=1 + number % 3 % 2)
        try:
            game.play(Random(number))
        except AssertionError:
            print(f"{ruleset} {choices}, seed {number}\n{game.record.format()}", file=sys.stderr)
            raise
        played += 1
    return played


def _pairs() -> Iterator[tuple[str, Choices]]:
    for ruleset in knobel.builtin_ids():
        for choices in paired_choices(ruleset):
            yield ruleset, choices


def figure(scale: float) -> str:
    """Run the drill and say what it did."""
    start = monotonic()
    return f"{drill(scale)} games of option pairs, all checked, {monotonic() - start:.0f} s"
