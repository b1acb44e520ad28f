"""One turn: what the player on turn, or a helper, may do in it, apart from whose turn comes next (that is `game`).

Counted throws decide which columns are still open: after k of them those whose `last_throw` is k or more (RULES 7.2).
"""

from dataclasses import dataclass, replace
from functools import lru_cache

from knobel import sheet as pad
from knobel.action import Action, Choose, Enter, Extra, Pick, Spend, Throw
from knobel.dice import Keep, Roll, contains
from knobel.errors import Reason
from knobel.sheet import Entry, Sheet
from knobel.vocabulary import Box, Ruleset, Token


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn of `owner`; exactly one `seat` acts in it."""

    owner: int
    throws: int = 0  # counted so far
    roll: Roll | None = None  # all dice on the table, sorted; None: the next throw is to come
    keep: Keep = ()  # what stayed in the last throw; with no roll, what must stay in the next
    box: Box | None = None  # special turn: the only box to enter
    picks: bool = False  # the owner picks the box of a special round and does nothing else
    extras: int = 0  # earned throws used
    helpers: tuple[int, ...] = ()  # seats that throw for the owner, one after another
    pool: Roll = ()  # dice gathered with helpers, sorted; the owner chooses among them once all have thrown
    is_final: bool = False  # the dice were chosen from the pool: no further throw

    @property
    def seat(self) -> int:
        """Who acts."""
        return self.helpers[0] if self.helpers else self.owner

    @property
    def may_throw(self) -> bool:
        """Whether a further throw of the owner's can be made at all: not once others helped, nor by who picks a box."""
        return not (self.is_final or self.picks or self.helpers or self.pool)


def budget(ruleset: Ruleset, sheet: Sheet, turn: Turn) -> int:
    """Counted throws of this turn, saved ones included (RULES 5, 7.5)."""
    if turn.box is not None and ruleset.special_rounds:
        return ruleset.special_rounds.throws
    return ruleset.throws + pad.count(ruleset, sheet, "saved_throws")


def throws_left(ruleset: Ruleset, sheet: Sheet, turn: Turn) -> int:
    """Counted throws that may still follow; a throw after which nothing could be entered is none (RULES 7 A22)."""
    if not turn.may_throw:
        return 0
    left = budget(ruleset, sheet, turn) - turn.throws
    if not ruleset.is_gated:
        return left
    further = range(1, left + 1)
    stuck = (n for n in further if not _has_place(ruleset, sheet, replace(turn, throws=turn.throws + n)))
    return next(stuck, left + 1) - 1


def extra_throw(ruleset: Ruleset, sheet: Sheet, turn: Turn) -> str | None:
    """The counter of the earned throw that may be used now; None if there is none (RULES 7.4)."""
    rule = ruleset.earned_throws
    if rule is None or turn.roll is None or not turn.may_throw or not _may_use(ruleset, turn):
        return None
    if not _has_place(ruleset, sheet, replace(turn, extras=turn.extras + 1)):
        return None
    if rule.most_per_turn and turn.extras >= rule.most_per_turn:
        return None
    if rule.mode == "after_fifth" and turn.throws < budget(ruleset, sheet, turn):
        return None
    return pad.spare_throw(ruleset, sheet)


def tokens_to_spend(ruleset: Ruleset, sheet: Sheet, turn: Turn, players: int) -> tuple[Token, ...]:
    """The tokens that the owner may spend now (RULES 7.3)."""
    if turn.roll is None or turn.helpers or turn.pool or not _may_use(ruleset, turn):
        return ()
    unused = (token for token in ruleset.tokens if pad.count(ruleset, sheet, token.id) < token.uses)
    return tuple(
        token
        for token in unused
        if token.effect == "restart" or (not turn.is_final and _helpers(token, turn.owner, players))
    )


