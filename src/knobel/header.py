"""The head of a game record: its lines and its plain data become checked values here; for `record` only.

`dice`, `begin` and the lines of the dice that can be checked may be missing: the dice came from the server then, and
the first seat, or the one that the players wanted, began.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from knobel.errors import KnobelError, Reason, RecordError
from knobel.fair import Exchange
from knobel.ruleset import digest
from knobel.schema import literals, shown
from knobel.schema import parse as parse_ruleset
from knobel.vocabulary import OptionValue, Ruleset

VERSION = 1
Source = Literal["provable", "server", "typed"]
Begin = Literal["seat", "rotate", "random", "highest_throw"]
Options = tuple[tuple[str, OptionValue], ...]
Fields = Mapping[str, object]

_NEEDED = ("knobel", "rules", "digest", "seats", "first", "ruleset")
_EXCHANGE = ("table", "commitment", "commitments", "shares", "seed")  # as in `Exchange`
WORDS = (*_NEEDED, "dice", "begin", *_EXCHANGE)  # that begin a line of the head
_WORD = re.compile(r"[\w-]{1,60}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Head:
    """All that a record says before its first event."""

    ruleset: Ruleset
    seats: tuple[str, ...]
    first: int
    dice: Source
    begin: Begin
    fair: Exchange | None


def format_options(options: Options) -> str:
    """` joker=forced multipliers=1,1,2`, as it follows the id of the ruleset."""
    return "".join(f" {name}={_option_text(value)}" for name, value in options)


def format_origin(dice: Source, begin: Begin, fair: Exchange | None) -> list[str]:
    """The lines that say where the dice came from, as far as it is not the usual."""
    lines = [] if dice == "server" else [f"dice {dice}"]
    lines += [] if begin == "seat" else [f"begin {begin}"]
    if fair is not None:
        lines += [f"table {fair.table}", f"commitment {fair.commitment}"]
        for name, pairs in (("commitments", fair.commitments), ("shares", fair.shares)):
            lines += [f"{name} {' '.join(f'{seat}:{text}' for seat, text in pairs)}"] if pairs else []
        lines += [] if fair.seed is None else [f"seed {fair.seed}"]
    return lines


def plain_exchange(fair: Exchange | None) -> dict[str, Any] | None:
    """The same fields as plain data."""
    if fair is None:
        return None
    pairs = {name: [[seat, text] for seat, text in getattr(fair, name)] for name in ("commitments", "shares")}
    return {"table": fair.table, "commitment": fair.commitment, **pairs, "seed": fair.seed}


def read_lines(lines: Mapping[str, str]) -> tuple[dict[str, object], Options]:
    """The fields as plain data, and the chosen options. Raises `RecordError` for a line that is no such thing."""
    fields = {name: _value(name, text) for name, text in lines.items() if name not in _EXCHANGE}
    rules, *chosen = lines.get("rules", "").split(" ")
    fields |= {"rules": rules} if "rules" in fields else {}
    exchange = {name: _value(name, lines[name]) for name in _EXCHANGE if name in lines}
    return fields | ({"fair": exchange} if exchange else {}), tuple(map(_option, chosen))


def checked(fields: Fields, options: Options) -> Head:
    """The head of plain data. Raises `RecordError` for the first field that is missing or wrong."""
    for name in _NEEDED:
        if name not in fields:
            raise RecordError(Reason("record-header-missing", {"name": name}))
    seats, first = fields["seats"], fields["first"]
    strange = [name for name, value in options if not _is_option(name, value)]
    if fields["knobel"] != VERSION:
        raise _wrong("knobel", fields["knobel"])
    if not isinstance(seats, list) or not seats or not all(isinstance(name, str) for name in seats):
        raise _wrong("seats", seats)
    if not _is_count(first):
        raise _wrong("first", first)
    if strange:
        raise _wrong("rules", strange[0])
    dice, begin = fields.get("dice", "server"), fields.get("begin", "seat")
    if dice not in literals(Source):
        raise _wrong("dice", dice)
    if begin not in literals(Begin):
        raise _wrong("begin", begin)
    exchange = fields.get("fair")
    fair = None if exchange is None else _exchange(exchange)
    ruleset = _ruleset(fields, options)
    return Head(ruleset, tuple(seats), cast("int", first), cast("Source", dice), cast("Begin", begin), fair)


def _ruleset(fields: Fields, options: Options) -> Ruleset:
    """The embedded ruleset, which the other lines about it must fit."""
    try:
        ruleset = parse_ruleset(fields["ruleset"], "record", options)
    except KnobelError as error:
        raise RecordError(error.reason) from None
    if fields["rules"] != ruleset.id:
        raise _wrong("rules", fields["rules"])
    if digest(ruleset)[:16] != fields["digest"]:
        raise RecordError(Reason("record-digest", {"found": shown(fields["digest"]), "expected": digest(ruleset)[:16]}))
    return ruleset


def _exchange(value: object) -> Exchange:
    """What was shown so that the dice can be checked; only whether it fits together is left open."""
    if not isinstance(value, Mapping):
        raise _wrong("fair", value)
    for name in ("table", "commitment"):
        if not isinstance(value.get(name), str):
            raise _wrong(name, value[name]) if name in value else _missing(name)
    commitments, shares = (_pairs(name, value.get(name, [])) for name in ("commitments", "shares"))
    seed = value.get("seed")
    if not isinstance(seed, str | None):
        raise _wrong("seed", seed)
    exchange = Exchange(value["table"], value["commitment"], commitments, shares, seed)
    malformed = exchange.malformed()
    if malformed is not None:
        raise RecordError(malformed)
    return exchange


def _pairs(name: str, value: object) -> tuple[tuple[int, str], ...]:
    """Seats, and what each of them showed."""
    items: list[Any] = value if isinstance(value, list) else [value]
    for item in items:
        if not isinstance(item, list) or len(item) != 2 or not _is_count(item[0]) or not isinstance(item[1], str):
            raise _wrong(name, value)
    return tuple((seat, text) for seat, text in items)


def _value(name: str, text: str) -> object:
    """What stands in a line of the head after its first word."""
    try:
        if name == "seats":
            return list(_quoted(text))
        if name in ("commitments", "shares"):
            return [_pair(part) for part in text.split()]
        return json.loads(text) if name in ("knobel", "first", "ruleset") else text
    except (ValueError, RecursionError):
        raise _wrong(name, text) from None


def _pair(text: str) -> list[object]:
    seat, _, secret = text.partition(":")
    if not _is_number(seat):
        raise ValueError(text)
    return [int(seat), secret]


def _quoted(text: str) -> Iterator[object]:
    """The quoted names of a line, one after another."""
    while text := text.strip():
        value, end = json.JSONDecoder().raw_decode(text)
        yield value
        text = text[end:]


def _wrong(name: str, found: object) -> RecordError:
    return RecordError(Reason("record-header", {"name": name, "found": shown(found)}))


def _missing(name: str) -> RecordError:
    return RecordError(Reason("record-header-missing", {"name": name}))


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _option(text: str) -> tuple[str, OptionValue]:
    name, _, value = text.partition("=")
    parts = value.split(",")
    if len(parts) > 1:
        parts = parts if parts[-1] else parts[:-1]  # a list of one has a comma too
        return name, tuple(map(int, parts)) if all(map(_is_number, parts)) else tuple(parts)
    return name, {"true": True, "false": False}.get(value, int(value) if _is_number(value) else value)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 9


def _is_option(name: str, value: object) -> bool:
    """Whether this can be a chosen option: words and numbers that a header line can hold."""
    items: Iterable[object] = value if isinstance(value, tuple) else (value,)
    words = [name, *(item for item in items if isinstance(item, str))]
    return all(isinstance(item, int | str) for item in items) and all(_WORD.fullmatch(word) for word in words)


def _option_text(value: OptionValue) -> str:
    if isinstance(value, tuple):
        return ",".join(map(str, value)) + ("," if len(value) == 1 else "")
    return shown(value)
