"""All wire types of the server: what the browser sends and what it gets. The TypeScript types are generated from here.

Every command carries an id (it counts once, however often it is sent) and the version it was based on.
"""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from knobel.errors import Param
from knobel.explain.page import RulesPage
from knobel.view import RulesetView, View
from knobel.vocabulary import Labels, OptionValue, Ruleset

PROTOCOL = 1

Name = Annotated[str, Field(min_length=1, max_length=40)]
RulesetName = Annotated[str, Field(max_length=80)]  # an id, or `house:` and the digest of a house ruleset
Position = Annotated[int, Field(ge=0, le=7)]
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

    id: Annotated[str, Field(min_length=8, max_length=64)]
    version: Annotated[int, Field(ge=0)]
    seat: Annotated[int, Field(ge=0)]
    move: Move
    type: Literal["command"] = "command"


ClientMessage = Annotated[Hello | Command, Field(discriminator="type")]


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
    kind: Literal["person", "computer"]


@dataclass(frozen=True, slots=True)
class EventView:
    """One stored event. `begin`: who starts; `throw`: dice after it; `enter`: what was written; `choose`: the dice."""

    version: int
    kind: Literal["begin", "throw", "enter", "spend", "choose", "pick"]
    seat: int  # who acted
    owner: int  # whose turn it was: another one while a helper threw
    dice: tuple[int, ...] = ()  # throw: all dice in tray order; begin: the dice of the seat that won the throw for it
    thrown: tuple[int, ...] = ()  # throw: positions that were thrown
    extra: bool = False  # throw: an earned one
    token: str | None = None
    box: str | None = None
    points: int | None = None
    bonus: int = 0


@dataclass(frozen=True, slots=True)
class PoolThrow:
    """Dice that one seat has put into the pool."""

    seat: int
    dice: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Live:
    """The part of a table that changes."""

    version: int
    dice: tuple[int, ...] | None  # the owner's, in the order of the tray; None before the first throw
    pool: tuple[PoolThrow, ...]  # the owner's dice if they belong to it, then each helper's; empty without helpers
    view: View


@dataclass(frozen=True, slots=True)
class TableMessage:
    """Everything about a table; sent on joining and whenever missed events are no longer at hand."""

    id: str
    ruleset: RulesetView
    seats: tuple[SeatView, ...]
    begin: Literal["seat", "rotate", "random", "highest_throw"]
    events: tuple[EventView, ...]  # the latest, oldest first
    live: Live
    protocol: int = PROTOCOL
    type: Literal["table"] = "table"


@dataclass(frozen=True, slots=True)
class UpdateMessage:
    """New events, each once and in order, and the state after them."""

    events: tuple[EventView, ...]
    live: Live
    type: Literal["update"] = "update"


@dataclass(frozen=True, slots=True)
class ReplyMessage:
    """Answer to a command, sent after the durable commit; a repeated command gets the answer of the first."""

    id: str | None  # None: the message could not be read as a command
    ok: bool
    version: int  # of the table right after the command
    problem: Problem | None = None
    type: Literal["reply"] = "reply"


ServerMessage = Annotated[TableMessage | UpdateMessage | ReplyMessage, Field(discriminator="type")]


# --- pages: /api/... ---


@dataclass(frozen=True, slots=True)
class OptionView:
    """An option that a ruleset admits."""

    name: str
    kind: Literal["choice", "switch", "number", "numbers", "boxes"]  # boxes: a choice of `values` or a list of boxes
    values: tuple[OptionValue, ...]  # the named values; empty where any number will do
    default: OptionValue
    needs: tuple[tuple[str, tuple[OptionValue, ...]], ...]  # usable only while these options have one of these values
    labels: Labels | None = None  # only for options of house rules; the others are in the catalogs


@dataclass(frozen=True, slots=True)
class RulesetOffer:
    """A ruleset to choose and the options it admits."""

    ruleset: RulesetView
    options: tuple[OptionView, ...]


@dataclass(frozen=True, slots=True)
class RulesetOffers:
    """GET /api/rulesets"""

    rulesets: tuple[RulesetOffer, ...]


@dataclass(frozen=True, slots=True)
class RulesetChoice:
    """POST /api/rulesets/compose: check a choice of options; answers `RulesetView`, or 422 with `Refusal`."""

    ruleset: RulesetName
    options: dict[Annotated[str, Field(max_length=40)], OptionValue]


@dataclass(frozen=True, slots=True)
class SeatChoice:
    """A seat at a new table."""

    name: Name
    kind: Literal["person", "computer"]


@dataclass(frozen=True, slots=True)
class NewTable:
    """POST /api/tables: answers `TableLine` with 201, or 422 with `Refusal`."""

    ruleset: RulesetName | None  # None: the rules of the table that it follows; options are empty then
    options: dict[Annotated[str, Field(max_length=40)], OptionValue]
    seats: Annotated[tuple[SeatChoice, ...], Field(min_length=1, max_length=12)]
    begin: Literal["seat", "rotate", "random", "highest_throw"] = "seat"
    follows: Annotated[str, Field(max_length=40)] | None = None  # the table this is a new game of (for `rotate`)


@dataclass(frozen=True, slots=True)
class TableLine:
    """A table in the list of GET /api/tables, latest first."""

    id: str
    ruleset: RulesetView
    seats: tuple[SeatView, ...]
    totals: tuple[int, ...]
    over: bool
    updated: float  # Unix time in seconds


@dataclass(frozen=True, slots=True)
class TableList:
    """GET /api/tables"""

    tables: tuple[TableLine, ...]


@dataclass(frozen=True, slots=True)
class HouseDraft:
    """POST /api/house-rules keeps them: 201 with `HouseRules`; POST /api/house-preview only tries them."""

    rules: Annotated[str, Field(max_length=60_000)] | dict[str, Any]  # the text of a TOML file, or the same as data
    rolls: Annotated[tuple[Roll, ...], Field(max_length=8)] = ()  # to be scored by the preview


@dataclass(frozen=True, slots=True)
class HouseRules:
    """GET /api/house-rules/{digest}: a house ruleset, whole."""

    digest: str  # 64 hex digits; a table is played by `house:` and this
    ruleset: RulesetView
    rules: Ruleset  # every key, defaults filled in
    toml: str


@dataclass(frozen=True, slots=True)
class HousePreview:
    """What a draft is and makes of the rolls that came with it, or why it cannot be played; a draft may be wrong."""

    house: HouseRules | None
    points: tuple[tuple[int, ...] | None, ...] = ()  # for each roll in the order of the rows; None: not so many dice
    problem: Problem | None = None  # with the dotted key of what is wrong as `at`


@dataclass(frozen=True, slots=True)
class HouseLine:
    """A house ruleset in the list of GET /api/house-rules, latest first."""

    digest: str
    ruleset: RulesetView
    created: float  # Unix time in seconds


@dataclass(frozen=True, slots=True)
class HouseList:
    """GET /api/house-rules"""

    rules: tuple[HouseLine, ...]


@dataclass(frozen=True, slots=True)
class RulesAnswer:
    """GET /api/rulesets/{id}/page?option=value: the rules explained; 422 with `Refusal` for what cannot be."""

    ruleset: RulesetView
    standard: RulesetView  # what the page compares it with
    page: RulesPage


@dataclass(frozen=True, slots=True)
class Refusal:
    """Every error of the pages' API."""

    problem: Problem
    ok: Literal[False] = False
