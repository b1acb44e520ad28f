"""The slow oracle: the exact solitaire optimum of any ruleset, found by walking the public game API. For tests only.

It knows no rule and merges no states: what the engine allows, one player tries, and every roll that can follow counts.
So it is right for tokens, gates, special rounds and whatever comes, and fit for pads of a few boxes and dice only.
"""

from fractions import Fraction
from math import fsum

from knobel import game
from knobel.action import Action
from knobel.game import State
from knobel.vocabulary import Ruleset

Expectation = Fraction | float


class Reference:
    """Expected final totals, in points, of one player who plays best: floats to about 1e-14, or exact fractions.

    >>> from knobel import load
    >>> chance = {"id": "chance", "labels": {"de": "Chance", "en": "Chance"}, "rules": [{"points": "all"}]}
    >>> one_die = {"id": "one-die", "labels": chance["labels"], "dice": 1, "throws": 3, "categories": [chance]}
    >>> Reference(load(one_die), exact=True).optimum
    Fraction(14, 3)
    """

    def __init__(self, ruleset: Ruleset, exact: bool = False) -> None:
        """`exact` asks for fractions, which take several times as long."""
        self.start = game.start(ruleset)
        self._exact = exact
        self._values: dict[State, Expectation] = {}
        self._means: dict[tuple[Action, State], Expectation] = {}

    @property
    def optimum(self) -> Expectation:
        """Expected final total of a new game."""
        return self.value(self.start)

    def value(self, state: State) -> Expectation:
        """Expected final total (`result(state).totals[0]`) from a state of one seat; raises `ValueError` for more."""
        known = self._values.get(state)
        if known is None:
            if len(state.sheets) != 1:
                raise ValueError("the oracle knows games of one seat only")
            if game.is_over(state):
                known = Fraction(game.result(state).totals[0])
            else:
                known = max(self._after(state, action) for action in game.legal_actions(state))
            self._values[state] = known = known if self._exact else float(known)
        return known

    def action_values(self, state: State) -> dict[Action, Expectation]:
        """Expected final total after each legal action, in the order of `legal_actions`; empty at the end."""
        return {action: self._after(state, action) for action in game.legal_actions(state)}

    def _after(self, state: State, action: Action) -> Expectation:
        """Mean over what can follow an action.

        The state after a throw tells all that the one before it told, but for the dice that lay there: two throws that
        keep the same dice and agree in the state after one roll agree after every roll, and share their mean.
        """
        outcomes = game.chance_outcomes(state, action)
        first = game.apply(state, action, outcomes[0][0])
        if len(outcomes) == 1:
            return self.value(first)
        known = self._means.get((action, first))
        if known is None:
            found = [(chance, self.value(game.apply(state, action, roll))) for roll, chance in outcomes]
            if self._exact:
                known = sum((chance * value for chance, value in found), Fraction(0))
            else:
                known = fsum(float(chance) * value for chance, value in found)
            self._means[action, first] = known
        return known
