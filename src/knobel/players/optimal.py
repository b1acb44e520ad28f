"""The optimal player: it plays for the highest expected total, from exact values, whatever the others do."""

from random import Random

from knobel.action import Action
from knobel.errors import KnobelError, Reason
from knobel.game import State
from knobel.solver.values import Values


class Optimal:
    """Never wrong by more than rounding; deterministic. Equally good actions: stop, or keep more dice, or higher ones.

    In a game for one it does with the same dice what `sim.simulate_optimal` does.
    """

    def __init__(self, values: Values) -> None:
        """A player of the game that these are the values of."""
        self._values = values

    def choose(self, state: State, rng: Random) -> Action:  # noqa: ARG002 - policies may be random, this one is not
        """The action with the highest value. Raises `KnobelError` for a game of other rules, or one that is over."""
        if state.turn is None:
            raise KnobelError(Reason("game-over", {"action": "-"}))
        return self._values.action_values(state)[0][0]
