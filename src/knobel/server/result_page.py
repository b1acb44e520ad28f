"""What belongs to a guest: finished games, what was reached in them, and whether the dice were honest.

Nothing of it is stored beside the games: it is worked out of them, so that nothing can count twice or be forgotten.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from fastapi import FastAPI, Request

from knobel import statistic
from knobel.event import Event, Threw, faces_at
from knobel.seat import Arranged, Happening, Opened, Returned, Sealed, Substituted
from knobel.server.limit import Buckets
from knobel.server.messages import Problem
from knobel.server.page_messages import DiceStatistic, DiceTest, Results, ResultsLine
from knobel.server.page_view import table_line
from knobel.server.present import rules_of
from knobel.server.rows import Line
from knobel.server.store import Store
from knobel.server.visitor import Visitors

COUNTED = 1000  # finished games that are looked at, the latest ones
HISTORY = 100  # of them in the list
DICE_TABLES = 200  # whose dice are looked at
ASKED, ASKED_SECONDS = 20, 60.0  # of one guest


def add_result_routes(
    app: FastAPI, store: Store, visitors: Visitors, refusals: dict[int | str, dict[str, Any]]
) -> None:
    """`/api/me/results` and `/api/me/dice`; strangers have neither."""
    asked = Buckets(ASKED, ASKED_SECONDS)
    answers = refusals | {403: refusals[422], 429: refusals[422]}

    @app.get("/api/me/results", responses=answers)
    async def _results(request: Request) -> Results:
        guest = await visitors.require(request.scope)
        asked.take(guest.id)
        return results_of(await store.results(guest.id, COUNTED), guest.id)

    @app.get("/api/me/dice", responses=answers)
    async def _dice(request: Request) -> DiceStatistic:
        guest = await visitors.require(request.scope)
        asked.take(guest.id)
        lines = await store.results(guest.id, DICE_TABLES)
        fair = [line.id for line in reversed(lines) if line.terms.dice == "provable"]
        events = await store.events_of(fair)
        return dice_of([events[table_id] for table_id in fair if table_id in events], guest.id)


def results_of(lines: Sequence[Line], guest: str) -> Results:
    """What a guest has reached; `lines` are finished games, the latest first.

    A game counts for every seat that the guest held to its end; where a computer stood in at the end it is `helped`.
    Several seats of one guest are several results.
    """
    rulesets: dict[str, list[tuple[Line, int]]] = {}
    for line in lines:
        for number, seat in enumerate(line.seats):
            if seat.guest == guest:
                rulesets.setdefault(rules_of(line.ruleset).digest, []).append((line, number))
    by_use = sorted(rulesets.values(), key=len, reverse=True)
    return Results(tuple(map(_results_line, by_use)), tuple(map(table_line, lines[:HISTORY])))


def _results_line(games: Sequence[tuple[Line, int]]) -> ResultsLine:
    own = [(line, seat) for line, seat in games if line.seats[seat].stand_in is None]
    totals = [line.totals[seat] for line, seat in own]
    return ResultsLine(
        rules_of(games[0][0].ruleset),
        len(own),
        sum(_is_alone_in_front(line, seat) for line, seat in own),
        max(totals, default=None),
        sum(totals) / len(totals) if totals else None,
        len(games) - len(own),
    )


def _is_alone_in_front(line: Line, seat: int) -> bool:
    others = [total for number, total in enumerate(line.totals) if number != seat]
    return bool(others) and line.totals[seat] > max(others)


def dice_of(tables: Iterable[Sequence[Event | Happening]], guest: str) -> DiceStatistic:
    """The dice that a guest has thrown himself; the events of each table in order."""
    counts, n_tables, n_throws = statistic.Counts(), 0, 0
    for events in tables:
        throws = list(_own_throws(events, guest))
        counts += statistic.counted(throws)
        n_tables += bool(throws)
        n_throws += len(throws)
    judged = statistic.judged(counts)
    tests = tuple(DiceTest(finding.test, finding.p, finding.missing) for finding in judged.findings)
    is_enough = any(test.p is not None for test in tests)
    verdict = Problem("dice/verdict", judged.verdict.key, dict(judged.verdict.params)) if is_enough else None
    return DiceStatistic(n_tables, n_throws, counts.faces, tests, verdict)


def _own_throws(events: Sequence[Event | Happening], guest: str) -> Iterator[tuple[int, ...]]:
    held: set[int] = set()
    away: set[int] = set()
    for event in events:
        match event:
            case Opened() | Arranged() | Sealed():
                held = {number for number, seat in enumerate(event.seats) if seat.guest == guest}
            case Substituted():
                away.add(event.seat)
            case Returned():
                away.discard(event.seat)
            case Threw() if event.seat in held - away:
                yield faces_at(event.dice, event.thrown)
            case _:
                pass
