"""The case files of tests/data, read once."""

import json
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parents[1] / "data"


def _load(name: str) -> Any:
    return json.loads((_FOLDER / name).read_text(encoding="utf-8"))


CASES: dict[str, Any] = _load("rule_cases.json")
BUGS: dict[str, dict[str, Any]] = {case["id"]: case for case in _load("bug_cases.json")}
