"""Tables of values on disk: a folder for each ruleset, with one file for each layer and a manifest.

A layer is a numpy file; it is written beside its place, made durable, then renamed. The manifest is replaced the same
way after each layer, and names every file with its length and checksum: what it does not vouch for is not read. So a
solve may be stopped at any moment and go on, and a table that is cut short, empty, of other rules or of an older format
is refused by name.
"""

import fcntl
import json
import os
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, Literal

import numpy as np

from knobel.errors import KnobelError, Param, Reason
from knobel.ruleset import canonical, digest
from knobel.solver.lattice import Array
from knobel.solver.model import Model
from knobel.vocabulary import Ruleset

FORMAT = 1  # of the files, and of the order of values in them
MANIFEST, LOCK = "table.json", "solving.lock"
Kind = Literal["float64", "float32"]
_PIECE = 1 << 24  # bytes that are summed up at once


class TableError(KnobelError):
    """A table that cannot be used: the reason names the file."""


@dataclass(frozen=True, slots=True)
class LayerFile:
    """A finished layer: the number of its values and the checksum of their bytes (CRC-32)."""

    n_values: int
    crc: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a table is, and how far it is."""

    format: int
    digest: str
    ruleset: str  # id, for people to read
    options: dict[str, Any]
    rules: str  # canonical JSON
    kind: Kind
    n_layers: int
    layers: dict[int, LayerFile]
    value: float | None = None  # of the empty pad, in full precision; None: not finished
    n_states: int = 0
    seconds: float = 0.0
    threads: int = 0
    above: LayerFile | None = None  # the lowest layer so far in full precision, to go on from


@dataclass(frozen=True, slots=True)
class Folder:
    """The place of one table."""

    path: Path

    @property
    def manifest_path(self) -> Path:
        """Where the manifest lies."""
        return self.path / MANIFEST

    def layer_path(self, layer: int) -> Path:
        """Where a layer lies."""
        return self.path / f"layer-{layer:02}.npy"

    def above_path(self, layer: int) -> Path:
        """Where the lowest layer lies in full precision while a solve with rounded files is not finished."""
        return self.path / f"above-{layer:02}.npy"

    def manifest(self) -> Manifest | None:
        """The manifest; None where there is none. Raises `TableError` for one that cannot be read or is older."""
        try:
            raw = json.loads(self.manifest_path.read_bytes())
            if raw["format"] != FORMAT:
                raise _error("table-format", self.manifest_path, found=str(raw["format"])[:20], expected=FORMAT)
            if not isinstance(raw["options"], dict) or not isinstance(raw["rules"], str):
                raise TypeError("options")
            raw["layers"] = {int(layer): LayerFile(**file) for layer, file in raw["layers"].items()}
            raw["above"] = LayerFile(**raw["above"]) if raw["above"] else None
            return Manifest(**raw)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise _error("table-unreadable", self.manifest_path) from None

    def write_manifest(self, manifest: Manifest) -> None:
        """Replace the manifest, durably."""
        data = json.dumps(asdict(manifest), indent=1).encode()
        _replace(self.manifest_path, lambda file: file.write(data))

    def write_layer(self, path: Path, values: Array) -> LayerFile:
        """Write values as they are to a file, durably."""
        _replace(path, lambda file: np.lib.format.write_array(file, values, allow_pickle=False))
        return LayerFile(len(values), checksum(values))

    def read_layer(self, path: Path, expected: LayerFile, kind: Kind) -> Array:
        """The values of a file, mapped into memory. Raises `TableError` if a single bit is not as it was written."""
        try:
            header = _header(kind, expected.n_values)
            with path.open("rb") as file:
                is_whole = file.read(len(header)) == header and _checksum_of(file) == expected.crc
            if not is_whole or path.stat().st_size != len(header) + expected.n_values * np.dtype(kind).itemsize:
                raise _error("table-file-damaged", path)
            values = np.memmap(path, kind, "r", len(header), (expected.n_values,))
        except FileNotFoundError:
            raise _error("table-file-missing", path) from None
        except (OSError, ValueError, TypeError):
            raise _error("table-file-damaged", path) from None
        return np.asarray(values)  # a plain array over the same bytes

    @contextmanager
    def locked(self) -> Iterator[None]:
        """For as long as this process solves into the folder. Raises `TableError` if another one does."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            lock = (self.path / LOCK).open("a")
        except OSError as error:
            raise _error("table-folder", self.path, problem=error.strerror or str(error)) from None
        with lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise _error("table-in-work", self.path) from None
            yield

    def clear(self) -> None:
        """Remove the table; the manifest goes first, so that nothing half-removed is taken for whole."""
        for path in [self.manifest_path, *self.path.glob("*.npy"), *self.path.glob("*.part")]:
            path.unlink(missing_ok=True)

    def n_bytes(self) -> int:
        """Room that the table takes on disk."""
        return sum(path.stat().st_size for path in self.path.glob("*") if path.is_file())


