"""Guests in a database: what is stored of them, and what opens them."""

import asyncio
import re
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from knobel.server import folder, guest
from knobel.server.guest import DAY, MOST_DEVICES, Guest, Guests
from knobel.server.store import Store
from knobel.table import Refused
from tests.server.test_limit import Clock


def with_guests(data: Path, work: Callable[[Guests, Clock], Awaitable[Any]]) -> None:
    """Run something on a new database."""

    async def run(database: Path) -> None:
        store, clock = Store.on_sqlite(database), Clock()
        clock.now = 1e9
        await work(Guests(store.engine, clock), clock)
        await store.close()

    with folder.locked(data) as database:
        asyncio.run(run(database))


def stored(data: Path, column: str, table: str = "guests") -> list[Any]:
    """A column of a table."""
    with closing(sqlite3.connect(data / folder.DATABASE)) as connection:
        return [value for (value,) in connection.execute(f"SELECT {column} FROM {table}")]


def test_a_guest_is_known_by_the_token_alone(tmp_path: Path) -> None:
    async def work(guests: Guests, clock: Clock) -> None:
        ada, token = await guests.make("  Ada\u200b ", "a")
        ben, other = await guests.make("Ada", "a")
        assert (ada.name, ben.name) == ("Ada", "Ada")
        assert re.fullmatch("[A-Za-z0-9_-]{16}", ada.id)  # 96 bits
        assert re.fullmatch("[A-Za-z0-9_-]{22}", token)  # 128 bits
        assert len({ada.id, ben.id, token, other}) == 4
        for _ in range(2):
            assert await guests.of(token, "a") == ada
            assert await guests.of(other, "a") == ben
        for wrong in (ada.id, token.swapcase(), token[:-1], token + "=", "", "' OR 1=1 --"):
            assert await guests.of(wrong, "a") is None
        assert await guests.of(token, "b") is None  # overheard elsewhere
        assert await guests.of(token) is None
        with pytest.raises(Refused) as refused:
            await guests.make("\u200b")
        assert refused.value.code == "seat/name-empty"

    with_guests(tmp_path, work)


def test_neither_tokens_nor_phrases_are_stored(tmp_path: Path) -> None:
    secrets: list[str] = []

    async def work(guests: Guests, clock: Clock) -> None:
        ada, token = await guests.make("Ada", "a")
        words = await guests.make_phrase(ada)
        _, other = await guests.recover(words, "a")
        secrets.extend((token, other, words, words.replace("-", ""), words.split("-")[0]))

    with_guests(tmp_path, work)
    files = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"Ada" in files
    assert not [secret for secret in secrets[:4] if secret.encode() in files]
    assert [len(digest) for digest in stored(tmp_path, "digest", "guest_tokens")] == [64, 64]
    assert [len(digest) for digest in stored(tmp_path, "recovery")] == [64]


def test_a_new_name_is_known_at_once(tmp_path: Path) -> None:
    async def work(guests: Guests, clock: Clock) -> None:
        ada, token = await guests.make("Ada")
        ben, other = await guests.make("Ben")
        assert await guests.of(token) == ada
        assert await guests.rename(ada, "\u202eEve") == Guest(ada.id, "Eve") == await guests.of(token)
        assert await guests.of(other) == ben
        with pytest.raises(Refused):
            await guests.rename(ada, " ")
        assert await guests.of(token) == Guest(ada.id, "Eve")

    with_guests(tmp_path, work)


def test_a_phrase_opens_its_guest_until_there_is_a_newer_one(tmp_path: Path) -> None:
    async def work(guests: Guests, clock: Clock) -> None:
        ada, token = await guests.make("Ada")
        await guests.make("Ben")  # has none
        first = await guests.make_phrase(ada)
        found, other = await guests.recover(first.upper().replace("-", " "))
        assert (found, await guests.of(other), await guests.of(token)) == (ada, ada, ada)  # both devices
        second = await guests.make_phrase(ada)
        for wrong in (first, "", "-", "None", second[:-1]):
            with pytest.raises(Refused) as refused:
                await guests.recover(wrong)
            assert refused.value.code == "guest/phrase-unknown"
        assert (await guests.recover(second))[0] == ada

    with_guests(tmp_path, work)


