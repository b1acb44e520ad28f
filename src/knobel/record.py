"""A played game as text or JSON: who sat where, by which rules, and every event; replaying it gives every state.

The text begins with header lines and then has one event a line, `#` starts a comment line:

    knobel 1
    rules classic joker=forced
    digest 0123456789abcdef
    seats "Anna" "Computer"
    first 0
    ruleset {...}
    0 keep - -> 35316
    0 keep 335 -> 35334
    0 enter threes

After the arrow stand all dice in the order in which they lie on the table. The ruleset line holds the whole composed
ruleset, so that a record replays for ever, whatever becomes of the ruleset's file.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from knobel import game
from knobel.action import Action, parse_action
from knobel.dice import format_faces, parse_faces
from knobel.errors import KnobelError, Param, Reason, RecordError
from knobel.game import State
from knobel.ruleset import digest
from knobel.schema import parse as parse_ruleset
from knobel.schema import shown, to_mapping
from knobel.vocabulary import OptionValue, Ruleset

VERSION = 1
MAX_LINES = 100_000


@dataclass(frozen=True, slots=True)
class Event:
    """One action of one seat; `faces` are all dice in table order after a throw, empty after an entry."""

    seat: int
    action: Action
    faces: tuple[int, ...] = ()

    def __str__(self) -> str:
        """`0 keep 335 -> 35334`, `0 enter threes`."""
        return f"{self.seat} {self.action}" + (f" -> {format_faces(self.faces)}" if self.faces else "")


@dataclass(frozen=True, slots=True)
class Record:
    """A game, whole or so far."""

    ruleset: Ruleset
    seats: tuple[str, ...]
    first: int = 0
    events: tuple[Event, ...] = field(default=())

    def replay(self) -> Iterator[State]:
        """The state at the start, then the state after each event.

        Raises `RecordError` with the number of the first event that is impossible, and why.
        """
        try:
            state = game.start(self.ruleset, len(self.seats), self.first)
        except KnobelError as error:
            raise RecordError(error.reason) from None
        yield state
        for number, event in enumerate(self.events, 1):
            if state.turn is not None and state.turn.seat != event.seat:
                raise RecordError(Reason("not-your-turn", {"seat": event.seat, "turn": state.turn.seat}), number)
            try:
                state = game.apply(state, event.action, event.faces or None)
            except KnobelError as error:
                raise RecordError(error.reason, number) from None
            yield state

    def format(self) -> str:
        """The text notation."""
        options = "".join(f" {name}={_option_text(value)}" for name, value in self.ruleset.options)
        head = [
            f"knobel {VERSION}",
            f"rules {self.ruleset.id}{options}",
            f"digest {digest(self.ruleset)[:16]}",
            f"seats {' '.join(json.dumps(name, ensure_ascii=False) for name in self.seats)}",
            f"first {self.first}",
            f"ruleset {json.dumps(to_mapping(self.ruleset), ensure_ascii=False, separators=(',', ':'))}",
        ]
        return "\n".join([*head, *map(str, self.events), ""])

    def to_json(self) -> dict[str, Any]:
        """The same fields as plain data."""
        return {
            "knobel": VERSION,
            "rules": self.ruleset.id,
            "options": dict(self.ruleset.options),
            "digest": digest(self.ruleset)[:16],
            "seats": list(self.seats),
            "first": self.first,
            "ruleset": to_mapping(self.ruleset),
            "events": [str(event) for event in self.events],
        }

    @staticmethod
    def parse(text: str) -> "Record":
        """A record from its text; raises `RecordError` with the line that cannot be read. `replay` checks legality."""
        header: dict[str, str] = {}
        events: list[Event] = []
        lines = text.split("\n")  # not splitlines: names may hold other line ends
        if len(lines) > MAX_LINES:
            raise RecordError(Reason("record-too-long", {"most": MAX_LINES}))
        for number, line in enumerate(lines, 1):
            word, _, rest = line.strip().partition(" ")
            if not word or word.startswith("#"):
                continue
            if word.isascii() and word.isdigit():
                events.append(_event(word, rest, len(events) + 1, number))
            elif word in _HEADER and word not in header and not events:
                header[word] = rest
            else:
                raise RecordError(Reason("record-line", {"found": shown(word)}), line=number)
        fields = {name: _header_value(name, value) for name, value in header.items()}
        rules, *chosen = header.get("rules", "").split(" ")
        fields |= {"rules": rules} if "rules" in fields else {}
        return _assembled(fields, tuple(map(_option, chosen)), tuple(events))

    @staticmethod
    def from_json(data: object) -> "Record":
        """A record from plain data as `to_json` gives it; raises `RecordError`."""
        if not isinstance(data, Mapping):
            raise RecordError(Reason("expected-table", {"found": shown(data)}))
        events, options = data.get("events", []), data.get("options", {})
        if not isinstance(events, list) or not isinstance(options, Mapping) or len(events) > MAX_LINES:
            raise RecordError(Reason("record-line", {"found": "events"}))
        chosen = tuple((str(k), tuple(v) if isinstance(v, list) else v) for k, v in options.items())
        parsed = []
        for number, line in enumerate(events, 1):
            if not isinstance(line, str):
                raise RecordError(Reason("record-line", {"found": shown(line)}), number)
            seat, _, rest = line.partition(" ")
            parsed.append(_event(seat, rest, number, 0))
        return _assembled(data, chosen, tuple(parsed))


_WORD = re.compile(r"[\w-]{1,60}", re.ASCII)
_HEADER = ("knobel", "rules", "digest", "seats", "first", "ruleset")


def _header_value(name: str, text: str) -> object:
    try:
        if name == "seats":
            return list(_quoted(text))
        return json.loads(text) if name in ("knobel", "first", "ruleset") else text
    except (ValueError, RecursionError):
        raise RecordError(Reason("record-header", {"name": name, "found": shown(text)})) from None


def _quoted(text: str) -> Iterator[object]:
    """The quoted names of a line, one after another."""
    while text := text.strip():
        value, end = json.JSONDecoder().raw_decode(text)
        yield value
        text = text[end:]


def _assembled(
    fields: Mapping[str, object], options: tuple[tuple[str, OptionValue], ...], events: tuple[Event, ...]
) -> Record:
    """The record, after checking the header."""
    for name in _HEADER:
        if name not in fields:
            raise RecordError(Reason("record-header-missing", {"name": name}))
    seats, first = fields["seats"], fields["first"]
    wrong: dict[str, Param] = {}
    strange = [name for name, value in options if not _is_option(name, value)]
    if fields["knobel"] != VERSION:
        wrong = {"name": "knobel", "found": shown(fields["knobel"])}
    elif not isinstance(seats, list) or not seats or not all(isinstance(name, str) for name in seats):
        wrong = {"name": "seats", "found": shown(seats)}
    elif not isinstance(first, int) or isinstance(first, bool):
        wrong = {"name": "first", "found": shown(first)}
    elif strange:
        wrong = {"name": "rules", "found": shown(strange[0])}
    if wrong:
        raise RecordError(Reason("record-header", wrong))
    try:
        ruleset = parse_ruleset(fields["ruleset"], "record", options)
    except KnobelError as error:
        raise RecordError(error.reason) from None
    if fields["rules"] != ruleset.id:
        raise RecordError(Reason("record-header", {"name": "rules", "found": shown(fields["rules"])}))
    if digest(ruleset)[:16] != fields["digest"]:
        raise RecordError(Reason("record-digest", {"found": shown(fields["digest"]), "expected": digest(ruleset)[:16]}))
    return Record(ruleset, tuple(cast("list[str]", seats)), cast("int", first), events)


def _event(seat: str, rest: str, number: int, line: int) -> Event:
    action, arrow, faces = rest.partition(" -> ")
    try:
        if not (seat.isascii() and seat.isdigit() and len(seat) < 4):
            raise RecordError(Reason("record-line", {"found": shown(seat)}))
        return Event(int(seat), parse_action(action), parse_faces(faces) if arrow else ())
    except KnobelError as error:
        raise RecordError(error.reason, number, line) from None


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
    items = value if isinstance(value, tuple) else (value,)
    words = [name, *(item for item in items if isinstance(item, str))]
    return all(isinstance(item, int | str) for item in items) and all(_WORD.fullmatch(word) for word in words)


def _option_text(value: OptionValue) -> str:
    if isinstance(value, tuple):
        return ",".join(map(str, value)) + ("," if len(value) == 1 else "")
    return shown(value)
