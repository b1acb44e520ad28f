import json
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from knobel.errors import KnobelError
from knobel.server import app
from knobel.server.access import Access, access_of
from tests.commanding import Command


@pytest.mark.parametrize(
    ("asked", "access"),
    [
        ({}, Access("127.0.0.1")),
        ({"host": "::1"}, Access("::1")),
        ({"host": "localhost"}, Access("localhost")),
        ({"host": "127.0.0.7"}, Access("127.0.0.7")),
        ({"lan": True}, Access("0.0.0.0", lan=True)),
        ({"lan": True, "host": "192.168.1.7"}, Access("192.168.1.7", lan=True)),
        ({"lan": True, "host": "::"}, Access("::", lan=True)),
        ({"public_url": "https://play.example"}, Access(public="https://play.example")),
        ({"public_url": "https://PLAY.example:443/"}, Access(public="https://play.example")),
        ({"public_url": "https://[2001:db8::1]:8443"}, Access(public="https://[2001:db8::1]:8443")),
        ({"public_url": "https://p.example", "host": "0.0.0.0"}, Access("0.0.0.0", public="https://p.example")),
    ],
)
def test_what_is_asked_for_becomes_an_access(asked: dict[str, object], access: Access) -> None:
    assert access_of(**asked) == access  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("asked", "key"),
    [
        ({"host": "0.0.0.0"}, "server-host-careless"),
        ({"host": "::"}, "server-host-careless"),
        ({"host": "192.168.1.7"}, "server-host-careless"),
        ({"host": "dice.home"}, "server-host-careless"),
        ({"lan": True, "host": "127.0.0.1"}, "server-lan-host"),
        ({"lan": True, "host": "localhost"}, "server-lan-host"),
        ({"lan": True, "host": "203.0.113.7"}, "server-lan-host"),
        ({"lan": True, "public_url": "https://play.example"}, "server-lan-and-public"),
        *(
            ({"public_url": url}, "server-public-url")
            for url in (
                *("", "play.example", "http://play.example", "https://", "https://play.example/knobel", "https://[::1"),
                *("https://play.example?a=1", "https://play.example#a", "https://u:p@play.example", "ftp://a.example"),
                *("https://würfel.example", "https://play.example:x", "https://play.example:99999"),
            )
        ),
    ],
)
def test_nonsense_and_carelessness_are_refused(asked: dict[str, object], key: str) -> None:
    with pytest.raises(KnobelError) as error:
        access_of(**asked)  # type: ignore[arg-type]
    assert error.value.reason.key == key


def test_the_command_line_refuses_them_before_anything_is_made(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve = Command("serve", capsys, tmp_path / "data", monkeypatch)
    assert "--lan" in serve.refused("--host", "0.0.0.0")
    assert "only one" in serve.refused("--lan", "--public-url", "https://play.example")
    assert "https://play.example" in serve.refused("--public-url", "http://play.example")
    assert "127.0.0.1" in serve.refused("--lan", "--host", "127.0.0.1")
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("arguments", "nearby", "lines"),
    [
        ((), (), ["Knobel is running: http://127.0.0.1:65/ (Ctrl-C ends it)"]),
        (
            ("--lan",),
            ("192.168.1.7", "10.0.0.1"),
            [
                "Knobel is running: http://127.0.0.1:65/ (Ctrl-C ends it)",
                "On other devices in this network: http://192.168.1.7:65/  http://10.0.0.1:65/",
                "Not encrypted: whoever is in this network can read along and pose as somebody else.",
            ],
        ),
        (
            ("--lan",),
            (),
            [
                "Knobel is running: http://127.0.0.1:65/ (Ctrl-C ends it)",
                "This machine has no address in a private network; other devices cannot reach it.",
                "Not encrypted: whoever is in this network can read along and pose as somebody else.",
            ],
        ),
        (
            ("--public-url", "https://play.example"),
            (),
            [
                (
                    "Knobel is running for https://play.example/ (Ctrl-C ends it). "
                    "The proxy passes requests with their Host on to http://127.0.0.1:65/."
                )
            ],
        ),
    ],
)
def test_the_command_line_says_where(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    nearby: tuple[str, ...],
    lines: list[str],
) -> None:
    def run(access: Access, *_: object, on_ready: object, **__: object) -> None:
        assert callable(on_ready)
        on_ready(app.Address(access.host, 65, 65, nearby))

    monkeypatch.setattr(app, "run", run)
    out, err = Command("serve", capsys, tmp_path, monkeypatch)(*arguments)
    assert (out.splitlines(), err) == (lines, "")


def test_only_private_addresses_are_told_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [(socket.AF_INET, 0, 0, "", (host, 0)) for host in ("127.0.1.1", "192.168.1.7", "8.8.8.8", "192.168.1.7")]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_: found)
    monkeypatch.setattr(socket.socket, "connect", lambda *_: (_ for _ in ()).throw(OSError("no network")))
    assert app.nearby("0.0.0.0") == ("192.168.1.7",)
    assert app.nearby("10.0.0.1") == ("10.0.0.1",)


def test_a_server_for_the_network_warns_in_its_log(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "knobel", "serve", "--lan", "--port", "0", "--data", str(tmp_path), "--lang", "en"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        assert server.stderr is not None
        url = server.stdout.readline().split()[3]
        try:
            with urllib.request.urlopen(f"{url}api/me", timeout=10) as answer:
                assert json.load(answer) == {"guest": None, "lan": False}
        finally:
            server.send_signal(signal.SIGINT)
        assert "Not encrypted" in server.stdout.read()
        assert server.stderr.read() == "WARNING: plain http (--lan): everybody in this network can read what is sent\n"
