"""A greedy player: it plays each turn as well as it can for this turn alone.

An entry is worth its points, less what its box is worth in an ordinary turn (so that a poor roll goes where little is
lost, and a good one where it is rare), plus its share of the upper bonus. The dice to keep follow exactly from these
worths: mean over what a throw can bring, best over what can be kept, for as many throws as are left. Means run over
the lattice of keeps: the mean of a keep is the mean of the six keeps with one die more.

Tokens and earned throws have a price, about what they bring in a turn that needs them; it falls to nothing in the
last turns, when they become worthless. They are used where they promise more than that.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from random import Random
from statistics import fmean

from knobel import turn as rules
from knobel.action import Action, Choose, Enter, Extra, Pick, Spend, Throw
from knobel.dice import FACES, Roll, contains, keep_index, keeps, keeps_of, roll_index, rolls
from knobel.game import State, legal_actions, throws_left
from knobel.scoring import points_table
from knobel.sheet import Entry, Sheet, entries, spare_throws
from knobel.turn import Turn
from knobel.vocabulary import Ruleset, Token

SAVED_THROW = 2.0  # about what a saved throw brings in a later turn, in points
EARNED_THROW, RESTART, HELPERS = 5.0, 10.0, 16.0  # prices, while there are many turns to come
FEW = 12  # with fewer boxes left the prices fall
HORIZON = 4  # no turn is looked further ahead than so many throws: a fifth hardly changes what to keep
NO_PLACE = -50.0  # worth of having to strike
N_SAMPLES = 12  # of what helpers may throw

Places = int | tuple[int, ...] | None  # the only box, the open columns, or (None) whatever the pad allows
Values = Sequence[float]


class Greedy:
    """Never looks beyond the turn; deterministic."""

    def choose(self, state: State, rng: Random) -> Action:  # noqa: ARG002 - policies may be random, this one is not
        """The action with the highest expected worth at the end of this turn; ties keep more dice."""
        turn, ruleset = state.turn, state.ruleset
        if turn is not None and turn.picks:
            return _picked(ruleset, state.sheets[turn.owner])
        if turn is None or turn.roll is None or turn.helpers:
            return legal_actions(state)[0]
        sheet, left = state.sheets[turn.owner], throws_left(state)
        if turn.pool:
            return Choose(_best_of(turn.pool, ruleset.dice, _stops(ruleset, sheet, _places(ruleset, turn, 0))))
        worth, entry = max(
            (_worth(ruleset, entry), -entry.index) for entry in rules.entries(ruleset, sheet, turn) if entry.legal
        )
        spare = _spare(ruleset, sheet)
        best, action = worth + spare, Enter(ruleset.boxes[-entry])
        offers: list[tuple[float, Action]] = []
        if left:
            means = _means(ruleset.dice, _values(ruleset, sheet, _ahead(ruleset, sheet, turn)[1:], spare))
            offers.append(_best_keep(ruleset.dice, turn.roll, means, Throw))
        if rules.extra_throw(ruleset, sheet, turn) is not None:
            further = replace(turn, extras=turn.extras + 1)
            means = _means(ruleset.dice, _values(ruleset, sheet, _ahead(ruleset, sheet, further), spare))
            value, extra = _best_keep(ruleset.dice, turn.roll, means, Extra)
            offers.append((value - _price(EARNED_THROW, ruleset, sheet) / spare_throws(ruleset, sheet), extra))
        players = len(state.sheets)
        for token in rules.tokens_to_spend(ruleset, sheet, turn, players):
            hope = max([best, *(value for value, _ in offers)])
            offers.append((_promise(ruleset, sheet, turn, token, players, hope), Spend(token.id)))
        return max([(best, action), *offers], key=lambda offer: offer[0])[1]


def _picked(ruleset: Ruleset, sheet: Sheet) -> Pick:
    """The box that usually brings most: while there are tokens and earned throws to help it."""
    usual = _usual_points(ruleset, ruleset.special_column or 0)
    boxes = rules.selectable(ruleset, sheet)
    return Pick(max(boxes, key=lambda box: usual[ruleset.category_index[box.category]]))


def _promise(ruleset: Ruleset, sheet: Sheet, turn: Turn, token: Token, players: int, hope: float) -> float:
    """Expected worth after spending a token, less its price; `hope` is what can be had without it."""
    after = rules.after_spending(turn, token, players)
    if token.effect == "helpers":
        if (
            hope > -_price(HELPERS, ruleset, sheet) / 2
            and not turn.is_final
            and rules.throws_left(ruleset, sheet, turn)
        ):
            return NO_PLACE  # no need yet
        stops, rng = _stops(ruleset, sheet, _places(ruleset, turn, 0)), Random(0)
        n_more = ruleset.dice * len(after.helpers)
        pools = (tuple(sorted((*after.pool, *rng.choices(FACES, k=n_more)))) for _ in range(N_SAMPLES))
        index = roll_index(ruleset.dice)
        mean = fmean(stops[index[_best_of(pool, ruleset.dice, stops)]] for pool in pools)
        return mean - _price(HELPERS, ruleset, sheet)
    thrown = replace(after, throws=after.throws + 1)  # the throw that follows
    means = _means(ruleset.dice, _values(ruleset, sheet, _ahead(ruleset, sheet, thrown), _spare(ruleset, sheet)))
    return means[keep_index(ruleset.dice)[after.keep]] - _price(RESTART, ruleset, sheet)


def _price(full: float, ruleset: Ruleset, sheet: Sheet) -> float:
    """What using something up costs: less and less when it cannot be used much longer."""
    is_always = ruleset.special_rounds is None or ruleset.special_rounds.tokens
    n_free = sheet.entries.count(None) if is_always else len(rules.regular_free(ruleset, sheet))
    return full * min(1.0, (n_free - 1) / FEW)


def _spare(ruleset: Ruleset, sheet: Sheet) -> float:
    """Worth of a throw that is left over: none in the last turn."""
    return SAVED_THROW if ruleset.saved_throws and sheet.entries.count(None) > 1 else 0.0


def _worth(ruleset: Ruleset, entry: Entry) -> float:
    """Worth of an entry."""
    column, row = divmod(entry.index, len(ruleset.categories))
    slope, offset = _lines(ruleset, column)[row]
    return slope * entry.points + offset + entry.bonus


@lru_cache(maxsize=256)
def _lines(ruleset: Ruleset, column: int) -> tuple[tuple[float, float], ...]:
    """For each row of a column by which factor and from where points become worth."""
    upper, factor = ruleset.upper, float(ruleset.columns[column].multiplier)
    share = upper.bonus / upper.threshold if upper and upper.threshold else 0.0  # the bonus as if paid by the point
    slopes = [factor * (1 + share * (row in ruleset.upper_rows)) for row in range(len(ruleset.categories))]
    return tuple((slope, -slope * usual) for slope, usual in zip(slopes, _usual_points(ruleset, column), strict=True))


def _places(ruleset: Ruleset, turn: Turn, n_more: int) -> Places:
    """Where the dice may go after so many more throws."""
    if not ruleset.is_gated:
        return None
    if turn.box is not None:
        return ruleset.box_index[turn.box]
    later = replace(turn, throws=turn.throws + n_more)
    return tuple(column for column in range(len(ruleset.columns)) if rules.is_open(ruleset, later, column))


def _ahead(ruleset: Ruleset, sheet: Sheet, turn: Turn) -> tuple[Places, ...]:
    """Where the dice may go now, after one more throw, and so on."""
    left = min(rules.throws_left(ruleset, sheet, turn), HORIZON)
    return tuple(_places(ruleset, turn, n_more) for n_more in range(left + 1))


@lru_cache(maxsize=256)
def _values(ruleset: Ruleset, sheet: Sheet, ahead: tuple[Places, ...], spare: float) -> Values:
    """For every roll the worth of playing on, with one throw for each of the places after the first."""
    stops = _stops(ruleset, sheet, ahead[0])
    if len(ahead) == 1:
        return stops
    return _with_one_throw_more(ruleset.dice, _values(ruleset, sheet, ahead[1:], spare), stops, spare)


@lru_cache(maxsize=256)
def _stops(ruleset: Ruleset, sheet: Sheet, places: Places) -> Values:
    """For every roll the worth of the best entry."""
    if places is None:
        found = (entries(ruleset, sheet, roll) for roll in rolls(ruleset.dice))
        return tuple(max(_worth(ruleset, entry) for entry in some if entry.legal) for some in found)
    n_rows = len(ruleset.categories)
    columns = places if isinstance(places, tuple) else (places // n_rows,)
    best: dict[tuple[int, float], float] = {}  # by row and slope only the highest line matters
    for column in columns:
        for row, (slope, offset) in enumerate(_lines(ruleset, column)):
            index = column * n_rows + row
            if sheet.entries[index] is None and (isinstance(places, tuple) or index == places):
                best[row, slope] = max(offset, best.get((row, slope), offset))
    lines = [(row, slope, offset) for (row, slope), offset in best.items()]
    if not lines:
        return (NO_PLACE,) * len(rolls(ruleset.dice))
    table = points_table(ruleset)
    return tuple(max([slope * table[roll][row] + offset for row, slope, offset in lines]) for roll in table)


def _best_of(pool: Roll, n_dice: int, worth: Values) -> Roll:
    """The best roll among the dice of a pool."""
    within = (roll for roll in rolls(n_dice) if contains(pool, roll))
    return max(within, key=lambda roll: worth[roll_index(n_dice)[roll]])


@lru_cache(maxsize=8)
def _lattice(n_dice: int) -> tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]]:
    """For every keep with a die to throw the six keeps with one die more, and for every roll what may be kept."""
    index = keep_index(n_dice)
    more = (
        tuple(index[tuple(sorted((*keep, face)))] for face in FACES) for keep in keeps(n_dice) if len(keep) < n_dice
    )
    return tuple(more), tuple(tuple(index[keep] for keep in keeps_of(roll)) for roll in rolls(n_dice))


def _means(n_dice: int, worth: Values) -> list[float]:
    """Expected worth after throwing all but the kept dice, for every keep."""
    more, _ = _lattice(n_dice)
    means = [0.0] * len(more) + list(worth)
    for index in range(len(more) - 1, -1, -1):
        a, b, c, d, e, f = more[index]
        means[index] = (means[a] + means[b] + means[c] + means[d] + means[e] + means[f]) / 6
    return means


def _with_one_throw_more(n_dice: int, best: Values, stop: Values, spare: float) -> Values:
    """Worth of each roll with one throw more: throw again as well as possible, or stop and keep the throw."""
    means, (_, kept) = _means(n_dice, best), _lattice(n_dice)
    further = (max([means[keep] for keep in some]) for some in kept)
    return tuple(max(now + spare, later) for now, later in zip(stop, further, strict=True))


def _best_keep(n_dice: int, roll: Roll, means: Values, kind: type[Throw | Extra]) -> tuple[float, Action]:
    """The best dice to keep, as an action of this kind, and their mean."""
    index = keep_index(n_dice)
    keep = max(keeps_of(roll), key=lambda kept: (means[index[kept]], len(kept)))
    return means[index[keep]], kind(keep)


@lru_cache(maxsize=256)
def _usual_points(ruleset: Ruleset, column: int) -> tuple[float, ...]:
    """Expected points of each row of a column in a turn that aims at it alone."""
    place, special = ruleset.columns[column], ruleset.special_rounds
    throws = special.throws if place.special and special else place.last_throw or ruleset.throws
    table = points_table(ruleset)
    usual = []
    for row in range(len(ruleset.categories)):
        stop: Values = tuple(float(points[row]) for points in table.values())
        best = stop
        for _ in range(min(throws, HORIZON + 1) - 1):
            best = _with_one_throw_more(ruleset.dice, best, stop, 0.0)
        usual.append(_means(ruleset.dice, best)[0])
    return tuple(usual)
