"""Faults that other programs of this family had, as far as they concern the rules core.

`HERE` and `ELSEWHERE` at the end map every case of data/bug_cases.json to its test or to the area that tests it.
"""

import hashlib
import hmac
import json
from collections.abc import Callable, Mapping
from itertools import count, islice, permutations
from random import Random
from typing import Any

import pytest

import knobel
from knobel import Box, Enter, IllegalAction, KnobelError, Record, State, Throw, fair, sheet
from knobel.game import throws_left
from knobel.record import Event
from knobel.statistic import counted, judged
from knobel.turn import Turn
from tests.core.data import BUGS
from tests.core.playing import CheckedGame

Card = Mapping[str, int]
UPPER = ("ones", "twos", "threes", "fours", "fives", "sixes")
LOWER = ("three_kind", "four_kind", "full_house", "small_straight", "large_straight", "five_kind", "chance")


def points(ruleset: str, faces: str, **options: Any) -> dict[str, int]:
    return knobel.points(knobel.load(ruleset, **options), tuple(map(int, faces)))


def after_throw(ruleset: str, card: Card, faces: str, throws: int = 1, **options: Any) -> State:
    """One player with this card and these dice on the table."""
    rules = knobel.load(ruleset, **options)
    return State(rules, (sheet.sheet_from_card(rules, [card]),), Turn(0, throws, tuple(sorted(map(int, faces)))))


def potentials(state: State) -> dict[str, dict[str, Any]]:
    """What the view of the acting seat promises for each free box."""
    assert state.turn is not None
    columns = knobel.view(state, state.turn.seat)["sheets"][state.turn.seat]["columns"]
    return {box["box"]: box["potential"] for column in columns for box in column["boxes"] if box["potential"]}


def legal_boxes(state: State) -> list[str]:
    return [str(action.box) for action in knobel.legal_actions(state) if isinstance(action, Enter)]


def enter(state: State, box: str) -> State:
    return knobel.apply(state, Enter(Box(box)))


def total(state: State) -> int:
    return int(knobel.view(state)["sheets"][0]["total"])


# Value of a box


def test_b001_a_doubled_number_does_not_spoil_a_small_straight() -> None:
    assert points("classic", "12334")["small_straight"] == 30


def test_b002_two_neighbours_are_no_small_straight() -> None:
    assert points("classic", "34466")["small_straight"] == 0


def test_b003_three_in_a_row_and_an_outlier_are_no_small_straight() -> None:
    assert points("classic", "33426")["small_straight"] == 0


def test_b006_a_broken_row_is_no_large_straight() -> None:
    assert points("classic", "13456")["large_straight"] == 0
    assert points("classic", "13456")["small_straight"] == 30
    assert points("acht-mann", "13456")["pothole_straight"] == 35


def test_b007_straights_differ_from_pad_to_pad() -> None:
    classic, yatzy = points("classic", "12345"), points("yatzy", "12345")
    assert (classic["small_straight"], classic["large_straight"]) == (30, 40)
    assert (yatzy["small_straight"], yatzy["large_straight"]) == (15, 0)


def test_b008_the_order_of_the_dice_does_not_matter() -> None:
    rules = knobel.load("classic")
    start = knobel.start(rules)
    for faces in permutations((5, 3, 4, 2, 1)):
        assert knobel.points(rules, faces)["large_straight"] == 40
        after = enter(knobel.apply(start, Throw(), faces), "large_straight")
        assert total(after) == 40


def test_b009_four_and_one_are_no_full_house() -> None:
    assert points("classic", "44644")["full_house"] == 0


def test_b011_three_of_a_kind_counts_what_the_pad_counts() -> None:
    assert points("classic", "44421")["three_kind"] == 15
    assert points("yatzy", "44421")["three_kind"] == 12


def test_b013_what_is_shown_is_what_is_entered() -> None:
    state = after_throw("classic", {}, "23456")
    promised = potentials(state)["large_straight"]
    assert promised["points"] == 40
    assert promised["why"][0]["params"] == {"points": 40}
    assert total(enter(state, "large_straight")) == 40


