"""What every ruleset must do, whatever its options: a new file is tested the minute it exists."""

import json
import pickle
from fractions import Fraction
from itertools import pairwise
from random import Random

import pytest

import knobel
from knobel import Action, Box, Enter, IllegalAction, KnobelError, Record, State, Throw, parse_action, sheet
from knobel.dice import contains
from knobel.ruleset import canonical
from knobel.schema import parse, to_mapping
from tests.core.playing import CheckedGame, random_choices, single_choices

RULESETS = knobel.builtin_ids()


def some_choices(ruleset: str) -> list[dict[str, object]]:
    """No option, each option alone, and some random combinations."""
    rng = Random(ruleset)
    return [{}, *single_choices(ruleset), *(random_choices(ruleset, rng) for _ in range(12))]


@pytest.mark.parametrize("ruleset", RULESETS)
def test_two_players_play_to_the_end(ruleset: str) -> None:
    for seed in range(2):
        game = CheckedGame(ruleset, {}, players=2, first=seed)
        game.play(Random(seed))
        assert all(state.turn is not None for state in game.states[:-1])
        n_entries = sum(isinstance(event.action, Enter) for event in game.events)
        assert n_entries == 2 * len(game.rules.boxes)


@pytest.mark.parametrize("ruleset", RULESETS)
def test_chance_adds_up_and_every_outcome_can_follow(ruleset: str) -> None:
    game = CheckedGame(ruleset, {})
    rng = Random(1)
    for _ in range(4):
        game.play_turn(rng)
    game.throw((), (1, 2, 2, 3, 3, 3, 4, 5)[: game.rules.dice])
    state = game.state
    for action in knobel.legal_actions(state):
        outcomes = knobel.chance_outcomes(state, action)
        assert sum(chance for _, chance in outcomes) == Fraction(1)
        assert all(chance > 0 for _, chance in outcomes)
        assert len({roll for roll, _ in outcomes}) == len(outcomes)
        if isinstance(action, Enter):
            assert outcomes == ((None, Fraction(1)),)
        for roll, _ in outcomes:
            after = knobel.apply(state, action, roll)
            if isinstance(action, Throw):
                assert roll is not None
                assert after.turn is not None
                assert after.turn.roll == roll
                assert contains(roll, action.keep)
            assert knobel.legal_actions(after)


@pytest.mark.parametrize("ruleset", RULESETS)
def test_chance_of_an_illegal_action_is_refused(ruleset: str) -> None:
    state = knobel.start(knobel.load(ruleset))
    for action in (Enter(state.ruleset.boxes[0]), Throw((1,)), Enter(Box("nowhere"))):
        with pytest.raises(IllegalAction) as caught:
            knobel.chance_outcomes(state, action)
        assert caught.value.legal == ("keep -",)


@pytest.mark.parametrize("ruleset", RULESETS)
def test_apply_changes_nothing_it_was_given(ruleset: str) -> None:
    game = CheckedGame(ruleset, {}, players=2)
    rng, seen = Random(2), []
    while game.state.turn is not None:
        seen.append((game.state, repr(game.state)))
        game.play_turn(rng)
    assert all(repr(state) == text for state, text in seen)


