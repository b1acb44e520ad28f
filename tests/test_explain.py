"""The rules pages: every ruleset, option and value has one with all its sentences, and the right numbers."""

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import pytest

import knobel
from knobel import sheet as pad
from knobel import text
from knobel.cli.command import run
from knobel.errors import Reason
from knobel.explain import page_of
from knobel.explain.page import Contrast, OptionPage, RulesPage, Scene
from knobel.option import Option
from knobel.scoring import points_table
from knobel.vocabulary import Language, OptionValue

HOUSE = "examples/house_rules.toml"
SOURCES = (*knobel.builtin_ids(), HOUSE)
LANGUAGES: tuple[Language, ...] = ("de", "en")


def _reasons(data: Any) -> Iterator[Reason]:
    """Every reason in a page."""
    if isinstance(data, Reason):
        yield data
    elif is_dataclass(data):
        for item in fields(data):
            yield from _reasons(getattr(data, item.name))
    elif isinstance(data, tuple):
        for item in data:
            yield from _reasons(item)


def _assert_sayable(page: RulesPage, rules: knobel.Ruleset) -> None:
    classic = knobel.load("classic")
    compared = {id(reason) for row in page.contrasts for reason in _reasons(row.standard)}
    for reason in _reasons(page):
        for language in LANGUAGES:
            assert text.has(reason.key, language), reason.key
            words = text.translate(reason, language, classic if id(reason) in compared else rules)
            assert words != str(reason), reason  # a parameter is missing
            assert "_" not in words, words  # an id that nobody calls by a name


def _option(page: RulesPage, name: str) -> OptionPage:
    return next(option for option in page.options if option.name == name)


def _labels(rows: tuple[Contrast, ...]) -> list[str]:
    return [row.label.key.removeprefix("rules-row-").removeprefix("rules-joker-row-") for row in rows]


def _numbers(reasons: tuple[Reason, ...]) -> list[tuple[str, int, int]]:
    """Box, points and bonus of each entry that is allowed."""
    return [
        (str(reason.params["box"]), int(reason.params["points"]), int(reason.params.get("bonus", 0)))
        for reason in reasons
        if reason.key.startswith("rules-shows-entry")
    ]


@pytest.mark.parametrize("source", SOURCES)
def test_every_ruleset_has_a_page_that_can_be_said(source: str) -> None:
    rules, page = knobel.load(source), page_of(source, {})
    _assert_sayable(page, rules)
    assert [box.id for box in page.boxes] == [row.id for row in rules.categories]
    assert [option.name for option in page.options] == [option.name for option in knobel.admitted_options(source)]
    if source in knobel.builtin_ids():
        assert page.about
        assert page.history
    assert (source == "classic") == (page.contrasts == ())


def _choices(source: str) -> Iterator[tuple[Option, OptionValue, dict[str, OptionValue]]]:
    admitted = {option.name: option for option in knobel.admitted_options(source)}
    for option in admitted.values():
        needed: dict[str, OptionValue] = {}
        for name, values in option.needs:
            if admitted[name].default not in values:
                needed[name] = values[0]
        for value in option.values:
            yield option, value, needed


@pytest.mark.parametrize("source", knobel.builtin_ids())
def test_every_value_of_every_option_has_a_page_that_can_be_said(source: str) -> None:
    for option, value, needed in _choices(source):
        chosen: Mapping[str, OptionValue] = {**needed, option.name: value}
        page = page_of(source, chosen)
        _assert_sayable(page, knobel.load(source, **chosen))
        assert _option(page, option.name).chosen == value


@pytest.mark.parametrize("source", SOURCES)
def test_every_value_says_what_it_changes_and_shows_it(source: str) -> None:
    for option in page_of(source, {}).options:
        assert option.values, option.name
        for value in option.values:
            assert value.contrasts, (option.name, value.value)
            assert any(scene.shows != scene.standard for scene in value.scenes), (option.name, value.value)
        named = next(other for other in knobel.admitted_options(source) if other.name == option.name).values
        assert {value for value in named if value != option.default} <= {value.value for value in option.values}


@pytest.mark.parametrize("source", SOURCES)
def test_examples_are_what_scoring_says(source: str) -> None:
    rules = knobel.load(source)
    table = points_table(rules)
    for row, box in enumerate(page_of(source, {}).boxes):
        points = [values[row] for values in table.values()]
        kinds = [example.kind for example in box.examples]
        assert kinds[0] == "best"
        assert box.examples[0].points == max(points)
        assert 3 <= len(box.examples) <= 5, box.id
        assert len({example.dice for example in box.examples}) == len(box.examples)
        for example in box.examples:
            assert example.points == table[example.dice][row] == knobel.points(rules, example.dice)[box.id]
            assert (example.kind in ("near", "zero")) == (example.points == 0)
        assert ("near" in kinds) == (0 in points)


def test_the_joker_has_its_six_rows() -> None:
    option = _option(page_of("classic", {}), "joker")
    assert _labels(option.contrasts) == ["when", "forced", "free", "brings", "bonus", "others"]
    brings = option.contrasts[3]
    assert [(line.box, line.texts[0].params["points"]) for line in brings.this if line.box] == [
        ("full_house", 25),
        ("small_straight", 30),
        ("large_straight", 40),
    ]
    assert {line.texts[0].params["points"] for line in brings.standard if line.box} == {0}
    others = [line.texts[0].key for line in option.contrasts[5].this]
    assert others == ["rules-joker-classic", "rules-joker-triple", "rules-joker-order"]


def test_only_the_classic_pad_offers_jokers() -> None:
    for name in knobel.builtin_ids():
        assert ("joker" in [option.name for option in page_of(name, {}).options]) == (name == "classic")


