"""Acht, Mann! by hand: turns, tokens, earned throws, special rounds and the end (RULES 7.2 to 7.6, holes A1 to A35)."""

from dataclasses import replace
from typing import Any

import pytest

import knobel
from knobel import Box, IllegalAction, State, game, parse_action, sheet
from knobel.action import Choose
from knobel.turn import Turn

ROWS = tuple(row.id for row in knobel.load("acht-mann").categories)
UPPER, LAST = ROWS[:6], ROWS[-1]
Card = list[dict[str, int]]


def table(players: int = 2, first: int = 0, **options: Any) -> State:
    return knobel.start(knobel.load("acht-mann", **options), players, first)


def with_card(state: State, card: Card, seat: int = 0) -> State:
    """The same with this pad for one seat."""
    pad = sheet.sheet_from_card(state.ruleset, card)
    return replace(state, sheets=(*state.sheets[:seat], pad, *state.sheets[seat + 1 :]))


def card(*free: str, points: int = 1) -> Card:
    """All six columns with `points` in each box but these; `*/6` frees a column."""
    columns: Card = [dict.fromkeys(ROWS, points) for _ in range(6)]
    for text in free:
        name, _, number = text.partition("/")
        for row in ROWS if name == "*" else (name,):
            del columns[int(number or 1) - 1][row]
    return columns


def play(state: State, *moves: str) -> State:
    """Moves as texts, throws with the dice they bring: `keep 44 -> 44123`, short `12345` for a first throw."""
    for move in moves:
        action, arrow, dice = move.partition(" -> ")
        if move.isdigit():
            action, arrow, dice = "keep -", "->", move
        state = knobel.apply(state, parse_action(action), tuple(map(int, dice)) if arrow else None)
    return state


def legal(state: State, verb: str = "") -> list[str]:
    return [str(action) for action in knobel.legal_actions(state) if str(action).startswith(verb)]


def columns(state: State) -> set[int]:
    """Columns, from 1, in which something may be entered."""
    return {int(text.partition("/")[2] or 1) for text in legal(state, "enter")}


def turn(state: State) -> Turn:
    assert state.turn is not None
    return state.turn


def refused(state: State, move: str, key: str = "") -> None:
    action, arrow, dice = move.partition(" -> ")
    with pytest.raises(IllegalAction) as caught:
        knobel.apply(state, parse_action(action), tuple(map(int, dice)) if arrow else None)
    assert key in ("", caught.value.reason.key)


def value(state: State, box: str, seat: int = 0) -> int | None:
    parsed = parse_action(f"enter {box}")
    return state.sheets[seat].entries[state.ruleset.box_index[parsed.box]]  # type: ignore[union-attr]


def left(state: State, seat: int = 0) -> dict[str, int]:
    """Tokens that are left."""
    return dict(knobel.view(state, seat)["sheets"][seat]["left"])


# Turns and columns (7.2, A22, A23, A35)


def test_each_throw_loses_a_column() -> None:
    state = play(table(), "12346")
    for k in range(1, 6):
        assert columns(state) == set(range(k, 6))
        assert game.throws_left(state) == 5 - k
        if k < 5:
            state = play(state, "keep 1234 -> 12346")
    refused(state, "keep 1234 -> 12346", "no-throw-left")


def test_a_first_throw_may_go_to_a_back_column() -> None:
    state = play(table(), "23456", "enter large_straight/5")
    assert value(state, "large_straight/5") == 40
    assert turn(state).seat == 1


def test_a_strike_is_possible_after_any_throw_in_a_reached_column() -> None:
    state = play(table(), "12346", "keep 1234 -> 12346")
    assert value(play(state, "enter five_kind/2"), "five_kind/2") == 0
    assert value(play(state, "enter five_kind/5"), "five_kind/5") == 0
    refused(state, "enter five_kind", "box-not-allowed")
    refused(state, "enter five_kind/6", "box-not-allowed")


def test_no_throw_leads_where_nothing_is_free() -> None:
    state = play(with_card(table(), card("ones", "twos/2", "*/6")), "11234")
    assert columns(state) == {1, 2}
    state = play(state, "keep 11 -> 11256")
    assert columns(state) == {2}
    assert legal(state, "keep") == []
    refused(state, "keep 11 -> 11256", "no-throw-left")
    alone = play(with_card(table(), card("ones", "*/6")), "11234")
    assert game.throws_left(alone) == 0


