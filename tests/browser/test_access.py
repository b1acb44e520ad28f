"""The accessibility check (axe) on each page, in both languages and colour schemes: 0 violations."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.house import DESKTOP, PHONE, visit
from tests.browser.playing import best_box, is_over, open_table, press, settled, write

LOOKS = [  # each two of language, colour scheme and size come together
    ("de", "light", PHONE),
    ("de", "dark", DESKTOP),
    ("en", "light", DESKTOP),
    ("en", "dark", PHONE),
]
AXE = Path(__file__).parents[2] / "web/node_modules/axe-core/axe.min.js"


def violations(page: Page) -> list[str]:
    """What axe finds, a line each."""
    if not page.evaluate("typeof axe === 'object'"):
        page.evaluate(AXE.read_text())
    found: dict[str, Any] = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
    return [f"{rule['id']}: {node['html'][:200]}" for rule in found["violations"] for node in rule["nodes"]]


@pytest.mark.parametrize(("language", "scheme"), [("de", "dark"), ("en", "light")])
def test_set_up(browser: Browser, address: str, language: str, scheme: str) -> None:
    with visit(browser, address, language, scheme) as page:
        page.goto("/")
        page.locator(".tag").first.wait_for()
        assert page.locator("html").get_attribute("lang") == language
        for block in page.locator(".shelf label").all():
            block.click()
            closed = page.locator("details:not([open]) summary")
            while closed.count():
                closed.first.click()
            assert violations(page) == []


@pytest.mark.parametrize(("language", "scheme", "size"), LOOKS)
def test_table(browser: Browser, address: str, language: str, scheme: str, size: tuple[int, int]) -> None:
    with visit(browser, address, language, scheme, size) as page:
        for ruleset, options in (("kniffel-2003", {}), ("six-dice", {"columns": 3}), ("classic", {"order": "down"})):
            page.goto(open_table(page, ruleset, options))
            settled(page)
            assert violations(page) == []
            page.locator(".tray .next").click()
            page.locator("button[data-box]").first.wait_for()
            page.locator(".tray .place").first.click()
            assert violations(page) == []
            page.locator("button[data-box]").last.click()
            settled(page)
            assert violations(page) == []


@pytest.mark.parametrize(("language", "scheme", "size"), LOOKS)
def test_acht(browser: Browser, address: str, language: str, scheme: str, size: tuple[int, int]) -> None:
    """The table in every state that only Acht, Mann! has, up to a special round."""
    with visit(browser, address, language, scheme, size) as page:
        big_button, boxes = page.locator(".tray > .next"), page.locator("button[data-box]")
        page.goto(open_table(page, "acht-mann", {"upper_threshold": 1}))
        settled(page)
        assert violations(page) == []
        for _ in range(2):  # after the second throw a column is passed
            press(page, by_keys=False)
        boxes.first.wait_for()
        page.locator(".jokers button").first.click()  # Samuel, not yet spent
        assert violations(page) == []
        for _ in range(2):
            page.locator(".jokers button").nth(1).click()
        page.locator(".pool .hollow").first.wait_for()
        assert violations(page) == []
        big_button.click()
        for place in (0, 2, 5, 6, 9):
            page.locator("button[data-place]").nth(place).click()
        assert violations(page) == []
        big_button.click()
        for _ in range(2):
            page.locator("button[data-box]:not(.zero)").first.click()
        page.locator(".scene").wait_for()
        boxes.nth(1).click()
        assert violations(page) == []
        boxes.nth(1).click()
        expect(boxes).to_have_count(0)
        big_button.click()
        boxes.first.wait_for()
        assert violations(page) == []


def test_settlement(browser: Browser, address: str) -> None:
    with visit(browser, address) as page:
        page.goto(table := open_table(page, "classic", {"joker": "free"}))
        settled(page)
        while not is_over(page):
            press(page, by_keys=False)
            write(page, best_box(page), 2)
    for language, scheme, size in LOOKS:
        with visit(browser, address, language, scheme, size) as page:
            page.goto(table)
            page.locator("section.settlement").wait_for()
            assert violations(page) == []


@pytest.mark.parametrize("language", ["de", "en"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_dialogs(browser: Browser, address: str, language: str, scheme: str) -> None:
    with visit(browser, address, language, scheme) as page:
        page.goto(open_table(page, "classic", {"joker": "forced", "order": "up"}))
        settled(page)
        openers = page.locator("header button[aria-haspopup=dialog]")
        assert openers.count() == 3  # rules, keys, settings
        for opener in openers.all():
            opener.click()
            expect(page.locator("dialog[open]")).to_be_visible()
            page.wait_for_timeout(300)
            assert violations(page) == []
            page.keyboard.press("Escape")
            expect(page.locator("dialog[open]")).to_have_count(0)


@pytest.mark.parametrize("path", ["/", "classic", "acht-mann"])
def test_nothing_is_lost_at_320_pixels(browser: Browser, address: str, path: str) -> None:
    """Case B111 and WCAG reflow: no sideways scrolling of the page."""
    with visit(browser, address, size=(320, 640)) as page:
        page.goto(path if path == "/" else open_table(page, path))
        page.locator("main").wait_for()
        page.wait_for_timeout(300)
        assert page.evaluate("document.documentElement.scrollWidth") <= 320
