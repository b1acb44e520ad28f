"""Acht, Mann! at one table in two windows, with everything that interrupts a turn."""

import re

from playwright.sync_api import Browser, expect

from tests.browser.acht import Window, narrow_table, new_table
from tests.browser.acht_game import SEATS, play_whole_game
from tests.browser.house import visit
from tests.browser.playing import settled
from tests.browser.test_access import LOOKS, violations


def test_whole_game_of_four_in_two_windows(browser: Browser, address: str) -> None:
    """With three columns; `./check --long acht-browser` plays with all six."""
    table = play_whole_game(browser, address, lambda page: narrow_table(page, address, SEATS), 45)
    for language, scheme, size in LOOKS:
        with visit(browser, address, language, scheme, size) as page:
            page.goto(table)
            page.locator("section.settlement").wait_for()
            assert violations(page) == []


def test_what_happens_is_told(browser: Browser, address: str) -> None:
    """Words of the live region for each kind of event, and the latest of them on the table."""
    with visit(browser, address) as page:
        table = new_table(page, [("Anna", "person"), ("Ben", "person")], {"upper_threshold": 1})
        window, spoken = Window(page), page.locator("[aria-live]")
        page.goto(table)
        settled(page)
        window.press()
        window.spend("Samuel")
        expect(spoken).to_have_text("Anna calls Samuel. Anna is next.")
        window.press()
        window.spend("Dice miracle")
        expect(spoken).to_have_text("Anna asks all for help: Dice miracle. Ben throws for Anna.")
        window.press()
        expect(spoken).to_have_text(re.compile(r"Ben throws for Anna: \d \d \d \d \d\. Anna chooses dice\."))
        window.choose()
        expect(spoken).to_have_text(re.compile(r"Anna takes \d \d \d \d \d\."))
        upper = page.locator("button[data-box]:not(.zero)").first
        upper.click()
        upper.click()
        expect(spoken).to_have_text(re.compile(r"Anna writes .*: \d+\. Special round! Anna picks a box\."))
        window.pick()
        expect(spoken).to_have_text("Anna picks Ones for everyone. Anna throws for Ones.")
        expect(page.locator(".log")).to_contain_text("picks for everyone: Ones")
        expect(page.locator(".log")).to_contain_text("helps Anna with")


def test_special_round_and_pool_by_keys(browser: Browser, address: str) -> None:
    with visit(browser, address) as page:
        page.goto(new_table(page, [("Anna", "person"), ("Ben", "person")], {"upper_threshold": 1}))
        settled(page)
        page.locator("body").press("Space")
        page.locator("button[data-box]").first.wait_for()
        for _ in range(2):
            page.locator(".jokers button").nth(1).press("Enter")
        expect(page.locator(".tray h2")).to_have_text("Ben throws for Anna")
        page.locator("body").press("Space")
        page.locator("button[data-place]").first.wait_for()
        page.keyboard.press("2")  # of the first group, which gets the focus with it
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Space")
        for digit in "345":
            page.keyboard.press(digit)
        taken = page.locator("button[data-place][aria-pressed=true]")
        assert [int(die.get_attribute("data-place") or -1) for die in taken.all()] == [1, 6, 7, 8, 9]
        page.keyboard.press("Enter")
        page.locator("button[data-box]:not(.zero)").first.focus()
        page.keyboard.press("Enter")
        page.keyboard.press("Enter")
        expect(page.locator(".tray h2")).to_have_text("Anna picks a box")
        for key in ("ArrowDown", "ArrowDown", "Enter", "Enter"):
            page.keyboard.press(key)
        expect(page.locator(".tray h2")).to_have_text("Anna throws for Twos")


def test_passed_columns_say_why(browser: Browser, address: str) -> None:
    with visit(browser, address) as page:
        window = Window(page)
        page.goto(new_table(page, [("Anna", "person"), ("Ben", "person")]))
        settled(page)
        window.press()
        window.press()
        expect(page.locator(".top .note")).to_have_text("Throw 2: columns 2–5 are open.")
        passed = page.locator("td.passed.barred").first
        passed.hover()
        expect(page.locator(".top .note")).to_contain_text("column 1")
        expect(page.locator("button[data-box$='/2']")).to_have_count(15)
        expect(page.locator("button[data-box]")).to_have_count(60)
