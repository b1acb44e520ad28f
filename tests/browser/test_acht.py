"""Acht, Mann! at one table in two windows, with everything that interrupts a turn."""

import re

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.acht import Sight, Window, new_table, play_step
from tests.browser.house import ask, table_of, visit
from tests.browser.playing import settled
from tests.browser.test_access import LOOKS, violations

PEOPLE = ("Anna", "Ben")
TOKENS = ("Samuel", "Dice miracle")
SEATS = [("Anna", "person"), ("Cleo", "computer"), ("Ben", "person"), ("Dora", "computer")]


class Course:
    """What has been done and seen in a game."""

    def __init__(self) -> None:
        self.spent: set[tuple[str, str]] = set()
        self.n_extra = 0
        self.scenes: set[str] = set()
        self.helped: set[str] = set()


def play_turn_part(window: Window, sight: Sight, course: Course) -> None:
    """One thing to do: tokens and earned throws as soon as they can be used, else the plain thing."""
    name = sight.heading.split(" ")[0]
    if sight.scene:
        course.scenes.add(sight.scene)
    if sight.boxes and not sight.is_to_pick:
        for token in TOKENS:
            if (token, name) not in course.spent and sight.can_spend(token):
                course.spent.add((token, name))
                window.spend(token)
                return
        if course.n_extra < 3 and not sight.extra.startswith("Extra throw × 0"):
            course.n_extra += 1
            window.throw_extra()
            assert window.look().turn == sight.turn  # not counted
            return
    if window.page.locator(".pool").count() and not sight.pool:
        course.helped.add(name)
    play_step(window, sight)


def see(window: Window, other: Sight) -> Sight:
    """What a window shows once it has come as far as another one."""
    return window.wait(other.moment, is_left=False)


@pytest.mark.timeout(600)
def test_whole_game_of_four_in_two_windows(browser: Browser, address: str) -> None:
    with visit(browser, address) as one:
        table, kept = new_table(one, SEATS), one.context.storage_state()
    with visit(browser, address, kept=kept) as one, visit(browser, address, kept=kept) as other:
        windows = dict(zip(PEOPLE, (Window(one), Window(other)), strict=True))
        for window in windows.values():
            window.page.goto(table)
            settled(window.page)
        course = Course()
        while not (sight := windows["Anna"].wait()).is_over:
            window = windows[sight.heading.split(" ")[0]]
            play_turn_part(window, see(window, sight), course)
            see(windows["Anna"], window.look())
        other.locator("section.settlement").wait_for()
        assert course.spent == {(token, name) for token in TOKENS for name in PEOPLE}
        assert course.n_extra > 0
        assert course.scenes == {"Special round", "Last round"}
        assert course.helped == set(PEOPLE)
        line = ask(address, f"/api/tables/{table_of(one)}")
        for page in (one, other):
            shown = page.locator("section.settlement td.total").all_inner_texts()
            assert sorted(map(int, shown)) == sorted(line["totals"])
        for tab in one.get_by_role("tab").all():
            tab.click()
            expect(one.locator(".pad td .ink, .pad td .stroke")).to_have_count(90)
        one.get_by_role("tab", name="Anna").click()
        expect(one.locator(".top .used")).to_have_count(2)
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
