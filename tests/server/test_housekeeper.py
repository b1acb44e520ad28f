"""What becomes of tables that nobody looks at; the time of day is handed in."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import knobel
from knobel.room import Command, Terms
from knobel.seat import Seat, Sit
from knobel.server import folder
from knobel.server.clock import SLOW
from knobel.server.hall import Hall
from knobel.server.housekeeper import DROPPED, LIVING, WAITING, look_around
from knobel.server.store import Store

ADA, FREE = Seat("Ada", "person", "ada"), Seat("", "person")


def in_hall(data: Path, work: Callable[[Hall], Awaitable[None]]) -> None:
    async def run() -> None:
        with folder.locked(data) as database:
            async with Hall(Store.on_sqlite(database)) as opened:
                await work(opened)

    asyncio.run(run())


async def phase(opened: Hall, table: str) -> str | None:
    line = await opened.store.line(table)
    return None if line is None else line.phase


def test_abandoned_tables_are_given_up_and_those_without_a_game_dropped(tmp_path: Path) -> None:
    async def work(opened: Hall) -> None:
        rules = knobel.load("classic")
        waiting = (await opened.open(rules, (ADA, FREE), Terms(), "ada")).room.id
        living = (await opened.open(rules, (ADA,), Terms(), "ada", start=True)).room.id
        now = time.time()
        for passed, phases in (
            (WAITING - 60, ("gathering", "playing")),
            (WAITING + 60, ("closed", "playing")),
            (LIVING + 60, (None, "closed")),  # closed just now, and looked at as if long ago
            (LIVING + DROPPED, (None, "closed")),  # games are kept
        ):
            await look_around(opened, now + passed)
            assert (await phase(opened, waiting), await phase(opened, living)) == phases
        assert await opened.store.load(waiting) is None
        again = await opened.store.load(living)
        assert again is not None
        assert again.room.phase == "closed"

    in_hall(tmp_path, work)


def test_what_has_changed_lately_is_left_alone(tmp_path: Path) -> None:
    async def work(opened: Hall) -> None:
        master = await opened.open(knobel.load("classic"), (ADA, FREE), Terms(), "ada")
        await opened.writer.play(master, Command(Sit("Ben"), master.room.version, guest="ben"), "command-1")
        await look_around(opened, time.time())
        assert await phase(opened, master.room.id) == "gathering"

    in_hall(tmp_path, work)


def test_slow_turns_that_should_be_over_are_taken_into_the_memory(tmp_path: Path) -> None:
    async def work(opened: Hall) -> None:
        master = await opened.open(knobel.load("classic"), (ADA, ADA), Terms(pace="slow"), "ada", start=True)
        opened._masters.clear()
        await look_around(opened, time.time() + SLOW - 60)
        assert master.room.id not in opened._masters
        await look_around(opened, time.time() + SLOW + 60)
        assert master.room.id in opened._masters

    in_hall(tmp_path, work)
