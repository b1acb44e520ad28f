"""How far a solve or a simulation is, on standard error: a bar on a terminal, elsewhere a line now and then."""

import sys
import time
from threading import Timer
from types import TracebackType
from typing import TYPE_CHECKING, Self

from rich.console import Console

from knobel.cli import output
from knobel.solver.solve import Progress, default_threads
from knobel.solver.table import Plan
from knobel.text import say
from knobel.vocabulary import Language

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

_LARGE = 10.0  # seconds from which a solve is announced
_PATIENCE = 2.0  # seconds without a value, after which a word is due
_PAUSE_OF_BAR, _PAUSE_OF_LINES = 0.5, 10.0  # seconds


class _Meter:
    """A share that grows, with words about it."""

    def __init__(self) -> None:
        self._is_terminal = sys.stderr.isatty()
        self._console = Console(stderr=True, soft_wrap=True, highlight=False, markup=False, emoji=False)
        self._bar: Bar | None = None
        self._pause = _PAUSE_OF_BAR if self._is_terminal else _PAUSE_OF_LINES
        self._next = 0.0

    def begin(self) -> None:
        """Show nothing before the first pause is over."""
        self._next = time.monotonic() + self._pause

    def is_due(self) -> bool:
        """Whether it is time to show something; then not again for a while."""
        if time.monotonic() < self._next:
            return False
        self.begin()
        return True

    def show(self, share: float, text: str) -> None:
        """Draw the bar anew, or print a line."""
        if self._is_terminal:
            bar = self._bar or self._new_bar()
            bar.update(bar.task_ids[0], completed=share, description=text)
        else:
            self.print(text)

    def print(self, text: str) -> None:
        """Print a line, above the bar if there is one."""
        if self._is_terminal:
            self._console.print(text)
        else:
            print(text, file=sys.stderr, flush=True)

    def close(self) -> None:
        """Leave nothing of the bar behind."""
        if self._bar is not None:
            self._bar.stop()

    def _new_bar(self) -> "Bar":
        from rich.progress import BarColumn, TextColumn  # they take a tenth of a second
        from rich.progress import Progress as Bar

        self._bar = Bar(
            BarColumn(20), TextColumn("{task.description}", markup=False), console=self._console, transient=True
        )
        self._bar.add_task("", total=1.0)
        self._bar.start()
        return self._bar


class Teller:
    """Tells what a solve will take and how far it is, for as long as the context lasts."""

    def __init__(self, plan: Plan, threads: int | None, language: Language) -> None:
        """`threads`: None for as many as there are processors."""
        self._plan, self._threads, self._language = plan, threads or default_threads(), language
        self._meter = _Meter()
        self._first: Progress | None = None
        self._is_announced = plan.seconds <= _LARGE
        self._timer = Timer(_PATIENCE, self._excuse)
        self._timer.daemon = True

    def __enter__(self) -> Self:
        """Begin to wait for the first values."""
        self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave nothing of the bar behind."""
        self._timer.cancel()
        self._meter.close()

    def watch(self, progress: Progress) -> None:
        """Tell, if it is time to."""
        if self._first is None:
            self._first = progress
            self._timer.cancel()
            self._announce()
            self._meter.begin()
        if self._meter.is_due():
            self._meter.show(progress.share, self._text(progress))

    def _announce(self) -> None:
        """What a large solve will take; said once the solve has begun, so after it might have been refused."""
        if self._is_announced:
            return
        self._is_announced = True
        plan, language = self._plan, self._language
        self._meter.print(
            say(
                "cli-solve-plan",
                language,
                ruleset=plan.ruleset.id,
                states=plan.n_states,
                memory=output.size(plan.memory, language),
                disk=output.size(plan.disk, language),
                time=output.duration(plan.seconds, language),
                threads=self._threads,
            )
        )

    def _excuse(self) -> None:
        """Why there is no value yet."""
        if self._first is None:
            self._announce()
            self._meter.print(say("cli-solve-compiling", self._language))

    def _text(self, progress: Progress) -> str:
        assert self._first is not None, "watch() has kept it"
        seconds, share = progress.seconds - self._first.seconds, progress.share - self._first.share
        rest = 1 - progress.share
        left = rest * (seconds / share if share > 0 else self._plan.seconds)
        rate = (progress.states - self._first.states) / seconds if seconds > 0 else 0.0
        return say(
            "cli-solve-progress",
            self._language,
            percent=int(100 * progress.share),
            filled=progress.layer,
            boxes=progress.n_layers - 1,
            rate=round(rate),
            left=output.duration(max(round(left), 1), self._language),
        )


class GamesTeller:
    """Tells how many games of a simulation are played, for as long as the context lasts."""

    def __init__(self, n_games: int, language: Language) -> None:
        """The clock starts now."""
        self._n_games, self._language = n_games, language
        self._meter, self._begin = _Meter(), time.monotonic()
        self._meter.begin()

    def __enter__(self) -> Self:
        """There is nothing to tell yet."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave nothing of the bar behind."""
        self._meter.close()

    def watch(self, share: float) -> None:
        """Tell, if it is time to."""
        if not self._meter.is_due():
            return
        seconds = time.monotonic() - self._begin
        text = say(
            "cli-simulate-progress",
            self._language,
            percent=int(100 * share),
            games=self._n_games,
            rate=round(share * self._n_games / seconds) if seconds else 0,
            left=output.duration(max(round(seconds * (1 - share) / share) if share else 0, 1), self._language),
        )
        self._meter.show(share, text)


class Excuse:
    """Says why nothing is there yet, if what the context does takes a while for being compiled first."""

    def __init__(self, language: Language) -> None:
        """The words come in this language."""
        self._timer = Timer(_PATIENCE, self._say, (language,))
        self._timer.daemon = True

    def __enter__(self) -> None:
        """Begin to wait."""
        self._timer.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """No word any more."""
        self._timer.cancel()

    def _say(self, language: Language) -> None:
        _Meter().print(say("cli-solve-compiling", language))
