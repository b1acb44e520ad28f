"""Tables on disk: what is written is read again bit by bit; what is damaged, foreign or unfinished never is."""

import errno
import io
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from time import sleep
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import knobel
from knobel import KnobelError, Ruleset
from knobel.solver import table
from knobel.solver.file import Folder, TableError, folder_of
from knobel.solver.model import Unsolvable, model_of
from knobel.solver.solve import Progress
from knobel.solver.table import Table, listed_tables, open_table, plan_of, solve, solve_into
from knobel.solver.values import Values
from tests.solver.toys import SOLVABLE, TOYS

TOY = TOYS["bonus-open"]  # three boxes
ROOT = Path(__file__).parents[2]
GB = 1_000_000_000


@pytest.fixture
def whole(tmp_path: Path) -> Table:
    """A finished table of the toy in `tmp_path`."""
    return solve_into(TOY, tmp_path, threads=1)


def bits(found: Table) -> list[bytes]:
    """All values."""
    return [layer.tobytes() for layer in found.layers]


def files_of(data: Path, ruleset: Ruleset = TOY) -> dict[str, bytes]:
    """The contents of all values on disk."""
    return {path.name: path.read_bytes() for path in folder_of(ruleset, data).path.glob("*.npy")}


def folder_in(data: Path, ruleset: Ruleset = TOY) -> Folder:
    """The place of the toy's table."""
    return folder_of(ruleset, data)


def refusal(ask: Callable[[], object], path: Path) -> str:
    """The key of the error that names the path."""
    with pytest.raises(TableError) as caught:
        ask()
    assert caught.value.reason.params["path"] == str(path)
    assert str(path) in str(caught.value)
    return caught.value.reason.key


def found_or_refused(data: Path) -> Table | TableError:
    """What opening the toy's table comes to."""
    try:
        return open_table(TOY, data)
    except TableError as error:
        return error


class Stopped(BaseException):
    """As Ctrl-C."""


# Whole tables


@pytest.mark.parametrize("name", ["bonus-open", "saved-bonus", "columns-bonus", "fives-four-boxes"])
def test_a_finished_table_is_read_as_it_was_solved(name: str, tmp_path: Path) -> None:
    ruleset = TOYS[name]
    there, memory = solve_into(ruleset, tmp_path), solve(ruleset)
    again = open_table(ruleset, tmp_path)
    assert bits(there) == bits(memory) == bits(again)
    assert there.value == memory.value == again.value == again.layers[0][0]
    assert (there.seconds, there.threads) == (again.seconds, again.threads)
    assert again.folder == there.folder == folder_of(ruleset, tmp_path)
    assert again.folder.n_bytes() == sum(path.stat().st_size for path in again.folder.path.iterdir())
    assert not any(layer.flags.writeable for found in (there, memory, again) for layer in found.layers)
    state = knobel.apply(knobel.start(ruleset), knobel.Throw(), (6, 6))
    assert Values.open(ruleset, tmp_path).action_values(state) == Values(memory).action_values(state)


def test_a_finished_table_is_not_solved_again(tmp_path: Path, whole: Table) -> None:
    def watch(_: Progress) -> None:
        raise AssertionError("solved again")

    assert bits(solve_into(TOY, tmp_path, watch=watch)) == bits(whole)
    with pytest.raises(AssertionError, match="solved again"):
        solve_into(TOY, tmp_path, watch=watch, is_forced=True)
    assert refusal(lambda: open_table(TOY, tmp_path), folder_in(tmp_path).path) == "table-unfinished"
    shutil.rmtree(folder_in(tmp_path).path)
    assert refusal(lambda: open_table(TOY, tmp_path), folder_in(tmp_path).path) == "table-missing"


def test_tables_are_listed(tmp_path: Path, whole: Table) -> None:
    assert list(listed_tables(tmp_path / "nothing")) == []
    stop_after(2, TOYS["lower"], tmp_path)
    (tmp_path / "tables" / "empty").mkdir()
    broken = tmp_path / "tables" / "broken" / "table.json"
    broken.parent.mkdir()
    broken.write_text("{")
    found = dict(listed_tables(tmp_path))
    assert found.keys() == {folder_in(tmp_path), folder_in(tmp_path, TOYS["lower"]), Folder(broken.parent)}
    assert isinstance(error := found[Folder(broken.parent)], TableError)
    assert (error.reason.key, error.reason.params["path"]) == ("table-unreadable", str(broken))
    finished, other = found[folder_in(tmp_path)], found[folder_in(tmp_path, TOYS["lower"])]
    assert not isinstance(finished, TableError)
    assert not isinstance(other, TableError)
    assert (finished.value, finished.ruleset, finished.n_states) == (whole.value, "toy", model_of(TOY).n_states)
    assert (other.value, sorted(other.layers)) == (None, [2, 3])


