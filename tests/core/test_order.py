"""Fixed order: every value of `order` and `order_scope`, and its meeting with joker and Triple (RULES 3)."""

from hashlib import sha256
from itertools import product
from random import Random
from typing import Any

import pytest

import knobel
from knobel import Enter, RulesetError, State, Throw, sheet
from knobel.turn import Turn
from tests.core.playing import random_faces
from tests.core.reference import BOXES, OPTIONS, UPPER

CLASSIC = BOXES["classic"]
LOWER = CLASSIC[6:]
ORDERED = [ruleset for ruleset, options in OPTIONS.items() if "order" in options]


def dictated(ruleset: str, pick: int = 0, **options: Any) -> list[str]:
    """The boxes of a whole game in the order in which they were entered; `pick` chooses where there is a choice."""
    state = knobel.start(knobel.load(ruleset, **options))
    rng, boxes = Random(3), []
    while state.turn is not None:
        state = knobel.apply(state, Throw(), random_faces(rng, (), state.ruleset.dice))
        legal = [action for action in knobel.legal_actions(state) if isinstance(action, Enter)]
        assert len(legal) == 1 or options.get("order_scope") == "per_column"
        action = legal[min(pick, len(legal) - 1)]
        boxes.append(str(action.box))
        state = knobel.apply(state, action)
    return boxes


def by_hash(boxes: tuple[str, ...], seed: int) -> list[str]:
    return sorted(boxes, key=lambda box: sha256(f"{seed}:{box}".encode()).digest())


def in_column(boxes: Any, column: int) -> list[str]:
    return [box if column == 1 else f"{box}/{column}" for box in boxes]


@pytest.mark.parametrize("ruleset", ORDERED)
def test_each_order_dictates_its_boxes(ruleset: str) -> None:
    boxes = BOXES[ruleset]
    assert dictated(ruleset, order="down") == list(boxes)
    assert dictated(ruleset, order="up") == list(reversed(boxes))
    assert dictated(ruleset, order="lower_first") == [*boxes[6:], *UPPER]
    assert dictated(ruleset, order="random") == by_hash(boxes, 0)
    assert dictated(ruleset, order="random", order_seed=2026) == by_hash(boxes, 2026)
    mixed = [*boxes[::2], *boxes[1::2]]
    assert dictated(ruleset, order=mixed) == mixed


def test_a_random_order_is_the_same_for_ever() -> None:
    # made with sha256sum once: a change of the recipe would change what old seeds mean
    order = knobel.load("classic", order="random", order_seed=1).order
    assert order == (
        "twos", "threes", "four_kind", "five_kind", "small_straight", "sixes", "ones", "full_house", "fours", "chance",
        "three_kind", "large_straight", "fives",
    )  # fmt: skip


def test_a_random_order_is_the_same_for_all_players() -> None:
    state = knobel.start(knobel.load("classic", order="random", order_seed=9), players=3)
    entered: list[list[str]] = [[], [], []]
    while state.turn is not None:
        seat = state.turn.seat
        state = knobel.apply(state, Throw(), (1, 2, 3, 4, 6))
        action = next(action for action in knobel.legal_actions(state) if isinstance(action, Enter))
        entered[seat].append(str(action.box))
        state = knobel.apply(state, action)
    assert entered[0] == entered[1] == entered[2] == by_hash(CLASSIC, 9)


@pytest.mark.parametrize("ruleset", ["classic", "yatzy", "six-dice"])
def test_triple_column_by_column(ruleset: str) -> None:
    boxes = BOXES[ruleset]
    expected = [box for column in (1, 2, 3) for box in in_column(boxes, column)]
    assert dictated(ruleset, order="down", columns=3) == expected
    assert dictated(ruleset, order="down", columns=3, order_scope="column_major") == expected
    upwards = [box for column in (1, 2, 3) for box in in_column(reversed(boxes), column)]
    assert dictated(ruleset, order="up", columns=3) == upwards


@pytest.mark.parametrize("ruleset", ["classic", "yatzy", "six-dice"])
def test_triple_row_by_row(ruleset: str) -> None:
    boxes = BOXES[ruleset]
    expected = [in_column([box], column)[0] for box in boxes for column in (1, 2, 3)]
    assert dictated(ruleset, order="down", columns=3, order_scope="row_major") == expected


