"""Tables with several guests, over real sockets: gathering, sealed dice, stand-ins, clocks, and the next game."""

import hashlib
import json
import secrets
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest

import knobel
from knobel.fair import commitment_of, draw_of
from knobel.players.simple import Greedy
from knobel.record import Record
from knobel.server import clock, hall
from knobel.server.limit import Limits
from knobel.verify import verify
from tests.server.serving import PEOPLE, Player, Served, cookie_of, serving
from tests.server.test_page import TABLE, refused

FREE = {"name": "", "kind": "free"}
ADA_AND_FREE = (PEOPLE[0], FREE)


class Guest(Player):
    """A player who keeps the shares of the dice of his seats, and every frame."""

    def __init__(self, served: Served, table: str, cookie: str, since: int | None = None) -> None:
        self.shares: dict[int, bytes] = {}
        self.frames: list[str] = []
        super().__init__(served.connect(table, cookie), since)

    def hear(self, timeout: float = 10) -> dict[str, Any]:
        message = super().hear(timeout)
        self.frames.append(json.dumps(message))
        return message

    @property
    def room(self) -> dict[str, Any]:
        return dict(self.live["room"])

    @property
    def mine(self) -> list[int]:
        return [number for number, seat in enumerate(self.room["seats"]) if seat["guest"] == self.first["you"]]

    @property
    def kinds(self) -> list[str]:
        return [event["kind"] for event in self.events]

    def is_ready(self) -> None:
        self.shares = {seat: secrets.token_bytes(32) for seat in self.mine}
        commitments = [(seat, commitment_of(share)) for seat, share in self.shares.items()]
        assert self.ask(do="ready", commitments=commitments)["ok"]

    def reveal(self) -> dict[str, Any]:
        return self.ask(do="reveal", shares=[(seat, share.hex()) for seat, share in self.shares.items()])

    def catches_up_with(self, other: Player) -> None:
        self.until(lambda: self.version >= other.version)

    def code_of(self, **act: Any) -> str:
        """The code with which a request is refused."""
        reply = self.ask(**act)
        assert not reply["ok"]
        return str(reply["problem"]["code"])


@contextmanager
def sitting(served: Served, **more: Any) -> Iterator[tuple[Guest, Guest]]:
    """Ada is the host of a new table, Ben has found it by its code and sat down."""
    with gathering(served, **more) as ada, Guest(served, ada.first["id"], served.guest("Ben")) as ben:
        assert ben.ask(do="sit", name="Ben")["ok"]
        ada.catches_up_with(ben)
        yield ada, ben


@contextmanager
def gathering(served: Served, seats: Sequence[dict[str, str]] = ADA_AND_FREE, **more: Any) -> Iterator[Guest]:
    table = served.open(seats=tuple(seats), **{"start": False, **more})
    with Guest(served, table, served.http.headers["cookie"]) as ada:
        yield ada


@contextmanager
def playing(served: Served, **more: Any) -> Iterator[tuple[Guest, Guest]]:
    """Both have sealed and revealed their shares, and it is Ada's turn."""
    with sitting(served, **more) as (ada, ben):
        begin(ada, ben)
        yield ada, ben


def begin(ada: Guest, ben: Guest) -> None:
    ada.is_ready()
    ben.is_ready()
    assert ada.ask(do="start")["ok"]
    for guest in (ada, ben):
        assert guest.reveal()["ok"]
    ada.catches_up_with(ben)


def digest(live: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(live, sort_keys=True).encode()).hexdigest()


# --- from the code to the end of the game ---


