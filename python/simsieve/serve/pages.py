"""The pages of a service as addresses: passages, the review and `simsieve app`."""

import base64
import tempfile
from collections.abc import Callable
from functools import lru_cache
from math import isfinite
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route, Router
from starlette.types import Receive, Scope, Send

from simsieve.errors import ConfigError, ServiceError
from simsieve.inside.page import MOST_SERVED, SCRIPT, STYLE, PassagesPage
from simsieve.messages import Message
from simsieve.review.page import review_page, served_page, words
from simsieve.review.reviewing import Reviewing
from simsieve.review.verdicts import sent_rows, taken_text
from simsieve.screen import visible
from simsieve.serve.doors import (
    APPLIES,
    JUDGES,
    LOOKS,
    MOST_NAME,
    Answer,
    Answers,
    Doors,
    Guest,
    answered,
    guest_of,
    page_app,
    whole_number,
)
from simsieve.tidy.desk import PASSAGES, PICTURES, TEXTS
from simsieve.tidy.page import app_page, app_words
from simsieve.tidy.places import Places


def passages_app(result: Any, doors: Doors) -> Router:
    """Make the addresses of the page of a `PassageResult`; see `page_app`."""
    made = PassagesPage(result, MOST_SERVED, MOST_SERVED)
    first = served_page(made.title, *made.content(), script=made.script or "", styles=(STYLE,))
    begun = made.begin()

    def document(request: Request, _: Guest, __: dict[str, Any]) -> Any:
        return _found(made.document(whole_number(request.query_params, "number")))

    def text(request: Request, _: Guest, __: dict[str, Any]) -> Any:
        return _found(made.text(*(whole_number(request.query_params, name) for name in ("number", "of"))))

    answers = {"begin": lambda *_: begun, "document": document, "text": text}
    assets = ("page.css", "review.css", STYLE, SCRIPT)
    return page_app(doors, lambda: first, assets, {("GET", name): (LOOKS, one) for name, one in answers.items()})


def _found(answer: Any) -> Any:
    if answer is None:
        raise ServiceError(Message("there is nothing at this address"), code="not_found")
    return answer


def review_app(reviewing: Reviewing, doors: Doors) -> Router:
    """Make the addresses of a review; see `page_app`."""
    table = Route("/api/verdicts.csv", _table(reviewing, doors))
    return page_app(doors, review_page, ("page.css", "review.css", "review.js"), _of_review(reviewing, doors), [table])


def _of_review(reviewing: Reviewing, doors: Doors) -> Answers:
    def begin(_: Request, guest: Guest, __: dict[str, Any]) -> Any:
        return {
            "words": words(reviewing.ending.none) | {"apply": reviewing.ending.button()},
            "filters": reviewing.filters(),
            "state": reviewing.state(), "person": visible(guest.name),
            "may": {"judge": guest.may >= JUDGES, "apply": guest.may >= APPLIES},
        }  # fmt: skip

    def item(request: Request, guest: Guest, _: dict[str, Any]) -> Any:
        given = request.query_params
        wanted = reviewing.wanted(given)
        if "start" in given:
            return reviewing.more(wanted, whole_number(given, "rank"), whole_number(given, "start"))
        rank = whole_number(given, "rank") if "rank" in given else None
        after = whole_number(given, "after") if "after" in given else 0
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
        ("GET", "changes"): (LOOKS, lambda request, *_: reviewing.changes(whole_number(request.query_params, "after"))),
        ("GET", "values"): (LOOKS, lambda request, *_: reviewing.values(request.query_params.get("field", ""))),
        ("POST", "verdict"): (JUDGES, lambda _, guest, body: reviewing.judge(
            whole_number(body, "position"), str(body.get("verdict", "")), whole_number(body, "seen"), guest.name
        )),
        ("POST", "undo"): (
            JUDGES, lambda request, guest, _: reviewing.undo(reviewing.wanted(request.query_params), guest.name)
        ),
        ("POST", "take"): (JUDGES, take),
        ("POST", "effects"): (JUDGES, lambda *_: reviewing.work_out()),
        ("POST", "invite"): (APPLIES, invite),
        ("POST", "apply"): (APPLIES, lambda *_: {"said": reviewing.apply(), "button": reviewing.ending.button()}),
    }  # fmt: skip


