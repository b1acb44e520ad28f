"""`knobel.cases`: a file of reference cases is really checked, in whole or in part; nothing in it is passed over."""

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from knobel.cases import Outcome, read_cases, run_cases
from knobel.errors import KnobelError

SHARED = Path(__file__).parent / "data/rule_cases.json"
CASES: dict[str, Any] = json.loads(SHARED.read_text(encoding="utf-8"))
Change = Callable[[dict[str, Any]], None]


def _run(**sections: object) -> Outcome:
    return run_cases(sections)


LOWER = {"lower": 76.143626357}


def _one(section: str, name: str, change: Change) -> Outcome:
    """The outcome of a single case of the shared file after a change to it."""
    case = deepcopy(next(case for case in CASES[section] if case["id"] == name))
    assert _run(**{section: [case]}).passed == 1
    change(case)
    return _run(**{section: [case]})


def test_the_shared_file_holds_and_every_case_is_counted() -> None:
    outcome = run_cases(CASES)
    assert outcome.failures == ()
    n_cases = sum(
        len(content) for name, content in CASES.items() if name.endswith(("_cases", "_tallies", "_expectation"))
    )
    n_single = sum(map(len, CASES["forced_single_box_expectation_acht_mann_by_throws"].values()))
    assert outcome.passed == n_cases + len(CASES["census"]) + n_single
    assert outcome.summary == f"{outcome.passed} passed, 0 failed"


@pytest.mark.parametrize(
    ("section", "content", "expected", "got"),
    [
        ("optimal_expectation", {"yatzy": 248.63}, 248.63, 248.439989378),
        ("fixed_order_optimal_expectation", {"yatzy_fixed_order": {"lower": 76.0}}, {"lower": 76.0}, LOWER),
        ("forced_single_box_expectation_acht_mann_by_throws", {"3": {"ones": 2.1}}, 2.1, 2.1065),
    ],
)  # fmt: skip
def test_a_wrong_figure_fails_with_the_right_one(section: str, content: object, expected: object, got: object) -> None:
    (failure,) = _run(**{section: content}).failures
    assert (failure.expected, failure.got) == (expected, got)


@pytest.mark.parametrize(
    ("section", "content"),
    [
        ("optimal_expectation", {"klassisch": 254.0}),
        ("forced_single_box_expectation_acht_mann_by_throws", {"3": {"yatzy": 2.1}}),
        ("forced_single_box_expectation_acht_mann_by_throws", {"0": {"ones": 2.1}}),
        ("forced_single_box_expectation_acht_mann_by_throws", {"3": 2.1}),
    ],
)  # fmt: skip
def test_a_figure_with_an_unknown_name_fails(section: str, content: object) -> None:
    (failure,) = _run(**{section: content}).failures
    assert failure.error is not None
    assert failure.error.reason.key == "expected-one-of"


def _set(*path: str | int, to: object) -> Change:
    """A change of the value at a path."""

    def change(case: dict[str, Any]) -> None:
        place: Any = case
        for part in path[:-1]:
            place = place[part]
        place[path[-1]] = to

    return change


def _remove(*path: str | int) -> Change:
    def change(case: dict[str, Any]) -> None:
        place: Any = case
        for part in path[:-1]:
            place = place[part]
        del place[path[-1]]

    return change


