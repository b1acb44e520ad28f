"""Promises 5, 6 and 16: the load that is held, the load that is refused, and a restart in the middle of it."""

import asyncio
import gc
import random
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import monotonic

import httpx

from tests.drills.client import Client, Json, Lost, Seated, leave_all, run
from tests.drills.crowd import gather_in
from tests.drills.figure import TIMED, Figure, hold, latencies, share, timed
from tests.drills.ledger import Ledger
from tests.drills.server import Server, whole
from tests.drills.start import Build
from tests.drills.tables import made_at, new_table, open_tables, visiting

TABLES, SEATS, IDLE, RATE, MINUTES = 1_000, 3, 10_000, 400, 10.0
STORED = 10_000  # tables that a restart finds
OVERLOAD, AGAIN = 3, 0.1  # times the load; seconds until the next try
HELD = {"p99 ms": 100.0, "p99.9 ms": 500.0, "growth in the second half %": 5.0}
FLOODED = {"recovered after s": 10.0, "refused within ms": 1000.0, "running tables p99 ms": 500.0}
RESTARTED = {"ready in s": 5.0, "everybody back in s": 15.0}


@dataclass
class Load:
    """Tables at which people play, and what came of it."""

    parties: list[list[Client]]
    rng: random.Random = field(default_factory=lambda: random.Random(5))
    ledger: Ledger = field(default_factory=Ledger)
    seconds: list[float] = field(default_factory=list)
    refused: list[float] = field(default_factory=list)  # seconds until "too busy"
    n_lost: int = 0
    pending: dict[str, Json] = field(default_factory=dict)  # by table: what was not answered
    busy: set[str] = field(default_factory=set)

    insists: bool = False  # whether a command that is refused because too many wait is sent again soon

    async def at_rate(self, rate: float, seconds: float, over: asyncio.Event | None = None) -> None:
        """So many commands per second, each at its time, whether or not those before were answered."""
        begin, number, tasks = monotonic(), 0, set[asyncio.Task[None]]()
        while (due := number / rate) < seconds and not (over is not None and over.is_set()):
            await asyncio.sleep(max(0.0, begin + due - monotonic()))
            party = self.parties[number % len(self.parties)]
            if party[0].seated.id not in self.busy:
                task = asyncio.create_task(self.one(party, begin + due))
                tasks.add(task)
                task.add_done_callback(tasks.discard)
            number += 1
        for task in tuple(tasks):
            await task

    async def one(self, party: list[Client], due: float) -> None:
        """One command at a table; it counts from when it was due."""
        table = party[0].seated.id
        self.busy.add(table)
        try:
            client = party[0]
            if not client.live or client.is_over or not client.is_open:
                return
            client = party[client.on_turn % len(party)]
            command = self.pending.get(table) or client.command(client.move(self.rng))
            self.pending[table] = command
            reply, asked = await self._asked(client, command)
            while self.insists and _is_too_busy(reply):
                self.refused.append(monotonic() - asked)
                await asyncio.sleep(AGAIN)
                reply, asked = await self._asked(client, command)
        except Lost:
            self.n_lost += 1
        else:
            if self.ledger.reply(table, command, reply):
                self.seconds.append(monotonic() - due)
                del self.pending[table]
            elif _is_too_busy(reply):
                self.refused.append(monotonic() - asked)
            else:
                hold(reply["problem"]["code"] == "action/stale", f"{command} was refused: {reply}")
                del self.pending[table]
        finally:
            self.busy.discard(table)

    @staticmethod
    async def _asked(client: Client, command: Json) -> tuple[Json, float]:
        """The reply, and when it was asked for."""
        asked = monotonic()
        return await client.ask(command), asked

    async def leave(self) -> None:
        """All are gone; what they saw is kept."""
        for party in self.parties:
            for client in party:
                self.ledger.take(client)
            await leave_all(party)


