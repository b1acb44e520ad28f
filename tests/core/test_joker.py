"""Joker, further fives of a kind and Triple beyond the shared cases (RULES 1.1, 2, 6, 6b)."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

import knobel
from knobel import Enter, State, sheet
from knobel.turn import Turn

UPPER = ("ones", "twos", "threes", "fours", "fives", "sixes")
LOWER = ("three_kind", "four_kind", "full_house", "small_straight", "large_straight", "five_kind", "chance")
Promise = tuple[int, int]  # points, bonus


def full_but(*free: str, **given: int) -> dict[str, int]:
    """A column with 1 in every box but the free ones."""
    return {box: 1 for box in (*UPPER, *LOWER) if box not in free} | given


def legal(
    ruleset: str, card: Sequence[Mapping[str, int]], faces: str, fives: int | None = None, **options: Any
) -> dict[str, Promise]:
    """By box the points and the bonus of every legal entry."""
    rules = knobel.load(ruleset, **options)
    roll = tuple(sorted(map(int, faces)))
    state = State(rules, (sheet.sheet_from_card(rules, card, fives),), Turn(0, 1, roll))
    boxes = [str(action.box) for action in knobel.legal_actions(state) if isinstance(action, Enter)]
    shown = {
        box["box"]: (box["potential"]["points"], box["potential"]["bonus"])
        for column in knobel.view(state, 0)["sheets"][0]["columns"]
        for box in column["boxes"]
        if box["potential"] and box["potential"]["legal"]
    }
    assert list(shown) == boxes
    return shown


HOUSES = ("full_house", "small_straight", "large_straight")


@pytest.mark.parametrize("held", [50, 0])
@pytest.mark.parametrize(
    ("joker", "free", "expected"),
    [  # the table of RULES 1.1, line by line; dice 44444
        ("none", ("fours", *HOUSES), {"fours": 20, "full_house": 0, "small_straight": 0, "large_straight": 0}),
        ("forced", ("fours", *HOUSES), {"fours": 20}),
        ("free", ("fours", *HOUSES), {"fours": 20, "full_house": 0, "small_straight": 0, "large_straight": 0}),
        ("none", ("ones", *HOUSES, "chance"), {"ones": 0, **dict.fromkeys(HOUSES, 0), "chance": 20}),
        (
            "forced",
            ("ones", *HOUSES, "chance"),
            {"full_house": 25, "small_straight": 30, "large_straight": 40, "chance": 20},
        ),
        (
            "free",
            ("ones", *HOUSES, "chance"),
            {"ones": 0, "full_house": 25, "small_straight": 30, "large_straight": 40, "chance": 20},
        ),
        ("none", ("ones", "sixes"), {"ones": 0, "sixes": 0}),
        ("forced", ("ones", "sixes"), {"ones": 0, "sixes": 0}),
        ("free", ("ones", "sixes"), {"ones": 0, "sixes": 0}),
    ],
)
def test_the_table_of_the_joker_rule(held: int, joker: str, free: tuple[str, ...], expected: dict[str, int]) -> None:
    bonus = 100 if held else 0
    shown = legal("classic", [full_but(*free, five_kind=held)], "44444", joker=joker)
    assert shown == {box: (points, bonus) for box, points in expected.items()}


@pytest.mark.parametrize("joker", ["none", "forced", "free"])
def test_without_the_box_filled_there_is_no_joker(joker: str) -> None:
    shown = legal("classic", [full_but("fours", "full_house", "five_kind")], "44444", joker=joker)
    assert shown == {"fours": (20, 0), "full_house": (0, 0), "five_kind": (50, 0)}


@pytest.mark.parametrize(
    ("when", "held", "fives", "bonus"),
    [
        ("box_has_50", 50, 1, 100),
        ("box_has_50", 0, 1, 0),
        ("box_filled", 50, 0, 100),
        ("box_filled", 0, 0, 100),
        ("any_after_first", 0, 1, 100),
        ("any_after_first", 0, 0, 0),
        ("any_after_first", 50, 1, 100),
        ("none", 50, 3, 0),
    ],
)
@pytest.mark.parametrize("ruleset", ["classic", "kniffel-2003"])
def test_when_a_five_of_a_kind_is_further(ruleset: str, when: str, held: int, fives: int, bonus: int) -> None:
    card = [full_but("chance", five_kind=held)]
    assert legal(ruleset, card, "44444", fives, extra_five=when) == {"chance": (20, bonus)}
    assert legal(ruleset, card, "44443", fives, extra_five=when) == {"chance": (19, 0)}


@pytest.mark.parametrize(("when", "bonus"), [("any_after_first", 100), ("box_has_50", 0), ("box_filled", 0)])
def test_in_the_box_itself_it_is_further_only_after_a_first_one(when: str, bonus: int) -> None:
    card = [full_but("five_kind", "chance")]
    shown = legal("kniffel-2003", card, "44444", fives=1, extra_five=when)
    assert shown == {"five_kind": (50, bonus), "chance": (20, bonus)}


def test_the_bonus_of_a_further_one_is_no_upper_point() -> None:
    rules = knobel.load("classic", joker="forced")
    card = sheet.sheet_from_card(rules, [{"five_kind": 50, "sixes": 24, "fives": 18}])
    state = knobel.apply(State(rules, (card,), Turn(0, 1, (4,) * 5)), knobel.parse_action("enter fours"))
    tally = sheet.tally(rules, state.sheets[0])
    assert (tally.columns[0].upper, tally.columns[0].bonus, tally.extra) == (62, 0, 100)


# Triple: cards of RULES 2, worked cases

MISSING_ONE = [full_but("full_house", five_kind=50), full_but("five_kind"), full_but(five_kind=50)]
ALL_50 = [full_but("full_house", five_kind=50), full_but("fours", five_kind=50), full_but("chance", five_kind=50)]
NO_FOURS_FREE = [
    full_but("full_house", five_kind=50), full_but("large_straight", five_kind=50), full_but("chance", five_kind=50),
]  # fmt: skip
ONE_STRUCK = [full_but("full_house", five_kind=50), full_but(five_kind=0), full_but("chance", five_kind=50)]


@pytest.mark.parametrize("joker", ["none", "forced", "free"])
def test_triple_one_box_open(joker: str) -> None:
    shown = legal("classic", MISSING_ONE, "44444", joker=joker, columns=3)
    assert shown == {"full_house": (0, 0), "five_kind/2": (50, 0)}


def test_triple_number_free_in_one_column() -> None:
    forced = legal("classic", ALL_50, "44444", joker="forced", columns=3)
    assert forced == {"fours/2": (20, 200)}
    for joker in ("none", "free"):
        shown = legal("classic", ALL_50, "44444", joker=joker, columns=3)
        assert shown == {"full_house": (0, 100), "fours/2": (20, 200), "chance/3": (20, 300)}


def test_triple_number_free_in_two_columns_the_player_picks() -> None:
    card = [full_but("fours", five_kind=50), full_but("chance", five_kind=50), full_but("fours", "ones", five_kind=50)]
    assert legal("classic", card, "44444", joker="forced", columns=3) == {"fours": (20, 100), "fours/3": (20, 300)}


@pytest.mark.parametrize(("joker", "house", "straight"), [("forced", 25, 40), ("free", 25, 40), ("none", 0, 0)])
def test_triple_all_numbers_filled(joker: str, house: int, straight: int) -> None:
    shown = legal("classic", NO_FOURS_FREE, "44444", joker=joker, columns=3)
    assert shown == {"full_house": (house, 100), "large_straight/2": (straight, 200), "chance/3": (20, 300)}


def test_triple_lower_section_full() -> None:
    card = [full_but("ones", five_kind=50), full_but(five_kind=50), full_but("sixes", five_kind=50)]
    assert legal("classic", card, "44444", joker="forced", columns=3) == {"ones": (0, 100), "sixes/3": (0, 300)}


@pytest.mark.parametrize(("when", "bonus"), [("all_50", 0), ("any_50", 1)])
@pytest.mark.parametrize("multiplied", [True, False])
def test_triple_one_box_struck(when: str, bonus: int, multiplied: bool) -> None:
    shown = legal(
        "classic", ONE_STRUCK, "44444", joker="forced", columns=3, triple_bonus_when=when,
        triple_bonus_multiplied=multiplied, multipliers=(2, 1, 5),
    )  # fmt: skip
    factors = (2, 5) if multiplied else (1, 1)
    assert shown == {"full_house": (25, bonus * 100 * factors[0]), "chance/3": (20, bonus * 100 * factors[1])}


def test_triple_any_50_pays_beside_open_boxes_but_never_in_them() -> None:
    shown = legal("classic", MISSING_ONE, "44444", columns=3, triple_bonus_when="any_50")
    assert shown == {"full_house": (0, 100), "five_kind/2": (50, 0)}


# The publisher's rules: worked cases of RULES 6b


@pytest.mark.parametrize("held", [50, 0])
def test_schmidt_number_free(held: int) -> None:
    card = [full_but("ones", "fours", "full_house", "chance", five_kind=held)]
    assert legal("kniffel-schmidt", card, "44444") == {"fours": (20, 50)}


@pytest.mark.parametrize("held", [50, 0])
def test_schmidt_number_filled(held: int) -> None:
    shown = legal("kniffel-schmidt", [full_but("ones", *HOUSES, "chance", five_kind=held)], "44444")
    expected = {"full_house": 25, "small_straight": 30, "large_straight": 40, "chance": 20}
    assert shown == {box: (points, 0) for box, points in expected.items()}


def test_schmidt_box_open() -> None:
    shown = legal("kniffel-schmidt", [full_but("ones", "fours", "full_house", "five_kind")], "44444")
    assert shown == {"ones": (0, 0), "fours": (20, 0), "full_house": (0, 0), "five_kind": (50, 0)}


def test_schmidt_lower_section_full() -> None:
    assert legal("kniffel-schmidt", [full_but("ones", "sixes", five_kind=50)], "44444") == {
        "ones": (0, 0),
        "sixes": (0, 0),
    }
