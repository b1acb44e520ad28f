"""Whole games, checked at every step against `reference`, and the options to play them with.

Chance and choices come from a `random.Random` that the caller seeds, with a bias to the rolls where rules differ:
all alike and straights.
"""

import json
from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations
from random import Random

import pytest

import knobel
from knobel import Action, Box, Enter, IllegalAction, Record, Ruleset, State, Throw, game, sheet
from knobel.option import Option
from knobel.record import Event
from knobel.view import SheetView, View, view_of
from tests.core import reference
from tests.core.reference import Cell, Choices, Dice

# Values to try of the options that take any number or any list, beside those that have a name.
SAMPLES: dict[str, tuple[object, ...]] = {
    "multipliers": ((1, 2, 3), (1, 1, 1), (0, 5, 2)),
    "order_seed": (0, 7),
    "extra_five_points": (100, 0, 7),
    "upper_bonus": (0, 35, 50, 1000),
    "upper_threshold": (0, 63, 75, 84),
}


def values_of(ruleset: str, option: Option) -> tuple[object, ...]:
    """Every named value of an option, and samples where it takes numbers or lists of boxes."""
    if option.name in SAMPLES:
        return SAMPLES[option.name]
    if option.kind == "boxes":
        boxes = [category.id for category in knobel.load(ruleset).categories]
        lists = (tuple(boxes[1::2] + boxes[::2]),) if option.name == "order" else ((boxes[-1], boxes[0]),)
        return (*option.values, *lists)
    return option.values or (option.default, 17)


def single_choices(ruleset: str) -> Iterator[Choices]:
    """For every value of every option the choice of it, together with what it needs."""
    for option in knobel.admitted_options(ruleset):
        for value in values_of(ruleset, option):
            choices = _with_needs({option.name: value}, (option,))
            assert choices is not None
            yield choices


def paired_choices(ruleset: str) -> Iterator[Choices]:
    """For every two values of two options that can be chosen together the choice of both."""
    for one, other in combinations(knobel.admitted_options(ruleset), 2):
        for value in values_of(ruleset, one):
            for second in values_of(ruleset, other):
                choices = _with_needs({one.name: value, other.name: second}, (one, other))
                if choices is not None:
                    yield choices


def _with_needs(choices: Choices, options: tuple[Option, ...]) -> Choices | None:
    """The choices and what they need; None if they contradict each other."""
    result = dict(choices)
    for option in options:
        for name, values in option.needs:
            value = result.setdefault(name, values[0])
            if ("list" if isinstance(value, tuple) else value) not in values:
                return None
    return result


def random_choices(ruleset: str, rng: Random) -> Choices:
    """A random combination of options that can be chosen together."""
    result: Choices = {}
    for option in knobel.admitted_options(ruleset):
        if rng.random() < 0.5:
            result[option.name] = rng.choice(values_of(ruleset, option))
    options = {option.name: option for option in knobel.admitted_options(ruleset)}
    while True:  # drop what lacks what it needs, until nothing does
        unmet = [name for name in result if not _is_met(options[name], result)]
        if not unmet:
            return result
        for name in unmet:
            del result[name]


def _is_met(option: Option, choices: Choices) -> bool:
    values = ((choices.get(name), allowed) for name, allowed in option.needs)
    return all(("list" if isinstance(value, tuple) else value) in allowed for value, allowed in values)


def random_faces(rng: Random, keep: Dice, n_dice: int) -> Dice:
    """The dice after a throw: kept ones first, biased to all alike and to straights."""
    n_thrown, kind = n_dice - len(keep), rng.random()
    if kind < 0.35:
        return keep + (rng.choice(keep) if keep else rng.randint(1, 6),) * n_thrown
    if kind < 0.5:
        wanted = [face for face in rng.choice(((1, 2, 3, 4, 5, 6), (6, 5, 4, 3, 2, 1))) if face not in keep]
        return (*keep, *(wanted + [rng.randint(1, 6) for _ in range(n_dice)])[:n_thrown])
    return (*keep, *(rng.randint(1, 6) for _ in range(n_thrown)))


