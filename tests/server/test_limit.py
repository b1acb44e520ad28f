"""What one address may ask for, and what happens to those that do not read."""

import json
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection

from knobel.errors import Reason
from knobel.server import limit, socket
from knobel.server.limit import Buckets, Limits, Places, TooMany, address_of
from tests.server.serving import BEGUN, PEOPLE, Player, Served, asleep, serving
from tests.server.test_house import HOUSE
from tests.server.test_page import TABLE, refused
from tests.server.test_socket import GOOD

DRAFT = {"rules": HOUSE}
ASLEEP = 32_768  # bytes that a reader who sleeps takes


class Clock:
    """Stands until it is moved."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


# --- new tables and house rulesets ---


def test_a_bucket_fills_again() -> None:
    clock = Clock()
    buckets = Buckets(10, 60, clock)
    for _ in range(10):
        buckets.take("a")
    for _ in range(3):  # asking again costs nothing
        with pytest.raises(TooMany) as error:
            buckets.take("a")
        assert (error.value.code, error.value.wait) == ("request/too-many", 6)
    buckets.take("b")
    clock.now += 5.9
    with pytest.raises(TooMany):
        buckets.take("a")
    clock.now += 0.2
    buckets.take("a")
    clock.now += 3600
    for _ in range(10):
        buckets.take("a")
    with pytest.raises(TooMany):
        buckets.take("a")


def test_so_many_addresses_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limit, "REMEMBERED", 3)
    buckets = Buckets(1, 60, Clock())
    for who in "abca":  # a is asked for again, and so not forgotten first
        with pytest.raises(TooMany) if len(buckets) == 3 else contextmanager(iter)(((),)):
            buckets.take(who)
    for who in "defghi":
        buckets.take(who)
        assert len(buckets) == 3


@pytest.mark.parametrize(
    ("host", "who"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::1", "::1"),
        ("fe80::1%eth0", "fe80::1%eth0"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("::ffff:127.0.0.1", "127.0.0.1"),
        ("", ""),
        ("testclient", "testclient"),
    ],
)
def test_an_address_is_that_of_a_host(host: str, who: str) -> None:
    assert address_of({"client": (host, 1)}) == who
    assert address_of({"client": None}) == ""


@pytest.mark.parametrize(("path", "body"), [("/api/tables", TABLE), ("/api/house-rules", DRAFT)])
def test_one_address_makes_ten_in_a_minute(tmp_path: Path, path: str, body: Any) -> None:
    with serving(tmp_path, limits=Limits()) as served:
        served.http.headers["cookie"] = served.guest("Ada")
        for _ in range(10):
            assert served.http.post(path, json=body).status_code == 201
        answer = served.http.post(path, json=body)
        problem = refused(answer, 429, "request/too-many")
        assert problem["key"] == "server-too-many-new"
        assert problem["params"]["wait"] == int(answer.headers["retry-after"]) in range(1, 7)
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert len(served.http.get("/api/tables").json()["tables"]) == (10 if body is TABLE else 0)
        other = ("/api/house-rules", DRAFT) if body is TABLE else ("/api/tables", TABLE)
        assert served.http.post(other[0], json=other[1]).status_code == 201
        assert served.http.post("/api/house-preview", json=DRAFT).status_code == 200  # keeps nothing


def test_requests_of_other_sites_take_nothing_away(tmp_path: Path) -> None:
    with serving(tmp_path, limits=Limits(new=1)) as served:
        for _ in range(3):
            foreign = served.http.post("/api/tables", json=TABLE, headers={"origin": "http://evil.example"})
            refused(foreign, 403, "request/foreign-origin")
        assert served.http.post("/api/tables", json=TABLE).status_code == 201


# --- open sockets ---


def turned_away(served: Served, table: str) -> tuple[int, str, str | None]:
    """Status, code and Retry-After of a handshake that is refused."""
    with pytest.raises(InvalidStatus) as error:
        served.connect(table)
    response = error.value.response
    return (
        response.status_code,
        json.loads(response.body or b"")["problem"]["code"],
        response.headers.get("retry-after"),
    )


@pytest.mark.parametrize(
    ("limits", "answer"),
    [
        (Limits(sockets=2), (503, "server/overloaded", "10")),
        (Limits(sockets_of_loopback=2), (429, "request/too-many-sockets", "10")),
    ],
)
def test_a_socket_too_many_is_refused_before_its_table_is_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limits: Limits, answer: tuple[int, str, str]
) -> None:  # B096
    with serving(tmp_path, limits=limits) as served:
        table = served.open()
        with served.join(table) as one:
            for _ in range(3):  # a handshake that fails gives its place back
                assert turned_away(served, "unknown-table-id")[0] == 404
            with served.join(table):
                looked_for: list[str] = []
                with monkeypatch.context() as patch:
                    patch.setattr(served.hall, "find", looked_for.append)
                    assert turned_away(served, table) == answer
                    assert not looked_for
                assert one.throw()["ok"]
            until = time.monotonic() + 5
            while True:  # the place of a socket that was closed is free
                try:
                    with served.join(table) as again:
                        assert again.version == BEGUN + 1
                    break
                except InvalidStatus:
                    assert time.monotonic() < until


def test_each_address_has_its_places() -> None:
    places = Places(Limits(sockets=4, sockets_of_address=2, sockets_of_loopback=3))
    for who in ("192.0.2.1", "192.0.2.1", "192.0.2.2"):
        places.take(who)
    with pytest.raises(TooMany) as error:
        places.take("192.0.2.1")
    assert error.value.reason == Reason("server-too-many-sockets", {"most": 2})
    places.take("192.0.2.2")
    with pytest.raises(TooMany) as error:
        places.take("192.0.2.3")
    assert error.value.code == "server/overloaded"
    for who in ("192.0.2.1", "192.0.2.1", "192.0.2.2"):
        places.leave(who)
    for who in ("127.0.0.1", "127.0.0.1", "127.0.0.1"):  # as many as load tests need
        places.take(who)
    places.leave("192.0.2.2")
    with pytest.raises(TooMany) as error:
        places.take("127.0.0.1")
    assert error.value.reason.params == {"most": 3}


# --- slow readers ---


def flood(served: Served, table: str, text: str, n: int) -> None:
    """Frames for all who watch, each in a step of its own of the event loop."""

    async def send() -> None:
        for watcher in tuple((await served.hall.find(table)).watchers):
            watcher(text)

    for _ in range(n):
        served.call(send)


def end_of(connection: ClientConnection) -> int | None:
    """The close code, after reading everything."""
    try:
        while True:
            connection.recv(10)
    except ConnectionClosed:
        return connection.close_code


def frame(n_bytes: int) -> str:
    return json.dumps({"type": "nothing", "words": "x" * (n_bytes - 34)})


def reads_along(player: Player, frames: list[int]) -> None:
    try:
        while True:
            frames.append(len(player.connection.recv(10)))
    except ConnectionClosed:
        pass


@pytest.mark.parametrize(
    ("n_bytes", "n_frames"),
    [
        (65_536, 40),  # 2.5 MB: more than 256 KiB wait long before 64 frames do
        (16_000, 130),  # more than the buffers of the connection and 64 frames
    ],
)
def test_a_client_that_stops_reading_is_closed_and_another_gets_everything(
    served: Served, n_bytes: int, n_frames: int, monkeypatch: pytest.MonkeyPatch
) -> None:  # drill 13
    monkeypatch.setattr(socket, "STALL_SECONDS", 60)
    if n_bytes < 65_536:
        monkeypatch.setattr(socket, "MAX_OUTGOING_BYTES", 1 << 30)
    else:
        monkeypatch.setattr(socket, "MAX_OUTGOING", 1 << 30)
    table = served.open()
    with served.join(table) as player, asleep(served, table, ASLEEP) as sleeper:
        frames: list[int] = []
        thread = threading.Thread(target=reads_along, args=(player, frames))
        thread.start()
        until = time.monotonic() + 20
        for n_sent in range(1, n_frames + 1):
            flood(served, table, frame(n_bytes), 1)
            while len(frames) < n_sent:
                assert time.monotonic() < until, f"{len(frames)} frames of {n_sent}"
                time.sleep(0.001)
        assert served.hall_watchers(table) == 1
        assert end_of(sleeper) == 1013
        player.connection.close()
        thread.join()


def test_a_client_that_takes_nothing_for_some_seconds_is_closed(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "STALL_SECONDS", 0.5)
    monkeypatch.setattr(socket, "MAX_OUTGOING_BYTES", 1 << 30)
    table = served.open()
    with asleep(served, table, ASLEEP) as sleeper:
        flood(served, table, frame(65_536), 20)
        assert served.hall_watchers(table) == 1
        until = time.monotonic() + 5
        while served.hall_watchers(table):
            assert time.monotonic() < until, "it is still there"
            time.sleep(0.01)
        assert end_of(sleeper) == 1013


def test_a_client_that_reads_slowly_but_steadily_stays(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "STALL_SECONDS", 0.5)
    table = served.open()
    with asleep(served, table, ASLEEP) as sleeper:
        for _ in range(10):
            flood(served, table, frame(65_536), 2)
            for _ in range(2):
                sleeper.recv(10)
            time.sleep(0.1)
        assert served.hall_watchers(table) == 1


def test_the_largest_table_fits_into_what_may_wait(served: Served) -> None:
    table = served.open("six-dice", PEOPLE * 6, options={"columns": 3})
    with served.join(table) as player:
        sizes = [len(json.dumps(message)) for message in (player.first, player.live)]
        assert 3 * max(sizes) < socket.MAX_OUTGOING_BYTES


def test_a_client_that_is_too_slow_for_its_last_answer_is_closed_once(
    capfd: pytest.CaptureFixture[str], served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "MAX_OUTGOING_BYTES", 0)  # the reply that says why it is closed has no room
    with served.connect(served.open()) as connection:
        connection.send(json.dumps(GOOD))  # before the hello
        assert end_of(connection) == 1008
    assert served.http.get("/api/health").status_code == 200
    assert capfd.readouterr().err == ""
