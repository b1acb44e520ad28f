"""The server: puts its parts together and runs them. `create_app` is an ASGI application, `run` a whole server."""

import asyncio
import errno
import gc
import logging
import logging.config
import socket
import webbrowser
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import uvicorn
from fastapi import FastAPI

import knobel
from knobel.errors import KnobelError, Reason
from knobel.folder import data_folder
from knobel.server import folder, workers
from knobel.server.access import EVERYWHERE, Access, is_private
from knobel.server.bus import PostgresBus
from knobel.server.database import Database, file_database
from knobel.server.guard import App, Guard, Message, Receive, Send
from knobel.server.guest import Guests
from knobel.server.hall import Hall
from knobel.server.handshake import MAX_FRAME_BYTES, HttpProtocol, SocketProtocol
from knobel.server.house import House
from knobel.server.limit import Limits
from knobel.server.log import log_config
from knobel.server.me import add_guest_routes
from knobel.server.monitor import add_monitoring
from knobel.server.page import REFUSALS, add_refusals, add_routes
from knobel.server.qr import add_qr_route
from knobel.server.result_page import add_result_routes
from knobel.server.socket import SocketApp
from knobel.server.store import Store
from knobel.server.table_page import add_table_routes
from knobel.server.visitor import Visitors

PORT = 6530
_SEND_BUFFER = 131_072  # bytes that the kernel holds for a slow reader
_COLLECTOR = 700, 5, 2000  # new objects, and smaller searches, before the next larger search for cycles
_MORE_PORTS = 20  # that are tried when one is busy
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server is reached; `wanted` is the port that was asked for and may have been busy."""

    host: str
    port: int
    wanted: int
    nearby: tuple[str, ...] = ()  # what other machines of the network may call this one

    @property
    def url(self) -> str:
        """For browsers on this machine."""
        return self._url({"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host))

    @property
    def lan_urls(self) -> tuple[str, ...]:
        """For browsers on other machines of the network."""
        return tuple(map(self._url, self.nearby))

    def _url(self, host: str) -> str:
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}/"


def create_app(hall: Hall, access: Access | None = None, limits: Limits | None = None) -> App:
    """The ASGI application; it opens the hall when it starts and closes it at its end."""
    access = access or Access()
    visitors = Visitors(Guests(hall.store.engine), access)

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
    house = House(hall.store)
    add_routes(pages, hall, house)
    add_table_routes(pages, hall, house, visitors, REFUSALS, limits)
    add_qr_route(pages, hall, access, REFUSALS)
    add_result_routes(pages, hall.store, visitors, REFUSALS)
    add_guest_routes(pages, visitors, REFUSALS, limits)
    add_monitoring(pages, hall)
    add_refusals(pages)
    game_socket = SocketApp(hall, visitors, limits)

    async def app(scope: Message, receive: Receive, send: Send) -> None:
        await (game_socket if scope["type"] == "websocket" else pages)(scope, receive, send)

    return Guard(app, access, hall.metrics, hall.pulse, limits)


def run(
    access: Access | None = None,
    port: int = PORT,
    data_dir: Path | None = None,
    *,
    database: Database | None = None,
    n_workers: int = 1,
    limits: Limits | None = None,
    open_browser: bool = False,
    on_ready: Callable[[Address], None] | None = None,
) -> None:
    """Serve until Ctrl-C or SIGTERM. A busy port gives way to the next free one.

    Games are in `database` if it is given, else in the folder; only the former lets several processes serve.
    `on_ready` is called once the server answers, or once connections wait for several processes. Raises `KnobelError`
    if the folder, its database or the address cannot be used.
    """
    access = access or Access()
    if n_workers > 1 and database is None:
        raise KnobelError(Reason("server-workers-shared", {"found": n_workers}))
    with _prepared(database, data_dir) as place:
        listener = listen(access.host, port)
        found = listener.getsockname()[1]
        address = Address(access.host, found, port or found, nearby(access.host) if access.lan else ())

        def ready() -> None:
            if on_ready is not None:
                on_ready(address)
            if open_browser:
                webbrowser.open(address.url)

        def serve(ready: Callable[[], None]) -> None:
            app = create_app(hall_on(place), access, limits)
            server = _Server(configuration(app), ready)  # sets up the log as well
            if access.lan:
                logger.warning("plain http (--lan): everybody in this network can read what is sent")
            server.run(sockets=[listener])

        with listener:
            if n_workers == 1:
                serve(ready)
            else:
                logging.config.dictConfig(log_config())
                ready()
                workers.run(n_workers, lambda: serve(lambda: None))


def hall_on(database: Database) -> Hall:
    """A hall on a database that is prepared, with a bus if others may work on it."""
    bus = (lambda hall: PostgresBus(database, hall)) if database.is_shared else None
    return Hall(Store.on(database), bus=bus)


@contextmanager
def _prepared(database: Database | None, data_dir: Path | None) -> Iterator[Database]:
    if database is None:
        with folder.locked(data_folder(data_dir)) as path:
            yield file_database(path)
    else:
        asyncio.run(database.prepare())
        yield database


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


def nearby(host: str) -> tuple[str, ...]:
    """The addresses at which a private network finds this machine, or the one at which it listens."""
    if host not in EVERYWHERE:
        return (host,)
    found: list[str] = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, suppress(OSError):
        probe.connect(("10.255.255.255", 9))  # sends nothing, but finds the address that would send
        found.append(probe.getsockname()[0])
    with suppress(OSError):
        found += [str(place[4][0]) for place in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)]
    return tuple(dict.fromkeys(address for address in found if is_private(address)))


def _calm_collector() -> None:
    """Make searches of the whole memory for cycles rare: with 10,000 sockets one holds up every table for a second.

    Nothing that a server keeps for long ends in a cycle; what does in a short time is found while it is young.
    """
    gc.freeze()  # what is loaded stays
    gc.set_threshold(*_COLLECTOR)


class _Server(uvicorn.Server):
    """Ends quietly on signals, and says when it is ready."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            _calm_collector()
            await asyncio.to_thread(self._ready)  # a browser may take its time

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002 - as in uvicorn
        self.force_exit = self.should_exit
        self.should_exit = True
