"""References in the XML of EndNote: the fields of each record, and the record as it stands in the file.

The parser gets the file piece by piece, and one record is held at a time. Entities that a file declares are refused.
"""

import re
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any, BinaryIO
from xml.parsers import expat

from simsieve.errors import SourceError

PLACES = {
    "id": ("rec-number",), "title": ("titles/title",), "author": ("contributors/authors/author",),
    "year": ("dates/year", "dates/pub-dates/date"), "journal": ("periodical/full-title", "titles/secondary-title"),
    "volume": ("volume",), "number": ("number",), "pages": ("pages",), "doi": ("electronic-resource-num",),
    "abstract": ("abstract",),
}  # fmt: skip
"""The places of each field in a record; the first one with a value counts, and gets a value that is added."""
Values = dict[str, list[list[str]]]
"""Of each place in a record the texts, in pieces."""
_TYPE, _STYLE, _ABOVE = "type", "style", ["xml", "records", "record"]
_END = re.compile(rb"</record\s*>")
_PART_BYTES, _MOST_BYTES, _DEEPEST = 1 << 16, 1 << 26, 1 << 8


class _Reader:
    """What the parser calls. It holds the file from the end of the last record on."""

    def __init__(self, path: str) -> None:
        self.done: list[tuple[Values | None, str]] = []
        self.held = bytearray()
        self.opened: list[str] = []
        self._place = ""
        self._path, self._first, self._is_first = path, 0, True
        self._values: Values = {}
        # Another encoding that a file declares would not be that of the output.
        self.parser = expat.ParserCreate("utf-8")
        self.parser.StartElementHandler, self.parser.EndElementHandler = self._start, self._end
        self.parser.CharacterDataHandler, self.parser.EntityDeclHandler = self._data, self._refused

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self.opened.append(name)
        depth = len(self.opened)
        if depth > _DEEPEST:
            raise SourceError(
                "{path}: has elements {depth} deep, and no record of EndNote has", path=self._path, depth=depth
            )
        if depth <= len(_ABOVE) and name != _ABOVE[depth - 1]:
            raise SourceError(
                "{path}: has <{name}> where references of EndNote have <{wanted}>, and other XML is not read: write "
                "the records as .jsonl, an object on each line; or read a file as one text, by each file",
                path=self._path, name=name, wanted=_ABOVE[depth - 1],
            )  # fmt: skip
        if depth == len(_ABOVE):
            if self._is_first:
                self.done.append((None, self._cut(self.parser.CurrentByteIndex)))
            self._values, self._is_first = {}, False
        elif depth > len(_ABOVE) and name != _STYLE:
            self._place = f"{self._place}/{name}" if self._place else name
            self._values.setdefault(self._place, []).append([])
            if name == "ref-type":
                self._values[_TYPE] = [[attributes.get("name", "")]]

    def _end(self, _: str) -> None:
        if len(self.opened) == len(_ABOVE):
            # Of <record/> the parser tells the end.
            end = self.parser.CurrentByteIndex
            tag = _END.match(self.held, end - self._first)
            self.done.append((self._values, self._cut(end + (len(tag[0]) if tag else 0))))
        if self.opened.pop() != _STYLE:
            self._place = self._place.rpartition("/")[0]

    def _data(self, text: str) -> None:
        if values := self._values.get(self._place):
            values[-1].append(text)

    def _refused(self, *_: object) -> None:
        raise SourceError("{path}: declares an entity, and no file of EndNote does: export it again", path=self._path)

    def _cut(self, end: int) -> str:
        text = self.held[: end - self._first].decode()
        del self.held[: end - self._first]
        self._first = end
        return text


def of_endnote(path: str, file: BinaryIO) -> Iterator[tuple[dict[str, str] | None, str]]:
    """Give the fields of each record and how it is written; None for what stands around all of them."""
    reader = _Reader(path)
    try:
        while piece := file.read(_PART_BYTES):
            reader.held += piece
            reader.parser.Parse(piece)
            if len(reader.held) > _MOST_BYTES:
                raise SourceError("{path}: has a record of more than 64 MiB: correct it", path=path)
            yield from ((_fields(values), text) for values, text in reader.done)
            reader.done.clear()
        reader.parser.Parse(b"", True)  # noqa: FBT003 - the parser takes no names
    except expat.ExpatError as error:
        raise SourceError(
            "{path}: is no whole XML in UTF-8 ({error}); export it from EndNote again", path=path, error=error
        ) from error
    yield None, reader.held.decode()


def _fields(values: Values | None) -> dict[str, str] | None:
    if values is None:
        return None
    texts = {place: [" ".join("".join(one).split()) for one in each] for place, each in values.items()}
    found = {_TYPE: "".join(texts.get(_TYPE, ()))}
    for name, places in PLACES.items():
        several = next(filter(None, ([one for one in texts.get(place, ()) if one] for place in places)), [])
        found[name] = " and ".join(several) if name == "author" else "".join(several[:1])
    return found


def with_elements(record: str, values: Mapping[str, Any]) -> str:
    """Add values to a record, in the elements that it has for them, or in new ones before its end."""
    for name, value in values.items():
        if name not in PLACES or name == "id":
            continue
        *around, last = PLACES[name][0].split("/")
        several = value.split(" and ") if name == "author" else [value]
        made = "".join(f"<{last}>{escape(one, quote=False)}</{last}>" for one in several)
        while around and f"</{around[-1]}>" not in record:
            made = f"<{around[-1]}>{made}</{around.pop()}>"
        head, end, rest = record.rpartition(f"</{(around or _ABOVE)[-1]}>")
        record = head + made + end + rest
    return record
