"""The review page as an application of Starlette, which may stand alone or below a path of another one."""

import base64
import json
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from simsieve.config.words import in_words
from simsieve.errors import ConfigError, SimsieveError
from simsieve.report.page import asset
from simsieve.review.doors import APPLIES, JUDGES, LOOKS, MOST_NAME, Doors, Guard, Guest
from simsieve.review.page import door_page, review_page, words
from simsieve.review.reviewing import Reviewing, StaleError
from simsieve.review.taking import sent_rows, taken_text
from simsieve.screen import visible

_ASSETS = {"page.css": "text/css", "review.css": "text/css", "review.js": "text/javascript"}
"""The files of the page, and their types."""

Answer = Callable[[Request, Guest, dict[str, Any]], Any]
"""Answers a request of a guest, whose body was read, with what becomes JSON."""


class Json(Response):
    """An answer in JSON of ASCII alone: half a character of a text has no UTF-8."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """Write a value."""
        return json.dumps(content, allow_nan=False).encode("ascii")


def review_app(reviewing: Reviewing, doors: Doors) -> Starlette:
    """Make the application.

    Args:
        reviewing: The review.
        doors: Who is let in: an address is `?token=` with a token of `Doors.invite`.

    Example:
        >>> import tempfile
        >>> from simsieve import dedup
        >>> result = dedup(["the quick brown fox jumps", "the quick brown fox jumped"])
        >>> log = Path(tempfile.mkdtemp(), "verdicts.sqlite")
        >>> reviewing = Reviewing(result, log, (), lambda table: result, log.with_suffix(".csv"), str)
        >>> review_app(reviewing, Doors()).url_path_for("first")
        '/'
    """
    routes = [
        Route("/", _first(doors)),
        Route("/api/verdicts.csv", _table(reviewing, doors)),
        Route("/{name}", _static),
    ]
    for (method, name), (needed, answer) in _answers(reviewing, doors).items():
        routes.insert(1, Route(f"/api/{name}", _endpoint(needed, answer, doors), methods=[method]))
    return Starlette(routes=routes, middleware=[Middleware(Guard, doors=doors)])


def _answers(reviewing: Reviewing, doors: Doors) -> dict[tuple[str, str], tuple[int, Answer]]:
    """What the page asks for, by method and name, with what a guest needs to be allowed."""

    def begin(_: Request, guest: Guest, __: dict[str, Any]) -> Any:
        return {
            "words": words(adds=reviewing.adds), "filters": reviewing.filters(),
            "state": reviewing.state(), "person": visible(guest.name),
            "may": {"judge": guest.may >= JUDGES, "apply": guest.may >= APPLIES},
        }  # fmt: skip

    def item(request: Request, guest: Guest, _: dict[str, Any]) -> Any:
        given = request.query_params
        wanted = reviewing.wanted(given)
        if "start" in given:
            return reviewing.more(wanted, _whole(given, "rank"), _whole(given, "start"))
        rank = _whole(given, "rank") if "rank" in given else None
        after = _whole(given, "after") if "after" in given else 0
        return reviewing.item(wanted, guest.name, rank=rank, after=after)

    def take(_: Request, guest: Guest, body: dict[str, Any]) -> Any:
        try:
            content = base64.b64decode(str(body.get("content", "")), validate=True)
        except ValueError:
            raise ConfigError("the content of the table is no base64") from None
        taken = reviewing.take(sent_rows(str(body.get("name", "")), content), guest.name)
        return {"said": taken_text(taken), "state": reviewing.state()}

    def invite(_: Request, __: Guest, body: dict[str, Any]) -> Any:
        name = " ".join(str(body.get("name", "")).split())[:MOST_NAME]
        if not name:
            raise ConfigError("a person needs a name: give one")
        return {"token": doors.invite(name)}

    return {
        ("GET", "begin"): (LOOKS, begin),
        ("GET", "item"): (LOOKS, item),
        ("GET", "changes"): (LOOKS, lambda request, *_: reviewing.changes(_whole(request.query_params, "after"))),
        ("GET", "values"): (LOOKS, lambda request, *_: reviewing.values(request.query_params.get("field", ""))),
        ("POST", "verdict"): (JUDGES, lambda _, guest, body: reviewing.judge(
            _whole(body, "position"), str(body.get("verdict", "")), _whole(body, "seen"), guest.name
        )),
        ("POST", "undo"): (
            JUDGES, lambda request, guest, _: reviewing.undo(reviewing.wanted(request.query_params), guest.name)
        ),
        ("POST", "take"): (JUDGES, take),
        ("POST", "effects"): (JUDGES, lambda *_: reviewing.work_out()),
        ("POST", "invite"): (APPLIES, invite),
        ("POST", "apply"): (APPLIES, lambda *_: {"said": reviewing.apply()}),
    }  # fmt: skip


def _endpoint(needed: int, answer: Answer, doors: Doors) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        guest = doors.guest(request)
        if guest is None:
            return Json({"error": {"code": "door", "message": words()["closed"]}}, 401)
        if guest.may < needed:
            return Json({"error": {"code": "forbidden", "message": words()["forbidden"]}}, 403)
        body: Any = {}
        if request.method == "POST":
            try:
                body = json.loads(await request.body() or b"{}")
            except (ValueError, RecursionError):
                body = None
        try:
            if not isinstance(body, dict):
                raise ConfigError("the body is no JSON object")
            return Json(await run_in_threadpool(answer, request, guest, body))
        except SimsieveError as error:
            told = {"code": error.code, "message": in_words(error.message)}
            return Json({"error": told}, 409 if isinstance(error, StaleError) else 400)

    return endpoint


def _first(doors: Doors) -> Callable[[Request], Response]:
    def first(request: Request) -> Response:
        session = doors.enter(request.query_params.get("token", ""))
        if session is not None:
            # The next request is one of this page, so that it has the cookie even if a foreign page led here.
            response = HTMLResponse(door_page(is_open=True))
            path = request.scope.get("root_path", "") + "/"
            secure = request.url.scheme == "https"
            response.set_cookie(doors.cookie, session, path=path, httponly=True, samesite="strict", secure=secure)
            return response
        if doors.guest(request) is None:
            # Where keys open the page too, the browser asks for one.
            has_keys = "guest" in request.scope
            asked = {"www-authenticate": 'Basic realm="simsieve", charset="UTF-8"'} if has_keys else None
            return HTMLResponse(door_page(is_open=False), 401, asked)
        return HTMLResponse(review_page())

    return first


def _static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in _ASSETS:
        return Response(status_code=404)
    return Response(asset(name), media_type=_ASSETS[name])


def _table(reviewing: Reviewing, doors: Doors) -> Callable[[Request], Response]:
    def table(request: Request) -> Response:
        if doors.guest(request) is None:
            return Response(status_code=401)
        try:
            with tempfile.TemporaryDirectory() as folder:
                sink = Path(folder, "verdicts.csv")
                reviewing.table(sink)
                content = sink.read_bytes()
        except SimsieveError as error:
            return Response(in_words(error.message), 400, media_type="text/plain")
        named = {"content-disposition": 'attachment; filename="verdicts.csv"'}
        return Response(content, media_type="text/csv", headers=named)

    return table


def _whole(given: Any, name: str) -> int:
    """A whole number of a request."""
    value = given.get(name)
    text = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
    if not text.isascii() or not text.isdecimal() or len(text) > 15:
        raise ConfigError("{name} {value} is no whole number", name=name, value=visible(str(value))[:40])
    return int(text)
