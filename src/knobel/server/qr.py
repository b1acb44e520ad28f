"""The way to a table as a picture for the cameras of phones."""

from io import BytesIO
from typing import Any

import segno
from fastapi import FastAPI, Request, Response

from knobel.server.access import Access, host_of
from knobel.server.hall import Hall
from knobel.server.table_page import TableId

_PIXELS = 6  # of a module, if nothing else is said


def add_qr_route(app: FastAPI, hall: Hall, access: Access, refusals: dict[int | str, dict[str, Any]]) -> None:
    """GET /api/tables/{id}/qr.svg: the address to join the table, as this browser has reached the server."""
    refused = {"content": refusals[422]["content"]}
    answers = refusals | {
        200: {"content": {"image/svg+xml": {}}, "description": "The picture"},
        404: {**refused, "description": "No such table"},
        500: {**refused, "description": "The table's log is damaged"},
    }

    @app.get(
        "/api/tables/{table_id}/qr.svg",
        responses=answers,
        response_class=Response,
    )
    async def _qr(table_id: TableId, request: Request) -> Response:
        master = await hall.find(table_id)
        origin = access.origin_of(request.scope, host_of(request.scope))
        return Response(picture(f"{origin}/join/{grouped(master.head.code)}"), media_type="image/svg+xml")


def grouped(code: str) -> str:
    """A code as people read it.

    >>> grouped("ABCDEFGH")
    'ABCD-EFGH'
    """
    return f"{code[:4]}-{code[4:]}"


def picture(text: str) -> bytes:
    """A QR code as SVG without any style of its own, so that the content security policy may stay strict."""
    out = BytesIO()
    segno.make_qr(text, error="m").save(out, kind="svg", scale=_PIXELS, border=2, omitsize=True, dark="#26221a")
    return out.getvalue()
