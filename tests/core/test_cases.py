"""The shared rule cases, read by hand against the public interface; `knobel rules cases` reads them a second time."""

from fractions import Fraction
from typing import Any

import pytest

import knobel
from knobel import Box, Enter, IllegalAction, State, Throw, parse_action, sheet
from knobel.game import budget, throws_left
from knobel.sheet import Sheet
from knobel.turn import Turn
from tests.core.data import CASES

NOT_BUILT_YET = {
    "forced_single_box_expectation_acht_mann_by_throws",
    "fixed_order_optimal_expectation",
    "optimal_expectation",
}
NO_CASES = {"about", "rulesets"}
READ_HERE = {
    "dice_cases", "entry_cases", "saved_throw_cases", "balance_cases", "tally_cases", "triple_tally_cases",
    "acht_mann_column_cases", "acht_mann_extra_throw_cases", "acht_mann_column_tallies",
}  # fmt: skip
READ_IN_TEST_SCORING = {"census"}


def _cases(section: str) -> list[Any]:
    return [pytest.param(case, id=case["id"]) for case in CASES[section]]


def test_every_section_is_read_or_waits() -> None:
    assert set(CASES) == NOT_BUILT_YET | NO_CASES | READ_HERE | READ_IN_TEST_SCORING


def test_boxes_and_labels_are_those_of_the_case_file() -> None:
    for ruleset, wanted in CASES["rulesets"].items():
        rules = knobel.load(ruleset)
        assert rules.dice == wanted["dice"]
        shown = [{"id": c.id, "de": c.labels.de, "en": c.labels.en, "section": c.section} for c in rules.categories]
        assert shown == wanted["boxes"]


@pytest.mark.parametrize("case", _cases("dice_cases"))
def test_points_of_the_dice(case: dict[str, Any]) -> None:
    rules = knobel.load(case["ruleset"])
    assert knobel.points(rules, tuple(case["dice"])) == case["points"]
    assert knobel.points(rules, tuple(reversed(case["dice"]))) == case["points"]


@pytest.mark.parametrize("case", _cases("entry_cases"))
def test_legal_entries(case: dict[str, Any]) -> None:
    rules = knobel.load(case["ruleset"], **case["options"])
    card = sheet.sheet_from_card(rules, case["card"], case.get("fives_before"))
    roll = tuple(sorted(case["dice"]))
    state = State(rules, (card,), Turn(0, 1, roll))

    legal = [action.box for action in knobel.legal_actions(state) if isinstance(action, Enter)]
    assert legal == [Box(wanted["box"], wanted["column"] - 1) for wanted in case["legal"]]

    potentials = {
        box["box"]: box["potential"]
        for column in knobel.view(state, 0)["sheets"][0]["columns"]
        for box in column["boxes"]
        if box["potential"] and box["potential"]["legal"]
    }
    for box, wanted in zip(legal, case["legal"], strict=True):
        shown = potentials.pop(str(box))
        assert (shown["points"], shown["bonus"]) == (wanted["points"], wanted["bonus"])
        after = knobel.apply(state, Enter(box)).sheets[0]
        assert after.entries[rules.box_index[box]] == wanted["points"]
        assert sheet.tally(rules, after).extra == wanted["bonus"]
    assert not potentials

    for box in set(rules.boxes) - set(legal):
        with pytest.raises(IllegalAction):
            knobel.apply(state, Enter(box))


@pytest.mark.parametrize("case", _cases("saved_throw_cases"))
def test_saved_throws(case: dict[str, Any]) -> None:
    state = knobel.start(knobel.load("six-dice"))
    assert [turn["used"] for turn in case["turns"]] == case["used"][: len(case["turns"])]
    for number, turn in enumerate(case["turns"]):
        assert budget(state) == throws_left(state) == turn["budget"]
        for _ in range(min(turn["used"], turn["budget"])):
            state = knobel.apply(state, Throw(), (1, 2, 3, 4, 5, 6))
        if not turn["legal"]:
            action = Throw() if turn["used"] else Enter(state.ruleset.boxes[number])
            with pytest.raises(IllegalAction):
                knobel.apply(state, action, (1, 2, 3, 4, 5, 6) if turn["used"] else None)
            assert number == len(case["turns"]) - 1
            assert case["pool_after"] is None
            return
        state = knobel.apply(state, Enter(state.ruleset.boxes[number]))
    assert knobel.view(state)["sheets"][0]["saved_throws"] == case["pool_after"]


def test_no_turn_without_a_throw() -> None:
    state = knobel.start(knobel.load("six-dice"))
    assert knobel.legal_actions(state) == (Throw(),)
    with pytest.raises(IllegalAction):
        knobel.apply(state, Enter(Box("ones")))


@pytest.mark.parametrize("case", _cases("balance_cases"))
def test_balance(case: dict[str, Any]) -> None:
    rules = knobel.load("classic")
    card = sheet.sheet_from_card(rules, [case["upper"]])
    assert sheet.balance(rules, card, 0).value == Fraction(case["balance"])
    shown = knobel.view(State(rules, (card,), Turn(0)))["sheets"][0]["columns"][0]
    assert shown["balance"] == case["balance"]


