"""A real server in a process of its own, and pages of a real browser that look at it."""

import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, Playwright

CHROMIUM = "/usr/bin/chromium"
FLAGS = [
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
    *(["--no-sandbox"] if os.geteuid() == 0 else []),
]
KNOBEL = """
from functools import partial

from knobel.cli import main
from knobel.server import app, clock, limit, socket

app.run = partial(app.run, limits=limit.Limits(new=1_000_000, codes=1_000_000, names=1_000_000))
socket.RATE = 1_000_000
clock.GRACE = {grace}
main()
"""  # the tests make more tables in a minute than a visitor may, and click faster
GRACE = 60.0  # seconds until a computer plays for who is away
PHONE, DESKTOP = (390, 844), (1440, 900)


@contextmanager
def served(data: Path, port: int = 0, grace: float = GRACE) -> Iterator[str]:
    """The address of a server on this data folder, for as long as the block lasts."""
    command = [
        sys.executable,
        "-c",
        KNOBEL.format(grace=grace),
        "serve",
        "--lang",
        "en",
        "--port",
        str(port),
        "--data",
        str(data),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            found = None
            while found is None and (line := process.stdout.readline()):
                found = re.search(r"http://\S+", line)
            assert found, "the server said no address"
            yield found.group().rstrip("/")
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=20)


def launched(playwright: Playwright) -> Browser:
    """Debian's Chromium."""
    return playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)


@contextmanager
def visit(
    browser: Browser,
    address: str,
    language: str = "en",
    scheme: Any = "light",
    size: tuple[int, int] = DESKTOP,
    pace: str = "off",
    kept: Any = None,
) -> Iterator[Page]:
    """A page of a new visitor, or of one whose browser has `kept` something; what it complains about fails the test."""
    context = browser.new_context(
        base_url=address,
        locale=language,
        color_scheme=scheme,
        reduced_motion="reduce" if pace == "off" else "no-preference",
        has_touch=size == PHONE,
        viewport={"width": size[0], "height": size[1]},
        storage_state=kept,
    )
    settings = json.dumps({"pace": pace})
    context.add_init_script(
        f"if (!localStorage.getItem('knobel.settings')) localStorage.setItem('knobel.settings', '{settings}')"
    )
    page = context.new_page()
    page.set_default_timeout(15_000)
    complaints: list[str] = []
    page.on(
        "console", lambda message: complaints.append(message.text) if message.type in ("error", "warning") else None
    )
    page.on("pageerror", lambda error: complaints.append(str(error)))
    try:
        yield page
        assert complaints == [], complaints
    finally:
        context.close()


def ask(address: str, path: str, body: object = None) -> Any:
    """What the server's API answers."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address + path, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.load(answer)


def table_of(page: Page) -> str:
    """The id of the table that the page shows."""
    return page.url.rsplit("/", 1)[-1]
