"""A greedy player: it plays each turn as well as it can for this turn alone.

An entry is worth its points, less what its box is worth in an ordinary turn (so that a poor roll goes where little is
lost), plus its share of the upper bonus. The dice to keep follow exactly from these worths: mean over what a throw can
bring, best over what can be kept, for as many throws as are left. Means run over the lattice of keeps: the mean of a
keep is the mean of the six keeps with one die more.
"""

from collections.abc import Mapping
from functools import lru_cache
from random import Random

from knobel.dice import FACES, Keep, Roll, keeps, keeps_of, rolls
from knobel.game import Action, Enter, State, Throw, legal_actions, throws_left
from knobel.scoring import points_table
from knobel.sheet import Sheet, entries
from knobel.vocabulary import Ruleset

SAVED_THROW = 2.0  # about what a saved throw brings in a later turn, in points
HORIZON = 4  # no turn is looked further ahead than so many throws: a fifth hardly changes what to keep


class Greedy:
    """Never looks beyond the turn; deterministic."""

    def choose(self, state: State, rng: Random) -> Action:  # noqa: ARG002 - policies may be random, this one is not
        """The throw or entry with the highest expected worth at the end of this turn; ties keep more dice."""
        turn, ruleset = state.turn, state.ruleset
        if turn is None or turn.roll is None:
            return legal_actions(state)[0]
        sheet, left = state.sheets[turn.seat], throws_left(state)
        worth, box = _best_entry(ruleset, sheet, turn.roll)
        if left:
            means = _means(ruleset.dice, _worths(ruleset, sheet, min(left, HORIZON) - 1))
            keep = max(keeps_of(turn.roll), key=lambda kept: (means[kept], len(kept)))
            if means[keep] > worth + _spare(ruleset, sheet):
                return Throw(keep)
        return Enter(ruleset.boxes[box])


@lru_cache(maxsize=128)
def _worths(ruleset: Ruleset, sheet: Sheet, left: int) -> Mapping[Roll, float]:
    """For every roll the worth of playing on with so many throws left."""
    if not left:
        return {roll: _best_entry(ruleset, sheet, roll)[0] for roll in rolls(ruleset.dice)}
    stop = _worths(ruleset, sheet, 0)
    return _with_one_throw_more(ruleset.dice, _worths(ruleset, sheet, left - 1), stop, _spare(ruleset, sheet))


def _spare(ruleset: Ruleset, sheet: Sheet) -> float:
    """Worth of a throw that is left over: none in the last turn."""
    return SAVED_THROW if ruleset.saved_throws and sheet.entries.count(None) > 1 else 0.0


def _best_entry(ruleset: Ruleset, sheet: Sheet, roll: Roll) -> tuple[float, int]:
    """Worth and box index of the best legal entry."""
    usual = _usual_points(ruleset)
    n_rows, worths = len(ruleset.categories), []
    for entry in entries(ruleset, sheet, roll):
        if entry.legal:
            row, column = entry.index % n_rows, entry.index // n_rows
            share = _bonus_share(ruleset) if row in ruleset.upper_rows else 0.0
            gain = (entry.points - usual[row]) * (1 + share) * ruleset.columns[column].multiplier
            worths.append((gain + entry.bonus, -entry.index))
    worth, index = max(worths)
    return worth, -index


def _with_one_throw_more(
    n_dice: int, best: Mapping[Roll, float], stop: Mapping[Roll, float], spare: float
) -> dict[Roll, float]:
    """Worth of each roll with one throw more: throw again as well as possible, or stop and keep the throw."""
    means = _means(n_dice, best)
    return {roll: max(stop[roll] + spare, *(means[keep] for keep in keeps_of(roll))) for roll in rolls(n_dice)}


def _means(n_dice: int, worth: Mapping[Roll, float]) -> dict[Keep, float]:
    """Expected worth after throwing all but the kept dice, for every keep."""
    means: dict[Keep, float] = dict(worth)
    for keep in reversed(keeps(n_dice)):
        if len(keep) < n_dice:
            means[keep] = sum(means[tuple(sorted((*keep, face)))] for face in FACES) / len(FACES)
    return means


@lru_cache(maxsize=64)
def _usual_points(ruleset: Ruleset) -> tuple[float, ...]:
    """Expected points of each category in a turn that aims at it alone."""
    table = points_table(ruleset)
    usual = []
    for row in range(len(ruleset.categories)):
        stop = {roll: float(points[row]) for roll, points in table.items()}
        best = stop
        for _ in range(min(ruleset.throws, HORIZON) - 1):
            best = _with_one_throw_more(ruleset.dice, best, stop, 0.0)
        usual.append(_means(ruleset.dice, best)[()])
    return tuple(usual)


def _bonus_share(ruleset: Ruleset) -> float:
    """Points of the upper bonus for each point in the upper section, as if it were paid by the point."""
    upper = ruleset.upper
    return upper.bonus / upper.threshold if upper and upper.threshold else 0.0
