"""The highest score of each ruleset, reached in a game (RULES 8.1)."""

from collections.abc import Iterable

import pytest

import knobel
from knobel import Enter, Throw, parse_action

UPPER = ("ones", "twos", "threes", "fours", "fives", "sixes")
FIVES = [(box, str(face) * 5) for face, box in enumerate(UPPER, 1)]
Turns = Iterable[tuple[str, str]]


def played(ruleset: str, turns: Turns, **options: object) -> int:
    """Total of a solo game in which each turn is one throw that brings these dice."""
    state = knobel.start(knobel.load(ruleset, **options))  # type: ignore[arg-type]
    for box, faces in turns:
        state = knobel.apply(state, Throw(), tuple(map(int, faces)))
        action = parse_action(f"enter {box}")
        assert isinstance(action, Enter)
        state = knobel.apply(state, action)
    assert knobel.is_over(state)
    total = knobel.result(state).totals[0]
    assert knobel.view(state)["sheets"][0]["total"] == total
    return total


def in_columns(turns: list[tuple[str, str]], columns: Iterable[int] = (1, 2, 3)) -> list[tuple[str, str]]:
    return [(f"{box}/{column}", faces) for column in columns for box, faces in turns]


SIXES = [(box, "66666") for box in ("three_kind", "four_kind", "chance")]
STRAIGHTS = [("full_house", "66655"), ("small_straight", "23456"), ("large_straight", "23456")]
YATZY = [
    *FIVES, ("one_pair", "66666"), ("two_pairs", "66655"), ("three_kind", "66666"), ("four_kind", "66666"),
    ("small_straight", "12345"), ("large_straight", "23456"), ("full_house", "66655"), ("chance", "66666"),
    ("yatzy", "11111"),
]  # fmt: skip
SIX_DICE = [
    *((box, faces + faces[0]) for box, faces in FIVES),
    ("one_pair", "666666"), ("two_pairs", "666655"), ("three_pairs", "665544"), ("three_kind", "666666"),
    ("four_kind", "666666"), ("five_kind", "666666"), ("small_straight", "123456"), ("large_straight", "123456"),
    ("full_straight", "123456"), ("full_house", "666655"), ("castle", "666555"), ("tower", "666655"),
    ("chance", "666666"), ("six_kind", "111111"),
]  # fmt: skip
JOKERS = [(box, "66666") for box in ("full_house", "small_straight", "large_straight")]
FIRST = [("five_kind", "66666")]


@pytest.mark.parametrize(("joker", "most"), [("none", 1480), ("forced", 1575), ("free", 1575)])
def test_classic(joker: str, most: int) -> None:
    assert played("classic", [*FIRST, *FIVES, *SIXES, *JOKERS], joker=joker) == most


@pytest.mark.parametrize(("joker", "most"), [("none", 8880), ("forced", 9450), ("free", 9450)])
def test_classic_triple(joker: str, most: int) -> None:
    turns = in_columns(FIRST) + in_columns(FIVES) + in_columns([*SIXES, *JOKERS])
    assert played("classic", turns, joker=joker, columns=3) == most


def test_classic_triple_without_further_fives() -> None:
    turns = [*SIXES, *STRAIGHTS, *FIVES, *FIRST]  # each column's own box last: nothing is further, no joker
    first_two = in_columns(turns, (1, 2))
    assert played("classic", [*first_two, *in_columns(turns, (3,))], joker="forced", columns=3) == 2250


@pytest.mark.parametrize("joker", ["none", "forced", "free"])
def test_classic_in_order(joker: str) -> None:
    downwards = [*FIVES, *SIXES[:2], *STRAIGHTS, *FIRST, SIXES[2]]
    assert played("classic", downwards, joker=joker, order="down") == 340 + 35 + 100 == 475


def test_yatzy() -> None:
    assert played("yatzy", YATZY) == 374
    assert played("yatzy", YATZY, order="down") == 374
    assert played("yatzy", in_columns(YATZY), columns=3) == 2244


def test_six_dice() -> None:
    assert played("six-dice", SIX_DICE) == 649
    assert played("six-dice", SIX_DICE, order="down") == 649
    assert played("six-dice", in_columns(SIX_DICE), columns=3) == 3894


@pytest.mark.parametrize("when", ["any_after_first", "box_has_50", "box_filled"])
def test_kniffel_2003(when: str) -> None:
    assert played("kniffel-2003", [*FIRST, *FIVES, *SIXES, *JOKERS], extra_five=when) == 1505


def test_kniffel_schmidt() -> None:
    # no further points but +50 for each number: 375 + 6 x 50
    assert played("kniffel-schmidt", [*FIRST, *FIVES, *SIXES, *JOKERS]) == 675
