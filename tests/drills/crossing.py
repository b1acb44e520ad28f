"""Seats are safe (drill 19): others, watchers, those who were sent away and wrong tokens play for nobody."""

import asyncio
import json
import secrets
import uuid
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Any

from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from knobel.fair import commitment_of
from knobel.server import socket
from tests.drills.figure import Figure, hold, share
from tests.drills.inside import inside, instead
from tests.server.serving import PEOPLE, Player, Served, serving

COMMANDS = 10_000
_SOON = 0.2  # who has not read everything need not wait for the end
SIT_DOWN = ({"name": "", "kind": "free"}, {"name": "", "kind": "free"})


@inside
def drill(scale: float, folder: Path) -> Figure:
    """Commands for seats of others, from all kinds of senders."""
    rng, n = Random(19), share(COMMANDS, scale, 100)
    with ExitStack() as stack:
        stack.enter_context(instead(socket, "RATE", 1_000_000))
        served = stack.enter_context(serving(folder / "one"))
        elsewhere = stack.enter_context(serving(folder / "other"))
        table, ada, ben, eve = _table(stack, served)
        other = served.open(start=True)  # of the same guest, so her own cookie is good there
        senders = _senders(served, elsewhere, table, ben, eve)
        before = _state(served, table, other)
        players = {name: stack.enter_context(sender()) for name, sender in senders.items()}
        hold(all(player.live["version"] == ada.version for player in players.values()), "somebody sees another table")
        names = sorted(players)
        for number in range(n):
            name = names[number % len(names)]
            _try(name, players[name], ada.version, rng)
        hold(_state(served, table, other) == before, "the state is another one")
        _refused_addresses(served, table)
        hold(ada.ask(do="say", phrase="luck")["ok"], "Ada herself is refused")
    return Figure(
        "commands for seats of others, of guests, watchers, those sent away, with wrong, foreign and forgotten tokens: "
        "0 accepted, state unchanged",
        {"commands": n, "kinds of senders": len(names)},
    )


def _table(stack: ExitStack, served: Served) -> tuple[str, Player, str, str]:
    """A table at which Ada is on turn against Ben; Eve was sent away. With the cookies of Ben and Eve."""
    table = served.open(seats=(PEOPLE[0], *SIT_DOWN), start=False)
    ada = stack.enter_context(served.join(table, close_timeout=_SOON))
    ben, eve = served.guest("Ben"), served.guest("Eve")
    for cookie in (ben, eve):
        with served.join(table, cookie=cookie) as guest:
            hold(guest.ask(do="sit", name="Guest")["ok"], "nobody may sit down")
    ada.until(lambda: ada.live["room"]["seats"][2]["guest"] is not None)
    hold(ada.ask(do="remove", seat=2)["ok"], "the host may send nobody away")
    for number, cookie in enumerate((served.http.headers["cookie"], ben)):
        with served.join(table, cookie=cookie) as guest:
            sealed = guest.ask(do="ready", commitments=[(number, _commitment(number))])
            hold(sealed["ok"], f"seat {number} is not ready: {sealed}")
    hold(ada.ask(do="start")["ok"], "the host may not begin")
    for number, cookie in enumerate((served.http.headers["cookie"], ben)):
        with served.join(table, cookie=cookie) as guest:
            hold(guest.ask(do="reveal", shares=[(number, _SECRETS[number].hex())])["ok"], "no share is taken")
    ada.until(lambda: ada.live["room"]["phase"] == "playing")
    return table, ada, ben, eve


_SECRETS = (b"a" * 32, b"b" * 32)


def _commitment(number: int) -> str:
    return commitment_of(_SECRETS[number])


