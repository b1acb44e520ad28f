"""What is shown step by step is what would be shown anew, and sheets that look the same are not made again."""

from random import Random

import pytest

import knobel
from knobel.fair import commitment_of
from knobel.room import Command, Room, Terms, evolve, open_room
from knobel.seat import Opened, Seat
from knobel.server.present import shown
from knobel.steward import begun, decide
from knobel.tray import move_of
from tests.seated import lucky_dice, random_action

SEED = b"s" * 32
SEATS = (Seat("Ada", "person", "ada"), Seat("Robo", "computer"), Seat("Cem", "person", "cem"))


def states(ruleset: str, seed: int, n_most: int = 250) -> list[Room]:
    """A random game from before its beginning."""
    rng, draw = Random(seed), lucky_dice(seed)
    rooms = [open_room("t", knobel.load(ruleset), Terms(), Opened("ada", SEATS, commitment_of(SEED)))]
    for event in begun(rooms[0], lambda _: draw):
        rooms.append(evolve(rooms[-1], event))
    while (acting := rooms[-1].acting) is not None and len(rooms) < n_most:
        room = rooms[-1]
        assert room.table is not None
        assert room.table.state.turn is not None
        move = move_of(random_action(room.table.state, rng), room.table.tray)
        command = Command(move, room.version, room.table.state.turn.seat, acting.guest, acting.player)
        for event_of_play in decide(room, command, lambda _: draw):
            rooms.append(evolve(rooms[-1], event_of_play))
    return rooms


@pytest.mark.parametrize("ruleset", knobel.builtin_ids())
def test_a_table_looks_as_if_it_were_shown_anew(ruleset: str) -> None:
    before, n_kept, n_sheets = None, 0, 0
    for room in states(ruleset, seed=7):
        after = shown(room, SEED, before)
        assert after.live == shown(room, SEED).live
        if before is not None and before.drawn and after.drawn:
            old, new = before.live["view"]["sheets"], after.live["view"]["sheets"]
            n_kept += sum(one is other for one, other in zip(old, new, strict=True))
            n_sheets += len(new)
        before = after
    assert n_kept > n_sheets / 3
