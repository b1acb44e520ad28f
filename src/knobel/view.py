"""What one seat may see of a game, as plain data: every user interface shows this and computes no rules itself.

`ruleset_view` is what stays the same during a game, `view` what changes with each action. Texts are `Reason`s and ids.
"""

from dataclasses import dataclass
from typing import Literal

from knobel import game
from knobel import sheet as pad
from knobel.errors import KnobelError, Reason
from knobel.game import State, Turn
from knobel.ruleset import digest
from knobel.vocabulary import Category, Labels, OptionValue, Ruleset, Section, Shown, TableHabits


@dataclass(frozen=True)
class CategoryView:
    """A row of the pad."""

    id: str
    labels: Labels
    section: Section
    how: Reason  # what it pays, in short: "how-all" (all dice), "how-matched" or "how-number" {points}


@dataclass(frozen=True)
class RulesetView:
    """The rules of a table, always visible there."""

    id: str
    labels: Labels
    digest: str  # 16 hex digits
    dice: int
    throws: int
    saved_throws: bool
    categories: tuple[CategoryView, ...]
    multipliers: tuple[int, ...]  # one for each column
    upper_threshold: int | None
    upper_bonus: int | None
    bonus_shown: Shown
    extra_five_points: int | None  # of a token for a further five of a kind; None: there are none
    order: tuple[str, ...]  # fixed order of the categories; empty: free choice
    options: tuple[tuple[str, OptionValue], ...]  # chosen options that differ from the ruleset's own values
    habits: TableHabits


@dataclass(frozen=True)
class PotentialView:
    """What the present roll would bring in a free box of the acting seat."""

    points: int
    bonus: int  # for a further five of a kind, multiplied as it will count
    legal: bool
    why: tuple[Reason, ...]  # the rules that fired: why this number, and why not legal


@dataclass(frozen=True)
class BoxView:
    """One cell of a pad."""

    box: str  # as in an action: "full_house", "full_house/2"
    category: str
    points: int | None  # None: free; 0: struck
    potential: PotentialView | None  # only in free boxes of the acting seat after a throw


@dataclass(frozen=True)
class ColumnView:
    """One column of a pad with its subtotals."""

    multiplier: int
    boxes: tuple[BoxView, ...]  # in the order of the categories
    upper: int
    balance: float  # of the filled upper boxes against par
    bonus_state: Literal["none", "open", "reached", "lost"]  # lost: out of reach; none: no upper bonus in this ruleset
    bonus: int  # as far as it is shown now
    lower: int
    tokens: int  # further fives of a kind entered in this column
    total: int  # shown now, unmultiplied, with the bonus as far as it is shown


@dataclass(frozen=True)
class SheetView:
    """One player's pad."""

    columns: tuple[ColumnView, ...]
    saved_throws: int | None  # None: not in this ruleset
    tokens: int
    extra: int  # points for the tokens as far as they are shown now
    total: int  # shown now: multiplied columns + extra


@dataclass(frozen=True)
class TurnView:
    """Whose turn it is and what this seat must do."""

    seat: int
    throw: int  # throws made in this turn, 0 before the first
    throws_left: int
    budget: int  # throws of this turn with the saved ones
    roll: tuple[int, ...] | None  # sorted; None before the first throw of the turn
    duty: Reason  # "duty-throw", "duty-throw-or-enter", "duty-enter"


@dataclass(frozen=True)
class ResultView:
    """The end: final totals and ranks by seat; equal ranks are a tie."""

    totals: tuple[int, ...]
    ranks: tuple[int, ...]  # 1 is best


@dataclass(frozen=True)
class View:
    """A game as one seat sees it."""

    seat: int | None  # whose view; None for a watcher
    turn: TurnView | None  # None: the game is over
    sheets: tuple[SheetView, ...]
    actions: tuple[str, ...]  # legal action texts; empty unless `seat` is to act
    result: ResultView | None


