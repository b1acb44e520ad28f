"""The long drill `fair-dice`: six hundred million derived dice pass the tests of honest ones, and a thousand games with
such dice are verified within a minute.

Where the dice of these games lie is worked out here once more, apart from the tray, so that `verify` has a second
opinion to agree with. About five minutes at full size, so there is nothing to resume.
"""

from collections.abc import Iterator
from hashlib import sha256
from itertools import count, islice
from random import Random
from time import monotonic
from typing import Any

import numpy as np

import knobel
from knobel import Record
from knobel.action import Choose, Extra, Spend, Throw
from knobel.dice import FACES
from knobel.fair import BEGINNING, Exchange, commitment_of, faces
from knobel.header import Begin
from knobel.players.chance import Aimless
from knobel.players.policy import Policy
from knobel.players.simple import Greedy
from knobel.record import Event
from knobel.statistic import Counts, Judgement, judged
from knobel.table import first_event
from knobel.verify import verify
from knobel.vocabulary import Ruleset

N_DICE, N_GAMES = 600_000_000, 1_000
LEAST_P = 1e-4
SECONDS = 60.0  # for all games, reading their texts included
_PER_EVENT, _EVENTS = 30, 20_000  # dice taken of an event, events of a table
GAMES: tuple[tuple[str, dict[str, Any], int, type[Policy], Begin], ...] = (
    ("classic", {"joker": "forced"}, 2, Greedy, "random"),
    ("acht-mann", {}, 3, Aimless, "highest_throw"),
    ("yatzy", {}, 2, Greedy, "highest_throw"),
    ("six-dice", {}, 3, Aimless, "random"),
    ("acht-mann", {"samuel_mode": "throw"}, 2, Aimless, "rotate"),
    ("kniffel-2003", {}, 4, Aimless, "seat"),
)


def exchange_of(name: str, n_seats: int = 2, silent: int = 0) -> Exchange:
    """The whole exchange of a table whose secrets come from its name; so many of the last seats gave no share."""
    seed, *shares = (sha256(f"{name} {number}".encode()).digest() for number in range(n_seats + 1))
    commitments = tuple((seat, commitment_of(share)) for seat, share in enumerate(shares))
    shown = tuple((seat, share.hex()) for seat, share in enumerate(shares))[: n_seats - silent]
    return Exchange(name, commitment_of(seed), commitments, shown, seed.hex())


def counts_of(n_dice: int) -> Counts:
    """How often each face, and each after each, comes among so many derived dice."""
    total, left = Counts(), n_dice
    for number in count():
        fair = exchange_of(f"table-{number}")
        assert fair.seed is not None
        seed, shares = bytes.fromhex(fair.seed), [share for _, share in fair.shares]
        events = range(1, min(_EVENTS, -(-left // _PER_EVENT)) + 1)
        thrown = b"".join(bytes(islice(faces(seed, fair.table, shares, event), _PER_EVENT)) for event in events)
        some = np.frombuffer(thrown[:left], np.uint8)
        pairs = np.bincount(len(FACES) * (some[:-1] - 1) + some[1:] - 1, minlength=len(FACES) ** 2)
        own = np.bincount(some, minlength=len(FACES) + 1)
        assert own[0] == 0
        total += Counts(tuple(own[1:].tolist()), tuple(pairs.tolist()))
        left -= len(some)
        if not left:
            return total
    raise AssertionError


def played(
    ruleset: Ruleset, fair: Exchange, begin: Begin, policy: Policy, rng: Random, n_seats: int, most: int = 10_000
) -> Record:
    """A game with derived dice, to its end or so many events; of equal dice any may stay."""
    n_dice = ruleset.dice
    first = first_event(ruleset, n_seats, begin, fair.draw(BEGINNING)).seat
    state = knobel.start(ruleset, n_seats, first)
    lies, stayed = [0] * n_dice, [0] * n_dice
    events: list[Event] = []
    while state.turn is not None and len(events) < most:
        turn, action = state.turn, policy.choose(state, rng)
        dice: tuple[int, ...] | None = None
        if isinstance(action, Throw | Extra):
            draw = fair.draw(len(events) + 1)
            if turn.helpers:
                dice = draw(n_dice)
            else:
                stayed = _kept(lies, action.keep, rng)
                fresh = iter(draw(stayed.count(0)))
                lies = [face or next(fresh) for face in stayed]
                dice = tuple(lies)
        events.append(Event(turn.seat, action, dice or ()))
        state = knobel.apply(state, action, dice)
        if isinstance(action, Choose):
            lies = rng.sample(action.dice, n_dice)
        elif isinstance(action, Spend) and state.turn is not None and state.turn.roll is None:
            lies = list(stayed) if state.turn.keep else [0] * n_dice
        elif not isinstance(action, Throw | Extra | Spend):
            lies = [0] * n_dice
    names = tuple(f"Seat {seat}" for seat in range(n_seats))
    return Record(ruleset, names, first, tuple(events), "provable", begin, fair)


def _kept(lies: list[int], keep: tuple[int, ...], rng: Random) -> list[int]:
    """The dice that stay, at their places; 0 elsewhere."""
    places = list(range(len(lies)))
    rng.shuffle(places)
    stayed = [0] * len(lies)
    for face in keep:
        place = next(place for place in places if lies[place] == face and not stayed[place])
        stayed[place] = face
    return stayed


def games(n: int) -> Iterator[Record]:
    """So many games of every kind in `GAMES`, to their end."""
    for number in range(n):
        name, options, n_seats, kind, begin = GAMES[number % len(GAMES)]
        fair = exchange_of(f"game-{number}", n_seats, silent=number % 5 == 0)
        yield played(knobel.load(name, **options), fair, begin, kind(), Random(number), n_seats)


def figure(scale: float) -> str:
    """Derive, count, test, play and verify; say what was found. The first fault is raised."""
    n_dice, n_games = round(N_DICE * scale), max(len(GAMES), round(N_GAMES * scale))
    start = monotonic()
    judgement = judged(counts_of(n_dice))
    derived = monotonic() - start
    for finding in judgement.findings:
        assert finding.p is not None, finding
        assert finding.p > LEAST_P, finding
    n_throws, seconds = 0, 0.0
    for record in games(n_games):
        text = record.format()
        start = monotonic()
        outcome = verify(Record.parse(text))
        seconds += monotonic() - start
        assert outcome.is_verified, f"{outcome.problems} {outcome.differs} {outcome.reason}\n{text}"
        assert len(outcome.throws) == text.count(" -> ")
        n_throws += len(outcome.throws)
    assert seconds < SECONDS * max(scale, 0.05), f"{n_games} games verified in {seconds:.1f} s"
    return (
        f"{n_dice:,} dice derived in {derived:.0f} s: {_told(judgement)}; "
        f"{n_games:,} games of {len(GAMES)} kinds verified in {seconds:.1f} s, all {n_throws:,} throws derived again"
    )


def _told(judgement: Judgement) -> str:
    return ", ".join(f"{finding.test} {finding.value:.10g} (p {finding.p:.3g})" for finding in judgement.findings)
