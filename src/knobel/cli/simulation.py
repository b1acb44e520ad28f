"""`knobel simulate`: many games of a computer player, their figures, and if wanted every game in a file."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from knobel.cli import output
from knobel.cli.argument import Data, Games, Json, Lang, Options, RulesetId, Seed, Threads, compose, console
from knobel.cli.games import GamesFile
from knobel.cli.solver import solved_table
from knobel.errors import KnobelError, Reason, RulesetError
from knobel.players.chance import Aimless
from knobel.players.policy import Policy
from knobel.players.simple import Greedy
from knobel.ruleset import digest
from knobel.schema import listed, shown
from knobel.text import box_name, explain, say
from knobel.vocabulary import Language, Ruleset

if TYPE_CHECKING:
    from knobel.sim import Simulation

OPTIMAL = "optimal"
PERCENTILES = (1, 5, 25, 50, 75, 95, 99)
_PLAYERS: Mapping[str, Callable[[], Policy]] = {"greedy": Greedy, "random": Aimless}  # that need no table
_GAMES_OF_OPTIMAL, _GAMES_OF_OTHERS = 1_000_000, 1_000
_OPTIONS_OF_SOLVE = {"solver-too-long", "table-interrupted"}  # errors that speak of what only `knobel solve` takes
_LEAST_BAR = 10  # characters
_EIGHTHS = " ▏▎▍▌▋▊▉"


def _known_policy(text: str) -> str:
    known = [OPTIMAL, *_PLAYERS]
    if text not in known:
        raise RulesetError("--policy", "", Reason("expected-one-of", {"values": listed(known), "found": shown(text)}))
    return text


def simulate(
    context: typer.Context,
    ruleset: RulesetId,
    o: Options = None,
    policy: Annotated[
        str,
        typer.Option("--policy", metavar="optimal|greedy|random", parser=_known_policy, help="cli-help-policy"),
    ] = OPTIMAL,
    games: Games = None,
    seed: Seed = 1,
    threads: Threads = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="cli-help-out")] = None,
    json: Json = False,
    data: Data = None,
    _lang: Lang = "",
) -> None:
    """Print what many games of one player bring."""
    language: Language = context.obj
    n_games = games or (_GAMES_OF_OPTIMAL if policy == OPTIMAL else _GAMES_OF_OTHERS)
    composed = compose(ruleset, o or [])
    file = GamesFile(out) if out else None
    with file or nullcontext():
        if policy == OPTIMAL:
            simulation = _optimal(ruleset, o or [], n_games, seed, threads, data, language)
        else:
            simulation = _others(composed, policy, n_games, seed, threads, language)
        if file is not None:
            file.write(simulation)
    if json:
        output.print_json(_result(simulation, out))
        return
    _print_result(simulation, language)
    if out is not None:
        print()
        print(output.printable(say("cli-simulate-written", language, count=n_games, path=str(out))))


def _optimal(
    source: str,
    options: Sequence[str],
    n_games: int,
    seed: int,
    threads: int | None,
    data: Path | None,
    language: Language,
) -> "Simulation":
    from knobel import sim
    from knobel.cli.progress import Excuse, GamesTeller
    from knobel.solver.model import Unsolvable
    from knobel.solver.values import Values

    try:
        table = solved_table(source, options, data, threads, language)
    except KnobelError as error:
        problem = explain(error, language)
        if error.reason.key in _OPTIONS_OF_SOLVE:
            raise KnobelError(Reason("cli-simulate-solve-first", {"problem": problem})) from None
        if isinstance(error, Unsolvable):
            raise KnobelError(Reason("cli-simulate-greedy", {"problem": problem})) from None
        raise
    values = Values(table)
    with Excuse(language):
        sim.simulate_optimal(values, 1, seed, 1)  # compiled, or read from disk, before the time counts
    with GamesTeller(n_games, language) as teller:
        return sim.simulate_optimal(values, n_games, seed, threads, teller.watch)


def _others(
    ruleset: Ruleset, policy: str, n_games: int, seed: int, threads: int | None, language: Language
) -> "Simulation":
    from knobel import sim
    from knobel.cli.progress import GamesTeller

    with GamesTeller(n_games, language) as teller:
        return sim.simulate(ruleset, _PLAYERS[policy], policy, n_games, seed, threads, teller.watch)


def _result(simulation: "Simulation", out: Path | None) -> dict[str, Any]:
    n_games = len(simulation.totals)
    return {
        "ruleset": simulation.ruleset.id,
        "digest": digest(simulation.ruleset),
        "policy": simulation.policy,
        "games": n_games,
        "seed": simulation.seed,
        "seconds": simulation.seconds,
        "games_per_second": n_games / simulation.seconds,
        "mean": simulation.mean,
        "interval": simulation.interval,
        "deviation": simulation.deviation,
        "min": int(simulation.totals.min()),
        "percentiles": {str(percent): simulation.percentile(percent) for percent in PERCENTILES},
        "max": int(simulation.totals.max()),
        "bonus_rate": simulation.bonus_rate,
        "boxes": {
            str(figures.box): {"mean": figures.mean, "zero_rate": figures.zero_rate}
            for figures in simulation.box_figures()
        },
        "histogram": simulation.histogram(),
        "file": str(out) if out else None,
    }


def _print_result(simulation: "Simulation", language: Language) -> None:
    def points(number: float) -> str:
        return say("cli-points", language, points=number)

    n_games, (low, high) = len(simulation.totals), simulation.interval
    rate = round(n_games / simulation.seconds)
    rows = {
        "policy": say(f"cli-policy-{simulation.policy}", language),
        "games": say("cli-simulate-count", language, count=n_games, seed=str(simulation.seed)),
        "rate": say("cli-simulate-speed", language, rate=rate, time=output.duration(simulation.seconds, language)),
        "mean": say(
            "cli-simulate-interval", language, mean=points(simulation.mean), low=points(low), high=points(high)
        ),
        "deviation": points(simulation.deviation),
    }
    if simulation.ruleset.upper is not None:
        rows["bonus"] = say("cli-percent", language, percent=100 * simulation.bonus_rate)
    output.print_content(console(), output.title_of(simulation.ruleset, language), style="bold")
    output.print_rows({say(f"cli-simulated-{key}", language): text for key, text in rows.items()})
    for content in (_percentiles(simulation, language), _boxes(simulation, language)):
        print()
        output.print_content(console(), content)
    print()
    print("\n".join(_bars(simulation.histogram(), console().width, language)))


def _percentiles(simulation: "Simulation", language: Language) -> Table:
    shares = [say("cli-simulate-percentile", language, percent=percent) for percent in PERCENTILES]
    ends = [say(f"cli-simulate-{end}", language) for end in ("lowest", "highest")]
    table = output.table_of(say("cli-simulate-totals", language), ends[0], *shares, ends[1])
    found = map(simulation.percentile, PERCENTILES)
    totals = (int(simulation.totals.min()), *found, int(simulation.totals.max()))
    table.add_row("", *(say("cli-count", language, count=total) for total in totals))
    for column in table.columns[1:]:
        column.justify = "right"
    return table


def _boxes(simulation: "Simulation", language: Language) -> Table:
    table = output.table_of(*(say(f"cli-column-{title}", language) for title in ("box", "mean", "zeros")))
    for figures in simulation.box_figures():
        table.add_row(
            box_name(str(figures.box), language, simulation.ruleset),
            say("cli-points", language, points=figures.mean),
            say("cli-percent", language, percent=100 * figures.zero_rate),
        )
    for column in table.columns[1:]:
        column.justify = "right"
    return table


def _bars(bins: Sequence[tuple[int, int, int]], width: int, language: Language) -> list[str]:
    """A line for each bin: totals, share of the games, and a bar; the longest one ends at the width."""
    n_games, most = sum(count for *_, count in bins), max(count for *_, count in bins)
    totals = [[say("cli-count", language, count=number) for number in (first, last)] for first, last, _ in bins]
    size = max(len(text) for pair in totals for text in pair)
    shares = [say("cli-percent", language, percent=100 * count / n_games) for *_, count in bins]
    wide = max(map(len, shares))
    pairs = zip(totals, shares, strict=True)
    starts = [f"{first:>{size}}–{last:>{size}}  {share:>{wide}}  " for (first, last), share in pairs]
    room = max(width - len(starts[0]), _LEAST_BAR)
    return [(start + _bar(count / most * room)).rstrip() for start, (*_, count) in zip(starts, bins, strict=True)]


def _bar(length: float) -> str:
    """A bar of so many characters; what is more than nothing can be seen."""
    eighths = max(round(8 * length), 1 if length > 0 else 0)
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8]
