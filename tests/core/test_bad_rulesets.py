"""Rulesets that cannot be played: each is refused with a `RulesetError` that names source and key, never otherwise."""

import json
import tomllib
from collections.abc import Callable
from copy import deepcopy
from importlib import resources
from pathlib import Path
from random import Random
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, given, settings

import knobel
from knobel import RulesetError
from knobel.schema import parse, to_mapping

Raw = dict[str, Any]
LABELS = {"de": "A", "en": "A"}
ONES: Raw = {"id": "ones", "labels": LABELS, "section": "upper", "rules": [{"face": 1, "points": "matched"}]}
ALIKE: Raw = {"id": "alike", "labels": LABELS, "rules": [{"groups": [5], "points": 50}]}


def sound() -> Raw:
    """A small ruleset that uses every word of the format."""
    return deepcopy(
        {
            "id": "tiny",
            "labels": LABELS,
            "rank": 7,
            "dice": 5,
            "throws": 3,
            "saved_throws": True,
            "upper": {"threshold": 3, "bonus": 10},
            "all_equal": "alike",
            "joker": "free",
            "extra_five": {
                "when": "box_filled", "points": 7, "columns": "any_50", "multiplied": False, "paid_in": "any_box",
            },
            "bonus_shown": "at_end",
            "order": ["ones", "alike", "run"],
            "order_scope": "row_major",
            "tiebreak": ["run"],
            "columns": [{"multiplier": 1}, {"multiplier": 2}],
            "habits": {"marks": "again", "clicks": 1},
            "admits": ["order", "tiebreak", "joker"],
            "categories": [
                ONES,
                ALIKE,
                {
                    "id": "run", "labels": LABELS, "section": "lower", "joker": 30,
                    "rules": [
                        {"sets": [[1, 2, 3]], "exact": False, "points": "matched"}, {"total": 8, "points": 80},
                        {"points": "all"},
                    ],
                },
            ],
            "options": {
                "run_points": {"field": "categories.run.rules.1.points", "values": [80, 90], "labels": LABELS},
                "hard": {"true": {"categories": {"run": {"rules": [{"points": 1}]}}}},
                "ones": {"labels": LABELS, "twice": {"labels": LABELS, "upper": {"bonus": 20}}},
            },
        }
    )  # fmt: skip


def changed(path: str, value: object) -> Raw:
    """The sound mapping with one value replaced."""
    raw: Any = sound()
    target = raw
    *parents, last = path.split(".")
    for part in parents:
        target = target[int(part)] if isinstance(target, list) else target[part]
    if isinstance(target, list):
        target[int(last)] = value
    else:
        target[last] = value
    return raw  # type: ignore[no-any-return]


def without(name: str) -> Raw:
    raw = sound()
    del raw[name]
    return raw


def test_the_sound_mapping_is_sound() -> None:
    assert knobel.load(sound()).id == "tiny"
    assert [option.name for option in knobel.admitted_options(sound())] == [
        "order", "joker", "tiebreak", "run_points", "hard", "ones",
    ]  # fmt: skip
    assert knobel.points(knobel.load(sound(), hard=True), (1, 1, 1, 1, 1))["run"] == 1
    assert knobel.load(sound(), run_points=90, ones="twice").upper == knobel.vocabulary.UpperBonus(3, 20)


def mentions(error: RulesetError, *parts: str) -> None:
    assert all(part in str(error) for part in parts), str(error)
    assert len(str(error)) < 2000


