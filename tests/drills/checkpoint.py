"""Drill 2: killed while the log is taken over into the database, and while a backup is made."""

import asyncio
import random
import sqlite3
import time
from contextlib import closing, suppress
from pathlib import Path

from knobel.server import backup, folder
from tests.drills.client import run
from tests.drills.figure import Figure, hold, share
from tests.drills.kill import GAMES, Game, some_time
from tests.drills.ledger import Ledger, is_prefix
from tests.drills.server import FORKS, Content, Server, content_of, whole
from tests.drills.start import Build

ROUNDS = 200


def drill(scale: float, folder: Path) -> Figure:
    """200 kills of the server, of a process that checkpoints all the time, and of a backup."""
    rounds = share(ROUNDS, scale, 3)
    return Figure(
        f"killed during checkpoint and backup, {rounds} times: nothing acknowledged is lost, every file is whole",
        run(_drill(folder / "data", rounds)),
    )


async def _drill(data: Path, rounds: int) -> dict[str, int]:
    rng, ledger, n_backups = random.Random(2), Ledger(), 0
    games = [Game(kind, rng, ledger) for kind in GAMES[:3]]
    server = Server(data, Build(checkpoint_pages=4))
    content = Content((), 0)
    for number in range(rounds):
        copy = data.with_name(f"copy{number}")
        async with server:
            playing = [asyncio.create_task(game.play(server)) for game in games]
            others = [
                FORKS.Process(target=_checkpoint, args=(data,)),
                FORKS.Process(target=_back_up, args=(data, copy)),
            ]
            for process in others:
                await asyncio.to_thread(process.start)
            await some_time(ledger, rng)
            for process in rng.sample(others, 2):
                process.kill()
                if rng.random() < 0.5:
                    await asyncio.sleep(rng.uniform(0, 0.02))
            await server.kill()
            await asyncio.gather(*playing)
            for process in others:
                await asyncio.to_thread(process.join)
        before, content = content, await whole(data)
        ledger.check(content)
        hold(is_prefix(before.rows, content.rows), "what was stored has changed")
        if copy.exists():
            n_backups += 1
            hold(is_prefix(content_of(copy, "").rows, content.rows), "the backup is of no moment that ever was")
            copy.unlink()
        made = backup.back_up(data, copy)  # clears up what the killed one left
        hold(made.n_events == len(content.rows), "the backup is not whole")
        hold(content_of(copy, "").digest == content.digest, "the backup differs")
        copy.unlink()
    hold(not list(data.parent.glob("*.part")), "a killed backup was not cleared up")
    return {
        "events": len(content.rows),
        "commands acknowledged": ledger.n_acknowledged,
        "backups that were done before the kill": n_backups,
    }


def _checkpoint(data: Path) -> None:
    """Take the log over, again and again."""
    with closing(sqlite3.connect(data / folder.DATABASE, isolation_level=None, timeout=0)) as connection:
        connection.execute("PRAGMA synchronous=FULL")
        while True:
            for mode in ("PASSIVE", "RESTART", "TRUNCATE"):
                with suppress(sqlite3.OperationalError):
                    connection.execute(f"PRAGMA wal_checkpoint({mode})").fetchall()
                time.sleep(0.001)


def _back_up(data: Path, copy: Path) -> None:
    backup.STEP_PAGES = 1
    time.sleep(0.05)
    backup.back_up(data, copy)
