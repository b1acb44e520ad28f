"""Verifying records: what was played with derived dice is verified, and every change of it is found at its event."""

import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import knobel
from knobel import Box, Enter, Record, Throw
from knobel.action import Choose, Extra, Spend
from knobel.fair import BEGINNING, Exchange, draw_of
from knobel.header import Begin
from knobel.players.chance import Aimless
from knobel.record import Event
from knobel.statistic import counted
from knobel.table import Command, decide, evolve, first_event, open_table, to_record
from knobel.tray import move_of
from knobel.verify import Verification, verify
from tests import fair_dice
from tests.fair_dice import GAMES, exchange_of, played
from tests.seated import FIVE, random_action

DOCUMENT = (Path(__file__).parents[1] / "docs/fairness.md").read_text(encoding="utf-8")
SEEDS = st.integers(0, 10**6)


def a_game(seed: int, name: str = "classic", begin: Begin = "random", n_seats: int = 2, **options: Any) -> Record:
    fair = exchange_of(f"a-game-{seed}", n_seats)
    return played(knobel.load(name, **options), fair, begin, Aimless(), Random(seed), n_seats, 120)


def outcome_of(record: Record) -> Verification:
    """What is said of a record, and the same of its text."""
    outcome = verify(record)
    assert verify(Record.parse(record.format())) == outcome
    return outcome


def changed(record: Record, number: int, event: Event) -> Record:
    """The record with another event of this number (from 1)."""
    return replace(record, events=(*record.events[: number - 1], event, *record.events[number:]))


@settings(max_examples=40, deadline=None)
@given(SEEDS, st.sampled_from(GAMES), st.integers(0, 3))
def test_what_was_played_is_verified(seed: int, kind: tuple[Any, ...], silent: int) -> None:
    name, options, n_seats, _, begin = kind
    fair = exchange_of(f"game-{seed}", n_seats, silent=min(silent, n_seats))
    record = played(knobel.load(name, **options), fair, begin, Aimless(), Random(seed), n_seats, 150)
    outcome = outcome_of(record)
    assert outcome.is_verified, (outcome.problems, outcome.differs, outcome.reason)
    assert [throw.event for throw in outcome.throws] == [
        number for number, event in enumerate(record.events, 1) if event.faces
    ]
    assert outcome.beginner == (record.first if begin in ("random", "highest_throw") else None)


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.sampled_from(["classic", "six-dice", "acht-mann"]), st.sampled_from(["turn", "throw"]))
def test_what_a_table_plays_is_verified(seed: int, name: str, samuel: str) -> None:
    """The real table, with its own tray, and tokens as often as other actions."""
    rules = knobel.load(name, **({"samuel_mode": samuel} if name == "acht-mann" else {}))
    fair = exchange_of(f"table-{seed}", len(FIVE))
    begin: Begin = "highest_throw"
    table = open_table(fair.table, rules, FIVE, begin, first_event(rules, len(FIVE), begin, fair.draw(BEGINNING)))
    rng = Random(seed)
    while table.state.turn is not None and table.version < 120:
        move = move_of(random_action(table.state, rng), table.tray)
        event = decide(table, Command(table.state.turn.seat, table.version, move), fair.draw(table.version))
        table = evolve(table, event)
    record = replace(to_record(table), dice="provable", begin=begin, fair=fair)
    assert outcome_of(record).is_verified


@settings(max_examples=60, deadline=None)
@given(SEEDS, st.data())
def test_another_face_is_found_at_its_event(seed: int, data: st.DataObject) -> None:
    record = a_game(seed, data.draw(st.sampled_from(["classic", "acht-mann"])), "highest_throw", 3)
    numbers = [number for number, event in enumerate(record.events, 1) if event.faces]
    number = data.draw(st.sampled_from(numbers))
    event = record.events[number - 1]
    place = data.draw(st.integers(0, len(event.faces) - 1))
    face = data.draw(st.sampled_from([face for face in range(1, 7) if face != event.faces[place]]))
    faces = (*event.faces[:place], face, *event.faces[place + 1 :])
    outcome = outcome_of(changed(record, number, replace(event, faces=faces)))
    assert not outcome.is_verified
    assert outcome.differs == number
    assert outcome.reason is not None
    assert all(throw.agrees for throw in outcome.throws if throw.event < number)


@settings(max_examples=60, deadline=None)
@given(SEEDS, st.data())
def test_another_order_is_verified_only_where_equal_dice_explain_it(seed: int, data: st.DataObject) -> None:
    record = a_game(seed)
    number = data.draw(st.sampled_from([number for number, event in enumerate(record.events, 1) if event.faces]))
    event = record.events[number - 1]
    faces = tuple(data.draw(st.permutations(event.faces)))
    assert isinstance(event.action, Throw)
    before = record.events[number - 2].faces if event.action.keep else ()
    assert record.fair is not None
    thrown = record.fair.draw(number)(len(faces) - len(event.action.keep))
    reached = {faces_after(before, places, thrown) for places in choices(before, event.action.keep)}
    outcome = outcome_of(changed(record, number, replace(event, faces=faces)))
    assert (outcome.differs == number) == (faces not in reached)