@pytest.mark.parametrize("ruleset", RULESETS)
def test_an_error_says_what_was_legal(ruleset: str) -> None:
    rules = knobel.load(ruleset)
    start = knobel.start(rules)
    rolled = knobel.apply(start, Throw(), (2,) * rules.dice)
    filled = knobel.apply(rolled, next(a for a in knobel.legal_actions(rolled) if isinstance(a, Enter)))
    again = knobel.apply(filled, Throw(), (2,) * rules.dice)
    n_throws = rules.throws - 1
    spent = rolled
    for _ in range(n_throws):
        spent = knobel.apply(spent, Throw(), (3,) * rules.dice)
    taken = next(
        box for box in rules.boxes if box not in {a.box for a in knobel.legal_actions(again) if isinstance(a, Enter)}
    )
    refused: list[tuple[State, Action, tuple[int, ...] | None, str]] = [
        (start, Enter(rules.boxes[0]), None, "not-thrown"),
        (start, Throw(), None, "roll-expected"),
        (start, Throw((2,)), (2,) * rules.dice, "first-throw-keeps-nothing"),
        (start, Throw(), (2,) * (rules.dice - 1), "roll-impossible"),
        (start, Throw(), (2,) * (rules.dice - 1) + (7,), "roll-impossible"),
        (start, Throw(), (0,) + (2,) * (rules.dice - 1), "roll-impossible"),
        (rolled, Throw((3,)), (3,) * rules.dice, "keep-not-on-table"),
        (rolled, Throw((2,)), (3,) * rules.dice, "roll-impossible"),
        (rolled, Throw((2,) * rules.dice), (2,) * rules.dice, "throw-nothing"),
        (rolled, Enter(rules.boxes[0]), (2,) * rules.dice, "roll-not-expected"),
        (rolled, Enter(Box("nowhere")), None, "unknown-box"),
        (rolled, Enter(Box(rules.boxes[0].category, 99)), None, "unknown-box"),
        (spent, Throw(), (2,) * rules.dice, "no-throw-left"),
        (again, Enter(taken), None, "box-filled"),
    ]
    for state, action, roll, key in refused:
        with pytest.raises(IllegalAction) as caught:
            knobel.apply(state, action, roll)
        assert caught.value.reason.key == key
        assert caught.value.legal == tuple(map(str, knobel.legal_actions(state)))
        assert caught.value.legal[0] in str(caught.value)


@pytest.mark.parametrize("ruleset", RULESETS)
def test_actions_and_their_texts(ruleset: str) -> None:
    for choices in ({}, *(c for c in single_choices(ruleset) if c.get("columns") == 3)):
        game = CheckedGame(ruleset, choices)
        game.throw((), (1, 2, 2, 3, 3, 3, 4, 5)[: game.rules.dice])
        texts = [str(action) for action in knobel.legal_actions(game.state)]
        assert len(set(texts)) == len(texts)
        assert [parse_action(text) for text in texts] == list(knobel.legal_actions(game.state))


@pytest.mark.parametrize("ruleset", RULESETS)
def test_a_ruleset_survives_the_way_through_plain_data(ruleset: str) -> None:
    for choices in some_choices(ruleset):
        rules = knobel.load(ruleset, **choices)  # type: ignore[arg-type]
        raw = json.loads(json.dumps(to_mapping(rules)))
        again = parse(raw, "copy", rules.options)
        assert again == rules
        assert hash(again) == hash(rules)
        assert knobel.digest(again) == knobel.digest(rules)
        assert pickle.loads(pickle.dumps(rules)) == rules
        assert to_mapping(again) == to_mapping(rules)


@pytest.mark.parametrize("ruleset", RULESETS)
def test_the_digest_leaves_names_and_manners_out(ruleset: str) -> None:
    rules = knobel.load(ruleset)
    raw = json.loads(json.dumps(to_mapping(rules)))
    renamed = raw | {"id": "another-name", "labels": {"de": "Anders", "en": "Other"}, "habits": {"marks": "again"}}
    renamed["categories"] = [row | {"labels": {"de": "A", "en": "B"}} for row in raw["categories"]]
    again = parse(renamed, "copy")
    assert again != rules
    assert knobel.digest(again) == knobel.digest(rules)
    assert len(knobel.digest(rules)) == 64
    assert '"labels"' not in canonical(rules)


@pytest.mark.parametrize("ruleset", RULESETS)
def test_the_digest_sees_every_rule(ruleset: str) -> None:
    raw = to_mapping(knobel.load(ruleset))
    digests = {knobel.digest(parse(raw, "copy"))}
    is_plain = not knobel.load(ruleset).is_gated
    labels = {"de": "A", "en": "B"}
    special: dict[str, object] = raw.get("special_rounds", {"throws": 0})
    changes = {
        "tiebreak": [raw["categories"][0]["id"]],
        "columns": [{"multiplier": 2}, *raw.get("columns", [{}])[1:]],
        "tokens": [{"id": "mulligan", "labels": labels, "effect": "restart"}],
        "earned_throws": {"categories": [raw["categories"][0]["id"]], "minima": [7] * len(raw.get("columns", [{}]))},
        "no_strike": {"points": 7},
        "overthrow": "strike_any",
        **({} if is_plain else {"special_rounds": special | {"throws": 6, "order": "seat"}}),
        **({"throws": raw["throws"] + 1} if is_plain else {}),
        **({"saved_throws": not raw.get("saved_throws", False)} if is_plain else {}),
        **({"order": [row["id"] for row in raw["categories"]]} if is_plain else {}),
        "categories": [*raw["categories"][:-1], raw["categories"][-1] | {"rules": [{"points": 3}]}],
        "bonus_shown": "at_end" if raw.get("bonus_shown", "at_once") == "at_once" else "at_once",
        "upper": {"threshold": 1, "bonus": 1},
    }
    for name, value in changes.items():
        digests.add(knobel.digest(parse(raw | {name: value}, "copy")))
        reordered = dict(reversed((raw | {name: value}).items()))
        assert knobel.digest(parse(reordered, "copy")) in digests
    assert len(digests) == 1 + len(changes)


