import json
from pathlib import Path
from typing import Any

import pytest

import knobel
from knobel.record import Record
from knobel.server import page
from tests.server.serving import AGAINST_COMPUTER, PEOPLE, Served, cookie_of, serving

TABLE: dict[str, Any] = {"ruleset": "classic", "options": {}, "seats": list(PEOPLE), "begin": "seat", "start": True}


def refused(answer: Any, status: int, code: str) -> dict[str, Any]:
    """The problem of an answer, after checking the one shape of all errors."""
    assert answer.status_code == status, answer.text
    body: dict[str, Any] = answer.json()
    assert set(body) == {"ok", "problem"}
    assert body["ok"] is False
    assert set(body["problem"]) == {"code", "key", "params"}
    assert body["problem"]["code"] == code
    return dict(body["problem"])


def test_every_ruleset_is_offered_with_its_options(served: Served) -> None:
    offers = served.http.get("/api/rulesets").json()["rulesets"]
    assert [offer["ruleset"]["id"] for offer in offers] == list(knobel.builtin_ids())
    classic = next(offer for offer in offers if offer["ruleset"]["id"] == "classic")
    assert {"joker", "columns", "order"} <= {option["name"] for option in classic["options"]}


def test_a_choice_of_options_is_checked(served: Served) -> None:
    chosen = {"ruleset": "classic", "options": {"joker": "forced", "columns": 3}}
    composed = served.http.post("/api/rulesets/compose", json=chosen).json()
    assert [column["multiplier"] for column in composed["columns"]] == [1, 2, 3]
    assert composed["digest"] == knobel.digest(knobel.load("classic", joker="forced", columns=3))[:16]


@pytest.mark.parametrize(
    ("ruleset", "options", "code"),
    [
        ("chess", {}, "ruleset/unknown"),
        ("../../etc/passwd", {}, "ruleset/unknown"),
        ("/tmp/evil.toml", {}, "ruleset/unknown"),
        ("", {}, "ruleset/unknown"),
        ("six-dice", {"joker": "free"}, "ruleset/refused"),
        ("classic", {"joker": "wild"}, "ruleset/refused"),
        ("classic", {"columns": -1}, "ruleset/refused"),
        ("classic", {"columns": 10**9}, "ruleset/refused"),
        ("classic", {"\ud800": 1}, "request/invalid"),
        ("classic", {"order": ["ones"]}, "ruleset/refused"),
        ("x" * 81, {}, "request/invalid"),
        ("classic", {"columns": None}, "request/invalid"),
        ("classic", {"columns": {"a": 1}}, "request/invalid"),
        ("classic", [], "request/invalid"),
    ],
)
def test_an_impossible_ruleset_is_refused(served: Served, ruleset: str, options: Any, code: str) -> None:
    body = json.dumps({"ruleset": ruleset, "options": options})
    headers = {"content-type": "application/json"}
    refused(served.http.post("/api/rulesets/compose", content=body, headers=headers), 422, code)
    body = json.dumps(TABLE | {"ruleset": ruleset, "options": options})
    refused(served.http.post("/api/tables", content=body, headers=headers), 422, code)


def test_a_new_table_is_in_the_list(served: Served) -> None:
    answer = served.http.post("/api/tables", json=TABLE | {"options": {"joker": "free"}})
    assert answer.status_code == 201
    line, cookie = answer.json(), cookie_of(answer)
    assert len(line["id"]) >= 11  # 64 bits
    assert (line["totals"], line["phase"], line["over"]) == ([0, 0], "playing", False)
    assert served.http.get("/api/tables", headers={"cookie": cookie}).json()["tables"] == [line]
    assert served.http.get(f"/api/tables/{line['id']}").json() == line
    for other in ("", served.guest("Eve")):  # only one's own
        assert served.http.get("/api/tables", headers={"cookie": other}).json()["tables"] == []


