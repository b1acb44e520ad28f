"""Acht, Mann! over the socket: helpers, tokens, special rounds, and several seats that send at the same moment."""

import threading
from pathlib import Path
from random import Random
from typing import Any

import pytest

import knobel
from knobel import Record
from knobel.server import present, socket
from tests.seated import dice, lucky_dice, random_action
from tests.server.serving import AGAINST_COMPUTER, PEOPLE, Player, Served, serving, wire_move

THREE = (*PEOPLE, {"name": "Cem", "kind": "person"})
AT_ONCE: dict[str, Any] = {"upper_threshold": 1}  # the first point in the upper part brings a special round


class Lively:
    """Plays at random, and uses everything that there is."""

    def choose(self, state: knobel.State, rng: Random) -> knobel.Action:
        return random_action(state, rng)


def ask_for_help(player: Player) -> None:
    assert player.throw()["ok"]
    assert player.play({"do": "spend", "token": "wunder"})["ok"]


# --- helpers ---


def test_helpers_throw_before_everyones_eyes_and_the_owner_chooses(tmp_path: Path) -> None:
    with serving(tmp_path, dice("11345", "54321", "61616")) as served:
        table = served.open("acht-mann", THREE)
        with served.join(table) as player, served.join(table) as other:
            ask_for_help(player)
            spent = player.events[-1]
            assert (spent["kind"], spent["seat"], spent["owner"], spent["token"]) == ("spend", 0, 0, "wunder")
            assert player.live["pool"] == [{"seat": 0, "dice": [1, 1, 3, 4, 5]}]
            for seat in (1, 2):
                turn = player.view["turn"]
                assert (turn["seat"], turn["owner"], player.view["seat"]) == (seat, 0, seat)
                assert player.view["actions"] == ["keep -"]
                assert player.throw()["ok"]
                event = player.events[-1]
                assert (event["kind"], event["seat"], event["owner"], event["extra"]) == ("throw", seat, 0, False)
                assert event["thrown"] == [0, 1, 2, 3, 4]
                assert player.live["dice"] == [1, 1, 3, 4, 5]
            assert [thrown["seat"] for thrown in player.live["pool"]] == [0, 1, 2]
            assert player.play({"do": "choose", "places": [9, 0, 11, 13, 1]})["ok"]
            assert (player.events[-1]["kind"], player.events[-1]["dice"]) == ("choose", [1, 1, 1, 1, 1])
            assert (player.live["dice"], player.live["pool"]) == ([1, 1, 1, 1, 1], [])
            assert player.enter("five_kind")["ok"]
            assert player.events[-1]["points"] == 50
            while other.version < player.version:
                other.receive()
            assert (other.events, other.live) == (player.events, player.live)


