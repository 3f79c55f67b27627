"""Pages that let people in by themselves: addresses with a token, sessions, and what every answer has."""

import json
import secrets
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, Router

from simsieve.errors import ConfigError, ServiceError
from simsieve.messages import Message
from simsieve.report.page import asset
from simsieve.review.page import closed, door_page
from simsieve.screen import visible
from simsieve.serve.wire import JSON, PAGE, kind_of, whole

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
_MOST_BYTES, _MOST_OF_A_TABLE = 1 << 20, 16 << 20
"""A body of a request, at most."""
_TYPES = {"css": "text/css", "js": "text/javascript"}
Answer = Callable[[Request, Guest, dict[str, Any]], Any]
"""Answers a request of a guest, whose body was read, with what becomes JSON."""


Answers = Mapping[tuple[str, str], tuple[int, Answer]]
"""What a page asks for, by method and name, with what a guest needs to be allowed."""


def page_app(
    doors: Doors, page: Callable[[], str], assets: Iterable[str], answers: Answers, more: Iterable[BaseRoute] = ()
) -> Router:
    """Make the addresses of a page; who is let in has opened `?token=` with a token of `Doors.invite`, or has a key."""
    # What fails is raised, and the service answers it.
    routes = [
        Route(f"/api/{name}", _endpoint(needed, answer, doors), methods=[method])
        for (method, name), (needed, answer) in answers.items()
    ]
    return Router([Route("/", _first(doors, page)), *routes, *more, Route("/{name}", _static(frozenset(assets)))])


def answered(content: str | bytes, kind: str, status: int = 200, more: Mapping[str, str] | None = None) -> Response:
    """Give an answer with the headers of every one."""
    return Response(content, status, HEADERS | dict(more or {}), kind)


def guest_of(request: Request, doors: Doors, needed: int = LOOKS) -> Guest:
    """Who asks; an error if nobody was let in, or they may not do this."""
    guest = doors.guest(request)
    if guest is None:
        raise ServiceError(closed(), code="unauthorized")
    if guest.may < needed:
        why = Message("You may look here, and no more: ask for a key or an address that allows it.")
        raise ServiceError(why, code="forbidden")
    return guest


def _endpoint(needed: int, answer: Answer, doors: Doors) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        guest = guest_of(request, doors, needed)
        body: Any = {}
        if request.method == "POST":
            call = request.scope["call"]
            kind_of(call, may_be_lines=False)
            most = _MOST_OF_A_TABLE if request.url.path.endswith("/take") else _MOST_BYTES
            try:
                body = json.loads(await whole(request.receive, call, most) or b"{}")
            except (ValueError, RecursionError):
                body = None
        if not isinstance(body, dict):
            raise ConfigError("the body is no JSON object")
        made = await run_in_threadpool(answer, request, guest, body)
        # ASCII alone: half a character of a text has no UTF-8.
        return answered(json.dumps(made, allow_nan=False), JSON)

    return endpoint


def _first(doors: Doors, page: Callable[[], str]) -> Callable[[Request], Response]:
    def first(request: Request) -> Response:
        session = doors.enter(request.query_params.get("token", ""))
        if session is not None:
            # The next request is one of this page, so that it has the cookie even if a foreign page led here.
            response = answered(door_page(is_open=True), PAGE)
            path = request.scope.get("root_path", "") + "/"
            secure = request.url.scheme == "https"
            response.set_cookie(doors.cookie, session, path=path, httponly=True, samesite="strict", secure=secure)
            return response
        if doors.guest(request) is None:
            # Where keys open the page too, the browser asks for one.
            has_keys = "guest" in request.scope
            asked = {"www-authenticate": 'Basic realm="simsieve", charset="UTF-8"'} if has_keys else None
            return answered(door_page(is_open=False), PAGE, 401, asked)
        return answered(page(), PAGE)

    return first


def _static(names: frozenset[str]) -> Callable[[Request], Response]:
    def static(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in names:
            raise ServiceError(Message("there is nothing at this address"), code="not_found")
        return answered(asset(name), _TYPES[name.rpartition(".")[2]])

    return static


def whole_number(given: Any, name: str) -> int:
    """A whole number of a request."""
    value = given.get(name)
    text = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
    if not text.isascii() or not text.isdecimal() or len(text) > 15:
        raise ConfigError("{name} {value} is no whole number", name=name, value=visible(str(value))[:40])
    return int(text)
