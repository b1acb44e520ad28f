"""Reads what browsers send on the socket: strict JSON, then the types of `messages`. Everything wrong has a code."""

import json
import math
from collections.abc import Sequence
from typing import Any, NoReturn

from pydantic import TypeAdapter, ValidationError

from knobel.errors import Param, Reason
from knobel.server.messages import ClientMessage, Command, Hello, Ping, Request
from knobel.table import Refused

MAX_DEPTH, MAX_DIGITS = 16, 15
_CLIENT: TypeAdapter[Hello | Command | Request | Ping] = TypeAdapter(ClientMessage)


def read_message(text: str) -> Hello | Command | Request | Ping:
    """The message of a text frame. Raises `Refused` with a code that starts with `message/`."""
    try:
        value = json.loads(
            text,
            object_pairs_hook=_object,
            parse_int=_whole,
            parse_float=_number,
            parse_constant=_constant,
        )
    except RecursionError:
        raise _refused("message/too-deep", "server-message-too-deep", most=MAX_DEPTH) from None
    except ValueError as error:
        raise _refused("message/not-json", "server-message-not-json", problem=str(error)[:80]) from None
    _check(value, MAX_DEPTH)
    try:
        return _CLIENT.validate_json(text, strict=True)
    except ValidationError as error:
        raise _refused("message/invalid", "server-message-invalid", **first_problem(error.errors())) from None


def first_problem(errors: Sequence[Any]) -> dict[str, Param]:
    """Where the first of pydantic's errors is and what was expected; never what was sent."""
    first = errors[0]
    where = ".".join(printable(str(part))[:40] for part in first["loc"][:8])
    return {"where": where or "-", "problem": printable(str(first["msg"]))[:120]}


def printable(text: str) -> str:
    """The text with everything that is not printable ASCII escaped: fit for answers, logs and terminals."""
    return "".join(char if " " <= char <= "~" else ascii(char)[1:-1] for char in text)


def _refused(code: str, key: str, **params: Param) -> Refused:
    return Refused(code, Reason(key, params))


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("a key stands there twice")
    return result


def _whole(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise ValueError("a number is too long")
    return int(digits)


def _number(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError("a number is too large")
    return value


def _constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _check(value: object, depth: int) -> None:
    """No nesting beyond the limit, no half characters."""
    if isinstance(value, str):
        if any("\ud800" <= char <= "\udfff" for char in value):
            raise _refused("message/not-json", "server-message-not-json", problem="half a character")
    elif isinstance(value, dict | list):
        if depth == 0:
            raise _refused("message/too-deep", "server-message-too-deep", most=MAX_DEPTH)
        for item in value:
            _check(item, depth - 1)
        if isinstance(value, dict):
            for item in value.values():
                _check(item, depth - 1)