def test_who_comes_back_among_helpers_gets_what_he_missed(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    table = served.open("acht-mann", THREE)
    with served.join(table) as player:
        ask_for_help(player)
        seen = player.version
        player.throw()
        with served.join(table, since=seen) as back:
            assert back.first["type"] == "update"
            assert [(event["seat"], event["owner"]) for event in back.events] == [(1, 0)]
            assert back.live == player.live
        monkeypatch.setattr(present, "RECENT", 1)
        with served.join(table) as back:
            assert [(event["seat"], event["owner"]) for event in back.events] == [(1, 0)]


def test_helpers_are_still_awaited_after_a_restart(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        table = served.open("acht-mann", THREE, options={"samuel_mode": "throw"})
        with served.join(table) as player:
            player.throw()
            player.throw(1, 2)
            player.play({"do": "spend", "token": "wunder"})
            player.throw()
            before, cookie = player.live, served.http.headers["cookie"]
    with serving(tmp_path) as served, served.join(table, cookie=cookie) as player:
        assert player.live == before
        stayed = before["dice"][1:3]
        assert player.throw()["ok"]
        assert player.play({"do": "choose", "places": [5, 6, 7, 8, 9]})["ok"]
        assert player.play({"do": "spend", "token": "samuel"})["ok"]
        assert player.live["dice"] == [0, *stayed, 0, 0]
        assert player.throw(1)["problem"]["code"] == "action/illegal"
        assert player.throw(1, 2)["ok"]
        assert player.live["dice"][1:3] == stayed


@pytest.mark.parametrize(
    ("move", "key"),
    [
        ({"do": "spend", "token": "wunder"}, "helpers-first"),
        ({"do": "spend", "token": "../../etc/passwd"}, "helpers-first"),
        ({"do": "choose", "places": [0, 1, 2, 3, 4]}, "helpers-first"),
        ({"do": "choose", "places": [0, 0, 1, 2, 3]}, "table-places"),
        ({"do": "choose", "places": [127]}, "table-places"),
        ({"do": "pick", "box": "ones/6"}, "pick-not-allowed"),
        ({"do": "pick", "box": ""}, "box-expected"),
        ({"do": "pick", "box": "ones/0000012"}, "box-expected"),
        ({"do": "enter", "box": "ones"}, "helpers-first"),
        ({"do": "throw", "keep": [0]}, "first-throw-keeps-nothing"),
        ({"do": "throw", "keep": [5]}, "table-places"),
        ({"do": "throw", "keep": [], "extra": True}, "helpers-first"),
    ],
)
def test_a_helper_can_do_nothing_else(served_all: Served, move: dict[str, Any], key: str) -> None:
    with served_all.join(served_all.open("acht-mann", THREE)) as player:
        ask_for_help(player)
        before = player.live
        problem = player.play(move)["problem"]
        assert (problem["code"], problem["key"]) == ("action/illegal", key)
        assert player.live == before
        assert player.throw()["ok"]


@pytest.fixture(scope="module")
def served_all(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with serving(tmp_path_factory.mktemp("data")) as server:
        yield server


# --- several seats at the same moment ---


@pytest.mark.parametrize("scene", ["helpers", "special round", "pick"])
def test_of_seats_that_send_at_the_same_moment_the_one_on_turn_is_served(
    tmp_path: Path, scene: str
) -> None:  # drill 11
    with serving(tmp_path, lambda n: (1,) * n) as served:
        table = served.open("acht-mann", THREE, options={} if scene == "helpers" else AT_ONCE)
        with served.join(table) as player:
            if scene == "helpers":
                ask_for_help(player)
            else:
                assert player.throw()["ok"]
                assert player.enter("ones")["ok"]
            if scene == "special round":
                assert player.play({"do": "pick", "box": "twos/6"})["ok"]
            before = player.version
        move = {"do": "pick", "box": "twos/6"} if scene == "pick" else {"do": "throw", "keep": []}
        acting = 1 if scene == "helpers" else 0
        replies = sent_at_once(served, table, move)
        served_ones = [(seat, reply) for seat, reply in replies if reply["ok"]]
        assert [(seat, reply["version"]) for seat, reply in served_ones] == [(acting, before + 1)]
        refused = {(seat == acting, reply["problem"]["code"]) for seat, reply in replies if not reply["ok"]}
        assert {code for _, code in refused} <= {"action/not-your-turn", "action/stale"}
        assert (False, "action/not-your-turn") in refused
        with served.join(table) as player:
            assert player.version == before + 1
            assert player.events[-1]["seat"] == acting
            assert until_regular(player) == {"helpers": [2, 0], "special round": [0, 1, 2], "pick": [0, 1, 2]}[scene]
            assert player.view["turn"]["seat"] == 1


def until_regular(player: Player) -> list[int]:
    """Play until the interruption is over; who had to act, in order."""
    seats: list[int] = []
    while (turn := player.view["turn"])["pool"] is not None or turn["scene"] == "special" or turn["seat"] == 0:
        seats += [] if turn["seat"] in seats else [turn["seat"]]
        if turn["helpers"] or turn["roll"] is None:
            assert player.throw()["ok"]
        elif turn["pool"] is not None:
            assert player.play({"do": "choose", "places": [0, 1, 2, 3, 4]})["ok"]
        else:
            assert player.enter_first()["ok"]
    return seats


def sent_at_once(served: Served, table: str, move: dict[str, Any]) -> list[tuple[int, dict[str, Any]]]:
    """The replies to the same move from three seats, eight times each, all sent at the same moment."""
    players = [served.join(table) for _ in range(3)]
    start = threading.Barrier(24)

    def send(number: int) -> None:
        command = players[number % 3].command(move, seat=number % 3, id=f"command-{number}")
        start.wait()
        players[number % 3].send(command)

    threads = [threading.Thread(target=send, args=(number,)) for number in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    replies = [(seat, player.until_reply()) for seat, player in enumerate(players) for _ in range(8)]
    for player in players:
        player.connection.close()
    return replies


# --- computer players ---


def test_a_computer_helps_a_person(tmp_path: Path) -> None:
    with (
        serving(tmp_path, policy=Lively()) as served,
        served.join(served.open("acht-mann", AGAINST_COMPUTER)) as player,
    ):
        ask_for_help(player)
        while player.view["turn"]["helpers"]:
            player.receive()
        assert [(event["seat"], event["owner"]) for event in player.events[-2:]] == [(0, 0), (1, 0)]
        assert len(player.live["pool"]) == 2
        assert any(action.startswith("choose") for action in player.view["actions"])


def test_a_computer_that_must_help_does_so_after_a_restart(tmp_path: Path) -> None:
    class Asleep:
        def choose(self, state: knobel.State, rng: Random) -> knobel.Action:
            raise RuntimeError("asleep")

    with serving(tmp_path, policy=Asleep()) as served:
        table = served.open("acht-mann", AGAINST_COMPUTER)
        with served.join(table) as player:
            ask_for_help(player)
            cookie = served.http.headers["cookie"]
    with serving(tmp_path, policy=Lively()) as served, served.join(table, cookie=cookie) as player:
        while player.view["turn"]["helpers"]:
            player.receive()
        assert player.view["turn"]["seat"] == 0


def test_a_whole_game_of_a_person_and_a_computer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "RATE", 1_000_000)
    rng, options = Random(8), {"upper_threshold": 20, "extra_minima": [9, 9, 9, 9, 9, 9]}
    with serving(tmp_path, lucky_dice(8), Lively()) as served:
        table = served.open("acht-mann", AGAINST_COMPUTER, options=options)
        with served.join(table) as player:
            helped = 0
            while player.view["result"] is None:
                if not player.view["actions"]:
                    player.receive()
                    continue
                helped += bool(player.view["turn"]["helpers"])
                kinds = sorted({action.split()[0] for action in player.view["actions"]})
                kind = rng.choice(kinds)
                action = rng.choice([action for action in player.view["actions"] if action.startswith(kind)])
                assert player.play(wire_move(action, player.live))["ok"]
            assert helped == 1  # the computer has asked as well
            kinds_of_events = {event["kind"] for event in player.events} - {"open", "seal"}
            assert kinds_of_events == {"begin", "throw", "enter", "spend", "choose", "pick"}
            assert [event["version"] for event in player.events] == list(range(1, player.version + 1))
            assert sum(event["extra"] for event in player.events) > 0
            record = Record.parse(served.http.get(f"/api/tables/{table}/record").text)
            *_, last = record.replay()
            line = served.http.get(f"/api/tables/{table}").json()
            assert line["over"]
            assert tuple(line["totals"]) == knobel.result(last).totals == tuple(player.view["result"]["totals"])
