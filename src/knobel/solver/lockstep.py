"""Compiled function that plays one turn of many games at once, optimally, with dice that depend on the game alone.

Games that stand in the same state share the work of looking ahead. The dice of a throw follow from a seed, the number
of the game and the number of the throw (SplitMix64 of Steele, Lea and Flood, 2014), so neither the order of the games
nor the number of threads matters.
"""

from typing import NamedTuple

from knobel.solver.compiled import compiled, inlined, int64, uint64
from knobel.solver.decide import Choices, best_keep, is_same, look_ahead, situation_of
from knobel.solver.kernel import BOX, Turns, Workspace, find_moves
from knobel.solver.lattice import Array
from knobel.solver.model import States
from knobel.solver.price import best_entry

_GAMMA, _ONE, _TWO = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
_BITS = 52


class Played(NamedTuple):
    """What the turn has changed, by game."""

    places: Array  # int64: place of the state after it in the next layer
    worth: Array  # float64: multiplied points and what was paid for a further five, added
    points: Array  # (games, boxes) int32: unmultiplied points


@inlined
def mixed(number: int) -> int:
    """A number of 64 bits that looks random."""
    number = uint64(number)
    number = (number ^ (number >> uint64(30))) * uint64(_ONE)
    number = (number ^ (number >> uint64(27))) * uint64(_TWO)
    return number ^ (number >> uint64(31))


@inlined
def throw(turns: Turns, keep: int, n_dice: int, seed: int, game: int, counter: int) -> int:
    """The keep that a throw of `n_dice` dice makes of one: its fraction of 52 bits is read in base six."""
    key = mixed(uint64(seed) + uint64(game + 1) * uint64(_GAMMA))
    fraction = mixed(key + uint64(counter + 1) * uint64(_GAMMA)) >> uint64(64 - _BITS)
    for _ in range(n_dice):
        fraction *= uint64(6)
        keep = int64(turns.steps.more[keep, int64(fraction >> uint64(_BITS))])
        fraction &= uint64((1 << _BITS) - 1)
    return keep


@compiled
def play_turns(
    played: Played,
    turns: Turns,
    after: Array,
    states: States,
    games: Array,
    offset: int,
    seed: int,
    first_throw: int,
    sizes: Array,
    choices: Choices,
    work: Workspace,
    chosen: Array,
    lanes: tuple[int, ...],
) -> None:
    """Play a turn of each of these games; `states` and `games` have one element each, equal states side by side.

    For the dice `offset` is added to the number of a game; `first_throw` is the number of the turn's first throw.
    `sizes` holds the number of dice of each keep; `chosen` is room for a number for each lane.
    """
    width, n_small = len(lanes), len(turns.steps.more)
    n_dice = sizes[len(sizes) - 1]
    start = 0
    while start < len(games):
        end, n_chosen, most_saved = start, 0, 0
        while end < len(games):
            if n_chosen == 0 or not is_same(states, chosen[n_chosen - 1], end):
                if n_chosen == width:
                    break
                chosen[n_chosen] = end
                n_chosen += 1
            most_saved = max(most_saved, states.saved[end])
            end += 1
        look_ahead(choices, work, turns, after, states, chosen, n_chosen, turns.throws - 1 + most_saved, lanes)
        lane = 0
        for number in range(start, end):
            if lane + 1 < n_chosen and number == chosen[lane + 1]:
                lane += 1
            situation = situation_of(states, number)
            if number == start or number == chosen[lane]:
                n_moves = find_moves(work, turns, situation.unit)
            game = games[number]
            left = turns.throws - 1 + situation.saved
            counter = first_throw
            roll = throw(turns, 0, n_dice, seed, offset + game, counter) - n_small
            while left > 0:
                keep = best_keep(choices, work, n_moves, turns, after, situation, roll, left, lane, width)
                if keep < 0:
                    break
                counter, left = counter + 1, left - 1
                roll = throw(turns, keep, n_dice - sizes[keep], seed, offset + game, counter) - n_small
            _, move, outcome = best_entry(work, n_moves, turns, after, situation, roll, left)
            played.places[game] = outcome.place
            played.worth[game] += outcome.worth
            played.points[game, work.moves[move, BOX]] = outcome.points
        start = end
