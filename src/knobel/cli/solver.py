"""`knobel solve`: the exact values of a ruleset, and the tables that the data folder keeps.

The solver is loaded by the commands that need it: with numpy and numba it takes longer than most others run.
"""

import os
import shlex
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from knobel.cli import output
from knobel.cli.argument import Data, Json, Lang, MissingParameter, Options, Threads, compose, console
from knobel.errors import KnobelError, Reason
from knobel.folder import data_folder
from knobel.ruleset import digest
from knobel.text import explain, say
from knobel.vocabulary import Language, Ruleset

if TYPE_CHECKING:
    from knobel.solver.file import Folder, Manifest, TableError
    from knobel.solver.table import Table

_IMPORTED = time.monotonic()


def solve(
    context: typer.Context,
    ruleset: Annotated[str | None, typer.Argument(metavar="ID", help="cli-help-id")] = None,
    o: Options = None,
    is_list: Annotated[bool, typer.Option("--list", help="cli-help-solve-list")] = False,
    threads: Threads = None,
    force: Annotated[bool, typer.Option("--force", help="cli-help-force")] = False,
    resume: Annotated[bool, typer.Option("--resume", help="cli-help-resume")] = False,
    cluster: Annotated[str | None, typer.Option("--cluster", metavar="ADDRESS", help="cli-help-cluster")] = None,
    json: Json = False,
    data: Data = None,
    _lang: Lang = "",
) -> None:
    """Print the value of a new pad, from the table in the data folder, which is made first; or all tables there."""
    language: Language = context.obj
    if is_list:
        if ruleset is not None or o:
            raise KnobelError(Reason("cli-list-alone"))
        _list(data_folder(data), json, language)
        return
    if ruleset is None:
        raise MissingParameter(context, "ruleset")
    if force and resume:
        raise KnobelError(Reason("cli-force-or-resume"))
    table = solved_table(ruleset, o or [], data, threads, language, force, resume, cluster)
    if json:
        output.print_json(_result(table))
    else:
        _print_result(table, language)


def solved_table(
    source: str,
    options: Sequence[str],
    data: Path | None,
    threads: int | None,
    language: Language,
    is_forced: bool = False,
    is_resumed: bool = False,
    cluster: str | None = None,
) -> "Table":
    """The table of a ruleset with options as they are typed, solved on `cluster` if that is an address.

    Whoever interrupts it is told how to go on.
    """
    composed = compose(source, options)
    try:
        return _solved(composed, data_folder(data), threads, is_forced, is_resumed, cluster, language)
    except KeyboardInterrupt:
        folder = ["--data", str(data)] if data else []
        call = shlex.join(["knobel", "solve", source, *(word for text in options for word in ("-o", text)), *folder])
        if sys.stderr.isatty():
            print(file=sys.stderr)  # the terminal has shown ^C
        print(output.printable(say("cli-solve-stopped", language, call=call)), file=sys.stderr)
        raise


def _solved(
    ruleset: Ruleset,
    data: Path,
    threads: int | None,
    is_forced: bool,
    is_resumed: bool,
    cluster: str | None,
    language: Language,
) -> "Table":
    """The table of the data folder, made first if need be, while standard error tells how far it is."""
    from knobel.cli.progress import Teller
    from knobel.solver import table
    from knobel.solver.file import TableError, folder_of

    folder = folder_of(ruleset, data)
    manifest = None if is_forced else folder.manifest()
    try:
        if manifest is not None and manifest.value is not None:
            return table.open_table(ruleset, data)
        plan = table.plan_of(ruleset, threads)
        with Teller(plan, threads, language) as teller:
            if cluster is not None:
                from knobel.solver.cluster import solve_into

                return solve_into(ruleset, data, cluster, teller.watch, is_forced, is_resumed)
            return table.solve_into(ruleset, data, threads, teller.watch, is_forced, is_resumed)
    except OSError as error:
        problem = error.strerror or str(error)
        raise TableError(Reason("table-folder", {"path": str(folder.path), "problem": problem})) from None