@lru_cache(maxsize=4096)
def proper_keeps(roll: Dice) -> frozenset[Dice]:
    """Every different set of dice that may stay, found by trying all subsets of positions."""
    n = len(roll)
    subsets = range(2**n - 1)
    return frozenset(tuple(sorted(roll[i] for i in range(n) if bits >> i & 1)) for bits in subsets)


def cell_of(box: Box) -> Cell:
    """The cell as the reference names it."""
    return box.column, box.category


def box_of(cell: Cell) -> Box:
    """The box as the engine names it."""
    return Box(cell[1], cell[0])


class CheckedGame:
    """A game that the engine and the reference play side by side.

    A ruleset that the rules document does not know is checked for consistency only.
    """

    def __init__(self, ruleset: str, choices: Choices, players: int = 1, first: int = 0) -> None:
        self.rules: Ruleset = knobel.load(ruleset, **choices)
        self.first, self.seat, self.throws = first, first, 0
        known = ruleset in reference.BOXES
        self.players = [reference.Player(ruleset, choices) for _ in range(players)] if known else []
        self.states: list[State] = [knobel.start(self.rules, players, first)]
        self.events: list[Event] = []
        self.roll: Dice | None = None

    @property
    def state(self) -> State:
        """The present state."""
        return self.states[-1]

    @property
    def record(self) -> Record:
        """The game so far."""
        names = tuple(f"Seat {number}" for number in range(len(self.state.sheets)))
        return Record(self.rules, names, self.first, tuple(self.events))

    def throw(self, keep: Dice, faces: Dice) -> None:
        """Throw all but `keep`."""
        self._act(Throw(tuple(sorted(keep))), faces)
        self.throws += 1
        self.roll = tuple(sorted(faces))

    def enter(self, box: Box) -> None:
        """Enter the roll."""
        roll = self.roll
        assert roll is not None
        self._act(Enter(box))
        if self.players:
            self.players[self.seat].enter(cell_of(box), roll, self.throws)
        self.seat, self.throws, self.roll = (self.seat + 1) % len(self.state.sheets), 0, None

    def _act(self, action: Action, faces: Dice = ()) -> None:
        before = self.state
        after = knobel.apply(before, action, faces or None)
        assert after == knobel.apply(before, action, faces or None), "apply gave two different answers"
        self.events.append(Event(self.seat, action, faces))
        self.states.append(after)

    def play_turn(self, rng: Random) -> None:
        """A whole turn of random legal actions, checked before each of them."""
        self.check()
        self.throw((), random_faces(rng, (), self.rules.dice))
        while True:
            self.check()
            legal = knobel.legal_actions(self.state)
            keeps = [action.keep for action in legal if isinstance(action, Throw)]
            if not keeps or rng.random() < 0.4:
                break
            roll = self.roll
            assert roll is not None
            alike = [keep for keep in keeps if keep and len(set(keep)) == 1]
            keep = rng.choice(alike if alike and rng.random() < 0.5 else keeps)
            self.throw(keep, random_faces(rng, keep, self.rules.dice))
        boxes = [action.box for action in legal if isinstance(action, Enter)]
        assert boxes, "stuck: no box to enter"
        fives = [box for box in boxes if box.category == self.rules.all_equal]
        self.enter(rng.choice(fives if fives and rng.random() < 0.5 else boxes))

    def play(self, rng: Random) -> None:
        """The game to its end."""
        while self.state.turn is not None:
            self.play_turn(rng)
        self.check()
        self.check_record()

    def check(self) -> None:
        """The present state, as the engine and its view show it, against the reference."""
        state, view = self.state, view_of(self.state, self.seat)
        if self.roll is None:
            json.dumps(knobel.view(state, self.seat), allow_nan=False)
        self._check_consistency(view)
        if not self.players:
            return
        over = all(not player.free() for player in self.players)
        assert (state.turn is None) == over == knobel.is_over(state)
        if over:
            assert knobel.legal_actions(state) == ()
            assert view.turn is None, "a turn that will not come"
        else:
            self._check_turn(view)
        for player, shown in zip(self.players, view.sheets, strict=True):
            self._check_sheet(player, shown, over)

    def _check_turn(self, view: View) -> None:
        player, turn, roll = self.players[self.seat], view.turn, self.roll
        assert turn is not None
        left = player.budget() - self.throws
        assert (turn.seat, turn.throw, turn.roll) == (self.seat, self.throws, roll)
        assert (turn.budget, turn.throws_left) == (player.budget(), left)
        others = [shown for seat, shown in enumerate(view.sheets) if seat != self.seat]
        assert all(box.potential is None for shown in others for part in shown.columns for box in part.boxes)
        columns = enumerate(view.sheets[self.seat].columns)
        boxes = [(column, box.category, box.potential) for column, part in columns for box in part.boxes]
        potentials = {(column, box): potential for column, box, potential in boxes if potential is not None}
        legal = knobel.legal_actions(self.state)
        if roll is None:
            assert legal == (Throw(),)
            assert not potentials, "potentials of dice that nobody threw"
            return
        keeps = {action.keep for action in legal if isinstance(action, Throw)}
        assert keeps == (proper_keeps(roll) if left > 0 else set())
        expected = player.legal(roll)
        assert {cell_of(action.box) for action in legal if isinstance(action, Enter)} == set(expected)
        assert len(legal) == len(keeps) + len(expected)
        assert {cell: (potential.points, potential.bonus) for cell, potential in potentials.items()} == {
            cell: player.value(cell, roll) for cell in player.free()
        }
        assert {cell for cell, potential in potentials.items() if potential.legal} == set(expected)
        assert all(potential.why for potential in potentials.values())

    def _check_sheet(self, player: reference.Player, shown: SheetView, over: bool) -> None:
        visible = over or player.rules["bonus_shown"] == "at_once"
        for column, part in enumerate(shown.columns):
            upper, bonus, lower = player.sums(column)
            assert (part.upper, part.lower, part.bonus) == (upper, lower, bonus if visible else 0)
            assert part.total == upper + lower + part.bonus
            assert part.multiplier == player.factors[column]
            assert part.balance == float(player.balance(column))
            assert part.bonus_state == player.bonus_state(column)
            assert part.tokens == player.tokens[column]
            points = {box.category: box.points for box in part.boxes}
            assert points == {box: player.cells.get((column, box)) for box in player.boxes}
        assert shown.tokens == sum(player.tokens)
        assert shown.extra == (player.extra if visible else 0)
        assert shown.total == (player.total() if visible else player.boxes_only())
        assert shown.saved_throws == (player.saved if player.rules["saved_throws"] else None)

    def _check_consistency(self, view: View) -> None:
        """The two ways of every number agree: the view's totals and the settlement of the pad."""
        state, rules = self.state, self.rules
        visible = state.turn is None or rules.bonus_shown == "at_once"
        result = knobel.result(state)
        for seat, (pad, shown) in enumerate(zip(state.sheets, view.sheets, strict=True)):
            tally = sheet.tally(rules, pad)
            points = [sum(box.points or 0 for box in part.boxes) for part in shown.columns]
            assert tally.total == result.totals[seat]
            assert [part.upper + part.lower for part in tally.columns] == points
            assert shown.total == (tally.total if visible else tally.total - tally.extra - self._bonus(tally))
        if state.turn is not None:
            assert knobel.legal_actions(state), "stuck: no legal action"
            assert tuple(map(str, knobel.legal_actions(state))) == view.actions
        assert (view.result is None) == (state.turn is not None)

    def _bonus(self, tally: sheet.Tally) -> int:
        return sum(c.multiplier * part.bonus for c, part in zip(self.rules.columns, tally.columns, strict=True))

    def check_record(self) -> None:
        """The record gives the same states again, also after a way through text and JSON."""
        record = self.record
        for copy in (record, Record.parse(record.format()), Record.from_json(json.loads(json.dumps(record.to_json())))):
            assert copy == record
            assert list(copy.replay()) == self.states

    def check_refused(self, action: Action, roll: Dice | None = None) -> None:
        """The action is refused, the error lists exactly what is legal, and nothing changed."""
        before, sheets = self.state, self.state.sheets
        with pytest.raises(IllegalAction) as caught:
            knobel.apply(before, action, roll)
        assert caught.value.legal == tuple(map(str, game.legal_actions(before)))
        assert self.state is before
        assert before.sheets == sheets
