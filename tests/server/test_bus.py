"""News and leases between processes, on a real PostgreSQL."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack

import asyncpg
import pytest

from knobel.errors import KnobelError
from knobel.server import bus as buses
from knobel.server.bus import LocalBus, PostgresBus
from knobel.server.database import Database
from knobel.server.rows import Step
from knobel.server.store import Conflict, Store
from tests.postgres import outcome
from tests.server.test_shared_store import FIRST, founded, new_room, thrown

Heard = tuple[str, str, int]


class Ear:
    """A listener that writes down what it hears."""

    def __init__(self) -> None:
        self.heard: asyncio.Queue[Heard] = asyncio.Queue()

    def changed(self, table_id: str, version: int) -> None:
        self.heard.put_nowait(("changed", table_id, version))

    def missed(self) -> None:
        self.heard.put_nowait(("missed", "", 0))

    def told(self, text: str) -> None:
        self.heard.put_nowait(("told", text, 0))

    def granted(self, table_id: str) -> None:
        self.heard.put_nowait(("granted", table_id, 0))

    def lost(self, table_id: str) -> None:
        self.heard.put_nowait(("lost", table_id, 0))

    async def next(self) -> Heard:
        return await self.heard.get()


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(buses, "BEAT", 0.02)
    monkeypatch.setattr(buses, "_FIRST_WAIT", 0.02)


def with_buses(database: Database, work: Callable[..., Awaitable[None]], n: int = 2) -> None:
    """Run something with a store and several buses, each with its ear."""

    async def run() -> None:
        async with AsyncExitStack() as stack:
            store = Store.on(database)
            stack.push_async_callback(store.close)
            ears = [Ear() for _ in range(n)]
            pairs = [(await stack.enter_async_context(PostgresBus(database, ear)), ear) for ear in ears]
            await work(store, *pairs)

    outcome(run)


async def cut(link: buses._Link) -> None:
    """Let PostgreSQL end a connection."""
    number = link._connection.get_server_pid()
    other = await asyncpg.connect(**link._database.connect_arguments())
    assert await other.fetchval("SELECT pg_terminate_backend($1)", number)
    await other.close()


# --- news ---


def test_every_process_hears_of_every_commit_in_order(postgres: Database) -> None:
    async def work(store: Store, *pairs: tuple[PostgresBus, Ear]) -> None:
        room = new_room()
        await store.append([founded(room)], [])
        await store.append([founded(new_room("other"))], [Step(thrown(room, 1), 1)])
        await store.append([], [Step(thrown(thrown(room, 1), 2), 1)])
        for _, ear in pairs:
            first, *both, last = [await ear.next() for _ in range(4)]
            assert (first, last) == (("changed", "t", FIRST), ("changed", "t", FIRST + 2))
            assert sorted(both) == [("changed", "other", FIRST), ("changed", "t", FIRST + 1)]

    with_buses(postgres, work)


def test_nobody_hears_of_what_was_not_stored(postgres: Database) -> None:
    async def work(store: Store, pair: tuple[PostgresBus, Ear]) -> None:
        room = new_room()
        await store.append([founded(room)], [Step(thrown(room, 1), 1)])
        with pytest.raises(Conflict):
            await store.append([founded(new_room("other"))], [Step(thrown(room, 2), 1)])
        await store.append([founded(new_room("last"))], [])
        assert [await pair[1].next() for _ in range(2)] == [("changed", "t", FIRST + 1), ("changed", "last", FIRST)]

    with_buses(postgres, work, 1)


def test_who_hears_of_a_version_can_read_it(postgres: Database) -> None:
    async def work(store: Store, pair: tuple[PostgresBus, Ear]) -> None:
        room = new_room()
        writing = asyncio.create_task(store.append([founded(room)], [Step(thrown(room, 1), 1)]))
        assert await pair[1].next() == ("changed", "t", FIRST + 1)
        assert len(await store.later("t", FIRST)) == 1
        await writing

    with_buses(postgres, work, 1)


def test_after_a_broken_connection_it_is_said_that_news_may_be_missing(postgres: Database) -> None:
    async def work(store: Store, pair: tuple[PostgresBus, Ear]) -> None:
        bus, ear = pair
        for number in range(3):
            await cut(bus._news)
            assert await ear.next() == ("missed", "", 0)
            await store.append([founded(new_room(f"t{number}"))], [])
            assert await ear.next() == ("changed", f"t{number}", FIRST)

    with_buses(postgres, work, 1)


def test_while_the_database_is_away_it_is_tried_again(postgres: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    connect, failures = asyncpg.connect, [OSError("no"), TimeoutError(), asyncpg.CannotConnectNowError("starting")]

    async def work(store: Store, pair: tuple[PostgresBus, Ear]) -> None:
        bus, ear = pair

        async def failing(**arguments: object) -> object:
            if failures:
                raise failures.pop()
            return await connect(**arguments)

        monkeypatch.setattr(asyncpg, "connect", failing)
        bus._news._connection.terminate()
        assert await ear.next() == ("missed", "", 0)
        assert failures == []

    with_buses(postgres, work, 1)


@pytest.mark.parametrize("payload", ["", "x", "x y", "x -1", "x 1 2", " 1", "x 99999999999999999999", "x ²"])
def test_news_that_are_not_ours_are_passed_over(postgres: Database, payload: str) -> None:
    async def work(store: Store, pair: tuple[PostgresBus, Ear]) -> None:
        async with store.engine.begin() as connection:
            await connection.exec_driver_sql(f"SELECT pg_notify('knobel', '{payload}')")
        await store.append([founded(new_room())], [])
        assert await pair[1].next() == ("changed", "t", FIRST)

    with_buses(postgres, work, 1)


def test_a_database_that_is_away_at_the_start_is_said(postgres: Database) -> None:
    async def work() -> None:
        with pytest.raises(KnobelError) as error:
            async with PostgresBus(Database(postgres.url.set(port=1)), Ear()):
                pass
        assert error.value.reason.key == "server-database-unusable"

    outcome(work)


def test_everybody_hears_what_one_tells(postgres: Database) -> None:
    async def work(_: Store, *pairs: tuple[PostgresBus, Ear]) -> None:
        await pairs[0][0].tell("one")
        await pairs[1][0].tell("two")
        for _bus, ear in pairs:
            assert [await ear.next() for _ in range(2)] == [("told", "one", 0), ("told", "two", 0)]

    with_buses(postgres, work)


# --- leases ---


def test_one_process_holds_a_lease_until_it_gives_it_back(postgres: Database) -> None:
    async def work(_: Store, one: tuple[PostgresBus, Ear], other: tuple[PostgresBus, Ear]) -> None:
        assert await one[0].lease("t")
        assert await one[0].lease("t")  # it has it already
        assert not await other[0].lease("t")
        assert await other[0].lease("u")
        assert (one[0].holds("t"), other[0].holds("t"), other[0].holds("u")) == (True, False, True)
        await one[0].release("t")
        assert not one[0].holds("t")
        assert await other[1].next() == ("granted", "t", 0)
        assert other[0].holds("t")
        assert not await one[0].lease("t")

    with_buses(postgres, work)


def test_of_many_that_ask_at_once_one_gets_the_lease(postgres: Database) -> None:
    async def work(_: Store, *pairs: tuple[PostgresBus, Ear]) -> None:
        for name in ("t", "u", "v"):
            answers = await asyncio.gather(*(bus.lease(name) for bus, _ in pairs for _ in range(3)))
            assert sum(answers) == 3  # all three who asked in the same process

    with_buses(postgres, work, 4)


def test_a_lease_that_is_wanted_no_more_is_left_to_others(postgres: Database) -> None:
    async def work(_: Store, *pairs: tuple[PostgresBus, Ear]) -> None:
        (one, other, third), ear = (bus for bus, _ in pairs), pairs[2][1]
        assert await one.lease("t")
        assert not await other.lease("t")
        assert not await third.lease("t")
        await other.release("t")
        await one.release("t")
        assert await ear.next() == ("granted", "t", 0)
        assert not other.holds("t")

    with_buses(postgres, work, 3)


def test_a_lease_is_lost_with_its_connection_and_had_again_by_one(postgres: Database) -> None:
    async def work(_: Store, one: tuple[PostgresBus, Ear], other: tuple[PostgresBus, Ear]) -> None:
        assert await one[0].lease("t")
        assert not await other[0].lease("t")
        await cut(one[0]._locks)
        assert await one[1].next() == ("lost", "t", 0)
        heard = [asyncio.create_task(ear.next()) for _, ear in (one, other)]
        await asyncio.wait(heard, return_when=asyncio.FIRST_COMPLETED)
        winners = [task for task in heard if task.done()]
        assert [task.result() for task in winners] == [("granted", "t", 0)]
        assert [bus.holds("t") for bus, _ in (one, other)] == [task in winners for task in heard]
        for task in heard:
            task.cancel()

    with_buses(postgres, work)


def test_a_lost_lease_comes_back_when_nobody_else_wants_it(postgres: Database) -> None:
    async def work(_: Store, pair: tuple[PostgresBus, Ear]) -> None:
        assert await pair[0].lease("t")
        await cut(pair[0]._locks)
        assert [await pair[1].next() for _ in range(2)] == [("lost", "t", 0), ("granted", "t", 0)]
        assert pair[0].holds("t")

    with_buses(postgres, work, 1)


def test_who_goes_away_while_asking_leaves_a_lease_that_can_be_given_back(postgres: Database) -> None:
    async def work(_: Store, one: tuple[PostgresBus, Ear], other: tuple[PostgresBus, Ear]) -> None:
        asking = asyncio.create_task(one[0].lease("t"))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        asking.cancel()
        await one[0].release("t")
        assert await other[0].lease("t")
        assert not one[0].holds("t")

    with_buses(postgres, work)


def test_a_lease_that_is_wanted_again_at_once_is_held(postgres: Database) -> None:
    async def work(_: Store, one: tuple[PostgresBus, Ear], other: tuple[PostgresBus, Ear]) -> None:
        assert await one[0].lease("t")
        given = asyncio.create_task(one[0].release("t"))
        await asyncio.sleep(0)
        assert await one[0].lease("t")
        await given
        assert one[0].holds("t")
        assert not await other[0].lease("t")
        await one[0].release("t")
        assert await other[1].next() == ("granted", "t", 0)

    with_buses(postgres, work)


HOLDER = """
import asyncio, sys
from knobel.server.bus import PostgresBus
from knobel.server.database import parse_database
from tests.server.test_bus import Ear

async def hold():
    async with PostgresBus(parse_database(sys.argv[1]), Ear()) as bus:
        print(await bus.lease("t"), flush=True)
        await asyncio.Event().wait()

asyncio.run(hold())
"""


def test_a_process_that_is_killed_leaves_its_lease_to_another(postgres: Database) -> None:
    async def work(_: Store, pair: tuple[PostgresBus, Ear]) -> None:
        address = postgres.url.render_as_string(hide_password=False)
        with subprocess.Popen([sys.executable, "-c", HOLDER, address], stdout=subprocess.PIPE) as holder:
            try:
                assert holder.stdout is not None
                assert await asyncio.to_thread(holder.stdout.readline) == b"True\n"
                assert not await pair[0].lease("t")
            finally:
                holder.send_signal(signal.SIGKILL)
        assert await pair[1].next() == ("granted", "t", 0)

    with_buses(postgres, work, 1)


def test_alone_every_lease_is_granted() -> None:
    async def work() -> None:
        async with LocalBus() as bus:
            assert await bus.lease("t")
            assert bus.holds("t")
            await bus.release("t")
            assert not bus.holds("t")

    outcome(work)
