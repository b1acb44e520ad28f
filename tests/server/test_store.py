import asyncio
import json
import resource
import sqlite3
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import IO, Any

import pytest
from websockets.exceptions import InvalidStatus

import knobel
from knobel.event import EnterBox, Move, ThrowDice
from knobel.header import Begin
from knobel.room import Command, Terms
from knobel.seat import Seat
from knobel.server import computers, folder, hall, writer
from knobel.server.database import Database, file_database
from knobel.server.hall import Hall
from knobel.server.rows import Founded, Step
from knobel.server.store import Store
from knobel.server.writer import Answer, Master
from knobel.table import Refused, Table
from tests.postgres import execute
from tests.server.serving import AGAINST_COMPUTER, PEOPLE, Player, Served, needs_root, serving, small_disk

ADA, ROBO = Seat("Ada", "person", "ada"), Seat("Robo", "computer")


class CountingStore(Store):
    """A store that counts its commits and can be told to wait or to fail."""

    n_commits = 0
    failure: Exception | None = None

    def __init__(self, database: Database) -> None:
        super().__init__(database.engine())
        self.gate = asyncio.Event()
        self.gate.set()

    async def append(self, founded: Sequence[Founded], steps: Sequence[Step]) -> None:
        await self.gate.wait()
        if self.failure is not None:
            raise self.failure
        self.n_commits += 1
        await super().append(founded, steps)


def in_hall(database: Database, work: Callable[[Hall, CountingStore], Awaitable[None]]) -> None:
    """Run something with a hall on a counting store."""

    async def run() -> None:
        store = CountingStore(database)
        async with Hall(store) as opened:
            await work(opened, store)

    asyncio.run(run())


def events_of(database: Database) -> list[tuple[str, int, str | None]]:
    rows = execute(database, "SELECT table_id, version, command_id FROM events ORDER BY 1, 2")
    return [(row.table_id, row.version, row.command_id) for row in rows]


async def begun(opened: Hall, *seats: Seat, begin: Begin = "seat", ruleset: str = "classic", **options: str) -> Master:
    """A new table of Ada's at which the game has begun; she sits there alone unless told."""
    return await opened.open(knobel.load(ruleset, **options), seats or (ADA,), Terms(begin), "ada", start=True)


def game(master: Master) -> Table:
    assert master.room.table is not None
    return master.room.table


def moves(master: Master, move: Move) -> Command:
    """Ada moves for the seat on turn."""
    turn = game(master).state.turn
    assert turn is not None
    return Command(move, master.room.version, turn.seat, "ada")


def throw(master: Master) -> Command:
    return moves(master, ThrowDice())


# --- group commit ---


def test_all_waiting_commands_go_into_one_commit(place: Database) -> None:
    async def work(opened: Hall, store: CountingStore) -> None:
        masters = [await begun(opened) for _ in range(20)]
        before, versions = store.n_commits, [master.room.version for master in masters]
        answers = await asyncio.gather(*(opened.play(master, throw(master), "command-1") for master in masters))
        assert answers == [Answer(version + 1) for version in versions]
        assert store.n_commits == before + 1

    in_hall(place, work)
    assert [row[2] for row in events_of(place)].count("command-1") == 20


def test_of_equal_commands_in_one_commit_one_counts(place: Database) -> None:
    async def work(opened: Hall, store: CountingStore) -> None:
        master = await begun(opened)
        thrown = master.room.version + 1
        names = ["command-1", "command-1", *(f"command-{n}" for n in range(2, 50))]
        answers = await asyncio.gather(*(opened.play(master, throw(master), name) for name in names))
        assert answers[:2] == [Answer(thrown)] * 2
        assert {answer.problem.code for answer in answers[2:] if answer.problem} == {"action/stale"}
        assert master.room.version == thrown
        dice = game(master).dice
        assert await opened.play(master, throw(master), "command-1") == Answer(thrown)
        assert game(master).dice == dice

    in_hall(place, work)
    assert [row[2] for row in events_of(place)] == [None, None, None, "command-1"]


def test_nothing_is_answered_before_it_is_stored(place: Database) -> None:
    async def work(opened: Hall, store: CountingStore) -> None:
        master = await begun(opened)
        seen: list[str] = []
        before = master.room
        master.watchers[seen.append] = None
        store.gate.clear()
        answer = asyncio.create_task(opened.play(master, throw(master), "command-1"))
        await asyncio.sleep(0.05)
        assert not answer.done()
        assert (seen, master.room) == ([], before)
        store.gate.set()
        assert await answer == Answer(before.version + 1)
        assert [json.loads(text)["type"] for text in seen] == ["update", "present"]

    in_hall(place, work)


