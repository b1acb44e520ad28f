"""Points of every roll in every box: against the second reading of the rules, the census, and the examples."""

import pytest

import knobel
from knobel import KnobelError
from knobel.dice import probability, rolls
from tests.core import reference
from tests.core.data import CASES
from tests.core.playing import single_choices

# Numbers of scoring rolls as the rules document tells them (RULES 8.3).
CENSUS = {
    "classic": {
        "three_kind": 1656, "four_kind": 156, "full_house": 300, "small_straight": 1200, "large_straight": 240,
        "five_kind": 6,
    },
    "kniffel-2003": {"full_house": 306, "five_kind": 6, "small_straight": 1200},
    "kniffel-schmidt": {"full_house": 300, "five_kind": 6, "small_straight": 1200},
    "yatzy": {
        "one_pair": 7056, "two_pairs": 2100, "three_kind": 1656, "four_kind": 156, "small_straight": 120,
        "large_straight": 120, "full_house": 300,
    },
    "six-dice": {
        "one_pair": 45936, "two_pairs": 25950, "three_pairs": 1800, "three_kind": 17136, "four_kind": 2436,
        "five_kind": 186, "small_straight": 2520, "large_straight": 2520, "full_straight": 720, "full_house": 7950,
        "castle": 300, "tower": 450, "six_kind": 6,
    },
}  # fmt: skip


def _weights(ruleset: str) -> dict[tuple[int, ...], int]:
    """How many of the ordered throws show each roll."""
    n_dice = reference.N_DICE[ruleset]
    return {roll: int(probability(roll) * 6**n_dice) for roll in rolls(n_dice)}


@pytest.mark.parametrize(("ruleset", "boxes"), CENSUS.items())
def test_census_of_the_rules(ruleset: str, boxes: dict[str, int]) -> None:
    rules = knobel.load(ruleset)
    weights = _weights(ruleset)
    scoring = {box: sum(weight for roll, weight in weights.items() if knobel.points(rules, roll)[box]) for box in boxes}
    assert scoring == boxes


@pytest.mark.parametrize("ruleset", [name for name in CASES["census"] if name in reference.BOXES])
def test_census_of_the_case_file(ruleset: str) -> None:
    rules, wanted = knobel.load(ruleset), CASES["census"][ruleset]
    weights = _weights(ruleset)
    assert sum(weights.values()) == wanted["outcomes"]
    assert set(wanted["boxes"]) == {category.id for category in rules.categories}
    points = {roll: knobel.points(rules, roll) for roll in weights}
    for box, figures in wanted["boxes"].items():
        assert figures == {
            "nonzero": sum(weight for roll, weight in weights.items() if points[roll][box]),
            "total": sum(weight * points[roll][box] for roll, weight in weights.items()),
            "max": max(row[box] for row in points.values()),
        }


def _scoring_choices() -> list[tuple[str, reference.Choices]]:
    """Every ruleset as it is, and with each option that changes points."""
    changing = {"five_equal_full_house", "four_equal_two_pairs", "full_straight_points"}
    plain: list[tuple[str, reference.Choices]] = [(ruleset, {}) for ruleset in reference.BOXES]
    changed = [(ruleset, choices) for ruleset in reference.BOXES for choices in single_choices(ruleset)]
    return plain + [(ruleset, choices) for ruleset, choices in changed if changing & set(choices)]


@pytest.mark.parametrize(("ruleset", "choices"), _scoring_choices())
def test_every_roll_in_every_box(ruleset: str, choices: reference.Choices) -> None:
    rules, settled = knobel.load(ruleset, **choices), reference.settings(ruleset, choices)
    for roll in rolls(reference.N_DICE[ruleset]):
        expected = {box: reference.score(ruleset, settled, box, roll) for box in reference.BOXES[ruleset]}
        assert knobel.points(rules, roll) == expected, roll


@pytest.mark.parametrize("ruleset", knobel.builtin_ids())
@pytest.mark.parametrize("face", [0, 7, -1, 1.5, None, "1", (1,)])
def test_what_is_no_roll_is_refused(ruleset: str, face: object) -> None:
    rules = knobel.load(ruleset)
    ones = (1,) * (rules.dice - 1)
    for faces in ((*ones, face), ones, (*ones, 1, 1), ()):
        with pytest.raises(KnobelError):
            knobel.points(rules, faces)  # type: ignore[arg-type]