@pytest.mark.parametrize("ruleset", knobel.builtin_ids())
def test_b013_every_promise_is_kept(ruleset: str) -> None:
    game = CheckedGame(ruleset, {}, players=2)
    rng = Random(13)
    for _ in range(12):
        game.play_turn(rng)
        seat, before = game.seat, game.state
        thrown = knobel.apply(before, Throw(), (5,) * game.rules.dice)
        for box, promised in potentials(thrown).items():
            if promised["legal"]:
                after = knobel.apply(thrown, knobel.parse_action(f"enter {box}"))
                gained = knobel.result(after).totals[seat] - knobel.result(before).totals[seat]
                assert gained >= promised["points"] + promised["bonus"]  # more where the upper bonus is reached
                index = game.rules.box_index[game.rules.boxes[[str(b) for b in game.rules.boxes].index(box)]]
                assert after.sheets[seat].entries[index] == promised["points"]


def test_b014_five_alike_give_no_extra_turn() -> None:
    state = knobel.apply(knobel.start(knobel.load("classic"), players=2), Throw(), (3,) * 5)
    after = enter(state, "five_kind")
    assert total(after) == 50
    assert after.turn == Turn(1)


def test_b017_the_player_chooses_the_box() -> None:
    state = after_throw("classic", {}, "33333")
    assert "threes" in legal_boxes(state)
    assert total(enter(state, "threes")) == 15


def test_b020_three_alike_hold_a_pair() -> None:
    assert points("yatzy", "33355")["two_pairs"] == 16


def test_b021_four_alike_are_two_pairs_by_option_only() -> None:
    assert points("yatzy", "44442")["two_pairs"] == 0
    assert points("yatzy", "44442", four_equal_two_pairs=True)["two_pairs"] == 16
    assert points("six-dice", "444422")["two_pairs"] == 12
    assert points("six-dice", "444412")["two_pairs"] == 0


def test_b023_the_best_choice_of_six_dice_counts() -> None:
    row = points("six-dice", "344666")
    assert (row["full_house"], row["two_pairs"], row["one_pair"]) == (26, 20, 12)


def test_b025_six_alike_are_no_castle_tower_or_pairs() -> None:
    row = points("six-dice", "555555")
    boxes = ("castle", "tower", "three_pairs", "full_house", "five_kind", "six_kind")
    assert tuple(row[box] for box in boxes) == (0, 0, 0, 0, 25, 100)


# Upper bonus, sums, balance


def test_b029_the_bonus_counts_as_soon_as_it_is_sure() -> None:
    state = after_throw("classic", {"sixes": 30, "fives": 20, "fours": 12}, "13325")
    column = knobel.view(enter(state, "ones"))["sheets"][0]["columns"][0]
    assert (column["upper"], column["bonus"], column["bonus_state"]) == (63, 35, "reached")
    assert column["total"] == 98


def test_b030_the_bonus_stays_open_until_it_is_out_of_reach() -> None:
    state = after_throw("classic", {"ones": 3}, "22211")
    for box, faces in (("twos", "22211"), ("threes", "33311"), ("fours", "44411"), ("fives", "55511")):
        state = enter(State(state.ruleset, state.sheets, Turn(0, 1, tuple(sorted(map(int, faces))))), box)
        column = knobel.view(state)["sheets"][0]["columns"][0]
        assert (column["bonus"], column["bonus_state"]) == (0, "open")
    state = enter(State(state.ruleset, state.sheets, Turn(0, 1, (1, 1, 6, 6, 6))), "sixes")
    column = knobel.view(state)["sheets"][0]["columns"][0]
    assert (column["upper"], column["bonus"]) == (63, 35)


def test_b031_the_entry_that_reaches_the_limit_pays() -> None:
    state = after_throw("six-dice", {"twos": 8, "threes": 12, "fours": 16, "fives": 20, "sixes": 24}, "111156")
    assert total(state) == 80
    assert total(enter(state, "ones")) == 84 + 100


@pytest.mark.parametrize(
    ("ruleset", "threshold", "bonus"),
    [
        ("classic", 63, 35),
        ("kniffel-2003", 63, 35),
        ("kniffel-schmidt", 63, 35),
        ("yatzy", 63, 50),
        ("six-dice", 84, 100),
    ],
)
def test_b032_the_bonus_is_that_of_the_pad(ruleset: str, threshold: int, bonus: int) -> None:
    rules = knobel.load(ruleset)
    for upper, expected in ((threshold - 1, 0), (threshold, bonus), (threshold + 1, bonus)):
        card = sheet.sheet_from_card(rules, [{"sixes": upper}])
        assert sheet.tally(rules, card).total == upper + expected


