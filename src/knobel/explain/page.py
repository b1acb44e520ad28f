"""What a page about rules holds, as plain data: `Reason`s, ids and numbers, no sentences."""

from dataclasses import dataclass
from typing import Literal

from knobel.errors import Reason
from knobel.vocabulary import Labels, OptionValue, Section


@dataclass(frozen=True, slots=True)
class Example:
    """A roll and its points in one box of an empty pad."""

    dice: tuple[int, ...]
    points: int
    kind: Literal["best", "typical", "near", "zero"]  # near: one die short of points


@dataclass(frozen=True, slots=True)
class Line:
    """Fragments that stand in one line; with a box they are about it."""

    texts: tuple[Reason, ...]
    box: str | None = None


@dataclass(frozen=True, slots=True)
class BoxPage:
    """A row of the pad."""

    id: str
    labels: Labels
    section: Section
    rules: tuple[Line, ...]  # each: what must lie, what it brings; the first that fits counts
    examples: tuple[Example, ...]


@dataclass(frozen=True, slots=True)
class Scene:
    """A worked case: what is given, what lies on the table, and what the engine answers."""

    given: tuple[Reason, ...]
    dice: tuple[int, ...]  # empty: no roll is needed
    shows: tuple[Reason, ...]
    standard: tuple[Reason, ...] = ()  # what it answers without the option; empty where nothing is compared


@dataclass(frozen=True, slots=True)
class Contrast:
    """One row of a table "standard against this"."""

    label: Reason
    standard: tuple[Line, ...]
    this: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """A section about one mechanism."""

    id: str  # also of its heading, "rules-part-{id}"
    text: tuple[Line, ...]
    scenes: tuple[Scene, ...] = ()


@dataclass(frozen=True, slots=True)
class ValuePage:
    """What one value of an option changes."""

    value: OptionValue
    labels: Labels | None
    contrasts: tuple[Contrast, ...]
    scenes: tuple[Scene, ...]


@dataclass(frozen=True, slots=True)
class OptionPage:
    """An option: its default, and what the other values (or one, as an example) change."""

    name: str
    labels: Labels | None
    default: OptionValue
    chosen: OptionValue
    needs: tuple[tuple[str, tuple[OptionValue, ...]], ...]
    text: tuple[Reason, ...]
    contrasts: tuple[Contrast, ...]  # of the option as a whole
    values: tuple[ValuePage, ...]  # all but the default


@dataclass(frozen=True, slots=True)
class RulesPage:
    """Everything there is to say about a ruleset with its chosen options."""

    id: str
    labels: Labels
    about: tuple[Reason, ...]
    parts: tuple[Part, ...]
    boxes: tuple[BoxPage, ...]
    contrasts: tuple[Contrast, ...]  # against the classic pad as it is printed
    options: tuple[OptionPage, ...]
    history: tuple[Reason, ...]
