"""Codes of tables are not to be guessed (drill 20): long ones, a limit for each address, answers that say nothing."""

import asyncio
import json
import time
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

import knobel
from knobel.room import Terms
from knobel.seat import Seat
from knobel.server import folder as folders
from knobel.server.app import create_app
from knobel.server.guard import App
from knobel.server.hall import ALPHABET, CODE_LENGTH, Hall
from knobel.server.limit import Limits
from knobel.server.store import Store
from tests.drills.figure import Figure, hold, share
from tests.drills.inside import inside

GUESSES, TABLES, ADDRESSES, TIMED = 1_000_000, 1_000, 100, 2_000
A_MINUTE = Limits().codes
Answer = tuple[int, tuple[tuple[bytes, bytes], ...], bytes]


@inside
def drill(scale: float, folder: Path) -> Figure:
    """Guesses from many addresses, now and then a right one when the address has no guess left."""
    with folders.locked(folder) as database:
        return asyncio.run(_guess(scale, Hall(Store.on_sqlite(database))))


async def _guess(scale: float, hall: Hall) -> Figure:
    rng, n = Random(20), share(GUESSES, scale, 5_000)
    app = create_app(hall)
    async with hall:
        seats = (Seat("Ada", "person", "ada"), Seat("", "person"))
        rules = knobel.load("yatzy")
        opened = [hall.open(rules, seats, Terms(), "ada") for _ in range(share(TABLES, scale, 20))]
        codes = [master.head.code for master in await asyncio.gather(*opened)]
        counts = dict.fromkeys(("looked up", "refused", "hits", "right ones refused", "right ones found"), 0)
        shapes: dict[int, set[Answer]] = {}
        start = time.monotonic()
        for number in range(n):
            address = f"198.51.100.{number % ADDRESSES}"
            is_right = number >= n // 2 and number % 97 == 0  # by then every address is over its limit
            code = rng.choice(codes) if is_right else "".join(rng.choices(ALPHABET, k=CODE_LENGTH))
            answer = await _ask(app, code, address)
            shapes.setdefault(answer[0], set()).add(_plain(answer))
            counts["right ones found" if is_right else "hits"] += answer[0] == 200
            counts["refused"] += answer[0] == 429
            counts["looked up"] += answer[0] in (200, 404)
            counts["right ones refused"] += is_right and answer[0] == 429
        seconds = time.monotonic() - start
        most = ADDRESSES * (A_MINUTE * (1 + seconds / 60) + 1)
        hold(counts["looked up"] <= most, f"{counts['looked up']} guesses were looked up, at most {most:.0f} may be")
        hold(counts["hits"] == 0, f"{counts['hits']} codes were guessed")
        hold(counts["looked up"] + counts["refused"] == n, f"other answers: {sorted(shapes)}")
        hold(len(shapes[429]) == 1, f"refused answers differ: {shapes[429]}")
        hold(len(shapes.get(404, ())) <= 1, f"unknown codes differ: {shapes.get(404)}")
        fresh = n // 97 * most / n  # of those put in on purpose some meet the next guess that their address may make
        hold(counts["right ones found"] <= fresh, f"{counts['right ones found']} codes were found")
        measured = await _times(hall, rng, codes, share(TIMED, scale, 50))
    return Figure(
        f"guesses at table codes from {ADDRESSES} addresses: the limit holds, refused answers are alike",
        {"guesses": n, "tables": len(codes), **counts},
        measured,
    )


async def _times(hall: Hall, rng: Random, codes: list[str], n: int) -> dict[str, float]:
    """What a hit and a miss take where there is no limit; by turns."""
    app = create_app(hall, limits=Limits(codes=10**9))
    seconds: dict[bool, list[float]] = {True: [], False: []}
    for number in range(2 * n):
        is_right = number % 2 == 0
        code = rng.choice(codes) if is_right else "".join(rng.choices(ALPHABET, k=CODE_LENGTH))
        start = time.perf_counter()
        status = (await _ask(app, code, "198.51.100.1"))[0]
        seconds[is_right].append(time.perf_counter() - start)
        hold(status == (200 if is_right else 404), f"a code that is {is_right} is answered by {status}")
    hit, miss = (1000 * median(seconds[is_right]) for is_right in (True, False))
    return {"median hit ms": hit, "median miss ms": miss, "difference ms": abs(hit - miss)}


def _plain(answer: Answer) -> Answer:
    """Without the seconds that are left to wait."""
    status, headers, body = answer
    data = json.loads(body)
    if status == 200:
        return status, (), b""
    data["problem"]["params"].pop("wait", None)
    kept = tuple((name, value) for name, value in headers if name not in (b"retry-after", b"content-length"))
    return status, kept, json.dumps(data).encode()


async def _ask(app: App, code: str, address: str) -> Answer:
    """One request, as the server would hand it on."""
    scope: dict[str, Any] = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": f"/api/codes/{code}",
        "raw_path": f"/api/codes/{code}".encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(b"host", b"127.0.0.1:6530")],
        "client": (address, 1),
        "server": ("127.0.0.1", 6530),
    }
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    await app(scope, receive, send)
    body = b"".join(message.get("body", b"") for message in sent[1:])
    return sent[0]["status"], tuple((name.lower(), value) for name, value in sent[0]["headers"]), body
