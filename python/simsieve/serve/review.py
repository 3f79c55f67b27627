"""The review page as addresses of the service: what its script asks for."""

import base64
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, Router

from simsieve.errors import ConfigError
from simsieve.review.page import review_page, words
from simsieve.review.reviewing import Reviewing
from simsieve.review.verdicts import sent_rows, taken_text
from simsieve.screen import visible
from simsieve.serve.doors import (
    APPLIES,
    JUDGES,
    LOOKS,
    MOST_NAME,
    Answers,
    Doors,
    Guest,
    answered,
    guest_of,
    page_app,
    whole_number,
)


def review_app(reviewing: Reviewing, doors: Doors) -> Router:
    """Make the addresses of a review; see `page_app`."""
    table = Route("/api/verdicts.csv", _table(reviewing, doors))
    return page_app(doors, review_page, ("page.css", "review.css", "review.js"), _answers(reviewing, doors), [table])


def _answers(reviewing: Reviewing, doors: Doors) -> Answers:
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
