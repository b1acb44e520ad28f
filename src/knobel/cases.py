"""Reference cases: a JSON file of dice, cards and expected answers, checked against the rules core.

The format is described in docs/rulesets.md. Every section is optional; whatever is not understood makes the run fail.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from knobel.case import KINDS
from knobel.errors import KnobelError, Reason, RulesetError
from knobel.optimum import SECTIONS, one_box_case
from knobel.ruleset import file_text
from knobel.schema import dotted, listed, read, shown

MAX_BYTES = 50_000_000
DESCRIPTIONS = ("about", "rulesets")  # no cases


@dataclass(frozen=True, slots=True)
class Failure:
    """A case that did not hold; `got` is what the rules core said, or `error` what was wrong with the case."""

    section: str
    id: str
    expected: object
    got: object
    error: KnobelError | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of all cases of a file."""

    passed: int
    failures: tuple[Failure, ...]

    @property
    def summary(self) -> str:
        """`N passed, M failed`."""
        return f"{self.passed} passed, {len(self.failures)} failed"


def read_cases(path: Path) -> Mapping[str, Any]:
    """The sections of a file; raises `RulesetError` naming the file if it holds no JSON object."""
    source = str(path)
    text = file_text(path, MAX_BYTES)
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RulesetError(source, "", Reason("not-json", {"problem": str(error)})) from None
    if not isinstance(data, Mapping):
        raise RulesetError(source, "", Reason("expected-table", {"found": shown(data)}))
    return data


def run_cases(data: Mapping[str, Any], source: str = "cases") -> Outcome:
    """Check every case; a case or section that cannot be understood counts as failed. `source` is named in errors."""
    passed, failures = 0, []
    for section, content in data.items():
        if section in DESCRIPTIONS:
            continue
        try:
            cases = _cases_of(section, content, source)
        except KnobelError as error:
            failures.append(Failure(section, section, None, None, error))
            continue
        for name, case in cases:
            failure = _failure(section, name, case, source)
            passed += failure is None
            failures += [failure] if failure else []
    return Outcome(passed, tuple(failures))


def _cases_of(section: str, content: object, source: str) -> list[tuple[str, object]]:
    """The cases of a section with their names: an id, else a number; in the census the ruleset."""
    if section in SECTIONS:
        return _figures(read(dict, content, source, section), SECTIONS[section] is one_box_case)
    if section not in KINDS:
        known = {"values": listed([*KINDS, *SECTIONS, *DESCRIPTIONS])}
        raise RulesetError(source, section, Reason("unknown-key", known))
    if section == "census":
        table: dict[str, object] = read(dict, content, source, section)
        return [(name, {**case, "ruleset": name} if isinstance(case, dict) else case) for name, case in table.items()]
    if not isinstance(content, list):
        raise RulesetError(source, section, Reason("cases-no-list", {"found": shown(content)}))
    names = [case.get("id", index) if isinstance(case, dict) else index for index, case in enumerate(content, 1)]
    return list(zip(map(shown, names), content, strict=True))


def _failure(section: str, name: str, raw: object, source: str) -> Failure | None:
    """Check one case; None if it holds. A key with the value null says nothing."""
    given = {key: value for key, value in raw.items() if value is not None} if isinstance(raw, dict) else raw
    if section == "acht_mann_column_tallies" and isinstance(given, dict):
        given["card"] = given.pop("column", None)
    try:
        if section in SECTIONS:
            expected, got = SECTIONS[section](name, given)
        else:
            expected, got = read(KINDS[section], given, source, dotted(section, name)).check()
    except KnobelError as error:
        return Failure(section, name, None, None, error)
    return None if expected == got else Failure(section, name, *_differing(expected, got))


def _figures(content: Mapping[str, Any], is_nested: bool) -> list[tuple[str, object]]:
    """The figures of a section by name; where tables hold tables, `outer.inner`."""
    if not is_nested:
        return list(content.items())
    return [
        (f"{outer}.{inner}", figure)
        for outer, table in content.items()
        for inner, figure in (table.items() if isinstance(table, Mapping) else [("", table)])
    ]


def _differing(expected: object, got: object) -> tuple[object, object]:
    """Only the parts of two answers that differ."""
    if not isinstance(expected, Mapping) or not isinstance(got, Mapping):
        return expected, got
    names = [name for name in {**expected, **got} if name not in got or expected.get(name) != got[name]]
    return {name: expected.get(name) for name in names}, {name: got.get(name) for name in names}
