"""Players who are gone (drill 12), at real tables in virtual time: nobody is replaced too early or too late."""

import asyncio
from pathlib import Path
from random import Random
from typing import Any

import knobel
from knobel.room import Terms
from knobel.seat import Seat
from knobel.server.writer import Master
from tests.drills.figure import Figure, Progress, hold, share, summed
from tests.drills.inside import inside
from tests.server.test_network import agree
from tests.server.virtual import Client, Rows, Server, in_virtual_time

ROUNDS, KINDS = 240, ("5 s", "59 s", "61 s", "for ever", "all", "host", "at the claim", "host back")
GRACE, SOON = 60.0, 2.0  # promised: a computer acts at most so long after the grace
ADA, BEN = Seat("Ada", "person", "ada"), Seat("Ben", "person", "ben")
RULES = "yatzy"


class Calm(Rows):
    """Nothing for the housekeeper to do."""

    async def due(self, now: float, n: int) -> tuple[str, ...]:
        return ()

    async def abandoned(self, phases: object, before: float, n: int) -> tuple[str, ...]:
        return ()

    async def never_begun(self, before: float, n: int) -> tuple[str, ...]:
        return ()


@inside
def drill(scale: float, folder: Path) -> Figure:
    """Every kind of absence at random moments."""
    n = share(ROUNDS, scale, len(KINDS))
    progress = Progress(folder, scale=scale)
    steps = [
        progress.done(f"{seed}", lambda seed=seed: in_virtual_time(_Round(seed, KINDS[seed % len(KINDS)]).play()))  # type: ignore[misc]
        for seed in range(n)
    ]
    return _figure(n, steps)


def _figure(n: int, steps: list[dict[str, float]]) -> Figure:
    late = max(step["latest ms"] for step in steps)
    counts = summed([{name: value for name, value in step.items() if name != "latest ms"} for step in steps])
    return Figure(
        "players gone for 5, 59, 61 s and for ever, all of them, the host, back within 50 ms of the stand-in: "
        "0 replaced too early or too late, every seat given back, nothing lost",
        {"rounds": n, **counts},
        {"latest stand-in ms": late},
    )