def test_a_table_that_gathers_has_no_points_and_no_record(served: Served) -> None:
    seats = [PEOPLE[0], {"name": "", "kind": "free"}]
    line = served.http.post("/api/tables", json=TABLE | {"seats": seats, "start": False}).json()
    assert (line["totals"], line["phase"], line["acting"]) == ([], "gathering", None)
    assert [(seat["name"], seat["guest"] is None, seat["ready"]) for seat in line["seats"]] == [
        ("Ada", False, False),
        ("", True, False),
    ]
    refused(served.http.get(f"/api/tables/{line['id']}/record"), 422, "room/not-begun")


def test_the_list_has_the_latest_fifty_with_their_totals(served: Served) -> None:
    tables = [served.open() for _ in range(51)]
    with served.join(tables[3]) as player:
        player.throw()
        points = sum(player.live["dice"])
        player.enter("chance")
    lines = served.http.get("/api/tables").json()["tables"]
    assert len(lines) == 50
    assert (lines[0]["id"], lines[0]["totals"]) == (tables[3], [points, 0])
    assert tables[0] not in {line["id"] for line in lines}


def test_hostile_names_are_cleaned_and_equal_ones_allowed(served: Served) -> None:
    names = ['<img src=x onerror="alert(1)">', "\u202eevil", "Ada", "Ada", "=1+1", "a\u200bb", "x\x1b[31m"]
    seats = [{"name": name, "kind": "person"} for name in names]
    line = served.http.post("/api/tables", json=TABLE | {"seats": seats}).json()
    shown = [seat["name"] for seat in line["seats"]]
    assert shown == ['<img src=x onerror="alert(1)">', "evil", "Ada", "Ada", "=1+1", "ab", "x[31m"]
    record = served.http.get(f"/api/tables/{line['id']}/record")
    assert list(Record.parse(record.text).seats) == shown
    assert record.headers["content-type"].startswith("text/plain")
    assert record.headers["content-disposition"].startswith("attachment")


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"seats": []}, "request/invalid"),
        ({"seats": [PEOPLE[0]] * 13}, "request/invalid"),
        ({"seats": [{"name": "x" * 41, "kind": "person"}]}, "request/invalid"),
        ({"seats": [{"name": "", "kind": "person"}]}, "seat/name-empty"),
        ({"seats": [{"name": "", "kind": "computer"}]}, "seat/name-empty"),
        ({"clock": 9}, "request/invalid"),
        ({"dice": "typed", "seats": [PEOPLE[0], AGAINST_COMPUTER[1]]}, "seat/typed-people"),
        ({"dice": "typed", "begin": "random"}, "room/typed-begin"),
        ({"seats": [{"name": "\u200b ", "kind": "person"}]}, "seat/name-empty"),
        ({"seats": [{"name": "Ada", "kind": "ghost"}]}, "request/invalid"),
        ({"seats": [{"name": 7, "kind": "person"}]}, "request/invalid"),
        ({"begin": "me"}, "request/invalid"),
        ({"ruleset": 7}, "request/invalid"),
    ],
)
def test_an_impossible_table_is_refused(served: Served, changes: dict[str, Any], code: str) -> None:
    refused(served.http.post("/api/tables", json=TABLE | changes), 422, code)
    assert served.http.get("/api/tables").json() == {"tables": []}


def test_the_next_game_begins_with_the_next_seat(served: Served) -> None:
    table, starters = None, []
    for _ in range(4):
        table = served.open("yatzy", (AGAINST_COMPUTER[1],) * 2, begin="rotate", follows=table)
        with served.join(table) as player:
            while player.live["room"]["phase"] == "playing":
                player.receive()
            starters += [event["seat"] for event in player.events if event["kind"] == "begin"]
    assert starters == [0, 1, 0, 1]
    follows_nothing = served.http.post("/api/tables", json=TABLE | {"begin": "rotate", "follows": "unknown"})
    refused(follows_nothing, 404, "table/unknown")


