from pathlib import Path

import pytest

from tests.drills import mutants

SCALE = 0.01
QUICK = ("takes illegal moves",)  # all of them: ./check --long mutants


@pytest.mark.parametrize("name", QUICK)
def test_a_drill_in_this_process_notices_that_a_guard_is_missing(name: str, tmp_path: Path) -> None:
    assert mutants.noticed(name, SCALE, tmp_path / "data")
