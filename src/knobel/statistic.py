"""Whether somebody's dice were unusual: counts of thrown faces, and three tests that say no more than they can.

- faces: does each face come as often as the others? Chi-square, 5 degrees of freedom.
- pairs: does a die depend on the one before it? Chi-square of the table of successive dice against what its own rows
  and columns let expect, 25 degrees of freedom; how often each face comes plays no part in it.
- runs: do high (4 to 6) and low dice change too often or too rarely? Of n successive pairs of honest dice a binomial
  number with chance 1/2 changes; normal approximation with correction for continuity.

Who looks at three tests sees a rare value three times as easily; the verdict is that of Holm's adjusted p-values.
Standard library only; any layer may import it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import erfc, exp, inf, lgamma, log, pi, sqrt
from typing import Literal

from knobel.dice import FACES
from knobel.errors import Reason

Test = Literal["faces", "pairs", "runs"]
N_FACES = len(FACES)
HIGH = 4  # the lowest of the high faces
EXPECTED = 5  # dice that every cell of a table must let expect, or chi-square says nothing
LEAST_CHANCES = 30  # successive pairs that the normal approximation needs
UNUSUAL = 0.01  # p-values below it are worth a word


@dataclass(frozen=True, slots=True)
class Counts:
    """How often each face came, and how often each came after each other; counts of several games can be added."""

    faces: tuple[int, ...] = (0,) * N_FACES
    pairs: tuple[int, ...] = (0,) * N_FACES**2  # index: 6 * (face before - 1) + face - 1

    @property
    def n(self) -> int:
        """Number of dice."""
        return sum(self.faces)

    def __add__(self, other: "Counts") -> "Counts":
        """Both together; the last die of the one is not followed by the first of the other."""
        faces = tuple(a + b for a, b in zip(self.faces, other.faces, strict=True))
        return Counts(faces, tuple(a + b for a, b in zip(self.pairs, other.pairs, strict=True)))


@dataclass(frozen=True, slots=True)
class Finding:
    """A test: its statistic and p-value, and the one that takes account of the other tests; None: too few dice."""

    test: Test
    value: float | None
    p: float | None
    adjusted: float | None
    missing: int  # dice that are still needed


@dataclass(frozen=True, slots=True)
class Judgement:
    """What can be said of some dice; `verdict` is a key of the catalogs with its numbers."""

    counts: Counts
    findings: tuple[Finding, ...]
    verdict: Reason


def counted(throws: Iterable[Sequence[int]]) -> Counts:
    """Counts of throws in their order, each the faces of the dice that were thrown and none of those that stayed.

    >>> counted([(1, 6), (6,)]).faces
    (1, 0, 0, 0, 0, 2)
    """
    dice = [face for throw in throws for face in throw]
    faces, pairs = [0] * N_FACES, [0] * N_FACES**2
    for face in dice:
        faces[face - 1] += 1
    for before, after in pairwise(dice):
        pairs[N_FACES * (before - 1) + after - 1] += 1
    return Counts(tuple(faces), tuple(pairs))


def judged(counts: Counts) -> Judgement:
    """The three tests of these counts, and what they come to.

    >>> judged(counted([(1, 2, 3)])).verdict
    Reason(key='dice-too-few', params={'missing': 27})
    """
    tests = (_faces(counts), _pairs(counts), _runs(counts))
    adjusted = iter(holm([p for *_, p, _ in tests if p is not None]))
    findings = tuple(
        Finding(test, value, p, None if p is None else next(adjusted), missing) for test, value, p, missing in tests
    )
    known = [finding.adjusted for finding in findings if finding.adjusted is not None]
    if not known:
        return Judgement(counts, findings, Reason("dice-too-few", {"missing": min(each.missing for each in findings)}))
    if min(known) >= UNUSUAL:
        return Judgement(counts, findings, Reason("dice-usual"))
    once_in = round(min(1 / max(min(known), 1e-9), 1e9))
    return Judgement(counts, findings, Reason("dice-unusual", {"count": once_in}))


def survival(chi_square: float, df: int) -> float:
    """Chance that a chi-square variable of `df` degrees of freedom is at least this large.

    >>> round(survival(11.0705, 5), 6), round(survival(37.6525, 25), 6)
    (0.05, 0.05)
    """
    if chi_square / 2 <= 0:  # also where the half is too small for a number
        return 1.0
    if chi_square == inf:
        return 0.0
    return _upper_gamma(df / 2, chi_square / 2)


def survival_5(chi_square: float) -> float:
    """The same for 5 degrees of freedom in closed form: two integrations by parts lead to the error function."""
    x = max(chi_square, 0.0)
    return erfc(sqrt(x / 2)) + sqrt(2 * x / pi) * exp(-x / 2) * (1 + x / 3)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's adjusted p-values, in the same order: the smallest of m times m, the next times m - 1, never falling.

    >>> holm([0.01, 0.5, 0.02])
    [0.03, 0.5, 0.04]
    """
    adjusted, largest = [0.0] * len(p_values), 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = largest
    return adjusted


_Found = tuple[Test, float | None, float | None, int]  # test, statistic, p-value, missing dice


def _faces(counts: Counts) -> _Found:
    missing = max(0, EXPECTED * N_FACES - counts.n)
    if missing:
        return "faces", None, None, missing
    mean = counts.n / N_FACES
    value = sum((count - mean) ** 2 for count in counts.faces) / mean
    return "faces", value, survival_5(value), 0


def _pairs(counts: Counts) -> _Found:
    n = sum(counts.pairs)
    rows = [sum(counts.pairs[N_FACES * row : N_FACES * (row + 1)]) for row in range(N_FACES)]
    columns = [sum(counts.pairs[column::N_FACES]) for column in range(N_FACES)]
    missing = max(0, EXPECTED * N_FACES**2 + 1 - counts.n)
    if missing or not all(rows) or not all(columns):  # a face that never came tells the first test enough
        return "pairs", None, None, missing
    cells = [row * column / n for row in rows for column in columns]
    value = sum((count - mean) ** 2 / mean for count, mean in zip(counts.pairs, cells, strict=True))
    return "pairs", value, survival(value, (N_FACES - 1) ** 2), 0


def _runs(counts: Counts) -> _Found:
    n = sum(counts.pairs)
    missing = max(0, LEAST_CHANCES + 1 - counts.n)
    if missing:
        return "runs", None, None, missing
    low = HIGH - 1
    changes = sum(
        count for index, count in enumerate(counts.pairs) if (index // N_FACES < low) != (index % N_FACES < low)
    )
    distance = max(0.0, abs(changes - n / 2) - 0.5)
    return "runs", changes + 1.0, erfc(distance / sqrt(n / 2)), 0


def _upper_gamma(a: float, x: float) -> float:
    """Regularised upper incomplete gamma function: a series where x is small, else a continued fraction (Lentz)."""
    front = exp(a * log(x) - x - lgamma(a))
    if x < a + 1:
        term = total = 1 / a
        n = a
        while abs(term) > 1e-17 * abs(total):
            n += 1
            term *= x / n
            total += term
        return max(0.0, 1 - front * total)
    tiny = 1e-300
    b = x + 1 - a
    c, d = 1 / tiny, 1 / b
    fraction = d
    for i in range(1, 10_000):
        factor = -i * (i - a)
        b += 2
        d = factor * d + b
        d = 1 / (d if abs(d) > tiny else tiny)
        c = b + factor / c
        c = c if abs(c) > tiny else tiny
        step = c * d
        fraction *= step
        if abs(step - 1) < 1e-16:
            break
    return front * fraction
