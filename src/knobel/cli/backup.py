"""`knobel backup` and `knobel restore`: all games as one file, and back. The server is loaded when they run."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from knobel.cli import output
from knobel.cli.argument import Data, DatabaseAddress, Json, Lang
from knobel.folder import data_folder
from knobel.text import say
from knobel.vocabulary import Language

if TYPE_CHECKING:
    from knobel.server.backup import Copy


def back_up(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="cli-help-backup-file")],
    force: Annotated[bool, typer.Option("--force", help="cli-help-backup-force")] = False,
    json: Json = False,
    data: Data = None,
    database: DatabaseAddress = None,
    _lang: Lang = "",
) -> None:
    """Write a backup and tell what is in it."""
    from knobel.server import backup
    from knobel.server.database import parse_database

    if database is None:
        copy = backup.back_up(data_folder(data), file, force)
    else:
        copy = backup.back_up_shared(parse_database(database), file, force)
    if json:
        output.print_json(_counts(copy))
    else:
        _print({"file": str(copy.path)}, copy, context.obj)


def restore(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="cli-help-restore-file")],
    force: Annotated[bool, typer.Option("--force", help="cli-help-restore-force")] = False,
    json: Json = False,
    data: Data = None,
    database: DatabaseAddress = None,
    _lang: Lang = "",
) -> None:
    """Put a backup in place and tell what is in it, and where the database before it is."""
    from knobel.server import backup
    from knobel.server.database import parse_database

    kept = None
    if database is None:
        restored = backup.restore(file, data_folder(data), force)
        copy, place = restored.copy, str(restored.copy.path)
        kept = str(restored.kept) if restored.kept else None
    else:
        shared = parse_database(database)
        copy, place = backup.restore_shared(file, shared), str(shared)
    if json:
        output.print_json({**_counts(copy), "file": place, "kept": kept})
    else:
        _print({"database": place, **({"kept": kept} if kept else {})}, copy, context.obj)


def _counts(copy: "Copy") -> dict[str, Any]:
    return {"file": str(copy.path), "tables": copy.n_tables, "events": copy.n_events, "bytes": copy.n_bytes}


def _print(paths: dict[str, str], copy: "Copy", language: Language) -> None:
    rows = {
        **{key: output.printable(path) for key, path in paths.items()},
        "tables": say("cli-count", language, count=copy.n_tables),
        "events": say("cli-count", language, count=copy.n_events),
        "size": output.size(copy.n_bytes, language),
    }
    output.print_rows({say(f"cli-backup-{key}", language): text for key, text in rows.items()})
