"""Client, server and a lossy network in one process and in virtual time.

The server is the real one from the socket inwards; only the database is a list of rows, and the clock jumps from one
timer to the next. The client does what docs/protocol.md asks of one.
"""

import asyncio
import heapq
import json
from collections import deque
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from random import Random
from types import SimpleNamespace
from typing import Any, TypeVar

from knobel.errors import Reason
from knobel.server.difference import changed
from knobel.server.guest import Guest
from knobel.server.hall import Hall
from knobel.server.messages import PROTOCOL
from knobel.server.rows import Founded, Step, Stored, event_rows, replayed, table_row
from knobel.server.socket import SocketApp
from knobel.server.store import Store
from knobel.table import Refused
from tests.server.serving import wire_move

T = TypeVar("T")
PATIENCE = 10.0  # seconds until a client that waits for an answer connects anew
QUIET = 15.0  # seconds without a frame after which it asks whether the server is still there


class VirtualLoop(asyncio.SelectorEventLoop):
    """Its clock stands while there is something to do, and then jumps to the next timer."""

    def __init__(self) -> None:
        super().__init__()
        self._virtual = 0.0

    def time(self) -> float:
        return self._virtual

    def _run_once(self) -> None:
        timers: list[asyncio.TimerHandle] = self._scheduled  # type: ignore[attr-defined]
        while timers and timers[0].cancelled():
            heapq.heappop(timers)._scheduled = False  # type: ignore[attr-defined]
            self._timer_cancelled_count -= 1  # type: ignore[attr-defined]
        if timers and not self._ready:  # type: ignore[attr-defined]
            self._virtual = max(self._virtual, timers[0].when())
        super()._run_once()  # type: ignore[misc]


