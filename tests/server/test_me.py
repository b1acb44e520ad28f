"""`/api/me` and its cookie, over a real connection."""

import logging
from pathlib import Path
from typing import Any

import httpx
import pytest

from knobel.errors import Reason
from knobel.server import guest
from knobel.server.access import Access
from knobel.server.limit import Limits
from knobel.server.visitor import PLAIN, SECURE, Visitors
from knobel.table import Refused
from tests.server.serving import Served, serving
from tests.server.test_page import TABLE, refused

LAN, PUBLIC = Access("0.0.0.0", lan=True), Access(public="https://play.example")
AT_HOME: dict[str, str] = {}
IN_LAN = {"host": "192.168.1.7"}
OUTSIDE = {"host": "play.example"}


class Device:
    """A browser of its own, as far as cookies go: it sends what it was given, and nothing on its own."""

    def __init__(self, served: Served, headers: dict[str, str] = AT_HOME) -> None:
        self._served, self._headers = served, headers
        self.cookie: str | None = None  # name=token
        self.flags: tuple[str, ...] = ()  # of the cookie in the latest answer

    def ask(self, path: str = "", body: Any = None, **headers: str) -> httpx.Response:
        """GET without a body, else POST."""
        sent = self._headers | ({} if self.cookie is None else {"cookie": self.cookie}) | headers
        with httpx.Client(base_url=self._served.url, timeout=20) as client:
            method = "GET" if body is None else "POST"
            answer = client.request(method, f"/api/me{path}", json=body, headers=sent)
        assert answer.headers["cache-control"] == "no-store"
        self.flags = ()
        for header in answer.headers.get_list("set-cookie"):
            self.cookie, *flags = header.split("; ")
            self.flags = tuple(flags)
        return answer

    def become(self, name: str) -> dict[str, str]:
        """A guest of this name."""
        return dict(self.ask("", {"name": name}).json()["guest"])

    @property
    def guest(self) -> dict[str, str] | None:
        """Who the server says this is."""
        found = self.ask().json()["guest"]
        return None if found is None else dict(found)

    @property
    def token(self) -> str:
        assert self.cookie is not None
        return self.cookie.partition("=")[2]


def test_a_visitor_is_nobody_until_there_is_a_name(served: Served) -> None:
    ada = Device(served)
    assert ada.ask().json() == {"guest": None, "lan": False}
    assert ada.cookie is None
    made = ada.become(" Ada\u200b ")
    assert made["name"] == "Ada"
    assert set(made) == {"id", "name"}
    assert ada.guest == made
    assert ada.become("Eve") == {"id": made["id"], "name": "Eve"} == ada.guest
    assert Device(served).become("Ada")["id"] != made["id"]


@pytest.mark.parametrize("body", [{}, {"name": ""}, {"name": "x" * 41}, {"name": 7}, [], "Ada"])
def test_a_name_that_cannot_be_read_makes_nobody(served: Served, body: Any) -> None:
    refused(Device(served).ask("", body), 422, "request/invalid")
    refused(Device(served).ask("", {"name": "\u200b"}), 422, "seat/name-empty")


@pytest.mark.parametrize(
    ("access", "headers", "name", "is_secure"),
    [
        (Access(), AT_HOME, SECURE, True),
        (LAN, AT_HOME, SECURE, True),
        (LAN, IN_LAN, PLAIN, False),
        (PUBLIC, OUTSIDE, SECURE, True),
    ],
)
def test_the_cookie_has_every_flag_there_is(
    tmp_path: Path, access: Access, headers: dict[str, str], name: str, is_secure: bool
) -> None:  # ASVS 3.3.1 to 3.3.4
    with serving(tmp_path, access=access) as served:
        ada = Device(served, headers)
        assert ada.ask("", {"name": "Ada"}).json()["lan"] is not is_secure
        flags = {"Path=/", "HttpOnly", "SameSite=Strict", "Max-Age=34560000"} | ({"Secure"} if is_secure else set())
        assert (ada.cookie or "").startswith(f"{name}=")
        assert set(ada.flags) == flags  # and so no Domain
        assert ada.ask().json()["lan"] is not is_secure
        ada.ask("/forget", {})
        assert (ada.cookie, set(ada.flags)) == (f"{name}=", flags - {"Max-Age=34560000"} | {"Max-Age=0"})


