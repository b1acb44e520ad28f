"""All tables that are being played: finds or loads the one master of each, opens new ones, lets the computers play."""

import asyncio
import logging
import secrets
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from random import Random, SystemRandom

from knobel.errors import Reason
from knobel.fair import commitment_of, draw_of
from knobel.players.policy import Policy
from knobel.players.simple import Greedy
from knobel.room import Command, Dice, Room, Terms, evolve, open_room
from knobel.seat import Close, Opened, Return, Say, Seat, Service, StandIn, Substituted
from knobel.server.bus import Bus, Listener, LocalBus
from knobel.server.computers import RETRY, Computers, is_on_turn
from knobel.server.housekeeper import keep_house
from knobel.server.limit import Buckets
from knobel.server.messages import PresentMessage
from knobel.server.metric import Metrics
from knobel.server.presence import ANNOUNCED, Change, Presence
from knobel.server.present import encode
from knobel.server.pulse import Pulse
from knobel.server.rows import Founded, Head, Step
from knobel.server.store import Store
from knobel.server.writer import Answer, Master, Watcher, Writer
from knobel.steward import begun
from knobel.table import Draw, Refused
from knobel.vocabulary import Ruleset

ALPHABET, CODE_LENGTH = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789", 8  # nothing that looks like something else
WAITED_FOR = 7_200.0  # seconds; for what comes later the housekeeper looks in the database
EARLY = 0.001  # seconds that a timer may come before its time
SAID, SAID_SECONDS = 4, 12.0  # phrases of one guest
SWEPT = 4  # tables that are looked at when another one comes
MAX_IDLE = 500  # tables that stay in memory though nobody watches them
logger = logging.getLogger(__name__)


