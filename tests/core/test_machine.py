"""Random games with drawn rules, options and players, step by step, by hypothesis."""

from random import Random
from typing import Any

import hypothesis.strategies as st
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import knobel
from knobel import Action, Box, Enter, Throw
from knobel.action import Choose, Extra, Pick, Spend
from tests.core.houses import HOUSES
from tests.core.playing import CheckedGame, random_choices, random_faces

SEEDS = st.integers(0, 2**32)
RULESETS = (*knobel.builtin_ids(), *HOUSES, *["acht-mann"] * 3)  # it has more to meet than the others


class GameMachine(RuleBasedStateMachine):
    """One game; every rule is checked against the reference before and after it."""

    game: CheckedGame

    @initialize(ruleset=st.sampled_from(RULESETS), players=st.integers(1, 5), data=st.data(), seed=SEEDS)
    def begin(self, ruleset: str, players: int, data: st.DataObject, seed: int) -> None:
        source = HOUSES.get(ruleset, ruleset)
        choices = random_choices(source, Random(seed))
        self.game = CheckedGame(source, choices, players, first=data.draw(st.integers(0, players - 1)))

    def _goes_on(self) -> bool:
        return self.game.state.turn is not None

    @precondition(_goes_on)
    @rule(data=st.data(), seed=SEEDS, rare=st.booleans())
    def act(self, data: st.DataObject, seed: int, rare: bool) -> None:
        legal: tuple[Action, ...] = knobel.legal_actions(self.game.state)
        some = [action for action in legal if isinstance(action, Spend | Extra)]
        action = data.draw(st.sampled_from(some if some and rare else legal))
        if isinstance(action, Throw | Extra):
            self.game.act(action, random_faces(Random(seed), action.keep, self.game.rules.dice))
        else:
            self.game.act(action)

    @precondition(_goes_on)
    @rule(turns=st.integers(1, 40), seed=SEEDS)
    def play_on(self, turns: int, seed: int) -> None:
        rng = Random(seed)
        for _ in range(turns):
            if self._goes_on():
                self.game.play_turn(rng)

    @rule(data=st.data())
    def refused(self, data: st.DataObject) -> None:
        action, roll = data.draw(st.sampled_from(self._illegal()))
        self.game.check_refused(action, roll)

    def _illegal(self) -> list[tuple[Any, Any]]:
        """Actions that must be refused now, with the rolls they are tried with."""
        rules, legal = self.game.rules, set(knobel.legal_actions(self.game.state))
        roll, any_roll = self.game.roll or (), (1,) * rules.dice
        strange = [Box("no_such_box"), Box(rules.boxes[0].category, len(rules.columns)), Box("", -1)]
        keeps = [(), roll[:1], roll, (*roll, 6), (7,), (6,) * 9]
        tokens = [*(token.id for token in rules.tokens), "no_such_token"]
        actions: list[tuple[Action, Any]] = [
            *((kind(box), None) for kind in (Enter, Pick) for box in [*strange, *rules.boxes]),
            *((kind(keep), (keep + any_roll)[: rules.dice]) for kind in (Throw, Extra) for keep in keeps),
            *((Spend(token), None) for token in tokens),
            *((Choose(dice), None) for dice in (roll, any_roll, (6,) * rules.dice, (), (6,) * 9, (0,) * rules.dice)),
        ]
        tries = [(action, faces) for action, faces in actions if action not in legal]
        for action in sorted(legal, key=str)[:6]:  # what is legal, with an impossible roll
            if isinstance(action, Throw | Extra):
                rolls = (None, (), any_roll[1:], (*any_roll, 1), (0, *any_roll[1:]), (*any_roll[1:], 7))
                tries += [(action, bad) for bad in rolls]
                tries += [(action, (7 - action.keep[0],) * rules.dice)] if action.keep else []
            else:
                tries.append((action, any_roll))
        return tries

    @invariant()
    def agrees(self) -> None:
        if hasattr(self, "game"):
            self.game.check()

    def teardown(self) -> None:
        if hasattr(self, "game"):
            self.game.check_record()


GameMachine.TestCase.settings = settings(
    max_examples=40,
    phases=[Phase.generate],  # a shrunk game is no shorter to read, and shrinking takes minutes
    stateful_step_count=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
TestGame = GameMachine.TestCase
