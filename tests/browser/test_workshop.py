"""House rules made by clicks: changed, previewed, played, shared, exported, imported."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

import knobel
from knobel.toml import to_toml
from tests.browser.house import DESKTOP, PHONE, ask, visit
from tests.browser.playing import best_box, press, settled, write
from tests.browser.test_access import violations


@pytest.fixture
def workshop(browser: Browser, address: str) -> Iterator[Page]:
    """The workshop as a new visitor finds it: with the classic pad."""
    with visit(browser, address) as page:
        page.goto("/workshop")
        playable(page)
        yield page


def playable(page: Page) -> None:
    """Wait until the server has said that the rules can be played."""
    expect(page.locator(".dock .good")).to_be_visible()


def points(page: Page, box: str) -> list[str]:
    """What the sample rolls bring in a box."""
    return page.locator(f"[data-points^='{box} ']").all_inner_texts()


def make(page: Page) -> None:
    """Another bonus, one row less, one more."""
    page.get_by_label("Name, English").first.fill("Sunday at Mia's")
    page.get_by_label("Name, German").first.fill("Sonntag bei Mia")
    page.get_by_role("textbox", name="Upper bonus").fill("77")
    page.get_by_role("button", name="Remove Chance").click()
    page.get_by_role("button", name="+ Two pairs").click()
    expect(page.locator("[data-bonus]")).to_have_text("77 from 63")
    expect(page.locator("[data-points='two_pairs 0']")).to_have_text("14")
    playable(page)


def test_made_played_and_shared(browser: Browser, address: str, workshop: Page, tmp_path: Path) -> None:
    page = workshop
    assert points(page, "full_house") == ["25", "0", "0", "0"]
    assert points(page, "chance") == ["19", "15", "20", "18"]
    make(page)
    assert points(page, "chance") == []
    page.get_by_label("Sample roll 1").fill("66333")
    expect(page.locator("[data-points='two_pairs 0']")).to_have_text("18")

    page.get_by_role("button", name="Copy link").click()
    link = page.locator("a.link").inner_text()
    with page.expect_download() as download:
        page.get_by_role("button", name="Export TOML").click()
    file = tmp_path / download.value.suggested_filename
    download.value.save_as(file)
    assert file.name == "sunday-at-mia-s.toml"
    rules = knobel.load(file)
    assert (rules.labels.de, rules.upper) == ("Sonntag bei Mia", knobel.vocabulary.UpperBonus(63, 77))
    assert "chance" not in rules.category_index
    assert knobel.points(rules, (6, 6, 3, 3, 3))["two_pairs"] == 18

    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_url("**/table/*")
    settled(page)
    press(page, by_keys=False)
    write(page, best_box(page), 2)
    line = ask(address, f"/api/tables/{page.url.rsplit('/', 1)[-1]}")
    assert line["ruleset"]["digest"] == knobel.digest(rules)[:16]

    with visit(browser, address, "de") as other:
        other.goto(link)
        playable(other)
        expect(other.get_by_role("heading", name="Sonntag bei Mia")).to_be_visible()
        other.goto("/")
        other.locator(".shelf label").filter(has_text="Sonntag bei Mia").click()
        expect(other.get_by_role("link", name="Diese Regeln ändern …")).to_have_attribute(
            "href", link.removeprefix(address)
        )


def test_what_is_wrong_stands_at_its_field_and_nothing_is_lost(workshop: Page) -> None:
    page = workshop
    dice = page.get_by_label("Dice", exact=True)
    dice.fill("twelve")
    expect(page.locator(".field", has=dice).locator(".wrong")).to_contain_text("not twelve")
    expect(dice).to_have_value("twelve")
    expect(page.get_by_role("button", name="Play", exact=True)).to_have_attribute("aria-disabled", "true")
    dice.fill("5")
    playable(page)
    page.locator("[data-row=large_straight]").click()
    page.get_by_label("Straights, e.g.").fill("12345 1234567")
    expect(page.locator("[data-open] .field .wrong")).to_contain_text("from 1 to 6, not 7")
    page.locator("[data-row=ones]").click()  # the faulty row stays open
    expect(page.locator("li[data-open]")).to_have_count(2)
    page.reload()
    expect(page.locator(".dock .problem")).to_contain_text("Large straight")
    page.get_by_label("Start from").select_option("Yatzy")
    playable(page)
    page.get_by_role("button", name="Back to what was here").click()
    expect(page.locator(".dock .problem")).to_contain_text("Large straight")


def test_columns_by_throws_and_tokens(workshop: Page, address: str) -> None:
    page = workshop
    page.get_by_role("button", name="One for each throw").click()
    page.get_by_role("button", name="+ starts the turn anew").click()
    expect(page.locator(".facts")).to_contain_text("3 columns")
    expect(page.locator(".facts")).to_contain_text("Fresh start")
    playable(page)
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_url("**/table/*")
    line = ask(address, f"/api/tables/{page.url.rsplit('/', 1)[-1]}")
    assert [column["last_throw"] for column in line["ruleset"]["columns"]] == [1, 2, 3]


def test_import(workshop: Page) -> None:
    page = workshop
    page.get_by_role("button", name="Import TOML").click()
    page.get_by_label("or its text").fill('id = "x"\nbase = "yatzy"\ndice = 99')
    page.get_by_role("button", name="Use these rules").click()
    expect(page.get_by_role("alert")).to_contain_text("dice: Expected a whole number from 1 to 8, not 99.")
    name = "<img src=x onerror=alert(1)>"
    text = f'id = "mine"\nbase = "yatzy"\nlabels = {{ de = "{name}", en = "{name}" }}'
    page.get_by_label("or its text").fill(text)
    page.get_by_role("button", name="Use these rules").click()
    expect(page.get_by_role("heading", name=name)).to_be_visible()
    assert page.locator("main img").count() == 0
    playable(page)
    page.get_by_role("button", name="Import TOML").click()
    page.get_by_label("or its text").fill(to_toml(knobel.load("classic", joker="free")))
    page.get_by_role("button", name="Use these rules").click()
    expect(page.locator(".mark")).to_contain_text("our-classic")  # the id of a built-in ruleset is not for sale
    playable(page)


def test_by_keys_alone(workshop: Page) -> None:
    page = workshop
    page.locator("[data-row=full_house]").focus()
    page.keyboard.press("Enter")
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.labels?.[0]?.textContent") == "How many":
            break
    page.keyboard.press("Control+A")
    page.keyboard.type("31")
    expect(page.locator("[data-points='full_house 0']")).to_have_text("31")
    page.locator("[data-row=chance] ~ button[data-remove]").focus()
    page.keyboard.press("Enter")
    expect(page.locator("[data-row=chance]")).to_have_count(0)
    assert page.evaluate("document.activeElement.hasAttribute('data-remove')")


@pytest.mark.parametrize("size", [PHONE, DESKTOP, (320, 640)])
@pytest.mark.parametrize(("language", "scheme"), [("de", "light"), ("en", "dark")])
def test_access(browser: Browser, address: str, language: str, scheme: str, size: tuple[int, int]) -> None:
    with visit(browser, address, language, scheme, size) as page:
        page.goto("/workshop")
        playable(page)
        page.locator("#start").select_option("acht-mann")
        page.locator("[data-points^='scrap_or_eight']").first.wait_for()
        page.locator("[data-row=scrap_or_eight]").click()
        assert violations(page) == []
        page.locator("[data-row=full_house]").click()
        page.locator("[data-open] input").last.fill("x")
        page.locator(".dock .problem").wait_for()
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