def choices(dice: tuple[int, ...], keep: tuple[int, ...]) -> list[set[int]]:
    """Every set of places, one bit each, at which these dice lie."""
    sets = ({place for place in range(len(dice)) if number >> place & 1} for number in range(2 ** len(dice)))
    return [places for places in sets if sorted(dice[place] for place in places) == list(keep)]


def faces_after(dice: tuple[int, ...], places: set[int], thrown: tuple[int, ...]) -> tuple[int, ...]:
    fresh = iter(thrown)
    return tuple(dice[place] if place in places else next(fresh) for place in range(len(places) + len(thrown)))


@settings(max_examples=40, deadline=None)
@given(SEEDS, st.data())
def test_an_event_left_out_or_put_in_moves_all_dice_after_it(seed: int, data: st.DataObject) -> None:
    record = a_game(seed)
    number = data.draw(st.integers(1, len(record.events) - 6))
    rest = (
        record.events[number:]
        if data.draw(st.booleans())
        else (record.events[number - 1], *record.events[number - 1 :])
    )
    outcome = outcome_of(replace(record, events=(*record.events[: number - 1], *rest)))
    assert not outcome.is_verified
    assert outcome.differs is not None
    assert outcome.differs >= number


@settings(max_examples=40, deadline=None)
@given(SEEDS, st.sampled_from(["seed", "table", "share", "no share", "order"]))
def test_other_secrets_bring_other_dice(seed: int, what: str) -> None:
    """Also where all commitments fit: a whole exchange that is another one."""
    record, other = a_game(seed, n_seats=3), exchange_of(f"other-{seed}", 3)
    fair = record.fair
    assert fair is not None
    (a, b, c), ca = fair.shares, fair.commitments
    exchanges: dict[str, Exchange] = {
        "seed": replace(fair, commitment=other.commitment, seed=other.seed),
        "table": replace(fair, table=other.table),
        "share": replace(fair, commitments=other.commitments, shares=other.shares),
        "no share": replace(fair, shares=(a, c)),
        "order": replace(
            fair, commitments=((0, ca[1][1]), (1, ca[0][1]), ca[2]), shares=((0, b[1]), (1, a[1]), c)
        ),
    }  # fmt: skip
    outcome = outcome_of(replace(record, fair=exchanges[what]))
    assert outcome.problems == ()
    assert outcome.differs in (0, 1, 2, 3, 4, 5)


def test_of_equal_dice_any_may_have_stayed() -> None:
    fair = exchange_of("equal-dice", 1)
    rules = knobel.load({"base": "classic", "id": "two", "labels": {"de": "2", "en": "2"}})
    first = fair.draw(1)(5)
    pair = next(face for face in range(1, 7) if first.count(face) > 1)
    places = [place for place, face in enumerate(first) if face == pair]
    thrown = fair.draw(2)(4)
    found = set()
    for place in places:
        faces = faces_after(first, {place}, thrown)
        events = (Event(0, Throw(), first), Event(0, Throw((pair,)), faces))
        assert outcome_of(Record(rules, ("A",), 0, events, "provable", "seat", fair)).is_verified
        found.add(faces)
    assert len(found) == len(places)


def test_a_throw_that_is_taken_back_leaves_the_dice_that_had_stayed() -> None:
    """Which of equal dice stayed shows only when the throw is repeated: each of them can explain it, no other place."""
    rules = knobel.load("acht-mann", samuel_mode="throw")
    for number in range(500):
        fair = exchange_of(f"again-{number}", 1)
        first = fair.draw(1)(5)
        if first[0] != first[1]:
            continue
        second = faces_after(first, {0}, fair.draw(2)(4))
        if second[1] == first[0] and second == faces_after(first, {1}, fair.draw(2)(4)):
            break  # whichever of the two stayed, the same dice lie there
    else:
        pytest.fail("no such throws")
    keep = Throw((first[0],))
    for place, differs in ((0, None), (1, None), (2, 4)):
        third = faces_after(first[:1] * 5, {place}, fair.draw(4)(4))
        events = (Event(0, Throw(), first), Event(0, keep, second), Event(0, Spend("samuel")), Event(0, keep, third))
        outcome = outcome_of(Record(rules, ("A",), 0, events, "provable", "seat", fair))
        assert outcome.differs == differs, place


def test_a_throw_is_taken_back_after_dice_were_chosen_as_well() -> None:
    """The chosen dice go; those that had stayed in the owner's latest throw lie at their places again."""
    rules = knobel.load("acht-mann", samuel_mode="throw")
    fair = exchange_of("chosen", 2)
    first, helped = fair.draw(1)(5), fair.draw(4)(5)
    keep = Throw(first[2:3])
    places = {first.index(first[2])}
    second, third = (faces_after(first, places, fair.draw(number)(4)) for number in (2, 7))
    chosen = Choose(tuple(sorted(helped)))
    start = (Event(0, Throw(), first), Event(0, keep, second), Event(0, Spend("wunder")), Event(1, Throw(), helped))
    events = (*start, Event(0, chosen), Event(0, Spend("samuel")), Event(0, keep, third))
    record = Record(rules, ("A", "B"), 0, events, "provable", "seat", fair)
    assert outcome_of(record).is_verified
    turned = third[::-1]
    assert outcome_of(changed(record, 7, Event(0, keep, turned))).differs == 7


