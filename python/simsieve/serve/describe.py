"""The description of the service by OpenAPI, and what pages and the reference say of it, made from the endpoints."""

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

import msgspec
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from simsieve._core import __version__
from simsieve.errors import ServiceError
from simsieve.messages import Message, speaking
from simsieve.report.page import Html, page, section, table, tag
from simsieve.serve import metrics
from simsieve.serve.app import Door
from simsieve.serve.bodies import CompareRequest, ErrorAnswer, FingerprintRequest, PassagesRequest
from simsieve.serve.endpoints import ENDPOINTS, Endpoint
from simsieve.serve.failures import STATUS
from simsieve.serve.options import Options
from simsieve.serve.served import scheme_names
from simsieve.serve.wire import JSON, LINES, PAGE, Call, encode, sent

_PARTS = {
    "name": "The name of an index.", "id": "An id: the text, or where no document has that, the JSON value.",
    "batch": "The name or the number of a batch.",
}  # fmt: skip
FAILED_LINES = (
    "A line that is wrong is answered by its position and an error, and the others go on. The last line of the answer"
    " has the counts: decided, added (new and kept) and failed."
)
_AS_JSON = {
    "name": "json", "in": "query", "schema": {"type": "string", "enum": ["1"]},
    "description": '1: the id in the address is JSON, so that 1 is a number and "1" a text.',
}  # fmt: skip
PLAIN = {
    "/readyz": ("ready", None, "Say that every index is open, and that the service is not ending.", JSON),
    "/metrics": ("metrics", "read", "Figures for Prometheus.", "text/plain"),
    "/openapi.json": ("openapi", "read", "This description.", JSON),
    "/docs": ("docs", "read", "A page of this description, which needs no network.", "text/html"),
}
"""The endpoints without a row in the table: name, role, what they do, and what they give."""


