"""How plain data has changed, so that an update need not say everything again.

A change is `[value]` for a new value, or an object with the changes of those parts that have changed: the fields of an
object, or the places of an array that is as long as before. `{}` says that nothing has.
"""

from collections.abc import Iterable
from typing import Any

Change = list[Any] | dict[str, Any]


def difference(before: Any, after: Any) -> Change:
    """The change that makes `after` of `before`.

    >>> difference({"a": 1, "b": [1, 2]}, {"a": 1, "b": [1, 3]})
    {'b': {'1': [3]}}
    """
    if isinstance(before, dict) and isinstance(after, dict) and before.keys() == after.keys():
        parts: Iterable[tuple[Any, Any]] = after.items()
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        parts = enumerate(after)
    else:  # never asked of a whole object or array: those are equal though 1 has become true inside
        return {} if type(before) is type(after) and before == after else [after]
    change: dict[str, Any] = {}
    for place, new in parts:
        if before[place] is not new and (part := difference(before[place], new)):
            change[str(place)] = part
    return change


def changed(before: Any, change: Change) -> Any:
    """What becomes of `before`, which stays as it is. Raises `LookupError` or `ValueError` for a change of other data.

    >>> changed({"a": 1, "b": [1, 2]}, {"b": {"1": [3]}})
    {'a': 1, 'b': [1, 3]}
    """
    if isinstance(change, list):
        return change[0]
    if not change:
        return before
    if isinstance(before, list):
        after = list(before)
        for place, part in change.items():
            after[int(place)] = changed(before[int(place)], part)
        return after
    return before | {key: changed(before[key], part) for key, part in change.items()}
