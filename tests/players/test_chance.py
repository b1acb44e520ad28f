"""The aimless player: legal on every ruleset, and every legal action is as likely as any other."""

from collections import Counter
from random import Random

import pytest

import knobel
from knobel import Throw, game
from knobel.action import Extra
from knobel.players.chance import Aimless


@pytest.mark.parametrize("name", knobel.builtin_ids())
@pytest.mark.parametrize("players", [1, 2])
def test_it_finishes_every_game(name: str, players: int) -> None:
    rng, state = Random(3), knobel.start(knobel.load(name), players)
    while not game.is_over(state):
        action = Aimless().choose(state, rng)
        roll = None
        if isinstance(action, Throw | Extra):
            roll = (*action.keep, *rng.choices(range(1, 7), k=state.ruleset.dice - len(action.keep)))
        state = knobel.apply(state, action, roll)
    assert all(None not in sheet.entries for sheet in state.sheets)


def test_no_action_is_preferred() -> None:
    state = knobel.apply(knobel.start(knobel.load("classic")), Throw(), (1, 1, 1, 2, 2))
    legal = knobel.legal_actions(state)
    rng = Random(8)
    found = Counter(Aimless().choose(state, rng) for _ in range(200 * len(legal)))
    assert found.keys() == set(legal)
    assert sum((count - 200) ** 2 / 200 for count in found.values()) < 2 * len(legal)  # of about len(legal)