@pytest.mark.parametrize("ruleset", ["classic", "yatzy", "six-dice"])
def test_triple_the_player_picks_the_column(ruleset: str) -> None:
    boxes, options = BOXES[ruleset], {"order": "down", "columns": 3, "order_scope": "per_column"}
    forwards = [box for column in (1, 2, 3) for box in in_column(boxes, column)]
    backwards = [box for column in (3, 2, 1) for box in in_column(boxes, column)]
    assert dictated(ruleset, pick=0, **options) == forwards
    assert dictated(ruleset, pick=2, **options) == backwards
    assert sorted(dictated(ruleset, pick=1, **options)) == sorted(forwards)


def test_triple_per_column_offers_the_next_box_of_each_column() -> None:
    rules = knobel.load("classic", order="up", columns=3, order_scope="per_column")
    card = [{"chance": 20}, dict.fromkeys(CLASSIC, 1), {"chance": 1, "five_kind": 50}]
    assert entries(rules, card, "12345") == {"five_kind": (0, 0), "large_straight/3": (40, 0)}


def entries(rules: knobel.Ruleset, card: list[dict[str, int]], faces: str) -> dict[str, tuple[int, int]]:
    """By box the points and bonus of each legal entry."""
    roll = tuple(sorted(map(int, faces)))
    state = State(rules, (sheet.sheet_from_card(rules, card),), Turn(0, 1, roll))
    boxes = [box for column in knobel.view(state, 0)["sheets"][0]["columns"] for box in column["boxes"]]
    shown = {box["box"]: box["potential"] for box in boxes if box["potential"] and box["potential"]["legal"]}
    assert [action for action in knobel.view(state, 0)["actions"] if action.startswith("enter")] == [
        f"enter {box}" for box in shown
    ]
    return {box: (potential["points"], potential["bonus"]) for box, potential in shown.items()}


def upto(n_filled: int, **given: int) -> dict[str, int]:
    return dict.fromkeys(CLASSIC[:n_filled], 1) | given


@pytest.mark.parametrize("joker", ["none", "forced", "free"])
@pytest.mark.parametrize(
    ("card", "faces", "box", "points", "bonus"),
    [  # the worked line of RULES 3
        ({}, "11166", "ones", 3, 0),
        ({}, "23456", "ones", 0, 0),
        (upto(6), "55543", "three_kind", 22, 0),
        (upto(8), "22222", "full_house", 0, 0),
        (upto(11), "44444", "five_kind", 50, 0),
        (upto(12, five_kind=50), "33333", "chance", 15, 100),
        (upto(12, five_kind=0), "33333", "chance", 15, 0),
    ],
)
def test_worked_turns_downwards(
    joker: str, card: dict[str, int], faces: str, box: str, points: int, bonus: int
) -> None:
    rules = knobel.load("classic", joker=joker, order="down")
    assert entries(rules, [card], faces) == {box: (points, bonus)}


@pytest.mark.parametrize(("columns", "scope"), [(1, None), (3, "column_major"), (3, "per_column"), (3, "row_major")])
def test_downwards_the_three_jokers_give_identical_games(columns: int, scope: str | None) -> None:
    options: dict[str, Any] = {"order": "down", "columns": columns} | ({"order_scope": scope} if scope else {})
    for seed in range(6 if columns == 1 else 2):
        games = []
        for joker in ("none", "forced", "free"):
            rng, state = Random(seed), knobel.start(knobel.load("classic", joker=joker, **options))
            steps = []
            while state.turn is not None:
                faces = (rng.randint(1, 6),) * 5 if rng.random() < 0.7 else random_faces(rng, (), 5)
                state = knobel.apply(state, Throw(), faces)
                shown = entries_of(state)
                box = rng.choice(sorted(shown))
                state = knobel.apply(state, knobel.parse_action(f"enter {box}"))
                steps.append((faces, shown, box, state.sheets))
            tokens = [column["tokens"] for column in knobel.view(state)["sheets"][0]["columns"]]
            assert max(tokens) <= 1, "downwards only chance can follow the five of a kind"
            if scope == "column_major":
                assert tokens[:2] == [0, 0]  # all three boxes hold 50 only before the last chance
            games.append(steps)
        assert games[0] == games[1] == games[2]


