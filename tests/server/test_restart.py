import multiprocessing
import random
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import httpx
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from knobel.record import Record
from knobel.server import folder
from tests.server.serving import PEOPLE, Player, serve

N_KILLS = 22


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
    def joined(self, table: str, since: int | None) -> Iterator[Player]:
        with connect(f"ws{self.url[4:]}api/tables/{table}/socket", compression=None) as connection:
            yield Player(connection, since)

    def open(self) -> str:
        robo = {"name": "Robo", "kind": "computer"}
        body = {"ruleset": "classic", "options": {"columns": 3}, "seats": [*PEOPLE, robo], "begin": "random"}
        return str(httpx.post(f"{self.url}api/tables", json=body).raise_for_status().json()["id"])


class Game:
    """What one client knows of a game across all crashes."""

    def __init__(self) -> None:
        self.acknowledged: dict[int, dict[str, Any]] = {}  # events by version, once their command was answered
        self.pending: dict[str, Any] | None = None
        self.version: int | None = None
        self.n_resent = self.n_resent_stored = 0

    def play(self, player: Player, rng: random.Random) -> None:
        """Until the server dies."""
        if self.pending is not None:
            self.resend(player)
        while True:
            while not player.view["actions"]:
                player.receive()
            action = rng.choice(player.view["actions"])
            move = {"do": "throw", "keep": []} if action.startswith("keep") else {"do": "enter", "box": action[6:]}
            self.pending = player.command(move, id=f"command-{rng.getrandbits(64):x}")
            player.send(self.pending)
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
    rng, game, table = random.Random(20), Game(), ""
    for _ in range(N_KILLS):
        with Process(tmp_path) as server:
            table = table or server.open()
            with server.joined(table, game.version) as player:
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
    with Process(tmp_path) as server:
        assert_kept(Record.parse(httpx.get(f"{server.url}api/tables/{table}/record").text), game)
    with closing(sqlite3.connect(tmp_path / folder.DATABASE)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        twice = (
            "SELECT command_id FROM events GROUP BY table_id, command_id HAVING command_id NOT NULL AND count(*) > 1"
        )
        assert connection.execute(twice).fetchall() == []


def assert_kept(record: Record, game: Game) -> None:
    """Every acknowledged event stands in the record as it was seen, and the record replays."""
    list(record.replay())
    for version, event in game.acknowledged.items():
        if event["kind"] == "begin":
            assert record.first == event["seat"]
            continue
        stored = record.events[version - 2]
        assert stored.seat == event["seat"]
        if event["kind"] == "throw":
            assert list(stored.faces) == event["dice"]
        else:
            assert str(stored.action) == f"enter {event['box']}"
