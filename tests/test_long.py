import pytest

from tests import long


def test_an_unknown_name_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert long.main(["no-such-run"]) == 2
    assert "no-such-run" in capsys.readouterr().err


def test_a_run_gets_its_scale(monkeypatch: pytest.MonkeyPatch) -> None:
    scales: list[float] = []
    monkeypatch.setitem(long.RUNS, "probe", scales.append)
    assert long.main(["probe", "--scale", "0.25"]) == 0
    assert scales == [0.25]
