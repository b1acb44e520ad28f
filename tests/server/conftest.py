from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.postgres import cluster, empty_postgres, place, postgres
from tests.server.serving import Served, serving

__all__ = ["cluster", "empty_postgres", "place", "postgres", "served"]


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path) as server:
        yield server
