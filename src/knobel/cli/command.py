"""The commands and their options, and how errors reach the person at the terminal. Texts are keys of the catalogs."""

import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from io import TextIOWrapper
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import rich_utils
from typer.core import TyperGroup
from typer.exceptions import TyperException

from knobel import __version__
from knobel.cases import read_cases, run_cases
from knobel.cli import backup, output, simulation, solver, verify
from knobel.cli.argument import (
    Data,
    DatabaseAddress,
    Host,
    Json,
    Lan,
    Lang,
    NoBrowser,
    Options,
    Port,
    PublicUrl,
    RulesetId,
    Workers,
    compose,
    console,
)
from knobel.cli.fact import differences
from knobel.cli.page import print_page
from knobel.errors import KnobelError, Reason
from knobel.explain import page_of
from knobel.ruleset import admitted_options, builtin_ids, compose_ruleset, load
from knobel.schema import listed, shown
from knobel.text import LANGUAGES, explain, pick_language, say
from knobel.toml import to_toml
from knobel.vocabulary import Language


class _Group(TyperGroup):
    """A group that names the known commands when it is asked for another one."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command; raises `KnobelError`."""
        if args and args[0] not in self.commands:
            known = listed(list(self.commands))
            raise KnobelError(Reason("cli-no-command", {"found": shown(args[0]), "values": known}))
        return super().resolve_command(ctx, args)


_settings: dict[str, Any] = {
    "cls": _Group,
    "add_completion": False,
    "pretty_exceptions_enable": False,
    "context_settings": {"help_option_names": ["-h", "--help"]},
}
_app = typer.Typer(help="cli-help", **_settings)
_rules = typer.Typer(help="cli-help-rules", no_args_is_help=True, **_settings)
_app.add_typer(_rules, name="rules")


