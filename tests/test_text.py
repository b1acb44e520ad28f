"""The catalogs against the code that uses them, and what `knobel.text` makes of them."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from fluent.syntax import FluentParser
from fluent.syntax.ast import Message, VariableReference
from fluent.syntax.visitor import Visitor

import knobel
from knobel import text
from knobel.errors import KnobelError, Reason
from knobel.vocabulary import Language

ROOT = Path(__file__).parents[1]
SOURCES = sorted((ROOT / "src/knobel").rglob("*.py"))
LANGUAGES: tuple[Language, ...] = ("de", "en")
KEY = re.compile(r"[a-z]+(-[a-z0-9]+)+")
NO_KEYS = {"utf-8", "pretty-exceptions", *knobel.builtin_ids(), "acht-mann"}
SAYS = {"Reason", "say", "word", "_illegal", "_wrong", "Problem", "_refused"}  # functions that take a key


class _Variables(Visitor):
    def __init__(self) -> None:
        self.names: set[str] = set()

    def visit_VariableReference(self, node: VariableReference) -> None:  # noqa: N802 - as fluent.syntax calls it
        self.names.add(node.id.name)


def _messages(language: Language) -> dict[str, Message]:
    resource = FluentParser().parse((ROOT / f"src/knobel/texts/{language}.ftl").read_text(encoding="utf-8"))
    messages = [entry for entry in resource.body if isinstance(entry, Message)]
    assert not [entry for entry in resource.body if type(entry).__name__ == "Junk"], "a line that is no message"
    assert len({message.id.name for message in messages}) == len(messages), "a key stands twice"
    return {message.id.name: message for message in messages}


def _variables(message: Message) -> set[str]:
    visitor = _Variables()
    visitor.visit(message)
    return visitor.names


def _attributes(message: Message) -> set[str]:
    return {attribute.id.name for attribute in message.attributes}


def _docstrings(tree: ast.AST) -> set[int]:
    owners = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    bodies = [node.body for node in ast.walk(tree) if isinstance(node, owners)]
    return {id(body[0].value) for body in bodies if body and isinstance(body[0], ast.Expr)}


def _strings(path: Path) -> Iterator[str]:
    """Every string in a module that could be a key; an f-string with `*` in the place of its values."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    parts = {id(value) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for value in node.values}
    skip = _docstrings(tree) | parts
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in skip:
            yield node.value
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "*" for part in node.values)


