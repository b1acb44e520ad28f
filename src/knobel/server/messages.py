"""The wire types of the game socket: what the browser sends and what it gets (those of the pages: `page_messages`).

Every command carries an id (it counts once, however often it is sent) and the version it was based on.
"""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from knobel.errors import Param
from knobel.header import Begin
from knobel.room import DiceSource, Pace, Phase
from knobel.seat import Absence, Kind, Phrase, What
from knobel.view import RulesetView, View

PROTOCOL = 2

Name = Annotated[str, Field(min_length=1, max_length=40)]
Position = Annotated[int, Field(ge=0, le=7)]
CommandId = Annotated[str, Field(pattern=r"^[!-~]{8,64}$")]  # printable ASCII
Version = Annotated[int, Field(ge=0)]
SeatNumber = Annotated[int, Field(ge=0, le=11)]
Secret = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
SeatSecret = tuple[SeatNumber, Secret]
Roll = Annotated[tuple[Annotated[int, Field(ge=1, le=6)], ...], Field(max_length=8)]


# --- from the browser, on the socket ---


@dataclass(frozen=True, slots=True)
class Hello:
    """First message on a socket; `since` is the last version the client has seen (None: send everything)."""

    protocol: int
    since: Annotated[int, Field(ge=0)] | None = None
    type: Literal["hello"] = "hello"


@dataclass(frozen=True, slots=True)
class Throw:
    """Throw all dice except those at the kept positions; `extra` uses an earned throw. A helper keeps none."""

    keep: tuple[Position, ...]
    extra: bool = False
    faces: Roll | None = None  # of real dice, typed in: those that were thrown, from left to right
    do: Literal["throw"] = "throw"


@dataclass(frozen=True, slots=True)
class Enter:
    """Enter the roll in a box, named as in the action texts."""

    box: Annotated[str, Field(max_length=60)]
    do: Literal["enter"] = "enter"


@dataclass(frozen=True, slots=True)
class Spend:
    """Spend a token, e.g. `samuel` or `wunder`."""

    token: Annotated[str, Field(max_length=40)]
    do: Literal["spend"] = "spend"


@dataclass(frozen=True, slots=True)
class Choose:
    """Choose dice from the pool that helpers have filled, by their places in `Live.pool`, counted through from 0."""

    places: tuple[Annotated[int, Field(ge=0, le=127)], ...]
    do: Literal["choose"] = "choose"


@dataclass(frozen=True, slots=True)
class Pick:
    """Pick the box for which all throw in a special round."""

    box: Annotated[str, Field(max_length=60)]
    do: Literal["pick"] = "pick"


Move = Annotated[Throw | Enter | Spend | Choose | Pick, Field(discriminator="do")]


@dataclass(frozen=True, slots=True)
class Command:
    """A move of the seat on turn."""

    id: CommandId
    version: Version
    seat: SeatNumber
    move: Move
    type: Literal["command"] = "command"


@dataclass(frozen=True, slots=True)
class Sit:
    """Take a free seat, or the name of one's own anew; None: one's own if there is one, else the first free one."""

    name: Name
    seat: SeatNumber | None = None
    do: Literal["sit"] = "sit"


@dataclass(frozen=True, slots=True)
class Rise:
    """Leave one's seats; during the game a computer stands in."""

    do: Literal["rise"] = "rise"


@dataclass(frozen=True, slots=True)
class Add:
    """The host adds a free seat, or a computer's."""

    kind: Kind
    name: Name | None = None  # a computer's
    do: Literal["add"] = "add"


@dataclass(frozen=True, slots=True)
class Remove:
    """The host takes a seat away, with whoever sits there; he cannot sit down again."""

    seat: SeatNumber
    do: Literal["remove"] = "remove"


@dataclass(frozen=True, slots=True)
class HandOver:
    """The host makes the guest of another seat the host."""

    seat: SeatNumber
    do: Literal["hand_over"] = "hand_over"


@dataclass(frozen=True, slots=True)
class Ready:
    """One's own seats are ready; each has sealed its share of the dice: the SHA-256 of 32 random bytes."""

    commitments: Annotated[tuple[SeatSecret, ...], Field(max_length=12)]
    do: Literal["ready"] = "ready"


@dataclass(frozen=True, slots=True)
class Unready:
    """One's own seats are not ready any more."""

    do: Literal["unready"] = "unready"


@dataclass(frozen=True, slots=True)
class Start:
    """The host says that no one else comes: free seats go, and the shares are asked for."""

    do: Literal["start"] = "start"


@dataclass(frozen=True, slots=True)
class Reveal:
    """The shares of one's own seats: the 32 bytes."""

    shares: Annotated[tuple[SeatSecret, ...], Field(max_length=12)]
    do: Literal["reveal"] = "reveal"


@dataclass(frozen=True, slots=True)
class Return:
    """Play oneself again in one's own seats."""

    do: Literal["return"] = "return"


@dataclass(frozen=True, slots=True)
class Say:
    """One of the phrases."""

    phrase: Phrase
    do: Literal["say"] = "say"


@dataclass(frozen=True, slots=True)
class Close:
    """The host gives up a table that has not begun."""

    do: Literal["close"] = "close"


