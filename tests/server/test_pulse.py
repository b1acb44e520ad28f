"""A server that is late lets nobody new in; those who play go on."""

import asyncio
from collections.abc import Callable
from time import sleep

import pytest

from knobel.server import limit, pulse
from knobel.server.limit import TooMany
from knobel.server.pulse import Pulse
from tests.server.serving import Served, upgrade


async def after(beats: int, beating: Pulse, between: Callable[[], None] = lambda: None) -> None:
    task = asyncio.create_task(beating.beat())
    for _ in range(beats):
        await asyncio.sleep(pulse.BEAT / 2)
        between()
        await asyncio.sleep(pulse.BEAT)
    task.cancel()


def test_a_loop_that_stands_still_makes_it_late(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulse, "BEAT", 0.01)
    stopped, stuck = Pulse(lambda: 0.0), Pulse(lambda: 0.0)
    asyncio.run(after(2, stopped, lambda: sleep(0.1)))
    stopped.let_in()
    asyncio.run(after(2, stuck, lambda: sleep(2.0)))
    with pytest.raises(TooMany):
        stuck.let_in()


def test_waiting_commands_make_it_late_until_they_are_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulse, "BEAT", 0.005)
    waited = [1.0]
    one = Pulse(lambda: waited[0])
    asyncio.run(after(20, one))
    with pytest.raises(TooMany) as error:
        one.enter()
    assert (error.value.code, error.value.status) == ("server/overloaded", 503)
    waited[0] = 0.0
    asyncio.run(after(40, one))
    one.enter()


def test_so_many_are_made_at_the_same_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulse, "AT_ONCE", 2)
    one = Pulse(lambda: 0.0)
    one.enter()
    one.enter()
    with pytest.raises(TooMany):
        one.enter()
    one.leave()
    one.enter()


def test_a_late_server_refuses_what_is_new_and_nothing_else(served: Served) -> None:
    kept, asleep = served.open(), served.open()
    hall = served.hall

    async def late(value: float) -> None:
        hall._masters.pop(asleep, None)
        hall.pulse.late = value

    with served.join(kept) as player:
        served.call(lambda: late(100.0))  # a second or two until it has worn off
        answer = served.http.post("/api/tables", json={})
        assert (answer.status_code, answer.headers["retry-after"]) == (503, str(limit.AGAIN))
        assert answer.json()["problem"]["code"] == "server/overloaded"
        with served.raw() as raw:
            raw.sendall(upgrade(asleep))
            assert raw.recv(4096).startswith(b"HTTP/1.1 503")
        with served.join(kept) as other:
            assert other.live["version"] == player.live["version"]
        assert player.throw()["ok"]
        assert served.http.get("/api/health").status_code == 200
        served.call(lambda: late(0.0))
        served.open()
