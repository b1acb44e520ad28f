"""The page about the rules of a ruleset, for the browser to put into words."""

import asyncio
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from knobel.errors import Reason, RulesetError
from knobel.explain import STANDARD, page_of
from knobel.explain.page import RulesPage
from knobel.option import Choices, from_text
from knobel.ruleset import admitted_options, builtin_ids, compose_ruleset, load
from knobel.schema import listed, to_mapping
from knobel.server.house import PREFIX, House, refused
from knobel.server.page_messages import RulesAnswer
from knobel.server.present import rules_of
from knobel.server.wire import printable
from knobel.table import Refused
from knobel.vocabulary import OptionValue, Ruleset

_MOST_OPTIONS = 40
Chosen = tuple[tuple[str, OptionValue], ...]


async def explained(house: House, name: str, query: Iterable[tuple[str, str]]) -> RulesAnswer:
    """The page of a ruleset with the options of a query, written as on the command line. Raises `Refused`."""
    texts = tuple(query)[:_MOST_OPTIONS]
    if name.startswith(PREFIX):
        return await asyncio.to_thread(_of_house, await house.find(name.removeprefix(PREFIX)))
    if name not in builtin_ids():
        raise Refused("ruleset/unknown", Reason("unknown-ruleset", {"values": listed(builtin_ids())}))
    admitted = {option.name: option for option in admitted_options(name)}
    chosen = {key: from_text(admitted[key], text) if key in admitted else text for key, text in texts}
    try:
        return await asyncio.to_thread(_of_builtin, name, tuple(chosen.items()))
    except RulesetError as error:
        option = error.key.removeprefix("options.").replace(".", "_")
        raise refused(error, option=printable(option)) from None


@lru_cache(maxsize=32)
def _of_builtin(name: str, chosen: Chosen) -> RulesAnswer:
    return _answer(name, dict(chosen))


@lru_cache(maxsize=32)
def _of_house(ruleset: Ruleset) -> RulesAnswer:
    return _answer(to_mapping(ruleset), {})


def _answer(source: str | Mapping[str, Any], chosen: Choices) -> RulesAnswer:
    composed = compose_ruleset(source, chosen)
    page: RulesPage = page_of(source, dict(composed.options))
    return RulesAnswer(rules_of(composed), rules_of(load(STANDARD)), page)