def test_b036_the_balance_takes_filled_boxes_only() -> None:
    state = after_throw("classic", {"threes": 6, "sixes": 24}, "11111")
    column = knobel.view(state)["sheets"][0]["columns"][0]
    assert (column["balance"], column["bonus"], column["total"]) == (3, 0, 30)


# Joker and further fives of a kind


def test_b037_a_struck_box_gives_a_joker_but_no_bonus() -> None:
    promised = potentials(after_throw("classic", {"five_kind": 0, "ones": 5}, "11111", joker="forced"))
    for box, value in (("full_house", 25), ("small_straight", 30), ("large_straight", 40)):
        assert (promised[box]["points"], promised[box]["bonus"], promised[box]["legal"]) == (value, 0, True)


def test_b038_the_forced_joker_goes_to_its_number_first() -> None:
    state = after_throw("classic", {"five_kind": 0}, "11111", joker="forced")
    assert legal_boxes(state) == ["ones"]
    assert potentials(state)["ones"]["points"] == 5


def test_b039_the_forced_joker_never_ends_in_a_dead_end() -> None:
    card = {"five_kind": 50, "ones": 3, **{box: 0 for box in LOWER if box != "five_kind"}}
    state = after_throw("classic", card, "11111", joker="forced")
    assert legal_boxes(state) == list(UPPER[1:])
    card |= dict.fromkeys(("twos", "threes", "fives", "sixes"), 1)
    state = after_throw("classic", card, "11111", joker="forced")
    assert legal_boxes(state) == ["fours"]
    promised = potentials(state)["fours"]
    assert (promised["points"], promised["bonus"]) == (0, 100)
    assert total(enter(state, "fours")) - total(state) == 100


def test_b040_no_joker_while_the_box_is_open() -> None:
    promised = potentials(after_throw("classic", {"fours": 12}, "44444", joker="forced"))
    assert (promised["full_house"]["points"], promised["five_kind"]["points"]) == (0, 50)


@pytest.mark.parametrize(("joker", "value"), [("none", 0), ("forced", 30), ("free", 30)])
def test_b042_joker_values_only_with_a_joker_rule(joker: str, value: int) -> None:
    state = after_throw("classic", {"five_kind": 50, "sixes": 18}, "66666", joker=joker)
    assert potentials(state)["small_straight"]["points"] == value


def test_b044_no_bonus_without_50_in_the_box() -> None:
    for card in ({"five_kind": 0}, {}):
        state = after_throw("classic", card, "66666")
        assert potentials(state)["sixes"] | {"why": None} == {"points": 30, "bonus": 0, "legal": True, "why": None}
        assert total(enter(state, "sixes")) == 30


def test_b047_a_box_is_filled_once() -> None:
    state = after_throw("classic", {"five_kind": 50}, "22222")
    with pytest.raises(IllegalAction) as caught:
        enter(state, "five_kind")
    assert caught.value.reason.key == "box-filled"
    assert "enter five_kind" not in caught.value.legal
    assert total(enter(state, "twos")) == 50 + 10 + 100


# The turn


def test_b052_dice_that_were_not_thrown_do_not_score() -> None:
    state = knobel.start(knobel.load("classic"))
    assert state.turn is not None
    assert state.turn.roll is None
    assert not potentials(state)
    with pytest.raises(IllegalAction):
        enter(state, "five_kind")


def test_b054_promises_belong_to_the_present_dice() -> None:
    state = after_throw("classic", {}, "66661")
    assert potentials(state)["four_kind"]["points"] == 25
    state = knobel.apply(state, Throw(), (1, 2, 3, 4, 5))
    assert potentials(state)["four_kind"]["points"] == 0
    assert potentials(state)["large_straight"]["points"] == 40


def test_b055_a_turn_begins_with_all_dice() -> None:
    state = knobel.apply(knobel.start(knobel.load("classic"), players=2), Throw(), (1, 2, 3, 4, 5))
    state = enter(knobel.apply(state, Throw((4, 5)), (4, 5, 1, 1, 1)), "chance")
    assert knobel.legal_actions(state) == (Throw(),)
    with pytest.raises(IllegalAction) as caught:
        knobel.apply(state, Throw((4, 5)), (4, 5, 1, 1, 1))
    assert caught.value.reason.key == "first-throw-keeps-nothing"