@contextmanager
def _calm() -> Iterator[None]:
    """Our clients look for no cycles meanwhile: that would hold them up for a second, as if the server did."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _is_too_busy(reply: Json) -> bool:
    return not reply["ok"] and reply["problem"]["code"] == "server/overloaded"


async def seated_at(tables: Sequence[Seated]) -> Load:
    """Everybody takes a seat."""
    parties = [[Client(seated, is_lazy=seat > 0) for seat in range(seated.n_seats)] for seated in tables]
    for party in parties:
        for client in party:
            client.is_lazy = True
    await gather_in([client for party in parties for client in party])
    return Load(parties)


def held(scale: float, folder: Path) -> Figure:
    """3,000 seated at 1,000 tables, 400 commands/s for 10 minutes, beside 10,000 idle sockets."""
    with _calm():
        counts, measured = run(_held(folder / "data", scale))
    return Figure("load held", counts, measured, timed(scale, HELD))


async def _held(data: Path, scale: float) -> tuple[dict[str, int], dict[str, float]]:
    is_small = scale < TIMED
    n_tables, n_idle = (share(TABLES, scale, 10), share(IDLE, scale)) if is_small else (TABLES, IDLE)
    rate, seconds = (RATE / 8, 2.0) if is_small else (RATE, 60 * MINUTES * scale)
    memory: list[float] = []
    async with Server(data) as server, visiting(server.url) as http:
        tables = await open_tables(http, n_tables, "classic", SEATS, options={"columns": 3})
        load = await seated_at(tables)
        quiet = await open_tables(http, n_tables)  # at which nobody plays: idle is who hears nothing
        idle = [Client(quiet[number % n_tables], is_deaf=True) for number in range(n_idle)]
        await gather_in(idle)
        sampling = asyncio.create_task(_sample(server, memory))
        await load.at_rate(rate, seconds)
        sampling.cancel()
        await asyncio.gather(sampling, return_exceptions=True)
        hold(
            load.n_lost == 0 and not load.refused,
            f"{load.n_lost} connections lost, {len(load.refused)} commands refused",
        )
        hold(server.log_lines() == [], f"in the log: {server.log_lines()[:3]}")
        await load.leave()
        await leave_all(idle)
        await server.stop()
    load.ledger.check(await whole(data))
    half = memory[len(memory) // 2 :] or [0.0]
    growth = 100 * (half[-1] / half[0] - 1) if half[0] else 0.0
    counts = {"tables": n_tables, "seated": n_tables * SEATS, "idle": n_idle, "commands": len(load.seconds)}
    measured = {"at commands/s": rate, "for s": seconds, **latencies(load.seconds), "memory MiB": half[-1]}
    return counts, measured | {"growth in the second half %": growth}


async def _sample(server: Server, memory: list[float]) -> None:
    while True:
        memory.append(server.rss)
        await asyncio.sleep(1)


def overload(scale: float, folder: Path) -> Figure:
    """Three times as many want to play, then everybody moves at once: what is too much is refused, the others go on."""
    with _calm():
        counts, measured = run(_overload(folder / "data", scale))
    did = "overload: new work is refused at once, nothing acknowledged is lost, over soon"
    return Figure(did, counts, measured, timed(scale, FLOODED))


async def _overload(data: Path, scale: float) -> tuple[dict[str, int], dict[str, float]]:
    is_small = scale < TIMED
    n_tables, rate, seconds = (20, RATE / 8, 1.0) if is_small else (share(TABLES, scale), RATE * scale, 40.0)
    tuning = (("writer.MAX_WAITING", 6), ("writer.MAX_BATCH", 3), ("pulse.AT_ONCE", 4)) if is_small else ()
    async with Server(data, replace(Build(), tuning=tuning)) as server, visiting(server.url) as http:
        tables = await open_tables(http, n_tables, "classic", 1)
        load, new, over = await seated_at(tables), Newcomers(http), asyncio.Event()
        load.insists = True
        going_on = asyncio.create_task(load.at_rate(rate, 600, over))
        await new.rush((OVERLOAD - 1) * n_tables, seconds, n_tables / rate)
        threefold, load.seconds = load.seconds, []
        for _ in range(3 if is_small else 10):  # all of the newcomers at the same moment
            due = monotonic()
            await asyncio.gather(*(new.load.one(party, due) for party in new.load.parties))
        over.set()
        await going_on
        refused = [*new.load.refused, *load.refused]
        hold(len(refused) > 0, "no command was refused")
        hold(len(new.refused) > 0, "everybody was let in at once")
        n_new, at_once = len(new.load.seconds), load.seconds
        begin, load.seconds, load.refused, load.insists = monotonic(), [], [], False
        await load.at_rate(rate / 8, 1.0)
        recovered = max(0.0, monotonic() - begin - 1.0)
        hold(not load.refused, "still refused when the flood is over")
        hold(await server.health() == (200, "ok"), "the health check is red after the flood")
        hold(server.log_lines() == [], f"in the log: {server.log_lines()[:3]}")
        for one in (load, new.load):
            await one.leave()
        await server.stop()
    content = await whole(data)
    for one in (load, new.load):
        one.ledger.check(content)
    counts = {
        "running tables": n_tables, "commands of those": len(threefold), "let in": len(new.load.parties),
        "of tables that wanted to": (OVERLOAD - 1) * n_tables, "commands of newcomers": n_new,
        "commands refused": len(refused), "told to come later": len(new.refused),
    }  # fmt: skip
    return counts, {
        "for s": seconds, **latencies(threefold, "running tables "),
        "refused within ms": 1000 * max((*refused, *new.refused)), **latencies(at_once, "beside all at once "),
        **latencies(load.seconds, "afterwards "), "recovered after s": recovered,
    }  # fmt: skip


class Newcomers:
    """People who come in a rush; who is refused comes again when he is told to, who is let in plays like the others."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self._http, self._over = http, asyncio.Event()
        self.load = Load([])
        self._asking = asyncio.Semaphore(64)  # httpx looks through all that wait, again and again
        self.refused: list[float] = []  # seconds until somebody was told to come later

    async def rush(self, n: int, seconds: float, pause: float) -> None:
        """So many come in a quarter of the time; each table makes a command, and again after a pause."""
        coming = [asyncio.create_task(self._one(number * seconds / 4 / n, pause)) for number in range(n)]
        await asyncio.sleep(seconds)
        self._over.set()
        await asyncio.gather(*coming)

    async def _one(self, wait: float, pause: float) -> None:
        await asyncio.sleep(wait)
        body = new_table(n_people=1)
        while not self._over.is_set():
            async with self._asking:
                asked = monotonic()
                answer = await self._http.post("/api/tables", json=body)
            if answer.status_code == 201:
                break
            hold(answer.status_code == 503, f"no table: {answer.status_code} {answer.text[:200]}")
            self.refused.append(monotonic() - asked)
            await asyncio.sleep(float(answer.headers["retry-after"]))
        else:
            return
        party = [await Client(made_at(self._http, answer, 1), is_lazy=True).open()]
        self.load.parties.append(party)
        while not self._over.is_set():
            await self.load.one(party, monotonic())
            await asyncio.sleep(pause)


