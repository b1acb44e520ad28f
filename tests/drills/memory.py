"""Drill 28: tables that are made and left, a very long game, very many watchers."""

import random
from hashlib import blake2b
from pathlib import Path
from time import monotonic

from knobel.server.hall import MAX_IDLE
from tests.drills.client import Client, Seated, leave_all, run
from tests.drills.crowd import gather_in
from tests.drills.figure import TIMED, Figure, hold, latencies, share
from tests.drills.server import Server, whole
from tests.drills.start import Build
from tests.drills.tables import open_table, open_tables, visiting

TABLES, WATCHERS = 1_000_000, 5_000
SEEN = 500  # events that all of these see
GROWTH = 64.0  # MiB from the first tables to the last


def left(scale: float, folder: Path) -> Figure:
    """1,000,000 tables are made and left."""
    n, most = (share(TABLES, scale), MAX_IDLE) if scale >= TIMED else (150, 40)
    counts, measured = run(_left(folder / "data", n, most))
    return Figure("tables made and left: those that nobody watches leave the memory", counts, measured)


async def _left(data: Path, n: int, most: int) -> tuple[dict[str, int], dict[str, float]]:
    build = Build(tuning=(("hall.MAX_IDLE", most),))
    async with Server(data, build) as server, visiting(server.url) as http:
        client = await (await open_table(http)).join()
        await open_tables(http, most)
        memory, begin = server.rss, monotonic()
        await open_tables(http, n - most - 1)
        took, found = monotonic() - begin, await server.metrics()
        hold(found["knobel_tables"] <= most + 40, f"{found['knobel_tables']:.0f} tables are in memory")
        grown = server.rss - memory
        hold(grown < GROWTH, f"memory grew by {grown:.0f} MiB")
        hold((await client.ask(client.command(client.move(random.Random(1)))))["ok"], "a watched table was forgotten")
        await client.leave()
        await server.stop()
    counts = {"tables": n, "of them in memory": int(found["knobel_tables"])}
    return counts, {"grown by MiB": grown, "tables made per second 1/s": (n - most - 1) / took}


def watchers(scale: float, folder: Path) -> Figure:
    """A game of the largest kind before 5,000 watchers."""
    counts, measured = run(_watchers(folder / "data", scale))
    return Figure(
        "a game of twelve before many watchers: each is told all of it, and what is told is right", counts, measured
    )


class _Watcher(Client):
    """Keeps a digest of all that it is told: to read it all again would take 5,000 times as long."""

    def __init__(self, seated: Seated) -> None:
        super().__init__(seated, is_deaf=True)
        self._digest = blake2b()
        self.heard = self._digest.update

    @property
    def digest(self) -> bytes:
        return self._digest.digest()


async def _watchers(data: Path, scale: float) -> tuple[dict[str, int], dict[str, float]]:
    n, most = share(WATCHERS, scale, 20), SEEN if scale >= TIMED else 60
    rng, seconds = random.Random(28), list[float]()
    async with Server(data) as server, visiting(server.url) as http:
        seated = await open_table(http, "acht-mann", 12)
        player, crowd = await seated.join(), [_Watcher(seated) for _ in range(n)]
        await gather_in(crowd)
        while not player.is_over and player.version < most:
            begin = monotonic()
            command = player.command(player.move(rng, rng.choice(("keep", "extra", "spend", ""))))
            hold((await player.ask(command))["ok"], "refused")
            seconds.append(monotonic() - begin)
        for client in crowd:
            await client.until(lambda client=client: client.n_updates == player.n_updates)  # type: ignore[misc]
        hold(len({client.digest for client in crowd}) == 1, "a watcher was told something else")
        late = await seated.join()
        hold(late.live == player.live, "what was told leads to another table")
        await late.leave()
        memory = server.rss
        await leave_all(crowd)
        begin = monotonic()
        await server.kill()
        await server.start()
        again = await Client(seated).open()
        loaded = monotonic() - begin
        hold(again.live == player.live, "the game is another one after a restart")
        await again.leave()
        await player.closed()
        await server.stop()
    content = await whole(data)
    hold(len(content.rows) == player.version, "events are missing")
    measured = {**latencies(seconds), "memory MiB": memory, "restarted and loaded in s": loaded}
    return {"watchers": n, "events": len(content.rows)}, measured
