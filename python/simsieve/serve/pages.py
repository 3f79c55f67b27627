"""What the service says of itself: whether it is ready, figures, the description and its page."""

from collections.abc import Callable
from functools import cache

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from simsieve._core import __version__
from simsieve.errors import ServiceError
from simsieve.messages import Message, speaking
from simsieve.report.page import Html, page, section, table, tag
from simsieve.serve import metrics
from simsieve.serve.app import Door
from simsieve.serve.describe import PLAIN, codes, description, endpoints, fields
from simsieve.serve.options import Options
from simsieve.serve.wire import JSON, PAGE, Call, encode, sent

_Give = Callable[[Door, Call], bytes]


class _Plain:
    """An endpoint without a body."""

    def __init__(self, name: str, role: str | None, kind: str, give: _Give) -> None:
        self._name, self._role, self._kind, self._give = name, role, kind, give

    async def __call__(self, scope: Scope, _: Receive, send: Send) -> None:
        """Serve one request."""
        call: Call = scope["call"]
        call.endpoint, call.is_read = self._name, True
        if self._role is not None:
            call.allow(self._role, is_page=self._kind == PAGE)
        await sent(send, call, 200, self._give(scope["app"], call), self._kind)


def own_routes(options: Options) -> list[Route]:
    """The routes of health, metrics and description."""

    @cache
    def told() -> bytes:
        return encode(description(options))

    @cache
    def shown() -> bytes:
        with speaking("en"):
            return docs_page(options).encode()

    def ready(door: Door, _: Call) -> bytes:
        if door.is_stopping:
            raise ServiceError(Message("the service is ending"), code="busy")
        return encode({"status": "ready", "indexes": list(door.indexes)})

    def figures(door: Door, _: Call) -> bytes:
        return door.indexes.metrics.page()

    gives: tuple[_Give, ...] = (ready, figures, lambda *_: told(), lambda *_: shown())
    kinds = (JSON, metrics.TYPE, JSON, PAGE)
    return [
        Route("/", _beginning),
        *(Route(path, _Plain(name, role, kind, give), methods=["GET"])
          for (path, (name, role, _, _)), kind, give in zip(PLAIN.items(), kinds, gives, strict=True)),
    ]  # fmt: skip


def _beginning(request: Request) -> JSONResponse:
    """Lead a browser to the page, and show a program its addresses."""
    call: Call = request.scope["call"]
    call.endpoint, call.status = "beginning", 307
    return JSONResponse({"simsieve": __version__, "addresses": [*PLAIN, "/v1/indexes"]}, 307, {"location": "docs"})


def docs_page(options: Options) -> str:
    """The page of the description."""
    told = description(options)
    schemas = told["components"]["schemas"]
    parts: list[Html] = []
    for one in endpoints():
        content = [tag("p", one.summary)]
        if one.role:
            content.append(tag("p", f"Role of the key: {one.role}"))
        if one.request:
            content.append(tag("p", f"Request: {one.request}"))
        if one.example:
            content.append(tag("pre", msgspec.json.format(encode(one.example), indent=2).decode()))
        content.append(tag("p", f"Answer: {one.answer}"))
        parts.append(section(one.title, *content))
    head = ("field", "type", "what it is")
    bodies = [
        tag("div", tag("h3", name), tag("p", schema.get("description", "")), table(head, fields(schemas, name)))
        for name, schema in schemas.items() if schema.get("properties")
    ]  # fmt: skip
    shown = [(code, str(status)) for code, status in codes().items()]
    return page(
        "The interface of this service", tag("p", told["info"]["description"]), *parts,
        section("Bodies", *bodies), section("Errors", table(("code", "status"), shown)),
    )  # fmt: skip
