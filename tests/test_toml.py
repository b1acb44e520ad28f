"""Rulesets written out as TOML: whatever can be composed reads back as the same rules; and the commands around it."""

import tomllib
from dataclasses import replace
from pathlib import Path
from random import Random

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

import knobel
from knobel.cli.command import run
from knobel.ruleset import compose_ruleset, parse_toml
from knobel.toml import format_toml, to_toml
from knobel.vocabulary import Ruleset
from tests.core.houses import HOUSES
from tests.core.playing import random_choices

EXAMPLES = Path(__file__).parents[1] / "examples"
SOURCES = [*knobel.builtin_ids(), *map(str, sorted(EXAMPLES.glob("*.toml")))]


def _again(rules: Ruleset) -> Ruleset:
    return knobel.load(parse_toml(to_toml(rules), "export"))


@pytest.mark.parametrize("source", [*SOURCES, *HOUSES.values()], ids=lambda source: Path(str(source)).stem[:20])
@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_an_export_with_any_options_is_the_same_ruleset(source: knobel.ruleset.Source, seed: int) -> None:
    rules = compose_ruleset(source, random_choices(source, Random(seed)))
    assert _again(rules) == replace(rules, options=())
    assert knobel.digest(_again(rules)) == knobel.digest(rules)


LABEL = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Zl", "Zp")), min_size=1, max_size=60)


@settings(max_examples=40, deadline=None)
@given(de=LABEL, en=LABEL)
def test_any_name_is_written_so_that_it_reads_back(de: str, en: str) -> None:
    try:
        rules = knobel.load({"base": "yatzy", "labels": {"de": de, "en": en}})
    except knobel.RulesetError:
        return
    assert _again(rules) == rules


PLAIN = st.recursive(
    st.integers() | st.booleans() | st.text(st.characters(codec="utf-8", exclude_characters="\x7f")),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.from_regex("[a-z_]{1,8}", fullmatch=True), inner),
    max_leaves=20,
)


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.from_regex("[a-z_]{1,8}", fullmatch=True), PLAIN))
def test_any_plain_mapping_reads_back(raw: dict[str, object]) -> None:
    assert tomllib.loads(format_toml(raw)) == raw


def test_the_command_exports_a_file_that_loads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", "export", "classic", "-o", "columns=3", "-o", "joker=free"]) == 0
    file = tmp_path / "exported.toml"
    file.write_text(capsys.readouterr().out, encoding="utf-8")
    assert file.read_text(encoding="utf-8").startswith(
        "# Klassischer Block / Classic pad (classic columns=3 joker=free)\n"
    )
    assert knobel.digest(knobel.load(file)) == knobel.digest(knobel.load("classic", columns=3, joker="free"))
    assert run(["rules", "check", str(file), "--lang", "en"]) == 0
    assert capsys.readouterr().out.startswith("Classic pad: all in order. 39 boxes, 0 options, mark ")


def test_the_command_checks_every_option(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "house.toml"
    head = 'id = "house"\nlabels = { de = "A", en = "A" }\nbase = "classic"\n'
    file.write_text(f"{head}[options.wild.true]\nthrows = 99\n")
    assert knobel.load(file).throws == 3
    assert run(["rules", "check", str(file), "--lang", "en"]) == 2
    assert "throws: Expected a whole number from 1 to 20, not 99." in capsys.readouterr().err
