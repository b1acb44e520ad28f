"""`import knobel` is the rules core: the standard library and nothing else."""

import subprocess
import sys

CORE = {
    "errors", "dice", "vocabulary", "schema", "option", "ruleset", "scoring", "sheet", "action", "turn", "game",
    "fair", "header", "record", "view",
}  # fmt: skip
HEAVY = {"asyncio", "http", "socket", "sqlite3", "unittest", "multiprocessing", "logging"}


def loaded(code: str) -> set[str]:
    """Names of all modules after this code in a fresh interpreter without site packages' own start-up files."""
    script = f"import sys\nbefore = set(sys.modules)\n{code}\nprint(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_knobel_loads_the_core_only() -> None:
    modules = loaded("import knobel")
    assert {name.split(".")[0] for name in modules} <= {"knobel", *sys.stdlib_module_names}
    assert {name for name in modules if name.startswith("knobel.")} == {f"knobel.{name}" for name in CORE}
    assert not modules & HEAVY


def test_playing_loads_nothing_more() -> None:
    play = """
import knobel, json
for name in knobel.builtin_ids():
    state = knobel.start(knobel.load(name), players=2)
    state = knobel.apply(state, knobel.Throw(), (1,) * state.ruleset.dice)
    json.dumps(knobel.view(state, 0))
    record = knobel.Record(state.ruleset, ("A", "B"))
    list(knobel.Record.parse(record.format()).replay())
"""
    modules = loaded(play)
    assert {name.split(".")[0] for name in modules} <= {"knobel", *sys.stdlib_module_names}
    assert {name for name in modules if name.startswith("knobel.")} == {f"knobel.{name}" for name in CORE}
