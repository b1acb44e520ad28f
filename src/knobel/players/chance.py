"""A player without a plan: any legal action, each as likely as the others."""

from random import Random

from knobel.action import Action
from knobel.game import State, legal_actions


class Aimless:
    """Chooses among the legal actions at random; it can play every ruleset."""

    def choose(self, state: State, rng: Random) -> Action:
        """Any legal action."""
        return rng.choice(legal_actions(state))
