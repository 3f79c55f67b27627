"""The page on passages: all documents in a table and a graph, one with its passages, and a source beside it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple
from heapq import nlargest
from itertools import groupby
from typing import Any

from simsieve.display import cut
from simsieve.inside.exclude import merged
from simsieve.messages import tr
from simsieve.report.page import Html, bars, none_of, page, section, tag

SCRIPT, STYLE = "passages.js", "passages.css"
MOST_ROWS, MOST_DOCUMENTS, MOST_SOURCES, MOST_LINES = 2000, 200, 200, 5000
"""Documents in the table of a file, those with the largest share; of these with their texts; sources of each; and
lines of the graph."""
MOST_SERVED = 50_000
"""Documents in the table of a page that is served."""
_WHOLE, _WHOLE_SOURCE = 20_000_000, 2_000_000
"""Characters of all sources in a file, and of one that is served, until which their texts are whole."""
_AROUND = 200
"""Characters of another source before and after a passage."""
_LABEL, _BINS = 80, 20


def passages_page(result: Any) -> str:
    """Make the page of a `PassageResult` as a file, which has texts inside."""
    made = PassagesPage(result, MOST_ROWS, MOST_DOCUMENTS)
    return page(made.title, *made.content(), script=made.script, style=STYLE, data=made.inside())


class PassagesPage:
    """What a page shows, by number: documents have numbers by share, and old records behind them.

    `most` documents are in the table, and `most_open` of them can be opened, those with the largest share.
    """

    def __init__(self, result: Any, most: int, most_open: int) -> None:
        self._result = result
        self._totals = {
            total.document_position: total for total in result.totals if total.sources or total.own_works_share
        }
        failed = {at for at, *_ in result.failures()}
        others = (at for at in range(result.read) if at not in self._totals and at not in failed)
        by_share = sorted(self._totals, key=lambda at: (-self._totals[at].share, at))
        self._order = [*by_share, *others]
        self._number = {at: number for number, at in enumerate(self._order)}
        self._rows = self._order[:most] if by_share else []
        self._open = by_share[: min(most, most_open)]
        self._pairs: dict[int, slice] = {}
        self._most: dict[int, tuple[int, int | None]] = {}
        self._lines = nlargest(MOST_LINES, self._read())
        self.title = tr("Passages in {documents:,} of {read:,} documents", documents=len(by_share), read=result.read)
        self.script = SCRIPT if by_share else None

    def _read(self) -> Iterator[tuple[float, int, int]]:
        """Note the pairs, the longest passage and the first source of each document, and give the lines of the graph.

        A line is a share and the numbers of two documents.
        """
        end = 0
        for at, pairs in groupby(self._result, key=lambda row: row.document_position):
            rows = list(pairs)
            self._pairs[at] = slice(end, end := end + len(rows))
            rows = [row for row in rows if not row.own_work]
            first = self._source(rows[0]) if rows else None
            self._most[at] = max((row.longest for row in rows), default=0), first
            for row in () if self._result.is_against else rows:
                numbers = self._of(at), self._of(row.source_position)
                if row.source_position != at and max(numbers) < len(self._rows):
                    yield max(row.share, row.source_share), *numbers

    def _source(self, row: Any) -> int:
        """The position of the source of a row; old records are numbered after the documents."""
        return int(row.source_position) + (self._result.read if self._result.is_against else 0)

    def _of(self, at: int) -> int:
        """The number of a position."""
        return self._number[at] if at < self._result.read else len(self._order) + at - self._result.read

    def _matches(self, at: int) -> list[Any]:
        """The rows of a document that are shown."""
        return list(self._result[self._pairs[at]][:MOST_SOURCES])

    def _notes(self) -> Iterator[str]:
        if len(self._rows) < len(self._order):
            yield tr("The table has the {count:,} documents with the largest share.", count=len(self._rows))
        if len(self._open) < len(self._totals):
            yield tr("Texts are there of the {count:,} documents with the largest share.", count=len(self._open))
        if any(self._pairs[at].stop - self._pairs[at].start > MOST_SOURCES for at in self._open):
            yield tr("Of each document it has the {count:,} sources with the largest share.", count=MOST_SOURCES)
        if any(self._result.excluded(at) for at in self._open):
            yield tr("Shares are of the text that is not excluded.")
        if not self._result.is_against:
            yield tr("The source is the earlier document. That does not say who copied from whom.")

    def content(self) -> list[Html]:
        """Give the elements of the page, in which no text of a record is."""
        if not self._rows:
            return [none_of(tr("No passage was found."))]
        notes = tag("div", *(tag("p", note, class_="note") for note in self._notes()))
        told = tag("p", "", id="told", role="alert")
        shares = [total.share for total in self._totals.values()]
        nothing = len(self._order) - len(shares)
        return [notes, told, *_overview(shares, nothing, is_alone=not self._result.is_against), *_one()]

    def begin(self) -> dict[str, Any]:
        """Give what the page begins with: the rows of the table, and the lines of the graph."""
        firsts = [first for at in self._rows if (first := self._most.get(at, (0, None))[1]) is not None]
        return {
            "documents": [self._row(at) for at in self._rows], "names": self.names([*self._rows, *firsts]),
            "lines": self._lines, "cut": len(self._lines) == MOST_LINES, "first_source": len(self._order),
            "words": _words(), "shortest": self._result.min_length, "against": self._result.is_against,
            "own": self._result.fields.own is not None,
        }  # fmt: skip

    def inside(self) -> dict[str, Any]:
        """Give the content of a file: its beginning, and the documents that can be opened."""
        spans: dict[int, list[Any]] = {at: [] for at in self._open}
        for row in (row for at in self._open for row in self._matches(at)):
            spans.setdefault(self._source(row), []).extend(row.spans)
        begun, texts, left = self.begin(), {}, _WHOLE
        begun["names"] |= self.names(spans)
        for count, (at, some) in enumerate(spans.items()):
            is_open = count < len(self._open)
            left -= 0 if is_open else self._result.characters(at)
            texts[self._of(at)] = self._pieces(at, some, is_whole=is_open or left >= 0)
        return begun | {"document": {self._of(at): self._document(at) for at in self._open}, "text": texts}

    def document(self, number: int) -> dict[str, Any] | None:
        """Give what a document shares, with the names of its sources; None for a number of none."""
        if number >= len(self._open):
            return None
        at = self._open[number]
        return self._document(at) | {"names": self.names(map(self._source, self._matches(at)))}

    def text(self, number: int, of: int) -> list[Any] | None:
        """Give the text of a document, or of a source of one; None where it is none of this."""
        if number == of < len(self._rows):
            return self._pieces(self._rows[of], (), is_whole=True)
        rows = self._matches(self._open[of]) if of < len(self._open) else []
        for row in rows:
            at = self._source(row)
            if self._of(at) == number:
                return self._pieces(at, row.spans, is_whole=self._result.characters(at) <= _WHOLE_SOURCE)
        return None

    def names(self, places: Iterable[int]) -> dict[int, str]:
        """Give what positions are called, by their numbers."""
        places = list(places)
        titles = self._result.fields.titles(places)
        return {self._of(at): self._name(at, titles.get(at)) for at in places}

    def _name(self, at: int, title: str | None) -> str:
        label = self._result.label(at)
        own = at if at < self._result.read else at - self._result.read
        name = str(own if label is None else label)
        return cut(name if title is None else f"{title} ({name})", _LABEL)

    def _row(self, at: int) -> dict[str, Any]:
        """The row of a document in the table."""
        total = self._totals.get(at)
        longest, first = self._most.get(at, (0, None))
        row = {"characters": self._result.characters(at), "share": 0, "quoted": 0, "longest": longest, "sources": 0}
        if total is not None:
            quoted = round(total.share - total.own_share, 6)
            row |= {"share": total.share, "quoted": quoted, "sources": total.sources, "works": total.own_works_share}
        return row | {"first": None if first is None else self._of(first)}

    def _document(self, at: int) -> dict[str, Any]:
        """The excluded parts of a document, and what it shares."""
        kinds = [[kind, *place] for kind, place in self._result.left_out(at)]
        matches = [
            {
                "source": self._of(self._source(row)), "share": row.share, "own": row.own_work,
                "spans": [astuple(span) for span in row.spans],
            }
            for row in self._matches(at)
        ]  # fmt: skip
        return {"excluded": kinds + [["always", *place] for place in self._result.excluded(at)], "matches": matches}

    def _pieces(self, at: int, spans: Sequence[Any], *, is_whole: bool) -> list[Any]:
        """A text, or the pieces of it around spans: where each begins, its text, and whether more follows."""
        text = self._result.text(at)
        around = ((max(0, one.source_start - _AROUND), one.source_end + _AROUND) for one in spans)
        places = [(0, len(text))] if is_whole else merged(around)
        return [[start, text[start:end], end < len(text)] for start, end in places]


def _overview(shares: Iterable[float], nothing: int, *, is_alone: bool) -> list[Html]:
    """The histogram, the graph, and the table of all documents."""
    counts = [0] * _BINS
    for share in shares:
        counts[min(_BINS - 1, int(share * _BINS))] += 1
    labels = [f"{100 * at // _BINS} %" for at in range(_BINS)]
    name = tr("Shares of the documents")
    others = tag("p", tr("{count:,} documents share nothing.", count=nothing), class_="note")
    charts = [section(name, bars(labels, counts, name, every=4), others)]
    if is_alone:
        charts.append(section(
            tr("Groups of documents that share with one another"),
            tag("p", tag("label", tr("least share of a line, %"), " ",
                tag("input", type="number", id="line", min="0", max="100", value="5")), class_="choices"),
            tag("div", "", id="graph"), tag("p", "", id="drawn", class_="note"), tag("ul", "", id="groups"),
        ))  # fmt: skip
    buttons = tag(
        "p", tag("a", tr("save the table as CSV"), href="#", download="documents.csv", id="save", class_="button"),
        tag("button", tr("hide names"), type="button", id="hide", aria_pressed="false"),
        tag("button", tr("print"), type="button", class_="print"), class_="buttons",
    )  # fmt: skip
    table = tag(
        "div", tag("table", "", id="table"), class_="wide", tabindex="0", role="region", aria_label=tr("documents")
    )
    filters = tag(
        "p", tag("label", tr("name contains"), " ", tag("input", type="search", id="find")),
        tag("label", tr("shared from, %"), " ", tag("input", type="number", id="from", min="0", max="100", value="0")),
        class_="choices",
    )  # fmt: skip
    count = tag("p", "", id="count", role="status", class_="note")
    more = tag("button", "", type="button", id="more", hidden="")
    documents = section(tr("Documents"), filters, count, table, more, place="documents")
    return [tag("div", buttons, tag("div", *charts, class_="charts"), documents, id="all")]


def _one() -> list[Html]:
    """One document with its passages, a source beside it, and the printed form of the two."""

    def pane(name: str, title: str) -> Html:
        scrolls = tag("div", "", id=name, class_="text", tabindex="0", role="region", aria_label=title)
        return tag("section", tag("h2", title), tag("p", "", id=f"{name}-name", class_="note"), scrolls)

    moves = {"back": tr("all documents"), "every": tr("all sources"), "previous": tr("previous"), "next": tr("next")}
    move = [tag("button", text, type="button", id=name) for name, text in moves.items()]
    bar = tag(
        "div", *move, tag("button", tr("print"), type="button", class_="print"),
        _check("quotes", tr("without quotations")), _check("references", tr("without references")),
        _check("only", tr("matches only")),
        tag("label", tr("least characters"), " ", tag("input", type="number", id="least", min="0", value="0")),
        tag("p", "", id="where", aria_live="polite"), class_="bar-of-keys choices",
    )  # fmt: skip
    sources = tag("section", tag("h2", tr("Sources")), tag("ol", "", id="sources"), class_="sources")
    panes = tag("div", sources, pane("text", tr("Document")), pane("twin", tr("Source")), class_="passages")
    numbers = tag("div", "", class_="cards", id="numbers")
    head = tag("h2", "", id="name", tabindex="-1")
    return [tag("div", head, numbers, bar, panes, id="one", hidden=""), tag("div", "", id="form")]


def _check(name: str, text: str) -> Html:
    return tag("label", tag("input", type="checkbox", id=name), " ", text)


def _words() -> dict[str, str]:
    """The words that the script puts together."""
    return {
        "share": tr("share copied in all"), "own": tr("without quotations and references"),
        "largest": tr("largest single source"), "sources": tr("sources"), "passages": tr("passages"),
        "equal": tr("{share} equal"), "at": tr("passage {number} of {count}"), "left": tr("{count} characters"),
        "choose": tr("Click a passage to see it in its source."), "from": tr("characters {start} to {end}"),
        "page": tr("page {page} of the document"), "source_page": tr("page {page} of the source"),
        "document": tr("document"), "characters": tr("characters"), "shared": tr("shared"), "quoted": tr("quoted"),
        "longest": tr("longest passage"), "works": tr("own works"), "own_work": tr("own work"),
        "first": tr("largest source"), "a_document": tr("document {number}"), "a_source": tr("source {number}"),
        "group": tr("{count} documents, up to {share}"), "count": tr("{count} of {all} documents"),
        "more": tr("{count} more"), "away": tr("The program does not answer. Is it running?"),
        "drawn": tr("The graph has the {count} documents that share most with one another."),
        "graph": tr("Documents and what they share"),
        "no_group": tr("No two documents share so much."), "form": tr("Comparison of two texts"),
        "source": tr("source"), "place": tr("place"), "in_document": tr("in the document"),
        "in_source": tr("in the source"), "differs": tr("What differs is underlined."),
        "heard": tr("What the author says"), "signed": tr("Place, date, signatures"),
        "origin": tr("The source is the earlier document. That does not say who copied from whom."),
    }  # fmt: skip
