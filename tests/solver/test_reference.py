"""The oracle against sums by hand, against published values, and against all policies of the smallest games."""

from fractions import Fraction
from functools import cache
from itertools import product
from random import Random
from typing import get_args

import pytest

from knobel import Enter, Ruleset, State, game
from knobel.dice import FACES
from knobel.solver.reference import Reference
from knobel.vocabulary import ExtraFiveWhen, JokerMode, OrderScope, PaidIn, Quantifier
from tests.solver.toys import (
    CHANCE,
    PAIR,
    SIXES,
    SOLVABLE,
    TOYS,
    Raw,
    bonus,
    box,
    columns,
    fives,
    order,
    token,
    toy,
    upper,
)

OTHER = box("other", {"points": "all"})
ANY = box("any", {"points": 5})  # one die is always all alike; this is the box for it
LUCK = box("luck", {"sets": [[1], [2]], "points": 3}, joker=9)
SPECIAL: Raw = {"columns": [{}, {"special": True}], "special_rounds": {"throws": 2}}
GATES: Raw = {"columns": [{"last_throw": 1, "multiplier": 3}, {"last_throw": 2}]}
EARNED: Raw = {"categories": ["chance"], "minima": [4]}


@cache
def optimum(name: str) -> float:
    """Of a toy."""
    return float(Reference(TOYS[name]).optimum)


@pytest.mark.parametrize(
    ("ruleset", "expected"),
    [
        # one box of one die: 7/2 after one throw; then whatever is below what a further throw brings is thrown again
        (toy(1, 1, CHANCE), "7/2"),
        (toy(1, 2, CHANCE), "17/4"),
        (toy(1, 3, CHANCE), "14/3"),
        # each die of an upper box shows its face with 1 - (5/6)^throws
        (toy(2, 3, upper(4)), "91/27"),
        (toy(3, 2, upper(5)), "55/12"),
        # a pair in two throws: 1/6, else one die is thrown again
        (toy(2, 2, PAIR), "11/3"),
        # saved throws: stop on 4 or more, for 14/3 to come; else throw again: 7/2 + 17/4
        (toy(1, 2, CHANCE, OTHER, saved_throws=True), "209/24"),
        (toy(1, 2, CHANCE, OTHER), "17/2"),
        # two columns in free order: from 4 on into the tripled one; in the fixed orders nothing can be chosen
        (toy(1, 1, CHANCE, **columns(1, 3)), "31/2"),
        (toy(1, 1, CHANCE, **columns(1, 3), **order("chance", scope="per_column")), "31/2"),
        (toy(1, 1, CHANCE, **columns(1, 3), **order("chance", scope="column_major")), "14"),
        (toy(1, 1, CHANCE, **columns(1, 3), **order("chance", scope="row_major")), "14"),
        # gates: 4, 5, 6 into the tripled column at once; else the other one now with two throws, and that with one
        (toy(1, 2, CHANCE, **GATES), "133/8"),
        (toy(1, 2, CHANCE, **GATES, overthrow="strike_any"), "133/8"),
        # twice 1/6 of 2 x (6 + 4), for each column has its bonus; out of reach; and from the start
        (toy(1, 1, SIXES, **columns(2, 2), **bonus(6, 4)), "20/3"),
        (toy(1, 1, SIXES, **bonus(7, 4)), "1"),
        (toy(1, 1, SIXES, **bonus(0, 4)), "5"),
        # one die is always all alike: 5 and 3 of 1 and 2, or 5 and then 9 of a joker and 20 for a further five
        (toy(1, 1, ANY, LUCK, **fives("none", "none", "any")), "20/3"),
        (toy(1, 1, ANY, LUCK, **fives("none", "free", "any")), "14"),
        (toy(1, 1, ANY, LUCK, **fives("none", "forced", "any")), "14"),
        (toy(1, 1, ANY, LUCK, **fives("box_has_50", "forced", "any")), "34"),
        (toy(1, 1, ANY, LUCK, **fives("box_filled", "free", "any")), "34"),
        (toy(1, 1, ANY, LUCK, **fives("any_after_first", "free", "any")), "34"),
        (toy(1, 1, ANY, LUCK, **fives("any_after_first", "free", "any", paid_in="matching_upper")), "14"),
        (toy(1, 1, ANY, **fives("box_filled", "none", "any")), "5"),
        # the second roll is a further five: 20 times 3 where one may choose the tripled column for it
        (toy(1, 1, ANY, **columns(3, 1), **fives("any_after_first", "none", "any")), "80"),
        (toy(1, 1, ANY, **columns(3, 1), **fives("any_after_first", "none", "any"), **order("any")), "40"),
        (toy(1, 1, ANY, **columns(3, 1), **fives("any_after_first", "none", "any", multiplied=False)), "40"),
        # paid in the upper box of its face: a first 6 for 6 + 5, or else 5 and 1/6 of 6 + 20
        (toy(1, 1, ANY, SIXES, **fives("box_filled", "none", "any", paid_in="matching_upper")), "173/18"),
        # a restarted turn of one throw is one more throw; helpers' dice beside one's own are the best of two
        (toy(1, 1, CHANCE, **token("restart")), "17/4"),
        (toy(1, 1, CHANCE, **token("restart", uses=2, restarts="throw")), "14/3"),
        (toy(1, 1, CHANCE, **token("helpers", solo_helpers=1)), "161/36"),
        (toy(1, 1, CHANCE, **token("helpers", solo_helpers=1, pool="helpers")), "17/4"),
        (toy(1, 1, CHANCE, **token("helpers")), "7/2"),
        # 4 or more in the chance earn a throw for the turn that follows
        (toy(1, 1, CHANCE, OTHER, earned_throws=EARNED), "59/8"),
        # 1/6 of 6 + 1 + 10
        (toy(1, 1, SIXES, **bonus(6, 1), no_strike={"points": 10}), "17/6"),
        # the reserved box of the special column comes last, with two throws: 7/6 + 7 x 11/36
        (toy(1, 1, SIXES, **bonus(6, 1), **SPECIAL), "119/36"),
    ],
)  # fmt: skip
def test_sums_by_hand(ruleset: Ruleset, expected: str) -> None:
    assert Reference(ruleset, exact=True).optimum == Fraction(expected)
    assert Reference(ruleset).optimum == pytest.approx(float(Fraction(expected)), abs=1e-13)


