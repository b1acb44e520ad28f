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
from knobel.event import EnterBox, ThrowDice
from knobel.server import folder, hall, writer
from knobel.server.hall import Hall
from knobel.server.store import Opened, Step, Store
from knobel.server.writer import Answer, Master
from knobel.table import Command, Refused, Seat
from tests.server.serving import AGAINST_COMPUTER, PEOPLE, Player, Served, needs_root, serving, small_disk

ADA, ROBO = Seat("Ada", "person"), Seat("Robo", "computer")


class CountingStore(Store):
    """A store that counts its commits and can be told to wait or to fail."""

    n_commits = 0
    failure: Exception | None = None

    def __init__(self, database: Path) -> None:
        super().__init__(Store.on_sqlite(database).engine)
        self.gate = asyncio.Event()
        self.gate.set()

    async def append(self, opened: Sequence[Opened], steps: Sequence[Step]) -> None:
        await self.gate.wait()
        if self.failure is not None:
            raise self.failure
        self.n_commits += 1
        await super().append(opened, steps)


def in_hall(data: Path, work: Callable[[Hall, CountingStore], Awaitable[None]]) -> None:
    """Run something with a hall on a counting store."""

    async def run() -> None:
        with folder.locked(data) as database:
            store = CountingStore(database)
            async with Hall(store) as opened:
                await work(opened, store)

    asyncio.run(run())


def events_of(database: Path) -> list[tuple[str, int, str | None]]:
    with closing(sqlite3.connect(database)) as connection:
        return connection.execute("SELECT table_id, version, command_id FROM events ORDER BY 1, 2").fetchall()


def throw(master: Master) -> Command:
    assert master.table.state.turn is not None
    return Command(master.table.state.turn.seat, master.table.version, ThrowDice())


# --- group commit ---


def test_all_waiting_commands_go_into_one_commit(tmp_path: Path) -> None:
    async def work(opened: Hall, store: CountingStore) -> None:
        masters = [await opened.open(knobel.load("classic"), (ADA,), "seat") for _ in range(20)]
        before = store.n_commits
        answers = await asyncio.gather(*(opened.play(master, throw(master), "command-1") for master in masters))
        assert answers == [Answer(2)] * 20
        assert store.n_commits == before + 1

    in_hall(tmp_path, work)
    assert len(events_of(tmp_path / folder.DATABASE)) == 40


def test_of_equal_commands_in_one_commit_one_counts(tmp_path: Path) -> None:
    async def work(opened: Hall, store: CountingStore) -> None:
        master = await opened.open(knobel.load("classic"), (ADA,), "seat")
        names = ["command-1", "command-1", *(f"command-{n}" for n in range(2, 50))]
        answers = await asyncio.gather(*(opened.play(master, throw(master), name) for name in names))
        assert answers[:2] == [Answer(2)] * 2
        assert {answer.problem.code for answer in answers[2:] if answer.problem} == {"action/stale"}
        assert master.table.version == 2
        dice = master.table.dice
        assert await opened.play(master, throw(master), "command-1") == Answer(2)
        assert master.table.dice == dice

    in_hall(tmp_path, work)
    assert [row[2] for row in events_of(tmp_path / folder.DATABASE)] == [None, "command-1"]


def test_nothing_is_answered_before_it_is_stored(tmp_path: Path) -> None:
    async def work(opened: Hall, store: CountingStore) -> None:
        master = await opened.open(knobel.load("classic"), (ADA,), "seat")
        seen: list[str] = []
        master.watchers.add(seen.append)
        store.gate.clear()
        answer = asyncio.create_task(opened.play(master, throw(master), "command-1"))
        await asyncio.sleep(0.05)
        assert not answer.done()
        assert (seen, master.table.version) == ([], 1)
        store.gate.set()
        assert await answer == Answer(2)
        assert len(seen) == 1

    in_hall(tmp_path, work)


