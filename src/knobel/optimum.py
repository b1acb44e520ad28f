"""Reference cases about optimal play: sections of a file of cases that need the solver, which is loaded for them."""

from collections.abc import Callable, Mapping
from typing import Any

from knobel import game
from knobel.errors import KnobelError, Reason
from knobel.ruleset import load
from knobel.schema import listed, shown
from knobel.vocabulary import Column, Ruleset

NAMED: Mapping[str, tuple[str, dict[str, Any]]] = {  # what the names in such files stand for
    "classic_joker_none": ("classic", {"joker": "none"}),
    "classic_joker_forced": ("classic", {"joker": "forced"}),
    "classic_joker_free": ("classic", {"joker": "free"}),
    "kniffel2003_box_has_50": ("kniffel-2003", {"extra_five": "box_has_50"}),
    "kniffel2003_any_after_first": ("kniffel-2003", {"extra_five": "any_after_first"}),
    "yatzy": ("yatzy", {}),
    "classic_fixed_order_any_joker": ("classic", {"order": "down"}),
    "yatzy_fixed_order": ("yatzy", {"order": "down"}),
    "six_dice_fixed_order_saved": ("six-dice", {"order": "down"}),
}
_DIGITS = 9  # of what is given in full; more would be rounding


def _named(name: str) -> Ruleset:
    if name not in NAMED:
        raise KnobelError(Reason("expected-one-of", {"values": listed(list(NAMED)), "found": shown(name)}))
    source, options = NAMED[name]
    return load(source, **options)


def optimum_case(name: str, expected: object) -> tuple[object, object]:
    """Expected total of a new pad under optimal play, or its parts: total, upper section with bonus, lower section."""
    from knobel.solver import Values, distribution

    rules = _named(name)
    values = Values.solve(rules)
    if not isinstance(expected, Mapping):
        return _rounded(expected), _rounded(values.table.value)
    found = distribution(values, game.start(rules))
    upper = {row.id for row in rules.categories if row.section == "upper"}
    means = dict.fromkeys(("upper_incl_bonus", "lower"), 0.0)
    for figures in found.boxes:
        means["upper_incl_bonus" if figures.box.category in upper else "lower"] += figures.mean
    means["upper_incl_bonus"] += found.bonus
    means["lower"] += found.extra
    got = {"total": values.table.value, **means}
    return {key: _rounded(value) for key, value in expected.items()}, {key: _rounded(got.get(key)) for key in expected}


def one_box_case(name: str, expected: object) -> tuple[object, object]:
    """Expected points of a box of Acht, Mann! by so many throws, if nothing but it counts: four decimals each."""
    from knobel.solver import Values

    throws, _, box = name.partition(".")
    base = load("acht-mann")
    if box not in base.category_index or not throws.isdecimal() or not 1 <= int(throws[:3]) <= 20:
        known = listed([category.id for category in base.categories])
        raise KnobelError(Reason("expected-one-of", {"values": known, "found": shown(name)}))
    rules = Ruleset(
        base.id, base.labels, base.dice, int(throws), (base.categories[base.category_index[box]],), (Column(),)
    )
    return expected, round(Values.solve(rules, threads=1).table.value, 4)


Check = Callable[[str, object], tuple[object, object]]
SECTIONS: Mapping[str, Check] = {
    "optimal_expectation": optimum_case,
    "fixed_order_optimal_expectation": optimum_case,
    "forced_single_box_expectation_acht_mann_by_throws": one_box_case,
}


def _rounded(value: object) -> object:
    return round(value, _DIGITS) if isinstance(value, float) else value
