"""Known vulnerabilities of the packages in uv.lock, by pip-audit: `./check --long audit`.

Green is only what was looked up: where the advisories cannot be reached, or one package is left out, nothing is known.
"""

import json
import subprocess
import tempfile
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
TOOL = (str(ROOT / ".ci" / "uv"), "tool", "run", "pip-audit==2.10.1")
NOT_AUDITED = 3  # exit status
OPTIONS = ("--strict", "--disable-pip", "--no-deps", "--progress-spinner=off", "--format=json", "--timeout=30")


class Unknown(Exception):
    """The audit did not take place, or not for all packages."""


@dataclass(frozen=True, slots=True)
class Audit:
    """What is known of all packages; `vulnerable` names them with their advisories."""

    n_packages: int
    vulnerable: tuple[str, ...]

    @property
    def figure(self) -> str:
        """For the results."""
        names = "; ".join(self.vulnerable)
        found = f"{len(self.vulnerable)} vulnerable: {names}" if names else "none vulnerable"
        return f"{self.n_packages} pinned packages, {found}"


def pins(root: Path = ROOT) -> tuple[tuple[str, str], ...]:
    """Names and versions in uv.lock and of what builds the package, whatever they are for."""
    lock = tomllib.loads((root / "uv.lock").read_text(encoding="utf-8"))
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    locked = {(package["name"], package["version"]) for package in lock["package"] if "registry" in package["source"]}
    build = project["tool"]["uv"]["build-constraint-dependencies"]
    return tuple(sorted(locked | {(name, version) for name, _, version in (line.partition("==") for line in build)}))


def audit(pinned: Sequence[tuple[str, str]], tool: Sequence[str] = TOOL) -> Audit:
    """Ask pip-audit. Raises `Unknown`."""
    answers: dict[tuple[str, str], list[str]] = {}
    waiting = list(pinned)
    while waiting:  # one version of each package at a time: pip-audit takes no more
        now = dict(reversed(waiting))
        waiting = [pin for pin in waiting if now[pin[0]] != pin[1]]
        answers |= _ask(now, tool)
    missing = [f"{name} {version}" for name, version in pinned if (name, version) not in answers]
    if missing or not pinned:
        raise Unknown(f"pip-audit says nothing about {', '.join(missing) or 'no packages'}")
    found = tuple(f"{name} {version} ({', '.join(ids)})" for (name, version), ids in sorted(answers.items()) if ids)
    return Audit(len(answers), found)


def _ask(pinned: dict[str, str], tool: Sequence[str]) -> dict[tuple[str, str], list[str]]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "pins.txt"
        file.write_text("".join(f"{name}=={version}\n" for name, version in pinned.items()), encoding="utf-8")
        try:
            run = subprocess.run(
                [*tool, *OPTIONS, "-r", str(file)], capture_output=True, text=True, check=False, timeout=900
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Unknown(str(error)) from None
    last = (run.stderr.strip() or "no output").splitlines()[-1]
    try:
        packages: list[dict[str, Any]] = json.loads(run.stdout)["dependencies"]
        answers = {
            (package["name"], package["version"]): [str(found["id"]) for found in package["vulns"]]
            for package in packages
            if "skip_reason" not in package
        }
    except (ValueError, KeyError, TypeError):
        raise Unknown(f"pip-audit ended with {run.returncode}: {last}") from None
    if run.returncode != bool(any(answers.values())):
        raise Unknown(f"pip-audit ended with {run.returncode}: {last}")
    return answers


def main(tool: Sequence[str] = TOOL) -> tuple[int, str]:
    """Exit status and what to say: 0 nothing known, 1 something vulnerable, `NOT_AUDITED`."""
    try:
        found = audit(pins(), tool)
    except Unknown as error:
        return NOT_AUDITED, f"NOT AUDITED: {error}"
    return int(bool(found.vulnerable)), found.figure
