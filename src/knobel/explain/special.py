"""Worked cases of columns by throws, tokens, earned throws and special rounds (RULES 7), answered by the engine."""

from dataclasses import replace

from knobel import game
from knobel import sheet as pad
from knobel import turn as rules
from knobel.action import Enter, Pick
from knobel.errors import Param, Reason
from knobel.explain.page import Scene
from knobel.explain.scene import Demo
from knobel.game import State
from knobel.sheet import Sheet
from knobel.turn import Turn
from knobel.vocabulary import Box, Ruleset, Token

_PLAYERS = 3
_ROLL = (2, 2, 2, 5, 6)


def _turn(throws: int, extras: int = 0, box: Box | None = None) -> Turn:
    return Turn(0, throws=throws, roll=_ROLL, keep=(2, 2), extras=extras, box=box)


def _columns(ruleset: Ruleset, turn: Turn) -> str:
    """The columns that are open to a turn, counted from 1."""
    return ", ".join(str(column + 1) for column in range(len(ruleset.columns)) if rules.is_open(ruleset, turn, column))


def throws_demo(throws: int) -> Demo:
    """The columns that are open after so many throws."""

    def demo(ruleset: Ruleset) -> Scene | None:
        if throws > ruleset.throws or not any(column.last_throw for column in ruleset.columns):
            return None
        open_columns = Reason("rules-shows-columns", {"columns": _columns(ruleset, _turn(throws))})
        return Scene((Reason("rules-given-throws", {"throws": throws}),), (), (open_columns,))

    return demo


THROWS: tuple[Demo, ...] = tuple(throws_demo(throws) for throws in range(1, 6))


def overthrow_demo(ruleset: Ruleset) -> Scene | None:
    """Throws that are left after the fourth, with the last regular column full."""
    regular = [index for index, column in enumerate(ruleset.columns) if column.last_throw == ruleset.throws]
    if not regular or ruleset.throws < 2:
        return None
    full = {row.id: 1 for row in ruleset.categories}
    sheet = pad.sheet_from_card(ruleset, [full if column in regular else {} for column in range(len(ruleset.columns))])
    turn = _turn(ruleset.throws - 1)
    given = (
        Reason("rules-given-throws", {"throws": turn.throws}),
        Reason("rules-given-full-column", {"column": regular[0] + 1}),
    )
    return Scene(given, (), (Reason("rules-shows-left", {"throws": rules.throws_left(ruleset, sheet, turn)}),))


def earned_demo(column: int, *points: int) -> Demo:
    """Extra throws for these points in the boxes that earn them."""

    def demo(ruleset: Ruleset) -> Scene | None:
        rule = ruleset.earned_throws
        if rule is None or len(rule.categories) != len(points) or column >= len(ruleset.columns):
            return None
        sheet = _earning(ruleset, {column: points})
        given = tuple(
            Reason("rules-given-holds", {"box": str(Box(name, column)), "points": value})
            for name, value in zip(rule.categories, points, strict=True)
        )
        return Scene(given, (), (Reason("rules-shows-earned", {"throws": pad.earned(ruleset, sheet, column)}),))

    return demo


def _earning(ruleset: Ruleset, columns: dict[int, tuple[int, ...]]) -> Sheet:
    names = ruleset.earned_throws.categories if ruleset.earned_throws else ()
    cards = [dict(zip(names, columns.get(index, ()), strict=False)) for index in range(len(ruleset.columns))]
    return pad.sheet_from_card(ruleset, cards)


EARNED: tuple[Demo, ...] = (earned_demo(0, 21, 21), earned_demo(0, 22, 20), earned_demo(2, 23, 24))


def extra_demo(throws: int, extras: int) -> Demo:
    """With two earned throws: what is open after extra throws, and whether another one is possible."""

    def demo(ruleset: Ruleset) -> Scene | None:
        rule = ruleset.earned_throws
        if rule is None or len(ruleset.columns) < 2 or throws > ruleset.throws:
            return None
        most = (30,) * len(rule.categories)
        sheet, turn = _earning(ruleset, {0: most, 1: most}), _turn(throws, extras)
        possible = rules.extra_throw(ruleset, sheet, turn) is not None
        given = Reason("rules-given-extras", {"throws": throws, "extras": extras})
        return Scene(
            (given,),
            (),
            (
                Reason("rules-shows-columns", {"columns": _columns(ruleset, turn)}),
                Reason("rules-shows-extra" if possible else "rules-shows-no-extra"),
            ),
        )

    return demo


EXTRA_THROWS: tuple[Demo, ...] = (extra_demo(2, 1), extra_demo(5, 1))


