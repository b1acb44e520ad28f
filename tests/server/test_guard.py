import asyncio
from pathlib import Path
from typing import Any

import pytest

from knobel.server.access import Access
from knobel.server.guard import Guard
from knobel.server.limit import Limits, address_of
from knobel.server.metric import Metrics
from knobel.server.pulse import Pulse
from tests.server.serving import PEOPLE, Served, serving, upgrade
from tests.server.test_page import TABLE, refused

PUBLIC = Access(public="https://play.example")


def test_other_sites_cannot_change_anything(served: Served) -> None:  # drill 21
    for origin in ("http://evil.example", "null", "http://127.0.0.1:1", f"{served.url}.evil.example"):
        for path in ("/api/tables", "/api/rulesets/compose"):
            answer = served.http.post(path, json=TABLE, headers={"origin": origin})
            refused(answer, 403, "request/foreign-origin")
    for site in ("cross-site", "same-site"):
        answer = served.http.post("/api/tables", json=TABLE, headers={"sec-fetch-site": site})
        refused(answer, 403, "request/foreign-origin")
    assert served.http.get("/api/tables").json() == {"tables": []}
    ours = {"origin": served.url, "sec-fetch-site": "same-origin"}
    assert served.http.post("/api/tables", json=TABLE, headers=ours).status_code == 201


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "", "127.0.0.1.evil.example", "[", "127.0.0.1@evil.example"]
)
def test_a_foreign_host_is_refused(served: Served, host: str) -> None:  # DNS rebinding
    refused(served.http.get("/api/tables", headers={"host": host}), 403, "request/foreign-host")


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1", "[::1]:8000"])
def test_loopback_is_ours(served: Served, host: str) -> None:
    assert served.http.get("/api/tables", headers={"host": host}).status_code == 200


def test_without_lan_an_address_of_this_machine_is_refused_as_plain_http(tmp_path: Path) -> None:
    with serving(tmp_path, access=Access("0.0.0.0")) as served:
        for host in ("192.168.1.7:80", "127.0.0.2", "[fe80::1]", "203.0.113.9", "0.0.0.0"):
            refused(served.http.get("/api/tables", headers={"host": host}), 403, "request/plain-http")
        assert served.http.get("/api/tables").status_code == 200


def test_with_lan_private_addresses_are_ours_but_no_names(tmp_path: Path) -> None:
    with serving(tmp_path, access=Access("0.0.0.0", lan=True)) as served:
        for host in ("192.168.1.7:80", "10.0.0.1", "172.31.255.255", "[fd00::1]:80", "[fe80::1]", "localhost"):
            assert served.http.get("/api/tables", headers={"host": host}).status_code == 200, host
        for host in ("evil.example", "evil.local", "", "192.168.1.7.evil.example", "192.168.1.7@evil.example"):
            refused(served.http.get("/api/tables", headers={"host": host}), 403, "request/foreign-host")
        for host in ("203.0.113.9", "8.8.8.8", "172.32.0.1", "192.0.2.1", "[2001:db8::1]", "0.0.0.0", "127.0.0.2"):
            refused(served.http.get("/api/tables", headers={"host": host}), 403, "request/plain-http")
    with serving(tmp_path, access=Access("dice.home", lan=True)) as served:
        assert served.http.get("/api/tables", headers={"host": "dice.home:80"}).status_code == 200


def test_what_is_behind_a_page_that_is_refused_is_said_in_both_languages(tmp_path: Path) -> None:
    def words(access: Access, host: str) -> str:
        with serving(tmp_path, access=access) as served:
            answer = served.http.get("/table/abc", headers={"host": host, "accept": "text/html"})
            assert answer.status_code == 403
            assert answer.headers["content-type"] == "text/plain; charset=utf-8"
            assert "unsafe" not in answer.headers["content-security-policy"]
            english, german = answer.text.splitlines()
            assert "server" in english.lower()
            assert "Server" in german != english
            return str(answer.text)

    assert "--lan" in words(Access("0.0.0.0"), "192.168.1.7")
    assert "localhost" in words(Access(), "dice.home")
    assert "Zahlen" in words(Access("0.0.0.0", lan=True), "dice.home")
    assert "--public-url" in words(Access("0.0.0.0", lan=True), "8.8.8.8")
    assert words(Access(public="https://play.example"), "dice.home").count("https://play.example") == 2


