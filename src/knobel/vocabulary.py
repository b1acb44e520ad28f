"""The words a ruleset is made of: frozen types with their bounds, and what follows directly from them.

A ruleset is data. What a new game needs becomes a new word here with a test, never code in a ruleset file. The types
are the schema: `schema` reads and writes them by their annotations. Options are `option`, finding rulesets `ruleset`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cached_property
from typing import Annotated, Literal

Language = Literal["de", "en"]
Section = Literal["upper", "lower"]
JokerMode = Literal["none", "forced", "free"]
ExtraFiveWhen = Literal["box_has_50", "any_after_first", "box_filled", "none"]
Quantifier = Literal["all_50", "any_50"]
PaidIn = Literal["any_box", "matching_upper"]
OrderScope = Literal["column_major", "per_column", "row_major"]
Shown = Literal["at_once", "at_end"]
OptionValue = bool | int | str | tuple[int, ...] | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Bounds:
    """Lowest and highest whole number, or number of items in a list, both included."""

    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Text:
    """A text of at most `most` characters that this pattern matches as a whole; `key` is the message if it does not."""

    pattern: str
    most: int
    key: str


Number = Annotated[int, Bounds(0, 100_000)]
Factor = Annotated[int, Bounds(0, 1000)]
Face = Annotated[int, Bounds(1, 6)]
RulesetId = Annotated[str, Text(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", 40, "expected-ruleset-id")]
BoxId = Annotated[str, Text(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", 40, "expected-box-id")]
Label = Annotated[
    str, Text(r"[^\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff]+", 60, "expected-label")
]
Points = Literal["all", "matched"] | Number


@dataclass(frozen=True, slots=True)
class Labels:
    """What people read, in both languages."""

    de: Label
    en: Label


@dataclass(frozen=True, slots=True)
class Rule:
    """One pattern (none means every roll) and its points; `matched` counts the best dice that form the pattern."""

    points: Points
    face: Face | None = None  # at least one die shows this face; matched: all dice that do
    groups: Annotated[
        tuple[Annotated[int, Bounds(1, 8)], ...], Bounds(0, 6)
    ] = ()  # so many alike for each of as many different faces, e.g. (3, 2)
    sets: Annotated[
        tuple[tuple[Face, ...], ...], Bounds(0, 20)
    ] = ()  # one of these sets of different faces lies on the table
    total: Number | None = None  # all dice together show this sum
    exact: bool = False  # groups, sets: more dice of the same faces spoil the pattern


@dataclass(frozen=True, slots=True)
class Category:
    """What is scored: a row of the pad. The first rule whose pattern matches counts; no match scores 0."""

    id: BoxId
    labels: Labels
    rules: Annotated[tuple[Rule, ...], Bounds(1, 8)]
    section: Section = "lower"
    joker: Number | None = None  # points of a joker entered here, where they differ from the dice's own

    @property
    def face(self) -> int | None:
        """The face that an upper category counts."""
        return self.rules[0].face if self.section == "upper" else None


@dataclass(frozen=True, slots=True)
class Column:
    """Where and when a category is scored: a column of the pad."""

    multiplier: Factor = 1  # of the column total, upper bonus included
    last_throw: Annotated[int, Bounds(1, 20)] | None = None  # open for so many counted throws of a turn, then passed
    special: bool = False  # filled in special rounds only, which `special_rounds` describes


@dataclass(frozen=True, slots=True)
class UpperBonus:
    """`bonus` points in each column whose upper boxes sum to `threshold` or more."""

    threshold: Number
    bonus: Number


@dataclass(frozen=True, slots=True)
class ExtraFive:
    """Bonus for a further roll of all dice alike, counted apart from the boxes (RULES 1, 2, 6, 6b)."""

    when: ExtraFiveWhen = "none"
    points: Number = 100
    columns: Quantifier = "all_50"  # with several columns: must the condition hold in all or in any of them?
    multiplied: bool = True  # by the factor of the column in which the roll is entered
    paid_in: PaidIn = "any_box"


@dataclass(frozen=True, slots=True)
class Token:
    """Something a player may spend in a turn of his own after a throw, `uses` times in a game (RULES 7.3)."""

    id: BoxId
    labels: Labels
    effect: Literal["restart", "helpers"]
    uses: Annotated[int, Bounds(1, 9)] = 1
    restarts: Literal["turn", "throw"] = "turn"  # restart: all of the turn, or its last throw only
    pool: Literal["own_and_helpers", "helpers"] = "own_and_helpers"  # helpers: whose dice may be chosen
    solo_helpers: Annotated[int, Bounds(0, 9)] = 0  # helpers: throws for a player who is alone


@dataclass(frozen=True, slots=True)
class EarnedThrows:
    """Extra throws that a column earns by points in some of its boxes; they are not counted (RULES 7.4)."""

    categories: Annotated[tuple[BoxId, ...], Bounds(1, 6)]
    minima: Annotated[tuple[Number, ...], Bounds(1, 12)]  # one for each column
    grant: Literal["both", "each", "either"] = "both"  # what earns: all boxes together, each, or any one of them
    mode: Literal["keeps_column", "same_column", "after_fifth"] = "keeps_column"
    most_per_turn: Annotated[int, Bounds(0, 99)] = 0  # 0: no limit


@dataclass(frozen=True, slots=True)
class SpecialRounds:
    """Rounds that interrupt the game when a column earns its upper bonus: all throw for one special box (RULES 7.5)."""

    throws: Annotated[int, Bounds(1, 20)]
    trigger: Literal["sum", "complete"] = "sum"  # the sum is reached, or the upper boxes are filled as well
    order: Literal["bonus_first", "seat"] = "bonus_first"
    tokens: bool = True  # may tokens and earned throws be used?
    own_bonus: bool = False  # does the bonus of the special column start a round as well?
    last: Literal["bottom", "any"] = "bottom"  # the box that nobody may pick: the bottom row, or whichever is left
    final_order: Literal["rows", "players"] = "rows"  # how the boxes that are left at the end are thrown


@dataclass(frozen=True, slots=True)
class NoStrike:
    """Points for a complete column that has its upper bonus and no 0 (RULES 7.6)."""

    points: Number
    columns: Literal["all", "regular"] = "all"


@dataclass(frozen=True, slots=True)
class TableHabits:
    """How a table of this game usually behaves; players may change it, it is no rule and not part of the digest."""

    marks: Literal["keep", "again"] = "keep"  # what a marked die does: it stays, or it is thrown again
    clicks: Literal[1, 2] = 2  # clicks that an entry takes: the first of two previews it
    balance: Literal["below", "beside"] = "below"  # the balance against par also stands beside the upper boxes


@dataclass(frozen=True, slots=True)
class Box:
    """One cell of the pad; `column` counts from 0, its text from 1."""

    category: str
    column: int = 0

    def __str__(self) -> str:
        """`full_house`, in further columns `full_house/2`.

        >>> str(Box("full_house")), str(Box("full_house", 1))
        ('full_house', 'full_house/2')
        """
        return f"{self.category}/{self.column + 1}" if self.column else self.category


@dataclass(frozen=True)
class Ruleset:
    """One composed ruleset: everything the engine asks. Equal by value; options are already applied."""

    id: RulesetId
    labels: Labels
    dice: Annotated[int, Bounds(1, 8)]
    throws: Annotated[int, Bounds(1, 20)]
    categories: Annotated[tuple[Category, ...], Bounds(1, 40)]
    columns: Annotated[tuple[Column, ...], Bounds(1, 12)] = (Column(),)
    upper: UpperBonus | None = None
    saved_throws: bool = False  # unused throws may be used in any later turn
    all_equal: BoxId | None = None  # the box for all dice alike, which jokers and extra fives refer to
    joker: JokerMode = "none"
    extra_five: ExtraFive = ExtraFive()
    tokens: Annotated[tuple[Token, ...], Bounds(0, 6)] = ()
    earned_throws: EarnedThrows | None = None
    special_rounds: SpecialRounds | None = None
    no_strike: NoStrike | None = None
    overthrow: Literal["forbid", "strike_any"] = "forbid"  # a throw after which no open column has a free box
    bonus_shown: Shown = "at_once"  # are upper bonus and extra fives part of the running total?
    order: tuple[BoxId, ...] = ()  # categories in the order of entry; empty: free choice
    order_scope: OrderScope = "column_major"
    tiebreak: tuple[BoxId, ...] = ()  # boxes that are compared in turn; empty: a tie is shared
    habits: TableHabits = TableHabits()
    options: tuple[tuple[str, OptionValue], ...] = ()  # the chosen options, for people to read

    @cached_property
    def _hash(self) -> int:
        return hash(tuple(getattr(self, item.name) for item in fields(self)))

    def __hash__(self) -> int:
        """Cached: rulesets are keys of the caches of points."""
        return self._hash

    def __reduce__(self) -> tuple[type["Ruleset"], tuple[object, ...]]:
        """Pickle the fields only: a cached hash is worthless in another process."""
        return Ruleset, tuple(getattr(self, item.name) for item in fields(self))

    @cached_property
    def category_index(self) -> Mapping[str, int]:
        """Row of each category."""
        return {category.id: index for index, category in enumerate(self.categories)}

    @cached_property
    def boxes(self) -> tuple[Box, ...]:
        """All cells, column by column; a sheet keeps its entries in this order."""
        return tuple(Box(row.id, column) for column in range(len(self.columns)) for row in self.categories)

    @cached_property
    def box_index(self) -> Mapping[Box, int]:
        """Index of each box in `boxes`."""
        return {box: index for index, box in enumerate(self.boxes)}

    @cached_property
    def upper_of_face(self) -> Mapping[int, int]:
        """Row of the upper category that counts each face."""
        return {row.face: index for index, row in enumerate(self.categories) if row.face is not None}

    @cached_property
    def upper_rows(self) -> frozenset[int]:
        """Rows of the upper section."""
        return frozenset(index for index, row in enumerate(self.categories) if row.section == "upper")

    @cached_property
    def special_column(self) -> int | None:
        """The column of special rounds."""
        return next((index for index, column in enumerate(self.columns) if column.special), None)

    @cached_property
    def is_gated(self) -> bool:
        """Whether a turn reaches some columns only: by its throws, or in special rounds."""
        return any(column.special or column.last_throw is not None for column in self.columns)

    @cached_property
    def order_rows(self) -> tuple[int, ...]:
        """Rows in the order of entry."""
        return tuple(self.category_index[name] for name in self.order)

    @cached_property
    def par_per_hit(self) -> Fraction:
        """Hits needed of each face for the upper bonus: 63 / 21 = 3, 84 / 21 = 4 (RULES 6)."""
        hits = sum(self.upper_of_face)
        return Fraction(self.upper.threshold, hits) if self.upper and hits else Fraction(0)

    @cached_property
    def counters(self) -> tuple[str, ...]:
        """Ids of what a sheet counts beside its entries."""
        columns = range(1, len(self.columns) + 1)
        saved = ["saved_throws"] if self.saved_throws else []
        fives = self.all_equal is not None and self.extra_five.when != "none"
        extra = ["fives", *(f"extra_five/{column}" for column in columns)] if fives else []
        spent = [f"spent_throw/{column}" for column in columns] if self.earned_throws else []
        return (*saved, *extra, *(token.id for token in self.tokens), *spent)

    @cached_property
    def counter_index(self) -> Mapping[str, int]:
        """Index of each counter."""
        return {name: index for index, name in enumerate(self.counters)}
