"""The examples run, and what the documents show is true."""

import random
import re
import subprocess
import sys
import tomllib
from dataclasses import fields
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import knobel
from knobel import Record, Ruleset, Throw
from knobel.option import merge
from knobel.vocabulary import (
    Category,
    Column,
    EarnedThrows,
    ExtraFive,
    Labels,
    NoStrike,
    Rule,
    SpecialRounds,
    TableHabits,
    Token,
    UpperBonus,
)

ROOT = Path(__file__).parents[1]
HOUSE = ROOT / "examples/house_rules.toml"
EXAMPLES = sorted((ROOT / "examples").glob("*.toml"))
REFUSED = sorted((ROOT / "tests/data/refused").glob("*.toml"))
RULESETS = (ROOT / "docs/rulesets.md").read_text(encoding="utf-8")
NOTATION = (ROOT / "docs/notation.md").read_text(encoding="utf-8")
ACHT = (Token, EarnedThrows, SpecialRounds, NoStrike)
SNIPPETS = re.findall(r"```toml\n(.*?)```", RULESETS, re.DOTALL)


def _loadable(snippet: str) -> dict[str, Any]:
    """A snippet as a whole file: one without an id is laid over classic."""
    part = tomllib.loads(snippet)
    head = {"id": "snippet", "labels": {"de": "Schnipsel", "en": "Snippet"}, "base": "classic"}
    return part if "id" in part else head | part


def _play(rules: Ruleset, seed: str) -> knobel.State:
    """A game of two random players to its end."""
    rng = random.Random(seed)
    state = knobel.start(rules, players=2)
    while not knobel.is_over(state):
        action = rng.choice(knobel.legal_actions(state))
        thrown = tuple(rng.randint(1, 6) for _ in range(rules.dice))
        roll = (*action.keep, *thrown)[: rules.dice] if isinstance(action, Throw) else None
        state = knobel.apply(state, action, roll)
    return state