class Hall(Listener):
    """Use it as an asynchronous context: inside, its writer runs."""

    def __init__(
        self,
        store: Store,
        draw: Draw | None = None,
        policy: Policy | None = None,
        rng: Random | None = None,
        bus: Callable[[Listener], Bus] | None = None,
    ) -> None:
        """`policy` plays for all computer players; `rng` is what it may draw from. `draw` replaces provable dice.

        `bus` makes what leads to other processes on the same log; without it there are none.
        """
        self.store = store
        self.bus = LocalBus() if bus is None else bus(self)
        self._presence = Presence()
        self._leased: set[str] = set()  # tables whose lease was asked for
        self._dice_of: Callable[[Head], Dice] = provable if draw is None else lambda _: lambda _: draw
        self.metrics = Metrics()
        self.writer = Writer(store, self._dice_of, self._committed, self.metrics, is_alone=self.bus.is_alone)
        self.pulse = Pulse(lambda: self.writer.waited)
        self.metrics.late.set_function(lambda: self.pulse.late)
        self._computers = Computers(policy or Greedy(), rng or SystemRandom(), self.writer, self._leads)
        self._masters: dict[str, asyncio.Task[Master]] = {}  # those used last at the end
        self.metrics.tables.set_function(lambda: len(self._masters))
        self.metrics.tables_watched.set_function(self._n_watched)
        self._said = Buckets(SAID, SAID_SECONDS)
        self._timers: dict[Master, asyncio.TimerHandle] = {}
        self._tasks: set[asyncio.Task[None]] = set()  # what the server does by itself at this moment

    async def __aenter__(self) -> "Hall":
        await self.bus.__aenter__()
        self._running = asyncio.create_task(self.writer.run())
        self._services = [
            asyncio.create_task(work) for work in (keep_house(self), self._announce_all(), self.pulse.beat())
        ]
        return self

    async def __aexit__(self, *_: object) -> None:
        for service in self._services:
            service.cancel()
        for timer in self._timers.values():
            timer.cancel()
        self.writer.close()
        await self._running
        players = [task.result().player for task in self._masters.values() if _is_loaded(task)]
        for player in players:
            if player is not None:
                player.cancel()
        await asyncio.gather(*filter(None, players), *self._tasks, *self._services, return_exceptions=True)
        await self.bus.__aexit__(None, None, None)
        self._computers.close()
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

    async def open(
        self,
        ruleset: Ruleset,
        seats: tuple[Seat, ...],
        terms: Terms,
        host: str = "",
        *,
        start: bool = False,
        follows: str | None = None,
    ) -> Master:
        """A new table, stored; `follows` is the one that it is a new game of, `start` begins it at once.

        Whoever asks for a new game of the same table after somebody else gets that one's. Raises `Refused`.
        """
        before = await self.find(follows) if follows is not None else None
        if before is not None:
            terms = replace(terms, previous=_first_seat(before.room))
            if host != before.room.host and not before.room.seats_of(host):
                raise Refused("seat/not-yours", Reason("seat-not-yours"))
            if before.room.phase != "over":
                raise Refused("room/not-over", Reason("room-not-over"))
            if before.room.next is not None:
                return await self.find(before.room.next)
        check_opening(seats, terms, start)
        head = Head(new_code(), secrets.token_bytes(32), follows)
        event = Opened(host, seats, commitment_of(head.seed))
        room = open_room(secrets.token_urlsafe(12), ruleset, terms, event)
        if start:
            for event_of_start in begun(room, self._dice_of(head)):
                room = evolve(room, event_of_start)
        at = await self.writer.open(Founded(room, head), before)
        if at == room.id:
            master = Master(room, head)
            self._masters[room.id] = asyncio.create_task(self._begin(master))
            if not self.bus.is_alone:
                self.writer.look(master)  # others may have been at it already
        return await self.find(at)

    async def play(self, master: Master, command: Command, command_id: str) -> Answer:
        """Answer a command of a guest. Raises `Refused` if it could not be stored."""
        if isinstance(command.act, Say):
            self._said.take(command.guest or "")
        return await self.writer.play(master, command, command_id)

    def come(self, master: Master, watcher: Watcher, guest: str | None) -> None:
        """Somebody watches from now on; a guest who was away plays again."""
        master.watchers[watcher] = guest
        if guest is not None:
            master.clock.came(guest, _now())
            self._give_back(master, guest)
        self._tend(master)

    def go(self, master: Master, watcher: Watcher) -> None:
        """A watcher is gone."""
        guest = master.watchers.pop(watcher)
        if guest is not None:
            master.clock.left(guest, _now())
        self._tend(master)

    def _give_back(self, master: Master, guest: str) -> None:
        """Let a guest play again who was away."""
        if any(master.room.seats[number].stand_in == "away" for number in master.room.seats_of(guest)):
            self._do(self._act(master, Command(Return(), master.room.version, guest=guest)))

    async def close(self, table_id: str) -> None:
        """Give up a table that nobody plays any more. Raises `Refused` or `BrokenTable`."""
        master = await self.find(table_id)
        await self.writer.play(master, Command(Close(), master.room.version, by="server"), None)

    def forget(self, table_id: str) -> None:
        """Let go of a table that is to be dropped."""
        self._masters.pop(table_id, None)

    def knows(self, table_id: str) -> bool:
        """Whether a table is in the memory, or on its way there."""
        return table_id in self._masters

    def _n_watched(self) -> int:
        return sum(_is_loaded(task) and bool(task.result().watchers) for task in self._masters.values())

    async def _load(self, table_id: str) -> Master:
        stored = await self.store.load(table_id)
        if stored is None:
            raise Refused("table/unknown", Reason("server-table-unknown"))
        master = Master(stored.room, stored.head, stored.answers)
        return await self._begin(master, time.time() - stored.at)

    async def _begin(self, master: Master, age: float = 0.0) -> Master:
        """Take a table into the memory; `age` of its last event in seconds."""
        master.clock.load(master.room, _now(), age)
        for guest in self._presence.guests(master.room.id):
            master.clock.came(guest, _now())
        self._sweep()
        self._tend(master)
        self._computers.let_play(master)
        return master

    def _committed(self, master: Master, step: Step) -> None:
        events = step.room.events[-step.n_events :]
        master.clock.happened(step.room, events, _now())
        for event in events:
            guest = master.room.seats[event.seat].guest if isinstance(event, Substituted) else None
            if guest in master.clock.present and guest is not None:  # he came while this was being stored
                self._give_back(master, guest)
        self._tend(master)
        self._computers.let_play(master)

    def _tend(self, master: Master) -> None:
        """Say who is there, and wait for what the server must do next at a table."""
        self._announce(master)
        self._tell_present(master)
        timer = self._timers.pop(master, None)
        if timer is not None:
            timer.cancel()
        due = master.clock.due(master.room)
        if due is not None and due.at - _now() < WAITED_FOR:
            act = due.act
            self._timers[master] = asyncio.get_running_loop().call_at(
                due.at, lambda: self._do(self._act_when_due(master, act))
            )
        if due is None and not is_on_turn(master):
            self._release(master.room.id)

    async def _act_when_due(self, master: Master, act: Service) -> None:
        self._timers.pop(master, None)
        version = master.room.version
        if not await self._leads(master):
            return  # until the lease is granted, or something happens
        now_due = master.clock.due(master.room)
        if master.room.version != version or now_due is None or now_due.at > _now() + EARLY:
            self._tend(master)
            return
        await self._act(master, Command(act, master.room.version, by="server"))
        due = master.clock.due(master.room)
        if due is not None and due.at <= _now() + EARLY:  # it could not be done
            await asyncio.sleep(RETRY)
        self._tend(master)

    async def _act(self, master: Master, command: Command) -> None:
        """What the server does by itself; if it is refused, it is not called for any more."""
        with suppress(Refused):
            await self.writer.play(master, command, None)

    def _do(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _tell_present(self, master: Master) -> None:
        if not master.watchers:
            return
        room, due = master.room, master.clock.due(master.room)
        seconds = None if due is None or not isinstance(due.act, StandIn) else max(0.0, due.at - _now())
        seats = tuple(seat.kind == "computer" or seat.guest in master.clock.present for seat in room.seats)
        watching = _n_watching(master) + self._presence.n_watching(room.id)
        text = encode(PresentMessage(seats, watching, None if seconds is None else round(seconds, 1)))
        if text != master.present:
            master.present = text
            for watcher in tuple(master.watchers):
                watcher(text)

    def _sweep(self) -> None:
        """Forget tables that were used longest ago, unless somebody still needs them; looks at a few only."""
        for table_id, task in tuple(islice(self._masters.items(), min(SWEPT, max(0, len(self._masters) - MAX_IDLE)))):
            del self._masters[table_id]
            if not _is_loaded(task) or self._is_busy(task.result()):
                self._masters[table_id] = task  # as if it were used now
            else:
                self._release(table_id)

    def _is_busy(self, master: Master) -> bool:
        watched = master.watchers or master.n_waiting or master.player is not None
        return bool(watched) or master in self._timers

    # --- other processes ---

    def changed(self, table_id: str, version: int) -> None:
        """The log has this version of a table."""
        task = self._masters.get(table_id)
        if task is not None and not task.done():  # what is being read may be older
            task.add_done_callback(lambda _: self.changed(table_id, version))
        elif task is not None and _is_loaded(task) and version > task.result().room.version:
            self.writer.look(task.result(), version)

    def missed(self) -> None:
        """News may have been lost: look at every table in the memory, and say who is here."""
        for table_id, task in self._masters.items():
            if not task.done():
                task.add_done_callback(lambda task: self.writer.look(task.result()) if _is_loaded(task) else None)
            elif _is_loaded(task):
                self.writer.look(task.result())
                self._announce(task.result(), again=True)
            else:
                logger.debug("table %s is not there", table_id)

    def granted(self, table_id: str) -> None:
        """This process acts for a table from now on."""
        task = self._masters.get(table_id)
        if task is None or not _is_loaded(task):
            self._release(table_id)
            return
        self._tend(task.result())
        self._computers.let_play(task.result())

    def lost(self, table_id: str) -> None:
        """Another process may act for a table."""
        task = self._masters.get(table_id)
        if task is not None and _is_loaded(task) and (player := task.result().player) is not None:
            player.cancel()

    def told(self, text: str) -> None:
        """Who is at a table in another process."""
        change = self._presence.heard(text, _now())
        if change is not None:
            self._noted(change)

    def _noted(self, change: Change) -> None:
        task = self._masters.get(change.table_id)
        if task is None or not _is_loaded(task):
            return  # it will ask when it is loaded
        master = task.result()
        for guest in change.came:
            master.clock.came(guest, _now())
        for guest in change.left:
            master.clock.left(guest, _now())
        self._tend(master)

    def _announce(self, master: Master, *, again: bool = False) -> None:
        """Say to the other processes who is at a table here, if that has changed or they may not have heard it."""
        if self.bus.is_alone:
            return
        text = self._presence.announcement(master.room, set(master.watchers.values()), _n_watching(master))
        if text != master.announced or (again and master.watchers):
            master.announced = text
            self._do(self.bus.tell(text))

    async def _announce_all(self) -> None:
        """Again and again, in case that somebody has not heard it; and forget processes that are gone."""
        while True:
            await asyncio.sleep(ANNOUNCED)
            for task in tuple(self._masters.values()):
                if _is_loaded(task):
                    self._announce(task.result(), again=True)
            for change in self._presence.expired(_now()):
                self._noted(change)

    async def _leads(self, master: Master) -> bool:
        """Whether this process acts for a table; if not, `granted` says when."""
        self._leased.add(master.room.id)
        return await self.bus.lease(master.room.id)

    def _release(self, table_id: str) -> None:
        if table_id in self._leased:
            self._leased.discard(table_id)
            self._do(self.bus.release(table_id))


def _n_watching(master: Master) -> int:
    """Sockets here of people who do not sit at the table."""
    sitting = {seat.guest for seat in master.room.seats}
    return sum(guest not in sitting for guest in master.watchers.values())


def provable(head: Head) -> Dice:
    """The dice of a table, derived from its seed and the shares of its seats."""

    def dice(room: Room) -> Draw:
        return draw_of(head.seed, room.id, [share for _, share in room.shares], room.event_number)

    return dice


def new_code() -> str:
    """A code to join by, of 40 random bits."""
    return "".join(secrets.choice(ALPHABET) for _ in range(CODE_LENGTH))


def check_opening(seats: tuple[Seat, ...], terms: Terms, start: bool) -> None:
    """Refuse to begin with free seats, and what real dice cannot do: nobody throws them for a computer."""
    n_free = sum(seat.is_free for seat in seats)
    if start and n_free:
        raise Refused("room/not-ready", Reason("room-not-ready", {"seats": n_free}))
    if terms.dice != "typed":
        return
    if any(seat.kind == "computer" for seat in seats):
        raise Refused("seat/typed-people", Reason("seat-typed-people"))
    if terms.begin in ("random", "highest_throw"):
        raise Refused("room/typed-begin", Reason("room-typed-begin"))


def _first_seat(room: Room) -> int | None:
    return None if room.table is None else room.table.events[0].seat


def _is_loaded(task: asyncio.Task[Master]) -> bool:
    return task.done() and not task.cancelled() and task.exception() is None


def _now() -> float:
    """The clock of the event loop, which never jumps."""
    return asyncio.get_running_loop().time()
