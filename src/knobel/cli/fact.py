"""A ruleset as facts that people read, one a row: `rules show` lists them, `rules diff` compares them."""

from collections.abc import Sequence
from dataclasses import dataclass

from knobel.errors import Param
from knobel.option import Option
from knobel.schema import listed, plain, shown
from knobel.text import option_name, option_value, say
from knobel.vocabulary import Category, Labels, Language, OptionValue, Rule, Ruleset

Side = tuple[Ruleset, Sequence[Option]]  # a ruleset and the options it admits


@dataclass(frozen=True, slots=True)
class Fact:
    """One row: a stable key, what it is about, the value as plain data and in words."""

    key: str
    label: str
    value: object
    text: str


@dataclass(frozen=True, slots=True)
class Difference:
    """A row in which two rulesets differ; None where one of them has no such row."""

    key: str
    left: Fact | None
    right: Fact | None

    @property
    def label(self) -> str:
        """What the row is about."""
        fact = self.left or self.right
        return fact.label if fact else self.key


def facts(ruleset: Ruleset, language: Language) -> list[Fact]:
    """What holds for the whole game."""

    def word(key: str, **params: Param) -> str:
        return say(key, language, **params)

    def chosen(name: str, value: OptionValue) -> str:
        return option_value(name, value, language, ruleset)

    upper = ruleset.upper
    factors = tuple(column.multiplier for column in ruleset.columns)
    rows = [
        Fact("dice", word("ui-rules-dice"), ruleset.dice, str(ruleset.dice)),
        Fact("throws", word("ui-rules-throws"), ruleset.throws, str(ruleset.throws)),
        Fact(
            "saved_throws",
            word("cli-fact-unused"),
            ruleset.saved_throws,
            word("cli-fact-unused-saved" if ruleset.saved_throws else "cli-fact-unused-lapse"),
        ),
        Fact("boxes", word("cli-fact-boxes"), len(ruleset.boxes), str(len(ruleset.boxes))),
        Fact(
            "columns",
            word("ui-rules-columns"),
            factors,
            str(len(factors)) if set(factors) == {1} else ", ".join(f"×{factor}" for factor in factors),
        ),
        Fact(
            "upper",
            word("ui-rules-bonus"),
            plain(upper),
            word("cli-fact-upper", bonus=upper.bonus, threshold=upper.threshold) if upper else word("ui-rules-none"),
        ),
        Fact(
            "bonus_shown", word("option-bonus-shown"), ruleset.bonus_shown, chosen("bonus_shown", ruleset.bonus_shown)
        ),
        Fact("joker", word("option-joker"), ruleset.joker, chosen("joker", ruleset.joker)),
        _extra_five(ruleset, language),
        Fact("order", word("ui-rules-order"), ruleset.order, chosen("order", ruleset.order or "free")),
        Fact("tiebreak", word("option-tiebreak"), ruleset.tiebreak, chosen("tiebreak", ruleset.tiebreak or "shared")),
    ]
    if ruleset.order and len(factors) > 1:
        scope = ruleset.order_scope
        rows.append(Fact("order_scope", word("option-order-scope"), scope, chosen("order_scope", scope)))
    marks, clicks = ruleset.habits.marks, ruleset.habits.clicks
    return [
        *rows,
        Fact("habits.marks", word("ui-settings-marks"), marks, word(f"ui-settings-marks-{marks}")),
        Fact("habits.clicks", word("ui-settings-clicks"), clicks, word(f"ui-settings-clicks-{clicks}")),
    ]


def _extra_five(ruleset: Ruleset, language: Language) -> Fact:
    extra = ruleset.extra_five
    label = say("ui-rules-extra", language)
    if extra.when == "none":
        return Fact("extra_five", label, None, say("ui-rules-none", language))
    when = option_value("extra_five", extra.when, language)
    parts = [say("cli-fact-extra", language, points=extra.points, when=when)]
    if extra.paid_in == "matching_upper":
        parts.append(say("cli-fact-extra-upper", language))
    value: dict[str, object] = {"when": extra.when, "points": extra.points, "paid_in": extra.paid_in}
    if len(ruleset.columns) > 1:
        parts.append(option_value("triple_bonus_when", extra.columns, language))
        parts.append(say("cli-fact-extra-multiplied" if extra.multiplied else "cli-fact-extra-plain", language))
        value |= {"columns": extra.columns, "multiplied": extra.multiplied}
    return Fact("extra_five", label, value, ", ".join(parts))