@pytest.mark.parametrize(
    ("category", "expected"),
    [  # one box left of five dice and three throws, the houses and straights also for a joker
        (box("three", {"groups": [3], "points": "all"}), 15.1946612930),
        (box("house", {"groups": [3, 2], "points": 25}, {"groups": [5], "points": 25}), 9.1536200338),
    ],
)
def test_published_values_of_one_box(category: Raw, expected: float) -> None:
    assert Reference(toy(5, 3, category)).optimum == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize(("factor", "reward"), [(1, 3), (2, 0)])
def test_all_policies_of_one_die_and_two_boxes(factor: int, reward: int) -> None:
    """Chance and sixes, two throws a turn, an upper bonus: each policy of the first turn and of the second."""
    pad = toy(1, 2, CHANCE, SIXES, **bonus(6, reward), **columns(factor))
    points = {"chance": {face: factor * face for face in FACES}}
    points["sixes"] = {face: factor * (6 + reward) * (face == 6) for face in FACES}

    def mean(gains: list[Fraction]) -> Fraction:
        return sum(gains, Fraction(0)) / 6

    def best_alone(name: str) -> Fraction:  # whether to throw again, for every face that lies there
        last = mean([Fraction(points[name][face]) for face in FACES])
        plans = product((False, True), repeat=6)
        return max(
            mean([last if again else Fraction(points[name][face]) for face, again in zip(FACES, plan, strict=True)])
            for plan in plans
        )

    later = {"chance": best_alone("sixes"), "sixes": best_alone("chance")}

    def gain(name: str, face: int) -> Fraction:
        return points[name][face] + later[name]

    lasts = [
        mean([gain(name, face) for face, name in zip(FACES, plan, strict=True)]) for plan in product(points, repeat=6)
    ]
    best = max(
        mean([last if name == "again" else gain(name, face) for face, name in zip(FACES, plan, strict=True)])
        for last in set(lasts)
        for plan in product((*points, "again"), repeat=6)
    )
    assert Reference(pad, exact=True).optimum == best


@pytest.mark.parametrize("name", ["fives-box_filled-joker-forced", "saved-order", "token-throw", "special-bottom"])
def test_values_agree_with_each_other_all_through_a_game(name: str) -> None:
    """The value is the best action's, and the mean of a throw is the mean of the values after it."""
    oracle, rng, state = Reference(TOYS[name], exact=True), Random(7), game.start(TOYS[name])
    while not game.is_over(state):
        values = oracle.action_values(state)
        assert tuple(values) == game.legal_actions(state)
        assert oracle.value(state) == max(values.values())
        for action, value in values.items():
            after = [(chance, game.apply(state, action, roll)) for roll, chance in game.chance_outcomes(state, action)]
            assert value == sum(chance * oracle.value(end) for chance, end in after)
        action = rng.choice(list(values))
        outcomes = game.chance_outcomes(state, action)
        roll = rng.choices([roll for roll, _ in outcomes], [float(chance) for _, chance in outcomes])[0]
        state = game.apply(state, action, roll)
    assert oracle.action_values(state) == {}
    assert oracle.value(state) == game.result(state).totals[0]