def test_a_computer_goes_on_when_only_the_page_is_asked_for(served: Served) -> None:
    table = served.open("yatzy", (AGAINST_COMPUTER[1], PEOPLE[0]))
    with served.join(table) as player:
        while player.view["turn"]["seat"] == 0:
            player.receive()
    assert served.http.get(f"/api/tables/{table}").json()["totals"][0] > 0


def test_a_record_replays_to_the_same_state(served: Served) -> None:
    table = served.open()
    with served.join(table) as player:
        player.throw()
        player.throw(0)
        player.enter("chance")
        shown = player.view["sheets"][0]["total"]
    record = Record.parse(served.http.get(f"/api/tables/{table}/record").text)
    assert [str(event.action) for event in record.events][::2] == ["keep -", "enter chance"]
    *_, state = record.replay()
    assert knobel.view(state)["sheets"][0]["total"] == shown


@pytest.mark.parametrize("path", ["/api/tables/unknown", "/api/tables/unknown/record"])
def test_an_unknown_table_is_refused(served: Served, path: str) -> None:
    refused(served.http.get(path), 404, "table/unknown")


def test_errors_of_every_kind_have_one_shape(served: Served) -> None:
    http, headers = served.http, {"content-type": "application/json"}
    refused(http.get("/api/nothing"), 404, "request/not-found")
    refused(http.get("/assets/nothing.js"), 404, "request/not-found")
    refused(http.get("/assets/..%2f..%2fpage.py"), 404, "request/not-found")
    refused(http.delete("/api/tables"), 405, "request/method-not-allowed")
    assert http.delete("/api/tables").headers["allow"] == "GET, POST"
    refused(http.get("/api/tables/" + "x" * 41), 422, "request/invalid")
    for body in (b"", b"{", b"\xff", b"[" * 50_000, b'{"ruleset": NaN}', b"9" * 10_000):
        refused(http.post("/api/tables", content=body, headers=headers), 422, "request/invalid")


def test_a_body_of_more_than_64_kib_is_refused(served: Served) -> None:
    def chunks() -> Any:
        for _ in range(70):
            yield b" " * 1024

    http, headers = served.http, {"content-type": "application/json"}
    refused(http.post("/api/tables", content=b" " * 65_537, headers=headers), 413, "request/too-large")
    refused(http.post("/api/tables", content=chunks(), headers=headers), 413, "request/too-large")
    refused(http.post("/api/tables", content=b" " * 65_536, headers=headers), 422, "request/invalid")


def test_the_server_is_healthy(served: Served) -> None:
    assert served.http.get("/api/health").json() == {"ok": True}


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A front end."""
    static = tmp_path / "static"
    (static / "assets").mkdir(parents=True)
    (static / "index.html").write_text("<!doctype html><title>knobel</title>")
    (static / "assets" / "index-abc.js").write_text("1")
    monkeypatch.setattr(page, "STATIC", static)
    return static


def test_pages_are_served_with_the_headers_that_keep_them_safe(tmp_path: Path, built: Path) -> None:
    with serving(tmp_path / "data") as served:
        for path in ("/", "/table/abc"):
            answer = served.http.get(path)
            assert answer.status_code == 200
            assert "<title>knobel</title>" in answer.text
            assert answer.headers["cache-control"] == "no-cache"
            policy = answer.headers["content-security-policy"]
            assert "default-src 'self'" in policy
            assert "frame-ancestors 'none'" in policy
            assert "unsafe" not in policy
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert answer.headers["referrer-policy"] == "no-referrer"
            assert "server" not in answer.headers
        asset = served.http.get("/assets/index-abc.js")
        assert "immutable" in asset.headers["cache-control"]
        assert "immutable" not in served.http.get("/assets/other.js").headers["cache-control"]


def test_a_front_end_that_is_not_built_is_said_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "STATIC", tmp_path / "nothing")
    with serving(tmp_path / "data") as served:
        answer = served.http.get("/")
        assert answer.status_code == 503
        assert "./knobel" in answer.text
        refused(served.http.get("/assets/x.js"), 404, "request/not-found")
