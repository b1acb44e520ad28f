"""Servers without one of their guards: a drill counts only if it was seen to fail on one of these.

`./check --long mutants` runs each drill against the servers that it should notice. A guard that is no longer where it
is looked for fails as well: then the patch here is to follow the code.
"""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.drills import inside
from tests.drills.figure import Figure, hold
from tests.drills.patch import Patch
from tests.drills.server import built_without


@dataclass(frozen=True, slots=True)
class Mutant:
    """A server without a guard, and the drill that is to notice."""

    drill: str
    patches: tuple[Patch, ...]


def _one(drill: str, place: str, old: str, new: str) -> Mutant:
    return Mutant(drill, (Patch(place, old, new),))


_APPEND = "await self._store.append(founded, steps)"
_EARLY = (
    "[(self._publish(draft), draft.steps.clear()) for draft in drafts.values()]; "
    "[job.answer.set_result(answer) for job, answer in answers if not job.answer.done()]; "
    "await asyncio.sleep(0.05); "
)
_SWALLOWED = f"try:\n                {_APPEND}\n            except Refused:\n                pass"
_DECIDED = "self._advance(draft, job.command, name)"
_REPLACED = "self._advance(draft, __import__('dataclasses').replace(job.command, {}), name)"
_VERSION = "version=draft.room.version"
_SEAT = "seat=draft.room.table.state.turn.seat if draft.room.acting else 0"
_EMPTY = "if not self._bucket.take(_now()):"
_MANY = "len(self._outgoing) >= MAX_OUTGOING"
_FULL = f"if {_MANY} or self._n_bytes >= MAX_OUTGOING_BYTES:"
_EXCESS = "min(SWEPT, max(0, len(self._masters) - MAX_IDLE))"
_SERVED = "await _Connection(self._hall, path[1], guest.id if guest else None, receive, send).serve()"
_EVENTS = "await connection.execute(sa.insert(EVENTS), events)"
_APART = "; await connection.exec_driver_sql('COMMIT'); await connection.exec_driver_sql('BEGIN')"
_BUSY = "if self._is_closing or len(self._waiting) >= MAX_WAITING:"
_MISSED = "missed_text(room, since, live)"
_UNKNOWN = 'raise Refused("table/unknown", Reason("server-table-unknown"))'
_WATCHERS = "for watcher in tuple(master.watchers):"
_COMMIT, _DECIDE = "writer.Writer._decide_all", "writer.Writer._decide"

