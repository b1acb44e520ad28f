"""Tables of exact values: published numbers, the oracle on toys, entries as the rules say, and the parts of a solve."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import knobel
from knobel import Action, Box, Enter, KnobelError, Ruleset, State, Throw, game
from knobel import sheet as pad
from knobel.dice import contains, keep_index, keeps, outcomes, probability, rolls
from knobel.schema import to_mapping
from knobel.sheet import Sheet
from knobel.solver.compiled import compiled
from knobel.solver.entry import flag_of
from knobel.solver.lanes import add, lanes_of, load, maximum, multiply, peek, splat, store
from knobel.solver.lattice import Array, bests, lattice_of, mean_of_rolls, means
from knobel.solver.model import Model, model_of
from knobel.solver.reference import Reference
from knobel.solver.solve import Progress, layers, work_of
from knobel.solver.table import Table
from knobel.solver.values import Values
from knobel.vocabulary import OptionValue
from tests.core.playing import random_faces
from tests.solver.toys import SOLVABLE, TOYS

EXAMPLES = Path(__file__).parents[2] / "examples"
MOST_VALUES = 1 << 21  # of a layer that is written down with made-up values


@cache
def solved(name: str, **options: OptionValue) -> Values:
    """The values of a ruleset that comes with knobel."""
    return Values.solve(knobel.load(name, **options))


def after_turn(state: State, roll: tuple[int, ...], action: Action) -> State:
    """The state after a first throw and what is done then."""
    return knobel.apply(knobel.apply(state, Throw(), roll), action)


def random_step(state: State, rng: Random, enters: float) -> State:
    """The state after an action, an entry with this chance if there is a choice, with many rolls of all dice alike."""
    legal = game.legal_actions(state)
    entries = [action for action in legal if isinstance(action, Enter)]
    throws = [action for action in legal if isinstance(action, Throw)]
    if entries and (not throws or rng.random() < enters):
        return knobel.apply(state, rng.choice(entries))
    throw = rng.choice(throws)
    return knobel.apply(state, throw, tuple(random_faces(rng, throw.keep, state.ruleset.dice)))


def course(ruleset: Ruleset, rng: Random, enters: float = 0.4) -> Iterator[State]:
    """All states of a random game but the last."""
    state = knobel.start(ruleset)
    while not game.is_over(state):
        yield state
        state = random_step(state, rng, enters)


# Published numbers


@pytest.mark.parametrize(
    ("name", "options", "expected"),
    [
        ("classic", {"joker": "forced"}, 254.58772873449593),
        ("classic", {"joker": "free"}, 254.58960948196315),
        ("classic", {"joker": "none"}, 253.97024118978018),
        ("classic", {"joker": "none", "extra_five": "none"}, 245.87077451411164),
        ("kniffel-2003", {"extra_five": "any_after_first"}, 254.30807709839337),
        ("kniffel-2003", {"extra_five": "box_has_50"}, 254.14377832435173),
        ("yatzy", {}, 248.4399893778553),
        ("classic", {"order": "down"}, 130.28597194057116),
        ("yatzy", {"order": "down"}, 122.55852739642387),
        ("six-dice", {"order": "down"}, 286.6910291501271),
    ],
)
def test_published_optima(name: str, options: dict[str, OptionValue], expected: float) -> None:
    values = solved(name, **options)
    start = knobel.start(values.ruleset)
    assert values.table.value == pytest.approx(expected, abs=1e-9)
    assert values.value(start) == values.table.value
    assert dict(values.action_values(start)) == {Throw(): pytest.approx(expected, abs=1e-9)}


@pytest.mark.parametrize("joker", ["forced", "free"])
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        *((face, number * 455 / 216) for number, face in enumerate(("ones", "twos", "threes", "fours"), 1)),
        ("fives", 5 * 455 / 216),
        ("sixes", 6 * 455 / 216),
        ("three_kind", 15.1946612930),
        ("four_kind", 5.6112634277),
        ("full_house", 9.1536200338),  # jokers count: the box for them and the upper boxes hold 0
        ("small_straight", 18.4807496894),
        ("large_straight", 10.6127422583),
        ("five_kind", 2.3014321263),
        ("chance", 23.3333333333),
    ],
)
def test_published_values_of_the_last_box(joker: str, name: str, expected: float) -> None:
    values = solved("classic", joker=joker)
    struck = {row.id: 0 for row in values.ruleset.categories if row.id != name}
    sheet = pad.sheet_from_card(values.ruleset, [struck])
    state = replace(knobel.start(values.ruleset), sheets=(sheet,))
    assert values.value(state) == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize(
    ("roll", "action", "expected"),
    [
        ((1, 4, 4, 5, 5), Enter(Box("ones")), 239.628904),
        ((1, 4, 4, 5, 5), Enter(Box("chance")), 238.958318),
        ((4, 4, 4, 5, 6), Enter(Box("fours")), 249.414547),
        ((1, 2, 3, 4, 5), Enter(Box("large_straight")), 261.531406),
        ((5, 5, 5, 6, 6), Enter(Box("full_house")), 253.909195),
        ((1, 3, 3, 5, 6), Throw((3, 3)), 251.405442),
        ((4, 4, 6, 6, 6), Throw((6, 6, 6)), 265.113361),
    ],
)
def test_published_values_of_the_first_turn(roll: tuple[int, ...], action: Action, expected: float) -> None:
    values = solved("classic", joker="forced")
    state = knobel.apply(knobel.start(values.ruleset), Throw(), roll)
    found = dict(values.action_values(state))
    assert found.keys() == set(knobel.legal_actions(state))
    assert found[action] == pytest.approx(expected, abs=5e-7)
    if isinstance(action, Enter):
        assert values.value(knobel.apply(state, action)) == pytest.approx(found[action], abs=1e-12)
    else:
        assert values.value(state) == found[action] == max(found.values())


# The oracle


@pytest.mark.parametrize("name", SOLVABLE)
def test_toys_are_worth_what_the_oracle_says(name: str) -> None:
    """The optimum and all actions along random games, with every number of throws left."""
    ruleset = TOYS[name]
    oracle, values = Reference(ruleset), Values.solve(ruleset)
    assert values.table.value == pytest.approx(oracle.optimum, rel=1e-12, abs=1e-12)
    met: set[int] = set()
    for seed in range(25):
        for state in course(ruleset, Random(seed)):
            expected = oracle.action_values(state)
            found = values.action_values(state)
            assert dict(found) == pytest.approx(expected, rel=1e-12, abs=1e-12)
            assert values.value(state) == pytest.approx(max(expected.values()), rel=1e-12, abs=1e-12)
            if state.turn is not None and state.turn.roll is not None:
                met.add(game.throws_left(state))
        if seed > 1 and met >= set(range(ruleset.throws)):
            break
    assert met >= set(range(ruleset.throws))


def rank_of(pair: tuple[Action, float]) -> tuple[float, int]:
    """Best first; among equals entries first, then whoever keeps more dice."""
    action, value = pair
    return -round(value, 9), -len(action.keep) if isinstance(action, Throw) else -9


def test_equally_good_actions_come_in_a_fixed_order() -> None:
    """Among equals entries come first, in the order of the pad, then whoever keeps more dice."""
    values = Values.solve(TOYS["gates-only-last"])
    n_ties = 0
    for seed in range(10):
        for state in course(values.ruleset, Random(seed)):
            found = values.action_values(state)
            assert list(found) == sorted(found, key=rank_of)
            entries = [action for action, value in found if isinstance(action, Enter) and value == found[0][1]]
            n_ties += len(entries) > 1
            assert entries == sorted(entries, key=lambda action: values.ruleset.box_index[action.box])
    assert n_ties > 0


def test_values_at_the_end_and_of_others() -> None:
    values = solved("yatzy", order="down")
    *_, last = course(values.ruleset, Random(1))
    over = random_step(last, Random(1), 1)
    while not game.is_over(over):
        over = random_step(over, Random(1), 1)
    assert values.value(over) == game.result(over).totals[0]
    assert values.action_values(over) == ()
    with pytest.raises(KnobelError) as caught:
        values.situations([over])
    assert caught.value.reason.key == "game-over"

    five_ones = (1, 1, 1, 1, 1)
    alone, ahead = (after_turn(knobel.start(values.ruleset, n), five_ones, Enter(Box("ones"))) for n in (1, 2))
    assert values.value(ahead, 0) == values.value(alone) > values.table.value + 2
    assert values.value(ahead) == values.value(ahead, 1) == values.table.value
    thrown = knobel.apply(ahead, Throw(), five_ones)
    assert values.action_values(thrown)[0] == (Enter(Box("ones")), values.value(thrown))
    assert values.value(thrown, 1) == values.value(thrown) == pytest.approx(values.value(alone), abs=1e-9)
    assert values.value(thrown, 0) == values.value(alone)


@pytest.mark.parametrize(
    ("name", "options"), [("yatzy", {}), ("classic", {"joker": "none"}), ("classic", {"columns": 3, "order": "down"})]
)
def test_games_of_other_rules_are_refused(name: str, options: dict[str, OptionValue]) -> None:
    values, other = solved("classic", joker="forced"), knobel.start(knobel.load(name, **options))
    for ask in (values.value, values.action_values, lambda state: values.situations([state])):
        with pytest.raises(KnobelError) as caught:
            ask(other)
        assert caught.value.reason.key == "solver-other-rules"


def test_rules_that_differ_in_names_only_share_their_values() -> None:
    values = solved("classic", joker="forced")
    renamed = replace(values.ruleset, id="mine", labels=TOYS["lower"].labels, options=())
    assert values.value(knobel.start(renamed)) == values.table.value


# Entries and indices against the rules


def trimmed(base: str | Path, names: str, **changes: object) -> Ruleset:
    """A ruleset with these categories alone, so that several columns of it fit."""
    raw = to_mapping(knobel.load(base))
    rows = [row for row in raw["categories"] if row["id"] in names.split()]
    return knobel.load(raw | {"categories": rows} | changes)


@cache
def pads() -> dict[str, Ruleset]:
    """Real rulesets, as many as fit."""
    load = knobel.load
    orders = ("column_major", "per_column", "row_major")
    return {
        **{
            f"classic {joker} {when}": load("classic", joker=joker, extra_five=when)
            for joker, when in product(
                ("none", "forced", "free"), ("none", "box_has_50", "any_after_first", "box_filled")
            )
        },
        "2003": load("kniffel-2003"),
        "schmidt": load("kniffel-schmidt"),
        "yatzy": load("yatzy"),
        "yatzy saved": load("yatzy", saved_throws=True),
        "six dice": load("six-dice"),
        "six dice down": load("six-dice", order="down"),
        "six dice plain": load("six-dice", saved_throws=False),
        **{f"triple {scope}": load("classic", columns=3, order="up", order_scope=scope) for scope in orders},
        "triple any once": load(
            "classic", columns=3, order="down", order_scope="per_column", joker="forced", triple_bonus_when="any_50",
            triple_bonus_multiplied=False,
        ),
        "sunday": load(EXAMPLES / "house_rules.toml", straights="generous"),
        "extreme": load(EXAMPLES / "extreme.toml"),
        "yams": trimmed(
            EXAMPLES / "yams.toml", "ones twos sixes plus straight yams", upper={"threshold": 22, "bonus": 30}
        ),
        "two columns": trimmed(
            "classic", "threes sixes three_kind full_house five_kind", joker="forced",
            columns=[{"multiplier": 2}, {"multiplier": 3}], upper={"threshold": 24, "bonus": 35},
            extra_five={"when": "box_has_50", "columns": "any_50"},
        ),
        "zones": trimmed(
            "classic", "sixes three_kind five_kind", upper={"threshold": 18, "bonus": 35}, overthrow="strike_any",
            columns=[{"last_throw": 1, "multiplier": 3}, {"last_throw": 2, "multiplier": 2}, {"last_throw": 3}],
            extra_five={"when": "any_after_first", "multiplied": False},
        ),
    }  # fmt: skip


PADS = tuple(pads())


@cache
def model_of_pad(name: str) -> tuple[Model, tuple[int, ...]]:
    """The model, and how many boxes may be filled so that the layer after an entry is not too large."""
    model = model_of(pads()[name])
    return model, tuple(n for n in range(model.n_layers - 1) if model.size(n + 1) <= MOST_VALUES)


def with_made_up(model: Model, layer: int, values: Array) -> Values:
    """Values with one layer alone; read-only as all layers are, for which the functions are compiled."""
    empty = np.zeros(0)
    values.flags.writeable = False
    return Values(Table(model, tuple(values if n == layer else empty for n in range(model.n_layers)), 0.0, 0.0, 1))


@settings(max_examples=120, deadline=None)
@given(name=st.sampled_from(PADS), seed=st.integers(0, 1 << 32))
def test_entries_bring_and_lead_where_the_rules_say(name: str, seed: int) -> None:
    """Each value of the next layer is made its own index: so the price of an entry tells what it brings and where."""
    ruleset, rng = pads()[name], Random(seed)
    model, layers_that_fit = model_of_pad(name)
    n_filled = rng.choice(layers_that_fit)
    values = with_made_up(model, n_filled + 1, np.arange(model.size(n_filled + 1), dtype=np.float64))
    for state in turn_of(ruleset, rng, n_filled):
        sheet, legal = state.sheets[0], knobel.legal_actions(state)
        prices = values.prices(values.situations([state]))
        expected = np.full(len(ruleset.boxes), np.nan)
        for action in legal:
            if isinstance(action, Enter):
                after = knobel.apply(state, action).sheets[0]
                index = values.index(n_filled + 1, after)
                assert 0 <= index < model.size(n_filled + 1)
                expected[ruleset.box_index[action.box]] = values.settled(after) - values.settled(sheet) + index
        np.testing.assert_array_equal(prices.entries[0], expected)
        assert np.isfinite(prices.keeps[0]).sum() == sum(isinstance(action, Throw) for action in legal)
        if game.throws_left(state) == 1:
            check_last_throw(values, state, rng)


def turn_of(ruleset: Ruleset, rng: Random, n_filled: int) -> Iterator[State]:
    """All states with a roll in the turn that begins with so many filled boxes, of a random game."""
    for state in course(ruleset, rng, rng.choice((0.3, 0.9))):
        found = sum(entry is not None for entry in state.sheets[0].entries)
        if found > n_filled:
            return
        if found == n_filled and state.turn is not None and state.turn.roll is not None:
            yield state


def check_last_throw(values: Values, state: State, rng: Random) -> None:
    """All dice but one stay: the value is the mean of the best entries, each priced for itself."""
    assert state.turn is not None
    assert state.turn.roll is not None
    stay = rng.randrange(len(state.turn.roll))
    throw = Throw(state.turn.roll[:stay] + state.turn.roll[stay + 1 :])
    found = values.prices(values.situations([state])).keeps[0, values.keeps_of(state.turn.roll).index(throw.keep)]
    ends = [knobel.apply(state, throw, (*throw.keep, face)) for face in range(1, 7)]
    best = np.nanmax(values.prices(values.situations(ends)).entries, axis=1)
    assert found == pytest.approx(best.mean(), rel=1e-12)


@pytest.mark.parametrize(
    "name",
    ["classic forced any_after_first", "classic free box_filled", "schmidt", "sunday", "six dice down", "yams",
     "two columns", "zones", "triple column_major", "triple row_major"],
)  # fmt: skip
def test_a_turn_is_worth_the_same_in_a_block_of_totals_and_alone(name: str) -> None:
    """The table was solved for neighbouring totals at once; `prices` gathers each situation for itself."""
    values = Values.solve(pads()[name])
    states = [
        state
        for seed in range(6)
        for state in course(values.ruleset, Random(seed))
        if state.turn is not None and state.turn.roll is None
    ]
    situations = values.situations(states)
    expected = []
    for layer, state in zip(situations.layer.tolist(), states, strict=True):
        expected.append(values.table.layers[layer][values.index(layer, state.sheets[0])])
    prices = values.prices(situations)
    np.testing.assert_allclose(prices.keeps[:, 0], expected, rtol=1e-12, atol=1e-12)
    assert np.isnan(prices.entries).all()
    assert np.isnan(prices.keeps[:, 1:]).all()


def test_many_situations_at_once_are_priced_as_one_by_one() -> None:
    """Of all layers and numbers of throws left, more than fit into one block, bit by bit."""
    values = solved("classic", joker="forced")
    states = [state for seed in range(8) for state in course(values.ruleset, Random(seed))]
    states = Random(0).sample(states, 100)
    prices = values.prices(values.situations(states))
    for number, state in enumerate(states):
        alone = values.prices(values.situations([state]))
        np.testing.assert_array_equal(prices.entries[number], alone.entries[0])
        np.testing.assert_array_equal(prices.keeps[number], alone.keeps[0])
    empty = values.prices(values.situations([]))
    assert empty.entries.shape == (0, 13)


def test_what_cannot_be_thrown_has_no_price() -> None:
    """A throw after which no column would be open is none (RULES 7 A22)."""
    values = Values.solve(TOYS["gates-forbid"])  # two rows; the left column is open after one throw only
    state = knobel.start(values.ruleset)
    for box in (Box("face_6", 1), Box("pair", 1)):
        state = after_turn(state, (1, 2), Enter(box))
    state = knobel.apply(state, Throw(), (1, 2))
    assert knobel.legal_actions(state) == (Enter(Box("face_6")), Enter(Box("pair")))
    assert {action for action, _ in values.action_values(state)} == set(knobel.legal_actions(state))
    assert np.isnan(values.prices(values.situations([state])).keeps).all()


def test_pads_that_no_game_leads_to_have_no_place() -> None:
    down = model_of(knobel.load("yatzy", order="down"))
    hole = pad.sheet_from_card(down.ruleset, [{"twos": 4}])
    saved = model_of(TOYS["saved"])
    rich = Sheet((None, None, None), (1,))
    for model, sheet in ((down, hole), (saved, rich)):
        with pytest.raises(KnobelError) as caught:
            model.place(sheet)
        assert caught.value.reason.key == "solver-no-such-pad"


# Counts


def test_states_of_six_dice() -> None:
    model = model_of(knobel.load("six-dice"))
    assert model.n_states == 1_269_658_211
    assert model.n_values == sum(model.size(layer) for layer in range(model.n_layers)) < model.n_states


def reached(ruleset: Ruleset) -> set[object]:
    """Everything that distinguishes the pads before a turn that some game leads to."""
    most = ruleset.upper.threshold if ruleset.upper else 0
    found: set[object] = set()
    open_states = {knobel.start(ruleset)}
    seen = set(open_states)
    while open_states:
        state = open_states.pop()
        if state.turn is not None and state.turn.roll is None:
            sheet = state.sheets[0]
            totals = [pad.tally_column(ruleset, sheet, column).upper for column in range(len(ruleset.columns))]
            filled = tuple(entry is not None for entry in sheet.entries)
            saved = pad.count(ruleset, sheet, "saved_throws")
            found.add((filled, tuple(min(total, most) for total in totals), flag_of(ruleset, sheet), saved))
        for action in knobel.legal_actions(state):
            after = {knobel.apply(state, action, roll) for roll, _ in knobel.chance_outcomes(state, action)}
            open_states |= after - seen
            seen |= after
    return found


@pytest.mark.parametrize(
    "name",
    ["one-throw", "bonus-open", "bonus-out-of-reach", "fives-box_has_50-joker-free", "upper-five-box_filled",
     "saved-one-die", "columns-all_50-once", "order-per_column-all_50-times"],
)  # fmt: skip
def test_states_of_toys(name: str) -> None:
    assert model_of(TOYS[name]).n_states == len(reached(TOYS[name]))


# Threads, lanes, parts


@cache
def layers_of(name: str) -> dict[int, Array]:
    """Solved on one thread."""
    return dict(layers(model_of(pads().get(name) or TOYS[name]), threads=1))


@pytest.mark.parametrize("threads", [2, 5])
@pytest.mark.parametrize("name", ["2003", "yams", "saved-bonus"])
def test_threads_change_no_bit(name: str, threads: int) -> None:
    found = dict(layers(model_of(pads().get(name) or TOYS[name]), threads=threads))
    assert found.keys() == layers_of(name).keys()
    assert all(found[layer].tobytes() == values.tobytes() for layer, values in layers_of(name).items())


@pytest.mark.parametrize("name", ["2003", "two columns", "six dice down", "gates-strike", "saved-bonus"])
def test_lanes_change_no_bit(name: str) -> None:
    found = dict(layers(model_of(pads().get(name) or TOYS[name]), threads=2, width=4))
    assert found.keys() == layers_of(name).keys()
    assert all(found[layer].tobytes() == values.tobytes() for layer, values in layers_of(name).items())


@pytest.mark.parametrize("amount", [1, 7, 100, 1 << 40])
@pytest.mark.parametrize("name", ["2003", "columns-bonus"])
def test_parts_of_a_layer_make_the_whole(name: str, amount: int) -> None:
    model, expected = model_of(pads().get(name) or TOYS[name]), layers_of(name)
    for layer in (0, 1, model.n_layers // 2, model.n_layers - 2):
        work = work_of(model, layer)
        found, n_units = work.parts(amount), len(work.code)
        assert [unit for first, end in found for unit in range(first, end)] == list(range(n_units))
        assert amount > 1 or len(found) == n_units
        assert amount < 1 << 40 or len(found) == 1
        if amount in (7, 100) and n_units < 200:
            here, done = np.full(model.size(layer), np.nan), []
            for first, end in Random(3).sample(found, len(found)):
                values = here[work.offsets[first] : work.offsets[end]]
                done.append(work.fill(first, end, values, expected[layer + 1]))
            assert here.tobytes() == expected[layer].tobytes()
            assert tuple(map(sum, zip(*done, strict=True))) == (len(here), work.amount)


def test_progress_is_told() -> None:
    model, told = model_of(pads()["2003"]), list[Progress]()
    found = dict(layers(model, threads=2, watch=told.append))
    assert len(told) > model.n_layers
    assert [progress.layer for progress in told] == sorted((progress.layer for progress in told), reverse=True)
    assert {progress.layer for progress in told} == set(range(model.n_layers - 1))
    assert {progress.n_layers for progress in told} == {model.n_layers}
    states, shares = [progress.states for progress in told], [progress.share for progress in told]
    assert (states, shares) == (sorted(set(states)), sorted(set(shares)))
    assert states[-1] == model.n_values - len(found[model.n_layers - 1])
    assert (shares[0] > 0, shares[-1]) == (True, 1)
    last = told[-1]
    assert last.states_per_second == pytest.approx(last.states / last.seconds)
    assert replace(last, seconds=0.0).states_per_second == 0


# Lanes


@compiled
def operate(left: Array, right: Array, out: Array, at: int, lanes: tuple[int, ...]) -> None:
    """The operations side by side, one in each row of `out`, at an offset."""
    one, two, width = load(left, at, lanes), load(right, at, lanes), len(left)
    store(out, at, add(one, two))
    store(out, width + at, multiply(one, two))
    store(out, 2 * width + at, maximum(one, two))
    store(out, 3 * width + at, one)
    store(out, 4 * width + at, splat(right[at], lanes))


@compiled
def pick(array: Array, index: int, out: Array) -> None:
    """One element."""
    out[0] = peek(array, index)


ODD = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.5, 1e-300, 1e-40, 3e38, 1 / 3]


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("width", [1, 3, 8])
def test_lanes_do_what_plain_loops_do(width: int, kind: type[np.floating[np.generic]]) -> None:  # type: ignore[type-var]
    pairs = list(product(ODD, repeat=2))
    pairs += [(0.0, 0.0)] * (-len(pairs) % width)
    for start in range(0, len(pairs), width):
        for at in (0, 1):  # the second is at no border of anything
            size = width + 3
            left, right = np.full(size, 7, kind), np.full(size, 9, kind)
            with np.errstate(all="ignore"):
                left[at : at + width] = [one for one, _ in pairs[start : start + width]]
                right[at : at + width] = [two for _, two in pairs[start : start + width]]
            expected = np.full((5, size), 5, kind)
            for lane in range(at, at + width):
                one, two = left[lane], right[lane]
                with np.errstate(all="ignore"):
                    expected[:, lane] = one + two, one * two, one if one > two else two, one, right[at]
            out = np.full(5 * size, 5, kind)
            operate(left, right, out, at, lanes_of(width))
            found = out.reshape(5, size)
            np.testing.assert_array_equal(found, expected)  # any NaN equals another one
            is_number = ~np.isnan(expected)
            np.testing.assert_array_equal(np.signbit(found[is_number]), np.signbit(expected[is_number]))


@pytest.mark.parametrize("kind", [np.int8, np.int32, np.int64, np.float32, np.float64])
def test_peek(kind: type[np.generic]) -> None:
    array, out = np.arange(10, 34).astype(kind), np.zeros(1)
    for index in (0, 1, 13, 23):
        pick(array, index, out)
        assert out[0] == array[index]
        pick(array.reshape(2, 3, 4), index, out)  # of all axes as one
        assert out[0] == array[index]


# The lattice

WIDTH = 3


def random_values(n_dice: int) -> Array:
    """Whole numbers for every keep and lane; the third lane has rolls that cannot be."""
    lattice = lattice_of(n_dice)
    values = np.random.default_rng(n_dice).integers(-500, 500, (lattice.n_keeps, WIDTH)).astype(np.float64)
    values[lattice.first_roll :: 5, 2] = -np.inf
    return values


def test_numbers_of_keeps() -> None:
    assert [lattice_of(n).n_keeps for n in (1, 5, 6)] == [7, 462, 924]
    assert [lattice_of(n).n_rolls for n in (1, 5, 6)] == [6, 252, 462]
    for n in (1, 2, 5, 6):
        assert lattice_of(n).first_roll == keep_index(n)[rolls(n)[0]]


@pytest.mark.parametrize("n_dice", [1, 2, 3, 5])
def test_means_over_the_dice_that_are_thrown_again(n_dice: int) -> None:
    lattice, values = lattice_of(n_dice), random_values(n_dice)
    found, only = values.flatten(), values.flatten()
    means(found, lattice.steps, lanes_of(WIDTH))
    mean_of_rolls(only, lattice.steps, lanes_of(WIDTH))
    index = keep_index(n_dice)
    expected = values.copy()
    for keep in keeps(n_dice)[: lattice.first_roll]:
        after = [(chance, values[index[roll]]) for roll, chance in outcomes(keep, n_dice)]
        for lane in (0, 1):
            expected[index[keep], lane] = float(sum((p * int(row[lane]) for p, row in after), Fraction(0)))
        expected[index[keep], 2] = sum(float(p) * row[2] for p, row in after)
    np.testing.assert_allclose(found.reshape(-1, WIDTH), expected, rtol=1e-13, atol=1e-12)
    np.testing.assert_allclose(only[:WIDTH], expected[0], rtol=1e-13, atol=1e-12)
    np.testing.assert_array_equal(only[WIDTH:], values.ravel()[WIDTH:])
    assert lattice.steps.chance.tolist() == [float(probability(roll)) for roll in rolls(n_dice)]


@pytest.mark.parametrize("n_dice", [1, 2, 3, 5, 6])
def test_bests_among_the_keeps_within_some_dice(n_dice: int) -> None:
    lattice, values = lattice_of(n_dice), random_values(n_dice)
    found = values.flatten()
    bests(found, lattice.steps, lanes_of(WIDTH))
    every = list(enumerate(keeps(n_dice)))
    within = [[at for at, part in every if len(part) <= len(dice) and contains(dice, part)] for _, dice in every]
    expected = [values[some].max(axis=0) for some in within]
    np.testing.assert_array_equal(found.reshape(-1, WIDTH), expected)