def test_b056_a_finished_game_has_no_turn() -> None:
    card = dict.fromkeys((*UPPER, *LOWER[:-1]), 1)
    state = enter(after_throw("classic", card, "12345"), "chance")
    assert knobel.is_over(state)
    shown = knobel.view(state, 0)
    assert shown["turn"] is None
    assert (shown["actions"], throws_left(state)) == ((), 0)
    with pytest.raises(IllegalAction) as caught:
        knobel.apply(state, Throw(), (1, 2, 3, 4, 5))
    assert caught.value.reason.key == "game-over"


def test_b060_no_joker_before_the_first_throw() -> None:
    state = after_throw("classic", {"five_kind": 50}, "55555", joker="free")
    assert potentials(state)["ones"]["bonus"] == 100
    state = enter(state, "fives")
    assert not potentials(state)
    assert "joker" not in json.dumps(knobel.view(state, 0))


def test_b062_a_throw_of_no_dice_is_refused() -> None:
    state = after_throw("classic", {}, "11256")
    before = knobel.view(state, 0)
    with pytest.raises(IllegalAction) as caught:
        knobel.apply(state, Throw((1, 1, 2, 5, 6)), (1, 1, 2, 5, 6))
    assert caught.value.reason.key == "throw-nothing"
    assert knobel.view(state, 0) == before


def test_b063_equal_dice_are_kept_one_by_one() -> None:
    start = knobel.start(knobel.load("classic"))
    state = knobel.apply(start, Throw(), (4, 4, 4, 2, 1))
    state = knobel.apply(state, Throw((2, 4, 4)), (4, 6, 4, 2, 5))
    assert state.turn == Turn(0, 2, (2, 4, 4, 5, 6), (2, 4, 4))
    events = (Event(0, Throw(), (4, 4, 4, 2, 1)), Event(0, Throw((2, 4, 4)), (4, 6, 4, 2, 5)))
    record = Record(start.ruleset, ("A",), 0, events)
    text = record.format()
    assert "0 keep 244 -> 46425" in text.splitlines()
    assert Record.parse(text).events[1].faces == (4, 6, 4, 2, 5)


def test_b065_equal_faces_are_one_number() -> None:
    state = after_throw("classic", {}, "22345")
    assert Throw((2, 3, 4, 5)) in knobel.legal_actions(state)
    assert knobel.legal_actions(state).count(Throw((2, 3, 4, 5))) == 1
    assert points("classic", "22345")["small_straight"] == 30
    outcomes = dict(knobel.chance_outcomes(state, Throw((2, 3, 4, 5))))
    hits = sum(chance for roll, chance in outcomes.items() if roll in ((1, 2, 3, 4, 5), (2, 3, 4, 5, 6)))
    assert hits * 3 == 1


def test_b067_no_throw_is_offered_that_nobody_saved() -> None:
    state = knobel.start(knobel.load("six-dice"))
    for _ in range(3):
        state = knobel.apply(state, Throw(), (1, 2, 3, 4, 5, 6))
    assert throws_left(state) == 0
    assert not any(isinstance(action, Throw) for action in knobel.legal_actions(state))
    shown = knobel.view(state, 0)
    assert (shown["turn"]["throws_left"], shown["turn"]["duty"]["key"]) == (0, "duty-enter")
    assert all(action.startswith("enter ") for action in shown["actions"])


