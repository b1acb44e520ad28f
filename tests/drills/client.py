"""The one place that knows how one plays over the real wire; how tables and guests are made stands in `tables`.

Drills say `open_table`, `join`, `ask` and `drop`; what that means in requests and frames stands in these two only.
"""

import asyncio
import json
import random
import uuid
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

import uvloop
from picows import WSCloseCode, WSFrame, WSListener, WSMsgType, WSTransport, ws_connect

from knobel.server.difference import changed
from knobel.server.messages import PROTOCOL
from tests.drills.figure import hold
from tests.drills.happened import Happened, happened
from tests.server.serving import wire_move

T = TypeVar("T")
Json = dict[str, Any]
PATIENCE = 30.0  # seconds for an answer, after which the drill fails
ACHT: Json = {"upper_threshold": 1}  # Acht, Mann! with special rounds soon
_REPLY, _PRESENT, _PONG = (b'"type":"%s"}' % kind for kind in (b"reply", b"present", b"pong"))
MOST_UNREAD = 64  # updates that a lazy client keeps


class Lost(Exception):
    """The connection ended before the answer."""


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run a drill."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(work)


@dataclass(frozen=True, slots=True)
class Seated:
    """A table, and the guest of one device: whose seats it holds, if any, the server knows by the cookie."""

    url: str
    id: str
    n_seats: int
    cookie: str = ""  # none: somebody without a name, who may watch

    async def join(self, seat: int | None = None, since: int | None = None) -> "Client":
        """A socket of this device; the seat is of no account where one guest holds them all."""
        return await Client(self).open(since)