def test_a_failed_commit_leaves_memory_as_it_was(tmp_path: Path) -> None:
    async def work(opened: Hall, store: CountingStore) -> None:
        master = await opened.open(knobel.load("classic"), (ADA,), "seat")
        before = master.table
        for failure in (OSError("no"), ValueError("a fault of ours")):
            store.failure = failure
            with pytest.raises(Refused) as refused:
                await opened.play(master, throw(master), "command-1")
            assert refused.value.code == "server/error"
            with pytest.raises(Refused):
                await opened.open(knobel.load("classic"), (ADA,), "seat")
            assert (master.table, master.answers) == (before, {})
            assert opened.writer.problem is not None
        store.failure = None
        assert await opened.play(master, throw(master), "command-1") == Answer(2)
        assert opened.writer.problem is None

    in_hall(tmp_path, work)
    assert len(events_of(tmp_path / folder.DATABASE)) == 2


def test_too_many_waiting_commands_are_refused_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "MAX_WAITING", 3)

    async def work(opened: Hall, store: CountingStore) -> None:
        master = await opened.open(knobel.load("classic"), (ADA,), "seat")
        store.gate.clear()
        waiting = [asyncio.create_task(opened.play(master, throw(master), "command-0"))]
        await asyncio.sleep(0.01)  # this one is being stored
        waiting += [asyncio.create_task(opened.play(master, throw(master), f"command-{n}")) for n in range(1, 4)]
        await asyncio.sleep(0.01)
        with pytest.raises(Refused) as refused:
            await opened.play(master, throw(master), "command-9")
        assert refused.value.code == "server/overloaded"
        store.gate.set()
        assert (await asyncio.gather(*waiting))[0] == Answer(2)

    in_hall(tmp_path, work)


def test_closing_answers_what_waits(tmp_path: Path) -> None:
    async def run() -> None:
        with folder.locked(tmp_path) as database:
            async with Hall(Store.on_sqlite(database)) as opened:
                master = await opened.open(knobel.load("classic"), (ADA,), "seat")
                answer = asyncio.create_task(opened.play(master, throw(master), "command-1"))
                await asyncio.sleep(0)
            assert await answer == Answer(2)
            with pytest.raises(Refused):
                await opened.play(master, throw(master), "command-2")

    asyncio.run(run())


# --- tables in memory ---


def test_a_table_has_one_master_however_many_ask(tmp_path: Path) -> None:
    async def work(opened: Hall, store: CountingStore) -> None:
        table = (await opened.open(knobel.load("classic"), (ADA,), "seat")).table
        opened._masters.clear()
        masters = await asyncio.gather(*(opened.find(table.id) for _ in range(20)))
        assert len({id(master) for master in masters}) == 1
        assert masters[0].table == table

    in_hall(tmp_path, work)


def test_idle_tables_leave_the_memory_and_watched_ones_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hall, "MAX_IDLE", 5)

    async def work(opened: Hall, store: CountingStore) -> None:
        watched = await opened.open(knobel.load("classic"), (ADA,), "seat")
        watched.watchers.add(lambda _: None)
        for _ in range(20):
            await opened.open(knobel.load("classic"), (ADA,), "seat")
        assert len(opened._masters) <= 7
        assert await opened.find(watched.table.id) is watched

    in_hall(tmp_path, work)


def test_a_game_is_read_back_as_it_was(tmp_path: Path) -> None:
    kept: list[Master] = []

    async def play(opened: Hall, store: CountingStore) -> None:
        master = await opened.open(knobel.load("six-dice", order="up"), (ADA, ADA), "highest_throw")
        for number in range(30):
            turn = master.table.state.turn
            assert turn is not None
            command = throw(master)
            if turn.throws == 2:
                action = knobel.legal_actions(master.table.state)[-1]
                assert isinstance(action, knobel.Enter)
                command = Command(turn.seat, master.table.version, EnterBox(str(action.box)))
            assert (await opened.play(master, command, f"command-{number}")).problem is None
        kept.append(master)

    async def read(opened: Hall, store: CountingStore) -> None:
        master = await opened.find(kept[0].table.id)
        assert master.table == kept[0].table
        assert master.answers == kept[0].answers
        assert dict(master.table.ruleset.options) == {"order": "up"}

    in_hall(tmp_path, play)
    in_hall(tmp_path, read)


