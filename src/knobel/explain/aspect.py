"""A ruleset in rows of facts, each from its data: two rulesets side by side make the table "standard against this"."""

from collections.abc import Iterable, Mapping

from knobel.errors import Param, Reason
from knobel.explain.example import box_lines
from knobel.explain.page import Contrast, Line
from knobel.vocabulary import Category, Ruleset, Token

Lines = tuple[Line, ...]


def contrasts(standard: Mapping[str, Lines], this: Mapping[str, Lines]) -> tuple[Contrast, ...]:
    """The rows in which two rulesets differ, without the boxes that do not; the labels are "rules-row-{row}"."""
    rows = (*this, *(row for row in standard if row not in this))
    pairs = ((row, standard.get(row, ()), this.get(row, ())) for row in rows)
    return tuple(
        Contrast(Reason(f"rules-row-{row}"), _unlike(before, after), _unlike(after, before))
        for row, before, after in pairs
        if before != after
    )


def _unlike(lines: Lines, others: Lines) -> Lines:
    """The lines without those about boxes of which the others say the same."""

    def about(side: Lines, box: str | None) -> list[Line]:
        return [line for line in side if line.box == box]

    return tuple(line for line in lines if line.box is None or about(lines, line.box) != about(others, line.box))


def aspects(ruleset: Ruleset, admitted: Iterable[str] | None = None) -> dict[str, Lines]:
    """All rows of a ruleset; with the names of the options that it admits also a row about them."""
    rows = {
        "dice": _says("rules-dice", dice=ruleset.dice),
        "throws": _throws(ruleset),
        "pad": _pad(ruleset),
        "columns": columns(ruleset),
        "groups": _boxes(ruleset, "groups"),
        "sets": _boxes(ruleset, "sets"),
        "equal": all_equal(ruleset),
        "others": _boxes(ruleset, "others"),
        "upper": upper(ruleset),
        "joker": _says(f"option-joker-{ruleset.joker}.help"),
        "order": order(ruleset),
        "tokens": tokens(ruleset),
        "earned": earned_throws(ruleset),
        "special": special_rounds(ruleset),
        "clean": no_strike(ruleset),
        "shown": _says(f"option-bonus-shown-{ruleset.bonus_shown}.help".replace("_", "-")),
        "tie": tie(ruleset),
        "habits": _habits(ruleset),
    }
    if admitted is not None:
        rows["options"] = _says(_options_key(set(admitted)))
    return {row: lines for row, lines in rows.items() if lines}


def _says(key: str, **params: Param) -> Lines:
    return (Line((Reason(key, params),)),)


def _help(option: str, value: str) -> Lines:
    """The sentence that an option has for one of its values."""
    return _says(f"option-{option}-{value}.help".replace("_", "-"))


def _throws(ruleset: Ruleset) -> Lines:
    return _says("rules-throws-saved" if ruleset.saved_throws else "rules-throws", throws=ruleset.throws)


def _pad(ruleset: Ruleset) -> Lines:
    boxes, n_columns = len(ruleset.boxes), len(ruleset.columns)
    size = (
        _says("rules-pad", boxes=boxes)
        if n_columns == 1
        else _says("rules-pad-columns", boxes=boxes, columns=n_columns, count=len(ruleset.categories))
    )
    return (*size, *_says("rules-pad-rows", rows=", ".join(row.id for row in ruleset.categories)))


def columns(ruleset: Ruleset) -> Lines:
    """Factors, and when each column is open; nothing for a plain pad."""
    lines: list[Line] = []
    factors = [column.multiplier for column in ruleset.columns]
    if len(factors) > 1 and set(factors) != {1}:
        lines += _says("rules-columns-factors", factors=", ".join(f"×{factor}" for factor in factors))
    elif len(factors) > 1 and not any(column.last_throw for column in ruleset.columns):
        lines += _says("rules-columns-plain", columns=len(factors))
    gated = [column.last_throw for column in ruleset.columns if column.last_throw is not None]
    if gated:
        if gated == list(range(1, len(gated) + 1)):
            lines += _says("rules-columns-throws", columns=len(gated))
        else:
            lines += [
                Line((Reason("rules-columns-throw", {"column": index, "throws": column.last_throw}),))
                for index, column in enumerate(ruleset.columns, 1)
                if column.last_throw is not None
            ]
        lines += _help("overthrow", ruleset.overthrow)
    return tuple(lines)


def _is_equal(ruleset: Ruleset, category: Category) -> bool:
    return category.id == ruleset.all_equal or category.rules[0].groups == (ruleset.dice,)


def _boxes(ruleset: Ruleset, kind: str) -> Lines:
    """The lower boxes of one kind: `groups`, `sets`, or `others`; the one for all dice alike has a row of its own."""
    found: list[Line] = []
    for category in ruleset.categories:
        rule = category.rules[0]
        own = "groups" if rule.groups else "sets" if rule.sets else "others"
        if category.section == "lower" and own == kind and not _is_equal(ruleset, category):
            found += box_lines(ruleset, category)
    return tuple(found)