BROKEN: list[tuple[str, Raw, str]] = [
    ("no id", without("id"), "id"),
    ("no labels", without("labels"), "labels"),
    ("no dice", without("dice"), "dice"),
    ("no throws", without("throws"), "throws"),
    ("no categories", without("categories"), "categories"),
    ("empty categories", changed("categories", []), "categories"),
    ("path in id", changed("id", "../../etc/passwd"), "id"),
    ("slash in id", changed("id", "a/b"), "id"),
    ("capital in id", changed("id", "Tiny"), "id"),
    ("line break in id", changed("id", "tiny\n"), "id"),
    ("long id", changed("id", "a" * 41), "id"),
    ("huge id", changed("id", "a" * 10**6), "id"),
    ("empty id", changed("id", ""), "id"),
    ("path in box", changed("categories.0.id", "../ones"), "categories"),
    ("column in box", changed("categories.0.id", "ones/2"), "categories"),
    ("space in box", changed("categories.0.id", "on es"), "categories"),
    ("box twice", changed("categories.1.id", "ones"), "categories"),
    ("face twice", changed("categories.1", ONES | {"id": "uno"}), "categories"),
    ("no dice at all", changed("dice", 0), "dice"),
    ("negative dice", changed("dice", -5), "dice"),
    ("a billion dice", changed("dice", 10**9), "dice"),
    ("endless dice", changed("dice", 10**5000), "dice"),
    ("half dice", changed("dice", 5.5), "dice"),
    ("round dice", changed("dice", 5.0), "dice"),
    ("true dice", changed("dice", True), "dice"),
    ("dice as text", changed("dice", "5"), "dice"),
    ("no number of dice", changed("dice", float("nan")), "dice"),
    ("no throws allowed", changed("throws", 0), "throws"),
    ("a billion throws", changed("throws", 10**9), "throws"),
    ("switch as number", changed("saved_throws", 1), "saved_throws"),
    ("unknown key", changed("dices", 5), "dices"),
    ("unknown key in a category", changed("categories.0.joke", 5), "joke"),
    ("unknown key in a rule", changed("categories.0.rules.0.faces", 5), "faces"),
    ("unknown key in the bonus", changed("upper.shown", "at_once"), "upper"),
    ("unknown language", changed("labels.fr", "A"), "labels"),
    ("one language", changed("labels", {"de": "A"}), "labels"),
    ("empty label", changed("labels.de", ""), "labels"),
    ("long label", changed("labels.de", "A" * 61), "labels"),
    ("label with a control character", changed("labels.de", "A\x1b[2J"), "labels"),
    ("label with line break", changed("labels.en", "A\nB"), "labels"),
    ("label with half a character", changed("labels.en", "A\ud800"), "labels"),
    ("label that turns writing round", changed("labels.en", "A\u202eB"), "labels"),
    ("unknown box for all alike", changed("all_equal", "nowhere"), "all_equal"),
    ("list for all alike", changed("all_equal", ["alike"]), "all_equal"),
    ("unknown joker", changed("joker", "wild"), "joker"),
    ("joker without a box", without("all_equal"), "joker"),
    ("further fives without a box", without("all_equal") | {"joker": "none"}, "extra_five"),
    ("unknown time", changed("extra_five.when", "always"), "extra_five"),
    ("negative bonus", changed("upper.bonus", -1), "upper"),
    ("endless bonus", changed("upper.bonus", 10**9), "upper"),
    ("bonus without upper boxes", changed("categories.0", ALIKE | {"id": "ones"}), "upper"),
    ("nothing as further fives", changed("extra_five", 0), "extra_five"),
    ("empty list as further fives", changed("extra_five", []), "extra_five"),
    ("empty text as habits", changed("habits", ""), "habits"),
    ("unknown mark", changed("habits.marks", "drop"), "habits"),
    ("three clicks", changed("habits.clicks", 3), "habits"),
    ("order without a box", changed("order", ["ones", "alike"]), "order"),
    ("order with a box twice", changed("order", ["ones", "alike", "alike"]), "order"),
    ("order with an unknown box", changed("order", ["ones", "alike", "walk"]), "order"),
    ("order as text", changed("order", "down"), "order"),
    ("order of numbers", changed("order", [1, 2, 3]), "order"),
    ("unknown scope", changed("order_scope", "zigzag"), "order_scope"),
    ("unknown box in tiebreak", changed("tiebreak", ["walk"]), "tiebreak"),
    ("tiebreak as text", changed("tiebreak", "run"), "tiebreak"),
    ("thirteen columns", changed("columns", [{}] * 13), "columns"),
    ("endless columns", changed("columns", [{}] * 10**6), "columns"),
    ("columns as number", changed("columns", 3), "columns"),
    ("negative factor", changed("columns.0.multiplier", -1), "columns"),
    ("endless factor", changed("columns.0.multiplier", 10**9), "columns"),
    ("a million boxes", changed("categories", [ONES] * 10**6), "categories"),
    ("forty-one boxes", changed("categories", [ALIKE | {"id": f"b{n}"} for n in range(41)]), "categories"),
    ("categories as table", changed("categories", {"ones": ONES}), "categories"),
    ("category as text", changed("categories.0", "ones"), "categories"),
    ("unknown section", changed("categories.0.section", "middle"), "section"),
    ("no rules", changed("categories.1.rules", []), "rules"),
    ("rules as table", changed("categories.1.rules", {"points": 3}), "rules"),
    ("rule without points", changed("categories.1.rules.0", {"groups": [3]}), "points"),
    ("too many rules", changed("categories.1.rules", [{"points": 1}] * 9), "rules"),
    ("points as list", changed("categories.1.rules.0.points", []), "points"),
    ("points as table", changed("categories.1.rules.0.points", {}), "points"),
    ("points as switch", changed("categories.1.rules.0.points", True), "points"),
    ("unknown points", changed("categories.1.rules.0.points", "some"), "points"),
    ("negative points", changed("categories.1.rules.0.points", -50), "points"),
    ("half points", changed("categories.1.rules.0.points", 0.5), "points"),
    ("two patterns", changed("categories.1.rules.0", {"groups": [3], "face": 1, "points": 1}), "rules"),
    ("seventh face", changed("categories.0.rules.0.face", 7), "face"),
    ("face as list", changed("categories.0.rules.0.face", [1]), "face"),
    ("too many in a group", changed("categories.1.rules.0.groups", [6]), "groups"),
    ("too many in all groups", changed("categories.1.rules.0.groups", [3, 3]), "groups"),
    ("empty group", changed("categories.1.rules.0.groups", [0]), "groups"),
    ("group of a group", changed("categories.1.rules.0.groups", [[3]]), "groups"),
    ("endless groups", changed("categories.1.rules.0.groups", [1] * 10**6), "groups"),
    ("set with a face twice", changed("categories.2.rules.0.sets", [[1, 1]]), "sets"),
    ("empty set", changed("categories.2.rules.0.sets", [[]]), "sets"),
    ("set of too many", changed("categories.2.rules.0.sets", [[1, 2, 3, 4, 5, 6]]), "sets"),
    ("set of no faces", changed("categories.2.rules.0.sets", [[0, 7]]), "sets"),
    ("sets not in a list", changed("categories.2.rules.0.sets", [1, 2, 3]), "sets"),
    ("unreachable total", changed("categories.2.rules.1.total", 31), "total"),
    ("matched dice of nothing", changed("categories.2.rules.2.points", "matched"), "points"),
    ("exactly nothing", changed("categories.2.rules.2.exact", True), "exact"),
    ("upper box without a face", changed("categories.0.rules", [{"points": "all"}]), "rules"),
    ("upper box with two rules", changed("categories.0.rules", [*ONES["rules"], {"points": 1}]), "rules"),
    ("joker value in an upper box", changed("categories.0.joker", 5), "joker"),
    ("admits what is no option", changed("admits", ["flying"]), "admits"),
    ("admits as text", changed("admits", "joker"), "admits"),
    ("admits a list", changed("admits", [["joker"]]), "admits"),
    ("admits as table", changed("admits", {}), "admits"),
    ("admits as number", changed("admits", 3), "admits"),
    ("options as list", changed("options", []), "options"),
    ("option without values", changed("options.hard", {}), "options.hard"),
    ("option that is a value", changed("options.hard", 5), "options.hard"),
    ("patch that is a value", changed("options.hard.true", 5), "options.hard"),
    ("field that is nowhere", changed("options.run_points.field", "categories.walk"), "options.run_points"),
    ("field that is no number", changed("options.run_points.field", "categories.run.id"), "options.run_points"),
    ("field as list", changed("options.run_points.field", []), "options.run_points"),
    ("unknown key beside a field", changed("options.run_points.valeus", [1]), "options.run_points"),
    ("option with a space in its name", changed("options", {"two words": {"true": {}}}), "options"),
    ("option with a line break in its name", changed("options", {"a\n0 keep -": {"true": {}}}), "options"),
    ("option with a comma in a value", changed("options", {"own": {"a,b": {}, "c": {}}}), "options.own"),
    ("values of text", changed("options.run_points.values", ["a"]), "options.run_points"),
    ("option with one language", changed("options.ones.labels", {"de": "A"}), "options.ones"),
]  # fmt: skip


