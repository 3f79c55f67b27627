"""The endpoints, a row each, and the bodies of lines, in which each document is decided for itself."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

import msgspec
from starlette.convertors import Convertor, register_url_convertor
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from simsieve.errors import ServiceError, SimsieveError
from simsieve.messages import Message
from simsieve.serve import bodies
from simsieve.serve.failures import DECODE_ERRORS, answer_of, error_of, refused_body
from simsieve.serve.options import Options
from simsieve.serve.served import Indexes, Served, as_dict, check_scheme
from simsieve.serve.wire import JSON, LINES, Call, decoder, encode, kind_of, lines_of, opened, sent, too_large, whole

_ESCAPED = 6
"""Bytes that a byte of a text may take in JSON."""
_KNOWN = ("replace", "refuse")
_DOCUMENT = decoder(bodies.Document)
_RECORD = decoder(dict[str, Any])


@dataclass(slots=True)
class Asked:
    """One request: the service, the parts of the address, the index that it names, the body."""

    indexes: Indexes
    options: Options
    call: Call
    parts: dict[str, str]
    query: dict[str, str]
    body: Any = None

    @property
    def label(self) -> Any:
        """The id that the address names: a text, or the value of JSON that it is."""
        name = self.parts["id"]
        return self.index.id_of(name, is_json=self.query.get("json") == "1")

    @property
    def index(self) -> Served:
        """The index that the address names."""
        return self.named(self.parts["name"], "name")

    def named(self, name: str, field: str) -> Served:
        """The index of a name, which a field of the request has."""
        if name not in self.indexes:
            missing = Message("there is no index {name}", name=name).with_id("service.no_such_index")
            raise ServiceError(missing, code="not_found", field=field)
        self.call.index = name
        return self.indexes[name]

    def checked(self, texts: Sequence[str], what: str = "documents") -> None:
        """Refuse too many texts, and too long ones."""
        most, longest = self.options.max_batch, self.options.max_text
        self.call.documents = len(texts)
        if len(texts) > most:
            raise ServiceError(
                Message("{what} are {count:,}, more than {most:,}", what=what, count=len(texts), most=most),
                code="too_large", field=what,
            )  # fmt: skip
        for at, text in enumerate(texts):
            if len(text) * 4 > longest and len(text.encode()) > longest:
                error = too_large(longest, Message("text {number}", number=at))
                error.field = f"{what}[{at}]"
                raise error

    def documents(self) -> Sequence[Any]:
        """The documents of the body, within their limits."""
        found: Sequence[Any] = self.body.documents
        # The fields of a record that hold the text are the index's; the limit of the body holds for them.
        self.checked([one.text for one in found] if self.index.takes_texts else [""] * len(found))
        return found


async def streamed(work: str, asked: Asked, receive: Receive, send: Send) -> None:
    """Serve a body of lines, as many at a time as have come; a line that is wrong is a failed one among the others."""
    call, options, index = asked.call, asked.options, asked.index
    call.begin_work()
    on_known_id = asked.query.get("on_known_id", _KNOWN[0])
    if on_known_id not in _KNOWN:
        raise ServiceError(
            Message("on_known_id is {value!r}, which is not allowed: give one of {allowed}",
                    value=on_known_id, allowed=", ".join(_KNOWN)), code="config", field="on_known_id",
        )  # fmt: skip
    if work == "add":
        index.writer.check()
    counts = {"decided": 0, "added": 0, "failed": 0}

    async def answer(position: int, number: int, line: bytes | None) -> dict[str, Any]:
        """The answer to one line, as if it were alone."""
        try:
            document = _document(index, position, number, line, options.max_text)
            if work == "check":
                (decision,) = await index.check([document])
            else:
                added = await index.add([document], None, on_known_id)
                (decision,) = added.decisions
                counts["added"] += added.kept
        except (SimsieveError, MemoryError) as error:
            counts["failed"] += 1
            told = answer_of(error_of(error, call.id), call.header(b"accept-language"), asked.indexes.folders)
            return {"position": position, **told}
        counts["failed" if decision.decision == "failed" else "decided"] += 1
        return {name: getattr(decision, name) for name in bodies.ROW} | {"position": position}

    async for lines in lines_of(receive, options.max_text * _ESCAPED, options.timeout):
        for at in range(0, len(lines), options.max_batch):
            block = enumerate(lines[at : at + options.max_batch], call.documents)
            async with asyncio.timeout(options.timeout):
                answers = await asyncio.gather(*(answer(position, *line) for position, line in block))
            call.documents += len(answers)
            await _send(send, call, answers, options.timeout, more=True)
    await _send(send, call, [{"counts": counts}], options.timeout, more=False)


async def _send(send: Send, call: Any, answers: list[dict[str, Any]], seconds: float, *, more: bool) -> None:
    if not call.started:
        await opened(send, call, 200, LINES)
    async with asyncio.timeout(seconds):
        await send({"type": "http.response.body", "body": b"\n".join(map(encode, answers)) + b"\n", "more_body": more})


def _document(index: Served, position: int, number: int, line: bytes | None, longest: int) -> Any:
    """The document of a line; an error says the line as an editor counts it."""
    name = Message("line {number}", number=number)
    if line is None:
        raise too_large(longest * _ESCAPED, name)
    try:
        document = (_DOCUMENT if index.takes_texts else _RECORD)(line)
    except DECODE_ERRORS as error:
        raise refused_body(error, index.shape, line, name, str(position)) from None
    if index.takes_texts and len(document.text.encode()) > longest:
        raise too_large(longest, name)
    return document


if TYPE_CHECKING:
    from simsieve.sources.base import AnySource

INDEX = "/v1/indexes/{name}"
_SEARCHED = 4
"""Bytes of an index that are read for passages at each request, for each byte that a body may have."""


class _Rest(Convertor[str]):
    """The rest of an address: that of starlette ends at a line break, which an id may have."""

    regex = "(?s:.*)"

    def convert(self, value: str) -> str:
        """Give the part as it is."""
        return value

    def to_string(self, value: str) -> str:
        """Give the part as it is."""
        return value


register_url_convertor("rest", _Rest())


async def check(asked: Asked) -> Any:
    """Say of each document whether `add` would keep it, and change nothing."""
    return bodies.CheckAnswer(list(await asked.index.check(asked.documents())))


async def add(asked: Asked) -> Any:
    """Add documents as one batch; the answer comes when they are on the disk."""
    body = asked.body
    return await asked.index.add(asked.documents(), body.batch, body.on_known_id)


async def query(asked: Asked) -> Any:
    """Find the kept documents that are near a text, the nearest first."""
    body = asked.body
    asked.checked([body.text], "text")
    found = await asked.index.query(body.text, body.n, body.date, with_differences=body.differences)
    return bodies.QueryAnswer(found)


async def remove(asked: Asked) -> Any:
    """Remove documents by their ids."""
    return bodies.RemovedAnswer(**as_dict(await asked.index.remove(asked.body.ids)))


async def undo(asked: Asked) -> Any:
    """Take a batch back, by its name."""
    return bodies.RemovedAnswer(**as_dict(await asked.index.undo(asked.parts["batch"])))


async def delete(asked: Asked) -> Any:
    """Remove one document."""
    return bodies.RemovedAnswer(**as_dict(await asked.index.remove([asked.label])))


async def document(asked: Asked) -> Any:
    """Say what the index knows of an id."""
    index, label = asked.index, asked.label
    found = await index.read(lambda: index.index.find(label))
    return index.has_no(asked.parts["id"]) if found is None else bodies.DocumentAnswer(**asdict(found))


async def batches(asked: Asked) -> Any:
    """The newest 1,000 batches of an index, and what it has of each."""
    index = asked.index
    return bodies.BatchesAnswer(await index.read(index.index.batches))


def _stats(index: Served) -> bodies.StatsAnswer:
    return bodies.StatsAnswer(index.name, **index.stats())


async def stats(asked: Asked) -> Any:
    """The counts and sizes of an index."""
    return _stats(asked.index)


async def indexes(asked: Asked) -> Any:
    """The indexes of the service."""
    return bodies.IndexesAnswer([_stats(index) for index in asked.indexes.values()])


async def compare(asked: Asked) -> Any:
    """Compare two texts by every measure, and say where they differ."""
    check_scheme(asked.body.scheme)
    return await asked.indexes.compare(asked.body.a, asked.body.b, asked.body.scheme)


async def fingerprint(asked: Asked) -> Any:
    """Give the fingerprints of texts."""
    asked.checked(asked.body.texts, "texts")
    check_scheme(asked.body.scheme)
    made = await asked.indexes.fingerprints(asked.body.texts, asked.body.scheme)
    return bodies.FingerprintAnswer(asked.body.scheme, made)


async def passages(asked: Asked) -> Any:
    """Find the passages that a text shares with another, or with the kept documents of an index."""
    body = asked.body
    asked.checked([body.text], "text")
    if (body.source is None) == (body.index is None):
        raise ServiceError(
            Message("source and index are both given, or neither is: give what the text is held against"),
            code="config", field="source",
        )  # fmt: skip
    if body.source is not None:
        asked.checked([body.source], "source")
        against: AnySource = [{"text": body.source}]
    else:
        against = asked.named(body.index, "index").searched(_SEARCHED * asked.options.max_body)
    return await asked.indexes.passages(body.text, against, body.min_length, body.n)


async def health(_: Asked) -> Any:
    """Say that the service runs."""
    return bodies.HealthAnswer("ok")


@dataclass(frozen=True)
class Endpoint:
    """A row of the table."""

    method: str
    path: str
    handler: Callable[[Asked], Awaitable[Any]]
    role: str | None
    answer: Any
    request: Any = None
    records: Any = None
    """The type of the request for an index that takes records."""
    lines: str = ""
    """The use of a body of lines; empty where none is taken."""
    example: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Its name in figures and logs."""
        return self.handler.__name__

    @property
    def summary(self) -> str:
        """What it does."""
        return str(self.handler.__doc__)


