"""Plain values (as TOML and JSON give them) to vocabulary and back; errors name the key and what was expected.

`read` follows the annotations of the types in `vocabulary`; `parse` adds what one key alone cannot tell.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import lru_cache
from types import UnionType
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin, get_type_hints

from knobel.errors import Param, Reason, RulesetError
from knobel.vocabulary import Bounds, Category, Column, OptionValue, Rule, Ruleset, Text

MOST_ITEMS = 40  # of a list that has no bounds of its own
Raw = dict[str, Any]
hints_of = lru_cache(get_type_hints)
_EXPECTED = {bool: "expected-switch", str: "expected-text", dict: "expected-table"}


def literals(alias: object) -> tuple[str, ...]:
    """The values of a `Literal` type."""
    return cast("tuple[str, ...]", get_args(alias))


def is_whole(value: object) -> bool:
    """Whether this is a whole number (a truth value is none)."""
    return isinstance(value, int) and not isinstance(value, bool)


def shown(value: object) -> str:
    """A value as a message shows it: as in TOML, and never long."""
    if isinstance(value, bool):
        return str(value).lower()
    try:
        text = value if isinstance(value, str) else listed(value) if isinstance(value, list | tuple) else repr(value)
    except (RecursionError, ValueError):
        return "…"  # nested without end; Python refuses to write out numbers of more than 4,300 digits
    return text if len(text) <= 60 else f"{text[:57]}…"


def listed(values: Iterable[object]) -> str:
    """Values as a message lists them."""
    return ", ".join(shown(value) for value in list(values)[:MOST_ITEMS])


def dotted(*parts: object) -> str:
    """A key in a message: the parts that are not empty, joined by dots."""
    return ".".join(str(part) for part in parts if part != "")


def read(hint: Any, value: object, source: str, key: str = "") -> Any:
    """`value` as the annotated type `hint`; raises `RulesetError` with `source` and the dotted key of what is wrong."""
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _read_bounded(args[0], args[1], value, source, key)
    if origin in (Union, UnionType):
        kinds = [kind for kind in args if kind is not type(None)]
        literal = len(kinds) > 1 and isinstance(value, str)
        return read(kinds[0 if literal else -1], value, source, key)
    if origin is Literal:
        if not any(value == known and type(value) is type(known) for known in args):
            raise _wrong(source, key, "expected-one-of", values=listed(args), found=shown(value))
        return value
    if origin is tuple:
        return _read_list(args[0], value, Bounds(0, MOST_ITEMS), source, key)
    if is_dataclass(hint):
        return _read_table(hint, value, source, key)
    if origin is dict:
        items = read(dict, value, source, key).items()
        return {name: read(args[1], item, source, dotted(key, shown(name))) for name, item in items}
    if hint is not Any and not isinstance(value, hint):
        raise _wrong(source, key, _EXPECTED[hint], found=shown(value))
    return value


def plain(value: object) -> Any:
    """A vocabulary value as JSON and TOML have it, defaults left out; `read` gives it back."""
    if is_dataclass(value):
        items = {item.name: (getattr(value, item.name), item.default) for item in fields(value)}
        return {name: plain(content) for name, (content, default) in items.items() if content != default}
    return [plain(item) for item in value] if isinstance(value, tuple) else value


def parse(raw: object, source: str, options: tuple[tuple[str, OptionValue], ...] = ()) -> Ruleset:
    """The ruleset of a composed mapping; raises `RulesetError` for whatever cannot be played."""
    if isinstance(raw, Mapping) and "options" in raw:
        raise _wrong(source, "options", "unknown-key", values="-")
    ruleset: Ruleset = read(Ruleset, raw, source)
    for category in ruleset.categories:
        _check_category(ruleset, category, source)
    _check(ruleset, source)
    object.__setattr__(ruleset, "options", options)  # still ours alone
    return _same(ruleset)


@lru_cache(maxsize=256)
def _same(ruleset: Ruleset) -> Ruleset:
    """One object for equal rulesets: they are keys of many caches, and two are long to compare."""
    return ruleset


def to_mapping(ruleset: Ruleset) -> Raw:
    """The composed ruleset as a plain mapping that `parse` reads back; chosen options are applied, not listed."""
    return {name: value for name, value in plain(ruleset).items() if name != "options"}


def _read_bounded(hint: Any, bounds: Bounds | Text, value: object, source: str, key: str) -> Any:
    if isinstance(bounds, Text):
        if not isinstance(value, str) or len(value) > bounds.most or not re.fullmatch(bounds.pattern, value):
            raise _wrong(source, key, bounds.key, most=bounds.most, found=shown(value))
        return value
    if hint is not int:
        return _read_list(get_args(hint)[0], value, bounds, source, key)
    if not is_whole(value) or not bounds.low <= cast("int", value) <= bounds.high:
        raise _wrong(source, key, "expected-whole", low=bounds.low, high=bounds.high, found=shown(value))
    return value


def _read_list(hint: object, value: object, bounds: Bounds, source: str, key: str) -> tuple[Any, ...]:
    if not isinstance(value, list | tuple) or not bounds.low <= len(value) <= bounds.high:
        found = len(value) if isinstance(value, list | tuple) else shown(value)
        raise _wrong(source, key, "expected-list", low=bounds.low, high=bounds.high, found=found)
    places = [item.get("id", index) if isinstance(item, Mapping) else index for index, item in enumerate(value, 1)]
    return tuple(read(hint, item, source, dotted(key, shown(place))) for place, item in zip(places, value, strict=True))


def _read_table(kind: Any, value: object, source: str, key: str) -> Any:
    if not isinstance(value, Mapping):
        raise _wrong(source, key, "expected-table", found=shown(value))
    hints = hints_of(kind, include_extras=True)
    items = {item.name: item for item in fields(kind)}
    for name in value:
        if name not in items:
            raise _wrong(source, dotted(key, shown(name)), "unknown-key", values=listed(items))
    for name, item in items.items():
        if name not in value and item.default is MISSING and item.default_factory is MISSING:
            raise _wrong(source, dotted(key, name), "expected-key")
    return kind(**{name: read(hints[name], value[name], source, dotted(key, name)) for name in items if name in value})


def _wrong(source: str, place: str, reason: str, **params: Param) -> RulesetError:
    return RulesetError(source, place, Reason(reason, params))


def _check_category(ruleset: Ruleset, category: Category, source: str) -> None:
    key = dotted("categories", category.id)
    if category.section == "upper":
        if len(category.rules) != 1 or category.face is None:
            raise _wrong(source, dotted(key, "rules"), "upper-needs-face")
        if category.joker is not None:
            raise _wrong(source, dotted(key, "joker"), "joker-in-upper")
    for number, rule in enumerate(category.rules, 1):
        _check_rule(ruleset.dice, rule, source, dotted(key, "rules", number))


def _check_rule(dice: int, rule: Rule, source: str, key: str) -> None:
    patterns = [name for name in ("face", "groups", "sets", "total") if getattr(rule, name) not in (None, ())]
    if len(patterns) > 1:
        raise _wrong(source, dotted(key, patterns[1]), "one-pattern", first=patterns[0])
    wrong_set = any(not 0 < len(set(faces)) == len(faces) <= dice for faces in rule.sets)
    wrong_total = rule.total is not None and not dice <= rule.total <= 6 * dice
    if sum(rule.groups) > dice or wrong_set or wrong_total:
        raise _wrong(source, dotted(key, patterns[0]), "pattern-impossible", dice=dice)
    if rule.points == "matched" and patterns in ([], ["total"]):
        raise _wrong(source, dotted(key, "points"), "matched-needs-pattern")
    if rule.exact and patterns not in (["groups"], ["sets"]):
        raise _wrong(source, dotted(key, "exact"), "exact-needs-pattern")


def _check(ruleset: Ruleset, source: str) -> None:
    ids = [category.id for category in ruleset.categories]
    faces = [category.face for category in ruleset.categories if category.face is not None]
    for values in (ids, faces):
        twice = [value for index, value in enumerate(values) if value in values[:index]]
        if twice:
            raise _wrong(source, "categories", "named-twice", found=shown(twice[0]))
    for name, used in (("joker", ruleset.joker), ("extra_five", ruleset.extra_five.when)):
        if used != "none" and ruleset.all_equal is None:
            raise _wrong(source, name, "needs-all-equal")
    if ruleset.upper is not None and not faces:
        raise _wrong(source, "upper", "needs-upper-section")
    if ruleset.order and sorted(ruleset.order) != sorted(ids):
        raise _wrong(source, "order", "expected-every-box-once", values=listed(ids), found=shown(ruleset.order))
    named = {"all_equal": (ruleset.all_equal or ids[0],), "tiebreak": ruleset.tiebreak}
    special = [column for column in ruleset.columns if column.special]
    if len(special) != (ruleset.special_rounds is not None) or len(special) == len(ruleset.columns):
        raise _wrong(source, "special_rounds", "special-needs-column")
    plain_columns = all(column == Column(column.multiplier) for column in ruleset.columns)
    if (ruleset.order or ruleset.joker != "none" or ruleset.saved_throws) and not plain_columns:
        key = "order" if ruleset.order else "joker" if ruleset.joker != "none" else "saved_throws"
        raise _wrong(source, key, "needs-plain-columns")
    last = [column.last_throw or ruleset.throws for column in ruleset.columns if not column.special]
    if max(last) != ruleset.throws:
        raise _wrong(source, "columns", "no-column-for-last-throw", throws=ruleset.throws)
    token_ids = [token.id for token in ruleset.tokens]
    if len(set(token_ids)) < len(token_ids) or any(name in ("fives", "saved_throws") for name in token_ids):
        raise _wrong(source, "tokens", "named-twice", found=listed(token_ids))
    if ruleset.earned_throws is not None:
        named["earned_throws.categories"] = ruleset.earned_throws.categories
        if len(ruleset.earned_throws.minima) != len(ruleset.columns):
            raise _wrong(source, "earned_throws.minima", "expected-one-per-column", columns=len(ruleset.columns))
    for name, boxes in named.items():
        for box in boxes:
            if box not in ids:
                raise _wrong(source, name, "expected-one-of", values=listed(ids), found=shown(box))
