"""Two players who know nothing play a whole game: `python examples/play_random.py six-dice 7`.

Prints the record of the game and the result. The record replays: `knobel.Record.parse(text).replay()`.
"""

import random
import sys

import knobel
from knobel.record import Event


def main(source: str = "classic", seed: str = "1") -> None:
    """Play, print the record, then the totals."""
    rng = random.Random(seed)
    rules = knobel.load(source)
    state = knobel.start(rules, players=2)
    events = []
    while state.turn is not None:
        action = rng.choice(knobel.legal_actions(state))
        faces: tuple[int, ...] = ()
        if isinstance(action, knobel.Throw):
            thrown = (rng.randint(1, 6) for _ in range(rules.dice - len(action.keep)))
            faces = (*action.keep, *thrown)
        events.append(Event(state.turn.seat, action, faces))
        state = knobel.apply(state, action, faces or None)
    print(knobel.Record(rules, ("Anna", "Ben"), events=tuple(events)).format())
    for name, total in zip(("Anna", "Ben"), knobel.result(state).totals, strict=True):
        print(f"# {name}: {total}")


if __name__ == "__main__":
    main(*sys.argv[1:])
