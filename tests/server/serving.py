"""A real server in a thread, and the clients that tests talk to it with."""

import asyncio
import json
import os
import socket
import subprocess
import threading
import time
import uuid
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Self, TypeVar

import httpx
import pytest
import uvicorn
from websockets.sync.client import ClientConnection, connect

from knobel.action import parse_action
from knobel.event import ChooseDice, EnterBox, PickBox, SpendToken, ThrowDice
from knobel.players.policy import Policy
from knobel.server import app, folder
from knobel.server import socket as game_socket
from knobel.server.access import Access
from knobel.server.app import configuration, create_app, listen
from knobel.server.database import Database, file_database
from knobel.server.difference import changed
from knobel.server.hall import Hall
from knobel.server.limit import Limits
from knobel.server.messages import PROTOCOL
from knobel.server.store import Store
from knobel.table import Draw
from knobel.tray import Tray, move_of

T = TypeVar("T")
PEOPLE = ({"name": "Ada", "kind": "person"}, {"name": "Ben", "kind": "person"})
MANY = Limits(new=1_000_000, names=1_000_000, tries=1_000_000)  # tests make many tables
AGAINST_COMPUTER = (PEOPLE[0], {"name": "Robo", "kind": "computer"})
BEGUN = 3  # the version of a table that has just begun, without shares: open, seal, begin
HELLO = json.dumps({"type": "hello", "protocol": PROTOCOL})


needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="mounting a file system of its own needs root")


@contextmanager
def small_disk(path: Path, options: str) -> Iterator[Path]:
    """A file system of its own."""
    path.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", path], check=True)
    try:
        yield path
    finally:
        subprocess.run(["umount", path], check=True)


class Served:
    """A running server."""

    def __init__(
        self, database: Database, draw: Draw | None, policy: Policy | None, access: Access, limits: Limits
    ) -> None:
        self.hall = Hall(Store.on(database), draw, policy)
        self._listener = listen("127.0.0.1", 0)
        self.port = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.http = httpx.Client(base_url=self.url, timeout=20)
        self._server = uvicorn.Server(configuration(create_app(self.hall, access, limits)))
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> "Served":
        self._thread.start()
        while not self._server.started:
            if not self._thread.is_alive():
                raise RuntimeError("the server did not start")
            threading.Event().wait(0.005)
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()
        self._server.should_exit = True
        self._thread.join(10)
        assert not self._thread.is_alive()

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner, self._listener:
            runner.run(self._server.serve(sockets=[self._listener]))

    def call(self, work: Callable[[], Awaitable[T]]) -> T:
        """The result of something asynchronous in the server's event loop."""

        async def run() -> T:
            return await work()

        return asyncio.run_coroutine_threadsafe(run(), self._loop).result(20)

    def open(self, ruleset: str = "classic", seats: tuple[dict[str, str], ...] = PEOPLE, **more: Any) -> str:
        """The id of a new table of the tests' own guest, at which the game has begun."""
        body = {"ruleset": ruleset, "options": {}, "seats": seats, "start": True, **more}
        answer = self.http.post("/api/tables", json=body)
        assert answer.status_code == 201, answer.text
        self.http.headers["cookie"] = cookie_of(answer) or self.http.headers.get("cookie", "")
        return str(answer.json()["id"])

    def guest(self, name: str) -> str:
        """The Cookie header of a new guest."""
        answer = httpx.post(f"{self.url}/api/me", json={"name": name})
        assert answer.status_code == 200, answer.text
        return cookie_of(answer)

    def join(self, table_id: str, since: int | None = None, **more: Any) -> "Player":
        """A socket at a table, after the hello and its answer."""
        return Player(self.connect(table_id, **more), since)

    def connect(self, table_id: str, cookie: str | None = None, **more: Any) -> ClientConnection:
        """A bare socket, of the tests' own guest unless told."""
        address = f"ws://127.0.0.1:{self.port}/api/tables/{table_id}/socket"
        own = self.http.headers.get("cookie", "")
        headers = {"Cookie": own if cookie is None else cookie, **more.pop("additional_headers", {})}
        connection: ClientConnection = connect(
            address, compression=None, legacy=True, additional_headers=headers, **more
        )
        return connection

    @property
    def n_connections(self) -> int:
        """Open TCP connections."""
        return len(self._server.server_state.connections)

    def hall_watchers(self, table_id: str) -> int:
        """How many sockets get the updates of a table."""

        async def count() -> int:
            return len((await self.hall.find(table_id)).watchers)

        return self.call(count)

    def raw(self) -> socket.socket:
        """A bare TCP connection."""
        return socket.create_connection(("127.0.0.1", self.port), 10)


@contextmanager
def asleep(served: Served, table: str, n_bytes: int) -> Iterator[ClientConnection]:
    """A client that has said hello and stops reading; so many bytes are taken for it."""
    raw = served.raw()
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, n_bytes)
    connection = served.connect(table, max_queue=1, sock=raw)
    connection.send(HELLO)
    while not served.hall_watchers(table):
        time.sleep(0.01)
    try:
        yield connection
    finally:
        connection.close_socket()