def test_overthrown_a_free_box_of_any_column_must_be_struck() -> None:
    state = with_card(table(overthrow="strike_any"), card("ones", "twos/2", "*/6"))
    state = play(state, "11234", "keep 11 -> 11222")
    assert legal(state, "enter") == ["enter twos/2"]
    state = play(state, "keep 1122 -> 11222")
    assert legal(state, "enter") == ["enter ones", "enter twos/2"]
    assert value(play(state, "enter ones"), "ones") == 0
    shown = knobel.view(state, 0)["sheets"][0]["columns"][0]["boxes"][0]["potential"]
    assert (shown["points"], shown["legal"]) == (0, True)
    assert shown["why"][0]["key"] == "why-must-strike"


# SAMUEL (7.3, A15, A16)


def test_samuel_after_each_throw() -> None:
    for n in range(1, 6):
        state = play(table(), "12346", *["keep 1234 -> 12346"] * (n - 1), "spend samuel")
        assert turn(state) == Turn(0)
        assert legal(state) == ["keep -"]
        state = play(state, "23456")
        assert columns(state) == {1, 2, 3, 4, 5}
        refused(state, "spend samuel", "token-not-to-spend")
        assert left(state) == {"samuel": 0, "wunder": 1}
        assert left(state, seat=1) == {"samuel": 1, "wunder": 1}


def test_samuel_needs_a_throw_of_ones_own_turn() -> None:
    refused(table(), "spend samuel")
    refused(play(table(), "12346", "spend wunder"), "spend samuel", "helpers-first")
    refused(play(table(), "12346", "spend wunder", "11111"), "spend samuel", "choose-first")


def test_samuel_may_repeat_the_last_throw_only() -> None:
    state = play(table(samuel_mode="throw"), "12346", "keep 1234 -> 12344", "keep 44 -> 44123", "spend samuel")
    assert (turn(state).throws, turn(state).keep, turn(state).roll) == (2, (4, 4), None)
    assert legal(state) == ["keep 44"]
    refused(state, "keep - -> 11111", "throw-is-fixed")
    state = play(state, "keep 44 -> 44445")
    assert columns(state) == {3, 4, 5}
    first = play(table(samuel_mode="throw"), "12346", "spend samuel")
    assert legal(first) == ["keep -"]
    assert columns(play(first, "12346")) == {1, 2, 3, 4, 5}


def test_samuel_repeats_an_earned_throw_without_counting_it() -> None:
    state = with_card(table(samuel_mode="throw"), [{"three_kind": 21, "four_kind": 21}])
    state = play(state, "12346", "keep 12 -> 12446", "extra 44 -> 44123", "spend samuel", "keep 44 -> 44446")
    assert columns(state) == {2, 3, 4, 5}
    refused(state, "extra 4444 -> 44444", "no-extra-throw")


@pytest.mark.parametrize("mode", ["turn", "throw"])
def test_samuel_after_wuerfelwunder_and_what_is_used_stays_used(mode: str) -> None:
    state = with_card(table(samuel_mode=mode), [{"three_kind": 21, "four_kind": 21}])
    state = play(state, "12346", "keep 12 -> 12446", "extra 44 -> 44123", "spend wunder", "11115", "choose 11113")
    assert turn(state).is_final
    state = play(state, "spend samuel", "keep - -> 12346" if mode == "turn" else "keep 44 -> 44126")
    assert not turn(state).is_final
    assert left(state) == {"samuel": 0, "wunder": 0}
    assert legal(state, "spend") == legal(state, "extra") == []
    assert columns(state) == (set(range(1, 6)) if mode == "turn" else {2, 3, 4, 5})
    assert game.throws_left(state) == (4 if mode == "turn" else 3)


# Würfelwunder (7.3, A17 to A20)


