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
ruleset, so that a record replays for ever, whatever becomes of the ruleset's file. `header` reads and writes the lines
of the head that are more than a word; those that say where the dice came from may be missing.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from knobel import game, header
from knobel.action import Action, parse_action
from knobel.dice import format_faces, parse_faces
from knobel.errors import KnobelError, Reason, RecordError
from knobel.fair import Exchange
from knobel.game import State
from knobel.header import VERSION, Begin, Source
from knobel.ruleset import digest
from knobel.schema import shown, to_mapping
from knobel.vocabulary import OptionValue, Ruleset

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
    dice: Source = "server"  # where they came from; what was typed in was thrown on a real table
    begin: Begin = "seat"  # how `first` was found
    fair: Exchange | None = None  # what `provable` dice follow from

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
        head = [
            f"knobel {VERSION}",
            f"rules {self.ruleset.id}{header.format_options(self.ruleset.options)}",
            f"digest {digest(self.ruleset)[:16]}",
            f"seats {' '.join(json.dumps(name, ensure_ascii=False) for name in self.seats)}",
            f"first {self.first}",
            *header.format_origin(self.dice, self.begin, self.fair),
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
            "dice": self.dice,
            "begin": self.begin,
            "fair": header.plain_exchange(self.fair),
            "ruleset": to_mapping(self.ruleset),
            "events": [str(event) for event in self.events],
        }

    @staticmethod
    def parse(text: str) -> "Record":
        """A record from its text; raises `RecordError` with the line that cannot be read. `replay` checks legality."""
        head: dict[str, str] = {}
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
            elif word in header.WORDS and word not in head and not events:
                head[word] = rest
            else:
                raise RecordError(Reason("record-line", {"found": shown(word)}), line=number)
        return _assembled(*header.read_lines(head), tuple(events))

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


def _assembled(
    fields: Mapping[str, object], options: tuple[tuple[str, OptionValue], ...], events: tuple[Event, ...]
) -> Record:
    """The record, after checking the header."""
    head = header.checked(fields, options)
    return Record(head.ruleset, head.seats, head.first, events, head.dice, head.begin, head.fair)


def _event(seat: str, rest: str, number: int, line: int) -> Event:
    action, arrow, faces = rest.partition(" -> ")
    try:
        if not (seat.isascii() and seat.isdigit() and len(seat) < 4):
            raise RecordError(Reason("record-line", {"found": shown(seat)}))
        return Event(int(seat), parse_action(action), parse_faces(faces) if arrow else ())
    except KnobelError as error:
        raise RecordError(error.reason, number, line) from None
