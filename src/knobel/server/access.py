"""From where the server may be reached, and what that means for a request: its host, its origin, its peer, its cookie.

This machine: always. A private network without encryption: only with `lan`. Everywhere: through a proxy that speaks
TLS, with `public`; then nothing else is served, but for the monitoring of this machine.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any
from urllib.parse import urlsplit

from knobel.errors import KnobelError, Reason
from knobel.table import Refused

LOOPBACK = ("localhost", "127.0.0.1", "::1")
EVERYWHERE = ("0.0.0.0", "::")
MONITORING = ("/healthz", "/metrics")
_PRIVATE = tuple(
    map(ip_network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "fc00::/7", "fe80::/10"))
)  # no shared or documentation networks, which `is_private` knows as well


@dataclass(frozen=True, slots=True)
class Access:
    """Where the server listens and whom it serves; `Access()` is this machine alone."""

    host: str = "127.0.0.1"
    lan: bool = False  # plain http for a private network
    public: str | None = None  # the origin that a proxy with TLS shows the world, such as https://play.example

    def check_host(self, scope: Mapping[str, Any], host: str) -> None:
        """Raises `Refused` for a name or a peer that is not to be served; `host` is the header."""
        name = name_of(host)
        if self.public is not None:
            at_home = name in LOOPBACK and scope["path"] in MONITORING
            if not at_home and _origin(f"https://{host}") != self.public:
                raise Refused("request/foreign-host", Reason("server-foreign-host-public", {"url": self.public}))
            return
        if self.lan and not _is_near(peer_of(scope)):
            raise Refused("request/plain-http", Reason("server-plain-http-far"))
        if name in LOOPBACK or (self.lan and name == self.host.lower() and name not in EVERYWHERE):
            return
        address = _address(name)
        if address is None:
            key = "server-foreign-host-lan" if self.lan else "server-foreign-host"
            raise Refused("request/foreign-host", Reason(key))
        if not self.lan:
            raise Refused("request/plain-http", Reason("server-plain-http"))
        if not _is_private(address):
            raise Refused("request/plain-http", Reason("server-plain-http-far"))

    def origin_of(self, scope: Mapping[str, Any], host: str) -> str:
        """The only origin whose pages may change anything through this host."""
        return self.public or f"{'https' if _has_tls(scope) else 'http'}://{host}"

    def is_https(self, scope: Mapping[str, Any]) -> bool:
        """Whether the browser speaks TLS, with us or with our proxy."""
        return self.public is not None or _has_tls(scope)

    def is_private(self, scope: Mapping[str, Any]) -> bool:
        """Whether what is said stays secret on its way: TLS, or this machine talking to itself."""
        return self.is_https(scope) or name_of(host_of(scope)) in LOOPBACK

    def client_of(self, scope: Mapping[str, Any]) -> Any:
        """Who asks, as in `scope["client"]`; behind our proxy the one that it names last; others are not believed."""
        client = scope.get("client")
        if self.public is None or not _is_near(peer_of(scope)):
            return client
        named = [value for name, value in scope["headers"] if name == b"x-forwarded-for"]
        address = _address(named[-1].decode("latin-1").rpartition(",")[2].strip()) if named else None
        return client if address is None else (str(address), 0)


def access_of(host: str | None = None, lan: bool = False, public_url: str | None = None) -> Access:
    """What the command line asked for. Raises `KnobelError` for what makes no sense or would be careless."""
    if lan and public_url is not None:
        raise KnobelError(Reason("server-lan-and-public"))
    listening = host or (EVERYWHERE[0] if lan else LOOPBACK[1])
    address = _address(listening)
    is_home = listening in LOOPBACK or (address is not None and address.is_loopback)
    if lan and (is_home or (address is not None and not address.is_unspecified and not _is_private(address))):
        raise KnobelError(Reason("server-lan-host", {"host": listening}))
    if not lan and public_url is None and not is_home:
        raise KnobelError(Reason("server-host-careless", {"host": listening}))
    return Access(listening, lan, None if public_url is None else _public(public_url))


def host_of(scope: Mapping[str, Any]) -> str:
    """The Host header."""
    return next((value.decode("latin-1") for name, value in scope["headers"] if name == b"host"), "")


def name_of(host: str) -> str:
    """The name in a Host header, without the port."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def is_private(host: str) -> bool:
    """Whether this is an address of a private network."""
    address = _address(host)
    return address is not None and _is_private(address)


def peer_of(scope: Mapping[str, Any]) -> IPv4Address | IPv6Address | None:
    """The address at the other end of the connection."""
    return _address(str((scope.get("client") or ("",))[0]))


def _public(url: str) -> str:
    origin = _origin(url)
    if origin is None:
        raise KnobelError(Reason("server-public-url", {"found": url[:100]}))
    return origin


def _origin(url: str) -> str | None:
    """The origin of an https URL as browsers write it."""
    try:
        parts = urlsplit(url)
        name, port = parts.hostname or "", parts.port
    except ValueError:
        return None
    if parts.scheme != "https" or not name or not name.isascii() or parts.path not in ("", "/"):
        return None
    if parts.query or parts.fragment or parts.username is not None:
        return None
    host = f"[{name}]" if ":" in name else name
    return f"https://{host}" if port in (None, 443) else f"https://{host}:{port}"


def _has_tls(scope: Mapping[str, Any]) -> bool:
    return scope.get("scheme") in ("https", "wss")


def _address(text: str) -> IPv4Address | IPv6Address | None:
    try:
        address = ip_address(text)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def _is_private(address: IPv4Address | IPv6Address) -> bool:
    return any(address.version == network.version and address in network for network in _PRIVATE)


def _is_near(address: IPv4Address | IPv6Address | None) -> bool:
    """This machine or one in its private network."""
    return address is not None and (address.is_loopback or _is_private(address))
