"""One authoritative game: commands in, events out. Local, online and terminal play all use it.

No input and output, no clock, no randomness of its own: `draw(n)` hands in the faces of n thrown dice. `decide` checks
a command in a fixed order and says which event follows; `evolve` makes the next table of an event: a table is the fold
over its events. Exactly one seat may act at any moment: the owner of the turn, or the helper who throws for him.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from knobel import game, record
from knobel import turn as rules
from knobel.action import parse_box
from knobel.dice import FACES
from knobel.errors import KnobelError, Reason
from knobel.event import Began, Dice, Entered, Event, Move, Played, Round, Threw, action_of, faces_at, request_of
from knobel.game import State
from knobel.header import Begin
from knobel.record import Record
from knobel.seat import Kind, Seat
from knobel.tray import Tray, draft, empty_tray, the_one, tray_after
from knobel.turn import Turn
from knobel.vocabulary import Ruleset

Draw = Callable[[int], tuple[int, ...]]  # the faces of so many thrown dice


@dataclass(frozen=True, slots=True)
class Command:
    """What a seat wants to do; `version` is the table it saw, `by` who sends it."""

    seat: int
    version: int
    move: Move
    by: Kind = "person"


@dataclass(frozen=True, slots=True)
class Table:
    """A game at one moment; the number of its events is its version."""

    id: str
    ruleset: Ruleset
    seats: tuple[Seat, ...]
    begin: Begin
    state: State
    tray: Tray
    events: tuple[Event, ...]

    @property
    def version(self) -> int:
        """Number of events so far."""
        return len(self.events)

    @property
    def dice(self) -> Dice | None:
        """The owner's dice in the order of the tray, 0 at a place that is empty; None before his first throw."""
        return self.tray.dice if any(self.tray.dice) else None

    @property
    def pool(self) -> tuple[tuple[int, Dice], ...]:
        """Who threw what for the owner to choose from, his own dice first if they belong to it."""
        return self.tray.pool

    @property
    def acting(self) -> Seat | None:
        """The player who must do something; None when the game is over."""
        return None if self.state.turn is None else self.seats[self.state.turn.seat]


class Refused(KnobelError):
    """A command that changes nothing; `code` is stable and meant for programs."""

    def __init__(self, code: str, reason: Reason) -> None:
        """`code` is like `action/stale`."""
        super().__init__(reason)
        self.code = code


class BrokenTable(KnobelError):
    """A stored table that cannot be true; `version` is the number of its first impossible event."""

    def __init__(self, table_id: str, version: int, why: str) -> None:
        """`why` says in plain words what is wrong with the event."""
        super().__init__(Reason("table-broken", {"table": table_id, "event": version, "problem": why}))
        self.version = version


def first_event(ruleset: Ruleset, n_seats: int, begin: Begin, draw: Draw, previous: int | None = None) -> Began:
    """Who begins; `previous` began the game before this one (`rotate` goes on from there)."""
    if begin == "rotate" and previous is not None:
        return Began((previous + 1) % n_seats)
    if begin == "random":
        return Began(_random_seat(n_seats, draw))
    if begin == "highest_throw" and n_seats > 1:
        return _highest_throw(ruleset.dice, n_seats, draw)
    return Began(0)


def open_table(table_id: str, ruleset: Ruleset, seats: tuple[Seat, ...], begin: Begin, event: Began) -> Table:
    """The table after its first event."""
    if not _can_begin(event, len(seats), ruleset.dice):
        raise BrokenTable(table_id, 1, "this seat cannot begin")
    state = game.start(ruleset, len(seats), event.seat)
    return Table(table_id, ruleset, seats, begin, state, empty_tray(ruleset.dice), (event,))


def decide(table: Table, command: Command, draw: Draw) -> Event:
    """The event that a command brings. Raises `Refused`; the order of the checks never changes."""
    turn = table.state.turn
    if turn is None:
        raise Refused("table/over", Reason("table-over"))
    if command.seat != turn.seat:
        raise Refused("action/not-your-turn", Reason("not-your-turn", {"seat": command.seat, "turn": turn.seat}))
    if table.seats[turn.seat].player != command.by:
        raise Refused("action/not-your-seat", Reason("table-not-your-seat", {"seat": command.seat}))
    if command.version != table.version:
        raise Refused("action/stale", Reason("table-stale", {"found": command.version, "expected": table.version}))
    try:
        return _decided(table, turn, command.move, draw)
    except KnobelError as error:
        raise Refused("action/illegal", error.reason) from None


