"""The game socket, a plain ASGI endpoint: hello first, then commands; everything leaves through one queue."""

import asyncio
import re

from knobel.errors import KnobelError, Reason
from knobel.server.guard import Message, Receive, Send, refuse
from knobel.server.hall import Hall
from knobel.server.limit import Bucket, Limits, Places, TooMany, address_of
from knobel.server.messages import PROTOCOL, Command, Hello, Ping, PongMessage, Problem, ReplyMessage, Request
from knobel.server.present import command_of, encode, missed_text, problem_of, refusal_of, table_text
from knobel.server.visitor import Visitors
from knobel.server.wire import read_message
from knobel.table import BrokenTable, Refused

HELLO_SECONDS = 10.0
FLUSH_SECONDS = 2.0  # for the last answers before the server ends a connection
MAX_OUTGOING, MAX_OUTGOING_BYTES = 64, 262_144  # that wait for a slow reader; one frame more may begin below the limit
STALL_SECONDS = 5.0  # in which a frame must be on its way to a slow reader
RATE, RATE_SECONDS = 50, 20.0  # frames that a browser may send
_PATH = re.compile(r"/api/tables/([A-Za-z0-9_-]{1,40})/socket")
_POLICY, _TRY_LATER = 1008, 1013  # close codes of RFC 6455 and its registry


class SocketApp:
    """ASGI application for WebSocket connections."""

    def __init__(self, hall: Hall, visitors: Visitors, limits: Limits | None = None) -> None:
        """`hall` must be open when connections come; `visitors` knows who asks."""
        self._hall, self._visitors, self._places = hall, visitors, Places(limits or Limits())

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        await receive()  # websocket.connect
        who = address_of(scope)
        try:
            self._places.take(who)
        except TooMany as error:  # before anything else: no table is looked for
            await refuse(scope, send, error.status, refusal_of(error), error.wait)
            return
        try:
            await self._serve(scope, receive, send)
        finally:
            self._places.leave(who)

    async def _serve(self, scope: Message, receive: Receive, send: Send) -> None:
        path = _PATH.fullmatch(scope["path"])
        try:
            if path is None:
                raise Refused("request/not-found", Reason("server-not-found"))
            if not self._hall.knows(path[1]):
                self._hall.pulse.let_in()
            await self._hall.find(path[1])
            guest = await self._visitors.guest_of(scope)
        except TooMany as error:
            await refuse(scope, send, error.status, refusal_of(error), error.wait)
        except Refused as error:
            await refuse(scope, send, 503 if error.code.startswith("storage/") else 404, refusal_of(error))
        except BrokenTable as error:
            await refuse(scope, send, 500, problem_of("table/broken", error))
        else:
            await send({"type": "websocket.accept"})
            with self._hall.metrics.sockets.track_inprogress():
                await _Connection(self._hall, path[1], guest.id if guest else None, receive, send).serve()


class _End(Exception):
    """The connection ends; `code` is sent, None when the browser is gone. `reason` is what is counted."""

    def __init__(self, code: int | None, reason: str) -> None:
        super().__init__(code, reason)
        self.code, self.reason = code, reason


