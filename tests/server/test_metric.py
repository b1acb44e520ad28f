"""`/healthz` and `/metrics`: what the server says about itself to whoever runs it."""

import asyncio
import json
import re
import socket
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import sqlalchemy as sa
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy.ext.asyncio import create_async_engine

import knobel
from knobel.server import folder, writer
from knobel.server.access import Access
from knobel.server.app import create_app
from knobel.server.hall import Hall
from knobel.server.messages import PROTOCOL
from knobel.server.metric import REASONS, REFUSALS, Metrics
from knobel.server.store import Store
from tests.server.serving import BEGUN, HELLO, Player, Served, eventually, needs_root, serving, small_disk
from tests.server.test_page import refused
from tests.server.test_store import fill, legal_move

DOCS = Path(__file__).parents[2] / "docs" / "protocol.md"


def figures(served: Served) -> dict[str, float]:
    """All samples by name and labels."""
    families = text_string_to_metric_families(served.http.get("/metrics").text)
    return {_name(sample.name, sample.labels): sample.value for family in families for sample in family.samples}


def _name(name: str, labels: dict[str, str]) -> str:
    return name.removeprefix("knobel_") + "".join(f" {value}" for value in labels.values())


def rises(served: Served, before: dict[str, float]) -> dict[str, float]:
    """What has risen, without what time alone and the question itself raise."""
    ours = {name: value for name, value in figures(served).items() if not name.startswith(("process_", "http_"))}
    seconds = ("commit_seconds_bucket", "commit_seconds_sum", "late_seconds")
    return {
        name: value - before[name]
        for name, value in ours.items()
        if value > before[name] and not name.startswith(seconds)
    }


# --- the figures ---


def test_the_figures_are_in_the_text_format_and_explained(served: Served) -> None:
    answer = served.http.get("/metrics")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert answer.headers["cache-control"] == "no-store"
    families = list(text_string_to_metric_families(answer.text))
    assert len({family.name for family in families}) == len(families)
    for family in families:
        assert family.name.startswith("knobel_")
        assert family.documentation.endswith(".")
        assert family.type in ("counter", "gauge", "histogram")
    kinds = {family.name.removeprefix("knobel_"): family.type for family in families}
    counters = ("events_committed", "commits", "acknowledgements", "commands_refused", "http_responses")
    assert {kinds[name] for name in (*counters, "frames_refused", "sockets_closed")} == {"counter"}
    gauges = ("sockets", "tables", "tables_watched", "writer_waiting")
    process = ("process_start_time_seconds", "process_resident_memory_bytes")
    assert {kinds[name] for name in (*gauges, *process)} == {"gauge"}
    assert kinds["commit_seconds"] == "histogram"
    assert abs(figures(served)["process_start_time_seconds"] - time.time()) < 86_400
    assert "_created" not in answer.text


def test_every_series_is_there_before_anything_has_happened(served: Served) -> None:
    first = figures(served)
    assert {f"commands_refused_total {code}" for code in REFUSALS} <= set(first)
    assert {f"sockets_closed_total {reason}" for reason in REASONS} <= set(first)
    with served.join(served.open()) as player:
        player.throw()
    served.http.get("/nothing")
    assert set(figures(served)) == set(first)


def test_commands_commits_and_refusals_are_counted(served: Served) -> None:
    before = figures(served)
    table = served.open()
    assert rises(served, before) == {
        "events_committed_total": BEGUN, "commits_total stored": 1, "commit_seconds_count": 1, "tables": 1,
    }  # fmt: skip
    with served.join(table) as player:
        before = figures(served)
        command = player.command({"do": "throw", "keep": []})
        for _ in range(2):
            player.send(command)
            assert player.until_reply()["ok"]
        assert rises(served, before) == {
            "events_committed_total": 1, "commits_total stored": 1, "commit_seconds_count": 1,
            "acknowledgements_total": 2,
        }  # fmt: skip
        before = figures(served)
        assert not player.play({"do": "enter", "box": "nonsense"})["ok"]
        assert not player.play({"do": "throw", "keep": []}, version=1)["ok"]
        assert not player.play({"do": "throw", "keep": []}, version=1)["ok"]
        player.connection.send("{")
        player.connection.send(b"binary")
        player.connection.send(HELLO)
        for _ in range(3):
            assert not player.receive()["ok"]
        assert rises(served, before) == {
            "commands_refused_total action/illegal": 1, "commands_refused_total action/stale": 2,
            "frames_refused_total": 3,
        }  # fmt: skip


def test_sockets_are_counted_while_they_are_open_and_by_why_they_end(served: Served) -> None:
    table = served.open()
    before = figures(served)
    first, second = served.join(table), served.join(table)
    assert rises(served, before) == {"sockets": 2, "tables_watched": 1}
    for end, reason in (
        (_leave, "left"),
        (_break_off, "left"),
        (_send_too_much, "invalid"),
        (_send_foreign_hello, "policy"),
    ):
        before = figures(served)
        end(served, table)
        assert eventually(lambda: f"sockets_closed_total {reason}" in rises(served, before)), reason  # noqa: B023
        refusals = {"frames_refused_total": 1} if reason in ("invalid", "policy") else {}
        assert rises(served, before) == {f"sockets_closed_total {reason}": 1} | refusals
    for player in (first, second):
        player.connection.close()
    assert eventually(lambda: figures(served)["sockets"] == 0)
    assert figures(served)["tables_watched"] == 0