MUTANTS: Mapping[str, Mutant] = {
    "acknowledges before the commit": _one("kill", _COMMIT, _APPEND, _EARLY + _APPEND),
    "acknowledges early before a checkpoint": _one("kill-checkpoint", _COMMIT, _APPEND, _EARLY + _APPEND),
    "acknowledges early before a power loss": _one("power-loss", _COMMIT, _APPEND, _EARLY + _APPEND),
    "commits by halves": _one("power-loss", "store.Store.append", _EVENTS, _EVENTS + _APART),
    "acknowledges what a full disk did not take": _one("disk-full", _COMMIT, _APPEND, _SWALLOWED),
    "acknowledges what could not be stored": _one("storage-fault", _COMMIT, _APPEND, _SWALLOWED),
    "knows no command again": _one("duplicates", _DECIDE, "if known is not None:", "if False:"),
    "forgets commands at a restart": _one(
        "duplicates",
        "hall.Hall._load",
        "Master(stored.room, stored.head, stored.answers)",
        "Master(stored.room, stored.head)",
    ),
    "takes any version": _one("two-tabs", _DECIDE, _DECIDED, _REPLACED.format(_VERSION)),
    "takes any seat": _one("same-moment", _DECIDE, _DECIDED, _REPLACED.format(f"{_VERSION}, {_SEAT}")),
    "waits for slow readers": Mutant(
        "slow-reader",
        (
            Patch("socket._Connection._put", _FULL, f"if {_MANY}:\n        return\n    if False:"),
            Patch("socket._Connection._deliver", "asyncio.timeout(STALL_SECONDS)", "asyncio.timeout(None)"),
        ),
    ),
    "waits for requests": _one("slowloris", "handshake.REQUEST_SECONDS", "", "1e6"),
    "takes large headers": Mutant(
        "slowloris",
        (Patch("handshake.MAX_HEADER_LINES", "", "1 << 20"), Patch("handshake.MAX_HEADER_BYTES", "", "1 << 20")),
    ),
    "holds what is gone": _one("idle", "socket.SocketApp._serve", _SERVED, f"{_SERVED}; await asyncio.sleep(1000)"),
    "tells another story after a drop": _one(
        "reconnect", "socket._Connection._talk", _MISSED, _MISSED + """.replace('"kind":"enter"', '"kind":"throw"')"""
    ),
    "fails on large numbers": _one(
        "malformed", "wire._whole", "if len(digits) > MAX_DIGITS:", "if len(digits) > 5000: 1 / 0\n    if False:"
    ),
    "fails on unknown tables": _one("requests", "hall.Hall._load", _UNKNOWN, "1 / 0"),
    "keeps names as they are": _one("names", "name._seen", 'in ("Cc", "Cs", "Cn", "Co")', "in ()"),
    "fails on wrong rules": _one("rules", "house.read", "raise refused(error) from None", "raise"),
    "loses connections": _one("load", "socket._Connection._reply", "self._put(", "self._cut_off(); self._put("),
    "never says that it is busy": _one("overload", "writer.Writer._put", _BUSY, "if self._is_closing:"),
    "ends without the last commit": Mutant(
        "restart",
        (
            Patch(_COMMIT, _APPEND, _EARLY.replace("0.05", "3 if answers else 0") + _APPEND),
            Patch("hall.Hall.__aexit__", "await self._running", "self._running.cancel()"),
        ),
    ),
    "keeps every table": _one("left-tables", "hall.Hall._sweep", _EXCESS, "0"),
    "tells only some watchers": _one("watchers", "writer.Writer._tell", _WATCHERS, f"{_WATCHERS[:-1]}[:5]:"),
    "replaces nobody": _one("gone", "clock.GRACE", "", "1e6"),
    "answers every ping": _one("ping-flood", "handshake.MAX_PINGS", "", "1 << 40"),
    "answers every word": _one("ping-flood", "socket._Connection._count", _EMPTY, "if False:"),
    "says everything that ever was": _one("long-log", "present.RECENT", "", "2_000"),
    **{name: Mutant(*parts) for name, parts in inside.MUTANTS.items()},
}
QUICK = ("knows no command again", "takes any version", "fails on large numbers")  # those that ./check tries


def noticed(name: str, scale: float, folder: Path) -> str:
    """What the drill says about a server without this guard. Raises `AssertionError` if it finds nothing wrong."""
    from tests.drills.registry import DRILLS

    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with built_without(name):
        try:
            DRILLS[MUTANTS[name].drill](scale, folder)
        except Exception as error:
            words = _words(error)
            hold("any more" not in words and "did not start" not in words, f"{name}: {words}")
            return words
    raise AssertionError(f"the drill {MUTANTS[name].drill} finds nothing wrong with a server that {name}")


def _words(error: BaseException) -> str:
    """What is wrong, also of several things at once."""
    return f"{type(error).__name__}: {str(error)[:200]}"


def drill(scale: float, folder: Path) -> Figure:
    """Every guard is taken out once."""
    from tests.drills.registry import DRILLS

    for number, name in enumerate(MUTANTS):
        print(f"{name}: {noticed(name, 0.01 * scale, folder / f'{number}')}", flush=True)
    missing = set(DRILLS) - {mutant.drill for mutant in MUTANTS.values()}
    hold(not missing, f"no server was broken for {sorted(missing)}")
    return Figure(
        "servers without one of their guards: every drill notices", {"mutants": len(MUTANTS), "drills": len(DRILLS)}
    )
