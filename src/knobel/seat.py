"""Who sits at a table, before and while it is played, as plain data: seats, what may be asked for, and what happens.

A person's seat is free or held by a guest, whom the server knows by an id. A seat that has sealed its share of the dice
is ready. While a guest is away a computer stands in for him; he may come back at any time.
"""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["person", "computer"]
Absence = Literal["left", "away", "clock"]  # went; lost his connection or sleeps; let the clock run out
Phrase = Literal["hello", "luck", "nice", "wow", "oops", "hurry", "sorry", "thanks", "again", "bye"]
What = Literal["sit", "rename", "rise", "add", "remove", "host", "ready", "unready"]
Shares = tuple[tuple[int, str], ...]  # seats and hex digits: commitments, or the shares themselves


@dataclass(frozen=True, slots=True)
class Seat:
    """A player; names need not differ, a seat is known by its number."""

    name: str
    kind: Kind
    guest: str | None = None  # who holds it; None: a computer's, or free
    sealed: str | None = None  # the commitment to its share of the dice
    stand_in: Absence | None = None  # why a computer plays for the guest

    @property
    def player(self) -> Kind:
        """Who acts for it at this moment."""
        return "person" if self.kind == "person" and self.stand_in is None else "computer"

    @property
    def is_free(self) -> bool:
        """Whether a guest may sit down here."""
        return self.kind == "person" and self.guest is None


# --- what guests ask for ---


@dataclass(frozen=True, slots=True)
class Sit:
    """Take a free seat, or the name of one's own anew; None: one's own if there is one, else the first free one."""

    name: str
    seat: int | None = None


@dataclass(frozen=True, slots=True)
class Rise:
    """Leave one's seats: before the game they become free, during the game a computer stands in."""


@dataclass(frozen=True, slots=True)
class Add:
    """The host adds a seat: a free one, or a computer's with its name."""

    kind: Kind
    name: str = ""


@dataclass(frozen=True, slots=True)
class Remove:
    """The host takes a seat away, with whoever sits there; before the game only."""

    seat: int


@dataclass(frozen=True, slots=True)
class HandOver:
    """The host makes the guest of another seat the host."""

    seat: int


@dataclass(frozen=True, slots=True)
class Ready:
    """One's own seats are ready; each has sealed its share."""

    commitments: Shares


@dataclass(frozen=True, slots=True)
class Unready:
    """One's own seats are not ready any more."""


@dataclass(frozen=True, slots=True)
class Start:
    """The host says that no one else comes: free seats go, and the shares are asked for."""


@dataclass(frozen=True, slots=True)
class Reveal:
    """The shares of one's own seats."""

    shares: Shares


@dataclass(frozen=True, slots=True)
class Return:
    """Play oneself again in one's own seats."""


@dataclass(frozen=True, slots=True)
class Say:
    """One of the phrases."""

    phrase: Phrase


@dataclass(frozen=True, slots=True)
class Close:
    """The host gives up a table that has not begun, or the server one that nobody plays any more."""


# --- what only the server may ask for ---


@dataclass(frozen=True, slots=True)
class Proceed:
    """Begin with the shares that have come."""


@dataclass(frozen=True, slots=True)
class StandIn:
    """Let a computer play for a guest who must act and does not."""

    seat: int
    why: Absence


@dataclass(frozen=True, slots=True)
class Continue:
    """The game goes on at another table."""

    table: str


Act = Sit | Rise | Add | Remove | HandOver | Ready | Unready | Start | Reveal | Return | Say | Close
Service = Proceed | StandIn | Continue | HandOver | Close


# --- what happens ---


@dataclass(frozen=True, slots=True)
class Opened:
    """First event of every table; `commitment` is the server's to its seed."""

    host: str
    seats: tuple[Seat, ...]
    commitment: str
    kind: Literal["open"] = "open"


@dataclass(frozen=True, slots=True)
class Arranged:
    """Seats and host from now on; `what` happened at `seat`."""

    what: What
    seat: int
    host: str
    seats: tuple[Seat, ...]
    kind: Literal["arrange"] = "arrange"


@dataclass(frozen=True, slots=True)
class Sealed:
    """Nobody else may come; each seat of a person owes its share."""

    seats: tuple[Seat, ...]
    kind: Literal["seal"] = "seal"


@dataclass(frozen=True, slots=True)
class Revealed:
    """Shares that have come."""

    shares: Shares
    kind: Literal["reveal"] = "reveal"


@dataclass(frozen=True, slots=True)
class Substituted:
    """From now on a computer plays for this seat."""

    seat: int
    why: Absence
    kind: Literal["substitute"] = "substitute"


@dataclass(frozen=True, slots=True)
class Returned:
    """The guest of this seat plays again."""

    seat: int
    kind: Literal["return"] = "return"


@dataclass(frozen=True, slots=True)
class Said:
    """A phrase."""

    seat: int
    phrase: Phrase
    kind: Literal["say"] = "say"


@dataclass(frozen=True, slots=True)
class Closed:
    """The table is given up."""

    kind: Literal["close"] = "close"


@dataclass(frozen=True, slots=True)
class Continued:
    """The game goes on at another table."""

    table: str
    kind: Literal["continue"] = "continue"


Happening = Opened | Arranged | Sealed | Revealed | Substituted | Returned | Said | Closed | Continued