def test_behind_a_proxy_only_its_own_name_is_served(tmp_path: Path) -> None:
    with serving(tmp_path, access=PUBLIC) as served:
        for host in ("play.example", "PLAY.example", "play.example:443"):
            assert served.http.get("/api/tables", headers={"host": host}).status_code == 200, host
        wrong: tuple[str, ...] = (
            "",
            "evil.example",
            "127.0.0.1",
            "localhost",
            "10.0.0.1",
            "play.example:80",
            "a.play.example",
            "[",
        )
        wrong += ("play.example.evil.example", "u@play.example", "play.example/a", "play.example?a", "play.example:x")
        for host in wrong:
            refused(served.http.get("/api/tables", headers={"host": host}), 403, "request/foreign-host")
        for path in ("/healthz", "/metrics"):  # for this machine
            assert served.http.get(path).status_code == 200
            assert served.http.get(path, headers={"host": "10.0.0.1"}).status_code == 403
        ours = {"host": "play.example", "origin": "https://play.example"}
        assert served.http.post("/api/tables", json=TABLE, headers=ours).status_code == 201
        for origin in ("http://play.example", "https://play.example:80", "https://play.example.evil.example", "null"):
            answer = served.http.post("/api/tables", json=TABLE, headers=ours | {"origin": origin})
            refused(answer, 403, "request/foreign-origin")


