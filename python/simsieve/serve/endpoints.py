"""The endpoints: a row each, from which the routes, the description and the pages are made."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from simsieve.errors import ServiceError, SimsieveError
from simsieve.messages import Message
from simsieve.serve import bodies
from simsieve.serve.failures import DECODE_ERRORS, answer_of, error_of, refused_body
from simsieve.serve.options import Options
from simsieve.serve.served import Indexes, Served, as_dict, check_scheme
from simsieve.serve.wire import JSON, LINES, Call, decoder, encode, kind_of, lines_of, opened, sent, too_large, whole

if TYPE_CHECKING:
    from simsieve.serve.app import Door
    from simsieve.sources.base import AnySource

INDEX = "/v1/indexes/{name}"
_ESCAPED = 6
"""Bytes that a byte of a text may take in JSON."""
_SEARCHED = 4
"""Bytes of an index that are read for passages at each request, for each byte that a body may have."""
_DOCUMENT = decoder(bodies.Document)
_RECORD = decoder(dict[str, Any])


@dataclass(slots=True)
class Asked:
    """One request: the service, the parts of the address, the index that it names, the body."""

    indexes: Indexes
    options: Options
    call: Call
    parts: dict[str, str]
    body: Any = None

    @property
    def index(self) -> Served:
        """The index that the address names."""
        return self.named(self.parts["name"], "name")

    def named(self, name: str, field: str) -> Served:
        """The index of a name, which a field of the request has."""
        if name not in self.indexes:
            raise ServiceError(Message("there is no index {name}", name=name), code="not_found", field=field)
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
    index = asked.index
    return bodies.RemovedAnswer(**as_dict(await index.remove([index.id_of(asked.parts["id"])])))


async def document(asked: Asked) -> Any:
    """Say what the index knows of an id."""
    index = asked.index
    label = index.id_of(asked.parts["id"])
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
    """What is done with a body of lines; empty where none is taken."""
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
    Endpoint("POST", f"{INDEX}/undo/{{batch:path}}", undo, "admin", bodies.RemovedAnswer),
    Endpoint("DELETE", f"{INDEX}/documents/{{id:path}}", delete, "admin", bodies.RemovedAnswer),
    Endpoint("GET", f"{INDEX}/documents/{{id:path}}", document, "read", bodies.DocumentAnswer),
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
        call.endpoint = row.name
        if row.role is not None:
            call.allow(row.role)
        if row.request is not None and kind_of(call, may_be_lines=bool(row.lines)) == LINES:
            await _streamed(row, scope, receive, send)
            return
        async with asyncio.timeout(door.options.timeout):
            body = b"" if row.request is None else await whole(receive, call, door.options.max_body)
            call.is_read = True
            if row.role is not None:
                call.begin_work()
            asked = Asked(door.indexes, door.options, call, scope["path_params"])
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
            raise refused_body(error) from None


async def _streamed(row: Endpoint, scope: Scope, receive: Receive, send: Send) -> None:
    """Serve a body of lines, a document each, with a decision a line; as many at a time as have come."""
    call: Call = scope["call"]
    door: Door = scope["app"]
    options = door.options
    call.begin_work()
    index = Asked(door.indexes, options, call, scope["path_params"]).index
    known = dict(part.partition("=")[::2] for part in scope["query_string"].decode("latin-1").split("&"))
    on_known_id = known.get("on_known_id", "replace")
    number = 0
    async for lines in lines_of(receive, options.max_text * _ESCAPED, options.timeout):
        for at in range(0, len(lines), options.max_batch):
            block = lines[at : at + options.max_batch]
            out: list[Any] = []
            failed: SimsieveError | None = None
            try:
                async with asyncio.timeout(options.timeout):
                    decisions = await _decided(row, index, block, number, options, on_known_id)
            except (SimsieveError, MemoryError) as error:
                decisions, failed = [], error_of(error, call.id)
                if not call.started:
                    raise
            for decision in decisions:
                out.append({**_plain(decision), "position": number})
                number += 1
            if failed is not None:
                out.append(answer_of(failed, call.header(b"accept-language"), door.indexes.folders))
            if not call.started:
                await opened(send, call, 200, LINES)
            call.documents = number
            async with asyncio.timeout(options.timeout):
                await send({"type": "http.response.body", "body": b"\n".join(map(encode, out)) + b"\n",
                            "more_body": failed is None})  # fmt: skip
            if failed is not None:
                return
    if not call.started:
        await opened(send, call, 200, LINES)
    await send({"type": "http.response.body", "body": b""})


def _plain(decision: Any) -> dict[str, Any]:
    return {name: getattr(decision, name) for name in bodies.ROW}


async def _decided(
    row: Endpoint, index: Served, lines: Sequence[bytes], first: int, options: Options, on_known_id: str
) -> list[Any]:
    """The decision on each line, as if it were alone."""
    documents = []
    for at, line in enumerate(lines, first):
        try:
            documents.append((_DOCUMENT if index.takes_texts else _RECORD)(line))
        except DECODE_ERRORS as error:
            raise refused_body(error, at) from None
        if index.takes_texts and len(documents[-1].text.encode()) > options.max_text:
            raise too_large(options.max_text, Message("text {number}", number=at))
    if row.name == "check":
        found = await asyncio.gather(*(index.check([document]) for document in documents))
        return [decisions[0] for decisions in found]
    added = await asyncio.gather(*(index.add([document], None, on_known_id) for document in documents))
    return [one.decisions[0] for one in added]


def routes() -> list[Route]:
    """The routes of the table."""
    return [Route(row.path, Handled(row), methods=[row.method]) for row in ENDPOINTS]
