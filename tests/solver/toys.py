"""Toy rulesets, one for each mechanism: a few dice and boxes, so that the slow oracle solves each in a moment.

Two dice show a pair where grown-up pads show five alike. What a toy exercises stands beside it.
"""

from collections.abc import Mapping
from itertools import product
from typing import Any

import knobel
from knobel import Ruleset

Raw = dict[str, Any]
_ALL = {"points": "all"}
_RUNS = {"sets": [[1, 2], [2, 3], [3, 4], [4, 5], [5, 6]]}
WHENS = ("none", "box_has_50", "any_after_first", "box_filled")
JOKERS = ("none", "forced", "free")
SCOPES = ("column_major", "per_column", "row_major")


def box(name: str, *rules: Mapping[str, Any], **more: Any) -> Raw:
    """A category."""
    return {"id": name, "labels": {"de": name, "en": name}, "rules": list(rules), **more}


def upper(face: int) -> Raw:
    """The upper category of a face."""
    return box(f"face_{face}", {"face": face, "points": "matched"}, section="upper")


def toy(dice: int, throws: int, *boxes: Raw, **more: Any) -> Ruleset:
    """A ruleset of these boxes."""
    labels = {"de": "Spielzeug", "en": "Toy"}
    return knobel.load({"id": "toy", "labels": labels, "dice": dice, "throws": throws, "categories": boxes, **more})


def bonus(threshold: int, points: int) -> Raw:
    """An upper bonus."""
    return {"upper": {"threshold": threshold, "bonus": points}}


def columns(*factors: int) -> Raw:
    """Columns that count so many times."""
    return {"columns": [{"multiplier": factor} for factor in factors]}


def fives(when: str, joker: str = "none", all_equal: str = "pair", **extra: Any) -> Raw:
    """Joker and further fives, of two dice here; 20 points each unless `extra` says otherwise."""
    return {"all_equal": all_equal, "joker": joker, "extra_five": {"when": when, "points": 20, **extra}}


def order(*names: str, scope: str = "column_major") -> Raw:
    """A fixed order of entry."""
    return {"order": names, "order_scope": scope}


def token(effect: str, **more: Any) -> Raw:
    """One token."""
    return {"tokens": [{"id": "token", "labels": {"de": "Joker", "en": "Token"}, "effect": effect, **more}]}


ONES, TWOS, FIVES, SIXES = upper(1), upper(2), upper(5), upper(6)
PAIR = box("pair", {"groups": [2], "points": 12})  # of two dice: the five of a kind of these pads
RUN = box("run", _RUNS | {"points": 8}, joker=15)  # a joker is worth more than what it stands for
# for joker pads: a pair of ones is worth most here, unless it is a joker; so `free` may and `forced` must not enter it
LURE = box("run", _RUNS | {"points": 8}, {"total": 2, "points": 40}, joker=15)
CHANCE = box("chance", _ALL)
TRIPLE = box("triple", {"groups": [3], "points": 30})
STAIRS = box("stairs", {"sets": [[1, 2, 3], [2, 3, 4], [3, 4, 5], [4, 5, 6]], "points": 20}, joker=20)
SEVEN = box("pair", {"groups": [2], "points": 12}, {"total": 7, "points": 7})  # also what is not all alike scores
NEVER = box("pair", {"total": 7, "points": 7})  # all alike score 0 in the box that is theirs
POOR = box("pair", {"groups": [2], "exact": True, "points": 0}, {"points": 5})  # the same, and all else scores


def _boxes() -> dict[str, Ruleset]:
    """Points of dice, numbers of dice and of throws."""
    return {
        "lower": toy(2, 3, PAIR, RUN, CHANCE),  # plain lower boxes
        "patterns": toy(  # several rules, groups of different sizes, exact groups and sets, sums
            4, 2,
            box("house", {"groups": [2, 2], "points": 9}, {"groups": [3], "points": 5}, {"total": 14, "points": 3}),
            box("exact",
                {"groups": [3], "exact": True, "points": 8},
                {"sets": [[1, 2, 3, 4]], "exact": True, "points": 9}),
        ),
        "matched": toy(3, 2, box("best", {"groups": [2], "points": "matched"}), TRIPLE),  # the best dice only
        "three-dice": toy(3, 3, TRIPLE, STAIRS, SIXES),
        "five-dice": toy(5, 3, box("house", {"groups": [3, 2], "points": 25}, {"groups": [5], "points": 40})),
        "one-die": toy(1, 3, ONES, SIXES, CHANCE),
        "one-throw": toy(2, 1, SIXES, PAIR, RUN, CHANCE),
        "two-throws": toy(2, 2, SIXES, PAIR, RUN),
        "four-throws": toy(2, 4, SIXES, PAIR, RUN),
        "one-box": toy(2, 3, CHANCE),
    }  # fmt: skip