def test_two_guests_gather_by_code_and_play_with_dice_that_can_be_checked(served: Served) -> None:
    with gathering(served, ruleset="yatzy") as ada:
        code, table = ada.first["code"], ada.first["id"]
        typed = f"{code[:4].lower()}-{code[4:]}"
        assert served.http.get(f"/api/codes/{typed}").json() == {"id": table}
        with Guest(served, table, served.guest("Ben")) as ben, Guest(served, table, "") as eve:
            assert ben.room["phase"] == "gathering"
            assert ben.live["view"] is None
            assert ben.first["you"] not in (None, ada.first["you"])
            assert ben.ask(do="sit", name="Ben")["ok"]
            ada.catches_up_with(ben)
            assert [seat["name"] for seat in ada.room["seats"]] == ["Ada", "Ben"]
            assert ada.code_of(do="start") == "room/not-ready"
            ada.is_ready()
            assert ada.reveal()["problem"]["code"] == "fair/too-early"
            assert ada.room["fair"]["shares"] == [None, None]
            ben.is_ready()
            ada.catches_up_with(ben)
            assert [seat["ready"] for seat in ada.room["seats"]] == [True, True]
            assert ben.code_of(do="start") == "room/host-only"
            assert ada.ask(do="start")["ok"]
            assert ada.reveal()["ok"]
            ben.catches_up_with(ada)
            assert ben.room["phase"] == "revealing"
            assert ben.reveal()["ok"]
            ada.catches_up_with(ben)
            assert ada.room["phase"] == "playing"
            shares = [guest.shares[seat].hex() for seat, guest in enumerate((ada, ben))]
            assert ada.room["fair"]["shares"] == shares
            play_to_the_end(ada, ben)
            eve.catches_up_with(ben)
            assert digest(eve.live) == digest(ada.live) == digest(ben.live)
            assert eve.events == ada.events[-len(eve.events) :]
            fair, seed = eve.room["fair"], bytes.fromhex(eve.room["fair"]["seed"])
            assert commitment_of(seed) == fair["commitment"] == eve.first["live"]["room"]["fair"]["commitment"]
            assert [commitment_of(bytes.fromhex(share)) for share in shares] == fair["commitments"]
            assert_dice(eve.events, seed, table, shares)
            for guest in (ada, ben, eve):  # drill 17
                early = [text for text in guest.frames if seed.hex() in text]
                assert len(early) == 1
                assert json.loads(early[0])["version"] == ada.version
                assert '"over"' in early[0]


def play_to_the_end(*guests: Guest) -> None:
    while guests[0].room["phase"] == "playing":
        for guest in guests:
            guest.until(lambda guest=guest: guest.version == max(other.version for other in guests))  # type: ignore[misc]
        player = guests[guests[0].view["turn"]["seat"]]
        reply = player.throw() if player.view["turn"]["roll"] is None else player.enter_first()
        assert reply["ok"], reply
        for guest in guests:
            guest.catches_up_with(player)


def assert_dice(events: list[dict[str, Any]], seed: bytes, table: str, shares: list[str]) -> None:
    """Every throw follows from the seed and the shares, by its number in the game."""
    played = [event for event in events if event["kind"] in ("begin", "throw", "enter")]
    assert [event["kind"] for event in played].count("throw") == 30
    for number, event in enumerate(played):
        if event["kind"] == "throw":
            assert tuple(event["dice"]) == draw_of(seed, table, shares, number)(5)


def test_the_seed_is_nowhere_before_the_end(served: Served, capfd: pytest.CaptureFixture[str]) -> None:
    with playing(served) as (ada, ben):
        table = ada.first["id"]

        async def seed() -> str:
            return (await served.hall.find(table)).head.seed.hex()

        secret = served.call(seed)
        assert ada.throw()["ok"]
        with Guest(served, table, "") as eve, Guest(served, table, "", since=ada.version - 2) as back:
            texts = [text for guest in (ada, ben, eve, back) for text in guest.frames]
        paths = (f"/api/tables/{table}", f"/api/tables/{table}/record", "/api/tables", "/api/lobby", "/metrics")
        texts += [served.http.get(path).text for path in paths]
        texts += capfd.readouterr()
        assert len(texts) > 20
        assert not any(secret in text for text in texts)


# --- those who only watch ---

ACTS: tuple[dict[str, Any], ...] = (
    {"do": "sit", "name": "Eve"},
    {"do": "rise"},
    {"do": "add", "kind": "person"},
    {"do": "remove", "seat": 1},
    {"do": "hand_over", "seat": 1},
    {"do": "ready", "commitments": [[0, "ab" * 32]]},
    {"do": "unready"},
    {"do": "start"},
    {"do": "reveal", "shares": [[0, "ab" * 32]]},
    {"do": "return"},
    {"do": "say", "phrase": "hello"},
    {"do": "close"},
)


@pytest.mark.parametrize("phase", ["gathering", "playing"])
def test_a_watcher_without_a_cookie_sees_everything_and_can_do_nothing(served: Served, phase: str) -> None:
    around = playing if phase == "playing" else sitting
    with around(served) as (ada, _), Guest(served, ada.first["id"], "") as eve:
        assert eve.first["you"] is None
        assert digest(eve.live) == digest(ada.live)
        assert {eve.code_of(**act) for act in ACTS} == {"guest/needed"}
        if phase == "playing":
            assert eve.throw()["problem"]["code"] == "action/not-your-seat"
            assert ada.throw()["ok"]
            eve.catches_up_with(ada)
        assert eve.version == ada.version
        assert digest(eve.live) == digest(ada.live)


