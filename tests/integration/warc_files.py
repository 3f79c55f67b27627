"""WARC files for tests, made byte by byte, so that they can be wrong."""

import gzip
from collections.abc import Iterable

HTML = "text/html; charset=utf-8"


def http(body: bytes, content_type: str = HTML, *more: str) -> bytes:
    """A response of HTTP."""
    lines = ["HTTP/1.1 200 OK", f"Content-Type: {content_type}", *more, "", ""]
    return "\r\n".join(lines).encode() + body


def record(
    block: bytes, number: int = 0, kind: str = "response", length: object = None, content: str | None = None
) -> bytes:
    """A record of WARC; `length` is what it says of its block."""
    content = content or "application/http; msgtype=" + ("request" if kind == "request" else "response")
    lines = [
        "WARC/1.0",
        f"WARC-Type: {kind}",
        f"WARC-Record-ID: <urn:uuid:{number}>",
        f"WARC-Target-URI: http://example.org/{number}",
        "WARC-Date: 2026-01-02T03:04:05Z",
        f"Content-Type: {content}",
        f"Content-Length: {len(block) if length is None else length}",
        "",
        "",
    ]
    return "\r\n".join(lines).encode() + block + b"\r\n\r\n"


def pages(texts: Iterable[str]) -> list[bytes]:
    """A record for each page."""
    return [record(http(text.encode()), number) for number, text in enumerate(texts)]


def packed(records: Iterable[bytes]) -> bytes:
    """Records each compressed alone, as archives have them."""
    return b"".join(gzip.compress(one, mtime=0) for one in records)