def test_a_failed_commit_leaves_memory_as_it_was(place: Database) -> None:
    async def work(opened: Hall, store: CountingStore) -> None:
        master = await begun(opened)
        before = master.room
        for failure in (OSError("no"), ValueError("a fault of ours")):
            store.failure = failure
            with pytest.raises(Refused) as refused:
                await opened.play(master, throw(master), "command-1")
            assert refused.value.code == "server/error"
            with pytest.raises(Refused):
                await begun(opened)
            assert (master.room, master.answers) == (before, {})
            assert opened.writer.problem is not None
        store.failure = None
        assert await opened.play(master, throw(master), "command-1") == Answer(before.version + 1)
        assert opened.writer.problem is None

    in_hall(place, work)
    assert len(events_of(place)) == 4  # open, seal, begin, throw


def test_too_many_waiting_commands_are_refused_at_once(place: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "MAX_WAITING", 3)

    async def work(opened: Hall, store: CountingStore) -> None:
        master = await begun(opened)
        store.gate.clear()
        waiting = [asyncio.create_task(opened.play(master, throw(master), "command-0"))]
        await asyncio.sleep(0.01)  # this one is being stored
        waiting += [asyncio.create_task(opened.play(master, throw(master), f"command-{n}")) for n in range(1, 4)]
        await asyncio.sleep(0.01)
        with pytest.raises(Refused) as refused:
            await opened.play(master, throw(master), "command-9")
        assert refused.value.code == "server/overloaded"
        store.gate.set()
        assert (await asyncio.gather(*waiting))[0] == Answer(master.room.version)

    in_hall(place, work)


def test_closing_answers_what_waits(place: Database) -> None:
    async def run() -> None:
        async with Hall(Store.on(place)) as opened:
            master = await begun(opened)
            answer = asyncio.create_task(opened.play(master, throw(master), "command-1"))
            before = master.room.version
            await asyncio.sleep(0)
        assert await answer == Answer(before + 1)
        with pytest.raises(Refused):
            await opened.play(master, throw(master), "command-2")

    asyncio.run(run())


# --- tables in memory ---


def test_a_table_has_one_master_however_many_ask(place: Database) -> None:
    async def work(opened: Hall, store: CountingStore) -> None:
        room = (await begun(opened)).room
        opened._masters.clear()
        masters = await asyncio.gather(*(opened.find(room.id) for _ in range(20)))
        assert len({id(master) for master in masters}) == 1
        assert masters[0].room == room

    in_hall(place, work)


def test_idle_tables_leave_the_memory_and_watched_ones_stay(place: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hall, "MAX_IDLE", 5)

    async def work(opened: Hall, store: CountingStore) -> None:
        watched = await begun(opened)
        watched.watchers[lambda _: None] = None
        for _ in range(20):
            await begun(opened)
        assert len(opened._masters) <= 7
        assert await opened.find(watched.room.id) is watched

    in_hall(place, work)


def test_a_game_is_read_back_as_it_was(place: Database) -> None:
    kept: list[Master] = []

    async def play(opened: Hall, store: CountingStore) -> None:
        master = await begun(opened, ADA, ADA, begin="highest_throw", ruleset="six-dice", order="up")
        for number in range(30):
            turn = game(master).state.turn
            assert turn is not None
            command = throw(master)
            if turn.throws == 2:
                action = knobel.legal_actions(game(master).state)[-1]
                assert isinstance(action, knobel.Enter)
                command = moves(master, EnterBox(str(action.box)))
            assert (await opened.play(master, command, f"command-{number}")).problem is None
        kept.append(master)

    async def read(opened: Hall, store: CountingStore) -> None:
        master = await opened.find(kept[0].room.id)
        assert (master.room, master.head) == (kept[0].room, kept[0].head)
        assert master.answers == kept[0].answers
        assert dict(master.room.ruleset.options) == {"order": "up"}

    in_hall(place, play)
    in_hall(place, read)


# --- a damaged log ---

