"""Where knobel keeps its data: the database of the server, tables of values."""

import os
from pathlib import Path


def data_folder(told: Path | None = None) -> Path:
    """The folder that was told, else `KNOBEL_DATA`, else where this system keeps the data of programs."""
    from platformdirs import user_data_path  # of the extra `app`

    known = told or os.environ.get("KNOBEL_DATA")
    return Path(known) if known else user_data_path("knobel", appauthor=False)
