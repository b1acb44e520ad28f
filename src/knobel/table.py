"""One authoritative game: commands in, events out. Local, online and terminal play all use it.

No input and output, no clock, no randomness of its own: `draw(n)` hands in the faces of n thrown dice. `decide` checks
a command in a fixed order and says which event follows; `evolve` makes the next table of an event: a table is the fold
over its events. Dice are named by their places in the tray, so that equal dice never get mixed up.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from knobel import game, record
from knobel import sheet as pad
from knobel.dice import FACES
from knobel.errors import KnobelError, Reason
from knobel.game import Action, State
from knobel.record import Record
from knobel.vocabulary import Ruleset

Begin = Literal["seat", "rotate", "random", "highest_throw"]
Kind = Literal["person", "computer"]
Draw = Callable[[int], tuple[int, ...]]  # the faces of so many thrown dice
Dice = tuple[int, ...]
Round = tuple[tuple[int, Dice], ...]  # who threw what to find out who begins


@dataclass(frozen=True, slots=True)
class Seat:
    """A player; names need not differ, a seat is known by its number."""

    name: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Began:
    """First event of every table: who begins, and the rounds of throws that decided it (`highest_throw` only)."""

    seat: int
    rounds: tuple[Round, ...] = ()
    kind: Literal["begin"] = "begin"


@dataclass(frozen=True, slots=True)
class Threw:
    """A throw: places of the dice that stayed, and all dice after it in the order of the tray."""

    seat: int
    keep: tuple[int, ...]
    dice: Dice
    kind: Literal["throw"] = "throw"


@dataclass(frozen=True, slots=True)
class Entered:
    """An entry, with the points it brought and the bonus for a further five of a kind."""

    seat: int
    box: str
    points: int
    bonus: int = 0
    kind: Literal["enter"] = "enter"


Event = Began | Threw | Entered


@dataclass(frozen=True, slots=True)
class ThrowDice:
    """Throw all dice except those at these places."""

    keep: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class EnterBox:
    """Enter the roll in a box, named as in the action texts."""

    box: str


@dataclass(frozen=True, slots=True)
class Command:
    """What a seat wants to do; `version` is the table it saw, `by` who sends it."""

    seat: int
    version: int
    move: ThrowDice | EnterBox
    by: Kind = "person"


@dataclass(frozen=True, slots=True)
class Table:
    """A game at one moment; the number of its events is its version."""

    id: str
    ruleset: Ruleset
    seats: tuple[Seat, ...]
    begin: Begin
    state: State
    dice: Dice | None  # in the order of the tray; None before the first throw of a turn
    events: tuple[Event, ...]

    @property
    def version(self) -> int:
        """Number of events so far."""
        return len(self.events)

    @property
    def acting(self) -> Seat | None:
        """The player on turn; None when the game is over."""
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
    return Table(table_id, ruleset, seats, begin, state, None, (event,))


def decide(table: Table, command: Command, draw: Draw) -> Event:
    """The event that a command brings. Raises `Refused`; the order of the checks never changes."""
    turn = table.state.turn
    if turn is None:
        raise Refused("table/over", Reason("table-over"))
    if command.seat != turn.seat:
        raise Refused("action/not-your-turn", Reason("not-your-turn", {"seat": command.seat, "turn": turn.seat}))
    if table.seats[turn.seat].kind != command.by:
        raise Refused("action/not-your-seat", Reason("table-not-your-seat", {"seat": command.seat}))
    if command.version != table.version:
        raise Refused("action/stale", Reason("table-stale", {"found": command.version, "expected": table.version}))
    try:
        if isinstance(command.move, ThrowDice):
            return _throw(table, turn.seat, command.move.keep, draw)
        return _entry(table, turn.seat, command.move.box)
    except KnobelError as error:
        raise Refused("action/illegal", error.reason) from None


def evolve(table: Table, event: Event) -> Table:
    """The table after one more event. Raises `BrokenTable` for one that cannot follow."""
    try:
        state, dice = _after(table, event)
    except BrokenTable:
        raise
    except KnobelError as error:
        raise BrokenTable(table.id, table.version + 1, str(error.reason)) from None
    return replace(table, state=state, dice=dice, events=(*table.events, event))


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
    events: list[record.Event] = []
    dice: Dice = ()
    for event in table.events:
        if not isinstance(event, Began):
            before, dice = dice, event.dice if isinstance(event, Threw) else ()
            events.append(record.Event(event.seat, action_of(event, before or None), dice))
    return Record(table.ruleset, tuple(seat.name for seat in table.seats), table.events[0].seat, tuple(events))


def move_of(action: Action, dice: Dice | None) -> ThrowDice | EnterBox:
    """An action of the core as a move at the table: of equal dice the leftmost stay."""
    if isinstance(action, game.Enter):
        return EnterBox(str(action.box))
    free, keep = list(enumerate(dice or ())), []
    for face in action.keep:
        place = next(item for item in free if item[1] == face)
        free.remove(place)
        keep.append(place[0])
    return ThrowDice(tuple(sorted(keep)))


def action_of(event: Threw | Entered, before: Dice | None) -> Action:
    """The action of the core that an event stands for; `before` are the dice that lay in the tray."""
    if isinstance(event, Entered):
        return game.Enter(game.parse_box(event.box))
    return _throw_action(event.keep, before)


def _throw_action(keep: tuple[int, ...], before: Dice | None) -> game.Throw:
    """Raises `KnobelError` for places where no die lies, or one place named twice."""
    n_dice = len(before or ())
    if len(set(keep)) != len(keep) or not all(0 <= place < n_dice for place in keep):
        if before is None:
            raise KnobelError(Reason("first-throw-keeps-nothing", {"action": f"keep at {_places(keep)}"}))
        raise KnobelError(Reason("table-places", {"found": _places(keep), "dice": n_dice}))
    return game.Throw(tuple(sorted((before or ())[place] for place in keep)))


def _places(keep: tuple[int, ...]) -> str:
    return ", ".join(map(str, keep[:20]))


def _throw(table: Table, seat: int, keep: tuple[int, ...], draw: Draw) -> Threw:
    action = _throw_action(keep, table.dice)
    game.chance_outcomes(table.state, action)  # an illegal one costs no dice
    n_dice = table.ruleset.dice
    faces = iter(draw(n_dice - len(keep)))
    dice = tuple((table.dice or ())[place] if place in keep else next(faces) for place in range(n_dice))
    return Threw(seat, tuple(sorted(keep)), dice)


def _entry(table: Table, seat: int, text: str) -> Entered:
    box = game.parse_box(text)
    game.apply(table.state, game.Enter(box))
    turn, ruleset = table.state.turn, table.ruleset
    assert turn is not None
    assert turn.roll is not None
    entries = pad.entries(ruleset, table.state.sheets[seat], turn.roll)
    entry = next(entry for entry in entries if entry.index == ruleset.box_index[box])
    return Entered(seat, str(box), entry.points, entry.bonus)


def _after(table: Table, event: Event) -> tuple[State, Dice | None]:
    """State and dice after an event; raises `KnobelError`."""
    turn = table.state.turn
    if isinstance(event, Began):
        raise BrokenTable(table.id, table.version + 1, "a second beginning")
    if turn is not None and turn.seat != event.seat:
        raise KnobelError(Reason("not-your-turn", {"seat": event.seat, "turn": turn.seat}))
    action = action_of(event, table.dice)
    if isinstance(event, Entered):
        if event != _entry(table, event.seat, event.box):
            raise BrokenTable(table.id, table.version + 1, "other points than the rules give")
        return game.apply(table.state, action), None
    state = game.apply(table.state, action, event.dice)
    if any(event.dice[place] != (table.dice or ())[place] for place in event.keep):
        raise BrokenTable(table.id, table.version + 1, "a die that stayed has another face")
    return state, event.dice


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
