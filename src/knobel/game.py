"""The game itself: states, legal actions, chance, and whose turn comes next. States are values; there is no random
generator, clock or input and output here.

A turn is: throw all dice, then throw some again as often as throws are left, then enter the roll in one free box
(RULES 0); `turn` knows the details. Chance is explicit: `apply(state, action, roll)` takes the roll of a throw.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from knobel import sheet as pad
from knobel import turn as rules
from knobel.action import Action, Choose, Enter, Extra, Pick, Spend, Throw
from knobel.dice import Roll, contains, format_faces, keeps_of, outcomes, parts
from knobel.errors import IllegalAction, KnobelError, Reason
from knobel.sheet import Sheet
from knobel.turn import Turn
from knobel.vocabulary import Box, Ruleset


@dataclass(frozen=True, slots=True)
class Duty:
    """A special turn that is to come: `seat` throws for `box`, or picks the box for all (None)."""

    seat: int
    box: Box | None


@dataclass(frozen=True, slots=True)
class State:
    """A game at one moment: one sheet for each seat, the turn (None: the game is over), and special turns to come."""

    ruleset: Ruleset
    sheets: tuple[Sheet, ...]
    turn: Turn | None
    first: int = 0  # the seat that began
    regular: int = 0  # the seat of the latest regular turn
    agenda: tuple[Duty, ...] = ()
    is_closing: bool = False  # all regular boxes are filled, what is left of the special column is thrown


@dataclass(frozen=True, slots=True)
class Result:
    """Final totals and ranks by seat; 1 is best, equal ranks share it."""

    totals: tuple[int, ...]
    ranks: tuple[int, ...]


def start(ruleset: Ruleset, players: int = 1, first: int = 0) -> State:
    """A new game; seat `first` begins. Raises `KnobelError` if there is no such seat."""
    if players < 1 or not 0 <= first < players:
        raise KnobelError(Reason("expected-seat", {"players": players, "found": first}))
    return State(ruleset, (pad.empty_sheet(ruleset),) * players, Turn(first), first, first)


def throws_left(state: State) -> int:
    """Counted throws that may still be made in this turn, saved ones included; 0 when the game is over."""
    turn = state.turn
    return 0 if turn is None else rules.throws_left(state.ruleset, state.sheets[turn.owner], turn)


def budget(state: State) -> int:
    """All counted throws of this turn, saved ones included; 0 when the game is over."""
    turn = state.turn
    return 0 if turn is None else rules.budget(state.ruleset, state.sheets[turn.owner], turn)


def legal_actions(state: State) -> tuple[Action, ...]:
    """Every legal action of the seat that acts: throws, fewest kept dice first, tokens, then entries in box order."""
    turn, ruleset = state.turn, state.ruleset
    if turn is None:
        return ()
    sheet = state.sheets[turn.owner]
    if turn.picks:
        return tuple(Pick(box) for box in rules.selectable(ruleset, sheet))
    if turn.helpers:
        return (Throw(),)
    if turn.pool:
        return tuple(Choose(dice) for dice in parts(turn.pool, ruleset.dice))
    if turn.roll is None:
        return (Throw(turn.keep),)
    throws = _throws_of(Throw, turn.roll) if throws_left(state) > 0 else ()
    extras = _throws_of(Extra, turn.roll) if rules.extra_throw(ruleset, sheet, turn) else ()
    spends = (Spend(token.id) for token in rules.tokens_to_spend(ruleset, sheet, turn, len(state.sheets)))
    enters = _enters_of(ruleset)
    found = rules.entries(ruleset, sheet, turn)
    return (*throws, *extras, *spends, *[enters[entry.index] for entry in found if entry.legal])


def chance_outcomes(state: State, action: Action) -> tuple[tuple[Roll | None, Fraction], ...]:
    """Every roll that can follow the action with its probability; ((None, 1),) where nothing is thrown.

    Raises `IllegalAction`.
    """
    _check(state, action)
    return outcomes(action.keep, state.ruleset.dice) if isinstance(action, Throw | Extra) else ((None, Fraction(1)),)


def apply(state: State, action: Action, roll: Roll | None = None) -> State:
    """The state after an action; a throw takes the `roll` it brought (all dice, in any order), all else takes None.

    Raises `IllegalAction` for an action or a roll that cannot be.
    """
    turn = _check(state, action)
    if isinstance(action, Throw | Extra):
        return _thrown(state, turn, action, roll)
    if roll is not None:
        raise _illegal(state, Reason("roll-not-expected", {"action": str(action)}))
    if isinstance(action, Enter):
        return _entered(state, turn, action)
    if isinstance(action, Pick):
        return _next(replace(state, agenda=_round(state, turn.owner, action.box) + state.agenda))
    if isinstance(action, Choose):
        return replace(state, turn=replace(turn, roll=tuple(sorted(action.dice)), pool=(), is_final=True))
    token = next(token for token in state.ruleset.tokens if token.id == action.token)
    after = rules.after_spending(turn, token, len(state.sheets))
    return replace(state, sheets=_spent(state, turn.owner, token.id), turn=after)


def is_over(state: State) -> bool:
    """Whether all pads are full."""
    return state.turn is None


def result(state: State) -> Result:
    """Totals and ranks as they stand; final once the game is over. A tie is broken as the ruleset says (RULES 0)."""
    totals = tuple(pad.tally(state.ruleset, sheet).total for sheet in state.sheets)
    keys = [(total, *_tiebreak(state.ruleset, sheet)) for total, sheet in zip(totals, state.sheets, strict=True)]
    return Result(totals, tuple(1 + sum(other > key for other in keys) for key in keys))


@lru_cache(maxsize=4096)
def _throws_of(kind: type[Throw | Extra], roll: Roll) -> tuple[Throw | Extra, ...]:
    return tuple(kind(keep) for keep in keeps_of(roll))


@lru_cache(maxsize=64)
def _enters_of(ruleset: Ruleset) -> tuple[Enter, ...]:
    return tuple(map(Enter, ruleset.boxes))


def _check(state: State, action: Action) -> Turn:
    """The present turn, if the action is legal in it."""
    turn = state.turn
    if turn is None:
        raise _illegal(state, Reason("game-over", {"action": str(action)}))
    reason = rules.problem(state.ruleset, state.sheets[turn.owner], turn, action, len(state.sheets))
    if reason is not None:
        raise _illegal(state, reason)
    return turn


def _illegal(state: State, reason: Reason) -> IllegalAction:
    return IllegalAction(reason, tuple(map(str, legal_actions(state))))


def _thrown(state: State, turn: Turn, action: Throw | Extra, roll: Roll | None) -> State:
    """The state after a throw: the owner's, with an earned throw or not, or a helper's."""
    if roll is None:
        raise _illegal(state, Reason("roll-expected", {"action": str(action), "dice": state.ruleset.dice}))
    roll = tuple(sorted(roll))
    if len(roll) != state.ruleset.dice or roll[0] < 1 or roll[-1] > 6 or not contains(roll, action.keep):
        raise _illegal(state, Reason("roll-impossible", {"action": str(action), "found": format_faces(roll)[:60]}))
    if turn.helpers:
        pool = tuple(sorted(turn.pool + roll))
        return replace(state, turn=replace(turn, helpers=turn.helpers[1:], pool=pool))
    if isinstance(action, Extra):
        counter = rules.extra_throw(state.ruleset, state.sheets[turn.owner], turn)
        assert counter is not None
        after = replace(turn, roll=roll, keep=action.keep, extras=turn.extras + 1)
        return replace(state, sheets=_spent(state, turn.owner, counter), turn=after)
    after = Turn(turn.owner, turn.throws + 1, roll, action.keep, turn.box, extras=turn.extras)  # quicker than `replace`
    return State(state.ruleset, state.sheets, after, state.first, state.regular, state.agenda, state.is_closing)


def _spent(state: State, owner: int, counter: str) -> tuple[Sheet, ...]:
    return _with_sheet(state, owner, pad.spend(state.ruleset, state.sheets[owner], counter))


def _with_sheet(state: State, owner: int, sheet: Sheet) -> tuple[Sheet, ...]:
    return (*state.sheets[:owner], sheet, *state.sheets[owner + 1 :])


def _entered(state: State, turn: Turn, action: Enter) -> State:
    """The state after an entry: box filled, throws saved, and what follows."""
    ruleset, sheet = state.ruleset, state.sheets[turn.owner]
    assert turn.roll is not None
    index = ruleset.box_index[action.box]
    entry = next(entry for entry in rules.entries(ruleset, sheet, turn) if entry.index == index)
    after = pad.enter(ruleset, sheet, turn.roll, entry)
    if turn.box is None:
        after = pad.save_throws(ruleset, after, budget(state) - turn.throws)
    agenda = state.agenda
    if _starts_round(state, turn, sheet, after, action.box.column):
        agenda = (*agenda, Duty(turn.owner, None))
    return _next(replace(state, sheets=_with_sheet(state, turn.owner, after), agenda=agenda))


def _starts_round(state: State, turn: Turn, before: Sheet, after: Sheet, column: int) -> bool:
    """Whether this entry earned an upper bonus that interrupts the game (RULES 7.5, A25, A28)."""
    rule = state.ruleset.special_rounds
    if rule is None or state.is_closing or (turn.box is not None and not rule.own_bonus):
        return False
    is_whole = rule.trigger == "complete"
    return pad.has_bonus(state.ruleset, after, column, is_whole) and not pad.has_bonus(
        state.ruleset, before, column, is_whole
    )


def _round(state: State, owner: int, box: Box) -> tuple[Duty, ...]:
    """The turns of a special round (RULES 7 A26)."""
    rule, players = state.ruleset.special_rounds, len(state.sheets)
    begins = owner if rule is not None and rule.order == "bonus_first" else state.first
    return tuple(Duty((begins + step) % players, box) for step in range(players))


def _next(state: State) -> State:
    """The state with the next turn: a special one on the agenda, a regular one, or the end (RULES 7.2)."""
    ruleset, agenda = state.ruleset, state.agenda
    while agenda:
        duty, agenda = agenda[0], agenda[1:]
        if duty.box is not None or rules.selectable(ruleset, state.sheets[duty.seat]):
            turn = Turn(duty.seat, box=duty.box, picks=duty.box is None)
            return replace(state, turn=turn, agenda=agenda)
    following = (state.regular + 1) % len(state.sheets)
    if rules.regular_free(ruleset, state.sheets[following]):
        return replace(state, turn=Turn(following), regular=following, agenda=())
    left = rules.special_free(ruleset, state.sheets[following])
    if state.is_closing or not left:
        return replace(state, turn=None, agenda=())
    closing = [duty for box in left for duty in _round(state, state.first, box)]
    if ruleset.special_rounds is not None and ruleset.special_rounds.final_order == "players":
        closing.sort(key=lambda duty: (duty.seat - state.first) % len(state.sheets))
    return _next(replace(state, agenda=tuple(closing), is_closing=True))


def _tiebreak(ruleset: Ruleset, sheet: Sheet) -> tuple[int, ...]:
    """Points in the boxes that break a tie, summed over the columns."""
    n_rows = len(ruleset.categories)
    rows = (ruleset.category_index[name] for name in ruleset.tiebreak)
    return tuple(sum(value or 0 for value in sheet.entries[row::n_rows]) for row in rows)
