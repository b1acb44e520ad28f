"""Recovery phrases: six words of two syllables, to be written down and typed again; 4,000 words, 71 bits.

The letters sound alike in German and English and are hard to mistake: no c, q, v, x or y, and no e, which English
swallows.
"""

import hashlib
import secrets
import unicodedata
from itertools import product

N_WORDS = 6
_CONSONANTS, _VOWELS = "bdfghjklmnprstwz", "aiou"
_UNWANTED = ("fik", "fuk", "hit", "hur", "kak", "nig", "pip", "pop", "put", "tit")
_ROUNDS = 2_000  # about a millisecond: 11 bits more for whoever has stolen the database
WORDS = tuple(
    word
    for word in map("".join, product(_CONSONANTS, _VOWELS, _CONSONANTS, _VOWELS))
    if not any(part in word for part in _UNWANTED)
)


def make_phrase() -> str:
    """A new phrase, such as `zimo-paku-rola-tiba-mogu-lani`."""
    return "-".join(secrets.choice(WORDS) for _ in range(N_WORDS))


def digest_of(phrase: str) -> str:
    """What is stored of a phrase, however it is written: case, spaces and hyphens do not matter.

    >>> digest_of(" Zimo  PAKU rola–tiba\\nmogu,lani") == digest_of("zimo-paku-rola-tiba-mogu-lani")
    True
    """
    letters = "".join(char for char in unicodedata.normalize("NFKC", phrase).casefold() if char.isalpha())
    return hashlib.pbkdf2_hmac("sha256", letters.encode("utf-8", "replace"), b"knobel recovery", _ROUNDS).hex()
