"""The cookie of a guest in a real browser."""

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

from playwright.sync_api import Browser, Page

ASK = """async ([path, body]) => (await fetch(path, body === null ? {} :
    {method: "POST", headers: {"content-type": "application/json"}, body: JSON.stringify(body)})).json()"""


def ask(page: Page, path: str, body: object = None) -> Any:
    return page.evaluate(ASK, [path, body])


def test_a_guest_stays_one_and_no_script_sees_why(browser: Browser, address: str) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(address)
        assert ask(page, "/api/me") == {"guest": None, "lan": False}
        made = ask(page, "/api/me", {"name": "Ada"})
        page.reload()
        assert ask(page, "/api/me") == made
        assert page.evaluate("document.cookie") == ""
        (cookie,) = context.cookies()
        assert (cookie["name"], cookie["secure"], cookie["httpOnly"]) == ("__Host-knobel", True, True)
        assert (cookie["sameSite"], cookie["path"]) == ("Strict", "/")
        ask(page, "/api/me/forget", {})
        assert context.cookies() == []
        assert ask(page, "/api/me")["guest"] is None


class _Evil(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


def test_a_page_of_another_program_on_this_machine_can_do_nothing(browser: Browser, address: str) -> None:  # drill 21
    evil = HTTPServer(("127.0.0.1", 0), _Evil)
    threading.Thread(target=evil.serve_forever, daemon=True).start()
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(address)
        made = ask(page, "/api/me", {"name": "Ada"})
        other = context.new_page()
        other.goto(f"http://127.0.0.1:{evil.server_port}/")  # the same site for cookies, but not the same origin
        sent = """async (url) => { for (const mode of ["no-cors", "cors"]) {
            await fetch(url, {method: "POST", mode, credentials: "include", body: '{"name": "Eve"}'}).catch(() => 0);
            await fetch(url + "/forget", {method: "POST", mode, credentials: "include"}).catch(() => 0);
        } try { return await (await fetch(url, {credentials: "include"})).text(); } catch { return "unread"; } }"""
        assert other.evaluate(sent, f"{address.rstrip('/')}/api/me") == "unread"
        assert ask(page, "/api/me") == made
    evil.shutdown()
    evil.server_close()
