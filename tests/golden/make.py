"""Writes one readable playthrough for each ruleset: `python -m tests.golden.make [ID ...]`.

Two players, the ruleset without options. Chance and choices come from SHA-256, so the files are the same on every
machine; rolls are biased to all alike and straights, because there the rules differ. A difference in a file is what a
change of the rules does: read it before you commit it. Of a pad with gated columns only special turns and a few others
are shown in full.
"""

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from fractions import Fraction
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from textwrap import wrap
from typing import TypeVar

import knobel
from knobel import Action, Enter, Reason, Ruleset, State, Throw
from knobel.action import Extra, Spend
from knobel.dice import format_faces
from knobel.record import Event
from knobel.sheet import tally
from knobel.view import BoxView, ColumnRule, PotentialView, SheetView, View, ruleset_view, view_of

FOLDER = Path(__file__).parent
SEATS = ("Ada", "Ben")
T = TypeVar("T")


class Stream:
    """Numbers that depend on a text only."""

    def __init__(self, seed: str) -> None:
        self._seed, self._count = seed, 0

    def below(self, limit: int) -> int:
        """A number from 0 to `limit` - 1."""
        self._count += 1
        return int.from_bytes(sha256(f"{self._seed}:{self._count}".encode()).digest()) % limit

    def pick(self, items: list[T]) -> T:
        """One of the items."""
        return items[self.below(len(items))]


def playthrough(name: str) -> str:
    """The text for a ruleset."""
    rules, stream = knobel.load(name), Stream(f"golden {name}")
    state, events = knobel.start(rules, players=2), list[Event]()
    lines = [*_header(rules), ""]
    while state.turn is not None:
        action = _choose(state, stream)
        faces = _faces(rules, action, stream)
        lines += _state(state, action, faces, is_short=rules.is_gated and len(events) % 9 > 0)
        events.append(Event(state.turn.seat, action, faces))
        state = knobel.apply(state, action, faces or None)
    lines += ["game over", *_sheets(view_of(state, None)), *_settlement(state)]
    played = "\n".join(map(str, events))
    lines.append(f"events sha256 {sha256(played.encode()).hexdigest()}")
    return "\n".join([*lines, ""])


def _choose(state: State, stream: Stream) -> Action:
    """Often a throw while there is one, else mostly the most valuable box."""
    legal = knobel.legal_actions(state)
    spends = [action for action in legal if isinstance(action, Spend)]
    if spends and stream.below(4 if state.turn and state.turn.box else 50) == 0:
        return stream.pick(spends)
    extras = [action for action in legal if isinstance(action, Extra)]
    if extras and stream.below(2):
        return stream.pick(extras)
    throws = [action for action in legal if isinstance(action, Throw)]
    if throws and (len(throws) == 1 or stream.below(3) == 0):
        return stream.pick(throws)
    entries = [action for action in legal if isinstance(action, Enter)]
    if not entries:
        return stream.pick(list(legal))  # a box for all, or dice of all
    gains = {action: _gain(state, action) for action in entries}
    best = max(gains.values())
    return stream.pick([action for action in entries if gains[action] == best] if stream.below(4) else entries)


def _gain(state: State, action: Enter) -> int:
    assert state.turn is not None
    seat, after = state.turn.seat, knobel.apply(state, action)
    return knobel.result(after).totals[seat] - knobel.result(state).totals[seat]


def _faces(rules: Ruleset, action: Action, stream: Stream) -> tuple[int, ...]:
    """The dice after a throw, kept ones in front."""
    if not isinstance(action, Throw | Extra):
        return ()
    n_thrown, kind = rules.dice - len(action.keep), stream.below(10)
    if kind < 3:
        alike = action.keep[-1] if action.keep else stream.below(6) + 1
        return (*action.keep, *(alike,) * n_thrown)
    if kind == 3:
        return (*action.keep, *([face for face in range(6, 0, -1) if face not in action.keep] + [1] * 8)[:n_thrown])
    return (*action.keep, *(stream.below(6) + 1 for _ in range(n_thrown)))


def _header(rules: Ruleset) -> list[str]:
    view = ruleset_view(rules)
    lines = [
        f"# {rules.id}: {rules.labels.de} / {rules.labels.en}",
        f"digest {view.digest}",
        f"dice {view.dice}, throws {view.throws}, saved throws {'yes' if view.saved_throws else 'no'}",
        f"columns {', '.join(map(_column, view.columns))}",
        f"upper bonus {view.upper_bonus} from {view.upper_threshold}, shown {view.bonus_shown}",
        f"further five of a kind {view.extra_five_points}, joker {rules.joker}",
        f"order {' '.join(view.order) or 'free'}, tiebreak {' '.join(rules.tiebreak) or 'shared'}",
        f"habits {', '.join(f'{name} {value}' for name, value in asdict(view.habits).items())}",
        f"seats {' '.join(SEATS)}",
        "",
    ]
    for row in view.categories:
        lines += [f"{row.section} {row.id}: {row.labels.de} / {row.labels.en}, {_words(row.how)}"]
    for option in knobel.admitted_options(rules.id):
        others = [] if option.hint is None or option.kind == "boxes" else ["any number"]
        values = ", ".join([*map(_value, option.values), *others])
        needs = "".join(f"; needs {name} = {' or '.join(map(_value, some))}" for name, some in option.needs)
        lines.append(f"option {option.name} = {_value(option.default)} ({values}{needs})")
    return lines


def _column(column: ColumnRule) -> str:
    gate = "" if column.last_throw is None else f" up to throw {column.last_throw}"
    return f"x{column.multiplier}{gate}{' in special rounds' if column.special else ''}"


