"""The one writer: all commands that wait at a moment go into one durable commit, and only then are they answered.

Other processes may write to the same log. Whoever was not first reads what is new and decides again; what others have
stored reaches the watchers here in the same order as in the log.

It decides against the tables in memory, so that of two equal commands in the same millisecond one counts. If a commit
fails, memory stays as it was and every command of that commit is told so.
"""

import asyncio
import logging
import math
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from knobel.errors import Reason
from knobel.room import Command, Dice, Room, evolve
from knobel.seat import Continue
from knobel.server.clock import Clock
from knobel.server.limit import overloaded
from knobel.server.messages import Problem
from knobel.server.metric import Metrics
from knobel.server.present import Shown, refusal_of, shown, update_text
from knobel.server.rows import Founded, Head, Step
from knobel.server.store import Conflict, Store, Trouble, trouble
from knobel.steward import decide
from knobel.table import BrokenTable, Refused

MAX_WAITING, MAX_BATCH = 1024, 64
MAX_TRIES = 10  # of a batch, when other processes are faster
TOGETHER = 32  # events of other processes in one update
_AGAIN = 1.0  # seconds until the log is looked at again after that has failed
STUCK_SECONDS = 5.0  # that a commit may take; longer than the database waits for a lock
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a command; `version` is the table's right after it."""

    version: int
    problem: Problem | None = None


Watcher = Callable[[str], None]  # gets the text of a frame


@dataclass(eq=False, slots=True)
class Master:
    """The one copy of a table that counts, with those who watch it."""

    room: Room
    head: Head
    answers: dict[str, int] = field(default_factory=dict)  # versions by the command that brought them
    watchers: dict[Watcher, str | None] = field(default_factory=dict)  # with the guest who watches
    shown: Shown | None = None  # how `room` looks, once somebody wanted it
    is_broken: bool = False  # another process has stored what cannot be: nothing can be decided any more
    n_waiting: int = 0  # commands, and looks into the log, not yet answered
    player: asyncio.Task[None] | None = None  # plays for the computer on turn
    clock: Clock = field(default_factory=Clock)
    present: str = ""  # who is there, as the watchers were told last
    announced: str = ""  # who is there, as the other processes were told last

    def live_now(self) -> dict[str, Any]:
        """The live part as plain data."""
        if self.shown is None:
            self.shown = shown(self.room, self.head.seed)
        return self.shown.live


@dataclass(eq=False, slots=True)
class _Play:
    master: Master
    command: Command
    command_id: str | None
    answer: asyncio.Future[Answer]
    since: float = field(default_factory=time.monotonic)


@dataclass(eq=False, slots=True)
class _Open:
    founded: Founded
    before: Master | None  # of the table that goes on here
    answer: asyncio.Future[str]  # the id of the table at which it goes on
    since: float = field(default_factory=time.monotonic)


@dataclass(eq=False, slots=True)
class _Draft:
    """A table as it will be after the commit."""

    master: Master
    room: Room
    steps: list[Step] = field(default_factory=list)
    answers: dict[str, int] = field(default_factory=dict)


