"""Simulated games as a file with a row for each: CSV, Parquet or JSON, by the ending of its name.

The file is written beside its place and gets its name once it is whole.
"""

import csv
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from knobel.errors import KnobelError, Reason
from knobel.schema import listed, shown

if TYPE_CHECKING:
    from knobel.sim import Simulation

    Columns = dict[str, Any]  # numbers of games, by name

_ROWS = 1 << 16  # that are worked on at once


class GamesFile:
    """A file that games are to be written to; as a context it can be tried before they are played."""

    def __init__(self, path: Path) -> None:
        """Raises `KnobelError` for an ending that is not known, or one whose package is missing."""
        ending = path.suffix.lower()
        if ending not in _WRITERS:
            known: dict[str, str] = {"found": shown(path.name), "values": listed(list(_WRITERS))}
            raise KnobelError(Reason("games-ending", known))
        if ending == ".parquet":
            _check_parquet()
        self.path = path
        self._write = _WRITERS[ending]
        self._part = path.with_name(f".{path.name}.{os.getpid()}.part")

    def __enter__(self) -> Self:
        """Begin the file; raises `KnobelError` where none can be."""
        if self.path.is_dir():
            raise self._refusal(IsADirectoryError(21, os.strerror(21)))
        try:
            self._part.touch()
        except OSError as error:
            raise self._refusal(error) from None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave nothing half done behind."""
        self._part.unlink(missing_ok=True)

    def write(self, simulation: "Simulation") -> None:
        """Write all games; raises `KnobelError` where that fails."""
        try:
            self._write(self._part, simulation)
            self._part.replace(self.path)
        except OSError as error:
            raise self._refusal(error) from None

    def _refusal(self, error: OSError) -> KnobelError:
        return KnobelError(
            Reason("games-not-written", {"path": str(self.path), "problem": error.strerror or str(error)})
        )


def _parts(simulation: "Simulation") -> Iterator["Columns"]:
    """All columns, some rows at a time."""
    import numpy as np

    names = [str(box) for box in simulation.ruleset.boxes]
    for first in range(0, len(simulation.totals), _ROWS):
        rows = slice(first, min(first + _ROWS, len(simulation.totals)))
        points = zip(names, simulation.points[rows].T, strict=True)
        yield {
            "game": np.arange(rows.start, rows.stop),
            "total": simulation.totals[rows],
            "bonus": simulation.bonus[rows],
            **dict(points),
        }


def _rows(columns: "Columns") -> Iterator[tuple[int, ...]]:
    return zip(*(column.tolist() for column in columns.values()), strict=True)


def _write_csv(path: Path, simulation: "Simulation") -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        for number, columns in enumerate(_parts(simulation)):
            if number == 0:
                writer.writerow(columns)
            writer.writerows(_rows(columns))


def _write_json(path: Path, simulation: "Simulation") -> None:
    """A list with an object for each game, a line each; ids of boxes need no escapes."""
    with path.open("w", encoding="utf-8", newline="") as file:
        between = "[\n"
        for columns in _parts(simulation):
            form = "{" + ", ".join(f'"{name}": %d' for name in columns) + "}"
            file.write(between + ",\n".join(form % row for row in _rows(columns)))
            between = ",\n"
        file.write("\n]\n")


def _write_parquet(path: Path, simulation: "Simulation") -> None:
    import pyarrow as arrow  # type: ignore[import-untyped]
    from pyarrow.parquet import ParquetWriter  # type: ignore[import-untyped]

    writer = None
    try:
        for columns in _parts(simulation):
            table = arrow.table({name: arrow.array(column) for name, column in columns.items()})
            writer = writer or ParquetWriter(path, table.schema)
            writer.write_table(table)
    finally:
        if writer is not None:
            writer.close()


def _check_parquet() -> None:
    try:
        import pyarrow.parquet  # noqa: F401 - of the extra `parquet`
    except ImportError:
        raise KnobelError(Reason("games-no-parquet", {"extra": "parquet"})) from None


_WRITERS: Mapping[str, Callable[[Path, "Simulation"], None]] = {
    ".csv": _write_csv,
    ".parquet": _write_parquet,
    ".json": _write_json,
}
