"""Drill 28: a log of 100,000 events. Nobody plays so long; it is written as phrases between the moves could make it."""

import asyncio
import random
import secrets
from pathlib import Path
from time import monotonic

import knobel
from knobel.fair import commitment_of
from knobel.game import legal_actions
from knobel.room import Command, Room, Terms, evolve, open_room, replay
from knobel.seat import Opened, Said, Seat
from knobel.server.folder import DATABASE
from knobel.server.hall import new_code, provable
from knobel.server.rows import Founded, Head
from knobel.server.store import Store
from knobel.steward import begun, decide
from knobel.tray import move_of
from tests.drills.client import Client, Seated, run
from tests.drills.figure import TIMED, Figure, hold, latencies, share, timed
from tests.drills.server import Server, whole
from tests.drills.slow import measured_at
from tests.drills.tables import open_tables, visiting

EVENTS, MOVES = 100_000, 1_000
MOST_BYTES = 131_072  # of the frame that says everything about a table, however long it has been played
MOST_SECONDS = 10.0


def drill(scale: float, folder: Path) -> Figure:
    """100,000 events."""
    n = share(EVENTS, scale) if scale >= TIMED else 3_000
    counts, measured = run(_drill(folder / "data", n))
    did = "a very long log is loaded, played on and loaded again; others play meanwhile"
    return Figure(did, counts, measured, timed(scale, {"loaded in s": MOST_SECONDS}))


async def _drill(data: Path, n: int) -> tuple[dict[str, int], dict[str, float]]:
    rng = random.Random(28)
    async with Server(data) as server, visiting(server.url) as http:
        others = [await seated.join() for seated in await open_tables(http, 4)]
        guest, cookie = others[0].you or "", others[0].seated.cookie
        founded = _founded(guest, n, rng)
        store = Store.on_sqlite(data / DATABASE)
        await store.append([founded], [])
        await store.close()
        before = server.rss
        beside = asyncio.create_task(measured_at(others, 10))
        begin = monotonic()
        client = await Client(Seated(server.url, founded.room.id, 12, cookie)).open()
        loaded = monotonic() - begin
        hold(client.version == n, f"loaded as version {client.version} of {n}")
        hold(client.n_bytes <= MOST_BYTES, f"the frame of the table has {client.n_bytes:,} bytes")
        played = await measured_at([client], 20)
        during, memory = await beside, server.rss - before
        await server.kill()
        await server.start()
        again = await client.seated.join()
        hold(again.live == client.live, "the game is another one after a restart")
        for one in (*others, client, again):
            await one.leave()
        hold(server.log_lines() == [], f"in the log: {server.log_lines()[:3]}")
        await server.stop()
    await whole(data)
    measured = {"loaded in s": loaded, "memory MiB": memory}
    return {"events": n}, measured | latencies(played, "played ") | latencies(during, "others ")


def _founded(guest: str, n: int, rng: random.Random) -> Founded:
    """A game in the middle, with so many events."""
    head = Head(new_code(), secrets.token_bytes(32))
    dice, seats = provable(head), tuple(Seat(f"Player {number}", "person", guest) for number in range(12))
    rules = knobel.load("acht-mann")
    room = open_room(secrets.token_urlsafe(12), rules, Terms(), Opened(guest, seats, commitment_of(head.seed)))
    for event in begun(room, dice):
        room = evolve(room, event)
    events, phrases = list(room.events), max(1, n // MOVES)
    while len(events) < n:
        (event,) = decide(room, _command(room, rng), dice)
        room = evolve(room, event)
        events += [event, *phrases * [Said(room.version % 12, "luck")]][: n - len(events)]
    return Founded(replay(room.id, rules, room.terms, events), head)


def _command(room: Room, rng: random.Random) -> Command:
    assert room.table is not None  # it has begun
    turn = room.table.state.turn
    assert turn is not None  # and is far from its end
    actions = legal_actions(room.table.state)
    move = move_of(rng.choice(actions), room.table.tray)
    return Command(move, room.version, turn.seat, room.seats[turn.seat].guest)
