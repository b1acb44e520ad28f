"""Where the dice of a turn lie: the owner's in his tray, those that helpers threw in the pool. A fold over events."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from sys import intern

from knobel.action import Action, Choose, Enter, Extra, Pick, Spend, Throw, parse_box
from knobel.event import (
    ChooseDice,
    Chose,
    Dice,
    EnterBox,
    Entered,
    Move,
    PickBox,
    Picked,
    Places,
    Played,
    SpendToken,
    Spent,
    Threw,
    ThrowDice,
    faces_at,
)
from knobel.turn import Turn


@dataclass(frozen=True, slots=True)
class Tray:
    """Dice by their places; 0 where none lies."""

    dice: Dice  # the owner's
    stayed: Dice  # what of them stayed in his latest throw: this is left when the throw is taken back
    pool: tuple[tuple[int, Dice], ...] = ()  # who threw what, the owner first if his dice belong to it

    @property
    def pooled(self) -> Dice:
        """All dice of the pool, counted through."""
        return tuple(die for _, dice in self.pool for die in dice)


def empty_tray(n_dice: int) -> Tray:
    """The tray before the first throw of a turn."""
    nothing = (0,) * n_dice
    return Tray(nothing, nothing)


def tray_after(tray: Tray, event: Played, before: Turn, after: Turn | None) -> Tray:
    """The tray after an event that led from one turn to the other."""
    nothing = empty_tray(len(tray.dice))
    match event:
        case Threw() if before.helpers:
            return replace(tray, pool=(*tray.pool, (event.seat, event.dice)))
        case Threw():
            return Tray(event.dice, _only(event.dice, event.keep))
        case Chose():
            return replace(tray, dice=event.dice, pool=())
        case Spent() if after and after.helpers:
            return replace(tray, pool=((event.seat, tray.dice),) if after.pool else ())
        case Spent() if after and after.keep:
            return Tray(tray.stayed, tray.stayed)
        case _:
            return nothing


def draft(tray: Tray, turn: Turn, move: Move) -> Played:
    """The event of a move before chance and rules add their part. Raises `KnobelError` for dice that are not there."""
    match move:
        case ThrowDice():
            faces_at(tray.dice, move.keep)
            return Threw(turn.seat, the_one(tuple(sorted(move.keep))), _only(tray.dice, move.keep), move.extra)
        case EnterBox():
            return Entered(turn.seat, intern(str(parse_box(move.box))), 0)
        case SpendToken():
            return Spent(turn.seat, move.token)
        case ChooseDice():
            return Chose(turn.seat, move.places, faces_at(tray.pooled, move.places))
        case PickBox():
            return Picked(turn.seat, str(parse_box(move.box)))


def move_of(action: Action, tray: Tray) -> Move:
    """An action of the core as a move at the table: of equal dice the leftmost stay, or are chosen."""
    match action:
        case Throw() | Extra():
            return ThrowDice(_leftmost(tray.dice, action.keep), isinstance(action, Extra))
        case Enter():
            return EnterBox(str(action.box))
        case Spend():
            return SpendToken(action.token)
        case Choose():
            return ChooseDice(_leftmost(tray.pooled, action.dice))
        case Pick():
            return PickBox(str(action.box))


@lru_cache(maxsize=65_536)
def the_one(numbers: tuple[int, ...]) -> tuple[int, ...]:
    """One object for equal faces or places: the logs of many tables are mostly these."""
    return numbers


def _only(dice: Dice, places: Places) -> Dice:
    return tuple(die if place in places else 0 for place, die in enumerate(dice))


def _leftmost(dice: Dice, faces: Iterable[int]) -> Places:
    free, places = list(dice), []
    for face in faces:
        places.append(free.index(face))
        free[places[-1]] = 0
    return tuple(sorted(places))
