"""How much one address may ask of the server, and all together: token buckets for what is new, places for sockets."""

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Any, Literal

from knobel.errors import Reason
from knobel.table import Refused

REMEMBERED = 10_000  # addresses with a bucket of their own; of more, those that came longest ago are forgotten
AGAIN = 5  # seconds after which somebody may try again whom a busy server has refused
SOCKET_SECONDS = 10  # what a client without a place is told to wait


@dataclass(frozen=True, slots=True)
class Limits:
    """What `create_app` takes; tests and load tools have other ones."""

    new: int = 10  # tables, and as many house rulesets, that one address may make at once ...
    new_seconds: float = 60.0  # ... refilled over so many seconds
    codes: int = 20  # of tables, that one address may try in a minute
    names: int = 5  # new guests and new names, in a minute, of one address and of one guest
    tries: int = 5  # recovery phrases that one address may try in a minute
    sockets: int = 12_000  # open at once
    sockets_of_address: int = 50
    sockets_of_loopback: int = 12_000  # a proxy or a load test on this machine


class TooMany(Refused):
    """Refused by a limit; `wait` is in how many seconds it may be tried again."""

    def __init__(self, code: str, reason: Reason, wait: int) -> None:
        """`wait` goes into Retry-After."""
        super().__init__(code, reason)
        self.wait = wait

    @property
    def status(self) -> int:
        """Of the answer over HTTP: 503 if the server has too much to do, 429 if it is this asker."""
        return 503 if self.code == "server/overloaded" else 429


def overloaded(wait: int = AGAIN) -> TooMany:
    """The server has too much to do for this."""
    return TooMany("server/overloaded", Reason("server-overloaded"), wait)


@dataclass(slots=True)
class Bucket:
    """Tokens of one asker: an empty bucket is full again after `seconds`."""

    most: int
    seconds: float
    tokens: float
    then: float  # when they were counted, in seconds of a clock that never jumps

    @staticmethod
    def full(most: int, seconds: float, now: float) -> "Bucket":
        """A bucket from which nothing was taken yet."""
        return Bucket(most, seconds, float(most), now)

    def take(self, now: float) -> bool:
        """Take a token, if there is one."""
        self.tokens = min(self.most, self.tokens + (now - self.then) * self.most / self.seconds)
        self.then = now
        if self.tokens < 1:
            return False
        self.tokens -= 1
        return True

    @property
    def wait(self) -> float:
        """Seconds until there is a token."""
        return (1 - self.tokens) * self.seconds / self.most


class Buckets:
    """A bucket for everybody, full at first."""

    def __init__(
        self,
        most: int,
        seconds: float,
        clock: Callable[[], float] = time.monotonic,
        key: Literal["server-too-many-new", "server-too-many-tries"] = "server-too-many-new",
    ) -> None:
        """An empty bucket is full again after `seconds`; `key` is what is said meanwhile."""
        self._most, self._seconds, self._clock, self._key = most, seconds, clock, key
        self._buckets: dict[str, Bucket] = {}  # those used last at the end

    def __len__(self) -> int:
        """How many are remembered."""
        return len(self._buckets)

    def take(self, who: str) -> None:
        """Take a token. Raises `TooMany`."""
        now = self._clock()
        bucket = self._buckets.pop(who, None) or Bucket.full(self._most, self._seconds, now)
        self._buckets[who] = bucket
        if len(self._buckets) > REMEMBERED:
            del self._buckets[next(iter(self._buckets))]
        if not bucket.take(now):
            wait = max(1, math.ceil(bucket.wait))
            params = {"most": self._most, "seconds": round(self._seconds), "wait": wait}
            raise TooMany("request/too-many", Reason(self._key, params), wait)


class Places:
    """The open sockets."""

    def __init__(self, limits: Limits) -> None:
        """All are free."""
        self._limits = limits
        self._taken: dict[str, int] = {}
        self._n_taken = 0

    def take(self, who: str) -> None:
        """Take a place, to be given back by `leave`. Raises `TooMany`."""
        if self._n_taken >= self._limits.sockets:
            raise overloaded(SOCKET_SECONDS)
        limits = self._limits
        most = limits.sockets_of_loopback if _is_loopback(who) else limits.sockets_of_address
        if self._taken.get(who, 0) >= most:
            raise TooMany("request/too-many-sockets", Reason("server-too-many-sockets", {"most": most}), SOCKET_SECONDS)
        self._taken[who] = self._taken.get(who, 0) + 1
        self._n_taken += 1

    def leave(self, who: str) -> None:
        """Give a place back."""
        self._n_taken -= 1
        self._taken[who] -= 1
        if not self._taken[who]:
            del self._taken[who]


def address_of(scope: Mapping[str, Any]) -> str:
    """Who asks: an IPv4 address, or the network of an IPv6 address, for a host has 2^64 of these.

    >>> address_of({"client": ("::ffff:192.0.2.7", 1)}), address_of({"client": ("2001:db8::1:2:3:4", 1)})
    ('192.0.2.7', '2001:db8::/64')
    """
    host = str((scope.get("client") or ("",))[0])
    try:
        address = ip_address(host)
    except ValueError:
        return host
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        if not address.is_loopback and not address.is_link_local:  # these are no networks of one host
            return str(ip_network((int(address), 64), strict=False))
    return str(address)


def _is_loopback(who: str) -> bool:
    return who == "::1" or who.startswith("127.")
