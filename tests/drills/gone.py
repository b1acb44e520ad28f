"""Drill 12 with a real server and real sockets, and a shorter grace: `absence` plays it in virtual time."""

import asyncio
import random
from pathlib import Path
from time import monotonic

from tests.drills.client import Client, leave_all, run
from tests.drills.figure import TIMED, Figure, hold, percentile, share
from tests.drills.ledger import Ledger
from tests.drills.server import Server, whole
from tests.drills.start import Build
from tests.drills.tables import guest, open_party

ROUNDS, GUESTS = 100, 3
GRACE, SOON = 1.0, 2.0  # seconds: instead of 60; until the computer has acted, then
KINDS = ("for ever", "in time", "restart")


def drill(scale: float, folder: Path) -> Figure:
    """100 players are gone on turn."""
    counts, measured = run(_drill(folder / "data", share(ROUNDS, scale, len(KINDS)), scale))
    return Figure(
        "players gone on turn, real sockets: a computer acts in time and gives the seat back", counts, measured
    )


async def _drill(data: Path, rounds: int, scale: float) -> tuple[dict[str, int], dict[str, float]]:
    rng, ledger, late = random.Random(12), Ledger(), list[float]()
    async with Server(data, Build(tuning=(("clock.GRACE", GRACE),))) as server:
        cookies = [await guest(server.url, f"Guest {number}") for number in range(GUESTS)]
        for number in range(rounds):
            kind = KINDS[number % len(KINDS)]
            party = await open_party(server.url, cookies, "yatzy")
            for _ in range(rng.randrange(6)):
                await _move(party, rng, ledger)
            seat = party[0].on_turn
            if kind == "restart":
                for client in party:
                    ledger.take(client)
                await server.kill()
                await server.start()
                party = [await client.seated.join() for client in party]
            begin, before, witness = monotonic(), party[0].version, party[seat - 1]
            party[seat].drop()
            if kind == "in time":
                await asyncio.sleep(GRACE / 3)
            else:
                await witness.until(lambda: _has_acted(witness, seat, before))  # noqa: B023 - at once
                late.append(monotonic() - begin - GRACE)
                hold(late[-1] > -0.1, f"replaced {-late[-1]:.1f} s too early")
                hold(late[-1] <= SOON or scale < TIMED, f"the computer acted {late[-1]:.1f} s after the grace")
            ledger.take(party[seat])
            party[seat] = await party[seat].seated.join()
            await witness.until(lambda: witness.live["room"]["seats"][seat]["stand_in"] is None)  # noqa: B023
            for _ in range(2 * GUESTS):
                await _move(party, rng, ledger)
            hold(kind != "in time" or not _stood_in(witness), "replaced though back in time")
            for client in party:
                ledger.take(client)
            await leave_all(party)
        hold(server.log_lines() == [], f"in the log: {server.log_lines()[:3]}")
        await server.stop()
    ledger.check(await whole(data))
    measured = {"after the grace p50 ms": 1000 * percentile(late, 0.5), "latest ms": 1000 * max(late)}
    return {"rounds": rounds, "stand-ins": len(late), "commands": ledger.n_acknowledged}, measured


async def _move(party: list[Client], rng: random.Random, ledger: Ledger) -> None:
    """One command of the player on turn."""
    version = max(client.version for client in party)
    for client in party:
        await client.until_version(version)
    client = party[party[0].on_turn]
    command = client.command(client.move(rng))
    reply = await client.ask(command)
    hold(ledger.reply(client.seated.id, command, reply), f"refused: {reply}")


def _stood_in(client: Client) -> bool:
    return any(event.kind == "substitute" for event in client.told.values())


def _has_acted(client: Client, seat: int, before: int) -> bool:
    """Whether a computer stands in for the seat and has done something since."""
    kinds = [event.kind for version, event in sorted(client.told.items()) if version > before and event.seat == seat]
    return "substitute" in kinds and bool({"throw", "enter"} & set(kinds))
