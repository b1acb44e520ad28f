from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.serving import Served, serving


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path) as server:
        yield server
