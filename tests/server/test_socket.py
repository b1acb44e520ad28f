import json
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from knobel.server import handshake, present, socket
from knobel.server.messages import PROTOCOL
from tests.server.serving import AGAINST_COMPUTER, BEGUN, HELLO, PEOPLE, Player, Served, asleep, serving

GOOD = {"id": "command-1", "version": BEGUN, "seat": 0, "move": {"do": "throw", "keep": []}, "type": "command"}
ASKED = {"id": "request-1", "version": BEGUN, "act": {"do": "rise"}, "type": "request"}


def close_code(player: Player) -> int | None:
    """The code with which the server closes, after everything it still says."""
    try:
        while True:
            player.connection.recv(10)
    except ConnectionClosed:
        return player.connection.close_code


# --- playing ---


def test_a_hello_brings_the_whole_table(served: Served) -> None:
    with served.join(served.open("six-dice", begin="highest_throw")) as player:
        table = player.first
        assert (table["type"], table["protocol"]) == ("table", PROTOCOL)
        assert table["terms"] == {
            "begin": "highest_throw", "dice": "provable", "pace": "live", "clock": None, "public": False,
        }  # fmt: skip
        room = table["live"]["room"]
        assert [seat["name"] for seat in room["seats"]] == ["Ada", "Ben"]
        assert {seat["guest"] for seat in room["seats"]} == {room["host"]} == {table["you"]}
        assert table["ruleset"]["dice"] == 6
        *around, begin = table["events"]
        assert [event["kind"] for event in around] == ["open", "seal"]
        assert (begin["kind"], begin["version"], len(begin["dice"])) == ("begin", BEGUN, 6)
        assert table["live"]["dice"] is None
        assert table["live"]["view"]["actions"] == ["keep -"]


def test_dice_that_stay_keep_their_places(served: Served) -> None:
    with served.join(served.open()) as player:
        assert player.throw()["ok"]
        before = player.live["dice"]
        player.throw(1, 4)
        after = player.live["dice"]
        assert (before[1], before[4]) == (after[1], after[4])
        assert player.events[-1]["thrown"] == [0, 2, 3]
        assert sorted(after) == player.view["turn"]["roll"]


def test_an_entry_says_what_it_brought_and_passes_the_turn(served: Served) -> None:
    with served.join(served.open()) as player:
        player.throw()
        total = sum(player.live["dice"])
        player.enter("chance")
        event = player.events[-1]
        assert (event["kind"], event["seat"], event["box"], event["points"]) == ("enter", 0, "chance", total)
        assert player.view["turn"]["seat"] == 1
        assert player.live["dice"] is None


def test_a_second_tab_sees_every_event(served: Served) -> None:
    table = served.open()
    with served.join(table) as one, served.join(table) as two:
        one.throw()
        two.receive()
        assert two.live == one.live


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"seat": 1}, "action/not-your-turn"),
        ({"version": 7}, "action/stale"),
        ({"version": 0}, "action/stale"),
        ({"move": {"do": "throw", "keep": [0]}}, "action/illegal"),
        ({"move": {"do": "enter", "box": "chance"}}, "action/illegal"),
        ({"move": {"do": "enter", "box": "../../etc/passwd"}}, "action/illegal"),
        ({"move": {"do": "throw", "keep": [], "extra": True}}, "action/illegal"),
        ({"move": {"do": "spend", "token": "samuel"}}, "action/illegal"),
        ({"move": {"do": "choose", "places": [0, 1, 2, 3, 4]}}, "action/illegal"),
        ({"move": {"do": "choose", "places": list(range(128))}}, "action/illegal"),
        ({"move": {"do": "pick", "box": "ones"}}, "action/illegal"),
    ],
)
def test_a_refused_command_changes_nothing(served: Served, changes: dict[str, Any], code: str) -> None:
    with served.join(served.open()) as player:
        before = player.live
        player.send(GOOD | changes)
        reply = player.until_reply()
        assert (reply["ok"], reply["problem"]["code"], reply["version"]) == (False, code, before["version"])
        with served.join(player.first["id"]) as other:
            assert other.live == before


