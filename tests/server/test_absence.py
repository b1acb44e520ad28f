"""Who is away is replaced and comes back, at real tables in virtual time (drills 6 and 12)."""

import asyncio
import time
from random import Random
from typing import Any

import pytest

import knobel
from knobel.room import Terms
from knobel.seat import Seat
from knobel.server import hall, housekeeper
from knobel.server.housekeeper import DAY, look_around
from tests.server.serving import Served, serving
from tests.server.virtual import Client, Rows, Server, in_virtual_time

YATZY = knobel.load("yatzy")


# --- at a real table, in virtual time ---


async def table(server: Server, terms: Terms, *seats: Seat) -> Any:
    await server.start()
    return await server.hall.open(YATZY, seats, terms, "ada", start=True)


ADA, BEN = Seat("Ada", "person", "ada"), Seat("Ben", "person", "ben")


@pytest.mark.parametrize(("seconds", "stands_in"), [(5, False), (56, False), (62, True), (100_000, True)])  # and three
def test_a_computer_stands_in_after_the_grace_and_the_seat_is_given_back(seconds: float, stands_in: bool) -> None:
    async def work() -> None:
        server = Server(Rows(Random(1)), Random(1))
        master = await table(server, Terms(), ADA, BEN)
        ada, ben = (Client(name, name, server, master.room.id, Random(2)) for name in ("ada", "ben"))
        ada.connect()
        ben.connect()
        await asyncio.sleep(3)
        ada.is_running = False
        ada.lose()
        start = master.room.version
        await asyncio.sleep(seconds + 3)
        assert any(seat.stand_in == "away" for seat in master.room.seats) == stands_in
        assert (master.room.version > start) == stands_in
        ada.is_running = True
        ada.connect()
        await asyncio.sleep(3)
        assert master.room.seats[0].stand_in is None
        assert ada.live["room"]["seats"][0]["stand_in"] is None
        if stands_in:  # his turn was played, now it is Ben's
            assert master.room.acting == BEN
        await server.kill()

    in_virtual_time(work())


def test_who_comes_while_his_stand_in_is_being_stored_gets_his_seat_back() -> None:  # drill 12
    class Slow(Rows):
        async def append(self, *args: Any) -> None:
            await asyncio.sleep(0.5)
            await super().append(*args)

    async def work() -> None:
        server = Server(Slow(Random(1)), Random(1))
        master = await table(server, Terms(), ADA, BEN)
        heard: list[str] = []
        server.hall.come(master, lambda _: None, "ben")
        await asyncio.sleep(60.25)
        assert master.room.version == 3
        server.hall.come(master, heard.append, "ada")
        await asyncio.sleep(3)
        assert [event.kind for event in master.room.events[3:5]] == ["substitute", "return"]
        assert master.room.seats[0].stand_in is None
        await server.kill()

    in_virtual_time(work())


def test_the_game_of_those_who_are_left_ends_with_a_result(monkeypatch: pytest.MonkeyPatch) -> None:  # B080
    async def work() -> None:
        server = Server(Rows(Random(1)), Random(1))
        master = await table(server, Terms(), ADA, BEN)
        ben = Client("ben", "ben", server, master.room.id, Random(2))
        ben.connect()
        async with asyncio.timeout(10_000):
            while master.room.phase == "playing":
                await asyncio.sleep(2)
                ben.act()
        assert [seat.stand_in for seat in master.room.seats] == ["away", None]
        await server.kill()

    in_virtual_time(work())


def test_where_nobody_waits_nobody_is_replaced() -> None:  # a game on one device goes on the next day
    async def work() -> None:
        server = Server(Rows(Random(1)), Random(1))
        master = await table(server, Terms(), ADA, BEN)
        await asyncio.sleep(100_000)
        assert master.room.version == 3
        await server.kill()

    in_virtual_time(work())