def ruleset_view(ruleset: Ruleset) -> RulesetView:
    """The rules of a table."""
    upper, extra = ruleset.upper, ruleset.extra_five
    return RulesetView(
        id=ruleset.id,
        labels=ruleset.labels,
        digest=digest(ruleset)[:16],
        dice=ruleset.dice,
        throws=ruleset.throws,
        saved_throws=ruleset.saved_throws,
        categories=tuple(CategoryView(row.id, row.labels, row.section, how(row)) for row in ruleset.categories),
        multipliers=tuple(column.multiplier for column in ruleset.columns),
        upper_threshold=upper.threshold if upper else None,
        upper_bonus=upper.bonus if upper else None,
        bonus_shown=ruleset.bonus_shown,
        extra_five_points=None if extra.when == "none" else extra.points,
        order=ruleset.order,
        options=ruleset.options,
        habits=ruleset.habits,
    )


def how(category: Category) -> Reason:
    """What a category pays, in short; the first rule speaks for all."""
    points = category.rules[0].points
    return Reason("how-number", {"points": points}) if isinstance(points, int) else Reason(f"how-{points}")


def view_of(state: State, seat: int | None) -> View:
    """A game as `seat` sees it; None for a watcher. Raises `KnobelError` if there is no such seat."""
    if seat is not None and not 0 <= seat < len(state.sheets):
        raise KnobelError(Reason("expected-seat", {"players": len(state.sheets), "found": seat}))
    turn = state.turn
    to_act = turn is not None and turn.seat == seat
    final = game.result(state) if turn is None else None
    return View(
        seat=seat,
        turn=_turn_view(state, turn) if turn else None,
        sheets=tuple(_sheet_view(state, owner) for owner in range(len(state.sheets))),
        actions=tuple(map(str, game.legal_actions(state))) if to_act else (),
        result=ResultView(final.totals, final.ranks) if final else None,
    )


def _turn_view(state: State, turn: Turn) -> TurnView:
    left = game.throws_left(state)
    duty = "duty-throw" if turn.roll is None else "duty-throw-or-enter" if left else "duty-enter"
    return TurnView(turn.seat, turn.throws, left, game.budget(state, turn.seat), turn.roll, Reason(duty))


def _sheet_view(state: State, owner: int) -> SheetView:
    ruleset, sheet = state.ruleset, state.sheets[owner]
    shows_bonus = ruleset.bonus_shown == "at_once" or state.turn is None
    tally = pad.tally(ruleset, sheet)
    potentials = _potentials(state, owner)
    columns = tuple(
        _column_view(state, owner, column, part, potentials, shows_bonus) for column, part in enumerate(tally.columns)
    )
    extra = tally.extra if shows_bonus else 0
    return SheetView(
        columns=columns,
        saved_throws=pad.count(ruleset, sheet, "saved_throws") if ruleset.saved_throws else None,
        tokens=sum(column.tokens for column in columns),
        extra=extra,
        total=sum(column.multiplier * column.total for column in columns) + extra,
    )


def _column_view(
    state: State,
    owner: int,
    column: int,
    tally: pad.ColumnTally,
    potentials: dict[int, PotentialView],
    shows_bonus: bool,
) -> ColumnView:
    ruleset, sheet = state.ruleset, state.sheets[owner]
    balance = pad.balance(ruleset, sheet, column)
    bonus = tally.bonus if shows_bonus else 0
    first = column * len(ruleset.categories)
    return ColumnView(
        multiplier=ruleset.columns[column].multiplier,
        boxes=tuple(
            BoxView(str(ruleset.boxes[index]), row.id, sheet.entries[index], potentials.get(index))
            for index, row in enumerate(ruleset.categories, first)
        ),
        upper=tally.upper,
        balance=float(balance.value),
        bonus_state=balance.state,
        bonus=bonus,
        lower=tally.lower,
        tokens=pad.tokens(ruleset, sheet, column),
        total=tally.upper + tally.lower + bonus,
    )


def _potentials(state: State, owner: int) -> dict[int, PotentialView]:
    """By box index what the roll would bring; empty for a seat that has no roll on the table."""
    turn, ruleset, sheet = state.turn, state.ruleset, state.sheets[owner]
    if turn is None or turn.seat != owner or turn.roll is None:
        return {}
    roll = turn.roll
    return {
        entry.index: PotentialView(entry.points, entry.bonus, entry.legal, pad.why(ruleset, sheet, roll, entry))
        for entry in pad.entries(ruleset, sheet, roll)
    }
