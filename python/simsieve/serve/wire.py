"""Bodies in and out: how they are read within their limits, and how answers are sent."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any, Protocol

import msgspec
from starlette.types import Receive, Send

from simsieve.errors import ServiceError
from simsieve.messages import Message

JSON, LINES, PAGE = "application/json", "application/x-ndjson", "text/html; charset=utf-8"
encode = msgspec.json.Encoder().encode


class Gate(Protocol):
    """What a request has to pass."""

    def allow(self, call: "Call", role: str, *, is_page: bool) -> None:
        """Refuse a caller whose key does not allow what a role does."""

    def take_bytes(self, count: int) -> None:
        """Hold more bytes of the bodies of all requests."""

    def begin_work(self, call: "Call") -> None:
        """Take a place among the requests that are worked on."""


class Call:
    """One request, as far as it is."""

    __slots__ = (
        "_gate", "body_bytes", "documents", "endpoint", "extra", "headers", "id", "index", "is_read", "started",
        "status", "work",
    )  # fmt: skip

    def __init__(self, gate: Gate, id: str, headers: dict[bytes, bytes]) -> None:
        self._gate, self.id, self.headers = gate, id, headers
        self.endpoint, self.index, self.status = "none", "", 0
        self.documents = self.body_bytes = self.work = 0
        self.started = self.is_read = False
        self.extra: list[tuple[str, str]] = []

    def header(self, name: bytes) -> str:
        """A header as text; empty where there is none."""
        return self.headers.get(name, b"").decode("latin-1")

    def allow(self, role: str, *, is_page: bool = False) -> None:
        """Refuse a caller whose key does not allow what a role does."""
        self._gate.allow(self, role, is_page=is_page)

    def take_bytes(self, count: int) -> None:
        """Hold more bytes of a body."""
        self.body_bytes += count
        self._gate.take_bytes(count)

    def begin_work(self) -> None:
        """Say that the body is read, and take a place among those that are worked on."""
        self.is_read = True
        self._gate.begin_work(self)


async def sent(send: Send, call: Call, status: int, body: bytes, kind: str) -> None:
    """Send a whole answer."""
    call.extra.append(("content-length", str(len(body))))
    await opened(send, call, status, kind)
    await send({"type": "http.response.body", "body": body})


async def opened(send: Send, call: Call, status: int, kind: str) -> None:
    """Send the head of an answer."""
    call.status, call.started = status, True
    headers = [
        (b"content-type", kind.encode()), (b"x-request-id", call.id.encode()), (b"cache-control", b"no-store"),
        (b"x-content-type-options", b"nosniff"), *((name.encode(), value.encode()) for name, value in call.extra),
    ]  # fmt: skip
    await send({"type": "http.response.start", "status": status, "headers": headers})


def kind_of(call: Call, *, may_be_lines: bool) -> str:
    """What a body says that it is; nothing else than JSON is read, and nothing that is compressed."""
    kind = call.header(b"content-type").partition(";")[0].strip().lower()
    if call.header(b"content-encoding") not in {"", "identity"}:
        raise ServiceError(
            Message("the body is compressed, which is not taken"), code="media_type", field="Content-Encoding"
        )
    if kind != JSON and not (may_be_lines and kind == LINES):
        raise ServiceError(Message("the body is of type {kind!r}", kind=kind), code="media_type", field="Content-Type")
    return kind


async def whole(receive: Receive, call: Call, most: int) -> bytes:
    """Read a whole body within its limit."""
    said = call.header(b"content-length")
    if said.isdigit() and int(said) > most:
        raise too_large(most)
    parts: list[bytes] = []
    more = True
    while more:
        part, more = await next_part(receive)
        if part:
            call.take_bytes(len(part))
            if call.body_bytes > most:
                raise too_large(most)
            parts.append(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


async def next_part(receive: Receive) -> tuple[bytes, bool]:
    """Read the next part of a body, and whether there is more."""
    message = await receive()
    if message["type"] == "http.disconnect":
        raise ServiceError(Message("the connection ended before the body did"), code="bad_request")
    return message.get("body", b""), message.get("more_body", False)


async def lines_of(receive: Receive, longest: int, seconds: float) -> AsyncIterator[list[tuple[int, bytes | None]]]:
    """Read the lines of a body by their numbers, as many at a time as have come; None is one of too many bytes."""
    rest, number, more, is_long = b"", 0, True, False
    while more:
        async with asyncio.timeout(seconds):
            part, more = await next_part(receive)
        *lines, rest = (rest + part).split(b"\n")
        if not more and (rest or is_long):
            lines, rest = [*lines, rest], b""
        found: list[tuple[int, bytes | None]] = []
        for line in lines:
            number += 1
            if is_long or len(line) > longest:
                found.append((number, None))
            elif line.strip():
                found.append((number, line))
            is_long = False
        if len(rest) > longest:
            # What was read of it goes, so that a line of any length takes no more room.
            rest, is_long = b"", True
        if found:
            yield found


def too_large(most: int, what: str = "") -> ServiceError:
    """The error of something that has too many bytes."""
    return ServiceError(
        Message("{what} has more than {most:,} bytes", what=what or Message("the body"), most=most), code="too_large"
    )


def decoder(kind: Any) -> Any:
    """What reads a body of a type."""
    return msgspec.json.Decoder(kind).decode
