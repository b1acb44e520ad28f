"""Several processes on one log, on both kinds of database, and what the log says when PostgreSQL has trouble."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack

import pytest
import sqlalchemy as sa
from sqlalchemy import event as hooks
from sqlalchemy.util import await_only

import knobel
from knobel.event import ThrowDice
from knobel.fair import commitment_of
from knobel.room import Command, Room, Terms, evolve, open_room
from knobel.seat import Opened, Seat
from knobel.server import database as databases
from knobel.server.database import Database
from knobel.server.rows import Founded, Head, Step
from knobel.server.store import Conflict, Store, trouble
from knobel.steward import begun, decide
from knobel.table import Refused
from tests.postgres import Cluster, outcome

SEED = bytes(32)
ADA = Seat("Ada", "person", "ada")
FIRST = 3  # the version of a new table: open, seal, begin


def new_room(name: str = "t") -> Room:
    """A game of one that has just begun."""
    opened = Opened("ada", (ADA,), commitment_of(SEED))
    room = open_room(name, knobel.load("classic"), Terms(), opened)
    for event in begun(room, lambda _: lambda n: (1,) * n):
        room = evolve(room, event)
    assert room.version == FIRST
    return room


def founded(room: Room, follows: str | None = None) -> Founded:
    return Founded(room, Head(f"code-{room.id}", SEED, follows))


def thrown(room: Room, face: int) -> Room:
    """The room after a throw of equal faces."""
    command = Command(ThrowDice(), room.version, 0, "ada")
    (event,) = decide(room, command, lambda _: lambda n: (face,) * n)
    return evolve(room, event)


def with_stores(place: Database, work: Callable[..., Awaitable[None]], n: int = 2) -> None:
    """Run something with several stores, as if they were in processes of their own."""

    async def run() -> None:
        async with AsyncExitStack() as stack:
            stores = [Store.on(place) for _ in range(n)]
            for store in stores:
                stack.push_async_callback(store.close)
            await work(*stores)

    outcome(run)


# --- races ---


def test_of_two_processes_one_appends_a_version_and_the_other_hears_of_a_conflict(place: Database) -> None:
    async def work(one: Store, other: Store) -> None:
        first = new_room()
        await one.append([founded(first)], [])
        rooms = [thrown(first, 1), thrown(first, 2)]
        results = await asyncio.gather(
            one.append([], [Step(rooms[0], 1, "command-1")]),
            other.append([], [Step(rooms[1], 1, "command-2")]),
            return_exceptions=True,
        )
        assert [type(result) for result in results if result is not None] == [Conflict]
        winner = results.index(None)
        stored = await other.load("t")
        assert stored is not None
        assert (stored.room, stored.answers) == (rooms[winner], {f"command-{winner + 1}": FIRST + 1})
        later = thrown(stored.room, 5)  # and the loser goes on
        await (one, other)[1 - winner].append([], [Step(later, 1, "command-3")])

    with_stores(place, work)


def test_a_command_is_answered_once_whatever_version_it_brings(place: Database) -> None:
    async def work(one: Store, other: Store) -> None:
        first = new_room()
        second = thrown(first, 1)
        await one.append([founded(first)], [Step(second, 1, "command-1")])
        with pytest.raises(Conflict):
            await other.append([], [Step(thrown(second, 2), 1, "command-1")])
        assert await other.versions(["t"]) == {"t": FIRST + 1}

    with_stores(place, work)


def test_a_conflict_writes_nothing_of_its_transaction(place: Database) -> None:
    async def work(one: Store, other: Store) -> None:
        first, free = new_room(), new_room("free")
        await one.append([founded(first), founded(free)], [Step(thrown(first, 1), 1, "command-1")])
        with pytest.raises(Conflict):
            await other.append(
                [founded(new_room("new"))], [Step(thrown(free, 3), 1), Step(thrown(first, 2), 1, "command-2")]
            )
        assert await other.versions(["t", "free", "new"]) == {"t": FIRST + 1, "free": FIRST}

    with_stores(place, work)


def test_a_table_that_is_there_already_is_no_race(place: Database) -> None:
    async def work(one: Store) -> None:
        await one.append([founded(new_room())], [])
        with pytest.raises(Refused) as refused:
            await one.append([founded(new_room())], [])
        assert not isinstance(refused.value, Conflict)

    with_stores(place, work, 1)


WAITING = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"


def test_two_processes_with_the_same_tables_in_another_order_do_not_block_each_other(
    postgres: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A third one stops both in the middle; when it lets go, one of them goes on to its end."""
    monkeypatch.setattr(databases, "BUSY_SECONDS", 60)
    monkeypatch.setattr(databases, "STATEMENT_SECONDS", 60)

    async def work(one: Store, other: Store, third: Store) -> None:
        rooms = [new_room(name) for name in "abc"]
        await third.append([founded(room) for room in rooms], [])
        steps = [Step(thrown(room, 1), 1) for room in rooms]
        async with third.engine.connect() as connection:
            await connection.exec_driver_sql(f"INSERT INTO events VALUES ('b', {FIRST + 1}, NULL, 0, '')")
            both = [asyncio.create_task(one.append([], steps)), asyncio.create_task(other.append([], steps[::-1]))]
            async with third.engine.connect() as looking:
                while await looking.scalar(sa.text(WAITING)) != 2:
                    await looking.rollback()
            await connection.rollback()
        results = await asyncio.gather(*both, return_exceptions=True)
        assert [type(result) for result in results if result is not None] == [Conflict]

    with_stores(postgres, work, 3)


# --- what is new ---


