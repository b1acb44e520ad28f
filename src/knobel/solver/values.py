"""What everything is worth: exact values of states and actions under optimal play, from a table."""

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from knobel import sheet as pad
from knobel import turn as rules
from knobel.action import Action, Enter, Throw
from knobel.dice import keeps, roll_index
from knobel.errors import KnobelError, Reason
from knobel.game import State, legal_actions
from knobel.ruleset import canonical
from knobel.sheet import Sheet
from knobel.solver.kernel import Turns, workspace
from knobel.solver.lanes import lanes_of
from knobel.solver.lattice import Array, parts_of
from knobel.solver.price import Query, price
from knobel.solver.solve import WIDTH, Watch, turns_of
from knobel.solver.table import Table, open_table, solve
from knobel.vocabulary import Ruleset

_DIGITS = 9  # decimals of a point: what differs less is equally good


@dataclass(frozen=True, slots=True)
class Situations:
    """Many situations as arrays of int64, all of shape (situations,): states between turns, then a roll.

    The first six are those of `model.Place`.
    """

    layer: Array
    code: Array
    flag: Array
    outer: Array
    saved: Array
    lane: Array
    roll: Array  # index in `dice.rolls`; -1: nothing is thrown yet
    left: Array  # throws left

    def __len__(self) -> int:
        """Number of situations."""
        return len(self.layer)


@dataclass(frozen=True, slots=True)
class Prices:
    """Values of all options of many situations, as points to come; NaN where there is no such option."""

    entries: Array  # (situations, boxes) float64
    keeps: Array  # (situations, most keeps of a roll) float64, in the order of `Values.keeps_of`; else the first throw


