"""Whole games, checked at every step against `reference`, and the options to play them with.

Chance and choices come from a `random.Random` that the caller seeds, with a bias to the rolls where rules differ:
all alike and straights.
"""

import json
from collections.abc import Iterator
from dataclasses import asdict
from functools import lru_cache
from itertools import combinations
from random import Random

import pytest

import knobel
from knobel import Action, Box, Enter, IllegalAction, Record, Ruleset, State, Throw, game, sheet
from knobel.action import Extra, Pick, Spend
from knobel.option import Option
from knobel.record import Event
from knobel.ruleset import Source
from knobel.turn import Turn
from knobel.view import SheetView, View, view_of
from tests.core import reference
from tests.core.course import Course
from tests.core.reference import Choices, Dice

# Values to try of the options that take any number or any list, beside those that have a name.
SAMPLES: dict[str, tuple[object, ...]] = {
    "multipliers": ((1, 2, 3), (1, 1, 1), (0, 5, 2)),
    "order_seed": (0, 7),
    "extra_five_points": (100, 0, 7),
    "upper_bonus": (0, 35, 50, 1000),
    "upper_threshold": (0, 63, 75, 84),
    "five_kind_points": (50, 0, 75),
    "pothole_points": (35, 25),
    "empty_house_points": ("sum", 20, 15),
    "extra_minima": ((21, 22, 23, 24, 25, 26), (0, 5, 10, 15, 20, 0), (30, 30, 30, 30, 30, 30)),
    "extra_max_per_turn": (0, 1, 2),
    "solo_helpers": (0, 1, 4),
    "no_strike_points": (38, 0, 100),
}


def values_of(ruleset: Source, option: Option) -> tuple[object, ...]:
    """Every named value of an option, and samples where it takes numbers or lists of boxes."""
    if option.name in SAMPLES:
        return SAMPLES[option.name]
    if option.kind == "boxes":
        boxes = [category.id for category in knobel.load(ruleset).categories]
        lists = (tuple(boxes[1::2] + boxes[::2]),) if option.name == "order" else ((boxes[-1], boxes[0]),)
        return (*option.values, *lists)
    return option.values or (option.default, 17)


def single_choices(ruleset: Source) -> Iterator[Choices]:
    """For every value of every option the choice of it, together with what it needs."""
    for option in knobel.admitted_options(ruleset):
        for value in values_of(ruleset, option):
            choices = _with_needs({option.name: value}, (option,))
            assert choices is not None
            yield choices


def paired_choices(ruleset: Source) -> Iterator[Choices]:
    """For every two values of two options that can be chosen together the choice of both."""
    for one, other in combinations(knobel.admitted_options(ruleset), 2):
        for value in values_of(ruleset, one):
            for second in values_of(ruleset, other):
                choices = _with_needs({one.name: value, other.name: second}, (one, other))
                if choices is not None:
                    yield choices


def packed_choices(ruleset: Source) -> Iterator[Choices]:
    """A few combinations that hold every value of every option; for rulesets whose options need no others."""
    values = {option.name: values_of(ruleset, option) for option in knobel.admitted_options(ruleset)}
    for number in range(max(map(len, values.values()))):
        yield {name: some[(number + place) % len(some)] for place, (name, some) in enumerate(values.items())}


def _with_needs(choices: Choices, options: tuple[Option, ...]) -> Choices | None:
    """The choices and what they need; None if they contradict each other."""
    result = dict(choices)
    for option in options:
        for name, values in option.needs:
            value = result.setdefault(name, values[0])
            if ("list" if isinstance(value, tuple) else value) not in values:
                return None
    return result


def random_choices(ruleset: Source, rng: Random) -> Choices:
    """A random combination of options that can be chosen together."""
    result: Choices = {}
    share = rng.choice((0.1, 0.5))
    for option in knobel.admitted_options(ruleset):
        if rng.random() < share:
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