def test_all_others_help_in_seat_order() -> None:
    state = play(table(players=4, first=2), "12346", "keep 1234 -> 12344", "spend wunder")
    for seat, dice in ((3, "11111"), (0, "22222"), (1, "66666")):
        assert (turn(state).seat, turn(state).owner) == (seat, 2)
        assert legal(state) == ["keep -"]
        refused(state, "keep 1 -> 11111", "first-throw-keeps-nothing")
        refused(state, "enter ones", "helpers-first")
        state = play(state, dice)
    assert (turn(state).seat, turn(state).pool) == (2, (1,) * 6 + (2,) * 6 + (3, 4, 4) + (6,) * 5)
    assert knobel.view(state, 2)["turn"]["pool"] == turn(state).pool
    assert knobel.view(state, 2)["turn"]["spendable"] == ()
    assert {"choose 11111", "choose 12346", "choose 44666"} <= set(legal(state)) == set(legal(state, "choose"))
    refused(state, "choose 33666", "choose-not-allowed")
    refused(state, "choose 6666", "choose-not-allowed")
    refused(state, "enter ones/2", "choose-first")
    refused(state, "keep - -> 11111", "choose-first")
    state = play(state, "choose 66666")
    assert (turn(state).roll, turn(state).throws) == ((6,) * 5, 2)
    assert columns(state) == {2, 3, 4, 5}  # the help is no throw of one's own
    assert legal(state, "keep") == legal(state, "extra") == []
    assert legal(state, "spend") == ["spend samuel"]
    state = play(state, "enter five_kind/2")
    assert value(state, "five_kind/2", seat=2) == 50
    assert turn(state) == Turn(3)
    assert left(state, 2) == {"samuel": 1, "wunder": 0}


def test_the_helpers_dice_alone() -> None:
    state = play(table(wunder_pool="helpers"), "66666", "spend wunder")
    assert turn(state).seat == 1
    assert legal(play(state, "11112")) == ["choose 11112"]


def test_once_only_and_never_alone() -> None:
    state = play(
        table(), "12346", "spend wunder", "11111", "choose 11111", "enter ones", "12346", "enter ones", "12346"
    )
    refused(state, "spend wunder", "token-not-to-spend")
    refused(play(table(players=1), "12346"), "spend wunder", "token-not-to-spend")
    phantoms = play(table(players=1, solo_helpers=2), "12346", "spend wunder", "55555")
    assert (turn(phantoms).seat, legal(phantoms)) == (0, ["keep -"])
    phantoms = play(phantoms, "66555")
    assert "choose 55566" in legal(phantoms)
    with pytest.raises(IllegalAction):  # however a caller sorts the dice, they lie sorted
        knobel.apply(phantoms, parse_action("choose 11111"))
    assert turn(knobel.apply(phantoms, Choose((6, 4, 3, 2, 1)))).roll == (1, 2, 3, 4, 6)


def test_help_does_not_cost_saved_throws() -> None:
    house = knobel.load(
        {"base": "yatzy", "saved_throws": True, "tokens": [
            {"id": "help", "labels": {"de": "H", "en": "H"}, "effect": "helpers", "uses": 2}]}
    )  # fmt: skip
    state = play(knobel.start(house, 2), "12346", "spend help", "11111", "choose 11111")
    refused(state, "spend help", "token-not-to-spend")  # the dice are chosen for good
    state = play(state, "enter yatzy")
    assert knobel.view(state)["sheets"][0]["saved_throws"] == 2


# Extra throws (7.4, A10 to A14)


EARNED = [{"three_kind": 21, "four_kind": 21}, {"three_kind": 22, "four_kind": 30}]


def test_circles_are_empty_painted_and_crossed() -> None:
    def circles(state: State) -> list[tuple[int, int]]:
        return [(c["earned"], c["spent"]) for c in knobel.view(state, 0)["sheets"][0]["columns"]]

    state = play(with_card(table(), [{"three_kind": 21}, {"three_kind": 22, "four_kind": 30}]), "55556")
    assert circles(state)[:3] == [(0, 0), (1, 0), (0, 0)]
    state = play(state, "enter four_kind", "12345", "enter ones", "12346")
    assert circles(state)[:3] == [(1, 0), (1, 0), (0, 0)]
    state = play(state, "extra 1234 -> 12346")
    assert circles(state)[:3] == [(1, 1), (1, 0), (0, 0)]
    state = play(state, "extra 1234 -> 12346")
    assert circles(state)[:3] == [(1, 1), (1, 1), (0, 0)]
    refused(state, "extra 1234 -> 12346", "no-extra-throw")


def test_an_extra_throw_is_not_counted() -> None:
    state = play(with_card(table(), EARNED), "12346", "extra 1234 -> 12345")
    assert columns(state) == {1, 2, 3, 4, 5}
    state = play(state, *["keep 1234 -> 12346"] * 4, "extra 1234 -> 12345")
    assert columns(state) == {5}
    assert value(play(state, "enter large_straight/5"), "large_straight/5") == 40
    refused(state, "extra 1234 -> 12346", "no-extra-throw")
    refused(play(with_card(table(), EARNED), "12346"), "extra 12346 -> 12346", "throw-nothing")


