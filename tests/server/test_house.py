"""House rules on the server: kept by digest, played by it, and hostile ones refused (drill 18)."""

import hashlib
import json
import sqlite3
from contextlib import closing
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.config import Config

import knobel
from knobel.server import database, folder, house
from tests.server.serving import AGAINST_COMPUTER, PEOPLE, Served, serving
from tests.server.test_page import refused

LABELS = {"de": "Unsere Regeln", "en": "Our rules"}
HOUSE: dict[str, Any] = {"id": "our-rules", "labels": LABELS, "base": "classic", "upper": {"bonus": 50}}
WHOLE = knobel.schema.to_mapping(knobel.load(HOUSE))


def keep(served: Served, rules: object) -> dict[str, Any]:
    answer = served.http.post("/api/house-rules", json={"rules": rules})
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


def changed(**changes: Any) -> dict[str, Any]:
    return deepcopy(WHOLE) | changes


def test_rules_are_kept_under_the_digest_of_their_text(served: Served) -> None:
    kept = keep(served, HOUSE)
    body = json.dumps(WHOLE, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    assert kept["digest"] == hashlib.sha256(body.encode()).hexdigest()
    assert kept["ruleset"]["upper_bonus"] == kept["rules"]["upper"]["bonus"] == 50
    assert served.http.get(f"/api/house-rules/{kept['digest']}").json() == kept
    assert keep(served, kept["toml"]) == keep(served, WHOLE) == kept
    assert [line["digest"] for line in served.http.get("/api/house-rules").json()["rules"]] == [kept["digest"]]


def test_other_names_are_another_address(served: Served) -> None:
    """Else the first to keep the rules would name them for everybody."""
    one, other = keep(served, HOUSE), keep(served, HOUSE | {"labels": {"de": "B", "en": "B"}})
    assert one["digest"] != other["digest"]
    assert one["ruleset"]["digest"] == other["ruleset"]["digest"]


def test_what_is_sent_back_with_its_defaults_is_the_same(served: Served) -> None:
    kept = keep(served, HOUSE)
    rules = {key: value for key, value in kept["rules"].items() if value is not None and key != "options"}
    rules["categories"] = [
        {key: value for key, value in row.items() if value is not None}
        | {"rules": [{key: value for key, value in rule.items() if value is not None} for rule in row["rules"]]}
        for row in rules["categories"]
    ]
    rules["columns"] = [{"multiplier": 1}]
    assert keep(served, rules)["digest"] == kept["digest"]


def test_a_preview_keeps_nothing_and_gives_the_points(served: Served) -> None:
    draft = {"rules": HOUSE, "rolls": [[5, 5, 2, 5, 2], [1, 2], []]}
    seen = served.http.post("/api/house-preview", json=draft).json()
    expected = list(knobel.points(knobel.load("classic"), (2, 2, 5, 5, 5)).values())
    assert seen["points"] == [expected, None, None]
    assert served.http.get("/api/house-rules").json() == {"rules": []}
    refused(served.http.get(f"/api/house-rules/{seen['house']['digest']}"), 422, "ruleset/unknown")


def test_a_table_is_played_by_house_rules_and_again(served: Served) -> None:
    name = f"house:{keep(served, HOUSE)['digest']}"
    table = served.open(name, AGAINST_COMPUTER)
    with served.join(table) as player:
        assert player.first["ruleset"]["labels"] == LABELS
        player.throw()
        player.enter("chance")
        assert player.ask(do="rise")["ok"]  # a computer plays to the end
        player.until(lambda: player.live["room"]["phase"] == "over")
    again = served.http.post(
        "/api/tables", json={"ruleset": None, "options": {}, "seats": list(PEOPLE), "begin": "rotate", "follows": table}
    )
    assert (again.status_code, again.json()["ruleset"]["upper_bonus"]) == (201, 50)
    assert served.http.post("/api/rulesets/compose", json={"ruleset": name, "options": {}}).json()["upper_bonus"] == 50
    with_option = {"ruleset": name, "options": {"joker": "free"}}
    refused(served.http.post("/api/rulesets/compose", json=with_option), 422, "ruleset/refused")
    nothing: dict[str, Any] = {"ruleset": None, "options": {}, "seats": list(PEOPLE)}
    refused(served.http.post("/api/tables", json=nothing), 404, "table/unknown")


def test_rules_and_their_tables_outlive_the_server(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        kept = keep(served, HOUSE)
        table = served.open(f"house:{kept['digest']}")
    with serving(tmp_path) as served:
        assert served.http.get(f"/api/house-rules/{kept['digest']}").json() == kept
        assert served.http.get(f"/api/tables/{table}").json()["ruleset"] == kept["ruleset"]


@pytest.mark.parametrize(
    "name", ["house:", "house:x", "house:../../etc/passwd", f"house:{'0' * 64}", f"house:{'0' * 64}/..", "house:%2e%2e"]
)
def test_an_address_that_is_not_kept_is_refused(served: Served, name: str) -> None:
    refused(served.http.post("/api/rulesets/compose", json={"ruleset": name, "options": {}}), 422, "ruleset/unknown")


def _deep(depth: int) -> Any:
    nested: Any = 1
    for _ in range(depth):
        nested = {"a": nested}
    return nested


ROW, CHANCE = WHOLE["categories"][0], WHOLE["categories"][-1]
HOSTILE: dict[str, tuple[Any, str | None]] = {
    "an unknown key": (changed(wild=1), "wild"),
    "an unknown key inside": (changed(upper={"threshold": 1, "bonus": 1, "x": 1}), "upper.x"),
    "an unknown key of control signs": (changed(**{"\x1b]52;c;\x07": 1}), "\\x1b]52;c;\\x07"),
    "half a character as a key": (changed(**{"\ud800": 1}), "\\ud800"),
    "negative dice": (changed(dice=-1), "dice"),
    "many dice": (changed(dice=10**9), "dice"),
    "a number of 4,000 digits": (changed(dice=10**3999), "dice"),
    "half a die": (changed(dice=2.5), "dice"),
    "no number": (changed(dice=float("nan")), "dice"),
    "negative throws": (changed(throws=-1), "throws"),
    "many throws": (changed(throws=10**9), "throws"),
    "no columns": (changed(columns=[]), "columns"),
    "many columns": (changed(columns=[{}] * 9000), "columns"),
    "columns as a number": (changed(columns=10**9), "columns"),
    "a negative factor": (changed(columns=[{"multiplier": -1}]), "columns.1.multiplier"),
    "too many boxes of one pad": (
        changed(categories=[ROW | {"id": f"a{n}", "section": "lower"} for n in range(21)], columns=[{}] * 12,
                upper={"threshold": 1, "bonus": 1}), "upper"),
    "many boxes": (changed(categories=[{"id": f"a{n}"} for n in range(3000)]), "categories"),
    "duplicate ids": (changed(categories=[*WHOLE["categories"], WHOLE["categories"][-1]]), "categories"),
    "path parts in the id": (changed(id="../../etc/passwd"), "id"),
    "path parts in the id of a box": (changed(categories=[ROW | {"id": "../x"}]), "categories.../x.id"),
    "the id of a built-in ruleset": (changed(id="classic"), "id"),
    "a file as base": (HOUSE | {"base": "evil.toml"}, "base"),
    "a path as base": (HOUSE | {"base": "../../../etc/passwd"}, ""),
    "a path to a file as base": (HOUSE | {"base": "/etc/knobel/evil.toml"}, "base"),
    "itself as base": (HOUSE | {"base": "our-rules"}, ""),
    "other house rules as base": (HOUSE | {"base": f"house:{'0' * 64}"}, ""),
    "a base inside a base": (HOUSE | {"base": {"base": {"base": "classic"}}}, "base"),
    "no text as base": (HOUSE | {"base": 7}, "base"),
    "deep nesting": (changed(upper=_deep(90)), "upper.a"),
    "deep nesting in an option": (HOUSE | {"options": {"joker": _deep(90)}}, None),
    "deep nesting in a list": (changed(order=json.loads("[" * 90 + "]" * 90)), "order.1"),
    "a long name": (changed(labels={"de": "x" * 61, "en": "x"}), "labels.de"),
    "a name that turns the line": (changed(labels={"de": "a\u202eb", "en": "x"}), "labels.de"),
    "a name of half a character": (changed(labels={"de": "\ud800", "en": "x"}), "labels.de"),
    "a name for the terminal": (changed(labels={"de": "\x1b[31m", "en": "x"}), "labels.de"),
    "negative points": (changed(categories=[CHANCE | {"rules": [{"points": -5}]}]), "categories.chance.rules.1.points"),
    "code as points": (
        changed(categories=[CHANCE | {"rules": [{"points": "exit()"}]}]), "categories.chance.rules.1.points"),
    "an empty mapping": ({}, "id"),
    "no TOML": ("[[[", ""),
    "TOML nested deep": ("a = " + "[" * 9000 + "]" * 9000, ""),
    "TOML with a long number": ("dice = " + "9" * 9000, ""),
    "TOML that names a key twice": ("id = 'a'\nid = 'b'", ""),
    "TOML with a file as base": ('id = "a"\nlabels = { de = "a", en = "a" }\nbase = "x.toml"', "base"),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_rules_are_refused_with_their_place(served: Served, name: str) -> None:
    rules, at = HOSTILE[name]
    body, headers = json.dumps({"rules": rules}), {"content-type": "application/json"}
    answer = served.http.post("/api/house-rules", content=body, headers=headers)
    problem = refused(answer, 422, "ruleset/refused")
    assert answer.text.isascii()
    assert len(answer.text) < 1500
    assert at is None or problem["params"]["at"] == at
    seen = served.http.post("/api/house-preview", content=body, headers=headers)
    assert (seen.status_code, seen.json()["problem"]) == (200, None if "built-in" in name else problem)
    assert served.http.get("/api/house-rules").json() == {"rules": []}


@pytest.mark.parametrize("rules", [None, 7, [], "x" * 60_001, [{"id": "a"}]])
def test_what_are_no_rules_is_refused(served: Served, rules: Any) -> None:
    refused(served.http.post("/api/house-rules", json={"rules": rules}), 422, "request/invalid")


@pytest.mark.parametrize("rolls", [[[0]], [[7]], [[1] * 9], [[1]] * 9, [["1"], 5], [[1.5]]])
def test_what_are_no_rolls_is_refused(served: Served, rolls: Any) -> None:
    refused(served.http.post("/api/house-preview", json={"rules": HOUSE, "rolls": rolls}), 422, "request/invalid")


def test_a_million_boxes_and_a_huge_text_are_not_even_read(served: Served) -> None:
    boxes = json.dumps({"rules": changed(categories=[{"id": "a"}] * 10**6)})
    headers = {"content-type": "application/json"}
    refused(served.http.post("/api/house-rules", content=boxes, headers=headers), 413, "request/too-large")
    refused(served.http.post("/api/house-rules", json={"rules": "#" * 10**6}), 413, "request/too-large")
    deep = b'{"rules": ' + b'{"a":' * 10_000 + b"1" + b"}" * 10_000 + b"}"
    answer = served.http.post("/api/house-rules", content=deep, headers=headers)
    assert answer.status_code == 422


def test_rules_that_cost_too_much_to_score_are_refused(served: Served) -> None:
    costly = [{"groups": [1, 1, 1, 1, 1], "points": "matched"}] * 8
    rows = [{"id": f"a{n}", "labels": LABELS, "rules": costly} for n in range(8)]
    rules = {"id": "costly", "labels": LABELS, "dice": 8, "throws": 3, "categories": rows}
    problem = refused(served.http.post("/api/house-rules", json={"rules": rules}), 422, "ruleset/refused")
    assert problem["key"] == "server-house-too-large"
    rows = [{"id": f"a{n}", "labels": LABELS, "rules": [{"points": "all"}]} for n in range(40)]
    rules = {"id": "wide", "labels": LABELS, "dice": 5, "throws": 3, "categories": rows, "columns": [{}] * 7}
    problem = refused(served.http.post("/api/house-rules", json={"rules": rules}), 422, "ruleset/refused")
    assert problem["key"] == "server-house-boxes"


@pytest.mark.parametrize("name", knobel.builtin_ids())
def test_every_ruleset_of_ours_is_small_enough(name: str) -> None:
    house.read({"base": name, "id": "ours", "labels": LABELS})


def test_markup_in_names_stays_text(served: Served) -> None:
    name = '<img src=x onerror="alert(1)">'
    kept = keep(served, HOUSE | {"labels": {"de": name, "en": name}})
    assert kept["ruleset"]["labels"]["de"] == name
    answer = served.http.get(f"/api/house-rules/{kept['digest']}")
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_full_server_keeps_no_more_but_still_knows_what_it_has(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(house, "MOST_STORED", 2)
    kept = [keep(served, HOUSE | {"throws": throws}) for throws in (1, 2)]
    answer = served.http.post("/api/house-rules", json={"rules": HOUSE})
    assert refused(answer, 507, "ruleset/full")["params"] == {"most": 2}
    assert keep(served, HOUSE | {"throws": 1}) == kept[0]
    assert len(served.http.get("/api/house-rules").json()["rules"]) == 2


def test_a_database_of_before_house_rules_is_brought_up_to_date(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as old:
        old.setattr(command, "upgrade", _upgrade_to("0001", command.upgrade))
        folder.prepare(tmp_path / folder.DATABASE)
    with serving(tmp_path) as served:
        name = f"house:{keep(served, HOUSE)['digest']}"
        assert served.http.get(f"/api/tables/{served.open(name)}").status_code == 200


def test_a_migration_that_is_killed_leaves_the_old_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / folder.DATABASE
    with monkeypatch.context() as old:
        old.setattr(command, "upgrade", _upgrade_to("0001", command.upgrade))
        folder.prepare(path)
    with monkeypatch.context() as broken:
        from alembic import op

        create = op.create_table
        broken.setattr(op, "create_table", lambda *args, **more: (create(*args, **more), 1 / 0))
        with pytest.raises(ZeroDivisionError):
            folder.prepare(path)
    with closing(sqlite3.connect(path)) as connection:
        names = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
        assert names == {"tables", "events", "alembic_version"}
        assert connection.execute("SELECT version_num FROM alembic_version").fetchone() == ("0001",)
    folder.prepare(path)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT version_num FROM alembic_version").fetchone() == (database.REVISION,)


def _upgrade_to(revision: str, upgrade: Any) -> Any:
    def to_revision(config: Config, _: str) -> None:
        upgrade(config, revision)

    return to_revision
