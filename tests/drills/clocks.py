"""Clocks (drill 6): whatever the time of day does, who acts in time is never replaced, and who does not always is."""

import asyncio
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import knobel
from knobel.room import Terms
from knobel.seat import Seat
from knobel.server import hall as halls
from knobel.server.clock import AFTER_LOADING
from knobel.server.writer import Master
from tests.drills.figure import Figure, hold, share
from tests.drills.inside import inside, instead
from tests.drills.leaving import Calm
from tests.server.virtual import Client, Server, in_virtual_time

TURNS, CLOCK, LAG, SOON = 1_000, 30, 1.0, 2.0
DAY = 86_400.0
ADA = Seat("Ada", "person", "ada")
MOMENTS = (  # the nights of Europe/Berlin, a leap second, the end of 32 bits, and the beginning of time
    datetime(2026, 3, 29, 0, 59, 50, tzinfo=UTC),
    datetime(2026, 10, 25, 0, 59, 50, tzinfo=UTC),
    datetime(2016, 12, 31, 23, 59, 55, tzinfo=UTC),
    datetime(2038, 1, 19, 3, 14, 0, tzinfo=UTC),
    datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC),
)


class Wall:
    """The time of day: it runs fast, slowly or not at all, and jumps."""

    def __init__(self, rng: Random) -> None:
        self.rng, self.now, self.speed, self.n_jumps = rng, 1.7e9, 1.0, 0

    def time(self) -> float:
        self.now += 0.001 * self.speed
        return self.now

    def jump(self) -> None:
        self.n_jumps += 1
        leaps = (3600.0, -3600.0, 3600.0, -3600.0, DAY, -DAY)
        if self.rng.random() < 0.2:
            self.now = self.rng.choice(MOMENTS).timestamp()
        else:
            self.now = max(0.0, self.now + self.rng.choice(leaps))
        self.speed = self.rng.choice((0.5, 1.0, 0.0, 2.0))


@inside
def drill(scale: float, folder: Path) -> Figure:
    """Timed turns while the clock on the wall jumps, and slow games after a restart."""
    rng = Random(6)
    wall = Wall(rng)
    with ExitStack() as stack:
        stack.enter_context(_in_berlin())
        stack.enter_context(instead(time, "time", wall.time))
        counts = in_virtual_time(_turns(rng, wall, share(TURNS, scale, 25)))
        n_slow = in_virtual_time(_slow(rng, wall, share(100, scale, 2)))
    return Figure(
        "timed turns with jumps of the clock by hours and days, DST nights, 2038, half and no speed: "
        "0 wrong time-outs, whoever is late is replaced within 2 s; slow games over a restart",
        {**counts, "restarts of slow games": n_slow, "jumps": wall.n_jumps},
    )


@contextmanager
def _in_berlin() -> Iterator[None]:
    kept = os.environ.get("TZ")
    os.environ["TZ"] = "Europe/Berlin"
    time.tzset()
    try:
        yield
    finally:
        if kept is None:
            del os.environ["TZ"]
        else:
            os.environ["TZ"] = kept
        time.tzset()


async def _turns(rng: Random, wall: Wall, n: int) -> dict[str, int]:
    """Ada needs up to all of her time, and now and then more than that."""
    server = Server(Calm(rng), rng)
    await server.start()
    counts = {"turns": 0, "late": 0}
    while counts["turns"] < n:
        master = await server.hall.open(knobel.load("yatzy"), (ADA,), Terms(clock=CLOCK), "ada", start=True)
        ada = Client("ada", "ada", server, master.room.id, rng)
        ada.connect()
        while not ada.is_idle:
            await asyncio.sleep(0.05)
        while master.room.phase == "playing" and counts["turns"] < n:
            await _turn(rng, wall, master, ada, counts)
        ada.is_running = False
        ada.lose()
        await asyncio.sleep(5)
    await server.kill()
    return counts


async def _turn(rng: Random, wall: Wall, master: Master, ada: Client, counts: dict[str, int]) -> None:
    """One turn: a throw and an entry in time, or nothing until she is replaced."""
    since = master.clock.since
    hold(0 <= _now() - since < 5, "a turn is not timed by the clock that never jumps")
    is_late = rng.random() < 0.05
    counts["turns"] += 1
    counts["late"] += is_late
    thinks = rng.uniform(0.2, CLOCK - 3.0)  # and the network takes up to 0.6 s each way
    for at, move in ((thinks * rng.random(), "throw"), (thinks, "enter")):
        if is_late:
            break
        await _until(since + at)
        wall.jump()
        server_moves = master.room.version
        box = next(
            each["box"] for each in ada.live["view"]["sheets"][0]["columns"][0]["boxes"] if each["points"] is None
        )
        does = {"do": "throw", "keep": []} if move == "throw" else {"do": "enter", "box": box}
        ada.send({"type": "command", "seat": 0, "move": does})
        while master.room.version == server_moves:
            await asyncio.sleep(0.01)
            hold(_now() < since + CLOCK + LAG, "a move in time is not counted")
        while not ada.is_idle:
            await asyncio.sleep(0.01)
    if not is_late:
        hold(master.room.seats[0].stand_in is None and master.room.phase in ("playing", "over"), "a wrong time-out")
        return
    wall.jump()
    await _until(since + CLOCK + LAG - 0.1)
    hold(master.room.seats[0].stand_in is None, "replaced too early")
    await _until(since + CLOCK + LAG + SOON)
    hold(master.room.seats[0].stand_in == "clock" or master.room.phase == "over", "not replaced")
    if master.room.phase == "playing":
        ada.send({"type": "request", "act": {"do": "return"}})
        while not ada.is_idle:
            await asyncio.sleep(0.01)
        hold(master.room.is_over or master.room.seats[0].stand_in is None, "the seat is not given back")


async def _slow(rng: Random, wall: Wall, n: int) -> int:
    """After a restart at any time of day at least an hour is left of a turn that may take a day."""
    for _ in range(n):
        rows = Calm(rng)
        server = Server(rows, rng)
        await server.start()
        begun = await server.hall.open(
            knobel.load("yatzy"), (ADA,), Terms(pace="slow", clock=int(DAY)), "ada", start=True
        )
        await server.kill()
        wall.jump()
        server = Server(rows, rng)
        await server.start()
        master = await server.hall.find(begun.room.id)
        since = _now()
        await _until(since + AFTER_LOADING - 1)
        hold(master.room.seats[0].stand_in is None, "replaced soon after a restart")
        due = master.clock.due(master.room)
        hold(due is not None and due.at <= since + DAY + LAG + 1, "never replaced")
        if due is not None and due.at - since < halls.WAITED_FOR:
            await _until(due.at + SOON)
            hold(master.room.seats[0].stand_in == "clock", "not replaced")
        await server.kill()
    return n


async def _until(moment: float) -> None:
    await asyncio.sleep(max(0.0, moment - _now()))


def _now() -> float:
    return asyncio.get_running_loop().time()
