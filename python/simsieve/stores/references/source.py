"""References in RIS, BibTeX, NBIB of PubMed and XML of EndNote as records with the same fields.

A record has `id`, `type`, `title`, `author`, `year`, `journal`, `volume`, `number`, `pages`, `doi` and `abstract`, as
far as the file has them. Several authors stand with ` and ` between them. RIS and NBIB are lines of a tag and a value,
and a last reference that is cut off is a record too. An entry of BibTeX that cannot be read is a failed record.
"""

import logging
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from simsieve.config.settings import DedupConfig
from simsieve.errors import SourceError
from simsieve.messages import Message
from simsieve.optional import bibtexparser
from simsieve.sources.handed import HandedFiles, Row, failed_row, source_errors
from simsieve.stores.references.endnote import of_endnote
from simsieve.stores.references.output import FIELDS, ReferenceRowSinks, Written

Tags = Mapping[str, list[str]]
_RIS = re.compile(r"([A-Z][A-Z0-9])  -(?: (.*))?$")
_NBIB = re.compile(r"([A-Z][A-Z0-9]{1,3}) {0,2}-(?: (.*))?$")
_OF_RIS = {
    "id": ("ID", "AN"), "type": ("TY",), "title": ("TI", "T1", "CT", "BT"), "author": ("AU", "A1"),
    "year": ("PY", "Y1", "DA"), "journal": ("JO", "JF", "T2", "JA", "J2"), "volume": ("VL",), "number": ("IS",),
    "pages": ("SP",), "doi": ("DO", "DI"), "abstract": ("AB", "N2"),
}  # fmt: skip
_OF_NBIB = {
    "id": ("PMID",), "type": ("PT",), "title": ("TI", "BTI"), "author": ("FAU", "AU", "CN"), "year": ("DP",),
    "journal": ("JT", "TA"), "volume": ("VI",), "number": ("IP",), "pages": ("PG",), "doi": ("LID", "AID"),
    "abstract": ("AB",),
}  # fmt: skip
"""The tags of each field; the first one that a reference has counts."""
_OF_BIB = {"journal": ("journal", "journaltitle", "booktitle"), "year": ("year", "date"), "number": ("number", "issue")}
_DOI_OF_NBIB = re.compile(r"(.*) \[doi\]")


class ReferenceFiles(HandedFiles):
    """Files of references."""

    fields = FIELDS

    def parts(self, places: Mapping[str, str], config: DedupConfig) -> Iterator[tuple[str, Iterator[Row]]]:
        """Give the references of each file; see `HandedFiles.parts`."""
        for path in self.paths:
            yield path, (row for row, _ in self._read(path, places.get(path, path)) if row is not None)

    def row_sinks(self) -> ReferenceRowSinks:
        """Make files of references, or tables of their fields."""
        return ReferenceRowSinks(self.paths, self._written)

    def _written(self, path: str) -> Written:
        place = self.of_objects.place(path) if self.of_objects else path
        return ((row is not None, text) for row, text in self._read(path, place))

    def _read(self, path: str, place: str) -> Iterator[tuple[Row | None, str]]:
        """The row of each reference and how it is written; None for what stands around references."""
        ending = path.lower().rpartition(".")[2]
        try:
            if ending == "xml":
                with source_errors(path), open(place, "rb") as packed:
                    yield from ((None if row is None else _row(row), text) for row, text in of_endnote(path, packed))
                self.check_copied(path)
                return
            # Line ends stay as they are.
            with source_errors(path), open(place, encoding="utf-8-sig", newline="") as file:
                if ending == "bib":
                    yield from _of_bibtex(file.read())
                elif ending == "ris":
                    yield from ((_row(_ris(tags)), text) for tags, text in _references(file, _RIS, "TY", "ER"))
                else:
                    yield from ((_row(_nbib(tags)), text) for tags, text in _references(file, _NBIB, "PMID", None))
        except UnicodeDecodeError as error:
            raise SourceError(
                "{path}: is not UTF-8 ({error}); convert it, such as by `iconv -f latin1 -t utf-8`",
                path=path,
                error=error,
            ) from error
        self.check_copied(path)


def _references(
    lines: Iterable[str], form: re.Pattern[str], first: str, last: str | None
) -> Iterator[tuple[Tags, str]]:
    """The tags of each reference with their values in order, and its lines. A line without a tag goes on."""
    tags: dict[str, list[str]] = {}
    written: list[str] = []
    values: list[str] | None = None
    has_ended = False
    for line in lines:
        found = form.match(line.rstrip())
        tag = "" if found is None else found[1]
        if tags and ((tag and has_ended) or tag == first):
            yield tags, "".join(written)
            tags, written = {}, []
        written.append(line)
        if found is None:
            if values and line.strip():
                values[-1] += " " + line.strip()
            continue
        has_ended = tag == last
        if has_ended:
            values = None
            continue
        values = tags.setdefault(tag, [])
        values.append((found[2] or "").strip())
    if tags:
        yield tags, "".join(written)


def _found(tags: Tags, of: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    first = {
        name: next((found for tag in of[name] if (found := [one for one in tags.get(tag, ()) if one])), [])
        for name in of
    }
    return {name: " and ".join(found) if name == "author" else "".join(found[:1]) for name, found in first.items()}


def _ris(tags: Tags) -> dict[str, str]:
    found = _found(tags, _OF_RIS)
    last = "".join(tags.get("EP", ())[:1])
    if found["pages"] and last and "-" not in found["pages"]:
        found["pages"] += f"-{last}"
    return found


def _nbib(tags: Tags) -> dict[str, str]:
    found = _found(tags, _OF_NBIB)
    dois = (_DOI_OF_NBIB.fullmatch(one) for tag in _OF_NBIB["doi"] for one in tags.get(tag, ()))
    return found | {"doi": next((doi[1] for doi in dois if doi), "")}


def _of_bibtex(text: str) -> Iterator[tuple[Row | None, str]]:
    parser = bibtexparser()
    # What it logs is told as failed records.
    logging.getLogger("bibtexparser").setLevel(logging.CRITICAL)
    library = parser.parse_string(text, append_middleware=[parser.middlewares.LatexDecodingMiddleware()])
    for block in library.blocks:
        written = (block.raw or "").strip() + "\n\n"
        if isinstance(block, parser.model.ParsingFailedBlock):
            why = Message(
                "the entry of BibTeX in line {line} cannot be read: {error}; correct it",
                line=(block.start_line or 0) + 1, error=getattr(block.error, "abort_reason", block.error),
            )  # fmt: skip
            yield (failed_row("unreadable", why), *([None] * len(FIELDS))), written
        elif isinstance(block, parser.model.Entry):
            yield _row({"id": block.key, "type": block.entry_type, **_bib_fields(block)}), written
        else:
            yield None, written


def _bib_fields(entry: Any) -> dict[str, str]:
    values = {field.key.lower(): " ".join(re.sub(r"[{}]", "", str(field.value)).split()) for field in entry.fields}
    names = ((name, _OF_BIB.get(name, (name,))) for name in FIELDS if name not in {"id", "type"})
    return {name: next((values[one] for one in several if values.get(one)), "") for name, several in names}


def _row(values: Mapping[str, str]) -> Row:
    """The row of a reference; a title that it lacks is an empty one, so that it is compared by its other fields."""
    found = [values.get(name) or ("" if name == "title" else None) for name in FIELDS]
    return None, *(None if value is None else value.encode(errors="replace") for value in found)
