"""Guests: players without an account. A guest is an id that everybody may see, a name, and secrets nobody keeps.

Each device of a guest has a token of its own. Of tokens and recovery phrases only digests are stored.
"""

import hashlib
import secrets
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from knobel.errors import Reason
from knobel.server import phrase as phrases
from knobel.server.name import clean_name
from knobel.server.rows import METADATA
from knobel.server.store import failed
from knobel.table import Refused

DAY = 86_400.0
LIFETIME = 400 * DAY  # of a token that is not used; browsers keep no cookie longer than that
MOST_DEVICES = 20  # of one guest; a further one takes the place of the one that was seen longest ago
REMEMBERED, REMEMBERED_SECONDS = 10_000, 30.0  # tokens in memory; what another process changes is seen after that
GUESTS = sa.Table(
    "guests",
    METADATA,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("recovery", sa.Text, unique=True),  # digest of the phrase
    sa.Column("created", sa.Float, nullable=False),
    sa.Column("seen", sa.Float, nullable=False),  # to the day
)
TOKENS = sa.Table(
    "guest_tokens",
    METADATA,
    sa.Column("digest", sa.Text, primary_key=True),
    sa.Column("guest_id", sa.Text, sa.ForeignKey("guests.id"), nullable=False, index=True),
    sa.Column("created", sa.Float, nullable=False),
    sa.Column("seen", sa.Float, nullable=False),  # to the day
)