DAMAGES = {  # open, seal, begin, throw, throw, enter
    "an event is missing": "DELETE FROM events WHERE version = 4",
    "the last event is missing": "DELETE FROM events WHERE version = 6",
    "the opening is missing": "DELETE FROM events WHERE version = 1",
    "a gap": "UPDATE events SET version = 9 WHERE version = 6",
    "all events are missing": "DELETE FROM events",
    "an event too many": "INSERT INTO events SELECT table_id, 7, NULL, at, body FROM events WHERE version = 4",
    "other dice": "UPDATE events SET body = replace(body, '\"keep\":[0]', '\"keep\":[0,1,2,3]') WHERE version = 5",
    "other points": "UPDATE events SET body = replace(body, '\"points\":', '\"points\":1') WHERE version = 6",
    "half an event": "UPDATE events SET body = substr(body, 1, 20) WHERE version = 5",
    "another kind": 'UPDATE events SET body = \'{"kind":"cheat"}\' WHERE version = 5',
    "zeros": "UPDATE events SET body = zeroblob(40) WHERE version = 5",
    "no ruleset": "UPDATE tables SET ruleset = '{}'",
    "half a ruleset": "UPDATE tables SET ruleset = substr(ruleset, 1, 100)",
    "no terms": "UPDATE tables SET terms = '[]'",
    "another seed": "UPDATE tables SET seed = replace(hex(zeroblob(32)), '0', 'a')",
    "half a seed": "UPDATE tables SET seed = substr(seed, 1, 31)",
    "no seats": "UPDATE events SET body = json_set(body, '$.seats', json('[]')) WHERE version = 1",
}

ON_POSTGRES = (
    ("replace(hex(zeroblob(32)), '0', 'a')", "repeat('a', 64)"),
    ("zeroblob(40)", "''"),
    ("json_set(body, '$.seats', json('[]'))", "jsonb_set(body::jsonb, '{seats}', '[]')::text"),
)


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_table_is_refused_by_name_and_the_others_go_on(place: Database, damage: str) -> None:
    with serving(place) as served:
        table = served.open()
        with served.join(table) as player:
            player.throw()
            player.throw(0)
            player.enter("chance")
    statement = DAMAGES[damage]
    if place.is_shared:
        for here, there in ON_POSTGRES:
            statement = statement.replace(here, there)
    assert execute(place, statement).rowcount > 0
    with serving(place) as served:
        answer = served.http.get(f"/api/tables/{table}")
        assert (answer.status_code, answer.json()["problem"]["code"]) == (500, "table/broken")
        assert answer.json()["problem"]["params"]["table"] == table
        with pytest.raises(InvalidStatus) as refused:
            served.connect(table)
        assert json.loads(refused.value.response.body or b"")["problem"]["code"] == "table/broken"
        with served.join(served.open()) as player:
            assert player.throw()["ok"]
        assert player.first["id"] in {line["id"] for line in served.http.get("/api/tables").json()["tables"]}


# --- when storing fails ---


@needs_root
def test_on_a_full_disk_nothing_is_acknowledged_and_it_goes_on_when_there_is_room(tmp_path: Path) -> None:  # drill 4
    with small_disk(tmp_path / "small", "size=3m") as data, serving(data) as served:
        with (data / "filler").open("wb", buffering=0) as filler, served.join(served.open("six-dice")) as player:
            player.throw()
            stops_and_goes_on(served, player, lambda: fill(filler), lambda: filler.truncate(0), "storage/full")
        assert len(events_of(file_database(data / folder.DATABASE))) == player.version


def test_on_an_io_error_nothing_is_acknowledged_and_it_goes_on_afterwards(tmp_path: Path) -> None:  # drill 5
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)

    def limit(size: int) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))

    with serving(tmp_path) as served, served.join(served.open("six-dice")) as player:
        player.throw()
        try:
            stops_and_goes_on(served, player, lambda: limit(4096), lambda: limit(soft), "storage/failed")
        finally:
            limit(soft)
        assert len(events_of(file_database(tmp_path / folder.DATABASE))) == player.version


def stops_and_goes_on(
    served: Served, player: Player, fail: Callable[[], object], recover: Callable[[], object], code: str
) -> None:
    """Play until storing fails, look what still works, let it recover, and send the same command again."""
    for _ in range(40):  # what the log has set aside may take a few events
        fail()
        before, command = player.live, player.command(legal_move(player))
        player.send(command)
        reply = player.until_reply()
        if not reply["ok"]:
            break
    assert reply["problem"]["code"] == code
    status = 507 if code == "storage/full" else 503
    with served.join(player.first["id"]) as other:  # reading goes on
        assert other.live == before
    body = {"ruleset": "classic", "options": {}, "seats": PEOPLE}
    assert served.http.post("/api/tables", json=body).status_code == status
    health = served.http.get("/api/health")
    assert (health.status_code, health.json()["problem"]["code"]) == (status, code)
    player.send(command)
    assert player.until_reply()["problem"]["code"] == code
    assert player.live == before
    recover()
    player.send(command)
    assert player.until_reply()["ok"]
    assert player.version == before["version"] + 1
    assert served.http.get("/api/health").status_code == 200


