"""One request, and a body of lines: a document each, decided for itself and answered by a line."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from starlette.types import Receive, Send

from simsieve.errors import ServiceError, SimsieveError
from simsieve.messages import Message
from simsieve.serve import bodies
from simsieve.serve.failures import DECODE_ERRORS, answer_of, error_of, refused_body
from simsieve.serve.options import Options
from simsieve.serve.served import Indexes, Served
from simsieve.serve.wire import LINES, Call, decoder, encode, lines_of, opened, too_large

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
