"""Tables for tests: scripted and random dice, commands of the seat that must act, and random games."""

from collections.abc import Iterator
from random import Random

import pytest

import knobel
from knobel import Action, State
from knobel.action import Choose, Enter, Extra, Pick, Spend, Throw
from knobel.event import Began, Move
from knobel.seat import Kind, Seat
from knobel.sheet import entries
from knobel.table import Command, Draw, Refused, Table, decide, evolve, open_table
from knobel.tray import move_of
from knobel.vocabulary import OptionValue

PEOPLE = (Seat("Ada", "person"), Seat("Ben", "person"))
FIVE = (*PEOPLE, Seat("Cem", "person"), Seat("Dana", "person"), Seat("Ada", "person"))


def dice(*faces: str) -> Draw:
    """A draw that hands out these faces, one text for each throw."""
    throws = iter(faces)

    def draw(n: int) -> tuple[int, ...]:
        thrown = tuple(map(int, next(throws)))
        assert len(thrown) == n
        return thrown

    return draw


def random_dice(seed: int) -> Draw:
    rng = Random(seed)
    return lambda n: tuple(rng.randint(1, 6) for _ in range(n))


def lucky_dice(seed: int) -> Draw:
    """Random dice that are often alike, so that bonuses are reached and extra throws earned."""
    rng = Random(seed)

    def draw(n: int) -> tuple[int, ...]:
        lucky = rng.randint(1, 6)
        return tuple(lucky if rng.random() < 0.6 else rng.randint(1, 6) for _ in range(n))

    return draw


def opened(name: str = "classic", seats: tuple[Seat, ...] = PEOPLE, **options: OptionValue) -> Table:
    return open_table("t", knobel.load(name, **options), seats, "seat", Began(0))


def does(table: Table, move: Move, draw: Draw | None = None, by: Kind = "person") -> Table:
    assert table.state.turn is not None
    return evolve(table, decide(table, Command(table.state.turn.seat, table.version, move, by), draw or dice()))


def code_of(table: Table, command: Command) -> str:
    """The code with which a command is refused; it costs no dice."""
    with pytest.raises(Refused) as refused:
        decide(table, command, dice())
    return refused.value.code


def played(table: Table, seed: int, n: int = 10_000, draw: Draw | None = None) -> Iterator[Table]:
    """The table after each of up to `n` random legal actions; rarer kinds of actions are taken as often as others."""
    rng, draw = Random(seed), draw or random_dice(seed)
    for _ in range(n):
        if table.state.turn is None:
            return
        table = does(table, move_of(random_action(table.state, rng), table.tray), draw)
        yield table


def random_action(state: State, rng: Random) -> Action:
    """A legal action of a random kind; among entries mostly the one that brings most."""
    actions = knobel.legal_actions(state)
    kinds = [[action for action in actions if isinstance(action, kind)] for kind in _KINDS]
    chosen = rng.choice([kind for kind in kinds if kind])
    if isinstance(chosen[0], Enter) and rng.random() < 0.8:
        turn, ruleset = state.turn, state.ruleset
        assert turn is not None
        assert turn.roll is not None
        points = {
            ruleset.boxes[entry.index]: entry.points for entry in entries(ruleset, state.sheets[turn.owner], turn.roll)
        }
        return max(chosen, key=lambda action: points[action.box] if isinstance(action, Enter) else 0)
    return rng.choice(chosen)


_KINDS: tuple[type[Action], ...] = (Throw, Extra, Spend, Choose, Pick, Enter)
