"""Every value of every option in a full game, admission and preconditions (RULES 8.4)."""

from random import Random

import pytest

import knobel
from knobel import RulesetError
from tests.core import option_pairs, reference
from tests.core.houses import HOUSES
from tests.core.playing import CheckedGame, packed_choices, random_choices, single_choices, values_of


@pytest.mark.parametrize("ruleset", knobel.builtin_ids())
def test_every_value_of_every_option_is_played(ruleset: str) -> None:
    is_long = knobel.load(ruleset).is_gated
    met: set[tuple[str, object]] = set()
    for seed, choices in enumerate((packed_choices if is_long else single_choices)(ruleset)):
        game = CheckedGame(ruleset, choices, players=1 + (seed % 3 if is_long else seed % 4 == 0))
        game.play(Random(seed))
        met |= set(choices.items())
    wanted = {
        (option.name, value)
        for option in knobel.admitted_options(ruleset)
        for value in (*option.values, *values_of(ruleset, option))
    }
    assert wanted <= met


@pytest.mark.parametrize("house", HOUSES)
def test_every_value_of_the_options_of_house_rules_is_played(house: str) -> None:
    for seed, choices in enumerate(packed_choices(HOUSES[house])):
        game = CheckedGame(HOUSES[house], choices, players=1 + seed % 3)
        game.play(Random(seed))


@pytest.mark.parametrize("ruleset", reference.OPTIONS)
def test_admission_and_defaults_are_those_of_the_rules(ruleset: str) -> None:
    admitted = {option.name: option.default for option in knobel.admitted_options(ruleset)}
    assert admitted == reference.OPTIONS[ruleset]


VALUES = {
    "joker": {"none", "forced", "free"},
    "extra_five": {"box_has_50", "any_after_first", "box_filled", "none"},
    "five_equal_full_house": {False, True},
    "four_equal_two_pairs": {False, True},
    "bonus_shown": {"at_once", "at_end"},
    "full_straight_points": {21, 30},
    "saved_throws": {False, True},
    "columns": {1, 3},
    "triple_bonus_when": {"all_50", "any_50"},
    "triple_bonus_multiplied": {True, False},
    "order": {"free", "down", "up", "lower_first", "random"},
    "order_scope": {"column_major", "per_column", "row_major"},
    "tiebreak": {"shared"},
    "empty_house_points": {"sum"},
    "extra_grant": {"both", "each", "either"},
    "extra_mode": {"keeps_column", "same_column", "after_fifth"},
    "jokers_in_special": {True, False},
    "samuel_mode": {"turn", "throw"},
    "wunder_pool": {"own_and_helpers", "helpers"},
    "overthrow": {"forbid", "strike_any"},
    "bonus_trigger": {"sum", "complete"},
    "special_order": {"bonus_first", "seat"},
    "special_throws": {1, 2, 3, 4, 5, 6},
    "special_bonus_triggers": {False, True},
    "special_last": {"bottom", "any"},
    "final_order": {"rows", "players"},
    "no_strike_columns": {"all", "regular"},
}


@pytest.mark.parametrize("ruleset", reference.OPTIONS)
def test_named_values_are_those_of_the_rules(ruleset: str) -> None:
    named = {option.name: set(option.values) for option in knobel.admitted_options(ruleset) if option.values}
    assert named == {name: values for name, values in VALUES.items() if name in reference.OPTIONS[ruleset]}


@pytest.mark.parametrize("ruleset", reference.OPTIONS)
def test_what_is_not_admitted_is_refused(ruleset: str) -> None:
    names = {name for options in reference.OPTIONS.values() for name in options}
    for name in names - set(reference.OPTIONS[ruleset]):
        value = next(options[name] for options in reference.OPTIONS.values() if name in options)
        with pytest.raises(RulesetError) as caught:
            knobel.load(ruleset, **{name: value})
        assert caught.value.reason.key == "option-not-admitted"
        assert (caught.value.source, caught.value.key) == (ruleset, f"options.{name}")


@pytest.mark.parametrize("ruleset", knobel.builtin_ids())
def test_an_option_without_what_it_needs_is_refused(ruleset: str) -> None:
    for option in knobel.admitted_options(ruleset):
        for value in values_of(ruleset, option) if option.needs else ():
            with pytest.raises(RulesetError) as caught:
                knobel.load(ruleset, **{option.name: value})  # type: ignore[arg-type]
            assert caught.value.reason.key == "option-needs"
            assert caught.value.key == f"options.{option.name}"