def test_a_cookie_is_good_only_where_it_was_given(tmp_path: Path) -> None:
    with serving(tmp_path, access=LAN) as served:
        ada, ben = Device(served), Device(served, IN_LAN)
        ada.become("Ada")
        ben.become("Ben")
        for headers, token in ((IN_LAN, ada.token), (AT_HOME, ben.token)):
            for name in (SECURE, PLAIN):
                stolen = Device(served, headers)
                stolen.cookie = f"{name}={token}"
                assert stolen.guest is None
        assert (ada.guest or {})["name"] == "Ada"
        assert (ben.guest or {})["name"] == "Ben"


@pytest.mark.parametrize(
    "cookie",
    [
        "{0}", "{0}={0}", "knobel={1}", "__host-knobel={1}", "{0}=", "{0}=x", "{0}=\"{1}\"", "{0}={1}x", "{0}={1}é",
        "{0}={1}; {0}={1}", "{0}={1}; {0}=", "{0}=; {0}={1}", "{0}=x; {0}={1}", "{0} ={1}", "{0}= {1}", "{0}=%{1}",
        "{0}={1}=", "x{0}={1}", "{0}={1},{0}={1}", "{0}=" + "{1}" * 180, "{0}=ÿþ; {0}={1}",
    ],
)  # fmt: skip
def test_any_other_cookie_is_none(served: Served, cookie: str) -> None:
    ada = Device(served)
    made = ada.become("Ada")
    headers = [(b"cookie", cookie.replace("{0}", SECURE).replace("{1}", ada.token).encode())]
    answer = httpx.get(f"{served.url}/api/me", headers=headers)
    assert (answer.status_code, answer.json()["guest"]) == (200, None)
    assert ada.guest == made


def test_what_is_no_token_is_not_even_looked_for(served: Served) -> None:
    visitors = Visitors(guest.Guests(served.hall.store.engine), Access())
    for value, token in ((b"A" * 22, "A" * 22), (b"A" * 23, None), (b"A" * 4000, None), (b"A" * 21 + b"\xe4", None)):
        headers = [(b"host", b"localhost"), (b"cookie", SECURE.encode() + b"=" + value)]
        assert visitors.token_of({"scheme": "http", "headers": headers}) == token


def test_other_cookies_do_not_matter(served: Served) -> None:
    ada = Device(served)
    made = ada.become("Ada")
    other = f"knobel=x; a=b;;{SECURE}x=1; {ada.cookie} ;=; ü=\xff".encode()
    assert httpx.get(f"{served.url}/api/me", headers=[(b"cookie", other)]).json()["guest"] == made
    lines = [(b"cookie", b"a=b"), (b"cookie", (ada.cookie or "").encode())]
    assert httpx.get(f"{served.url}/api/me", headers=lines).json()["guest"] == made


def test_a_token_that_the_server_did_not_make_is_never_taken(served: Served) -> None:  # fixation; ASVS 7.2.1 to 7.2.4
    chosen = "A" * 22
    victim = Device(served)
    victim.cookie = f"{SECURE}={chosen}"
    assert victim.guest is None
    victim.become("Ada")
    assert victim.token != chosen
    attacker = Device(served)
    attacker.cookie = f"{SECURE}={chosen}"
    assert attacker.guest is None
    assert len({Device(served).become("Ada")["id"] for _ in range(20)}) == 20


def test_the_address_is_no_place_for_a_token(served: Served) -> None:
    ada = Device(served)
    ada.become("Ada")
    for query in (f"?{ada.cookie}", f"?token={ada.token}", f";{ada.cookie}"):
        answer = Device(served).ask(query)
        assert answer.status_code == 404 or answer.json()["guest"] is None
    for name in ("authorization", "x-knobel", "knobel"):
        assert Device(served).ask(**{name: ada.token}).json()["guest"] is None


def test_the_cookie_lives_on_while_it_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(tmp_path) as served:
        ada = Device(served)
        made = ada.become("Ada")
        before = ada.cookie
        for path, body in (("", None), ("", {"name": "Ada"})):
            ada.ask(path, body)
            assert ada.flags == ()  # not twice a day
        monkeypatch.setattr(guest, "DAY", 0.0)
        for path, body in (("", None), ("", {"name": "Ada"})):
            assert ada.ask(path, body).json()["guest"] == made
            assert (ada.cookie, "Max-Age=34560000" in ada.flags) == (before, True)


