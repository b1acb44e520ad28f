"""knobel: dice-pad games of the Kniffel, Yahtzee and Yatzy family as a library.

>>> import knobel
>>> rules = knobel.load("classic", joker="forced")
>>> knobel.points(rules, (2, 2, 5, 5, 5))["full_house"]
25

Importing this package loads the rules core only: the standard library and nothing else.
"""

from dataclasses import asdict
from typing import Any

from knobel.action import Action, Enter, Throw, parse_action
from knobel.errors import IllegalAction, KnobelError, Reason, RecordError, RulesetError
from knobel.game import Result, State, apply, chance_outcomes, is_over, legal_actions, result, start
from knobel.record import Record
from knobel.ruleset import admitted_options, builtin_ids, digest, load
from knobel.scoring import points
from knobel.view import view_of
from knobel.vocabulary import Box, Ruleset

__version__ = "0.1.0"

__all__ = [
    "Action",
    "Box",
    "Enter",
    "IllegalAction",
    "KnobelError",
    "Reason",
    "Record",
    "RecordError",
    "Result",
    "Ruleset",
    "RulesetError",
    "State",
    "Throw",
    "admitted_options",
    "apply",
    "builtin_ids",
    "chance_outcomes",
    "digest",
    "is_over",
    "legal_actions",
    "load",
    "parse_action",
    "points",
    "result",
    "start",
    "view",
]


def view(state: State, seat: int | None = None) -> dict[str, Any]:
    """What `seat` may see of a game as plain data (None: a watcher); the shape is `knobel.view.View`."""
    return asdict(view_of(state, seat))
