"""Visitors: what a request says about who sends it. The one place that reads and writes the cookie of a guest.

Over TLS and on this machine it is `__Host-knobel`; on plain http in a private network, where that is not possible,
`knobel`. A token is good for one of the two. It is taken from nowhere else, never from the address.

`SameSite=Strict` costs nothing here: a page holds nothing private, and what it asks for then comes from our own site,
also when it was opened by a link from elsewhere.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from knobel.errors import Reason
from knobel.server.access import Access
from knobel.server.guest import LIFETIME, Guest, Guests
from knobel.table import Refused

SECURE, PLAIN = "__Host-knobel", "knobel"
_TOKEN = re.compile("[A-Za-z0-9_-]{22}")
_FLAGS = "Path=/; HttpOnly; SameSite=Strict"


class Cookie(NamedTuple):
    """A header for the answer."""

    name: str
    value: str


class Visitors:
    """The guests behind requests and handshakes; `scope` is that of ASGI, http or websocket."""

    def __init__(self, guests: Guests, access: Access) -> None:
        """`access` says which cookie is right for a request."""
        self.guests, self._access = guests, access

    def is_open(self, scope: Mapping[str, Any]) -> bool:
        """Whether what is said can be read on its way."""
        return not self._access.is_private(scope)

    async def guest_of(self, scope: Mapping[str, Any]) -> Guest | None:
        """Who asks; None for whoever is no guest yet. Raises `Refused` if the database fails."""
        token = self.token_of(scope)
        return None if token is None else await self.guests.of(token, self._kind(scope))

    async def require(self, scope: Mapping[str, Any]) -> Guest:
        """Who asks. Raises `Refused` for whoever is no guest yet."""
        guest = await self.guest_of(scope)
        if guest is None:
            raise Refused("guest/none", Reason("server-guest-none"))
        return guest

    async def make(self, scope: Mapping[str, Any], name: str) -> tuple[Guest, Cookie]:
        """A new guest on the device that asks; the cookie goes into the answer. Raises `Refused`."""
        guest, token = await self.guests.make(name, self._kind(scope))
        return guest, self._cookie(scope, token)

    async def recover(self, scope: Mapping[str, Any], phrase: str) -> tuple[Guest, Cookie]:
        """Make the device that asks one of the guest of a phrase; what it was before is over. Raises `Refused`."""
        guest, token = await self.guests.recover(phrase, self._kind(scope))
        await self._end(scope)
        return guest, self._cookie(scope, token)

    async def renew(self, scope: Mapping[str, Any]) -> tuple[Guest | None, Cookie | None]:
        """Who asks, with a cookie for another 400 days if the last one was given a day ago. Raises `Refused`."""
        token = self.token_of(scope)
        known = None if token is None else await self.guests.know(token, self._kind(scope))
        if token is None or known is None:
            return None, None
        try:
            is_renewed = await self.guests.see(token, self._kind(scope), known.seen)
        except Refused:  # a full disk: reading goes on
            is_renewed = False
        return known.guest, self._cookie(scope, token) if is_renewed else None

    async def forget(self, scope: Mapping[str, Any]) -> Cookie:
        """Make the device that asks a stranger's; other devices of the guest stay. Raises `Refused`."""
        await self._end(scope)
        return self._cookie(scope, "", 0)

    def token_of(self, scope: Mapping[str, Any]) -> str | None:
        """What the right cookie holds if there is exactly one, of the right form."""
        text = ";".join(value.decode("latin-1") for name, value in scope["headers"] if name == b"cookie")
        pairs = [part.strip(" \t").partition("=") for part in text.split(";")]
        found = [value for name, _, value in pairs if name == self._kind(scope)]
        return found[0] if len(found) == 1 and _TOKEN.fullmatch(found[0]) else None

    async def _end(self, scope: Mapping[str, Any]) -> None:
        token = self.token_of(scope)
        if token is not None:
            await self.guests.forget(token, self._kind(scope))

    def _kind(self, scope: Mapping[str, Any]) -> str:
        return SECURE if self._access.is_private(scope) else PLAIN

    def _cookie(self, scope: Mapping[str, Any], token: str, seconds: float = LIFETIME) -> Cookie:
        secure = "; Secure" if self._access.is_private(scope) else ""
        return Cookie("set-cookie", f"{self._kind(scope)}={token}; Max-Age={round(seconds)}; {_FLAGS}{secure}")
