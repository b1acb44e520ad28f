"""Records: the text people read, round trips, and everything that can be wrong with one."""

import json
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, example, given, settings

import knobel
from knobel import Box, Enter, KnobelError, Record, RecordError, Throw
from knobel.fair import Exchange, commitment_of
from knobel.header import Begin, Source
from knobel.record import Event
from tests.core.playing import CheckedGame


def a_game(turns: int = 4) -> Record:
    game, rng = (
        CheckedGame("classic", {"joker": "forced", "columns": 3, "multipliers": (1, 1, 2)}, players=2),
        Random(8),
    )
    for _ in range(turns):
        game.play_turn(rng)
    return game.record


GAME = a_game()
TEXT, DATA = GAME.format(), GAME.to_json()
N_HEAD = 6


def edited(line: int, text: str) -> str:
    """The text with one line (from 1) replaced."""
    lines = TEXT.splitlines()
    lines[line - 1] = text
    return "\n".join(lines)


def test_the_text_is_as_the_notation_says() -> None:
    lines = TEXT.splitlines()
    assert lines[0] == "knobel 1"
    assert lines[1] == "rules classic columns=3 multipliers=1,1,2 joker=forced"
    assert lines[2] == f"digest {knobel.digest(GAME.ruleset)[:16]}"
    assert lines[3:5] == ['seats "Seat 0" "Seat 1"', "first 0"]
    assert json.loads(lines[5].removeprefix("ruleset "))["dice"] == 5
    assert lines[6].startswith("0 keep - -> ")
    assert TEXT.endswith("\n")


def test_comments_blank_lines_and_foreign_line_ends_do_not_matter() -> None:
    commented = "# a game\r\n\r\n" + TEXT.replace("\n", "\r\n  # thought long\r\n")
    assert Record.parse(commented) == GAME
    assert Record.parse(TEXT.rstrip("\n")) == GAME


@pytest.mark.parametrize(
    "names",
    [
        ('Anna "die Große"', "Computer\\"),
        ("", " "),
        ("#", "0 keep -"),
        ("Zeile\nzwei", "\x85\u2028\u2029\x0b\x0c\x1c\x1d"),
        ("👩‍👩‍👧", "Ἀθήνη"),
    ],
)
def test_any_name_survives(names: tuple[str, ...]) -> None:
    record = Record(GAME.ruleset, names, 0, GAME.events)
    assert Record.parse(record.format()) == record
    assert Record.from_json(json.loads(json.dumps(record.to_json()))) == record


def test_dice_keep_their_places_in_the_text() -> None:
    events = (Event(0, Throw(), (6, 1, 5, 1, 2)),)
    record = Record(knobel.load("yatzy"), ("A",), 0, events)
    assert record.format().splitlines()[-1] == "0 keep - -> 61512"
    assert Record.parse(record.format()).events == events


def test_a_record_needs_no_ruleset_file() -> None:
    """The embedded rules count: a house rule replays although no file of it exists."""
    house = knobel.load({"base": "classic", "id": "house", "labels": {"de": "A", "en": "A"}, "throws": 5})
    events = [Event(0, Throw(), (1, 1, 1, 1, 1)), *(Event(0, Throw(), (2, 2, 2, 2, 2)) for _ in range(4))]
    record = Record(house, ("A",), 0, (*events, Event(0, Enter(Box("twos")))))
    copy = Record.parse(record.format())
    assert copy.ruleset == house
    assert list(copy.replay())[-1].sheets[0].entries[1] == 10


# Where the dice came from

SHARE, SEED = bytes([7]) * 32, bytes(range(32))
FAIR = Exchange(
    "Ta_ble-1", commitment_of(SEED), ((0, commitment_of(SHARE)), (1, "ab" * 32)), ((0, SHARE.hex()),), SEED.hex()
)  # fmt: skip
PROVABLE = replace(GAME, dice="provable", begin="highest_throw", fair=FAIR)
ORIGIN = [
    "dice provable",
    "begin highest_throw",
    "table Ta_ble-1",
    f"commitment {commitment_of(SEED)}",
    f"commitments 0:{commitment_of(SHARE)} 1:{'ab' * 32}",
    f"shares 0:{SHARE.hex()}",
    f"seed {SEED.hex()}",
]


