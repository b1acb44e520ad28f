"""Drills 17 and 18: names and rules that want to do harm, on the server's side and in the terminal.

(What a browser makes of such names is tested in tests/browser.)
"""

import json
import os
import random
import subprocess
import sys
import unicodedata
from pathlib import Path
from time import monotonic
from typing import Any

import httpx

from knobel.record import Record
from tests.drills.client import Json, run
from tests.drills.figure import Figure, hold, share
from tests.drills.server import Server, whole
from tests.drills.tables import new_table, open_table, visiting

NAMES, RULES = 400, 400
_JSON = {"content-type": "application/json"}  # not by httpx, which sends no half characters
_SLOWEST = 5.0  # seconds that a refusal may take
SEEDS: tuple[str, ...] = (
    "", " ", "\u200b", "\u2800\u3164", "\x00", "\u202eadA", "\u2066Ada\u2069", "Z" + "\u0301" * 1000, "x" * 1_000_000,
    "👨\u200d👩\u200d👧\u200d👦", "🇩🇪🇦🇹", "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>',
    "<svg/onload=alert(1)>",
    "javascript:alert(1)", "=1+1", "@SUM(A1)", "+cmd|'/C calc'!A0", "-2+3", "\tAda",
    "'; DROP TABLE events; --", "\x1b[2J\x1b[31mAda",
    "\x1b]52;c;ZXZpbA==\x07", "\x9b31m", "\x1b]0;title\x07", "Аda", "Ada", "ADA", "%s%n%x", "{0.__class__}",
    "${7*7}", "{{7*7}}",
    "../../etc/passwd", "Ada\nseats: Ben", "Ada\r\nSet-Cookie: x=1", "\u2028Ada\u2029", "A\ud800a",
    "# comment", '"', "\\", "'",
    "\ufeffAda", "ﷺ", "𒐫" * 10, "\U000e0041", "NULL", "null", "0", "True", "Ada\x7f",
    "a\u0323\u0307\u0301\u0300", "```",
)  # fmt: skip
_TERMINAL = "import sys; from knobel.cli import main; sys.argv = ['knobel', *sys.argv[1:]]; main()"


def names(scale: float, folder: Path) -> Figure:
    """400 names: in the list, the title, the export, the terminal and the log."""
    counts = run(_names(folder / "data", share(NAMES, scale, len(SEEDS))))
    return Figure(
        "hostile names in list, title, export, terminal and log: nothing invisible, no escape, no line break", counts
    )


async def _names(data: Path, n: int) -> dict[str, int]:
    rng, shown = random.Random(17), list[str]()
    tried = [*SEEDS, *(_mixed(rng) for _ in range(n - len(SEEDS)))]
    refused = 0
    async with Server(data) as server, visiting(server.url) as http:
        for name in tried:
            body = new_table()
            body["seats"][0]["name"] = name
            answer = await http.post("/api/tables", content=json.dumps(body).encode(), headers=_JSON)
            hold(answer.status_code in (201, 413, 422), f"{name[:60]!r}: status {answer.status_code}")
            if answer.status_code != 201:
                refused += 1
                continue
            line = answer.json()
            listed = (await http.get("/api/tables")).json()["tables"][0]
            for place, found in (("title", line), ("list", listed)):
                hold(
                    _is_clean(found["seats"][0]["name"]),
                    f"{name[:60]!r} is {found['seats'][0]['name']!r} in the {place}",
                )
            shown.append(await _exported(http, line))
        hold(len(shown) > n // 3, f"only {len(shown)} of {n} names were taken")
        hold(server.log_lines() == [], f"in the log: {server.log_lines()[:3]}")
        hold(_in_terminal(shown, data.with_name("names.record")) > 0, "the terminal showed no record")
        await server.stop()
    await whole(data)
    return {"names": n, "shown": len(shown), "refused": refused}


async def _exported(http: httpx.AsyncClient, line: Json) -> str:
    """The record of a table, in which the name stands as in the list; the record itself."""
    text = (await http.get(f"/api/tables/{line['id']}/record")).text
    name = line["seats"][0]["name"]
    record = Record.parse(text)
    hold(len(record.seats) == 2, f"{name!r} makes {len(record.seats)} players of two")
    hold(all(_is_clean(row) for row in text.splitlines() if row), f"{name!r} in a record: {text!r}")
    return text


def _in_terminal(records: list[str], file: Path) -> int:
    """What the command line says about a record; how many it was asked about."""
    text = max(records, key=lambda record: sum(not char.isalnum() for char in record))
    file.write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", _TERMINAL, "rules", "check", str(file)], capture_output=True, timeout=60, check=False,
        env=os.environ | {"NO_COLOR": "1"},
    )  # fmt: skip
    said = (done.stdout + done.stderr).decode("utf-8")
    hold(all(_is_clean(row) for row in said.splitlines() if row.strip()), f"in the terminal: {said!r}")
    return 1


