"""Kinds of reference cases: what a case of each section says, and what the rules core answers; used by `cases`."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, Any

from knobel import game, scoring
from knobel import sheet as pad
from knobel.action import Enter, Throw
from knobel.dice import probability, rolls
from knobel.errors import KnobelError, Reason
from knobel.ruleset import compose_ruleset
from knobel.schema import read, shown
from knobel.turn import Turn
from knobel.vocabulary import Bounds, Box, Face, Factor, Number, Ruleset


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """What every case may have."""

    id: str = ""
    note: str = ""
    ruleset: str = ""
    options: dict[str, Any] | None = None

    def rules(self, default: str = "") -> Ruleset:
        """The ruleset of the case with its options."""
        return compose_ruleset(self.ruleset or default, self.options or {})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Dice(_Case):
    """Points of the dice in every box."""

    dice: tuple[Face, ...]
    points: dict[str, Number]

    def check(self) -> tuple[object, object]:
        return self.points, scoring.points(self.rules(), self.dice)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry(_Case):
    """The complete set of legal entries with their points and bonus."""

    card: tuple[dict[str, Number], ...]
    dice: tuple[Face, ...]
    legal: Annotated[tuple[dict[str, Any], ...], Bounds(0, 1000)]
    fives_before: Number | None = None

    def check(self) -> tuple[object, object]:
        ruleset = self.rules()
        sheet = pad.sheet_from_card(ruleset, self.card, self.fives_before)
        dice = tuple(sorted(self.dice))
        scoring.points(ruleset, dice)  # refuses a wrong number of dice
        legal = [entry for entry in pad.entries(ruleset, sheet, dice) if entry.legal]
        got = [(ruleset.boxes[entry.index], {"points": entry.points, "bonus": entry.bonus}) for entry in legal]
        expected = [_place(entry) for entry in self.legal]
        if len(dict(expected)) < len(expected):
            raise KnobelError(Reason("named-twice", {"found": "legal"}))
        return dict(expected), {str(box): worth for box, worth in got}


@dataclass(frozen=True, slots=True, kw_only=True)
class _SavedThrows(_Case):
    """Throws used turn by turn in a real game: budgets, legality, and the pool afterwards."""

    used: Annotated[tuple[Factor, ...], Bounds(1, 1000)]
    turns: Annotated[tuple[dict[str, Any], ...], Bounds(1, 1000)]
    pool_after: Number | None = None

    def check(self) -> tuple[object, object]:
        expected = {"turns": list(self.turns), "pool_after": self.pool_after}
        state = game.start(self.rules("six-dice"))
        turns: list[dict[str, Any]] = []
        for used in self.used:
            turns.append({"budget": game.budget(state), "used": used, "legal": True})
            try:
                state = _played_turn(state, used)
            except KnobelError:
                turns[-1]["legal"] = False
                return expected, {"turns": turns, "pool_after": None}
        return expected, {"turns": turns, "pool_after": pad.count(state.ruleset, state.sheets[0], "saved_throws")}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Balance(_Case):
    """The balance of the filled upper boxes against par."""

    upper: dict[str, Number]
    balance: Annotated[int, Bounds(-100_000, 100_000)]

    def check(self) -> tuple[object, object]:
        ruleset = self.rules("classic")
        value = pad.balance(ruleset, pad.sheet_from_card(ruleset, [self.upper]), 0).value
        return self.balance, int(value) if value == int(value) else float(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tally(_Case):
    """The settlement of a card of one column with its tokens for further fives of a kind."""

    card: dict[str, Number]
    tally: dict[str, Number]
    tokens: Factor = 0

    def check(self) -> tuple[object, object]:
        ruleset = self.rules("acht-mann")
        sheet = pad.sheet_from_card(ruleset, [self.card])
        index = ruleset.counter_index.get("extra_five/1")
        if index is not None:
            counters = (*sheet.counters[:index], self.tokens, *sheet.counters[index + 1 :])
            sheet = pad.Sheet(sheet.entries, counters)
        elif self.tokens:
            raise KnobelError(Reason("cases-no-tokens", {"ruleset": ruleset.id}))
        tally = pad.tally(ruleset, sheet)
        got = {**asdict(tally.columns[0]), "extra": tally.extra, "total": tally.total}
        return self.tally, {name: value for name, value in got.items() if name in self.tally or name == "total"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _TripleTally(_Case):
    """Three column totals multiplied; each total stands in one lower box, as if the column held nothing else."""

    column_totals_incl_upper_bonus: tuple[Number, ...]
    multipliers: tuple[Factor, ...]
    total: Annotated[int, Bounds(0, 10**9)]

    def check(self) -> tuple[object, object]:
        triple: dict[str, Any] = {"columns": 3, "multipliers": self.multipliers, **(self.options or {})}
        ruleset = compose_ruleset(self.ruleset or "classic", triple)
        box = next(row.id for row in ruleset.categories if row.section == "lower")
        card = [{box: total} for total in self.column_totals_incl_upper_bonus]
        return self.total, pad.tally(ruleset, pad.sheet_from_card(ruleset, card)).total


@dataclass(frozen=True, slots=True, kw_only=True)
class _Census(_Case):
    """Over all ordered rolls: how many score in each box, their sum and the highest."""

    outcomes: Annotated[int, Bounds(0, 6**8)]
    boxes: dict[str, Any]

    def check(self) -> tuple[object, object]:
        ruleset = self.rules()
        n_rolls = 6**ruleset.dice
        ways = {roll: int(probability(roll) * n_rolls) for roll in rolls(ruleset.dice)}
        got: dict[str, object] = {"outcomes": n_rolls}
        for row, category in enumerate(ruleset.categories):
            values = [(scored[row], ways[roll]) for roll, scored in scoring.points_table(ruleset).items()]
            got[category.id] = {
                "nonzero": sum(count for value, count in values if value),
                "total": sum(value * count for value, count in values),
                "max": max(value for value, _ in values),
            }
        return {"outcomes": self.outcomes, **self.boxes}, got


@dataclass(frozen=True, slots=True, kw_only=True)
class _Columns(_Case):
    """Which columns a turn still reaches, and whether it may go on; the free boxes are the top ones."""

    normal_throws: Annotated[int, Bounds(1, 20)]
    extra_throws_used: Factor = 0
    free_cells: tuple[Factor, ...]
    legal_columns: tuple[Factor, ...]
    may_throw_normally: bool

    def check(self) -> tuple[object, object]:
        ruleset = self.rules("acht-mann")
        card = [{row.id: 1 for row in ruleset.categories[free:]} for free in self.free_cells]
        turn = Turn(0, self.normal_throws, (1,) * ruleset.dice, extras=self.extra_throws_used)
        legal = game.legal_actions(game.State(ruleset, (pad.sheet_from_card(ruleset, card),), turn))
        columns = sorted({action.box.column + 1 for action in legal if isinstance(action, Enter)})
        expected = {"legal_columns": list(self.legal_columns), "may_throw_normally": self.may_throw_normally}
        may_throw = any(isinstance(action, Throw) for action in legal)
        return expected, {"legal_columns": columns, "may_throw_normally": may_throw}


@dataclass(frozen=True, slots=True, kw_only=True)
class _ExtraThrows(_Case):
    """Extra throws that two boxes of a column earn, under each value of `extra_grant`."""

    column: Factor
    three_kind: Number | None = None
    four_kind: Number | None = None
    granted_default_both: Factor
    granted_option_each: Factor
    granted_option_either: Factor

    def check(self) -> tuple[object, object]:
        card = {"three_kind": self.three_kind, "four_kind": self.four_kind}
        filled = {box: points for box, points in card.items() if points is not None}
        got = {}
        for grant in ("default_both", "option_each", "option_either"):
            options = {**(self.options or {}), "extra_grant": grant.partition("_")[2]}
            ruleset = compose_ruleset(self.ruleset or "acht-mann", options)
            sheet = pad.sheet_from_card(ruleset, [*[{}] * (self.column - 1), filled])
            got[f"granted_{grant}"] = pad.spare_throws(ruleset, sheet)
        return {name: getattr(self, name) for name in got}, got


KINDS: dict[str, Any] = {
    "dice_cases": _Dice,
    "entry_cases": _Entry,
    "saved_throw_cases": _SavedThrows,
    "balance_cases": _Balance,
    "tally_cases": _Tally,
    "acht_mann_column_tallies": _Tally,
    "acht_mann_column_cases": _Columns,
    "acht_mann_extra_throw_cases": _ExtraThrows,
    "triple_tally_cases": _TripleTally,
    "census": _Census,
}


def _place(entry: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The box of an expected entry, and what it is worth."""
    column = read(Annotated[int, Bounds(1, 1000)], entry.get("column"), "", "column")
    worth = {name: value for name, value in entry.items() if name not in ("column", "box")}
    return str(Box(shown(entry.get("box")), column - 1)), worth


def _played_turn(state: game.State, n_throws: int) -> game.State:
    """A whole turn of so many throws of all dice, entered in the first box that is legal."""
    for _ in range(n_throws):
        state = game.apply(state, Throw(), (1,) * state.ruleset.dice)
    entries = [action for action in game.legal_actions(state) if isinstance(action, Enter)]
    return game.apply(state, entries[0] if entries else Enter(state.ruleset.boxes[0]))
