"""Papers that are ZIP archives of XML: Word, OpenDocument and EPUB files."""

import lzma
import posixpath
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, NamedTuple
from xml.parsers import expat

from simsieve.errors import TextError
from simsieve.messages import Message

_OLD_FILE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""How the older format begins, in which an encrypted file is wrapped too."""
_PART_BYTES = 1 << 16
_DEEPEST = 1 << 12
SMALL = 1 << 24
"""Bytes of a part that is kept in memory, such as styles."""
DAMAGED = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, expat.ExpatError, EOFError, KeyError, OSError,
    OverflowError, NotImplementedError, ValueError,
)  # fmt: skip


@contextmanager
def unpacked(path: str, kind: str) -> Iterator[zipfile.ZipFile]:
    """Open an archive; a fault of it is a `TextError`."""
    with open(path, "rb") as file:
        if file.read(len(_OLD_FILE)) == _OLD_FILE:
            raise TextError(
                "is encrypted, or in the old format: save it as .docx without a password", code="unreadable"
            )
        try:
            with zipfile.ZipFile(file) as archive:
                yield archive
        except TextError:
            raise
        except DAMAGED as error:
            why = Message("is no whole {kind} file ({error}); fetch or save it again", kind=kind, error=error)
            raise TextError(why, code="unreadable") from error
        except RuntimeError as error:
            raise TextError("is encrypted; save it without a password", code="unreadable") from error


def content(archive: zipfile.ZipFile, part: str, most: int = SMALL) -> bytes:
    """Read a whole part, which may not have more bytes."""
    with archive.open(part) as file:
        found = file.read(most + 1)
    if len(found) > most:
        raise ValueError(f"{part} has more than {most:,} bytes")
    return found


def parse(archive: zipfile.ZipFile, part: str, most: int | None = None, **calls: Callable[..., Any]) -> None:
    """Call for the elements of a part by their names and attributes without namespaces."""
    parser = expat.ParserCreate(namespace_separator="}")
    parser.buffer_text = True
    depth = 0

    def refused(*_: object) -> None:
        # A document of this format has none, and it could mean any length of text.
        raise ValueError("it declares an entity")

    def start(name: str, values: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > _DEEPEST:
            raise ValueError(f"{part} has more than {_DEEPEST:,} elements in one another")
        if "start" in calls:
            calls["start"](_bare(name), {_bare(one): value for one, value in values.items()})

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        if "end" in calls:
            calls["end"](_bare(name))

    parser.EntityDeclHandler = refused
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = calls.get("data")
    read = 0
    with archive.open(part) as file:
        while piece := file.read(_PART_BYTES):
            read += len(piece)
            if most is not None and read > most:
                raise ValueError(f"{part} has more than {most:,} bytes")
            parser.Parse(piece)
        parser.Parse(b"", True)  # noqa: FBT003 - the parser takes no names


class Related(NamedTuple):
    """What a part names by a relationship: its kind, and where it is."""

    kind: str
    target: str
    is_outside: bool


def relations(archive: zipfile.ZipFile, part: str) -> dict[str, Related]:
    """Give what a part, or the archive itself, names, by the ids of the relationships."""
    folder, name = posixpath.split(part)
    rels = posixpath.join(folder, "_rels", f"{name}.rels")
    found: dict[str, Related] = {}

    def noted(name: str, values: dict[str, str]) -> None:
        if name == "Relationship":
            target, is_outside = values.get("Target", ""), values.get("TargetMode") == "External"
            if not is_outside:
                target = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
            found[values.get("Id", "")] = Related(values.get("Type", "").rpartition("/")[2], target, is_outside)

    if rels in archive.NameToInfo:
        parse(archive, rels, SMALL, start=noted)
    return found


def stamp(archive: zipfile.ZipFile, part: str) -> str:
    """Give what tells the content of a part from others without reading it: its checksum and size, else its name."""
    info = archive.NameToInfo.get(part)
    return part if info is None else f"{info.CRC:08x} {info.file_size}"


@lru_cache(1 << 10)
def _bare(name: str) -> str:
    return name.rpartition("}")[2]