def _mixed(rng: random.Random) -> str:
    """Pieces of several hostile names."""
    return "".join(part[: rng.randint(1, 12)] for part in rng.sample(SEEDS, 3))


def _is_clean(text: str) -> bool:
    """No control, no direction, no half character in it."""
    allowed = "\u200d\ufe0f"
    return all(char in allowed or unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Zl", "Zp") for char in text)


def rules(scale: float, folder: Path) -> Figure:
    """400 tables and rulesets that cannot be."""
    n = share(RULES, scale, len(_bodies(random.Random(0))) + len(_drafts()))
    counts, measured = run(_rules(folder / "data", n))
    return Figure("hostile options and rulesets: refused with a code, soon", counts, measured)


async def _rules(data: Path, n: int) -> tuple[dict[str, int], dict[str, float]]:
    rng, slowest, done = random.Random(18), 0.0, 0
    async with Server(data) as server, visiting(server.url) as http:
        client = await (await open_table(http)).join()
        while done < n:
            tries = [("/api/tables", body) for body in _bodies(rng)]
            tries += [(path, draft) for draft in _drafts() for path in ("/api/house-rules", "/api/house-preview")]
            for path, body in tries:
                begin = monotonic()
                answer = await http.post(path, content=json.dumps(body).encode(), headers=_JSON)
                slowest, done = max(slowest, monotonic() - begin), done + 1
                told = f"{path} {json.dumps(body)[:200]}: {answer.status_code} {answer.text[:200]}"
                if path == "/api/house-preview" and answer.status_code == 200:
                    hold(answer.json()["problem"] is not None, told)
                else:
                    hold(answer.status_code in (413, 422), told)
                    hold(answer.json()["problem"]["code"].startswith(("ruleset/", "request/")), told)
        hold(slowest < _SLOWEST, f"a refusal took {slowest:.1f} s")
        hold((await client.ask(client.command(client.move(rng))))["ok"], "the game cannot go on")
        await client.leave()
        hold(server.log_lines() == [], f"in the log: {server.log_lines()[:3]}")
        await server.stop()
    content = await whole(data)
    hold(content.n_tables == 1, f"{content.n_tables - 1} impossible tables were made")
    return {"refused": done}, {"slowest ms": 1000 * slowest}


def _bodies(rng: random.Random) -> list[Json]:
    """Tables that cannot be."""
    numbers: tuple[Any, ...] = (-1, 0, 10**9, 10**15, 1.5, None, [], {}, "3", True, [[]], -(10**14))
    names_ = ("columns", "dice", "throws", "players", "upper_threshold", "joker", "__class__", "../options", "")
    bodies = [new_table(options={rng.choice(names_[:5]): rng.choice(numbers)}) for _ in range(12)]
    bodies += [new_table(options={name: rng.choice(numbers)}) for name in names_[5:]]
    bodies += [new_table(options={f"option{n}": n for n in range(1000)})]
    for ruleset in (
        "../../etc/passwd",
        "..",
        "/dev/zero",
        "classic.toml",
        "house:../x",
        "house:" + "0" * 64,
        "\x00",
        "",
        "x" * 80,
    ):
        bodies.append(new_table(ruleset))
    bodies += [{**new_table(), "seats": n * [{"name": "A", "kind": "person"}]} for n in (0, 13)]
    bodies += [{**new_table(), "begin": "never"}, {**new_table(), "seats": [{"name": "A", "kind": "god"}]}, {}]
    return [body for body in bodies if json.dumps(body.get("options")) != '{"upper_threshold": 0}']  # that can be


def _drafts() -> list[Json]:
    """Rulesets that cannot be."""
    base = "id = 'x'\nformat = 1\n"
    texts = (
        "", "nonsense", "=",
        "a = [" + "[" * 5000, base + "extends = 'x'", base + "base = '../../etc/passwd'", base + "dice = 1000000000",
        base + "dice = -1", base + "throws = 1e400",
        base + "".join(f"[[categories]]\nid = 'c{n}'\n" for n in range(2000)),
        "a = " + "9" * 10_000, "a.b.c = 1\na = 2", "x = nan", "\x00", "\ud800", "id = '" + "x" * 50_000 + "'",
        "[a]\n[a]", "import os", base + "[options]\n" + "\n".join(f"o{n} = {n}" for n in range(3000)),
    )  # fmt: skip
    deep: Any = {}
    for _ in range(500):
        deep = {"a": deep}
    data: list[Any] = [{}, {"id": []}, {"categories": [{}] * 1000}, deep, {"id": "x", "dice": None}]
    return [{"rules": rules} for rules in (*texts, *data)]
