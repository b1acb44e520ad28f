"""A whole game of Acht, Mann! by four at one table in two windows."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser.acht import Sight, Window, new_table, play_step
from tests.browser.house import ask, launched, served, table_of, visit
from tests.browser.playing import settled

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


def play_whole_game(browser: Browser, address: str, open_it: Callable[[Page], str], n_boxes: int) -> str:
    """Play until the settlement stands in both windows, with everything that interrupts a turn; the table."""
    with visit(browser, address) as one:
        table, kept = open_it(one), one.context.storage_state()
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
            expect(one.locator(".pad td .ink, .pad td .stroke")).to_have_count(n_boxes)
        one.get_by_role("tab", name="Anna").click()
        expect(one.locator(".top .used")).to_have_count(2)
    return table


def figure(scale: float) -> str:
    """The game with all six columns; it has one size."""
    begin = monotonic()
    with TemporaryDirectory() as data, served(Path(data)) as address, sync_playwright() as playwright:
        browser = launched(playwright)
        play_whole_game(browser, address, lambda page: new_table(page, SEATS), 90)
        browser.close()
    return (
        "Acht, Mann! with six columns by clicks: four seats in two windows, all tokens, extra throws, special and last "
        f"rounds; in {monotonic() - begin:.0f} s"
    )
