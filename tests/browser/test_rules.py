"""The rules pages: every ruleset has one that can be read, and the set-up and the table lead to them."""

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

import knobel
from tests.browser.house import DESKTOP, PHONE, visit
from tests.browser.playing import open_table, settled
from tests.browser.test_access import violations


def _open(page: Page, path: str) -> None:
    page.goto(path)
    page.locator("article h1").wait_for()


@pytest.mark.parametrize(("size", "language", "scheme"), [(PHONE, "de", "light"), (DESKTOP, "en", "dark")])
@pytest.mark.timeout(300)  # long pages take axe a while
def test_every_page_is_accessible(
    browser: Browser, address: str, language: str, scheme: str, size: tuple[int, int]
) -> None:
    with visit(browser, address, language, scheme, size) as page:
        page.goto("/rules")
        expect(page.locator("main li")).to_have_count(len(knobel.builtin_ids()))
        assert violations(page) == []
        for name in knobel.builtin_ids():
            _open(page, f"/rules/{name}")
            assert violations(page) == []
            assert page.evaluate("document.documentElement.scrollWidth") <= size[0]


def test_the_overview_leads_to_a_page_and_its_contents_to_each_part(browser: Browser, address: str) -> None:
    with visit(browser, address, "de") as page:
        page.goto("/rules")
        page.get_by_role("link", name="Sechs Würfel").click()
        expect(page.locator("article h1")).to_have_text("Sechs Würfel")
        places = page.locator("nav a[href^='#']")
        assert places.count() > 10
        for place in places.all():
            assert page.locator(str(place.get_attribute("href"))).count() == 1
        castle = page.locator("#box-castle")
        expect(castle.get_by_role("img", name="5 5 5 6 6 6")).to_be_visible()
        expect(castle).to_contain_text("33")
        contrast = page.locator("#contrast")
        for words in ("Sechs Würfel.", "20 Felder", "1-2-3-4-5-6, 21 Punkte", "84", "gehören zum klassischen Block"):
            expect(contrast).to_contain_text(words)


def test_the_joker_is_explained_row_by_row(browser: Browser, address: str) -> None:
    with visit(browser, address, "de") as page:
        _open(page, "/rules/classic#option-joker")
        option = page.locator("#option-joker")
        rows = option.locator("table").first.locator("tbody")
        assert rows.locator("th").all_inner_texts() == [
            "Wann er gilt",
            "Vorgeschrieben: wohin",
            "Freie Wahl: wohin",
            "Was er bringt",
            "Bonus",
            "Andere Optionen",
        ]
        expect(option).to_be_in_viewport()
        expect(option).to_contain_text("Full House: 25 und 100 extra")


def test_set_up_and_table_lead_to_the_rules(browser: Browser, address: str) -> None:
    with visit(browser, address, "de") as page:
        page.goto("/")
        page.locator(".tag").first.wait_for()
        links = page.locator(".options a.about")
        hrefs = [str(link.get_attribute("href")) for link in links.all()]
        assert hrefs[:3] == [f"/rules/classic#option-{name}" for name in ("joker", "columns", "order")]
        page.get_by_text("Yatzy", exact=True).first.click()
        expect(page.locator(".options")).to_contain_text("gehören zum klassischen Block")
        with page.context.expect_page() as opened:
            page.locator(".pad a.about").nth(3).click()
        expect(opened.value.locator("article h1")).to_have_text("Yatzy")
        page.goto(open_table(page, "classic", {"joker": "forced", "columns": 3}))
        settled(page)
        page.locator("header button.rules").click()
        href = page.locator("dialog[open] a.quiet").get_attribute("href")
        assert href is not None
        assert urlsplit(href).path == "/rules/classic"
        _open(page, href)
        expect(page.locator("article .chosen")).to_contain_text("Joker: vorgeschrieben")
        expect(page.locator("section#joker")).to_be_visible()


def test_an_unknown_ruleset_is_no_empty_page(browser: Browser, address: str) -> None:
    context = browser.new_context(base_url=address, locale="en")
    page = context.new_page()
    page.goto("/rules/chess")
    expect(page.get_by_role("alert")).to_contain_text("There is no such ruleset")
    context.close()