def test_a_finished_game_takes_no_commands(served: Served) -> None:
    table = served.open("yatzy", PEOPLE[:1])
    for _ in range(2):  # the limit of frames is for each socket
        with served.join(table) as player:
            for _ in range(8):
                if player.view["turn"]:
                    assert player.throw()["ok"]
                    assert player.enter_first()["ok"]
    with served.join(table) as player:
        assert player.view["result"]["ranks"] == [1]
        assert player.view["turn"] is None  # B056
        assert player.throw()["problem"]["code"] == "table/over"


# --- what counts once ---


def test_a_repeated_command_gets_the_answer_of_the_first(served: Served) -> None:
    table = served.open()
    with served.join(table) as player:
        before = player.version
        command = player.command({"do": "throw", "keep": []})
        player.send(command)
        first = player.until_reply()
        dice = player.live["dice"]
        player.throw()
        player.send(command)
        assert player.until_reply() == first
        with served.join(table) as other:
            other.send(command)
            assert other.until_reply() == first
            assert other.version == before + 2
        assert [event["dice"] for event in player.events if event["version"] == before + 1] == [dice]


def test_two_tabs_that_throw_fifty_times_at_once_get_one_throw(served: Served) -> None:  # drill 10
    table = served.open()
    players = [served.join(table) for _ in range(2)]
    start = threading.Barrier(50)
    replies: list[dict[str, Any]] = []

    def throw(number: int) -> None:
        start.wait()
        players[number % 2].send(GOOD | {"id": f"command-{number}"})

    threads = [threading.Thread(target=throw, args=(number,)) for number in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for player in players:
        replies += [player.until_reply() for _ in range(25)]
        player.connection.close()
    assert sorted(reply["ok"] for reply in replies) == [False] * 49 + [True]
    assert {reply["problem"]["code"] for reply in replies if not reply["ok"]} == {"action/stale"}
    assert players[0].live == players[1].live
    assert players[0].version == BEGUN + 1


# --- leaving and coming back ---


def test_leaving_the_socket_is_not_leaving_the_game(served: Served) -> None:  # B079
    table = served.open()
    with served.join(table) as player:
        player.throw()
        player.throw(0, 1)
        before = player.live
    with served.join(table) as player:
        assert player.live == before
        assert player.view["turn"]["throws_left"] == 1
        assert player.throw()["ok"]


def test_coming_back_brings_exactly_the_missed_events(served: Served) -> None:
    table = served.open()
    with served.join(table) as player:
        player.throw()
        seen = player.version
        player.throw()
        player.enter("chance")
        with served.join(table, since=seen) as back:
            assert (back.first["type"], [event["version"] for event in back.events]) == ("update", [seen + 1, seen + 2])
            assert back.live == player.live
        with served.join(table, since=seen + 2) as back:
            assert (back.first["type"], back.events) == ("update", [])


@pytest.mark.parametrize("since", [0, BEGUN + 1, 9])
def test_a_client_that_cannot_have_seen_that_gets_everything(served: Served, since: int) -> None:
    with served.join(served.open(), since=since) as player:
        assert player.first["type"] == "table"


def test_a_client_that_missed_too_much_gets_everything(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(present, "MISSED", 1)
    table = served.open()
    with served.join(table) as player:
        player.throw()
        player.throw()
        with served.join(table, since=BEGUN) as back:
            assert back.first["type"] == "table"


def test_a_game_goes_on_after_a_restart_with_its_options(tmp_path: Path) -> None:  # B089
    options = {"joker": "free", "order": "down"}
    fives = iter([(3,) * 5] * 100)
    with serving(tmp_path, lambda _: next(fives)) as server:
        table = server.open("classic", PEOPLE[:1], options=options)
        with server.join(table) as player:
            for _ in range(12):
                player.throw()
                player.enter_first()
            player.throw()
            before = player.live
            first, cookie = player.first, server.http.headers["cookie"]
            assert sum(action.startswith("enter") for action in before["view"]["actions"]) == 1
    with serving(tmp_path, lambda _: next(fives)) as server, server.join(table, cookie=cookie) as player:
        assert player.live == before
        assert player.first["ruleset"] == first["ruleset"]
        assert dict(player.first["ruleset"]["options"]) == options
        assert player.enter_first()["ok"]


# --- computer players ---


def test_a_computer_player_plays_on_by_itself(served: Served) -> None:
    with served.join(served.open(seats=AGAINST_COMPUTER)) as player:
        player.throw()
        player.enter("chance")
        while player.view["turn"]["seat"] == 1:
            assert player.view["actions"] == []
            assert len(player.receive()["events"]) == 1
        kinds = [event["kind"] for event in player.events if event["seat"] == 1]
        assert kinds[0] == "throw"
        assert kinds[-1] == "enter"
        assert player.view["actions"] == ["keep -"]


def test_nobody_else_may_play_for_a_computer(served: Served) -> None:
    seats = (AGAINST_COMPUTER[1], PEOPLE[0])
    with served.join(served.open(seats=seats)) as player:
        player.send(GOOD)
        assert player.until_reply()["problem"]["code"] in {
            "action/not-your-seat",
            "action/not-your-turn",
            "action/stale",
        }


def test_a_game_of_computers_ends(served: Served) -> None:
    with served.join(served.open("yatzy", (AGAINST_COMPUTER[1],) * 2)) as player:
        while player.view["result"] is None:
            player.receive()
        assert player.view["result"]["totals"][0] > 100


# --- bad input ---

WRONG_VALUES: tuple[Any, ...] = (None, [], {}, 1.5, "x", True, -1)
WRONG_KEEPS: tuple[Any, ...] = (None, 1, "01", {"0": 1}, [8], [-1], [1.0], ["1"], [True], [None], [[0]])
WRONG_SHARES: tuple[Any, ...] = (
    *(None, {}, "x", [0], [[0]], [[0, "ab"]], [[0, "A" * 64]]),
    *([[-1, "a" * 64]], [[12, "a" * 64]], [[0, "a" * 64, 0]], [[0, "a" * 64]] * 13),
)
NO_FLAGS: tuple[Any, ...] = (None, 0, 1, "true", [], {})
NO_NAMES: tuple[Any, ...] = (None, [], {}, 1, True, "x" * 61)
MALFORMED = {
    "not JSON": ("{", "message/not-json"),
    "nothing": ("", "message/not-json"),
    "cut off": (json.dumps(GOOD)[:-1], "message/not-json"),
    "two values": ("{}{}", "message/not-json"),
    "NaN": ('{"type":"command","version":NaN}', "message/not-json"),
    "Infinity": ('{"version":-Infinity}', "message/not-json"),
    "1e400": ('{"version":1e400}', "message/not-json"),
    "a number of 5,000 digits": (f'{{"version":{"9" * 5000}}}', "message/not-json"),
    "a key twice": ('{"type":"hello","type":"command"}', "message/not-json"),
    "half a character": (json.dumps(GOOD | {"id": "\ud800 half a character"}), "message/not-json"),
    "17 deep": (f"{'[' * 17}{']' * 17}", "message/too-deep"),
    "4,000 deep": (f"{'[' * 4000}{']' * 4000}", "message/too-deep"),
    "a list": ("[]", "message/invalid"),
    "null": ("null", "message/invalid"),
    "unknown type": ('{"type":"chat"}', "message/invalid"),
    "no type": (json.dumps({k: v for k, v in GOOD.items() if k != "type"}), "message/invalid"),
    "unknown move": (json.dumps(GOOD | {"move": {"do": "cheat"}}), "message/invalid"),
    "an id with a NUL": (json.dumps(GOOD | {"id": "command\0\0"}), "message/invalid"),
    "an id with a blank": (json.dumps(GOOD | {"id": "command 1"}), "message/invalid"),
    "NUL": (json.dumps(GOOD | {"type": "command\0"}), "message/invalid"),
    **{
        f"{field} is {value!r}": (json.dumps(GOOD | {field: value}), "message/invalid")
        for field in GOOD
        for value in WRONG_VALUES
    },
    **{
        f"keep is {value!r}": (json.dumps(GOOD | {"move": {"do": "throw", "keep": value}}), "message/invalid")
        for value in WRONG_KEEPS
    },
    **{
        f"places are {value!r}": (json.dumps(GOOD | {"move": {"do": "choose", "places": value}}), "message/invalid")
        for value in (*WRONG_KEEPS[:4], [128], *WRONG_KEEPS[5:])
    },
    **{
        f"extra is {value!r}": (
            json.dumps(GOOD | {"move": {"do": "throw", "keep": [], "extra": value}}),
            "message/invalid",
        )
        for value in NO_FLAGS
    },
    **{
        f"{field} is {value!r}": (json.dumps(GOOD | {"move": {"do": do, field: value}}), "message/invalid")
        for do, field in (("spend", "token"), ("pick", "box"))
        for value in NO_NAMES
    },
    "a choice without places": (json.dumps(GOOD | {"move": {"do": "choose"}}), "message/invalid"),
    "a token that is a box": (json.dumps(GOOD | {"move": {"do": "spend", "box": "ones"}}), "message/invalid"),
    "a box of 61 characters": (json.dumps(GOOD | {"move": {"do": "enter", "box": "x" * 61}}), "message/invalid"),
    "unknown request": (json.dumps(ASKED | {"act": {"do": "shout"}}), "message/invalid"),
    "a request as a move": (json.dumps(GOOD | {"move": {"do": "rise"}}), "message/invalid"),
    "a move as a request": (json.dumps(ASKED | {"act": GOOD["move"]}), "message/invalid"),
    "what only the server does": (json.dumps(ASKED | {"act": {"do": "stand_in", "seat": 0}}), "message/invalid"),
    "a name of 41 characters": (json.dumps(ASKED | {"act": {"do": "sit", "name": "x" * 41}}), "message/invalid"),
    "a seat that is True": (json.dumps(ASKED | {"act": {"do": "remove", "seat": True}}), "message/invalid"),
    "seat 12": (json.dumps(ASKED | {"act": {"do": "remove", "seat": 12}}), "message/invalid"),
    "words of one's own": (json.dumps(ASKED | {"act": {"do": "say", "phrase": "idiot"}}), "message/invalid"),
    **{
        f"{field} of {do} is {value!r}": (json.dumps(ASKED | {"act": {"do": do, field: value}}), "message/invalid")
        for do, field in (("ready", "commitments"), ("reveal", "shares"))
        for value in WRONG_SHARES
    },
    "hello with since -1": ('{"type":"hello","protocol":2,"since":-1}', "message/invalid"),
    "hello again": (HELLO, "message/hello-again"),
}


@pytest.fixture(scope="module")
def served_all(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with serving(tmp_path_factory.mktemp("data")) as server:
        yield server


@pytest.mark.parametrize("case", MALFORMED)
def test_a_malformed_message_is_refused_and_the_game_goes_on(served_all: Served, case: str) -> None:
    text, code = MALFORMED[case]
    with served_all.join(served_all.open()) as player:
        player.connection.send(text)
        reply = player.until_reply()
        assert (reply["id"], reply["ok"], reply["problem"]["code"]) == (None, False, code)
        assert player.throw()["ok"]
        assert player.version == BEGUN + 1


def test_bytes_are_refused_and_the_game_goes_on(served: Served) -> None:
    with served.join(served.open()) as player:
        player.connection.send(json.dumps(GOOD).encode())
        assert player.until_reply()["problem"]["code"] == "message/binary"
        assert player.throw()["ok"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (json.dumps(GOOD), "message/hello-expected"),
        (json.dumps({"type": "hello", "protocol": PROTOCOL - 1}), "message/protocol"),
        (json.dumps({"type": "hello", "protocol": PROTOCOL + 1}), "message/protocol"),
        ('{"type":"hello","protocol":0}', "message/protocol"),
    ],
)
def test_the_first_message_must_be_a_hello_of_this_protocol(served: Served, text: str, code: str) -> None:
    with served.connect(served.open()) as connection:
        connection.send(text)
        assert json.loads(connection.recv(10))["problem"]["code"] == code
        with pytest.raises(ConnectionClosed):
            connection.recv(10)
        assert connection.close_code == 1008


def test_the_hello_must_come_soon(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "HELLO_SECONDS", 0.1)
    with served.connect(served.open()) as connection:
        assert json.loads(connection.recv(10))["problem"]["code"] == "message/hello-expected"
        with pytest.raises(ConnectionClosed):
            connection.recv(10)
        assert connection.close_code == 1008


def test_a_frame_of_more_than_8192_bytes_closes(served: Served) -> None:
    with served.join(served.open()) as player:
        player.connection.send(" " * 8192)
        assert player.until_reply()["problem"]["code"] == "message/not-json"
        player.connection.send(" " * 8193)
        assert close_code(player) == 1009


def test_a_message_in_endless_pieces_closes(served: Served) -> None:
    with served.join(served.open()) as player:
        first, piece = bytes([0x01, 0x81, 0, 0, 0, 0, 32]), bytes([0x00, 0x81, 0, 0, 0, 0, 32])
        player.connection.socket.sendall(first + 64 * piece)
        assert close_code(player) == 1009


def test_text_that_is_no_text_closes(capfd: pytest.CaptureFixture[str], served: Served) -> None:
    with served.join(served.open()) as player:
        player.connection.send(b"\xff\xfe", text=True)
        assert close_code(player) == 1007
    assert "Traceback" not in capfd.readouterr().err


def test_too_many_messages_close(served: Served) -> None:
    with served.join(served.open()) as player:
        for _ in range(50):
            player.connection.send("?")
        replies = [player.until_reply()["problem"]["code"] for _ in range(50)]
        assert replies == ["message/not-json"] * 49 + ["message/too-many"]
        assert close_code(player) == 1008


def test_a_reader_that_sleeps_is_cut_off_and_harms_nobody(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "FLUSH_SECONDS", 0.2)
    monkeypatch.setattr(socket, "MAX_OUTGOING", 4)  # updates are changes, and the buffers below hold many of them
    monkeypatch.setattr(handshake, "LINGER_SECONDS", 0.2)
    table = served.open("six-dice", PEOPLE * 6, options={"columns": 3})
    with asleep(served, table, 4096):
        for _ in range(20):
            with served.join(table) as player:
                for _ in range(10):
                    assert (player.throw() if "keep -" in player.view["actions"] else player.enter_first())["ok"]
                if served.hall_watchers(table) == 1:
                    break
        else:
            pytest.fail("the sleeping reader is still there")
        assert player.version < 100
        served.http.close()
        until = time.monotonic() + 5
        while served.n_connections:
            assert time.monotonic() < until, "the connection is still open"
            time.sleep(0.01)


# --- who may come ---


def test_pages_of_other_sites_are_refused_in_the_handshake(served: Served) -> None:  # B097
    table = served.open()
    for origin in ("http://evil.example", f"http://localhost.evil.example:{served.port}", "null", "http://127.0.0.1:1"):
        with pytest.raises(InvalidStatus) as refused:
            served.connect(table, origin=origin)
        assert refused.value.response.status_code == 403
        assert json.loads(refused.value.response.body or b"")["problem"]["code"] == "request/foreign-origin"
    with served.join(table, origin=served.url) as player:
        assert player.throw()["ok"]


@pytest.mark.parametrize("table", ["unknown-table-id", "x" * 41, "..%2f..%2fetc"])
def test_an_unknown_table_is_refused_in_the_handshake(served: Served, table: str) -> None:
    with pytest.raises(InvalidStatus) as refused:
        served.connect(table)
    assert refused.value.response.status_code == 404