def test_a_thousand_timed_turns_and_a_clock_on_the_wall_that_jumps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Promise 15: whoever acts in time is never replaced, whatever the time of day does."""
    wall = [1e9]
    monkeypatch.setattr("time.time", lambda: wall[0])

    async def work() -> int:
        rng = Random(5)
        server = Server(Rows(rng), rng)
        await server.start()
        turns = 0
        while turns < 1000:
            master = await server.hall.open(YATZY, (ADA,), Terms(clock=30), "ada", start=True)
            ada = Client("ada", "ada", server, master.room.id, rng)
            ada.connect()
            await asyncio.sleep(1)
            while master.room.phase == "playing":
                await asyncio.sleep(rng.uniform(0.5, 28.0) / 2)
                wall[0] += rng.choice([0, 3600, -3600, 86_400, -86_400])
                for move in ({"do": "throw", "keep": []}, {"do": "enter", "box": _first(ada)}):
                    ada.send({"type": "command", "seat": 0, "move": move})
                    await asyncio.sleep(1)
                turns += 1
            assert all(seat.stand_in is None for seat in master.room.seats)
            assert not any(event.kind == "substitute" for event in master.room.events)
            ada.is_running = False
            ada.lose()
            await asyncio.sleep(5)
        await server.kill()
        return turns

    assert in_virtual_time(work()) >= 1000


def _first(client: Client) -> str:
    return next(
        str(box["box"])
        for column in client.live["view"]["sheets"][0]["columns"]
        for box in column["boxes"]
        if box["points"] is None
    )


# --- the housekeeper ---


def test_tables_that_nobody_needs_are_given_up_and_dropped(tmp_path: Any) -> None:
    with serving(tmp_path) as served:
        free = ({"name": "Ada", "kind": "person"}, {"name": "", "kind": "free"})
        waiting, playing = served.open(seats=free, start=False), served.open()
        now = time.time()
        assert phases(served, waiting, playing) == ["gathering", "playing"]
        served.call(lambda: look_around(served.hall, time.time() + 2 * DAY))
        assert phases(served, waiting, playing) == ["closed", "playing"]
        served.call(lambda: look_around(served.hall, time.time() + 9 * DAY))
        assert phases(served, playing) == ["playing"]
        assert served.http.get(f"/api/tables/{waiting}").status_code == 404
        served.call(lambda: look_around(served.hall, now + 91 * DAY))
        assert phases(served, playing) == ["closed"]
        served.call(lambda: look_around(served.hall, now + 900 * DAY))
        assert phases(served, playing) == ["closed"]  # a game that was begun is kept


def phases(served: Served, *tables: str) -> list[str]:
    return [served.http.get(f"/api/tables/{table}").json()["phase"] for table in tables]


def test_a_slow_game_goes_on_though_nobody_looks(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("knobel.server.clock.AFTER_LOADING", 0.2)
    with serving(tmp_path) as served:
        table = served.open(pace="slow", clock=10)
        served.call(lambda: _forget(served.hall))
        served.call(lambda: look_around(served.hall, time.time() + 5))
        assert served.call(lambda: _loaded(served.hall)) == []
        served.call(lambda: look_around(served.hall, time.time() + 20))
        assert served.call(lambda: _loaded(served.hall)) == [table]


async def _forget(opened: hall.Hall) -> None:
    for timer in opened._timers.values():
        timer.cancel()
    opened._timers.clear()
    opened._masters.clear()


async def _loaded(opened: hall.Hall) -> list[str]:
    return list(opened._masters)


def test_the_housekeeper_survives_a_database_in_trouble(monkeypatch: pytest.MonkeyPatch) -> None:
    rounds = []

    async def look(_: object, now: float) -> None:
        rounds.append(now)
        raise OSError("no disk")

    monkeypatch.setattr(housekeeper, "look_around", look)

    async def work() -> None:
        task = asyncio.create_task(housekeeper.keep_house(None))  # type: ignore[arg-type]
        await asyncio.sleep(2000)
        assert not task.done()
        task.cancel()

    in_virtual_time(work())
    assert len(rounds) == 3
