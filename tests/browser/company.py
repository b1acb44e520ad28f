"""People at several devices: each has a browser of his own, and a cable that can be pulled out."""

from typing import Any

from playwright.sync_api import Page, WebSocketRoute, expect

from tests.browser.house import ask
from tests.browser.playing import best_box, is_over, open_table, press

SHORT = {
    "id": "short-evening",
    "labels": {"de": "Kurzer Abend", "en": "Short evening"},
    "dice": 3,
    "throws": 2,
    "categories": [
        {"id": "pair", "labels": {"de": "Paar", "en": "Pair"}, "rules": [{"points": "all", "groups": [2]}]},
        {"id": "high", "labels": {"de": "Hoch", "en": "High"}, "rules": [{"points": "all"}]},
        {"id": "chance", "labels": {"de": "Chance", "en": "Chance"}, "rules": [{"points": "all"}]},
    ],
}
FREE = {"name": "", "kind": "free"}


def short(address: str) -> str:
    """The name of a house ruleset that is played in no time."""
    return f"house:{ask(address, '/api/house-rules', {'rules': SHORT})['digest']}"


def host_table(page: Page, ruleset: str, name: str, n_free: int = 1, **terms: Any) -> str:
    """Open a table with free seats and go there; its code."""
    seats = [{"name": name, "kind": "person"}, *[FREE] * n_free]
    page.goto(open_table(page, ruleset, seats=seats, start=False, **terms))
    return page.locator(".code").inner_text()


def sit_down(page: Page, name: str) -> None:
    """At the table that the page shows."""
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Sit down").click()
    page.get_by_role("button", name="I am ready").wait_for()


def join(page: Page, code: str, name: str) -> None:
    """Type the code, sit down, be ready."""
    page.goto("/join")
    page.get_by_label("Code of the table").fill(code.lower())
    page.wait_for_url("**/table/*")
    sit_down(page, name)
    page.get_by_role("button", name="I am ready").click()
    page.get_by_role("button", name="Not yet after all").wait_for()


def start(page: Page) -> None:
    """The host begins."""
    button = page.get_by_role("button", name="Start the game")
    expect(button).to_have_attribute("aria-disabled", "false")
    button.click()
    page.locator(".tray").wait_for()


def play_turn(page: Page) -> None:
    """Throw once and take what brings most."""
    page.locator(".tray .next:not(.calm)").wait_for()
    press(page, by_keys=False)
    box = best_box(page)
    box.click()
    box.click()
    strike = page.get_by_role("button", name="Strike it")
    if strike.count():
        strike.click()
    expect(page.locator("button[data-box]")).to_have_count(0)


def play_on(pages: list[Page]) -> None:
    """To the end of the game, turn by turn."""
    while not any(map(is_over, pages)):
        for page in pages:
            if not is_over(page):
                play_turn(page)
    for page in pages:
        page.locator("section.settlement").wait_for()


def written_pad(page: Page) -> list[str]:
    """What stands in the pad, cell by cell."""
    return page.locator(".pad tbody td, .pad tfoot td").all_inner_texts()


class Cable:
    """The line of a page to its table; while it is out, no socket comes up."""

    def __init__(self, page: Page) -> None:
        self._page, self._is_out = page, False
        self._ends: list[WebSocketRoute] = []
        page.route_web_socket("**/socket", self._open)

    def _open(self, route: WebSocketRoute) -> None:
        if self._is_out:
            route.close()
            return
        self._ends += [route, route.connect_to_server()]

    def pull(self) -> None:
        """Out."""
        self._is_out = True
        for end in self._ends:
            end.close()
        self._ends = []
        self._page.locator(".connection .banner").wait_for()

    def plug(self) -> None:
        """In again; the browser says that it is back."""
        self._is_out = False
        self._page.evaluate("dispatchEvent(new Event('online'))")
        expect(self._page.locator(".connection .banner")).to_have_count(0)