@pytest.mark.parametrize(("raw", "key"), [pytest.param(raw, key, id=name) for name, raw, key in BROKEN])
def test_a_broken_mapping_is_refused(raw: Raw, key: str) -> None:
    with pytest.raises(RulesetError) as caught:
        knobel.load(raw)
    assert key in caught.value.key
    mentions(caught.value, "mapping", key)


@pytest.mark.parametrize("key", ["dices", "wurf"])
def test_an_unknown_key_is_told_the_known_ones(key: str) -> None:
    with pytest.raises(RulesetError) as caught:
        knobel.load(changed(key, 1))
    mentions(caught.value, key, "throws")


@pytest.mark.parametrize(
    "source", ["", "nosuch", "CLASSIC", "classic ", "../classic", "/etc/passwd", "classic\0", "a" * 10**6, None, 5, []]
)
def test_an_unknown_ruleset_is_told_the_known_ones(source: Any) -> None:
    with pytest.raises(RulesetError) as caught:
        knobel.load(source)
    mentions(caught.value, "classic", "six-dice")


def test_an_unknown_option_is_told_the_known_ones() -> None:
    with pytest.raises(RulesetError) as caught:
        knobel.load("classic", jocker="forced")
    mentions(caught.value, "classic", "options.jocker", "joker", "upper_bonus")


