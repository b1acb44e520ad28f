"""Tables of exact values: solved into memory or into the data folder, and opened again."""

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from time import perf_counter

import numpy as np

from knobel.errors import Param, Reason
from knobel.ruleset import digest
from knobel.solver import file as files
from knobel.solver.file import Folder, Kind, LayerFile, Manifest, TableError
from knobel.solver.lattice import Array
from knobel.solver.model import Model, Unsolvable, model_of
from knobel.solver.solve import Watch, default_threads, estimated_seconds, get_ready, layers, read_only
from knobel.vocabulary import Ruleset

MOST_EXACT = 1 << 28  # with more values than this, files hold single precision
MOST_SECONDS = 6 * 3600  # a solve that seems to take longer is refused unless it is forced
_RESERVE = 1 << 28  # bytes of disk and memory that are left alone


@dataclass(frozen=True, slots=True)
class Plan:
    """What a solve of a ruleset would take."""

    ruleset: Ruleset
    n_states: int  # states that a game can reach with something left to decide
    n_values: int  # values to be stored: states that play alike are one
    kind: Kind
    disk: int  # bytes
    memory: int  # bytes: two layers, and what is known about every shape
    seconds: float  # about

    @property
    def params(self) -> dict[str, Param]:
        """The same for messages."""
        return {
            "ruleset": self.ruleset.id,
            "states": self.n_states,
            "disk": round(self.disk / 1e9, 1),
            "memory": round(self.memory / 1e9, 1),
            "minutes": round(self.seconds / 60),
        }


@dataclass(frozen=True, slots=True)
class Table:
    """All values of a ruleset, layer by layer, read-only; `seconds` is from the composed ruleset to the last value,
    without compiling and without writing files."""

    model: Model
    layers: tuple[Array, ...]
    value: float  # expected final total of a new pad
    seconds: float
    threads: int
    folder: Folder | None = None

    @property
    def ruleset(self) -> Ruleset:
        """The rules that the values are about."""
        return self.model.ruleset


def plan_of(ruleset: Ruleset, threads: int | None = None) -> Plan:
    """What a solve would take; raises `Unsolvable` for a ruleset that tables cannot hold."""
    model = model_of(ruleset)
    kind: Kind = "float64" if model.n_values <= MOST_EXACT else "float32"
    sizes = [model.size(layer) for layer in range(model.n_layers)]
    disk = model.n_values * np.dtype(kind).itemsize + (0 if kind == "float64" else 8 * max(sizes))
    shapes = sum(array.nbytes for array in (*model.shapes, *model.layers))
    rounded = max(sizes) if kind == "float32" else 0
    memory = 8 * (max(map(sum, pairwise(sizes))) + rounded) + shapes
    seconds = estimated_seconds(model, threads or default_threads())
    return Plan(ruleset, model.n_states, model.n_values, kind, disk, memory, seconds)


def solve(ruleset: Ruleset, threads: int | None = None, watch: Watch | None = None) -> Table:
    """Solve in memory. Raises `Unsolvable`, also for what does not fit in memory or takes very long."""
    threads = threads or default_threads()
    plan = plan_of(ruleset, threads)
    _check(replace(plan, memory=plan.memory + 8 * plan.n_values), None, has_patience=False)
    model = model_of(ruleset)
    get_ready()
    begin = perf_counter()
    found = dict(layers(model, threads, watch=watch))
    value = float(found[0][0])
    ordered = tuple(read_only(found[layer]) for layer in range(model.n_layers))
    return Table(model, ordered, value, model.seconds + perf_counter() - begin, threads)