def _run(*arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("snippet", SNIPPETS)
def test_every_snippet_of_the_document_loads_with_each_of_its_options(snippet: str) -> None:
    file = _loadable(snippet)
    rules = knobel.load(file)
    for option in knobel.admitted_options(file):
        if option.name in file.get("options", {}) and not option.needs:
            for value in option.values:
                changed = knobel.load(file, **{option.name: value})
                assert (knobel.digest(changed) != knobel.digest(rules)) == (value != option.default)
    assert knobel.is_over(_play(rules, "snippet"))


def test_the_document_has_the_snippets_that_its_claims_are_about() -> None:
    assert len(SNIPPETS) == 7
    patterns = knobel.load(_loadable(SNIPPETS[1]))
    assert knobel.points(patterns, (5, 5, 5, 1, 2))["bare_triple"] == 15
    assert knobel.points(patterns, (5, 5, 5, 5, 1))["bare_triple"] == 0
    assert knobel.points(patterns, (5, 5, 5, 5, 5))["two_pairs"] == 0
    assert knobel.points(patterns, (1, 1, 1, 1, 4))["scrap_or_eight"] == 80
    house = knobel.load(_loadable(SNIPPETS[6]))
    assert (house.upper, house.joker) == (UpperBonus(63, 50), "forced")
    straight = house.categories[house.category_index["small_straight"]]
    assert (straight.labels.de, straight.joker, straight.rules[0].points) == ("Kleine Straße", 30, 25)


def test_the_document_names_every_key_and_every_general_option() -> None:
    named = set(re.findall(r"`([a-z_]+)`", RULESETS))
    kinds = (Ruleset, Category, Rule, Column, UpperBonus, ExtraFive, TableHabits, Labels, *ACHT)
    keys = {item.name for kind in kinds for item in fields(kind)} | {"admits", "rank", "base", "remove"}
    files = {name: _raw(name) for name in knobel.builtin_ids()}
    admitted = {option.name for name in files for option in knobel.admitted_options(name)}
    general = admitted.difference(*(file.get("options", {}) for file in files.values()))
    assert keys - named - {"threshold", "bonus"} == set()
    assert "{ threshold, bonus }" in RULESETS
    assert len(general) > 12
    assert general - named == set()


def _raw(name: str) -> dict[str, Any]:
    return tomllib.loads((ROOT / f"src/knobel/rulesets/{name}.toml").read_text(encoding="utf-8"))


def test_a_choice_without_a_base_is_refused() -> None:
    file = _loadable(SNIPPETS[0])
    with pytest.raises(knobel.RulesetError) as refused:
        knobel.load({**file, "options": {"upper_bonus": 7}})
    assert refused.value.key == "options.upper_bonus"


HOUSE_OPTIONS = list(product(("standard", "generous", "strict"), (42, 84), ("none", "forced", "free"), (1, 3)))


@pytest.mark.parametrize(("straights", "lucky", "joker", "columns"), HOUSE_OPTIONS)
def test_the_house_rules_are_played_to_the_end(straights: str, lucky: int, joker: str, columns: int) -> None:
    rules = knobel.load(HOUSE, straights=straights, lucky_points=lucky, joker=joker, columns=columns)
    state = _play(rules, f"{straights} {lucky} {joker}")
    assert all(None not in sheet.entries for sheet in state.sheets)
    assert len(state.sheets[0].entries) == 14 * columns


def test_the_house_rules_say_what_their_comments_say() -> None:
    rules = knobel.load(HOUSE)
    assert (rules.upper, rules.joker, rules.extra_five.points) == (UpperBonus(60, 50), "free", 50)
    assert "chance" not in rules.category_index
    assert rules.habits.clicks == 1
    lucky = knobel.points(rules, (6, 6, 4, 4, 1))
    assert (lucky["two_pairs"], lucky["twenty_one"], lucky["four_kind"]) == (20, 42, 0)
    assert knobel.points(rules, (5, 5, 5, 5, 2))["four_kind"] == 40
    assert knobel.points(rules, (5, 5, 5, 2, 2))["twenty_one"] == 15
    assert knobel.points(knobel.load(HOUSE, straights="generous"), (1, 2, 3, 4, 4))["small_straight"] == 14
    assert knobel.points(knobel.load(HOUSE, straights="strict"), (1, 2, 3, 4, 4))["small_straight"] == 0


def test_the_record_of_the_document_replays() -> None:
    text = re.findall(r"```record\n(.*?)```", NOTATION, re.DOTALL)[0]
    record = Record.parse(text)
    *_, last = record.replay()
    assert knobel.is_over(last)
    assert knobel.result(last).totals == (18, 19)
    assert "Anna ends with 18 points, Ben with 19." in NOTATION
    assert record.format() == "".join(line for line in text.splitlines(keepends=True) if not line.startswith("#"))
    assert set(record.to_json()) == set(re.findall(r"`([a-z]+)`", NOTATION.rpartition("has the keys")[2]))
    assert Record.from_json(record.to_json()) == record


def test_the_actions_of_the_document_are_actions() -> None:
    texts = re.findall(r"^\| `((?:keep|enter) [^`]+)` \|", NOTATION, re.MULTILINE)
    assert len(texts) == 4
    for text in texts:
        assert str(knobel.parse_action(text)) == text


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
@pytest.mark.parametrize("seed", range(3))
def test_every_example_is_played_to_the_end(path: Path, seed: int) -> None:
    state = _play(knobel.load(path), f"{path.stem} {seed}")
    assert all(None not in sheet.entries for sheet in state.sheets)


def _worth(name: str, *dice: int) -> dict[str, int]:
    return knobel.points(knobel.load(ROOT / f"examples/{name}.toml"), dice)


def test_yams_counts_as_its_comments_say() -> None:
    straights = [_worth("yams", *dice)["straight"] for dice in ((2, 3, 4, 5, 6), (1, 2, 3, 4, 5), (1, 2, 3, 4, 6))]
    assert straights == [25, 20, 0]
    state = knobel.apply(
        knobel.start(knobel.load(ROOT / "examples/yams.toml")), knobel.parse_action("keep -"), (5,) * 5
    )
    assert {"enter yams", "enter yams/2"} <= set(map(str, knobel.legal_actions(state)))
    state = knobel.apply(state, knobel.parse_action("keep 5"), (5, 1, 2, 3, 4))
    assert not [action for action in map(str, knobel.legal_actions(state)) if action.endswith("/2")]


def test_three_zones_close_one_after_the_other() -> None:
    state, open_columns = knobel.start(knobel.load(ROOT / "examples/three_zones.toml")), []
    for keep in ("-", "1", "1"):
        state = knobel.apply(state, knobel.parse_action(f"keep {keep}"), (1, 2, 2, 3, 5))
        boxes = [str(action).removeprefix("enter ") for action in knobel.legal_actions(state)]
        open_columns.append([column for column in (1, 2, 3) if ("chance" + ("", "/2", "/3")[column - 1]) in boxes])
    assert open_columns == [[1, 2, 3], [2, 3], [3]]


def test_the_extreme_pad_counts_as_its_comments_say() -> None:
    assert _worth("extreme", 1, 2, 3, 4, 5, 6)["highway"] == 50
    assert [_worth("extreme", 1, 1, 1, 1, 1, last)["under_10"] for last in (1, 2, 4, 5)] == [40, 40, 40, 0]
    assert [_worth("extreme", 6, 6, 6, 6, 6, last)["over_33"] for last in (6, 4, 3)] == [40, 40, 0]
    assert _worth("extreme", 2, 2, 2, 5, 5, 5)["two_triples"] == 45


@pytest.mark.parametrize("path", REFUSED, ids=lambda path: path.stem)
def test_what_cannot_be_expressed_is_refused_with_the_reason(path: Path) -> None:
    """The first line of the file says the key, the reason, and what somebody wanted."""
    key, reason, _ = path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ").split(": ", 2)
    with pytest.raises(knobel.RulesetError) as refused:
        knobel.load(path)
    assert (refused.value.source, refused.value.key, refused.value.reason.key) == (str(path), key, reason)


@pytest.mark.parametrize("source", [*knobel.builtin_ids(), *map(str, EXAMPLES)])
def test_a_random_game_prints_a_record_that_replays(source: str) -> None:
    output = _run("examples/play_random.py", source, "7")
    *_, last = Record.parse(output).replay()
    assert knobel.is_over(last)
    totals = re.findall(r"^# (?:Anna|Ben): (\d+)$", output, re.MULTILINE)
    assert tuple(map(int, totals)) == knobel.result(last).totals


def test_the_points_example_prints_the_best_box_first() -> None:
    lines = _run("examples/points.py", "yatzy", "66555").splitlines()
    assert lines[0].split(maxsplit=1) == ["27", "Full house"]
    assert len(lines) == 15


def test_merging_is_what_the_document_says() -> None:
    raw: dict[str, Any] = {"upper": {"threshold": 63, "bonus": 35}, "categories": [{"id": "a", "joker": 1}]}
    merge(raw, {"upper": {"bonus": 1}, "categories": [{"id": "b"}, {"id": "a", "joker": 2}]})
    assert raw == {"upper": {"threshold": 63, "bonus": 1}, "categories": [{"id": "a", "joker": 2}, {"id": "b"}]}
