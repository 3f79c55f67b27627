"""The passages of a collection: a row for each pair of documents, the totals of a document, and the written forms."""

import json
import os
import re
from bisect import bisect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.config.settings import DedupConfig
from simsieve.display import counted, html_table
from simsieve.errors import ConfigError
from simsieve.inside.exclude import FINDERS, KINDS, Place, merged, outside, size
from simsieve.inside.leaks import LACKING, NUMBERS, doubt
from simsieve.results.arrow import table_of_rows
from simsieve.results.tables import write_failed
from simsieve.sinks.base import Kind, SinkPath, write_text
from simsieve.sinks.fields import values_of
from simsieve.sinks.tables import write_objects, write_table
from simsieve.sources.base import PAGE_END, Source
from simsieve.sources.fields import check_known
from simsieve.tabular import ArrowTable, Tabular
from simsieve.types import Progress


@dataclass(frozen=True, slots=True)
class ShownFields:
    """The fields `show` and `own` of documents, and of the old records that they are held against.

    `sides` are the documents, and the old records if any, each with its source.
    """

    sides: Sequence[tuple[Source, _core.Records]]
    show: Sequence[str] = ()
    own: str | None = None

    def __post_init__(self) -> None:
        """Check that the documents or the old records have the shown fields, and both have the author."""
        for setting, names, most in (
            ("show", self.show, len(self.sides) - 1),
            ("own", [self.own] if self.own else [], 0),
        ):
            lacking = []
            for source, store in self.sides:
                try:
                    check_known(setting, names, store, source)
                except ConfigError as error:
                    lacking.append(error)
            if len(lacking) > most:
                raise lacking[-1]

    def titles(self, positions: Iterable[int]) -> dict[int, str]:
        """Give what `show` names of some records, as one line each."""
        found = self._values(positions, self.show)
        shown = {at: [one for one in of.values() if one not in (None, "")] for at, of in found.items()}
        return {at: " · ".join(map(_line, of)) for at, of in shown.items() if of}

    def authors(self, positions: Iterable[int]) -> dict[int, str]:
        """Give the author of each of some records that name one."""
        found = self._values(positions, [] if self.own is None else [self.own])
        return {at: json.dumps(one) for at, of in found.items() for one in of.values() if one not in (None, "", [])}

    def _values(self, positions: Iterable[int], names: Sequence[str]) -> dict[int, dict[str, Any]]:
        asked, found, first = np.unique(np.fromiter(positions, np.int64)), dict[int, dict[str, Any]](), 0
        for source, store in self.sides if names else ():
            end = first + store.new_len
            here = asked[(asked >= first) & (asked < end)] - first
            read = values_of(source.row_sinks(), store, here, names)
            found |= {first + at: of for at, of in read.items()}
            first = end
        return found


