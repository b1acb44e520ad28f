"""For whoever runs the server: `/healthz` says whether it can do its work, `/metrics` what it has counted.

Neither writes anything or waits for anything; `access.MONITORING` names both. They are no part of the pages' API.
"""

from ipaddress import ip_address

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

import knobel
from knobel.server.access import LOOPBACK
from knobel.server.hall import Hall
from knobel.server.metric import CONTENT_TYPE

_FORWARDING = ("forwarded", "via", "x-forwarded-", "x-real-ip")  # beginnings of headers that proxies add


def add_monitoring(app: FastAPI, hall: Hall) -> None:
    """Both addresses."""

    @app.api_route("/healthz", methods=["GET", "HEAD"], include_in_schema=False)
    async def _health() -> Response:
        writer = hall.writer
        found = {"ok": writer.state == "ok", "version": knobel.__version__, "database": writer.database}
        return JSONResponse(found) if found["ok"] else JSONResponse(found | {"writer": writer.state}, 503)

    @app.api_route("/metrics", methods=["GET", "HEAD"], include_in_schema=False)
    async def _metrics(request: Request) -> Response:
        if not _is_local(request):
            raise HTTPException(404)  # as if there were nothing
        return Response(hall.metrics.format(), headers={"content-type": CONTENT_TYPE})


def _is_local(request: Request) -> bool:
    """Whether a program on this machine asks by itself. Headers can only speak against it."""
    if request.client is None or request.url.hostname not in LOOPBACK:
        return False
    if any(name.startswith(_FORWARDING) for name in request.headers):
        return False
    try:
        peer = ip_address(request.client.host)
    except ValueError:
        return False
    return (getattr(peer, "ipv4_mapped", None) or peer).is_loopback