@pytest.mark.parametrize(
    ("ruleset", "options"),
    [
        ("six-dice", {"joker": "forced"}),
        ("yatzy", {"joker": "free"}),
        ("kniffel-2003", {"joker": "none"}),
        ("kniffel-schmidt", {"joker": "forced"}),
        ("kniffel-schmidt", {"extra_five": "none"}),
        ("kniffel-2003", {"columns": 3}),
        ("kniffel-schmidt", {"saved_throws": True}),
        ("six-dice", {"five_equal_full_house": True}),
        ("classic", {"four_equal_two_pairs": True}),
        ("classic", {"multipliers": (1, 1, 1)}),
        ("classic", {"columns": 1, "multipliers": (1, 2, 3)}),
        ("classic", {"columns": 2}),
        ("classic", {"columns": 3, "multipliers": (1, 2)}),
        ("classic", {"columns": 3, "multipliers": (1, 2, -3)}),
        ("classic", {"triple_bonus_when": "any_50"}),
        ("classic", {"triple_bonus_multiplied": False}),
        ("classic", {"order_seed": 3}),
        ("classic", {"order": "down", "order_seed": 3}),
        ("classic", {"order_scope": "row_major"}),
        ("classic", {"order": "down", "order_scope": "row_major"}),
        ("classic", {"columns": 3, "order_scope": "row_major"}),
        ("classic", {"columns": 3, "order": "free", "order_scope": "row_major"}),
        ("yatzy", {"columns": 3, "triple_bonus_when": "any_50"}),
    ],
)
def test_an_impossible_combination_is_refused(ruleset: str, options: dict[str, Any]) -> None:
    with pytest.raises(RulesetError) as caught:
        knobel.load(ruleset, **options)
    mentions(caught.value, ruleset, "options.")


# Files


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    def write(content: str | bytes, name: str = "house.toml") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


BASED = 'base = "classic"\nid = "house"\nlabels = { de = "Haus", en = "House" }\n'


