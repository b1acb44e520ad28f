"""The log on stderr, calm: whatever happens, so many lines a minute and no more; the others are counted."""

import logging
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any, TextIO

LINES, SECONDS = 100, 60.0
_FORMAT = "%(levelname)s: %(message)s"


class CalmHandler(logging.StreamHandler[TextIO]):
    """Writes at most `LINES` lines in any `SECONDS`, those of tracebacks and its own words included."""

    def __init__(self, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        """`stream` is stderr if there is none."""
        super().__init__(stream)
        self._given = stream
        self._clock = clock
        self._written: deque[tuple[float, int]] = deque()  # when and how many lines, of the last `SECONDS`
        self._n_left_out = 0
        self._counting = threading.RLock()

    def emit(self, record: logging.LogRecord) -> None:
        """Write it or count it."""
        with self._counting:
            now = self._clock()
            while self._written and now - self._written[0][0] >= SECONDS:
                self._written.popleft()
            if not self._written:
                self._tell()
            if self._n_left_out:
                self._n_left_out += 1
                return
            room = LINES - 1 - sum(n_lines for _, n_lines in self._written)  # one is for the words below
            n_lines = self.format(record).count("\n") + 1
            if n_lines > room:  # the message without its traceback
                record = logging.makeLogRecord(
                    record.__dict__ | {"exc_info": None, "exc_text": None, "stack_info": None}
                )
                n_lines = self.format(record).count("\n") + 1
            if n_lines > room:
                self._say("too much to log: what comes now is only counted, for %d seconds", round(SECONDS))
                self._n_left_out = 1
                return
            self._written.append((now, n_lines))
            self._write(record)

    def close(self) -> None:
        """Say what was left out at the end."""
        with self._counting:
            self._tell()
        super().close()

    def _write(self, record: logging.LogRecord) -> None:
        self.stream = self._given or sys.stderr  # what it is now
        super().emit(record)

    def _tell(self) -> None:
        if self._n_left_out:
            self._say("%d log messages were left out", self._n_left_out)
            self._n_left_out = 0

    def _say(self, words: str, number: int) -> None:
        self._written.append((self._clock(), 1))
        self._write(logging.LogRecord(__name__, logging.WARNING, __file__, 0, words, (number,), None))


def log_config() -> dict[str, Any]:
    """For uvicorn: our messages, its own and those of asyncio through one calm handler."""
    loggers = {
        "knobel": {"level": "WARNING"},
        "uvicorn": {"level": "ERROR"},
        "asyncio": {"level": "WARNING"},  # it complains about every connection when files run out
    }
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"plain": {"format": _FORMAT}},
        "handlers": {"calm": {"()": CalmHandler, "formatter": "plain"}},
        "loggers": {name: {"handlers": ["calm"], **more} for name, more in loggers.items()},
    }