def test_where_the_dice_came_from_stands_in_lines_that_people_can_read() -> None:
    assert PROVABLE.format().splitlines()[5:12] == ORIGIN
    assert PROVABLE.to_json()["fair"] == {
        "table": "Ta_ble-1",
        "commitment": commitment_of(SEED),
        "commitments": [[0, commitment_of(SHARE)], [1, "ab" * 32]],
        "shares": [[0, SHARE.hex()]],
        "seed": SEED.hex(),
    }


def test_a_record_of_old_says_nothing_about_its_dice() -> None:
    old = {name: value for name, value in DATA.items() if name not in ("dice", "begin", "fair")}
    for copy in (Record.parse(TEXT), Record.from_json(old), Record.from_json(old | {"fair": None})):
        assert (copy.dice, copy.begin, copy.fair) == ("server", "seat", None)
    assert not {"dice", "begin", "table"} & {line.split(" ")[0] for line in TEXT.splitlines()}


HEX = st.binary(min_size=32, max_size=32).map(bytes.hex)
SEATS = st.dictionaries(st.integers(0, 999), HEX, max_size=6).map(lambda pairs: tuple(sorted(pairs.items())))
EXCHANGES = st.builds(
    Exchange, st.from_regex(r"[!-{}~]{1,100}", fullmatch=True), HEX, SEATS, SEATS, st.one_of(st.none(), HEX)
)


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(["provable", "server", "typed"]),
    st.sampled_from(["seat", "rotate", "random", "highest_throw"]),
    st.one_of(st.none(), EXCHANGES),
)
def test_every_origin_survives(dice: Source, begin: Begin, fair: Exchange | None) -> None:
    record = replace(GAME, dice=dice, begin=begin, fair=fair)
    assert Record.parse(record.format()) == record
    assert Record.from_json(json.loads(json.dumps(record.to_json()))) == record


@pytest.mark.parametrize(
    ("line", "text", "key"),
    [
        (0, "dice loaded", "record-header"),
        (0, "dice", "record-header"),
        (1, "begin last", "record-header"),
        (2, "", "record-header-missing"),
        (2, "table a b", "fair-table"),
        (2, "table", "fair-table"),
        (3, "", "record-header-missing"),
        (3, "commitment 12", "fair-hex"),
        (4, f"commitments 0={'ab' * 32}", "record-header"),
        (4, f"commitments {'ab' * 32}", "record-header"),
        (4, "commitments 0:", "fair-hex"),
        (4, f"commitments 1000:{'ab' * 32}", "fair-seats"),
        (5, f"shares 1:{'ab' * 32} 0:{'ab' * 32}", "fair-seats"),
        (5, f"shares -1:{'ab' * 32}", "record-header"),
        (5, f"shares ²:{'ab' * 32}", "record-header"),
        (5, f"shares {'9' * 5000}:{'ab' * 32}", "record-header"),
        (6, "seed", "fair-hex"),
        (6, f"seed {'AB' * 32}", "fair-hex"),
        (6, "dice server", "record-line"),
    ],
)
def test_a_line_about_the_dice_that_cannot_be_read_is_refused(line: int, text: str, key: str) -> None:
    lines = PROVABLE.format().splitlines()
    lines[5 + line] = text
    with pytest.raises(RecordError) as caught:
        Record.parse("\n".join(lines))
    assert caught.value.reason.key == key
    assert len(str(caught.value)) < 2000


WRONG_PARTS: list[dict[str, Any]] = [
    {"table": None}, {"table": "a|b"}, {"table": "\ud800"}, {"commitment": 5}, {"commitment": "x"},
    {"commitments": None}, {"commitments": {}}, {"commitments": [0]}, {"commitments": [[0]]},
    {"commitments": [[True, "ab" * 32]]}, {"commitments": [["0", "ab" * 32]]}, {"commitments": "x"},
    {"shares": [[0, None]]}, {"shares": [[10**5000, "ab" * 32]]}, {"shares": [[0, "ab" * 32, 1]]},
    {"seed": 0}, {"seed": False}, {"seed": "ab" * 33}, {"seed": []},
]  # fmt: skip
WRONG_EXCHANGES = [{"fair": PROVABLE.to_json()["fair"] | part} for part in WRONG_PARTS]