@pytest.mark.parametrize(
    "name", ["saved-one-throw", "joker-forced-strike", "gates-three-strike", "order-row_major-joker"]
)
def test_floats_are_as_good_as_fractions(name: str) -> None:
    exact = Reference(TOYS[name], exact=True).optimum
    assert isinstance(exact, Fraction)
    assert Reference(TOYS[name]).optimum == pytest.approx(float(exact), abs=1e-13)


def test_the_value_of_a_played_policy_lies_below_the_optimum() -> None:
    """Always to enter at once, in the first free box, is a policy; its mean comes from a walk of its own."""
    ruleset = TOYS["saved-three-throws"]

    def mean(state: State) -> Fraction:
        if state.turn is None:
            return Fraction(game.result(state).totals[0])
        if state.turn.roll is None:
            (throw,) = game.legal_actions(state)
            after = ((chance, game.apply(state, throw, roll)) for roll, chance in game.chance_outcomes(state, throw))
            return sum((chance * mean(end) for chance, end in after), Fraction(0))
        return mean(game.apply(state, next(a for a in game.legal_actions(state) if isinstance(a, Enter))))

    assert 0 < mean(game.start(ruleset)) < Reference(ruleset).optimum


@pytest.mark.parametrize(
    ("worse", "better"),
    [  # each pair differs in one rule or two, which must be worth something
        ("two-throws", "four-throws"),
        ("two-throws", "saved"),
        ("saved-one-throw", "token-turn"),
        ("token-turn", "token-throw"),
        ("earned-both", "earned-either"),
        ("earned-either", "earned-each"),
        ("fives-none-joker-none", "fives-none-joker-forced"),
        ("fives-none-joker-forced", "fives-none-joker-free"),
        ("fives-none-joker-none", "fives-box_has_50-joker-none"),
        ("fives-box_has_50-joker-none", "fives-any_after_first-joker-none"),
        ("fives-any_after_first-joker-none", "fives-box_filled-joker-none"),
        ("columns-all_50-once", "columns-all_50-times"),
        ("columns-all_50-times", "columns-any_50-times"),
        ("order-column_major-joker", "order-per_column-joker"),
        ("order-row_major-joker", "order-per_column-joker"),
    ],
)
def test_what_a_rule_is_worth(worse: str, better: str) -> None:
    assert optimum(worse) + 0.01 < optimum(better)


def test_bonuses_that_make_no_difference_to_play() -> None:
    zero, worthless, far = (optimum(f"bonus-{name}") for name in ("zero", "worthless", "out-of-reach"))
    assert zero == pytest.approx(worthless + 10, abs=1e-12)
    assert far == pytest.approx(worthless, abs=1e-12)


def test_the_oracle_refuses_company() -> None:
    ruleset = TOYS["one-box"]
    with pytest.raises(ValueError, match="one seat"):
        Reference(ruleset).value(game.start(ruleset, 2))


def test_a_toy_for_every_word() -> None:
    """A new word of the vocabulary needs a toy."""
    toys = [TOYS[name] for name in SOLVABLE]
    extras = {(ruleset.extra_five.when, ruleset.extra_five.paid_in, ruleset.joker) for ruleset in toys}
    whens, paid, jokers = get_args(ExtraFiveWhen), get_args(PaidIn), get_args(JokerMode)
    assert extras >= {word for word in product(whens, paid, jokers) if word[:2] != ("none", "matching_upper")}
    for quantifier, multiplied, scope in product(get_args(Quantifier), (True, False), get_args(OrderScope)):
        ordered = [ruleset for ruleset in toys if ruleset.order and ruleset.order_scope == scope and ruleset.upper]
        assert any((r.extra_five.columns, r.extra_five.multiplied) == (quantifier, multiplied) for r in ordered)
    assert {ruleset.throws for ruleset in toys} == {1, 2, 3, 4}
    assert {ruleset.overthrow for ruleset in toys if ruleset.is_gated} == {"forbid", "strike_any"}
    others = [ruleset for name, ruleset in TOYS.items() if name not in SOLVABLE]
    assert {token.effect for ruleset in others for token in ruleset.tokens} == {"restart", "helpers"}
    for field in ("earned_throws", "special_rounds", "no_strike"):
        assert any(getattr(ruleset, field) for ruleset in others)
