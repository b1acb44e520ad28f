"""Illegal commands (promise 4): whatever is not in the list of legal actions is refused and costs no dice.

In random states of random games, of all rulesets with their options, moves and senders are tried: in every 50th state
every move there is, in the others a few. What is refused and what is taken must be just what the list of legal actions
and the seats say.
"""

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from itertools import combinations, islice, product
from multiprocessing import get_context
from pathlib import Path
from random import Random
from time import monotonic
from typing import Literal

import knobel
from knobel.action import Action, Choose, Enter, Extra, Pick, Spend, Throw
from knobel.errors import KnobelError
from knobel.event import ChooseDice, EnterBox, Move, PickBox, SpendToken, ThrowDice
from knobel.fair import commitment_of
from knobel.room import Command, Room, Terms, evolve, open_room
from knobel.seat import (
    Act,
    Add,
    Close,
    Continue,
    HandOver,
    Opened,
    Proceed,
    Ready,
    Remove,
    Return,
    Reveal,
    Seat,
    Service,
    Sit,
    StandIn,
    Start,
    Unready,
)
from knobel.steward import begun, decide
from knobel.table import Draw, Refused
from knobel.tray import Tray, move_of
from tests.core.playing import paired_choices
from tests.core.reference import Choices
from tests.drills.figure import TIMED, Figure, Progress, hold, share, summed
from tests.drills.inside import inside
from tests.seated import lucky_dice, random_action, random_dice

STATES, STEP, WHOLE = 1_000_000, 500, 50
FEW_MOVES, FEW_OTHERS = 8, 4
MOST_CHOICES, MOST_SENDERS = 60, 80  # of these a random part is tried
PERSONS = (Seat("Ada", "person", "ada"), Seat("Ben", "person", "ben"), Seat("Cem", "person", "ada"))
ROBO = Seat("Robo", "computer")
GUESTS = ("ada", "ben", "eve", "", None)
TOKENS = ("samuel", "wunder", "", "keep", "ADA", "samuel ")
BOXES = ("", "/", "ones/0", "ones/99", "nothing", "Ones", "full_house/-1", "ones/1/1")
SHARE = "00" * 32


