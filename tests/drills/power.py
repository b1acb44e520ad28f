"""Drill 3: the power fails. The server stands still at a random system call while its files are copied.

What had not reached the disk is cut off or overwritten in the copy, as far as that can happen: the log of SQLite is
synced at each commit, and before any of it is taken over into the database. Every copy must hold a beginning of the
history, with whole events; one that nothing was cut off must hold all that was acknowledged.
"""

import asyncio
import random
import shutil
import signal
import struct
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from knobel.server.folder import DATABASE
from tests.drills.client import Client, Lost, run
from tests.drills.figure import Figure, Progress, hold, share, summed
from tests.drills.ledger import Ledger, is_prefix
from tests.drills.server import Content, Server, whole
from tests.drills.start import Build
from tests.drills.tables import open_tables, visiting
from tests.server.serving import BEGUN

COPIES, BLOCK = 1_000, 50
_HEADER, _FRAME = 32, 24 + 4096  # bytes in the log: its header, and a page with its own


def drill(scale: float, folder: Path) -> Figure:
    """1,000 copies."""
    copies = share(COPIES, scale, 10)
    progress = Progress(folder, copies=copies)
    blocks = [
        progress.done(f"copies {n}", partial(_run_block, folder / f"{n}", n, min(BLOCK, copies - n)))
        for n in range(0, copies, BLOCK)
    ]
    return Figure("power loss: each copy of database and log is a beginning of the history", summed(blocks))


def _run_block(*args: Any) -> dict[str, float]:
    return run(_block(*args))


async def _block(data: Path, seed: int, copies: int) -> dict[str, float]:
    shutil.rmtree(data, ignore_errors=True)
    rng, ledger = random.Random(seed), Ledger()
    taken: list[tuple[Path, int, bool]] = []
    async with Server(data, Build(checkpoint_pages=24)) as server, visiting(server.url) as http:
        clients = [await seated.join() for seated in await open_tables(http, 6)]
        playing = [asyncio.create_task(_play(client, random.Random(rng.random()), ledger)) for client in clients]
        for number in range(copies):
            await asyncio.sleep(rng.uniform(0.002, 0.03))
            server.signal(signal.SIGSTOP)
            acknowledged = ledger.n_acknowledged  # the others may be on their way
            copy = data.with_name(f"{data.name}-copy{number}")
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(data, copy)
            server.signal(signal.SIGCONT)
            taken.append((copy, acknowledged, _harm(copy, rng)))
        for task in playing:
            task.cancel()
        for client in clients:
            ledger.take(client)
            await client.leave()
        await asyncio.gather(*playing, return_exceptions=True)
        await server.stop()
    history = await whole(data)
    ledger.check(history)
    n_cut = [await _check(copy, acknowledged, is_cut, history, len(clients)) for copy, acknowledged, is_cut in taken]
    shutil.rmtree(data)
    return {"copies": copies, "of them cut off or overwritten": sum(n_cut), "events": len(history.rows)}


async def _play(client: Client, rng: random.Random, ledger: Ledger) -> None:
    with suppress(Lost):
        while not client.is_over:
            command = client.command(client.move(rng))
            hold(ledger.reply(client.seated.id, command, await client.ask(command)), "refused")


def _harm(copy: Path, rng: random.Random) -> bool:
    """Lose the end of the log, as far as it may not have reached the disk; whether anything was lost."""
    log, index = copy / f"{DATABASE}-wal", copy / f"{DATABASE}-shm"
    if not log.exists() or not index.exists() or rng.random() < 0.3:
        index.unlink(missing_ok=True)
        return False
    attempted = struct.unpack_from("=I", index.read_bytes(), 128)[0]  # frames that a checkpoint may have taken over
    index.unlink()  # it is in memory only
    first, size = _HEADER + attempted * _FRAME, log.stat().st_size
    if first >= size:
        return False
    cut = rng.randrange(first, size) if rng.random() < 0.5 else first + (size - first) // _FRAME // 2 * _FRAME
    with log.open("r+b") as file:
        if rng.random() < 0.5:
            file.truncate(cut)
        else:
            file.seek(cut)
            file.write(rng.randbytes(min(size - cut, 6000)))  # what the sectors held before
    return True


async def _check(copy: Path, acknowledged: int, is_cut: bool, history: Content, n_tables: int) -> bool:
    found = await whole(copy)
    hold(is_prefix(found.rows, history.rows), f"{copy.name}: the log is no beginning of the history")
    if not is_cut:
        n_stored = len(found.rows) - BEGUN * n_tables  # without the beginnings
        hold(n_stored >= acknowledged, f"{copy.name}: {acknowledged} events were acknowledged, {n_stored} are stored")
    shutil.rmtree(copy)
    return is_cut