class Values:
    """The exact values of a ruleset for one player who plays for points.

    A value is the expected final total with optimal play from then on. Safe to use from several threads.
    """

    def __init__(self, table: Table) -> None:
        """The values in a table."""
        self.table = table
        self._without_bonus = replace(table.ruleset, upper=None)  # the table pays the upper bonus, at the end
        self._parts, self._parts_from = parts_of(table.ruleset.dice)
        self._rolls = roll_index(table.ruleset.dice)

    @classmethod
    def solve(cls, ruleset: Ruleset, threads: int | None = None, watch: Watch | None = None) -> "Values":
        """Solve a ruleset in memory. Raises `Unsolvable`."""
        return cls(solve(ruleset, threads, watch))

    @classmethod
    def open(cls, ruleset: Ruleset, data: Path) -> "Values":
        """The values that a data folder keeps. Raises `TableError` where they are missing or damaged."""
        return cls(open_table(ruleset, data))

    @property
    def ruleset(self) -> Ruleset:
        """The rules that the values are about."""
        return self.table.ruleset

    def value(self, state: State, seat: int | None = None) -> float:
        """Expected final total of a seat (default: the seat on turn, in a game for one the only one).

        Raises `KnobelError` for a game of other rules.
        """
        owner = state.turn.owner if state.turn is not None else 0
        seat = owner if seat is None else seat
        if state.turn is not None and seat == owner and state.turn.roll is not None:
            return self.action_values(state)[0][1]
        sheet = self._sheet(state, seat)
        place = self.table.model.place(sheet)
        return self.settled(sheet) + float(self.table.layers[place.layer][self.index(place.layer, sheet)])

    def action_values(self, state: State) -> tuple[tuple[Action, float], ...]:
        """Every legal action of the seat on turn with the expected final total after it, best first.

        Equally good ones: entries first, in the order of the pad, then whoever keeps more dice, then higher ones.
        Nothing once the game is over. Raises `KnobelError` for a game of other rules.
        """
        if state.turn is None:
            return ()
        sheet = self._sheet(state, state.turn.owner)
        prices = self.prices(self.situations([state]))
        base = self.settled(sheet)
        found: list[tuple[Action, float]] = []
        for action in legal_actions(state):
            if isinstance(action, Enter):
                found.append((action, base + float(prices.entries[0, self.ruleset.box_index[action.box]])))
            elif isinstance(action, Throw):
                found.append((action, base + float(prices.keeps[0, self._keep_at(state, action)])))
        found.sort(key=lambda pair: pair[0].keep if isinstance(pair[0], Throw) else (), reverse=True)
        found.sort(key=lambda pair: (-round(pair[1], _DIGITS), -_n_kept(pair[0], self.ruleset.dice)))
        return tuple(found)

    def situations(self, states: Iterable[State]) -> Situations:
        """The situations of games whose seat on turn is to act. Raises `KnobelError` for a game of other rules."""
        rows = []
        for state in states:
            turn = state.turn
            if turn is None:
                raise KnobelError(Reason("game-over", {"action": "-"}))
            sheet = self._sheet(state, turn.owner)
            place = self.table.model.place(sheet)
            roll = -1 if turn.roll is None else self._rolls[turn.roll]
            left = rules.budget(self.ruleset, sheet, turn) - turn.throws
            rows.append((place.layer, place.code, place.flag, place.outer, place.saved, place.lane, roll, left))
        return Situations(*np.array(rows, np.int64).reshape(-1, len(fields(Situations))).T.copy())

    def prices(self, situations: Situations) -> Prices:
        """Values of all options of many situations at once."""
        n_boxes = len(self.ruleset.boxes)
        entries = np.full((len(situations), n_boxes), np.nan)
        keeps = np.full((len(situations), self.most_keeps), np.nan)
        for layer in np.flatnonzero(np.bincount(situations.layer)).tolist() if len(situations) else []:
            of_layer = np.flatnonzero(situations.layer == layer)
            which = of_layer[np.lexsort((situations.code[of_layer], situations.left[of_layer]))]
            query = Query(
                situations.code[which], situations.flag[which], situations.outer[which],
                situations.lane[which], situations.saved[which], situations.roll[which], situations.left[which],
            )  # fmt: skip
            some_keeps, some_entries = keeps[which], entries[which]
            turns = self.turns[layer]
            price(
                some_keeps, some_entries, turns, self.table.layers[layer + 1], query, self._parts, self._parts_from,
                workspace(turns, WIDTH), lanes_of(WIDTH),
            )  # fmt: skip
            keeps[which], entries[which] = some_keeps, some_entries
        return Prices(entries, keeps)

    def keeps_of(self, roll: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
        """The keeps of a sorted roll in the order of `Prices.keeps`: most dice first."""
        index = self._rolls[roll]
        every = keeps(self.ruleset.dice)
        return tuple(every[part] for part in self._parts[self._parts_from[index] : self._parts_from[index + 1]])

    @cached_property
    def most_keeps(self) -> int:
        """Most keeps that a roll has."""
        return int(np.diff(self._parts_from).max())

    def settled(self, sheet: Sheet) -> float:
        """What a pad has for certain: its total without upper bonuses, which the values bring."""
        return float(pad.tally(self._without_bonus, sheet).total)

    def index(self, layer: int, sheet: Sheet) -> int:
        """Place of a pad's value in its layer. Raises `KnobelError` for a pad that no game leads to."""
        place, shapes = self.table.model.place(sheet), self.table.model.shapes
        n_outer = int(self.table.model.n_outer(np.array([place.code]))[0])
        row = (place.flag * n_outer + place.outer) * self.table.model.n_saved(layer) + place.saved
        return int(shapes.offset[place.code] + row * shapes.n_lanes[place.code, -1]) + place.lane

    @cached_property
    def turns(self) -> tuple[Turns, ...]:
        """What the turns of each layer but the last are made of."""
        return tuple(turns_of(self.table.model, layer) for layer in range(self.table.model.n_layers - 1))

    def _sheet(self, state: State, seat: int) -> Sheet:
        if state.ruleset != self.ruleset and canonical(state.ruleset) != canonical(self.ruleset):
            raise KnobelError(Reason("solver-other-rules", {"ruleset": self.ruleset.id, "found": state.ruleset.id}))
        return state.sheets[seat]

    def _keep_at(self, state: State, action: Throw) -> int:
        if state.turn is None or state.turn.roll is None:
            return 0
        return self.keeps_of(state.turn.roll).index(action.keep)


def _n_kept(action: Action, n_dice: int) -> int:
    return len(action.keep) if isinstance(action, Throw) else n_dice