@pytest.mark.parametrize("ruleset", knobel.builtin_ids())
def test_values_that_no_option_takes_are_refused(ruleset: str) -> None:
    for option in knobel.admitted_options(ruleset):
        junk = [None, -1, 1.5, "no such value", [], [None], {}, object(), 10**30, ("no such box",) * 2, float("nan")]
        needs = {name: values[0] for name, values in option.needs}
        for value in junk:
            with pytest.raises(RulesetError) as caught:
                knobel.load(ruleset, **needs, **{option.name: value})  # type: ignore[arg-type]
            assert option.name in caught.value.key


@pytest.mark.parametrize("ruleset", knobel.builtin_ids())
def test_a_default_that_is_chosen_changes_nothing(ruleset: str) -> None:
    plain = knobel.load(ruleset)
    for option in knobel.admitted_options(ruleset):
        if not option.needs:
            assert knobel.load(ruleset, **{option.name: option.default}) == plain


@pytest.mark.parametrize("ruleset", knobel.builtin_ids())
def test_every_other_value_changes_the_digest_or_is_another_way_to_say_it(ruleset: str) -> None:
    for option in knobel.admitted_options(ruleset):
        digests: dict[str, object] = {}
        for value in values_of(ruleset, option):
            needs = {name: values[0] for name, values in option.needs}
            digest = knobel.digest(knobel.load(ruleset, **needs, **{option.name: value}))  # type: ignore[arg-type]
            assert digest not in digests, f"{option.name}: {value} plays like {digests[digest]}"
            digests[digest] = value


def test_a_list_of_all_boxes_downwards_is_the_order_down() -> None:
    boxes = tuple(category.id for category in knobel.load("classic").categories)
    listed, down = knobel.load("classic", order=boxes), knobel.load("classic", order="down")
    assert knobel.digest(listed) == knobel.digest(down)


def test_the_drill_of_all_pairs_at_a_small_scale() -> None:
    assert option_pairs.drill(scale=0.002) >= 2


def test_random_combinations_compose() -> None:
    rng = Random(5)
    for number in range(150):
        ruleset = rng.choice(knobel.builtin_ids())
        choices = random_choices(ruleset, rng)
        chosen = dict(knobel.load(ruleset, **choices).options)
        defaults = {option.name: option.default for option in knobel.admitted_options(ruleset)}
        assert chosen == {name: value for name, value in choices.items() if value != defaults[name]}, number


def test_a_word_for_a_value_may_be_chosen_for_good() -> None:
    summed = {"base": "acht-mann", "options": {"empty_house_points": "sum"}}
    assert knobel.points(knobel.load(summed), (2, 2, 5, 5, 4))["empty_house"] == 18
    option = next(option for option in knobel.admitted_options(summed) if option.name == "empty_house_points")
    assert option.default == "sum"
    assert knobel.points(knobel.load(summed, empty_house_points=20), (2, 2, 5, 5, 4))["empty_house"] == 20


@pytest.mark.parametrize(
    ("base", "box", "gone"),
    [("six-dice", "full_straight", "full_straight_points"), ("yatzy", "two_pairs", "four_equal_two_pairs")],
)
def test_without_a_box_there_is_no_option_for_it(base: str, box: str, gone: str) -> None:
    names = {option.name for option in knobel.admitted_options({"base": base, "remove": [box]})}
    assert names == set(reference.OPTIONS[base]) - {gone}


@pytest.mark.parametrize("name", ["order", "columns", "joker", "tiebreak"])
def test_an_option_of_a_file_cannot_take_a_name_that_all_know(name: str) -> None:
    with pytest.raises(RulesetError) as caught:
        knobel.admitted_options({"base": "classic", "admits": [], "options": {name: {"field": "throws"}}})
    assert caught.value.key == f"options.{name}"


def test_the_rare_things_are_met() -> None:
    met: set[str] = set()
    easy: reference.Choices = {"extra_minima": (5,) * 6, "upper_threshold": 40}
    for seed, choices in enumerate([{}, easy, {"solo_helpers": 2}]):
        game = CheckedGame("acht-mann", choices, players=(3, 2, 1)[seed])
        game.play(Random(seed))
        met |= game.met
    for name in ("samuel", "wunder", "extra"):
        assert {name, f"{name} in a special turn", f"{name} at the end"} <= met
    assert {"pick", "samuel after others helped", "samuel after the last throw"} <= met


def test_equal_rulesets_are_one_object() -> None:
    """They are keys of many caches, where the same object is found without a comparison."""
    assert knobel.load("classic", columns=3) is knobel.load("classic", columns=3)
    assert knobel.load("classic", columns=3) is not knobel.load("classic")
