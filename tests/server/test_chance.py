"""The dice of the server: faces from bytes, without bias."""

import secrets
from collections import Counter
from random import Random

import pytest

from knobel.fair import draw_of


@pytest.mark.parametrize(("block", "faces"), [((0,), {1}), ((251,), {6}), ((255, 252, 0), {1}), ((255, 253, 5), {6})])
def test_extremes_of_the_bytes_are_faces_or_thrown_away(
    monkeypatch: pytest.MonkeyPatch, block: tuple[int, ...], faces: set[int]
) -> None:  # B026
    for where in ("hmac.digest", "knobel.fair.digest"):
        monkeypatch.setattr(where, lambda *_: bytes(block), raising=False)
    assert set(draw_of(bytes(32), "t", [], 1)(100)) == faces


def test_so_many_dice_as_were_thrown() -> None:
    assert [len(draw_of(bytes(32), "t", [], 1)(n)) for n in range(9)] == list(range(9))


def chi_square(counts: Counter[int], n: int) -> float:
    expected = n / 6
    return sum((counts[face] - expected) ** 2 / expected for face in range(1, 7))


@pytest.mark.parametrize("seed", [1, 2])
def test_faces_are_equally_likely(seed: int) -> None:  # B027; chi-square with 5 degrees: 25.7 is p = 1e-4
    n = 600_000
    faces = [face for event in range(n // 6) for face in draw_of(seed.to_bytes(32), "t", [], event)(6)]
    assert set(faces) == set(range(1, 7))
    assert chi_square(Counter(faces), n) < 25.7
    rounded = Random(seed)  # the fault of B027, to show that this test sees it
    wrong = Counter(min(6, max(1, round(6 * rounded.random() + 1))) for _ in range(n))
    assert chi_square(wrong, n) > 25.7


def test_a_seed_of_the_real_source_gives_every_face() -> None:
    assert set(draw_of(secrets.token_bytes(32), "t", [], 0)(2000)) == set(range(1, 7))
