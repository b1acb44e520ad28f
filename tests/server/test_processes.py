"""Several halls on one log, as in processes of their own, and real processes behind one address."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, ExitStack
from functools import cached_property
from pathlib import Path
from typing import Any

import httpx
import pytest
import sqlalchemy as sa
from websockets.sync.client import ClientConnection, connect

import knobel
from knobel.event import EnterBox, Move, ThrowDice
from knobel.room import Command, Terms
from knobel.seat import Rise, Say, Seat, Sit
from knobel.server import bus as buses
from knobel.server import hall as halls
from knobel.server import presence
from knobel.server.bus import PostgresBus
from knobel.server.database import Database
from knobel.server.difference import changed
from knobel.server.hall import Hall
from knobel.server.present import shown
from knobel.server.store import Store
from knobel.server.writer import Answer, Master
from knobel.table import Refused
from tests.postgres import execute, outcome
from tests.server.serving import cookie_of, wire_move
from tests.server.test_rooms import ADA_AND_FREE, Guest

MOVES: tuple[Move, ...] = (ThrowDice(), EnterBox("chance"))
FREE = Seat("", "person")
ADA, BEN, ROBO = Seat("Ada", "person", "ada"), Seat("Ben", "person", "ben"), Seat("Robo", "computer")


def with_halls(database: Database, work: Callable[..., Awaitable[None]], n: int = 3) -> None:
    async def run() -> None:
        async with AsyncExitStack() as stack:
            opened = [
                await stack.enter_async_context(Hall(Store.on(database), bus=lambda hall: PostgresBus(database, hall)))
                for _ in range(n)
            ]
            await work(*opened)

    outcome(run)


async def masters_of(opened: Sequence[Hall], *seats: Seat) -> list[Master]:
    """A new table of Ada's, in the memory of each."""
    first = await opened[0].open(knobel.load("classic"), seats, Terms(), "ada", start=True)
    return [first, *[await hall.find(first.room.id) for hall in opened[1:]]]