def all_equal(ruleset: Ruleset) -> Lines:
    """The box for all dice alike, and what further ones bring."""
    own = [line for row in ruleset.categories if _is_equal(ruleset, row) for line in box_lines(ruleset, row)]
    return (*own, *extra_five(ruleset)) if own else ()


def extra_five(ruleset: Ruleset) -> Lines:
    """What further rolls of all dice alike bring."""
    extra = ruleset.extra_five
    if extra.when == "none":
        return _says("rules-extra-none")
    lines = [*_says("rules-extra-points", points=extra.points), *_help("extra_five", extra.when)]
    if extra.paid_in == "matching_upper":
        lines += _says("rules-extra-upper")
    if len(ruleset.columns) > 1:
        lines += _help("triple_bonus_when", extra.columns)
        lines += _says("rules-extra-multiplied" if extra.multiplied else "rules-extra-plain")
    return tuple(lines)


def upper(ruleset: Ruleset) -> Lines:
    """The upper bonus."""
    if ruleset.upper is None:
        return _says("rules-upper-none")
    terms = _says("rules-upper", bonus=ruleset.upper.bonus, threshold=ruleset.upper.threshold)
    hits = ruleset.par_per_hit
    return (*terms, *_says("rules-upper-hits", hits=int(hits))) if hits and hits.denominator == 1 else terms


def order(ruleset: Ruleset) -> Lines:
    """Who names the box: the player or the pad."""
    if not ruleset.order:
        return _help("order", "free")
    lines = _says("rules-order-fixed", rows=", ".join(ruleset.order))
    return (*lines, *_help("order_scope", ruleset.order_scope)) if len(ruleset.columns) > 1 else lines


def tokens(ruleset: Ruleset) -> Lines:
    """What a player may spend."""
    return tuple(line for token in ruleset.tokens for line in _token(token))


def _token(token: Token) -> Lines:
    about: dict[str, Param] = {"token": token.id, "uses": token.uses}
    if token.effect == "restart":
        return (Line((Reason("rules-token-restart", about), *_help("samuel_mode", token.restarts)[0].texts)),)
    alone = (
        Reason("rules-token-alone", {"throws": token.solo_helpers})
        if token.solo_helpers
        else Reason("rules-token-not-alone")
    )
    return (Line((Reason("rules-token-helpers", about), *_help("wunder_pool", token.pool)[0].texts, alone)),)


def earned_throws(ruleset: Ruleset) -> Lines:
    """Extra throws: what earns them and what they do."""
    rule = ruleset.earned_throws
    if rule is None:
        return ()
    lines = [
        *_says("rules-earned", rows=", ".join(rule.categories), minima=", ".join(map(str, rule.minima))),
        *_help("extra_grant", rule.grant),
        *_help("extra_mode", rule.mode),
    ]
    return (*lines, *_says("rules-earned-most", most=rule.most_per_turn)) if rule.most_per_turn else tuple(lines)


def special_rounds(ruleset: Ruleset) -> Lines:
    """Rounds that interrupt the game, and the end."""
    rule = ruleset.special_rounds
    if rule is None:
        return ()
    return (
        *_says("rules-special", throws=rule.throws),
        *_help("bonus_trigger", rule.trigger),
        *_help("special_order", rule.order),
        *_help("special_last", rule.last),
        *_help("final_order", rule.final_order),
        *_says("rules-special-jokers" if rule.tokens else "rules-special-no-jokers"),
        *_says("rules-special-own-bonus" if rule.own_bonus else "rules-special-no-own-bonus"),
    )


def no_strike(ruleset: Ruleset) -> Lines:
    """Points for a column without a 0."""
    rule = ruleset.no_strike
    return (*_says("rules-no-strike", points=rule.points), *_help("no_strike_columns", rule.columns)) if rule else ()


def tie(ruleset: Ruleset) -> Lines:
    """Who is ahead with the same total."""
    return _says("rules-tie", rows=", ".join(ruleset.tiebreak)) if ruleset.tiebreak else _help("tiebreak", "shared")


def _habits(ruleset: Ruleset) -> Lines:
    marks, balance = ruleset.habits.marks, ruleset.habits.balance
    return (*_says(f"rules-habit-marks-{marks}"), *_says(f"rules-habit-balance-{balance}"))


def _options_key(admitted: set[str]) -> str:
    """The sentence about the great options."""
    if "joker" in admitted:
        return "rules-options-all" if "columns" in admitted else "rules-options-joker"
    if "columns" in admitted:
        return "rules-options-triple"
    return "rules-options-order" if "order" in admitted else "rules-options-none"
