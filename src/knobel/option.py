"""Options: which ones a ruleset admits, and how a choice of them changes its mapping.

Most options name one field of the ruleset: kind, values, bounds and default follow from the field's type and value.
*General* ones are known here and work on every pad that lists them under `admits`. A ruleset's *own* ones are declared
in its file: `[options.NAME]` with such a `field`, or `[options.NAME.VALUE]` with a patch for each value.
`[options] NAME = value` in a derived file chooses for its base (RULES 8.4).
"""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, is_dataclass
from dataclasses import field as with_default
from hashlib import sha256
from types import UnionType
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin

from knobel.errors import Param, Reason, RulesetError
from knobel.schema import MOST_ITEMS, Raw, hints_of, listed, read, shown
from knobel.vocabulary import Bounds, BoxId, Factor, Labels, Number, OptionValue, Ruleset

Kind = Literal["choice", "switch", "number", "numbers", "boxes"]
Needs = tuple[tuple[str, tuple[OptionValue, ...]], ...]
Choices = Mapping[str, OptionValue]

ORDERS = ("free", "down", "up", "lower_first", "random")
FIXED: Needs = (("order", (*ORDERS[1:], "list")),)  # `list` stands for any list of boxes
TRIPLE: Needs = (("columns", (3,)),)
_Boxes = Annotated[tuple[BoxId, ...], Bounds(1, MOST_ITEMS)]
_Factors = Annotated[tuple[Factor, ...], Bounds(3, 3)]
_FIELDS: dict[str, tuple[str, Needs]] = {  # general options: the field, and what other options must be like
    "order_scope": ("order_scope", (*FIXED, *TRIPLE)),
    "joker": ("joker", ()),
    "extra_five": ("extra_five.when", ()),
    "extra_five_points": ("extra_five.points", ()),
    "triple_bonus_when": ("extra_five.columns", TRIPLE),
    "triple_bonus_multiplied": ("extra_five.multiplied", TRIPLE),
    "upper_bonus": ("upper.bonus", ()),
    "upper_threshold": ("upper.threshold", ()),
    "bonus_shown": ("bonus_shown", ()),
    "saved_throws": ("saved_throws", ()),
}


@dataclass(frozen=True, slots=True)
class Option:
    """An option that a ruleset admits; `default` is what the ruleset does if nothing is chosen."""

    name: str
    kind: Kind
    default: OptionValue
    values: tuple[OptionValue, ...] = ()  # the named values; `number`, `numbers` and `boxes` take others as well
    needs: Needs = ()  # usable only while these options have one of these values
    labels: Labels | None = None
    value_labels: Mapping[str, Labels] | None = None
    path: str = ""  # dotted place of the value in the mapping; empty: see `compose`
    patches: Mapping[str, Raw] | None = None
    hint: Any = None  # type of the values that have no name; None: there are none
    names: Mapping[str, Any] = with_default(default_factory=dict)  # what named values stand for in the mapping


def options_of(raw: Raw, ruleset: Ruleset, source: str) -> tuple[Option, ...]:
    """All options that this mapping of `ruleset` admits, with its own defaults; raises `RulesetError`."""
    general: Any = Literal[("columns", "multipliers", "order", "order_seed", *_FIELDS, "tiebreak")]
    admits = read(tuple[general, ...], raw.get("admits", ()), source, "admits")
    own = read(dict, raw.get("options", {}), source, "options")
    for name in own:
        read(BoxId, name, source, "options")
        if name in get_args(general):
            raise RulesetError(source, f"options.{name}", Reason("named-twice", {"found": name}))
    tables = {name: read(dict, table, source, f"options.{name}") for name, table in own.items()}
    declared = tuple(_own(ruleset, name, table, source) for name, table in tables.items())
    return tuple(_general(ruleset, name, source) for name in get_args(general) if name in admits) + declared


