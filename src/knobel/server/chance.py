"""Where the dice of the server come from: the operating system's generator, without bias."""

import secrets
from collections.abc import Callable


def draw(n: int, below: Callable[[int], int] = secrets.randbelow) -> tuple[int, ...]:
    """Faces of `n` thrown dice; `below(k)` gives a whole number from 0 to k - 1, each with the same chance."""
    return tuple(below(6) + 1 for _ in range(n))