class Writer:
    """Queue and commits; `committed` is called with each step that a commit has stored."""

    def __init__(
        self,
        store: Store,
        dice_of: Callable[[Head], Dice],
        committed: Callable[[Master, Step], None],
        metrics: Metrics,
        *,
        is_alone: bool = True,
    ) -> None:
        """`dice_of` says how the dice of a table fall; `is_alone` says that no other process writes to the log."""
        self.is_alone = is_alone
        self._looks: dict[Master, float] = {}  # tables of which the log may have a version that is not known here
        self._looking: list[asyncio.Future[None]] = []
        self._store, self._dice_of, self._committed, self._metrics = store, dice_of, committed, metrics
        self._waiting: deque[_Play | _Open] = deque()
        self._news = asyncio.Event()
        self._is_running = self._is_closing = False
        self._busy_since: float | None = None
        self._working: list[_Play | _Open] = []
        self.problem: Problem | None = None  # of the last commit, if it failed
        self.database: Trouble | Literal["ok"] = "ok"  # as the last commit found it
        metrics.waiting.set_function(lambda: len(self._waiting))

    @property
    def state(self) -> Literal["ok", "stopped", "stuck", "overloaded", "failing"]:
        """What a command could expect at this moment."""
        if self._is_closing or not self._is_running:
            return "stopped"
        if self._busy_since is not None and time.monotonic() - self._busy_since > STUCK_SECONDS:
            return "stuck"
        if len(self._waiting) >= MAX_WAITING:
            return "overloaded"
        return "ok" if self.problem is None else "failing"

    @property
    def waited(self) -> float:
        """Seconds that the command that waits longest has waited; 0 if none does."""
        first = next(iter(self._working or self._waiting), None)
        return 0.0 if first is None else time.monotonic() - first.since

    async def play(self, master: Master, command: Command, command_id: str | None) -> Answer:
        """Answer a command once its event is durable. Raises `Refused` when too many wait or the commit failed."""
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._put(_Play(master, command, command_id, answer))
        master.n_waiting += 1
        try:
            return await answer
        finally:
            master.n_waiting -= 1

    async def open(self, founded: Founded, before: Master | None = None) -> str:
        """Store a new table, and that `before` goes on there. Raises `Refused` as `play` does.

        Answers with the id of the table at which `before` goes on: another one if somebody was faster.
        """
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._put(_Open(founded, before, answer))
        return await answer

    def look(self, master: Master, version: float = math.inf) -> None:
        """The log has this version of a table, or nobody knows which: take in what is new, before the next commit."""
        if not self._is_closing:
            self._looks[master] = max(version, self._looks.get(master, 0))
            self._news.set()

    async def see(self, master: Master) -> None:
        """The same, and wait for it."""
        if self._is_closing:
            return
        seen: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._looking.append(seen)
        self.look(master)
        master.n_waiting += 1  # so that it stays in the memory
        try:
            await seen
        finally:
            master.n_waiting -= 1

    async def run(self) -> None:
        """Work until `close` was called and nothing waits any more."""
        self._is_running = True
        try:
            while self._waiting or not self._is_closing:
                if not self._waiting and not self._looks:
                    self._news.clear()
                    await self._news.wait()
                self._busy_since = time.monotonic()
                await self._look()
                self._working = [self._waiting.popleft() for _ in range(min(len(self._waiting), MAX_BATCH))]
                await self._work(self._working)
                self._working, self._busy_since = [], None
        finally:
            self._is_running = False
            self._seen()

    def close(self) -> None:
        """Take no more commands; `run` ends after those that wait."""
        self._is_closing = True
        self._news.set()

    def _put(self, job: _Play | _Open) -> None:
        if self._is_closing or len(self._waiting) >= MAX_WAITING:
            raise overloaded()
        self._waiting.append(job)
        self._news.set()

    def _seen(self) -> None:
        for seen in self._looking:
            if not seen.done():
                seen.set_result(None)
        self._looking.clear()

    async def _look(self) -> None:
        """Take in what other processes have stored."""
        masters = [master for master, version in self._looks.items() if version > master.room.version]
        self._looks.clear()
        try:
            if masters:
                await self._catch_up(masters)
        except Exception as error:
            if isinstance(error, Refused):  # the database is away
                for master in masters:
                    asyncio.get_running_loop().call_later(_AGAIN, self.look, master)
            else:
                logger.exception("what other processes have stored could not be read")
        self._seen()

    async def _catch_up(self, masters: Iterable[Master]) -> bool:
        """Whether the log had something new of these tables. Raises `Refused` if reading fails."""
        known = {master.room.id: master for master in masters if not master.is_broken}
        is_new = False
        for table_id, version in (await self._store.versions(known)).items():
            master = known[table_id]
            if version <= master.room.version:
                continue
            is_new = True
            try:
                draft = await self._later(master)
            except BrokenTable:
                master.is_broken = True
                logger.exception("table %s: what another process has stored cannot be", table_id)
                continue
            master.room = draft.room
            master.answers |= draft.answers
            self._publish(draft)
        return is_new

    async def _later(self, master: Master) -> _Draft:
        """A table with what the log has of it beyond the memory. Raises `BrokenTable`, or `Refused`."""
        draft = _Draft(master, master.room)
        entries = await self._store.later(master.room.id, master.room.version)
        for number, entry in enumerate(entries, 1):
            draft.room = evolve(draft.room, entry.event)
            if entry.command_id is not None:
                draft.answers[entry.command_id] = draft.room.version
            if number % TOGETHER == 0 or number == len(entries):
                draft.steps.append(Step(draft.room, (number - 1) % TOGETHER + 1))
        return draft

    async def _work(self, batch: list[_Play | _Open]) -> None:
        """Commit a batch; if that fails, every command of it is told so."""
        if not batch:
            return
        try:
            await self._commit(batch)
        except Exception as error:
            if isinstance(error, Refused):
                self.database = trouble(error.__cause__)
            else:
                logger.exception("a commit failed")
                error = Refused("server/error", Reason("server-error"))
            self.problem = refusal_of(error)
            for job in batch:
                if not job.answer.done():
                    job.answer.set_exception(error)

    async def _commit(self, batch: list[_Play | _Open]) -> None:
        """Decide and store; again if another process was faster."""
        masters = {job.master if isinstance(job, _Play) else job.before for job in batch} - {None}
        for _ in range(MAX_TRIES):
            try:
                if await self._decide_all(batch):
                    return
            except Conflict:
                await self._catch_up(filter(None, masters))
        raise Conflict

    async def _decide_all(self, batch: list[_Play | _Open]) -> bool:
        """Whether a batch is stored and answered; else the log had something new that may change the answers."""
        drafts: dict[Master, _Draft] = {}
        answers: list[tuple[_Play, Answer]] = []
        opened: list[tuple[_Open, str]] = []
        founded: list[Founded] = []
        broken: list[_Play | _Open] = []
        for job in batch:
            if (master := job.master if isinstance(job, _Play) else job.before) is not None and master.is_broken:
                broken.append(job)
                continue
            if isinstance(job, _Play):
                draft = drafts.setdefault(job.master, _Draft(job.master, job.master.room))
                answers.append((job, self._decide(draft, job)))
                continue
            at = self._continued(drafts, job)
            opened.append((job, at))
            if at == job.founded.room.id:
                founded.append(job.founded)
        unproven = [master for master, draft in drafts.items() if not draft.steps]  # no commit will show it to be new
        if unproven and not self.is_alone and await self._catch_up(unproven):
            return False
        steps = [step for draft in drafts.values() for step in draft.steps]
        if founded or steps:
            n_events = sum(new.room.version for new in founded) + sum(step.n_events for step in steps)
            with self._metrics.commit(n_events):
                await self._store.append(founded, steps)
            self.problem, self.database = None, "ok"
        for draft in drafts.values():  # memory follows the log
            draft.master.room = draft.room
            draft.master.answers |= draft.answers
        for draft in drafts.values():
            self._publish(draft)
        for job, answer in answers:
            if not job.answer.done():
                job.answer.set_result(answer)
        for new, at in opened:
            if not new.answer.done():
                new.answer.set_result(at)
        for job in broken:
            if not job.answer.done():
                job.answer.set_exception(Refused("server/error", Reason("server-error")))
        return True

    def _continued(self, drafts: dict[Master, _Draft], job: _Open) -> str:
        """Where the table before goes on."""
        if job.before is None:
            return job.founded.room.id
        draft = drafts.setdefault(job.before, _Draft(job.before, job.before.room))
        command = Command(Continue(job.founded.room.id), draft.room.version, by="server")
        self._advance(draft, command, None)
        return draft.room.next or job.founded.room.id

    def _decide(self, draft: _Draft, job: _Play) -> Answer:
        """The answer to a command, if the commit succeeds; a repeated command gets the answer of the first."""
        name = job.command_id
        if name is not None:
            known = draft.answers.get(name, draft.master.answers.get(name))
            if known is not None:
                return Answer(known)
        try:
            self._advance(draft, job.command, name)
        except Refused as error:
            return Answer(draft.room.version, refusal_of(error))
        return Answer(draft.room.version)

    def _advance(self, draft: _Draft, command: Command, name: str | None) -> None:
        """Draw up what a command brings. Raises `Refused`."""
        events = decide(draft.room, command, self._dice_of(draft.master.head))
        if not events:
            return
        for event in events:
            draft.room = evolve(draft.room, event)
        draft.steps.append(Step(draft.room, len(events), name))
        if name is not None:
            draft.answers[name] = draft.room.version

    def _publish(self, draft: _Draft) -> None:
        """Tell the watchers, who may be gone or broken: what is stored is stored."""
        master = draft.master
        for step in draft.steps:
            try:
                self._tell(master, step)
                self._committed(master, step)
            except Exception:
                master.shown = None
                logger.exception("an update could not be sent")

    @staticmethod
    def _tell(master: Master, step: Step) -> None:
        before, master.shown = master.shown, None
        if not master.watchers:
            return
        after = master.shown = shown(step.room, master.head.seed, before)
        text = update_text(
            step.room, step.room.version - step.n_events, before.live if before is not None else None, after.live
        )
        for watcher in tuple(master.watchers):
            watcher(text)