def pattern(rule: Rule, language: Language) -> str:
    """What the dice must show."""
    if rule.face is not None:
        text = say("cli-pattern-face", language, face=rule.face)
    elif rule.groups:
        text = say("cli-pattern-groups", language, groups=" + ".join(map(str, rule.groups)))
    elif rule.sets:
        sets = ["".join(map(str, faces)) for faces in rule.sets]
        text = sets[-1]
        if len(sets) > 1:
            text = say("ui-setup-or", language, first=", ".join(sets[:-1]), second=text)
    elif rule.total is not None:
        text = say("cli-pattern-total", language, total=rule.total)
    else:
        return say("cli-pattern-any", language)
    return say("cli-pattern-exact", language, pattern=text) if rule.exact else text


def points(rule: Rule, language: Language) -> str:
    """What the pattern brings."""
    return str(rule.points) if isinstance(rule.points, int) else say(f"how-{rule.points}", language)


def joker(ruleset: Ruleset, category: Category) -> int | None:
    """The joker value of a category; None where the ruleset has no jokers."""
    return category.joker if ruleset.joker != "none" else None


def label(labels: Labels, language: Language) -> str:
    """A name in one language."""
    return labels.de if language == "de" else labels.en


def values(option: Option, language: Language) -> str:
    """The values that an option takes, as they are typed."""
    labels = option.value_labels or {}
    words = {value: f" ({label(text, language)})" for value, text in labels.items()}
    named = ", ".join(shown(value) + words.get(shown(value), "") for value in option.values)
    if option.kind == "boxes":
        return say("cli-values-boxes", language, values=named)
    if option.kind == "numbers":
        return say("cli-values-numbers", language)
    return named or say("cli-values-number", language)


def name(option: Option, language: Language) -> str:
    """What an option is called."""
    return label(option.labels, language) if option.labels else option_name(option.name, language)


def needs(option: Option) -> str:
    """What an option works together with, as it is typed."""
    return "; ".join(f"{other}={listed(values)}" for other, values in option.needs)


def differences(left: Side, right: Side, language: Language) -> list[Difference]:
    """All rows in which two rulesets differ: the game as a whole, box by box, then the options they admit."""
    one, other = _comparable(left, language), _comparable(right, language)
    keys = sorted({**one, **other}, key=_group)
    rows = [Difference(key, one.get(key), other.get(key)) for key in keys]
    return [row for row in rows if row.left is None or row.right is None or row.left.value != row.right.value]


def _group(key: str) -> int:
    """Place of a row: the game as a whole, boxes, options; otherwise they stay as they are."""
    return {"categories": 1, "options": 2}.get(key.partition(".")[0], 0)


def _comparable(side: Side, language: Language) -> dict[str, Fact]:
    ruleset, options = side
    rows = facts(ruleset, language)
    for category in ruleset.categories:
        rows += _box_facts(ruleset, category, language)
    for option in options:
        value = {"values": sorted(map(shown, option.values)), "kind": option.kind, "needs": option.needs}
        rows.append(Fact(f"options.{option.name}", f"-o {option.name}", value, values(option, language)))
    return {row.key: row for row in rows}


def _box_facts(ruleset: Ruleset, category: Category, language: Language) -> list[Fact]:
    """What a box counts, and what it is called."""
    key, box = f"categories.{category.id}", label(category.labels, language)
    text = "; ".join(f"{pattern(rule, language)}: {points(rule, language)}" for rule in category.rules)
    extra = joker(ruleset, category)
    if extra is not None:
        text = f"{text}; {say('cli-fact-joker', language, points=extra)}"
    value = {"rules": [plain(rule) for rule in category.rules], "section": category.section, "joker": extra}
    name_label = say("cli-fact-name", language, box=category.id)
    return [
        Fact(key, f"{box} ({category.id})", value, text),
        Fact(f"{key}.labels", name_label, plain(category.labels), box),
    ]
