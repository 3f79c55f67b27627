"""Kept references in the format of their files: each as it stands there, with the values that it takes."""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from simsieve import _core
from simsieve.errors import ConfigError
from simsieve.sinks.base import FileSink, Kind, Rows, RowSinks, Sink, SinkPath
from simsieve.sinks.fields import Filled
from simsieve.sinks.records import HandedRowSinks
from simsieve.stores.references.endnote import with_elements

FIELDS: Mapping[str, Kind] = dict.fromkeys(
    ("id", "type", "title", "author", "year", "journal", "volume", "number", "pages", "doi", "abstract"), "text"
)


ENDINGS = (".ris", ".bib", ".nbib", ".xml")
Written = Iterator[tuple[bool, str]]
"""What a file has: whether it is a reference, and how it is written."""
_TAGS = {
    ".ris": dict(zip(FIELDS, ("ID", "TY", "TI", "AU", "PY", "JO", "VL", "IS", "SP", "DO", "AB"), strict=True)),
    ".nbib": dict(zip(FIELDS, ("PMID", "PT", "TI", "FAU", "DP", "JT", "VI", "IP", "PG", "LID", "AB"), strict=True)),
}
"""The tag by which a field is written."""


class ReferenceRowSinks(HandedRowSinks):
    """The sinks of references: files of their own format, or tables of their fields."""

    def __init__(self, paths: Sequence[str], read: Callable[[str], Written]) -> None:
        super().__init__(FIELDS)
        self._paths, self._read = paths, read

    def of_source(self, source: int) -> RowSinks:
        """Return the sink factory for one source; see `RowSinks`."""
        return ReferenceRowSinks([self._paths[source]], self._read)

    def check_kept(self, sink: SinkPath, form: str | None) -> None:
        """Check that references of one format go to a file of it, or that the name is one of a table."""
        ending = _ending(sink)
        if form is not None or ending not in ENDINGS:
            super().check_kept(sink, form)
            return
        other = next((path for path in self._paths if _ending(path) != ending), None)
        if other is not None:
            raise ConfigError(
                "{sink} gets references as they stand in their files, and {other} has another format: give the output"
                " its ending, or name a table such as kept.jsonl or kept.csv",
                sink=os.fspath(sink), other=other,
            )  # fmt: skip
        if ending == ".xml" and len(self._paths) > 1:
            raise ConfigError(
                "{sink} is one file of XML, and {count} sources have an opening and an end each: name a folder, or a "
                "table such as kept.jsonl or kept.csv",
                sink=os.fspath(sink), count=len(self._paths),
            )  # fmt: skip

    def kept(self, store: _core.Records, sink: SinkPath, form: str | None, *, link: bool = False) -> Sink[Rows]:
        """Make the sink of kept references; see `RowSinks.kept`."""
        return self.kept_with(store, sink, form, {}, 0) or super().kept(store, sink, form)

    def kept_with(
        self, store: _core.Records, sink: SinkPath, form: str | None, filled: Filled, first: int
    ) -> Sink[Rows] | None:
        """Make the sink of references that take values; None where they go to a table. See `RowSinks.kept_with`."""
        if form is not None or _ending(sink) not in ENDINGS:
            return None
        return ReferenceSink(sink, (one for path in self._paths for one in self._read(path)), filled, first)


class ReferenceSink:
    """The sink of references as they are written."""

    def __init__(self, sink: SinkPath, written: Written, filled: Filled, first: int) -> None:
        self._file, self._written, self._filled, self._first = FileSink(sink), written, filled, first
        self._ending = _ending(sink)
        self.check, self.begin, self.abort = self._file.check, self._file.begin, self._file.abort

    def write(self, batch: Rows, /) -> None:
        """Write those references of a batch that are wanted, and what stands between them."""
        for position, is_wanted in enumerate(batch.wanted.tolist(), self._first + batch.first):
            for is_reference, text in self._written:
                if not is_reference or is_wanted:
                    values = self._filled.get(position, {}) if is_reference else {}
                    self._file.write(with_values(text, values, self._ending).encode())
                if is_reference:
                    break

    def commit(self) -> None:
        """Write what stands behind the last reference, and give the file its name."""
        for is_reference, text in self._written:
            if not is_reference:
                self._file.write(text.encode())
        self._file.commit()


def with_values(reference: str, values: Mapping[str, Any], ending: str) -> str:
    """Add values to a reference, before its end; without any it stays as it is."""
    if not values:
        return reference
    line_end = "\r\n" if "\r\n" in reference else "\n"
    plain = {name: " ".join(str(value).split()) for name, value in values.items()}
    if ending == ".xml":
        return with_elements(reference, plain)
    if ending == ".bib":
        body, _, rest = reference.rpartition("}")
        lines = [f"  {name} = {{{value}}}" for name, value in plain.items() if name not in {"id", "type"}]
        head = body.rstrip().removesuffix(",")
        return f",{line_end}".join([head, *lines]) + line_end + "}" + rest
    lines = [line for name, value in plain.items() for line in _tagged(name, value, ending)]
    end = re.search(r"\s*(^ER  -.*)?\s*\Z", reference, re.MULTILINE)
    at = len(reference) if end is None else end.start()
    return reference[:at] + "".join(line_end + line for line in lines) + (reference[at:] or line_end)


def _tagged(name: str, value: str, ending: str) -> list[str]:
    tag = _TAGS[ending][name]
    if ending == ".nbib":
        tag = f"{tag:4}"
        value = f"{value} [doi]" if name == "doi" else value
    elif name == "pages" and (pages := re.fullmatch(r"(\w+)-(\w+)", value)):
        return [f"SP  - {pages[1]}", f"EP  - {pages[2]}"]
    sign = "- " if ending == ".nbib" else "  - "
    return [tag + sign + one for one in (value.split(" and ") if name == "author" else [value])]


def _ending(name: SinkPath) -> str:
    return os.path.splitext(os.fspath(name).lower())[1]
