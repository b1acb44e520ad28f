"""What a drill found, and how far a long one has come."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PROGRESS = "progress.json"
TIMED = 0.1  # from this scale on the marks for times are held against the measured ones


@dataclass(frozen=True, slots=True)
class Figure:
    """A drill that held what must hold: what was done, counted and measured, and how much is too much."""

    did: str
    counts: Mapping[str, int] = field(default_factory=dict)
    measured: Mapping[str, float] = field(default_factory=dict)  # names end with the unit: "p99 ms"
    marks: Mapping[str, float] = field(default_factory=dict)  # the most that each of them should be

    @property
    def text(self) -> str:
        """One line for docs/results.md."""
        counts = [f"{count:,} {name}" for name, count in self.counts.items()]
        measured = [_said(name, value) for name, value in self.measured.items()]
        missed = [_said(name, self.marks[name]) for name in self.missed]
        parts = (self.did, ", ".join(counts), ", ".join(measured), "MISSED: " + ", ".join(missed) if missed else "")
        return "; ".join(filter(None, parts))

    @property
    def missed(self) -> tuple[str, ...]:
        """What was measured above its mark."""
        return tuple(name for name, mark in self.marks.items() if self.measured[name] > mark)


def _said(name: str, value: float) -> str:
    words, _, unit = name.rpartition(" ")
    return f"{words} {value:.4g} {unit}"


class Progress:
    """Steps that are done and what they said, in a file of the folder: a run that was stopped goes on there."""

    def __init__(self, folder: Path, **key: object) -> None:
        """Go on, unless the steps there belong to a run with another key."""
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / PROGRESS
        self._known: dict[str, Any] = json.loads(self._path.read_text("utf-8")) if self._path.exists() else {}
        text = json.dumps(key, default=str, sort_keys=True)
        if self._known.get("key") != text:
            self._known = {"key": text, "steps": {}}

    def knows(self, name: str) -> bool:
        """Whether a step is done."""
        return name in self._known["steps"]

    def done(self, name: str, step: Callable[[], dict[str, float]]) -> dict[str, float]:
        """What a step says; it is done now unless it is known."""
        steps: dict[str, dict[str, float]] = self._known["steps"]
        if name not in steps:
            steps[name] = step()
            part = self._path.with_suffix(".part")
            part.write_text(json.dumps(self._known), encoding="utf-8")
            part.replace(self._path)
        return steps[name]


def timed(scale: float, marks: Mapping[str, float]) -> Mapping[str, float]:
    """Marks for times and sizes, which small runs do not have."""
    return marks if scale >= TIMED else {}


def share(full: int, scale: float, least: int = 1) -> int:
    """So much of a full number, but never less than makes sense."""
    return max(least, round(full * scale))


def summed(steps: Sequence[Mapping[str, float]]) -> dict[str, int]:
    """The sums of what several steps have counted."""
    return {name: round(sum(step[name] for step in steps)) for name in (steps[0] if steps else ())}


def percentile(values: Sequence[float], part: float) -> float:
    """The smallest value below or at which this part of all lie; 0 of none."""
    return sorted(values)[min(len(values) - 1, int(part * len(values)))] if values else 0.0


def latencies(seconds: Sequence[float], name: str = "") -> dict[str, float]:
    """Median and tails in milliseconds, for `Figure.measured`."""
    parts = {"p50": 0.5, "p99": 0.99, "p99.9": 0.999}
    return {f"{name}{label} ms": 1000 * percentile(seconds, part) for label, part in parts.items()}


def hold(found: bool, promise: str) -> None:
    """Raise `AssertionError` with the promise that is broken."""
    if not found:
        raise AssertionError(promise)
