"""What the rules core says when something is wrong or needs an explanation.

The core never writes sentences: it gives a `Reason`, and the edges (command line, server, browser) turn it into
German or English with the Fluent catalogs. Anybody may import this module; it imports nothing of knobel.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

Param = str | int | float


@dataclass(frozen=True, slots=True)
class Reason:
    """A message key of the Fluent catalogs and its parameters; ids of boxes and options stay ids."""

    key: str
    params: Mapping[str, Param] = field(default_factory=dict)

    def __str__(self) -> str:
        """The key in plain words with the parameters: readable in a traceback, no substitute for the catalogs."""
        words = self.key.replace("-", " ")
        if not self.params:
            return words
        return f"{words} ({', '.join(f'{name} {value}' for name, value in self.params.items())})"


class KnobelError(Exception):
    """Base of all errors that knobel raises on purpose; `reason` says what was wrong and what was expected."""

    def __init__(self, reason: Reason) -> None:
        """Keep `reason`; `str(error)` shows it in plain words."""
        super().__init__(str(reason))
        self.reason = reason


class RulesetError(KnobelError):
    """A ruleset or an option that cannot be used: names the source (file or id), the key, and what was expected."""

    def __init__(self, source: str, key: str, reason: Reason) -> None:
        """`source` is a file or ruleset id, `key` a dotted path in it (may be empty)."""
        super().__init__(reason)
        self.source = source
        self.key = key

    def __str__(self) -> str:
        """`source: key: reason`."""
        return ": ".join(part for part in (self.source, self.key, str(self.reason)) if part)


class IllegalAction(KnobelError):
    """An action that is not legal in this state; `legal` lists the action texts that are."""

    def __init__(self, reason: Reason, legal: tuple[str, ...] = ()) -> None:
        """`legal` holds the texts of all legal actions of the state."""
        super().__init__(reason)
        self.legal = legal

    def __str__(self) -> str:
        """The reason, then what would have been legal."""
        return f"{self.reason}; legal: {', '.join(self.legal) or 'nothing'}"


class RecordError(KnobelError):
    """A game record that cannot be read or replayed; `event` is the number of the event (from 1), 0 in the header."""

    def __init__(self, reason: Reason, event: int = 0, line: int = 0) -> None:
        """`line` is the line of the text (from 1), 0 when unknown."""
        super().__init__(reason)
        self.event = event
        self.line = line

    def __str__(self) -> str:
        """The place, then the reason."""
        place = [f"event {self.event}"] if self.event else []
        place += [f"line {self.line}"] if self.line else []
        return f"{', '.join(place) or 'record'}: {self.reason}"
