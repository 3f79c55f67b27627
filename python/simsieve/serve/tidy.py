"""The page of `simsieve app` as addresses: what its script asks for."""

from collections.abc import Callable
from functools import lru_cache
from math import isfinite
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.routing import Mount, Router
from starlette.types import Receive, Scope, Send

from simsieve.errors import ConfigError
from simsieve.serve.doors import APPLIES, Answer, Doors, Guest, guest_of, page_app, whole_number
from simsieve.serve.passages import passages_app
from simsieve.tidy.desk import PASSAGES, PICTURES, TEXTS
from simsieve.tidy.page import app_page, app_words
from simsieve.tidy.places import Places

_ASSETS = ("page.css", "review.css", "app.css", "app.js")


def tidy_app(places: Places, doors: Doors) -> Router:
    """Make the addresses of the page, and below `/passages` those of the page on passages; see `page_app`."""
    made = lru_cache(1)(lambda result: passages_app(result, doors))

    async def passages(scope: Scope, receive: Receive, send: Send) -> None:
        guest_of(Request(scope), doors)
        await (await run_in_threadpool(made, places.desk.passages))(scope, receive, send)

    answers = {where: (APPLIES, answer) for where, answer in _answers(places).items()}
    return page_app(doors, app_page, _ASSETS, answers, [Mount("/passages", app=passages)])


def _answers(places: Places) -> dict[tuple[str, str], Answer]:
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