class _Connection:
    def __init__(self, hall: Hall, table_id: str, guest: str | None, receive: Receive, send: Send) -> None:
        self._hall, self._table_id, self._receive, self._send = hall, table_id, receive, send
        self._guest = guest
        self._outgoing: list[str] = []  # the frames that wait
        self._n_bytes = 0  # of these and the one on its way
        self._sender: asyncio.Task[None] | None = None  # while there is something to send
        self._bucket = Bucket.full(RATE, RATE_SECONDS, _now())
        self._reader = asyncio.current_task()
        self._is_slow = self._is_interrupted = False

    async def serve(self) -> None:
        """Until one side ends it."""
        code: int | None = None
        reason = "failed"
        try:
            await self._talk()
        except _End as end:
            code, reason = end.code, end.reason
        except asyncio.CancelledError:
            self._stop_sending()
            if not self._is_interrupted or self._reader is None or self._reader.uncancel():
                reason = "stopping"
                raise
            code, reason = _TRY_LATER, "slow"
        finally:
            self._hall.metrics.closed(reason)
        self._reader = None  # from here on nothing interrupts this task
        if code is None:
            self._stop_sending()
            return
        try:
            async with asyncio.timeout(FLUSH_SECONDS):
                if self._sender is not None:
                    await asyncio.wait({self._sender})
                await self._send({"type": "websocket.close", "code": code})
        except (TimeoutError, OSError):
            self._stop_sending()  # the connection is cut off when this application returns

    async def _talk(self) -> None:
        since = await self._hello()
        try:
            master = await self._hall.find(self._table_id)  # again: it may have left the memory since the handshake
        except KnobelError:
            raise _End(_TRY_LATER, "unavailable") from None
        if since is not None and since > master.room.version:
            await self._hall.writer.see(master)  # another process may have told it more
        room, live = master.room, master.live_now()
        missed = missed_text(room, since, live) if since is not None else None
        self._put(missed or table_text(room, master.head.code, self._guest, live))
        before = master.present
        self._hall.come(master, self._put, self._guest)
        if master.present == before:  # or it was told with everybody else
            self._put(before)
        try:
            while True:
                message = await self._message()
                if isinstance(message, Ping):
                    self._put(encode(PongMessage(master.room.version)))
                    continue
                if isinstance(message, Hello):
                    self._refuse(Refused("message/hello-again", Reason("server-hello-again")), master.room.version)
                    continue
                try:
                    command = command_of(message, self._guest)
                    answer = await self._hall.play(master, command, message.id)
                except Refused as error:
                    self._refuse(error, master.room.version, message.id)
                else:
                    self._reply(message.id, answer.version, answer.problem)
        finally:
            self._hall.go(master, self._put)

    async def _hello(self) -> int | None:
        """What the browser has seen so far."""
        try:
            async with asyncio.timeout(HELLO_SECONDS):
                message = await self._message()
        except TimeoutError:
            self._refuse(Refused("message/hello-expected", Reason("server-hello-expected")))
            raise _End(_POLICY, "policy") from None
        if not isinstance(message, Hello):
            id = None if isinstance(message, Ping) else message.id  # noqa: A001 - as on the wire
            self._refuse(Refused("message/hello-expected", Reason("server-hello-expected")), id=id)
            raise _End(_POLICY, "policy")
        if message.protocol != PROTOCOL:
            params = {"found": message.protocol, "expected": PROTOCOL}
            self._refuse(Refused("message/protocol", Reason("server-protocol", params)))
            raise _End(_POLICY, "policy")
        return message.since

    async def _message(self) -> Hello | Command | Request | Ping:
        """The next message that can be read; what cannot be read is answered."""
        while True:
            frame = await self._receive()
            if frame["type"] != "websocket.receive":
                raise _End(None, self._hall.metrics.disconnected(frame.get("code", 1005)))
            self._count()
            text = frame.get("text")
            try:
                if text is None:
                    raise Refused("message/binary", Reason("server-message-binary"))
                return read_message(text)
            except Refused as error:
                self._refuse(error)

    def _count(self) -> None:
        """A token for each frame."""
        if not self._bucket.take(_now()):
            limits = {"most": RATE, "seconds": round(RATE_SECONDS)}
            self._refuse(Refused("message/too-many", Reason("server-too-many", limits)))
            raise _End(_POLICY, "policy")

    def _refuse(self, error: Refused, version: int = 0, id: str | None = None) -> None:  # noqa: A002 - as on the wire
        self._reply(id, version, refusal_of(error))

    def _reply(self, id: str | None, version: int, problem: Problem | None) -> None:  # noqa: A002 - as on the wire
        self._hall.metrics.replied(None if problem is None else problem.code)
        self._put(encode(ReplyMessage(id, problem is None, version, problem)))

    def _put(self, text: str) -> None:
        """Send a frame when its turn comes; a reader that is too slow is cut off."""
        if len(self._outgoing) >= MAX_OUTGOING or self._n_bytes >= MAX_OUTGOING_BYTES:
            self._cut_off()
        elif not self._is_slow:
            self._outgoing.append(text)
            self._n_bytes += _size(text)
            if self._sender is None:
                self._sender = asyncio.create_task(self._deliver())

    def _cut_off(self) -> None:
        if not self._is_slow:
            self._is_slow = True
            asyncio.get_running_loop().call_soon(self._interrupt)  # not now: this may be the reader itself

    def _interrupt(self) -> None:
        if self._reader is not None:
            self._is_interrupted = True
            self._reader.cancel()

    async def _deliver(self) -> None:
        """Send what waits; an idle connection has no task for it."""
        try:
            while self._outgoing:
                text = self._outgoing.pop(0)
                async with asyncio.timeout(STALL_SECONDS):
                    await self._send({"type": "websocket.send", "text": text})
                self._n_bytes -= _size(text)
        except TimeoutError:
            self._cut_off()
        except OSError:  # the browser is gone; `_receive` says so as well
            pass
        finally:
            self._sender = None

    def _stop_sending(self) -> None:
        if self._sender is not None:
            self._sender.cancel()


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())


def _now() -> float:
    """The clock of the event loop, which never jumps."""
    return asyncio.get_running_loop().time()
