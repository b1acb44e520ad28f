"""House rulesets with the words of Acht, Mann! in other games: tokens, gates, earned throws, special rounds.

They are played and checked for consistency; what the rules document says of Acht, Mann! itself is in `course`.
"""

from typing import Any


def _labels(name: str) -> dict[str, str]:
    return {"de": name, "en": name}


_SAMUEL = {"id": "again", "labels": _labels("Noch mal"), "effect": "restart", "uses": 2, "restarts": "throw"}
_HELP = {"id": "help", "labels": _labels("Hilfe"), "effect": "helpers", "uses": 3, "solo_helpers": 2}

HOUSES: dict[str, dict[str, Any]] = {
    # two gated columns of the Yatzy pad beside a free one, circles, several tokens, no special column
    "three-gates": {
        "base": "yatzy", "id": "three-gates", "labels": _labels("Drei Tore"),
        "admits": ["upper_bonus", "upper_threshold", "bonus_shown"],
        "columns": [{"last_throw": 1}, {"last_throw": 2, "multiplier": 2}, {"multiplier": 3}],
        "tokens": [_SAMUEL, _HELP],
        "earned_throws": {"categories": ["one_pair"], "minima": [2, 4, 6], "grant": "each", "most_per_turn": 1},
        "no_strike": {"points": 10},
        "options": {"mode": {"field": "earned_throws.mode"}, "overthrow": {"field": "overthrow"}},
    },
    # six dice with a special column in the middle, an easy upper bonus and a few boxes only
    "short-rounds": {
        "base": "six-dice", "id": "short-rounds", "labels": _labels("Kurze Runden"),
        "remove": ["one_pair", "two_pairs", "three_pairs", "castle", "tower", "full_straight", "small_straight"],
        "admits": ["upper_bonus", "bonus_shown", "tiebreak"], "saved_throws": False,
        "upper": {"threshold": 40, "bonus": 9},
        "columns": [{}, {"special": True, "multiplier": 2}, {"last_throw": 2}, {}],
        "tokens": [_HELP],
        "special_rounds": {"throws": 2, "last": "any", "own_bonus": True},
        "earned_throws": {
            "categories": ["three_kind", "four_kind"], "minima": [9, 9, 9, 9], "grant": "either", "mode": "after_fifth",
        },
        "options": {
            "last": {"field": "special_rounds.last"}, "trigger": {"field": "special_rounds.trigger"},
            "begins": {"field": "special_rounds.order"}, "final": {"field": "special_rounds.final_order"},
            "grant": {"field": "earned_throws.grant"}, "rounds": {"field": "special_rounds.tokens"},
        },
    },
    # the classic pad as it is, with saved throws and both kinds of token
    "helpful": {
        "base": "classic", "id": "helpful", "labels": _labels("Hilfreich"), "options": {"joker": "forced"},
        "admits": ["joker", "extra_five"],
        "saved_throws": True, "tokens": [_SAMUEL | {"restarts": "turn"}, _HELP | {"pool": "helpers"}],
        "earned_throws": {"categories": ["three_kind", "chance"], "minima": [20], "grant": "each"},
    },
}  # fmt: skip
