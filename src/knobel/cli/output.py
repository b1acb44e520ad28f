"""What the commands print: tables for people, JSON for programs."""

import json
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from knobel.cases import Failure, Outcome
from knobel.cli.fact import Difference, Fact, facts, joker, label, name, needs, pattern, points, values
from knobel.option import Option
from knobel.ruleset import digest
from knobel.schema import plain, shown, to_mapping
from knobel.text import explain, option_help, say
from knobel.vocabulary import Language, OptionValue, Ruleset

_WIDE = 72  # columns of a terminal in which ids stay in one piece


def print_json(data: object) -> None:
    """Plain data as JSON on standard output."""
    print(json.dumps(data, ensure_ascii=False, indent=2))


def brief(ruleset: Ruleset) -> dict[str, Any]:
    """A ruleset in the list."""
    return {
        "id": ruleset.id,
        "labels": plain(ruleset.labels),
        "digest": digest(ruleset)[:16],
        "dice": ruleset.dice,
        "throws": ruleset.throws,
        "boxes": len(ruleset.boxes),
    }


def whole(ruleset: Ruleset, options: Sequence[Option]) -> dict[str, Any]:
    """A ruleset with everything it says and the options it admits."""
    chosen = dict(ruleset.options)
    return {
        **brief(ruleset),
        "ruleset": to_mapping(ruleset),
        "options": [
            {
                "name": option.name,
                "value": chosen.get(option.name, option.default),
                "default": option.default,
                "kind": option.kind,
                "values": option.values,
                "needs": dict(option.needs),
            }
            for option in options
        ],
    }


def difference(left: Ruleset, right: Ruleset, rows: Sequence[Difference]) -> dict[str, Any]:
    """All differences of two rulesets; null where one of them has no such row."""
    return {
        "left": {**brief(left), "options": dict(left.options)},
        "right": {**brief(right), "options": dict(right.options)},
        "differences": [
            {
                "key": row.key,
                "left": row.left.value if row.left else None,
                "right": row.right.value if row.right else None,
            }
            for row in rows
        ],
    }


def cases(outcome: Outcome) -> dict[str, Any]:
    """What became of a file of reference cases."""
    return {
        "passed": outcome.passed,
        "failed": len(outcome.failures),
        "failures": [
            {
                "section": failure.section,
                "id": failure.id,
                "expected": failure.expected,
                "got": failure.got if failure.error is None else str(failure.error),
            }
            for failure in outcome.failures
        ],
    }


def print_rows(rows: Mapping[str, str]) -> None:
    """A line for each name and its text, one below the other; texts are printed as they are, however long."""
    width = max(map(len, rows))
    for title, text in rows.items():
        print(f"{title:{width}}  {text}")


def print_list(rulesets: Sequence[Ruleset], console: Console, language: Language) -> None:
    """All rulesets that come with knobel, a line each."""
    titles = ("cli-column-name", "ui-rules-dice", "cli-fact-boxes", "ui-rules-bonus")
    table = table_of("ID", *(say(title, language) for title in titles))
    for ruleset in rulesets:
        upper = ruleset.upper
        bonus = say("ui-bonus-terms", language, bonus=upper.bonus, threshold=upper.threshold) if upper else "–"
        row = (ruleset.id, label(ruleset.labels, language), str(ruleset.dice), str(len(ruleset.boxes)), bonus)
        table.add_row(*row)
    print_content(console, table)


def print_ruleset(ruleset: Ruleset, options: Sequence[Option], console: Console, language: Language) -> None:
    """A ruleset for people: in short, the pad, the options."""
    print_content(console, title_of(ruleset, language), style="bold")
    short = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for fact in facts(ruleset, language):
        short.add_row(fact.label, fact.text)
        if fact.key == "joker" and ruleset.joker != "none":
            short.add_row("", option_help("joker", ruleset.joker, language))
    print_content(console, short)
    print_content(console, "")
    print_content(console, _pad(ruleset, language))
    if options:
        print_content(console, "")
        print_content(console, say("cli-options-title", language), style="bold")
        print_content(console, _options(ruleset, options, console, language))


def print_checked(ruleset: Ruleset, options: Sequence[Option], language: Language) -> None:
    """That a ruleset can be played, also with each of its options."""
    name, mark = label(ruleset.labels, language), digest(ruleset)[:16]
    print(say("cli-checked", language, name=name, boxes=len(ruleset.boxes), options=len(options), mark=mark))