def _token(ruleset: Ruleset, effect: str) -> Token | None:
    return next((token for token in ruleset.tokens if token.effect == effect), None)


def restart_demo(ruleset: Ruleset) -> Scene | None:
    """The turn after a restart."""
    token = _token(ruleset, "restart")
    if token is None:
        return None
    after = rules.after_spending(_turn(3), token, _PLAYERS)
    shows = Reason("rules-shows-next-throw", {"throw": after.throws + 1, "dice": ruleset.dice - len(after.keep)})
    given = (Reason("rules-given-restart", {"token": token.id, "throws": 3, "keep": "2 2"}),)
    return Scene(
        given,
        (),
        (shows, Reason("rules-shows-columns", {"columns": _columns(ruleset, replace(after, throws=after.throws + 1))})),
    )


def helpers_demo(players: int) -> Demo:
    """How many dice there are to choose from."""

    def demo(ruleset: Ruleset) -> Scene | None:
        token = _token(ruleset, "helpers")
        if token is None:
            return None
        turn = _turn(3)
        may = token in rules.tokens_to_spend(ruleset, pad.empty_sheet(ruleset), turn, players)
        after = rules.after_spending(turn, token, players)
        dice = len(after.pool) + ruleset.dice * len(after.helpers)
        given = Reason("rules-given-players", {"players": players})
        shows = (
            Reason("rules-shows-pool", {"dice": dice}) if may else Reason("rules-shows-no-token", {"token": token.id})
        )
        return Scene((given,), (), (shows,))

    return demo


HELPERS: tuple[Demo, ...] = (helpers_demo(4), helpers_demo(1))


def tokens_in_special_demo(ruleset: Ruleset) -> Scene | None:
    """Whether anything may be spent in a special turn."""
    if ruleset.special_column is None or not ruleset.tokens:
        return None
    turn = _turn(1, box=Box(ruleset.categories[0].id, ruleset.special_column))
    spendable = rules.tokens_to_spend(ruleset, pad.empty_sheet(ruleset), turn, _PLAYERS)
    given = Reason("rules-given-special", {"box": ruleset.categories[0].id})
    return Scene((given,), (), (Reason("rules-shows-jokers" if spendable else "rules-shows-no-jokers"),))


def _almost(ruleset: Ruleset, column: int, is_whole: bool, players: int = _PLAYERS) -> tuple[State, Enter, int] | None:
    """A game in which seat 2 is about to reach the upper bonus of a column with its sixes, and the sum before that."""
    faces = ruleset.upper_of_face
    if ruleset.special_rounds is None or ruleset.upper is None or sorted(faces) != [1, 2, 3, 4, 5, 6]:
        return None
    need = ruleset.upper.threshold - 24
    values = {5: 25, 4: 20, 3: 15, 2: 10, 1: 5}
    card: dict[str, int] = {}
    for face, value in values.items():
        if sum(card.values()) < need:
            card[ruleset.categories[faces[face]].id] = value
        elif is_whole:
            card[ruleset.categories[faces[face]].id] = 0
    special = ruleset.special_column == column
    cards = [card if index == column else {} for index in range(len(ruleset.columns))]
    sheet, box = pad.sheet_from_card(ruleset, cards), Box(ruleset.categories[faces[6]].id, column)
    empty, owner = pad.empty_sheet(ruleset), 1 if players > 1 else 0
    sheets = tuple(sheet if seat == owner else empty for seat in range(players))
    turn = Turn(owner, throws=1, roll=(1, 6, 6, 6, 6), box=box if special else None)
    return State(ruleset, sheets, turn, first=0, regular=owner), Enter(box), sum(card.values())


def trigger_demo(column: int | None, is_whole: bool) -> Demo:
    """Whether an entry that reaches the upper bonus interrupts the game; None: in the special column."""

    def demo(ruleset: Ruleset) -> Scene | None:
        place = ruleset.special_column if column is None else column
        case = _almost(ruleset, place, is_whole) if place is not None and ruleset.dice == 5 else None
        if case is None:
            return None
        state, action, before = case
        after = game.apply(state, action)
        picks = after.turn is not None and after.turn.picks
        points: dict[str, Param] = {"sum": before, "points": 24, "box": str(action.box)}
        key = "rules-given-bonus-whole" if is_whole else "rules-given-bonus-open"
        shows = (Reason("rules-shows-round" if picks else "rules-shows-no-round"),)
        return Scene((Reason(key, points),), (1, 6, 6, 6, 6), shows)

    return demo