def _result(table: "Table") -> dict[str, Any]:
    return {
        "ruleset": table.ruleset.id,
        "digest": digest(table.ruleset),
        "value": table.value,
        "states": table.model.n_states,
        "seconds": table.seconds,
        "total_seconds": _age(),
        "threads": table.threads,
        "file": _path(table),
    }


def _print_result(table: "Table", language: Language) -> None:
    time_taken = output.duration(table.seconds, language)
    rows = {
        "value": say("cli-value", language, value=table.value),
        "states": say("cli-count", language, count=table.model.n_states),
        "time": say("cli-solved-on", language, time=time_taken, threads=table.threads),
        "folder": output.printable(_path(table)),  # in one piece, however long
    }
    output.print_content(console(), output.title_of(table.ruleset, language), style="bold")
    output.print_rows({say(f"cli-solved-{key}", language): text for key, text in rows.items()})


def _path(table: "Table") -> str:
    return str(table.folder.path) if table.folder else ""


def _age() -> float:
    """Seconds since this process began; where the system does not tell, since this module was loaded."""
    since_import = time.monotonic() - _IMPORTED
    try:  # proc_pid_stat(5): field 22, in clock ticks since boot; the name in field 2 may hold anything
        fields = Path("/proc/self/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        began = int(fields[19]) / os.sysconf("SC_CLK_TCK")
        return max(time.clock_gettime(time.CLOCK_BOOTTIME) - began, since_import)
    except (OSError, ValueError, IndexError, AttributeError):
        return since_import


def _list(data: Path, as_json: bool, language: Language) -> None:
    from knobel.solver.table import listed_tables

    tables = list(listed_tables(data))
    if as_json:
        output.print_json([_listed(folder, found) for folder, found in tables])
    elif tables:
        _print_list(tables, language)
    else:
        print(output.printable(say("cli-no-tables", language, path=str(data))))


def _listed(folder: "Folder", found: "Manifest | TableError") -> dict[str, Any]:
    """A table as plain data; of a damaged one only the last three are known."""
    place = {"bytes": folder.n_bytes(), "file": str(folder.path)}
    if isinstance(found, KnobelError):
        known = ("ruleset", "options", "digest", "kind", "values", "layers", "n_layers", "is_finished", "value")
        return {**dict.fromkeys(known), **place, "error": str(found)}
    return {
        "ruleset": found.ruleset,
        "options": found.options,
        "digest": found.digest,
        "kind": found.kind,
        "values": _n_values(found),
        "layers": len(found.layers),
        "n_layers": found.n_layers,
        "is_finished": found.value is not None,
        "value": found.value,
        **place,
        "error": None,
    }


def _print_list(tables: "list[tuple[Folder, Manifest | TableError]]", language: Language) -> None:
    """All tables, a line each, then what is wrong with the damaged ones."""
    titles = ("ruleset", "digest", "kind", "stored", "size", "state", "expected")
    content = output.table_of(*(say(f"cli-column-{title}", language) for title in titles))
    for index in (3, 4, 6):
        content.columns[index].justify = "right"
    for folder, found in tables:
        size = output.size(folder.n_bytes(), language)
        if isinstance(found, KnobelError):
            content.add_row("?", folder.path.name, "–", "–", size, say("cli-table-damaged", language), "–")
            continue
        is_finished = found.value is not None
        content.add_row(
            " ".join([found.ruleset, *(f"{name}={_typed(value)}" for name, value in found.options.items())]),
            found.digest[:16],
            found.kind,
            say("cli-count", language, count=_n_values(found)),
            size,
            say("cli-table-finished", language)
            if is_finished
            else say("cli-table-layers", language, done=len(found.layers), layers=found.n_layers),
            say("cli-value", language, value=found.value) if found.value is not None else "–",
        )
    output.print_content(console(), content)
    for _, found in tables:
        if isinstance(found, KnobelError):
            print(output.printable(explain(found, language)))


def _n_values(manifest: "Manifest") -> int:
    """Values that are stored so far."""
    return sum(file.n_values for file in manifest.layers.values())


def _typed(value: Any) -> str:
    """An option of a manifest, as it is typed on the command line."""
    return output.typed(tuple(value) if isinstance(value, list) else value)
