"""Provable dice: the published vectors, the very recipe of the document written once more, and exchanges that lie."""

import hashlib
import hmac
import re
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knobel.fair import Exchange, commitment_of, draw_of, faces

DOCUMENT = (Path(__file__).parents[2] / "docs/fairness.md").read_text(encoding="utf-8")
SEED, TABLE = bytes(range(32)), "Kn0bel-example_1"
SHARES = {"A": (b"\x11" * 32).hex(), "B": (b"\xfe" * 32).hex()}
VECTORS = [  # shares, event, the first 40 faces
    ("A, B", 0, "1314626466646243114422612614613224241565"),
    ("A, B", 1, "5115545133233124533635453223626213252533"),
    ("A, B", 2, "2423632263155636416416535666335443242121"),
    ("A, B", 17, "1264315662363445136412242435636631656662"),
    ("A, B", 1000, "3315366365151224415444514314621216212351"),
    ("A", 0, "3113166561263555216334242134553361236362"),
    ("A", 1, "1626452355113534625325524341331462144623"),
    ("A", 2, "6115463315612132653656631662543454133246"),
    ("A", 17, "4426642521423146124214441116116445644534"),
    ("A", 1000, "6443423266235163262511255435534246446351"),
    ("none", 0, "1553225354442654334514235646423331421614"),
    ("none", 1, "4345446111231624633525123263641651523532"),
    ("none", 2, "6462455511231124461465653251444142226412"),
    ("none", 17, "6263434414151546166633315643445426232226"),
    ("none", 1000, "6626414464145251544231514342346343435135"),
]
COMMITMENTS = {
    "seed": "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd",
    "A": "02d449a31fbb267c8f352e9968a79e3e5fc95c1bbeaa502fd6454ebde5a4bedc",
    "B": "cc0670e42d78aa98c7a1334a843925e5a4601a2e947225a6d576e7a110e249a4",
}
EXCHANGE = Exchange(
    TABLE, COMMITMENTS["seed"], ((0, COMMITMENTS["A"]), (2, COMMITMENTS["B"])),
    ((0, SHARES["A"]), (2, SHARES["B"])), SEED.hex(),
)  # fmt: skip


def by_hand(seed: bytes, table: str, shares: list[str], event: int, n: int) -> list[int]:
    """The document's recipe, byte by byte."""
    found: list[int] = []
    index = 0
    while len(found) < n:
        message = table + "|" + "".join(f"{share}|" for share in shares) + f"{event}|{index}"
        block = hmac.new(seed, message.encode("ascii"), hashlib.sha256).digest()
        found += [byte % 6 + 1 for byte in block if byte < 252]
        index += 1
    return found[:n]


@pytest.mark.parametrize(("names", "event", "expected"), VECTORS)
def test_the_vectors(names: str, event: int, expected: str) -> None:
    shares = [SHARES[name] for name in names.split(", ") if name in SHARES]
    assert "".join(map(str, islice(faces(SEED, TABLE, shares, event), 40))) == expected


def test_the_document_has_these_vectors() -> None:
    rows = re.findall(r"^\| ([AB, ]+|none) \| (\d+) \| `([1-6]{40})` \|$", DOCUMENT, re.MULTILINE)
    assert [(names, int(event), text) for names, event, text in rows] == VECTORS
    assert dict(re.findall(r"^\| (seed|A|B) \| `([0-9a-f]{64})` \|$", DOCUMENT, re.MULTILINE)) == COMMITMENTS
    assert [commitment_of(bytes.fromhex(text)) for text in (SEED.hex(), *SHARES.values())] == [*COMMITMENTS.values()]
    assert SEED.hex() in DOCUMENT


@settings(max_examples=200, deadline=None)
@given(
    st.binary(min_size=32, max_size=32),
    st.from_regex(r"[A-Za-z0-9_-]{1,20}", fullmatch=True),
    st.lists(st.binary(min_size=32, max_size=32), max_size=4),
    st.integers(0, 3000),
    st.integers(0, 100),
)
def test_any_stream_is_the_one_of_the_document(
    seed: bytes, table: str, shares: list[bytes], event: int, n: int
) -> None:
    texts = [share.hex() for share in shares]
    assert list(islice(faces(seed, table, texts, event), n)) == by_hand(seed, table, texts, event, n)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 9), max_size=12), st.integers(0, 50))
