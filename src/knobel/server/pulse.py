"""How late a server is: while those who play have to wait, nobody new is let in."""

import asyncio
from collections.abc import Callable

from knobel.server.limit import overloaded

BEAT = 0.1  # seconds
WEIGHT = 0.2  # of the last beat: a single stop of a second refuses nobody
LATE = 0.15  # seconds
AT_ONCE = 32  # tables and rulesets that are made at the same moment


class Pulse:
    """Says who may come in; `beat` must run."""

    def __init__(self, waited: Callable[[], float]) -> None:
        """`waited` says how many seconds the command that waits longest has waited."""
        self._waited = waited
        self.late = 0.0  # seconds that commands and the event loop itself were late of late
        self._n_making = 0

    async def beat(self) -> None:
        """See again and again how late everything is."""
        loop = asyncio.get_running_loop()
        while True:
            due = loop.time() + BEAT
            await asyncio.sleep(BEAT)
            self.late += WEIGHT * (max(self._waited(), loop.time() - due) - self.late)

    def let_in(self) -> None:
        """Somebody wants to play at a table that is not in the memory. Raises `TooMany` if the server is late."""
        if self.late > LATE:
            raise overloaded()

    def enter(self) -> None:
        """Something new is going to be made; `leave` must follow. Raises `TooMany` if there is no time for it."""
        self.let_in()
        if self._n_making >= AT_ONCE:
            raise overloaded()
        self._n_making += 1

    def leave(self) -> None:
        """It is made, or will not be."""
        self._n_making -= 1
