import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knobel.server.phrase import N_WORDS, WORDS, digest_of, make_phrase


def test_a_phrase_has_at_least_64_bits_of_easy_words() -> None:
    assert len(set(WORDS)) == len(WORDS)
    assert N_WORDS * math.log2(len(WORDS)) >= 71
    assert {len(word) for word in WORDS} == {4}
    for _ in range(200):
        words = make_phrase().split("-")
        assert len(words) == N_WORDS
        assert set(words) <= set(WORDS)
    assert len({make_phrase() for _ in range(1000)}) == 1000


@pytest.mark.parametrize("word", ["kaka", "fuku", "nigo", "pipi", "popo", "puta", "titi", "huri"])
def test_nobody_has_to_write_down_that(word: str) -> None:
    assert word not in WORDS


def test_every_word_can_come_in_every_place(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def last(words: tuple[str, ...]) -> str:
        asked.append(len(words))
        return words[-1]

    monkeypatch.setattr("secrets.choice", last)
    assert make_phrase() == "-".join(WORDS[-1:] * 6)
    assert asked == [len(WORDS)] * 6


@pytest.mark.parametrize(
    "written",
    [
        "zimo paku rola tiba mogu lani",
        "ZIMO-PAKU-ROLA-TIBA-MOGU-LANI",
        "zimopakurolatibamogulani",
        " Zimo,\tPaku;  Rola\u2013Tiba\n Mogu_Lani. ",
        "\uff5aimo paku rola tiba mogu lani",  # full width
        "\u200bzimo paku rola tiba mogu\xadlani",
    ],
)
def test_how_a_phrase_is_written_does_not_matter(written: str) -> None:
    assert digest_of(written) == digest_of("zimo-paku-rola-tiba-mogu-lani")


@pytest.mark.parametrize("other", ["paku-zimo-rola-tiba-mogu-lani", "zimo-paku-rola-tiba-mogu", "", "zimo" * 6])
def test_other_words_are_another_phrase(other: str) -> None:
    assert digest_of(other) != digest_of("zimo-paku-rola-tiba-mogu-lani")


@given(st.text(max_size=200))
def test_whatever_is_typed_has_a_digest(text: str) -> None:
    assert len(digest_of(text)) == 64
