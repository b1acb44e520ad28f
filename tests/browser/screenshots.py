"""Pictures of set-up and table for people to look at: `python -m tests.browser.screenshots FOLDER`.

Phone and desktop, light and dark, German; the dice come from the server, so no two runs show the same roll.
"""

import sys
import tempfile
from pathlib import Path
from random import Random
from typing import Any

from playwright.sync_api import Page, expect, sync_playwright

from tests.browser.house import DESKTOP, PHONE, launched, served, visit
from tests.browser.playing import best_box, open_table, press, settled, write

TABLES: dict[str, dict[str, Any]] = {
    "classic": {"joker": "forced"},
    "kniffel-2003": {},
    "six-dice": {},
    "triple": {"columns": 3, "joker": "free"},
    "acht-mann": {},
}
TURNS = 14
SEATS = [
    {"name": "Anna", "kind": "person"},
    {"name": "Mia", "kind": "person"},
    {"name": "Computer", "kind": "computer"},
]


def main(folder: Path) -> None:
    """Write one PNG for each page, size and scheme."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as data, served(Path(data)) as address, sync_playwright() as playwright:
        browser = launched(playwright)
        for size in (PHONE, DESKTOP):
            for scheme in ("light", "dark"):
                with visit(browser, address, "de", scheme, size) as page:
                    take_all(page, folder, f"{size[0]}-{scheme}")
        browser.close()


def take_all(page: Page, folder: Path, suffix: str) -> None:
    """Set-up, then each table in the middle of a game, then a finished one."""
    page.goto("/")
    page.locator(".tag").first.wait_for()
    page.wait_for_timeout(400)
    page.screenshot(path=folder / f"setup-{suffix}.png", full_page=True)
    for name, options in TABLES.items():
        page.goto(open_table(page, name.replace("triple", "classic"), options, SEATS))
        settled(page)
        play_on(page, name, TURNS)
        page.wait_for_timeout(400)
        page.screenshot(path=folder / f"{name}-{suffix}.png")
    take_interruptions(page, folder, suffix)
    page.goto(open_table(page, "classic", seats=SEATS))
    settled(page)
    play_on(page, "end", 200)
    page.wait_for_timeout(400)
    page.screenshot(path=folder / f"settlement-{suffix}.png")


def take_interruptions(page: Page, folder: Path, suffix: str) -> None:
    """Acht, Mann!: the pool of a Würfelwunder, the pick of a box and the special round for it."""

    def picture(name: str) -> None:
        page.wait_for_timeout(500)
        page.screenshot(path=folder / f"acht-mann-{name}-{suffix}.png")

    page.goto(open_table(page, "acht-mann", {"upper_threshold": 1}, SEATS))
    settled(page)
    press(page, by_keys=False)
    for _ in range(2):
        page.locator(".jokers button").nth(1).click()
    page.locator(".pool .hollow").first.wait_for()
    page.locator(".tray > .next").click()
    for place in (1, 3, 7):
        page.locator("button[data-place]").nth(place).click()
    picture("pool")
    for place in (8, 9):
        page.locator("button[data-place]").nth(place).click()
    page.locator(".tray > .next").click()
    for _ in range(2):
        page.locator("button[data-box]:not(.zero)").first.click()
    page.locator(".scene").wait_for()
    page.locator("button[data-box]").nth(3).click()
    picture("pick")
    page.locator(".tray > .next").click()
    page.locator("button[data-box]").first.wait_for(state="detached")
    press(page, by_keys=False)
    picture("special")


def help_out(page: Page) -> None:
    """Throw for a computer player who asks for it."""
    while page.locator(".pool").count():
        heading = page.locator(".tray h2").inner_text()
        page.locator(".tray > .next").click()
        expect(page.locator(".tray h2")).not_to_have_text(heading)
        settled(page)


def play_on(page: Page, seed: str, turns: int) -> None:
    """Some turns, and the beginning of one more with dice marked and a box previewed."""
    rng = Random(seed)
    for _ in range(turns):
        if page.locator("section.settlement").count():
            return
        help_out(page)
        press(page, by_keys=False)
        write(page, best_box(page), 1 if seed == "kniffel-2003" else 2)
    help_out(page)
    press(page, by_keys=False)
    for place in sorted(rng.sample(range(5), 2)):
        page.keyboard.press(str(place + 1))
    best_box(page).hover()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
