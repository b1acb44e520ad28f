"""Drill 16: frames that are no messages, and requests that the description of the API makes up.

Each frame gets a refusal with a code or ends its connection; the tables stay as they were, nothing is logged.
"""

import asyncio
import json
import random
import shutil
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from itertools import count
from pathlib import Path
from time import monotonic
from typing import Any

import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import Unsatisfiable
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok

from tests.drills.client import Client, Json, Lost, Seated, leave_all, run
from tests.drills.figure import TIMED, Figure, Progress, hold, share, summed
from tests.drills.server import Server, whole
from tests.drills.slow import frame
from tests.drills.tables import open_table, open_tables, visiting
from tests.server.serving import BEGUN, upgrade

FRAMES, CALLS, BLOCK = 1_000_000, 200_000, 50_000
_WRONG: tuple[Any, ...] = (
    None, True, -1, 0, 10**14, 1.5, 1e300, "", "\x00", "x" * 5000, [], [[]], {}, {"a": {}}, [0] * 500, "\u202e",
    "../..",
)  # fmt: skip
_TEXTS: tuple[str, ...] = (
    "", "{", "nonsense", "[]", "null", "NaN", "Infinity", "-Infinity", "1e400", "1" * 7000,
    '{"a":1,"a":2}', '"\\ud800"',
    "[" * 8000, '{"a":' * 1300, "\x00", "\ufeff{}", '{"type":"hello","protocol":1e400}', '{"type":"command"}',
    '{"type":"command","type":"hello"}', '{"type":"hello","protocol":1}', "'", "<svg onload=alert(1)>",
    '{"type":"\\ud83d"}',
)  # fmt: skip


