"""Drills 10 and 11: two tabs of one player, and several seats, that send at the same moment."""

import asyncio
import random
from collections import Counter
from pathlib import Path

import httpx

from tests.drills.client import ACHT, Client, Json, leave_all, run
from tests.drills.figure import TIMED, Figure, hold, share
from tests.drills.ledger import Ledger
from tests.drills.server import Server, whole
from tests.drills.tables import open_table, visiting
from tests.server.serving import BEGUN

ROUNDS, PARALLEL = 200, 50
SCENES = ("helpers", "pick", "special", "end")


def tabs(scale: float, folder: Path) -> Figure:
    """Two tabs of one player throw 50 times in the same moment."""
    rounds = share(ROUNDS, scale, 3)
    counts = run(_tabs(folder / "data", rounds))
    return Figure(f"two tabs, {PARALLEL} throws at the same moment: one counts, both show the same dice", counts)


async def _tabs(data: Path, rounds: int) -> dict[str, int]:
    ledger, refused = Ledger(), 0
    async with Server(data) as server, visiting(server.url) as http:
        for _ in range(rounds):
            seated = await open_table(http)
            both = [await seated.join(0), await seated.join(0)]
            move: Json = {"do": "throw", "keep": []}
            commands = [(both[n % 2], both[n % 2].command(move)) for n in range(PARALLEL)]
            replies = await asyncio.gather(*(client.ask(command) for client, command in commands))
            yes = [
                ledger.reply(seated.id, command, reply) for (_, command), reply in zip(commands, replies, strict=True)
            ]
            hold(sum(yes) == 1, f"{sum(yes)} of {PARALLEL} throws counted")
            codes = {reply["problem"]["code"] for reply in replies if not reply["ok"]}
            hold(codes == {"action/stale"}, f"the others were refused with {codes}")
            refused += PARALLEL - 1
            for client in both:
                await client.until_version(BEGUN + 1)
            hold(both[0].live == both[1].live, "the tabs show different tables")
            ledger.take(both[0])
            await both[0].leave()  # one closes, the other one plays on
            command = both[1].command(both[1].move(random.Random(1), "enter"))
            hold(ledger.reply(seated.id, command, await both[1].ask(command)), "the other tab cannot go on")
            ledger.take(both[1])
            await both[1].leave()
        await server.stop()
    content = await whole(data)
    ledger.check(content)
    hold(len(content.rows) == (BEGUN + 2) * rounds, f"{len(content.rows)} events, not {(BEGUN + 2) * rounds}")
    return {"rounds": rounds, "throws refused": refused}


def seats(scale: float, folder: Path) -> Figure:
    """Three seats send at the same moment: among helpers, in special rounds, at the end of the game."""
    rounds = share(ROUNDS, scale) if scale >= TIMED else 1
    counts = run(_seats(folder / "data", rounds))
    return Figure("seats at the same moment: the one on turn is served, the others are told why not", counts)


async def _seats(data: Path, rounds: int) -> dict[str, int]:
    rng, ledger, met = random.Random(11), Ledger(), Counter[str]()
    async with Server(data) as server, visiting(server.url) as http:
        for number in range(rounds * len(SCENES)):
            scene = SCENES[number % len(SCENES)]
            players = await _led_to(http, scene, rng, ledger)
            before, acting = players[0].version, players[0].on_turn
            move = players[0].move(rng)
            commands = [
                (players[seat], players[seat].command(move, seat=seat, version=before)) for seat in 8 * [0, 1, 2]
            ]
            replies = await asyncio.gather(*(client.ask(command) for client, command in commands))
            for (client, command), reply in zip(commands, replies, strict=True):
                if ledger.reply(client.seated.id, command, reply):
                    met[scene] += 1
                    hold(command["seat"] == acting, f"seat {command['seat']} was served on the turn of {acting}")
                    hold(reply["version"] == before + 1, f"served as event {reply['version']} instead of {before + 1}")
                else:
                    code = reply["problem"]["code"]
                    hold(code in ("action/not-your-turn", "action/stale", "table/over"), f"refused with {code}")
            for client in players:
                await client.until_version(before + 1)
                hold(client.live == players[0].live, "the seats see different tables")
                ledger.take(client)
            await leave_all(players)
        await server.stop()
    content = await whole(data)
    ledger.check(content)
    hold(all(met[scene] == rounds for scene in SCENES), f"not once in each scene: {dict(met)}")
    n_expected = ledger.n_acknowledged + BEGUN * content.n_tables
    hold(len(content.rows) == n_expected, f"{len(content.rows)} events instead of {n_expected}")
    return {f"times {scene}": met[scene] for scene in SCENES}


async def _led_to(http: httpx.AsyncClient, scene: str, rng: random.Random, ledger: Ledger) -> list[Client]:
    """Three seats at a table where this is the scene."""
    while True:
        seated = await (
            open_table(http, "classic", 3) if scene == "end" else open_table(http, "acht-mann", 3, options=ACHT)
        )
        players = [await seated.join(seat) for seat in range(3)]
        first = players[0]
        while not first.is_over:
            if first.scene == scene or (scene == "end" and _is_last(first)):
                for client in players:
                    await client.until_version(first.version)
                return players
            prefer = {"helpers": "spend wunder"}.get(scene, "enter")
            command = first.command(first.move(rng, prefer))
            hold(ledger.reply(seated.id, command, await first.ask(command)), "refused")
        await leave_all(players)


def _is_last(client: Client) -> bool:
    """Whether one entry is left in the whole game, and the dice for it lie there."""
    boxes = [box for sheet in client.live["view"]["sheets"] for column in sheet["columns"] for box in column["boxes"]]
    return sum(box["points"] is None for box in boxes) == 1 and client.live["view"]["turn"]["throws_left"] < 3
