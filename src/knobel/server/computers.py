"""The computer players of this process: whenever one is on turn it plays until a person must act."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from random import Random

from knobel.players.policy import Policy
from knobel.room import Command
from knobel.server.writer import Master, Writer
from knobel.table import Refused
from knobel.tray import move_of

RETRY = 1.0  # seconds until it is tried again after a failed commit; doubled up to a minute
logger = logging.getLogger(__name__)


class Computers:
    """All play by one policy, in a thread of their own: thinking must not stop the event loop."""

    def __init__(self, policy: Policy, rng: Random, writer: Writer, leads: Callable[[Master], Awaitable[bool]]) -> None:
        """`leads` says whether this process acts for a table; if not, `let_play` is called again when it does."""
        self._policy, self._rng, self._writer, self._leads = policy, rng, writer, leads
        self._threads = ThreadPoolExecutor(1, "computer-player")

    def let_play(self, master: Master) -> None:
        """Play if a computer is on turn."""
        if is_on_turn(master) and master.player is None:
            master.player = asyncio.create_task(self._play(master))

    def close(self) -> None:
        """Think no more."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _play(self, master: Master) -> None:
        """Play until a person must act; a commit that fails is tried again."""
        wait = RETRY
        try:
            while is_on_turn(master):
                if not await self._leads(master):
                    return
                room = master.room
                if not is_on_turn(master):
                    break
                command = await self._choose(master)
                try:
                    answer = await self._writer.play(master, command, None)
                except Refused:
                    await asyncio.sleep(wait)
                    wait = min(2 * wait, 60)
                else:
                    wait = RETRY
                    if answer.problem is not None and master.room.version == room.version:
                        logger.error("table %s: computer player refused: %s", room.id, answer.problem.code)
                        return
        except Exception:
            logger.exception("table %s: a computer player failed", master.room.id)
        finally:
            master.player = None  # in the same step as the last look at the turn: no turn is missed

    async def _choose(self, master: Master) -> Command:
        room, table = master.room, master.room.table
        assert table is not None  # or nobody's turn
        assert table.state.turn is not None
        loop = asyncio.get_running_loop()
        action = await loop.run_in_executor(self._threads, self._policy.choose, table.state, self._rng)
        return Command(move_of(action, table.tray), room.version, table.state.turn.seat, by="computer")


def is_on_turn(master: Master) -> bool:
    """Whether a computer must act."""
    acting = master.room.acting
    return acting is not None and acting.player == "computer"
