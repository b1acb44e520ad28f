"""Random games with drawn rules, options and players, step by step, by hypothesis."""

from random import Random
from typing import Any

import hypothesis.strategies as st
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import knobel
from knobel import Box, Enter, Throw
from knobel.game import budget
from tests.core.playing import CheckedGame, random_choices, random_faces

SEEDS = st.integers(0, 2**32)


class GameMachine(RuleBasedStateMachine):
    """One game; every rule is checked against the reference before and after it."""

    game: CheckedGame

    @initialize(ruleset=st.sampled_from(knobel.builtin_ids()), players=st.integers(1, 5), data=st.data(), seed=SEEDS)
    def begin(self, ruleset: str, players: int, data: st.DataObject, seed: int) -> None:
        choices = random_choices(ruleset, Random(seed))
        self.game = CheckedGame(ruleset, choices, players, first=data.draw(st.integers(0, players - 1)))
        self.thrown = 0

    def _goes_on(self) -> bool:
        return self.game.state.turn is not None

    def _has_roll(self) -> bool:
        return self.game.roll is not None

    def _is_turn_start(self) -> bool:
        return self._goes_on() and not self._has_roll()

    @precondition(_goes_on)
    @rule(data=st.data(), seed=SEEDS)
    def throw(self, data: st.DataObject, seed: int) -> None:
        keeps = [action.keep for action in knobel.legal_actions(self.game.state) if isinstance(action, Throw)]
        if keeps:
            keep = data.draw(st.sampled_from(keeps))
            self.game.throw(keep, random_faces(Random(seed), keep, self.game.rules.dice))

    @precondition(_has_roll)
    @rule(data=st.data())
    def enter(self, data: st.DataObject) -> None:
        legal = [action for action in knobel.legal_actions(self.game.state) if isinstance(action, Enter)]
        self.game.enter(data.draw(st.sampled_from(legal)).box)

    @precondition(_is_turn_start)
    @rule(turns=st.integers(1, 60), seed=SEEDS)
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
        rules, turn = self.game.rules, self.game.state.turn
        roll, any_roll = self.game.roll, (1,) * rules.dice
        legal = set(knobel.legal_actions(self.game.state))
        boxes = [Box("no_such_box"), Box(rules.boxes[0].category, len(rules.columns)), Box("", -1), *rules.boxes]
        tries: list[tuple[Any, Any]] = [(Enter(box), None) for box in boxes if Enter(box) not in legal]
        if turn is None:
            return [*tries, (Throw(), any_roll)]
        if roll is None:
            rolls = (None, (), any_roll[1:], (*any_roll, 1), (0, *any_roll[1:]), (*any_roll[1:], 7))
            return [*tries, (Throw((1,)), any_roll), *((Throw(), bad) for bad in rolls)]
        tries += [
            (Throw(roll), roll),
            (Throw((*roll, 6)), (*roll, 6)),
            (Throw((7,)), any_roll),
            (Throw((6,) * 9), any_roll),
        ]
        tries += [(action, any_roll) for action in legal if isinstance(action, Enter)]
        if turn.throws >= budget(self.game.state, turn.seat):
            tries += [(Throw(), any_roll), (Throw(roll[:1]), roll)]
        else:
            tries += [(Throw(), None), (Throw(roll[:1]), (7 - roll[0],) * rules.dice)]
        return tries

    @invariant()
    def agrees(self) -> None:
        if hasattr(self, "game"):
            self.game.check()

    def teardown(self) -> None:
        if hasattr(self, "game"):
            self.game.check_record()


GameMachine.TestCase.settings = settings(
    max_examples=45,
    phases=[Phase.generate],  # a shrunk game is no shorter to read, and shrinking takes minutes
    stateful_step_count=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
TestGame = GameMachine.TestCase