@pytest.mark.parametrize("ruleset", RULESETS)
def test_the_view_belongs_to_one_seat(ruleset: str) -> None:
    game = CheckedGame(ruleset, {}, players=3)
    game.throw((), (1, 2, 3, 4, 5, 6, 1, 2)[: game.rules.dice])
    views = {seat: knobel.view(game.state, seat) for seat in (0, 1, 2, None)}
    assert views[0]["actions"] == tuple(map(str, knobel.legal_actions(game.state)))
    assert views[1]["actions"] == views[2]["actions"] == views[None]["actions"] == ()
    assert [view["seat"] for view in views.values()] == [0, 1, 2, None]
    for view in views.values():
        assert view | {"seat": 0, "actions": ()} == views[0] | {"actions": ()}
    for seat in (3, -1):
        with pytest.raises(KnobelError):
            knobel.view(game.state, seat)


@pytest.mark.parametrize("ruleset", RULESETS)
def test_a_game_needs_seats(ruleset: str) -> None:
    rules = knobel.load(ruleset)
    for players, first in ((0, 0), (-1, 0), (1, 1), (2, -1), (3, 3)):
        with pytest.raises(KnobelError) as caught:
            knobel.start(rules, players, first)
        assert caught.value.reason.key == "expected-seat"
    assert knobel.start(rules, 40, 39).turn is not None


@pytest.mark.parametrize("ruleset", RULESETS)
def test_a_record_can_stop_anywhere(ruleset: str) -> None:
    game = CheckedGame(ruleset, {}, players=2, first=1)
    game.play(Random(4))
    record = game.record
    for length in (0, 1, len(record.events) // 2, len(record.events)):
        part = Record(record.ruleset, record.seats, record.first, record.events[:length])
        assert Record.parse(part.format()) == part
        assert list(part.replay()) == game.states[: length + 1]
    assert all(one != other for one, other in pairwise(record.replay()))


@pytest.mark.parametrize("ruleset", RULESETS)
def test_every_option_plays_from_a_mapping_too(ruleset: str) -> None:
    """A derived mapping with the options in its table equals the ruleset with the options."""
    for choices in some_choices(ruleset):
        table = {name: list(value) if isinstance(value, tuple) else value for name, value in choices.items()}
        derived = knobel.load({"base": ruleset, "options": table})
        assert knobel.digest(derived) == knobel.digest(knobel.load(ruleset, **choices))  # type: ignore[arg-type]


@pytest.mark.parametrize("ruleset", RULESETS)
def test_ties_are_broken_box_by_box(ruleset: str) -> None:
    plain = knobel.load(ruleset)
    first, second = plain.categories[-1].id, plain.categories[0].id
    rules = knobel.load(ruleset, tiebreak=(first, second))
    others = {category.id: 0 for category in rules.categories}
    third = plain.categories[1].id
    rows = [
        others | {first: 5, second: 1, third: 4},
        others | {first: 4, second: 6, third: 0},
        others | {first: 5, second: 2, third: 3},
        others | {first: 5, second: 1, third: 4},
        others | {first: 1, second: 0, third: 0},
    ]
    sheets = tuple(sheet.sheet_from_card(rules, [row]) for row in rows)
    assert knobel.result(State(rules, sheets, None)) == knobel.Result((10, 10, 10, 10, 1), (2, 4, 1, 2, 5))
    assert knobel.result(State(plain, sheets, None)).ranks == (1, 1, 1, 1, 5)
