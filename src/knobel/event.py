"""What happens at a table, and what a seat may ask for there, as plain data; table, server and log share these types.

Dice are named by their places, so that equal dice never get mixed up. Places count from 0: in the tray, and through
all dice of the pool that helpers fill. A face of 0 stands for a place where no die lies.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from knobel.action import Action, Choose, Enter, Extra, Pick, Spend, Throw, parse_box
from knobel.errors import KnobelError, Reason

Dice = tuple[int, ...]
Places = tuple[int, ...]
Round = tuple[tuple[int, Dice], ...]  # who threw what to find out who begins


@dataclass(frozen=True, slots=True)
class Began:
    """First event of every table: who begins, and the rounds of throws that decided it (`highest_throw` only)."""

    seat: int
    rounds: tuple[Round, ...] = ()
    kind: Literal["begin"] = "begin"


@dataclass(frozen=True, slots=True)
class Threw:
    """A throw: places of the dice that stayed, and all dice after it in the order of the tray; a helper keeps none."""

    seat: int
    keep: Places
    dice: Dice
    extra: bool = False  # an earned throw
    kind: Literal["throw"] = "throw"

    @property
    def thrown(self) -> Places:
        """Places of the dice that did not stay."""
        return tuple(place for place in range(len(self.dice)) if place not in self.keep)


@dataclass(frozen=True, slots=True)
class Entered:
    """An entry, with the points it brought and the bonus for a further five of a kind."""

    seat: int
    box: str
    points: int
    bonus: int = 0
    kind: Literal["enter"] = "enter"


@dataclass(frozen=True, slots=True)
class Spent:
    """A token was spent."""

    seat: int
    token: str
    kind: Literal["spend"] = "spend"


@dataclass(frozen=True, slots=True)
class Chose:
    """Dice chosen from the pool, by their places there; from now on they lie in the tray in this order."""

    seat: int
    places: Places
    dice: Dice
    kind: Literal["choose"] = "choose"


@dataclass(frozen=True, slots=True)
class Picked:
    """The box for which all throw in a special round."""

    seat: int
    box: str
    kind: Literal["pick"] = "pick"


Played = Threw | Entered | Spent | Chose | Picked
Event = Began | Played


@dataclass(frozen=True, slots=True)
class ThrowDice:
    """Throw all dice except those at these places; `faces` are those of real dice, typed in."""

    keep: Places = ()
    extra: bool = False
    faces: Dice | None = None


@dataclass(frozen=True, slots=True)
class EnterBox:
    """Enter the roll in a box, named as in the action texts."""

    box: str


@dataclass(frozen=True, slots=True)
class SpendToken:
    """Spend a token of the ruleset."""

    token: str


@dataclass(frozen=True, slots=True)
class ChooseDice:
    """Choose the dice at these places of the pool."""

    places: Places


@dataclass(frozen=True, slots=True)
class PickBox:
    """Pick the box of a special round, named as in the action texts."""

    box: str


Move = ThrowDice | EnterBox | SpendToken | ChooseDice | PickBox


def action_of(event: Played) -> Action:
    """The action of the core that an event stands for. Raises `KnobelError` for places or a box that cannot be."""
    match event:
        case Threw():
            keep = tuple(sorted(faces_at(event.dice, event.keep)))
            return Extra(keep) if event.extra else Throw(keep)
        case Entered():
            return Enter(parse_box(event.box))
        case Spent():
            return Spend(event.token)
        case Chose():
            return Choose(tuple(sorted(event.dice)))
        case Picked():
            return Pick(parse_box(event.box))


def request_of(event: Played) -> Move:
    """The move that an event answered."""
    match event:
        case Threw():
            return ThrowDice(event.keep, event.extra)
        case Entered():
            return EnterBox(event.box)
        case Spent():
            return SpendToken(event.token)
        case Chose():
            return ChooseDice(event.places)
        case Picked():
            return PickBox(event.box)


def owner_of(events: Sequence[Event], index: int) -> int:
    """Whose turn it was in an event: of helpers' throws the seat that asked for help, else the seat that acted."""
    first = index
    while isinstance(events[first], Threw):
        first -= 1
    asked = events[first]
    return asked.seat if isinstance(asked, Spent) else events[index].seat


def faces_at(dice: Dice, places: Places) -> Dice:
    """The dice at these places. Raises `KnobelError` where none lies, and for a place that is named twice."""
    if len(set(places)) != len(places) or not all(0 <= place < len(dice) and dice[place] for place in places):
        found = ", ".join(map(str, places[:20]))
        raise KnobelError(Reason("table-places", {"found": found, "dice": len(dice) - dice.count(0)}))
    return tuple(dice[place] for place in places)
