"""The game itself: states, actions, chance. States are values; no random generator, clock or input and output here.

A turn is: throw all dice, then throw some again as often as throws are left, then enter the roll in one free box
(RULES 0). Chance is explicit: `apply(state, action, roll)` takes the roll that a throw brought.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from knobel import sheet as pad
from knobel.dice import Keep, Roll, contains, format_faces, keeps_of, outcomes, parse_faces
from knobel.errors import IllegalAction, KnobelError, Reason
from knobel.sheet import Sheet
from knobel.vocabulary import Box, Ruleset


@dataclass(frozen=True, slots=True)
class Throw:
    """Keep these dice (sorted) and throw the others; nothing is kept in the first throw of a turn."""

    keep: Keep = ()

    def __str__(self) -> str:
        """`keep 335`, `keep -`."""
        return f"keep {format_faces(self.keep)}"


@dataclass(frozen=True, slots=True)
class Enter:
    """Enter the roll in a box and end the turn."""

    box: Box

    def __str__(self) -> str:
        """`enter full_house`, `enter full_house/2`."""
        return f"enter {self.box}"


Action = Throw | Enter


@dataclass(frozen=True, slots=True)
class Turn:
    """Whose turn it is; `throws` made so far, `roll` the sorted dice on the table (None before the first throw)."""

    seat: int
    throws: int = 0
    roll: Roll | None = None


@dataclass(frozen=True, slots=True)
class State:
    """A game at one moment: one sheet for each seat, and the turn (None: the game is over)."""

    ruleset: Ruleset
    sheets: tuple[Sheet, ...]
    turn: Turn | None


@dataclass(frozen=True, slots=True)
class Result:
    """Final totals and ranks by seat; 1 is best, equal ranks share it."""

    totals: tuple[int, ...]
    ranks: tuple[int, ...]


def start(ruleset: Ruleset, players: int = 1, first: int = 0) -> State:
    """A new game; seat `first` begins. Raises `KnobelError` if there is no such seat."""
    if players < 1 or not 0 <= first < players:
        raise KnobelError(Reason("expected-seat", {"players": players, "found": first}))
    return State(ruleset, (pad.empty_sheet(ruleset),) * players, Turn(first))


def throws_left(state: State) -> int:
    """Throws that the seat on turn may still make, saved ones included; 0 when the game is over."""
    turn = state.turn
    return 0 if turn is None else budget(state, turn.seat) - turn.throws


def budget(state: State, seat: int) -> int:
    """All throws of the present turn of a seat: the ruleset's and the saved ones (RULES 5)."""
    return state.ruleset.throws + pad.count(state.ruleset, state.sheets[seat], "saved_throws")


def legal_actions(state: State) -> tuple[Action, ...]:
    """Every legal action of the seat on turn: throws, fewest kept dice first, then entries in the order of boxes."""
    turn = state.turn
    if turn is None:
        return ()
    if turn.roll is None:
        return (Throw(),)
    throws = _throws_of(turn.roll) if throws_left(state) > 0 else ()
    return (*throws, *(Enter(state.ruleset.boxes[entry.index]) for entry in _legal_entries(state, turn)))


def chance_outcomes(state: State, action: Action) -> tuple[tuple[Roll | None, Fraction], ...]:
    """Every roll that can follow the action with its probability; ((None, 1),) where nothing is thrown.

    Raises `IllegalAction`.
    """
    _check(state, action)
    if isinstance(action, Throw):
        return outcomes(action.keep, state.ruleset.dice)
    return ((None, Fraction(1)),)


def apply(state: State, action: Action, roll: Roll | None = None) -> State:
    """The state after an action; a throw takes the `roll` it brought (all dice, in any order), an entry takes None.

    Raises `IllegalAction` for an action or a roll that cannot be.
    """
    turn = _check(state, action)
    if isinstance(action, Enter):
        if roll is not None:
            raise _illegal(state, "roll-not-expected", action=str(action))
        return _entered(state, turn, action)
    if roll is None:
        raise _illegal(state, "roll-expected", action=str(action), dice=state.ruleset.dice)
    roll = tuple(sorted(roll))
    if len(roll) != state.ruleset.dice or roll[0] < 1 or roll[-1] > 6 or not contains(roll, action.keep):
        raise _illegal(state, "roll-impossible", action=str(action), found=format_faces(roll)[:60])
    return replace(state, turn=Turn(turn.seat, turn.throws + 1, roll))