@pytest.mark.parametrize(
    ("section", "name", "change", "expected", "got"),
    [
        ("dice_cases", "D005", _set("points", "full_house", to=24), {"full_house": 24}, {"full_house": 25}),
        ("dice_cases", "D005", _remove("points", "ones"), {"ones": None}, {"ones": 2}),
        ("dice_cases", "D005", _set("points", "twelves", to=0), {"twelves": 0}, {"twelves": None}),
        ("entry_cases", "E04", _remove("legal", 0), {"ones": None}, {"ones": {"points": 0, "bonus": 100}}),
        (
            "entry_cases", "E04", _set("legal", 1, "bonus", to=0),
            {"sixes": {"points": 0, "bonus": 0}}, {"sixes": {"points": 0, "bonus": 100}},
        ),
        (
            "entry_cases", "E18", _set("legal", 1, "points", to=21),
            {"fours/2": {"points": 21, "bonus": 200}}, {"fours/2": {"points": 20, "bonus": 200}},
        ),
        ("entry_cases", "E11", _set("fives_before", to=0), None, None),
        ("saved_throw_cases", "S3", _set("pool_after", to=3), {"pool_after": 3}, {"pool_after": 2}),
        ("saved_throw_cases", "S5", _set("turns", 1, "legal", to=True), None, None),
        ("saved_throw_cases", "S5", _set("pool_after", to=0), {"pool_after": 0}, {"pool_after": None}),
        ("saved_throw_cases", "S6", _set("turns", 19, "budget", to=40), None, None),
        ("balance_cases", "B2", _set("balance", to=3), 3, -3),
        ("tally_cases", "T3", _set("tokens", to=3), None, None),
        ("tally_cases", "T2", _set("tally", "bonus", to=0), {"bonus": 0}, {"bonus": 35}),
        ("triple_tally_cases", "R3", _set("multipliers", to=[1, 1, 2]), 2250, 1500),
    ],
)  # fmt: skip
def test_a_wrong_case_fails(section: str, name: str, change: Change, expected: object, got: object) -> None:
    outcome = _one(section, name, change)
    assert outcome.summary == "0 passed, 1 failed"
    failure = outcome.failures[0]
    assert (failure.section, failure.id, failure.error) == (section, name, None)
    if expected is not None:
        assert (failure.expected, failure.got) == (expected, got)


@pytest.mark.parametrize("figure", ["nonzero", "total", "max"])
def test_a_wrong_census_fails(figure: str) -> None:
    census = deepcopy(CASES["census"]["yatzy"])
    census["boxes"]["one_pair"][figure] += 1
    outcome = _run(census={"yatzy": census})
    assert outcome.summary == "0 passed, 1 failed"
    assert outcome.failures[0].expected == {"one_pair": census["boxes"]["one_pair"]}


@pytest.mark.parametrize(
    ("section", "name", "change", "key"),
    [
        ("dice_cases", "D005", _set("dice", to=[1, 2, 3]), "expected-dice"),
        ("dice_cases", "D005", _set("dice", to=[1, 2, 3, 4, 7]), "expected-whole"),
        ("dice_cases", "D005", _set("dice", to="11223"), "expected-list"),
        ("dice_cases", "D005", _set("points", to=[1]), "expected-table"),
        ("dice_cases", "D005", _remove("points"), "expected-key"),
        ("dice_cases", "D005", _set("ruleset", to="clasic"), "unknown-ruleset"),
        ("dice_cases", "D005", _set("options", to={"joker": "maybe"}), "expected-one-of"),
        ("dice_cases", "D005", _set("colour", to="red"), "unknown-key"),
        ("entry_cases", "E04", _set("card", 0, "twelves", to=1), "unknown-box"),
        ("entry_cases", "E04", _set("card", 0, "twos", to="two"), "expected-whole"),
        ("entry_cases", "E04", _set("dice", to=[4, 4]), "expected-dice"),
        ("entry_cases", "E04", lambda case: case["legal"].append(case["legal"][0]), "named-twice"),
        ("tally_cases", "T9", _set("tokens", to=1), "cases-no-tokens"),
        ("balance_cases", "B2", _set("upper", "threes", to=None), "expected-whole"),
    ],
)
def test_a_case_that_cannot_be_understood_fails(section: str, name: str, change: Change, key: str) -> None:
    outcome = _one(section, name, change)
    assert outcome.summary == "0 passed, 1 failed"
    error = outcome.failures[0].error
    assert error is not None
    assert error.reason.key == key


def test_a_case_that_is_no_table_fails() -> None:
    assert _run(dice_cases=[7]).summary == "0 passed, 1 failed"
    assert _run(dice_cases={"id": 1}).summary == "0 passed, 1 failed"
    assert _run(census={"yatzy": 7}).summary == "0 passed, 1 failed"


def test_an_unknown_section_makes_the_run_fail_and_the_others_still_run() -> None:
    outcome = _run(dise_cases=[], balance_cases=CASES["balance_cases"])
    assert outcome.summary == "5 passed, 1 failed"
    assert outcome.failures[0].id == "dise_cases"


def test_sections_are_optional_and_descriptions_are_no_cases() -> None:
    assert _run().summary == "0 passed, 0 failed"
    assert _run(about="x", rulesets={}).summary == "0 passed, 0 failed"


