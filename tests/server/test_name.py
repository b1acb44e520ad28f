import pytest

from knobel.server.name import clean_name
from knobel.table import Refused


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("Ada", "Ada"),
        ("  Ada \t\n  Lovelace  ", "Ada Lovelace"),
        ("A\u200bd\u200ca\ufeff", "Ada"),
        ("\u202eadA\u202c", "adA"),
        ("\u2066Ada\u2069\u200e\u200f\u061c", "Ada"),
        ("A\x00d\x1b[31ma\x07", "Ad[31ma"),
        ("\x1b]52;c;ZXZpbA==\x07Ada", "]52;c;ZXZpbA==Ada"),
        ("Ada\u2028Ben\u2029Cem\x85Dan", "Ada Ben Cem Dan"),
        ("A\ud800da", "Ada"),
        ("Zoe\u0308", "Zoë"),
        ("a" + "\u0301" * 1000, "á" + "\u0301" * 3),
        ("👨\u200d👩\u200d👧 Family", "👨\u200d👩\u200d👧 Family"),
        ("❤\ufe0f\u200d🔥", "❤\ufe0f\u200d🔥"),
        ("A\u200dda\u200d", "Ada"),
        ("🇩🇪", "🇩🇪"),
        ('<script>alert("x")</script>', '<script>alert("x")</script>'),
        ("=1+1", "=1+1"),
        ("Robert'); DROP TABLE", "Robert'); DROP TABLE"),
        ("x" * 50, "x" * 40),
        ("שלום", "שלום"),
    ],
)
def test_a_name_is_shown_without_what_cannot_be_seen(given: str, shown: str) -> None:
    assert clean_name(given) == shown
    assert clean_name(shown) == shown


@pytest.mark.parametrize(
    "given", ["", "   ", "\u200b\u200d\u2060", "\u3164\u2800", "\x00", "\u202e", "\u0301\u0301", "\ud83d"]
)
def test_a_name_of_which_nothing_can_be_seen_is_refused(given: str) -> None:
    with pytest.raises(Refused) as refused:
        clean_name(given)
    assert refused.value.code == "seat/name-empty"
