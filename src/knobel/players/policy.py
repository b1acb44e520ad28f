"""What every computer player is: a policy. Policies see states and nothing else; their randomness is handed in."""

from random import Random
from typing import Protocol

from knobel.action import Action
from knobel.game import State


class Policy(Protocol):
    """A player that chooses among the legal actions."""

    def choose(self, state: State, rng: Random) -> Action:
        """A legal action of the seat on turn; the same for equal states and equal random numbers."""
        ...