def upgrade(table_id: str, host: str = "127.0.0.1", origin: str = "http://127.0.0.1") -> bytes:
    """The request that asks for a socket."""
    lines = (
        f"GET /api/tables/{table_id}/socket HTTP/1.1",
        f"Host: {host}",
        f"Origin: {origin}",
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
    )
    return "\r\n".join((*lines, "", "")).encode()


def serve(data: Path, ready: Connection) -> None:
    """A whole server, for processes of its own; it sends its address. Clients may be as fast as they can."""
    game_socket.RATE = 1_000_000
    app.run(port=0, data_dir=data, limits=MANY, on_ready=lambda address: ready.send(address.url))


class Player:
    """A client that remembers the latest state it was told."""

    def __init__(self, connection: ClientConnection, since: int | None = None) -> None:
        self.connection = connection
        self.events: list[dict[str, Any]] = []
        self.present: dict[str, Any] = {}
        self.live: dict[str, Any] = {"version": since}
        self.send({"type": "hello", "protocol": PROTOCOL, "since": since})
        self.first = self.receive()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()

    @property
    def version(self) -> int:
        return int(self.live["version"])

    @property
    def view(self) -> dict[str, Any]:
        return dict(self.live["view"])

    def send(self, message: object) -> None:
        self.connection.send(json.dumps(message))

    def receive(self, timeout: float = 10) -> dict[str, Any]:
        """The next frame that is not about who is there: these come at any time."""
        while (message := self.hear(timeout))["type"] == "present":
            pass
        return message

    def hear(self, timeout: float = 10) -> dict[str, Any]:
        """The next frame, taken in."""
        message: dict[str, Any] = json.loads(self.connection.recv(timeout))
        match message["type"]:
            case "present":
                self.present = message
            case "table":
                self.live = message["live"]
                self.events += message["events"]
            case "update":
                assert message["base"] in (None, self.live["version"]), "an update is missing"
                self.live = changed(self.live, message["change"])
                self.events += message["events"]
        return message

    def ask(self, **act: Any) -> dict[str, Any]:
        """Ask for something around the game, and wait for the answer."""
        self.send({"type": "request", "id": uuid.uuid4().hex, "version": self.version, "act": act})
        return self.until_reply()

    def until(self, look: Callable[[], bool]) -> None:
        """Take in frames until something is so."""
        while not look():
            self.hear()

    def until_reply(self) -> dict[str, Any]:
        """The next reply; what comes before it is taken in."""
        while (message := self.receive())["type"] != "reply":
            pass
        return message

    def command(self, move: dict[str, Any], **fields: Any) -> dict[str, Any]:
        """A command of the seat on turn, ready to be sent (again)."""
        turn = self.view["turn"] or {"seat": 0}
        known = {"id": uuid.uuid4().hex, "version": self.version, "seat": turn["seat"], "move": move, "type": "command"}
        return known | fields

    def play(self, move: dict[str, Any], **fields: Any) -> dict[str, Any]:
        """Send a command and wait for the answer."""
        self.send(self.command(move, **fields))
        return self.until_reply()

    def throw(self, *keep: int) -> dict[str, Any]:
        return self.play({"do": "throw", "keep": keep})

    def enter(self, box: str) -> dict[str, Any]:
        return self.play({"do": "enter", "box": box})

    def enter_first(self) -> dict[str, Any]:
        """Enter the roll in the first box that is allowed."""
        action = next(action for action in self.view["actions"] if action.startswith("enter "))
        return self.enter(action.removeprefix("enter "))


def eventually(look: Callable[[], bool]) -> bool:
    """Whether it becomes true soon."""
    until = time.monotonic() + 10
    while not (found := look()) and time.monotonic() < until:
        time.sleep(0.01)
    return found


def cookie_of(answer: httpx.Response) -> str:
    """The Cookie header with what an answer has set; empty if it has set nothing."""
    header: str = answer.headers.get("set-cookie", "")
    return header.partition(";")[0]


def wire_move(action: str, live: dict[str, Any]) -> dict[str, Any]:
    """An action text as a move for the wire: of equal dice the leftmost."""
    pool = tuple((thrown["seat"], tuple(thrown["dice"])) for thrown in live["pool"])
    match move_of(parse_action(action), Tray(tuple(live["dice"] or ()), (), pool)):
        case ThrowDice(keep, extra):
            return {"do": "throw", "keep": keep, "extra": extra}
        case EnterBox(box):
            return {"do": "enter", "box": box}
        case SpendToken(token):
            return {"do": "spend", "token": token}
        case ChooseDice(places):
            return {"do": "choose", "places": places}
        case PickBox(box):
            return {"do": "pick", "box": box}


@contextmanager
def serving(
    data: Path | Database,
    draw: Draw | None = None,
    policy: Policy | None = None,
    access: Access = Access(),  # noqa: B008 - a value
    limits: Limits = MANY,
) -> Iterator[Served]:
    """A server on the database in a folder or on one that is prepared, for as long as the block runs."""
    with opened(data) as database, Served(database, draw, policy, access, limits) as served:
        yield served


@contextmanager
def opened(data: Path | Database) -> Iterator[Database]:
    """The database in a folder, or one that is prepared."""
    if isinstance(data, Database):
        yield data
    else:
        with folder.locked(data) as path:
            yield file_database(path)