def evolve(table: Table, event: Event) -> Table:
    """The table after one more event. Raises `BrokenTable` for one that cannot follow."""
    if isinstance(event, Began):
        raise BrokenTable(table.id, table.version + 1, "a second beginning")
    try:
        state, tray = _after(table, event)
    except BrokenTable:
        raise
    except KnobelError as error:
        raise BrokenTable(table.id, table.version + 1, str(error.reason)) from None
    return replace(table, state=state, tray=tray, events=(*table.events, event))


def replay(table_id: str, ruleset: Ruleset, seats: tuple[Seat, ...], begin: Begin, events: Sequence[Event]) -> Table:
    """The table after all its events. Raises `BrokenTable` with the number of the first one that cannot be."""
    if not events or not isinstance(events[0], Began):
        raise BrokenTable(table_id, 1, "no beginning")
    table = open_table(table_id, ruleset, seats, begin, events[0])
    for event in events[1:]:
        table = evolve(table, event)
    return table


def to_record(table: Table) -> Record:
    """The game so far as a record."""
    events = tuple(
        record.Event(event.seat, action_of(event), event.dice if isinstance(event, Threw) else ())
        for event in table.events
        if not isinstance(event, Began)
    )
    return Record(table.ruleset, tuple(seat.name for seat in table.seats), table.events[0].seat, events)


def _decided(table: Table, turn: Turn, move: Move, draw: Draw) -> Played:
    """The event that a move brings. Raises `KnobelError` for an illegal one, which costs no dice."""
    event = draft(table.tray, turn, move)
    game.chance_outcomes(table.state, action_of(event))  # raises
    if isinstance(event, Threw):
        faces = iter(draw(event.dice.count(0)))
        return replace(event, dice=the_one(tuple(die or next(faces) for die in event.dice)))
    if isinstance(event, Entered):
        ruleset, index = table.ruleset, table.ruleset.box_index[parse_box(event.box)]
        entries = rules.entries(ruleset, table.state.sheets[turn.owner], turn)
        entry = next(entry for entry in entries if entry.index == index)
        return replace(event, points=entry.points, bonus=entry.bonus)
    return event


def _after(table: Table, event: Played) -> tuple[State, Tray]:
    """State and tray after an event; raises `KnobelError`."""
    turn = table.state.turn
    if turn is not None and turn.seat != event.seat:
        raise KnobelError(Reason("not-your-turn", {"seat": event.seat, "turn": turn.seat}))
    state = game.apply(table.state, action_of(event), event.dice if isinstance(event, Threw) else None)
    assert turn is not None  # else the action was not legal
    drawn = faces_at(event.dice, event.thrown) if isinstance(event, Threw) else ()
    if event != _decided(table, turn, request_of(event), lambda _: drawn):
        raise BrokenTable(table.id, table.version + 1, "other dice or points than its move brings")
    return state, tray_after(table.tray, event, turn, state.turn)


def _random_seat(n_seats: int, draw: Draw) -> int:
    """Two dice as a number below 36; numbers that would favour the first seats are thrown again."""
    while True:
        high, low = draw(2)
        number = 6 * (high - 1) + low - 1
        if number < 36 - 36 % n_seats:
            return number % n_seats


def _highest_throw(n_dice: int, n_seats: int, draw: Draw) -> Began:
    """All throw, the highest sum begins, the highest among equals throw again (RULES 0)."""
    rounds: list[Round] = []
    leading: tuple[int, ...] = tuple(range(n_seats))
    while len(leading) > 1:
        rounds.append(tuple([(seat, draw(n_dice)) for seat in leading]))
        best = max(sum(dice) for _, dice in rounds[-1])
        leading = tuple(seat for seat, dice in rounds[-1] if sum(dice) == best)
    return Began(leading[0], tuple(rounds))


def _can_begin(event: Began, n_seats: int, n_dice: int) -> bool:
    """Whether the recorded throws are whole and let this seat begin: the same throws once more must say the same."""
    thrown = [dice for throws in event.rounds for _, dice in throws]
    if not event.rounds:
        return 0 <= event.seat < n_seats
    if any(len(dice) != n_dice or not set(dice) <= set(FACES) for dice in thrown):
        return False
    again = iter(thrown)
    try:
        return _highest_throw(n_dice, n_seats, lambda _: next(again)) == event
    except StopIteration:
        return False
