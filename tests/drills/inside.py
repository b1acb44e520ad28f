"""Drills that run the server in their own process: there, too, a guard can be taken out, and is put back."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from tests.drills import server
from tests.drills.figure import Figure
from tests.drills.patch import Patch, changed

_FOREIGN = 'is_foreign or headers.get(b"sec-fetch-site", "same-origin") not in ("same-origin", "none")'
_FITS = "return commitment_of(bytes.fromhex(share)) == room.seats[seat].sealed"
_GUEST = 'if seat.kind == "person" and seat.guest != command.guest:'

MUTANTS: Mapping[str, tuple[str, tuple[Patch, ...]]] = {  # the drill that is to notice
    "takes illegal moves": (
        "illegal",
        (Patch("knobel.table._decided", "game.chance_outcomes(table.state, action_of(event))", "pass"),),
    ),
    "takes the moves of anybody": ("cross-seat", (Patch("knobel.steward._moved", _GUEST, "if False:"),)),
    "lets everybody guess": (
        "codes",
        (Patch("limit.Buckets.take", "if not bucket.take(now):", "if False:"),),
    ),
    "listens to other sites": ("cross-site", (Patch("guard.Guard._check", _FOREIGN, "False"),)),
    "gives no seat back": (
        "absence",
        (
            Patch(
                "hall.Hall._give_back",
                'if any(master.room.seats[number].stand_in == "away"',
                "if any(False",
            ),
        ),
    ),
    "replaces at once": ("absence", (Patch("clock.Clock.due", "away + GRACE", "away + 58.5"),)),
    "looks at the clock on the wall": (
        "clocks",
        (Patch("hall._now", "asyncio.get_running_loop().time()", "time.time()"),),
    ),
    "takes any share": (
        "dice",
        (Patch("knobel.steward.fits", _FITS, "return True"), Patch("knobel.room.fits", _FITS, "return True")),
    ),
    "lets ties win": (
        "statistics",
        (Patch("result_page._is_alone_in_front", "> max(others)", ">= max(others)"),),
    ),
}


def inside(drill: Callable[[float, Path], Figure]) -> Callable[[float, Path], Figure]:
    """A drill that lacks, in its own process, the guards that servers are built without."""

    def run(scale: float, folder: Path) -> Figure:
        with ExitStack() as stack:
            for mutant in server._missing:
                for patch in MUTANTS[mutant][1]:
                    stack.enter_context(instead(*changed(patch)))
            return drill(scale, folder)

    return run


@contextmanager
def instead(owner: Any, name: str, value: object) -> Iterator[None]:
    """Something else has this name for a while."""
    kept = vars(owner)[name]
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, kept)
