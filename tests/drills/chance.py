"""The source of the dice in trouble (drill 26): it stalls, repeats or is extreme, and shares do not come."""

import asyncio
import hmac
import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from itertools import count, islice
from pathlib import Path
from random import Random

import knobel
from knobel import fair
from knobel.event import Began, Threw, ThrowDice, faces_at
from knobel.fair import commitment_of, draw_of
from knobel.room import Command, Room, Terms
from knobel.seat import Act, Proceed, Ready, Reveal, Seat, Start
from knobel.server import folder as folders
from knobel.server.clock import REVEAL
from knobel.server.hall import Hall
from knobel.server.store import Store
from knobel.server.writer import Master
from knobel.table import Refused
from tests.drills.figure import Figure, hold, share
from tests.drills.inside import inside, instead
from tests.drills.leaving import Calm
from tests.server.virtual import Server, in_virtual_time

EXCHANGES, STALL = 2_000, 0.2
GUESTS = ("ada", "ben", "cem")
WAYS = ("right", "right", "missing", "late", "wrong", "of another", "twice")
RULES = knobel.load("yatzy")
BLOCKS = (bytes(32), b"\xff" * 31 + b"\0", b"\xfb" * 32, b"\xfc\xfd\xfe\xff\x05" * 6 + b"\x05\x05")


@inside
def drill(scale: float, folder: Path) -> Figure:
    """Generators in trouble, then exchanges of shares in every way in which they can go wrong."""
    with folders.locked(folder) as database:
        n_tables = asyncio.run(_generators(Hall(Store.on_sqlite(database))))
    n_faces = sum(_extremes(block) for block in BLOCKS)
    ways: Counter[str] = Counter()
    n_dice = in_virtual_time(_exchanges(share(EXCHANGES, scale, 30), ways))
    counts = {"tables": n_tables, "extreme faces": n_faces, "dice derived again": n_dice}
    return Figure(
        "generators that stall, fail, repeat or give extremes: faces 1 to 6, no table begins without fresh bytes; "
        "shares that are missing, late, wrong or twice change nothing",
        counts | {f"shares {way}": n for way, n in sorted(ways.items())},
    )


def _extremes(block: bytes) -> int:
    """Faces of blocks that hold only the least, the largest or dropped bytes."""
    with instead(fair, "digest", lambda *_: block):
        found = draw_of(bytes(32), "t", [], 1)(100)
    hold(set(found) <= set(range(1, 7)), f"faces {set(found)}")
    return len(found)


async def _generators(hall: Hall) -> int:
    """Tables that are opened while the generator is not what it should be."""
    seats = (Seat("Ada", "person", "ada"), Seat("Robo", "person", "ada"))
    n, seen = 0, set()
    async with hall:
        for size in (0, 255, 128):
            with _source(lambda n, size=size: bytes([size]) * n):  # type: ignore[misc]
                master = await hall.open(RULES, seats, Terms(begin="highest_throw"), "ada", start=True)
                hold(_faces(master.room) <= set(range(1, 7)), "no faces")
                before = await hall.store.load(master.room.id)
                try:  # the same bytes once more
                    again = await hall.open(RULES, seats, Terms(), "ada", start=True)
                except Refused:
                    pass
                else:
                    hold(again.room.id != master.room.id, "a table takes the place of another one")
                hold(await hall.store.load(master.room.id) == before, "the first table is another one")
            seen.add(master.head.seed)
            n += 1
        with _source(_fails):
            try:
                await hall.open(RULES, seats, Terms(), "ada", start=True)
            except OSError:
                pass
            else:
                raise AssertionError("a table begins without fresh bytes")
        start = time.monotonic()
        with _source(_stalls):
            master = await hall.open(RULES, seats, Terms(), "ada", start=True)
        hold(time.monotonic() - start >= STALL, "a table did not wait for its bytes")
        hold(master.head.seed not in seen, "old bytes")
    return n + 1


@contextmanager
def _source(token_bytes: Callable[[int], bytes]) -> Iterator[None]:
    with instead(secrets, "token_bytes", lambda n=32: token_bytes(n or 32)):
        yield


def _fails(_: int) -> bytes:
    raise OSError("no entropy")


def _stalls(n: int) -> bytes:
    time.sleep(STALL)
    return Random(time.monotonic_ns()).randbytes(n)


def _faces(room: Room) -> set[int]:
    began = [event for event in room.events if isinstance(event, Began)]
    thrown = [event for event in room.events if isinstance(event, Threw)]
    rounds = [face for event in began for throws in event.rounds for _, dice in throws for face in dice]
    return {*rounds, *(face for event in thrown for face in event.dice)}


