"""What every request must pass before anything else: the right host, our own pages only, no oversized body.

The host check (`access`) keeps out DNS rebinding and plain http where it was not asked for, the origin check other
sites in the same browser. Every answer gets the headers that tell browsers what a page of ours may do.
"""

import json
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import asdict
from typing import Any

from knobel import text
from knobel.errors import Reason
from knobel.server.access import MONITORING, Access, host_of
from knobel.server.limit import Buckets, Limits, TooMany, address_of
from knobel.server.messages import Problem
from knobel.server.metric import Metrics
from knobel.server.present import refusal_of
from knobel.server.pulse import Pulse
from knobel.table import Refused

MAX_BODY = 65_536
PRIVATE = ("/api/me", *MONITORING)  # and what is below: never kept, neither are answers with a cookie
LIMITED = ("/api/tables", "/api/house-rules")  # what a POST makes there is kept for ever
_SAFE = ("GET", "HEAD", "OPTIONS")
_CSP = (
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
_HEADERS = (
    (b"content-security-policy", _CSP.encode()),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
)
_HSTS = (b"strict-transport-security", b"max-age=31536000")  # not for subdomains: they may be others'

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]


class Guard:
    """ASGI middleware around the whole server."""

    def __init__(self, app: App, access: Access, metrics: Metrics, pulse: Pulse, limits: Limits | None = None) -> None:
        """`access` says whom the server serves, `pulse` whether it has time for anything new."""
        self._app, self._access, self._metrics, self._pulse = app, access, metrics, pulse
        limits = limits or Limits()
        self._buckets = {path: Buckets(limits.new, limits.new_seconds) for path in LIMITED}

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Pass on what is in order."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        guarded = _answering(scope["path"], send, self._metrics, self._access.is_https(scope))
        try:
            self._check(scope)
        except Refused as error:
            await (_explain(guarded, error) if _is_page(scope) else refuse(scope, guarded, 403, refusal_of(error)))
            return
        scope["client"] = self._access.client_of(scope)
        is_new = scope["type"] == "http" and scope["method"] == "POST" and scope["path"] in self._buckets
        try:
            if is_new:
                self._buckets[scope["path"]].take(address_of(scope))
            if scope["type"] == "http" and scope["method"] not in _SAFE:
                receive = _replaying(await _body(_headers(scope), receive), receive)
            if is_new:
                self._pulse.enter()
        except TooMany as error:
            await refuse(scope, guarded, error.status, refusal_of(error), error.wait)
            return
        except Refused as error:
            await refuse(scope, guarded, 413, refusal_of(error))
            return
        try:
            await self._app(scope, receive, guarded)
        finally:
            if is_new:
                self._pulse.leave()

    def _check(self, scope: Message) -> None:
        headers = _headers(scope)
        host, origin = host_of(scope), headers.get(b"origin")
        self._access.check_host(scope, host)
        if scope["type"] == "http" and scope["method"] in _SAFE:
            return
        is_foreign = origin is not None and origin != self._access.origin_of(scope, host)
        if is_foreign or headers.get(b"sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            raise Refused("request/foreign-origin", Reason("server-foreign-origin"))


async def refuse(scope: Message, send: Send, status: int, problem: Problem, wait: int | None = None) -> None:
    """Answer a request, or a handshake before it is accepted, with a `Refusal`; `wait` goes into Retry-After."""
    body = json.dumps({"problem": asdict(problem), "ok": False}).encode()
    kind = "websocket.http.response" if scope["type"] == "websocket" else "http.response"
    if scope["type"] == "websocket" and kind not in scope.get("extensions", {}):
        await send({"type": "websocket.close"})
        return
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if wait is not None:
        headers.append((b"retry-after", str(wait).encode()))
    await send({"type": f"{kind}.start", "status": status, "headers": headers})
    await send({"type": f"{kind}.body", "body": body})


def _headers(scope: Message) -> dict[bytes, str]:
    return {name: value.decode("latin-1") for name, value in scope["headers"]}


def _is_page(scope: Message) -> bool:
    """Whether a person is going to look at the answer."""
    is_api = scope["path"].startswith(("/api/", "/assets/")) or scope["path"] in MONITORING
    return scope["type"] == "http" and scope["method"] in _SAFE and not is_api


async def _explain(send: Send, error: Refused) -> None:
    """Refuse a page in words."""
    body = "\n".join(text.translate(error.reason, language) for language in ("en", "de")).encode() + b"\n"
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 403, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _answering(path: str, send: Send, metrics: Metrics, is_https: bool) -> Send:
    """`send` that counts responses and adds our headers; files with their digest in the name may be kept for ever."""

    async def guarded(message: Message) -> None:
        if message["type"] in ("http.response.start", "websocket.http.response.start"):
            metrics.responded(message["status"])
        if message["type"] == "http.response.start":
            headers: tuple[tuple[bytes, bytes], ...] = tuple(message.get("headers", ()))
            is_private = path.startswith(PRIVATE) or any(name == b"set-cookie" for name, _ in headers)
            is_asset = path.startswith("/assets/") and message["status"] in (200, 304)
            other = b"no-store" if is_private else b"no-cache"
            cache = b"public, max-age=31536000, immutable" if is_asset else other
            hsts = (_HSTS,) if is_https else ()
            message["headers"] = [*headers, *_HEADERS, *hsts, (b"cache-control", cache)]
        await send(message)

    return guarded


async def _body(headers: dict[bytes, str], receive: Receive) -> bytes:
    """The whole body. Raises `Refused` if it is too large."""
    too_large = Refused("request/too-large", Reason("server-too-large", {"most": MAX_BODY}))
    announced = headers.get(b"content-length", "0")
    if not announced.isdigit() or int(announced[:20]) > MAX_BODY:
        raise too_large
    body = bytearray()
    while True:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > MAX_BODY:
            raise too_large
        if not message.get("more_body", False):
            return bytes(body)


def _replaying(body: bytes, receive: Receive) -> Receive:
    """`receive` that begins with a body that was already read."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replaying() -> Message:
        return messages.pop() if messages else await receive()

    return replaying
