"""A whole ruleset as the text of a TOML file that people can read and change; `ruleset.load` reads it back."""

import json
from collections.abc import Mapping

from knobel.ruleset import digest
from knobel.schema import Raw, shown, to_mapping
from knobel.vocabulary import Ruleset

_WIDE = 110  # columns of a line; longer lists get a line for each item


def to_toml(ruleset: Ruleset) -> str:
    """The composed ruleset; chosen options are applied, and a comment names them.

    >>> from knobel.ruleset import load
    >>> print(to_toml(load("classic", joker="free")).partition("\\n")[0])
    # Klassischer Block / Classic pad (classic joker=free)
    """
    options = "".join(f" {name}={shown(value)}" for name, value in ruleset.options)
    head = (
        f"# {ruleset.labels.de} / {ruleset.labels.en} ({ruleset.id}{options})",
        f"# mark {digest(ruleset)[:16]}; what is not said here has its default, see docs/rulesets.md",
    )
    return "\n".join((*head, format_toml(to_mapping(ruleset))))


def format_toml(raw: Raw) -> str:
    """A mapping as TOML: its own keys first, then lists of tables that have ids as `[[sections]]`.

    >>> print(format_toml({"id": "x", "rows": [{"id": "a", "points": [1, 2]}], "upper": {"bonus": 5}}), end="")
    id = "x"
    upper = { bonus = 5 }
    <BLANKLINE>
    [[rows]]
    id = "a"
    points = [1, 2]
    """
    lines = [_line(key, value) for key, value in raw.items() if not _is_section(value)]
    for name, tables in raw.items():
        if _is_section(tables):
            for table in tables:
                lines += ["", f"[[{name}]]", *(_line(key, value) for key, value in table.items())]
    return "\n".join((*lines, ""))


def _is_section(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, Mapping) and "id" in item for item in value)


def _line(key: str, value: object) -> str:
    line = f"{key} = {_inline(value)}"
    if len(line) <= _WIDE or not isinstance(value, list):
        return line
    return "\n".join((f"{key} = [", *(f"    {_inline(item)}," for item in value), "]"))


def _inline(value: object) -> str:
    if isinstance(value, Mapping):
        ordered = sorted(value.items(), key=lambda item: item[0] == "points")  # a rule: pattern, then points
        items = ", ".join(f"{key} = {_inline(item)}" for key, item in ordered)
        return f"{{ {items} }}" if items else "{}"
    if isinstance(value, list):
        return f"[{', '.join(map(_inline, value))}]"
    return json.dumps(value, ensure_ascii=False)  # texts, whole numbers and truth values are written as in JSON