def _senders(served: Served, elsewhere: Served, table: str, ben: str, eve: str) -> dict[str, Callable[[], Player]]:
    """Who is not Ada, by what makes him nobody here."""
    own = served.http.headers["cookie"]
    name, _, token = own.partition("=")
    forgotten = served.guest("Fay")
    hold(served.http.post("/api/me/forget", headers={"cookie": forgotten}).status_code == 200, "nobody is forgotten")
    cookies = {
        "Ben": ben,
        "another guest": served.guest("Cem"),
        "a watcher": "",
        "sent away": eve,
        "of another server": elsewhere.guest("Ada"),
        "forgotten": forgotten,
        "never given": f"{name}={secrets.token_urlsafe(16)}",
        "of plain http": f"knobel={token}",
        "twice": f"{own}; {own}",
        "longer": f"{own}A",
        "another spelling": f"{name}={token.swapcase()}",
    }

    def at_table(cookie: str) -> Callable[[], Player]:
        return lambda: served.join(table, cookie=cookie, close_timeout=_SOON)

    def at(address: str, headers: dict[str, str]) -> Callable[[], Player]:
        return lambda: Player(
            connect(address, compression=None, legacy=True, close_timeout=_SOON, additional_headers=headers)
        )

    known = {who: at_table(cookie) for who, cookie in cookies.items()}
    address = f"ws://127.0.0.1:{served.port}/api/tables/{table}/socket"
    for key in (name, "token", "knobel"):
        known[f"in the address as {key}"] = at(f"{address}?{key}={token}", {})
        known[f"in a header as {key}"] = at(address, {"Authorization": f"Bearer {token}", f"X-{key}": token})
    return known


def _try(name: str, player: Player, version: int, rng: Random) -> None:
    """One command or request; it must be refused, or change nothing."""
    boxes: list[Any] = [box["box"] for box in player.live["view"]["sheets"][0]["columns"][0]["boxes"]]
    moves = (
        {"do": "throw", "keep": []},
        {"do": "throw", "keep": [0]},
        {"do": "enter", "box": rng.choice(boxes)},
        {"do": "spend", "token": "samuel"},
        {"do": "choose", "places": [0, 1, 2, 3, 4]},
        {"do": "pick", "box": rng.choice(boxes)},
    )
    seat = rng.choice((0, 1))
    acts = (
        {"do": "add", "kind": "person"},
        {"do": "remove", "seat": seat},
        {"do": "hand_over", "seat": 1},
        {"do": "ready", "commitments": [(seat, _commitment(seat))]},
        {"do": "unready"},
        {"do": "start"},
        {"do": "close"},
        {"do": "sit", "name": "Ada", "seat": seat},
        {"do": "reveal", "shares": [(0, _SECRETS[1].hex())]},
        *(() if name == "Ben" else ({"do": "rise"}, {"do": "return"}, {"do": "say", "phrase": "luck"})),  # his rights
    )
    known = {"id": uuid.uuid4().hex, "version": version}
    is_move = rng.random() < 0.6
    if is_move:
        message = {"type": "command", "seat": seat, "move": rng.choice(moves), **known}
    else:
        message = {"type": "request", "act": rng.choice(acts), **known}
    player.send(message)
    reply = player.until_reply()
    hold(not (is_move and reply["ok"]), f"{name}: {message} was accepted")
    hold(reply["version"] == version, f"{name}: {message} has changed something")


def _refused_addresses(served: Served, table: str) -> None:
    """A token opens no page either when it is in the address, and no other table than there is."""
    token = served.http.headers["cookie"].partition("=")[2]
    answer = served.http.get(f"/api/me?__Host-knobel={token}&token={token}", headers={"cookie": ""})
    hold(answer.json()["guest"] is None, "a token in the address is taken")
    try:
        served.connect(table[::-1]).close()
    except InvalidStatus as error:
        hold(error.response.status_code == 404, "a table that is not there answers")
    else:
        raise AssertionError("a socket at a table that is not there")


def _state(served: Served, *tables: str) -> list[str]:
    """What the server knows of the tables, in its memory and in its log."""

    async def read() -> list[str]:
        found = []
        for table in tables:
            master, stored = await asyncio.gather(served.hall.find(table), served.hall.store.load(table))
            hold(stored is not None and stored.room == master.room, "memory and log differ")
            found.append(json.dumps([repr(event) for event in master.room.events]))
        return found

    return served.call(read)
