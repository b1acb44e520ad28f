from pathlib import Path

import pytest

from knobel.folder import data_folder


def test_the_folder_can_be_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KNOBEL_DATA", str(tmp_path))
    assert data_folder() == tmp_path
    assert data_folder(tmp_path / "other") == tmp_path / "other"
    monkeypatch.delenv("KNOBEL_DATA")
    assert "knobel" in data_folder().parts
