"""How tables are opened, and how guests come to them: the requests that `client` knows nothing of."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import httpx

from knobel.fair import commitment_of
from tests.drills.client import PATIENCE, Client, Json, Seated
from tests.drills.figure import hold
from tests.server.serving import cookie_of

SOON = 0.2  # seconds


@asynccontextmanager
async def visiting(url: str, cookie: str = "") -> AsyncIterator[httpx.AsyncClient]:
    """The pages of a server, for one visitor: the guest of a cookie, or one that the first request makes."""
    async with httpx.AsyncClient(base_url=url, timeout=PATIENCE) as http:

        async def keep(answer: httpx.Response) -> None:
            if given := cookie_of(answer):  # the jar of httpx sends nothing that is `Secure` over plain http
                http.headers["cookie"] = given

        http.event_hooks = {"response": [keep]}
        if cookie:
            http.headers["cookie"] = cookie
        yield http


async def guest(url: str, name: str) -> str:
    """The cookie of a new guest."""
    async with visiting(url) as http:
        (await http.post("/api/me", json={"name": name})).raise_for_status()
        return http.headers["cookie"]


def new_table(
    ruleset: str = "classic",
    n_people: int = 2,
    n_computers: int = 0,
    begin: str = "seat",
    options: Json | None = None,
    n_free: int = 0,
    **more: Any,
) -> Json:
    """The request for a table; where no seat is free the game begins at once."""
    seats = [{"name": f"Player {number}", "kind": "person"} for number in range(n_people)]
    seats += [{"name": f"Robo {number}", "kind": "computer"} for number in range(n_computers)]
    seats += n_free * [{"name": "", "kind": "free"}]
    start = {"start": not n_free}
    return {"ruleset": ruleset, "options": options or {}, "seats": seats, "begin": begin, **start, **more}


async def open_table(http: httpx.AsyncClient, *args: Any, **more: Any) -> Seated:
    """A new table, all of whose persons are the guest who asks; the arguments are those of `new_table`."""
    body = new_table(*args, **more)
    while (answer := await http.post("/api/tables", json=body)).status_code == 503 and "retry-after" in answer.headers:
        await asyncio.sleep(SOON)  # it has too much to do
    hold(answer.status_code == 201, f"no table: {answer.status_code} {answer.text[:200]}")
    return made_at(http, answer, len(body["seats"]))


def made_at(http: httpx.AsyncClient, opened: httpx.Response, n_seats: int) -> Seated:
    """A table that the server says it has made."""
    url = str(http.base_url).rstrip("/")
    return Seated(url, str(opened.json()["id"]), n_seats, http.headers.get("cookie", ""))


async def open_tables(http: httpx.AsyncClient, n: int, *args: Any, **more: Any) -> list[Seated]:
    """Many tables, some at a time."""
    tables = [await open_table(http, *args, **more)] if n else []  # alone: it makes the guest
    while len(tables) < n:
        some = range(min(32, n - len(tables)))
        tables += await asyncio.gather(*(open_table(http, *args, **more) for _ in some))
    return tables


async def open_party(url: str, cookies: Sequence[str], *args: Any, **more: Any) -> list[Client]:
    """A game of several guests, one at each seat, whose shares are in the dice; the first one is the host."""
    async with visiting(url, cookies[0]) as http:
        table = await open_table(http, *args, n_people=1, n_free=len(cookies) - 1, **more)
    party = [await Client(Seated(url, table.id, table.n_seats, cookie)).open() for cookie in cookies]
    for number, client in enumerate(party[1:], 1):
        await done(client, "sit", name=f"Guest {number}")
    shares = [secrets.token_hex(32) for _ in party]
    for seat, client in enumerate(party):
        await done(client, "ready", commitments=[[seat, commitment_of(bytes.fromhex(shares[seat]))]])
    await done(party[0], "start")
    for seat, client in enumerate(party):
        await done(client, "reveal", shares=[[seat, shares[seat]]])
    for client in party:
        await client.until(lambda client=client: client.live["view"] is not None)  # type: ignore[misc]
    return party


async def done(client: Client, do: str, **fields: Any) -> None:
    """Ask for something around the game, which is granted. Raises `AssertionError`."""
    reply = await client.ask(client.request(do, **fields))
    hold(reply["ok"], f"{do} was refused: {reply}")
