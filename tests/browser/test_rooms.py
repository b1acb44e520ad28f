"""Several people at one table, each with a browser of his own."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.company import FREE, Cable, host_table, join, play_on, play_turn, short, sit_down, start, written_pad
from tests.browser.house import DESKTOP, PHONE, served, visit
from tests.browser.names import NAMES
from tests.browser.playing import open_table, settled
from tests.browser.test_access import violations

SOON = 2.0  # seconds until a computer stands in


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server that does not wait for those who are away."""
    with served(tmp_path_factory.mktemp("hasty"), grace=SOON) as found:
        yield found


@pytest.mark.timeout(180)
def test_whole_game_with_lost_connections_and_a_watcher(browser: Browser, address: str) -> None:
    with (
        visit(browser, address) as ada,
        visit(browser, address, size=PHONE, scheme="dark") as ben,
        visit(browser, address) as eve,
    ):
        cable = Cable(ben)
        code = host_table(ada, short(address), "Ada")
        eve.goto(ada.url)
        join(ben, code, "Ben")
        expect(eve.get_by_text("No seat is free.")).to_be_visible()
        start(ada)
        eve.locator(".tray").wait_for()
        assert ada.title().startswith("● Your turn")
        assert "turn" not in ben.title()

        cable.pull()
        play_turn(ada)  # what happens meanwhile is there afterwards
        cable.plug()
        ben.locator(".tray .next:not(.calm)").wait_for()
        assert written_pad(ben) == written_pad(ada)

        cable.pull()
        ben.locator(".tray .next").click()  # waits for the connection
        expect(eve.locator(".tray .throw")).to_have_text("before throw 1")
        expect(ada.locator(".tray .next")).to_have_text("Ben is away …")
        cable.plug()
        ben.locator("button[data-box]").first.wait_for()
        for page in (ada, eve, ben):  # thrown once
            expect(page.locator(".tray .throw")).to_have_text("throw 1")
        box = ben.locator("button[data-box]").last
        box.click()
        box.click()

        expect(eve.locator("button[data-box]")).to_have_count(0)
        play_on([ada, ben])
        eve.locator("section.settlement").wait_for()
        assert written_pad(eve) == written_pad(ada) == written_pad(ben)
        expect(eve.get_by_role("button", name="New game")).to_have_count(0)

        ada.get_by_role("button", name="New game").click()
        ben.get_by_role("button", name="Come along").click()
        expect(ada.locator(".tag")).to_have_count(2)
        ben.get_by_role("button", name="I am ready").click()
        start(ada)
        ben.locator(".tray").wait_for()
        assert ada.url == ben.url


@pytest.mark.timeout(120)
def test_dice_are_checked_in_the_browser(browser: Browser, address: str) -> None:
    with visit(browser, address) as ada, visit(browser, address) as ben:
        code = host_table(ada, short(address), "Ada", begin="highest_throw")
        join(ben, code, "Ben")
        start(ada)
        ben.locator(".tray").wait_for()
        table = ada.url
        ben.goto(f"{table}/fairness")
        expect(ben.locator(".verdict")).to_contain_text("Not to be said yet")
        ben.goto(table)
        ada.locator(".tray h2").wait_for()
        ben.locator(".tray h2").wait_for()
        first = ada if ada.title().startswith("●") else ben
        play_on([first, ben if first is ada else ada])
        ada.get_by_role("link", name="Check the dice").click()
        expect(ada.locator(".verdict")).to_contain_text("Yes: every throw is right")
        expect(ada.locator(".verdict")).to_contain_text("2 shares from the players")
        assert ada.locator("tbody .good").count() == ada.locator("tbody tr").count() >= 8

        def forge(answer: str) -> str:
            return re.sub(r'("event":3,"seat":\d,"faces":\[)(\d)', lambda m: f"{m[1]}{int(m[2]) % 6 + 1}", answer)

        ben.route("**/dice", lambda route: route.fulfill(body=forge(route.fetch().text()), content_type="text/json"))
        ben.goto(f"{table}/fairness")
        expect(ben.locator(".verdict")).to_contain_text("No: something is wrong")


