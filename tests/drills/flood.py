"""Drill 16: floods of pings, those of the WebSocket protocol and our own: the flooder is cut off, others play on."""

import asyncio
import random
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import monotonic

from tests.drills.client import Client, Lost, Seated, leave_all, run
from tests.drills.figure import Figure, hold, latencies, share
from tests.drills.server import Server, whole
from tests.drills.slow import frame
from tests.drills.start import Build
from tests.drills.tables import open_tables, visiting
from tests.server.serving import upgrade

FLOODERS, RATE = 200, 50
MOST_SECONDS, GROWTH = 1.0, 32.0  # until others are answered; MiB
MOST_PINGS, MOST_WAIT = 400_000, 5.0  # that a flooder sends; seconds until he is cut off at the latest
KINDS: tuple[tuple[bytes, bool], ...] = ((b"", True), (b"", False), (125 * b"x", True), (125 * b"x", False))


def drill(scale: float, folder: Path) -> Figure:
    """200 flooders, one kind after the other."""
    counts, measured = run(_drill(folder / "data", share(FLOODERS, scale, 2 * len(KINDS))))
    return Figure("floods of pings: cut off, no growth, others are answered meanwhile", counts, measured)


async def _drill(data: Path, n: int) -> tuple[dict[str, int], dict[str, float]]:
    seconds, n_pings = list[float](), 0
    async with Server(data, Build(tuning=(("socket.RATE", RATE),))) as server, visiting(server.url) as http:
        table, other = await open_tables(http, 2)
        before = server.rss
        for number in range(n):
            payload, reads = KINDS[number // 2 % len(KINDS)]
            flooding = asyncio.create_task(
                _flood_in_words(table) if number % 2 else _flood(server.port, table, frame(payload, 0x89), reads)
            )
            seconds += await _beside(other, flooding.done)
            n_pings += await flooding
        hold(server.rss - before < GROWTH, f"memory grew by {server.rss - before:.0f} MiB")
        hold(max(seconds) < MOST_SECONDS, f"another player waited for {max(seconds):.1f} s")
        hold(server.log_lines() == [], f"in the log: {server.log_lines()[:3]}")
        await server.stop()
    await whole(data)
    return {"flooders cut off": n, "pings that they sent": n_pings}, latencies(seconds, "others ")


async def _flood(port: int, table: Seated, ping: bytes, reads: bool) -> int:
    """Ping frames without a pause until the connection ends; how many."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    n, block = 0, 500
    try:
        writer.write(upgrade(table.id))
        await reader.readuntil(b"\r\n\r\n")
        with suppress(OSError):
            while n < MOST_PINGS:
                writer.write(ping * block)
                n += block
                if reads:
                    with suppress(TimeoutError):
                        async with asyncio.timeout(0.001):
                            if not await reader.read(1 << 20):
                                return n
                await writer.drain()
            async with asyncio.timeout(MOST_WAIT):
                while await reader.read(1 << 20):
                    pass
    except TimeoutError:
        raise AssertionError(f"{n:,} pings were taken") from None
    finally:
        writer.transport.abort()
    return n


async def _flood_in_words(table: Seated) -> int:
    """Our own pings."""
    client = await table.join()
    refusal, n = client.unnamed(), 0
    with suppress(Lost):
        while n < 4 * RATE:
            client.send({"type": "ping"})
            n += 1
    code = await client.closed()
    hold(code == 1008, f"a flood of pings was closed with {code}")
    hold(client.n_pongs <= RATE, f"{client.n_pongs} pongs")
    hold((await refusal)["problem"]["code"] == "message/too-many", "refused with another code")
    return n


async def _beside(other: Seated, is_over: Callable[[], bool]) -> list[float]:
    """Seconds until another player is answered; a new socket each time, so that he does not flood himself."""
    rng, seconds = random.Random(16), list[float]()
    client: Client = await other.join()
    while not is_over() or not seconds:
        begin = monotonic()
        if len(seconds) % 20 == 19:
            await leave_all([client])
            client = await other.join()
        await client.ask(client.command({"do": "throw", "keep": []}, version=rng.randrange(3)))
        seconds.append(monotonic() - begin)
        await asyncio.sleep(0.02)
    await leave_all([client])
    return seconds