def folder_of(ruleset: Ruleset, data: Path) -> Folder:
    """The place of a ruleset's table within the data folder: rules that play the same share one."""
    return Folder(data / "tables" / digest(ruleset)[:16])


def open_layers(folder: Folder, model: Model) -> tuple[Manifest, tuple[Array, ...]]:
    """A finished table. Raises `TableError` if there is none, or if it is not what was written for these rules."""
    manifest = folder.manifest()
    if manifest is None:
        raise _error("table-missing", folder.path, ruleset=model.ruleset.id)
    if manifest.rules != canonical(model.ruleset) or manifest.digest != digest(model.ruleset):
        raise _error("table-foreign", folder.manifest_path, ruleset=model.ruleset.id, found=shown_id(manifest))
    if manifest.value is None or sorted(manifest.layers) != list(range(model.n_layers)):
        raise _error("table-unfinished", folder.path, ruleset=model.ruleset.id)
    for layer, file in manifest.layers.items():
        if file.n_values != model.size(layer):
            raise _error("table-file-damaged", folder.layer_path(layer))
    with ThreadPoolExecutor() as pool:
        layers = tuple(
            pool.map(
                lambda layer: folder.read_layer(folder.layer_path(layer), manifest.layers[layer], manifest.kind),
                range(model.n_layers),
            )
        )
    if type(manifest.value) is not float or layers[0].dtype.type(manifest.value) != layers[0][0]:
        raise _error("table-unreadable", folder.manifest_path)
    return manifest, layers


def shown_id(manifest: Manifest) -> str:
    """The ruleset and the options of a table, for messages."""
    return " ".join([str(manifest.ruleset)[:40], *(f"{name}={value}" for name, value in manifest.options.items())])[:80]


def checksum(values: Array) -> int:
    """CRC-32 of the bytes."""
    data, crc = values.view(np.uint8).data, 0
    for start in range(0, len(data), _PIECE):
        crc = zlib.crc32(data[start : start + _PIECE], crc)
    return crc


def _header(kind: Kind, n_values: int) -> bytes:
    """What stands before the values in a numpy file: compared as it is, nothing of a damaged one is interpreted."""
    header = BytesIO()
    described = {"descr": np.dtype(kind).str, "fortran_order": False, "shape": (n_values,)}
    np.lib.format.write_array_header_1_0(header, described)
    return header.getvalue()


def _checksum_of(file: BinaryIO) -> int:
    """CRC-32 of the rest of a file, which is read and not mapped: a mapped page would count as memory in use."""
    crc = 0
    while piece := file.read(_PIECE):
        crc = zlib.crc32(piece, crc)
    return crc


def new_manifest(model: Model, kind: Kind) -> Manifest:
    """The manifest of a table without any layer."""
    rules = model.ruleset
    return Manifest(
        FORMAT, digest(rules), rules.id, dict(rules.options), canonical(rules), kind, model.n_layers, {},
        n_states=model.n_states,
    )  # fmt: skip


def with_layer(manifest: Manifest, layer: int, file: LayerFile, above: LayerFile | None) -> Manifest:
    """The manifest with one more finished layer."""
    return replace(manifest, layers={**manifest.layers, layer: file}, above=above)


def _replace(path: Path, write: Any) -> None:
    part = path.with_name(f"{path.name}.part")
    try:
        with part.open("wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
        parent = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(parent)
        finally:
            os.close(parent)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise _error("table-not-written", path, problem=error.strerror or str(error)) from None


def _error(key: str, path: Path, **params: Param) -> TableError:
    return TableError(Reason(key, {"path": str(path), **params}))