def _calls(path: Path) -> Iterator[tuple[str, set[str] | None]]:
    """Keys that are handed to a function that says something, with the parameters where they are written out."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name not in SAYS:
            continue
        keys = [arg.value for arg in node.args if isinstance(arg, ast.Constant) and KEY.fullmatch(str(arg.value))]
        params: set[str] | None = {str(keyword.arg) for keyword in node.keywords}
        if any(keyword.arg is None for keyword in node.keywords):
            params = None
        if name in ("Reason", "Problem"):
            given = node.args[-1]
            if isinstance(given, ast.Dict) and all(isinstance(key, ast.Constant) for key in given.keys):
                params = {str(key.value) for key in given.keys if isinstance(key, ast.Constant)}
            elif not isinstance(given, ast.Constant):
                params = None
        for key in keys:
            yield str(key), params


def _families(texts: list[str]) -> list[re.Pattern[str]]:
    """Patterns of the f-strings that make keys, such as `how-*`."""
    families = [words for words in texts if re.fullmatch(r"[a-z]+(-[a-z]+)*-\*(-\*)*(\.help)?", words)]
    return [re.compile(re.escape(words.removesuffix(".help")).replace(r"\*", "[a-z0-9-]+")) for words in families]


def _used_in_web(keys: set[str]) -> set[str]:
    sources = [*(ROOT / "web/src").rglob("*.ts"), *(ROOT / "web/src").rglob("*.svelte")]
    words = "\n".join(path.read_text(encoding="utf-8") for path in sources if ".test." not in path.name)
    whole = set(re.findall(r"[a-z]+(?:-[a-z0-9]+)+", words))
    families = [re.compile(f"{re.escape(start)}.+") for start in set(re.findall(r"`([a-z]+(?:-[a-z]+)*-)\$\{", words))]
    return {key for key in keys if key in whole or any(family.fullmatch(key) for family in families)}


def test_both_catalogs_say_the_same_with_the_same_variables() -> None:
    de, en = _messages("de"), _messages("en")
    assert list(de) == list(en)
    for key, message in de.items():
        assert _variables(message) == _variables(en[key]), key
        assert _attributes(message) == _attributes(en[key]), key


def test_every_key_in_the_code_has_a_sentence() -> None:
    keys = set(_messages("en"))
    for path in SOURCES:
        is_edge = "server" in path.parts  # has strings of other kinds that look like keys
        for words in _strings(path):
            if (
                KEY.fullmatch(words)
                and words not in NO_KEYS
                and (not is_edge or words.startswith(("server-", "table-")))
            ):
                assert words in keys, f"{path.name}: no sentence for {words}"
        for family in _families(list(_strings(path))):
            assert is_edge or any(map(family.fullmatch, keys)), f"{path.name}: no sentence for {family.pattern}"


def test_every_call_names_the_variables_of_its_sentence() -> None:
    messages = _messages("en")
    checked = 0
    for path in SOURCES:
        for key, params in _calls(path):
            assert key in messages, f"{path.name}: no sentence for {key}"
            if params is not None:
                assert _variables(messages[key]) <= params, f"{path.name}: {key} lacks a parameter"
                checked += 1
    assert checked > 50


def test_no_sentence_is_left_over() -> None:
    keys = set(_messages("en"))
    texts = [words for path in SOURCES for words in _strings(path)]
    families = _families(texts)
    used = {key for key in keys if key in texts or any(family.fullmatch(key) for family in families)}
    assert keys - used - _used_in_web(keys) == set()


def test_the_options_have_names_and_no_other_has() -> None:
    options = [option for name in knobel.builtin_ids() for option in knobel.admitted_options(name)]
    needed = {f"option-{option.name}": True for option in options}
    for option in options:
        named = [value for value in option.values if isinstance(value, str)]
        needed |= {f"option-{option.name}-{value}": True for value in named}
        needed |= {f"option-{option.name}-{value}": False for value in option.values if value not in named}
    needed = {key.replace("_", "-"): must for key, must in needed.items()}
    written = {key: message for key, message in _messages("de").items() if key.startswith("option-")}
    for reason in ("option-needs", "option-not-admitted"):
        del written[reason]
    assert {key for key, must in needed.items() if must} <= set(written) <= set(needed)
    assert [key for key, message in written.items() if _attributes(message) != {"help"}] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_can_be_said(language: Language) -> None:
    for key, message in _messages(language).items():
        for place in (key, *(f"{key}.{name}" for name in _attributes(message))):
            words = text.say(place, language, **dict.fromkeys(_variables(message), 2))
            assert words.strip() == words != "", place


def test_ids_of_boxes_become_labels() -> None:
    rules = knobel.load("classic", columns=3)
    reason = Reason("box-filled", {"box": "full_house/2"})
    assert text.translate(reason, "de", rules) == "Full House, Spalte 2 ist schon gefüllt."
    assert (
        text.translate(Reason("box-filled", {"box": "ones"}), "en", knobel.load("yatzy")) == "Ones is filled already."
    )
    assert text.translate(reason, "en") == "full_house/2 is filled already."
    assert text.translate(Reason("box-filled", {"box": "nonsense/0"}), "en", rules) == "nonsense/0 is filled already."


def test_an_unknown_key_is_said_in_plain_words() -> None:
    assert text.translate(Reason("no-such-key", {"n": 3}), "de") == "no such key (n 3)"
    with pytest.raises(LookupError):
        text.say("no-such-key", "en")
    with pytest.raises(LookupError):
        text.say("box-filled", "en")


def test_numbers_are_not_grouped() -> None:
    assert text.say("file-too-large", "en", most=65536) == "The file is too large; 65536 bytes are allowed."


def _refused(source: str, **options: str) -> KnobelError:
    with pytest.raises(KnobelError) as refused:
        knobel.load(source, **options)
    return refused.value


def test_errors_say_where_what_and_what_may_have_been_meant() -> None:
    assert text.explain(_refused("classic", joker="forcd"), "en") == (
        "classic, options.joker: Expected one of none, forced, free, not forcd. Did you mean forced?"
    )
    assert text.explain(_refused("yazty"), "de").endswith("Meintest du yatzy?")
    assert text.explain(_refused("classic", jocker="free"), "de").endswith("Meintest du joker?")
    assert "Did you mean" not in text.explain(_refused("chess"), "en")
    assert "Did you mean" not in text.explain(_refused("six-dice", joker="free"), "en")


def test_an_illegal_action_lists_what_is_legal() -> None:
    state = knobel.start(knobel.load("classic"))
    with pytest.raises(KnobelError) as refused:
        knobel.apply(state, knobel.parse_action("enter ones"))
    assert text.explain(refused.value, "en") == "Throw first; then enter ones is possible. Possible now: keep -."


def test_a_record_names_event_and_line() -> None:
    with pytest.raises(KnobelError) as refused:
        knobel.Record.parse("knobel 1\n0 keep 7")
    assert text.explain(refused.value, "de").startswith("Ereignis 1, Zeile 2: Erwartet sind Augen von 1 bis 6")


def test_options_and_their_values_have_names() -> None:
    rules = knobel.load("classic")
    assert text.option_name("joker", "de") == "Joker"
    assert text.option_name("house_option", "de") == "house_option"
    assert text.option_value("joker", "forced", "de") == "vorgeschrieben"
    assert text.option_value("saved_throws", True, "en") == "yes"
    assert text.option_value("tiebreak", ("chance", "ones"), "de", rules) == "Chance, Einser"
    assert text.option_help("joker", "free", "en").startswith("Any free box")
    assert text.option_help("house_option", 3, "en") == ""
