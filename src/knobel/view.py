"""What one seat may see of a game, as plain data: every user interface shows this and computes no rules itself.

`ruleset_view` is what stays the same during a game, `view` what changes with each action. Texts are `Reason`s and ids.
"""

from dataclasses import dataclass, replace
from typing import Literal

from knobel import game
from knobel import sheet as pad
from knobel import turn as rules
from knobel.dice import format_faces
from knobel.errors import KnobelError, Reason
from knobel.game import State
from knobel.ruleset import digest
from knobel.sheet import Sheet
from knobel.turn import Turn
from knobel.vocabulary import Category, EarnedThrows, Labels, OptionValue, Ruleset, Section, Shown, TableHabits


@dataclass(frozen=True)
class CategoryView:
    """A row of the pad."""

    id: str
    labels: Labels
    section: Section
    how: Reason  # what it pays, in short: "how-all" (all dice), "how-matched" or "how-number" {points}


@dataclass(frozen=True)
class ColumnRule:
    """A column of the pad."""

    multiplier: int
    last_throw: int | None  # open for so many counted throws of a turn; None: always
    special: bool  # filled in special rounds and at the end only


@dataclass(frozen=True)
class TokenRule:
    """Something to spend once or more in a game."""

    id: str
    labels: Labels
    effect: Literal["restart", "helpers"]
    uses: int


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
    all_equal: str | None  # the box for all dice alike, where tokens for further ones are shown
    columns: tuple[ColumnRule, ...]
    tokens: tuple[TokenRule, ...]  # what a player may spend in a game, e.g. samuel, wunder
    earned_throws: EarnedThrows | None  # extra throws for points in some boxes of a column
    special_throws: int | None  # throws of a special turn; None: there are no special rounds
    no_strike_points: int | None  # for a complete column with upper bonus and without a 0
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
    no_strike: int  # points for a complete column without a 0
    tokens: int  # further fives of a kind entered in this column
    earned: int  # extra throws that this column has earned ...
    spent: int  # ... and how many of them are used
    is_open: bool  # the seat on turn may still enter here in this turn
    total: int  # shown now, unmultiplied, with the bonus as far as it is shown


@dataclass(frozen=True)
class SheetView:
    """One player's pad."""

    columns: tuple[ColumnView, ...]
    saved_throws: int | None  # None: not in this ruleset
    tokens: int
    left: tuple[tuple[str, int], ...]  # tokens to spend: id and uses left
    spare_throws: int  # earned throws not yet used
    extra: int  # points for the tokens as far as they are shown now
    total: int  # shown now: multiplied columns + extra


@dataclass(frozen=True)
class TurnView:
    """Whose turn it is and what this seat must do."""

    seat: int  # who acts
    owner: int  # whose turn it is: another one while a helper throws
    scene: Literal["regular", "special", "closing"]  # closing: what is left of the special column is thrown at the end
    box: str | None  # special turn: the only box to enter
    throw: int  # counted throws made in this turn, 0 before the first
    throws_left: int
    budget: int  # throws of this turn with the saved ones
    roll: tuple[int, ...] | None  # sorted; None before the first throw of the turn
    duty: Reason  # duty-throw, -throw-or-enter, -enter, -again {keep}, -help, -choose, -pick
    pool: tuple[int, ...] | None  # sorted dice to choose from, with those of helpers; None: no helpers in this turn
    helpers: tuple[int, ...]  # seats that still have to throw for the owner
    extra_throws: int  # earned throws that may be used now
    spendable: tuple[str, ...]  # tokens that may be spent now


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
    agenda: tuple[tuple[int, str | None], ...]  # special turns to come: seat and box (None: picks the box)
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
        all_equal=ruleset.all_equal,
        columns=tuple(ColumnRule(row.multiplier, row.last_throw, row.special) for row in ruleset.columns),
        tokens=tuple(TokenRule(token.id, token.labels, token.effect, token.uses) for token in ruleset.tokens),
        earned_throws=ruleset.earned_throws,
        special_throws=ruleset.special_rounds.throws if ruleset.special_rounds else None,
        no_strike_points=ruleset.no_strike.points if ruleset.no_strike else None,
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


@dataclass(frozen=True, slots=True)
class Drawn:
    """All that the view of a pad is drawn from: as long as this is the same, it looks the same."""

    ruleset: Ruleset
    sheet: Sheet
    turn: Turn | None  # the present one, if it is this player's
    is_over: bool


def view_of(state: State, seat: int | None) -> View:
    """A game as `seat` sees it; None for a watcher. Raises `KnobelError` if there is no such seat."""
    return replace(view_without_sheets(state, seat), sheets=tuple(map(sheet_view, drawn_from(state))))


