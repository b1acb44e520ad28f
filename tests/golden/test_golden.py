import pytest

import knobel
from tests.core.reference import BOXES
from tests.golden import make


@pytest.mark.parametrize("ruleset", knobel.builtin_ids())
def test_the_playthrough_is_what_the_rules_say(ruleset: str) -> None:
    path = make.FOLDER / f"{ruleset}.txt"
    assert path.exists(), f"run: python -m tests.golden.make {ruleset}"
    assert make.playthrough(ruleset) == path.read_text(encoding="utf-8"), (
        f"if the change is meant, run: python -m tests.golden.make {ruleset}, and read the difference"
    )


def test_there_is_no_playthrough_without_a_ruleset() -> None:
    assert {path.stem for path in make.FOLDER.glob("*.txt")} == set(knobel.builtin_ids())


@pytest.mark.parametrize("ruleset", BOXES)
def test_the_playthrough_shows_what_matters(ruleset: str) -> None:
    text = (make.FOLDER / f"{ruleset}.txt").read_text(encoding="utf-8")
    rules = knobel.load(ruleset)
    for box in rules.boxes:
        assert f"enter {box}\n" in text
    if "fives" in rules.counters:
        assert "why-extra-five" in text
    if rules.joker != "none":
        assert "why-joker-value" in text