def test_another_guest_plays_for_nobody(served: Served) -> None:  # drill 19
    with playing(served) as (ada, ben), Guest(served, ada.first["id"], served.guest("Eve")) as eve:
        assert ben.throw()["problem"]["code"] == "action/not-your-seat"
        assert eve.throw()["problem"]["code"] == "action/not-your-seat"
        assert eve.code_of(do="sit", name="Eve") == "room/begun"
        assert eve.code_of(do="say", phrase="hello") == "seat/not-yours"
        assert eve.code_of(do="reveal", shares=[[0, "ab" * 32]]) == "fair/too-late"
        assert eve.ask(do="rise")["ok"]  # from nowhere
        assert eve.version == ada.version


def test_whoever_is_sent_away_watches_and_does_not_come_back(served: Served) -> None:  # drill 19
    with sitting(served) as (ada, ben), Guest(served, ada.first["id"], served.guest("Cem")) as cem:
        assert ben.code_of(do="remove", seat=0) == "room/host-only"
        assert ada.ask(do="remove", seat=1)["ok"]
        assert ada.ask(do="add", kind="person")["ok"]
        ben.catches_up_with(ada)
        removed = next(event for event in ben.events if event["what"] == "remove")
        assert (removed["seat"], removed["name"]) == (1, "Ben")
        assert ben.code_of(do="sit", name="Ben") == "guest/barred"
        assert cem.ask(do="sit", name="Cem")["ok"]
        ben.catches_up_with(cem)
        assert [seat["name"] for seat in ben.room["seats"]] == ["Ada", "Cem"]


# --- who is there ---


def test_everybody_is_told_who_is_there(served: Served) -> None:
    with gathering(served) as ada:
        ada.until(lambda: ada.present.get("seats") == [True, False])
        assert (ada.present["watchers"], ada.present["seconds"]) == (0, None)
        with Guest(served, ada.first["id"], served.guest("Ben")) as ben:
            ada.until(lambda: ada.present["watchers"] == 1)
            ben.ask(do="sit", name="Ben")
            ada.until(lambda: (ada.present["seats"], ada.present["watchers"]) == ([True, True], 0))
            ben.until(lambda: ben.present == ada.present)
            with Guest(served, ada.first["id"], ""):
                ada.until(lambda: ada.present["watchers"] == 1)
            ada.until(lambda: ada.present["watchers"] == 0)
        ada.until(lambda: ada.present["seats"] == [True, False])
        assert [seat["name"] for seat in ada.room["seats"]] == ["Ada", "Ben"]  # he keeps his seat


# --- losing the connection ---


def test_coming_back_brings_the_same_state_as_coming_anew(served: Served) -> None:
    with playing(served) as (ada, ben):
        seen, table = ben.version, ada.first["id"]
        for _ in range(2):
            for guest, other in ((ada, ben), (ben, ada)):
                guest.catches_up_with(other)
                assert guest.throw()["ok"]
                assert guest.throw(0, 1)["ok"]
                assert guest.ask(do="say", phrase="wow")["ok"]
                assert guest.enter_first()["ok"]
        ada.catches_up_with(ben)
        cookie = served.http.headers["cookie"]
        with Guest(served, table, cookie) as anew, Guest(served, table, cookie, since=seen) as back:
            assert (anew.first["type"], back.first["type"]) == ("table", "update")
            assert [event["version"] for event in back.events] == list(range(seen + 1, ada.version + 1))
            assert len({digest(guest.live) for guest in (ada, ben, anew, back)}) == 1
            assert ada.throw()["ok"]
            for guest in (ben, anew, back):
                guest.catches_up_with(ada)
            assert len({digest(guest.live) for guest in (ada, ben, anew, back)}) == 1


