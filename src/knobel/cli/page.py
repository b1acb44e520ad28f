"""The page about a ruleset as text: what it is, worked examples, the comparison with the standard, options, history."""

from collections.abc import Iterable, Sequence

from rich.console import Console

from knobel.cli.fact import label
from knobel.cli.output import print_content, table_of
from knobel.dice import format_faces
from knobel.errors import Reason
from knobel.explain import STANDARD
from knobel.explain.page import BoxPage, Contrast, Line, OptionPage, RulesPage, Scene
from knobel.ruleset import load
from knobel.text import option_help, option_name, option_value, row_name, say, translate
from knobel.vocabulary import Labels, Language, Ruleset


class _Words:
    """Sentences in one language, with the names of one ruleset."""

    def __init__(self, ruleset: Ruleset, language: Language) -> None:
        self.ruleset, self.language = ruleset, language

    def say(self, key: str, **params: str) -> str:
        return say(key, self.language, **params)

    def all(self, reasons: Iterable[Reason], between: str = " ") -> str:
        return between.join(translate(reason, self.language, self.ruleset) for reason in reasons)

    def line(self, line: Line) -> str:
        if line.box is None:
            return self.all(line.texts)
        return f"{row_name(line.box, self.language, self.ruleset)}: {self.all(line.texts, ', ')}"

    def rule(self, line: Line) -> str:
        return self.all(line.texts, ": ")

    def cell(self, lines: Iterable[Line]) -> str:
        return "\n".join(map(self.line, lines)) or self.say("rules-page-nothing")


def print_page(page: RulesPage, ruleset: Ruleset, is_long: bool, console: Console, language: Language) -> None:
    """The explanation of a ruleset; options are explained if they are chosen, or all of them."""
    words = _Words(ruleset, language)
    if page.about:
        _head(console, label(page.labels, language))
        _text(console, [words.all(page.about)])
    for part in page.parts:
        _head(console, words.say(f"rules-part-{part.id}"))
        _text(console, map(words.line, part.text))
        _scenes(part.scenes, words, console)
    _head(console, words.say("rules-page-boxes"))
    _boxes(page.boxes, words, console)
    if page.contrasts:
        _head(console, words.say("rules-page-contrast"))
        classic = _Words(load(STANDARD), language)
        _contrasts(page.contrasts, (classic, words), console, _sides(page, words))
    options = [option for option in page.options if is_long or option.chosen != option.default]
    if options:
        _head(console, words.say("rules-page-options"))
    for option in options:
        _option(option, is_long, words, console)
    if page.history:
        _head(console, words.say("rules-page-history"))
        _text(console, [words.all([reason]) for reason in page.history])


def _head(console: Console, text: str) -> None:
    print_content(console, "")
    print_content(console, text, style="bold")


def _text(console: Console, paragraphs: Iterable[str]) -> None:
    for paragraph in paragraphs:
        print_content(console, paragraph)


def _sides(page: RulesPage, words: _Words) -> tuple[str, str]:
    """The titles of the comparison with the classic pad."""
    standard, name = words.say("rules-page-classic"), label(page.labels, words.language)
    return standard, words.say("rules-page-changed") if name == standard else name


def _scenes(scenes: Sequence[Scene], words: _Words, console: Console) -> None:
    """Worked cases, a row each; with a column for the standard where they are compared."""
    if not scenes:
        return
    is_compared = any(scene.standard for scene in scenes)
    answers = ("rules-page-standard", "rules-page-this") if is_compared else ("rules-page-answer",)
    has_dice = any(scene.dice for scene in scenes)
    titles = (*(["rules-page-roll"] if has_dice else []), "rules-page-given", *answers)
    table = table_of(*map(words.say, titles))
    for scene in scenes:
        texts = [words.all(scene.given), *([words.all(scene.standard, "\n")] if is_compared else [])]
        roll = [format_faces(scene.dice) if scene.dice else ""] if has_dice else []
        table.add_row(*roll, *texts, words.all(scene.shows, "\n"), end_section=True)
    print_content(console, table)


def _boxes(boxes: Sequence[BoxPage], words: _Words, console: Console) -> None:
    titles = (
        "cli-column-box",
        "cli-column-pattern",
        "rules-example-typical",
        "rules-example-near",
        "rules-example-zero",
    )
    table = table_of(*(words.say(title) for title in titles))
    for box in boxes:
        rolls = {
            kind: "  ".join(
                f"{format_faces(example.dice)} → {example.points}" for example in box.examples if example.kind in kinds
            )
            for kind, kinds in (("some", ("best", "typical")), ("near", ("near",)), ("zero", ("zero",)))
        }
        table.add_row(
            label(box.labels, words.language),
            "\n".join(map(words.rule, box.rules)),
            rolls["some"].replace("  ", "\n"),
            rolls["near"],
            rolls["zero"],
        )
    print_content(console, table)


def _contrasts(
    rows: Sequence[Contrast], sides: tuple[_Words, _Words], console: Console, titles: tuple[str, str]
) -> None:
    before, after = sides
    table = table_of(after.say("rules-page-rule"), *titles)
    for row in rows:
        table.add_row(after.all([row.label]), before.cell(row.standard), after.cell(row.this), end_section=True)
    print_content(console, table)


def _option(option: OptionPage, is_long: bool, words: _Words, console: Console) -> None:
    language = words.language
    name = _named(option.labels, language) or option_name(option.name, language)
    default = option_value(option.name, option.default, language, words.ruleset)
    print_content(console, "")
    print_content(console, f"{name} ({option.name}) – {words.say('rules-page-default', value=default)}", style="bold")
    _text(console, [text for text in (option_help(option.name, "", language), words.all(option.text)) if text])
    if option.contrasts:
        standard = option_value(option.name, option.default, language, words.ruleset)
        _contrasts(
            option.contrasts, (words, words), console, (f"{words.say('rules-page-standard')} ({standard})", name)
        )
    for value in option.values:
        if not is_long and value.value != option.chosen:
            continue
        text = _named(value.labels, language) or option_value(option.name, value.value, language, words.ruleset)
        print_content(console, words.say("rules-page-value", option=name, value=text), style="bold")
        if value.contrasts:
            titles = (words.say("rules-page-standard"), words.say("rules-page-this"))
            _contrasts(value.contrasts, (words, words), console, titles)
        _scenes(value.scenes, words, console)


def _named(labels: Labels | None, language: Language) -> str:
    return label(labels, language) if labels else ""
