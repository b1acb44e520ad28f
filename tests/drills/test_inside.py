from pathlib import Path

import pytest

from tests.drills import mutants
from tests.drills.patch import changed

SCALE = 0.01
QUICK = ("takes illegal moves",)  # all of them: ./check --long mutants


@pytest.mark.parametrize("name", QUICK)
def test_a_drill_in_this_process_notices_that_a_guard_is_missing(name: str, tmp_path: Path) -> None:
    assert mutants.noticed(name, SCALE, tmp_path / "data")


@pytest.mark.parametrize("name", mutants.MUTANTS)
def test_a_guard_is_still_where_it_is_taken_out(name: str) -> None:
    for patch in mutants.MUTANTS[name].patches:
        owner, place, without = changed(patch)
        assert without != vars(owner)[place]