def _bonuses() -> dict[str, Ruleset]:
    """Upper bonus: the threshold is met by choice, always, never, or with all dice only."""
    pads = {
        "open": bonus(13, 10),
        "zero": bonus(0, 10),  # threshold 0: reached from the start
        "out-of-reach": bonus(1000, 10),
        "just-in-reach": bonus(24, 200),  # the highest sum there is
        "large": bonus(13, 5000),
        "worthless": bonus(13, 0),
    }
    return {
        **{f"bonus-{name}": toy(2, 2, ONES, SIXES, FIVES, **rule) for name, rule in pads.items()},
        "bonus-mixed-rows": toy(2, 2, PAIR, SIXES, RUN, TWOS, **bonus(12, 15)),  # upper boxes anywhere on the pad
        "bonus-three-dice": toy(3, 3, TWOS, SIXES, **bonus(16, 25)),
    }


def _fives() -> dict[str, Ruleset]:
    """Jokers and further fives, each with each; the box for all alike in ways that nobody expects."""
    each = {  # every joker with every `extra_five`, upper bonus beside them
        f"fives-{when}-joker-{joker}": toy(2, 2, ONES, PAIR, LURE, **fives(when, joker), **bonus(2, 9))
        for when, joker in product(WHENS, JOKERS)
    }
    paid = {  # Schmidt: paid in the matching upper box only
        f"matching-{when}-joker-{joker}": toy(
            2, 2, ONES, PAIR, LURE, **fives(when, joker, paid_in="matching_upper", points=100)
        )
        for when, joker in product(WHENS[1:], JOKERS)
    }
    odd = {  # house rules about the box for all alike
        f"odd-{name}-{when}": toy(2, 2, SIXES, category, RUN, **fives(when, "free"))
        for (name, category), when in product({"seven": SEVEN, "never": NEVER, "poor": POOR}.items(), WHENS[1:])
    }
    upper_box = {  # it is an upper box itself
        f"upper-five-{when}": toy(2, 2, ONES, SIXES, RUN, **fives(when, "forced", "face_6"), **bonus(12, 10))
        for when in WHENS[1:]
    }
    return {
        **each, **paid, **odd, **upper_box,
        "fives-four-boxes": toy(2, 2, ONES, SIXES, PAIR, LURE, **fives("box_has_50", "forced"), **bonus(8, 9)),
        # a forced joker that must be struck in an upper box, once the lower ones are full
        "joker-forced-strike": toy(2, 1, ONES, TWOS, SIXES, PAIR, **fives("box_filled", "forced"), **bonus(10, 10)),
        "joker-below-natural": toy(  # a joker worth less than the dice: own values also of 0
            2, 2, PAIR, box("sum", _ALL, joker=3), box("nil", {"points": 6}, joker=0), **fives("none", "free")
        ),
        "joker-three-dice": toy(3, 2, SIXES, TRIPLE, STAIRS, **fives("box_has_50", "forced", "triple")),
        "joker-one-die": toy(  # every roll is all alike
            1, 2, SIXES, box("any", {"points": 4}), box("run", {"sets": [[1], [2]], "points": 5}, joker=7),
            **fives("any_after_first", "forced", "any"),
        ),
        "fives-worthless": toy(2, 2, SIXES, PAIR, RUN, **fives("any_after_first", points=0)),
        "fives-large": toy(2, 2, SIXES, PAIR, CHANCE, **fives("box_has_50", points=1000)),
    }  # fmt: skip


