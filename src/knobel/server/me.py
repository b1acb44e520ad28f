"""Who I am: the API that makes a visitor a guest. Its answers are for one person and are never kept by anybody."""

from dataclasses import asdict
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse

from knobel.server.guest import Guest
from knobel.server.guest_messages import GuestView, Me, NewName, NewPhrase, Recovery
from knobel.server.limit import Buckets, Limits, TooMany, address_of
from knobel.server.page_messages import Refusal
from knobel.server.present import refusal_of
from knobel.server.visitor import Cookie, Visitors

_SECONDS = 60.0


def add_guest_routes(
    app: FastAPI, visitors: Visitors, refusals: dict[int | str, dict[str, Any]], limits: Limits | None = None
) -> None:
    """All of `/api/me`, and the answer to every `TooMany` that a route raises."""
    limits = limits or Limits()
    names = Buckets(limits.names, _SECONDS)
    tries = Buckets(limits.tries, _SECONDS, key="server-too-many-tries")
    limited = refusals | {429: refusals[422], 413: refusals[422]}

    @app.exception_handler(TooMany)
    async def _too_many(_: Request, error: TooMany) -> Response:
        return JSONResponse(asdict(Refusal(refusal_of(error))), error.status, {"retry-after": str(error.wait)})

    @app.get("/api/me", responses=refusals)
    async def _me(request: Request, response: Response) -> Me:
        guest, cookie = await visitors.renew(request.scope)
        return _answer(request, response, guest, cookie)

    @app.post("/api/me", responses=limited)
    async def _name(new: NewName, request: Request, response: Response) -> Me:
        guest, cookie = await visitors.renew(request.scope)
        names.take(address_of(request.scope) if guest is None else guest.id)
        if guest is None:
            guest, cookie = await visitors.make(request.scope, new.name)
        else:
            guest = await visitors.guests.rename(guest, new.name)
        return _answer(request, response, guest, cookie)

    @app.post("/api/me/phrase", responses=limited | {403: refusals[422]})
    async def _phrase(request: Request) -> NewPhrase:
        guest = await visitors.require(request.scope)
        names.take(guest.id)
        return NewPhrase(await visitors.guests.make_phrase(guest))

    @app.post("/api/me/recover", responses=limited)
    async def _recover(recovery: Recovery, request: Request, response: Response) -> Me:
        tries.take(address_of(request.scope))
        return _answer(request, response, *await visitors.recover(request.scope, recovery.phrase))

    @app.post("/api/me/forget", responses=refusals | {413: refusals[422]})
    async def _forget(request: Request, response: Response) -> Me:
        return _answer(request, response, None, await visitors.forget(request.scope))

    def _answer(request: Request, response: Response, guest: Guest | None, cookie: Cookie | None) -> Me:
        if cookie is not None:
            response.headers.append(*cookie)
        return Me(None if guest is None else GuestView(guest.id, guest.name), visitors.is_open(request.scope))