def print_difference(
    left: Ruleset, right: Ruleset, rows: Sequence[Difference], console: Console, language: Language
) -> None:
    """The rows in which two rulesets differ, or that they do not."""
    shown_rows = [row for row in rows if _is_for_people(row)]
    if not shown_rows:
        print_content(console, say("cli-no-difference", language))
        return
    table = table_of("", title_of(left, language), title_of(right, language))
    for row, following in zip_longest(shown_rows, shown_rows[1:]):
        is_last = following is not None and row.key.startswith("options.") != following.key.startswith("options.")
        table.add_row(row.label, _text(row.left), _text(row.right), end_section=is_last)
    print_content(console, table)


def _is_for_people(row: Difference) -> bool:
    """Whether a row says something new: not the name of a box that one side lacks, nor one that reads the same."""
    if row.key.endswith(".labels") and (row.left is None or row.right is None):
        return False
    return _text(row.left) != _text(row.right)


def _text(fact: Fact | None) -> str:
    return fact.text if fact else "–"


def print_cases(outcome: Outcome, language: Language) -> None:
    """Every failure, and the summary as the last line."""
    for failure in outcome.failures:
        print(f"{failure.section} {failure.id}: {_what_failed(failure, language)}")
    print(outcome.summary)


def _what_failed(failure: Failure, language: Language) -> str:
    if failure.error is not None:
        return explain(failure.error, language)
    expected, got = (json.dumps(value, ensure_ascii=False) for value in (failure.expected, failure.got))
    return say("cli-cases-failed", language, expected=expected, got=got)


def title_of(ruleset: Ruleset, language: Language) -> str:
    """`Classic pad (classic joker=forced)`."""
    options = "".join(f" {option}={typed(value)}" for option, value in ruleset.options)
    return f"{label(ruleset.labels, language)} ({ruleset.id}{options})"


def typed(value: OptionValue) -> str:
    """A value as it is typed after `-o name=`."""
    return ",".join(map(str, value)) if isinstance(value, tuple) else shown(value)


def _pad(ruleset: Ruleset, language: Language) -> Table:
    with_joker = ruleset.joker != "none"
    titles = ["cli-column-pattern", "cli-column-points", *(["cli-column-joker"] if with_joker else [])]
    table = table_of(say("cli-column-box", language), "ID", *(say(title, language) for title in titles))
    sections = [category.section for category in ruleset.categories]
    for index, category in enumerate(ruleset.categories):
        row = [
            label(category.labels, language),
            category.id,
            "\n".join(pattern(rule, language) for rule in category.rules),
            "\n".join(points(rule, language) for rule in category.rules),
        ]
        if with_joker:
            extra = joker(ruleset, category)
            row.append("" if extra is None else str(extra))
        table.add_row(*row, end_section=sections[index : index + 2] in (["upper", "lower"], ["lower", "upper"]))
    return table


def _options(ruleset: Ruleset, options: Sequence[Option], console: Console, language: Language) -> Table:
    chosen = dict(ruleset.options)
    titles = ("option", "meaning", "value", "values", "needs")
    table = table_of(*(say(f"cli-column-{title}", language) for title in titles))
    if console.width >= _WIDE:
        table.columns[0].no_wrap = True
    for option in options:
        value = typed(chosen.get(option.name, option.default))
        if option.name in chosen:
            value = say("cli-value-changed", language, value=value, default=typed(option.default))
        table.add_row(option.name, name(option, language), value, values(option, language), needs(option))
    return table


def table_of(*titles: str) -> Table:
    """A table with these columns, as plain as possible."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    for title in titles:
        table.add_column(title, overflow="fold")
    return table


def printable(text: str) -> str:
    """A line in which what came from outside cannot be taken for commands by a terminal."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def duration(seconds: float, language: Language) -> str:
    """`0.208 s`, `3 min 20 s`, `2 h 5 min`."""
    if seconds < 59.95:
        return say("cli-seconds", language, seconds=seconds)
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min"


def size(n_bytes: int, language: Language) -> str:
    """`120 B`, `1.2 kB`, `4.3 GB`."""
    amount, unit = float(n_bytes), "B"
    for larger in ("kB", "MB", "GB"):
        if amount >= 999.95:
            amount, unit = amount / 1000, larger
    return say("cli-size", language, amount=amount, unit=unit)


def print_content(console: Console, content: Table | str, style: str | None = None) -> None:
    """Print on a terminal; elsewhere without the blanks that fill the lines there."""
    if console.is_terminal:
        console.print(content, style=style)
        return
    with console.capture() as capture:
        console.print(content)
    print("\n".join(line.rstrip() for line in capture.get().splitlines()))
