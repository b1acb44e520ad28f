from collections import Counter
from random import Random

import pytest

from knobel.server.chance import draw


class Extreme(Random):
    """A generator of bits that gives these numbers, as far as they fit, over and over."""

    def __init__(self, *bits: int) -> None:
        super().__init__()
        self.bits, self.n_calls = bits, 0

    def getrandbits(self, k: int, /) -> int:
        self.n_calls += 1
        return self.bits[self.n_calls % len(self.bits)] & ((1 << k) - 1)


@pytest.mark.parametrize(("bits", "faces"), [((0,), {1}), ((5,), {6}), ((7, 6, 0), {1}), ((7, 7, 5), {6})])
def test_extremes_of_the_generator_are_faces_or_thrown_away(bits: tuple[int, ...], faces: set[int]) -> None:  # B026
    assert set(draw(100, Extreme(*bits).randrange)) == faces


def test_so_many_dice_as_were_thrown() -> None:
    assert [len(draw(n)) for n in range(9)] == list(range(9))


def chi_square(counts: Counter[int], n: int) -> float:
    expected = n / 6
    return sum((counts[face] - expected) ** 2 / expected for face in range(1, 7))


@pytest.mark.parametrize("seed", [1, 2])
def test_faces_are_equally_likely(seed: int) -> None:  # B027; chi-square with 5 degrees: 25.7 is p = 1e-4
    n = 600_000
    faces = draw(n, Random(seed).randrange)
    assert set(faces) == set(range(1, 7))
    assert chi_square(Counter(faces), n) < 25.7
    rounded = Random(seed)  # the fault of B027, to show that this test sees it
    wrong = Counter(min(6, max(1, round(6 * rounded.random() + 1))) for _ in range(n))
    assert chi_square(wrong, n) > 25.7


def test_the_real_source_gives_every_face() -> None:
    assert set(draw(2000)) == set(range(1, 7))
