"""The log stays readable, whatever comes."""

import io
import logging
from collections.abc import Iterator

import pytest

from knobel.server.log import LINES, SECONDS, CalmHandler
from tests.server.serving import Served, upgrade
from tests.server.test_limit import Clock


class Log:
    """A logger with a calm handler and a clock."""

    def __init__(self) -> None:
        self.clock, self.stream = Clock(), io.StringIO()
        self.handler = CalmHandler(self.stream, self.clock)
        self.logger = logging.Logger("test")
        self.logger.addHandler(self.handler)

    @property
    def lines(self) -> list[str]:
        return self.stream.getvalue().splitlines()


@pytest.fixture
def log() -> Iterator[Log]:
    found = Log()
    yield found
    found.handler.close()


def test_a_calm_log_is_written_whole(log: Log) -> None:
    for number in range(3 * LINES):
        log.logger.error("line %d", number)
        log.clock.now += SECONDS / (LINES - 2)
    assert log.lines == [f"line {number}" for number in range(3 * LINES)]


def test_a_flood_is_counted(log: Log) -> None:
    for _ in range(1000):
        log.logger.error("again")
        log.clock.now += 0.01
    assert log.lines == ["again"] * (LINES - 1) + [
        "too much to log: what comes now is only counted, for 60 seconds",
    ]
    log.clock.now += SECONDS - 10  # there would be room for some
    log.logger.error("again")
    assert len(log.lines) == LINES
    log.clock.now += SECONDS
    log.logger.error("later")
    assert log.lines[LINES:] == [f"{1001 - LINES + 1} log messages were left out", "later"]


def test_no_minute_has_more_lines(log: Log) -> None:
    times: list[float] = []
    for _ in range(3000):
        before = len(log.lines)
        log.logger.error("again")
        times += [log.clock.now] * (len(log.lines) - before)
        log.clock.now += 0.1
    assert len(times) > 3 * LINES
    assert max(sum(then <= other < then + SECONDS for other in times) for then in times) <= LINES


def test_tracebacks_count_by_their_lines(log: Log) -> None:
    def deep(n: int) -> None:
        if n == 0:
            raise ValueError("deep down")
        deeper(n)

    def deeper(n: int) -> None:  # in turn, or the traceback would be shortened
        deep(n - 1)

    for depth in (1, 60, 1, 1, 60):
        try:
            deep(depth)
        except ValueError:
            log.logger.exception("it failed at %d", depth)
    assert len(log.lines) <= LINES
    assert [line for line in log.lines if line.startswith("it failed")] == [
        f"it failed at {depth}" for depth in (1, 60, 1, 1, 60)
    ]
    assert log.lines.count("ValueError: deep down") == 3  # the long ones are left out


def test_the_end_says_what_was_left_out(log: Log) -> None:
    for _ in range(150):
        log.logger.error("again")
    log.handler.close()
    assert log.lines[-1] == "51 log messages were left out"


def test_a_flood_of_handshakes_that_fail_does_not_fill_the_log(
    capfd: pytest.CaptureFixture[str], served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:  # drill 15
    async def fail(_: str) -> None:
        raise ValueError("a fault")

    table = served.open()
    monkeypatch.setattr(served.hall, "find", fail)
    for _ in range(200):
        with served.raw() as raw:
            raw.sendall(upgrade(table))
            assert raw.recv(4096).startswith(b"HTTP/1.1 500")
    lines = capfd.readouterr().err.splitlines()
    assert 10 < len(lines) <= LINES
    assert "ValueError: a fault" in lines
    assert "too much to log" in lines[-1]


def test_a_flood_of_refused_handshakes_and_frames_writes_nothing(
    capfd: pytest.CaptureFixture[str], served: Served
) -> None:
    table = served.open()
    for number in range(200):
        with served.raw() as raw:
            raw.sendall(upgrade(table if number % 2 else "nothing", origin="http://evil.example" if number % 2 else ""))
            raw.recv(4096)
    for _ in range(5):
        with served.join(table) as player:
            for _ in range(60):
                player.connection.send(b"\xff")
    for _ in range(50):
        with served.raw() as raw:
            raw.sendall(b"nonsense\r\n\r\n")
            raw.recv(4096)
    assert capfd.readouterr().err == ""