def description(options: Options) -> dict[str, Any]:
    """The description of the service, as OpenAPI 3.1."""
    kinds = [kind for row in ENDPOINTS for kind in (row.request, row.records, row.answer) if kind is not None]
    _, schemas = msgspec.json.schema_components(
        [*dict.fromkeys([*kinds, ErrorAnswer])], ref_template="#/components/schemas/{name}"
    )
    schemas = {name: _plain_docs(schema) for name, schema in schemas.items()}
    for of in (CompareRequest, FingerprintRequest):
        schemas[of.__name__]["properties"]["scheme"]["enum"] = scheme_names()
    # One of the two is given, and not both.
    schemas[PassagesRequest.__name__]["oneOf"] = [
        {"required": [one], "properties": {one: {"type": "string"}, other: {"type": "null"}}}
        for one, other in (("source", "index"), ("index", "source"))
    ]
    paths: dict[str, Any] = {}
    for row in ENDPOINTS:
        paths.setdefault(plain_path(row.path), {})[row.method.lower()] = _operation(row)
    for path, (name, role, summary, kind) in PLAIN.items():
        told: dict[str, Any] = {"operationId": name, "summary": summary, "responses": _answers({kind: {}}, role)}
        paths[path] = {"get": told | ({"security": []} if role is None else {})}
    limits = (
        f"Limits: a body of {options.max_body:,} bytes, {options.max_batch:,} documents a request, a text of "
        f"{options.max_text:,} bytes, {options.timeout:g} seconds, {options.max_requests:,} requests under way."
    )
    return {
        "openapi": "3.1.0",
        "info": {"title": "simsieve", "version": __version__, "description": limits},
        "paths": paths,
        "components": {"schemas": schemas, "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}}},
        "security": [{"key": []}, {}],
    }


def plain_path(path: str) -> str:
    """An address without the kinds of its parts."""
    return path.replace(":rest}", "}")


def _schema(kind: Any) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{kind.__name__}"}


def _plain_docs(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema whose description is one line, without the sections of a docstring."""
    text = schema.get("description", "").split("\n\n")[0]
    return schema | ({"description": " ".join(text.split())} if text else {})


def _answers(content: dict[str, Any], role: str | None, *, has_body: bool = False) -> dict[str, Any]:
    codes = {404, 405, 500, 503, 504} if role else set()
    codes |= {400, 408, 409, 413, 415, 422} if has_body else set()
    codes |= {401, 403}
    failure = {"description": "What went wrong.", "content": {JSON: {"schema": _schema(ErrorAnswer)}}}
    return {"200": {"description": "Done.", "content": content}} | {str(code): failure for code in sorted(codes)}


def _operation(row: Endpoint) -> dict[str, Any]:
    parts = re.findall(r"\{(\w+)", row.path)
    told: dict[str, Any] = {
        "operationId": row.name, "summary": row.summary,
        "parameters": [
            {"name": part, "in": "path", "required": True, "description": _PARTS[part], "schema": {"type": "string"}}
            for part in parts
        ] + [_AS_JSON] * ("id" in parts),
        "responses": _answers({JSON: {"schema": _schema(row.answer)}}, row.role,
                              has_body=row.request is not None or "batch" in parts),
    }  # fmt: skip
    if row.role is None:
        told["security"] = []
    else:
        told["x-role"] = row.role
    if row.request is not None:
        kinds = [_schema(kind) for kind in (row.request, row.records) if kind is not None]
        schema = kinds[0] if len(kinds) == 1 else {"anyOf": kinds}
        content: dict[str, Any] = {JSON: {"schema": schema, "example": row.example}}
        if row.lines:
            content[LINES] = {
                "schema": {"type": "string", "description": f"A document a line; {row.lines}. {FAILED_LINES}"}
            }
        told["requestBody"] = {"required": True, "content": content}
    return told


class Told(NamedTuple):
    """What the reference says of an endpoint."""

    title: str
    summary: str
    role: str
    request: str
    answer: str
    example: dict[str, Any]


def endpoints() -> Iterator[Told]:
    """Every endpoint, as pages show it."""
    for row in ENDPOINTS:
        request = "" if row.request is None else row.request.__name__
        lines = f" A body of lines ({LINES}): {row.lines}. {FAILED_LINES}" if row.lines else ""
        yield Told(
            f"{row.method} {plain_path(row.path)}", row.summary + lines, row.role or "", request, row.answer.__name__,
            row.example,
        )  # fmt: skip
    for path, (_, role, summary, kind) in PLAIN.items():
        yield Told(f"GET {path}", summary, role or "", "", kind, {})


def fields(schemas: dict[str, Any], name: str) -> Iterator[tuple[str, str, str]]:
    """The fields of a body: name, type, what it is."""
    schema = schemas[name]
    needed = schema.get("required", [])
    for key, of in schema.get("properties", {}).items():
        told = of.get("description", "")
        default = "" if key in needed else " (optional)"
        yield key, type_of(of) + default, told


def type_of(schema: dict[str, Any]) -> str:
    """A type in words."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "enum" in schema:
        return ", ".join(str(one) for one in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(type_of(one) for one in schema["anyOf"])
    if schema.get("type") == "array":
        return f"list of {type_of(schema['items'])}" if schema.get("items") else "list"
    return str(schema.get("type", "any"))


def codes() -> dict[str, int]:
    """The codes of errors, each with its status."""
    return dict(sorted(STATUS.items(), key=lambda row: (row[1], row[0])))


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


def _beginning(request: Request) -> Response:
    """Show what this is and its addresses: a page to a browser, and JSON to a program."""
    call: Call = request.scope["call"]
    call.endpoint, call.status = "beginning", 200
    if "text/html" not in call.header(b"accept"):
        return JSONResponse({"simsieve": __version__, "addresses": [*PLAIN, "/v1/indexes"]})
    rows = [*((path, summary) for path, (_, _, summary, _) in PLAIN.items()), ("/v1/indexes", "The indexes by name.")]
    with speaking("en"):
        links = table((), [(tag("a", path, href=path[1:]), summary) for path, summary in rows])
        what = tag("p", "This service checks texts against indexes for near duplicates.")
        return HTMLResponse(page(f"simsieve {__version__}", what, links))


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
