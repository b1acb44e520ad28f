"""Rules explained to people: what a ruleset and its options are, with worked examples that the engine itself computes.

Pure data of `Reason`s; the edges make sentences of them. May import the rules core only.
"""

from collections.abc import Callable

from knobel.errors import Reason
from knobel.explain import aspect, scene, special
from knobel.explain.aspect import aspects, contrasts
from knobel.explain.choice import option_pages
from knobel.explain.example import box_pages
from knobel.explain.page import Line, Part, RulesPage, Scene
from knobel.explain.scene import shown
from knobel.option import Choices
from knobel.ruleset import Source, admitted_options, builtin_ids, compose_ruleset
from knobel.vocabulary import Ruleset

STANDARD = "classic"  # what pads are compared with
_HISTORY = {
    "classic": (
        "rules-history-yacht",
        "rules-history-1956",
        "rules-history-lower-only",
        "rules-history-1961",
        "rules-history-forced-free",
    ),
    "kniffel-2003": ("rules-history-yacht", "rules-history-2003"),
    "kniffel-schmidt": ("rules-history-yacht", "rules-history-1956", "rules-history-schmidt"),
    "yatzy": ("rules-history-yacht", "rules-history-nordic", "rules-history-nordic-values"),
    "six-dice": ("rules-history-maxi", "rules-history-maxi-pad", "rules-history-full-straight"),
    "acht-mann": ("rules-history-acht", "rules-history-acht-names"),
}


def page_of(source: Source, chosen: Choices) -> RulesPage:
    """The page of a ruleset with chosen options; raises `RulesetError`."""
    ruleset, standard = compose_ruleset(source, chosen), compose_ruleset(STANDARD, {})
    names = [option.name for option in admitted_options(source)]
    usual = [option.name for option in admitted_options(STANDARD)]
    known = ruleset.id if ruleset.id in builtin_ids() else None
    return RulesPage(
        id=ruleset.id,
        labels=ruleset.labels,
        about=(Reason(f"rules-about-{known}"),) if known else (),
        parts=_parts(ruleset),
        boxes=box_pages(ruleset),
        contrasts=contrasts(aspects(standard, usual), aspects(ruleset, names)),
        options=option_pages(source, chosen),
        history=tuple(Reason(key) for key in _HISTORY.get(known or "", ())),
    )


def _parts(ruleset: Ruleset) -> tuple[Part, ...]:
    """The mechanisms that this ruleset has."""
    has_columns, triple = len(ruleset.columns) > 1, scene.EXTRA_TRIPLE
    extra = ruleset.extra_five.when != "none"
    found = (
        Part("turn", _turn(ruleset)),
        Part("upper", aspect.upper(ruleset), shown(scene.UPPER, ruleset)) if ruleset.upper else None,
        Part("extra", aspect.extra_five(ruleset), shown((*scene.EXTRA, *triple), ruleset)) if extra else None,
        Part("joker", aspects(ruleset)["joker"], shown(scene.JOKER, ruleset)) if ruleset.joker != "none" else None,
        Part("saved", (Line((Reason("rules-saved"),)),), shown((scene.saved_demo,), ruleset))
        if ruleset.saved_throws
        else None,
        Part("columns", aspect.columns(ruleset), _column_scenes(ruleset)) if has_columns else None,
        Part("order", aspect.order(ruleset), shown(scene.ORDER, ruleset)) if ruleset.order else None,
        Part("tokens", aspect.tokens(ruleset), shown((special.restart_demo, *special.HELPERS), ruleset))
        if ruleset.tokens
        else None,
        Part("earned", aspect.earned_throws(ruleset), shown((*special.EARNED, *special.EXTRA_THROWS), ruleset))
        if ruleset.earned_throws
        else None,
        Part("special", aspect.special_rounds(ruleset), shown(_SPECIAL, ruleset)) if ruleset.special_rounds else None,
        Part("clean", aspect.no_strike(ruleset), shown(special.NO_STRIKE, ruleset)) if ruleset.no_strike else None,
    )
    return tuple(part for part in found if part is not None)


_SPECIAL: tuple[Callable[[Ruleset], Scene | None], ...] = (
    *special.TRIGGER,
    special.round_demo,
    special.last_demo,
    special.closing_demo,
)


def _column_scenes(ruleset: Ruleset) -> tuple[Scene, ...]:
    if any(column.last_throw for column in ruleset.columns):
        return shown((*special.THROWS, special.overthrow_demo), ruleset)
    return shown((scene.columns_demo,), ruleset)


def _turn(ruleset: Ruleset) -> tuple[Line, ...]:
    """How a turn goes, and the end."""
    boxes = len(ruleset.boxes)
    reasons = (
        Reason("rules-turn", {"dice": ruleset.dice, "throws": ruleset.throws}),
        Reason("rules-turn-enter"),
        Reason("rules-turn-end", {"boxes": boxes}),
    )
    return (*(Line((reason,)) for reason in reasons), *aspect.tie(ruleset))