def _leave(served: Served, table: str) -> None:
    with served.join(table):
        pass


def _break_off(served: Served, table: str) -> None:
    served.join(table).connection.socket.shutdown(socket.SHUT_RDWR)


def _send_too_much(served: Served, table: str) -> None:
    served.join(table).connection.send("x" * 8193)


def _send_foreign_hello(served: Served, table: str) -> None:
    connection = served.connect(table)
    connection.send(json.dumps({"type": "hello", "protocol": PROTOCOL + 1}))
    assert "message/protocol" in str(connection.recv(10))


def test_responses_are_counted_by_class(served: Served) -> None:
    served.http.get("/api/rulesets")
    before = figures(served)
    served.open()
    served.http.get("/nothing")
    served.http.get("/", headers={"host": "evil.example"})
    with pytest.raises(Exception, match="404"):
        served.connect("unknown")
    after = figures(served)
    classes = ("1xx", "2xx", "3xx", "4xx", "5xx")
    rise = {name: after[f"http_responses_total {name}"] - before[f"http_responses_total {name}"] for name in classes}
    assert rise == {"1xx": 0, "2xx": 2, "3xx": 0, "4xx": 3, "5xx": 0}  # the first look at the figures too


def test_nothing_personal_is_in_the_figures(served: Served) -> None:
    table = served.open(seats=({"name": "Zaphod", "kind": "person"}, {"name": "Trillian", "kind": "person"}))
    with served.join(table) as player:
        command = player.command({"do": "throw", "keep": []})
        player.send(command)
        player.until_reply()
        served.http.get(f"/api/tables/{table}")
        text = served.http.get("/metrics").text
    for secret in ("Zaphod", "Trillian", table, command["id"], "classic", "127.0.0.1"):
        assert secret not in text


def test_two_servers_in_one_process_count_apart(tmp_path: Path) -> None:
    with serving(tmp_path / "a") as first, serving(tmp_path / "b") as second:
        first.open()
        assert (figures(first)["commits_total stored"], figures(second)["commits_total stored"]) == (1, 0)


def test_codes_make_few_series() -> None:
    metrics = Metrics()
    for code in ("action/illegal", "surprise/one", "surprise/two"):
        metrics.replied(code)
    text = metrics.format().decode()
    assert 'knobel_commands_refused_total{code="other"} 2.0' in text
    assert "surprise" not in text
    documented = re.findall(
        r"`((?:table/over|action/|storage/|server/)[a-z-]*)`", DOCS.read_text().split("## Codes")[1]
    )
    assert set(REFUSALS) - {"other"} == set(documented)


# --- who may see them ---


async def ask(path: str, peer: str | None = "127.0.0.1", host: str = "127.0.0.1", **headers: str) -> httpx.Response:
    """The answer of an app that nobody has started, to a peer that a test cannot really be."""
    app: Any = create_app(
        Hall(Store(create_async_engine("sqlite+aiosqlite://"))), Access(public="https://dice.example")
    )

    async def from_peer(scope: Any, receive: Any, send: Any) -> None:
        await app(scope | {"client": peer and (peer, 50_000)}, receive, send)

    transport = httpx.ASGITransport(app=from_peer)
    async with httpx.AsyncClient(transport=transport, base_url=f"http://{host}") as client:
        return await client.get(path, headers={name.replace("_", "-"): value for name, value in headers.items()})


@pytest.mark.parametrize("peer", ["127.0.0.1", "127.0.0.2", "::1", "::ffff:127.0.0.1"])
def test_this_machine_sees_the_figures(peer: str) -> None:
    assert asyncio.run(ask("/metrics", peer)).status_code == 200


@pytest.mark.parametrize("peer", ["192.0.2.7", "10.0.0.1", "2001:db8::1", "::ffff:192.0.2.7", "nonsense", None])
@pytest.mark.parametrize(
    "headers",
    [{}, {"x_forwarded_for": "127.0.0.1"}, {"forwarded": "for=127.0.0.1"}, {"x_real_ip": "::1"}],
)
def test_others_do_not_see_the_figures(peer: str | None, headers: dict[str, str]) -> None:
    answer = asyncio.run(ask("/metrics", peer, **headers))
    refused(answer, 404, "request/not-found")
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    "headers",
    [
        {"x_forwarded_for": "192.0.2.7"}, {"x_forwarded_host": "a"}, {"forwarded": "for=127.0.0.1"},
        {"x_real_ip": "127.0.0.1"}, {"via": "1.1 proxy"}, {"host": "dice.example"},
    ],
)  # fmt: skip
def test_others_do_not_see_the_figures_through_a_proxy_on_this_machine(headers: dict[str, str]) -> None:
    refused(asyncio.run(ask("/metrics", **headers)), 404, "request/not-found")


