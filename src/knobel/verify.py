"""Whether the dice of a record are those that its secrets bring: every throw is derived again (docs/fairness.md).

A record knows all dice in the order of the tray, and the faces of those that stayed, not which of equal dice they were.
Some choice of places must explain the recorded dice: dice that stay keep their places, thrown ones fill the free places
from left to right. Where several choices do, all are remembered, as a token may bring the dice back that had stayed.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise

from knobel.action import Choose, Extra, Spend, Throw
from knobel.dice import Keep, Roll
from knobel.errors import KnobelError, Reason, RecordError
from knobel.event import Chose, Dice, Places, Spent, Threw
from knobel.fair import BEGINNING
from knobel.record import Event, Record
from knobel.table import first_event
from knobel.tray import Tray, empty_tray, tray_after
from knobel.turn import Turn

_MOST_BY_LOT = 36  # seats; two dice tell no more of them apart

Draw = Callable[[int], Roll]


@dataclass(frozen=True, slots=True)
class Derived:
    """A throw of a record beside what seed and shares bring."""

    event: int  # from 1
    seat: int
    keep: Keep
    thrown: Roll  # the derived faces, in the order in which they fall
    recorded: Dice  # all dice on the table after the throw
    agrees: bool


@dataclass(frozen=True, slots=True)
class Verification:
    """What came of it. `differs` is the first event that is not as derived or not possible; 0 is the beginning."""

    record: Record
    problems: tuple[Reason, ...]  # why nothing was derived, or why what was derived proves nothing
    throws: tuple[Derived, ...] = ()  # up to the first that differs
    beginner: int | None = None  # the seat that begins; None where no dice decide that
    differs: int | None = None
    reason: Reason | None = None  # what is wrong with that event

    @property
    def is_verified(self) -> bool:
        """Whether every throw is the derived one, and the secrets are those that were committed to."""
        return not self.problems and self.differs is None


def verify(record: Record) -> Verification:
    """Derive who begins and every throw again, up to the first event that differs."""
    problems = _problems(record)
    if problems:
        return Verification(record, problems)
    assert record.fair is not None
    try:
        beginner = _beginner(record, record.fair.draw(BEGINNING))
    except KnobelError as error:
        return Verification(record, (error.reason,))
    if beginner not in (None, record.first):
        reason = Reason("verify-beginner", {"seat": beginner or 0, "found": record.first})
        return Verification(record, (), (), beginner, BEGINNING, reason)
    throws: list[Derived] = []
    try:
        for throw in _derived(record, record.fair.draw):
            throws.append(throw)
            if not throw.agrees:
                reason = Reason("verify-differs")
                return Verification(record, (), tuple(throws), beginner, throw.event, reason)
    except RecordError as error:
        return Verification(record, (), tuple(throws), beginner, error.event, error.reason)
    return Verification(record, (), tuple(throws), beginner)


def _problems(record: Record) -> tuple[Reason, ...]:
    """What stands against deriving anything."""
    fair, n_seats = record.fair, len(record.seats)
    if record.dice == "typed":
        return (Reason("verify-typed"),)
    if record.dice == "server" or fair is None:
        return (Reason("verify-no-exchange"),)
    problems = list(fair.problems())
    strangers = [seat for seat, _ in fair.commitments if seat >= n_seats]
    problems += [Reason("verify-no-seat", {"seat": seat, "seats": n_seats}) for seat in strangers]
    problems += [Reason("verify-no-seed")] if fair.seed is None else []
    return tuple(problems)


def _beginner(record: Record, draw: Draw) -> int | None:
    """The seat that the dice let begin; None if they were not asked. Raises `KnobelError` if they cannot tell."""
    if record.begin not in ("random", "highest_throw"):
        return None
    if record.begin == "random" and len(record.seats) > _MOST_BY_LOT:
        raise KnobelError(Reason("verify-too-many", {"most": _MOST_BY_LOT}))
    return first_event(record.ruleset, len(record.seats), record.begin, draw).seat


def _derived(record: Record, draw: Callable[[int], Draw]) -> Iterator[Derived]:
    """Every throw; after one that differs nothing more can be said. Raises `RecordError` for an impossible event."""
    trays = {empty_tray(record.ruleset.dice)}
    states = pairwise(record.replay())
    for number, (event, (before, after)) in enumerate(zip(record.events, states, strict=True), 1):
        turn = before.turn
        assert turn is not None  # else the event was not possible
        if not isinstance(event.action, Throw | Extra):
            trays = {_without_throw(tray, event, turn, after.turn) for tray in trays}
            continue
        thrown = draw(number)(len(event.faces) - len(event.action.keep))
        found = [
            tray_after(tray, Threw(event.seat, places, event.faces), turn, after.turn)
            for tray in trays
            for places in _stayed(tray.dice, event.action.keep, event.faces)
            if tuple(face for place, face in enumerate(event.faces) if place not in places) == thrown
        ]
        yield Derived(number, event.seat, event.action.keep, thrown, event.faces, bool(found))
        if not found:
            return
        trays = set(found)


def _without_throw(tray: Tray, event: Event, turn: Turn, after: Turn | None) -> Tray:
    match event.action:
        case Spend(token):
            return tray_after(tray, Spent(event.seat, token), turn, after)
        case Choose(dice):  # in which order they lie does not matter: chosen dice are not thrown again
            return tray_after(tray, Chose(event.seat, (), dice), turn, after)
        case _:
            return empty_tray(len(tray.dice))


def _stayed(dice: Dice, keep: Keep, after: Dice) -> Iterator[Places]:
    """All choices of places where these faces can have stayed."""
    same = [place for place, face in enumerate(dice) if face and face == after[place]]
    for places in combinations(same, len(keep)):
        if tuple(sorted(dice[place] for place in places)) == keep:
            yield places
