"""Who may use the page: one-time addresses that become cookies, and requests of the page alone."""

import ipaddress
import secrets
import socket
from typing import NamedTuple
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from simsieve.messages import tr

HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
    " img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
"""What every answer has: nothing of a text can run, and nothing is fetched from elsewhere."""
_TABLE = "/api/take"
"""What takes a table of verdicts."""
_MOST_BYTES, _MOST_OF_A_TABLE = 1 << 20, 16 << 20
"""A body of a request, at most."""
MOST_NAME = 40
"""Characters of the name of a person, at most."""
LOOKS, JUDGES, APPLIES = range(3)
"""What a person may do, each what the ones before it may too; `APPLIES` also lets others in."""


class Guest(NamedTuple):
    """Who asks, by the name that stands beside verdicts, and what they may do."""

    name: str
    may: int


class Doors:
    """The tokens of addresses that were not opened yet, and the sessions of those that were.

    An application that has the page below a path of its own may know guests by keys: it puts the one who asks, or None,
    into the scope as `guest`.

    Args:
        names: Names of this machine; None where somebody else has checked by which name the page is asked for.
    """

    def __init__(self, names: tuple[str, ...] | None = ()) -> None:
        self.cookie = f"simsieve-{secrets.token_hex(4)}"
        """The name of the cookie; browsers share cookies among the ports of a host."""
        own = ("localhost", socket.gethostname())
        self._names = None if names is None else {name.lower() for name in (*own, *names)}
        self._tokens: dict[str, Guest] = {}
        self._sessions: dict[str, Guest] = {}

    def invite(self, person: str, may: int = JUDGES) -> str:
        """Make a token, which lets one browser in."""
        token = secrets.token_urlsafe(24)
        self._tokens[token] = Guest(person, may)
        return token

    def enter(self, token: str) -> str | None:
        """Take a token, and give the session that it becomes; None where it is none, or was used."""
        guest = self._tokens.pop(token, None)
        if guest is None:
            return None
        session = secrets.token_urlsafe(24)
        self._sessions[session] = guest
        return session

    def guest(self, request: HTTPConnection) -> Guest | None:
        """Give who asks; None where nobody was let in."""
        by_key = request.scope.get("guest")
        known = self._sessions.get(request.cookies.get(self.cookie, ""))
        return known or (None if by_key is None else Guest(by_key[0][:MOST_NAME], by_key[1]))

    def is_known(self, host: str) -> bool:
        """Whether a header names this machine: another name that leads here is that of a foreign page."""
        if self._names is None:
            return True
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        if name in self._names:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True


class Guard:
    """Refuses requests of other pages, under other names, or too large; every answer gets `HEADERS`."""

    def __init__(self, app: ASGIApp, doors: Doors) -> None:
        self._app, self._doors = app, doors

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
            await send(message)

        refused = self._refused(HTTPConnection(scope))
        if refused is not None:
            await PlainTextResponse(refused[1], refused[0])(scope, receive, sent)
            return
        await self._app(scope, receive, sent)

    def _refused(self, request: HTTPConnection) -> tuple[int, str] | None:
        headers, method = request.headers, request.scope["method"]
        host, origin = headers.get("host", ""), headers.get("origin")
        if not self._doors.is_known(host):
            return 421, tr("This address is not that of the page.")
        if method in ("GET", "HEAD"):
            return None
        # A browser names the page that sends; a page from elsewhere is not let through.
        if origin != f"{request.scope['scheme']}://{host}":
            return 403, tr("The request is not from this page.")
        if headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            return 415, tr("The body is not application/json.")
        length = headers.get("content-length", "")
        most = _MOST_OF_A_TABLE if request.scope["path"].endswith(_TABLE) else _MOST_BYTES
        if not length.isascii() or not length.isdecimal() or int(length) > most:
            return 413, tr("The body is too long.")
        return None
