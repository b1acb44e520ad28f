"""A relay between clients and a server that can fall silent, as a network does: half-open connections."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress


class Proxy:
    """Relays everything until it is told to stand still."""

    def __init__(self, to: int) -> None:
        """`to` is the port of the server."""
        self._to, self.port = to, 0
        self._flows = asyncio.Event()
        self._flows.set()
        self._tasks: set[asyncio.Task[None]] = set()

    def stand_still(self) -> None:
        """From now on nothing passes, and nobody is told."""
        self._flows.clear()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection."""
        to_server, from_server = await asyncio.open_connection("127.0.0.1", self._to)
        for source, sink in ((reader, from_server), (to_server, writer)):
            task = asyncio.create_task(self._relay(source, sink))
            self._tasks.add(task)

    async def _relay(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        try:
            while part := await source.read(4096):
                await self._flows.wait()
                sink.write(part)
                await sink.drain()
        except OSError:
            pass
        finally:
            with suppress(Exception):
                sink.transport.abort()

    async def close(self) -> None:
        """Cut everything off."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


@asynccontextmanager
async def relaying(to: int) -> AsyncIterator[Proxy]:
    """A proxy before a server."""
    proxy = Proxy(to)
    server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
    proxy.port = server.sockets[0].getsockname()[1]
    try:
        yield proxy
    finally:
        server.close()
        await proxy.close()