def restart(scale: float, folder: Path) -> Figure:
    """SIGTERM under load; everybody is back soon, nothing is lost."""
    counts, measured = run(_restart(folder / "data", scale))
    return Figure("SIGTERM under load: everybody is back, 0 events lost", counts, measured, timed(scale, RESTARTED))


async def _restart(data: Path, scale: float) -> tuple[dict[str, int], dict[str, float]]:
    n_stored, n_tables = share(STORED, scale, 50), share(TABLES, scale, 10)
    async with Server(data) as server:
        async with visiting(server.url) as http:
            tables = await open_tables(http, n_stored, "classic", 2)
        load = await seated_at(tables[:n_tables])
        playing = asyncio.create_task(
            load.at_rate(RATE if scale >= TIMED else RATE / 8, 4.0 if scale >= TIMED else 1.5)
        )
        await asyncio.sleep(0.5)
        begin = monotonic()
        server.signal(signal.SIGTERM)
        await server.ended()
        stopped = monotonic() - begin
        for party in load.parties:
            for client in party:
                code = await client.closed()
                hold(code in (1012, None), f"closed with {code}")
                load.ledger.take(client)
        await playing
        ready = await server.start()
        for party in load.parties:
            party[:] = [Client(client.seated, is_lazy=True) for client in party]
        await gather_in([client for party in load.parties for client in party])
        for party in load.parties:
            await load.one(party, monotonic())
        back = monotonic() - begin
        n_commands = len(load.seconds)
        await load.leave()
        await server.stop()
    load.ledger.check(await whole(data))
    measured = {"stopped in s": stopped, "ready in s": ready, "everybody back in s": back}
    return {"tables stored": n_stored, "players back": 2 * n_tables, "commands": n_commands}, measured
