"""The statistic of dice: tails against known values, counts against plain ones, verdicts that can be trusted."""

from itertools import pairwise
from math import exp
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knobel.errors import Reason
from knobel.statistic import Counts, Finding, Test, counted, holm, judged, survival, survival_5

THROWS = st.lists(st.lists(st.integers(1, 6), max_size=6), max_size=60)


# Critical values as in any printed table (NIST handbook 1.3.6.7.4), and tails to more digits.
@pytest.mark.parametrize(
    ("df", "p", "value"),
    [
        (1, 0.05, 3.841), (1, 0.001, 10.828), (2, 0.01, 9.210), (5, 0.10, 9.236), (5, 0.05, 11.070), (5, 0.01, 15.086),
        (5, 0.001, 20.515), (10, 0.05, 18.307), (25, 0.10, 34.382), (25, 0.05, 37.652), (25, 0.01, 44.314),
        (25, 0.001, 52.620), (30, 0.05, 43.773), (100, 0.05, 124.342),
    ],
)  # fmt: skip
def test_tails_of_a_printed_table(df: int, p: float, value: float) -> None:
    assert survival(value, df) == pytest.approx(p, rel=2e-3)


@given(st.floats(0, 700), st.integers(1, 40))
def test_even_degrees_of_freedom_are_a_poisson_sum(x: float, half: int) -> None:
    """P(chi-square with 2k degrees of freedom >= x) is the chance of fewer than k events at mean x / 2."""
    term, total = exp(-x / 2), 0.0
    for k in range(half):
        total += term
        term *= x / 2 / (k + 1)
    assert survival(x, 2 * half) == pytest.approx(total, rel=1e-9, abs=1e-14)


@given(st.floats(-1, 1000))
def test_the_closed_form_is_the_general_one(x: float) -> None:
    assert survival(x, 5) == pytest.approx(survival_5(x), rel=1e-9, abs=1e-14)


def test_the_ends_of_the_tail() -> None:
    assert (survival(0, 5), survival(-1, 25), survival(float("inf"), 5)) == (1, 1, 0)


@settings(deadline=None)
@given(THROWS)
def test_counts_are_those_of_plain_counting(throws: list[list[int]]) -> None:
    dice = [face for throw in throws for face in throw]
    counts = counted(throws)
    assert counts.n == len(dice)
    assert list(counts.faces) == [dice.count(face) for face in range(1, 7)]
    successive = list(pairwise(dice))
    assert list(counts.pairs) == [successive.count((a, b)) for a in range(1, 7) for b in range(1, 7)]


@settings(deadline=None)
@given(THROWS, THROWS)
def test_counts_of_two_games_add_up(one: list[list[int]], other: list[list[int]]) -> None:
    both, whole = counted(one) + counted(other), counted(one + other)
    assert both.faces == whole.faces
    assert sum(whole.pairs) - sum(both.pairs) in (0, 1)  # that from the one to the other


@settings(deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=6))
def test_holm_is_never_bolder_than_each_test_and_never_shyer_than_bonferroni(p_values: list[float]) -> None:
    adjusted = holm(p_values)
    for p, value in zip(p_values, adjusted, strict=True):
        assert p <= value <= max(min(1.0, len(p_values) * each) for each in p_values if each <= p)
    assert [value for _, value in sorted(zip(p_values, adjusted, strict=True))] == sorted(adjusted)


def finding(counts: Counts, test: Test) -> Finding:
    return next(each for each in judged(counts).findings if each.test == test)


@pytest.mark.parametrize(("test", "needed"), [("faces", 30), ("pairs", 181), ("runs", 31)])
def test_too_few_dice_have_no_p_value(test: Test, needed: int) -> None:
    dice = Random(2).choices(range(1, 7), k=needed)
    for n in (0, 1, needed - 1):
        few = finding(counted([dice[:n]]), test)
        assert (few.value, few.p, few.adjusted, few.missing) == (None, None, None, needed - n)
    enough = finding(counted([dice]), test)
    assert enough.missing == 0
    assert enough.p is not None


def test_what_is_said() -> None:
    assert judged(Counts()).verdict == Reason("dice-too-few", {"missing": 30})
    rng = Random(1)
    assert judged(counted([[rng.randint(1, 6) for _ in range(1000)]])).verdict == Reason("dice-usual")
    only_ones = judged(counted([[1] * 500]))
    assert only_ones.verdict == Reason("dice-unusual", {"count": 10**9})
    assert [each.p is None for each in only_ones.findings] == [False, True, False]


def test_each_test_sees_its_own_fault() -> None:
    rng = Random(5)
    heavy = counted([[rng.choice((1, 2, 3, 4, 5, 6, 6)) for _ in range(3000)]])
    seen: list[list[str]] = [[each.test for each in judged(heavy).findings if (each.adjusted or 0) < 0.01]]
    sticky = [1]
    while len(sticky) < 3000:  # a face follows itself more often
        sticky.append(sticky[-1] if rng.random() < 0.1 else rng.randint(1, 6))
    seen.append([each.test for each in judged(counted([sticky])).findings if (each.adjusted or 0) < 0.01])
    swinging = [1]
    while len(swinging) < 600:  # high after low a little too often
        low = (swinging[-1] > 3) == (rng.random() < 0.62)
        swinging.append(rng.randint(1, 3) if low else rng.randint(4, 6))
    seen.append([each.test for each in judged(counted([swinging])).findings if (each.adjusted or 0) < 0.01])
    assert "faces" in seen[0]
    assert "pairs" not in seen[0]  # how often a face comes is no part of it
    assert "pairs" in seen[1]
    assert "faces" not in seen[1]
    assert "runs" in seen[2]


def test_honest_dice_are_called_unusual_as_rarely_as_promised() -> None:
    rng = Random(7)
    n_unusual, low = 0, {"faces": 0, "pairs": 0, "runs": 0}
    for _ in range(800):
        judgement = judged(counted([rng.choices(range(1, 7), k=300)]))
        n_unusual += judgement.verdict.key == "dice-unusual"
        for each in judgement.findings:
            assert each.p is not None
            low[each.test] += each.p < 0.25
    assert n_unusual <= 18  # 8 are expected; more than 18 with 1 of 1,000 seeds
    assert all(150 <= count <= 250 for count in low.values()), low  # 200 are expected, deviation 12