def test_a_process_reads_what_came_after_its_version(place: Database) -> None:
    async def work(one: Store, other: Store) -> None:
        first = new_room()
        second = thrown(first, 1)
        third = thrown(second, 2)
        await one.append([founded(first)], [Step(second, 1, "command-1"), Step(third, 1, "command-2")])
        entries = await other.later("t", FIRST)
        assert [entry.command_id for entry in entries] == ["command-1", "command-2"]
        room = first
        for entry in entries:
            room = evolve(room, entry.event)
        assert room == third
        assert await other.later("t", FIRST + 2) == await other.later("none", 0) == ()
        many = [f"none-{number}" for number in range(2_500)]
        assert await other.versions([*many, "t"]) == {"t": FIRST + 2}

    with_stores(place, work)


def test_a_table_is_read_as_it_was_at_one_moment(place: Database) -> None:
    async def work(one: Store, other: Store) -> None:
        first = new_room()
        await one.append([founded(first)], [])
        rooms = [thrown(first, 1)]

        @hooks.listens_for(one.engine.sync_engine, "after_cursor_execute")
        def _(_connection: object, _cursor: object, statement: str, *_: object) -> None:
            if statement.startswith("SELECT tables") and rooms:  # between the two questions of `load`
                await_only(other.append([], [Step(rooms.pop(), 1)]))

        stored = await one.load("t")
        assert not rooms
        assert stored is not None
        assert stored.room == first
        assert await one.versions(["t"]) == {"t": FIRST + 1}

    with_stores(place, work)


def test_names_that_no_database_has(place: Database) -> None:
    async def work(one: Store) -> None:
        for name in ("\0", "a\0b", "\ud800", "none"):
            assert await one.load(name) is None
            assert await one.line(name) is None

    with_stores(place, work, 1)


# --- trouble with PostgreSQL ---


@pytest.mark.parametrize(
    ("state", "word"),
    [("53100", "full"), ("55P03", "locked"), ("57014", "locked"), ("40P01", "locked"), ("25006", "read-only")]
    + [(state, "failed") for state in ("08006", "57P01", "57P03", "53200", "53300", "XX000")],
)
def test_trouble_is_one_word(postgres: Database, state: str, word: str) -> None:
    async def work(one: Store) -> None:
        raising = f"DO $$ BEGIN RAISE EXCEPTION 'trouble' USING ERRCODE = '{state}'; END $$"
        with pytest.raises(sa.exc.SQLAlchemyError) as error:
            async with one.engine.begin() as connection:
                await connection.exec_driver_sql(raising)
        assert trouble(error.value) == word

    with_stores(postgres, work, 1)


async def refusal(store: Store, room: Room) -> Refused:
    """What is said instead of storing the next event."""
    with pytest.raises(Refused) as refused:
        await store.append([], [Step(thrown(room, 6), 1, "command-9")])
    assert not isinstance(refused.value, Conflict)
    assert await store.versions([room.id]) == {room.id: room.version}
    return refused.value


def test_a_locked_table_refuses_and_recovers(postgres: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(databases, "BUSY_SECONDS", 0.1)

    async def work(one: Store, other: Store) -> None:
        first = new_room()
        await one.append([founded(first)], [])
        async with other.engine.begin() as connection:
            await connection.exec_driver_sql("LOCK TABLE events IN EXCLUSIVE MODE")
            cause = (await refusal(one, first)).__cause__
            assert isinstance(cause, sa.exc.DBAPIError)
            assert getattr(cause.orig, "sqlstate", None) == "55P03"  # not after the longer wait for a statement
            assert trouble(cause) == "locked"
        await one.append([], [Step(thrown(first, 6), 1, "command-9")])

    with_stores(postgres, work)


def test_a_database_that_only_reads_refuses_and_recovers(postgres: Database, cluster: Cluster) -> None:
    name = postgres.url.database

    async def work(one: Store) -> None:
        first = new_room()
        await one.append([founded(first)], [])
        for value, word in (("on", "read-only"), ("off", "")):
            await one.engine.dispose()  # the setting holds for new connections
            await asyncio.to_thread(cluster.run, f"ALTER DATABASE {name} SET default_transaction_read_only = {value}")
            if word:
                assert trouble((await refusal(one, first)).__cause__) == word
        await one.append([], [Step(thrown(first, 6), 1, "command-9")])

    with_stores(postgres, work, 1)


KILL = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{}' AND pid <> pg_backend_pid()"


def test_connections_that_were_cut_while_idle_cost_nobody_a_command(postgres: Database, cluster: Cluster) -> None:
    async def work(one: Store) -> None:
        first = new_room()
        await one.append([founded(first)], [])
        await asyncio.to_thread(cluster.run, KILL.format(postgres.url.database))
        await one.append([], [Step(thrown(first, 6), 1, "command-9")])

    with_stores(postgres, work, 1)


def test_a_connection_that_is_cut_in_a_transaction_refuses_and_the_next_one_stores(
    postgres: Database, cluster: Cluster
) -> None:
    async def work(one: Store) -> None:
        first = new_room()
        await one.append([founded(first)], [])
        kills = [KILL.format(postgres.url.database)]

        @hooks.listens_for(one.engine.sync_engine, "after_cursor_execute")
        def _(_connection: object, _cursor: object, statement: str, *_: object) -> None:
            if statement.startswith("INSERT") and kills:
                await_only(asyncio.to_thread(cluster.run, kills.pop()))

        assert trouble((await refusal(one, first)).__cause__) == "failed"
        await one.append([], [Step(thrown(first, 6), 1, "command-9")])

    with_stores(postgres, work, 1)