_TEXT = {"id": "q1", "text": "Which river flows through the old town?"}
_SHARED = "the lighthouse at the harbour is painted anew every second year"
ENDPOINTS: tuple[Endpoint, ...] = (
    Endpoint("POST", f"{INDEX}/check", check, "read", bodies.CheckAnswer, bodies.CheckRequest, bodies.RecordsRequest,
             "each is decided on as if it were alone", {"documents": [_TEXT]}),
    Endpoint("POST", f"{INDEX}/add", add, "write", bodies.AddAnswer, bodies.AddRequest, bodies.AddRecordsRequest,
             "each is added for itself, and its decision comes when it is on the disk",
             {"documents": [_TEXT], "batch": "monday"}),
    Endpoint("POST", f"{INDEX}/query", query, "read", bodies.QueryAnswer, bodies.QueryRequest,
             example={"text": _TEXT["text"], "n": 3, "differences": True}),
    Endpoint("POST", f"{INDEX}/remove", remove, "admin", bodies.RemovedAnswer, bodies.RemoveRequest,
             example={"ids": ["q1"]}),
    Endpoint("POST", f"{INDEX}/undo/{{batch:rest}}", undo, "admin", bodies.RemovedAnswer),
    Endpoint("DELETE", f"{INDEX}/documents/{{id:rest}}", delete, "admin", bodies.RemovedAnswer),
    Endpoint("GET", f"{INDEX}/documents/{{id:rest}}", document, "read", bodies.DocumentAnswer),
    Endpoint("GET", f"{INDEX}/batches", batches, "read", bodies.BatchesAnswer),
    Endpoint("GET", f"{INDEX}/stats", stats, "read", bodies.StatsAnswer),
    Endpoint("GET", "/v1/indexes", indexes, "read", bodies.IndexesAnswer),
    Endpoint("POST", "/v1/compare", compare, "read", bodies.CompareAnswer, bodies.CompareRequest,
             example={"a": "the quick brown fox", "b": "the quick red fox"}),
    Endpoint("POST", "/v1/fingerprint", fingerprint, "read", bodies.FingerprintAnswer, bodies.FingerprintRequest,
             example={"texts": [_TEXT["text"]], "scheme": "chars64"}),
    Endpoint("POST", "/v1/passages", passages, "read", bodies.PassagesAnswer, bodies.PassagesRequest,
             example={"text": _SHARED, "source": f"Someone wrote before: {_SHARED}", "min_length": 20}),
    Endpoint("GET", "/healthz", health, None, bodies.HealthAnswer),
)  # fmt: skip
"""The table; the service has also `/readyz`, `/metrics`, `/openapi.json` and `/docs`."""