@pytest.mark.parametrize(
    "content",
    [
        pytest.param("", id="empty"),
        pytest.param("id = ", id="half a line"),
        pytest.param("id = 'a'\nid = 'a'", id="key twice"),
        pytest.param(b"\xff\xfe", id="not UTF-8"),
        pytest.param("dice = 5\x00", id="null byte"),
        pytest.param("dice = " + "9" * 5000, id="number without end"),
        pytest.param("dice = 0x" + "F" * 5000, id="hexadecimal number without end"),
        pytest.param("x = " + "[" * 400 + "]" * 400, id="nested deep"),
        pytest.param("x = " + "[" * 30000, id="nested too deep"),
        pytest.param("x = " + "{a=" * 300 + "1" + "}" * 300, id="tables nested deep"),
        pytest.param(BASED + "dice = " + "[" * 400 + "]" * 400, id="value nested deep"),
        pytest.param("#" * 70000, id="too large"),
        pytest.param("\n".join(f"[[categories]]\nid = 'b{n}'" for n in range(2000)), id="thousands of boxes"),
        pytest.param("base = 5", id="base as number"),
        pytest.param("base = 'nosuch'", id="unknown base"),
        pytest.param("base = '../nosuch.toml'", id="base outside"),
        pytest.param('base = "a\\u0000.toml"', id="null byte in base"),
        pytest.param("base = '" + "a" * 300 + ".toml'", id="long base"),
        pytest.param("base = '/dev/null/a.toml'", id="base below a file"),
        pytest.param(BASED + "categories = 5", id="number over boxes"),
        pytest.param(BASED + "[categories]\nones = 5", id="number over a box"),
        pytest.param(BASED + "[categories.ones]\nrules = 5", id="number over rules"),
        pytest.param(BASED + "remove = 5", id="remove a number"),
        pytest.param(BASED + "remove = 'ones'", id="remove a text"),
        pytest.param(BASED + "remove = [['ones']]", id="remove a list"),
        pytest.param(BASED + "remove = ['nosuch']", id="remove an unknown box"),
        pytest.param(BASED + "remove = ['five_kind']", id="remove the box for all alike"),
        pytest.param(BASED + "options = 5", id="options as number"),
        pytest.param(BASED + "[options]\njoker = 'wild'", id="unknown value"),
        pytest.param(BASED + "[options]\nflying = true", id="unknown option"),
        pytest.param(BASED + "[options]\nmultipliers = [1, 1, 1]", id="missing precondition"),
        pytest.param(BASED + "[options.joker]\nforced = 5", id="number as patch"),
        pytest.param(BASED + "[options.own.true]\ncategories.ones = 5", id="number over a box in a patch"),
    ],
)
def test_a_broken_file_is_refused_by_name(content: str | bytes, write: Callable[..., Path]) -> None:
    path = write(content)
    for source in (path, str(path)):
        with pytest.raises(RulesetError) as caught:
            knobel.load(source, **({"own": True} if b"own.true" in path.read_bytes() else {}))
        if "base = " not in str(content) or "classic" in str(content):
            mentions(caught.value, path.name)


def test_a_broken_line_is_named(write: Callable[..., Path]) -> None:
    with pytest.raises(RulesetError) as caught:
        knobel.load(write("dice = 5\nthrows == 3\n"))
    mentions(caught.value, "house.toml", "line 2")


def test_a_value_is_named_with_file_key_and_expectation(write: Callable[..., Path]) -> None:
    with pytest.raises(RulesetError) as caught:
        knobel.load(write(BASED + "[categories.full_house]\nrules = [{ groups = [3, 9], points = 25 }]"))
    mentions(caught.value, "house.toml", "categories.full_house.rules")


