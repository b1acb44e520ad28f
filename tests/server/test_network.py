"""The protocol on a lossy network: whatever is cut, killed or refused, every acknowledged command counts once."""

import asyncio
import json
from collections import Counter
from random import Random
from typing import Any

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import knobel
from knobel.room import Terms
from knobel.seat import Seat
from knobel.server.present import shown
from tests.server.virtual import Client, Rows, Server, in_virtual_time

GUESTS = ("ada", "ben", "ada", None)  # two tabs of the first, and one who only watches
SETTLED = 150.0  # seconds after which everybody must have come back: longer than every patience and grace
FAULTS = st.tuples(
    st.floats(0.0, 30.0),
    st.sampled_from(["cut", "cut", "cut", "silent", "all", "kill", "disk"]),
    st.integers(0, len(GUESTS) - 1),
)


async def play(seed: int, faults: list[tuple[float, str, int]], ruleset: str = "yatzy") -> dict[str, int]:
    """Half a minute of play with faults; then all must agree. Answers what was done."""
    rng = Random(seed)
    rows = Rows(rng)
    server = Server(rows, rng)
    await server.start()
    seats = (Seat("Ada", "person", "ada"), Seat("Ben", "person", "ben"))
    master = await server.hall.open(knobel.load(ruleset), seats, Terms(), "ada", start=True)
    table = master.room.id
    clients = [Client(f"c{number}", guest, server, table, rng) for number, guest in enumerate(GUESTS)]
    for client in clients:
        client.connect()

    async def fault(at: float, kind: str, index: int) -> None:
        await asyncio.sleep(at)
        match kind:
            case "cut" | "silent":
                clients[index].lose(is_noticed=kind == "cut")
            case "all":
                for client in clients:
                    client.lose()
            case "disk":
                rows.failing = True
                await asyncio.sleep(2)
                rows.failing = False
            case "kill" if server.is_up:
                for client in clients:
                    client.lose()
                await server.kill()
                await asyncio.sleep(rng.uniform(0, 3))
                await server.start()

    async def people() -> None:
        for _ in range(150):
            await asyncio.sleep(0.2)
            for client in clients:
                client.act()

    await asyncio.gather(people(), *(fault(*each) for each in faults))
    await asyncio.sleep(SETTLED)
    await agree(server, rows, clients, table)
    log = rows.events[table]
    for client in clients:
        client.is_running = False
        client.lose()
    await asyncio.sleep(20)
    await server.kill()
    return {"events": len(log), "acknowledged": sum(sum(r["ok"] for r in c.replies.values()) for c in clients)}


async def agree(server: Server, rows: Rows, clients: list[Client], table: str) -> None:
    """Everybody has seen the same, and the log holds each acknowledged command once."""
    master = await server.hall.find(table)
    truth = json.loads(json.dumps(shown(master.room, master.head.seed).live))
    log = rows.events[table]
    answered = Counter(row["command_id"] for row in log if row["command_id"] is not None)
    assert max(answered.values(), default=1) == 1, "a command has counted twice"
    known = {name: message for client in clients for name, message in client.sent.items()}
    assert set(answered) <= set(known), "a command that nobody has sent"
    versions = {row["command_id"]: row["version"] for row in log}
    seed = master.head.seed.hex()
    for client in clients:
        assert client.is_idle, f"{client.name} has not come back"
        assert client.live == truth
        assert sorted(client.events) == list(range(min(client.events), master.room.version + 1))
        for name, reply in client.replies.items():
            if reply["ok"] and name in versions:
                assert versions[name] == reply["version"]
            if reply["ok"] and client.sent[name]["type"] == "command":
                assert name in answered, "an acknowledged move is not in the log"
        if client.guest is None:
            assert not any(reply["ok"] for reply in client.replies.values())
        assert master.room.phase == "over" or not any(seed in frame for frame in client.frames)


@settings(max_examples=60, deadline=None, phases=set(Phase) - {Phase.explain})  # which would take minutes
@given(st.integers(0, 2**32), st.lists(FAULTS, max_size=8))
def test_nothing_is_lost_and_nothing_counts_twice(seed: int, faults: list[tuple[float, str, int]]) -> None:
    done = in_virtual_time(play(seed, faults))
    assert done["events"] > 3 or faults


def test_a_quiet_network_is_fast() -> None:
    """The model itself: without faults people get something done."""
    done = in_virtual_time(play(1, []))
    assert done["acknowledged"] > 40


def test_two_tabs_throw_once() -> None:  # drill 10
    async def work() -> Any:
        rng = Random(3)
        server = Server(Rows(rng), rng)
        await server.start()
        seats = (Seat("Ada", "person", "ada"),)
        master = await server.hall.open(knobel.load("classic"), seats, Terms(), "ada", start=True)
        tabs = [Client(f"c{number}", "ada", server, master.room.id, rng) for number in range(50)]
        for tab in tabs:
            tab.connect()
        await asyncio.sleep(2)
        for tab in tabs:
            tab.send({"type": "command", "seat": 0, "move": {"do": "throw", "keep": []}})
        await asyncio.sleep(5)
        assert sum(reply["ok"] for tab in tabs for reply in tab.replies.values()) == 1
        assert {json.dumps(tab.live) for tab in tabs} == {json.dumps(tabs[0].live)}
        assert master.room.version == 4
        await server.kill()

    in_virtual_time(work())