@pytest.mark.parametrize(
    "change",
    [
        {"dice": None}, {"dice": "loaded"}, {"dice": []}, {"begin": 0}, {"begin": None}, {"fair": []}, {"fair": {}},
        {"fair": "x"}, {"fair": 0}, {"fair": False}, *WRONG_EXCHANGES,
    ],
)  # fmt: skip
def test_data_about_the_dice_that_cannot_be_read_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(RecordError) as caught:
        Record.from_json(PROVABLE.to_json() | change)
    assert len(str(caught.value)) < 2000


# Impossible events: number and reason

START = Record(knobel.load("classic"), ("A", "B"))
ROLL = (3, 3, 3, 3, 3)
FIRST = Event(0, Throw(), ROLL)


@pytest.mark.parametrize(
    ("events", "number", "key"),
    [
        ((Event(0, Enter(Box("ones"))),), 1, "not-thrown"),
        ((Event(1, Throw(), ROLL),), 1, "not-your-turn"),
        ((Event(7, Throw(), ROLL),), 1, "not-your-turn"),
        ((Event(0, Throw()),), 1, "roll-expected"),
        ((Event(0, Throw(), (3, 3, 3, 3)),), 1, "roll-impossible"),
        ((Event(0, Throw(), (3,) * 6),), 1, "roll-impossible"),
        ((Event(0, Throw((3,)), ROLL),), 1, "first-throw-keeps-nothing"),
        ((FIRST, Event(0, Throw((4,)), ROLL)), 2, "keep-not-on-table"),
        ((FIRST, Event(0, Throw((3, 3)), (3, 1, 1, 1, 1))), 2, "roll-impossible"),
        ((FIRST, Event(0, Throw(ROLL), ROLL)), 2, "throw-nothing"),
        ((FIRST, FIRST, FIRST, FIRST), 4, "no-throw-left"),
        ((FIRST, Event(0, Enter(Box("nowhere")))), 2, "unknown-box"),
        ((FIRST, Event(0, Enter(Box("ones", 1)))), 2, "unknown-box"),
        ((FIRST, Event(0, Enter(Box("ones")), ROLL)), 2, "roll-not-expected"),
        ((FIRST, Event(1, Enter(Box("ones")))), 2, "not-your-turn"),
        ((FIRST, Event(0, Enter(Box("ones"))), Event(1, Enter(Box("ones")))), 3, "not-thrown"),
        (
            (FIRST, Event(0, Enter(Box("ones"))), Event(1, Throw(), ROLL), Event(1, Enter(Box("ones"))), FIRST,
             Event(0, Enter(Box("ones")))),
            6, "box-filled",
        ),
    ],
)  # fmt: skip
def test_an_impossible_event_is_named_by_number_and_reason(events: tuple[Event, ...], number: int, key: str) -> None:
    record = Record(START.ruleset, START.seats, 0, events)
    for copy in (record, Record.parse(record.format()), Record.from_json(record.to_json())):
        states: list[knobel.State] = []
        with pytest.raises(RecordError) as caught:
            states.extend(copy.replay())
        assert (caught.value.event, caught.value.reason.key) == (number, key)
        assert str(caught.value).startswith(f"event {number}")
        assert len(states) == number  # the start and all events before


def test_an_event_after_the_end_is_impossible() -> None:
    game = CheckedGame("yatzy", {})
    game.play(Random(0))
    record = Record(game.rules, ("A",), 0, (*game.events, Event(0, Throw(), ROLL)))
    with pytest.raises(RecordError) as caught:
        list(record.replay())
    assert (caught.value.event, caught.value.reason.key) == (len(game.events) + 1, "game-over")