def test_extra_throws_in_the_same_column() -> None:
    state = play(
        with_card(table(extra_mode="same_column"), EARNED), "12346", "keep 1234 -> 12346", "extra 1234 -> 12345"
    )
    assert columns(state) == {2}
    assert columns(play(state, "keep 1234 -> 12346")) == {3}
    full = [*EARNED, dict.fromkeys(ROWS, 1)]
    state = play(with_card(table(extra_mode="same_column"), full), "12346", "keep 1234 -> 12346", "keep 1234 -> 12346")
    refused(state, "extra 1234 -> 12346", "no-extra-throw")  # column 3 has no free box
    assert columns(state) == {4, 5}
    allowed = with_card(table(extra_mode="same_column", overthrow="strike_any"), full)
    allowed = play(allowed, "12346", *["keep 1234 -> 12346"] * 2, "extra 1234 -> 12346")
    assert columns(allowed) == {1, 2, 4, 5}
    assert value(play(allowed, "enter small_straight/4"), "small_straight/4") == 0


def test_no_throw_after_an_extra_throw_into_a_full_column() -> None:
    full = [*EARNED, dict.fromkeys(ROWS, 1)]
    state = play(with_card(table(extra_mode="same_column"), full), "12346", "keep 1234 -> 12346", "extra 1234 -> 12346")
    assert columns(state) == {2}
    assert game.throws_left(state) == 0


def test_extra_throws_after_the_fifth_only() -> None:
    state = play(with_card(table(extra_mode="after_fifth"), EARNED), "12346")
    for _ in range(4):
        refused(state, "extra 1234 -> 12346", "no-extra-throw")
        state = play(state, "keep 1234 -> 12346")
    assert columns(play(state, "extra 1234 -> 12346", "extra 1234 -> 12346")) == {5}


def test_so_many_extra_throws_in_a_turn() -> None:
    state = play(with_card(table(extra_max_per_turn=1), EARNED), "12346", "extra 1234 -> 12346")
    refused(state, "extra 1234 -> 12346", "no-extra-throw")
    state = play(state, "enter ones", "12346", "enter ones", "12346")
    assert legal(state, "extra")


def test_a_free_box_earns_nothing_even_for_a_minimum_of_0() -> None:
    rules = knobel.load("acht-mann", extra_minima=(0,) * 6)
    assert sheet.spare_throws(rules, sheet.empty_sheet(rules)) == 0
    struck = sheet.sheet_from_card(rules, [{"three_kind": 0, "four_kind": 0}])
    assert sheet.spare_throws(rules, struck) == 1


# Special rounds (7.5, A25 to A30)

ALMOST = [{"sixes": 30, "fives": 20}]  # 13 points to the bonus of column 1


def bonus(state: State, seat: int = 0) -> State:
    """The seat on turn reaches the bonus of column 1 by four fours."""
    return play(with_card(state, ALMOST, seat), "44441", "enter fours")


def test_a_bonus_interrupts_the_game() -> None:
    state = bonus(table(players=3, first=1), seat=1)
    assert (turn(state).seat, turn(state).picks) == (1, True)
    assert legal(state) == [f"pick {row}/6" for row in ROWS[:-1]]
    refused(state, f"pick {LAST}/6", "pick-not-allowed")
    refused(state, "pick ones/5", "pick-not-allowed")
    refused(state, "keep - -> 12345", "pick-first")
    view = knobel.view(state, 1)
    assert (view["turn"]["scene"], view["turn"]["duty"]["key"]) == ("special", "duty-pick")
    state = play(state, "pick full_house/6")
    for seat in (1, 2, 0):  # who earned it begins
        assert (turn(state).seat, str(turn(state).box)) == (seat, "full_house/6")
        state = play(state, "22555")
        assert legal(state, "enter") == ["enter full_house/6"]
        assert game.throws_left(state) == 2
        refused(state, "enter ones", "box-not-allowed")
        state = play(state, "keep 2255 -> 22551", "keep 2255 -> 22552" if seat == 2 else "keep 2255 -> 22556")
        assert game.throws_left(state) == 0
        state = play(state, "enter full_house/6")
    assert [value(state, "full_house/6", seat) for seat in range(3)] == [0, 0, 25]
    assert turn(state) == Turn(2)  # left of who earned it


