"""Dice that everybody can check: commit, reveal, derive (docs/fairness.md). Anybody above the rules core may import it.

The server commits to a seed, every person to a share, then the shares are shown: nobody can choose his secret with the
others in view. Every face follows from seed, shares and the number of the event; the seed is shown at the end.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from hmac import digest
from itertools import count, islice

from knobel.errors import Reason
from knobel.schema import shown

SIZE = 32  # bytes of a seed and of a share
MOST_SEATS = 1000  # numbers of seats are below, as in records
BEGINNING = 0  # the number of the event that decides who begins
_LIMIT = 252  # 42 times each face; with the four bytes from here on, faces 1 to 4 would come more often
_DROPPED = bytes(range(_LIMIT, 256))
_FACE_OF_BYTE = bytes(byte % 6 + 1 for byte in range(256))
HEX = re.compile(r"[0-9a-f]{64}")  # of a digest or a secret
_TABLE = re.compile(r"[!-{}~]{1,100}")  # visible ASCII without `|`, which parts the fields of a message


def commitment_of(secret: bytes) -> str:
    """What is shown of a secret before it is shown itself: its SHA-256 in lower-case hex.

    >>> commitment_of(bytes(32))
    '66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925'
    """
    return sha256(secret).hexdigest()


@dataclass(frozen=True, slots=True)
class Exchange:
    """What was shown at a table so that its dice can be checked; commitments, shares and seed are lower-case hex.

    A seat that committed and gave no share in time is in `commitments` only, and adds nothing to the dice.
    """

    table: str  # its id
    commitment: str  # to the seed
    commitments: tuple[tuple[int, str], ...] = ()  # seat and its commitment, in seat order
    shares: tuple[tuple[int, str], ...] = ()  # seat and its share, in seat order
    seed: str | None = None  # None: not shown yet

    def malformed(self) -> Reason | None:
        """What cannot be read: an id, a number of a seat, a text that is no hex. None if all can."""
        texts = [self.commitment, *(text for _, text in (*self.commitments, *self.shares))]
        texts += [] if self.seed is None else [self.seed]
        wrong = next((text for text in texts if not HEX.fullmatch(text)), None)
        if not _TABLE.fullmatch(self.table):
            return Reason("fair-table", {"found": shown(self.table)})
        if wrong is not None:
            return Reason("fair-hex", {"found": shown(wrong)})
        for seats in ([seat for seat, _ in self.commitments], [seat for seat, _ in self.shares]):
            if not all(0 <= seat < MOST_SEATS for seat in seats) or seats != sorted(set(seats)):
                return Reason("fair-seats", {"found": shown(seats)})
        return None

    def problems(self) -> tuple[Reason, ...]:
        """Everything in which it contradicts itself; seats count from 0. Whether the seed is shown is no part of it."""
        malformed = self.malformed()
        if malformed is not None:
            return (malformed,)
        found = []
        if self.seed is not None and commitment_of(bytes.fromhex(self.seed)) != self.commitment:
            found.append(Reason("fair-wrong-seed", {"commitment": self.commitment}))
        committed = dict(self.commitments)
        for seat, share in self.shares:
            if seat not in committed:
                found.append(Reason("fair-no-commitment", {"seat": seat}))
            elif commitment_of(bytes.fromhex(share)) != committed[seat]:
                found.append(Reason("fair-wrong-share", {"seat": seat, "commitment": committed[seat]}))
        return tuple(found)

    def draw(self, event: int) -> Callable[[int], tuple[int, ...]]:
        """The dice of an event, see `draw_of`. Raises `ValueError` while the seed is not shown."""
        if self.seed is None:
            raise ValueError("the seed is not shown yet")
        return draw_of(bytes.fromhex(self.seed), self.table, [share for _, share in self.shares], event)


def faces(seed: bytes, table: str, shares: Sequence[str], event: int) -> Iterator[int]:
    """The faces of an event, without end: 0 decides who begins, k is the k-th event after that.

    `shares` are lower-case hex, in the order of the seats that gave one.
    """
    start = "|".join((table, *shares, str(event)))
    for index in count():
        block = digest(seed, f"{start}|{index}".encode("ascii"), "sha256")
        yield from block.translate(_FACE_OF_BYTE, _DROPPED)


def draw_of(seed: bytes, table: str, shares: Sequence[str], event: int) -> Callable[[int], tuple[int, ...]]:
    """The dice of an event as a table draws them: every call takes the next faces.

    >>> draw = draw_of(bytes(32), "table", [], 1)
    >>> draw(3), draw(2)
    ((5, 5, 5), (3, 6))
    """
    stream = faces(seed, table, shares, event)
    return lambda n: tuple(islice(stream, n))
