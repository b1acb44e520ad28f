"""Events without what only clients or only the log know of them, so that one can be held against the other."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Happened:
    """An event as a client was told it, and as the log should have it."""

    kind: str
    seat: int | None
    what: tuple[Any, ...]


def happened(event: dict[str, Any]) -> Happened:
    """An event of the wire or of the log, without what only one of them knows."""
    kind = str(event["kind"])
    fields = {
        "throw": ("dice", "extra"),
        "enter": ("box", "points", "bonus"),
        "spend": ("token",),
        "choose": ("dice",),
        "pick": ("box",),
        "arrange": ("what",),
        "substitute": ("why",),
        "say": ("phrase",),
    }.get(kind, ())
    what = (tuple(value) if isinstance(value := event[name], list) else value for name in fields)
    return Happened(kind, event.get("seat"), tuple(what))
