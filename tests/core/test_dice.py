from collections import Counter
from fractions import Fraction
from itertools import product

import pytest

from knobel import KnobelError
from knobel.dice import (
    contains,
    format_faces,
    keep_index,
    keeps,
    keeps_of,
    outcomes,
    parse_faces,
    probability,
    roll_index,
    rolls,
)
from tests.core.playing import proper_keeps


@pytest.mark.parametrize(("n_dice", "n_rolls", "n_keeps"), [(1, 6, 7), (2, 21, 28), (5, 252, 462), (6, 462, 924)])
def test_numbers_of_rolls_and_keeps(n_dice: int, n_rolls: int, n_keeps: int) -> None:
    assert len(rolls(n_dice)) == n_rolls
    assert len(keeps(n_dice)) == n_keeps


@pytest.mark.parametrize("n_dice", [0, 1, 5, 6])
def test_rolls_are_sorted_different_and_in_order(n_dice: int) -> None:
    every = rolls(n_dice)
    assert list(every) == sorted({tuple(sorted(faces)) for faces in product(range(1, 7), repeat=n_dice)})
    assert [roll_index(n_dice)[roll] for roll in every] == list(range(len(every)))


@pytest.mark.parametrize("n_dice", [5, 6])
def test_keeps_are_all_rolls_of_up_to_so_many_dice(n_dice: int) -> None:
    every = keeps(n_dice)
    assert list(every) == sorted(set(every), key=lambda keep: (len(keep), keep))
    assert set(every) == {keep for size in range(n_dice + 1) for keep in rolls(size)}
    assert [keep_index(n_dice)[keep] for keep in every] == list(range(len(every)))


@pytest.mark.parametrize("n_dice", [1, 2, 5, 6])
def test_probabilities_are_counts_of_ordered_throws(n_dice: int) -> None:
    counts = Counter(tuple(sorted(faces)) for faces in product(range(1, 7), repeat=n_dice))
    assert {roll: probability(roll) for roll in rolls(n_dice)} == {
        roll: Fraction(count, 6**n_dice) for roll, count in counts.items()
    }


@pytest.mark.parametrize("n_dice", [5, 6])
def test_outcomes_of_every_keep_sum_to_one_and_hold_the_keep(n_dice: int) -> None:
    for keep in keeps(n_dice):
        following = outcomes(keep, n_dice)
        assert sum(chance for _, chance in following) == 1
        assert len({roll for roll, _ in following}) == len(following) == len(rolls(n_dice - len(keep)))
        assert all(contains(roll, keep) and roll in roll_index(n_dice) for roll, _ in following)


@pytest.mark.parametrize("n_dice", [5, 6])
def test_keeps_of_a_roll_leave_at_least_one_die(n_dice: int) -> None:
    for roll in rolls(n_dice):
        assert len(keeps_of(roll)) == len(set(keeps_of(roll)))
        assert set(keeps_of(roll)) == proper_keeps(roll)


def test_faces_as_text() -> None:
    for roll in (*keeps(5), (6, 1, 5, 6)):
        assert parse_faces(format_faces(roll)) == roll


@pytest.mark.parametrize("text", ["", " ", "7", "0", "12a", "1 2", "--", "-1", "²", "１", "1\n", "None"])
def test_no_faces(text: str) -> None:
    with pytest.raises(KnobelError):
        parse_faces(text)


def test_a_multiset_is_contained_with_its_counts() -> None:
    assert contains((1, 3, 3, 5, 6), (3, 3, 6))
    assert contains((1, 3, 3, 5, 6), ())
    assert not contains((1, 3, 3, 5, 6), (3, 3, 3))
    assert not contains((1, 3, 3, 5, 6), (2,))
