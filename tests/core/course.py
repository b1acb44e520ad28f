"""The course of a game a second time, written from the rules document alone (RULES 0, 5 and 7), without knobel.

`Course` knows whose turn it is, what this seat may do, as action texts, and what becomes of it. Pads are `reference`.
"""

from itertools import combinations_with_replacement

from tests.core.reference import Cell, Choices, Dice, Player

JOKERS = ("samuel", "wunder")
LAST = "scrap_or_eight"


def digits(dice: Dice) -> str:
    """Dice in an action text."""
    return "".join(map(str, sorted(dice))) or "-"


def cell_text(cell: Cell) -> str:
    """A cell in an action text."""
    return f"{cell[1]}/{cell[0] + 1}" if cell[0] else cell[1]


class Course:
    """A game of one of the rulesets that the rules document knows."""

    def __init__(self, ruleset: str, chosen: Choices, n_players: int, first: int) -> None:
        self.players = [Player(ruleset, chosen) for _ in range(n_players)]
        self.rules, self.is_acht = self.players[0].rules, ruleset == "acht-mann"
        self.first, self.regular = first, first
        self.queue: list[tuple[int, str]] = []  # special turns to come: seat, and the box or "" for the pick
        self.over, self.closing, self.rounds = False, False, 0
        self._known: set[str] | None = None  # what is legal now
        self._begin(first, "")

    def _begin(self, owner: int, forced: str) -> None:
        self.owner, self.forced, self.picking = owner, forced, False
        self.k, self.extras, self.final = 0, 0, False
        self.roll: Dice | None = None
        self.kept: Dice = ()
        self.helpers: list[int] = []
        self.pool: list[int] = []

    @property
    def seat(self) -> int:
        """Who acts."""
        return self.helpers[0] if self.helpers else self.owner

    @property
    def player(self) -> Player:
        """Whose turn it is."""
        return self.players[self.owner]

    def budget(self) -> int:
        """Counted throws of this turn."""
        if self.forced:
            return int(self.rules["special_throws"])
        return 5 if self.is_acht else self.player.budget()

    def places(self, k: int, extras: int) -> list[Cell]:
        """Free cells of acht-mann's regular columns that are reached after k counted throws (7.2, A12)."""
        is_same = extras > 0 and self.rules["extra_mode"] == "same_column"
        columns = [k - 1] if is_same else range(k - 1, 5)
        return [cell for cell in self.player.free() if cell[0] in columns]

    def _regular(self) -> list[Cell]:
        return [cell for cell in self.player.free() if cell[0] != 5]

    def _finds_place(self, k: int, extras: int) -> bool:
        is_free = bool(self.forced) or not self.is_acht or self.rules["overthrow"] == "strike_any"
        return is_free or bool(self.places(k, extras))

    def _may_throw(self) -> bool:
        return self.k < self.budget() and not self.final and self._finds_place(self.k + 1, self.extras)

    def left(self) -> int:
        """Counted throws that may follow one another."""
        n, k = 0, self.k
        while self._may_throw():
            n, self.k = n + 1, self.k + 1
        self.k = k
        return n

    def _may_use_jokers(self) -> bool:
        return self.is_acht and (not self.forced or bool(self.rules["jokers_in_special"]))

    def _may_extra(self) -> bool:
        if self.final or not self._may_use_jokers() or self.player.spare() is None:
            return False
        most = self.rules["extra_max_per_turn"]
        if most and self.extras >= most:
            return False
        if self.rules["extra_mode"] == "after_fifth" and self.k < self.budget():
            return False
        return self._finds_place(self.k, self.extras + 1)

    def selectable(self) -> list[Cell]:
        """Cells of column six that may be picked (A29)."""
        free = [cell for cell in self.player.free() if cell[0] == 5]
        if self.rules["special_last"] == "any":
            return free if len(free) > 1 else []
        return [cell for cell in free if cell[1] != LAST]

    def entries(self) -> dict[Cell, tuple[int, int]]:
        """Where the dice may be entered, with points and bonus."""
        assert self.roll is not None
        if not self.is_acht:
            return self.player.legal(self.roll)
        if self.forced:
            cells = [(5, self.forced)]
        else:
            cells = self.places(self.k, self.extras)
            if not cells:
                return dict.fromkeys(self._regular(), (0, 0))
        return {cell: self.player.value(cell, self.roll) for cell in cells}

    def is_strike_only(self) -> bool:
        """Whether no reached column has a free cell, so that any must be struck (A22)."""
        return self.is_acht and not self.forced and not self.places(self.k, self.extras)

    def legal(self) -> set[str]:
        """Everything that the acting seat may do."""
        if self._known is None:
            self._known = self._legal()
        return self._known

    def _legal(self) -> set[str]:
        if self.over:
            return set()
        if self.picking:
            return {f"pick {cell_text(cell)}" for cell in self.selectable()}
        if self.helpers:
            return {"keep -"}
        if self.pool:
            fives = combinations_with_replacement((1, 2, 3, 4, 5, 6), 5)
            within = [dice for dice in fives if all(dice.count(face) <= self.pool.count(face) for face in dice)]
            return {f"choose {digits(dice)}" for dice in within}
        if self.roll is None:
            return {f"keep {digits(self.kept)}"}
        result = {f"enter {cell_text(cell)}" for cell in self.entries()}
        n = len(self.roll)
        keeps = {digits(tuple(self.roll[i] for i in range(n) if bits >> i & 1)) for bits in range(2**n - 1)}
        result |= {f"keep {keep}" for keep in keeps} if self._may_throw() else set()
        result |= {f"extra {keep}" for keep in keeps} if self._may_extra() else set()
        if self._may_use_jokers():
            result |= {
                f"spend {joker}" for joker in JOKERS if joker not in self.player.called and self._may_call(joker)
            }
        return result

    def _may_call(self, joker: str) -> bool:
        return joker == "samuel" or (not self.final and bool(self._called_helpers()))

    def _called_helpers(self) -> list[int]:
        n = len(self.players)
        if n == 1:
            return [self.owner] * int(self.rules["solo_helpers"])
        return [(self.owner + step) % n for step in range(1, n)]

    def act(self, action: str, faces: Dice) -> None:
        """Go on by an action that is legal."""
        assert action in self.legal()
        self._known = None
        verb, _, what = action.partition(" ")
        if verb == "keep" and self.helpers:
            self.helpers.pop(0)
            self.pool += faces
        elif verb in ("keep", "extra"):
            self.roll, self.kept = tuple(sorted(faces)), tuple(map(int, what.strip("-")))
            if verb == "extra":
                self.extras += 1
                circle = self.player.spare()
                assert circle is not None
                self.player.crossed[circle] += 1
            else:
                self.k += 1
        elif verb == "choose":
            self.roll, self.pool, self.final = tuple(map(int, what)), [], True
        elif verb == "spend":
            self._spend(what)
        else:
            name, _, column = what.partition("/")
            if verb == "pick":
                self.queue = self._round(name) + self.queue
            else:
                self._enter((int(column or 1) - 1, name))
            self._go_on()

    def _spend(self, joker: str) -> None:
        self.player.called.add(joker)
        if joker == "wunder":
            self.helpers = self._called_helpers()
            self.pool = list(self.roll or ()) if self.rules["wunder_pool"] == "own_and_helpers" else []
        elif self.rules["samuel_mode"] == "turn":
            self._begin(self.owner, self.forced)
        else:
            self.k, self.roll, self.final = self.k - 1, None, False

    def _has_bonus(self, column: int) -> bool:
        upper = self.player.boxes[:6]
        whole = all((column, box) in self.player.cells for box in upper)
        reached = self.player.sums(column)[0] >= self.rules["upper_threshold"]
        return reached and (whole or self.rules["bonus_trigger"] == "sum")

    def _enter(self, cell: Cell) -> None:
        assert self.roll is not None
        had = self.is_acht and self._has_bonus(cell[0])
        self.player.enter(cell, self.roll, self.k, self.is_strike_only())
        counts = not self.forced or bool(self.rules.get("special_bonus_triggers"))
        if self.is_acht and not had and self._has_bonus(cell[0]) and counts and not self.closing:
            self.queue.append((self.owner, ""))

    def _round(self, box: str) -> list[tuple[int, str]]:
        n = len(self.players)
        begins = self.owner if self.rules["special_order"] == "bonus_first" else self.first
        return [((begins + step) % n, box) for step in range(n)]

    def _go_on(self) -> None:
        while self.queue:
            seat, box = self.queue.pop(0)
            self._begin(seat, box)
            if box:
                return
            if self.selectable():
                self.picking, self.rounds = True, self.rounds + 1
                return
        n = len(self.players)
        following = (self.regular + 1) % n
        self._begin(following, "")
        if self._regular():
            self.regular = following
            return
        left = [] if self.closing else [box for column, box in self.player.free() if column == 5]
        seats = [(self.first + step) % n for step in range(n)]
        if self.rules.get("final_order") == "players":
            self.queue = [(seat, box) for seat in seats for box in left]
        else:
            self.queue = [(seat, box) for box in left for seat in seats]
        if not self.queue:
            self.over = True
            return
        self.closing = True
        self._go_on()