def _line(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return " ".join(text.split())


_SHOWN = 10
"""Rows that a notebook shows."""
_READ = 64
"""Texts that are kept while hits are looked at."""

ROWS: dict[str, Kind | None] = {
    "document": None, "source": None, "share": "float", "source_share": "float", "longest": "int", "spans": "text",
    "document_position": "int", "source_position": "int",
}  # fmt: skip
TOTALS: dict[str, Kind | None] = {
    "document": None, "document_position": "int", "characters": "int", "share": "float", "own_share": "float",
    "largest_share": "float", "largest_source": None, "sources": "int", "common_share": "float", "excluded": "int",
}  # fmt: skip
OWN_WORK, OWN_WORKS, DOUBT = "own_work", "own_works_share", "doubt"
"""The columns that the two tables have beside these where authors are known, and the one that rows of leaks have."""


@dataclass(frozen=True, slots=True)
class Span:
    """A passage: a span of a document and the span of a source that it shares, in code points, ends exclusive.

    `score` is the share of the longer side that is equal in the same order, in (0, 1]. `page` and `source_page` are
    the pages on which it begins, from 1; None where a text has no pages. `common` is the number of sources that have a
    part of it, where these are more than the run's `common` and this source is listed for all; else None.

    Example:
        >>> Span(10, 50, 0, 40, 1.0).end
        50
    """

    start: int
    end: int
    source_start: int
    source_end: int
    score: float
    page: int | None = None
    source_page: int | None = None
    common: int | None = None


@dataclass(frozen=True, slots=True)
class SharedText:
    """What a document shares with one source.

    Args:
        document: The document's id; None where it has none.
        source: The source's id.
        share: The share of the document's code points that are not excluded in spans, in [0, 1].
        source_share: The share of the source's code points in spans; with `contained` in those of one stretch of the
            document, at most twice as long as the source.
        longest: The code points of the longest span.
        spans: The spans, in the order of the document.
        document_position: The document's place among its records, from 0.
        source_position: The source's place among the records of `against`, or else among the same records.
        own_work: Whether both are of one author, by `own`; None where that is not asked.
        doubt: With `doubtful` why this may be no leak: `"lacking"` where a part of the source is not in the document,
            `"numbers"` where the two have other numbers; else None.

    Example:
        >>> SharedText("a", "b", 0.5, 0.25, 40, (Span(0, 40, 60, 100, 1.0),), 0, 1).longest
        40
    """

    document: Any
    source: Any
    share: float
    source_share: float
    longest: int
    spans: tuple[Span, ...]
    document_position: int
    source_position: int
    own_work: bool | None = None
    doubt: str | None = None


@dataclass(frozen=True, slots=True)
class DocumentTotal:
    """What a document shares with all sources: the numbers of a report on copied text.

    Args:
        document: The document's id; None where it has none.
        document_position: Its place among its records, from 0.
        characters: Its code points.
        share: The share of those that are not excluded in spans with any source, in [0, 1].
        own_share: That share without quotations and the list of references.
        largest_share: The share of them in spans with the source that has most of them.
        largest_source: The id of that source.
        sources: How many sources share a passage.
        common_share: The share of them that stands in more documents than `common` allows, and is in no span.
        excluded: The code points that `exclude` leaves out.
        own_works_share: The share of them in spans with works of the same author, which count nowhere else, by `own`;
            None where that is not asked.

    Example:
        >>> DocumentTotal("a", 0, 80, 0.5, 0.5, 0.5, "b", 1, 0.0).sources
        1
    """

    document: Any
    document_position: int
    characters: int
    share: float
    own_share: float
    largest_share: float
    largest_source: Any
    sources: int
    common_share: float
    excluded: int = 0
    own_works_share: float | None = None


class PassageResult(Tabular, Sequence[SharedText]):
    """The passages of a collection: a sequence of `SharedText`, by document, the largest share first.

    `passages` makes it. `to_arrow`, `to_pandas` and `to_polars` give a table with the fields of `SharedText`, spans as
    JSON.

    Example:
        >>> from simsieve import passages
        >>> line = "every passage of this length is found wherever it stands in a longer text"
        >>> result = passages([f"One text begins. {line}."], against=[f"{line}, and then it goes on"])
        >>> [(row.share > 0.8, len(row.spans)) for row in result]
        [(True, 1)]
    """

    def __init__(
        self,
        core: _core.Passages,
        store: _core.Records,
        config: DedupConfig,
        excluded: Mapping[int, Sequence[Place]],
        least: tuple[float, float],
        sources: Sequence[Source] = (),
        min_length: int = 1,
        progress: Progress | None = None,
        fields: ShownFields | None = None,
        common: int = 1,
        *,
        doubtful: bool = False,
    ) -> None:
        self._core, self._apart, self._excluded, self._sources = core, store.new_len, excluded, sources
        self._has_pages = any(source.has_pages for source in sources)
        self._ends: dict[int, list[int]] = {}
        self._labels: dict[int, Any] = {}
        self.is_contained = least[1] > 0
        """Whether sources are items, of which a share is in a document."""
        self._least = least[self.is_contained]
        self.is_against = store.is_against
        """Whether sources are those of `against`, and not earlier documents."""
        self.config = config
        """The settings in force."""
        self.read, self.old_read = store.new_len, len(store) - store.new_len
        """Records read, and those of `against`."""
        self._characters = core.lengths
        self.min_length = min_length
        """The least letters of a passage."""
        if excluded:
            core.outside({at: list(places) for at, places in excluded.items()}, config.threads, progress)
        self._common = core.common
        document, source, spans, own, other, self._longest = core.pairs(self.is_contained)
        self._document, self._source, self._spans = document, source, spans
        self._fields = fields or ShownFields(())
        self._authors = self._fields.authors(np.concatenate((document, source)))
        whole = self._characters.astype(np.int64)
        for at in excluded:
            whole[at] -= size(self.excluded(at))
        whole = np.maximum(whole, 1)
        self._shares = (own / whole[document]).round(6), (other / whole[source]).round(6)
        chosen = np.flatnonzero((self._shares[0] >= least[0]) & (self._shares[1] >= least[1]))
        self._pairs = chosen[np.lexsort((source[chosen], -self._shares[0][chosen], document[chosen]))]
        """The pairs by document, the largest share first, among those that the core has."""
        self._doubts = self._doubted(common) if self.is_contained else {}
        self._is_doubtful = doubtful
        if self._doubts and not doubtful:
            self._pairs = self._pairs[[pair not in self._doubts for pair in self._pairs.tolist()]]

    def _doubted(self, common: int) -> dict[int, str]:
        """Say of the pairs that may be no leak why; where text is excluded, no part is told as lacking."""
        items = self._source[self._pairs]
        read, many, found = lru_cache(_READ)(self._core.text), np.bincount(items) > common, dict[int, str]()
        for pair, source in zip(self._pairs.tolist(), items.tolist(), strict=True):
            at = int(self._document[pair])
            why = doubt(read(source), read(at), self._core.spans_of(pair), is_many=bool(many[source]))
            if why is not None and not (why == LACKING and self.excluded(at)):
                found[pair] = why
        return found

    def _row(self, pair: int) -> SharedText:
        """What a pair shares."""
        document, source = int(self._document[pair]), int(self._source[pair])
        spans = tuple(
            Span(*span[:5], self._page(document, span[0]), self._page(source, span[2]), span[5] or None)
            for span in self._core.spans_of(pair)
        )
        share, source_share = (float(shares[pair]) for shares in self._shares)
        return SharedText(
            self.label(document), self.label(source), share, source_share, int(self._longest[pair]), spans,
            document, self._place(source), self._is_own(document, source), self._doubts.get(pair),
        )  # fmt: skip

    def _is_own(self, document: int, source: int) -> bool | None:
        """Whether two texts are of one author."""
        author = self._authors.get(document)
        return None if self._fields.own is None else author is not None and author == self._authors.get(source)

    def _page(self, position: int, place: int) -> int | None:
        """The page of a place in a text that has pages."""
        if not self._has_pages:
            return None
        if position not in self._ends:
            self._ends[position] = [end.start() for end in re.finditer(PAGE_END, self._core.text(position))]
        ends = self._ends[position]
        return 1 + bisect(ends, place) if ends else None

    def _share(self, characters: int, position: int) -> float:
        """A share of the code points that are not excluded."""
        whole = int(self._characters[position]) - size(self.excluded(position))
        return round(characters / max(1, whole), 6)

    def _place(self, position: int) -> int:
        """A position as people count it: that of an old record over the old sources."""
        return position - self._apart if self.is_against else position

    def __len__(self) -> int:
        """Count the pairs."""
        return len(self._pairs)

    @overload
    def __getitem__(self, index: int) -> SharedText: ...
    @overload
    def __getitem__(self, index: slice) -> list[SharedText]: ...
    def __getitem__(self, index: int | slice) -> SharedText | list[SharedText]:
        """Give one pair, or a list of those of a slice."""
        if isinstance(index, slice):
            return [self._row(pair) for pair in self._pairs[index].tolist()]
        return self._row(int(self._pairs[index]))

    def __repr__(self) -> str:
        """Show the counts."""
        return f"<PassageResult: {self.spans:,} passages of {counted(len(self), 'pair')} of {self.read:,} records>"

    def _repr_html_(self) -> str:
        """Show the totals of the first documents in a notebook."""
        rows = ([getattr(total, name) for name in TOTALS] for total in self.totals[:_SHOWN])
        return html_table(repr(self)[1:-1], list(TOTALS), rows)

    @property
    def spans(self) -> int:
        """The passages of all pairs."""
        return int(self._spans[self._pairs].sum())

    @cached_property
    def totals(self) -> list[DocumentTotal]:
        """The totals of every document with a passage, or with text that stands at too many places, by position."""
        return self._totals()

    def _totals(self, among: Sequence[int] | None = None) -> list[DocumentTotal]:
        """The totals of all documents that have some, or of given ones."""
        common = dict(self._common)
        documents = self._document[self._pairs]
        return [
            self._total(at, self[slice(*np.searchsorted(documents, (at, at + 1)).tolist())], common.get(at, 0))
            for at in (sorted({*documents.tolist(), *common}) if among is None else among)
        ]

    def largest(self, count: int) -> list[DocumentTotal]:
        """Give the totals of at most `count` documents with a passage, the largest shares first.

        Example:
            >>> from simsieve import passages
            >>> line = "every passage of this length is found wherever it stands in a longer text"
            >>> [total.document_position for total in passages([line, f"{line}, so"]).largest(5)]
            [1]
        """
        if self._fields.own is None:
            covered = self._core.covered(self._pairs)
            shares = {at: self._share(characters, at) for at, characters in covered}
            return self._totals(sorted(sorted(shares), key=lambda at: -shares[at])[:count])
        return sorted(self.totals, key=lambda total: -total.share)[:count]

    def _total(self, at: int, rows: Sequence[SharedText], common: int) -> DocumentTotal:
        of_author = None if self._fields.own is None else self._share(size(_covered(rows, own_work=True)), at)
        rows = [row for row in rows if not row.own_work]
        covered = _covered(rows)
        own = outside(covered, merged(place for _, place in self.left_out(at))) if rows else []
        first = rows[0] if rows else None
        return DocumentTotal(
            self.label(at), at, int(self._characters[at]), self._share(size(covered), at),
            self._share(size(own), at), 0.0 if first is None else first.share,
            None if first is None else first.source, len(rows), self._share(common, at), size(self.excluded(at)),
            of_author,
        )  # fmt: skip

    @property
    def fields(self) -> ShownFields:
        """The fields that name documents and say whose works they are."""
        return self._fields

    def left_out(self, position: int) -> list[tuple[str, Place]]:
        """Give the quotations and the references of a document, each with its kind."""
        text = self._core.text(position)
        return [(kind, place) for kind in KINDS for place in FINDERS[kind](text)]

    def excluded(self, position: int) -> Sequence[Place]:
        """Give the parts of a document that `exclude` has left out."""
        return self._excluded.get(position, ())

    def text(self, position: int) -> str:
        """Give the text of a document, in whose code points spans are."""
        return self._core.text(position)

    def label(self, position: int) -> Any:
        """Give the id of a document; old records are numbered after the documents."""
        if position not in self._labels:
            self._labels[position] = self._core.id(position)
        return self._labels[position]

    def characters(self, position: int) -> int:
        """Count the code points of a document."""
        return int(self._characters[position])

    def source_text(self, position: int) -> str:
        """Give the text of a source."""
        return self._core.text(position + self._apart if self.is_against else position)

    def failures(self) -> list[tuple[int, str, str]]:
        """List the failed records as (position, code, message)."""
        return [failure for failure in self._core.failures() if failure[0] < self._apart]

    def old_failures(self) -> list[tuple[int, str, str]]:
        """List the failed records of `against` as (position over its sources, code, message)."""
        new = self._apart
        return [(at - new, code, message) for at, code, message in self._core.failures() if at >= new]

    @property
    def positions(self) -> list[tuple[int, int]]:
        """The document and the source of each pair, by number; old records are numbered after the documents."""
        return list(zip(*(column[self._pairs].tolist() for column in (self._document, self._source)), strict=True))

    @property
    def bands(self) -> NDArray[np.int64]:
        """The tenth of the shares from the least on in which each pair is; those in doubt are in 10 and 11."""
        shares, least = self._shares[self.is_contained][self._pairs], min(self._least, 1 - 1e-9)
        bands = np.minimum((shares - least) / (1 - least) * 10, 9).astype(np.int64)
        for at, pair in enumerate(self._pairs.tolist() if self._is_doubtful else ()):
            bands[at] = {LACKING: 10, NUMBERS: 11}.get(self._doubts.get(pair, ""), bands[at])
        return bands

    @property
    def summary(self) -> dict[str, Any]:
        """The numbers of the run, ready for JSON."""
        (dense, letters), doubts = self._core.certain, [*self._doubts.values()]
        return {
            "read": self.read, "old_read": self.old_read, "failed": len(self._core.failures()), "pairs": len(self),
            "passages": self.spans, "documents": len(np.unique(self._document[self._pairs])),
            "sources": len(np.unique(self._source[self._pairs])), "common": len(self._common),
            "certain_characters": dense, "certain_letters": letters, "unlisted": self._core.unlisted,
            "lacking": doubts.count(LACKING), "other_numbers": doubts.count(NUMBERS),
        }  # fmt: skip

    def to_arrow(self) -> ArrowTable:
        """Give the pairs as a `pyarrow.Table`; see the class."""
        rows = (row | {"spans": json.dumps(row["spans"])} for row in map(_plain, self))
        return table_of_rows(self._columns(), rows)

    def write(self, sink: SinkPath, *, totals: bool = False) -> None:
        """Write the pairs as a table, or the totals of the documents, whole or not at all.

        Args:
            sink: A file in `.jsonl`, `.csv`, `.tsv` or `.parquet`, or `-` for JSON lines on stdout.
            totals: Write `totals` in place of the pairs.

        Raises:
            SinkError: The file cannot be written.
            ConfigError: The ending is none that a table can have.
        """
        if not (totals or self._has_pages or self._fields.own or self._is_doubtful):
            pairs, (shares, source_shares) = self._pairs, (shares[self._pairs] for shares in self._shares)
            write_table(
                sink, lambda path: self._core.write_rows(pairs, shares, source_shares, path), ROWS,
                safe=self.config.safe_cells,
            )  # fmt: skip
            return
        rows = map(asdict, self.totals) if totals else map(_plain, self)
        columns = self._columns(totals=totals)
        write_objects(
            sink, columns, ({name: row[name] for name in columns} for row in rows), safe=self.config.safe_cells
        )

    def _columns(self, *, totals: bool = False) -> dict[str, Kind | None]:
        """The columns of a table, with those of works of the same author and of doubts where these are told."""
        columns: dict[str, Kind | None] = {**(TOTALS if totals else ROWS)}
        if self._fields.own is not None:
            columns |= {OWN_WORKS: "float"} if totals else {OWN_WORK: "bool"}
        return columns | ({DOUBT: "text"} if self._is_doubtful and not totals else {})

    def write_failed(self, sink: SinkPath) -> None:
        """Write the failed records with their bytes and the reason."""
        write_failed(self._core, sink, safe=self.config.safe_cells)

    def report(self, sink: str | os.PathLike[str]) -> None:
        """Write a page of HTML: all documents, their passages, and the sources beside them. One file.

        Raises:
            SinkError: The file cannot be written.
        """
        # Loaded here, since few results have a page.
        from simsieve.inside.page import passages_page  # noqa: PLC0415 - see above

        write_text(sink, passages_page(self), private=True)


def _covered(rows: Sequence[SharedText], *, own_work: bool = False) -> list[Place]:
    """The parts of a document in spans; with `own_work` only in those with works of its author."""
    return merged((span.start, span.end) for row in rows if row.own_work or not own_work for span in row.spans)


def _plain(row: SharedText) -> dict[str, Any]:
    """A row as a table has it; a text without pages has none."""
    # `asdict` copies each value, which takes longer than to find the pair.
    values = {name: getattr(row, name) for name in SharedText.__slots__}
    values["spans"] = [
        {name: value for name in Span.__slots__ if (value := getattr(span, name)) is not None} for span in row.spans
    ]
    return values
