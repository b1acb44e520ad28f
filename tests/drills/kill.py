"""Drill 1: the server is killed in the middle of throws, at random moments and at exact points, and started again.

Every client sends its unanswered command once more. Nothing that was acknowledged may be lost, nothing may count twice.
"""

import asyncio
import random
import shutil
from contextlib import suppress
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

import httpx

from tests.drills.client import ACHT, Client, Json, Lost, Seated, run
from tests.drills.figure import Figure, Progress, hold, share, summed
from tests.drills.ledger import Ledger
from tests.drills.server import Server, whole
from tests.drills.start import POINTS, Build
from tests.drills.tables import open_table, visiting

ROUNDS, BLOCK = 500, 25
GAMES: tuple[Json, ...] = (
    {"n_computers": 1, "options": {"columns": 3}, "begin": "random"},
    {"ruleset": "acht-mann", "n_people": 3, "options": ACHT, "begin": "highest_throw"},
    {"ruleset": "six-dice"},
    {},
)


class Game:
    """One table across all crashes."""

    def __init__(self, kind: Json, rng: random.Random, ledger: Ledger) -> None:
        self._kind, self._rng, self._ledger = kind, rng, ledger
        self._seated: Seated | None = None
        self._pending: Json | None = None
        self._since: int | None = None
        self.n_resent = self.n_stored = 0

    async def play(self, server: Server) -> None:
        """Until the server dies."""
        with suppress(Lost):
            await self._play(server)

    async def _play(self, server: Server) -> None:
        if self._seated is None:
            async with visiting(server.url) as http:
                try:
                    self._seated = await open_table(http, **self._kind)
                except httpx.TransportError:
                    return  # killed at that moment
        client = await self._seated.join(since=self._since)
        try:
            if self._pending is not None:
                await self._resend(client, self._pending)
            while not client.is_over:
                await client.until(lambda: bool(client.actions) or client.is_over)
                if not client.is_over:
                    self._pending = client.command(client.move(self._rng))
                    await self._answered(client, self._pending)
            self._seated = self._since = None  # another game
        finally:
            self._ledger.take(client)
            client.drop()
            await client.closed()

    async def _answered(self, client: Client, command: Json) -> None:
        reply = await client.ask(command)
        hold(self._ledger.reply(client.seated.id, command, reply), f"refused: {command} {reply}")
        self._pending, self._since = None, client.version

    async def _resend(self, client: Client, command: Json) -> None:
        """The unanswered command once more, and once more: it counts once."""
        self.n_resent += 1
        self.n_stored += client.version > command["version"]
        for _ in range(2):
            await self._answered(client, command)
        answered = self._ledger.answers[client.seated.id, command["id"]]
        hold(answered == command["version"] + 1, f"{command} was answered as event {answered}")


def drill(scale: float, folder: Path) -> Figure:
    """500 kills."""
    rounds = share(ROUNDS, scale, 2 * len(POINTS))
    progress = Progress(folder, rounds=rounds)
    blocks = [
        progress.done(f"rounds {first}", partial(_run_block, folder / f"{first}", first, rounds))
        for first in range(0, rounds, BLOCK)
    ]
    counts = summed(blocks)
    hold(counts["commands sent again"] > 0, "no command was interrupted: the drill has tried nothing")
    return Figure(f"kill -9 of the server, {rounds} times: 0 acknowledged events lost, 0 counted twice", counts)


def _run_block(*args: Any) -> dict[str, float]:
    return run(_block(*args))


async def _block(data: Path, first: int, rounds: int) -> dict[str, float]:
    shutil.rmtree(data, ignore_errors=True)  # of a run that was stopped
    rng, ledger = random.Random(first), Ledger()
    games = [Game(kind, rng, ledger) for kind in GAMES]
    server, n_events = Server(data), 0
    for number in range(first, min(first + BLOCK, rounds)):
        dies = (POINTS[number // 2 % len(POINTS)], rng.randint(5, 14)) if number % 2 else None
        await server.start(Build(dies=dies))
        async with server:
            playing = [asyncio.create_task(game.play(server)) for game in games]
            if dies is None:
                await some_time(ledger, rng)
            else:
                with suppress(AssertionError):  # as when all games of this round are over
                    await server.ended()
            await server.kill()
            await asyncio.gather(*playing)
        content = await whole(data)
        ledger.check(content)
        hold(len(content.rows) >= n_events, "the log has become shorter")
        n_events = len(content.rows)
    return {
        "events": n_events,
        "commands acknowledged": ledger.n_acknowledged,
        "commands sent again": sum(game.n_resent for game in games),
        "of them already stored": sum(game.n_stored for game in games),
    }


async def some_time(ledger: Ledger, rng: random.Random) -> None:
    """Until some more commands were answered, and a moment."""
    most, end = ledger.n_acknowledged + rng.randint(0, 12), monotonic() + 3
    while ledger.n_acknowledged < most and monotonic() < end:
        await asyncio.sleep(0.002)
    await asyncio.sleep(rng.uniform(0, 0.02))
