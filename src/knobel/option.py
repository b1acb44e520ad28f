"""Options: which ones a ruleset admits, and how a choice of them changes its mapping.

There are two kinds. The *general* options below work on every pad that lists them under `admits`. A ruleset's *own*
options are declared in its file: `[options.NAME]` with a `field` that takes the value, or `[options.NAME.VALUE]`
with a patch for each value. `[options] NAME = value` in a derived file chooses for its base (RULES 8.4).
"""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from hashlib import sha256
from typing import Annotated, Any, Literal, cast

from knobel.errors import Param, Reason, RulesetError
from knobel.schema import MOST_ITEMS, Raw, is_whole, listed, literals, read, shown
from knobel.vocabulary import (
    Bounds,
    BoxId,
    ExtraFiveWhen,
    Factor,
    JokerMode,
    Labels,
    Number,
    OptionValue,
    OrderScope,
    Quantifier,
    Shown,
)

Kind = Literal["choice", "switch", "number", "numbers", "boxes"]
Needs = tuple[tuple[str, tuple[OptionValue, ...]], ...]
Choices = Mapping[str, OptionValue]

ORDERS = ("free", "down", "up", "lower_first", "random")
FIXED = (*ORDERS[1:], "list")  # `list` stands for any list of boxes
_ThreeFactors = Annotated[tuple[Factor, ...], Bounds(3, 3)]
_Boxes = Annotated[tuple[BoxId, ...], Bounds(1, MOST_ITEMS)]
TRIPLE: Needs = (("columns", (3,)),)


@dataclass(frozen=True, slots=True)
class Option:
    """An option that a ruleset admits; `default` is what the ruleset does if nothing is chosen."""

    name: str
    kind: Kind
    default: OptionValue
    values: tuple[OptionValue, ...] = ()  # the named values; empty: any number (`boxes`: also a list of boxes)
    needs: Needs = ()  # usable only while these options have one of these values
    labels: Labels | None = None
    value_labels: Mapping[str, Labels] | None = None
    path: str = ""  # dotted place of the value in the mapping; empty: see `compose`
    patches: Mapping[str, Raw] | None = None


def options_of(raw: Raw, source: str) -> tuple[Option, ...]:
    """All options that this mapping admits, with its own defaults; raises `RulesetError` for a wrong declaration."""
    general = {option.name: option for option in _general(raw)}
    names: Any = Literal[tuple(general)]
    admits = read(tuple[names, ...], raw.get("admits", ()), source, "admits")
    own = read(dict, raw.get("options", {}), source, "options")
    for name in own:
        read(BoxId, name, source, "options")
    tables = {name: read(dict, table, source, f"options.{name}") for name, table in own.items()}
    declared = tuple(_own(raw, name, table, source) for name, table in tables.items())
    return tuple(option for name, option in general.items() if name in admits) + declared


def compose(raw: Raw, choices: Choices, source: str) -> tuple[Raw, tuple[tuple[str, OptionValue], ...]]:
    """A copy of the mapping with the chosen options applied, and those choices that differ from its defaults.

    Raises `RulesetError` for an option that is not admitted, a value that it does not take, or a missing precondition.
    """
    admitted = {option.name: option for option in options_of(raw, source)}
    for name in choices:
        if name not in admitted:
            found: dict[str, Param] = {"option": shown(name), "values": listed(list(admitted)) or "-"}
            raise RulesetError(source, f"options.{shown(name)}", Reason("option-not-admitted", found))
    checked = {name: _checked(option, choices[name], source) for name, option in admitted.items() if name in choices}
    effective = {name: option.default for name, option in admitted.items()} | checked
    for name in checked:
        _require(admitted[name], effective, source)
    result = deepcopy(raw)
    for name, value in checked.items():
        if value != admitted[name].default:
            _apply(result, admitted[name], value)
    if "multipliers" in checked or ("columns" in checked and checked["columns"] != admitted["columns"].default):
        factors = effective.get("multipliers", (1, 2, 3)) if effective["columns"] == 3 else (1,)
        result["columns"] = [{"multiplier": factor} for factor in cast("tuple[int, ...]", factors)]
    if "order" in checked:
        result["order"] = list(_order(raw, checked["order"], cast("int", effective.get("order_seed", 0))))
    return result, tuple((name, value) for name, value in checked.items() if value != admitted[name].default)


