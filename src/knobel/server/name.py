"""Cleans the names of players: nothing invisible, nothing that turns the text round, never empty."""

import unicodedata

from knobel.errors import Reason
from knobel.table import Refused

MAX_LENGTH, MAX_MARKS = 40, 3
_BLANKS = "\u115f\u1160\u2800\u3164\uffa0"  # letters and symbols that show nothing
_JOINER, _EMOJI = "\u200d", ("So", "Sk")


def clean_name(text: str) -> str:
    """The name as everybody sees it. Raises `Refused` if nothing is left of it."""
    kept: list[str] = []
    marks = 0
    for char in unicodedata.normalize("NFC", "".join(map(_seen, text))):
        kind = unicodedata.category(char)
        marks = marks + 1 if kind in ("Mn", "Me") else 0
        joins = char == _JOINER and kept and (unicodedata.category(kept[-1]) in _EMOJI or kept[-1] == "\ufe0f")
        if (kind != "Cf" or joins) and marks <= MAX_MARKS:
            kept.append(char)
    name = " ".join("".join(kept).split())[:MAX_LENGTH].strip().strip(_JOINER)
    if not any(unicodedata.category(char)[0] not in "ZMC" for char in name):
        raise Refused("seat/name-empty", Reason("server-name-empty"))
    return name


def _seen(char: str) -> str:
    """The character; a space for blanks and line ends; nothing for controls, halves of characters and unknown ones."""
    if char in _BLANKS or unicodedata.category(char)[0] == "Z" or char in "\t\n\r\v\f\x85":
        return " "
    return "" if unicodedata.category(char) in ("Cc", "Cs", "Cn", "Co") else char
