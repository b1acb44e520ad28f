"""The one writer: all commands that wait at a moment go into one durable commit, and only then are they answered.

It decides against the tables in memory, so that of two equal commands in the same millisecond one counts. If a commit
fails, memory stays as it was and every command of that commit is told so.
"""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from knobel.errors import Reason
from knobel.server.messages import Problem
from knobel.server.metric import Metrics
from knobel.server.present import encode, refusal_of, update_message
from knobel.server.store import Opened, Step, Store, Trouble, trouble
from knobel.table import Command, Draw, Refused, Table, decide, evolve

MAX_WAITING, MAX_BATCH = 1024, 256
STUCK_SECONDS = 5.0  # that a commit may take; longer than the database waits for a lock
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a command; `version` is the table's right after it."""

    version: int
    problem: Problem | None = None


@dataclass(eq=False, slots=True)
class Master:
    """The one copy of a table that counts, with those who watch it."""

    table: Table
    answers: dict[str, int] = field(default_factory=dict)  # versions by the command that brought them
    watchers: set[Callable[[str], None]] = field(default_factory=set)  # get the text of every update
    n_waiting: int = 0  # commands not yet answered
    player: asyncio.Task[None] | None = None  # plays for the computer on turn


@dataclass(eq=False, slots=True)
class _Play:
    master: Master
    command: Command
    command_id: str | None
    answer: asyncio.Future[Answer]


@dataclass(eq=False, slots=True)
class _Open:
    opened: Opened
    answer: asyncio.Future[None]


@dataclass(eq=False, slots=True)
class _Draft:
    """A table as it will be after the commit."""

    master: Master
    table: Table
    steps: list[Step] = field(default_factory=list)
    answers: dict[str, int] = field(default_factory=dict)


class Writer:
    """Queue and commits; `committed` is called with each table that a commit has changed."""

    def __init__(self, store: Store, draw: Draw, committed: Callable[[Master], None], metrics: Metrics) -> None:
        """`draw` gives the faces of the dice."""
        self._store, self._draw, self._committed, self._metrics = store, draw, committed, metrics
        self._waiting: deque[_Play | _Open] = deque()
        self._news = asyncio.Event()
        self._is_running = self._is_closing = False
        self._busy_since: float | None = None
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

    async def play(self, master: Master, command: Command, command_id: str | None) -> Answer:
        """Answer a command once its event is durable. Raises `Refused` when too many wait or the commit failed."""
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._put(_Play(master, command, command_id, answer))
        master.n_waiting += 1
        try:
            return await answer
        finally:
            master.n_waiting -= 1

    async def open(self, opened: Opened) -> None:
        """Store a new table. Raises `Refused` as `play` does."""
        answer: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._put(_Open(opened, answer))
        await answer

    async def run(self) -> None:
        """Work until `close` was called and nothing waits any more."""
        self._is_running = True
        try:
            while self._waiting or not self._is_closing:
                if not self._waiting:
                    self._news.clear()
                    await self._news.wait()
                await self._work([self._waiting.popleft() for _ in range(min(len(self._waiting), MAX_BATCH))])
        finally:
            self._is_running = False

    def close(self) -> None:
        """Take no more commands; `run` ends after those that wait."""
        self._is_closing = True
        self._news.set()

    def _put(self, job: _Play | _Open) -> None:
        if self._is_closing or len(self._waiting) >= MAX_WAITING:
            raise Refused("server/overloaded", Reason("server-overloaded"))
        self._waiting.append(job)
        self._news.set()

    async def _work(self, batch: list[_Play | _Open]) -> None:
        """Commit a batch; if that fails, every command of it is told so."""
        self._busy_since = time.monotonic()
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
        finally:
            self._busy_since = None

    async def _commit(self, batch: list[_Play | _Open]) -> None:
        drafts: dict[Master, _Draft] = {}
        answers: list[tuple[_Play, Answer]] = []
        for job in batch:
            if isinstance(job, _Play):
                draft = drafts.setdefault(job.master, _Draft(job.master, job.master.table))
                answers.append((job, self._decide(draft, job)))
        opened = [job for job in batch if isinstance(job, _Open)]
        steps = [step for draft in drafts.values() for step in draft.steps]
        if opened or steps:
            with self._metrics.commit(len(opened) + len(steps)):
                await self._store.append([job.opened for job in opened], steps)
            self.problem, self.database = None, "ok"
        for draft in drafts.values():  # memory follows the log
            draft.master.table = draft.table
            draft.master.answers |= draft.answers
        for draft in drafts.values():
            self._publish(draft)
        for job, answer in answers:
            if not job.answer.done():
                job.answer.set_result(answer)
        for new in opened:
            if not new.answer.done():
                new.answer.set_result(None)

    def _decide(self, draft: _Draft, job: _Play) -> Answer:
        """The answer to a command, if the commit succeeds; a repeated command gets the answer of the first."""
        name = job.command_id
        if name is not None:
            known = draft.answers.get(name, draft.master.answers.get(name))
            if known is not None:
                return Answer(known)
        try:
            draft.table = evolve(draft.table, decide(draft.table, job.command, self._draw))
        except Refused as error:
            return Answer(draft.table.version, refusal_of(error))
        draft.steps.append(Step(draft.table, name))
        if name is not None:
            draft.answers[name] = draft.table.version
        return Answer(draft.table.version)

    def _publish(self, draft: _Draft) -> None:
        """Tell the watchers, who may be gone or broken: what is stored is stored."""
        if not draft.steps:
            return
        try:
            for step in draft.steps:
                if draft.master.watchers:
                    text = encode(update_message(step.table))
                    for watcher in tuple(draft.master.watchers):
                        watcher(text)
            self._committed(draft.master)
        except Exception:
            logger.exception("an update could not be sent")
