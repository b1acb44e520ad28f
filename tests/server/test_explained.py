"""The page about a ruleset as the browser gets it."""

import pytest

import knobel
from tests.server.serving import Served
from tests.server.test_page import refused


@pytest.mark.parametrize("name", knobel.builtin_ids())
def test_every_ruleset_has_a_page(served: Served, name: str) -> None:
    answer = served.http.get(f"/api/rulesets/{name}/page").json()
    assert answer["ruleset"]["id"] == answer["page"]["id"] == name
    assert answer["standard"]["id"] == "classic"
    assert [box["id"] for box in answer["page"]["boxes"]] == [row["id"] for row in answer["ruleset"]["categories"]]


def test_a_page_follows_the_options_of_its_address(served: Served) -> None:
    query = "?joker=forced&columns=3&multipliers=1,1,2"
    answer = served.http.get(f"/api/rulesets/classic/page{query}").json()
    rules = knobel.load("classic", joker="forced", columns=3, multipliers=(1, 1, 2))
    assert answer["ruleset"]["digest"] == knobel.digest(rules)[:16]
    chosen = {option["name"]: option["chosen"] for option in answer["page"]["options"]}
    assert (chosen["joker"], chosen["columns"], chosen["multipliers"]) == ("forced", 3, [1, 1, 2])
    assert {"joker", "columns"} <= {part["id"] for part in answer["page"]["parts"]}


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("chess", "ruleset/unknown"),
        ("house:0", "ruleset/unknown"),
        ("..%2f..%2fetc%2fpasswd", "request/not-found"),
        ("x" * 81, "request/invalid"),
    ],
)
def test_an_unknown_ruleset_is_refused(served: Served, path: str, code: str) -> None:
    status = {"request/not-found": 404}.get(code, 422)
    refused(served.http.get(f"/api/rulesets/{path}/page"), status, code)


@pytest.mark.parametrize("query", ["joker=wild", "jocker=free", "columns=2", "order_seed=1", "%ff=%ff"])
def test_an_impossible_option_is_refused(served: Served, query: str) -> None:
    refused(served.http.get(f"/api/rulesets/classic/page?{query}"), 422, "ruleset/refused")


def test_the_addresses_of_the_pages_are_served(served: Served) -> None:
    for path in ("/rules", "/rules/classic", "/rules/house:0"):
        assert served.http.get(path).status_code == served.http.get("/").status_code