async def _exchanges(n: int, ways: Counter[str]) -> int:
    rng, n_dice = Random(26), 0
    server = Server(Calm(rng), rng)
    await server.start()
    for number in range(n):
        seats = tuple(Seat(name, "person", name) for name in GUESTS[: rng.randint(1, 3)])
        master = await server.hall.open(RULES, seats, Terms(begin="highest_throw"), "ada")
        n_dice += await _Exchange(server.hall, master, rng, number).play(ways)
    await server.kill()
    return n_dice


class _Exchange:
    def __init__(self, hall: Hall, master: Master, rng: Random, number: int) -> None:
        self.hall, self.master, self.rng, self.number, self.n_asked = hall, master, rng, number, 0
        self.secrets = [rng.randbytes(32) for _ in master.room.seats]

    async def play(self, ways: Counter[str]) -> int:
        """Every guest reveals in a way of his own; only right shares that came in time count. So many dice followed."""
        room = self.master.room
        for seat, secret in enumerate(self.secrets):
            hold(await self._ask(seat, Ready(((seat, commitment_of(secret)),))) is None, "not ready")
            hold(await self._ask(seat, self._share(seat)) == "fair/too-early", "a share before all commitments")
        hold(await self._ask(0, Start()) is None, "not begun")
        chosen = [self.rng.choice(WAYS) for _ in room.seats]
        ways.update(chosen)
        for seat, way in enumerate(chosen):
            await self._reveal(seat, way)
        right = [seat for seat, way in enumerate(chosen) if way in ("right", "twice")]
        if len(right) < len(chosen):
            hold(self.master.room.phase == "revealing", "begun without waiting")
            await asyncio.sleep(REVEAL + 1)
        hold(self.master.room.phase == "playing", "not begun after all")
        for seat, way in enumerate(chosen):
            if way == "late":
                hold(await self._ask(seat, self._share(seat)) == "fair/too-late", "a share that was late is taken")
        hold(self.master.room.shares == tuple((seat, self.secrets[seat].hex()) for seat in right), "other shares")
        hold(await self._say_proceed() is None, "begun twice")
        return await self._throw()

    async def _reveal(self, seat: int, way: str) -> None:
        if way in ("right", "twice"):
            hold(await self._ask(seat, self._share(seat)) is None, "a right share is refused")
        if way == "twice":
            before = self.master.room.version
            hold(await self._ask(seat, self._share(seat)) is None, "a share that came twice is refused")
            hold(self.master.room.version == before, "a share counts twice")
        if way == "wrong":
            wrong = Reveal(((seat, self.rng.randbytes(32).hex()),))
            hold(await self._ask(seat, wrong) == "fair/mismatch", "a wrong share is taken")
        if way == "of another":
            other = (seat + 1) % 3
            answer = await self._ask(seat, Reveal(((other, self.rng.randbytes(32).hex()),)))
            hold(answer == "seat/not-yours", f"the share of another seat: {answer}")

    def _share(self, seat: int) -> Reveal:
        return Reveal(((seat, self.secrets[seat].hex()),))

    async def _throw(self) -> int:
        """All dice so far follow from seed and shares, as another derivation says."""
        turn = self.master.room.table.state.turn if self.master.room.table is not None else None
        assert turn is not None
        hold(await self._ask(turn.seat, ThrowDice(), turn.seat) is None, "no throw")
        room, n_dice = self.master.room, 0
        assert room.table is not None
        for number, event in enumerate(room.table.events):
            stream = _derived(self.master.head.seed, room, number)
            if isinstance(event, Threw):
                thrown = [faces_at(event.dice, event.thrown)]
            else:
                assert isinstance(event, Began)
                thrown = [dice for throws in event.rounds for _, dice in throws]
            for dice in thrown:
                hold(tuple(islice(stream, len(dice))) == dice, "other dice than seed and shares bring")
                n_dice += len(dice)
        return n_dice

    async def _say_proceed(self) -> str | None:
        before = self.master.room.version
        answer = await self.hall.writer.play(self.master, Command(Proceed(), before, by="server"), None)
        hold(self.master.room.version == before, "begun once more")
        return None if answer.problem is None else answer.problem.code

    async def _ask(self, seat: int, act: Act | ThrowDice, mover: int | None = None) -> str | None:
        """The code of a refusal."""
        self.n_asked += 1
        command = Command(act, self.master.room.version, mover, GUESTS[seat])
        answer = await self.hall.play(self.master, command, f"{self.number}-{self.n_asked}")
        return None if answer.problem is None else answer.problem.code


def _derived(seed: bytes, room: Room, event: int) -> Iterator[int]:
    """HMAC-SHA-256 of table, shares and event; bytes from 252 on are dropped."""
    start = "|".join((room.id, *(share for _, share in room.shares), str(event)))
    for block in count():
        for byte in hmac.new(seed, f"{start}|{block}".encode(), sha256).digest():
            if byte < 252:
                yield byte % 6 + 1
