"""One player's pad: what is entered, what may be entered now and what it brings, subtotals, balance, final tally."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Literal

from knobel.dice import Roll
from knobel.errors import KnobelError, Reason
from knobel.scoring import joker_points, points_table, rule_that_fires
from knobel.vocabulary import Box, Ruleset

BonusState = Literal["none", "open", "reached", "lost"]


@dataclass(frozen=True, slots=True)
class Sheet:
    """Entries in the order of `ruleset.boxes` (None: free) and counters in the order of `ruleset.counters`."""

    entries: tuple[int | None, ...]
    counters: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """What the present roll brings in a free box: unmultiplied points, and the bonus for a further five of a kind."""

    index: int  # in ruleset.boxes
    points: int
    bonus: int
    token: bool  # whether the entry earns a token (its bonus may be 0 points)
    legal: bool


@dataclass(frozen=True, slots=True)
class ColumnTally:
    """Settlement of one column; `total` is unmultiplied."""

    upper: int
    bonus: int
    lower: int
    no_strike: int
    total: int


@dataclass(frozen=True, slots=True)
class Tally:
    """Settlement of a pad: multiplied columns plus `extra` for further fives of a kind."""

    columns: tuple[ColumnTally, ...]
    extra: int
    total: int


@dataclass(frozen=True, slots=True)
class Balance:
    """The upper boxes of one column against par (RULES 6)."""

    value: Fraction  # filled boxes only
    state: BonusState


def empty_sheet(ruleset: Ruleset) -> Sheet:
    """A new pad."""
    return Sheet((None,) * len(ruleset.boxes), (0,) * len(ruleset.counters))


def sheet_from_card(ruleset: Ruleset, card: Sequence[Mapping[str, int]], fives: int | None = None) -> Sheet:
    """A pad with these entries, one mapping for each column, taken as they stand.

    `fives` is the number of fives of a kind entered so far (default: those that the card's own box for them shows).
    Raises `KnobelError` for a column or box that the pad does not have.
    """
    entries: list[int | None] = [None] * len(ruleset.boxes)
    for column, values in enumerate(card):
        for name, value in values.items():
            index = ruleset.box_index.get(Box(name, column))
            if index is None:
                raise KnobelError(Reason("unknown-box", {"found": str(Box(name, column))[:60]}))
            entries[index] = value
    sheet = Sheet(tuple(entries), (0,) * len(ruleset.counters))
    shown = sum(bool(value) for value in _all_equal_entries(ruleset, sheet))
    return _counted(ruleset, sheet, {"fives": shown if fives is None else fives})


def count(ruleset: Ruleset, sheet: Sheet, counter: str) -> int:
    """A counter of the sheet; 0 where the ruleset does not have it."""
    index = ruleset.counter_index.get(counter)
    return 0 if index is None else sheet.counters[index]


def tokens(ruleset: Ruleset, sheet: Sheet, column: int) -> int:
    """Tokens for further fives of a kind entered in this column (from 0)."""
    return count(ruleset, sheet, f"extra_five/{column + 1}")


def is_full(sheet: Sheet) -> bool:
    """Whether every box is filled."""
    return None not in sheet.entries


def entries(ruleset: Ruleset, sheet: Sheet, roll: Roll) -> tuple[Entry, ...]:
    """All free boxes in the order of `ruleset.boxes`: what the roll brings there, and whether it may go there."""
    free = [index for index, value in enumerate(sheet.entries) if value is None]
    rows, n_rows = points_table(ruleset)[roll], len(ruleset.categories)
    if roll[0] != roll[-1] or ruleset.all_equal is None:
        allowed = _next_in_order(ruleset, sheet) if ruleset.order else None
        return tuple(Entry(i, rows[i % n_rows], 0, False, allowed is None or i in allowed) for i in free)
    joker = is_joker(ruleset, sheet, roll)
    valued = joker and not upper_free(ruleset, sheet, roll)
    legal = set(_placement(ruleset, sheet, roll, free, joker))
    result = []
    for index in free:
        row, natural = index % n_rows, rows[index % n_rows]
        points = joker_points(ruleset.categories[row], natural) if valued else natural
        token = earns_token(ruleset, sheet, roll, index)
        bonus = _extra_points(ruleset, index // n_rows) if token else 0
        result.append(Entry(index, points, bonus, token, index in legal))
    return tuple(result)


def is_joker(ruleset: Ruleset, sheet: Sheet, roll: Roll) -> bool:
    """Whether the roll is a joker: all dice alike while the box for them is filled in every column (RULES 1.1, 2)."""
    return ruleset.joker != "none" and roll[0] == roll[-1] and None not in _all_equal_entries(ruleset, sheet)


def upper_free(ruleset: Ruleset, sheet: Sheet, roll: Roll) -> tuple[int, ...]:
    """The free boxes for the face of a roll of all dice alike, in any column."""
    row = ruleset.upper_of_face.get(roll[0])
    if row is None:
        return ()
    cells = range(row, len(sheet.entries), len(ruleset.categories))
    return tuple(index for index in cells if sheet.entries[index] is None)


def earns_token(ruleset: Ruleset, sheet: Sheet, roll: Roll, index: int) -> bool:
    """Whether all dice alike, entered in this box, are a further five of a kind (RULES 1, 2, 6 K1, 6b)."""
    extra, boxes = ruleset.extra_five, _all_equal_entries(ruleset, sheet)
    category = ruleset.boxes[index].category
    if extra.when == "none":
        return False
    if extra.paid_in == "matching_upper" and ruleset.category_index[category] != ruleset.upper_of_face.get(roll[0]):
        return False
    if extra.when == "any_after_first":
        return count(ruleset, sheet, "fives") > 0
    every = all if extra.columns == "all_50" else any
    held = [bool(value) if extra.when == "box_has_50" else value is not None for value in boxes]
    return category != ruleset.all_equal and every(held)


def enter(ruleset: Ruleset, sheet: Sheet, roll: Roll, entry: Entry) -> Sheet:
    """The sheet after an entry: box filled, fives of a kind and tokens counted."""
    filled = Sheet((*sheet.entries[: entry.index], entry.points, *sheet.entries[entry.index + 1 :]), sheet.counters)
    if roll[0] != roll[-1] or "fives" not in ruleset.counter_index:
        return filled
    token = f"extra_five/{entry.index // len(ruleset.categories) + 1}"
    return _counted(ruleset, filled, {"fives": 1, token: int(entry.token)})


def save_throws(ruleset: Ruleset, sheet: Sheet, left: int) -> Sheet:
    """The sheet with `left` saved throws; unchanged where the ruleset saves none (RULES 5)."""
    if not ruleset.saved_throws:
        return sheet
    return _counted(ruleset, sheet, {"saved_throws": left - count(ruleset, sheet, "saved_throws")})


def tally_column(ruleset: Ruleset, sheet: Sheet, column: int) -> ColumnTally:
    """Settlement of a column (from 0), as far as it is filled."""
    n_rows = len(ruleset.categories)
    cells = sheet.entries[column * n_rows : (column + 1) * n_rows]
    total = sum(value or 0 for value in cells)
    upper = sum(cells[row] or 0 for row in ruleset.upper_rows)
    reached = has_bonus(ruleset, sheet, column, is_whole=False)
    bonus = ruleset.upper.bonus if ruleset.upper and reached else 0
    rule = ruleset.no_strike
    counts = rule is not None and (rule.columns == "all" or not ruleset.columns[column].special)
    no_strike = rule.points if rule and counts and reached and all(cells) else 0
    return ColumnTally(upper, bonus, total - upper, no_strike, total + bonus + no_strike)


def has_bonus(ruleset: Ruleset, sheet: Sheet, column: int, is_whole: bool) -> bool:
    """Whether a column (from 0) has its upper bonus; `is_whole` asks for all upper boxes to be filled as well."""
    first = column * len(ruleset.categories)
    cells = [sheet.entries[first + row] for row in ruleset.upper_rows]
    complete = None not in cells or not is_whole
    return ruleset.upper is not None and complete and sum(value or 0 for value in cells) >= ruleset.upper.threshold


def earned(ruleset: Ruleset, sheet: Sheet, column: int) -> int:
    """Extra throws that the entries of a column (from 0) have earned, spent or not (RULES 7.4)."""
    rule = ruleset.earned_throws
    if rule is None:
        return 0
    first = column * len(ruleset.categories)
    cells = [sheet.entries[first + ruleset.category_index[name]] for name in rule.categories]
    reached = sum(value is not None and value >= rule.minima[column] for value in cells)
    return reached if rule.grant == "each" else int(reached >= (len(cells) if rule.grant == "both" else 1))


def spare_throw(ruleset: Ruleset, sheet: Sheet) -> str | None:
    """The counter of the first column with an earned throw that is not spent; None without one."""
    names = (f"spent_throw/{column + 1}" for column in range(len(ruleset.columns)))
    left = (name for column, name in enumerate(names) if earned(ruleset, sheet, column) > count(ruleset, sheet, name))
    return next(left, None)


def spare_throws(ruleset: Ruleset, sheet: Sheet) -> int:
    """Earned throws that are not spent, over all columns."""
    columns = range(len(ruleset.columns))
    spent = sum(count(ruleset, sheet, f"spent_throw/{column + 1}") for column in columns)
    return sum(earned(ruleset, sheet, column) for column in columns) - spent


def spend(ruleset: Ruleset, sheet: Sheet, counter: str) -> Sheet:
    """The sheet with one more use of a token or an earned throw."""
    return _counted(ruleset, sheet, {counter: 1})


def tally(ruleset: Ruleset, sheet: Sheet) -> Tally:
    """Settlement of the whole pad, as far as it is filled (RULES 1, 2)."""
    columns = tuple(tally_column(ruleset, sheet, column) for column in range(len(ruleset.columns)))
    extra = sum(tokens(ruleset, sheet, column) * _extra_points(ruleset, column) for column in range(len(columns)))
    weighed = sum(column.multiplier * part.total for column, part in zip(ruleset.columns, columns, strict=True))
    return Tally(columns, extra, weighed + extra)


def balance(ruleset: Ruleset, sheet: Sheet, column: int) -> Balance:
    """The filled upper boxes of a column (from 0) against par, and whether the bonus is reached or out of reach.

    par per hit = threshold / 21; out of reach iff upper sum + sum over free boxes of dice x face < threshold (RULES 6).
    """
    if ruleset.upper is None:
        return Balance(Fraction(0), "none")
    cells = {face: sheet.entries[column * len(ruleset.categories) + row] for face, row in ruleset.upper_of_face.items()}
    reachable = sum(ruleset.dice * face if value is None else value for face, value in cells.items())
    hits = sum(face for face, value in cells.items() if value is not None)
    upper = sum(value or 0 for value in cells.values())
    threshold = ruleset.upper.threshold
    state: BonusState = "reached" if upper >= threshold else "open" if reachable >= threshold else "lost"
    return Balance(upper - ruleset.par_per_hit * hits, state)


def why(ruleset: Ruleset, sheet: Sheet, roll: Roll, entry: Entry) -> tuple[Reason, ...]:
    """Why an entry brings what it brings, and why it is not legal if it is not."""
    box = ruleset.boxes[entry.index]
    category = ruleset.categories[ruleset.category_index[box.category]]
    joker = is_joker(ruleset, sheet, roll)
    if joker and category.joker is not None and not upper_free(ruleset, sheet, roll):
        reasons = [Reason("why-joker-value", {"points": entry.points})]
    else:
        reasons = [_why_natural(ruleset, ruleset.category_index[box.category], roll)]
    own = upper_free(ruleset, sheet, roll) if joker and category.joker is not None else ()
    if own and entry.legal:
        reasons.append(Reason("why-joker-not-yet", {"box": str(ruleset.boxes[own[0]])}))
    if entry.token:
        reasons.append(Reason("why-extra-five", {"points": entry.bonus}))
    if ruleset.order:
        following = sorted(_next_in_order(ruleset, sheet))
        reasons += [Reason("why-order", {"box": str(ruleset.boxes[following[0]])})] if not entry.legal else []
    elif joker and ruleset.joker == "forced":
        reasons += _why_forced(ruleset, sheet, roll, entry)
    return tuple(reasons)


@lru_cache(maxsize=16_384)
def _why_natural(ruleset: Ruleset, row: int, roll: Roll) -> Reason:
    """Why a category brings what it brings without a joker; the same in every column and for everybody."""
    category = ruleset.categories[row]
    rule = rule_that_fires(category, roll)
    if rule is None:
        return Reason("why-no-match", {"category": category.id})
    name = "number" if isinstance(rule.points, int) else rule.points
    return Reason(f"why-rule-{name}", {"points": points_table(ruleset)[roll][row]})


def _why_forced(ruleset: Ruleset, sheet: Sheet, roll: Roll, entry: Entry) -> list[Reason]:
    own = upper_free(ruleset, sheet, roll)
    if own:
        return [Reason("why-joker-forced-upper", {"box": str(ruleset.boxes[own[0]])})]
    row = entry.index % len(ruleset.categories)
    if row in ruleset.upper_rows:
        return [Reason("why-joker-zero" if entry.legal else "why-joker-forced-lower")]
    return []


def _all_equal_entries(ruleset: Ruleset, sheet: Sheet) -> tuple[int | None, ...]:
    """Entries of the box for all dice alike, one for each column."""
    if ruleset.all_equal is None:
        return ()
    return sheet.entries[ruleset.category_index[ruleset.all_equal] :: len(ruleset.categories)]


def _placement(ruleset: Ruleset, sheet: Sheet, roll: Roll, free: list[int], joker: bool) -> Sequence[int]:
    """Where all dice alike may be entered: a fixed order decides first, then the forced joker (RULES 1.1, 2, 3)."""
    if ruleset.order:
        return _next_in_order(ruleset, sheet)
    if not joker or ruleset.joker != "forced":
        return free
    own = upper_free(ruleset, sheet, roll)
    lower = [index for index in free if index % len(ruleset.categories) not in ruleset.upper_rows]
    return own or lower or free


def _next_in_order(ruleset: Ruleset, sheet: Sheet) -> Sequence[int]:
    """The box, or with `per_column` the boxes, that a fixed order allows next (RULES 3, F1)."""
    nexts = (next((index for index in line if sheet.entries[index] is None), None) for line in lines(ruleset))
    return [index for index in nexts if index is not None]


@lru_cache(maxsize=64)
def lines(ruleset: Ruleset) -> tuple[tuple[int, ...], ...]:
    """The boxes as lines: each is filled from its first box to its last, in turn with the others (RULES 3, F1).

    Without a fixed order every box is a line of its own.
    """
    n_rows, columns = len(ruleset.categories), range(len(ruleset.columns))
    if not ruleset.order:
        return tuple((index,) for index in range(len(ruleset.boxes)))
    by_column = tuple(tuple(column * n_rows + row for row in ruleset.order_rows) for column in columns)
    if ruleset.order_scope == "per_column":
        return by_column
    if ruleset.order_scope == "row_major":
        return (tuple(column * n_rows + row for row in ruleset.order_rows for column in columns),)
    return (tuple(index for line in by_column for index in line),)


def _extra_points(ruleset: Ruleset, column: int) -> int:
    extra = ruleset.extra_five
    return extra.points * (ruleset.columns[column].multiplier if extra.multiplied else 1)


def _counted(ruleset: Ruleset, sheet: Sheet, changes: Mapping[str, int]) -> Sheet:
    """The sheet with counters changed by so much; counters that the ruleset does not have are left out."""
    names = zip(ruleset.counters, sheet.counters, strict=True)
    return Sheet(sheet.entries, tuple(value + changes.get(name, 0) for name, value in names))