# Damage


@pytest.mark.parametrize("layer", range(4))
def test_damaged_files_are_refused(layer: int, tmp_path: Path, whole: Table) -> None:
    path, rng = folder_in(tmp_path).layer_path(layer), Random(layer)
    good = path.read_bytes()
    npz = io.BytesIO()
    np.savez(npz, values=np.zeros(3))
    flipped = bytearray(good)
    flipped[rng.randrange(128, len(good))] ^= 1 << rng.randrange(8)
    other = io.BytesIO()
    np.save(other, whole.layers[layer].astype(np.float32))
    longer = io.BytesIO()
    np.save(longer, np.concatenate([whole.layers[layer], [0.0]]))
    objects = io.BytesIO()
    np.save(objects, np.array([{}]), allow_pickle=True)
    damaged = [
        b"", good[:-1], good[:-8], good[:60], good[: len(good) // 2], bytes(len(good)), b"\x80\x04N.",
        good[:128] + bytes(len(good) - 128), bytes(flipped), other.getvalue(),
        longer.getvalue(), objects.getvalue(), npz.getvalue(), b"PK\x03\x04" + good,
    ]  # fmt: skip
    for data in damaged:
        if data == good:
            continue  # a layer of zeros
        path.write_bytes(data)
        assert refusal(lambda: open_table(TOY, tmp_path), path) == "table-file-damaged"
        assert refusal(lambda: solve_into(TOY, tmp_path), path) == "table-file-damaged"
    path.unlink()
    assert refusal(lambda: open_table(TOY, tmp_path), path) == "table-file-missing"
    path.mkdir()
    assert refusal(lambda: open_table(TOY, tmp_path), path) == "table-file-damaged"
    path.rmdir()
    path.write_bytes(good)
    assert bits(open_table(TOY, tmp_path)) == bits(whole)


def test_no_flipped_bit_is_read(tmp_path: Path, whole: Table) -> None:
    """Each bit of the head of a file, and of its first values: it is refused, or does not matter."""
    path = folder_in(tmp_path).layer_path(2)
    good, n_refused = path.read_bytes(), 0
    for bit in range(8 * 160):
        data = bytearray(good)
        data[bit // 8] ^= 1 << bit % 8
        path.write_bytes(data)
        found = found_or_refused(tmp_path)
        if isinstance(found, TableError):
            assert (found.reason.key, found.reason.params["path"]) == ("table-file-damaged", str(path))
            n_refused += 1
        else:
            assert bits(found) == bits(whole), bit
    assert n_refused > 8 * 150


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"[]", b"null", b'"x"', b"{}", b'{"format": 1}', b"\xff\xfe", b"\0" * 100, b"[" * 100_000],
    ids=lambda data: repr(data[:20]),
)
def test_a_manifest_that_is_none_is_refused(data: bytes, tmp_path: Path, whole: Table) -> None:
    path = folder_in(tmp_path).manifest_path
    path.write_bytes(data)
    assert refusal(lambda: open_table(TOY, tmp_path), path) == "table-unreadable"
    assert refusal(lambda: solve_into(TOY, tmp_path), path) == "table-unreadable"
    (listed,) = [found for _, found in listed_tables(tmp_path)]
    assert isinstance(listed, TableError)
    assert bits(solve_into(TOY, tmp_path, is_forced=True)) == bits(open_table(TOY, tmp_path)) == bits(whole)


@pytest.mark.parametrize("version", [0, 2, 99, "1", None, [1]])
def test_other_formats_are_refused(version: object, tmp_path: Path, whole: Table) -> None:
    path = folder_in(tmp_path).manifest_path
    path.write_text(json.dumps(json.loads(path.read_text()) | {"format": version}))
    with pytest.raises(TableError) as caught:
        open_table(TOY, tmp_path)
    assert caught.value.reason.key == "table-format"
    assert caught.value.reason.params == {"path": str(path), "found": str(version), "expected": 1}


FIELDS = (
    "digest", "ruleset", "options", "rules", "kind", "n_layers", "layers", "value", "n_states", "seconds", "threads",
    "above",
)  # fmt: skip


