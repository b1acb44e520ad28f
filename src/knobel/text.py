"""Sentences for people in German and English: reasons and keys become text through the Fluent catalogs in texts/.

For the edges only (command line, server, terminal); no rule may depend on a sentence.
"""

import difflib
from collections.abc import Iterable
from functools import lru_cache
from importlib import resources

from fluent.runtime import FluentBundle, FluentResource
from fluent.runtime.types import fluent_number
from fluent.syntax.ast import Message, Resource

from knobel.action import parse_box
from knobel.errors import IllegalAction, KnobelError, Param, Reason, RecordError, RulesetError
from knobel.schema import literals
from knobel.vocabulary import Language, OptionValue, Ruleset

LANGUAGES: tuple[str, ...] = literals(Language)
_MOST_ACTIONS = 12


def pick_language(preferences: Iterable[str | None]) -> Language:
    """The first preference that names a known language, else English.

    >>> pick_language([None, "C.UTF-8", "de_AT.UTF-8"]), pick_language(["fr-FR"])
    ('de', 'en')
    """
    for preference in preferences:
        tag = (preference or "")[:2].lower()
        if tag == "de":
            return "de"
        if tag == "en":
            return "en"
    return "en"


def keys(language: Language) -> tuple[str, ...]:
    """All message keys of a catalog, in its order."""
    return tuple(item.id.name for item in _resource(language).body if isinstance(item, Message))


def has(key: str, language: Language) -> bool:
    """Whether the catalog has a text for `key` (`key.attribute` for an attribute)."""
    name, _, attribute = key.partition(".")
    if not _bundle(language).has_message(name):
        return False
    message = _bundle(language).get_message(name)
    return attribute in message.attributes if attribute else message.value is not None


def say(key: str, language: Language, **params: Param) -> str:
    """The sentence of a key (`key.attribute` for an attribute); a missing key or parameter is a `LookupError`."""
    if not has(key, language):
        raise LookupError(f"no text for {key} in {language}")
    name, _, attribute = key.partition(".")
    message = _bundle(language).get_message(name)
    pattern = message.attributes[attribute] if attribute else message.value
    assert pattern is not None, "has() looked at it"
    values = {
        name: value if isinstance(value, str) else fluent_number(value, useGrouping=False)  # a port is no amount
        for name, value in params.items()
    }
    text, problems = _bundle(language).format_pattern(pattern, values)
    if problems:
        raise LookupError(f"{key} in {language}: {problems[0]!r}")
    return str(text)


def translate(reason: Reason, language: Language, ruleset: Ruleset | None = None) -> str:
    """The sentence of a reason; ids of boxes become the ruleset's labels. An unknown key falls back to plain words."""
    params = {name: _shown(name, value, language, ruleset) for name, value in reason.params.items()}
    try:
        return say(reason.key, language, **params)
    except LookupError:
        return str(reason)


def explain(error: KnobelError, language: Language, ruleset: Ruleset | None = None) -> str:
    """One line for people: where the error is, what was wrong, what was expected, and what may have been meant."""
    place: list[str] = []
    if isinstance(error, RulesetError):
        place = [error.source, error.key]
    elif isinstance(error, RecordError):
        place = [say("error-event", language, event=error.event)] if error.event else []
        place += [say("error-line", language, line=error.line)] if error.line else []
    text = translate(error.reason, language, ruleset)
    where = ", ".join(part for part in place if part)
    parts = [f"{where}: {text}" if where else text]
    if isinstance(error, IllegalAction) and error.legal:
        shown = ", ".join(error.legal[:_MOST_ACTIONS]) + (", …" if len(error.legal) > _MOST_ACTIONS else "")
        parts.append(say("error-legal", language, actions=shown))
    suggestion = _suggestion(error)
    if suggestion:
        parts.append(say("error-suggestion", language, suggestion=suggestion))
    return " ".join(parts)


def box_name(box: str, language: Language, ruleset: Ruleset) -> str:
    """A box as people call it: `full_house/2` is "Full house, column 2"; an unknown one stays as it is."""
    try:
        place = parse_box(box)
    except KnobelError:
        return box
    index = ruleset.category_index.get(place.category)
    if index is None:
        return box
    name: str = getattr(ruleset.categories[index].labels, language)
    if len(ruleset.columns) == 1 and place.column == 0:
        return name
    return say("ui-box-in-column", language, box=name, column=place.column + 1)


def row_name(category: str, language: Language, ruleset: Ruleset) -> str:
    """A row of the pad as people call it; an unknown one stays as it is."""
    index = ruleset.category_index.get(category)
    return category if index is None else str(getattr(ruleset.categories[index].labels, language))


def option_name(name: str, language: Language) -> str:
    """What a general option is called; its id where the catalogs do not know it."""
    key = f"option-{_dashed(name)}"
    return say(key, language) if has(key, language) else name


def option_value(name: str, value: OptionValue, language: Language, ruleset: Ruleset | None = None) -> str:
    """A value of an option in a word or two."""
    if isinstance(value, tuple):
        boxes = [box_name(str(item), language, ruleset) if ruleset else str(item) for item in value]
        return ", ".join(boxes)
    key = f"option-{_dashed(name)}-{_dashed(str(value))}"
    if has(key, language):
        return say(key, language)
    if isinstance(value, bool):
        return say("ui-yes" if value else "ui-no", language)
    return str(value)


def option_help(name: str, value: OptionValue, language: Language) -> str:
    """A sentence about a value of an option, else about the option; empty when there is none."""
    for key in (f"option-{_dashed(name)}-{_dashed(str(value))}.help", f"option-{_dashed(name)}.help"):
        if has(key, language):
            return say(key, language)
    return ""


def _dashed(text: str) -> str:
    return text.replace("_", "-")


def _shown(name: str, value: Param, language: Language, ruleset: Ruleset | None) -> Param:
    if ruleset is None or not isinstance(value, str):
        return value
    if name == "box":
        return box_name(value, language, ruleset)
    if name == "boxes":
        return ", ".join(box_name(box, language, ruleset) for box in value.split(", "))
    if name in ("category", "rows"):
        return ", ".join(row_name(row, language, ruleset) for row in value.split(", "))
    labels = next((token.labels for token in ruleset.tokens if token.id == value), None) if name == "token" else None
    return getattr(labels, language) if labels else value


def _suggestion(error: KnobelError) -> str | None:
    """The known id that is nearest to what was found."""
    params = error.reason.params
    found = params.get("found", params.get("option"))
    if found is None and isinstance(error, RulesetError):
        found = error.key.rpartition(".")[2] or error.source
    known = str(params.get("values", "")).split(", ")
    near = difflib.get_close_matches(str(found), known, n=1, cutoff=0.7)
    return near[0] if near else None


@lru_cache
def _resource(language: Language) -> Resource:
    text = resources.files("knobel").joinpath("texts", f"{language}.ftl").read_text(encoding="utf-8")
    return FluentResource(text)


@lru_cache
def _bundle(language: Language) -> FluentBundle:
    bundle = FluentBundle([language], use_isolating=False)
    bundle.add_resource(_resource(language))
    return bundle