def solve_into(
    ruleset: Ruleset,
    data: Path,
    threads: int | None = None,
    watch: Watch | None = None,
    is_forced: bool = False,
    is_resumed: bool = False,
    source: Callable[..., Iterator[tuple[int, Array]]] = layers,
) -> Table:
    """The table of the data folder, solved first where it is not there yet.

    A solve that was interrupted goes on if `is_resumed`, and ends with the same table. `is_forced` begins anew whatever
    there is, and does not shrink from a long time. `source` makes the layers: `layers`, or `cluster.layers` with a
    client. Raises `Unsolvable` for what cannot be done here, `TableError` for files that stand in the way.
    """
    folder = files.folder_of(ruleset, data)
    if not is_forced and _is_finished(folder):
        return open_table(ruleset, data)
    threads = threads or default_threads()
    plan = plan_of(ruleset, threads)
    _check(plan, folder.path, has_patience=is_forced or is_resumed)
    model = model_of(ruleset)
    with folder.locked():
        manifest = None if is_forced else folder.manifest()
        if manifest is not None and not is_resumed and manifest.layers:
            if manifest.value is not None:  # another process was quicker
                return open_table(ruleset, data)
            raise TableError(Reason("table-interrupted", {"path": str(folder.path), "ruleset": ruleset.id}))
        if manifest is None or manifest.digest != digest(ruleset) or manifest.kind != plan.kind:
            folder.clear()
            manifest = files.new_manifest(model, plan.kind)
        found: dict[int, Array] = {}
        manifest = replace(manifest, threads=threads, seconds=manifest.seconds + model.seconds)
        get_ready()
        begin = perf_counter()
        above = _above(folder, manifest)
        values = np.zeros(0) if above is None else above[1]
        for layer, values in source(model, threads=threads, watch=watch, above=above):
            if plan.kind == "float64":
                found[layer] = read_only(values)
            manifest = replace(manifest, seconds=manifest.seconds + perf_counter() - begin)
            if layer not in manifest.layers:
                manifest = _keep(folder, manifest, layer, values)
            begin = perf_counter()
        value = float(values[0])
        manifest = replace(manifest, value=value, above=None)
        folder.write_manifest(manifest)
        _drop_above(folder)
    if len(found) == model.n_layers:
        ordered = tuple(found[layer] for layer in range(model.n_layers))
        return Table(model, ordered, value, manifest.seconds, threads, folder)
    return open_table(ruleset, data)


def open_table(ruleset: Ruleset, data: Path) -> Table:
    """The finished table of the data folder. Raises `TableError` where it is missing or not as it was written."""
    folder, model = files.folder_of(ruleset, data), model_of(ruleset)
    manifest, found = files.open_layers(folder, model)
    assert manifest.value is not None
    return Table(model, found, manifest.value, manifest.seconds, manifest.threads, folder)


def listed_tables(data: Path) -> Iterator[tuple[Folder, Manifest | TableError]]:
    """The tables of the data folder, finished or not, with their manifests or why they cannot be read."""
    for path in sorted((data / "tables").glob("*/")):
        folder = Folder(path)
        try:
            manifest = folder.manifest()
        except TableError as error:
            yield folder, error
            continue
        lost = (
            [path for layer in manifest.layers if not (path := folder.layer_path(layer)).exists()] if manifest else []
        )
        if lost:
            yield folder, TableError(Reason("table-file-missing", {"path": str(lost[0])}))
        elif manifest is not None:
            yield folder, manifest


def _is_finished(folder: Folder) -> bool:
    manifest = folder.manifest()
    return manifest is not None and manifest.value is not None


def _above(folder: Folder, manifest: Manifest) -> tuple[int, Array] | None:
    """The lowest layer that a stopped solve has left in full precision, with its number."""
    if not manifest.layers:
        return None
    lowest = min(manifest.layers)
    if manifest.kind == "float64":
        return lowest, folder.read_layer(folder.layer_path(lowest), manifest.layers[lowest], "float64")
    if manifest.above is None:
        raise TableError(Reason("table-file-damaged", {"path": str(folder.manifest_path)}))
    return lowest, folder.read_layer(folder.above_path(lowest), manifest.above, "float64")


def _keep(folder: Folder, manifest: Manifest, layer: int, values: Array) -> Manifest:
    """Write a finished layer, and it alone in full precision as well if the files are rounded."""
    above: LayerFile | None = None
    kept = values
    if manifest.kind == "float32":
        above = folder.write_layer(folder.above_path(layer), values)
        kept = values.astype(np.float32)
    manifest = files.with_layer(manifest, layer, folder.write_layer(folder.layer_path(layer), kept), above)
    folder.write_manifest(manifest)
    _drop_above(folder, layer)
    return manifest


def _drop_above(folder: Folder, kept: int = -1) -> None:
    """Remove what nobody goes on from any more."""
    for path in folder.path.glob("above-*.npy"):
        if path != folder.above_path(kept):
            path.unlink()


def _check(plan: Plan, disk: Path | None, has_patience: bool) -> None:
    """Refuse politely what cannot be done here."""
    if plan.memory > (memory := free_memory()) - _RESERVE:
        raise Unsolvable(Reason("solver-memory", {**plan.params, "free": round(memory / 1e9, 1)}))
    if disk is not None:
        free = shutil.disk_usage(next(path for path in (disk, *disk.parents) if path.exists())).free
        if plan.disk > free - _RESERVE:
            raise Unsolvable(Reason("solver-disk", {**plan.params, "free": round(free / 1e9, 1)}))
    if plan.seconds > MOST_SECONDS and not has_patience:
        raise Unsolvable(Reason("solver-too-long", plan.params))


def free_memory() -> int:
    """Bytes that can be had without pushing others out, where the system tells, else all there are."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        known = dict(line.split(":", 1) for line in lines if ":" in line)
        return int(known["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 1 << 33
