from pathlib import Path

import pytest

from tests.server.serving import PEOPLE, Served, serving, upgrade
from tests.server.test_page import TABLE, refused


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
    "host", ["evil.example", "evil.example:80", "", "127.0.0.1.evil.example", "127.0.0.2", "[", "10.0.0.1"]
)
def test_a_foreign_host_is_refused(served: Served, host: str) -> None:  # DNS rebinding
    refused(served.http.get("/api/tables", headers={"host": host}), 403, "request/foreign-host")


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1", "[::1]:8000"])
def test_loopback_is_ours(served: Served, host: str) -> None:
    assert served.http.get("/api/tables", headers={"host": host}).status_code == 200


def test_a_server_that_listens_everywhere_answers_to_addresses_but_not_to_names(tmp_path: Path) -> None:
    with serving(tmp_path, host="0.0.0.0") as served:
        assert served.http.get("/api/tables", headers={"host": "192.168.1.7:80"}).status_code == 200
        refused(served.http.get("/api/tables", headers={"host": "evil.example"}), 403, "request/foreign-host")
    with serving(tmp_path, host="dice.example") as served:
        assert served.http.get("/api/tables", headers={"host": "dice.example:80"}).status_code == 200


def test_a_socket_through_a_foreign_name_is_refused(served: Served) -> None:
    table = served.open(seats=PEOPLE)
    with served.raw() as raw:
        raw.sendall(upgrade(table, "evil.example", "http://evil.example"))
        assert raw.recv(4096).startswith(b"HTTP/1.1 403")