def in_virtual_time(work: Coroutine[None, None, T]) -> T:
    """The result of some work that takes no time."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(work)


class AtOnce(Executor):
    """Thinks in the same thread."""

    def submit(self, work: Callable[..., T], /, *args: Any, **more: Any) -> Future[T]:
        future: Future[T] = Future()
        future.set_result(work(*args, **more))
        return future


@dataclass
class Rows(Store):
    """The log as rows in the memory; commits take a while, and may fail before anything is written."""

    rng: Random
    tables: dict[str, dict[str, Any]] = field(default_factory=dict)
    events: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    failing: bool = False

    async def append(self, founded: Sequence[Founded], steps: Sequence[Step]) -> None:
        await asyncio.sleep(self.rng.uniform(0, 0.02))
        if self.failing:
            raise Refused("storage/failed", Reason("server-storage-failed"))
        for item in founded:
            self.tables[item.room.id] = table_row(item, 0.0)
            self.events[item.room.id] = event_rows(item.room, item.room.version, None, 0.0)
        for step in steps:
            rows = self.events[step.room.id]
            new = event_rows(step.room, step.n_events, step.command_id, 0.0)
            assert [row["version"] for row in new] == list(range(len(rows) + 1, len(rows) + len(new) + 1))
            rows += new
            self.tables[step.room.id]["version"] = step.room.version

    async def load(self, table_id: str) -> Stored | None:
        if table_id not in self.tables:
            return None
        rows = [SimpleNamespace(**row) for row in self.events[table_id]]
        return replayed(SimpleNamespace(**self.tables[table_id]), rows)

    async def close(self) -> None:
        """Nothing is open."""


class _Visitors:
    async def guest_of(self, scope: Mapping[str, Any]) -> Guest | None:
        name = scope["guest"]
        return None if name is None else Guest(name, name)


class Server:
    """Runs until it is killed; what was not stored by then is lost."""

    def __init__(self, rows: Rows, rng: Random) -> None:
        self.rows, self._rng = rows, rng
        self.is_up = False

    async def start(self) -> None:
        self.hall = Hall(self.rows, rng=self._rng)
        self.hall._computers._threads = AtOnce()  # type: ignore[assignment]
        await self.hall.__aenter__()
        self._app = SocketApp(self.hall, _Visitors())  # type: ignore[arg-type]
        self.connections: set[asyncio.Task[None]] = set()
        self.is_up = True

    def accept(self, table: str, guest: str | None, wire: "Wire") -> None:
        if not self.is_up:
            wire.cut()
            return
        scope = {"type": "websocket", "path": f"/api/tables/{table}/socket", "client": ("127.0.0.1", 1)}
        task = asyncio.create_task(self._app(scope | {"guest": guest, "headers": []}, wire.receive, wire.send))
        self.connections.add(task)
        task.add_done_callback(self.connections.discard)

    async def kill(self) -> None:
        """Without a goodbye."""
        self.is_up = False
        tasks = [*self.connections, self.hall._running, *self.hall._services, *self.hall._tasks]
        players = [master.result().player for master in self.hall._masters.values() if master.done()]
        tasks += [player for player in players if player is not None]
        for task in tasks:
            task.cancel()
        for timer in self.hall._timers.values():
            timer.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class Wire:
    """One connection: frames arrive in order and late, or not at all once it is cut."""

    def __init__(self, rng: Random, heard: Callable[[str | None], None]) -> None:
        self._rng, self._heard = rng, heard
        self._to_server: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._to_server.put_nowait({"type": "websocket.connect"})
        self._last = {"up": 0.0, "down": 0.0}
        self.is_cut = False

    async def receive(self) -> dict[str, Any]:
        return await self._to_server.get()

    async def send(self, message: Mapping[str, Any]) -> None:
        if message["type"] == "websocket.send":
            self._late("down", lambda: self._heard(message["text"]))
        elif message["type"] == "websocket.close":
            self._late("down", lambda: self._heard(None))

    def say(self, text: str) -> None:
        self._late("up", lambda: self._to_server.put_nowait({"type": "websocket.receive", "text": text}))

    def _late(self, way: str, run: Callable[[], object]) -> None:
        loop = asyncio.get_running_loop()
        at = max(
            self._last[way] + 1e-6, loop.time() + self._rng.uniform(0.001, 0.3)
        )  # timers of one moment have no order
        self._last[way] = at
        loop.call_at(at, lambda: None if self.is_cut else run())

    def cut(self, is_noticed: bool = True) -> None:
        """Nothing arrives any more; both sides hear of it soon, or the client must find out."""
        if not self.is_cut:
            self.is_cut = True
            loop = asyncio.get_running_loop()
            loop.call_later(self._rng.uniform(0, 3), self._to_server.put_nowait, {"type": "websocket.disconnect"})
            if is_noticed:
                loop.call_later(self._rng.uniform(0, 1), self._heard, None)


class Client:
    """One tab of a browser; `play` makes it do something now and then."""

    def __init__(self, name: str, guest: str | None, server: Server, table: str, rng: Random) -> None:
        self.name, self.guest, self._server, self._table, self._rng = name, guest, server, table, rng
        self.live: dict[str, Any] = {}
        self.events: dict[int, dict[str, Any]] = {}
        self.sent: dict[str, dict[str, Any]] = {}  # commands by id
        self.replies: dict[str, dict[str, Any]] = {}
        self.frames: deque[str] = deque(maxlen=2000)
        self._waiting: dict[str, Any] | None = None  # not answered yet
        self._wire: Wire | None = None
        self._is_open = False
        self._timer: asyncio.TimerHandle | None = None
        self.is_running = True

    @property
    def version(self) -> int | None:
        return self.live.get("version")

    def connect(self) -> None:
        if not self.is_running:
            return
        wire: Wire | None = None

        def heard(text: str | None) -> None:
            if self._wire is wire:
                self._hear(text)

        wire = self._wire = Wire(self._rng, heard)
        self._is_open = False
        self._server.accept(self._table, self.guest, wire)
        wire.say(json.dumps({"type": "hello", "protocol": PROTOCOL, "since": self.version}))
        self._expect()

    def lose(self, is_noticed: bool = True) -> None:
        if self._wire is not None:
            self._wire.cut(is_noticed)

    def send(self, message: dict[str, Any]) -> None:
        """A command or request, sent again until it is answered."""
        message = {"id": f"{self.name}-{len(self.sent):06}", "version": self.version or 0, **message}
        self.sent[message["id"]] = self._waiting = message
        self._say()

    @property
    def is_idle(self) -> bool:
        return self._is_open and self._waiting is None

    def _say(self) -> None:
        if self._wire is not None and self._is_open and self._waiting is not None:
            for _ in range(1 + (self._rng.random() < 0.2)):  # sometimes twice
                self._wire.say(json.dumps(self._waiting))
            self._expect()

    def _expect(self) -> None:
        """Give up the connection when nothing comes."""
        self._wait(PATIENCE, self._again)

    def _calm(self) -> None:
        """Nothing is waited for; some time later ask whether the server is still there."""
        self._wait(QUIET, self._ping)

    def _ping(self) -> None:
        if self._is_open and self._wire is not None:
            self._wire.say(json.dumps({"type": "ping"}))
            self._expect()

    def _again(self) -> None:
        self._wire, self._is_open = None, False
        self._wait(self._rng.uniform(0.1, 1), self.connect)

    def _wait(self, seconds: float, run: Callable[[], None]) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(seconds, run)

    def _hear(self, text: str | None) -> None:
        if text is None:
            self._again()
            return
        self.frames.append(text)
        message = json.loads(text)
        match message["type"]:
            case "reply":
                if self._waiting is not None and message["id"] == self._waiting["id"]:
                    code = (message["problem"] or {}).get("code", "")
                    if code.startswith(("storage/", "server/")):  # it has not happened: once more
                        asyncio.get_running_loop().call_later(0.5, self._say)
                        return
                    self.replies[message["id"]] = message
                    self._waiting = None
                    self._calm()
                return
            case "pong":
                if message["version"] != self.version:
                    self._again()
                elif self._waiting is None:
                    self._calm()
                return
            case "table":
                self.live = message["live"]
                self.events = {event["version"]: event for event in message["events"]}
            case "update":
                if message["base"] not in (None, self.version):
                    self._again()
                    return
                for event in message["events"]:
                    assert event["version"] not in self.events, "an event came twice"
                    self.events[event["version"]] = event
                self.live = changed(self.live, message["change"])
                assert self.live["version"] == message["version"]
            case _:
                return
        if not self._is_open:
            self._is_open = True
            self._calm()
            self._say()

    def act(self) -> None:
        """A legal action if one of this guest's seats is on turn, else now and then a word."""
        view = self.live.get("view")
        if not self.is_idle or view is None or view["turn"] is None:
            return
        seats, turn = self.live["room"]["seats"], view["turn"]
        seat = seats[turn["seat"]]
        mine = seat["guest"] == self.guest
        if mine and seat["stand_in"] is not None:
            self.send({"type": "request", "act": {"do": "return"}})
        elif mine and view["actions"]:
            enters = [action for action in view["actions"] if action.startswith("enter ")]
            action = self._rng.choice(enters if enters and self._rng.random() < 0.5 else view["actions"])
            self.send({"type": "command", "seat": turn["seat"], "move": wire_move(action, self.live)})
        elif self.guest is not None and self._rng.random() < 0.1:
            self.send({"type": "request", "act": {"do": "say", "phrase": "luck"}})