@pytest.mark.parametrize("first", [2, -1, 10**30])
def test_a_seat_that_is_not_there_cannot_begin(first: int) -> None:
    with pytest.raises(RecordError) as caught:
        list(Record(START.ruleset, START.seats, first).replay())
    assert (caught.value.event, caught.value.reason.key) == (0, "expected-seat")


# Texts that cannot be read: the line


@pytest.mark.parametrize("line", range(1, N_HEAD + 1))
def test_every_header_line_is_needed(line: int) -> None:
    with pytest.raises(RecordError) as caught:
        Record.parse(edited(line, ""))
    assert caught.value.reason.key == "record-header-missing"


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (1, "knobel 2"),
        (1, "knobel one"),
        (1, "kniffel 1"),
        (1, "knobel " + "9" * 5000),
        (2, "rules yatzy columns=3"),
        (2, "rules"),
        (3, "digest 0123456789abcdef"),
        (3, "digest"),
        (4, "seats"),
        (4, "seats Anna"),
        (4, "seats 1 2"),
        (4, 'seats ["Anna"]'),
        (4, 'seats "Anna'),
        (5, "first one"),
        (5, "first true"),
        (5, "first 0.5"),
        (6, "ruleset"),
        (6, "ruleset {}"),
        (6, "ruleset []"),
        (6, "ruleset {"),
        (6, "ruleset " + "[" * 100_000),
        (6, "ruleset " + '{"a":' * 100_000),
        (6, "ruleset " + "[" * 900 + "]" * 900),
        (6, "seats \"A\""),
        (7, "0"),
        (7, "0 throw"),
        (7, "0 keep"),
        (7, "0 keep - 12345"),
        (7, "0 keep - -> "),
        (7, "0 keep - -> 1234x"),
        (7, "0 keep - -> 12347"),
        (7, "0 keep 7 -> 12345"),
        (7, "0 enter"),
        (7, "0 enter ones/0"),
        (7, "0 enter ones/-1"),
        (7, "0 enter ones/x"),
        (7, "1000 keep - -> 12345"),
        (7, "-1 keep - -> 12345"),
        (7, "² keep - -> 12345"),
        (7, "zero keep - -> 12345"),
        (7, "first 0"),
        (7, "x" * 10**6),
    ],
)  # fmt: skip
def test_a_line_that_cannot_be_read_is_refused(line: int, text: str) -> None:
    with pytest.raises(RecordError) as caught:
        Record.parse(edited(line, text))
    assert len(str(caught.value)) < 2000
    if line > N_HEAD:
        assert caught.value.line == line


@pytest.mark.parametrize("option", ["x=²", "x=" + "9" * 5000, "x=1,²", "x", "=", "joker=", "joker=free"])
def test_the_options_in_the_text_are_for_people_and_never_crash(option: str) -> None:
    try:
        record = Record.parse(edited(2, f"rules classic {option}"))
    except RecordError:
        return
    assert record.ruleset.joker == "forced"  # what is played stands in the ruleset line
    assert hash(record.ruleset)


def test_a_record_without_end_is_refused() -> None:
    with pytest.raises(RecordError):
        Record.parse(TEXT + "0 keep - -> 11111\n" * 100_001)
    with pytest.raises(RecordError):
        Record.from_json(DATA | {"events": ["0 keep - -> 11111"] * 100_001})


