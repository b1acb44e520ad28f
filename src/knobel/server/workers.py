"""Several processes behind one listening socket: one that dies is begun anew, and signals reach all of them."""

import ctypes
import logging
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from types import FrameType

_SIGNALS = (signal.SIGTERM, signal.SIGINT)
_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG
_SHORT = 1.0  # seconds; a process that lived no longer is not begun again at once
logger = logging.getLogger(__name__)


def run(n: int, work: Callable[[], None]) -> None:
    """Run `work` in `n` processes until a signal ends them. This process must have no threads."""
    begun: dict[int, float] = {}  # when, by process
    is_stopping = False

    def stop(number: int, _: FrameType | None) -> None:
        nonlocal is_stopping
        is_stopping = True
        for process in begun:
            with suppress(ProcessLookupError):  # it has just ended
                os.kill(process, number)

    before = {number: signal.signal(number, stop) for number in _SIGNALS}
    try:
        for _ in range(n):
            with _Held():
                if not is_stopping:
                    begun[_begin(work)] = time.monotonic()
        while begun:
            process, status = os.wait()
            with _Held():
                lived = time.monotonic() - begun.pop(process)
            if is_stopping:
                continue
            logger.error("a server process ended (%s) and is begun anew", os.waitstatus_to_exitcode(status))
            if lived < _SHORT:
                time.sleep(_SHORT)
            with _Held():
                if not is_stopping:
                    begun[_begin(work)] = time.monotonic()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class _Held:
    """Signals wait until the block is over."""

    def __enter__(self) -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)

    def __exit__(self, *_: object) -> None:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)


def _begin(work: Callable[[], None]) -> int:
    """The number of a new process."""
    process = os.fork()
    if process:
        return process
    code = 1
    try:
        os.setpgid(0, 0)  # Ctrl-C reaches only the parent, which passes it on
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(_DEATH_SIGNAL, signal.SIGTERM)  # nobody goes on without it
        for number in _SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
        work()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    except BaseException:
        logger.exception("a server process failed")
    finally:
        os._exit(code)