def test_the_round_in_seat_order_and_its_throws() -> None:
    state = play(bonus(table(players=3, first=1, special_order="seat", special_throws=1), seat=1), "pick ones/6")
    assert [turn(state).seat, *(duty.seat for duty in state.agenda)] == [1, 2, 0]
    state = play(with_card(table(players=3), ALMOST, 2), "12346", "enter ones", "12346", "enter ones", "44441")
    seat_order = replace(state, ruleset=knobel.load("acht-mann", special_order="seat"))
    for game_state, order in ((state, [2, 0, 1]), (seat_order, [0, 1, 2])):
        after = play(game_state, "enter fours", "pick ones/6")
        assert [turn(after).seat, *(duty.seat for duty in after.agenda)] == order
    one = play(bonus(table(special_throws=1)), "pick ones/6", "12346")
    assert legal(one, "keep") == []


def test_the_bonus_counts_once_and_by_the_sum() -> None:
    state = play(bonus(table(players=1)), "pick ones/6", "12346", "enter ones/6", "33312", "enter threes")
    assert turn(state) == Turn(0)  # more points, no further round
    below = play(with_card(table(), [{"sixes": 30, "fives": 20}]), "44123", "enter fours")
    assert not turn(below).picks


def test_the_bonus_of_the_whole_upper_part() -> None:
    state = bonus(table(players=1, bonus_trigger="complete"))
    assert turn(state) == Turn(0)
    state = play(with_card(state, [{"sixes": 30, "fives": 20, "fours": 16, "threes": 6, "twos": 4}]), "11234")
    assert turn(play(state, "enter ones")).picks
    assert not turn(play(state, "enter ones/2")).picks


def test_a_bonus_in_column_six() -> None:
    almost: Card = [*ALMOST, {}, {}, {}, {}, {"sixes": 30, "fives": 20}]
    for own, rounds in ((False, 0), (True, 1)):
        state = play(
            with_card(table(players=2, special_bonus_triggers=own), almost), "44441", "enter fours", "pick fours/6"
        )
        state = play(state, "44441", "enter fours/6")
        assert (turn(state).seat, turn(state).picks) == (1, False)  # the round is played to its end
        assert sum(duty.box is None for duty in state.agenda) == rounds
        state = play(state, "44441", "enter fours/6")
        assert turn(state) == (Turn(0, picks=True) if own else Turn(1))


def test_two_bonuses_in_one_special_round_are_played_one_after_the_other() -> None:
    almost: Card = [*ALMOST, {}, {}, {}, {}, {"sixes": 30, "fives": 20}]
    state = with_card(with_card(table(special_bonus_triggers=True), almost), [{}, *almost[1:]], 1)
    state = play(state, "44441", "enter fours", "pick fours/6", "44441", "enter fours/6", "44441", "enter fours/6")
    state = play(state, "pick ones/6")
    assert [(duty.seat, duty.box and str(duty.box)) for duty in state.agenda] == [(1, "ones/6"), (1, None)]


def test_two_bonuses_in_one_round_of_play() -> None:
    state = play(with_card(bonus(table()), ALMOST, 1), "pick ones/6")
    state = play(state, "12346", "enter ones/6", "12346", "enter ones/6", "44441", "enter fours")
    assert turn(state) == Turn(1, picks=True)
    assert "pick ones/6" not in legal(state)
    state = play(state, "pick twos/6", "12346", "enter twos/6")
    assert turn(state).seat == 0
    state = play(state, "12346", "enter twos/6")
    assert turn(state) == Turn(0)


def test_the_last_cell_is_reserved() -> None:
    only_last: Card = [*ALMOST, {}, {}, {}, {}, dict.fromkeys(ROWS[:-1], 1)]
    state = play(with_card(table(), only_last), "44441", "enter fours")
    assert turn(state) == Turn(1)  # no box to pick: no round (A30)
    two_left: Card = [*ALMOST, {}, {}, {}, {}, dict.fromkeys(ROWS[:-2], 1)]
    for last, picks in (("bottom", ROWS[-2:-1]), ("any", ROWS[-2:])):
        state = play(with_card(table(special_last=last), two_left), "44441", "enter fours")
        assert legal(state) == [f"pick {row}/6" for row in picks]
    one_left: Card = [*ALMOST, {}, {}, {}, {}, dict.fromkeys(ROWS[1:], 1)]
    assert turn(play(with_card(table(special_last="any"), one_left), "44441", "enter fours")) == Turn(1)