def test_six_dice_has_its_eight_rows() -> None:
    page = page_of("six-dice", {})
    assert _labels(page.contrasts) == ["dice", "throws", "pad", "groups", "sets", "equal", "upper", "options"]
    words = {
        row.label.key: [text.translate(reason, "en", knobel.load("six-dice")) for reason in _reasons(row.this)]
        for row in page.contrasts
    }
    assert "20 boxes, so 20 rounds." in words["rules-row-pad"]
    assert "21 points" in words["rules-row-sets"]
    assert "100 points once the upper boxes reach 84 together." in words["rules-row-upper"]
    assert any("belong to the classic pad" in line for line in words["rules-row-options"])


def _joker_scenes(mode: str) -> tuple[Scene, ...]:
    parts = page_of("classic", {"joker": mode}).parts
    return next(part for part in parts if part.id == "joker").scenes


def test_the_jokers_by_hand() -> None:
    """RULES 1.1: the numbered cases."""
    forced, free = _joker_scenes("forced"), _joker_scenes("free")
    assert _numbers(forced[0].shows) == [("fours", 20, 100)]
    assert _numbers(forced[1].shows) == [
        ("full_house", 25, 100),
        ("small_straight", 30, 100),
        ("large_straight", 40, 100),
        ("chance", 20, 100),
    ]
    assert _numbers(forced[2].shows) == [("ones", 0, 100), ("sixes", 0, 100)]
    assert _numbers(forced[3].shows) == [("full_house", 25, 0), ("large_straight", 40, 0)]
    assert _numbers(forced[4].shows) == [("fours", 20, 0), ("full_house", 0, 0), ("five_kind", 50, 0)]
    assert _numbers(free[0].shows) == [("fours", 20, 100), ("full_house", 0, 100), ("large_straight", 0, 100)]
    assert ("ones", 0, 100) in _numbers(free[1].shows)
    assert ("full_house", 25, 100) in _numbers(free[1].shows)


def _shown(page: RulesPage, part: str) -> list[dict[str, Any]]:
    scenes = next(found for found in page.parts if found.id == part).scenes
    return [dict(reason.params) for scene in scenes for reason in scene.shows]


def test_acht_mann_by_hand() -> None:
    """RULES 7.2 to 7.6."""
    page = page_of("acht-mann", {})
    columns = [shown["columns"] for shown in _shown(page, "columns") if "columns" in shown]
    assert columns == ["1, 2, 3, 4, 5", "2, 3, 4, 5", "3, 4, 5", "4, 5", "5"]
    assert [shown["throws"] for shown in _shown(page, "earned") if "throws" in shown] == [1, 0, 1]
    assert [shown["dice"] for shown in _shown(page, "tokens") if "dice" in shown] == [5, 20]
    assert {"seats": "2, 3, 1"} in _shown(page, "special")
    assert {"throws": 3} in _shown(page, "special")
    totals = [(shown["bonus"], shown["extra"], shown["points"]) for shown in _shown(page, "clean")]
    assert totals == [(35, 38, 398), (0, 0, 324), (35, 0, 330), (35, 38, 398)]


def test_saved_throws_and_triple_by_hand() -> None:
    assert [shown["throws"] for shown in _shown(page_of("six-dice", {}), "saved")] == [3, 5, 7]
    triple = page_of("classic", {"columns": 3, "joker": "forced"})
    (total,) = _shown(triple, "columns")
    assert total["points"] == 2250  # RULES 8.1
    assert page_of("classic", {"columns": 3}).contrasts


def test_the_history_tells_the_facts() -> None:
    def told(name: str, language: Language) -> str:
        return " ".join(text.translate(reason, language) for reason in page_of(name, {}).history)

    for language in LANGUAGES:
        for fact in ("Yacht", "1956", "1961"):
            assert fact in told("classic", language)
        for fact in ("Maxi Yatzy", "20", "84", "100", "21", "30"):
            assert fact in told("six-dice", language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_command_line_prints_every_number(capsys: pytest.CaptureFixture[str], language: Language) -> None:
    for name in ("classic", "six-dice", "acht-mann"):
        assert run(["rules", "show", name, "--long", "--lang", language]) == 0
        output = capsys.readouterr().out
        page = page_of(name, {})
        for box in page.boxes:
            for example in box.examples:
                assert f"{''.join(map(str, example.dice))} → {example.points}" in output
        for option in page.options:
            assert f"({option.name})" in output
        for reason in page.history:
            assert text.translate(reason, language)[:50] in " ".join(output.split())


def test_chosen_options_are_explained_without_asking(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", "show", "classic", "-o", "joker=forced", "--lang", "de"]) == 0
    output = capsys.readouterr().out
    for row in ("Wann er gilt", "Vorgeschrieben: wohin", "Freie Wahl: wohin", "Was er bringt", "Andere Optionen"):
        assert row in output
    assert "Joker: freie Wahl" not in output


def test_a_page_is_the_same_every_time() -> None:
    assert page_of("acht-mann", {}) == page_of("acht-mann", {})


def test_a_joker_that_is_none_yet_says_so() -> None:
    rules = knobel.load("classic", joker="free")
    sheet = pad.sheet_from_card(rules, [{"five_kind": 50}])
    found = {str(rules.boxes[entry.index]): entry for entry in pad.entries(rules, sheet, (4,) * 5)}
    reasons = pad.why(rules, sheet, (4,) * 5, found["full_house"])
    assert [text.translate(reason, "en", rules) for reason in reasons] == [
        "The roll does not fit Full house.",
        "Joker: it counts in full here only once Fours is filled.",
        "Further five of a kind: 100 on top.",
    ]
