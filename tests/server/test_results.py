"""What a guest has reached, and his dice: worked out of the games, so that nothing counts twice (drill 27)."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import knobel
from knobel.event import Began, Event, Threw
from knobel.room import Terms
from knobel.seat import Arranged, Happening, Opened, Returned, Sealed, Seat, Substituted
from knobel.server.result_page import dice_of, results_of
from knobel.server.rows import Line
from tests.server.serving import AGAINST_COMPUTER, PEOPLE, Player, Served, serving

CLASSIC, YATZY = knobel.load("classic"), knobel.load("yatzy")
ADA, BEN, ROBO = Seat("Ada", "person", "ada"), Seat("Ben", "person", "ben"), Seat("Robo", "computer")


def line(totals: tuple[int, ...], *seats: Seat, ruleset: Any = CLASSIC) -> Line:
    return Line("t", ruleset, Terms(), "over", seats, totals, None, 0.0)


def test_games_are_counted_by_ruleset_and_seat() -> None:
    lines = [line((200, 150), ADA, BEN), line((100, 150), ADA, BEN), line((250,), ADA, ruleset=YATZY)]
    classic, yatzy = results_of(lines, "ada").rulesets
    assert (classic.games, classic.wins, classic.best, classic.mean, classic.helped) == (2, 1, 200, 150.0, 0)
    assert (yatzy.games, yatzy.wins, yatzy.best) == (1, 0, 250)  # alone nobody wins
    assert results_of(lines, "ben").rulesets[0].wins == 1
    assert results_of(lines, "cem").rulesets == ()


def test_a_tie_is_nobodys_win() -> None:
    assert results_of([line((201, 201), ADA, BEN)], "ada").rulesets[0].wins == 0


def test_equal_names_are_different_seats() -> None:  # B083, B100
    other = replace(BEN, name="Ada")
    assert results_of([line((150, 310), ADA, other)], "ben").rulesets[0].best == 310
    assert results_of([line((150, 310), ADA, other)], "ada").rulesets[0].wins == 0


def test_a_game_that_a_computer_ended_is_counted_apart() -> None:
    helped = results_of([line((300, 100), replace(ADA, stand_in="away"), BEN)], "ada").rulesets[0]
    assert (helped.games, helped.wins, helped.best, helped.mean, helped.helped) == (0, 0, None, None, 1)


def test_one_guest_with_two_seats_has_two_results() -> None:
    both = results_of([line((300, 100), ADA, replace(ADA, name="Oma"))], "ada").rulesets[0]
    assert (both.games, both.wins, both.mean) == (2, 1, 200.0)


def throw(seat: int, keep: tuple[int, ...], *dice: int) -> Threw:
    return Threw(seat, keep, dice)


def test_only_dice_that_a_guest_has_thrown_himself_are_his() -> None:
    events: list[Event | Happening] = [
        Opened("ada", (ADA, replace(BEN, guest=None)), "x"),
        Arranged("sit", 1, "ada", (ADA, BEN)),
        Sealed((ADA, BEN)),
        Began(0),
        throw(0, (), 1, 2, 3, 4, 5),
        throw(0, (0, 1, 2), 1, 2, 3, 6, 6),
        throw(1, (), 5, 5, 5, 5, 5),
        Substituted(0, "away"),
        throw(0, (), 4, 4, 4, 4, 4),
        Returned(0),
        throw(0, (), 2, 2, 2, 2, 2),
    ]
    ada = dice_of([events], "ada")
    assert (ada.tables, ada.throws, ada.faces) == (1, 3, (1, 6, 1, 1, 1, 2))
    assert ada.verdict is None
    assert all(test.p is None and test.missing > 0 for test in ada.tests)
    assert dice_of([events], "ben").faces == (0, 0, 0, 0, 5, 0)
    assert dice_of([events], "cem").tables == 0


def test_enough_dice_get_a_verdict() -> None:
    events: list[Event | Happening] = [Opened("ada", (ADA,), "x"), *[throw(0, (), 6, 6, 6, 6, 6)] * 60]
    odd = dice_of([events], "ada")
    assert odd.verdict is not None
    assert odd.verdict.key == "dice-unusual"
    assert odd.tests[0].p is not None
    assert odd.tests[0].p < 1e-9


@pytest.mark.parametrize("restarts", [0, 5])
def test_a_finished_game_counts_once_however_often_it_is_opened(tmp_path: Path, restarts: int) -> None:  # B091, B092
    with serving(tmp_path) as served:
        table = served.open("yatzy", PEOPLE[:1])
        cookie = served.http.headers["cookie"]
        with served.join(table) as player:
            play(player)
        before = results(served)
    for _ in range(restarts):
        with serving(tmp_path) as served:
            served.http.headers["cookie"] = cookie
            with served.join(table) as player:
                assert player.live["room"]["phase"] == "over"
            assert results(served) == before
    assert before["rulesets"][0]["games"] == 1
    assert [line["id"] for line in before["history"]] == [table]


def test_the_dice_of_a_guest_come_from_his_games(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        table = served.open("yatzy", AGAINST_COMPUTER)
        with served.join(table) as player:
            play(player)
            own = [event for event in player.events if event["kind"] == "throw" and event["seat"] == 0]
        found = served.http.get("/api/me/dice").json()
        assert (found["tables"], found["throws"]) == (1, len(own))
        assert sum(found["faces"]) == sum(len(event["thrown"]) for event in own)
        stranger = served.http.get("/api/me/dice", headers={"cookie": ""})
        assert (stranger.status_code, stranger.json()["problem"]["code"]) == (403, "guest/none")


def play(player: Player) -> None:
    """To the end; what the computer does is waited for."""
    while player.view["turn"] is not None:
        if player.view["turn"]["seat"] != 0:
            player.receive()
        elif player.view["turn"]["throw"] == 0:
            player.throw()
        else:
            player.enter_first()


def results(served: Served) -> Any:
    answer = served.http.get("/api/me/results")
    assert answer.headers["cache-control"] == "no-store"
    return answer.json()