@dataclass(frozen=True, slots=True)
class Guest:
    """Who sits at a table. The id is public, 96 random bits; names may be equal."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Known:
    """What a token opens."""

    guest: Guest
    seen: float  # when the device was seen last, to the day


class Guests:
    """The guests in a database. Every method raises `Refused` if the database fails.

    `kind` is where a token is good: it is part of its digest, so that one that was overheard on plain http opens
    nothing over TLS.
    """

    def __init__(self, engine: AsyncEngine, clock: Callable[[], float] = time.time) -> None:
        """`engine` must be at the present revision of the schema."""
        self._engine, self._clock = engine, clock
        self._known: dict[str, tuple[float, Known]] = {}  # until when; those asked for last at the end
        self._n_changes = 0

    async def make(self, name: str, kind: str = "") -> tuple[Guest, str]:
        """A new guest and the token of this device. Raises `Refused` for a name that shows nothing."""
        guest, now = Guest(secrets.token_urlsafe(12), clean_name(name)), self._clock()
        row = {"id": guest.id, "name": guest.name, "created": now, "seen": now}
        async with _writing(self._engine) as connection:
            await connection.execute(sa.insert(GUESTS).values(row))
            token = await _new_token(connection, guest.id, kind, now)
        return guest, token

    async def of(self, token: str, kind: str = "") -> Guest | None:
        """Whose device this is."""
        known = await self.know(token, kind)
        return None if known is None else known.guest

    async def know(self, token: str, kind: str = "") -> Known | None:
        """Whose device this is and when it was seen."""
        digest, now = _digest(token, kind), self._clock()
        until, known = self._known.pop(digest, (0.0, None))
        if known is None or not now < until <= now + REMEMBERED_SECONDS:
            n_changes = self._n_changes
            until, known = now + REMEMBERED_SECONDS, await self._load(digest)
            if n_changes != self._n_changes:  # it may have changed while it was read
                return known
        if known is None or known.seen < now - LIFETIME:
            return None
        self._known[digest] = (until, known)
        if len(self._known) > REMEMBERED:
            del self._known[next(iter(self._known))]
        return known

    async def rename(self, guest: Guest, name: str) -> Guest:
        """The guest under another name. Raises `Refused` for one that shows nothing."""
        renamed = Guest(guest.id, clean_name(name))
        await self._change(sa.update(GUESTS).where(GUESTS.c.id == guest.id).values(name=renamed.name))
        self._drop(guest_id=guest.id)
        return renamed

    async def see(self, token: str, kind: str, before: float) -> bool:
        """Note that the device is in use, unless it was seen within a day; `before` is when."""
        now, digest = self._clock(), _digest(token, kind)
        if now < before + DAY:
            return False
        owner = sa.select(TOKENS.c.guest_id).where(TOKENS.c.digest == digest).scalar_subquery()
        await self._change(
            sa.update(TOKENS).where(TOKENS.c.digest == digest).values(seen=now),
            sa.update(GUESTS).where(GUESTS.c.id == owner).values(seen=now),
        )
        self._drop(digest=digest)
        return True

    async def make_phrase(self, guest: Guest) -> str:
        """A new recovery phrase; the one before is void."""
        words = phrases.make_phrase()
        digest = phrases.digest_of(words)
        await self._change(sa.update(GUESTS).where(GUESTS.c.id == guest.id).values(recovery=digest))
        return words

    async def recover(self, phrase: str, kind: str = "") -> tuple[Guest, str]:
        """The guest of a phrase and a token for this device. Raises `Refused`, the same for whatever is wrong."""
        now = self._clock()
        wanted = GUESTS.c.recovery == phrases.digest_of(phrase)
        found = sa.update(GUESTS).where(wanted).values(seen=now).returning(GUESTS.c.id, GUESTS.c.name)
        async with _writing(self._engine) as connection:
            row = (await connection.execute(found)).one_or_none()
            if row is None:
                raise Refused("guest/phrase-unknown", Reason("server-guest-phrase-unknown"))
            token = await _new_token(connection, row.id, kind, now)
        self._drop(guest_id=row.id)
        return Guest(row.id, row.name), token

    async def forget(self, token: str, kind: str = "") -> None:
        """This token is good for nothing any more; the guest's other devices are not touched."""
        digest = _digest(token, kind)
        await self._change(sa.delete(TOKENS).where(TOKENS.c.digest == digest))
        self._drop(digest=digest)

    async def _change(self, *statements: sa.Executable) -> None:
        async with _writing(self._engine) as connection:
            for statement in statements:
                await connection.execute(statement)

    def _drop(self, guest_id: str = "", digest: str = "") -> None:
        """Look again at what is known of a guest or a device."""
        self._n_changes += 1
        stale = [key for key, (_, known) in self._known.items() if key == digest or known.guest.id == guest_id]
        for key in stale:
            del self._known[key]

    async def _load(self, digest: str) -> Known | None:
        columns = (GUESTS.c.id, GUESTS.c.name, TOKENS.c.seen)
        query = sa.select(*columns).join_from(TOKENS, GUESTS).where(TOKENS.c.digest == digest)
        try:
            async with self._engine.connect() as connection:
                row = (await connection.execute(query)).one_or_none()
        except (SQLAlchemyError, OSError) as error:
            raise failed(error) from error
        return None if row is None else Known(Guest(row.id, row.name), row.seen)


@asynccontextmanager
async def _writing(engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
    """A transaction whose failure is a `Refused`."""
    try:
        async with engine.begin() as connection:
            yield connection
    except (SQLAlchemyError, OSError) as error:
        raise failed(error) from error


async def _new_token(connection: AsyncConnection, guest_id: str, kind: str, now: float) -> str:
    token = secrets.token_urlsafe(16)
    row = {"digest": _digest(token, kind), "guest_id": guest_id, "created": now, "seen": now}
    await connection.execute(sa.insert(TOKENS).values(row))
    latest = sa.select(TOKENS.c.digest).where(TOKENS.c.guest_id == guest_id)
    kept = latest.order_by(TOKENS.c.seen.desc(), TOKENS.c.created.desc()).limit(MOST_DEVICES)
    await connection.execute(sa.delete(TOKENS).where(TOKENS.c.guest_id == guest_id, TOKENS.c.digest.not_in(kept)))
    return token


def _digest(token: str, kind: str) -> str:
    return hashlib.sha256(f"{kind}={token}".encode()).hexdigest()