# --- a damaged log ---

DAMAGES = {
    "an event is missing": "DELETE FROM events WHERE version = 2",
    "the last event is missing": "DELETE FROM events WHERE version = 4",
    "a gap": "UPDATE events SET version = 9 WHERE version = 4",
    "all events are missing": "DELETE FROM events",
    "an event too many": "INSERT INTO events SELECT table_id, 5, NULL, at, body FROM events WHERE version = 2",
    "other dice": "UPDATE events SET body = replace(body, '\"keep\":[0]', '\"keep\":[0,1,2,3]') WHERE version = 3",
    "other points": "UPDATE events SET body = replace(body, '\"points\":', '\"points\":1') WHERE version = 4",
    "half an event": "UPDATE events SET body = substr(body, 1, 20) WHERE version = 3",
    "another kind": 'UPDATE events SET body = \'{"kind":"cheat"}\' WHERE version = 3',
    "zeros": "UPDATE events SET body = zeroblob(40) WHERE version = 3",
    "no ruleset": "UPDATE tables SET ruleset = '{}'",
    "half a ruleset": "UPDATE tables SET ruleset = substr(ruleset, 1, 100)",
    "no seats": "UPDATE tables SET seats = '[]'",
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_table_is_refused_by_name_and_the_others_go_on(tmp_path: Path, damage: str) -> None:
    with serving(tmp_path) as served:
        table = served.open()
        with served.join(table) as player:
            player.throw()
            player.throw(0)
            player.enter("chance")
    with closing(sqlite3.connect(tmp_path / folder.DATABASE)) as connection:
        assert connection.execute(DAMAGES[damage]).rowcount > 0
        connection.commit()
    with serving(tmp_path) as served:
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
        assert len(events_of(data / folder.DATABASE)) == player.version


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
        assert len(events_of(tmp_path / folder.DATABASE)) == player.version


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


def test_a_computer_interrupted_in_its_turn_goes_on_after_a_restart(tmp_path: Path) -> None:  # B090
    with serving(tmp_path, policy=SlowPolicy()) as served:
        table = served.open(seats=(AGAINST_COMPUTER[1], PEOPLE[0]))
    events = [row for row in events_of(tmp_path / folder.DATABASE) if row[0] == table]
    assert len(events) < 3  # the throw or the entry is missing
    with serving(tmp_path) as served, served.join(table) as player:
        while player.view["turn"]["seat"] == 0:
            player.receive()
        assert player.throw()["ok"]


def test_a_computer_waits_out_a_failed_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hall, "_RETRY", 0.01)

    async def work(opened: Hall, store: CountingStore) -> None:
        master = await opened.open(knobel.load("classic"), (ADA, ROBO), "seat")
        await opened.play(master, throw(master), "command-1")
        turn = master.table.state.turn
        assert turn is not None
        enter = Command(0, master.table.version, EnterBox("chance"))
        await opened.play(master, enter, "command-2")
        store.failure = Refused("storage/full", knobel.Reason("server-storage-full"))
        await asyncio.sleep(0.1)
        at = master.table.version
        store.failure = None
        async with asyncio.timeout(10):
            while master.table.acting == ROBO:
                await asyncio.sleep(0.01)
        assert master.table.version > at
        assert master.player is None

    in_hall(tmp_path, work)


def test_dice_come_from_the_draw_that_is_handed_in(tmp_path: Path) -> None:
    with serving(tmp_path, lambda n: (6,) * n) as served, served.join(served.open()) as player:
        player.throw()
        assert player.live["dice"] == [6] * 5


def test_commits_are_durable_and_the_database_checks_itself(tmp_path: Path) -> None:
    async def work(opened: Hall, store: CountingStore) -> None:
        async with store.engine.connect() as connection:
            pragmas = ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
            values = [(await connection.exec_driver_sql(f"PRAGMA {pragma}")).scalar() for pragma in pragmas]
        assert values == ["wal", 2, 1, 2000]  # 2: FULL, a commit survives a power cut

    in_hall(tmp_path, work)