def main() -> None:
    """The command `knobel`."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run a command line; the exit code is 0, 1 (a check failed), 2 (bad input) or 130 (interrupted)."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without umlauts is no reason to fail
    language = _language(arguments)
    command = typer.main.get_command(_app)
    _translate(command, language)
    try:
        code = command.main(_arranged(arguments), prog_name="knobel", standalone_mode=False, obj=language)
        sys.stdout.flush()
    except KnobelError as error:
        return _refuse(explain(error, language))
    except TyperException as error:
        return _refuse(*_usage(error, language)) if str(error) else 2  # a group without a command has shown its help
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (KeyboardInterrupt, typer.Abort):
        return 130
    return code if isinstance(code, int) else 0


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"knobel {__version__}")
        raise typer.Exit


@_app.callback()
def _root(
    _lang: Lang = "",
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="cli-help-version")
    ] = False,
) -> None:
    """Options that hold for every command; `_language` and `_print_version` have seen to them."""


@_app.command("play", help="cli-help-play")
def _play(
    context: typer.Context, port: Port = None, data: Data = None, no_browser: NoBrowser = False, _lang: Lang = ""
) -> None:
    _run_server({}, port, data, not no_browser, context.obj)


@_app.command("serve", help="cli-help-serve")
def _serve(
    context: typer.Context,
    port: Port = None,
    host: Host = None,
    lan: Lan = False,
    public_url: PublicUrl = None,
    data: Data = None,
    database: DatabaseAddress = None,
    workers: Workers = None,
    _lang: Lang = "",
) -> None:
    reach = {"host": host, "lan": lan, "public_url": public_url}
    _run_server(reach, port, data, False, context.obj, database, workers or 1)


_app.command("solve", help="cli-help-solve")(solver.solve)
_app.command("simulate", help="cli-help-simulate")(simulation.simulate)
_app.command("verify", help="cli-help-verify")(verify.verify)
_app.command("backup", help="cli-help-backup")(backup.back_up)
_app.command("restore", help="cli-help-restore")(backup.restore)


def _run_server(
    reach: dict[str, Any],
    port: int | None,
    data: Path | None,
    open_browser: bool,
    language: Language,
    database: str | None = None,
    n_workers: int = 1,
) -> None:
    from knobel.server import app  # the other commands do without it
    from knobel.server.access import access_of
    from knobel.server.database import parse_database

    access = access_of(**reach)

    def say_where(address: app.Address) -> None:
        if address.port != address.wanted:
            print(say("cli-port-busy", language, port=address.wanted))
        if access.public is not None:
            print(say("cli-serving-public", language, url=f"{access.public}/", behind=address.url), flush=True)
            return
        print(say("cli-serving", language, url=address.url), flush=True)
        if access.lan:
            urls = "  ".join(address.lan_urls)
            print(say("cli-serving-lan", language, urls=urls) if urls else say("cli-serving-no-lan", language))
            print(say("cli-serving-plain", language), flush=True)

    app.run(
        access,
        app.PORT if port is None else port,
        data,
        database=None if database is None else parse_database(database),
        n_workers=n_workers,
        open_browser=open_browser,
        on_ready=say_where,
    )


@_rules.command("list", help="cli-help-list")
def _list(context: typer.Context, json: Json = False, _lang: Lang = "") -> None:
    rulesets = [load(name) for name in builtin_ids()]
    if json:
        output.print_json([output.brief(ruleset) for ruleset in rulesets])
    else:
        output.print_list(rulesets, console(), context.obj)


@_rules.command("show", help="cli-help-show")
def _show(
    context: typer.Context,
    ruleset: RulesetId,
    o: Options = None,
    long: Annotated[bool, typer.Option("--long", help="cli-help-long")] = False,
    json: Json = False,
    _lang: Lang = "",
) -> None:
    composed = compose(ruleset, o or [])
    admitted = admitted_options(ruleset)
    page = page_of(ruleset, dict(composed.options))
    if json:
        output.print_json({**output.whole(composed, admitted), "page": asdict(page)})
    else:
        output.print_ruleset(composed, admitted, console(), context.obj)
        print_page(page, composed, long, console(), context.obj)


@_rules.command("diff", help="cli-help-diff")
def _diff(
    context: typer.Context,
    left: RulesetId,
    right: RulesetId,
    o: Options = None,
    left_options: Annotated[
        list[str] | None, typer.Option("--left", metavar="NAME=VALUE", help="cli-help-left")
    ] = None,
    right_options: Annotated[
        list[str] | None, typer.Option("--right", metavar="NAME=VALUE", help="cli-help-right")
    ] = None,
    json: Json = False,
    _lang: Lang = "",
) -> None:
    one = compose(left, [*(o or []), *(left_options or [])])
    other = compose(right, [*(o or []), *(right_options or [])])
    rows = differences((one, admitted_options(left)), (other, admitted_options(right)), context.obj)
    if json:
        output.print_json(output.difference(one, other, rows))
    else:
        output.print_difference(one, other, rows, console(), context.obj)


@_rules.command("check", help="cli-help-check")
def _check(context: typer.Context, ruleset: RulesetId, json: Json = False, _lang: Lang = "") -> None:
    rules = load(ruleset)
    options = admitted_options(ruleset)
    for option in options:
        for value in option.values:
            if not option.needs:
                compose_ruleset(ruleset, {option.name: value})
    if json:
        output.print_json({**output.brief(rules), "options": [option.name for option in options]})
    else:
        output.print_checked(rules, options, context.obj)


@_rules.command("export", help="cli-help-export")
def _export(ruleset: RulesetId, o: Options = None, _lang: Lang = "") -> None:
    print(to_toml(compose(ruleset, o or [])), end="")


@_rules.command("cases", help="cli-help-cases")
def _cases(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="cli-help-file")],
    json: Json = False,
    _lang: Lang = "",
) -> int:
    outcome = run_cases(read_cases(file), str(file))
    if json:
        output.print_json(output.cases(outcome))
    else:
        output.print_cases(outcome, context.obj)
    return 1 if outcome.failures else 0


def _arranged(arguments: Sequence[str]) -> list[str]:
    """The arguments with a leading `--lang` moved to the end, and with `play` in front where no command is named."""
    rest = list(arguments)
    if rest[:1] == ["--lang"]:
        rest = rest[2:] + rest[:2]
    elif rest and rest[0].startswith("--lang="):
        rest = rest[1:] + rest[:1]
    is_play = not rest or (rest[0].startswith("-") and rest[0] not in ("-h", "--help", "--version"))
    return ["play", *rest] if is_play else rest


def _language(arguments: Sequence[str]) -> Language:
    """The language of `--lang`, else of the environment: help and errors need it before anything is parsed."""
    chosen = [after for before, after in pairwise(arguments) if before == "--lang"]
    chosen += [argument.partition("=")[2] for argument in arguments if argument.startswith("--lang=")]
    known = [language for language in chosen if language in LANGUAGES]
    return pick_language([*known[-1:], *(os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))])


def _translate(command: Any, language: Language) -> None:
    """Put sentences in the place of the keys that a command and its options have for help."""
    rich_utils.ARGUMENTS_PANEL_TITLE = say("cli-arguments", language)
    rich_utils.OPTIONS_PANEL_TITLE = say("cli-options", language)
    rich_utils.COMMANDS_PANEL_TITLE = say("cli-commands", language)
    command.help = say(command.help, language)
    help_option = command.get_help_option(command.make_context("knobel", [], resilient_parsing=True))
    help_option.help = say("cli-help-help", language)
    for parameter in command.params:
        parameter.help = say(parameter.help, language)
    for name in getattr(command, "commands", {}):
        _translate(command.commands[name], language)


def _usage(error: Any, language: Language) -> tuple[str, str]:
    """What is wrong with a command line, and where help is."""
    context = getattr(error, "ctx", None)
    help_text = say("cli-see-help", language, command=context.command_path if context else "knobel")
    parameter = getattr(error, "param", None)
    option = getattr(error, "option_name", None)
    if type(error).__name__ == "NoSuchOption":
        near = [say("error-suggestion", language, suggestion=name) for name in (error.possibilities or [])[:1]]
        text = " ".join([say("cli-no-option", language, found=shown(option)), *near])
    elif type(error).__name__ == "MissingParameter" and parameter is not None:
        text = say("cli-missing", language, name=parameter.metavar or parameter.opts[0])
    elif parameter is not None:
        text = say("cli-bad-value", language, name=parameter.opts[-1], problem=error.message)
    else:
        text = say("cli-usage", language, problem=error.format_message())
    return text, help_text


def _refuse(*lines: str) -> int:
    """Say what is wrong."""
    print("knobel:", "\n".join(map(output.printable, lines)), file=sys.stderr)
    return 2
