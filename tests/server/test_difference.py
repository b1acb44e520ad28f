"""How plain data has changed, and back."""

import json
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knobel.server.difference import changed, difference

# few values and keys, so that parts are often equal, or equal only for Python: 1 == True == 1.0, 0 == False
SCALARS = st.sampled_from([None, True, False, 0, 1, 2, 0.0, 1.0, "", "0", "1", "null"])
KEYS = st.sampled_from(["a", "b", "0", "1", ""])
DATA = st.recursive(
    SCALARS, lambda part: st.lists(part, max_size=3) | st.dictionaries(KEYS, part, max_size=3), max_leaves=12
)


def text(data: Any) -> str:
    """Tells 1 from true and 1.0, as a browser may not but a type does."""
    return json.dumps(data, sort_keys=True)


@st.composite
def mutated(draw: st.DrawFn, data: Any) -> Any:
    """The same data with some parts replaced."""
    if draw(st.integers(0, 3)) == 0:
        return draw(DATA)
    if isinstance(data, dict):
        return {key: draw(mutated(part)) for key, part in data.items()}
    if isinstance(data, list):
        return [draw(mutated(part)) for part in data]
    return data


@given(before=DATA, after=DATA)
def test_a_change_makes_the_one_of_the_other(before: Any, after: Any) -> None:
    check(before, after)


@given(st.data(), DATA)
def test_small_changes_make_the_one_of_the_other(data: st.DataObject, before: Any) -> None:
    check(before, data.draw(mutated(before)))


def check(before: Any, after: Any) -> None:
    kept = deepcopy(before)
    change = difference(before, after)
    received = json.loads(json.dumps(change))
    assert text(changed(before, received)) == text(after)
    assert text(before) == text(kept)  # stays as it is
    assert (change == {}) == (text(before) == text(after))


@given(DATA)
def test_nothing_has_changed(data: Any) -> None:
    assert difference(data, deepcopy(data)) == {}
    assert changed(data, {}) == data


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        (True, 1, [1]),
        (1, True, [True]),
        (0, False, [False]),
        (1, 1.0, [1.0]),
        (None, 0, [0]),
        (None, None, {}),
        ([True], [1], {"0": [1]}),
        ({"a": False}, {"a": 0}, {"a": [0]}),
        ({"a": {"b": [1, 2]}}, {"a": {"b": [1, True]}}, {"a": {"b": {"1": [True]}}}),
        ({"a": [[0]]}, {"a": [[False]]}, {"a": {"0": {"0": [False]}}}),
        ([], {}, [{}]),
        ({}, [], [[]]),
        ({"a": None}, {}, [{}]),
        ({}, {"a": None}, [{"a": None}]),
        ([1], [1, 2], [[1, 2]]),
        ([1, 2], [], [[]]),
        ({"0": 1}, [1], [[1]]),
        ([[1]], [[]], {"0": [[]]}),
        ({"a": []}, {"a": [[]]}, {"a": [[[]]]}),
    ],
)
def test_traps(before: Any, after: Any, change: Any) -> None:
    assert text(difference(before, after)) == text(change)
    check(before, after)


@pytest.mark.parametrize(("before", "change"), [({}, {"a": [1]}), ([], {"0": [1]}), ([1], {"a": [1]})])
def test_a_change_of_other_data_is_noticed(before: Any, change: Any) -> None:
    with pytest.raises((LookupError, ValueError)):
        changed(before, change)
