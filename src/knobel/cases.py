"""Reference cases: a JSON file of dice, cards and expected answers, checked against the rules core.

The format is described in docs/rulesets.md. Every section is optional; whatever is not understood makes the run fail.
"""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from knobel import game, scoring
from knobel import sheet as pad
from knobel.dice import probability, rolls
from knobel.errors import KnobelError, Reason, RulesetError
from knobel.game import Enter, Throw
from knobel.ruleset import builtin_ids, compose_ruleset, file_text
from knobel.schema import dotted, listed, read, shown
from knobel.vocabulary import Bounds, Box, Face, Factor, Number, Ruleset

MAX_BYTES = 50_000_000
DESCRIPTIONS = ("about", "rulesets")  # no cases
NOT_BUILT_RULESETS = ("acht-mann",)  # their cases are skipped until the ruleset exists
NOT_BUILT_SECTIONS = (
    "acht_mann_column_cases", "acht_mann_extra_throw_cases", "acht_mann_column_tallies",
    "forced_single_box_expectation_acht_mann_by_throws", "fixed_order_optimal_expectation", "optimal_expectation",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Failure:
    """A case that did not hold; `got` is what the rules core said, or `error` what was wrong with the case."""

    section: str
    id: str
    expected: object
    got: object
    error: KnobelError | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of all cases of a file."""

    passed: int
    failures: tuple[Failure, ...]
    skipped: tuple[tuple[str, int], ...]  # what was skipped, and how many cases of it

    @property
    def summary(self) -> str:
        """`N passed, M failed`, with the number of skipped cases if there are any."""
        skipped = f", {sum(dict(self.skipped).values())} skipped" if self.skipped else ""
        return f"{self.passed} passed, {len(self.failures)} failed{skipped}"


class _Skipped(Exception):
    """This case is about a ruleset that is not built yet."""


def read_cases(path: Path) -> Mapping[str, Any]:
    """The sections of a file; raises `RulesetError` naming the file if it holds no JSON object."""
    source = str(path)
    text = file_text(path, MAX_BYTES)
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RulesetError(source, "", Reason("not-json", {"problem": str(error)})) from None
    if not isinstance(data, Mapping):
        raise RulesetError(source, "", Reason("expected-table", {"found": shown(data)}))
    return data


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """What every case may have."""

    id: str = ""
    note: str = ""
    ruleset: str = ""
    options: dict[str, Any] | None = None

    def rules(self, default: str = "") -> Ruleset:
        """The ruleset of the case with its options."""
        name = self.ruleset or default
        if name in NOT_BUILT_RULESETS and name not in builtin_ids():
            raise _Skipped(name)
        return compose_ruleset(name, self.options or {})


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
            turns.append({"budget": game.budget(state, 0), "used": used, "legal": True})
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
    """The settlement of a card with its tokens for further fives of a kind."""

    card: dict[str, Number]
    tally: dict[str, Number]
    tokens: Factor = 0

    def check(self) -> tuple[object, object]:
        ruleset = self.rules()
        sheet = pad.sheet_from_card(ruleset, [self.card])
        index = ruleset.counter_index.get("extra_five/1")
        if index is not None:
            counters = (*sheet.counters[:index], self.tokens, *sheet.counters[index + 1 :])
            sheet = pad.Sheet(sheet.entries, counters)
        elif self.tokens:
            raise KnobelError(Reason("cases-no-tokens", {"ruleset": ruleset.id}))
        tally = pad.tally(ruleset, sheet)
        column = tally.columns[0]
        got = {"upper": column.upper, "bonus": column.bonus, "lower": column.lower, "extra": tally.extra}
        return self.tally, {**got, "total": tally.total}


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


_KINDS: dict[str, Any] = {
    "dice_cases": _Dice,
    "entry_cases": _Entry,
    "saved_throw_cases": _SavedThrows,
    "balance_cases": _Balance,
    "tally_cases": _Tally,
    "triple_tally_cases": _TripleTally,
    "census": _Census,
}


def run_cases(data: Mapping[str, Any], source: str = "cases") -> Outcome:
    """Check every case; a case or section that cannot be understood counts as failed. `source` is named in errors."""
    passed, failures, skipped = 0, [], Counter[str]()
    for section, content in data.items():
        if section in DESCRIPTIONS:
            continue
        if section in NOT_BUILT_SECTIONS:
            skipped[section] += _n_cases(content)
            continue
        try:
            cases = _cases_of(section, content, source)
        except KnobelError as error:
            failures.append(Failure(section, section, None, None, error))
            continue
        for name, case in cases:
            try:
                failure = _failure(section, name, case, source)
            except _Skipped as ruleset:
                skipped[f"{section} ({ruleset})"] += 1
                continue
            passed += failure is None
            failures += [failure] if failure else []
    return Outcome(passed, tuple(failures), tuple(skipped.items()))


def _cases_of(section: str, content: object, source: str) -> list[tuple[str, object]]:
    """The cases of a section with their names: an id, else a number; in the census the ruleset."""
    if section not in _KINDS:
        known = {"values": listed([*_KINDS, *NOT_BUILT_SECTIONS, *DESCRIPTIONS])}
        raise RulesetError(source, section, Reason("unknown-key", known))
    if section == "census":
        table: dict[str, object] = read(dict, content, source, section)
        return [(name, {**case, "ruleset": name} if isinstance(case, dict) else case) for name, case in table.items()]
    if not isinstance(content, list):
        raise RulesetError(source, section, Reason("cases-no-list", {"found": shown(content)}))
    names = [case.get("id", index) if isinstance(case, dict) else index for index, case in enumerate(content, 1)]
    return list(zip(map(shown, names), content, strict=True))


def _failure(section: str, name: str, raw: object, source: str) -> Failure | None:
    """Check one case; None if it holds. A key with the value null says nothing."""
    given = {key: value for key, value in raw.items() if value is not None} if isinstance(raw, dict) else raw
    try:
        expected, got = read(_KINDS[section], given, source, dotted(section, name)).check()
    except KnobelError as error:
        return Failure(section, name, None, None, error)
    return None if expected == got else Failure(section, name, *_differing(expected, got))


def _place(entry: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The box of an expected entry, and what it is worth."""
    column = read(Annotated[int, Bounds(1, 1000)], entry.get("column"), "", "column")
    worth = {name: value for name, value in entry.items() if name not in ("column", "box")}
    return str(Box(shown(entry.get("box")), column - 1)), worth


def _n_cases(value: object) -> int:
    """How many cases a section holds: elements of a list, or single figures."""
    if isinstance(value, Mapping):
        return sum(map(_n_cases, value.values()))
    return len(value) if isinstance(value, list) else 1


def _played_turn(state: game.State, n_throws: int) -> game.State:
    """A whole turn of so many throws of all dice, entered in the first box that is legal."""
    for _ in range(n_throws):
        state = game.apply(state, Throw(), (1,) * state.ruleset.dice)
    entries = [action for action in game.legal_actions(state) if isinstance(action, Enter)]
    return game.apply(state, entries[0] if entries else Enter(state.ruleset.boxes[0]))


def _differing(expected: object, got: object) -> tuple[object, object]:
    """Only the parts of two answers that differ."""
    if not isinstance(expected, Mapping) or not isinstance(got, Mapping):
        return expected, got
    names = [name for name in {**expected, **got} if name not in got or expected.get(name) != got[name]]
    return {name: expected.get(name) for name in names}, {name: got.get(name) for name in names}
