"""Statistics (drill 27): what a guest has reached is what an independent count of all games says."""

import asyncio
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import knobel
from knobel.event import Entered, Threw
from knobel.fair import commitment_of
from knobel.room import Command, Room, Terms, evolve, open_room
from knobel.seat import Close, Opened, Return, Seat, StandIn
from knobel.server import folder as folders
from knobel.server.page_messages import ResultsLine
from knobel.server.result_page import HISTORY, dice_of, results_of
from knobel.server.rows import Founded, Head, Step
from knobel.server.store import Store
from knobel.steward import begun, decide
from knobel.table import Draw, Refused
from knobel.tray import move_of
from tests.drills.figure import Figure, hold, share
from tests.drills.inside import inside
from tests.seated import random_dice

GAMES, GUESTS = 1_500, 30
KINDS = ("plain", "plain", "tie", "computers", "helped", "helped and back", "closed", "open", "alone", "two seats")


@dataclass
class Count:
    """One guest with one ruleset, counted by hand."""

    totals: list[int] = field(default_factory=list)
    wins: int = 0
    helped: int = 0


class Book:
    """What is noted while the games are played; nothing of it is read from the server."""

    def __init__(self) -> None:
        self.counts: dict[str, dict[str, Count]] = defaultdict(lambda: defaultdict(Count))
        self.faces: dict[str, Counter[int]] = defaultdict(Counter)
        self.n_games: Counter[str] = Counter()
        self.kinds: Counter[str] = Counter()

    def finished(self, room: Room) -> None:
        assert room.table is not None
        totals = list(knobel.result(room.table.state).totals)
        _check_totals(room, totals)
        best = max(totals)
        for number, seat in enumerate(room.seats):
            if seat.guest is None:
                continue
            count = self.counts[seat.guest][room.ruleset.id]
            if seat.stand_in is not None:
                count.helped += 1
                continue
            count.totals.append(totals[number])
            count.wins += len(totals) > 1 and totals[number] == best and totals.count(best) == 1
        for guest in {room.host, *(seat.guest for seat in room.seats)} - {None}:
            self.n_games[str(guest)] += 1


def _check_totals(room: Room, totals: list[int]) -> None:
    """Of pads without columns that count double: all entries, and the bonus of the upper part."""
    if room.ruleset.id != "yatzy":
        return
    upper = {"ones", "twos", "threes", "fours", "fives", "sixes"}
    for number, total in enumerate(totals):
        entries = [event for event in room.events if isinstance(event, Entered) and event.seat == number]
        above = sum(event.points for event in entries if event.box in upper)
        bonus = 50 if above >= 63 else 0
        hold(total == sum(event.points + event.bonus for event in entries) + bonus, "a total that is no sum")


@inside
def drill(scale: float, folder: Path) -> Figure:
    """Random games into a log, read by another server."""
    rng, book = Random(27), Book()
    n = share(GAMES, scale, 2 * len(KINDS))
    n_twice = asyncio.run(_write(folder, rng, book, n))
    n_guests = asyncio.run(_read(folder, book))
    counts = {"games": n, "guests": n_guests, "delivered twice": n_twice}
    return Figure(
        "random games, with ties, computers, helped, closed and unfinished ones, read after a restart: "
        "results and dice equal an independent count",
        counts | {f"{kind} games": count for kind, count in sorted(book.kinds.items())},
    )


async def _write(folder: Path, rng: Random, book: Book, n: int) -> int:
    n_twice = 0
    with folders.locked(folder) as database:
        store = Store.on_sqlite(database)
        for number in range(n):
            kind = KINDS[number % len(KINDS)]
            book.kinds[kind] += 1
            seed = rng.randbytes(32)
            before, after = _play(number, kind, seed, rng, book)
            await store.append([Founded(before, Head(f"C{number:07}", seed))], [])
            step = Step(after, after.version - before.version, f"command-{number}")
            if step.n_events:
                await store.append([], [step])
            if step.n_events and rng.random() < 0.5:  # the end is told once more
                n_twice += 1
                try:
                    await store.append([], [step])
                except Refused:
                    pass
                else:
                    raise AssertionError("an end was stored twice")
        await store.close()
    return n_twice


async def _read(folder: Path, book: Book) -> int:
    with folders.locked(folder) as database:
        store = Store.on_sqlite(database)
        try:
            return await _compare(store, book)
        finally:
            await store.close()