def from_text(option: Option, text: str) -> OptionValue:
    """The value that a text stands for on the command line: `true`, `3`, `forced`, lists with commas."""
    named = {shown(value): value for value in option.values}
    if text in named:
        return named[text]
    parts = tuple(part.strip() for part in text.split(","))
    if option.kind == "numbers" and all(_is_number(part) for part in parts):
        return tuple(int(part) for part in parts)
    if option.kind == "boxes":
        return parts
    return int(text) if _is_number(text) else text


def find(raw: Raw, path: str) -> object:
    """The value at a dotted path (lists of tables are entered by id or number from 0), or None."""
    value: Any = raw
    for part in path.split("."):
        if isinstance(value, list | tuple):
            value = next((item for index, item in enumerate(value) if part in (str(index), _id(item))), None)
        else:
            value = value.get(part) if isinstance(value, Mapping) else None
    return value


def merge(raw: Raw, patch: Mapping[str, Any]) -> None:
    """Lay a patch over a mapping in place: tables are merged, lists of tables by their ids, all else is replaced."""
    for name, value in patch.items():
        old = raw.get(name)
        if isinstance(old, list) and any(_id(item) for item in old) and isinstance(value, Mapping | list):
            for item in value if isinstance(value, list) else _named(value):
                known = next((row for row in old if _id(row) == _id(item) is not None), None)
                if known is None:
                    old.append(deepcopy(item))
                else:
                    merge(known, item)
        elif isinstance(old, dict) and isinstance(value, Mapping):
            merge(old, value)
        else:
            raw[name] = deepcopy(value)


def _named(tables: Mapping[str, Any]) -> list[Any]:
    """A table of tables as the list that it stands for; what is no table is left for `parse` to refuse."""
    return [{"id": key, **table} if isinstance(table, Mapping) else table for key, table in tables.items()]


def _id(item: object) -> str | None:
    return item.get("id") if isinstance(item, Mapping) else None


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 9


