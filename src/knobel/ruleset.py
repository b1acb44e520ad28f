"""Rulesets by id, file or mapping: load, compose with options, digest. The types are in `vocabulary`."""

import hashlib
import json
import tomllib
from collections.abc import Mapping
from copy import deepcopy
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from knobel.errors import Reason, RulesetError
from knobel.option import Choices, Option, compose, merge, options_of
from knobel.schema import Raw, listed, parse, read, shown, to_mapping
from knobel.vocabulary import OptionValue, Ruleset

Source = str | Path | Mapping[str, Any]
_FOLDER = Path(__file__).with_name("rulesets")
MAX_BYTES, MAX_BASES = 65_536, 4
_TEXTS = ("id", "labels", "habits")  # names and manners: the digest leaves them out


@lru_cache
def builtin_ids() -> tuple[str, ...]:
    """Ids of the rulesets that come with knobel, in the order in which people are offered them."""
    ids = [file.stem for file in _FOLDER.glob("*.toml")]
    return tuple(sorted(ids, key=lambda name: (cast("int", _builtin(name).get("rank", 100)), name)))


def load(source: Source, /, **options: OptionValue) -> Ruleset:
    """A ruleset with options: `source` is an id, the path of a TOML file, or a mapping of the same shape.

    Raises `RulesetError` naming the source, the key and what was expected.

    >>> load("classic", joker="forced", columns=3).options
    (('columns', 3), ('joker', 'forced'))
    """
    return compose_ruleset(source, options)


def compose_ruleset(source: Source, options: Choices) -> Ruleset:
    """`load` with the options as a mapping."""
    raw, name = _read(source, 0)
    composed, chosen = compose(raw, _parse(raw, name), options, name)
    return _parse(composed, name, chosen)


def _parse(raw: Raw, name: str, chosen: tuple[tuple[str, OptionValue], ...] = ()) -> Ruleset:
    """The ruleset without what only concerns choosing it."""
    return parse({key: value for key, value in raw.items() if key not in ("admits", "options", "rank")}, name, chosen)


def admitted_options(source: Source) -> tuple[Option, ...]:
    """The options that a ruleset admits, with its own defaults; raises `RulesetError`."""
    raw, name = _read(source, 0)
    return options_of(raw, _parse(raw, name), name)


def digest(ruleset: Ruleset) -> str:
    """SHA-256 (64 hex digits, 16 are shown) of the composed rules as canonical JSON, without names and labels."""
    return hashlib.sha256(canonical(ruleset).encode()).hexdigest()


@lru_cache
def canonical(ruleset: Ruleset) -> str:
    """The rules alone as JSON with sorted keys: equal for rulesets that play the same."""
    raw = {key: value for key, value in to_mapping(ruleset).items() if key not in _TEXTS}
    for name in {"categories", "tokens"} & set(raw):
        raw[name] = [{k: v for k, v in row.items() if k != "labels"} for row in raw[name]]
    return json.dumps(raw, sort_keys=True, separators=(",", ":"))


def _read(source: Source, depth: int) -> tuple[Raw, str]:
    """The mapping of a source with its bases resolved, and the name that errors give it."""
    if isinstance(source, Mapping):
        try:
            raw = deepcopy(dict(source))
        except RecursionError:
            raise RulesetError("mapping", "", Reason("not-toml", {"problem": "nested too deep"})) from None
        return _resolve(raw, "mapping", None, depth), "mapping"
    text = str(source)
    if isinstance(source, Path) or text.endswith(".toml"):
        path = Path(text)
        return _resolve(parse_toml(file_text(path), text), text, path.parent, depth), text
    if text not in builtin_ids():
        raise RulesetError(shown(text), "", Reason("unknown-ruleset", {"values": listed(builtin_ids())}))
    return deepcopy(_builtin(text)), text


def _resolve(raw: Raw, source: str, folder: Path | None, depth: int) -> Raw:
    """Lay the mapping over its base, if it names one; `folder` is where relative files are found."""
    if "base" not in raw:
        return raw
    base = raw.pop("base")
    if not isinstance(base, str) or depth >= MAX_BASES:
        key = "base-too-deep" if isinstance(base, str) else "expected-base"
        raise RulesetError(source, "base", Reason(key, {"most": MAX_BASES, "found": shown(base)}))
    if base.endswith(".toml") and folder is None:
        raise RulesetError(source, "base", Reason("expected-base", {"most": MAX_BASES, "found": shown(base)}))
    below, name = _read(str(cast("Path", folder) / base) if base.endswith(".toml") else base, depth + 1)
    return _derive(below, name, raw, source)


def _derive(below: Raw, base: str, raw: Raw, source: str) -> Raw:
    """A base with the chosen options of a derived file, its patches, and without what it removes."""
    options = read(dict, raw.pop("options", {}), source, "options")
    chosen = {k: v for k, v in options.items() if not isinstance(v, Mapping)}
    removed = read(tuple[str, ...], raw.pop("remove", ()), source, "remove")
    result, _ = compose(below, _parse(below, base), chosen, f"{source} (base {base})")
    for name in chosen:
        if isinstance(result.get("options", {}).get(name), Mapping) and "field" not in result["options"][name]:
            del result["options"][name]  # its patch is applied for good
    result.pop("rank", None)
    rows = [row["id"] for row in result["categories"]]
    for name in removed:
        if name not in rows:
            found = {"values": listed(rows), "found": shown(name)}
            raise RulesetError(source, "remove", Reason("expected-one-of", found))
    result["categories"] = [row for row in result["categories"] if row["id"] not in removed]
    own = result.setdefault("options", {})
    for name in [name for name, table in own.items() if _boxes_of(table) & set(removed)]:
        del own[name]  # it is about a box that is gone
    merge(result, raw)
    merge(own, {k: v for k, v in options.items() if k not in chosen})
    return result


def _boxes_of(option: Mapping[str, Any]) -> set[str]:
    """The categories that a declared option changes."""
    if "field" in option:
        return set(option["field"].split(".")[1:2]) if option["field"].startswith("categories.") else set()
    return {name for patch in option.values() for name in patch.get("categories", ())}


@lru_cache
def _builtin(name: str) -> Raw:
    text = (_FOLDER / f"{name}.toml").read_text(encoding="utf-8")
    return parse_toml(text, name)


def file_text(path: Path, most: int = MAX_BYTES) -> str:
    """The text of a file of at most `most` bytes; raises `RulesetError` naming the file."""
    try:
        with path.open("rb") as file:
            data = file.read(most + 1)
        if len(data) > most:
            raise RulesetError(str(path), "", Reason("file-too-large", {"most": most}))
        return data.decode()
    except FileNotFoundError:
        raise RulesetError(str(path), "", Reason("file-not-found")) from None
    except UnicodeDecodeError:
        raise RulesetError(str(path), "", Reason("not-utf8")) from None
    except (OSError, ValueError) as error:  # ValueError: a null byte in the path
        problem = getattr(error, "strerror", None) or str(error)
        raise RulesetError(str(path), "", Reason("file-unreadable", {"problem": problem})) from None


def parse_toml(text: str, source: str) -> Raw:
    """The mapping of a TOML text; raises `RulesetError` with `source`."""
    try:
        return tomllib.loads(text)
    except ValueError as error:  # also a number of more than 4,300 digits
        raise RulesetError(source, "", Reason("not-toml", {"problem": str(error)})) from None
    except RecursionError:
        raise RulesetError(source, "", Reason("not-toml", {"problem": "nested too deep"})) from None