class _Round:
    """One table, two guests, and one absence."""

    def __init__(self, seed: int, kind: str) -> None:
        self.rng, self.kind, self._waited = Random(seed), kind, False
        self.rows = Calm(self.rng)
        self.server = Server(self.rows, self.rng)
        self.counts = {"stand-ins": 0, "returns": 0, "hand-overs": 0, "events": 0, "latest ms": 0.0}

    async def play(self) -> dict[str, float]:
        await self.server.start()
        begins = not self.kind.startswith("host")
        hall = self.server.hall
        self.master: Master = await hall.open(knobel.load(RULES), (ADA, BEN), Terms(), "ada", start=begins)
        self.ada, self.ben = (Client(name, name, self.server, self.master.room.id, self.rng) for name in ("ada", "ben"))
        self.ada.connect()
        self.ben.connect()
        await self._for(self.rng.uniform(3, 30), self.ada, self.ben)
        match self.kind:
            case "host" | "host back":
                await self._host()
            case "all":
                await self._all()
            case "at the claim":
                await self._claim()
            case "for ever":
                await self._for_ever()
            case _:
                await self._gone(float(self.kind.split()[0]))
        await self._for(150)  # everybody has settled
        self.counts["events"] = self.master.room.version
        await agree(self.server, self.rows, [self.ada, self.ben], self.master.room.id)
        for client in (self.ada, self.ben):
            client.is_running = False
            client.lose()
        await asyncio.sleep(20)
        await self.server.kill()
        return dict(self.counts)

    async def _for(self, seconds: float, *clients: Client) -> None:
        """Let some time go by, in which these play."""
        end = _now() + seconds
        while _now() < end:
            for client in clients:
                client.act()
            await asyncio.sleep(min(0.25, max(0.0, end - _now()) or 0.25))

    def _leave(self, client: Client) -> float:
        """The connection ends now, and the server hears of it."""
        wire: Any = client._wire
        client.is_running = False
        wire.is_cut = True
        wire._to_server.put_nowait({"type": "websocket.disconnect"})
        return _now()

    def _back(self, client: Client) -> None:
        client.is_running = True
        client.connect()

    @property
    def _away(self) -> bool:
        return self.master.room.seats[0].stand_in is not None

    @property
    def _acts(self) -> bool:
        return self.master.room.acting is not None and self.master.room.acting.guest == "ada"

    async def _gone(self, seconds: float) -> None:
        """Ben plays on; Ada is replaced if and only if it is her turn and the grace is over."""
        since = self._leave(self.ada)
        while _now() < since + seconds:
            self.ben.act()
            hold(not self._away or _now() >= since + GRACE, f"replaced after {_now() - since} s")
            await asyncio.sleep(0.05)
        was_waited_for, was_away = self._acts, self._away
        if seconds > GRACE and was_waited_for:
            await self._replaced(since)
        hold(seconds > GRACE or not was_away, f"replaced within {seconds} s")
        self._back(self.ada)
        await self._returned()

    async def _replaced(self, since: float) -> None:
        """A computer plays for Ada at most so long after the grace."""
        while not self._away and self._acts:
            hold(_now() < since + GRACE + SOON, f"not replaced after {_now() - since} s")
            await asyncio.sleep(0.01)

    async def _returned(self) -> None:
        self.counts["stand-ins"] += self._stand_ins
        start = _now()
        while self._away or not self.ada.is_idle:
            hold(_now() < start + SOON, "the seat is not given back")
            await asyncio.sleep(0.05)
        self.counts["returns"] += 1
        before = self.master.room.version
        await self._for(20, self.ada, self.ben)
        hold(self.master.room.version > before, "the game does not go on")

    @property
    def _stand_ins(self) -> int:
        return sum(event.kind == "substitute" for event in self.master.room.events)

    async def _for_ever(self) -> None:
        since = self._leave(self.ada)
        while self.master.room.phase == "playing":
            self.ben.act()
            if not self._away:
                hold(_now() < since + GRACE + SOON or not self._acts, f"not replaced after {_now() - since} s")
            elif self.counts["stand-ins"] == 0:
                self.counts["stand-ins"] = 1
                self.counts["latest ms"] = 1000 * max(0.0, _now() - since - GRACE) if self._waited else 0.0
                hold(_now() >= since + GRACE, f"replaced after {_now() - since} s")
            self._waited = self._acts
            await asyncio.sleep(0.05)
            hold(_now() < since + 3000, "the game does not end")
        hold([seat.stand_in for seat in self.master.room.seats] == ["away", None], "the result is not marked")
        self._back(self.ada)

    async def _all(self) -> None:
        """While nobody waits nobody is replaced; who comes back first waits from then on."""
        self._leave(self.ada)
        self._leave(self.ben)
        await asyncio.sleep(1)
        before = self.master.room.version
        await self._for(self.rng.uniform(100, 5000))
        hold(self.master.room.version == before, "something happens though nobody is there")
        self._back(self.ben)
        while not self.ben.is_idle:
            await asyncio.sleep(0.01)
        since = _now()  # at most a second after Ben has come
        while _now() < since + GRACE + SOON and not self._away:
            self.ben.act()
            await asyncio.sleep(0.05)
        hold(self._away or not self._acts, "nobody is replaced")
        hold(not self._away or _now() >= since + GRACE - 1, "replaced too early")
        self._back(self.ada)
        await self._returned()

    async def _claim(self) -> None:
        """Ada, whose turn it is, comes back within 50 ms of the moment at which she is replaced."""
        while not self._acts:
            self.ben.act()
            await asyncio.sleep(0.05)
        since = self._leave(self.ada)
        await asyncio.sleep(0)
        await asyncio.sleep(since + GRACE + self.rng.uniform(-0.05, 0.05) - _now())
        hall = self.server.hall
        frames: list[str] = []
        watcher = frames.append
        hall.come(self.master, watcher, "ada")
        await asyncio.sleep(SOON)
        hold(not self._away, "the seat is not given back")
        self._back(self.ada)
        await self._returned()
        hall.go(self.master, watcher)

    async def _host(self) -> None:
        """Before the game somebody who is there becomes the host, after the same grace."""
        since = self._leave(self.ada)
        back = self.kind == "host back"
        await asyncio.sleep(since + GRACE - 1 - _now())
        hold(self.master.room.host == "ada", "another host too early")
        if back:
            self._back(self.ada)
        await asyncio.sleep(1 + SOON)
        hold(self.master.room.host == ("ada" if back else "ben"), "the wrong host")
        self.counts["hand-overs"] += not back
        if not back:
            self._back(self.ada)


def _now() -> float:
    return asyncio.get_running_loop().time()