def test_a_device_that_is_forgotten_is_a_stranger_at_once(tmp_path: Path) -> None:
    async def work(guests: Guests, clock: Clock) -> None:
        ada, token = await guests.make("Ada")
        _, other = await guests.recover(await guests.make_phrase(ada))
        assert await guests.of(token) == ada
        await guests.forget(token, "elsewhere")
        assert await guests.of(token) == ada
        await guests.forget(token)
        await guests.forget(token)
        assert (await guests.of(token), await guests.of(other)) == (None, ada)

    with_guests(tmp_path, work)


def test_a_device_is_forgotten_even_while_it_is_looked_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work(guests: Guests, clock: Clock) -> None:
        _, token = await guests.make("Ada")
        load = guests._load

        async def slow(digest: str) -> guest.Known | None:
            known = await load(digest)
            await guests.forget(token)
            return known

        monkeypatch.setattr(guests, "_load", slow)
        assert await guests.of(token) is not None
        monkeypatch.setattr(guests, "_load", load)
        assert await guests.of(token) is None

    with_guests(tmp_path, work)


def test_a_device_lasts_400_days_from_its_last_use(tmp_path: Path) -> None:
    async def work(guests: Guests, clock: Clock) -> None:
        ada, token = await guests.make("Ada", "a")
        start = clock.now
        clock.now = start + DAY - 1
        assert not await guests.see(token, "a", start)
        clock.now = start + 399 * DAY
        assert await guests.know(token, "a") == guest.Known(ada, start)
        assert await guests.see(token, "a", start)
        assert await guests.know(token, "a") == guest.Known(ada, clock.now)
        clock.now += 399 * DAY
        assert await guests.of(token, "a") == ada
        clock.now += 2 * DAY
        assert await guests.of(token, "a") is None

    with_guests(tmp_path, work)
    assert stored(tmp_path, "seen") == [1e9 + 399 * DAY]


def test_so_many_devices_and_the_oldest_goes(tmp_path: Path) -> None:
    async def work(guests: Guests, clock: Clock) -> None:
        ada, token = await guests.make("Ada")
        ben, other = await guests.make("Ben")
        words = await guests.make_phrase(ada)
        tokens = [token]
        for _ in range(MOST_DEVICES):
            assert await guests.of(token) == ada
            clock.now += 1
            tokens.append((await guests.recover(words))[1])
        assert [await guests.of(each) for each in tokens] == [None] + [ada] * MOST_DEVICES
        assert await guests.of(other) == ben

    with_guests(tmp_path, work)


def test_what_is_remembered_is_bounded_and_looked_up_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guest, "REMEMBERED", 2)

    async def work(guests: Guests, clock: Clock) -> None:
        loaded: list[str] = []
        load = guests._load

        async def counted(digest: str) -> guest.Known | None:
            loaded.append(digest)
            return await load(digest)

        monkeypatch.setattr(guests, "_load", counted)
        tokens = [(await guests.make("Ada"))[1] for _ in range(3)]
        for which, n_loaded in ((0, 1), (1, 2), (0, 2), (2, 3), (0, 3), (1, 4)):  # the one asked for last stays
            assert await guests.of(tokens[which]) is not None
            assert (len(loaded), len(guests._known) <= 2) == (n_loaded, True)
        clock.now += guest.REMEMBERED_SECONDS
        await guests.of(tokens[1])
        clock.now -= 3600  # a clock that was set back
        await guests.of(tokens[1])
        assert len(loaded) == 6
        for _ in range(5):
            assert await guests.of("x" * 22) is None
        assert len(guests._known) <= 2

    with_guests(tmp_path, work)


def test_a_database_that_fails_is_a_refusal(tmp_path: Path) -> None:
    async def work(guests: Guests, clock: Clock) -> None:
        ada, token = await guests.make("Ada")
        async with guests._engine.begin() as connection:
            await connection.exec_driver_sql("DROP TABLE guest_tokens")
            await connection.exec_driver_sql("DROP TABLE guests")
        for asked in (
            guests.make("Ben"),
            guests.of(token),
            guests.rename(ada, "Eve"),
            guests.see(token, "", 0.0),
            guests.make_phrase(ada),
            guests.recover("a"),
            guests.forget(token),
        ):
            with pytest.raises(Refused) as refused:
                await asked
            assert refused.value.code == "storage/failed"

    with_guests(tmp_path, work)