@pytest.mark.parametrize("field", [*FIELDS, "surplus"])
def test_a_manifest_with_a_wrong_word_is_refused_or_makes_no_difference(
    field: str, tmp_path: Path, whole: Table
) -> None:
    path = folder_in(tmp_path).manifest_path
    good = json.loads(path.read_text())
    assert good.keys() == {"format", *FIELDS}
    some: list[Any] = [
        None, 0, -1, 1e300, True, "x", [], [1], {}, {"a": 1}, {"1": {}}, {"x": good["layers"]["1"]},
        {**good["layers"], "2": good["layers"]["1"]}, {**good["layers"], "4": good["layers"]["1"]},
        {**good["layers"], "1": {"n_values": "5", "crc": [0]}},
    ]  # fmt: skip
    n_refused = 0
    for value in some:
        path.write_text(json.dumps(good | {field: value}))
        found = found_or_refused(tmp_path)
        if isinstance(found, TableError):
            assert str(folder_in(tmp_path).path) in str(found.reason.params["path"])
            n_refused += 1
        else:
            assert (bits(found), found.value) == (bits(whole), whole.value)
    assert n_refused == len(some) or field not in ("digest", "rules", "layers", "surplus")
    assert n_refused > 0 or field not in ("kind", "above")


def test_tables_of_other_rules_are_refused(tmp_path: Path, whole: Table) -> None:
    other = TOYS["bonus-large"]  # as many boxes, totals and values
    mine, foreign = folder_in(tmp_path), folder_in(tmp_path, other)
    assert solve_into(other, tmp_path).value > whole.value + 100
    shutil.rmtree(mine.path)
    shutil.copytree(foreign.path, mine.path)
    asks: list[Callable[[Ruleset, Path], object]] = [open_table, solve_into, Values.open]
    for ask in asks:
        assert refusal(partial(ask, TOY, tmp_path), mine.manifest_path) == "table-foreign"
    shutil.copy(foreign.layer_path(1), mine.layer_path(1))
    assert bits(solve_into(TOY, tmp_path, is_forced=True)) == bits(whole)
    shutil.copy(foreign.layer_path(1), mine.layer_path(1))
    assert refusal(lambda: open_table(TOY, tmp_path), mine.layer_path(1)) == "table-file-damaged"


def test_an_unfinished_table_of_other_rules_is_not_gone_on_with(tmp_path: Path) -> None:
    other = TOYS["bonus-large"]
    stop_after(2, other, tmp_path)
    folder_in(tmp_path, other).path.rename(folder_in(tmp_path).path)
    assert refusal(lambda: open_table(TOY, tmp_path), folder_in(tmp_path).manifest_path) == "table-foreign"
    assert bits(solve_into(TOY, tmp_path, is_resumed=True)) == bits(solve(TOY))


def test_names_do_not_matter(tmp_path: Path, whole: Table) -> None:
    """Rules that play the same share a table."""
    renamed = replace(TOY, id="other", labels=TOY.categories[0].labels)
    assert bits(open_table(renamed, tmp_path)) == bits(whole)


def test_a_folder_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "tables").write_text("in the way")
    for is_forced in (False, True):
        with pytest.raises(TableError) as caught:
            solve_into(TOY, tmp_path, is_forced=is_forced)
        assert str(folder_in(tmp_path).path) in str(caught.value.reason.params["path"])


# Interruptions


def stop_after(n_layers: int, ruleset: Ruleset, data: Path) -> None:
    """Solve until so many layers, the full pad among them, lie on disk."""
    model = model_of(ruleset)

    def watch(progress: Progress) -> None:
        if progress.layer < model.n_layers - n_layers:
            raise Stopped

    with pytest.raises(Stopped):
        solve_into(ruleset, data, watch=watch)