def test_a_socket_behind_a_proxy_comes_from_its_own_pages(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        table = served.open()
    with serving(tmp_path, access=PUBLIC) as served:
        for host, origin, status in (
            ("play.example", "https://play.example", b"101"),
            ("play.example", "http://play.example", b"403"),
            ("127.0.0.1", "http://127.0.0.1", b"403"),
        ):
            with served.raw() as raw:
                raw.sendall(upgrade(table, host, origin))
                assert raw.recv(4096).startswith(b"HTTP/1.1 " + status)


def test_a_page_of_ours_speaks_the_scheme_of_the_server(served: Served) -> None:
    answer = served.http.post("/api/tables", json=TABLE, headers={"origin": served.url.replace("http", "https")})
    refused(answer, 403, "request/foreign-origin")


def test_only_https_is_made_to_stay(tmp_path: Path) -> None:  # ASVS 3.4.1
    name = "strict-transport-security"
    for access in (Access(), Access("0.0.0.0", lan=True)):
        with serving(tmp_path, access=access) as served:
            for path in ("/", "/api/me", "/api/nothing"):
                assert name not in served.http.get(path).headers
    with serving(tmp_path, access=PUBLIC) as served:
        for path in ("/", "/api/me", "/api/nothing"):
            assert served.http.get(path, headers={"host": "play.example"}).headers[name] == "max-age=31536000"


async def nothing() -> Any:
    """Never asked for."""
    raise AssertionError


async def client_behind(access: Access, peer: str | None, *forwarded: str) -> str:
    """Whom the application believes to talk with; `forwarded` are X-Forwarded-For lines."""
    found: list[str] = []

    async def app(scope: Any, _receive: Any, _send: Any) -> None:
        found.append(address_of(scope))

    async def send(_: object) -> None:
        raise AssertionError

    headers = [(b"host", b"play.example" if access.public else b"127.0.0.1")]
    headers += [(b"x-forwarded-for", line.encode()) for line in forwarded]
    scope = {"type": "http", "method": "GET", "path": "/x", "scheme": "http", "headers": headers}
    await Guard(app, access, Metrics(), Pulse(lambda: 0.0))(scope | {"client": peer and (peer, 1)}, nothing, send)
    return found[0]


@pytest.mark.parametrize("peer", ["127.0.0.1", "::1", "10.1.2.3", "::ffff:192.168.0.1"])
def test_our_proxy_says_whom_it_speaks_for(peer: str) -> None:
    for forwarded, who in (
        (("198.51.100.7",), "198.51.100.7"),
        (("203.0.113.1, 198.51.100.7",), "198.51.100.7"),  # what a client claims stands further left
        (("203.0.113.1", "10.0.0.1,  198.51.100.7"), "198.51.100.7"),
        (("2001:db8:1:2:3:4:5:6",), "2001:db8:1:2::/64"),
    ):
        assert asyncio.run(client_behind(PUBLIC, peer, *forwarded)) == who
    for nonsense in ("", "evil", "1.2.3.4, ", "1.2.3.4:80", "\xff"):
        assert asyncio.run(client_behind(PUBLIC, peer, nonsense)) == address_of({"client": (peer, 1)})


def test_nobody_else_is_believed_about_addresses() -> None:
    for access in (Access(), Access("0.0.0.0", lan=True)):
        assert asyncio.run(client_behind(access, "127.0.0.1", "198.51.100.7")) == "127.0.0.1"
    assert asyncio.run(client_behind(PUBLIC, "203.0.113.1", "198.51.100.7")) == "203.0.113.1"
    assert asyncio.run(client_behind(PUBLIC, None, "198.51.100.7")) == ""


def test_an_address_that_is_made_up_opens_neither_more_tables_nor_the_metrics(tmp_path: Path) -> None:
    with serving(tmp_path, limits=Limits(new=1)) as served:
        forged = {"x-forwarded-for": "198.51.100.7"}
        assert served.http.post("/api/tables", json=TABLE).status_code == 201
        refused(served.http.post("/api/tables", json=TABLE, headers=forged), 429, "request/too-many")
    with serving(tmp_path, access=PUBLIC, limits=Limits(new=1)) as served:
        for last in ("198.51.100.7", "198.51.100.8"):
            headers = {"host": "play.example", "x-forwarded-for": f"10.0.0.1, {last}"}
            assert served.http.post("/api/tables", json=TABLE, headers=headers).status_code == 201
            refused(served.http.post("/api/tables", json=TABLE, headers=headers), 429, "request/too-many")
        assert served.http.get("/metrics", headers={"x-forwarded-for": "127.0.0.1"}).status_code == 404


@pytest.mark.parametrize("peer", ["203.0.113.1", "2001:db8::1", "::ffff:8.8.8.8", "nonsense", None])
def test_plain_http_is_for_peers_in_the_private_network(peer: str | None) -> None:
    async def ask(peer: str | None) -> int:
        status: list[int] = []

        async def answering(message: Any) -> None:
            status.append(message.get("status"))

        async def app(_scope: Any, _receive: Any, send: Any) -> None:
            await send({"type": "http.response.start", "status": 200})

        headers = [(b"host", b"192.168.1.7"), (b"x-forwarded-for", b"192.168.1.8")]
        scope = {"type": "http", "method": "GET", "path": "/api/me", "scheme": "http", "headers": headers}
        guard = Guard(app, Access("0.0.0.0", lan=True), Metrics(), Pulse(lambda: 0.0))
        await guard(scope | {"client": peer and (peer, 1)}, nothing, answering)
        return status[0]

    assert asyncio.run(ask(peer)) == 403
    assert asyncio.run(ask("192.168.1.8")) == asyncio.run(ask("::ffff:10.0.0.1")) == 200


def test_a_socket_through_a_foreign_name_is_refused(served: Served) -> None:
    table = served.open(seats=PEOPLE)
    with served.raw() as raw:
        raw.sendall(upgrade(table, "evil.example", "http://evil.example"))
        assert raw.recv(4096).startswith(b"HTTP/1.1 403")
