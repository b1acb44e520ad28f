"""The wire types of the pages' API, /api/...; with those of `messages` the TypeScript types are generated from here."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from knobel.explain.page import RulesPage
from knobel.header import Begin
from knobel.room import DiceSource, Pace, Phase
from knobel.server.messages import FairView, Problem, Roll, SeatView, TermsView
from knobel.view import RulesetView
from knobel.vocabulary import Labels, OptionValue, Ruleset

RulesetName = Annotated[str, Field(max_length=80)]  # an id, or `house:` and the digest of a house ruleset


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
    """A seat at a new table: one's own, a computer's, or one that is free for others."""

    name: Annotated[str, Field(max_length=40)]  # not empty but for a free one
    kind: Literal["person", "computer", "free"]


@dataclass(frozen=True, slots=True)
class NewTable:
    """POST /api/tables: answers `TableLine` with 201, or 422 with `Refusal`."""

    ruleset: RulesetName | None  # None: the rules of the table that it follows; options are empty then
    options: dict[Annotated[str, Field(max_length=40)], OptionValue]
    seats: Annotated[tuple[SeatChoice, ...], Field(min_length=1, max_length=12)]
    begin: Begin = "seat"
    dice: DiceSource = "provable"
    pace: Pace = "live"
    clock: Annotated[int, Field(ge=10, le=2_592_000)] | None = None  # seconds for a turn
    public: bool = False
    start: bool = False  # begin at once, without free seats and shares of the dice
    follows: Annotated[str, Field(max_length=40)] | None = None  # the table this is a new game of (for `rotate`)


@dataclass(frozen=True, slots=True)
class TableLine:
    """A table in a list."""

    id: str
    ruleset: RulesetView
    terms: TermsView
    phase: Phase
    seats: tuple[SeatView, ...]
    totals: tuple[int, ...]
    acting: int | None  # the seat that must act
    over: bool
    updated: float  # Unix time in seconds


@dataclass(frozen=True, slots=True)
class TableList:
    """GET /api/tables: one's own, GET /api/lobby: open ones that anybody may join; latest first."""

    tables: tuple[TableLine, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """GET /api/codes/{code}: the table with this code."""

    id: str


@dataclass(frozen=True, slots=True)
class FairThrow:
    """The dice of one event, from the server's or from real dice."""

    event: int  # its number in the derivation; 0 is the beginning
    seat: int
    faces: tuple[int, ...]  # that were thrown, in the order of their places


@dataclass(frozen=True, slots=True)
class FairPage:
    """GET /api/tables/{id}/dice: all that is needed to derive every throw again; the seed is there at the end."""

    table: str
    dice: DiceSource
    begin: Begin
    first: int | None  # the seat that began
    seats: tuple[SeatView, ...]
    fair: FairView
    throws: tuple[FairThrow, ...]  # at the beginning those that decided who begins, one after another


@dataclass(frozen=True, slots=True)
class ResultsLine:
    """What a guest has reached with one ruleset; games in which a computer stood in for him are counted apart."""

    ruleset: RulesetView
    games: int
    wins: int  # alone in front, among at least two seats
    best: int | None
    mean: float | None
    helped: int  # games in which a computer stood in


@dataclass(frozen=True, slots=True)
class Results:
    """GET /api/me/results"""

    rulesets: tuple[ResultsLine, ...]  # most played first
    history: tuple[TableLine, ...]  # finished games, latest first


@dataclass(frozen=True, slots=True)
class DiceTest:
    """A test of one's dice."""

    name: Literal["faces", "pairs", "runs"]
    p: float | None  # None: too few dice for it
    missing: int  # dice that are still to be thrown for it


@dataclass(frozen=True, slots=True)
class DiceStatistic:
    """GET /api/me/dice: the dice of one's own throws at tables whose dice can be checked."""

    tables: int
    throws: int
    faces: tuple[int, ...]  # how often each of the six
    tests: tuple[DiceTest, ...]
    verdict: Problem | None  # in words; None: too few dice


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