def _saved() -> dict[str, Ruleset]:
    """Saved throws."""
    saved: Raw = {"saved_throws": True}
    return {
        "saved": toy(2, 2, PAIR, RUN, SIXES, **saved),
        "saved-three-throws": toy(2, 3, PAIR, SIXES, **saved),
        "saved-one-throw": toy(2, 1, PAIR, RUN, **saved),  # there is never anything to save
        "saved-one-die": toy(1, 2, CHANCE, box("even", {"sets": [[2], [4], [6]], "points": 5}), ONES, SIXES, **saved),
        "saved-bonus": toy(2, 2, ONES, SIXES, PAIR, **saved, **bonus(8, 20)),
        "saved-joker": toy(2, 2, SIXES, PAIR, RUN, **saved, **fives("box_has_50", "free")),
        "saved-first": toy(2, 2, SIXES, PAIR, RUN, **saved, **fives("any_after_first", "forced"), **bonus(12, 10)),
        "saved-order": toy(2, 2, SIXES, PAIR, RUN, **saved, **order("run", "face_6", "pair"), **bonus(12, 10)),
        "saved-columns": toy(2, 2, RUN, **saved, **columns(1, 2, 4)),
    }


def _orders() -> dict[str, Ruleset]:
    """Fixed orders: on one column, and in three with each scope."""
    rows = (SIXES, PAIR, RUN, ONES)
    names = [row["id"] for row in rows]
    single = {
        "down": order(*names),
        "up": order(*reversed(names)),
        "list": order("pair", "face_1", "run", "face_6"),
    }
    three = {  # bonus and further fives in all combinations of their own settings
        f"order-{scope}-{quantifier}-{'times' if multiplied else 'once'}": toy(
            2, 1 if scope == "per_column" else 2, SIXES, PAIR,
            **order("pair", "face_6", scope=scope), **columns(1, 2, 3), **bonus(6, 10),
            **fives("box_has_50", columns=quantifier, multiplied=multiplied),
        )
        for scope, quantifier, multiplied in product(SCOPES, ("all_50", "any_50"), (True, False))
    }  # fmt: skip
    scopes = {  # throws, so that something is decided, and a joker, which a fixed order outranks
        f"order-{scope}-joker": toy(
            2, 2, RUN, PAIR, **order("pair", "run", scope=scope), **columns(1, 3), **fives("box_filled", "forced")
        )
        for scope in SCOPES
    }
    return {
        **{
            f"order-{name}": toy(2, 2, *rows, **rule, **fives("box_has_50"), **bonus(7, 10))
            for name, rule in single.items()
        },
        "order-joker": toy(2, 2, *rows, **single["list"], **fives("any_after_first", "forced"), **bonus(7, 10)),
        **three, **scopes,
    }  # fmt: skip


def _columns() -> dict[str, Ruleset]:
    """Several columns in free order."""
    pad = (SIXES, PAIR)
    quantified = {  # with a joker, which needs the box filled in every column
        f"columns-{quantifier}-{'times' if multiplied else 'once'}": toy(
            2, 1, SIXES, PAIR, **columns(1, 3), **fives("box_has_50", "free", columns=quantifier, multiplied=multiplied)
        )
        for quantifier, multiplied in product(("all_50", "any_50"), (True, False))
    }
    return {
        "columns": toy(2, 2, *pad, **columns(1, 3)),
        "columns-bonus": toy(2, 2, *pad, **columns(2, 3), **bonus(12, 7)),
        "columns-alike": toy(2, 2, *pad, **columns(1, 1), **bonus(6, 7)),
        "columns-zero": toy(2, 2, *pad, **columns(0, 2), **bonus(6, 7), **fives("any_after_first")),
        "columns-three": toy(2, 2, RUN, **columns(1, 2, 3)),
        "columns-matching": toy(
            2, 1, ONES, PAIR,
            **columns(1, 3), **fives("box_filled", "forced", paid_in="matching_upper", columns="any_50"),
        ),
        **quantified,
    }  # fmt: skip