def test_bases_that_go_round_in_circles_are_refused(write: Callable[..., Path]) -> None:
    write('base = "b.toml"', "a.toml")
    path = write('base = "a.toml"', "b.toml")
    own = write('base = "own.toml"', "own.toml")
    for circle in (path, own):
        with pytest.raises(RulesetError) as caught:
            knobel.load(circle)
        assert caught.value.reason.key == "base-too-deep"


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing.toml", tmp_path / ("a" * 300 + ".toml"), Path("/dev/null/x.toml")):
        with pytest.raises(RulesetError) as caught:
            knobel.load(path)
        assert path.name in str(caught.value)
    with pytest.raises(RulesetError):
        knobel.load(str(tmp_path / "a\0.toml"))


def test_a_mapping_reads_no_files(tmp_path: Path) -> None:
    (tmp_path / "secret.toml").write_text(BASED)
    for base in (str(tmp_path / "secret.toml"), "secret.toml", "../secret.toml"):
        with pytest.raises(RulesetError) as caught:
            knobel.load({"base": base})
        assert caught.value.key == "base"


def test_a_mapping_nested_without_end_is_refused() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    for raw in (changed("dice", deep), changed("nothing", deep), changed("options.hard.true", {"order": deep})):
        with pytest.raises(RulesetError):
            knobel.load(raw, hard=True)
    while deep:  # take it apart: Python's own clean-up is deep as well
        deep = deep.pop()


# Derived rulesets keep their options


def test_a_derived_file_with_three_columns_knows_it(write: Callable[..., Path]) -> None:
    path = write(BASED + "[options]\ncolumns = 3\nmultipliers = [1, 1, 1]")
    factors = {
        "as it is": knobel.load(path),
        "other factors": knobel.load(path, multipliers=(1, 2, 5)),
        "default columns": knobel.load(path, columns=3),
        "one column": knobel.load(path, columns=1),
    }
    assert {name: [column.multiplier for column in rules.columns] for name, rules in factors.items()} == {
        "as it is": [1, 1, 1],
        "other factors": [1, 2, 5],
        "default columns": [1, 1, 1],
        "one column": [1],
    }
    assert knobel.load(path, order="down", order_scope="row_major").order_scope == "row_major"


def test_a_derived_file_patches_removes_and_adds(write: Callable[..., Path]) -> None:
    path = write(
        BASED
        + """
        remove = ["chance"]
        upper = { bonus = 50 }
        [options]
        joker = "forced"
        five_equal_full_house = true
        [[categories]]
        id = "all_low"
        labels = { de = "Tief", en = "Low" }
        rules = [{ total = 8, points = 80 }, { points = "all" }]
        [categories.full_house]
        """.replace("[categories.full_house]", "")
    )
    rules = knobel.load(path)
    assert (rules.id, rules.joker) == ("house", "forced")
    assert rules.upper == knobel.vocabulary.UpperBonus(63, 50)
    assert [row.id for row in rules.categories][-1] == "all_low"
    assert "chance" not in rules.category_index
    assert knobel.points(rules, (2, 2, 2, 1, 1))["all_low"] == 80
    assert knobel.points(rules, (4, 4, 4, 4, 4))["full_house"] == 25
    assert "five_equal_full_house" not in {option.name for option in knobel.admitted_options(path)}
    assert dict(knobel.load(path, joker="none").options) == {"joker": "none"}
    assert knobel.load(path, joker="none").joker == "none"


def test_a_file_of_its_own_cannot_set_an_option_that_nobody_declares(write: Callable[..., Path]) -> None:
    text = resources.files("knobel").joinpath("rulesets", "yatzy.toml").read_text(encoding="utf-8")
    with pytest.raises(RulesetError) as caught:
        knobel.load(write(text.replace("[[categories]]", "[options]\njoker = 'free'\n[[categories]]", 1)))
    assert "options" in caught.value.key


# Fuzz: one node of a sound mapping replaced by junk

JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 9),
    st.sampled_from([10**9, -(10**30), 10**5000]),
    st.floats(),
    st.text(max_size=5),
    st.sampled_from(
        ["ones", "all", "matched", "free", "list", "true", "a/b", "\0", "\ud800", "x" * 1000, "classic.toml"]
    ),
    st.binary(max_size=3),
    st.lists(st.one_of(st.integers(0, 7), st.text(max_size=3), st.lists(st.integers(0, 7), max_size=2)), max_size=4),
    st.dictionaries(
        st.sampled_from(["id", "en", "de", "true", "points", "field", "ones"]), st.integers(0, 9), max_size=3
    ),
    st.just({"id": []}),
    st.just([{"id": {}}]),
    st.builds(dict, labels=st.just(5)),
)
BUILTIN = {name: tomllib.loads(resources.files("knobel").joinpath("rulesets", f"{name}.toml").read_text("utf-8"))
           for name in knobel.builtin_ids()}  # fmt: skip


def paths(raw: object, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every node of a mapping."""
    items = list(raw.items()) if isinstance(raw, dict) else list(enumerate(raw)) if isinstance(raw, list) else []
    return [path, *(below for key, value in items for below in paths(value, (*path, key)))][0 if path else 1 :]


def with_junk(raw: Any, path: tuple[Any, ...], junk: object) -> Any:
    """A copy with one node replaced."""
    if not path:
        return junk
    key, *rest = path
    copy = dict(raw) if isinstance(raw, dict) else list(raw)
    copy[key] = with_junk(raw[key], tuple(rest), junk)
    return copy


def refusal(load: Callable[[], object]) -> str:
    """What the `RulesetError` says with which this is refused; empty if it is not."""
    try:
        load()
    except RulesetError as error:
        return str(error)
    return ""


def use(raw: Any, rng: Random) -> None:
    """Load it in every way; only `RulesetError` may come out, and what loads can be played."""
    refused = refusal(lambda: knobel.load(raw))
    assert len(refused) < 3000
    assert refused == refusal(lambda: knobel.load(raw)), "the first try left something behind"
    unknown = refusal(lambda: knobel.admitted_options(raw))
    if refused or unknown:
        return
    rules, options = knobel.load(raw), knobel.admitted_options(raw)
    assert parse(json.loads(json.dumps(to_mapping(rules))), "again") == rules
    state = knobel.apply(knobel.start(rules), knobel.Throw(), (1,) * rules.dice)
    json.dumps(knobel.view(state, 0))
    for option in rng.sample(options, min(3, len(options))):
        value = rng.choice(option.values or (3,))
        assert len(refusal(lambda: knobel.load(raw, **{option.name: value}))) < 3000  # noqa: B023 - called at once


FUZZ = settings(max_examples=180, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


@FUZZ
@given(st.data())
def test_junk_in_a_mapping_is_refused_or_harmless(data: st.DataObject) -> None:
    raw = data.draw(st.sampled_from([sound(), *BUILTIN.values()]))
    use(with_junk(raw, data.draw(st.sampled_from(paths(raw))), data.draw(JUNK)), Random(data.draw(st.integers(0, 99))))


@FUZZ
@given(st.data())
def test_junk_in_a_derived_mapping_is_refused_or_harmless(data: st.DataObject) -> None:
    raw: Raw = {
        "base": "classic", "id": "house", "labels": LABELS, "remove": ["chance"], "upper": {"bonus": 3},
        "categories": {"ones": {"labels": LABELS}, "full_house": {"rules": [{"groups": [3, 2], "points": 20}]}},
        "options": {"joker": "forced", "own": {"true": {"categories": {"ones": {"labels": LABELS}}}}},
    }  # fmt: skip
    if data.draw(st.booleans()):
        raw["categories"] = [ALIKE, {"id": "ones", "labels": LABELS}]
    use(with_junk(raw, data.draw(st.sampled_from(paths(raw))), data.draw(JUNK)), Random(data.draw(st.integers(0, 99))))


@FUZZ
@given(st.sampled_from(knobel.builtin_ids()), st.text(max_size=12), JUNK)
def test_junk_as_an_option_is_refused(ruleset: str, name: str, junk: Any) -> None:
    names = [option.name for option in knobel.admitted_options(ruleset)]
    for option in (name, *names[len(name) % 2 :: 2]):
        assert len(refusal(lambda: knobel.load(ruleset, **{option: junk}))) < 3000  # noqa: B023 - called at once