def test_host_sends_away_and_hands_over(browser: Browser, address: str) -> None:
    with visit(browser, address) as ada, visit(browser, address) as ben, visit(browser, address, size=PHONE) as cleo:
        code = host_table(ada, "yatzy", "Ada")
        join(ben, code, "Ben")
        ada.get_by_role("button", name="Send Ben away").click()
        ada.get_by_role("dialog").get_by_role("button", name="Send away", exact=True).click()
        expect(ben.get_by_text("You are watching.")).to_be_visible()
        ada.get_by_role("button", name="Invite someone").click()
        ben.get_by_role("button", name="Sit down").click()
        expect(ben.get_by_role("alert")).to_contain_text("sent you away")

        cleo.goto(f"/join/{code}")
        sit_down(cleo, "Cleo")
        expect(ada.locator(".act .note")).to_have_text("Cleo is not ready yet.")
        expect(ada.get_by_role("button", name="Start the game")).to_have_attribute("aria-disabled", "true")
        ada.get_by_role("button", name="Make Cleo the host").click()
        expect(cleo.locator(".act .note")).to_have_text("Ada is not ready yet.")
        ada.get_by_role("button", name="I am ready").click()
        cleo.get_by_role("button", name="Invite someone").click()
        expect(cleo.locator(".act .note")).to_have_text("The free seat goes when the game starts.")
        start(cleo)
        expect(ada.locator(".pad thead th")).to_have_count(2)

        ada.get_by_role("button", name="Say something").click()
        ada.get_by_role("menuitem", name="Good luck!").click()
        expect(cleo.locator(".pad .said")).to_have_text("Good luck!")
        expect(cleo.locator(".log")).to_contain_text("Ada: “Good luck!”")


def test_who_leaves_can_come_back(browser: Browser, address: str) -> None:
    with visit(browser, address) as ada, visit(browser, address) as ben:
        code = host_table(ada, "classic", "Ada")
        join(ben, code, "Ben")
        start(ada)
        ben.locator(".tray").wait_for()
        where = ada.url
        ada.get_by_role("button", name="Leave the table").click()
        ada.get_by_role("button", name="Leave", exact=True).click()
        ada.wait_for_url("**/")
        expect(ben.locator(".log")).to_contain_text("Ada has left; a computer plays on.")
        expect(ben.locator(".pad thead th").first).to_contain_text("a computer plays")
        ben.locator(".tray .next:not(.calm)").wait_for()
        ada.goto(where)
        expect(ada.get_by_text("You have left the table; a computer plays for you.")).to_be_visible()
        ada.get_by_role("button", name="Take your seat back").click()
        expect(ada.get_by_text("a computer plays for you")).to_have_count(0)
        play_turn(ben)
        play_turn(ada)


@pytest.mark.timeout(120)
def test_a_computer_stands_in_for_who_is_away(browser: Browser, hasty: str) -> None:
    with visit(browser, hasty) as ada, visit(browser, hasty) as ben:
        code = host_table(ada, "classic", "Ada")
        join(ben, code, "Ben")
        start(ada)
        cable = Cable(ben)
        ben.reload()
        ben.locator(".tray").wait_for()
        play_turn(ada)
        cable.pull()
        expect(ada.locator(".clock")).to_be_visible()
        expect(ada.locator(".log")).to_contain_text("Ben is away; a computer plays on.")
        ada.locator(".tray .next:not(.calm)").wait_for()  # it has played
        cable.plug()
        expect(ada.locator(".log")).to_contain_text("Ben is back.")
        play_turn(ada)
        play_turn(ben)


def test_open_tables_and_one_s_own(browser: Browser, address: str) -> None:
    with visit(browser, address) as ada, visit(browser, address) as ben:
        host_table(ada, "six-dice", "Ada Public", public=True, pace="slow", clock=86_400)
        host_table(ada, "classic", "Ada Private")
        ben.goto("/lobby")
        card = ben.locator("main li").filter(has_text="Ada Public")
        expect(card).to_contain_text("1 day a turn")
        assert ben.get_by_text("Ada Private").count() == 0
        ben.get_by_role("radio", name="in one go").check()
        expect(card).to_have_count(0)
        ben.get_by_role("radio", name="over days").check()
        card.click()
        sit_down(ben, "Ben")
        ben.goto(open_table(ben, "yatzy"))
        settled(ben)
        ben.goto("/")
        ben.get_by_role("button", name="Your other tables: one waits for you").click()
        cards = ben.get_by_role("dialog").locator("li")
        expect(cards).to_have_count(2)
        expect(cards.first).to_contain_text("Your turn")
        cards.first.click()
        expect(ben.locator(".tray h2")).to_have_text("Anna is next")