def test_a_guest_is_known_while_nothing_can_be_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(tmp_path) as served:
        ada = Device(served)
        made = ada.become("Ada")
        monkeypatch.setattr(guest, "DAY", 0.0)

        async def full(*_: object) -> None:
            raise Refused("storage/full", Reason("server-storage-full"))

        monkeypatch.setattr(guest.Guests, "_change", full)
        assert (ada.guest, ada.flags) == (made, ())
        refused(ada.ask("", {"name": "Eve"}), 507, "storage/full")


def test_a_phrase_brings_a_guest_to_another_device(served: Served) -> None:
    ada, phone = Device(served), Device(served)
    made = ada.become("Ada")
    phrase = ada.ask("/phrase", {}).json()["phrase"]
    phone.become("Somebody")
    before = phone.cookie
    assert phone.ask("/recover", {"phrase": phrase.upper().replace("-", "  ")}).json()["guest"] == made
    assert "HttpOnly" in phone.flags
    assert phone.guest == ada.guest == made
    assert len({ada.token, phone.token, (before or "").partition("=")[2]}) == 3  # ASVS 7.2.4
    former = Device(served)
    former.cookie = before
    assert former.guest is None
    newer = ada.ask("/phrase", {}).json()["phrase"]
    refused(Device(served).ask("/recover", {"phrase": phrase}), 422, "guest/phrase-unknown")
    assert Device(served).ask("/recover", {"phrase": newer}).status_code == 200


def test_every_wrong_phrase_gets_the_same_answer(served: Served) -> None:
    ada = Device(served)
    made = ada.become("Ada")
    void = ada.ask("/phrase", {}).json()["phrase"]
    ada.ask("/phrase", {})
    wrong = (void, void[:-1], "", "zimo", "zimo-paku-rola-tiba-mogu-lani", "<script>", "x" * 200, "\0", "💥")
    answers = {Device(served).ask("/recover", {"phrase": phrase}).text for phrase in wrong}
    assert len(answers) == 1
    assert "guest/phrase-unknown" in answers.pop()
    problem = refused(Device(served).ask("/recover", {"phrase": void * 8}), 422, "request/invalid")
    assert void not in str(problem)
    before = ada.cookie
    ada.ask("/recover", {"phrase": "wrong"})
    assert (ada.cookie, ada.guest) == (before, made)  # who mistypes loses nothing


def test_whoever_is_nobody_gets_no_phrase(served: Served) -> None:
    refused(Device(served).ask("/phrase", {}), 403, "guest/none")


def test_a_device_forgets_and_the_others_do_not(served: Served) -> None:
    ada, phone = Device(served), Device(served)
    made = ada.become("Ada")
    phone.ask("/recover", {"phrase": ada.ask("/phrase", {}).json()["phrase"]})
    kept = phone.cookie
    assert phone.ask("/forget", {}).json() == {"guest": None, "lan": False}
    phone.cookie = kept
    assert (phone.guest, ada.guest) == (None, made)
    assert Device(served).ask("/forget", {}).status_code == 200


def test_five_names_a_minute(tmp_path: Path) -> None:
    with serving(tmp_path, limits=Limits()) as served:
        devices = [Device(served) for _ in range(5)]
        for number, device in enumerate(devices):
            device.become(f"Ada {number}")
        stranger = Device(served)
        answer = stranger.ask("", {"name": "Eve"})
        problem = refused(answer, 429, "request/too-many")
        assert problem["params"]["wait"] == int(answer.headers["retry-after"]) in range(1, 13)
        assert stranger.cookie is None
        for number in range(4):
            devices[0].become(f"Eve {number}")
        assert devices[0].ask("/phrase", {}).status_code == 200
        refused(devices[0].ask("", {"name": "Eve"}), 429, "request/too-many")
        refused(devices[0].ask("/phrase", {}), 429, "request/too-many")
        assert devices[1].become("Ben")["name"] == "Ben"
        assert (devices[0].guest or {})["name"] == "Eve 3"