def test_a_computer_stands_in_and_the_guest_gets_his_seat_back(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:  # drill 18
    monkeypatch.setattr(clock, "GRACE", 0.3)
    with playing(served) as (ada, ben):
        ada.connection.close()
        ben.until(lambda: ben.view["turn"]["seat"] == 1)
        substituted = next(event for event in ben.events if event["kind"] == "substitute")
        assert (substituted["seat"], substituted["why"]) == (0, "away")
        assert ben.room["seats"][0]["stand_in"] == "away"
        assert [event["kind"] for event in ben.events if event["seat"] == 0][-1] == "enter"
        with Guest(served, ada.first["id"], served.http.headers["cookie"]) as back:
            ben.until(lambda: ben.room["seats"][0]["stand_in"] is None)
            assert ben.kinds[-1] == "return"
            assert ben.throw()["ok"]
            assert ben.enter_first()["ok"]
            back.catches_up_with(ben)
            assert back.throw()["ok"]
            assert back.mine == [0]


def test_nobody_is_replaced_while_nobody_waits(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "GRACE", 0.1)
    with playing(served) as (ada, ben):
        before, table = ada.version, ada.first["id"]
        ben.connection.close()
        ada.connection.close()
    with Guest(served, table, ""):  # who only watches waits for nobody
        time.sleep(0.5)
    monkeypatch.setattr(clock, "GRACE", 60.0)
    with Guest(served, table, served.http.headers["cookie"]) as back:
        assert (back.version, back.room["seats"][0]["stand_in"]) == (before, None)
        assert back.throw()["ok"]


def test_the_host_who_is_gone_is_followed_by_one_who_is_there(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "GRACE", 0.3)
    with sitting(served) as (ada, ben):
        ada.connection.close()
        ben.until(lambda: ben.room["host"] == ben.first["you"])
        assert ben.events[-1]["what"] == "host"
        assert ben.ask(do="add", kind="computer", name="Robo")["ok"]


def test_a_share_that_does_not_come_is_not_waited_for(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "REVEAL", 0.3)
    with sitting(served) as (ada, ben):
        ada.is_ready()
        ben.is_ready()
        assert ada.ask(do="start")["ok"]
        ada.until(lambda: ada.room["phase"] == "playing")
        assert ada.room["fair"]["shares"][1] is None
        ben.catches_up_with(ada)
        assert ben.reveal()["problem"]["code"] == "fair/too-late"


class Patient:
    """Waits for a sign before it plays."""

    def __init__(self) -> None:
        self.sign = threading.Event()

    def choose(self, state: knobel.State, rng: Random) -> knobel.Action:
        self.sign.wait(20)
        return Greedy().choose(state, rng)


def test_whoever_lets_the_clock_run_out_is_replaced_until_he_returns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = Patient()
    with serving(tmp_path, policy=policy) as served, sitting(served, clock=10) as (ada, ben):
        monkeypatch.setattr(clock, "LAG", 20.0)
        begin(ada, ben)
        ada.until(lambda: bool(ada.present["seconds"]))
        assert 20 < ada.present["seconds"] <= 30
        monkeypatch.setattr(clock, "LAG", -9.7)
        assert ada.throw()["ok"]  # the clock is looked at again
        ada.until(lambda: ada.room["seats"][0]["stand_in"] == "clock")
        monkeypatch.setattr(clock, "LAG", 20.0)
        assert ada.throw(0)["problem"]["code"] == "seat/stand-in"
        assert ada.ask(do="return")["ok"]
        policy.sign.set()  # what the computer has thought out comes too late
        assert ada.throw(0)["ok"]
        assert ada.enter_first()["ok"]
        assert ada.kinds[-5:] == ["throw", "substitute", "return", "throw", "enter"]


# --- the next game ---


def test_two_who_ask_for_the_next_game_at_the_same_moment_meet_at_one_table(served: Served) -> None:
    with playing(served, ruleset="yatzy", begin="rotate") as (ada, ben):
        body = TABLE | {"ruleset": None, "seats": ADA_AND_FREE, "start": False, "follows": ada.first["id"]}
        cookies = (served.http.headers["cookie"], served.guest("Eve"))
        early = served.http.post("/api/tables", json=body)
        refused(early, 422, "room/not-over")
        for guest in (ben, ada):
            guest.ask(do="rise")  # computers play to the end
        ada.until(lambda: ada.room["phase"] == "over")
        refused(served.http.post("/api/tables", json=body, headers={"cookie": cookies[1]}), 422, "seat/not-yours")
        refused(served.http.post("/api/tables", json=body, headers={"cookie": ""}), 422, "seat/not-yours")
        start, answers = threading.Barrier(6), []

        def ask() -> None:
            start.wait()
            answers.append(httpx.post(f"{served.url}/api/tables", json=body, headers={"cookie": cookies[0]}))

        threads = [threading.Thread(target=ask) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert {answer.status_code for answer in answers} == {201}
        (following,) = {answer.json()["id"] for answer in answers}
        ben.until(lambda: ben.room["next"] is not None)
        ada.until(lambda: ada.room["next"] is not None)
        assert ada.room["next"] == ben.room["next"] == following
        mine = served.http.get("/api/tables").json()["tables"]
        assert {line["id"] for line in mine} == {ada.first["id"], following}


# --- lists, codes, phrases ---


def test_the_lobby_lists_only_public_tables_that_gather(served: Served) -> None:
    shown = served.open(seats=ADA_AND_FREE, start=False, public=True)
    served.open(seats=ADA_AND_FREE, start=False)
    served.open(public=True)
    with gathering(served, public=True) as ada:
        assert len(served.http.get("/api/lobby").json()["tables"]) == 2
        assert ada.ask(do="close")["ok"]
        assert ada.room["phase"] == "closed"
    lines = httpx.get(f"{served.url}/api/lobby").json()["tables"]  # also for those who are no guests
    assert [(line["id"], line["phase"], line["terms"]["public"]) for line in lines] == [(shown, "gathering", True)]
    assert "code" not in lines[0]


def test_one_address_guesses_twenty_codes_in_a_minute(tmp_path: Path) -> None:
    with serving(tmp_path, limits=Limits()) as served, gathering(served) as ada:
        for number in range(20):
            refused(served.http.get(f"/api/codes/AAAAAA{number:02}"), 404, "table/unknown")
        answer = served.http.get(f"/api/codes/{ada.first['code']}")
        refused(answer, 429, "request/too-many")
        assert int(answer.headers["retry-after"]) in range(1, 4)


def test_codes_are_long_and_easy_to_type() -> None:
    codes = {hall.new_code() for _ in range(1000)}
    assert len(codes) == 1000
    assert {len(code) for code in codes} == {8}
    assert len(hall.ALPHABET) == len(set(hall.ALPHABET)) == 32  # 40 bits
    assert not set("O0I1") & set(hall.ALPHABET)


def test_a_flood_of_phrases_is_refused_and_other_things_are_not(served: Served) -> None:
    with playing(served) as (ada, ben):
        said = [ada.ask(do="say", phrase="hurry") for _ in range(6)]
        assert [reply["ok"] for reply in said] == [True] * 4 + [False] * 2
        assert said[-1]["problem"]["code"] == "request/too-many"
        assert ben.ask(do="say", phrase="sorry")["ok"]
        assert ada.throw()["ok"]
        ben.catches_up_with(ada)
        assert ben.kinds.count("say") == 5


def test_a_move_is_not_made_stale_by_a_phrase(served: Served) -> None:
    with playing(served) as (ada, ben):
        move = ada.command({"do": "throw", "keep": []})
        assert ben.ask(do="say", phrase="luck")["ok"]
        ada.send(move)
        assert ada.until_reply()["ok"]


def test_all_may_meet_again_after_a_restart(tmp_path: Path) -> None:
    with serving(tmp_path) as served, sitting(served) as (ada, _):
        table, before = ada.first["id"], ada.live
        cookies = served.http.headers["cookie"], served.guest("Ben")
        ada.is_ready()
    with serving(tmp_path) as served, ExitStack() as stack:
        ada_again, eve = (stack.enter_context(Guest(served, table, cookie)) for cookie in cookies)
        assert [seat["guest"] for seat in ada_again.room["seats"]] == [
            seat["guest"] for seat in before["room"]["seats"]
        ]
        assert (ada_again.mine, eve.mine) == ([0], [])
        ada_again.shares = ada.shares
        assert ada_again.ask(do="unready")["ok"]
        assert ada_again.room["seats"][0]["ready"] is False
        assert eve.code_of(do="sit", name="Eve") == "room/full"


def test_a_guest_is_made_with_the_table(served: Served) -> None:
    answer = served.http.post("/api/tables", json=TABLE | {"seats": ADA_AND_FREE, "start": False})
    cookie = cookie_of(answer)
    me = served.http.get("/api/me", headers={"cookie": cookie}).json()
    assert me["guest"]["name"] == "Ada"
    assert answer.json()["seats"][0]["guest"] == me["guest"]["id"]
    again = served.http.post("/api/tables", json=TABLE, headers={"cookie": cookie})
    assert cookie_of(again) == ""


def test_no_game_begins_at_once_with_a_free_seat(served: Served) -> None:
    answer = served.http.post("/api/tables", json=TABLE | {"seats": ADA_AND_FREE, "start": True})
    assert (answer.status_code, answer.json()["problem"]["code"]) == (422, "room/not-ready")


@pytest.mark.parametrize("how", ["random", "highest_throw"])
def test_the_record_of_a_game_between_two_is_verified(served: Served, how: str) -> None:
    with playing(served, ruleset="yatzy", begin=how) as (ada, ben):
        play_to_the_end(ada, ben)
        text = served.http.get(f"/api/tables/{ada.first['id']}/record").text
    record = Record.parse(text)
    assert verify(record).is_verified
    thrown = next(event for event in record.events if event.faces)
    forged = tuple(face % 6 + 1 for face in thrown.faces)
    events = tuple(replace(event, faces=forged) if event is thrown else event for event in record.events)
    assert not verify(replace(record, events=events)).is_verified