def is_over(state: State) -> bool:
    """Whether all pads are full."""
    return state.turn is None


def result(state: State) -> Result:
    """Totals and ranks as they stand; final once the game is over. A tie is broken as the ruleset says (RULES 0)."""
    totals = tuple(pad.tally(state.ruleset, sheet).total for sheet in state.sheets)
    keys = [(total, *_tiebreak(state.ruleset, sheet)) for total, sheet in zip(totals, state.sheets, strict=True)]
    return Result(totals, tuple(1 + sum(other > key for other in keys) for key in keys))


def parse_action(text: str) -> Action:
    """The action of a text like `keep 335`, `keep -`, `enter full_house/2`; raises `KnobelError` for anything else.

    >>> parse_action("enter full_house/2")
    Enter(box=Box(category='full_house', column=1))
    """
    verb, _, argument = text.partition(" ")
    if verb == "keep":
        return Throw(tuple(sorted(parse_faces(argument))))
    if verb == "enter":
        return Enter(parse_box(argument))
    raise KnobelError(Reason("action-expected", {"found": text[:60]}))


def parse_box(text: str) -> Box:
    """The box of a text like `full_house` or `full_house/2`; raises `KnobelError` where it is none."""
    category, slash, column = text.partition("/")
    if not category or (slash and not (column.isascii() and column.isdigit() and int(column[:6]) > 0)):
        raise KnobelError(Reason("box-expected", {"found": text[:60]}))
    return Box(category, int(column[:6]) - 1 if slash else 0)


@lru_cache(maxsize=4096)
def _throws_of(roll: Roll) -> tuple[Throw, ...]:
    return tuple(Throw(keep) for keep in keeps_of(roll))


def _legal_entries(state: State, turn: Turn) -> tuple[pad.Entry, ...]:
    assert turn.roll is not None
    return tuple(entry for entry in pad.entries(state.ruleset, state.sheets[turn.seat], turn.roll) if entry.legal)


def _check(state: State, action: Action) -> Turn:
    """The present turn, if the action is legal in it."""
    turn = state.turn
    if turn is None:
        raise _illegal(state, "game-over", action=str(action))
    if isinstance(action, Throw):
        if turn.roll is None:
            if action.keep:
                raise _illegal(state, "first-throw-keeps-nothing", action=str(action))
        elif throws_left(state) < 1:
            raise _illegal(state, "no-throw-left", action=str(action))
        elif len(action.keep) == len(turn.roll):
            raise _illegal(state, "throw-nothing", action=str(action))
        elif not contains(turn.roll, action.keep):
            raise _illegal(state, "keep-not-on-table", action=str(action), roll=format_faces(turn.roll))
        return turn
    index = state.ruleset.box_index.get(action.box)
    if index is None:
        raise _illegal(state, "unknown-box", found=str(action.box)[:60])
    if turn.roll is None:
        raise _illegal(state, "not-thrown", action=str(action))
    if state.sheets[turn.seat].entries[index] is not None:
        raise _illegal(state, "box-filled", box=str(action.box))
    if not any(entry.index == index for entry in _legal_entries(state, turn)):
        raise _illegal(state, "box-not-allowed", box=str(action.box))
    return turn


def _illegal(state: State, key: str, **params: str | int) -> IllegalAction:
    return IllegalAction(Reason(key, params), tuple(map(str, legal_actions(state))))


def _entered(state: State, turn: Turn, action: Enter) -> State:
    """The state after an entry: throws saved, next seat on turn, or the end."""
    assert turn.roll is not None
    ruleset, sheet = state.ruleset, state.sheets[turn.seat]
    index = ruleset.box_index[action.box]
    entry = next(entry for entry in _legal_entries(state, turn) if entry.index == index)
    sheet = pad.save_throws(ruleset, pad.enter(ruleset, sheet, turn.roll, entry), throws_left(state))
    sheets = (*state.sheets[: turn.seat], sheet, *state.sheets[turn.seat + 1 :])
    following = (turn.seat + 1) % len(sheets)
    return State(ruleset, sheets, None if pad.is_full(sheets[following]) else Turn(following))


def _tiebreak(ruleset: Ruleset, sheet: Sheet) -> tuple[int, ...]:
    """Points in the boxes that break a tie, summed over the columns."""
    n_rows = len(ruleset.categories)
    rows = (ruleset.category_index[name] for name in ruleset.tiebreak)
    return tuple(sum(value or 0 for value in sheet.entries[row::n_rows]) for row in rows)
