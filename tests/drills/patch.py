"""Guards of the server that can be taken out of it, by changing the text of one function in the server process."""

import inspect
import sys
import textwrap
from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True, slots=True)
class Patch:
    """Another text in a function; `place` is like `writer.Writer._decide`, or like `socket.RATE` for a constant."""

    place: str
    old: str
    new: str


def apply(mutant: str) -> None:
    """Take a guard out, here and now. Raises `AssertionError` if the guard is no longer where it was."""
    from tests.drills.mutants import MUTANTS

    for patch in MUTANTS[mutant].patches:
        _apply(patch)


def _apply(patch: Patch) -> None:
    parts = patch.place.split(".")
    n_module = next(n for n in range(len(parts), 0, -1) if _module(".".join(parts[:n])) is not None)
    owner: Any = _module(".".join(parts[:n_module]))
    module = owner
    *owners, name = parts[n_module:]
    for part in owners:
        owner = getattr(owner, part)
    if not callable(getattr(owner, name)):
        setattr(owner, name, eval(patch.new))
        return
    text = textwrap.dedent(inspect.getsource(getattr(owner, name)))
    assert text.count(patch.old) == 1, f"{patch.place} has no {patch.old!r} any more: {text}"
    made: dict[str, Any] = {}
    exec(compile(text.replace(patch.old, patch.new), f"<{patch.place}, changed>", "exec"), vars(module), made)
    setattr(owner, name, made[name])


def _module(name: str) -> Any:
    full = f"knobel.server.{name}"
    if full not in sys.modules:
        try:
            import_module(full)
        except ImportError:
            return None
    return sys.modules[full]