class Handled:
    """An endpoint as an application: reads the body, calls the handler, writes the answer."""

    def __init__(self, row: Endpoint) -> None:
        self._row = row
        self._decode = None if row.request is None else decoder(row.request)
        self._decode_records = None if row.records is None else decoder(row.records)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        row, call, door = self._row, scope["call"], scope["app"]
        query = dict(parse_qsl(scope["query_string"].decode("latin-1")))
        asked = Asked(door.indexes, door.options, call, scope["path_params"], query)
        call.endpoint = row.name
        if row.role is not None:
            call.allow(row.role)
        if row.request is not None and kind_of(call, may_be_lines=bool(row.lines)) == LINES:
            await streamed(row.name, asked, receive, send)
            return
        async with asyncio.timeout(door.options.timeout):
            body = b"" if row.request is None else await whole(receive, call, door.options.max_body)
            call.is_read = True
            if row.role is not None:
                call.begin_work()
            asked.body = self._read(asked, body)
            answer = await row.handler(asked)
        await sent(send, call, 200, encode(answer), JSON)

    def _read(self, asked: Asked, body: bytes) -> Any:
        """The body as its type; an index that takes records has another one."""
        if self._decode is None:
            return None
        decode = self._decode
        if self._decode_records is not None and not asked.index.takes_texts:
            decode = self._decode_records
        try:
            return decode(body)
        except DECODE_ERRORS as error:
            raise refused_body(error, self._shape(asked), body) from None

    def _shape(self, asked: Asked) -> dict[str, Any]:
        """The fields that a body needs, as an error shows them."""
        needed = [one.encode_name for one in msgspec.structs.fields(self._row.request) if one.required]
        given = {name: _dots(self._row.example[name]) for name in needed}
        return given | ({"documents": [asked.index.shape]} if "documents" in given else {})


def _dots(value: Any) -> Any:
    return [_dots(one) for one in value] if isinstance(value, list) else "..."


def routes() -> list[Route]:
    """The routes of the table."""
    return [Route(row.path, Handled(row), methods=[row.method]) for row in ENDPOINTS]
