"""Playing through what a person sees: real clicks and keys, nothing but the page."""

from random import Random
from typing import Any

from playwright.sync_api import Locator, Page, expect


def set_up(page: Page, ruleset: str, people: int = 1, computers: int = 0) -> None:
    """Lay a table by clicking: the pad by its name, then the seats."""
    page.goto("/")
    page.locator(".shelf label").filter(has_text=ruleset).click()
    while page.locator(".tag").count() > 1:
        page.locator(".tag").last.get_by_role("button").last.click()
    page.locator(".tag .kind").select_option("person")
    for _ in range(people - 1):
        page.get_by_role("button", name="Add a person").click()
    for _ in range(computers):
        page.get_by_role("button", name="Add a computer").click()
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/table/*")
    settled(page)


def open_table(page: Page, ruleset: str, options: dict[str, Any] | None = None, seats: Any = (), **terms: Any) -> str:
    """The address of a new table of this visitor; it begins at once unless something else is said."""
    seats = seats or [{"name": name, "kind": "person"} for name in ("Anna", "Mia")]
    body = {"ruleset": ruleset, "options": options or {}, "seats": seats, "start": True} | terms
    if page.url == "about:blank":
        page.goto("/join")
    line = page.evaluate(
        """body => fetch("/api/tables", {
          method: "POST", headers: {"content-type": "application/json"}, body: JSON.stringify(body)
        }).then(answer => answer.json())""",
        body,
    )
    return f"/table/{line['id']}"


def is_over(page: Page) -> bool:
    """Whether the settlement is on the page."""
    return page.locator("section.settlement").count() > 0


def settled(page: Page) -> None:
    """Wait until the page wants something of a person, or nothing any more."""
    wanted = "section.settlement, button[data-box], button[data-place], .next:not(.calm)[aria-disabled=false]"
    page.locator(wanted).first.wait_for()


def best_box(page: Page) -> Locator:
    """The usable box with the most points."""
    boxes = page.locator("button[data-box]")
    points = [int("".join(filter(str.isdigit, text.split("+")[0])) or 0) for text in boxes.all_inner_texts()]
    return boxes.nth(points.index(max(points)))


def press(page: Page, by_keys: bool) -> None:
    """The big button, or the space bar; then wait for the dice."""
    before = page.locator(".tray .throw").inner_text()
    if by_keys:
        page.locator("body").press("Space")
    else:
        page.locator(".tray .next").click()
    expect(page.locator(".tray .throw")).not_to_have_text(before)
    settled(page)


def throw_some(page: Page, rng: Random, marked_word: str, by_keys: bool) -> None:
    """Mark some dice, see that the word under each says what the mark means, and throw."""
    dice = page.locator(".tray .place")
    marked = sorted(rng.sample(range(dice.count()), rng.randint(1, dice.count() - 1)))
    for place in marked:
        if by_keys:
            page.keyboard.press(str(place + 1))
        else:
            dice.nth(place).click()
    words = page.locator(".tray .place small").all_inner_texts()
    assert [place for place, word in enumerate(words) if word == marked_word] == marked
    press(page, by_keys)


def write(page: Page, box: Locator, clicks: int) -> None:
    """Enter in a box by clicking."""
    for _ in range(clicks):
        box.click()
    written(page)


def write_by_keys(page: Page, box: Locator, clicks: int) -> None:
    """Walk through the pad to a box with the arrow keys and write there with Enter."""
    wanted = box.get_attribute("data-box")
    page.locator("body").press("ArrowDown")
    for _ in range(page.locator("button[data-box]").count()):
        if page.evaluate("document.activeElement.dataset.box") == wanted:
            break
        page.keyboard.press("ArrowDown")
    for _ in range(clicks):
        page.keyboard.press("Enter")
    written(page)


def written(page: Page) -> None:
    """Wait until the entry ended the turn, and the page wants something again."""
    expect(page.locator("button[data-box]")).to_have_count(0)
    settled(page)
