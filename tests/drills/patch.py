"""Guards that can be taken out, by changing the text of one function: in a server process, or here for a while."""

import inspect
import textwrap
from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True, slots=True)
class Patch:
    """Another text in a function; `place` is like `writer.Writer._decide`, or like `socket.RATE` for a constant.

    Places outside of the server have whole names, like `knobel.steward.decide`.
    """

    place: str
    old: str
    new: str


def apply(mutant: str) -> None:
    """Take a guard out, here and now. Raises `AssertionError` if the guard is no longer where it was."""
    from tests.drills.mutants import MUTANTS

    for patch in MUTANTS[mutant].patches:
        setattr(*changed(patch))


def changed(patch: Patch) -> tuple[Any, str, Any]:
    """The module or class, the name there, and what it stands for without the guard. Raises `AssertionError`."""
    module, owner, name = _found(patch.place)
    guarded = vars(owner)[name]
    if not callable(guarded):
        return owner, name, eval(patch.new)
    text = textwrap.dedent(inspect.getsource(guarded))
    assert text.count(patch.old) == 1, f"{patch.place} has no {patch.old!r} any more: {text}"
    made: dict[str, Any] = {}
    exec(compile(text.replace(patch.old, patch.new), f"<{patch.place}, changed>", "exec"), vars(module), made)
    return owner, name, made[name]


def _found(place: str) -> tuple[Any, Any, str]:
    """The module, the module or class in it that has the name, and the name."""
    parts = (place if place.startswith("knobel.") else f"knobel.server.{place}").split(".")
    for n in range(len(parts) - 1, 0, -1):
        try:
            module: Any = import_module(".".join(parts[:n]))
        except ImportError:
            continue
        owner = module
        for part in parts[n:-1]:
            owner = getattr(owner, part, None)
        assert parts[-1] in vars(owner), f"there is no {place} any more"
        return module, owner, parts[-1]
    raise AssertionError(f"there is no {place} any more")
