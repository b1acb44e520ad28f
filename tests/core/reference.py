"""The rules a second time, written from the rules document alone: slow and plain, without a line of knobel.

What the engine says is compared with this. Points are hand-written conditions for each pad, a player is a
dictionary of cells, and nothing is read from the ruleset files.
"""

from collections import Counter
from fractions import Fraction
from hashlib import sha256
from typing import Any

Dice = tuple[int, ...]
Cell = tuple[int, str]  # column from 0, box
Choices = dict[str, Any]

UPPER = ("ones", "twos", "threes", "fours", "fives", "sixes")
_CLASSIC = (
    *UPPER,
    *("three_kind", "four_kind", "full_house", "small_straight", "large_straight", "five_kind", "chance"),
)
BOXES: dict[str, tuple[str, ...]] = {
    "classic": _CLASSIC,
    "kniffel-2003": _CLASSIC,
    "kniffel-schmidt": _CLASSIC,
    "yatzy": (
        *UPPER,
        *("one_pair", "two_pairs", "three_kind", "four_kind", "small_straight", "large_straight", "full_house"),
        *("chance", "yatzy"),
    ),
    "six-dice": (
        *UPPER,
        *("one_pair", "two_pairs", "three_pairs", "three_kind", "four_kind", "five_kind"),
        *("small_straight", "large_straight", "full_straight", "full_house", "castle", "tower"),
        *("chance", "six_kind"),
    ),
    "acht-mann": (
        *UPPER,
        *("three_kind", "four_kind", "five_kind", "small_straight", "pothole_straight", "large_straight"),
        *("full_house", "empty_house", "scrap_or_eight"),
    ),
}
N_DICE = {"classic": 5, "kniffel-2003": 5, "kniffel-schmidt": 5, "yatzy": 5, "six-dice": 6, "acht-mann": 5}
JOKER_VALUES = {"full_house": 25, "small_straight": 30, "large_straight": 40}

_ORDER: Choices = {"order": "free", "order_seed": 0}
_TRIPLE: Choices = {"columns": 1, "multipliers": (1, 2, 3), "order_scope": "column_major"}
_COMMON: Choices = {"tiebreak": "shared", "bonus_shown": "at_once"}
_BONUS_63: Choices = {"upper_bonus": 35, "upper_threshold": 63}
# The table of options (RULES 8.4): which ruleset admits which, and the default.
OPTIONS: dict[str, Choices] = {
    "classic": {
        **_COMMON, **_BONUS_63, **_ORDER, **_TRIPLE,
        "joker": "none", "extra_five": "box_has_50", "extra_five_points": 100, "five_equal_full_house": False,
        "saved_throws": False, "triple_bonus_when": "all_50", "triple_bonus_multiplied": True,
    },
    "kniffel-2003": {
        **_COMMON, **_BONUS_63, **_ORDER,
        "bonus_shown": "at_end", "extra_five": "any_after_first", "extra_five_points": 100,
        "five_equal_full_house": True,
    },
    "kniffel-schmidt": {**_COMMON, **_BONUS_63, **_ORDER},
    "yatzy": {
        **_COMMON, **_ORDER, **_TRIPLE,
        "upper_bonus": 50, "upper_threshold": 63,
        "five_equal_full_house": False, "four_equal_two_pairs": False, "saved_throws": False,
    },
    "six-dice": {
        **_COMMON, **_ORDER, **_TRIPLE,
        "upper_bonus": 100, "upper_threshold": 84, "full_straight_points": 21, "saved_throws": True,
    },
    "acht-mann": {
        **_COMMON, **_BONUS_63,
        "extra_five": "none", "extra_five_points": 100, "five_equal_full_house": False,
        "five_kind_points": 50, "pothole_points": 35, "empty_house_points": 20,
        "extra_grant": "both", "extra_minima": (21, 22, 23, 24, 25, 26), "extra_mode": "keeps_column",
        "extra_max_per_turn": 0, "jokers_in_special": True, "samuel_mode": "turn",
        "wunder_pool": "own_and_helpers", "solo_helpers": 0, "overthrow": "forbid",
        "bonus_trigger": "sum", "special_order": "bonus_first", "special_throws": 3,
        "special_bonus_triggers": False, "special_last": "bottom", "final_order": "rows",
        "no_strike_points": 38, "no_strike_columns": "all",
    },
}  # fmt: skip
# What is no option of the ruleset but its rule.
_FIXED: dict[str, Choices] = {
    "kniffel-2003": {"joker": "none"},
    "kniffel-schmidt": {"joker": "forced", "extra_five": "schmidt", "five_equal_full_house": False},
    "yatzy": {"joker": "none", "extra_five": "none"},
    "six-dice": {"joker": "none", "extra_five": "none"},
    "acht-mann": {"joker": "none", "order": "free", "columns": 6, "triple_bonus_when": "any_50"},
}


