"""Who may use the review page: one-time addresses that become cookies, and keys of the service."""

import secrets
from typing import NamedTuple

from starlette.requests import HTTPConnection

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

    Where there are keys, the service puts the one who asks, or None, into the scope as `guest`.
    """

    def __init__(self) -> None:
        self.cookie = f"simsieve-{secrets.token_hex(4)}"
        """The name of the cookie; browsers share cookies among the ports of a host."""
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