def compose(
    raw: Raw, ruleset: Ruleset, choices: Choices, source: str
) -> tuple[Raw, tuple[tuple[str, OptionValue], ...]]:
    """A copy of the mapping of `ruleset` with the chosen options applied, and the choices that differ from its own.

    Raises `RulesetError` for an option that is not admitted, a value that it does not take, or a missing precondition.
    """
    admitted = {option.name: option for option in options_of(raw, ruleset, source)}
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


def _general(ruleset: Ruleset, name: str, source: str) -> Option:
    """A general option with the default of this ruleset."""
    factors = tuple(column.multiplier for column in ruleset.columns)
    match name:
        case "columns":
            return Option(name, "choice", len(factors), (1, 3))
        case "multipliers":
            return Option(name, "numbers", factors if len(factors) == 3 else (1, 2, 3), needs=TRIPLE, hint=_Factors)
        case "order":
            return Option(name, "boxes", ruleset.order or "free", ORDERS, hint=_Boxes)
        case "order_seed":
            return Option(name, "number", 0, needs=(("order", ("random",)),), hint=Number)
        case "tiebreak":
            return Option(name, "boxes", ruleset.tiebreak or "shared", ("shared",), hint=_Boxes)
    path, needs = _FIELDS[name]
    return _of_field(ruleset, name, _FieldOption(path), needs, source, f"admits.{name}")


@dataclass(frozen=True, slots=True)
class _FieldOption:
    """How a file declares an option that sets one field: its place, the values it may take, and names for some."""

    field: str
    values: tuple[Number, ...] = ()
    names: dict[str, Any] = with_default(default_factory=dict)
    labels: Labels | None = None


def _of_field(ruleset: Ruleset, name: str, declared: _FieldOption, needs: Needs, source: str, key: str) -> Option:
    """The option that its field's type and value make it."""
    *parents, last = declared.field.split(".")
    parent: Any = ruleset
    for part in parents:
        if isinstance(parent, tuple):
            parent = next((x for i, x in enumerate(parent) if part in (str(i), getattr(x, "id", None))), None)
        else:
            parent = getattr(parent, part, None)
    hints = hints_of(cast("Any", type(parent)), include_extras=True) if is_dataclass(parent) else {}
    hint: Any = hints.get(last)
    if get_origin(hint) in (Union, UnionType):
        hint = get_args(hint)[-1] if type(None) not in get_args(hint) else None
    base = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    value = getattr(parent, last, None)
    default: Any = next((word for word, stands in declared.names.items() if stands == value), value)
    kind: Kind | None = "numbers" if get_origin(base) is tuple else "number" if base is int else None
    values: tuple[OptionValue, ...] = (*declared.names, *declared.values)
    if get_origin(base) is Literal:
        kind, values, hint = "choice", get_args(base), None
    elif base is bool:
        kind, values, hint = "switch", (default, not default), None
    elif declared.values:
        kind, hint = "choice", None
    if kind is None or base is None or default is None or (isinstance(default, str) and default not in values):
        raise RulesetError(source, f"{key}.field", Reason("expected-field", {"found": shown(declared.field)}))
    return Option(
        name, kind, default, values, needs, declared.labels, path=declared.field, hint=hint, names=declared.names
    )  # fmt: skip


def _own(ruleset: Ruleset, name: str, table: Mapping[str, Any], source: str) -> Option:
    """An option that the ruleset's file declares itself."""
    key = f"options.{name}"
    if "field" in table:
        return _of_field(ruleset, name, read(_FieldOption, table, source, key), (), source, key)
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
    is_named = any(value == known and type(value) is type(known) for known in option.values)
    by_name = is_named or option.hint is None or (option.kind == "boxes" and not isinstance(value, list | tuple))
    hint: Any = Literal[option.values] if by_name else option.hint
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
        named = option.names.get(value, value) if isinstance(value, str) else value
        cast("Any", target)[last] = list(named) if isinstance(named, tuple) else named


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