class CheckedGame:
    """A game that the engine and the reference play side by side.

    A ruleset that the rules document does not know is checked for consistency only. The view is checked in every
    `every`-th state: of a pad with many columns it is long.
    """

    def __init__(self, ruleset: Source, choices: Choices, players: int = 1, first: int = 0, every: int = 0) -> None:
        self.rules: Ruleset = knobel.load(ruleset, **choices)
        self.first = first
        is_known = isinstance(ruleset, str) and ruleset in reference.BOXES
        self.course = Course(str(ruleset), choices, players, first) if is_known else None
        self.states: list[State] = [knobel.start(self.rules, players, first)]
        self.events: list[Event] = []
        self.every = every or (25 if self.rules.is_gated else 3 if len(self.rules.boxes) > 20 else 1)
        self.n_checks = 0
        self.met: set[str] = set()  # which of the rare things happened

    @property
    def state(self) -> State:
        """The present state."""
        return self.states[-1]

    @property
    def seat(self) -> int:
        """Who acts; at the end who acted last."""
        turn = self.state.turn
        return self.events[-1].seat if turn is None else turn.seat

    @property
    def roll(self) -> Dice | None:
        """The dice on the table."""
        return self.state.turn.roll if self.state.turn else None

    @property
    def record(self) -> Record:
        """The game so far."""
        names = tuple(f"Seat {number}" for number in range(len(self.state.sheets)))
        return Record(self.rules, names, self.first, tuple(self.events))

    def throw(self, keep: Dice, faces: Dice) -> None:
        """Throw all but `keep`."""
        self.act(Throw(tuple(sorted(keep))), faces)

    def enter(self, box: Box) -> None:
        """Enter the roll."""
        self.act(Enter(box))

    def act(self, action: Action, faces: Dice = ()) -> None:
        """Go on by a legal action."""
        before = self.state
        assert before.turn is not None
        after = knobel.apply(before, action, faces or None)
        assert after == knobel.apply(before, action, faces or None), "apply gave two different answers"
        self._note(before.turn, action)
        self.events.append(Event(self.seat, action, faces))
        self.states.append(after)
        if self.course:
            self.course.act(str(action), faces)

    def _note(self, turn: Turn, action: Action) -> None:
        if isinstance(action, Spend | Extra | Pick):
            name = action.token if isinstance(action, Spend) else type(action).__name__.lower()
            self.met |= {name} | ({f"{name} in a special turn"} if turn.box else set())
            self.met |= {f"{name} after others helped"} if turn.is_final else set()
            self.met |= {f"{name} at the end"} if self.state.is_closing else set()
            self.met |= {f"{name} after the last throw"} if game.throws_left(self.state) == 0 else set()

    def play_action(self, rng: Random) -> Action:
        """One random legal action, checked before it; biased so that rare things happen."""
        self.check()
        legal = knobel.legal_actions(self.state)
        throws = [action for action in legal if isinstance(action, Throw)]
        extras = [action for action in legal if isinstance(action, Extra)]
        spends = [action for action in legal if isinstance(action, Spend)]
        entries = [action for action in legal if isinstance(action, Enter)]
        turn = self.state.turn
        assert turn is not None
        action: Action
        if spends and rng.random() < (0.3 if turn.box or turn.is_final else 0.007):
            action = rng.choice(spends)
        elif extras and rng.random() < 0.5:
            action = self._throw(extras, rng)
        elif throws and (not entries or rng.random() < 0.6):
            action = self._throw(throws, rng)
        else:
            action = self._entry(entries, rng) if entries else rng.choice(legal)
        self.act(action, random_faces(rng, action.keep, self.rules.dice) if isinstance(action, Throw | Extra) else ())
        return action

    @staticmethod
    def _throw(throws: list[Throw] | list[Extra], rng: Random) -> Throw | Extra:
        alike = [action for action in throws if action.keep and len(set(action.keep)) == 1]
        return rng.choice(alike if alike and rng.random() < 0.5 else throws)

    def _entry(self, entries: list[Enter], rng: Random) -> Enter:
        """Often the box for all alike; where upper bonuses start special rounds often one that helps to earn them."""
        good = [action for action in entries if action.box.category == self.rules.all_equal]
        if self.rules.special_rounds:
            roll = self.roll or ()
            points = knobel.points(self.rules, roll)
            face = {row.id: row.face or 0 for row in self.rules.categories}
            wanted = {box for box in face if points[box] >= (3 * face[box] or 21) and (face[box] or "_kind" in box)}
            good = [action for action in entries if action.box.category in wanted]
        return rng.choice(good if good and rng.random() < 0.7 else entries)

    def play_turn(self, rng: Random) -> None:
        """Random legal actions until something is entered or picked."""
        while self.state.turn is not None and not isinstance(self.play_action(rng), Enter | Pick):
            pass

    def play(self, rng: Random) -> None:
        """The game to its end."""
        while self.state.turn is not None:
            self.play_turn(rng)
        self.n_checks = 0
        self.check()
        assert all(None not in pad.entries for pad in self.state.sheets)
        self.check_record()

    def check(self) -> None:
        """The present state, as the engine and its view show it, against the reference."""
        state, turn = self.state, self.state.turn
        legal = tuple(map(str, knobel.legal_actions(state)))
        assert bool(legal) == (turn is not None) != knobel.is_over(state), "stuck: no legal action"
        assert len(set(legal)) == len(legal)
        self._check_special_column()
        self._check_counters()
        if self.course:
            assert set(legal) == self.course.legal()
            assert (turn is None) == self.course.over
            assert turn is None or (turn.seat, turn.owner, turn.throws) == (
                self.course.seat, self.course.owner, self.course.k
            )  # fmt: skip
        self.n_checks += 1
        if self.n_checks % self.every == 1 % self.every:
            view = view_of(state, self.seat if self.events or turn else 0)
            assert view.actions == (legal if turn else ())
            self._check_consistency(view)
            if self.course:
                self._check_view(self.course, view)

    def _check_special_column(self) -> None:
        """All have the same cells of it between special rounds, and the reserved one is the last (RULES 7.5, A29)."""
        rules, state = self.rules, self.state
        column = rules.special_column
        if column is None or rules.special_rounds is None:
            return
        n_rows = len(rules.categories)
        filled = [
            [value is not None for value in pad.entries[column * n_rows : (column + 1) * n_rows]]
            for pad in state.sheets
        ]
        if state.turn is None or state.turn.box is None:
            assert all(cells == filled[0] for cells in filled), "special columns differ between rounds"
        if rules.special_rounds.last == "bottom":
            assert all(all(cells) for cells in filled if cells[-1]), "the reserved cell was not the last"
        elif not state.is_closing and state.turn is not None:
            assert not all(filled[0]), "the last cell was filled before the end"

    def _check_counters(self) -> None:
        rules = self.rules
        for pad in self.state.sheets:
            for token in rules.tokens:
                assert 0 <= sheet.count(rules, pad, token.id) <= token.uses
            for column in range(len(rules.columns)):
                assert sheet.count(rules, pad, f"spent_throw/{column + 1}") <= sheet.earned(rules, pad, column)

    def _check_view(self, course: Course, view: View) -> None:
        if course.over:
            assert view.turn is None, "a turn that will not come"
        else:
            self._check_turn(course, view)
        for player, shown in zip(course.players, view.sheets, strict=True):
            self._check_sheet(player, shown, course.over)

    def _check_turn(self, course: Course, view: View) -> None:
        turn, roll = view.turn, course.roll
        assert turn is not None
        is_open = not (course.picking or course.helpers or course.pool)
        assert (turn.seat, turn.owner, turn.throw, turn.roll) == (course.seat, course.owner, course.k, roll)
        assert turn.scene == (
            "closing" if course.closing else "special" if course.forced or course.picking else "regular"
        )
        assert turn.box == (f"{course.forced}/6" if course.forced else None)
        assert (turn.budget, turn.throws_left) == (course.budget(), course.left() if is_open else 0)
        assert view.agenda == tuple((seat, f"{box}/6" if box else None) for seat, box in course.queue)
        others = [shown for seat, shown in enumerate(view.sheets) if seat != course.owner]
        assert all(box.potential is None for shown in others for part in shown.columns for box in part.boxes)
        columns = enumerate(view.sheets[course.owner].columns)
        boxes = [(column, box.category, box.potential) for column, part in columns for box in part.boxes]
        potentials = {(column, box): potential for column, box, potential in boxes if potential is not None}
        if roll is None or not is_open:
            assert not potentials, "potentials of dice that nobody threw"
            return
        expected = course.entries()
        assert {cell for cell, potential in potentials.items() if potential.legal} == set(expected)
        values = {cell: course.player.value(cell, roll) for cell in course.player.free()}
        if course.is_strike_only():
            values = dict.fromkeys(values, (0, 0))
        assert {cell: (potential.points, potential.bonus) for cell, potential in potentials.items()} == values
        assert all(potential.why for potential in potentials.values())

    def _check_sheet(self, player: reference.Player, shown: SheetView, over: bool) -> None:
        visible = over or player.rules["bonus_shown"] == "at_once"
        for column, part in enumerate(shown.columns):
            upper, bonus, lower = player.sums(column)
            assert (part.upper, part.lower, part.bonus) == (upper, lower, bonus if visible else 0)
            assert part.no_strike == (player.no_strike(column) if visible else 0)
            assert part.total == upper + lower + part.bonus + part.no_strike
            assert part.multiplier == player.factors[column]
            assert part.balance == float(player.balance(column))
            assert part.bonus_state == player.bonus_state(column)
            assert part.tokens == player.tokens[column]
            assert (part.earned, part.spent) == (player.circles(column), player.crossed[column])
            points = {box.category: box.points for box in part.boxes}
            assert points == {box: player.cells.get((column, box)) for box in player.boxes}
        assert shown.tokens == sum(player.tokens)
        assert dict(shown.left) == {token.id: int(token.id not in player.called) for token in self.rules.tokens}
        assert shown.extra == (player.extra if visible else 0)
        assert shown.total == (player.total() if visible else player.boxes_only())
        assert shown.saved_throws == (player.saved if player.rules["saved_throws"] else None)

    def _check_consistency(self, view: View) -> None:
        """The two ways of every number agree: the view's totals and the settlement of the pad."""
        state, rules = self.state, self.rules
        if self.n_checks % 5 == 1:
            json.dumps(asdict(view), allow_nan=False)
        visible = state.turn is None or rules.bonus_shown == "at_once"
        result = knobel.result(state)
        for seat, (pad, shown) in enumerate(zip(state.sheets, view.sheets, strict=True)):
            tally = sheet.tally(rules, pad)
            points = [sum(box.points or 0 for box in part.boxes) for part in shown.columns]
            assert tally.total == result.totals[seat]
            assert [part.upper + part.lower for part in tally.columns] == points
            assert shown.total == (tally.total if visible else tally.total - tally.extra - self._bonus(tally))
        assert (view.result is None) == (state.turn is not None)

    def _bonus(self, tally: sheet.Tally) -> int:
        parts = zip(self.rules.columns, tally.columns, strict=True)
        return sum(column.multiplier * (part.bonus + part.no_strike) for column, part in parts)

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
