"""Other sites in the same browser (drill 21): they change nothing, frame nothing, and nothing private is kept."""

from pathlib import Path
from typing import Any

import httpx
from websockets.exceptions import InvalidStatus

from tests.drills.figure import Figure, hold
from tests.drills.inside import inside
from tests.server.serving import Served, serving

FOREIGN = (
    "https://evil.example",
    "null",
    "http://127.0.0.1.evil.example",
    "http://localhost:1",
    "https://127.0.0.1:{}",
)
SITES = ("cross-site", "same-site")
FORMS = (
    ("application/x-www-form-urlencoded", b"name=Eve&ruleset=yatzy"),
    ("text/plain", b'{"name": "Eve", "phrase": "a"}'),
    (
        "multipart/form-data; boundary=x",
        b'--x\\r\\nContent-Disposition: form-data; name="name"\\r\\n\\r\\nEve\\r\\n--x--\\r\\n',
    ),
)
PAGES = ("/", "/tables/x", "/healthz", "/metrics", "/api/openapi.json", "/api/nothing", "/assets/nothing.js")
REQUIRED = {
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}
POLICY = ("default-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "object-src 'none'", "form-action 'self'")


@inside
def drill(scale: float, folder: Path) -> Figure:
    """Every route, with every way in which another site may ask."""
    with serving(folder) as served:
        table = served.open()
        before = _state(served)
        gets, posts = _routes(served, table)
        n_headers = sum(_has_headers(served, path) for path in gets)
        n_refused = sum(_refuses(served, path) for path in posts)
        n_sockets = _sockets(served, table)
        hold(_state(served) == before, "another site has changed something")
        with served.join(table) as player:
            hold(player.live["version"] == 3, "the table is another one")
    return Figure(
        "foreign origins and sites at every route: 0 accepted, nothing changed, headers on every answer",
        {"routes": len(gets) + len(posts), "answers looked at": n_headers, "refused": n_refused, "sockets": n_sockets},
    )


def _routes(served: Served, table: str) -> tuple[list[str], list[str]]:
    """Paths that are read, and those that change something."""
    paths: dict[str, dict[str, Any]] = served.http.get("/api/openapi.json").json()["paths"]

    def filled(path: str) -> str:
        return path.replace("{table_id}", table).replace("{code}", "ABCDEFGH").replace("{name}", "yatzy")

    gets = [filled(path) for path, methods in paths.items() if "get" in methods]
    posts = [filled(path) for path, methods in paths.items() if set(methods) - {"get"}]
    hold(len(posts) > 5 and "/api/me" in posts, f"only {posts}")
    return [*gets, *PAGES], posts


def _has_headers(served: Served, path: str) -> int:
    """Whether every answer says that it is for no frame and no other site; how many were looked at."""
    answers = [served.http.get(path, headers={"origin": origin}) for origin in ("https://evil.example", "null")]
    answers += [served.http.get(path), served.http.head(path)]
    asked = {"origin": "https://evil.example", "access-control-request-method": "POST"}
    answers.append(served.http.options(path, headers=asked))
    for answer in answers:
        _look_at(answer, path)
    return len(answers)


def _look_at(answer: httpx.Response, path: str) -> None:
    headers = answer.headers
    for name, value in REQUIRED.items():
        hold(headers.get(name) == value, f"{path}: {name} is {headers.get(name)}")
    policy = headers.get("content-security-policy", "")
    hold(all(part in policy for part in POLICY) and "unsafe" not in policy, f"{path}: {policy}")
    hold(not any(name.startswith("access-control-") for name in headers), f"{path} is open to other sites")
    is_private = path.startswith(("/api/me", "/metrics", "/healthz")) or "set-cookie" in headers
    cache = headers.get("cache-control")
    hold(cache == "no-store" or (not is_private and cache is not None), f"{path}: {cache}")
    hold(answer.status_code < 500, f"{path}: {answer.status_code}")


def _refuses(served: Served, path: str) -> int:
    """Whether nothing but our own pages may post there; in how many ways it was tried."""
    n = 0
    for origin in FOREIGN:
        for method in ("POST", "PUT", "DELETE", "PATCH"):
            _refused(
                served.http.request(method, path, json={"name": "Eve"}, headers={"origin": origin.format(served.port)})
            )
            n += 1
    for site in SITES:
        _refused(served.http.post(path, json={"name": "Eve"}, headers={"sec-fetch-site": site}))
        _refused(served.http.post(path, json={"name": "Eve"}, headers={"sec-fetch-site": site, "origin": served.url}))
        n += 2
    for kind, body in FORMS:
        for origin in FOREIGN[:2]:
            _refused(served.http.post(path, content=body, headers={"content-type": kind, "origin": origin}))
            n += 1
    return n


def _refused(answer: httpx.Response) -> None:
    hold(
        answer.status_code == 403, f"{answer.request.method} {answer.request.url} was answered by {answer.status_code}"
    )
    hold(answer.json()["problem"]["code"] == "request/foreign-origin", answer.text)
    hold("set-cookie" not in answer.headers, "a stranger gets a cookie")
    _look_at(answer, answer.request.url.path)


def _sockets(served: Served, table: str) -> int:
    """Sockets of pages from elsewhere, with the cookie of a guest."""
    for origin in FOREIGN:
        try:
            served.connect(table, additional_headers={"Origin": origin.format(served.port)}).close()
        except InvalidStatus as error:
            hold(error.response.status_code == 403, f"a socket from {origin}: {error.response.status_code}")
        else:
            raise AssertionError(f"a socket from {origin}")
    served.connect(table, additional_headers={"Origin": served.url}).close()
    return len(FOREIGN)


def _state(served: Served) -> dict[str, Any]:
    """What the guest and the server have."""
    paths = ("/api/me", "/api/tables", "/api/lobby", "/api/house-rules")
    return {path: served.http.get(path).json() for path in paths}