@pytest.mark.parametrize("path", ["/healthz", "/metrics"])
def test_both_are_inside_the_host_check_and_can_be_asked_for_their_head(served: Served, path: str) -> None:
    refused(served.http.get(path, headers={"host": "evil.example"}), 403, "request/foreign-host")
    head = served.http.head(path)
    assert (head.status_code, head.content, head.headers["cache-control"]) == (200, b"", "no-store")
    refused(served.http.post(path), 405, "request/method-not-allowed")
    assert served.http.post(path).headers["allow"] == "GET, HEAD"


# --- health ---


def health(served: Served) -> tuple[int, dict[str, Any]]:
    answer = served.http.get("/healthz", timeout=1)
    return answer.status_code, answer.json()


GOOD = (200, {"ok": True, "version": knobel.__version__, "database": "ok"})


def bad(state: str, database: str = "ok") -> tuple[int, dict[str, Any]]:
    return 503, {"ok": False, "version": knobel.__version__, "database": database, "writer": state}


def goes_red_and_green(served: Served, player: Player, recover: Callable[[], object], database: str) -> None:
    """Storing fails already; a failure is counted and seen, and so is the recovery."""
    before = figures(served)
    for _ in range(40):  # what the log has set aside may take a few events
        command = player.command(legal_move(player))
        player.send(command)
        reply = player.until_reply()
        if not reply["ok"]:
            break
    assert health(served) == bad("failing", database)
    found = rises(served, before)
    assert found["commits_total failed"] == 1
    assert found[f"commands_refused_total {reply['problem']['code']}"] == 1
    recover()
    player.send(command)
    assert player.until_reply()["ok"]
    assert health(served) == GOOD


def test_a_server_that_stores_is_healthy(served: Served) -> None:
    assert health(served) == GOOD
    before = figures(served)
    health(served)
    assert rises(served, before) == {}  # asking commits nothing


@needs_root
def test_a_full_disk_is_named(tmp_path: Path) -> None:  # drill 4
    with (
        small_disk(tmp_path / "small", "size=3m") as data,
        serving(data) as served,
        (data / "filler").open("wb", buffering=0) as filler,
        served.join(served.open("six-dice")) as player,
    ):
        fill(filler)
        goes_red_and_green(served, player, lambda: filler.truncate(0), "full")


def test_a_locked_database_is_named(tmp_path: Path) -> None:  # drill 5
    with (
        serving(tmp_path) as served,
        served.join(served.open()) as player,
        closing(sqlite3.connect(tmp_path / folder.DATABASE)) as connection,
    ):
        connection.execute("BEGIN IMMEDIATE")
        goes_red_and_green(served, player, connection.rollback, "locked")


def test_a_read_only_database_is_named(served: Served) -> None:  # drill 5
    with served.join(served.open()) as player, read_only(served.hall.store) as recover:
        goes_red_and_green(served, player, recover, "read-only")


@contextmanager
def read_only(store: Store) -> Iterator[Callable[[], None]]:
    """SQLite refuses to write as it does with a file that it may only read; what is given makes an end of it."""
    mode = ["ON"]

    @sa.event.listens_for(store.engine.sync_engine, "begin")
    def _(connection: sa.Connection) -> None:
        connection.exec_driver_sql(f"PRAGMA query_only={mode[0]}")

    yield lambda: mode.__setitem__(0, "OFF")


def test_a_commit_that_does_not_end_is_noticed(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    append, gate = served.hall.store.append, asyncio.Event()

    async def hang(*args: Any) -> None:
        await gate.wait()
        await append(*args)

    async def open_gate() -> None:
        gate.set()

    monkeypatch.setattr(writer, "STUCK_SECONDS", 0.2)
    with served.join(served.open()) as player:
        monkeypatch.setattr(served.hall.store, "append", hang)
        player.send(player.command({"do": "throw", "keep": []}))
        assert eventually(lambda: health(served) == bad("stuck"))
        served.call(open_gate)
        assert player.until_reply()["ok"]
    assert health(served) == GOOD


def test_a_full_queue_is_noticed(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "MAX_WAITING", 0)
    assert health(served) == bad("overloaded")
    assert figures(served)["writer_waiting"] == 0


def test_a_writer_that_does_not_run_is_noticed(served: Served) -> None:
    answer = asyncio.run(ask("/healthz"))
    assert (answer.status_code, answer.json()) == bad("stopped")

    async def end() -> None:
        served.hall._running.cancel()

    served.call(end)
    assert eventually(lambda: health(served) == bad("stopped"))
    served.hall._running = served.call(restarted(served.hall))


def restarted(hall: Hall) -> Callable[[], Any]:
    """A new run of the writer, for the hall waits for it at its end."""

    async def run() -> asyncio.Task[None]:
        return asyncio.create_task(hall.writer.run())

    return run
