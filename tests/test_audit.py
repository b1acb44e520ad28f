"""The audit against a pip-audit of our own: it must never be green without having looked."""

import sys
from pathlib import Path

import pytest

from tests import audit, long

FAKE = """
import json, sys
from pathlib import Path

how, arguments = sys.argv[1], sys.argv[2:]
assert "--strict" in arguments
pins = [line.split("==") for line in Path(arguments[arguments.index("-r") + 1]).read_text().splitlines()]
assert len({name for name, _ in pins}) == len(pins) > 0, "pip-audit takes one version of a package"
vulns = {"numpy": [{"id": "PYSEC-1"}, {"id": "PYSEC-2"}]} if how == "vulnerable" else {}
found = [{"name": name, "version": version, "vulns": vulns.get(name, [])} for name, version in pins]
if how == "unreachable":
    sys.exit("ERROR:pip_audit._cli:Dependency not found on PyPI and could not be audited")
if how == "silent":
    sys.exit(0)
if how == "left out":
    found.pop()
if how == "skipped":
    found[0] = {"name": found[0]["name"], "skip_reason": "no advisories"}
print(json.dumps({"dependencies": found, "fixes": []}))
sys.exit(1 if how in ("vulnerable", "failed after all") else 0)
"""


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the row would go."""
    (tmp_path / "docs").mkdir()
    monkeypatch.setattr(long, "ROOT", tmp_path)
    return tmp_path / "docs" / "results.md"


def use(how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "fake.py"
    script.write_text(FAKE, encoding="utf-8")
    tool = (sys.executable, str(script), how)
    monkeypatch.setattr(audit.main, "__defaults__", (tool,))


def test_all_pins_are_audited() -> None:
    pins = audit.pins()
    assert {"fastapi", "uvicorn", "hatchling", "colorama"} <= {name for name, _ in pins}
    assert len([name for name, _ in pins if name == "numpy"]) == 2  # for different Pythons
    assert "knobel" not in dict(pins)


def test_clean_packages_are_green(results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use("clean", tmp_path, monkeypatch)
    assert long.main(["audit"]) == 0
    assert f"{len(audit.pins())} pinned packages, none vulnerable" in results.read_text(encoding="utf-8")


def test_a_vulnerable_package_is_named(
    results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    use("vulnerable", tmp_path, monkeypatch)
    with pytest.raises(SystemExit) as end:
        long.main(["audit"])
    assert end.value.code == 1
    versions = [version for name, version in audit.pins() if name == "numpy"]
    for words in (capsys.readouterr().out, results.read_text(encoding="utf-8")):
        assert "2 vulnerable" in words
        assert all(f"numpy {version} (PYSEC-1, PYSEC-2)" in words for version in versions)


@pytest.mark.parametrize("how", ["unreachable", "silent", "left out", "skipped", "failed after all"])
def test_what_could_not_be_looked_up_is_not_green(
    how: str, results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    use(how, tmp_path, monkeypatch)
    with pytest.raises(SystemExit) as end:
        long.main(["audit"])
    assert end.value.code == 3
    assert "NOT AUDITED" in capsys.readouterr().out
    assert not results.exists()


def test_no_tool_is_not_green(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(audit.Unknown):
        audit.audit(audit.pins(), ("/no/such/tool",))