def test_five_phrases_a_minute_right_ones_too(tmp_path: Path) -> None:
    with serving(tmp_path, limits=Limits()) as served:
        ada = Device(served)
        ada.become("Ada")
        phrase = ada.ask("/phrase", {}).json()["phrase"]
        for number in range(5):
            assert Device(served).ask("/recover", {"phrase": str(number)}).status_code == 422
        for _ in range(2):
            forged = Device(served).ask("/recover", {"phrase": phrase}, **{"x-forwarded-for": "198.51.100.7"})
            assert refused(forged, 429, "request/too-many")["key"] == "server-too-many-tries"
            assert "set-cookie" not in forged.headers


def test_other_sites_can_neither_make_nor_change_nor_read_a_guest(served: Served) -> None:  # ASVS 3.5.1 to 3.5.3
    ada = Device(served)
    made = ada.become("Ada")
    foreign: tuple[dict[str, str], ...] = (
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": f"{served.url}0"},
        {"origin": "http://localhost"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site", "origin": served.url},
    )
    for headers in foreign:
        for path, body in (("", {"name": "Eve"}), ("/phrase", {}), ("/forget", {}), ("/recover", {"phrase": "a"})):
            answer = ada.ask(path, body, **headers)
            refused(answer, 403, "request/foreign-origin")
            assert "set-cookie" not in answer.headers
            assert "access-control-allow-origin" not in answer.headers  # ASVS 3.4.2
    assert ada.guest == made
    answer = ada.ask("", None, origin="http://evil.example")
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"
    assert not [name for name in answer.headers if name.startswith("access-control-")]
    preflight = httpx.options(f"{served.url}/api/me", headers={"origin": "http://evil.example"})
    refused(preflight, 405, "request/method-not-allowed")
    assert ada.ask("/forget", None).status_code == 405  # nothing is changed by a GET


def test_secrets_are_in_the_cookie_and_nowhere_else(served: Served, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    ada = Device(served)
    answers = [ada.ask("", {"name": "Ada"})]
    phrase = ada.ask("/phrase", {}).json()["phrase"]
    answers += [ada.ask(), ada.ask("", {"name": "Eve"}), ada.ask("", {"name": ""}), ada.ask("/nothing", {})]
    token = ada.token
    answers += [served.http.post("/api/tables", json=TABLE, headers={"cookie": ada.cookie or ""})]
    answers += [served.http.get("/api/tables"), served.http.get("/metrics"), ada.ask("/recover", {"phrase": phrase})]
    secrets = (token, ada.token, phrase, guest._digest(token, SECURE))
    for answer in answers:
        assert not [secret for secret in secrets if secret in answer.text or secret in str(answer.url)]
    assert ada.token in str(answers[-1].headers["set-cookie"])
    logged = "\n".join(record.getMessage() for record in caplog.records if not record.name.startswith("http"))
    assert not [secret for secret in secrets[:3] if secret in logged]


def test_an_answer_with_a_cookie_or_about_a_person_is_never_kept(served: Served) -> None:  # drill 21
    ada = Device(served)
    ada.become("Ada")
    for path, body in (("", None), ("/phrase", {}), ("/recover", {"phrase": ""}), ("/nothing", None), ("/forget", {})):
        assert ada.ask(path, body).headers["cache-control"] == "no-store"
    assert served.http.get("/api/tables").headers["cache-control"] == "no-cache"


def test_routes_and_sockets_see_the_same_guest(served: Served) -> None:
    ada = Device(served)
    made = ada.become("Ada")
    visitors = Visitors(guest.Guests(served.hall.store.engine), Access())
    for kind in ("http", "websocket"):
        headers = [(b"host", b"127.0.0.1:6530"), (b"cookie", (ada.cookie or "").encode())]
        scope = {"type": kind, "path": "/x", "scheme": "ws", "headers": headers, "query_string": b""}
        found = served.call(lambda scope=scope: visitors.require(scope))  # type: ignore[misc]
        assert (found.id, found.name) == (made["id"], made["name"])
        for other in (b"10.0.0.1", b"", b"evil.example"):
            elsewhere = scope | {"headers": [(b"host", other), headers[1]]}
            assert served.call(lambda scope=elsewhere: visitors.guest_of(scope)) is None  # type: ignore[misc]