async def until(look: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not look():
            await asyncio.sleep(0.01)


def throws(master: Master, seat: int = 0) -> Command:
    return Command(ThrowDice(), master.room.version, seat, ("ada", "ben")[seat])


def test_the_same_command_sent_to_all_at_once_counts_once_and_has_one_answer(postgres: Database) -> None:
    async def work(*opened: Hall) -> None:
        for _ in range(5):
            masters = await masters_of(opened, ADA)
            version = masters[0].room.version
            both = zip(opened, masters, strict=True)
            answers = await asyncio.gather(*(hall.play(master, throws(master), "c-1") for hall, master in both))
            assert answers == [Answer(version + 1)] * 3
            await until(lambda now=masters: all(master.room == now[0].room for master in now))  # type: ignore[misc]

    with_halls(postgres, work)


def test_of_different_commands_at_once_one_counts_and_the_others_are_stale(postgres: Database) -> None:
    async def work(*opened: Hall) -> None:
        masters = await masters_of(opened, ADA)
        version = masters[0].room.version
        both = enumerate(zip(opened, masters, strict=True))
        answers = await asyncio.gather(*(hall.play(one, throws(one), f"c-{number}") for number, (hall, one) in both))
        codes = [None if answer.problem is None else answer.problem.code for answer in answers]
        assert sorted(codes, key=str) == [None, "action/stale", "action/stale"]
        assert {answer.version for answer in answers} == {version + 1}

    with_halls(postgres, work)


def test_who_watches_one_process_sees_what_others_store(postgres: Database) -> None:
    async def work(*opened: Hall) -> None:
        masters = await masters_of(opened, ADA)
        live: list[dict[str, Any]] = [masters[2].live_now()]

        def watch(text: str) -> None:
            message = json.loads(text)
            if message["type"] == "update":
                assert message["base"] in (None, live[0]["version"])
                live[0] = changed(live[0], message["change"])

        opened[2].come(masters[2], watch, None)
        for number in range(2):
            await opened[number].play(masters[number], throws(masters[number]), f"c-{number}")
            await until(lambda: len({master.room.version for master in masters}) == 1)
        assert live[0] == json.loads(json.dumps(shown(masters[0].room, masters[0].head.seed).live))
        opened[2].go(masters[2], watch)

    with_halls(postgres, work)


def test_a_computer_plays_once(postgres: Database) -> None:
    async def work(*opened: Hall) -> None:
        masters = await masters_of(opened, ADA, ROBO)
        for number, move in enumerate(MOVES):
            command = Command(move, masters[number].room.version, 0, "ada")
            assert (await opened[number].play(masters[number], command, f"c-{number}")).problem is None
            await until(lambda: len({master.room.version for master in masters}) == 1)
        await until(lambda: all(master.room.acting == ADA and master.room.version > 6 for master in masters))
        assert masters[0].room == masters[1].room == masters[2].room

    with_halls(postgres, work)


def test_news_that_were_missed_are_read_later(postgres: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(buses, "BEAT", 0.05)

    async def work(one: Hall, other: Hall) -> None:
        masters = await masters_of((one, other), ADA)
        assert isinstance(other.bus, PostgresBus)
        other.bus._news._connection.terminate()
        await one.play(masters[0], throws(masters[0]), "c-1")
        await until(lambda: masters[1].room == masters[0].room)

    with_halls(postgres, work, 2)


def test_who_is_in_another_process_is_there(postgres: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(halls, "ANNOUNCED", 0.2)
    monkeypatch.setattr(presence, "EXPIRED", 0.6)

    async def work(one: Hall, other: Hall) -> None:
        masters = await masters_of((one, other), ADA, BEN)

        def watch(_: str) -> None:
            pass

        one.come(masters[0], watch, "ada")
        await until(lambda: "ada" in masters[1].clock.present)
        await asyncio.sleep(1)
        assert "ada" in masters[1].clock.present  # it is said again and again
        for service in one._services:  # as if the process was gone
            service.cancel()
        await until(lambda: "ada" not in masters[1].clock.present)
        one._announce(masters[0], again=True)
        await until(lambda: "ada" in masters[1].clock.present)
        one.go(masters[0], watch)
        await until(lambda: "ada" not in masters[1].clock.present)

    with_halls(postgres, work, 2)


def test_versions_have_no_gap_when_all_say_something_at_once(postgres: Database) -> None:
    async def work(*opened: Hall) -> None:
        masters = await masters_of(opened, ADA, BEN)
        both = [(hall, master) for hall, master in zip(opened, masters, strict=True)]
        commands = [(hall, one, Command(Say("luck"), one.room.version, guest="ada")) for hall, one in both]
        answers = await asyncio.gather(
            *(hall.play(one, say, f"c-{n}-{k}") for n, (hall, one, say) in enumerate(commands) for k in range(4))
        )
        assert [answer.problem for answer in answers] == [None] * 12
        await until(lambda: len({master.room.version for master in masters}) == 1)
        assert masters[0].room == masters[1].room == masters[2].room

    with_halls(postgres, work)
    rows = execute(postgres, "SELECT version FROM events ORDER BY version").scalars().all()
    assert rows == list(range(1, len(rows) + 1))
    assert len(rows) == 3 + 12


def test_what_was_so_a_moment_ago_is_not_taken_for_done(postgres: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work(one: Hall, other: Hall) -> None:
        first = await one.open(knobel.load("classic"), (ADA, FREE), Terms(), "ada")
        second = await other.find(first.room.id)
        monkeypatch.setattr(one, "changed", lambda *_: None)  # the news are late
        left = await other.play(second, Command(Rise(), second.room.version, guest="ada"), "command-1")
        back = await one.play(first, Command(Sit("Ada"), left.version, guest="ada"), "command-2")
        assert back == Answer(left.version + 1)
        stored = await other.store.load(first.room.id)
        assert stored is not None
        assert stored.room.seats_of("ada")

    with_halls(postgres, work, 2)


def test_who_sits_down_is_there_for_all_processes(postgres: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(halls, "ANNOUNCED", 600.0)

    async def work(one: Hall, other: Hall) -> None:
        for asked in (one, other):
            first = await one.open(knobel.load("classic"), (ADA, FREE), Terms(), "ada")
            masters = {one: first, other: await other.find(first.room.id)}
            one.come(first, lambda _: None, "ben")
            assert (await asked.play(masters[asked], Command(Sit("Ben"), 1, guest="ben"), "command-1")).problem is None
            await until(lambda now=masters: "ben" in now[other].clock.present)  # type: ignore[misc]

    with_halls(postgres, work, 2)


def test_a_table_that_another_process_has_spoiled_harms_no_other(postgres: Database) -> None:
    async def work(one: Hall, other: Hall) -> None:
        spoiled, good = await masters_of((one, other), ADA), await masters_of((one, other), ADA)
        table, version = spoiled[0].room.id, spoiled[0].room.version + 1
        async with other.store.engine.begin() as connection:
            await connection.execute(
                sa.text("INSERT INTO events (table_id, version, at, body) VALUES (:table, :version, 0, '{}')"),
                {"table": table, "version": version},
            )
            await connection.execute(
                sa.text("UPDATE tables SET version = :version WHERE id = :table"), {"table": table, "version": version}
            )
        answers = await asyncio.gather(
            one.play(spoiled[0], throws(spoiled[0]), "command-1"),
            one.play(good[0], throws(good[0]), "command-2"),
            return_exceptions=True,
        )
        assert isinstance(answers[0], Refused)
        assert (answers[0].code, answers[1]) == ("server/error", Answer(good[0].room.version))
        assert good[0].room.events[-1].kind == "throw"
        await until(lambda: good[1].room == good[0].room)

    with_halls(postgres, work, 2)


# --- real processes ---


class Process:
    """`knobel serve` on a shared database."""

    def __init__(self, database: Database, *arguments: str) -> None:
        address = database.url.render_as_string(hide_password=False)
        command = [sys.executable, "-m", "knobel", "serve", "--port", "0", "--lang", "en", *arguments]
        environment = os.environ | {"KNOBEL_DATABASE": address}
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)

    @cached_property
    def url(self) -> str:
        """Where it listens, once it does."""
        assert self.process.stdout is not None
        return "http://" + next(
            line.partition("http://")[2].split()[0] for line in self.process.stdout if "http://" in line
        )

    def connect(self, table: str, cookie: str) -> ClientConnection:
        address = f"ws{self.url[4:]}api/tables/{table}/socket"
        connection: ClientConnection = connect(
            address, compression=None, legacy=True, max_queue=None, additional_headers={"Cookie": cookie}
        )
        return connection

    def __enter__(self) -> "Process":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()

    def stop(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(20)


def test_three_processes_play_one_table_and_one_is_killed(postgres: Database) -> None:
    seats = (*ADA_AND_FREE, {"name": "Robo", "kind": "computer"})
    with ExitStack() as stack:
        processes = [stack.enter_context(Process(postgres)) for _ in range(3)]
        opened = httpx.post(
            f"{processes[0].url}api/tables", json={"ruleset": "classic", "options": {}, "seats": seats}
        ).raise_for_status()
        table, cookies = opened.json()["id"], [cookie_of(opened)]
        cookies.append(cookie_of(httpx.post(f"{processes[1].url}api/me", json={"name": "Ben"}).raise_for_status()))

        def join(one: Process, cookie: str) -> Guest:
            return stack.enter_context(Guest(one, table, cookie))  # type: ignore[arg-type]

        ada, ben = join(processes[0], cookies[0]), join(processes[1], cookies[1])
        watcher = join(processes[2], "")
        assert ben.ask(do="sit", name="Ben")["ok"]
        for guest, other in ((ada, ben), (ben, ada)):
            guest.catches_up_with(other)
            guest.is_ready()
        ada.catches_up_with(ben)
        if ada.room["phase"] == "gathering":
            assert ada.ask(do="start")["ok"]
        for guest, other in ((ada, ben), (ben, ada)):
            guest.catches_up_with(other)
            assert guest.reveal()["ok"]
        sockets = [[join(one, cookie) for one in processes] for cookie in cookies]
        n_moves, n_doubled = 0, 0
        version = ben.version
        while n_moves < 24:
            if n_moves == 12 and len(processes) == 3:
                assert processes.pop(1).stop(signal.SIGKILL) == -signal.SIGKILL
                for row in sockets:
                    row.pop(1)
            player = sockets[0][n_moves % len(processes)]
            player.until(lambda now=player, to=version: now.version >= to)  # type: ignore[misc]
            player.until(lambda now=player: now.view["turn"]["seat"] != 2)  # type: ignore[misc]
            turn = player.view["turn"]["seat"]
            at = player.version
            row = sockets[turn]
            for one in row:
                one.until(lambda now=one, to=at: now.version >= to)  # type: ignore[misc]
            actor = row[n_moves % len(processes)]
            action = next((a for a in actor.view["actions"] if a.startswith("enter ")), actor.view["actions"][0])
            command = actor.command(wire_move(action, actor.live))
            asked = row if n_moves % 3 == 0 else [actor]
            for one in asked:
                one.send(command)
            replies = [one.until_reply() for one in asked]
            assert replies == [replies[0]] * len(asked)
            assert replies[0]["ok"], replies
            version, n_doubled, n_moves = replies[0]["version"], n_doubled + len(asked) - 1, n_moves + 1
        assert n_doubled > 8
        sockets[0][0].until(lambda: sockets[0][0].version >= version)
        sockets[0][0].until(lambda: sockets[0][0].view["turn"]["seat"] != 2)  # no computer is on turn
        last = sockets[0][0].version
        for one in (*sockets[0], *sockets[1], watcher):
            one.until(lambda now=one: now.version >= last)  # type: ignore[misc]
            assert one.live["version"] == last
        lives = [one.live for one in (*sockets[0], *sockets[1], watcher)]
        fresh = stack.enter_context(Process(postgres))
        lives.append(join(fresh, "").live)
        assert lives == [lives[0]] * len(lives)
        assert [one.stop() for one in (*processes, fresh)] == [0] * 3
    rows = execute(postgres, "SELECT version, command_id FROM events ORDER BY version").all()
    assert [row.version for row in rows] == list(range(1, last + 1))


def test_workers_share_an_address_and_one_that_dies_is_begun_anew(postgres: Database) -> None:
    with Process(postgres, "--workers", "2") as server:
        assert httpx.get(f"{server.url}api/health").status_code == 200
        path = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children")
        before = path.read_text().split()
        assert len(before) == 2
        os.kill(int(before[0]), signal.SIGKILL)
        deadline = time.monotonic() + 20
        while len(now := path.read_text().split()) < 2 or before[0] in now:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        assert httpx.get(f"{server.url}api/health", timeout=20).status_code == 200
        assert server.stop() == 0
        assert not any(Path(f"/proc/{number}").exists() for number in now)


@pytest.mark.parametrize(("language", "word"), [("de", "Datenbank"), ("en", "database")])
def test_workers_need_a_database_that_they_share(tmp_path: Path, language: str, word: str) -> None:
    arguments = ["serve", "--workers", "2", "--data", str(tmp_path), "--lang", language]
    environment = {name: value for name, value in os.environ.items() if name != "KNOBEL_DATABASE"}
    ended = subprocess.run(
        [sys.executable, "-m", "knobel", *arguments], capture_output=True, text=True, env=environment, check=False
    )
    assert ended.returncode == 2
    assert "--workers" in ended.stderr
    assert word in ended.stderr
