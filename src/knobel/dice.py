"""Rolls and keeps: multisets of faces, their one canonical order, and exact probabilities.

A roll is the sorted tuple of all faces on the table; a keep is the sorted tuple of the dice that are not thrown again
(any size from none to all). Anybody may import this module.
"""

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement
from math import factorial

from knobel.errors import KnobelError, Reason

FACES = (1, 2, 3, 4, 5, 6)
Roll = tuple[int, ...]
Keep = tuple[int, ...]


@lru_cache
def rolls(n_dice: int) -> tuple[Roll, ...]:
    """All rolls of `n_dice` dice in lexicographic order: 252 for five, 462 for six.

    >>> rolls(2)[:3], len(rolls(5)), len(rolls(6))
    (((1, 1), (1, 2), (1, 3)), 252, 462)
    """
    return tuple(combinations_with_replacement(FACES, n_dice))


@lru_cache
def roll_index(n_dice: int) -> dict[Roll, int]:
    """Index of each roll in `rolls(n_dice)`."""
    return {roll: index for index, roll in enumerate(rolls(n_dice))}


@lru_cache
def keeps(n_dice: int) -> tuple[Keep, ...]:
    """All keeps of 0 to `n_dice` dice, smaller ones first, each size in lexicographic order: 462 for five dice."""
    return tuple(keep for size in range(n_dice + 1) for keep in rolls(size))


@lru_cache
def keep_index(n_dice: int) -> dict[Keep, int]:
    """Index of each keep in `keeps(n_dice)`."""
    return {keep: index for index, keep in enumerate(keeps(n_dice))}


@lru_cache(maxsize=4096)
def keeps_of(roll: Roll) -> tuple[Keep, ...]:
    """The distinct keeps of a roll that leave at least one die to throw again, the smallest first.

    >>> keeps_of((3, 3, 5))
    ((), (3,), (5,), (3, 3), (3, 5))
    """
    return tuple(keep for size in range(len(roll)) for keep in parts(roll, size))


@lru_cache(maxsize=256)
def parts(dice: Roll, size: int) -> tuple[Roll, ...]:
    """The distinct multisets of `size` among sorted dice, in lexicographic order.

    >>> parts((1, 1, 6), 2)
    ((1, 1), (1, 6))
    """
    found: list[Roll] = [()]
    for _ in range(size):
        found = [
            (*part, face)
            for part in found
            for face in FACES
            if part.count(face) < dice.count(face) and face >= max(part, default=face)
        ]
    return tuple(found)


@lru_cache(maxsize=4096)
def probability(thrown: Roll) -> Fraction:
    """Chance that `len(thrown)` fair dice show exactly this multiset: the multinomial coefficient over 6^n.

    >>> probability((1, 2)), probability((6, 6))
    (Fraction(1, 18), Fraction(1, 36))
    """
    ways = factorial(len(thrown))
    for face in set(thrown):
        ways //= factorial(thrown.count(face))
    return Fraction(ways, 6 ** len(thrown))


@lru_cache(maxsize=4096)
def outcomes(keep: Keep, n_dice: int) -> tuple[tuple[Roll, Fraction], ...]:
    """Every roll of `n_dice` dice that can follow when `keep` stays, with its probability (they sum to 1)."""
    return tuple((tuple(sorted(keep + thrown)), probability(thrown)) for thrown in rolls(n_dice - len(keep)))


def contains(roll: Roll, keep: Keep) -> bool:
    """Whether the multiset `keep` lies within the multiset `roll`."""
    return all(roll.count(face) >= keep.count(face) for face in set(keep))


def format_faces(faces: Iterable[int]) -> str:
    """Faces as a digit string in the given order; `-` for none.

    >>> format_faces((3, 3, 5)), format_faces(())
    ('335', '-')
    """
    return "".join(map(str, faces)) or "-"


def parse_faces(text: str) -> tuple[int, ...]:
    """The faces of a digit string in its order; raises `KnobelError` unless it is `-` or digits 1 to 6.

    >>> parse_faces("6156"), parse_faces("-")
    ((6, 1, 5, 6), ())
    """
    if text == "-":
        return ()
    if not text or any(digit not in "123456" for digit in text):
        raise KnobelError(Reason("faces-expected", {"found": text[:40]}))
    return tuple(map(int, text))