def view_without_sheets(state: State, seat: int | None) -> View:
    """The same without the sheets, for whoever keeps those that look the same (`drawn_from`, `sheet_view`)."""
    if seat is not None and not 0 <= seat < len(state.sheets):
        raise KnobelError(Reason("expected-seat", {"players": len(state.sheets), "found": seat}))
    turn = state.turn
    to_act = turn is not None and turn.seat == seat
    final = game.result(state) if turn is None else None
    return View(
        seat=seat,
        turn=_turn_view(state, turn) if turn else None,
        agenda=tuple((duty.seat, str(duty.box) if duty.box else None) for duty in state.agenda),
        sheets=(),
        actions=tuple(map(str, game.legal_actions(state))) if to_act else (),
        result=ResultView(final.totals, final.ranks) if final else None,
    )


def drawn_from(state: State) -> tuple[Drawn, ...]:
    """What each sheet of a view is drawn from, by seat."""
    turn = state.turn
    return tuple(
        Drawn(state.ruleset, sheet, turn if turn is not None and turn.owner == owner else None, turn is None)
        for owner, sheet in enumerate(state.sheets)
    )


def sheet_view(drawn: Drawn) -> SheetView:
    """One player's pad."""
    ruleset, sheet = drawn.ruleset, drawn.sheet
    shows_bonus = ruleset.bonus_shown == "at_once" or drawn.is_over
    tally = pad.tally(ruleset, sheet)
    potentials = _potentials(drawn)
    columns = tuple(
        _column_view(drawn, column, part, potentials, shows_bonus) for column, part in enumerate(tally.columns)
    )
    extra = tally.extra if shows_bonus else 0
    return SheetView(
        columns=columns,
        saved_throws=pad.count(ruleset, sheet, "saved_throws") if ruleset.saved_throws else None,
        tokens=sum(column.tokens for column in columns),
        left=tuple((token.id, token.uses - pad.count(ruleset, sheet, token.id)) for token in ruleset.tokens),
        spare_throws=pad.spare_throws(ruleset, sheet),
        extra=extra,
        total=sum(column.multiplier * column.total for column in columns) + extra,
    )


def _turn_view(state: State, turn: Turn) -> TurnView:
    ruleset, sheet, left = state.ruleset, state.sheets[turn.owner], game.throws_left(state)
    special = turn.box is not None or turn.picks
    extra = rules.extra_throw(ruleset, sheet, turn) is not None
    return TurnView(
        seat=turn.seat,
        owner=turn.owner,
        scene="closing" if state.is_closing else "special" if special else "regular",
        box=str(turn.box) if turn.box else None,
        throw=turn.throws,
        throws_left=left,
        budget=game.budget(state),
        roll=turn.roll,
        duty=_duty(turn, left),
        pool=turn.pool if turn.pool or turn.helpers else None,
        helpers=turn.helpers,
        extra_throws=pad.spare_throws(ruleset, sheet) if extra else 0,
        spendable=tuple(token.id for token in rules.tokens_to_spend(ruleset, sheet, turn, len(state.sheets))),
    )


def _duty(turn: Turn, left: int) -> Reason:
    """What the acting seat must do."""
    if turn.picks:
        return Reason("duty-pick")
    if turn.helpers:
        return Reason("duty-help")
    if turn.pool:
        return Reason("duty-choose")
    if turn.roll is None:
        return Reason("duty-again", {"keep": format_faces(turn.keep)}) if turn.keep else Reason("duty-throw")
    return Reason("duty-throw-or-enter" if left else "duty-enter")


def _column_view(
    drawn: Drawn, column: int, tally: pad.ColumnTally, potentials: dict[int, PotentialView], shows_bonus: bool
) -> ColumnView:
    ruleset, sheet, turn = drawn.ruleset, drawn.sheet, drawn.turn
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
        no_strike=tally.no_strike if shows_bonus else 0,
        tokens=pad.tokens(ruleset, sheet, column),
        earned=pad.earned(ruleset, sheet, column),
        spent=pad.count(ruleset, sheet, f"spent_throw/{column + 1}"),
        is_open=turn is not None and rules.is_open(ruleset, turn, column),
        total=tally.upper + tally.lower + bonus + (tally.no_strike if shows_bonus else 0),
    )


def _potentials(drawn: Drawn) -> dict[int, PotentialView]:
    """By box index what the roll would bring; empty for a seat that has no dice of its own to enter."""
    ruleset, sheet, turn = drawn.ruleset, drawn.sheet, drawn.turn
    if turn is None or turn.roll is None or turn.helpers or turn.pool:
        return {}
    return {
        entry.index: PotentialView(entry.points, entry.bonus, entry.legal, rules.why(ruleset, sheet, turn, entry))
        for entry in rules.entries(ruleset, sheet, turn)
    }
