"""WARC files: the pages of HTML in their responses, and the texts in their other records, read by warcio.

A record is a response of HTTP whose content is HTML, or a conversion or resource that is HTML or plain text, as in WET
files. It has `id` (of the WARC record), `url`, `date` and `text`, which is the page or text: what transfer and
compression did to it is undone, and it is decoded as browsers do. Other records of WARC, such as requests and images,
are none; they are counted by type.

A file that is cut off, or whose records are not as long as they say, ends the run. A response that cannot be used is a
failed record.
"""

import gzip
import io
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from email.message import Message as Headers
from typing import IO, Any, cast

from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed
from warcio.statusandheaders import StatusAndHeadersParser

from simsieve.config.settings import DedupConfig
from simsieve.errors import ConfigError, SourceError, TextError
from simsieve.messages import Message
from simsieve.registry import on_disk
from simsieve.sinks.base import Kind
from simsieve.sources.copies import Copies
from simsieve.sources.folders import LeftOut
from simsieve.sources.handed import HandedFiles, Row, failed_row, source_errors
from simsieve.text.html import decode

FIELDS: Mapping[str, Kind] = dict.fromkeys(("id", "url", "date", "text"), "text")
_PAGES = ("text/html", "application/xhtml+xml")
_TEXTS = (*_PAGES, "text/plain")
_WITH_TEXT = ("conversion", "resource")
"""The types of records whose block may be a text or a page."""
_PART_BYTES = 1 << 20


class WarcFiles(HandedFiles):
    """WARC files, also compressed by gzip."""

    fields = FIELDS

    def __init__(self, paths: tuple[str, ...], of_objects: Copies | None = None) -> None:
        super().__init__(paths, of_objects)
        self._skipped: Counter[str] = Counter()
        for path in filter(on_disk, paths):
            with source_errors(path), open(path, "rb"):
                pass

    def parts(self, places: Mapping[str, str], config: DedupConfig) -> Iterator[tuple[str, Iterator[Row]]]:
        """Give the pages and texts of each file; see `HandedFiles.parts`."""
        self._skipped.clear()
        for path in self.paths:
            yield path, self._pages(path, places.get(path, path), config.max_record_bytes)

    def _pages(self, path: str, place: str, most_bytes: int) -> Iterator[Row]:
        with source_errors(path):
            try:
                yield from _rows(path, place, most_bytes, self._skipped)
            except (zlib.error, gzip.BadGzipFile) as error:
                raise SourceError(
                    "{path}: is no whole gzip file ({error}); fetch or write it again", path=path, error=error
                ) from error
        self.check_copied(path)

    @property
    def left_out(self) -> LeftOut:
        """The files that are there and not read; see `Source.left_out`."""
        found = super().left_out
        return replace(found, records=found.records + self._skipped)


class _Packed(gzip.GzipFile):
    """A compressed file; that it is cut off is an error which warcio does not take for its end."""

    def read(self, size: int | None = -1) -> bytes:
        """Read some bytes."""
        try:
            return super().read(size)
        except EOFError as error:
            raise gzip.BadGzipFile(str(error)) from error


def _opened(path: str, place: str) -> IO[bytes]:
    """The file at a place, decompressed where its name says so."""
    return cast(IO[bytes], _Packed(place) if path.lower().endswith(".gz") else open(place, "rb"))


def _rows(path: str, place: str, most_bytes: int, skipped: Counter[str]) -> Iterator[Row]:
    """The failure and the fields of each page and text of a file; all other records are counted by their types."""
    with _opened(path, place) as file:
        archive = ArchiveIterator(file, no_record_parse=True)
        # A warning that it would write to stderr; what it warns of is an error here.
        archive.INC_RECORD = ""
        records = iter(archive)
        for number in range(1, 2**62):
            try:
                record = next(records, None)
            except (ArchiveLoadFailed, UnicodeError) as error:
                raise _not_whole(path, number, "it does not begin as a record of WARC does") from error
            if archive.err_count:
                raise _not_whole(path, number - 1, "it is longer than its Content-Length")
            if record is None:
                return
            row = _row(path, number, record, most_bytes)
            if isinstance(row, str):
                skipped[row] += 1
            else:
                yield row