@pytest.fixture(params=["float64", "float32"])
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both kinds of files; the second as if a toy had too many values."""
    if request.param == "float32":
        monkeypatch.setattr(table, "MOST_EXACT", 1)
    return str(request.param)


def test_files_of_single_precision(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "MOST_EXACT", 1)
    exact, found = solve(TOYS["saved-bonus"]), solve_into(TOYS["saved-bonus"], tmp_path)
    assert {layer.dtype for layer in found.layers} == {np.dtype(np.float32)}
    assert bits(found) == [layer.astype(np.float32).tobytes() for layer in exact.layers]  # rounded once, not each time
    assert found.value == exact.value
    assert list(found.folder.path.glob("above-*")) == [] if found.folder else False
    again = Values.open(TOYS["saved-bonus"], tmp_path)
    assert bits(again.table) == bits(found)
    state = knobel.apply(knobel.start(again.ruleset), knobel.Throw(), (6, 6))
    expected = Values(exact).action_values(state)
    assert dict(again.action_values(state)) == pytest.approx(dict(expected), abs=1e-5)
    assert dict(again.action_values(state)) != dict(expected)


@pytest.mark.parametrize("n_layers", [1, 2, 3])
def test_a_stopped_solve_goes_on(n_layers: int, kind: str, tmp_path: Path) -> None:
    expected = solve_into(TOY, tmp_path / "whole")
    stop_after(n_layers, TOY, tmp_path)
    folder = folder_in(tmp_path)
    manifest = folder.manifest()
    assert manifest is not None
    assert (sorted(manifest.layers), manifest.value) == (list(range(4 - n_layers, 4)), None)
    assert len(files_of(tmp_path)) == n_layers + (kind == "float32")  # the lowest also in full precision
    assert refusal(lambda: open_table(TOY, tmp_path), folder.path) == "table-unfinished"
    assert refusal(lambda: solve_into(TOY, tmp_path), folder.path) == "table-interrupted"
    told: list[Progress] = []
    resumed = solve_into(TOY, tmp_path, is_resumed=True, watch=told.append)
    assert {progress.layer for progress in told} == set(range(4 - n_layers))
    assert told[-1].share == 1
    assert (bits(resumed), resumed.value) == (bits(expected), expected.value)
    assert files_of(tmp_path) == files_of(tmp_path / "whole")


def test_a_stopped_solve_begins_anew(kind: str, tmp_path: Path) -> None:
    expected = solve_into(TOY, tmp_path / "whole")
    stop_after(2, TOY, tmp_path)
    told: list[Progress] = []
    assert bits(solve_into(TOY, tmp_path, is_forced=True, watch=told.append)) == bits(expected)
    assert {progress.layer for progress in told} == {0, 1, 2}
    assert files_of(tmp_path) == files_of(tmp_path / "whole")


def test_a_stopped_solve_whose_files_are_damaged_does_not_go_on(kind: str, tmp_path: Path) -> None:
    stop_after(2, TOY, tmp_path)
    folder = folder_in(tmp_path)
    path = folder.layer_path(2) if kind == "float64" else folder.above_path(2)
    data = bytearray(path.read_bytes())
    data[-3] ^= 4
    path.write_bytes(data)
    assert refusal(lambda: solve_into(TOY, tmp_path, is_resumed=True), path) == "table-file-damaged"
    path.unlink()
    assert refusal(lambda: solve_into(TOY, tmp_path, is_resumed=True), path) == "table-file-missing"
    folder.layer_path(3).write_bytes(b"")  # what lies higher is found out in the end
    expected = solve(TOY).value
    assert solve_into(TOY, tmp_path, is_forced=True).value == expected


def test_a_solve_may_be_stopped_at_every_moment(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before and after each file is durable or in its place: nothing half is read, and it goes on to the same end."""
    expected = solve_into(TOY, tmp_path / "whole")
    moment, n_stopped = 0, 0
    while moment >= 0:
        data = tmp_path / str(moment)
        with monkeypatch.context() as patch:
            count = count_down(patch, moment)
            try:
                solve_into(TOY, data)
                moment = -1  # it ended before
                break
            except Stopped:
                n_stopped += 1
        manifest = folder_in(data).manifest()
        left_over = set()
        if manifest is not None and manifest.value is not None:
            left_over = {"above-00.npy"}  # nobody reads it any more
            assert bits(open_table(TOY, data)) == bits(expected)
        else:
            missing = manifest is None
            key = refusal(partial(open_table, TOY, data), folder_in(data).path)
            assert key == ("table-missing" if missing else "table-unfinished")
        resumed = solve_into(TOY, data, is_resumed=True)
        assert (bits(resumed), resumed.value) == (bits(expected), expected.value), moment
        there = files_of(data)
        assert {name: there[name] for name in there.keys() - left_over} == files_of(tmp_path / "whole")
        assert count[0] < 0
        moment += 1
    assert n_stopped >= 3 * (2 * 4 + 1)  # nothing is written in place


def test_an_old_table_is_gone_before_a_new_one_begins(tmp_path: Path, whole: Table) -> None:
    def watch(_: Progress) -> None:
        raise Stopped

    part = folder_in(tmp_path).path / "layer-01.npy.part"
    part.write_bytes(b"half")
    with pytest.raises(Stopped):
        solve_into(TOY, tmp_path, is_forced=True, watch=watch)
    assert files_of(tmp_path).keys() == {"layer-03.npy"}
    assert not part.exists()
    assert bits(solve_into(TOY, tmp_path, is_resumed=True)) == bits(whole)