def test_tokens_and_extra_throws_in_a_special_round() -> None:
    earned: Card = [ALMOST[0] | EARNED[0]]
    state = play(with_card(table(players=2), earned), "44441", "enter fours", "pick sixes/6", "66123")
    assert legal(state, "spend") == ["spend samuel", "spend wunder"]
    again = play(state, "keep 66 -> 66612", "spend samuel")
    assert (str(turn(again).box), turn(again).throws) == ("sixes/6", 0)
    last = play(state, "keep 66 -> 66123", "keep 66 -> 66612", "extra 666 -> 66661")
    helped = play(last, "spend wunder", "66666", "choose 66666")
    assert legal(helped, "enter") == ["enter sixes/6"]
    assert legal(helped, "spend") == ["spend samuel"]
    assert value(play(helped, "enter sixes/6"), "sixes/6") == 30
    none = with_card(table(jokers_in_special=False), earned)
    none = play(none, "44441", "enter fours", "pick sixes/6", "66123")
    assert legal(none, "spend") == legal(none, "extra") == []
    refused(none, "spend samuel", "token-not-to-spend")
    refused(none, "extra 66 -> 66123", "no-extra-throw")


# The end (7.5, A31)


def ending(players: int = 2, first: int = 0, last: str = "fours", **options: Any) -> State:
    """The last regular turn of the game, in the seat before `first`: one box of column 1 and column 6 are free."""
    state = table(players, first, **options)
    for seat in range(players):
        free = ["*/6", last] if seat == (first - 1) % players else ["*/6"]
        state = with_card(state, card(*free), seat)
    final = (first - 1) % players
    return replace(state, turn=Turn(final), regular=final)


def test_what_is_left_is_thrown_row_by_row() -> None:
    state = play(ending(players=3, first=1), "12346", "enter fours")
    assert state.is_closing
    assert knobel.view(state, 1)["turn"]["scene"] == "closing"
    for row in ROWS:
        for seat in (1, 2, 0):
            assert (turn(state).seat, str(turn(state).box)) == (seat, f"{row}/6")
            state = play(state, "12346", f"enter {row}/6")
    assert knobel.is_over(state)
    assert all(None not in pad.entries for pad in state.sheets)


def test_what_is_left_is_thrown_player_by_player() -> None:
    state = play(ending(players=2, first=1, final_order="players"), "12346", "enter fours")
    order = [(turn(state).seat, str(turn(state).box)), *((duty.seat, str(duty.box)) for duty in state.agenda)]
    assert order == [(seat, f"{row}/6") for seat in (1, 0) for row in ROWS]


def test_a_bonus_on_the_very_last_regular_turn() -> None:
    state = ending(players=2)
    state = with_card(state, [c | {"sixes": 57} if n == 0 else c for n, c in enumerate(card("*/6", "fours"))], seat=1)
    state = play(state, "12346", "enter fours")
    assert turn(state) == Turn(1, picks=True)
    assert not state.is_closing
    state = play(state, "pick twos/6", "12346", "enter twos/6", "12346", "enter twos/6")
    assert (state.is_closing, turn(state).seat, str(turn(state).box)) == (True, 0, "ones/6")
    assert len(state.agenda) == 2 * 14 - 1
    assert all(str(duty.box) != "twos/6" for duty in state.agenda)
    assert str(state.agenda[-1].box) == f"{LAST}/6"


def test_no_round_begins_while_the_rest_is_thrown() -> None:
    state = play(ending(players=1, special_bonus_triggers=True), "12346", "enter fours")
    for row, dice in zip(UPPER, ("11111", "22222", "33333", "44444", "55555", "66666"), strict=True):
        state = play(state, dice, f"enter {row}/6")
    assert knobel.view(state, 0)["sheets"][0]["columns"][5]["bonus"] == 35
    assert str(turn(state).box) == f"{ROWS[6]}/6"


# Tally (7.6, A32)

BEST = {
    "ones": "11111", "twos": "22222", "threes": "33333", "fours": "44444", "fives": "55555", "sixes": "66666",
    "three_kind": "66666", "four_kind": "66666", "five_kind": "66666", "small_straight": "12345",
    "pothole_straight": "12356", "large_straight": "23456", "full_house": "22555", "empty_house": "22554",
    "scrap_or_eight": "11222",
}  # fmt: skip


