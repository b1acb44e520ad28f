"""`knobel verify`: whether every throw of a record is what the secrets shown at its table bring."""

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from knobel.cli import output
from knobel.cli.argument import Json, Lang, console
from knobel.dice import format_faces
from knobel.errors import Reason, RulesetError
from knobel.record import Record
from knobel.ruleset import file_text
from knobel.text import say, translate
from knobel.verify import Derived, Verification
from knobel.verify import verify as verified
from knobel.vocabulary import Language

MAX_BYTES = 16 * 1024 * 1024
STDIN = "-"


def verify(
    context: typer.Context,
    record: Annotated[str, typer.Argument(metavar="RECORD", help="cli-help-record")],
    json: Json = False,
    _lang: Lang = "",
) -> int:
    """Print what came of it; 1 if the dice are not verified."""
    outcome = verified(_read(record))
    if json:
        output.print_json(_plain(outcome))
    else:
        _print(outcome, context.obj)
    return 0 if outcome.is_verified else 1


def _read(source: str) -> Record:
    """The record of a file or of standard input, as text or JSON. Raises `KnobelError`."""
    text = _stdin_text() if source == STDIN else file_text(Path(source), MAX_BYTES)
    if not text.lstrip().startswith("{"):
        return Record.parse(text)
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RulesetError(source, "", Reason("not-json", {"problem": str(error)})) from None
    return Record.from_json(data)


def _stdin_text() -> str:
    data = sys.stdin.buffer.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise RulesetError(STDIN, "", Reason("file-too-large", {"most": MAX_BYTES}))
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise RulesetError(STDIN, "", Reason("not-utf8")) from None


def _plain(outcome: Verification) -> dict[str, Any]:
    record, fair = outcome.record, outcome.record.fair
    return {
        "verified": outcome.is_verified,
        "dice": record.dice,
        "begin": record.begin,
        "table": fair.table if fair else None,
        "seats": [{"name": name, "share": _share(record, seat)} for seat, name in enumerate(record.seats)],
        "seed": _seed(record),
        "problems": [_plain_reason(reason) for reason in outcome.problems],
        "first": record.first,
        "beginner": outcome.beginner,
        "derived": sum(throw.agrees for throw in outcome.throws),
        "differs": outcome.differs,
        "reason": _plain_reason(outcome.reason) if outcome.reason else None,
        "throws": [
            {
                "event": throw.event,
                "seat": throw.seat,
                "keep": throw.keep,
                "thrown": throw.thrown,
                "recorded": throw.recorded,
                "agrees": throw.agrees,
            }
            for throw in outcome.throws
        ],
    }


def _plain_reason(reason: Reason) -> dict[str, Any]:
    return {"key": reason.key, "params": dict(reason.params)}


def _print(outcome: Verification, language: Language) -> None:
    record, fair = outcome.record, outcome.record.fair
    output.print_content(console(), output.title_of(record.ruleset, language), style="bold")
    rows = {say("cli-verify-dice", language): say(f"cli-verify-dice-{record.dice}", language)}
    if fair is not None:
        rows[say("cli-verify-table", language)] = fair.table
        for seat, name in enumerate(record.seats):
            share = say(f"cli-verify-share-{_share(record, seat)}", language)
            rows[say("cli-verify-seat", language, seat=seat + 1)] = f"{output.printable(name)}: {share}"
        rows[say("cli-verify-seed", language)] = say(f"cli-verify-seed-{_seed(record)}", language)
    if not outcome.problems:
        rows[say("cli-verify-beginning", language)] = _beginning(outcome, language)
        rows[say("cli-verify-throws", language)] = _throws(outcome, language)
    output.print_rows(rows)
    print()
    for reason in outcome.problems:
        print(output.printable(translate(reason, language, record.ruleset)))
    print(_verdict(outcome, language))


def _share(record: Record, seat: int) -> str:
    """What a seat gave: `fits`, `wrong`, `withheld` (committed only) or `none`."""
    fair = record.fair
    if fair is None:
        return "none"
    if seat in dict(fair.shares):
        wrong = ("fair-wrong-share", "fair-no-commitment")
        seats = [reason.params["seat"] for reason in fair.problems() if reason.key in wrong]
        return "wrong" if seat in seats else "fits"
    return "withheld" if seat in dict(fair.commitments) else "none"


def _seed(record: Record) -> str:
    fair = record.fair
    if fair is None or fair.seed is None:
        return "hidden"
    return "wrong" if any(reason.key == "fair-wrong-seed" for reason in fair.problems()) else "fits"


def _beginning(outcome: Verification, language: Language) -> str:
    names = [output.printable(name) for name in outcome.record.seats]
    first = names[outcome.record.first] if 0 <= outcome.record.first < len(names) else str(outcome.record.first)
    if outcome.beginner is None:
        return say("cli-verify-begins", language, name=first)
    if outcome.differs == 0:
        return say("cli-verify-begins-other", language, name=names[outcome.beginner], found=first)
    return say("cli-verify-begins-derived", language, name=first)


def _throws(outcome: Verification, language: Language) -> str:
    text = say("cli-verify-derived", language, count=sum(throw.agrees for throw in outcome.throws))
    last = outcome.throws[-1] if outcome.throws else None
    if last is None or last.agrees:
        return text
    return f"{text} {_difference(last, language)}"


def _difference(throw: Derived, language: Language) -> str:
    shown = {name: format_faces(getattr(throw, name)) for name in ("keep", "thrown", "recorded")}
    return say("cli-verify-difference", language, event=throw.event, **shown)


def _verdict(outcome: Verification, language: Language) -> str:
    if outcome.problems:
        return say("cli-verify-no", language)
    if outcome.differs is None or outcome.reason is None:
        return say("cli-verify-yes", language)
    reason = output.printable(translate(outcome.reason, language, outcome.record.ruleset))
    if outcome.differs == 0:
        return say("cli-verify-no-beginning", language, reason=reason)
    return say("cli-verify-no-event", language, event=outcome.differs, reason=reason)
