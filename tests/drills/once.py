"""Drills 7, 8 and 9: commands that come twice, out of order, or from an older turn; also after a restart.

A generator makes legal commands for many tables with two sockets each. One in five is sent again, on either socket; one
in ten is sent together with one that comes too early or is nonsense; one in twenty is followed by a frame of long ago.
"""

import asyncio
import random
import shutil
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from tests.drills.client import ACHT, Client, Json, Seated, leave_all, run
from tests.drills.figure import TIMED, Figure, Progress, hold, share, summed
from tests.drills.ledger import Ledger
from tests.drills.server import Server, whole
from tests.drills.tables import open_tables, visiting
from tests.server.serving import BEGUN

COMMANDS, BLOCK, TABLES = 100_000, 10_000, 48
TWICE, DISORDER, REPLAYED = 0.2, 0.1, 0.05


@dataclass
class Sent:
    """What was sent in all."""

    ledger: Ledger = field(default_factory=Ledger)
    recorded: list[tuple[Seated, Json]] = field(default_factory=list)
    n_twice: int = 0
    n_disorder: int = 0
    n_replayed: int = 0
    n_refused: int = 0


def drill(scale: float, folder: Path) -> Figure:
    """100,000 commands."""
    commands = share(COMMANDS, scale) if scale >= TIMED else 400
    progress = Progress(folder, commands=commands)
    block = min(BLOCK, commands)
    blocks = [
        progress.done(f"block {n}", partial(_run_block, folder / f"{n}", n, block)) for n in range(commands // block)
    ]
    return Figure("commands repeated, out of order and replayed, also after restarts: 0 double effects", summed(blocks))


def _run_block(*args: Any) -> dict[str, float]:
    return run(_block(*args))


async def _block(data: Path, seed: int, commands: int) -> dict[str, float]:
    shutil.rmtree(data, ignore_errors=True)  # of a run that was stopped
    rng, sent, server = random.Random(seed), Sent(), Server(data)
    n_tables, left = min(TABLES, 4 + commands // 100), commands
    for part in range(2):  # with a restart between
        async with server, visiting(server.url) as http:
            tables = await open_tables(http, n_tables // 2)
            tables += await open_tables(http, n_tables - len(tables), "acht-mann", 3, options=ACHT)
            clients = [(await seated.join(), await seated.join()) for seated in tables]
            await _replay(sent, rng, clients, len(sent.recorded) and 20 + commands // 100)
            share_ = (left if part else left // 2) // len(tables)
            await asyncio.gather(*(_play(sent, random.Random(rng.random()), pair, share_) for pair in clients))
            await _replay(sent, rng, clients, 20)
            for pair in clients:
                for client in pair:
                    sent.ledger.take(client)
                await leave_all(pair)
            left -= left // 2
            await (server.stop() if part else server.kill())
        content = await whole(data)
        sent.ledger.check(content)
        n_expected = sent.ledger.n_acknowledged + BEGUN * content.n_tables
        hold(len(content.rows) == n_expected, f"{len(content.rows)} events of {n_expected} commands and beginnings")
    return {
        "commands counted": sent.ledger.n_acknowledged,
        "sent again": sent.n_twice,
        "out of order": sent.n_disorder,
        "replayed": sent.n_replayed,
        "refused": sent.n_refused,
    }


async def _play(sent: Sent, rng: random.Random, pair: tuple[Client, Client], commands: int) -> None:
    for _ in range(commands):
        first, second = rng.sample(pair, 2)
        if first.is_over:
            return
        if second.version > first.version:
            await first.until_version(second.version)
        command = first.command(first.move(rng))
        frames = [(first, command)]
        if rng.random() < TWICE:
            sent.n_twice += 1
            frames += [(rng.choice(pair), command) for _ in range(rng.choice((1, 1, 2)))]
        if rng.random() < DISORDER:
            sent.n_disorder += 1
            frames.insert(rng.randrange(len(frames) + 1), (rng.choice(pair), _out_of_order(first, command, rng)))
        replies = await asyncio.gather(*(client.ask(frame) for client, frame in frames))
        sent.recorded.append((first.seated, command))
        for (_, frame), reply in zip(frames, replies, strict=True):
            _judge(sent, first.seated, frame, reply, command)
        if rng.random() < REPLAYED:
            await _replay(sent, rng, [pair], 1)


def _out_of_order(client: Client, command: Json, rng: random.Random) -> Json:
    """A command for the version after this one, of an earlier one, or one that this state does not allow."""
    seat, version, boxes = command["seat"], command["version"], ("ones", "full_house", "chance", "ones/2")
    move: Json = rng.choice(
        (
            {"do": "enter", "box": rng.choice(boxes)},
            {"do": "throw", "keep": []},
            {"do": "throw", "keep": [0, 1, 2, 3]},
        )
    )
    return client.command(
        move, version=version + rng.choice((-1, 1, 1, 2)), seat=rng.choice((seat, seat, 1 - seat % 2))
    )


def _judge(sent: Sent, seated: Seated, frame: Json, reply: Json, command: Json) -> None:
    is_ok = sent.ledger.reply(seated.id, frame, reply)
    sent.n_refused += not is_ok
    if frame["id"] == command["id"]:
        hold(is_ok, f"a legal command was refused: {frame} {reply}")
    elif is_ok:
        hold(reply["version"] == frame["version"] + 1, f"{frame} for another version counted: {reply}")
    else:
        code = reply["problem"]["code"]
        hold(code.startswith("action/") or code == "table/over", f"{frame} was refused with {code}")


async def _replay(sent: Sent, rng: random.Random, pairs: list[tuple[Client, Client]], n: int) -> None:
    """Frames of an older turn once more, at their own table (through a new socket if need be) or at another one."""
    by_table = {pair[0].seated.id: pair for pair in pairs}
    for _ in range(n):
        if not sent.recorded:
            return
        seated, command = rng.choice(sent.recorded)
        sent.n_replayed += 1
        pair = by_table.get(seated.id)
        if pair is None and len(pairs) == 1 and rng.random() < 0.5:
            continue  # another player's table
        client = rng.choice(pair) if pair else await Client(replace(seated, url=pairs[0][0].seated.url)).open()
        _judge(sent, seated, command, await client.ask(command), command)
        if pair is None:
            sent.ledger.take(client)
            await client.leave()
