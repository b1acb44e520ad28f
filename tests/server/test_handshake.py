import gc
import socket
import time

import pytest
from websockets.server import ServerProtocol

from knobel.server import handshake
from tests.server.serving import Served, eventually, upgrade

MANY = 20
HEAD = b"GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\n"


def answer(served: Served, request: bytes) -> bytes:
    with served.raw() as raw:
        raw.sendall(request)
        return raw.recv(4096)


def test_headers_within_the_limits_are_served(served: Served) -> None:
    lines = b"".join(b"x-%d: 1\r\n" % number for number in range(60))
    assert answer(served, HEAD + lines + b"\r\n").startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize(
    "request_",
    [
        HEAD + b"x: " + b"y" * 8192 + b"\r\n\r\n",  # in one piece
        HEAD + b"x: " + b"y" * 9000,  # never ending
        HEAD + b"".join(b"x-%d: 1\r\n" % number for number in range(64)) + b"\r\n",
        b"GET /" + b"y" * 9000 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"nonsense\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00",
    ],
)
def test_too_large_or_broken_headers_are_refused(served: Served, request_: bytes) -> None:
    assert answer(served, request_).startswith(b"HTTP/1.1 400")


@pytest.mark.parametrize(
    "beginning", [b"", HEAD, b"POST /api/tables HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 10\r\n\r\n{"]
)
def test_a_request_that_does_not_end_is_cut_off(
    served: Served, beginning: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:  # drill 14
    monkeypatch.setattr(handshake, "REQUEST_SECONDS", 0.3)
    with served.raw() as raw:
        raw.settimeout(5)
        raw.sendall(beginning)
        assert not reads(raw, drip=b"x" if beginning == HEAD else b"")


def reads(raw: socket.socket, drip: bytes) -> bytes:
    """What the server says until it closes, while a byte goes out now and then."""
    said = b""
    raw.settimeout(0.05)
    for _ in range(60):
        try:
            if drip:
                raw.sendall(drip)
            part = raw.recv(4096)
        except TimeoutError:
            continue
        except OSError:
            return said
        if not part:
            return said
        said += part
    pytest.fail("the connection is still open")


def test_a_second_request_on_a_connection_has_its_deadline_too(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handshake, "REQUEST_SECONDS", 0.3)
    with served.raw() as raw:
        raw.sendall(HEAD + b"\r\n")
        said = b""
        while not said.endswith(b'{"ok":true}'):
            said += raw.recv(4096)
        time.sleep(0.5)  # idle connections may live longer
        raw.sendall(HEAD)
        assert not reads(raw, drip=b"x")


def test_a_socket_outlives_the_deadline_of_its_request(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handshake, "REQUEST_SECONDS", 0.2)
    with served.join(served.open()) as player:
        time.sleep(0.5)
        assert player.throw()["ok"]


def test_a_flood_of_pings_does_not_fill_the_memory(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handshake, "MAX_UNREAD", 10_000)
    ping = bytes([0x89, 0x80 | 125]) + bytes(4) + bytes(125)
    with served.raw() as raw:
        raw.sendall(upgrade(served.open()))
        assert raw.recv(4096).startswith(b"HTTP/1.1 101")
        assert not takes(raw, 1000 * [ping * 100])
    assert served.http.get("/api/health").status_code == 200


@pytest.mark.parametrize("opcode", [0x9, 0xA])
def test_more_pings_or_pongs_than_allowed_end_a_connection(served: Served, opcode: int) -> None:  # drill 16
    frame = bytes([0x80 | opcode, 0x80]) + bytes(4)
    with served.raw() as raw:
        raw.sendall(upgrade(served.open()))
        assert raw.recv(4096).startswith(b"HTTP/1.1 101")
        raw.sendall(frame * (handshake.MAX_PINGS + 2))  # one may have come back meanwhile
        pongs = b"" if opcode == 0xA else bytes([0x8A, 0]) * handshake.MAX_PINGS
        said = reads(raw, drip=b"")
        assert said.startswith(pongs)
        assert said.endswith(bytes([0x88, 2]) + (1008).to_bytes(2, "big"))


def takes(raw: socket.socket, parts: list[bytes]) -> bool:
    """Whether the server takes all that while no answer is read."""
    try:
        for part in parts:
            raw.sendall(part)
    except OSError:
        return False
    return True


def test_connections_that_are_gone_leave_nothing_behind(served: Served) -> None:
    """Nothing that only a search for cycles would find: a server rarely looks at what is old."""
    table = served.open()
    gc.collect()
    gc.disable()
    try:
        before = n_protocols()
        for _ in range(MANY):
            with served.join(table) as player:
                assert player.live["version"] > 0
        assert eventually(lambda: n_protocols() <= before)
    finally:
        gc.enable()


def n_protocols() -> int:
    return sum(type(thing) is ServerProtocol for thing in gc.get_objects())