def _general(raw: Raw) -> tuple[Option, ...]:
    """The general options with the defaults of this ruleset."""
    order = tuple(raw.get("order", ())) or "free"
    tiebreak = tuple(raw.get("tiebreak", ())) or "shared"
    factors = tuple(column.get("multiplier", 1) for column in raw.get("columns", ()))

    def at(path: str, default: OptionValue) -> OptionValue:
        value = find(raw, path)
        return cast("OptionValue", default if value is None else value)

    fixed: Needs = (("order", FIXED),)
    return (
        Option("columns", "choice", len(factors) or 1, (1, 3)),
        Option("multipliers", "numbers", factors if len(factors) == 3 else (1, 2, 3), needs=TRIPLE),
        Option("order", "boxes", order, ORDERS),
        Option("order_seed", "number", 0, needs=(("order", ("random",)),)),
        Option(
            "order_scope", "choice", at("order_scope", "column_major"), literals(OrderScope), (*fixed, *TRIPLE),
            path="order_scope",
        ),
        Option("joker", "choice", at("joker", "none"), literals(JokerMode), path="joker"),
        Option("extra_five", "choice", at("extra_five.when", "none"), literals(ExtraFiveWhen), path="extra_five.when"),
        Option("extra_five_points", "number", at("extra_five.points", 100), path="extra_five.points"),
        Option(
            "triple_bonus_when", "choice", at("extra_five.columns", "all_50"), literals(Quantifier), TRIPLE,
            path="extra_five.columns",
        ),
        Option(
            "triple_bonus_multiplied", "switch", at("extra_five.multiplied", True), (True, False), TRIPLE,
            path="extra_five.multiplied",
        ),
        Option("upper_bonus", "number", at("upper.bonus", 0), path="upper.bonus"),
        Option("upper_threshold", "number", at("upper.threshold", 0), path="upper.threshold"),
        Option("bonus_shown", "choice", at("bonus_shown", "at_once"), literals(Shown), path="bonus_shown"),
        Option("saved_throws", "switch", at("saved_throws", False), (False, True), path="saved_throws"),
        Option("tiebreak", "boxes", tiebreak, ("shared",)),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _FieldOption:
    """How a file declares an option that sets one number: the place of the number, and the values it may take (any)."""

    field: str
    values: tuple[Number, ...] = ()
    labels: Labels | None = None


def _own(raw: Raw, name: str, table: Mapping[str, Any], source: str) -> Option:
    """An option that the ruleset's file declares itself."""
    key = f"options.{name}"
    if "field" in table:
        declared: _FieldOption = read(_FieldOption, table, source, key)
        default = find(raw, declared.field)
        if not is_whole(default):
            raise RulesetError(source, f"{key}.field", Reason("expected-field", {"found": shown(declared.field)}))
        kind: Kind = "choice" if declared.values else "number"
        return Option(
            name, kind, cast("int", default), declared.values, labels=declared.labels, path=declared.field
        )  # fmt: skip
    labels = _labels(table, source, key)
    patches = {
        read(BoxId, value, source, key): dict(read(dict, patch, source, f"{key}.{value}"))
        for value, patch in table.items()
        if value != "labels"
    }
    value_labels = {
        value: label for value, patch in patches.items() if (label := _labels(patch, source, f"{key}.{value}"))
    }
    patches = {value: {k: v for k, v in patch.items() if k != "labels"} for value, patch in patches.items()}
    if len(patches) == 1 and set(patches) <= {"true", "false"}:
        default = "false" in patches  # the patch is for what is not the default
        return Option(name, "switch", default, (default, not default), labels=labels, patches=patches)
    if not patches:
        raise RulesetError(source, key, Reason("expected-patches"))
    return Option(
        name, "choice", "standard", ("standard", *patches), labels=labels, value_labels=value_labels, patches=patches
    )


def _labels(table: Mapping[str, Any], source: str, key: str) -> Labels | None:
    return cast("Labels", read(Labels, table["labels"], source, f"{key}.labels")) if "labels" in table else None


def _checked(option: Option, value: OptionValue, source: str) -> OptionValue:
    """`value` if the option takes it, lists as tuples."""
    hint: Any = {"number": Number, "numbers": _ThreeFactors, "boxes": _Boxes}.get(option.kind)
    is_named = any(value == known and type(value) is type(known) for known in option.values)
    if is_named or (hint is None or (option.kind == "boxes" and not isinstance(value, list | tuple))):
        hint = Literal[option.values]
    return cast("OptionValue", read(hint, value, source, f"options.{option.name}"))


def _require(option: Option, effective: Choices, source: str) -> None:
    """Refuse an option whose precondition the other options do not meet."""
    for name, values in option.needs:
        value = effective.get(name)
        named = "list" if isinstance(value, tuple) else value
        if named not in values:
            wanted: dict[str, Param] = {"option": option.name, "needs": name, "values": listed(values)}
            raise RulesetError(source, f"options.{option.name}", Reason("option-needs", wanted))


def _apply(raw: Raw, option: Option, value: OptionValue) -> None:
    """Write one chosen value into the mapping; columns and order depend on each other, `compose` sees to them."""
    if option.name == "tiebreak":
        raw["tiebreak"] = [] if value == "shared" else list(cast("tuple[str, ...]", value))
    elif option.patches is not None:
        merge(raw, option.patches.get(shown(value), {}))
    elif option.path:
        *parents, last = option.path.split(".")
        target = find(raw, ".".join(parents)) if parents else raw
        if target is None:
            target = raw.setdefault(parents[0], {})
        cast("Any", target)[int(last) if isinstance(target, list) else last] = value


def _order(raw: Raw, order: OptionValue, seed: int) -> tuple[str, ...]:
    """The categories in the chosen order of entry (RULES 3)."""
    if isinstance(order, tuple):
        return cast("tuple[str, ...]", order)
    names = [str(_id(item)) for item in raw["categories"]]
    if order == "lower_first":
        return tuple(sorted(names, key=lambda name: find(raw, f"categories.{name}.section") == "upper"))
    if order == "random":
        return tuple(sorted(names, key=lambda name: sha256(f"{seed}:{name}".encode()).digest()))
    return {"free": (), "down": tuple(names), "up": tuple(reversed(names))}[cast("str", order)]