def entries_of(state: State) -> dict[str, tuple[int, int]]:
    boxes = [box for column in knobel.view(state, 0)["sheets"][0]["columns"] for box in column["boxes"]]
    shown = {box["box"]: box["potential"] for box in boxes if box["potential"] and box["potential"]["legal"]}
    return {box: (potential["points"], potential["bonus"]) for box, potential in shown.items()}


@pytest.mark.parametrize(
    ("joker", "filled_number", "points"),
    [
        (joker, filled, 25 if joker != "none" and filled else 0)
        for joker, filled in product(("none", "forced", "free"), (True, False))
    ],
)
@pytest.mark.parametrize(("held", "bonus"), [(50, 100), (0, 0)])
def test_joker_values_in_order_need_the_number(
    joker: str, filled_number: bool, points: int, held: int, bonus: int
) -> None:
    """Box of the five first, full house next: a forced joker never overrides the order."""
    before = ["five_kind", "fours"] if filled_number else ["five_kind", "threes"]
    order = [*before, "full_house", *(box for box in CLASSIC if box not in (*before, "full_house"))]
    rules = knobel.load("classic", joker=joker, order=tuple(order))
    assert entries(rules, [{before[0]: held, before[1]: 0}], "44444") == {"full_house": (points, bonus)}


def test_joker_in_order_and_triple_needs_all_boxes_and_all_numbers() -> None:
    order = [
        "five_kind",
        "fours",
        "large_straight",
        *(b for b in CLASSIC if b not in ("five_kind", "fours", "large_straight")),
    ]
    rules = knobel.load("classic", joker="forced", order=tuple(order), columns=3, order_scope="per_column")
    fives, both = {"five_kind": 50}, {"five_kind": 50, "fours": 0}
    assert entries(rules, [both, both, {}], "44444") == {
        "large_straight": (0, 0), "large_straight/2": (0, 0), "five_kind/3": (50, 0),
    }  # fmt: skip
    assert entries(rules, [both, both, fives], "44444") == {
        "large_straight": (0, 100), "large_straight/2": (0, 200), "fours/3": (20, 300),
    }  # fmt: skip
    assert entries(rules, [both, both, both], "44444") == {
        "large_straight": (40, 100), "large_straight/2": (40, 200), "large_straight/3": (40, 300),
    }  # fmt: skip
    assert entries(rules, [both, both, {"five_kind": 0, "fours": 8}], "44444") == {
        "large_straight": (40, 0), "large_straight/2": (40, 0), "large_straight/3": (40, 0),
    }  # fmt: skip
    row_by_row = knobel.load("classic", joker="forced", order=tuple(order), columns=3, order_scope="row_major")
    assert entries(row_by_row, [both, both, fives], "44444") == {"fours/3": (20, 300)}
    assert entries(row_by_row, [both, both, both], "44444") == {"large_straight": (40, 100)}


def test_the_publishers_bonus_in_order() -> None:
    rules = knobel.load("kniffel-schmidt", order="up")
    lower = dict.fromkeys(LOWER, 0)
    assert entries(rules, [lower], "66666") == {"sixes": (30, 50)}
    assert entries(rules, [lower], "55555") == {"sixes": (0, 0)}
    assert entries(rules, [{"chance": 9}], "55555") == {"five_kind": (50, 0)}
    assert entries(rules, [{"chance": 9, "five_kind": 0}], "55555") == {"large_straight": (0, 0)}


@pytest.mark.parametrize(
    "order",
    [
        CLASSIC[1:],
        (*CLASSIC, "ones"),
        (*CLASSIC[1:], "twos"),
        (*CLASSIC[1:], "yatzy"),
        ("ones",),
        ("free",),
        "sideways",
    ],
)
def test_an_order_names_every_box_once(order: Any) -> None:
    with pytest.raises(RulesetError) as caught:
        knobel.load("classic", order=tuple(order))
    assert caught.value.key.endswith("order")