@pytest.mark.parametrize("players", [1, 2, 3, 5])
def test_b077_turns_go_round_the_table(players: int) -> None:
    for first in range(players):
        state = knobel.start(knobel.load("classic"), players, first)
        for number in range(3 * players):
            assert state.turn == Turn((first + number) % players)
            state = knobel.apply(state, Throw(), (1, 2, 3, 4, 6))
            state = enter(state, UPPER[number // players])


def test_b083_a_tie_is_shared_by_seat() -> None:
    rules = knobel.load("classic")
    card = sheet.sheet_from_card(rules, [{"chance": 20, "sixes": 24}])
    state = State(rules, (card, card), None)
    assert knobel.result(state) == knobel.Result((44, 44), (1, 1))
    record = Record(rules, ("Alex", "Alex"))
    assert Record.parse(record.format()).seats == ("Alex", "Alex")


def test_b087_the_seats_stay_the_same() -> None:
    state = knobel.start(knobel.load("classic"), players=2)
    for _ in range(3):
        state = knobel.apply(state, Throw(), (1, 2, 3, 4, 6))
        assert len(state.sheets) == len(knobel.view(state)["sheets"]) == 2


def test_b089_a_stored_game_keeps_its_options() -> None:
    game = CheckedGame("classic", {"joker": "free", "order": "up"}, players=2)
    rng = Random(89)
    for _ in range(9):
        game.play_turn(rng)
    game.throw((), (6,) * 5)
    restored = Record.parse(game.record.format())
    state = list(restored.replay())[-1]
    assert state == game.state
    assert potentials(state) == potentials(game.state)
    assert knobel.legal_actions(state) == knobel.legal_actions(game.state)
    assert dict(restored.ruleset.options) == {"joker": "free", "order": "up"}


# Ties, results, display


def test_b100_the_winner_is_a_seat() -> None:
    rules = knobel.load("classic", upper_bonus=0)
    cards = [sheet.sheet_from_card(rules, [{"chance": points}]) for points in (150, 310)]
    assert knobel.result(State(rules, tuple(cards), None)) == knobel.Result((150, 310), (2, 1))


def test_b103_an_entry_shows_on_the_pad_of_its_player_only() -> None:
    state = knobel.start(knobel.load("classic"), players=6, first=3)
    before = knobel.view(state)["sheets"]
    after = knobel.view(enter(knobel.apply(state, Throw(), (1, 2, 3, 4, 6)), "chance"))["sheets"]
    boxes = [[[column["boxes"] for column in pad["columns"]] for pad in pads] for pads in (before, after)]
    assert [seat for seat in range(6) if boxes[1][seat] != boxes[0][seat]] == [3]
    assert after[3]["columns"][0]["boxes"][-1]["points"] == 16


@pytest.mark.parametrize("text", ["", " ", "0", "14", "enter", "enter ", "ones", "keep", "keep ", "x" * 10**6])
def test_b114_a_text_that_is_no_action_is_none(text: str) -> None:
    with pytest.raises(KnobelError) as caught:
        knobel.parse_action(text)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    "text", ["enter  ones", "enter Ones", "enter one", "enter ones/2", "enter Einser", "enter ones "]
)
def test_b114_a_box_is_named_exactly(text: str) -> None:
    with pytest.raises(IllegalAction):
        knobel.apply(after_throw("classic", {}, "11256"), knobel.parse_action(text))


def test_b119_bytes_make_dice_without_bias() -> None:
    """6 x 2^16 dice; a byte modulo 6 without throwing away those from 252 on would be found out at once."""
    n_dice, table, events = 6 * 2**16, "b119", count(1)
    shares = [hashlib.sha256(b"share").hexdigest()]
    dice: list[int] = []
    all_bytes: list[int] = []
    while len(dice) < n_dice:
        event = next(events)
        block = hmac.digest(bytes(32), f"{table}|{shares[0]}|{event}|0".encode(), "sha256")
        kept = [byte for byte in block if byte < 252]
        assert list(islice(fair.faces(bytes(32), table, shares, event), len(kept))) == [byte % 6 + 1 for byte in kept]
        dice += [byte % 6 + 1 for byte in kept]
        all_bytes += block
    assert max(all_bytes) == 255
    honest, biased = judged(counted([dice[:n_dice]])), judged(counted([[byte % 6 + 1 for byte in all_bytes]]))
    assert [each.test for each in honest.findings if (each.p or 0) < 1e-4] == []
    assert [each.test for each in biased.findings if (each.p or 0) < 1e-4] == ["faces"]


HERE: dict[str, tuple[Callable[..., None], ...]] = {
    "B001": (test_b001_a_doubled_number_does_not_spoil_a_small_straight,),
    "B002": (test_b002_two_neighbours_are_no_small_straight,),
    "B003": (test_b003_three_in_a_row_and_an_outlier_are_no_small_straight,),
    "B006": (test_b006_a_broken_row_is_no_large_straight,),
    "B007": (test_b007_straights_differ_from_pad_to_pad,),
    "B008": (test_b008_the_order_of_the_dice_does_not_matter,),
    "B009": (test_b009_four_and_one_are_no_full_house,),
    "B011": (test_b011_three_of_a_kind_counts_what_the_pad_counts,),
    "B013": (test_b013_what_is_shown_is_what_is_entered, test_b013_every_promise_is_kept),
    "B014": (test_b014_five_alike_give_no_extra_turn,),
    "B017": (test_b017_the_player_chooses_the_box,),
    "B020": (test_b020_three_alike_hold_a_pair,),
    "B021": (test_b021_four_alike_are_two_pairs_by_option_only,),
    "B023": (test_b023_the_best_choice_of_six_dice_counts,),
    "B025": (test_b025_six_alike_are_no_castle_tower_or_pairs,),
    "B029": (test_b029_the_bonus_counts_as_soon_as_it_is_sure,),
    "B030": (test_b030_the_bonus_stays_open_until_it_is_out_of_reach,),
    "B031": (test_b031_the_entry_that_reaches_the_limit_pays,),
    "B032": (test_b032_the_bonus_is_that_of_the_pad,),
    "B036": (test_b036_the_balance_takes_filled_boxes_only,),
    "B037": (test_b037_a_struck_box_gives_a_joker_but_no_bonus,),
    "B038": (test_b038_the_forced_joker_goes_to_its_number_first,),
    "B039": (test_b039_the_forced_joker_never_ends_in_a_dead_end,),
    "B040": (test_b040_no_joker_while_the_box_is_open,),
    "B042": (test_b042_joker_values_only_with_a_joker_rule,),
    "B044": (test_b044_no_bonus_without_50_in_the_box,),
    "B047": (test_b047_a_box_is_filled_once,),
    "B052": (test_b052_dice_that_were_not_thrown_do_not_score,),
    "B054": (test_b054_promises_belong_to_the_present_dice,),
    "B055": (test_b055_a_turn_begins_with_all_dice,),
    "B056": (test_b056_a_finished_game_has_no_turn,),
    "B060": (test_b060_no_joker_before_the_first_throw,),
    "B062": (test_b062_a_throw_of_no_dice_is_refused,),
    "B063": (test_b063_equal_dice_are_kept_one_by_one,),
    "B065": (test_b065_equal_faces_are_one_number,),
    "B067": (test_b067_no_throw_is_offered_that_nobody_saved,),
    "B077": (test_b077_turns_go_round_the_table,),
    "B083": (test_b083_a_tie_is_shared_by_seat,),
    "B087": (test_b087_the_seats_stay_the_same,),
    "B089": (test_b089_a_stored_game_keeps_its_options,),
    "B100": (test_b100_the_winner_is_a_seat,),
    "B103": (test_b103_an_entry_shows_on_the_pad_of_its_player_only,),
    "B114": (test_b114_a_text_that_is_no_action_is_none, test_b114_a_box_is_named_exactly),
    "B119": (test_b119_bytes_make_dice_without_bias,),
}
# What the core cannot test, by the area that does; a case may be here and above: the core's half and the rest.
ELSEWHERE = {
    "browser": ("B055", "B062", "B063", "B090", "B096", "B103", "B110", "B111", "B112"),
    "server": (
        *(
            "B026",
            "B027",
            "B077",
            "B078",
            "B079",
            "B080",
            "B084",
            "B087",
            "B089",
            "B091",
            "B092",
            "B097",
            "B100",
            "B117",
            "B120",
        ),
    ),
    "texts": ("B108",),
    "computer players": ("B065", "B069"),
    "later: undo and correcting": ("B049", "B051"),
    "solver": ("B072", "B073"),  # differential tests against the oracle; a table read again is the same to the bit
    "later: coach": ("B074", "B076"),
    "later: clock and daily game": ("B052", "B094"),
    "later: upgrade from a release": ("B101",),  # there is none yet
    "later: print and pad for real dice": ("B102", "B105"),
    "later: terminal": ("B114",),
}


def test_every_case_has_its_test_or_its_area() -> None:
    assert set(HERE) | {case for cases in ELSEWHERE.values() for case in cases} == set(BUGS)


def test_the_tests_are_those_of_their_cases() -> None:
    named = {name: test for name, test in globals().items() if name.startswith("test_b")}
    for case, tests in HERE.items():
        assert tests == tuple(test for name, test in named.items() if name.startswith(f"test_{case.lower()}_"))