def test_the_highest_game() -> None:
    state = table(players=1)
    while state.turn is not None:
        if state.turn.picks:
            state = play(state, legal(state)[0])
            continue
        cells = zip(state.ruleset.boxes, state.sheets[0].entries, strict=True)
        row = (turn(state).box or next(box for box, points in cells if points is None)).category
        state = play(state, BEST[row])
        state = play(state, next(text for text in legal(state, "enter") if text.partition("/")[0] == f"enter {row}"))
    tally = sheet.tally(state.ruleset, state.sheets[0])
    assert {column.total for column in tally.columns} == {518}
    assert knobel.result(state).totals == (3108,)


def test_38_whatever_the_extra_throws() -> None:
    good = dict.fromkeys(ROWS, 1) | {"sixes": 60}
    for pasch in (1, 30):
        cards: Card = [good | {"three_kind": pasch, "four_kind": pasch}]
        state = play(with_card(table(), cards), "12346")
        used = play(state, "extra 1234 -> 12346") if pasch == 30 else state
        for shown in (state, used):
            assert knobel.view(shown, 0)["sheets"][0]["columns"][0]["no_strike"] == 38


@pytest.mark.parametrize(("choice", "points"), [("all", 38), ("regular", 0)])
def test_38_in_column_six(choice: str, points: int) -> None:
    rules = knobel.load("acht-mann", no_strike_columns=choice)
    good = dict.fromkeys(ROWS, 1) | {"sixes": 60}
    tally = sheet.tally(rules, sheet.sheet_from_card(rules, [good] * 6))
    assert [column.no_strike for column in tally.columns] == [38] * 5 + [points]
    for spoilt in (good | {"small_straight": 0}, good | {"ones": 0, "sixes": 90}, good | {"sixes": 57},
                   dict.fromkeys(ROWS[:-1], 63)):  # fmt: skip
        tally = sheet.tally(rules, sheet.sheet_from_card(rules, [spoilt]))
        assert tally.columns[0].no_strike == 0


def test_points_of_the_new_rows() -> None:
    rules = knobel.load("acht-mann", five_equal_full_house=True, empty_house_points="sum", pothole_points=30)
    assert knobel.points(rules, (4,) * 5)["full_house"] == 25
    assert knobel.points(rules, (2, 2, 5, 5, 4))["empty_house"] == 18
    assert knobel.points(rules, (1, 2, 3, 5, 6))["pothole_straight"] == 30
    plain = knobel.points(knobel.load("acht-mann"), (1, 1, 1, 2, 3))
    assert (plain["scrap_or_eight"], plain["three_kind"]) == (80, 8)


def test_a_record_tells_helpers_rounds_and_tokens() -> None:
    state, moves = table(), ["12346", "spend wunder", "11111", "choose 11111", "spend samuel", "12346", "enter ones"]
    events = []
    for move in moves:
        seat, before = turn(state).seat, state
        state = play(state, move)
        dice = tuple(map(int, move)) if move.isdigit() else ()
        action = parse_action("keep -" if dice else move)
        events.append(knobel.record.Event(seat, action, dice))
        assert before != state
    record = knobel.Record(state.ruleset, ("A", "B"), 0, tuple(events))
    assert [*knobel.Record.parse(record.format()).replay()][-1] == state
    assert "1 keep - -> 11111" in record.format().splitlines()


@pytest.mark.parametrize(("name", "some"), [("tiebreak", ("chance",)), ("tiebreak", ("chance", "ones"))])
def test_a_list_of_one_stays_a_list_in_a_record(name: str, some: tuple[str, ...]) -> None:
    record = knobel.Record(knobel.load("classic", **{name: some}), ("A",))
    assert knobel.Record.parse(record.format()) == record
    one = knobel.Record(
        knobel.load({"base": "classic", "earned_throws": {"categories": ["ones"], "minima": [3]},
                     "options": {"least": {"field": "earned_throws.minima"}}}, least=(4,)), ("A",)
    )  # fmt: skip
    assert knobel.Record.parse(one.format()) == one


def test_a_box_is_named_by_its_column() -> None:
    assert Box("full_house", 5) == turn(play(bonus(table()), "pick full_house/6")).box  # column 6 counts from 0
