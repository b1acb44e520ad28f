"""The pages' API of tables: make, find and list them, and what became of them."""

import time
from typing import Annotated, Any

from fastapi import FastAPI, Path, Request, Response
from fastapi.responses import PlainTextResponse

from knobel.errors import KnobelError, Reason
from knobel.room import Terms, to_record
from knobel.seat import Seat
from knobel.server.hall import Hall
from knobel.server.house import House
from knobel.server.limit import Buckets, Limits, address_of
from knobel.server.name import clean_name
from knobel.server.page_messages import FairPage, Found, NewTable, TableLine, TableList
from knobel.server.page_view import fair_page, table_line
from knobel.server.visitor import Visitors
from knobel.table import Refused

LISTED = 50  # tables in a list
OPEN_SECONDS = 86_400.0  # that an open table stays in the lobby
Code = Annotated[str, Path(min_length=1, max_length=20)]
TableId = Annotated[str, Path(min_length=1, max_length=40, pattern=r"^[A-Za-z0-9_-]+$")]
Responses = dict[int | str, dict[str, Any]]


def add_table_routes(
    app: FastAPI, hall: Hall, house: House, visitors: Visitors, refusals: Responses, limits: Limits | None = None
) -> None:
    """All of `/api/tables`, `/api/lobby` and `/api/codes`; `refusals` are the answers that any request may get."""
    codes = Buckets((limits or Limits()).codes, 60.0)
    refused = {"content": refusals[422]["content"]}
    limited: Responses = {429: {**refused, "description": "Too many in a minute"}}
    unknown: Responses = {
        404: {**refused, "description": "No such table"},
        500: {**refused, "description": "The table's log is damaged"},
    }

    @app.get("/api/tables", responses=refusals)
    async def _tables(request: Request) -> TableList:
        guest = await visitors.guest_of(request.scope)
        return TableList(() if guest is None else tuple(map(table_line, await hall.store.mine(guest.id, LISTED))))

    @app.get("/api/lobby", responses=refusals)
    async def _lobby() -> TableList:
        return TableList(tuple(map(table_line, await hall.store.lobby(LISTED, time.time() - OPEN_SECONDS))))

    @app.get("/api/codes/{code}", responses=refusals | unknown | limited)
    async def _code(code: Code, request: Request) -> Found:
        codes.take(address_of(request.scope))
        table_id = await hall.store.with_code(plain_code(code))
        if table_id is None:
            raise Refused("table/unknown", Reason("server-code-unknown"))
        return Found(table_id)

    @app.post("/api/tables", status_code=201, responses=refusals | unknown | limited)
    async def _open(new: NewTable, request: Request, response: Response) -> TableLine:
        if new.ruleset is None:
            ruleset = (await hall.find(new.follows or "")).room.ruleset
        else:
            ruleset = await house.compose(new.ruleset, new.options)
        names = [clean_name(seat.name) if seat.kind != "free" else "" for seat in new.seats]
        guest = await visitors.guest_of(request.scope)
        if guest is None:
            mine = (name for name, seat in zip(names, new.seats, strict=True) if seat.kind == "person")
            guest, cookie = await visitors.make(request.scope, next(mine, "Guest"))
            response.headers.append(*cookie)
        seats = tuple(_seat(seat.kind, name, guest.id) for name, seat in zip(names, new.seats, strict=True))
        terms = Terms(new.begin, new.dice, new.pace, new.clock, new.public)
        master = await hall.open(ruleset, seats, terms, guest.id, start=new.start, follows=new.follows)
        return await _line_of(hall, master.room.id)

    @app.get("/api/tables/{table_id}", responses=refusals | unknown)
    async def _table(table_id: TableId) -> TableLine:
        await hall.find(table_id)  # lets a computer player go on
        return await _line_of(hall, table_id)

    @app.get("/api/tables/{table_id}/record", responses=refusals | unknown, response_class=PlainTextResponse)
    async def _record(table_id: TableId) -> PlainTextResponse:
        master = await hall.find(table_id)
        record = to_record(master.room, master.head.seed)
        if record is None:
            raise Refused("room/not-begun", Reason("room-not-begun"))
        return PlainTextResponse(
            record.format(), headers={"content-disposition": f'attachment; filename="{table_id}.knobel"'}
        )

    @app.get("/api/tables/{table_id}/dice", responses=refusals | unknown)
    async def _dice(table_id: TableId) -> FairPage:
        master = await hall.find(table_id)
        return fair_page(master.room, master.head.seed)


async def _line_of(hall: Hall, table_id: str) -> TableLine:
    line = await hall.store.line(table_id)
    if line is None:
        raise KnobelError(Reason("server-error"))
    return table_line(line)


def plain_code(code: str) -> str:
    """A code as it is stored, however it was typed.

    >>> plain_code("abcd-efgh")
    'ABCDEFGH'
    """
    return code.upper().replace("-", "").replace(" ", "")


def _seat(kind: str, name: str, guest: str) -> Seat:
    if kind == "computer":
        return Seat(name, "computer")
    return Seat(name, "person", None if kind == "free" else guest)