def test_real_dice_are_typed_in(browser: Browser, address: str) -> None:
    with visit(browser, address) as page:
        page.goto("/")
        page.locator(".shelf label").filter(has_text="Classic pad").click()
        page.locator("summary").filter(has_text="More").last.click()
        page.get_by_role("radio", name="real dice").check()
        expect(page.locator(".tag.machine")).to_have_count(0)
        page.get_by_role("button", name="Start").click()
        page.locator(".typed").wait_for()
        page.keyboard.type("55512")
        page.keyboard.press("Backspace")
        expect(page.locator(".tray .next")).to_contain_text("One die to type in")
        page.keyboard.type("3")
        page.keyboard.press("Enter")
        expect(page.locator(".tray .throw")).to_have_text("throw 1")
        for place in (1, 2, 3):
            page.keyboard.press(str(place))
        expect(page.locator(".typed .row")).to_have_count(2)
        for die in ("Die 1", "Die 2"):
            page.get_by_role("group", name=die).get_by_role("button", name="5").click()
        page.keyboard.press("Space")
        faces = page.locator(".tray .place .sr")
        expect(faces.nth(4)).to_have_text("Die 5: 5")
        expect(page.locator("button[data-box=five_kind]")).to_contain_text("50")


@pytest.mark.timeout(240)
def test_hostile_names_are_only_names(browser: Browser, address: str) -> None:
    """Drill 17 and promise 18: in pads, lists, titles, the log and the lobby."""
    tables = [NAMES[at : at + 12] for at in range(0, len(NAMES), 12)]
    with visit(browser, address) as host, visit(browser, address, size=PHONE) as page:

        def look(where: str, wanted: str) -> None:
            page.goto(where)
            page.locator(wanted).first.wait_for()
            assert page.evaluate("typeof hacked") == "undefined"
            assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
            assert page.locator("main script, main iframe, main img[src=x]").count() == 0

        for names in tables:
            people = [{"name": name, "kind": "person"} for name in names]
            look(open_table(host, "yatzy", seats=people), ".tray")
        for names in tables[:8]:
            people = [{"name": name, "kind": "person"} for name in names[:11]]
            look(open_table(host, "yatzy", seats=[*people, FREE], start=False, public=True), ".tag")
        look("/lobby", "main li")
        host.goto("/lobby")
        host.locator("main li").first.wait_for()
        assert host.evaluate("typeof hacked") == "undefined"
        assert host.evaluate("document.documentElement.scrollWidth") <= DESKTOP[0]


def every_page(page: Page, other: Page, address: str) -> Iterator[str]:
    """Each new page in each of its states."""
    page.goto("/")
    page.locator(".tag .kind").last.select_option("free")
    page.locator(".round summary").click()
    yield "set-up"
    for path in ("/join", "/lobby", "/me"):
        page.goto(path)
        page.locator("main h1").wait_for()
        yield path
    page.goto(
        open_table(other, short(address), seats=[{"name": "Ada", "kind": "person"}, FREE], start=False, public=True)
    )
    page.locator("form input").wait_for()
    yield "watching"
    page.locator("form input").fill("Ben")
    page.locator("form .next").click()
    page.locator(".act > .next").wait_for()
    yield "seated"
    page.locator(".act > .next").click()
    page.locator(".waiting").wait_for()
    yield "ready"
    other.goto(page.url)
    other.locator(".act > .next[aria-disabled=false]").click()
    page.locator(".phrases .open").click()
    page.locator("[role=menu]").wait_for()
    yield "phrases"
    page.keyboard.press("Escape")
    page.goto(f"{page.url}/fairness")
    page.locator(".verdict").wait_for()
    yield "fairness"
    page.goto("/lobby")
    page.locator("main li").first.wait_for()
    yield "lobby"
    page.goto("/me")
    page.locator("main section .ways button").click()
    page.locator(".phrase").wait_for()
    yield "me"
    page.goto(open_table(page, "classic", dice="typed"))
    page.locator(".typed").wait_for()
    yield "typed"


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    ("language", "scheme", "size"),
    [("de", "light", PHONE), ("en", "dark", PHONE), ("de", "dark", DESKTOP), ("en", "light", DESKTOP)],
)
def test_access(browser: Browser, address: str, language: str, scheme: str, size: tuple[int, int]) -> None:
    with visit(browser, address, language, scheme, size) as page, visit(browser, address) as other:
        for state in every_page(page, other, address):
            page.wait_for_timeout(300)  # what moves has come to rest
            assert violations(page) == [], state
            assert page.evaluate("document.documentElement.scrollWidth") <= size[0], state