class Client(WSListener):
    """One socket at a table; it remembers the latest state and all events that it was told."""

    def __init__(self, seated: Seated, is_lazy: bool = False, is_deaf: bool = False) -> None:
        """Not connected yet. A lazy client reads states when it is asked for one, a deaf one never."""
        self.seated, self.is_lazy, self._is_deaf = seated, is_lazy, is_deaf
        self.n_frames = self.n_updates = self.n_pongs = self.n_bytes = 0
        self.present: Json = {}
        self.close_code: int | None = None
        self.told: dict[int, Happened] = {}
        self.heard: Callable[[bytes], None] | None = None  # gets every update
        self.you: str | None = None  # the guest, as the server says
        self._live: Json = {}
        self._missed = ""
        self._unread: deque[bytes] = deque()
        self._asked: dict[str | None, deque[asyncio.Future[Json]]] = {}
        self._news = asyncio.Event()
        self.is_open = False
        self.transport: WSTransport | None = None

    async def open(self, since: int | None = None, hello: bool = True) -> "Client":
        """Connect and say hello. Raises `Lost` if there is no server, or none that takes this."""
        url = f"ws{self.seated.url[4:]}/api/tables/{self.seated.id}/socket"
        headers = {"Cookie": self.seated.cookie} if self.seated.cookie else {}
        try:
            await ws_connect(
                lambda: self, url, websocket_handshake_timeout=PATIENCE, max_frame_size=1 << 24, extra_headers=headers
            )
        except Exception as error:  # whatever the library makes of a refusal or a reset
            raise Lost(f"{type(error).__name__}: {error}") from error
        if hello:
            self.send({"type": "hello", "protocol": PROTOCOL, "since": since})
            await self.until(lambda: self.n_updates > 0)
        return self

    # --- what the library calls ---

    def on_ws_connected(self, transport: WSTransport) -> None:
        self.transport, self.is_open = transport, True

    def on_ws_frame(self, transport: WSTransport, frame: WSFrame) -> None:
        if frame.msg_type == WSMsgType.TEXT:
            self._take(frame.get_payload_as_bytes())
        elif frame.msg_type == WSMsgType.CLOSE:
            self.close_code = _number(frame.get_close_code())
            with suppress(Exception):
                transport.send_close(WSCloseCode.OK)
            transport.disconnect()

    def on_ws_disconnected(self, transport: WSTransport) -> None:
        self.is_open = False
        for waiting in self._asked.values():
            for future in waiting:
                if not future.done():
                    future.set_exception(Lost("closed"))
                    future.exception()  # it is no fault if nobody waits for it
        self._asked.clear()
        self._news.set()

    def _take(self, payload: bytes) -> None:
        self.n_frames, self.n_bytes = self.n_frames + 1, self.n_bytes + len(payload)
        if payload.endswith(_REPLY):
            reply: Json = json.loads(payload)
            waiting = self._asked.get(reply["id"])
            if waiting:
                future = waiting.popleft()
                if not waiting:
                    del self._asked[reply["id"]]
                if not future.done():
                    future.set_result(reply)
        elif payload.endswith(_PRESENT):
            self.present = {} if self._is_deaf else json.loads(payload)
        elif payload.endswith(_PONG):
            self.n_pongs += 1
        else:
            self.n_updates += 1
            if not self._is_deaf:
                self._unread.append(payload)
            if not self.is_lazy or len(self._unread) > MOST_UNREAD:
                self._catch_up()
            if self.heard is not None:
                self.heard(payload)
        self._news.set()

    def _catch_up(self) -> None:
        while self._unread:
            message = json.loads(self._unread.popleft())
            if message["type"] == "table":
                self._live, self.you = message["live"], message["you"]
            else:
                if message["base"] not in (None, self._live.get("version")):
                    self._missed = f"an update for {message['base']}, but this is {self._live.get('version')}"
                    self._unread.clear()
                    return
                self._live = changed(self._live, message["change"])
            for event in message["events"]:
                self.told[event["version"]] = happened(event)

    # --- the state ---

    @property
    def live(self) -> Json:
        """The latest state. Raises `AssertionError` if an update was missing."""
        self._catch_up()
        hold(not self._missed, self._missed)
        return self._live

    @property
    def version(self) -> int:
        """Of the latest state."""
        return int(self.live["version"])

    @property
    def is_over(self) -> bool:
        """Whether the game is."""
        return self.live["view"] is not None and self.live["view"]["turn"] is None

    @property
    def actions(self) -> list[str]:
        """What the person on turn may do; empty while a computer thinks."""
        return list(self.live["view"]["actions"])

    @property
    def on_turn(self) -> int:
        """The seat that must act; 0 when the game is over."""
        return int((self.live["view"]["turn"] or {"seat": 0})["seat"])

    @property
    def scene(self) -> str:
        """What interrupts the regular turns at this moment: helpers, pool, pick, special; closing, or nothing."""
        turn = self.live["view"]["turn"] or {"helpers": (), "pool": None, "scene": "regular", "box": None}
        if turn["helpers"] or turn["pool"]:
            return "helpers" if turn["helpers"] else "pool"
        return "pick" if turn["scene"] == "special" and turn["box"] is None else str(turn["scene"])

    # --- playing ---

    def move(self, rng: random.Random, prefer: str = "") -> Json:
        """A legal move; one whose text begins like `prefer` if there is one."""
        actions = self.actions
        preferred = [action for action in actions if prefer and action.startswith(prefer)]
        kinds = sorted({action.split()[0] for action in actions})
        kind = rng.choice(kinds)
        some = preferred or [action for action in actions if action.startswith(kind)]
        return wire_move(rng.choice(some), self.live)

    def command(self, move: Json, **fields: Any) -> Json:
        """A command of the seat on turn, ready to be sent (again)."""
        known = {"id": uuid.uuid4().hex, "version": self.version, "seat": self.on_turn, "move": move}
        return {"type": "command", **known, **fields}

    def request(self, do: str, **fields: Any) -> Json:
        """Something around the game, ready to be sent (again)."""
        return {"type": "request", "id": uuid.uuid4().hex, "version": self.version, "act": {"do": do, **fields}}

    def send(self, message: object) -> None:
        """Send and expect nothing."""
        self.send_bytes(json.dumps(message).encode())

    def send_bytes(self, payload: bytes) -> None:
        """Send a text frame as it is."""
        if self.transport is None or not self.is_open:
            raise Lost("closed")
        self.transport.send(WSMsgType.TEXT, payload)

    def asked(self, command: Json) -> asyncio.Future[Json]:
        """Send a command; its reply will come."""
        future: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        if self.transport is None or not self.is_open:
            raise Lost("closed")
        self._asked.setdefault(command["id"], deque()).append(future)
        self.send(command)
        return future

    async def ask(self, command: Json) -> Json:
        """The reply to a command. Raises `Lost`, or `TimeoutError` if none comes."""
        async with asyncio.timeout(PATIENCE):
            return await self.asked(command)

    def unnamed(self) -> asyncio.Future[Json]:
        """The next reply to something that was no command."""
        future: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        self._asked.setdefault(None, deque()).append(future)
        return future

    async def until(self, is_so: Callable[[], bool], seconds: float = PATIENCE) -> None:
        """Wait until something is so. Raises `Lost` or `TimeoutError`."""
        async with asyncio.timeout(seconds):
            while not is_so():
                if not self.is_open:
                    raise Lost("closed")
                self._news.clear()
                await self._news.wait()

    async def until_version(self, version: int) -> None:
        """Wait for this version of the table, or a later one."""
        await self.until(lambda: self.version >= version)

    async def closed(self, seconds: float = PATIENCE) -> int | None:
        """Wait until the connection has ended; the code that the server gave."""
        async with asyncio.timeout(seconds):
            while self.is_open:
                self._news.clear()
                await self._news.wait()
        return self.close_code

    def drop(self) -> None:
        """Be gone without a goodbye."""
        if self.transport is not None and self.is_open:
            self.transport.underlying_transport.abort()

    async def leave(self) -> None:
        """Be gone, and wait until it is so."""
        self.drop()
        await self.closed()


async def leave_all(clients: Sequence[Client]) -> None:
    """All are gone."""
    for client in clients:
        client.drop()
    for client in clients:
        await client.closed()


def _number(code: Any) -> int:
    return int(getattr(code, "value", code))