TRIGGER: tuple[Demo, ...] = (trigger_demo(0, False), trigger_demo(0, True))
OWN_BONUS: tuple[Demo, ...] = (trigger_demo(None, True),)


def round_demo(ruleset: Ruleset) -> Scene | None:
    """Who throws in a special round that seat 2 of three has earned."""
    case = _almost(ruleset, 0, True) if ruleset.dice == 5 else None
    if case is None:
        return None
    state = game.apply(case[0], case[1])
    pick = next((action for action in game.legal_actions(state) if isinstance(action, Pick)), None)
    if pick is None:
        return None
    state = game.apply(state, pick)
    assert state.turn is not None
    seats = [state.turn.owner, *(duty.seat for duty in state.agenda)]
    given = Reason("rules-given-round", {"box": str(pick.box), "players": _PLAYERS, "seat": 2})
    throws = rules.budget(ruleset, state.sheets[0], state.turn)
    return Scene(
        (given,),
        (),
        (
            Reason("rules-shows-seats", {"seats": ", ".join(str(seat + 1) for seat in seats)}),
            Reason("rules-shows-left", {"throws": throws}),
        ),
    )


def last_demo(ruleset: Ruleset) -> Scene | None:
    """What may be picked while two boxes of the special column are free: the top one and the bottom one."""
    column = ruleset.special_column
    if column is None or len(ruleset.categories) < 3:
        return None
    free = (ruleset.categories[0].id, ruleset.categories[-1].id)
    filled = {row.id: 1 for row in ruleset.categories if row.id not in free}
    cards = [filled if index == column else {} for index in range(len(ruleset.columns))]
    picks = rules.selectable(ruleset, pad.sheet_from_card(ruleset, cards))
    given = Reason("rules-given-free-boxes", {"boxes": ", ".join(str(Box(name, column)) for name in free)})
    return Scene((given,), (), (Reason("rules-shows-picks", {"boxes": ", ".join(map(str, picks))}),))


def closing_demo(ruleset: Ruleset) -> Scene | None:
    """Two players, two boxes of the special column left, all else full: who throws for what."""
    column = ruleset.special_column
    if column is None or len(ruleset.categories) < 3:
        return None
    free = (ruleset.categories[0].id, ruleset.categories[-1].id)
    full = {row.id: 0 for row in ruleset.categories}
    part = {name: value for name, value in full.items() if name not in free}
    cards = [part if index == column else full for index in range(len(ruleset.columns))]
    sheet = pad.sheet_from_card(ruleset, cards)
    almost = pad.sheet_from_card(ruleset, [{k: v for k, v in full.items() if k != free[0]}, *cards[1:]])
    turn = Turn(1, throws=1, roll=(2,) * ruleset.dice)
    state = game.apply(State(ruleset, (sheet, almost), turn, regular=1), Enter(Box(free[0])))
    assert state.turn is not None
    duties = [(state.turn.owner, state.turn.box), *((duty.seat, duty.box) for duty in state.agenda)]
    given = Reason("rules-given-closing", {"boxes": ", ".join(str(Box(name, column)) for name in free)})
    shows = tuple(Reason("rules-shows-duty", {"seat": seat + 1, "box": str(box)}) for seat, box in duties)
    return Scene((given,), (), shows)


def no_strike_demo(values: tuple[int, ...], column: int) -> Demo:
    """The settlement of a column with these points from top to bottom."""

    def demo(ruleset: Ruleset) -> Scene | None:
        if ruleset.no_strike is None or len(values) != len(ruleset.categories) or column >= len(ruleset.columns):
            return None
        filled = {row.id: value for row, value in zip(ruleset.categories, values, strict=True)}
        cards = [filled if index == column else {} for index in range(len(ruleset.columns))]
        part = pad.tally_column(ruleset, pad.sheet_from_card(ruleset, cards), column)
        given = Reason("rules-given-column", {"column": column + 1, "values": ", ".join(map(str, values))})
        params = {"bonus": part.bonus, "extra": part.no_strike, "points": part.total}
        return Scene((given,), (), (Reason("rules-shows-column", params),))

    return demo


_GOOD = (3, 6, 9, 12, 15, 18, 23, 21, 50, 30, 35, 40, 25, 20, 18)  # RULES 7.6
NO_STRIKE: tuple[Demo, ...] = (
    no_strike_demo(_GOOD, 0),
    no_strike_demo((2, *_GOOD[1:]), 0),
    no_strike_demo((*_GOOD[:9], 0, *_GOOD[10:]), 0),
    no_strike_demo(_GOOD, 5),
)
