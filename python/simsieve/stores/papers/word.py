"""The text of a Word file (`.docx`, ECMA-376): a ZIP archive, in which the document is XML.

What a reader sees is read, in the order of the file: paragraphs, tables, text boxes, then footnotes and endnotes.
Headers, comments and what tracked changes have taken out are left out.
"""

import lzma
import posixpath
import struct
import zipfile
import zlib
from collections.abc import Callable
from typing import Any
from xml.parsers import expat

from simsieve.errors import TextError
from simsieve.messages import Message
from simsieve.stores.papers.text import Text

_OLD_FILE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""How the older format begins, in which an encrypted file is wrapped too."""
_PART_BYTES = 1 << 16
_SIGNS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_GONE = ("moveFrom", "Fallback")
"""Elements whose text stands in another place too."""
_DAMAGED = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, expat.ExpatError, EOFError, KeyError, OSError,
    OverflowError, NotImplementedError, ValueError,
)  # fmt: skip


def read(path: str, most_bytes: int) -> str:
    """Give the text of a file."""
    text = Text(most_bytes)
    with open(path, "rb") as file:
        if file.read(len(_OLD_FILE)) == _OLD_FILE:
            raise TextError(
                "is encrypted, or in the old format: save it as .docx without a password", code="unreadable"
            )
        try:
            with zipfile.ZipFile(file) as archive:
                _read(archive, text)
        except TextError:
            raise
        except _DAMAGED as error:
            why = Message("is no whole Word file ({error}); fetch or save it again", error=error)
            raise TextError(why, code="unreadable") from error
        except RuntimeError as error:
            raise TextError("is encrypted; save it without a password", code="unreadable") from error
    return str(text).strip("\n")


def _read(archive: zipfile.ZipFile, text: Text) -> None:
    main: list[str] = []

    def noted(name: str, values: dict[str, str]) -> None:
        if name == "Relationship" and values.get("Type", "").endswith("/officeDocument"):
            main.append(values.get("Target", ""))

    _parse(archive, "_rels/.rels", start=noted)
    body = (main or ["word/document.xml"])[0].lstrip("/")
    names = set(archive.namelist())
    notes = [posixpath.join(posixpath.dirname(body), f"{kind}.xml") for kind in ("footnotes", "endnotes")]
    for part in (body, *(note for note in notes if note in names)):
        _Shown(text).parse(archive, part)


class _Shown:
    """What a reader sees of one part."""

    def __init__(self, text: Text) -> None:
        self._text = text
        self._in_text = self._gone = 0

    def parse(self, archive: zipfile.ZipFile, part: str) -> None:
        """Read the part."""
        _parse(archive, part, start=self._start, end=self._end, data=self._data)

    def _start(self, name: str, _: dict[str, str]) -> None:
        self._gone += name in _GONE
        self._in_text += name == "t"
        if name in _SIGNS and not self._gone:
            self._text.add(_SIGNS[name])

    def _end(self, name: str) -> None:
        if name == "p" and not self._gone:
            self._text.add("\n")
        self._gone -= name in _GONE
        self._in_text -= name == "t"

    def _data(self, data: str) -> None:
        if self._in_text and not self._gone:
            self._text.add(data)


def _parse(archive: zipfile.ZipFile, part: str, **calls: Callable[..., Any]) -> None:
    """Call for the elements of a part by their names without namespaces."""
    parser = expat.ParserCreate(namespace_separator="}")
    parser.buffer_text = True

    def refused(*_: object) -> None:
        # A document of this format has none, and it could mean any length of text.
        raise ValueError("it declares an entity")

    parser.EntityDeclHandler = refused
    if start := calls.get("start"):
        parser.StartElementHandler = lambda name, values: start(name.rpartition("}")[2], values)
    if end := calls.get("end"):
        parser.EndElementHandler = lambda name: end(name.rpartition("}")[2])
    parser.CharacterDataHandler = calls.get("data")
    with archive.open(part) as file:
        while piece := file.read(_PART_BYTES):
            parser.Parse(piece)
        parser.Parse(b"", True)  # noqa: FBT003 - the parser takes no names