def count_down(patch: pytest.MonkeyPatch, moment: int) -> list[int]:
    """Stop at this call, counted from 0, of what makes files durable or removes them."""
    left = [moment]

    def stopping(function: Callable[..., Any]) -> Callable[..., Any]:
        def stopped(*arguments: Any, **more: Any) -> Any:
            left[0] -= 1
            if left[0] == -1:
                raise Stopped
            return function(*arguments, **more)

        return stopped

    patch.setattr(os, "fsync", stopping(os.fsync))
    patch.setattr(Path, "replace", stopping(Path.replace))
    patch.setattr(Path, "unlink", stopping(Path.unlink))
    return left


@pytest.mark.parametrize("moment", [0, 1, 4, 9])
def test_a_full_disk_is_told(moment: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left, real = [moment], os.fsync

    def full(descriptor: int) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(descriptor)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(TableError) as caught:
            solve_into(TOY, tmp_path)
    assert caught.value.reason.key == "table-not-written"
    assert caught.value.reason.params["problem"] == "No space left on device"
    assert Path(str(caught.value.reason.params["path"])).parent == folder_in(tmp_path).path
    assert list(folder_in(tmp_path).path.glob("*.part")) == []
    assert bits(solve_into(TOY, tmp_path, is_resumed=True)) == bits(solve(TOY))


SCRIPT = """
import sys, time
from pathlib import Path
import knobel
from knobel.solver import table
def watch(progress):
    print(progress.layer, flush=True)
    time.sleep(float(sys.argv[3]))
if sys.argv[2] == "float32":
    table.MOST_EXACT = 1
try:
    table.solve_into(knobel.load("kniffel-2003"), Path(sys.argv[1]), threads=2, watch=watch, is_resumed=True)
    print("done", flush=True)
except table.TableError as error:
    print(error.reason.key, error.reason.params["path"], flush=True)
"""


def other_process(data: Path, kind: str, pause: float) -> subprocess.Popen[str]:
    """Another process that solves, or goes on, and tells the layer of each task."""
    command = [sys.executable, "-c", SCRIPT, str(data), kind, str(pause)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)


def test_a_killed_solve_goes_on(kind: str, tmp_path: Path) -> None:
    """Killed again and again, each time a little later."""
    ruleset, rng = knobel.load("kniffel-2003"), Random(5)
    expected = solve_into(ruleset, tmp_path / "whole")
    layers_seen = []
    for _ in range(3):
        with other_process(tmp_path, kind, 0.01) as process:
            assert process.stdout is not None
            for _ in range(rng.randrange(3, 14)):
                line = process.stdout.readline()
                assert line.strip().isdecimal(), line
            sleep(rng.uniform(0, 0.05))
            process.send_signal(signal.SIGKILL)
        assert process.returncode == -signal.SIGKILL
        layers_seen.append(int(line))
        assert refusal(lambda: open_table(ruleset, tmp_path), folder_in(tmp_path, ruleset).path) == "table-unfinished"
    assert layers_seen == sorted(layers_seen, reverse=True)
    assert layers_seen[0] > layers_seen[-1]
    resumed = solve_into(ruleset, tmp_path, is_resumed=True)
    assert (bits(resumed), resumed.value) == (bits(expected), expected.value)
    assert files_of(tmp_path, ruleset) == files_of(tmp_path / "whole", ruleset)
    assert list(folder_in(tmp_path, ruleset).path.glob("*.part")) == []


def test_two_processes_do_not_solve_the_same_table(tmp_path: Path) -> None:
    ruleset, told = knobel.load("kniffel-2003"), list[str]()

    def watch(progress: Progress) -> None:
        if not told:
            with other_process(tmp_path, "float64", 0) as process:
                told.extend(process.communicate()[0].split("\n"))

    found = solve_into(ruleset, tmp_path, watch=watch)
    assert told == [f"table-in-work {folder_in(tmp_path, ruleset).path}", ""]
    assert bits(open_table(ruleset, tmp_path)) == bits(found)
    with other_process(tmp_path, "float64", 0) as process:
        assert process.communicate()[0] == "done\n"


# Refusals


def patch_room(monkeypatch: pytest.MonkeyPatch, memory: int, disk: int) -> None:
    """Make believe that there are so many bytes."""
    monkeypatch.setattr(table, "free_memory", lambda: memory)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(total=disk, used=0, free=disk))


