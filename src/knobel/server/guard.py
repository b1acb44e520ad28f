"""What every request must pass before anything else: the right host, our own pages only, no oversized body.

The host check keeps out DNS rebinding, the origin check other sites in the same browser. Every answer gets the headers
that tell browsers what a page of ours may do.
"""

import json
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from dataclasses import asdict
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from knobel.errors import Reason
from knobel.server.limit import Buckets, Limits, TooMany, address_of
from knobel.server.messages import Problem
from knobel.server.metric import Metrics
from knobel.server.present import refusal_of
from knobel.table import Refused

MAX_BODY = 65_536
LOOPBACK = ("localhost", "127.0.0.1", "::1")
UNCACHED = ("/healthz", "/metrics")
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

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]


class Guard:
    """ASGI middleware around the whole server."""

    def __init__(self, app: App, host: str, metrics: Metrics, limits: Limits | None = None) -> None:
        """`host` is where the server listens; where it listens everywhere, every address will do, but no name."""
        self._app, self._metrics = app, metrics
        limits = limits or Limits()
        self._buckets = {path: Buckets(limits.new, limits.new_seconds) for path in LIMITED}
        self._names = {*LOOPBACK, host.lower()}
        self._listens_everywhere = host in ("0.0.0.0", "::")

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Pass on what is in order."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        guarded = _answering(scope["path"], send, self._metrics)
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        try:
            self._check(scope, headers)
        except Refused as error:
            await refuse(scope, guarded, 403, refusal_of(error))
            return
        if scope["type"] == "http" and scope["method"] == "POST" and scope["path"] in self._buckets:
            try:
                self._buckets[scope["path"]].take(address_of(scope))
            except TooMany as error:
                await refuse(scope, guarded, 429, refusal_of(error), error.wait)
                return
        if scope["type"] == "http" and scope["method"] not in _SAFE:
            body = await _body(headers, receive)
            if body is None:
                too_large = Refused("request/too-large", Reason("server-too-large", {"most": MAX_BODY}))
                await refuse(scope, guarded, 413, refusal_of(too_large))
                return
            receive = _replaying(body, receive)
        await self._app(scope, receive, guarded)

    def _check(self, scope: Message, headers: dict[bytes, str]) -> None:
        host, origin = headers.get(b"host", ""), headers.get(b"origin")
        if not self._is_ours(_name_of(host)):
            raise Refused("request/foreign-host", Reason("server-foreign-host"))
        if scope["type"] == "http" and scope["method"] in _SAFE:
            return
        is_foreign = origin is not None and origin not in (f"http://{host}", f"https://{host}")
        if is_foreign or headers.get(b"sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            raise Refused("request/foreign-origin", Reason("server-foreign-origin"))

    def _is_ours(self, name: str) -> bool:
        return name in self._names or (self._listens_everywhere and _is_address(name))


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


def _answering(path: str, send: Send, metrics: Metrics) -> Send:
    """`send` that counts responses and adds our headers; files with their digest in the name may be kept for ever."""

    async def guarded(message: Message) -> None:
        if message["type"] in ("http.response.start", "websocket.http.response.start"):
            metrics.responded(message["status"])
        if message["type"] == "http.response.start":
            is_asset = path.startswith("/assets/") and message["status"] in (200, 304)
            other = b"no-store" if path in UNCACHED else b"no-cache"
            cache = b"public, max-age=31536000, immutable" if is_asset else other
            headers: Iterable[tuple[bytes, bytes]] = message.get("headers", ())
            message["headers"] = [*headers, *_HEADERS, (b"cache-control", cache)]
        await send(message)

    return guarded


async def _body(headers: dict[bytes, str], receive: Receive) -> bytes | None:
    """The whole body; None if it is too large."""
    announced = headers.get(b"content-length", "0")
    if not announced.isdigit() or int(announced[:20]) > MAX_BODY:
        return None
    body = bytearray()
    while True:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > MAX_BODY:
            return None
        if not message.get("more_body", False):
            return bytes(body)


def _replaying(body: bytes, receive: Receive) -> Receive:
    """`receive` that begins with a body that was already read."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replaying() -> Message:
        return messages.pop() if messages else await receive()

    return replaying


def _name_of(host: str) -> str:
    """The name in a Host header, without the port."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