def test_helpers_throw_all_dice_and_chosen_ones_are_never_thrown() -> None:
    kinds: set[str] = set()
    for seed in range(60):
        record = a_game(seed, "acht-mann", "random", 3, samuel_mode="throw" if seed % 2 else "turn")
        outcome = verify(record)
        assert outcome.is_verified
        for before, after in pairwise(record.events):
            if isinstance(before.action, Spend | Choose) or isinstance(after.action, Extra):
                kinds.add(f"{str(before.action).split()[0]} {str(after.action).split()[0]}")
    assert {"spend keep", "choose enter", "choose spend"} <= kinds


# --- who begins ---


@pytest.mark.parametrize("begin", ["random", "highest_throw"])
def test_who_begins_is_derived(begin: Begin) -> None:
    seen = set()
    for seed in range(40):
        record = a_game(seed, "yatzy", begin, 4)
        seen.add(record.first)
        other = replace(record, first=(record.first + 1) % 4)
        outcome = outcome_of(other)
        assert (outcome.differs, outcome.beginner, outcome.throws) == (0, record.first, ())
        assert outcome.reason is not None
        assert outcome.reason.key == "verify-beginner"
    assert seen == {0, 1, 2, 3}


def test_the_lot_is_that_of_the_document() -> None:
    """36 numbers, 36 mod 5 = 1 of them thrown again."""
    again = 0
    for number in range(300):
        fair = exchange_of(f"lot-{number}", 5)
        assert fair.seed is not None
        draw = draw_of(bytes.fromhex(fair.seed), fair.table, [share for _, share in fair.shares], 0)
        while (value := sum(factor * (face - 1) for factor, face in zip((6, 1), draw(2), strict=True))) >= 35:
            again += 1
        record = Record(knobel.load("yatzy"), ("A",) * 5, value % 5, (), "provable", "random", fair)
        assert verify(record).is_verified
        assert not verify(replace(record, first=(value + 1) % 5)).is_verified
    assert again


def test_nobody_throws_for_a_fixed_beginning() -> None:
    for begin in ("seat", "rotate"):
        record = a_game(1)
        copy = replace(record, begin=begin)
        outcome = verify(copy)
        assert (outcome.is_verified, outcome.beginner) == (True, None)


# --- what cannot be verified ---


def test_what_cannot_be_derived_is_said_plainly() -> None:
    record = a_game(3)
    fair = record.fair
    assert fair is not None
    strange = replace(fair, commitments=(*fair.commitments, (2, "ab" * 32)))
    many = replace(record, seats=("A",) * 37, first=0)
    for copy, keys in [
        (replace(record, dice="typed"), ["verify-typed"]),
        (replace(record, dice="typed", fair=None), ["verify-typed"]),
        (replace(record, dice="server"), ["verify-no-exchange"]),
        (replace(record, fair=None), ["verify-no-exchange"]),
        (replace(record, fair=replace(fair, seed=None)), ["verify-no-seed"]),
        (replace(record, fair=replace(fair, seed="ab" * 32)), ["fair-wrong-seed"]),
        (replace(record, fair=replace(fair, commitments=fair.commitments[:1])), ["fair-no-commitment"]),
        (replace(record, fair=strange), ["verify-no-seat"]),
        (many, ["verify-too-many"]),
    ]:
        outcome = outcome_of(copy)
        assert not outcome.is_verified
        assert [problem.key for problem in outcome.problems] == keys
        assert outcome.throws == ()
    assert [each.key for each in verify(replace(record, fair=replace(fair, seed="x"))).problems] == ["fair-hex"]


def test_an_impossible_event_is_none_of_an_honest_game() -> None:
    record = a_game(4)
    last = len(record.events)
    outcome = outcome_of(changed(record, last, Event(record.events[-1].seat, Enter(Box("nowhere")))))
    assert outcome.differs == last
    assert outcome.reason is not None
    assert outcome.reason.key in ("unknown-box", "not-thrown")
    assert outcome_of(replace(record, first=7, begin="seat")).differs == 0


def test_the_record_of_the_document_is_verified() -> None:
    text = re.findall(r"```record\n(.*?)```", DOCUMENT, re.DOTALL)[0]
    record = Record.parse(text)
    assert record.format() == text
    assert verify(record).is_verified
    *_, last = record.replay()
    assert knobel.is_over(last)


# --- the long drill ---


def test_the_long_drill_at_a_small_scale() -> None:
    figure = fair_dice.figure(0.0005)
    assert "300,000 dice" in figure
    assert "6 games of 6 kinds verified" in figure


def test_the_long_drill_counts_as_plain_counting_does() -> None:
    fair = exchange_of("table-0")
    dice = [face for event in range(1, 11) for face in fair.draw(event)(30)]
    assert fair_dice.counts_of(290) == counted([dice[:290]])