def settings(ruleset: str, chosen: Choices) -> Choices:
    """Everything that is settled for a game of this ruleset with these options."""
    none: Choices = {"columns": 1, "order_scope": "column_major", "saved_throws": False}
    return {**none, **OPTIONS[ruleset], **_FIXED.get(ruleset, {}), **chosen}


def score(ruleset: str, rules: Choices, box: str, dice: Dice) -> int:
    """Points of the dice in a box: no joker, no bonus, no multiplier."""
    if box in UPPER:
        face = UPPER.index(box) + 1
        return face * list(dice).count(face)
    if box == "chance":
        return sum(dice)
    if ruleset == "yatzy":
        return _yatzy(rules, box, dice)
    if ruleset == "six-dice":
        return _six_dice(rules, box, dice)
    if ruleset == "acht-mann":
        return _acht_mann(rules, box, dice)
    return _classic(rules, box, dice)


def _shape(dice: Dice) -> list[int]:
    return sorted(Counter(dice).values(), reverse=True)


def _shows(dice: Dice, *faces: int) -> bool:
    return all(face in dice for face in faces)


def _with(dice: Dice, n: int) -> list[int]:
    """Numbers that show at least n times, the highest first."""
    return sorted((face for face in range(1, 7) if list(dice).count(face) >= n), reverse=True)


def _classic(rules: Choices, box: str, dice: Dice) -> int:
    shape = _shape(dice)
    if box == "three_kind":
        return sum(dice) if shape[0] >= 3 else 0
    if box == "four_kind":
        return sum(dice) if shape[0] >= 4 else 0
    if box == "full_house":
        return 25 if shape == [3, 2] or (shape == [5] and rules["five_equal_full_house"]) else 0
    if box == "small_straight":
        return 30 if _shows(dice, 1, 2, 3, 4) or _shows(dice, 2, 3, 4, 5) or _shows(dice, 3, 4, 5, 6) else 0
    if box == "large_straight":
        return 40 if _shows(dice, 1, 2, 3, 4, 5) or _shows(dice, 2, 3, 4, 5, 6) else 0
    assert box == "five_kind"
    return 50 if shape == [5] else 0


def _yatzy(rules: Choices, box: str, dice: Dice) -> int:
    shape, pairs = _shape(dice), _with(dice, 2)
    if box == "one_pair":
        return 2 * pairs[0] if pairs else 0
    if box == "two_pairs":
        if len(pairs) == 2:
            return 2 * pairs[0] + 2 * pairs[1]
        return 4 * _with(dice, 4)[0] if _with(dice, 4) and rules["four_equal_two_pairs"] else 0
    if box == "three_kind":
        return 3 * _with(dice, 3)[0] if _with(dice, 3) else 0
    if box == "four_kind":
        return 4 * _with(dice, 4)[0] if _with(dice, 4) else 0
    if box == "small_straight":
        return 15 if _shows(dice, 1, 2, 3, 4, 5) else 0
    if box == "large_straight":
        return 20 if _shows(dice, 2, 3, 4, 5, 6) else 0
    if box == "full_house":
        return sum(dice) if shape == [3, 2] or (shape == [5] and rules["five_equal_full_house"]) else 0
    assert box == "yatzy"
    return 50 if shape == [5] else 0


def _six_dice(rules: Choices, box: str, dice: Dice) -> int:
    shape, pairs = _shape(dice), _with(dice, 2)
    if box == "one_pair":
        return 2 * pairs[0] if pairs else 0
    if box == "two_pairs":
        return 2 * pairs[0] + 2 * pairs[1] if len(pairs) >= 2 else 0
    if box == "three_pairs":
        return sum(dice) if shape == [2, 2, 2] else 0
    if box in ("three_kind", "four_kind", "five_kind"):
        n = {"three_kind": 3, "four_kind": 4, "five_kind": 5}[box]
        return n * _with(dice, n)[0] if _with(dice, n) else 0
    if box == "small_straight":
        return 15 if _shows(dice, 1, 2, 3, 4, 5) else 0
    if box == "large_straight":
        return 20 if _shows(dice, 2, 3, 4, 5, 6) else 0
    if box == "full_straight":
        return int(rules["full_straight_points"]) if shape == [1] * 6 else 0
    if box == "full_house":
        return max((3 * a + 2 * b for a in _with(dice, 3) for b in pairs if a != b), default=0)
    if box == "castle":
        return sum(dice) if shape == [3, 3] else 0
    if box == "tower":
        return sum(dice) if shape == [4, 2] else 0
    assert box == "six_kind"
    return 100 if shape == [6] else 0