def test_what_does_not_fit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ruleset = knobel.load("six-dice")
    plan = plan_of(ruleset, 2)
    assert (plan.n_states, plan.kind) == (1_269_658_211, "float32")
    assert 3.1 * GB < plan.disk < 6 * GB
    assert 2.2 * GB < plan.memory < 6 * GB
    many, less = 100 * GB, 2 * GB
    for memory, disk, key in ((less, many, "solver-memory"), (many, less, "solver-disk")):
        patch_room(monkeypatch, memory, disk)
        for is_forced in (False, True):
            with pytest.raises(Unsolvable) as caught:
                solve_into(ruleset, tmp_path, threads=2, is_forced=is_forced)
            assert caught.value.reason.key == key
            params = caught.value.reason.params
            assert params.items() > plan.params.items()
            assert (params["ruleset"], str(params["states"]).replace(",", "")) == ("six-dice", "1269658211")
            numbers = [float(params[name]) for name in ("disk", "memory", "free")]
            assert numbers == pytest.approx([plan.disk / GB, plan.memory / GB, 2], abs=0.06)
            assert float(params["minutes"]) == pytest.approx(plan.seconds / 60, abs=0.6)
    patch_room(monkeypatch, less, many)
    with pytest.raises(Unsolvable) as caught:
        solve(ruleset, threads=2)
    assert caught.value.reason.key == "solver-memory"
    assert files_of(tmp_path, ruleset) == {}


def test_what_takes_too_long_is_refused_unless_forced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "MOST_SECONDS", 0)
    asks: list[Callable[[], Table]] = [partial(solve, TOY), partial(solve_into, TOY, tmp_path)]
    for ask in asks:
        with pytest.raises(Unsolvable) as caught:
            ask()
        assert caught.value.reason.key == "solver-too-long"
        assert caught.value.reason.params == plan_of(TOY).params
    assert solve_into(TOY, tmp_path, is_forced=True).value == open_table(TOY, tmp_path).value


def test_a_plan_is_what_is_written(kind: str, tmp_path: Path) -> None:
    ruleset = knobel.load("kniffel-2003")
    plan = plan_of(ruleset)
    n_bytes = 0

    def watch(_: Progress) -> None:
        nonlocal n_bytes
        n_bytes = max(n_bytes, folder_in(tmp_path, ruleset).n_bytes())

    found = solve_into(ruleset, tmp_path, watch=watch)
    assert (plan.n_values, plan.kind) == (sum(map(len, found.layers)), kind)
    heads = 30 * 128 + 5000
    assert n_bytes <= plan.disk + heads
    assert plan.n_values * np.dtype(kind).itemsize <= folder_in(tmp_path, ruleset).n_bytes() <= plan.disk + heads


@pytest.mark.parametrize("name", [name for name in TOYS if name not in SOLVABLE])
def test_words_that_tables_do_not_know(name: str, tmp_path: Path) -> None:
    words = [word for word in ("tokens", "earned_throws", "special_rounds", "no_strike") if getattr(TOYS[name], word)]
    ruleset = TOYS[name]
    asks: list[Callable[[], object]] = [
        partial(model_of, ruleset), partial(plan_of, ruleset), partial(solve, ruleset), partial(Values.solve, ruleset),
        partial(solve_into, ruleset, tmp_path),
    ]  # fmt: skip
    for ask in asks:
        with pytest.raises(Unsolvable) as caught:
            ask()
        assert caught.value.reason.key == "solver-word"
        assert caught.value.reason.params["word"] in words
    assert list(tmp_path.rglob("*.npy")) == []


def test_pads_that_are_too_large(tmp_path: Path) -> None:
    with pytest.raises(Unsolvable) as caught:
        solve_into(knobel.load("acht-mann"), tmp_path)
    assert caught.value.reason.key == "solver-word"
    assert caught.value.reason.params == {"ruleset": "acht-mann", "word": "tokens"}
    with pytest.raises(Unsolvable) as caught:
        solve_into(knobel.load("classic", columns=3), tmp_path)
    assert caught.value.reason.key == "solver-too-many-states"
    params = caught.value.reason.params
    assert params["ruleset"] == "classic"
    assert float(params["states"]) > 1 << 39  # every set of filled boxes, with all upper totals
    assert float(params["disk"]) * GB > 1 << 39
    assert float(params["hours"]) > 1000
    assert isinstance(caught.value, KnobelError)
