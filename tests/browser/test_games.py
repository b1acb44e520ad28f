"""Whole games through clicks and keys, from the set-up to the settlement."""

import json
from random import Random

import pytest
from playwright.sync_api import Browser, Page, WebSocketRoute, expect

from tests.browser.house import ask, table_of, visit
from tests.browser.playing import best_box, is_over, press, set_up, throw_some, write, write_by_keys


def play(page: Page, rng: Random, marked_word: str, clicks: int) -> None:
    """One game to its end; every second turn by keys."""
    turn = 0
    while not is_over(page):
        by_keys = turn % 2 == 1
        press(page, by_keys)
        for _ in range(rng.randint(0, 2)):
            throw_some(page, rng, marked_word, by_keys)
        (write_by_keys if by_keys else write)(page, best_box(page), clicks)
        turn += 1


@pytest.mark.timeout(240)
@pytest.mark.parametrize(
    ("name", "people", "computers", "marked_word", "clicks"),
    [("Classic pad", 2, 0, "stays", 2), ("Kniffel 2003", 1, 1, "again", 1), ("Six dice", 1, 1, "stays", 2)],
)
def test_whole_game(
    browser: Browser, address: str, name: str, people: int, computers: int, marked_word: str, clicks: int
) -> None:
    with visit(browser, address) as page:
        set_up(page, name, people, computers)
        play(page, Random(name), marked_word, clicks)
        table = table_of(page)
        line = ask(address, f"/api/tables/{table}")
        shown = page.locator("section.settlement td.total").all_inner_texts()
        assert sorted(map(int, shown)) == sorted(line["totals"])
        assert line["over"]
        page.get_by_role("button", name="New game").click()
        expect(page.locator(".tray .next")).to_be_visible()
        assert table_of(page) != table


def test_goes_on_after_closing_the_browser(browser: Browser, address: str) -> None:
    """Same seat, same dice, same throws left (cases B079, B090)."""
    with visit(browser, address) as page:
        set_up(page, "Six dice", people=2)
        press(page, by_keys=False)
        faces = page.locator(".tray .place .sr").all_inner_texts()
        throw = page.locator(".tray .turn").inner_text()
        where = page.url
        kept = page.context.storage_state()
    with visit(browser, address, kept=kept) as page:
        page.goto("/")
        page.locator(f"a[href='/table/{where.rsplit('/', 1)[-1]}']").click()
        expect(page.locator(".tray .turn")).to_have_text(throw, use_inner_text=True)
        assert page.locator(".tray .place .sr").all_inner_texts() == faces


def test_warns_before_a_zero_where_points_could_be_had(browser: Browser, address: str) -> None:
    with visit(browser, address) as page:
        set_up(page, "Classic pad")
        press(page, by_keys=False)
        zero = page.locator("button[data-box].zero").first
        box = zero.get_attribute("data-box")
        zero.click()
        zero.click()
        dialog = page.get_by_role("dialog")
        expect(dialog).to_be_visible()
        dialog.get_by_role("button", name="Another box").click()
        assert page.locator(".stroke").count() == 0
        page.locator(f"[data-box={box}]").click()  # still previewed
        dialog.get_by_role("button", name="Strike it").click()
        expect(page.locator(".stroke")).to_have_count(1)


def test_marks_end_with_the_turn(browser: Browser, address: str) -> None:
    """Case B055; and equal dice are marked by place (B063), for `keys` reach only dice that lie there."""
    with visit(browser, address) as page:
        set_up(page, "Classic pad", people=2)
        press(page, by_keys=False)
        page.keyboard.press("2")
        assert page.locator(".tray .place[aria-pressed=true]").count() == 1
        write(page, best_box(page), 2)
        assert page.locator(".tray .place[aria-pressed=true]").count() == 0
        press(page, by_keys=False)
        assert page.locator(".tray .place[aria-pressed=true]").count() == 0


def test_two_tabs_of_one_table_stay_in_step(browser: Browser, address: str) -> None:
    with visit(browser, address) as one:
        set_up(one, "Yatzy")
        other = one.context.new_page()
        other.goto(one.url)
        press(one, by_keys=False)
        expect(other.locator(".tray .throw")).to_have_text("throw 1")
        faces = one.locator(".tray .place .sr").all_inner_texts()
        assert other.locator(".tray .place .sr").all_inner_texts() == faces
        write(other, best_box(other), 2)
        expect(one.locator("td .ink, td .stroke")).to_have_count(1)


def test_a_click_counts_before_the_last_reply_has_come(browser: Browser, address: str) -> None:
    """What the page shows can be used: an update says as much as the reply that follows it."""

    def without_replies(route: WebSocketRoute) -> None:
        server = route.connect_to_server()
        server.on_message(lambda text: None if json.loads(text)["type"] == "reply" else route.send(text))

    with visit(browser, address) as page:
        page.route_web_socket("**/socket", without_replies)
        set_up(page, "Classic pad")
        press(page, by_keys=False)
        write(page, best_box(page), 2)
        expect(page.locator("td .ink, td .stroke")).to_have_count(1)
