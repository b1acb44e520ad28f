"""Actions of a seat and their one text codec, used by records, players and every interface."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from knobel.dice import Keep, Roll, format_faces, parse_faces
from knobel.errors import KnobelError, Reason
from knobel.vocabulary import Box


@dataclass(frozen=True, slots=True)
class Throw:
    """Keep these dice (sorted) and throw the others; nothing is kept in the first throw of a turn, nor by a helper."""

    keep: Keep = ()

    def __str__(self) -> str:
        """`keep 335`, `keep -`."""
        return f"keep {format_faces(self.keep)}"


@dataclass(frozen=True, slots=True)
class Extra:
    """The same with an earned throw, which is not counted."""

    keep: Keep

    def __str__(self) -> str:
        """`extra 335`."""
        return f"extra {format_faces(self.keep)}"


@dataclass(frozen=True, slots=True)
class Spend:
    """Spend a token of the ruleset."""

    token: str

    def __str__(self) -> str:
        """`spend samuel`."""
        return f"spend {self.token}"


@dataclass(frozen=True, slots=True)
class Choose:
    """Choose the dice to enter among all that helpers and owner have thrown."""

    dice: Roll

    def __str__(self) -> str:
        """`choose 11345`."""
        return f"choose {format_faces(self.dice)}"


@dataclass(frozen=True, slots=True)
class Pick:
    """Pick the box for which all players throw in a special round."""

    box: Box

    def __str__(self) -> str:
        """`pick full_house/6`."""
        return f"pick {self.box}"


@dataclass(frozen=True, slots=True)
class Enter:
    """Enter the roll in a box and end the turn."""

    box: Box

    def __str__(self) -> str:
        """`enter full_house`, `enter full_house/2`."""
        return f"enter {self.box}"


Action = Throw | Extra | Spend | Choose | Pick | Enter


def parse_action(text: str) -> Action:
    """The action of a text like `keep 335`, `keep -`, `enter full_house/2`; raises `KnobelError` for anything else.

    >>> parse_action("enter full_house/2")
    Enter(box=Box(category='full_house', column=1))
    """
    verb, _, argument = text.partition(" ")
    if verb not in _READ:
        raise KnobelError(Reason("action-expected", {"found": text[:60]}))
    return _READ[verb](argument)


def parse_box(text: str) -> Box:
    """The box of a text like `full_house` or `full_house/2`; raises `KnobelError` where it is none."""
    category, slash, column = text.partition("/")
    if not category or (slash and not re.fullmatch("[1-9][0-9]{0,5}", column)):
        raise KnobelError(Reason("box-expected", {"found": text[:60]}))
    return Box(category, int(column) - 1 if slash else 0)


def _sorted_faces(text: str) -> Keep:
    return tuple(sorted(parse_faces(text)))


_READ: dict[str, Callable[[str], Action]] = {
    "keep": lambda text: Throw(_sorted_faces(text)),
    "extra": lambda text: Extra(_sorted_faces(text)),
    "spend": lambda text: Spend(text[:40]),
    "choose": lambda text: Choose(_sorted_faces(text)),
    "pick": lambda text: Pick(parse_box(text)),
    "enter": lambda text: Enter(parse_box(text)),
}
