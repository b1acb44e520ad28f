"""The server: puts its parts together and runs them. `create_app` is an ASGI application, `run` a whole server."""

import asyncio
import errno
import logging
import socket
import webbrowser
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import uvicorn
from fastapi import FastAPI

import knobel
from knobel.errors import KnobelError, Reason
from knobel.folder import data_folder
from knobel.server import folder
from knobel.server.guard import App, Guard, Message, Receive, Send
from knobel.server.hall import Hall
from knobel.server.handshake import MAX_FRAME_BYTES, HttpProtocol, SocketProtocol
from knobel.server.limit import Limits
from knobel.server.log import log_config
from knobel.server.monitor import add_monitoring
from knobel.server.page import add_refusals, add_routes
from knobel.server.socket import SocketApp
from knobel.server.store import Store

PORT = 6530
_SEND_BUFFER = 131_072  # bytes that the kernel holds for a slow reader
_MORE_PORTS = 20  # that are tried when one is busy


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server is reached; `wanted` is the port that was asked for and may have been busy."""

    host: str
    port: int
    wanted: int

    @property
    def url(self) -> str:
        """For browsers on this machine."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}/"


def create_app(hall: Hall, host: str = "127.0.0.1", limits: Limits | None = None) -> App:
    """The ASGI application; it opens the hall when it starts and closes it at its end."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with hall:
            yield

    pages = FastAPI(
        title="knobel",
        version=knobel.__version__,
        lifespan=lifespan,
        openapi_url="/api/openapi.json",
        docs_url=None,  # these pages would load scripts from elsewhere
        redoc_url=None,
    )
    add_routes(pages, hall)
    add_monitoring(pages, hall)
    add_refusals(pages)
    game_socket = SocketApp(hall, limits)

    async def app(scope: Message, receive: Receive, send: Send) -> None:
        await (game_socket if scope["type"] == "websocket" else pages)(scope, receive, send)

    return Guard(app, host, hall.metrics, limits)


def run(
    host: str = "127.0.0.1",
    port: int = PORT,
    data_dir: Path | None = None,
    *,
    limits: Limits | None = None,
    open_browser: bool = False,
    on_ready: Callable[[Address], None] | None = None,
) -> None:
    """Serve until Ctrl-C or SIGTERM. A busy port gives way to the next free one.

    `on_ready` is called once the server answers. Raises `KnobelError` if the folder, its database or the address
    cannot be used.
    """
    with folder.locked(data_folder(data_dir)) as database:
        listener = listen(host, port)
        address = Address(host, found := listener.getsockname()[1], port or found)

        def ready() -> None:
            if on_ready is not None:
                on_ready(address)
            if open_browser:
                webbrowser.open(address.url)

        app = create_app(Hall(Store.on_sqlite(database)), host, limits)
        with listener:
            _Server(configuration(app), ready).run(sockets=[listener])


def configuration(app: App) -> uvicorn.Config:
    """uvicorn with our limits."""
    return uvicorn.Config(
        app,
        http=HttpProtocol,
        ws=SocketProtocol,
        ws_max_size=MAX_FRAME_BYTES,
        ws_per_message_deflate=False,
        lifespan="on",
        proxy_headers=False,
        server_header=False,
        access_log=False,
        log_config=log_config(),
        log_level=logging.ERROR,
        timeout_graceful_shutdown=1,
    )


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens on this port or the next free one. Raises `KnobelError`."""
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError) as error:
        raise KnobelError(Reason("server-address-unusable", {"host": host, "problem": str(error)})) from None
    for candidate in range(port, port + _MORE_PORTS if port else 1):
        listener = socket.socket(family, kind, protocol)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER)  # connections inherit it
            listener.bind((place[0], candidate))
            listener.listen(1024)
        except OSError as error:
            listener.close()
            if error.errno != errno.EADDRINUSE:
                problem = error.strerror or str(error)
                raise KnobelError(Reason("server-address-unusable", {"host": host, "problem": problem})) from None
        except OverflowError:
            listener.close()
            break
        else:
            listener.set_inheritable(False)
            return listener
    raise KnobelError(Reason("server-no-free-port", {"first": port, "last": port + _MORE_PORTS - 1}))


class _Server(uvicorn.Server):
    """Ends quietly on signals, and says when it is ready."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            await asyncio.to_thread(self._ready)  # a browser may take its time

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002 - as in uvicorn
        self.force_exit = self.should_exit
        self.should_exit = True