def _gates() -> dict[str, Ruleset]:
    """Columns that are open for so many throws."""
    two: Raw = {"columns": [{"last_throw": 1, "multiplier": 3}, {"last_throw": 2, "multiplier": 2}]}
    three: Raw = {
        "columns": [{"multiplier": 1}, {"last_throw": 1, "multiplier": 4}, {"last_throw": 2, "multiplier": 2}]
    }
    strike: Raw = {"overthrow": "strike_any"}
    return {
        "gates-forbid": toy(2, 2, SIXES, PAIR, **two, **bonus(6, 10)),
        "gates-strike": toy(2, 2, SIXES, PAIR, **two, **strike, **bonus(6, 10)),
        "gates-three": toy(2, 3, RUN, **three),  # one column is open to the end, as it names no throw
        "gates-three-strike": toy(2, 3, RUN, **three, **strike),
        "gates-only-last": toy(2, 2, SIXES, PAIR, columns=[{"last_throw": 2}, {}]),  # gates that close nothing
        "gates-fives": toy(2, 2, SIXES, PAIR, **two, **fives("box_has_50", columns="any_50")),
        # a roll of all alike that is struck counts as thrown, but is not paid
        "gates-fives-strike": toy(2, 2, SIXES, PAIR, **two, **strike, **fives("any_after_first", multiplied=False)),
    }


def _more() -> dict[str, Ruleset]:
    """What the tables do not know yet: tokens, earned throws, special rounds, points for no strike."""
    special: Raw = {"columns": [{}, {"special": True, "multiplier": 2}]}
    rounds = {"throws": 2, "last": "any"}
    earned = {"categories": ["pair"], "minima": [1]}
    both = {"categories": ["pair", "run"], "minima": [1]}
    circles = {
        "keeps": toy(2, 2, PAIR, RUN, SIXES, earned_throws=earned),
        "either": toy(2, 1, PAIR, RUN, SIXES, earned_throws={**both, "grant": "either"}),
        "each": toy(2, 1, PAIR, RUN, SIXES, earned_throws={**both, "grant": "each"}),
        "both": toy(2, 1, PAIR, RUN, SIXES, earned_throws={**both, "grant": "both"}),
        "after-fifth": toy(2, 2, PAIR, RUN, SIXES, earned_throws={**earned, "mode": "after_fifth"}),
        "same-column": toy(
            2, 2, PAIR, columns=[{"last_throw": 1}, {"last_throw": 2}, {}],
            earned_throws={**earned, "minima": [1, 1, 1], "mode": "same_column", "most_per_turn": 1},
        ),
    }  # fmt: skip
    return {
        "token-turn": toy(2, 2, PAIR, RUN, **token("restart")),
        "token-throw": toy(2, 2, PAIR, RUN, **token("restart", restarts="throw", uses=2)),
        "token-saved": toy(2, 2, PAIR, SIXES, **token("restart"), saved_throws=True),
        "token-helpers": toy(1, 2, ONES, SIXES, **token("helpers", solo_helpers=2), **bonus(7, 10)),
        "token-helpers-only": toy(2, 1, PAIR, RUN, **token("helpers", pool="helpers", solo_helpers=1)),
        "token-nobody": toy(2, 1, PAIR, RUN, **token("helpers")),  # alone without phantoms: nobody helps
        **{f"earned-{name}": ruleset for name, ruleset in circles.items()},
        "no-strike": toy(2, 2, SIXES, PAIR, **bonus(6, 3), no_strike={"points": 20}),
        "no-strike-columns": toy(2, 1, SIXES, PAIR, **columns(1, 2), **bonus(6, 3), no_strike={"points": 20}),
        "special": toy(2, 1, SIXES, PAIR, **special, **bonus(6, 5), special_rounds=rounds),
        "special-bottom": toy(
            2, 1, SIXES, PAIR, **special, **bonus(6, 5), **token("restart"),
            special_rounds={**rounds, "last": "bottom", "trigger": "complete", "own_bonus": True, "tokens": False},
            no_strike={"points": 9, "columns": "regular"},
        ),
    }  # fmt: skip


TOYS: dict[str, Ruleset] = {
    **_boxes(), **_bonuses(), **_fives(), **_saved(), **_orders(), **_columns(), **_gates(), **_more(),
}  # fmt: skip
SOLVABLE: tuple[str, ...] = tuple(  # within the scope of the tables
    name
    for name, ruleset in TOYS.items()
    if not (ruleset.tokens or ruleset.earned_throws or ruleset.special_rounds or ruleset.no_strike)
)