def _row(path: str, number: int, record: Any, most_bytes: int) -> Row | str:
    """The row of a record of WARC; its type where it is no page or text."""
    if record.format != "warc":
        raise _not_whole(path, number, "it does not begin as a record of WARC does")
    header = record.rec_headers.get_header
    length = header("Content-Length")
    if length is None or not (length.isascii() and length.isdigit()):
        raise _not_whole(
            path, number, Message("its Content-Length is {more}", more="missing" if length is None else repr(length))
        )
    is_response = record.rec_type == "response" and (record.content_type or "").startswith("application/http")
    kind, charset = _content_type(record.content_type)
    has_text = record.rec_type in _WITH_TEXT and kind in _TEXTS
    # A record that is too long is not loaded, but passed over.
    wanted = (is_response or has_text) and int(length) <= most_bytes
    parts, read = [], 0
    while part := record.raw_stream.read(_PART_BYTES):
        read += len(part)
        if wanted:
            parts.append(part)
    if read != int(length):
        raise _not_whole(path, number, Message("it has {read:,} bytes and says {int:,}", read=read, int=int(length)))
    if not (is_response or has_text):
        return f"{record.rec_type} {kind}" if record.rec_type in _WITH_TEXT else str(record.rec_type)
    fields = (_plain(header("WARC-Record-ID")), _text(header("WARC-Target-URI")), _text(header("WARC-Date")))
    if not wanted:
        why = Message(
            "the record has {read} bytes and the limit is {most_bytes}; split it, or raise the limit with "
            "{@max_record_bytes}",
            read=read, most_bytes=most_bytes,
        )  # fmt: skip
        return failed_row("too_long", why), *fields, None
    block = b"".join(parts)
    if not has_text:
        return _page(record, block, fields)
    # A conversion is UTF-8, whatever the page was.
    charset = charset or (None if kind in _PAGES else "utf-8")
    return _decoded_row(block, charset, fields, Message("the {rec_type} is text", rec_type=record.rec_type))


def _content_type(value: str | None) -> tuple[str, str | None]:
    """The type of a content and its charset, in lower case."""
    content = Headers()
    content["Content-Type"] = (value or "").replace("\r", "").replace("\n", "")
    return content.get_content_type() if value else "of no type", content.get_content_charset()


def _page(record: Any, block: bytes, fields: tuple[bytes | None, ...]) -> Row | str:
    """The row of a response; its type where its content is no HTML."""
    if not block.startswith(b"HTTP/"):
        why = "the response does not begin with a status line of HTTP; take the record away, or correct it"
        return failed_row("unreadable", why), *fields, None
    stream = io.BytesIO(block)
    record.http_headers = StatusAndHeadersParser([], verify=False).parse(stream)
    kind, charset = _content_type(record.http_headers.get_header("Content-Type", ""))
    if kind not in _PAGES:
        return Message("response {kind}", kind=kind)
    return _decoded_row(_body(record, stream), charset, fields, "the response is HTML")


def _decoded_row(body: bytes, charset: str | None, fields: tuple[bytes | None, ...], what: str) -> Row:
    try:
        text, _ = _decoded(body, charset)
    except TextError as error:
        return (
            failed_row("not_text", Message("{what} by its Content-Type, but {error}", what=what, error=error)),
            *fields,
            None,
        )
    return None, *fields, text.encode()


def _body(record: Any, stream: io.BytesIO) -> bytes:
    """The body; as it is where it is not packed as its headers say, since archives undo that and leave the headers."""
    begin = stream.tell()
    record.raw_stream = stream
    try:
        with suppress(OSError, EOFError, zlib.error, ValueError):
            unpacked = record.content_stream()
            return b"".join(iter(lambda: unpacked.read(_PART_BYTES), b""))
    finally:
        stream.seek(begin)
    return stream.read()


def _decoded(body: bytes, charset: str | None) -> tuple[str, str]:
    try:
        return decode(body, charset)
    except ConfigError:
        # The header names no encoding that is known.
        return decode(body)


def _plain(name: str | None) -> bytes | None:
    """An id without the brackets that WARC has around it."""
    return None if name is None else _text(name.removeprefix("<").removesuffix(">"))


def _text(value: str | None) -> bytes | None:
    return None if value is None else value.encode(errors="replace")


def _not_whole(path: str, number: int, why: str) -> SourceError:
    return SourceError(
        "{path}: is no whole WARC file (record {number}: {why}); fetch or write it again",
        path=path, number=number, why=why,
    )  # fmt: skip
