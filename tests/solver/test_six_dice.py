"""The steps of the long run `six-dice`, on pads of the same kind that are solved in a moment."""

import json
from dataclasses import asdict, replace
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

import knobel
from knobel import Ruleset
from knobel.sim import simulate_optimal
from knobel.solver import table as tables
from knobel.solver.file import checksum
from knobel.solver.model import model_of
from knobel.solver.reference import Reference
from knobel.solver.solve import layers
from knobel.solver.table import Table
from knobel.solver.values import Values
from tests.solver.six_dice import (
    UNDISTURBED,
    Bellman,
    Steps,
    interval,
    residuals_of,
    rounding_bound,
    solved_under_fire,
    told,
)
from tests.solver.toys import CHANCE, FIVES, PAIR, SIXES, STAIRS, TOYS, TRIPLE, TWOS, bonus, toy

PAD = (TWOS, PAIR, FIVES, TRIPLE, SIXES, STAIRS, CHANCE)  # upper boxes anywhere
SAVING = toy(3, 3, *PAD, **bonus(22, 35), saved_throws=True)
ALIKE = {  # one mechanism more or less each
    "saved throws": SAVING,
    "no saved throws": toy(3, 3, *PAD, **bonus(22, 35)),
    "no bonus": toy(3, 3, *PAD, saved_throws=True),
    "bonus from the start": toy(3, 3, *PAD, **bonus(0, 10), saved_throws=True),
    "bonus out of reach": toy(3, 2, *PAD, **bonus(1000, 10), saved_throws=True),
    "one throw": toy(3, 1, *PAD, **bonus(12, 15), saved_throws=True),
}


@pytest.fixture(params=ALIKE, scope="module")
def ruleset(request: pytest.FixtureRequest) -> Ruleset:
    return ALIKE[request.param]


@pytest.fixture
def rounded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Table:
    """A table in single precision, as only the largest are otherwise."""
    monkeypatch.setattr(tables, "MOST_EXACT", 0)
    tables.solve_into(SAVING, tmp_path)
    table = tables.open_table(SAVING, tmp_path)
    assert {layer.dtype for layer in table.layers} == {np.dtype(np.float32)}
    return table


def test_each_value_follows_from_the_layer_above(ruleset: Ruleset) -> None:
    table = tables.solve(ruleset)
    residuals = residuals_of(table, n_states=10**6, seed=1)
    assert residuals.n_states == sum(map(len, table.layers[:-1]))
    assert residuals.n_values >= residuals.n_states
    assert residuals.most <= 1e-12


def test_rounded_values_are_as_near_as_rounding_allows(rounded: Table) -> None:
    residuals = residuals_of(rounded, n_states=1000, seed=1)
    assert residuals.n_states == 1000
    assert 1e-7 < residuals.most <= residuals.bound <= 2 * 2**-25 * 256  # no value is 256 or more
    assert residuals.mean < residuals.most
    assert "1,000 random chains" in told(asdict(residuals))


@pytest.mark.parametrize("layer", range(7))
def test_a_value_that_is_off_is_found(layer: int) -> None:
    table = tables.solve(SAVING)
    spoilt = table.layers[layer].copy()
    spoilt[len(spoilt) // 2] -= 1e-9
    others = (*table.layers[:layer], spoilt, *table.layers[layer + 1 :])
    with pytest.raises(AssertionError, match=r"stored .* should be"):
        residuals_of(replace(table, layers=others), n_states=10**6, seed=1)


def test_a_wrong_bonus_is_found() -> None:
    table = tables.solve(SAVING)
    with pytest.raises(AssertionError):
        residuals_of(replace(table, layers=(*table.layers[:-1], table.layers[-1] + 1e-9)), n_states=1, seed=1)


def test_states_lie_where_the_model_says(ruleset: Ruleset) -> None:
    bellman, model = Bellman(ruleset), model_of(ruleset)
    for layer in range(model.n_layers):
        index = np.arange(model.size(layer))
        ours, theirs = bellman.states(layer, index), model.states(layer, index)
        assert bellman.size(layer) == model.size(layer)
        for our, their in ((ours.code, theirs.codes), (ours.lane, theirs.lanes), (ours.saved, theirs.saved)):
            np.testing.assert_array_equal(our, their)


def test_the_definition_agrees_with_the_slow_oracle() -> None:
    ruleset = TOYS["saved-bonus"]
    bellman = Bellman(ruleset)
    layer = bellman.full_pad()
    for n_filled in range(len(ruleset.boxes) - 1, -1, -1):
        states = bellman.states(n_filled, np.arange(bellman.size(n_filled)))
        found, _ = bellman.values(states, layer)
        layer = found[states.saved, np.arange(len(states.code))]
    assert layer == pytest.approx([float(Reference(ruleset).optimum)], abs=1e-12)


def test_the_interval_holds_the_value(rounded: Table) -> None:
    played = simulate_optimal(Values(rounded), 20_000, seed=1)
    low, high = interval(played, 0.9999)
    assert low <= rounded.value <= high
    assert high - low < 2
    assert interval(played, 0.95) == pytest.approx(played.interval)


def test_a_solve_under_fire_ends_with_the_same_bits(tmp_path: Path) -> None:
    file = tmp_path / "pad.toml"
    removed = ["twos", "threes", "fours", "one_pair", "two_pairs", "four_kind", "full_house", "large_straight"]
    file.write_text(f'base = "yatzy"\nid = "pad"\nremove = {removed}\n', encoding="utf-8")
    table = tables.solve_into(knobel.load(str(file)), tmp_path / "quiet")
    assert table.folder is not None
    manifest = table.folder.manifest()
    assert manifest is not None
    files = [asdict(manifest.layers[layer]) for layer in range(manifest.n_layers)]
    expected = {"value": table.value, "n_states": manifest.n_states, "layers": files}
    steps = Steps(tmp_path / "fire")
    found = solved_under_fire(str(file), tmp_path / "fire", steps, expected, [0.01, 0.2])
    assert found.value == table.value
    assert [kill["seconds"] for kill in steps.known["kills"]] == [0.01, 0.2]
    files[2]["crc"] ^= 1
    with pytest.raises(AssertionError, match="other layers"):
        solved_under_fire(str(file), tmp_path / "fire", steps, expected, [0.01, 0.2])


def test_what_an_undisturbed_solve_gave_is_of_this_solver() -> None:
    expected, model = json.loads(UNDISTURBED.read_text("utf-8")), model_of(knobel.load("six-dice"))
    assert [file["n_values"] for file in expected["layers"]] == [model.size(n) for n in range(model.n_layers)]
    assert expected["n_states"] == model.n_states
    last = model.n_layers - 1
    for layer, values in islice(layers(model), 3):  # the smallest at the end of the game
        crc = checksum(values.astype(np.float32))
        assert (layer, crc) == (last, expected["layers"][layer]["crc"])
        last -= 1


def test_rounding_is_small() -> None:
    assert 0 < rounding_bound(SAVING) < 1e-10


def test_steps_are_kept_until_the_solver_changes(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    assert Steps(folder).done("a", lambda: {"value": 1.5}) == {"value": 1.5}
    (folder / "table").write_bytes(b"")
    assert Steps(folder).done("a", lambda: {"value": 2.5}) == {"value": 1.5}
    known = json.loads((folder / "steps.json").read_text("utf-8"))
    (folder / "steps.json").write_text(json.dumps({**known, "source": "other"}), encoding="utf-8")
    assert Steps(folder).done("a", lambda: {"value": 3.5}) == {"value": 3.5}
    assert not (folder / "table").exists()