@pytest.mark.parametrize("text", ["", "\0", "knobel", "0 keep - -> 11111", "{}", TEXT[: len(TEXT) // 3]])
def test_what_is_no_record_is_refused(text: str) -> None:
    with pytest.raises(RecordError):
        Record.parse(text)


@pytest.mark.parametrize(
    "change",
    [
        {"knobel": 2}, {"knobel": None}, {"knobel": "1"}, {"knobel": []},
        {"rules": "yatzy"}, {"rules": 5}, {"rules": None},
        {"digest": None}, {"digest": 5}, {"digest": knobel.digest(GAME.ruleset)},
        {"seats": []}, {"seats": "Anna"}, {"seats": [1]}, {"seats": {}}, {"seats": [["A"]]},
        {"first": "0"}, {"first": True}, {"first": 0.0}, {"first": None},
        {"ruleset": None}, {"ruleset": {}}, {"ruleset": "classic"}, {"ruleset": DATA["ruleset"] | {"dice": 10**9}},
        {"events": None}, {"events": {}}, {"events": "0 keep -"}, {"events": [None]}, {"events": [["0 keep -"]]},
        {"events": [5]}, {"events": [10**5000]}, {"events": [{}]},
        {"options": []}, {"options": None}, {"options": {"a": {}}}, {"options": {"a": [[1]]}},
        {"options": {"a": [{}]}}, {"options": {"a": None}}, {"options": {"a": 1.5}},
    ],
)  # fmt: skip
def test_data_that_is_no_record_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(RecordError):
        Record.from_json(DATA | change)


@pytest.mark.parametrize("data", [None, 5, "x", [], {}, [DATA]])
def test_what_is_no_table_is_refused(data: object) -> None:
    with pytest.raises(RecordError):
        Record.from_json(data)


# Fuzz

FUZZ = settings(max_examples=300, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
PIECES = st.one_of(
    st.text(max_size=8),
    st.sampled_from(
        ["\n", "\r", "\x00", "\u2028", '"', "{", "->", " ", "0 ", "keep ", "enter ", "9" * 5000, "\ud800", "[" * 2000]
    ),
)


def failure(read: Callable[[], object]) -> RecordError | None:
    """The `RecordError` that this raises."""
    try:
        read()
    except RecordError as error:
        return error
    return None


def read_and_play(text: str) -> None:
    """Whatever the text is: a record that replays as far as it goes, or a `RecordError`."""
    unreadable = failure(lambda: Record.parse(text))
    if unreadable is not None:
        assert len(str(unreadable)) < 2000
        return
    record = Record.parse(text)
    assert Record.parse(record.format()) == record
    impossible = failure(lambda: list(record.replay()))
    assert impossible is None or impossible.event <= len(record.events)


@FUZZ
@given(st.integers(0, len(TEXT)), st.integers(0, 30), PIECES)
def test_a_damaged_text_is_a_record_or_refused(start: int, length: int, piece: str) -> None:
    read_and_play(TEXT[:start] + piece + TEXT[start + length :])


@FUZZ
@given(st.lists(st.one_of(st.sampled_from(TEXT.splitlines()), PIECES), max_size=12))
@example([*TEXT.splitlines()[:6], "0 keep - -> 11111", "0 enter ones"])
def test_shuffled_lines_are_a_record_or_refused(lines: list[str]) -> None:
    read_and_play("\n".join(lines))


@FUZZ
@given(st.text(max_size=20))
def test_any_text_is_an_action_or_refused(text: str) -> None:
    for candidate in (text, f"keep {text}", f"enter {text}", f"enter ones/{text}"):
        try:
            action = knobel.parse_action(candidate)
        except KnobelError:
            continue
        assert knobel.parse_action(str(action)) == action


JUNK = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)),
    max_leaves=5,
)


@FUZZ
@given(st.sampled_from(sorted(DATA)), JUNK)
def test_damaged_data_is_a_record_or_refused(name: str, junk: Any) -> None:
    try:
        record = Record.from_json(DATA | {name: junk})
    except RecordError:
        return
    assert hash(record.ruleset)
    assert Record.from_json(record.to_json()) == record


@FUZZ
@given(st.sampled_from(["table", "commitment", "commitments", "shares", "seed", "more"]), JUNK)
def test_a_damaged_exchange_is_one_or_refused(name: str, junk: Any) -> None:
    data = PROVABLE.to_json()
    try:
        record = Record.from_json(data | {"fair": data["fair"] | {name: junk}})
    except RecordError:
        return
    assert record.fair is not None
    assert record.fair.malformed() is None
    assert Record.parse(record.format()) == record


LONG = PROVABLE.format()


@FUZZ
@given(st.integers(0, 800), st.integers(0, 30), PIECES)
def test_a_damaged_head_is_a_record_or_refused(start: int, length: int, piece: str) -> None:
    read_and_play(LONG[:start] + piece + LONG[start + length :])