def test_a_draw_takes_one_stream_piece_by_piece(sizes: list[int], event: int) -> None:
    draw = draw_of(SEED, TABLE, [SHARES["A"]], event)
    drawn = [draw(size) for size in sizes]
    assert list(map(len, drawn)) == sizes
    assert [face for piece in drawn for face in piece] == by_hand(SEED, TABLE, [SHARES["A"]], event, sum(sizes))


def test_everything_in_the_message_counts() -> None:
    def throw(seed: bytes, table: str, shares: list[str], event: int) -> tuple[int, ...]:
        return draw_of(seed, table, shares, event)(40)

    a, b = SHARES.values()
    throws = [
        throw(SEED, TABLE, [a, b], 1), throw(bytes(32), TABLE, [a, b], 1), throw(SEED, "other", [a, b], 1),
        throw(SEED, TABLE, [b, a], 1), throw(SEED, TABLE, [a], 1), throw(SEED, TABLE, [], 1),
        throw(SEED, TABLE, [a, b], 11),
    ]  # fmt: skip
    assert len(set(throws)) == len(throws)


def test_an_exchange_that_fits_has_no_problems() -> None:
    assert EXCHANGE.problems() == ()
    assert replace(EXCHANGE, seed=None).problems() == ()
    assert replace(EXCHANGE, shares=EXCHANGE.shares[1:]).problems() == ()  # a seat that gave none in time
    assert EXCHANGE.draw(17)(40) == tuple(map(int, VECTORS[3][2]))
    with pytest.raises(ValueError, match="seed"):
        replace(EXCHANGE, seed=None).draw(1)


A, B = EXCHANGE.commitments
SHARE_A, SHARE_B = EXCHANGE.shares


@pytest.mark.parametrize(
    ("change", "keys"),
    [
        ({"seed": "00" * 32}, ["fair-wrong-seed"]),
        ({"commitment": "00" * 32}, ["fair-wrong-seed"]),
        ({"shares": (SHARE_A, (2, "11" * 32))}, ["fair-wrong-share"]),
        ({"shares": ((0, SHARE_B[1]), (2, SHARE_A[1]))}, ["fair-wrong-share", "fair-wrong-share"]),
        ({"commitments": (A,)}, ["fair-no-commitment"]),
        ({"commitments": ()}, ["fair-no-commitment", "fair-no-commitment"]),
        ({"shares": (SHARE_A, (1, SHARE_B[1]))}, ["fair-no-commitment"]),
        ({"shares": (SHARE_B, SHARE_A)}, ["fair-seats"]),
        ({"shares": (SHARE_A, SHARE_A)}, ["fair-seats"]),
        ({"commitments": ((-1, A[1]), B)}, ["fair-seats"]),
        ({"commitments": (A, (10**5000, B[1]))}, ["fair-seats"]),
        ({"seed": SEED.hex().upper()}, ["fair-hex"]),
        ({"seed": SEED.hex()[:-1]}, ["fair-hex"]),
        ({"seed": SEED.hex() + "\n"}, ["fair-hex"]),
        ({"seed": ""}, ["fair-hex"]),
        ({"commitment": "x" * 10_000}, ["fair-hex"]),
        ({"commitments": (A, (2, ""))}, ["fair-hex"]),
        ({"shares": (SHARE_A, (2, "²" * 64))}, ["fair-hex"]),
        ({"table": ""}, ["fair-table"]),
        ({"table": "a|b"}, ["fair-table"]),
        ({"table": "a b"}, ["fair-table"]),
        ({"table": "ä"}, ["fair-table"]),
        ({"table": "x" * 101}, ["fair-table"]),
    ],
)
def test_an_exchange_that_lies_is_seen_through(change: dict[str, object], keys: list[str]) -> None:
    problems = replace(EXCHANGE, **change).problems()  # type: ignore[arg-type]
    assert [problem.key for problem in problems] == keys
    assert all(len(str(problem)) < 300 for problem in problems)
