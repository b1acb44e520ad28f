"""The pages of options: each value against the default, in rows of facts and in worked cases."""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache, partial

from knobel.errors import Reason
from knobel.explain import scene, special
from knobel.explain.aspect import aspects, contrasts
from knobel.explain.page import Contrast, Line, OptionPage, Scene, ValuePage
from knobel.explain.scene import Demo, compared
from knobel.option import Choices, Option
from knobel.ruleset import Source, admitted_options, builtin_ids, compose_ruleset
from knobel.schema import shown
from knobel.scoring import joker_points, points
from knobel.vocabulary import OptionValue, Ruleset

_DEMOS: Mapping[str, tuple[Demo, ...]] = {
    "joker": scene.JOKER,
    "extra_five": scene.EXTRA,
    "extra_five_points": scene.EXTRA,
    "triple_bonus_when": scene.EXTRA_TRIPLE[1:],
    "triple_bonus_multiplied": scene.EXTRA_TRIPLE[:1],
    "upper_bonus": scene.UPPER,
    "upper_threshold": (*scene.UPPER, scene.upper_demo(2)),
    "bonus_shown": (scene.running_demo,),
    "saved_throws": (scene.saved_demo,),
    "columns": (scene.columns_demo,),
    "multipliers": (scene.columns_demo,),
    "order": scene.ORDER,
    "order_seed": scene.ORDER,
    "order_scope": scene.ORDER,
    "tiebreak": (scene.tie_demo,),
    "extra_grant": special.EARNED,
    "extra_minima": special.EARNED,
    "extra_mode": special.EXTRA_THROWS,
    "extra_max_per_turn": special.EXTRA_THROWS[:1],
    "jokers_in_special": (special.tokens_in_special_demo,),
    "samuel_mode": (special.restart_demo,),
    "wunder_pool": special.HELPERS[:1],
    "solo_helpers": special.HELPERS[1:],
    "overthrow": (special.overthrow_demo,),
    "bonus_trigger": special.TRIGGER,
    "special_order": (special.round_demo,),
    "special_throws": (special.round_demo,),
    "special_bonus_triggers": special.OWN_BONUS,
    "special_last": (special.last_demo,),
    "final_order": (special.closing_demo,),
    "no_strike_points": special.NO_STRIKE,
    "no_strike_columns": special.NO_STRIKE,
}


def option_pages(source: Source, chosen: Choices) -> tuple[OptionPage, ...]:
    """A page for each option that the ruleset admits; what they change does not depend on what is chosen."""
    pages = _builtin(source) if isinstance(source, str) and source in builtin_ids() else _pages(source)
    return tuple(replace(page, chosen=chosen.get(page.name, page.default)) for page in pages)


@lru_cache
def _builtin(source: str) -> tuple[OptionPage, ...]:
    return _pages(source)


def _pages(source: Source) -> tuple[OptionPage, ...]:
    admitted = {option.name: option for option in admitted_options(source)}
    return tuple(_option_page(source, option, admitted) for option in admitted.values())


def _option_page(source: Source, option: Option, admitted: Mapping[str, Option]) -> OptionPage:
    needed = _needed(option, admitted)
    if option.name == "extra_five_points" and "extra_five" in admitted and admitted["extra_five"].default == "none":
        needed["extra_five"] = "box_has_50"  # without them nothing would be seen
    compose = partial(compose_ruleset, source)
    standard = compose(needed)
    values = tuple(
        _value_page(option, value, standard, compose({**needed, option.name: value}))
        for value in _values(option, standard)
    )
    return OptionPage(
        name=option.name,
        labels=option.labels,
        default=option.default,
        chosen=option.default,
        needs=option.needs,
        text=(Reason("rules-joker-classic"),) if option.name == "joker" else (),
        contrasts=joker_rows(standard, compose({**needed, "joker": "forced"})) if option.name == "joker" else (),
        values=values,
    )


def _value_page(option: Option, value: OptionValue, standard: Ruleset, this: Ruleset) -> ValuePage:
    demos = _DEMOS.get(option.name, ()) or scene.boxes_that_differ(standard, this)
    scenes: tuple[Scene, ...] = compared(demos, standard, this)
    labels = (option.value_labels or {}).get(shown(value))
    return ValuePage(value, labels, contrasts(aspects(standard), aspects(this)), scenes)


def _needed(option: Option, admitted: Mapping[str, Option]) -> dict[str, OptionValue]:
    """The first values of other options that make this one usable."""
    found: dict[str, OptionValue] = {}
    for name, values in option.needs:
        if name in admitted and admitted[name].default not in values:
            found |= {**_needed(admitted[name], admitted), name: values[0]}
    return found


def _values(option: Option, standard: Ruleset) -> tuple[OptionValue, ...]:
    """The values to explain: all named ones but the default, and one as an example where any number or list will do."""
    named = tuple(value for value in option.values if value != option.default)
    sample = _sample(option, standard)
    return named if sample is None or sample in named else (*named, sample)


def _sample(option: Option, standard: Ruleset) -> OptionValue | None:
    default = option.default
    match option.name:
        case "upper_bonus":
            return 35 if default == 50 else 50
        case "tiebreak":
            return (standard.categories[-1].id,)
        case "multipliers":
            return (1, 1, 1)
    if option.kind == "numbers" and isinstance(default, tuple):
        return (20,) * len(default)
    if option.kind != "number" or not isinstance(default, int):
        return None
    return {"upper_threshold": default * 9 // 10, "solo_helpers": 2, "extra_max_per_turn": 1, "order_seed": 7}.get(
        option.name, 50 if default not in (0, 50) else default + 10
    )


def joker_rows(standard: Ruleset, this: Ruleset) -> tuple[Contrast, ...]:
    """Both jokers against the game without one, row by row (seed 001, RULES 1.1)."""
    dice = scene.all_alike(standard)
    natural, rows = points(standard, dice), [row for row in this.categories if row.joker is not None]
    nothing = tuple(_brings(row.id, natural[row.id]) for row in rows)
    values = tuple(_brings(row.id, joker_points(row, natural[row.id])) for row in rows)
    bonus = this.extra_five.points
    table: tuple[tuple[str, tuple[Line, ...], tuple[Line, ...]], ...] = (
        ("when", _line("rules-joker-never"), _line("rules-joker-when")),
        ("forced", _line("rules-joker-anywhere"), _line("rules-joker-forced-where")),
        ("free", _line("rules-joker-anywhere"), _line("rules-joker-free-where")),
        ("brings", (*_line("rules-joker-dice"), *nothing), (*_line("rules-joker-full"), *values)),
        ("bonus", _line("rules-joker-bonus", bonus), _line("rules-joker-bonus-same", bonus)),
        (
            "others",
            _line("rules-joker-no-pad"),
            (*_line("rules-joker-classic"), *_line("rules-joker-triple"), *_line("rules-joker-order")),
        ),
    )
    return tuple(Contrast(Reason(f"rules-joker-row-{row}"), before, after) for row, before, after in table)


def _brings(box: str, number: int) -> Line:
    return Line((Reason("rules-points-number", {"points": number}),), box)


def _line(key: str, points: int | None = None) -> tuple[Line, ...]:
    return (Line((Reason(key, {} if points is None else {"points": points}),)),)
