"""Drills 13 and 14: readers that are slow, stopped or cut off without a word; requests that never end."""

import asyncio
import json
import random
import socket
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from time import monotonic

from knobel.server.messages import PROTOCOL
from tests.drills.client import Client, Seated, leave_all, run
from tests.drills.figure import TIMED, Figure, hold, latencies, percentile, share
from tests.drills.proxy import relaying
from tests.drills.server import Server, whole
from tests.drills.start import Build
from tests.drills.tables import open_table, open_tables, visiting
from tests.server.serving import upgrade

READERS, DRIPPERS = 100, 1_000
SLOW_COUNT = 'knobel_sockets_closed_total{reason="slow"}'
_HELLO = json.dumps({"type": "hello", "protocol": PROTOCOL, "since": None}).encode()


def readers(scale: float, folder: Path) -> Figure:
    """100 readers of three kinds watch a lively table; other tables play on."""
    n = share(READERS, scale, 6)
    counts, measured = run(_readers(folder / "data", n, scale))
    return Figure("readers of 1 byte/s, stopped ones and half-open ones are cut off, others play on", counts, measured)


async def _readers(data: Path, n: int, scale: float) -> tuple[dict[str, int], dict[str, float]]:
    build = Build() if scale >= TIMED else Build(tuning=(("socket.STALL_SECONDS", 0.5), ("socket.FLUSH_SECONDS", 0.2)))
    async with Server(data, build) as server, visiting(server.url) as http, relaying(server.port) as proxy:
        lively, others = await open_table(http, "acht-mann", 4), await open_tables(http, 8)
        players = [await seated.join() for seated in others]
        before = await measured_at(players, 30 if scale >= TIMED else 6)
        slow = [await _reader(server.port, lively) for _ in range(2 * n // 3)]
        half = [Client(replace(lively, url=f"http://127.0.0.1:{proxy.port}")) for _ in range(n - len(slow))]
        for client in half:
            await client.open()
        proxy.stand_still()
        dripping = asyncio.create_task(_drip(slow[::2]))
        mover = await lively.join()
        talking = asyncio.create_task(_talk(mover))
        beside = asyncio.create_task(measured_at(players, 30 if scale >= TIMED else 6))
        begin = monotonic()
        while (await server.metrics())[SLOW_COUNT] < n:
            hold(
                monotonic() - begin < 60, f"{(await server.metrics())[SLOW_COUNT]:.0f} of {n} slow readers were cut off"
            )
            await asyncio.sleep(0.1)
        took, during = monotonic() - begin, await beside
        for task in (dripping, talking):
            task.cancel()
        await asyncio.gather(dripping, talking, return_exceptions=True)
        for raw in slow:
            raw.close()
        await leave_all([*half, mover, *players])
        lines = server.log_lines()
        hold(len(lines) <= 100, f"{len(lines)} lines in the log")
        await server.stop()
    await whole(data)
    measured = {**latencies(before, "before "), **latencies(during, "beside them "), "until all were cut off s": took}
    return {"slow readers cut off": n, "log lines": len(lines)}, measured


async def _reader(port: int, seated: Seated) -> socket.socket:
    """A socket that has said hello and reads nothing; the kernel holds little for it."""
    raw = socket.socket()
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    raw.setblocking(False)
    loop = asyncio.get_running_loop()
    await loop.sock_connect(raw, ("127.0.0.1", port))
    await loop.sock_sendall(raw, upgrade(seated.id))
    await loop.sock_recv(raw, 1024)
    await loop.sock_sendall(raw, frame(_HELLO))
    return raw


def frame(payload: bytes, first: int = 0x81) -> bytes:
    """A masked frame; `first` is its first byte."""
    size = len(payload)
    head = bytes([size | 0x80]) if size < 126 else bytes([126 | 0x80]) + size.to_bytes(2, "big")
    if size > 0xFFFF:
        head = bytes([127 | 0x80]) + size.to_bytes(8, "big")
    return bytes([first]) + head + bytes(4) + payload


async def _drip(readers: list[socket.socket]) -> None:
    """Read 1 byte/s."""
    while True:
        for raw in readers:
            with suppress(OSError):
                raw.recv(1)
        await asyncio.sleep(1)


async def _talk(client: Client) -> None:
    """Events as fast as they are answered."""
    rng = random.Random(13)
    while not client.is_over:
        await client.ask(client.command(client.move(rng)))


async def measured_at(clients: list[Client], n: int) -> list[float]:
    """Seconds until an answer: so many commands of each client, a little apart."""
    rng, seconds = random.Random(14), []

    async def play(client: Client) -> None:
        for _ in range(n):
            if client.is_over:
                return
            await asyncio.sleep(rng.uniform(0, 0.2))
            begin = monotonic()
            await client.ask(client.command(client.move(rng)))
            seconds.append(monotonic() - begin)

    await asyncio.gather(*map(play, clients))
    return seconds


def requests(scale: float, folder: Path) -> Figure:
    """1,000 handshakes of 1 byte/s, large headers, many of them."""
    n = share(DRIPPERS, scale, 20)
    counts, measured = run(_requests(folder / "data", n, scale))
    return Figure("handshakes of 1 byte/s are cut off, large headers refused, others play on", counts, measured)


async def _requests(data: Path, n: int, scale: float) -> tuple[dict[str, int], dict[str, float]]:
    seconds = 10.0 if scale >= TIMED else 0.6
    build = replace(Build(), tuning=(("handshake.REQUEST_SECONDS", seconds),))
    async with Server(data, build) as server, visiting(server.url) as http:
        client = await (await open_table(http)).join()
        request = upgrade(client.seated.id)
        begin = monotonic()
        dripping = [
            asyncio.create_task(_drip_request(server.port, request, min(1.0, seconds / 3), seconds + 6))
            for _ in range(n)
        ]
        beside = await measured_at([client], 10 if scale >= TIMED else 2)
        lines = b"".join(b"x-%d: 1\r\n" % number for number in range(200))
        for head in (lines, b"x: " + bytes(9000), b"x: " + b"y" * 9000 + b"\r\n"):
            for start in (request[:-2], b"GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\n"):
                said = await _answer(server.port, start + head + b"\r\n")
                hold(said.startswith(b"HTTP/1.1 4") or said == b"", f"{head[:10]!r} was answered with {said[:40]!r}")
        lived = await asyncio.gather(*dripping)
        hold(max(lived) < seconds + 5, f"a handshake of 1 byte/s lived for {max(lived):.1f} s")
        took = monotonic() - begin
        await client.ask(client.command(client.move(random.Random(1))))
        await client.leave()
        n_lines = len(server.log_lines())
        hold(n_lines <= 100, f"{n_lines} lines in the log")
        await server.stop()
    await whole(data)
    measured = {
        "longest handshake s": percentile(lived, 1),
        "all gone after s": took,
        **latencies(beside, "beside them "),
    }
    return {"handshakes cut off": n, "log lines": n_lines}, measured


async def _drip_request(port: int, request: bytes, pause: float, most: float) -> float:
    """Send a request byte by byte; how many seconds until the server has enough."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    begin = monotonic()
    ended = asyncio.create_task(reader.read())
    try:
        for byte in request:
            writer.write(bytes([byte]))
            await asyncio.wait((ended,), timeout=pause)
            if ended.done() or monotonic() - begin > most:
                break
    finally:
        ended.cancel()
        await asyncio.gather(ended, return_exceptions=True)
        writer.transport.abort()
    return monotonic() - begin


async def _answer(port: int, request: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(request)
        async with asyncio.timeout(10):
            return await reader.read(4096)
    except TimeoutError:
        return b"nothing at all"
    except OSError:
        return b""
    finally:
        writer.transport.abort()
