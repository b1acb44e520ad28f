"""What a server counts about itself, in the text format of Prometheus: numbers only, no names and no tables.

Every hall has a registry of its own, so that servers in one process count apart.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from prometheus_client import (
    CONTENT_TYPE_PLAIN_0_0_4,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)

CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4
REFUSALS = (  # of commands; any other code is counted as "other", so that the series stay few
    "table/over", "action/not-your-turn", "action/not-your-seat", "action/stale", "action/illegal",
    "storage/full", "storage/failed", "server/overloaded", "server/error", "other",
)  # fmt: skip
REASONS = ("left", "invalid", "policy", "slow", "unavailable", "stopping", "failed")
CLASSES = ("1xx", "2xx", "3xx", "4xx", "5xx")
_COMMIT_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
_REASON_OF = {1002: "invalid", 1007: "invalid", 1009: "invalid", 1012: "stopping"}  # by close code

disable_created_metrics()  # type: ignore[no-untyped-call]  # version 0.0.4 of the format has no place for them


class Metrics:
    """The counters of one server."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.sockets = self._gauge("sockets", "Open game sockets.")
        self.tables = self._gauge("tables", "Tables in memory.")
        self.tables_watched = self._gauge("tables_watched", "Tables in memory that a socket gets the updates of.")
        self.waiting = self._gauge("writer_waiting", "Commands and new tables that wait for a commit.")
        self.late = self._gauge("late_seconds", "How late commands and the event loop were of late; newcomers wait.")
        self._events = self._counter("events_committed", "Events that were stored.")
        self._commits = self._counter("commits", "Transactions of the writer.", "result", ("stored", "failed"))
        self._acknowledgements = self._counter("acknowledgements", "Commands answered with ok, repeated ones too.")
        self._refused = self._counter("commands_refused", "Commands that were refused.", "code", REFUSALS)
        self._frames_refused = self._counter("frames_refused", "Frames that were no proper message, or too many.")
        self._closed = self._counter("sockets_closed", "Game sockets that ended.", "reason", REASONS)
        self._responses = self._counter("http_responses", "HTTP responses by class of status.", "status", CLASSES)
        self._commit_seconds = Histogram(
            "knobel_commit_seconds",
            "How long a transaction of the writer took, failed ones too.",
            buckets=_COMMIT_SECONDS,
            registry=self.registry,
        )
        ProcessCollector("knobel", registry=self.registry)

    @contextmanager
    def commit(self, n_events: int) -> Iterator[None]:
        """Around a transaction that stores so many events."""
        result = "failed"
        try:
            with self._commit_seconds.time():
                yield
            result = "stored"
            self._events.inc(n_events)
        finally:
            self._commits.labels(result).inc()

    def replied(self, code: str | None) -> None:
        """A frame was answered, with the code of a problem or with ok."""
        if code is None:
            self._acknowledgements.inc()
        elif code.startswith("message/"):
            self._frames_refused.inc()
        else:
            self._refused.labels(code if code in REFUSALS else "other").inc()

    def disconnected(self, code: int) -> str:
        """Why a socket ended, by the close code of either side."""
        reason = _REASON_OF.get(code, "left")
        if reason == "invalid":
            self._frames_refused.inc()
        return reason

    def closed(self, reason: str) -> None:
        """A socket ended; `reason` is one of `REASONS`."""
        self._closed.labels(reason).inc()

    def responded(self, status: int) -> None:
        """An HTTP response began."""
        self._responses.labels(CLASSES[status // 100 - 1]).inc()

    def format(self) -> bytes:
        """Everything, in version 0.0.4 of the text format."""
        return generate_latest(self.registry)

    def _gauge(self, name: str, text: str) -> Gauge:
        return Gauge(f"knobel_{name}", text, registry=self.registry)

    def _counter(self, name: str, text: str, label: str = "", values: tuple[str, ...] = ()) -> Counter:
        """All series exist from the beginning, at 0: else the first count would not show as a rise."""
        counter = Counter(f"knobel_{name}", text, (label,) if label else (), registry=self.registry)
        for value in values:
            counter.labels(value)
        return counter
