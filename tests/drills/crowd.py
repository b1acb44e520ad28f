"""Drill 15 and promise 3: 10,000 sockets that idle, vanish and come back; 10,000 connections that drop and resume."""

import asyncio
import json
import random
from collections.abc import Sequence
from pathlib import Path
from time import monotonic

from tests.drills.client import Client, Seated, leave_all, run
from tests.drills.figure import TIMED, Figure, hold, percentile, share, timed
from tests.drills.ledger import Ledger
from tests.drills.server import Server, whole
from tests.drills.tables import open_tables, visiting

SOCKETS, DROPS = 10_000, 10_000
MOST_MIB, MOST_LINES, MOST_SECONDS = 300.0, 100, 10.0


async def gather_in(work: Sequence[Client], most: int = 200) -> None:
    """Connect many clients, so many at a time."""
    room = asyncio.Semaphore(most)

    async def one(client: Client) -> None:
        async with room:
            await client.open()

    await asyncio.gather(*map(one, work))


def idle(scale: float, folder: Path) -> Figure:
    """10,000 idle sockets vanish at once and come back."""
    n = share(SOCKETS, scale, 50)
    counts, measured = run(_idle(folder / "data", n, scale))
    marks = {"with all of them MiB": MOST_MIB, "back in s": MOST_SECONDS * max(1.0, n / SOCKETS)}
    return Figure("idle sockets vanish at once and come back", counts, measured, timed(scale, marks))


async def _idle(data: Path, n: int, scale: float) -> tuple[dict[str, int], dict[str, float]]:
    async with Server(data) as server, visiting(server.url) as http:
        tables = await open_tables(http, max(2, n // 10))
        before = server.rss
        clients = [Client(tables[number % len(tables)], is_deaf=True) for number in range(n)]
        begin = monotonic()
        await gather_in(clients)
        opened, memory, cpu, begin = monotonic() - begin, server.rss, server.cpu, monotonic()
        hold((await server.metrics())["knobel_sockets"] == n, "not all sockets are open")
        for client in clients:
            client.drop()
        while (left := (await server.metrics())["knobel_sockets"]) and monotonic() - begin < (
            30 if scale >= TIMED else 10
        ):
            await asyncio.sleep(0.05)
        hold(left == 0, f"{left:.0f} sockets are still held for clients that are gone")
        gone, busy = monotonic() - begin, server.cpu - cpu
        again = [Client(tables[number % len(tables)], is_deaf=True) for number in range(n)]
        begin = monotonic()
        await gather_in(again)
        back = monotonic() - begin
        n_lines = len(server.log_lines())
        hold(n_lines <= MOST_LINES, f"{n_lines} lines in the log")
        await leave_all(again)
        await server.stop()
    measured = {
        "with all of them MiB": memory, "each KiB": 1024 * (memory - before) / n, "opened in s": opened,
        "gone after s": gone, "processor for that s": busy, "back in s": back,
    }  # fmt: skip
    return {"sockets": n, "log lines": n_lines}, measured


def reconnect(scale: float, folder: Path) -> Figure:
    """10,000 drops while others play on; each comes back to the state that everybody sees."""
    counts, measured = run(_reconnect(folder / "data", share(DROPS, scale) if scale >= TIMED else 30))
    did = "connections dropped while others play: every one resumes at the same state"
    return Figure(did, counts, measured, timed(scale, {"back p99 ms": 2000.0}))


async def _reconnect(data: Path, drops: int) -> tuple[dict[str, int], dict[str, float]]:
    ledger, rng, seconds = Ledger(), random.Random(3), list[float]()
    n_whole = 0
    async with Server(data) as server, visiting(server.url) as http:
        left = drops
        while left > 0:
            tables = await open_tables(http, min(8, left))
            each = min(50, -(-left // len(tables)))
            found = await asyncio.gather(
                *(_drops(seated, each, random.Random(rng.random()), ledger) for seated in tables)
            )
            n_whole += sum(n for _, n in found)
            seconds += [one for several, _ in found for one in several]
            left -= sum(len(several) for several, _ in found)
        await server.stop()
    ledger.check(await whole(data))
    measured = {"back p50 ms": 1000 * percentile(seconds, 0.5), "back p99 ms": 1000 * percentile(seconds, 0.99)}
    return {"drops": len(seconds), "commands interrupted": n_whole}, measured


async def _drops(seated: Seated, n: int, rng: random.Random, ledger: Ledger) -> tuple[list[float], int]:
    """Somebody plays; another one is dropped again and again, sometimes with a command on its way."""
    witness, client, seconds, n_interrupted = await seated.join(), await seated.join(), list[float](), 0
    for _ in range(n):
        since, pending = client.version, None
        if rng.random() < 0.3 and not client.is_over:
            pending, n_interrupted = client.command(client.move(rng)), n_interrupted + 1
            client.asked(pending)
            await asyncio.sleep(rng.choice((0, 0, rng.uniform(0, 0.02))))
        client.drop()
        ledger.take(client)
        for _ in range(rng.choice((0, 1, 1, 2, 3, 3, 5, 70) if rng.random() < 0.4 else (0, 1, 2))):
            if not witness.is_over:
                command = witness.command(witness.move(rng))
                ledger.reply(seated.id, command, await witness.ask(command))
        begin = monotonic()
        client = await seated.join(since=rng.choice((since, since, None)))
        seconds.append(monotonic() - begin)
        if pending is not None:
            ledger.reply(seated.id, pending, await client.ask(pending))
        version = max(client.version, witness.version)
        for one in (client, witness):
            await one.until_version(version)
            ledger.take(one)
        mine, others = (json.dumps(one.live, sort_keys=True) for one in (client, witness))
        hold(mine == others, f"the state of {seated.id} after a drop differs: {mine} {others}")
        if witness.is_over:
            break
    await leave_all((client, witness))
    return seconds, n_interrupted