def _table(reviewing: Reviewing, doors: Doors) -> Callable[[Request], Response]:
    def table(request: Request) -> Response:
        guest_of(request, doors)
        with tempfile.TemporaryDirectory() as folder:
            sink = Path(folder, "verdicts.csv")
            reviewing.table(sink)
            content = sink.read_bytes()
        return answered(content, "text/csv", more={"content-disposition": 'attachment; filename="verdicts.csv"'})

    return table


_ASSETS = ("page.css", "review.css", "app.css", "app.js")


def tidy_app(places: Places, doors: Doors) -> Router:
    """Make the addresses of the page, and below `/passages` those of the page on passages; see `page_app`."""
    made = lru_cache(1)(lambda result: passages_app(result, doors))

    async def passages(scope: Scope, receive: Receive, send: Send) -> None:
        guest_of(Request(scope), doors)
        await (await run_in_threadpool(made, places.desk.passages))(scope, receive, send)

    answers = {where: (APPLIES, answer) for where, answer in _of_app(places).items()}
    return page_app(doors, app_page, _ASSETS, answers, [Mount("/passages", app=passages)])


def _of_app(places: Places) -> dict[tuple[str, str], Answer]:
    """What the page asks for, by method and name."""

    def start(body: dict[str, Any]) -> Any:
        what = body.get("what")
        limit: Any = body.get("limit")
        is_number = isinstance(limit, int | float) and not isinstance(limit, bool) and isfinite(limit)
        if what not in (TEXTS, PICTURES, PASSAGES) or not is_number:
            raise ConfigError("a run is of texts, pictures or passages, and has a limit that is a number")
        given = (str(body.get(name, "")) for name in ("field", "encoding"))
        places.desk.start(what, str(body.get("kind", "")), limit, *given)
        return {"state": places.desk.state()}

    def cancel(_: dict[str, Any]) -> Any:
        places.desk.end()
        return {"state": places.desk.state()}

    def check(body: dict[str, Any]) -> Any:
        at, keeps = whole_number(body, "position"), body.get("keep") is True
        return _changed(places.desk.changed(lambda groups: groups.check(at, keeps=keeps)))

    def none(body: dict[str, Any]) -> Any:
        head, is_none = whole_number(body, "group"), body.get("none") is True
        is_all = body.get("all") is True
        places.desk.changed(lambda groups: groups.keep_all(head) if is_all else groups.keep_none(head, none=is_none))
        return _changed(head)

    def undo(body: dict[str, Any]) -> Any:
        name = body.get("name")
        return places.desk.undo(whole_number(body, "batch"), name if isinstance(name, str) else None)

    def _changed(head: int) -> Any:
        desk = places.desk
        groups = desk.groups
        kept = {at: bool(groups.keep[at]) for at in groups.members(head)}
        return {"kept": kept, "none": head in groups.none, "state": desk.state()}

    def rule(body: dict[str, Any]) -> Any:
        name, field, least = str(body.get("rule", "")), str(body.get("field", "")), body.get("least") is True
        said = places.desk.changed(lambda groups: groups.apply(name, field, least=least))
        return {"said": said, "state": places.desk.state()}

    def read(answer: Callable[[Request], Any]) -> Answer:
        return lambda request, _, __: answer(request)

    def change(answer: Callable[[dict[str, Any]], Any]) -> Answer:
        def answered(_: Request, __: Guest, body: dict[str, Any]) -> Any:
            places.check_seen(body)
            return answer(body)

        return answered

    return {
        ("GET", "begin"): read(lambda _: app_words()),
        ("GET", "look"): read(lambda _: places.look()),
        ("POST", "folder"): change(lambda body: places.listed(str(body.get("inside", places.begin())))),
        ("POST", "choose"): change(lambda body: places.open(str(body.get("inside", "")))),
        ("GET", "state"): read(lambda _: places.desk.state()),
        ("GET", "groups"): read(lambda request: places.desk.changed(
            lambda groups: groups.shown(whole_number(request.query_params, "start")))),
        ("POST", "ask"): change(lambda body: {"matches": places.desk.ask(str(body.get("text", "")))}),
        ("GET", "pair"): read(lambda request: places.desk.groups.pair(whole_number(request.query_params, "position"))),
        ("POST", "start"): change(start),
        ("POST", "cancel"): change(cancel),
        ("POST", "check"): change(check),
        ("POST", "none"): change(none),
        ("POST", "rule"): change(rule),
        ("POST", "move"): change(lambda body: places.desk.move(str(body.get("where", "")))),
        ("POST", "undo"): change(undo),
        ("POST", "write"): change(lambda body: places.desk.write(str(body.get("name", "")))),
    }  # fmt: skip