Act = Annotated[
    Sit | Rise | Add | Remove | HandOver | Ready | Unready | Start | Reveal | Return | Say | Close,
    Field(discriminator="do"),
]


@dataclass(frozen=True, slots=True)
class Request:
    """Something about the seats and what is around the game."""

    id: CommandId
    version: Version
    act: Act
    type: Literal["request"] = "request"


@dataclass(frozen=True, slots=True)
class Ping:
    """Is the connection alive? A browser that has heard nothing for a while asks; a dead one may never say so."""

    type: Literal["ping"] = "ping"


ClientMessage = Annotated[Hello | Command | Request | Ping, Field(discriminator="type")]


# --- to the browser, on the socket ---


@dataclass(frozen=True, slots=True)
class Problem:
    """What was wrong: a stable code such as `action/illegal`, and the message key with its parameters."""

    code: str
    key: str
    params: dict[str, Param]


@dataclass(frozen=True, slots=True)
class SeatView:
    """A seat of the table."""

    name: str
    kind: Kind
    guest: str | None  # who holds it; a free seat and a computer's have none
    ready: bool
    stand_in: Absence | None  # why a computer plays for the guest


@dataclass(frozen=True, slots=True)
class FairView:
    """The exchange that the dice come from, as far as it has got; by seat, null where there is nothing."""

    commitment: str  # the server's
    commitments: tuple[str | None, ...]
    shares: tuple[str | None, ...]
    seed: str | None  # shown when the game is over or the table given up


@dataclass(frozen=True, slots=True)
class RoomView:
    """The table around the game."""

    phase: Phase
    host: str  # a guest
    seats: tuple[SeatView, ...]
    fair: FairView
    next: str | None  # the table at which it goes on


@dataclass(frozen=True, slots=True)
class EventView:
    """One stored event of the game or around it.

    `begin`: who starts; `throw`: dice after it; `enter`: what was written; `choose`: the dice; `arrange`: `what`.
    """

    version: int
    kind: Literal[
        "begin", "throw", "enter", "spend", "choose", "pick",
        "open", "arrange", "seal", "reveal", "substitute", "return", "say", "close", "continue",
    ]  # fmt: skip
    seat: int | None  # who acted, or whom it is about
    owner: int | None  # whose turn it was: another one while a helper threw
    dice: tuple[int, ...] = ()  # throw: all dice in tray order; begin: the dice of the seat that won the throw for it
    thrown: tuple[int, ...] = ()  # throw: positions that were thrown
    extra: bool = False  # throw: an earned one
    token: str | None = None
    box: str | None = None
    points: int | None = None
    bonus: int = 0
    name: str | None = None  # arrange: of the seat, before it left
    what: What | None = None  # arrange
    why: Absence | None = None  # substitute
    phrase: Phrase | None = None  # say


@dataclass(frozen=True, slots=True)
class PoolThrow:
    """Dice that one seat has put into the pool."""

    seat: int
    dice: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Live:
    """The part of a table that changes."""

    version: int
    room: RoomView
    dice: tuple[int, ...] | None  # the owner's, in the order of the tray; None before the first throw
    pool: tuple[PoolThrow, ...]  # the owner's dice if they belong to it, then each helper's; empty without helpers
    view: View | None  # None before the game


@dataclass(frozen=True, slots=True)
class TermsView:
    """What is agreed for the table."""

    begin: Begin
    dice: DiceSource
    pace: Pace
    clock: int | None  # seconds that a turn may take
    public: bool


@dataclass(frozen=True, slots=True)
class TableMessage:
    """Everything about a table; sent on joining and whenever missed events are no longer at hand."""

    id: str
    code: str  # to join by
    ruleset: RulesetView
    terms: TermsView
    you: str | None  # the guest of this device
    events: tuple[EventView, ...]  # the latest, oldest first
    live: Live
    protocol: int = PROTOCOL
    type: Literal["table"] = "table"


Change = list[Any] | dict[str, Any]  # `[value]`: that value now; an object: changes of the parts of that name or index


@dataclass(frozen=True, slots=True)
class UpdateMessage:
    """New events, each once and in order, and how they change `live`."""

    events: tuple[EventView, ...]
    version: int
    base: int | None  # the version that is changed; None: whichever
    change: Change
    type: Literal["update"] = "update"


@dataclass(frozen=True, slots=True)
class PresentMessage:
    """Who is there at this moment, and how long the seat on turn still has."""

    seats: tuple[bool, ...]  # whether the guest of each seat is connected; computers are
    watchers: int  # connected without a seat
    seconds: float | None  # until a computer stands in for the seat on turn
    type: Literal["present"] = "present"


@dataclass(frozen=True, slots=True)
class PongMessage:
    """Answer to a ping; whoever has another version has missed something."""

    version: int
    type: Literal["pong"] = "pong"


@dataclass(frozen=True, slots=True)
class ReplyMessage:
    """Answer to a command, sent after the durable commit; a repeated command gets the answer of the first."""

    id: str | None  # None: the message could not be read as a command
    ok: bool
    version: int  # of the table right after the command
    problem: Problem | None = None
    type: Literal["reply"] = "reply"


ServerMessage = Annotated[
    TableMessage | UpdateMessage | PresentMessage | PongMessage | ReplyMessage, Field(discriminator="type")
]