@pytest.mark.parametrize(
    ("content", "key"),
    [
        (b"[]", "expected-table"),
        (b"{", "not-json"),
        (b"\xff", "not-utf8"),
        (b"[" * 100_000, "not-json"),
        (b"", "not-json"),
    ],
)
def test_a_file_that_is_no_case_file_is_refused(tmp_path: Path, content: bytes, key: str) -> None:
    path = tmp_path / "cases.json"
    path.write_bytes(content)
    with pytest.raises(KnobelError) as refused:
        read_cases(path)
    assert refused.value.reason.key == key
    assert str(path) in str(refused.value)


def test_a_missing_or_unreadable_file_is_refused(tmp_path: Path) -> None:
    for path, key in ((tmp_path / "none.json", "file-not-found"), (tmp_path, "file-unreadable")):
        with pytest.raises(KnobelError) as refused:
            read_cases(path)
        assert refused.value.reason.key == key


def test_house_rules_can_have_cases_too(tmp_path: Path) -> None:
    house = tmp_path / "house.toml"
    house.write_text(
        'base = "yatzy"\nid = "house"\nlabels = { de = "Haus", en = "House" }\nupper = { threshold = 60, bonus = 1 }\n'
    )
    case = {"ruleset": str(house), "card": {"sixes": 60}}
    right = {"upper": 60, "bonus": 1, "lower": 0, "extra": 0, "total": 61}
    assert _run(tally_cases=[{**case, "tally": right}]).summary == "1 passed, 0 failed"
    assert _run(tally_cases=[{**case, "tally": {**right, "bonus": 50}}]).summary == "0 passed, 1 failed"


@pytest.mark.parametrize(
    ("section", "name", "change", "differing"),
    [
        ("acht_mann_column_cases", "A02", _set("legal_columns", to=[1, 2, 3, 4, 5]), "legal_columns"),
        ("acht_mann_column_cases", "A02", _set("normal_throws", to=3), "legal_columns"),
        ("acht_mann_column_cases", "A12", _set("free_cells", 3, to=1), "legal_columns"),
        ("acht_mann_column_cases", "A09", _set("may_throw_normally", to=True), "may_throw_normally"),
        ("acht_mann_extra_throw_cases", "X1", _set("granted_default_both", to=2), "granted_default_both"),
        ("acht_mann_extra_throw_cases", "X1", _set("granted_option_each", to=1), "granted_option_each"),
        ("acht_mann_extra_throw_cases", "X4", _set("four_kind", to=25), "granted_default_both"),
        ("acht_mann_extra_throw_cases", "X7", _set("column", to=6), None),
        ("acht_mann_column_tallies", "M4", _set("tally", "no_strike", to=0), "no_strike"),
        ("acht_mann_column_tallies", "M2", _set("column", "ones", to=3), "upper"),
        ("acht_mann_column_tallies", "M4", _set("tally", "joker", to=0), "joker"),
    ],
)
def test_a_wrong_case_of_acht_mann_is_found(section: str, name: str, change: Change, differing: str | None) -> None:
    outcome = _one(section, name, change)
    assert outcome.summary == ("1 passed, 0 failed" if differing is None else "0 passed, 1 failed")
    if differing is not None:
        assert isinstance(outcome.failures[0].expected, dict)
        assert differing in outcome.failures[0].expected


def test_a_case_of_acht_mann_may_choose_options() -> None:
    case = {
        "id": "O",
        "normal_throws": 1,
        "free_cells": [1, 0, 0, 0, 0],
        "legal_columns": [1],
        "may_throw_normally": True,
    }
    assert _run(acht_mann_column_cases=[case]).summary == "0 passed, 1 failed"
    free = case | {"options": {"overthrow": "strike_any"}}
    assert _run(acht_mann_column_cases=[free]).summary == "1 passed, 0 failed"
    column = {"column": {"ones": 1}, "tally": {"total": 1}}
    assert _run(acht_mann_column_tallies=[column]).summary == "1 passed, 0 failed"
    assert _run(acht_mann_column_tallies=[{"tally": {"total": 1}}]).summary == "0 passed, 1 failed"
    assert _run(acht_mann_column_tallies=[7], acht_mann_extra_throw_cases=[{}]).summary == "0 passed, 2 failed"