def drill(scale: float, folder: Path) -> Figure:
    """1,000,000 frames."""
    frames = share(FRAMES, scale) if scale >= TIMED else 2000
    progress, block = Progress(folder, frames=frames), min(BLOCK, frames)
    blocks = [
        progress.done(f"frames {n}", partial(_run_block, folder / f"{n}", n, block)) for n in range(frames // block)
    ]
    return Figure("malformed frames: refused with a code or closed, no table changed, nothing logged", summed(blocks))


def _run_block(*args: Any) -> dict[str, float]:
    return run(_block(*args))


async def _block(data: Path, seed: int, frames: int) -> dict[str, float]:
    shutil.rmtree(data, ignore_errors=True)  # of a run that was stopped
    rng, met = random.Random(seed), Counter[str]()
    async with Server(data) as server, visiting(server.url) as http:
        tables = await open_tables(http, 8)
        witnesses = [await seated.join() for seated in tables]
        before = json.dumps([witness.live for witness in witnesses])
        rights = [witness.command(witness.move(rng)) for witness in witnesses]
        tasks = (
            _texts(seated, right, random.Random(rng.random()), frames // len(tables), met)
            for seated, right in zip(tables, rights, strict=True)
        )
        await asyncio.gather(*tasks)
        for one in RAW * max(1, frames // 50_000):
            await _raw(server.port, tables[0], one, met)
        for witness, right in zip(witnesses, rights, strict=True):
            hold(witness.is_open, "somebody else was closed")
            hold(witness.version == BEGUN, "a table has changed")
            hold((await witness.ask(right))["ok"], "a legal command does not count any more")
        hold(json.dumps([witness.live for witness in witnesses]) != before, "the witnesses see nothing")
        await leave_all(witnesses)
        hold(server.log_lines() == [], f"in the log: {server.log_lines()[:3]}")
        status = 'knobel_http_responses_total{status="5xx"}'
        hold((await server.metrics()).get(status, 0) == 0, "an answer was 5xx")
        await server.stop()
    content, n_events = await whole(data), (BEGUN + 1) * len(tables)
    hold(len(content.rows) == n_events, f"{len(content.rows)} events instead of {n_events}")
    return {"frames": met["frames"], "refused": met["refused"], "connections closed": met["closed"]}


async def _texts(seated: Seated, right: Json, rng: random.Random, n: int, met: Counter[str]) -> None:
    """So many text frames, a few at a time; every one is answered with a refusal."""
    client = await seated.join()
    while n > 0:
        some = [_text(right, rng) for _ in range(min(16, n))]
        n -= len(some)
        if not client.is_open:
            client = await seated.join()
        answers = [_answer_to(client, text) for text in some]
        replies = await asyncio.wait_for(asyncio.gather(*answers, return_exceptions=True), 30)
        met["frames"] += len(some)
        for text, reply in zip(some, replies, strict=True):
            if isinstance(reply, Lost):
                met["closed"] += 1
                continue
            if isinstance(reply, BaseException):
                raise reply
            hold(not reply["ok"], f"{text[:200]!r} was answered with yes")
            code = reply["problem"]["code"]
            hold(code.startswith(("message/", "action/")), f"{text[:200]!r} was answered with {code}")
            met["refused"] += 1
    await client.leave()


def _answer_to(client: Client, text: str) -> asyncio.Future[Json]:
    try:
        client.send_bytes(text.encode("utf-8", "surrogatepass"))
    except Lost as error:
        future: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        future.set_exception(error)
        return future
    return client.unnamed()


def _text(right: Json, rng: random.Random) -> str:
    """Something that is no message, or a message with something wrong in it; without an id that could be answered."""
    if rng.random() < 0.3:
        return rng.choice(_TEXTS)
    broken: Json = json.loads(json.dumps(right))
    where = rng.choice((broken, broken["move"]))
    key = rng.choice([key for key in where if key != "id"])
    how = rng.random()
    if how < 0.2:
        del where[key]
    else:
        where[key] = rng.choice([wrong for wrong in _WRONG if wrong != where[key]])
    text = json.dumps(broken)
    if how > 0.9:
        return text[: rng.randrange(1, len(text))]
    return text.replace(broken["id"], "short")[:8000]  # an id like that is invalid as well


RAW: tuple[list[bytes], ...] = (
    [frame(bytes(range(100)), 0x82)],  # binary
    [frame(b"x", 0x01), *100 * [frame(b"x", 0x00)]],  # a message in pieces without an end
    [frame(b"\xff\xfe", 0x81)],  # no UTF-8
    [frame(b"x" * 8193)],  # 8 KiB + 1
    [bytes([0x81, 0xFF]) + (100 << 20).to_bytes(8, "big") + bytes(4) + b"x" * 1000],  # 100 MiB announced
    [frame(b"x" * 100, 0xC1)],  # compressed, which was not agreed upon
    [frame(b"x", 0x83)],  # no such opcode
    [frame(b"x" * 200, 0x89)],  # a ping that is too long
    [bytes([0x81, 5]) + b"hello"],  # not masked
    [frame(b"", 0x00)],  # goes on with nothing
    [frame(b"\x03", 0x88)],  # half a close code
    [random.Random(16).randbytes(3000)],
)


async def _raw(port: int, seated: Seated, frames: list[bytes], met: Counter[str]) -> None:
    """Frames against the protocol: the connection ends or they are refused, and no hang."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    with suppress(OSError):
        writer.write(upgrade(seated.id))
        await reader.readuntil(b"\r\n\r\n")
        for one in frames:
            writer.write(one)
        begin = monotonic()
        with suppress(TimeoutError):
            async with asyncio.timeout(0.3):
                while await reader.read(4096):
                    pass
        hold(monotonic() - begin < 20, "the connection hangs")
    writer.transport.abort()
    met["frames"] += len(frames)
    met["closed"] += 1


def requests(scale: float, folder: Path) -> Figure:
    """200,000 requests that the description of the API makes up."""
    calls = share(CALLS, scale) if scale >= TIMED else 60
    progress = Progress(folder, calls=calls)
    return Figure(
        "requests made up from the API's description: no answer is 5xx",
        run(_requests(folder / "data", calls, progress)),
    )


async def _requests(data: Path, calls: int, progress: Progress) -> dict[str, int]:
    async with Server(data) as server, visiting(server.url) as http:
        witness = await (await open_table(http)).join()
        made = await asyncio.to_thread(_call, server.url, calls, progress)
        hold(witness.is_open and witness.version == BEGUN, "a table has changed")
        hold((await witness.ask(witness.command(witness.move(random.Random(1)))))["ok"], "the game cannot go on")
        await witness.leave()
        hold(server.log_lines() == [], f"in the log: {server.log_lines()[:3]}")
        await server.stop()
    await whole(data)
    return {"calls": made.total(), **{f"answers {status}": n for status, n in sorted(made.items())}}


def _call(url: str, calls: int, progress: Progress) -> Counter[str]:
    """Round after round until there are enough: many operations have only so many different calls."""
    schema, met = schemathesis.openapi.from_url(f"{url}/api/openapi.json"), Counter[str]()
    operations = [found.ok() for found in schema.get_all_operations() if isinstance(found, Ok)]
    for number in count():
        each = max(3, (calls - met.total()) // (2 * len(operations)))
        made = progress.done(f"round {number}", partial(_round, operations, each, number))
        met.update({status: round(n) for status, n in made.items()})
        if met.total() >= calls:
            return met
    raise AssertionError


def _round(operations: Sequence[Any], each: int, number: int) -> dict[str, float]:
    """So many right and so many wrong calls of each operation."""
    met = Counter[str]()
    for mode in (schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE):
        for operation in operations:
            try:
                strategy = operation.as_strategy(generation_mode=mode)
            except Exception:  # there is no wrong call of an operation without parameters
                continue
            _try(strategy, each, number, met)
    return dict(met)


def _try(strategy: Any, n: int, number: int, met: Counter[str]) -> None:
    @seed(number)
    @settings(
        max_examples=n,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
    )
    @given(case=strategy)
    def call(case: Any) -> None:
        answer = case.call(timeout=20)
        met[f"{answer.status_code // 100}xx"] += 1
        try:
            case.validate_response(answer, checks=[not_a_server_error])
        except BaseExceptionGroup as error:
            raise AssertionError(f"{answer.status_code}: {case.method} {case.path} {case.as_curl_command()}") from error

    with suppress(Unsatisfiable):  # there is no wrong call of this operation
        call()