async def _compare(store: Store, book: Book) -> int:
    guests = sorted({*book.counts, *book.faces, *(f"g{number}" for number in range(GUESTS)), "nobody"})
    for guest in guests:
        lines = await store.results(guest, 1000)
        found = results_of(lines, guest)
        hold(len(found.history) == min(HISTORY, book.n_games[guest]), f"{guest}: the list is not whole")
        expected = book.counts[guest]
        names = {line.ruleset.id: line for line in found.rulesets}
        hold(len(names) == len(expected) == len(found.rulesets), f"{guest}: {sorted(names)} of {sorted(expected)}")
        for name, count in expected.items():
            _same(guest, names[name], count)
        events = await store.events_of([line.id for line in lines])
        dice = dice_of([events[line.id] for line in lines], guest)
        counted = tuple(book.faces[guest][face] for face in range(1, 7))
        hold(dice.faces == counted, f"{guest}: dice {dice.faces} instead of {counted}")
    return len(guests)


def _same(guest: str, line: ResultsLine, count: Count) -> None:
    n = len(count.totals)
    found = (line.games, line.wins, line.best, line.helped)
    expected = (n, count.wins, max(count.totals, default=None), count.helped)
    hold(found == expected, f"{guest}: {found} instead of {expected}")
    mean = line.mean
    hold(
        mean is None if not n else mean is not None and abs(mean - sum(count.totals) / n) < 1e-9,
        f"{guest}: mean {mean}",
    )


def _play(number: int, kind: str, seed: bytes, rng: Random, book: Book) -> tuple[Room, Room]:
    """A game as it began, and at its end or where it was left."""
    names = rng.sample([f"g{guest}" for guest in range(GUESTS)], 3)
    people = [Seat(f"Name {guest[-1]}", "person", guest) for guest in names]
    robo = Seat("Robo", "computer")
    seats = {"computers": [robo, robo], "alone": people[:1], "two seats": [people[0], people[0]]}.get(
        kind, [*people[: rng.randint(2, 3)], *([robo] if kind == "plain" and rng.random() < 0.3 else [])]
    )
    ruleset = knobel.load("classic" if kind != "tie" and rng.random() < 0.3 else "yatzy")
    room = open_room(f"t{number}", ruleset, Terms(), Opened(names[0], tuple(seats), commitment_of(seed)))
    fallen = Draws(random_dice(rng.getrandbits(32)), kind)
    for event in begun(room, lambda _: fallen.draw):
        room = evolve(room, event)
    before = room
    thrown: Counter[tuple[str, int]] = Counter()
    stop = rng.randint(2, 30) if kind in ("closed", "open") else 10_000
    while (acting := room.acting) is not None and room.version < stop:
        assert room.table is not None
        assert room.table.state.turn is not None
        seat = room.table.state.turn.seat
        command = _next(room, seat, kind, rng)
        fallen.last = ()
        for event_of_play in decide(room, command, lambda _: fallen.draw):
            room = evolve(room, event_of_play)
            if isinstance(event_of_play, Threw) and acting.player == "person":
                thrown.update([(str(acting.guest), int(face)) for face in tuple[int, ...](fallen.last)])
    if kind == "closed":
        for event_of_close in decide(room, Command(Close(), room.version, by="server"), lambda _: fallen.draw):
            room = evolve(room, event_of_close)
    if room.phase == "over":
        book.finished(room)
        for (guest, face), count in thrown.items():
            book.faces[guest][face] += count
    return before, room


@dataclass
class Draws:
    """Dice, the latest of which are remembered; for a tie everybody throws the same."""

    fair: Draw
    kind: str
    last: tuple[int, ...] = ()

    def draw(self, n: int) -> tuple[int, ...]:
        self.last = (3,) * n if self.kind == "tie" else self.fair(n)
        return self.last


def _next(room: Room, seat: int, kind: str, rng: Random) -> Command:
    """The next move, or that somebody goes or comes back."""
    acting = room.seats[seat]
    assert room.table is not None
    if kind.startswith("helped") and acting.player == "person" and rng.random() < 0.05:
        return Command(StandIn(seat, "away"), room.version, by="server")
    gone = next((each.guest for each in room.seats if each.stand_in), None)
    if kind == "helped and back" and gone is not None and rng.random() < 0.2:
        return Command(Return(), room.version, guest=gone)
    actions = knobel.legal_actions(room.table.state)
    action = actions[-1] if kind == "tie" else rng.choice(actions)
    return Command(move_of(action, room.table.tray), room.version, seat, acting.guest, acting.player)