@inside
def drill(scale: float, folder: Path) -> Figure:
    """1,000,000 random states, and for each some of the commands that there are, or all."""
    start = monotonic()
    progress = Progress(folder, scale=scale)
    names = [f"{number}" for number in range(share(STATES // STEP, scale if scale >= TIMED else scale / 10))]
    with ProcessPoolExecutor(mp_context=get_context("fork")) as pool:  # they lack the same guards as this one
        made = {name: pool.submit(_step, int(name)) for name in names if not progress.knows(name)}
        steps = [progress.done(name, lambda name=name: made[name].result()) for name in names]  # type: ignore[misc]
    counts = summed(steps)
    hold(counts["legal ones taken"] > 0, "nothing was legal")
    return Figure(
        "random states of all rulesets: each command outside the legal list refused without dice",
        counts,
        {"in s": monotonic() - start},
    )


def _step(number: int) -> dict[str, float]:
    """Some states of some games."""
    rng = Random(number)
    counts = {"states": 0, "of them whole": 0, "illegal commands refused": 0, "legal ones taken": 0, "games": 0}
    while counts["states"] < STEP:
        counts["games"] += 1
        for room in _states(rng):
            if counts["states"] >= STEP:
                break
            if rng.random() < 0.5:  # neighbours are much alike
                continue
            is_whole = rng.random() < 1 / WHOLE
            counts["states"] += 1
            counts["of them whole"] += is_whole
            _try_all(room, rng, counts, is_whole)
    return dict(counts)


def _states(rng: Random) -> Iterator[Room]:
    """The states of a random game, up to its end."""
    name = rng.choice(sorted(knobel.builtin_ids()))
    choices = rng.choice(_choices(name))
    seats = tuple(rng.sample((*PERSONS, ROBO), rng.randint(1, 4)))
    if seats == (ROBO,):
        seats = PERSONS[:1]
    typed = rng.random() < 0.15 and ROBO not in seats
    seed = rng.randbytes(32)
    room = open_room(
        "t", knobel.load(name, **choices), Terms(dice="typed" if typed else "provable"), _opened(seats, seed)
    )
    draw = rng.choice([random_dice, lucky_dice])(rng.getrandbits(32))
    for event in begun(room, lambda _: draw):
        room = evolve(room, event)
    while (acting := room.acting) is not None:
        yield room
        assert room.table is not None
        assert room.table.state.turn is not None
        number = room.table.state.turn.seat
        if rng.random() < 0.02 and acting.player == "person" and not typed:
            command = Command(StandIn(number, "away"), room.version, by="server")
        elif rng.random() < 0.1 and acting.stand_in:
            command = Command(Return(), room.version, guest=acting.guest)
        else:
            move = move_of(random_action(room.table.state, rng), room.table.tray)
            if typed and isinstance(move, ThrowDice):
                move = ThrowDice(move.keep, move.extra, draw(len(room.table.tray.dice) - len(move.keep)))
            command = Command(move, room.version, number, acting.guest, acting.player)
        for event_of_play in decide(room, command, lambda _: draw):
            room = evolve(room, event_of_play)
    yield room


@cache
def _choices(name: str) -> list[Choices]:
    return [{}, *paired_choices(name)]


def _opened(seats: tuple[Seat, ...], seed: bytes) -> Opened:
    return Opened("ada", seats, commitment_of(seed))


def _no_dice(_: Room) -> Draw:
    def draw(n: int) -> tuple[int, ...]:
        raise AssertionError(f"{n} dice were thrown for an illegal command")

    return draw


def _some_dice(_: Room) -> Draw:
    return lambda n: (1,) * n


def _try_all(room: Room, rng: Random, counts: dict[str, int], is_whole: bool) -> None:
    """Every move by the one who may act, then legal moves and other acts by all others; or some of each."""
    assert room.table is not None
    state, tray = room.table.state, room.table.tray
    legal = set(knobel.legal_actions(state)) if state.turn is not None and room.phase == "playing" else set()
    seat = state.turn.seat if state.turn is not None else 0
    holder = room.seats[seat]
    moves = list(_moves(room, rng))
    rng.shuffle(moves)
    for move in moves if is_whole else moves[:FEW_MOVES]:
        _try(
            room,
            Command(move, room.version, seat, holder.guest, holder.player),
            _is_legal(room, move, tray, legal),
            counts,
        )
    possible = tuple(islice((move for move in moves if legal and _is_legal(room, move, tray, legal)), 2))
    tried = possible or (ThrowDice(),)
    versions = (room.version, room.moved, room.moved - 1, room.version + 1, 0, -1, 10**30)
    numbers = (*range(-1, len(room.seats) + 1), None, 10**30)
    for _ in range(MOST_SENDERS if is_whole else FEW_OTHERS):
        by: Literal["person", "computer", "server"] = rng.choice(("person", "computer", "server"))
        command = Command(rng.choice(tried), rng.choice(versions), rng.choice(numbers), rng.choice(GUESTS), by)
        _try(room, command, bool(possible) and _may(room, command, seat), counts)
    acts = _acts(room)
    others = product(acts, GUESTS) if is_whole else ((rng.choice(acts), rng.choice(GUESTS)) for _ in range(FEW_OTHERS))
    for act, guest in others:
        _try_act(room, Command(act, room.version, None, guest), counts)


def _may(room: Room, command: Command, seat: int) -> bool:
    """Whether the sender may act, and has seen what he acts upon."""
    holder = room.seats[seat]
    is_right = command.guest == holder.guest if holder.player == "person" else True
    return (
        command.by == holder.player
        and is_right
        and command.seat == seat
        and room.moved <= command.version <= room.version
    )


def _try(room: Room, command: Command, allowed: bool, counts: dict[str, int]) -> None:
    try:
        events = decide(room, command, _some_dice if allowed else _no_dice)
    except AssertionError as error:
        raise AssertionError(f"{command}: {error}") from None
    except Refused as error:
        hold(not allowed, f"{command} is legal and was refused: {error.code}")
        counts["illegal commands refused"] += 1
    except KnobelError as error:
        raise AssertionError(f"{command}: {type(error).__name__} {error}") from error
    else:
        hold(allowed, f"{command} is illegal in {room.ruleset.id} {room.ruleset.options} and brought {events}")
        counts["legal ones taken"] += 1


def _try_act(room: Room, command: Command, counts: dict[str, int]) -> None:
    try:
        events = decide(room, command, _no_dice)
    except Refused:
        events = ()
    hold(not events, f"{command} brought {events}")
    counts["illegal commands refused"] += 1


def _acts(room: Room) -> tuple[Act | Service, ...]:
    """What nobody may do while a game is played or over: the server's own, and what belongs before the beginning."""
    seats = range(-1, len(room.seats) + 1)
    stand_ins = tuple(StandIn(seat, "away") for seat in seats)
    of_host = tuple(act(seat) for seat in seats for act in (Remove, HandOver))
    secrets = ((0, SHARE),)
    added = (Add("person"), Add("computer", "Robo"))
    return (
        *stand_ins,
        *of_host,
        *added,
        *(Sit("Eve", seat) for seat in (None, 0)),
        *(Proceed(), Continue("x"), Close(), Start(), Ready(secrets), Unready(), Reveal(secrets)),
    )


def _is_legal(room: Room, move: Move, tray: Tray, legal: set[Action]) -> bool:
    match move:
        case ThrowDice():
            faces = _faces(tray.dice, move.keep)
            kind = Extra if move.extra else Throw
            return faces is not None and kind(faces) in legal and _are_typed(room, move, len(tray.dice))
        case EnterBox():
            return any(isinstance(action, Enter) and str(action.box) == move.box for action in legal)
        case PickBox():
            return any(isinstance(action, Pick) and str(action.box) == move.box for action in legal)
        case SpendToken():
            return Spend(move.token) in legal
        case ChooseDice():
            faces = _faces(tray.pooled, move.places)
            return faces is not None and Choose(faces) in legal


def _faces(dice: tuple[int, ...], places: tuple[int, ...]) -> tuple[int, ...] | None:
    """The sorted faces at these places if there is a die at each."""
    if len(set(places)) != len(places) or any(place not in range(len(dice)) or not dice[place] for place in places):
        return None
    return tuple(sorted(dice[place] for place in places))


def _are_typed(room: Room, move: ThrowDice, n_dice: int) -> bool:
    if room.terms.dice == "provable":
        return move.faces is None
    return move.faces is not None and len(move.faces) == n_dice - len(move.keep) and set(move.faces) <= set(range(1, 7))


def _moves(room: Room, rng: Random) -> Iterator[Move]:
    """All moves that there are, legal or not."""
    assert room.table is not None
    tray, n = room.table.tray, room.ruleset.dice
    keeps = [keep for size in range(n + 1) for keep in combinations(range(n), size)]
    for keep in (*keeps, (0, 0), (-1,), (n,), (10**30,)):
        for extra in (False, True):
            yield ThrowDice(keep, extra)
            rest = n - len(keep)
            for faces in (() if rest else (0,), (6,) * rest, (7,) * rest, (1,) * (rest + 1)):
                if room.terms.dice == "typed" or rng.random() < 0.05:
                    yield ThrowDice(keep, extra, tuple(faces))
    for box in (*map(str, room.ruleset.boxes), *BOXES):
        yield EnterBox(box)
        yield PickBox(box)
    for token in {*TOKENS, *(token.id for token in room.ruleset.tokens)}:
        yield SpendToken(token)
    pool = len(tray.pooled)
    chosen = {tuple(sorted(rng.sample(range(pool), n))) for _ in range(MOST_CHOICES)} if pool >= n else set()
    for places in (*sorted(chosen), tuple(range(n)), (), (0,) * n, (-1, *range(n - 1)), tuple(range(pool + 1))):
        yield ChooseDice(places)
