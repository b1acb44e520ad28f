import multiprocessing
import random
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from knobel.record import Record
from knobel.server import folder
from tests.server.serving import BEGUN, PEOPLE, Player, cookie_of, serve, wire_move

N_KILLS = 22
ROBO = {"name": "Robo", "kind": "computer"}
TRIPLE = {
    "ruleset": "classic",
    "options": {"columns": 3},
    "seats": [*PEOPLE, ROBO],
    "begin": "random",
    "start": True,
}
ACHT = {
    "ruleset": "acht-mann",
    "options": {"upper_threshold": 8, "samuel_mode": "throw"},  # special rounds come soon
    "seats": [*PEOPLE, {"name": "Cem", "kind": "person"}],
    "begin": "highest_throw",
    "start": True,
}

FORKS = multiprocessing.get_context("forkserver")  # a server process each time, without importing everything again
FORKS.set_forkserver_preload(["tests.server.serving"])


class Process:
    """A real server process."""

    def __init__(self, data: Path) -> None:
        ours, theirs = FORKS.Pipe()
        self.process = FORKS.Process(target=serve, args=(data, theirs))
        self.process.start()
        theirs.close()
        self.url = ours.recv()

    def __enter__(self) -> "Process":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.join()
        self.process.close()

    @contextmanager
    def joined(self, table: str, since: int | None, cookie: str) -> Iterator[Player]:
        address, headers = f"ws{self.url[4:]}api/tables/{table}/socket", {"Cookie": cookie}
        with connect(address, compression=None, additional_headers=headers) as connection:
            yield Player(connection, since)

    def open(self, body: dict[str, Any]) -> tuple[str, str]:
        """The id of a new table, and the cookie of the new guest who sits there."""
        answer = httpx.post(f"{self.url}api/tables", json=body).raise_for_status()
        return str(answer.json()["id"]), cookie_of(answer)


class Game:
    """What one client knows of a game across all crashes."""

    def __init__(self) -> None:
        self.acknowledged: dict[int, dict[str, Any]] = {}  # events by version, once their command was answered
        self.pending: dict[str, Any] | None = None
        self.version: int | None = None
        self.n_resent = self.n_resent_stored = 0

    def play(self, player: Player, rng: random.Random, scene: str = "", kill: Callable[[], None] | None = None) -> None:
        """Until the server dies: of itself, or by `kill` as soon as a command has been sent in this scene."""
        if self.pending is not None:
            self.resend(player)
        while True:
            while not player.view["actions"]:
                player.receive()
            kinds = sorted({action.split()[0] for action in player.view["actions"]})
            kind = rng.choice(kinds)
            action = rng.choice([action for action in player.view["actions"] if action.startswith(kind)])
            self.pending = player.command(wire_move(action, player.live), id=f"command-{rng.getrandbits(64):x}")
            player.send(self.pending)
            if kill is not None and scene_of(player) == scene:
                threading.Timer(rng.uniform(0, 0.01), kill).start()
                kill = None
            assert player.until_reply()["ok"]
            self.learn(player)

    def resend(self, player: Player) -> None:
        """The unanswered command once more, under the same id: it counts once."""
        assert self.pending is not None
        self.n_resent += 1
        self.n_resent_stored += player.version > self.pending["version"]
        for _ in range(2):
            player.send(self.pending)
            reply = player.until_reply()
            assert reply["ok"], reply
            assert reply["version"] == self.pending["version"] + 1
        self.learn(player)

    def learn(self, player: Player) -> None:
        """The last command is answered: everything up to here must stay for ever."""
        self.pending = None
        self.version = player.version
        self.acknowledged |= {event["version"]: event for event in player.events}


def test_a_killed_server_has_lost_nothing_that_it_acknowledged(tmp_path: Path) -> None:  # drill 1
    rng, game, table, cookie = random.Random(20), Game(), "", ""
    for _ in range(N_KILLS):
        with Process(tmp_path) as server:
            if not table:
                table, cookie = server.open(TRIPLE)
            with server.joined(table, game.version, cookie) as player:
                whole = Record.parse(httpx.get(f"{server.url}api/tables/{table}/record").text)
                assert_kept(whole, game)
                killer = threading.Timer(rng.uniform(0.0, 0.3), server.process.kill)
                killer.start()
                try:
                    game.play(player, rng)
                except ConnectionClosed:
                    pass
                finally:
                    killer.join()
    assert len(game.acknowledged) > 2 * N_KILLS
    assert game.n_resent > 0
    assert_whole(tmp_path, table, game)


@pytest.mark.parametrize("seed", range(2))
def test_a_server_killed_in_an_interruption_goes_on_with_it(tmp_path: Path, seed: int) -> None:
    rng, game, table, cookie = random.Random(seed), Game(), "", ""
    for scene in ("helpers", "pool", "pick", "special"):
        with Process(tmp_path) as server:
            if not table:
                table, cookie = server.open(ACHT)
            with server.joined(table, game.version, cookie) as player, suppress(ConnectionClosed):
                game.play(player, rng, scene, server.process.kill)
        assert game.acknowledged
    assert_whole(tmp_path, table, game)


def scene_of(player: Player) -> str:
    """What interrupts the regular turns at this moment."""
    turn = player.view["turn"]
    if turn["helpers"]:
        return "helpers"
    if turn["pool"]:
        return "pool"
    if turn["scene"] == "special":
        return "special" if turn["box"] else "pick"
    return ""


def assert_whole(data: Path, table: str, game: Game) -> None:
    """Everything that was acknowledged is there, once."""
    with Process(data) as server:
        assert_kept(Record.parse(httpx.get(f"{server.url}api/tables/{table}/record").text), game)
    with closing(sqlite3.connect(data / folder.DATABASE)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        twice = (
            "SELECT command_id FROM events GROUP BY table_id, command_id HAVING command_id NOT NULL AND count(*) > 1"
        )
        assert connection.execute(twice).fetchall() == []


def assert_kept(record: Record, game: Game) -> None:
    """Every acknowledged event stands in the record as it was seen, and the record replays."""
    list(record.replay())
    for version, event in game.acknowledged.items():
        if version < BEGUN:
            assert event["kind"] == ("open", "seal")[version - 1]
            continue
        if event["kind"] == "begin":
            assert record.first == event["seat"]
            continue
        stored = record.events[version - BEGUN - 1]
        assert stored.seat == event["seat"]
        verb, _, argument = str(stored.action).partition(" ")
        assert verb == {"throw": "extra" if event["extra"] else "keep"}.get(event["kind"], event["kind"])
        if event["kind"] == "throw":
            assert list(stored.faces) == event["dice"]
        elif event["kind"] == "choose":
            assert argument == "".join(map(str, sorted(event["dice"])))
        else:
            assert argument == (event["box"] or event["token"])