def _with_tokens(rules: knobel.Ruleset, card: Sheet, n_tokens: int) -> Sheet:
    """The pad with so many tokens in its first column."""
    if not n_tokens:
        return card
    counters = dict(zip(rules.counters, card.counters, strict=True)) | {"extra_five/1": n_tokens}
    return Sheet(card.entries, tuple(counters.values()))


@pytest.mark.parametrize("case", _cases("tally_cases"))
def test_tallies(case: dict[str, Any]) -> None:
    rules = knobel.load(case["ruleset"])
    card = sheet.sheet_from_card(rules, [case["card"]])
    card = _with_tokens(rules, card, case.get("tokens", 0))
    assert sheet.is_full(card)
    tally, wanted = sheet.tally(rules, card), case["tally"]
    column = tally.columns[0]
    figures = (column.upper, column.bonus, column.lower, tally.extra, tally.total)
    assert figures == tuple(wanted[name] for name in ("upper", "bonus", "lower", "extra", "total"))

    shown = knobel.view(State(rules, (card,), None))
    assert shown["sheets"][0]["total"] == shown["result"]["totals"][0] == wanted["total"]
    assert shown["sheets"][0]["extra"] == wanted["extra"]


@pytest.mark.parametrize("case", _cases("triple_tally_cases"))
@pytest.mark.parametrize("ruleset", ["classic", "yatzy", "six-dice"])
def test_triple_tallies(case: dict[str, Any], ruleset: str) -> None:
    rules = knobel.load(ruleset, columns=3, multipliers=tuple(case["multipliers"]))
    bonus = rules.upper.bonus if rules.upper else 0
    threshold = rules.upper.threshold if rules.upper else 0
    for with_bonus in (False, True):
        card = [
            {"sixes": threshold, "chance": total - threshold - bonus} if with_bonus else {"chance": total}
            for total in case["column_totals_incl_upper_bonus"]
        ]
        tally = sheet.tally(rules, sheet.sheet_from_card(rules, card))
        assert [column.total for column in tally.columns] == case["column_totals_incl_upper_bonus"]
        assert tally.total == case["total"]


def _free_only(rules: knobel.Ruleset, free_cells: list[int]) -> Sheet:
    """A pad with so many free boxes at the bottom of each column; what has no number is free."""
    ids = [category.id for category in rules.categories]
    card = [dict.fromkeys(ids[: len(ids) - free], 1) for free in free_cells]
    return sheet.sheet_from_card(rules, card)


@pytest.mark.parametrize("case", _cases("acht_mann_column_cases"))
def test_columns_and_throws(case: dict[str, Any]) -> None:
    rules = knobel.load("acht-mann")
    pad = _free_only(rules, case["free_cells"])
    turn = Turn(0, case["normal_throws"], (1, 2, 3, 4, 6), extras=case["extra_throws_used"])
    legal = knobel.legal_actions(State(rules, (pad,), turn))
    boxes = [action.box for action in legal if isinstance(action, Enter)]
    assert sorted({box.column + 1 for box in boxes}) == case["legal_columns"]
    free = [box for box, value in zip(rules.boxes, pad.entries, strict=True) if value is None]
    assert boxes == [box for box in free if box.column + 1 in case["legal_columns"]]
    assert any(isinstance(action, Throw) for action in legal) == case["may_throw_normally"]


@pytest.mark.parametrize("case", _cases("acht_mann_extra_throw_cases"))
@pytest.mark.parametrize("grant", ["both", "each", "either"])
def test_extra_throws(case: dict[str, Any], grant: str) -> None:
    rules = knobel.load("acht-mann", extra_grant=grant)
    wanted = case["granted_default_both" if grant == "both" else f"granted_option_{grant}"]
    card: list[dict[str, int]] = [{} for _ in rules.columns]
    boxes = {"three_kind": case["three_kind"], "four_kind": case["four_kind"]}
    card[case["column"] - 1] = {box: points for box, points in boxes.items() if points is not None}
    state = State(rules, (sheet.sheet_from_card(rules, card),), Turn(0, 1, (1, 2, 3, 4, 6)))
    shown = knobel.view(state, 0)
    assert [column["earned"] for column in shown["sheets"][0]["columns"]][case["column"] - 1] == wanted
    assert shown["sheets"][0]["spare_throws"] == shown["turn"]["extra_throws"] == wanted
    for left in range(wanted, 0, -1):
        state = knobel.apply(state, parse_action("extra 1234"), (1, 2, 3, 4, 6))
        assert knobel.view(state, 0)["turn"]["extra_throws"] == left - 1
    with pytest.raises(IllegalAction):
        knobel.apply(state, parse_action("extra 1234"), (1, 2, 3, 4, 6))


@pytest.mark.parametrize("case", _cases("acht_mann_column_tallies"))
@pytest.mark.parametrize("column", range(6))
def test_column_tallies(case: dict[str, Any], column: int) -> None:
    rules = knobel.load("acht-mann")
    card: list[dict[str, int]] = [{} for _ in rules.columns]
    card[column] = case["column"]
    tally = sheet.tally(rules, sheet.sheet_from_card(rules, card))
    part = tally.columns[column]
    figures = {"upper": part.upper, "bonus": part.bonus, "lower": part.lower, "no_strike": part.no_strike}
    assert figures | {"total": part.total} == case["tally"]
    assert tally.total == case["tally"]["total"]