def _value(value: object) -> str:
    return json.dumps(value, ensure_ascii=False).strip('"')


def _state(state: State, action: Action, faces: tuple[int, ...], *, is_short: bool) -> list[str]:
    turn = state.turn
    assert turn is not None
    view = view_of(state, turn.seat)
    assert view.turn is not None
    scene = "" if view.turn.scene == "regular" else f", {view.turn.scene} turn for {view.turn.box or 'a box'}"
    owner = "" if turn.owner == turn.seat else f" for {SEATS[turn.owner]}"
    duty = f"throw {turn.throws} of {view.turn.budget}, {_words(view.turn.duty)}"
    head = f"{SEATS[turn.seat]}{owner}{scene}, {duty}"
    lines = [*(_sheets(view) if turn.roll is None and not is_short else []), head]
    if turn.pool:
        lines.append(f"  pool {format_faces(turn.pool)}, {len(view.actions)} actions")
    elif is_short and turn.roll is not None:
        spendable = " ".join(view.turn.spendable) or "nothing"
        columns = [str(number) for number, column in enumerate(view.sheets[turn.seat].columns, 1) if column.is_open]
        lines.append(
            f"  roll {format_faces(turn.roll)}, columns {' '.join(columns)}, {view.turn.throws_left} throws left, "
            f"{view.turn.extra_throws} extra, spendable {spendable}, {len(view.actions)} actions"
        )
    elif turn.roll is not None:
        keeps = [legal.keep for legal in knobel.legal_actions(state) if isinstance(legal, Throw)]
        chances = {len(keep): knobel.chance_outcomes(state, Throw(keep)) for keep in keeps}
        assert all(sum(chance for _, chance in outcomes) == Fraction(1) for outcomes in chances.values())
        boxes = [box for column in view.sheets[turn.seat].columns for box in column.boxes]
        lines += [f"  roll {format_faces(turn.roll)}, legal: {len(keeps)} throws, {_boxes(boxes, legal=True)}"]
        lines += _wrapped("not legal: ", _boxes(boxes, legal=False)) if _boxes(boxes, legal=False) else []
        lines += _promises(boxes)
    return [*lines, f"  > {action}" + (f" -> {format_faces(faces)}" if faces else ""), ""]


def _boxes(boxes: tuple[BoxView, ...] | list[BoxView], *, legal: bool) -> str:
    return " ".join(box.box for box in boxes if box.potential is not None and box.potential.legal is legal)


def _promises(boxes: list[BoxView]) -> Iterator[str]:
    """What each free box would bring, grouped by the reason."""
    shown = [(_why(box.potential), box) for box in boxes if box.potential is not None]
    for why, group in groupby(sorted(shown, key=lambda pair: pair[0]), key=lambda pair: pair[0]):
        values = [
            f"{box.box}\N{NO-BREAK SPACE}{_points(box.potential)}" for _, box in group if box.potential is not None
        ]
        yield from _wrapped(f"{why}: ", ", ".join(values))


def _why(potential: PotentialView) -> str:
    return ", ".join(reason.key for reason in potential.why)


def _points(potential: PotentialView) -> str:
    return f"{potential.points}{f'+{potential.bonus}' if potential.bonus else ''}"


def _words(reason: Reason) -> str:
    return str(Reason(reason.key, dict(sorted(reason.params.items()))))


def _wrapped(head: str, text: str) -> list[str]:
    lines = wrap(text, 110, initial_indent=f"    {head}", subsequent_indent="      ", break_on_hyphens=False)
    return [line.replace("\N{NO-BREAK SPACE}", " ") for line in lines]


def _sheets(view: View) -> list[str]:
    return [line for name, sheet in zip(SEATS, view.sheets, strict=True) for line in _sheet(name, sheet)]


def _sheet(name: str, sheet: SheetView) -> list[str]:
    saved = "" if sheet.saved_throws is None else f", saved throws {sheet.saved_throws}"
    left = "".join(f", {token} {n}" for token, n in sheet.left)
    lines = [f"{name}: total {sheet.total}, tokens {sheet.tokens} = {sheet.extra}{saved}{left}"]
    for column in sheet.columns:
        filled = " ".join("." if box.points is None else str(box.points) for box in column.boxes)
        bonus = f"bonus {column.bonus} ({column.bonus_state}, balance {column.balance:+g})"
        more = f", no strike {column.no_strike}" if column.no_strike else ""
        more += f", extra throws {column.spent} of {column.earned}" if column.earned else ""
        lines.append(f"  {filled} | upper {column.upper}, {bonus}, lower {column.lower}{more}, column {column.total}")
    return lines


def _settlement(state: State) -> Iterator[str]:
    result = knobel.result(state)
    for name, sheet, total, rank in zip(SEATS, state.sheets, result.totals, result.ranks, strict=True):
        settled = tally(state.ruleset, sheet)
        parts = [
            (f"{c.upper} + {c.bonus} + {c.lower}" + (f" + {c.no_strike}" if c.no_strike else ""), c.total)
            for c in settled.columns
        ]
        columns = "; ".join(f"{part} = {total}" for part, total in parts)
        yield f"settlement {name}: {columns}; further fives {settled.extra}; total {total}, rank {rank}"


def main(names: list[str]) -> None:
    """Write the files of these rulesets, or of all."""
    for name in names or knobel.builtin_ids():
        path = FOLDER / f"{name}.txt"
        path.write_text(playthrough(name), encoding="utf-8")
        print(path)


if __name__ == "__main__":
    main(sys.argv[1:])