def _acht_mann(rules: Choices, box: str, dice: Dice) -> int:
    shape = _shape(dice)
    if box == "five_kind":
        return int(rules["five_kind_points"]) if shape == [5] else 0
    if box == "pothole_straight":
        is_pothole = shape == [1] * 5 and _shows(dice, 1, 6)
        return int(rules["pothole_points"]) if is_pothole else 0
    if box == "empty_house":
        points = rules["empty_house_points"]
        return (sum(dice) if points in ("sum", "all") else int(points)) if shape == [2, 2, 1] else 0
    if box == "scrap_or_eight":
        return 80 if sum(dice) == 8 else sum(dice)
    return _classic(rules, box, dice)


class Player:
    """One pad, kept as a dictionary of cells; every figure is worked out anew when somebody asks."""

    def __init__(self, ruleset: str, chosen: Choices) -> None:
        self.ruleset, self.rules = ruleset, settings(ruleset, chosen)
        self.boxes, self.n_columns = BOXES[ruleset], int(self.rules["columns"])
        triple = self.n_columns == 3
        self.factors: tuple[int, ...] = tuple(self.rules["multipliers"]) if triple else (1,) * self.n_columns
        self.cells: dict[Cell, int] = {}
        self.called: set[str] = set()  # SAMUEL and Würfelwunder
        self.crossed = [0] * self.n_columns  # circles of extra throws
        self.fives, self.saved = 0, 0
        self.tokens = [0] * self.n_columns
        self.extra = 0

    def budget(self) -> int:
        """Throws of the turn that begins."""
        return 3 + self.saved

    def free(self) -> list[Cell]:
        """Free cells, column by column."""
        return [(c, b) for c in range(self.n_columns) for b in self.boxes if (c, b) not in self.cells]

    def _fives_cells(self) -> list[int | None]:
        return [self.cells.get((column, "five_kind")) for column in range(self.n_columns)]

    def _own_free(self, dice: Dice) -> list[Cell]:
        return [cell for cell in self.free() if cell[1] == UPPER[dice[0] - 1]]

    def _is_joker(self, dice: Dice) -> bool:
        return self.rules["joker"] != "none" and len(set(dice)) == 1 and None not in self._fives_cells()

    def value(self, cell: Cell, dice: Dice) -> tuple[int, int]:
        """Points and bonus for a further five of a kind that an entry brings."""
        points = score(self.ruleset, self.rules, cell[1], dice)
        if self._is_joker(dice) and not self._own_free(dice):
            points = JOKER_VALUES.get(cell[1], points)
        return points, self._bonus(cell, dice) or 0

    def _bonus(self, cell: Cell, dice: Dice) -> int | None:
        """None: no further five of a kind; a bonus may be 0 points."""
        when = self.rules["extra_five"]
        if len(set(dice)) > 1 or when == "none":
            return None
        held = self._fives_cells()
        if when == "schmidt":
            return 50 if held[0] is not None and cell[1] == UPPER[dice[0] - 1] else None
        if when == "any_after_first":
            further = self.fives > 0
        else:
            holds = [bool(value) if when == "box_has_50" else value is not None for value in held]  # 50 by default
            enough = any(holds) if self.rules.get("triple_bonus_when") == "any_50" else all(holds)
            further = enough and cell[1] != "five_kind"
        if not further:
            return None
        factor = self.factors[cell[0]] if self.rules.get("triple_bonus_multiplied", True) else 1
        return int(self.rules["extra_five_points"]) * factor

    def order(self) -> tuple[str, ...]:
        """The boxes in the order of entry; empty where the player chooses."""
        order = self.rules["order"]
        if isinstance(order, tuple | list):
            return tuple(order)
        if order == "random":
            seed = self.rules["order_seed"]
            return tuple(sorted(self.boxes, key=lambda box: sha256(f"{seed}:{box}".encode()).hexdigest()))
        lower = tuple(box for box in self.boxes if box not in UPPER)
        orders = {"free": (), "down": self.boxes, "up": self.boxes[::-1], "lower_first": lower + UPPER}
        return orders[order]

    def _places(self, dice: Dice) -> list[Cell]:
        free, order = self.free(), self.order()
        if order:
            columns = range(self.n_columns)
            if self.rules["order_scope"] == "row_major":
                return [next((c, b) for b in order for c in columns if (c, b) in free)]
            firsts = [next(((c, b) for b in order if (c, b) in free), None) for c in columns]
            nexts = [cell for cell in firsts if cell is not None]
            return nexts if self.rules["order_scope"] == "per_column" else nexts[:1]
        if self._is_joker(dice) and self.rules["joker"] == "forced":
            return self._own_free(dice) or [cell for cell in free if cell[1] not in UPPER] or free
        return free

    def legal(self, dice: Dice) -> dict[Cell, tuple[int, int]]:
        """Where the dice may be entered, with points and bonus."""
        return {cell: self.value(cell, dice) for cell in self._places(dice)}

    def enter(self, cell: Cell, dice: Dice, throws: int, is_strike: bool = False) -> None:
        """Enter the dice after so many throws; a strike is a 0 whatever they show."""
        points, bonus = (0, 0) if is_strike else self.legal(dice)[cell]
        self.tokens[cell[0]] += not is_strike and self._bonus(cell, dice) is not None
        self.extra += bonus
        self.fives += len(set(dice)) == 1
        self.cells[cell] = points
        if self.rules["saved_throws"]:
            self.saved += 3 - throws
        assert self.saved >= 0

    def sums(self, column: int) -> tuple[int, int, int]:
        """Upper sum, upper bonus, lower sum of a column."""
        upper = sum(points for (c, box), points in self.cells.items() if c == column and box in UPPER)
        lower = sum(points for (c, box), points in self.cells.items() if c == column and box not in UPPER)
        return upper, self.rules["upper_bonus"] if upper >= self.rules["upper_threshold"] else 0, lower

    def no_strike(self, column: int) -> int:
        """Points for a complete column with upper bonus and without a 0 (RULES 7.6, A32)."""
        if self.ruleset != "acht-mann" or (column == 5 and self.rules["no_strike_columns"] == "regular"):
            return 0
        is_whole = all(self.cells.get((column, box), 0) > 0 for box in self.boxes)
        reached = self.sums(column)[0] >= self.rules["upper_threshold"]
        return int(self.rules["no_strike_points"]) if is_whole and reached else 0

    def circles(self, column: int) -> int:
        """Extra throws that a column has earned, used or not (RULES 7.4, A10, A11)."""
        if self.ruleset != "acht-mann":
            return 0
        least = self.rules["extra_minima"][column]
        cells = [self.cells.get((column, box)) for box in ("three_kind", "four_kind")]
        met = [points is not None and points >= least for points in cells]
        return int({"both": all(met), "either": any(met), "each": sum(met)}[self.rules["extra_grant"]])

    def spare(self) -> int | None:
        """The first column with an extra throw that is not used."""
        return next((c for c in range(self.n_columns) if self.circles(c) > self.crossed[c]), None)

    def total(self) -> int:
        """The settlement of the pad as it stands."""
        parts = (self.factors[c] * (sum(self.sums(c)) + self.no_strike(c)) for c in range(self.n_columns))
        return sum(parts) + self.extra

    def boxes_only(self) -> int:
        """The running total where bonus and tokens are credited in the settlement."""
        return sum(self.factors[c] * (self.sums(c)[0] + self.sums(c)[2]) for c in range(self.n_columns))

    def balance(self, column: int) -> Fraction:
        """Sum over filled upper boxes of (points - par x face), par = threshold / 21."""
        par = Fraction(self.rules["upper_threshold"], 21)
        cells = {face: self.cells.get((column, box)) for face, box in enumerate(UPPER, 1)}
        return sum((points - par * face for face, points in cells.items() if points is not None), Fraction(0))

    def bonus_state(self, column: int) -> str:
        """Whether the upper bonus of a column is reached, open or out of reach."""
        upper, _, _ = self.sums(column)
        n = N_DICE[self.ruleset]
        most = upper + sum(n * f for f, box in enumerate(UPPER, 1) if (column, box) not in self.cells)
        threshold = self.rules["upper_threshold"]
        return "reached" if upper >= threshold else "open" if most >= threshold else "lost"
