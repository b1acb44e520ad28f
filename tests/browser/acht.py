"""Playing Acht, Mann! through what a person sees: special rounds, tokens, helpers' dice and extra throws."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.browser.house import ask
from tests.browser.playing import open_table

NARROW = {
    "base": "acht-mann",
    "id": "narrow",
    "labels": {"de": "Schmal", "en": "Narrow"},
    "columns": [{"last_throw": 1}, {"last_throw": 5}, {"special": True}],
    "earned_throws": {"categories": ["three_kind", "four_kind"], "minima": [5, 5, 5], "grant": "either"},
    "upper": {"threshold": 10, "bonus": 35},
}
Moment = tuple[bool, str, str, int]
LIVELY = {"upper_threshold": 10, "extra_minima": [5, 5, 5, 5, 5, 5], "extra_grant": "either"}
LOOK = """() => {
    const all = (selector) => [...document.querySelectorAll(selector)];
    const text = (selector) => document.querySelector(selector)?.innerText ?? "";
    const names = (selector) => all(selector).map((one) => one.getAttribute("aria-label"));
    const boxes = names("button[data-box]"), pool = names("button[data-place]");
    const isOver = all("section.settlement").length > 0;
    return {
        is_over: isOver,
        is_asked: isOver || all(".tray > .next[aria-disabled=false]").length > 0, // no command is under way
        heading: text(".tray h2"),
        turn: text(".tray .turn"),
        pooled: all(".pool button").length,
        scene: text(".scene h2"),
        boxes,
        pool,
        usable: all(".jokers button[aria-disabled=false]").map((one) => one.innerText),
        extra: text(".jokers .extra"),
    };
}"""
# Look until a person is asked, and the window differs from a moment or is at it; here, not by many questions from afar.
WAIT = (
    "async ([moment, isWanted]) => { const look = "
    + LOOK
    + """;
    const wanted = JSON.stringify(moment), end = performance.now() + 30_000;
    for (;;) {
        const sight = look();
        const found = [sight.is_over, sight.turn, sight.extra.split("\\n")[0], sight.pooled];
        if (sight.is_asked && (JSON.stringify(found) === wanted) === isWanted) return sight;
        if (performance.now() > end) return null;
        await new Promise((resolve) => setTimeout(resolve, 25));
    }
}"""
)


def new_table(page: Page, seats: list[tuple[str, str]], options: dict[str, Any] | None = None) -> str:
    """The page of a new table of Acht, Mann! at which bonuses and extra throws come early."""
    players = [{"name": name, "kind": kind} for name, kind in seats]
    return open_table(page, "acht-mann", {**LIVELY, **(options or {})}, players)


def narrow_table(page: Page, address: str, seats: list[tuple[str, str]]) -> str:
    """The same with three columns: house rules of half the length."""
    digest = ask(address, "/api/house-rules", {"rules": NARROW})["digest"]
    return open_table(page, f"house:{digest}", seats=[{"name": name, "kind": kind} for name, kind in seats])


@dataclass(frozen=True)
class Sight:
    """What a window shows at one moment; buttons by their accessible names."""

    is_over: bool
    is_asked: bool  # a person must do something, or the game is over
    heading: str
    turn: str
    pooled: int  # dice that lie in the pool
    scene: str
    boxes: list[str]
    pool: list[str]
    usable: list[str]  # tokens and earned throws
    extra: str

    @property
    def moment(self) -> Moment:
        """Whatever is done, one of these changes."""
        return self.is_over, self.turn, self.extra.split("\n")[0], self.pooled

    @property
    def is_to_pick(self) -> bool:
        """The box of a special round is to be picked."""
        return any(name.endswith("everyone") for name in self.boxes)

    def can_spend(self, token: str) -> bool:
        """Whether a token can be used now."""
        return any(name.startswith(token) for name in self.usable)


class Window:
    """One person's browser window."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.big_button = page.locator(".tray > .next")
        self.boxes = page.locator("button[data-box]")
        self.pool = page.locator("button[data-place]")

    def look(self) -> Sight:
        """What it shows just now."""
        return Sight(**self.page.evaluate(LOOK))

    def wait(self, moment: Moment | None = None, is_left: bool = True) -> Sight:
        """What it shows as soon as a person is asked and a moment is over; or has come, unless it is to be left."""
        found = self.page.evaluate(WAIT, [moment and list(moment), not is_left])
        if found is None:
            raise AssertionError(f"nothing happened: {self.look()}")
        return Sight(**found)

    def press(self) -> None:
        """The big button."""
        self._send(self.big_button.click)

    def pick(self) -> None:
        """The first box that can be picked, with two clicks."""
        self.boxes.first.click()
        self._send(self.boxes.first.click)

    def choose(self) -> None:
        """Five dice out of the pool, each with a click, then the big button."""
        faces = [int(name.rsplit(" ", 1)[-1]) for name in self.look().pool]
        most = max(set(faces), key=faces.count)
        places = sorted(range(len(faces)), key=lambda place: faces[place] != most)[:5]
        for count, place in enumerate(places):
            expect(self.big_button).to_have_text(f"{count} of 5 chosen", use_inner_text=True)
            self.pool.nth(place).click()
        self._send(self.big_button.click)

    def enter(self) -> None:
        """The roll in the box where it brings most, with two clicks."""
        points = [int(name.rsplit(": ", 1)[-1].split(" ")[0]) for name in self.look().boxes]
        best = self.boxes.nth(points.index(max(points)))
        best.click()
        self._send(best.click)

    def spend(self, token: str) -> None:
        """A token, with two clicks."""
        button = self.joker(token)
        button.click()
        self._send(button.click)

    def throw_extra(self) -> None:
        """An earned throw of all dice but the first."""
        self.page.locator(".tray .place").first.click()
        self._send(self.joker("Extra throw").click)

    def joker(self, name: str) -> Locator:
        """A button below the big one."""
        return self.page.locator(".jokers button").filter(has_text=name)

    def _send(self, click: Callable[[], None]) -> None:
        """Do what sends a command, and wait for what it brings."""
        before = self.look().moment
        click()
        self.wait(before)


def play_step(window: Window, sight: Sight) -> None:
    """The next plain thing to do: pick, choose, throw once, or enter."""
    if sight.is_to_pick:
        window.pick()
    elif sight.pool:
        window.choose()
    elif sight.boxes:
        window.enter()
    else:
        window.press()