def after_spending(turn: Turn, token: Token, players: int) -> Turn:
    """The turn after a token was spent: it begins anew, its last throw is repeated, or helpers throw."""
    if token.effect == "helpers":
        own = turn.roll if token.pool == "own_and_helpers" and turn.roll else ()
        return replace(turn, helpers=_helpers(token, turn.owner, players), pool=own)
    if token.restarts == "turn":
        return Turn(turn.owner, box=turn.box)
    return replace(turn, throws=turn.throws - 1, roll=None, is_final=False)


@lru_cache(maxsize=8)
def entries(ruleset: Ruleset, sheet: Sheet, turn: Turn) -> tuple[Entry, ...]:
    """All free boxes of the owner: what the roll brings, and whether it may be entered there in this turn."""
    assert turn.roll is not None
    found, n_rows = pad.entries(ruleset, sheet, turn.roll), len(ruleset.categories)
    if not ruleset.is_gated:
        return found
    if turn.box is not None:
        legal = {ruleset.box_index[turn.box]}
    else:
        columns = [is_open(ruleset, turn, column) for column in range(len(ruleset.columns))]
        legal = {entry.index for entry in found if columns[entry.index // n_rows]}
    if not legal:  # RULES 7 A22, `strike_any`
        regular = regular_free(ruleset, sheet)
        return tuple(Entry(entry.index, 0, 0, False, entry.index in regular) for entry in found)
    return tuple(
        entry if entry.index in legal else Entry(entry.index, entry.points, entry.bonus, entry.token, False)
        for entry in found
    )


def why(ruleset: Ruleset, sheet: Sheet, turn: Turn, entry: Entry) -> tuple[Reason, ...]:
    """Why an entry brings what it brings, and why it is not legal in this turn if it is not."""
    assert turn.roll is not None
    reasons = pad.why(ruleset, sheet, turn.roll, entry)
    box = ruleset.boxes[entry.index]
    column = ruleset.columns[box.column]
    if turn.box is not None:
        return (*reasons, *([] if entry.legal else [Reason("why-special-box", {"box": str(turn.box)})]))
    if entry.legal:
        struck = not is_open(ruleset, turn, box.column)
        return (Reason("why-must-strike"),) if struck else reasons
    if column.special:
        return (*reasons, Reason("why-special-column"))
    if not is_open(ruleset, turn, box.column):
        return (*reasons, Reason("why-column-passed", {"column": box.column + 1, "throws": turn.throws}))
    return reasons


def is_open(ruleset: Ruleset, turn: Turn, column: int) -> bool:
    """Whether an entry in this column (from 0) is possible after the throws of this turn."""
    place = ruleset.columns[column]
    if turn.box is not None or place.special:
        return turn.box is not None and turn.box.column == column
    same = turn.extras > 0 and ruleset.earned_throws is not None and ruleset.earned_throws.mode == "same_column"
    return place.last_throw is None or (place.last_throw == turn.throws if same else place.last_throw >= turn.throws)


def _has_place(ruleset: Ruleset, sheet: Sheet, turn: Turn) -> bool:
    """Whether the owner may find himself in this turn: some box is open to him, or he may strike any (RULES 7 A22)."""
    if turn.box is not None or not ruleset.is_gated or ruleset.overthrow == "strike_any":
        return True
    n_rows = len(ruleset.categories)
    free = (None in sheet.entries[column * n_rows : (column + 1) * n_rows] for column in range(len(ruleset.columns)))
    return any(is_free and is_open(ruleset, turn, column) for column, is_free in enumerate(free))


def regular_free(ruleset: Ruleset, sheet: Sheet) -> tuple[int, ...]:
    """The free boxes outside the special column."""
    special, n_rows = ruleset.special_column, len(ruleset.categories)
    return tuple(
        index for index, value in enumerate(sheet.entries) if value is None and index // n_rows != special
    )  # fmt: skip


def selectable(ruleset: Ruleset, sheet: Sheet) -> tuple[Box, ...]:
    """The boxes that may be picked for a special round: all free ones but the reserved last (RULES 7 A29)."""
    free = special_free(ruleset, sheet)
    if ruleset.special_rounds is None or not free:
        return ()
    if ruleset.special_rounds.last == "any":
        return free if len(free) > 1 else ()
    return tuple(box for box in free if box.category != ruleset.categories[-1].id)


def special_free(ruleset: Ruleset, sheet: Sheet) -> tuple[Box, ...]:
    """The free boxes of the special column, top to bottom."""
    cells = zip(ruleset.boxes, sheet.entries, strict=True)
    return tuple(box for box, value in cells if value is None and box.column == ruleset.special_column)


def problem(ruleset: Ruleset, sheet: Sheet, turn: Turn, action: Action, players: int) -> Reason | None:
    """Why the action is not legal in this turn; None if it is. `sheet` is the owner's."""
    if isinstance(action, Pick):
        legal = turn.picks and action.box in selectable(ruleset, sheet)
        return None if legal else Reason("pick-not-allowed", {"box": str(action.box)})
    if turn.picks:
        return Reason("pick-first", {"action": str(action)})
    if isinstance(action, Throw):
        return _throw_problem(ruleset, sheet, turn, action)
    if turn.helpers:
        return Reason("helpers-first", {"action": str(action)})
    if isinstance(action, Choose):
        legal = bool(turn.pool) and len(action.dice) == ruleset.dice and contains(turn.pool, action.dice)
        return None if legal else Reason("choose-not-allowed", {"action": str(action)})
    if turn.pool:
        return Reason("choose-first", {"action": str(action)})
    if isinstance(action, Spend):
        spendable = [token.id for token in tokens_to_spend(ruleset, sheet, turn, players)]
        return None if action.token in spendable else Reason("token-not-to-spend", {"found": action.token[:60]})
    if isinstance(action, Extra):
        if extra_throw(ruleset, sheet, turn) is None:
            return Reason("no-extra-throw", {"action": str(action)})
        return _keep_problem(turn, action.keep, str(action))
    return _entry_problem(ruleset, sheet, turn, action)


def _throw_problem(ruleset: Ruleset, sheet: Sheet, turn: Turn, action: Throw) -> Reason | None:
    if turn.helpers or turn.roll is None:
        wanted = () if turn.helpers else turn.keep
        if action.keep == wanted:
            return None
        return Reason("throw-is-fixed" if wanted else "first-throw-keeps-nothing", {"action": str(action)})
    if turn.pool:
        return Reason("choose-first", {"action": str(action)})
    if throws_left(ruleset, sheet, turn) < 1:
        return Reason("no-throw-left", {"action": str(action)})
    return _keep_problem(turn, action.keep, str(action))


def _keep_problem(turn: Turn, keep: Keep, action: str) -> Reason | None:
    assert turn.roll is not None
    if len(keep) == len(turn.roll):
        return Reason("throw-nothing", {"action": action})
    if not contains(turn.roll, keep):
        return Reason("keep-not-on-table", {"action": action, "roll": "".join(map(str, turn.roll))})
    return None


def _entry_problem(ruleset: Ruleset, sheet: Sheet, turn: Turn, action: Enter) -> Reason | None:
    index = ruleset.box_index.get(action.box)
    if index is None:
        return Reason("unknown-box", {"found": str(action.box)[:60]})
    if turn.roll is None:
        return Reason("not-thrown", {"action": str(action)})
    if sheet.entries[index] is not None:
        return Reason("box-filled", {"box": str(action.box)})
    if not any(entry.index == index and entry.legal for entry in entries(ruleset, sheet, turn)):
        return Reason("box-not-allowed", {"box": str(action.box)})
    return None


def _may_use(ruleset: Ruleset, turn: Turn) -> bool:
    """Whether tokens and earned throws count in this turn (RULES 7 A14, A21)."""
    return turn.box is None or ruleset.special_rounds is None or ruleset.special_rounds.tokens


def _helpers(token: Token, owner: int, players: int) -> tuple[int, ...]:
    """Who throws for the owner, in seat order from his left; alone he throws for phantoms himself (RULES 7 A20)."""
    if players == 1:
        return (owner,) * token.solo_helpers
    return tuple((owner + step) % players for step in range(1, players))
