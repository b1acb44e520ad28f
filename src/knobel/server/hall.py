"""All tables that are being played: finds or loads the one master of each, opens new ones, lets the computers play."""

import asyncio
import logging
import secrets
from concurrent.futures import ThreadPoolExecutor
from random import Random, SystemRandom

from knobel.errors import Reason
from knobel.players.policy import Policy
from knobel.players.simple import Greedy
from knobel.server.chance import draw
from knobel.server.metric import Metrics
from knobel.server.store import Opened, Store
from knobel.server.writer import Answer, Master, Writer
from knobel.table import Begin, Command, Draw, Refused, Seat, first_event, open_table
from knobel.tray import move_of
from knobel.vocabulary import Ruleset

MAX_IDLE = 500  # tables that stay in memory though nobody watches them
_RETRY = 1.0  # seconds until a computer player tries again after a failed commit; doubled up to a minute
logger = logging.getLogger(__name__)


class Hall:
    """Use it as an asynchronous context: inside, its writer runs."""

    def __init__(
        self, store: Store, draw: Draw = draw, policy: Policy | None = None, rng: Random | None = None
    ) -> None:
        """`policy` plays for all computer players; `rng` is what it may draw from."""
        self.store = store
        self._draw, self._policy, self._rng = draw, policy or Greedy(), rng or SystemRandom()
        self.metrics = Metrics()
        self.writer = Writer(store, draw, self._let_computers_play, self.metrics)
        self._masters: dict[str, asyncio.Task[Master]] = {}  # those used last at the end
        self.metrics.tables.set_function(lambda: len(self._masters))
        self.metrics.tables_watched.set_function(self._n_watched)
        self._threads = ThreadPoolExecutor(1, "computer-player")  # thinking must not stop the event loop

    async def __aenter__(self) -> "Hall":
        self._running = asyncio.create_task(self.writer.run())
        return self

    async def __aexit__(self, *_: object) -> None:
        self.writer.close()
        await self._running
        players = [task.result().player for task in self._masters.values() if _is_loaded(task)]
        for player in players:
            if player is not None:
                player.cancel()
        await asyncio.gather(*filter(None, players), return_exceptions=True)
        self._threads.shutdown(wait=False, cancel_futures=True)
        await self.store.close()

    async def find(self, table_id: str) -> Master:
        """The master of a table. Raises `Refused` for an unknown one, `BrokenTable` for one whose log is damaged."""
        while True:
            task = self._masters.pop(table_id, None) or asyncio.create_task(self._load(table_id))
            self._masters[table_id] = task
            try:
                master = await asyncio.shield(task)
            except BaseException:
                if task.done() and self._masters.get(table_id) is task:
                    del self._masters[table_id]
                raise
            if self._masters.get(table_id) is task:  # not swept out in the meantime
                return master

    async def open(self, ruleset: Ruleset, seats: tuple[Seat, ...], begin: Begin, follows: str | None = None) -> Master:
        """A new table, stored; `follows` is the table that it is a new game of. Raises `Refused`."""
        before = (await self.find(follows)).table.events[0].seat if follows is not None else None
        event = first_event(ruleset, len(seats), begin, self._draw, before)
        table = open_table(secrets.token_urlsafe(12), ruleset, seats, begin, event)
        self._masters[table.id] = asyncio.create_task(self._store_new(Opened(table, follows), Master(table)))
        return await self.find(table.id)

    async def play(self, master: Master, command: Command, command_id: str) -> Answer:
        """Answer a command of a person. Raises `Refused` if it could not be stored."""
        return await self.writer.play(master, command, command_id)

    def _n_watched(self) -> int:
        return sum(_is_loaded(task) and bool(task.result().watchers) for task in self._masters.values())

    async def _load(self, table_id: str) -> Master:
        stored = await self.store.load(table_id)
        if stored is None:
            raise Refused("table/unknown", Reason("server-table-unknown"))
        master = Master(stored.table, stored.answers)
        self._sweep()
        self._let_computers_play(master)
        return master

    async def _store_new(self, opened: Opened, master: Master) -> Master:
        await self.writer.open(opened)
        self._sweep()
        self._let_computers_play(master)
        return master

    def _sweep(self) -> None:
        """Forget the tables that were used longest ago, unless somebody still needs them."""
        for table_id, task in tuple(self._masters.items())[: max(0, len(self._masters) - MAX_IDLE)]:
            if _is_loaded(task):
                master = task.result()
                if not master.watchers and not master.n_waiting and master.player is None:
                    del self._masters[table_id]

    def _let_computers_play(self, master: Master) -> None:
        if _is_computers_turn(master) and master.player is None:
            master.player = asyncio.create_task(self._play_computers(master))

    async def _play_computers(self, master: Master) -> None:
        """Play until a person must act; a commit that fails is tried again."""
        wait = _RETRY
        try:
            while _is_computers_turn(master):
                table = master.table
                loop = asyncio.get_running_loop()
                action = await loop.run_in_executor(self._threads, self._policy.choose, table.state, self._rng)
                turn = table.state.turn
                assert turn is not None
                command = Command(turn.seat, table.version, move_of(action, table.tray), by="computer")
                try:
                    answer = await self.writer.play(master, command, None)
                except Refused:
                    await asyncio.sleep(wait)
                    wait = min(2 * wait, 60)
                else:
                    wait = _RETRY
                    if answer.problem is not None:
                        logger.error("table %s: computer player refused: %s", table.id, answer.problem.code)
                        return
        except Exception:
            logger.exception("table %s: a computer player failed", master.table.id)
        finally:
            master.player = None  # in the same step as the last look at the turn: no turn is missed


def _is_computers_turn(master: Master) -> bool:
    acting = master.table.acting
    return acting is not None and acting.kind == "computer"


def _is_loaded(task: asyncio.Task[Master]) -> bool:
    return task.done() and not task.cancelled() and task.exception() is None
