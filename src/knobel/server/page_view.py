"""What the pages' API says about tables, their dice and the rulesets that can be chosen."""

from functools import lru_cache

from knobel.event import Began, Threw, faces_at
from knobel.room import Room
from knobel.ruleset import admitted_options, builtin_ids, load
from knobel.server.page_messages import FairPage, FairThrow, OptionView, RulesetOffer, RulesetOffers, TableLine
from knobel.server.present import room_view, rules_of, seat_views, terms_view
from knobel.server.rows import Line


def table_line(line: Line) -> TableLine:
    """A table in a list."""
    return TableLine(
        line.id,
        rules_of(line.ruleset),
        terms_view(line.terms),
        line.phase,
        seat_views(line.seats),
        line.totals,
        line.acting,
        line.phase == "over",
        line.updated,
    )


def fair_page(room: Room, seed: bytes) -> FairPage:
    """What everybody needs to derive the throws of a table again."""
    view, played = room_view(room, seed), room.table.events if room.table is not None else ()
    throws = []
    for number, event in enumerate(played):
        if isinstance(event, Threw):
            throws.append(FairThrow(number, event.seat, faces_at(event.dice, event.thrown)))
        elif isinstance(event, Began):
            throws += [FairThrow(number, seat, dice) for thrown in event.rounds for seat, dice in thrown]
    first = played[0].seat if played else None
    return FairPage(room.id, room.terms.dice, room.terms.begin, first, view.seats, view.fair, tuple(throws))


@lru_cache
def offers() -> RulesetOffers:
    """Every ruleset that comes with knobel and the options it admits."""
    return RulesetOffers(tuple(RulesetOffer(rules_of(load(name)), _options(name)) for name in builtin_ids()))


def _options(name: str) -> tuple[OptionView, ...]:
    return tuple(
        OptionView(option.name, option.kind, option.values, option.default, option.needs, option.labels)
        for option in admitted_options(name)
    )