def fill(file: IO[bytes]) -> None:
    """Write until nothing fits any more."""
    for size in (65536, 4096, 1):
        with suppress(OSError):
            while True:
                file.write(bytes(size))


def legal_move(player: Player) -> dict[str, Any]:
    if player.view["turn"]["throws_left"]:
        return {"do": "throw", "keep": []}
    box = next(action for action in player.view["actions"] if action.startswith("enter ")).removeprefix("enter ")
    return {"do": "enter", "box": box}


def test_a_locked_database_refuses_and_recovers(tmp_path: Path) -> None:  # drill 5
    with serving(tmp_path) as served, served.join(served.open()) as player:
        with closing(sqlite3.connect(tmp_path / folder.DATABASE)) as connection:
            player.throw()
            connection.execute("BEGIN IMMEDIATE")
            command = player.command({"do": "enter", "box": "full_house"})
            player.send(command)
            assert player.until_reply()["problem"]["code"] == "storage/failed"
            connection.rollback()
        player.send(command)
        assert player.until_reply()["ok"]


# --- computer players ---


class SlowPolicy:
    """Thinks so long that every wait of the event loop would show."""

    def choose(self, state: knobel.State, rng: object) -> knobel.Action:
        time.sleep(0.3)
        return knobel.legal_actions(state)[-1]


def test_a_thinking_computer_stops_nobody(tmp_path: Path) -> None:
    with serving(tmp_path, policy=SlowPolicy()) as served:
        served.open(seats=(AGAINST_COMPUTER[1],) * 2)
        waits = []
        for _ in range(10):
            start = time.monotonic()
            assert served.http.get("/api/health").status_code == 200
            waits.append(time.monotonic() - start)
        assert max(waits) < 0.2


def test_a_computer_interrupted_in_its_turn_goes_on_after_a_restart(place: Database) -> None:  # B090
    with serving(place, policy=SlowPolicy()) as served:
        table = served.open(seats=(AGAINST_COMPUTER[1], PEOPLE[0]))
        cookie = served.http.headers["cookie"]
    events = [row for row in events_of(place) if row[0] == table]
    assert len(events) < 5  # open, seal, begin; the throw or the entry is missing
    with serving(place) as served, served.join(table, cookie=cookie) as player:
        while player.view["turn"]["seat"] == 0:
            player.receive()
        assert player.throw()["ok"]


def test_a_computer_waits_out_a_failed_commit(place: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(computers, "RETRY", 0.01)

    async def work(opened: Hall, store: CountingStore) -> None:
        master = await begun(opened, ADA, ROBO)
        await opened.play(master, throw(master), "command-1")
        await opened.play(master, moves(master, EnterBox("chance")), "command-2")
        store.failure = Refused("storage/full", knobel.Reason("server-storage-full"))
        await asyncio.sleep(0.1)
        at = master.room.version
        store.failure = None
        async with asyncio.timeout(10):
            while master.room.acting == ROBO:
                await asyncio.sleep(0.01)
        assert master.room.version > at
        assert master.player is None

    in_hall(place, work)


def test_dice_come_from_the_draw_that_is_handed_in(tmp_path: Path) -> None:
    with serving(tmp_path, lambda n: (6,) * n) as served, served.join(served.open()) as player:
        player.throw()
        assert player.live["dice"] == [6] * 5


def test_commits_are_durable_and_waiting_ends(place: Database) -> None:
    kinds: dict[bool, dict[str, object]] = {
        True: {"synchronous_commit": "on", "lock_timeout": "2s", "statement_timeout": "10s"},
        False: {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 2000},  # 2: FULL
    }
    settings = kinds[place.is_shared]
    say = "SHOW" if place.is_shared else "PRAGMA"

    async def work(opened: Hall, store: CountingStore) -> None:
        async with store.engine.connect() as connection:
            found = {name: (await connection.exec_driver_sql(f"{say} {name}")).scalar() for name in settings}
        assert found == settings

    in_hall(place, work)
