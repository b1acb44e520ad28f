"""Limits that uvicorn does not have: time and size of requests, and connections that do not end by themselves."""

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame

REQUEST_SECONDS = 10.0  # for the whole request, from its first byte (or the connection) to the end of its body
MAX_HEADER_BYTES, MAX_HEADER_LINES = 8192, 64
MAX_FRAME_BYTES, MAX_FRAGMENTS = 8192, 64
MAX_UNREAD = 1 << 20  # bytes that may wait in the socket
MAX_PINGS, PING_SECONDS = 50, 20.0  # pings and pongs of the protocol from one socket, refilled over so long
LINGER_SECONDS = 5.0  # from our close to the end of the connection, whatever the other side does


class _LimitedConnection(h11.Connection):
    """Refuses large headers also when they arrive in one piece."""

    def next_event(self) -> Any:
        event = super().next_event()
        if isinstance(event, h11.Request):
            size = len(event.target) + sum(len(name) + len(value) + 4 for name, value in event.headers)
            if size > MAX_HEADER_BYTES or len(event.headers) > MAX_HEADER_LINES:
                raise h11.RemoteProtocolError("headers too large", error_status_hint=431)
        return event


class HttpProtocol(H11Protocol):
    """HTTP with a deadline for requests."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.conn = _LimitedConnection(h11.SERVER, MAX_HEADER_BYTES)
        self._deadline: asyncio.TimerHandle | None = None
        self._is_upgraded = False  # the connection belongs to a socket now

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop()
        super().connection_lost(exc)

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        self._is_upgraded = True
        super().handle_websocket_upgrade(event)

    def _watch(self) -> None:
        """The clock runs while a request has begun (or the connection is new) and is not complete."""
        state = self.conn.their_state
        is_waiting = state is h11.SEND_BODY or (state is h11.IDLE and self.timeout_keep_alive_task is None)
        if not is_waiting or self._is_upgraded or self.transport.is_closing():
            self._stop()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(REQUEST_SECONDS, self.transport.close)

    def _stop(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


class SocketProtocol(WebSocketsSansIOProtocol):
    """WebSocket that bad frames and sleeping readers cannot hold open."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._pings = float(MAX_PINGS), self.loop.time()  # tokens and when

    def handle_cont(self, event: Frame) -> None:
        if len(self.frames) >= MAX_FRAGMENTS:
            self._fail(1009)
        else:
            super().handle_cont(event)

    def handle_ping(self) -> None:
        if self.transport.get_write_buffer_size() > MAX_UNREAD:
            self.transport.abort()
        elif self._may_ping():
            super().handle_ping()

    def handle_pong(self, event: Frame) -> None:
        if self._may_ping():
            super().handle_pong(event)

    def _may_ping(self) -> bool:
        """Every ping costs an answer, and no browser sends any by itself; whoever floods us with them is cut off."""
        now = self.loop.time()
        tokens, then = self._pings
        tokens = min(MAX_PINGS, tokens + (now - then) * MAX_PINGS / PING_SECONDS) - 1
        self._pings = max(0.0, tokens), now
        if tokens < 0:
            self._fail(1008)
        return tokens >= 0

    def send_receive_event_to_app(self) -> None:
        if self.curr_msg_data_type == "text":
            try:
                b"".join(self.frames).decode()
            except UnicodeDecodeError:  # uvicorn would write a traceback
                self._fail(1007)
                return
        super().send_receive_event_to_app()

    async def send(self, message: Any) -> None:
        await super().send(message)
        if message["type"] == "websocket.accept":
            self._forget_headers()
        if message["type"] == "websocket.http.response.body" and not message.get("more_body", False):
            self.handshake_complete = True  # refused is complete as well: uvicorn would write an error into the log

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.conn.parser.close()  # it holds itself: only a search of the whole memory would find what is gone

    def _forget_headers(self) -> None:
        """Those of the handshake, which would be a fifth of what an open socket needs."""
        self.request.headers.clear()
        self.response.headers.clear()
        self.scope["headers"] = []

    async def run_asgi(self) -> None:
        await super().run_asgi()
        self.loop.call_later(LINGER_SECONDS, self.transport.abort)

    def _fail(self, code: int) -> None:
        self.frames = []
        if not self.close_sent:
            self.conn.send_close(code)
            self.handle_parser_exception()
