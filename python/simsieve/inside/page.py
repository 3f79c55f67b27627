"""The page on passages: all documents in a table and a graph, one with its passages, and a source beside it."""

from collections.abc import Iterator, Sequence
from dataclasses import astuple
from itertools import groupby
from typing import Any

from simsieve.display import cut
from simsieve.inside.exclude import merged
from simsieve.messages import tr
from simsieve.report.page import Html, bars, none_of, page, section, tag

MOST_ROWS, MOST_DOCUMENTS, MOST_SOURCES = 2000, 200, 200
"""Documents in the table, those with the largest share; of these with their texts; and sources of each."""
_WHOLE = 20_000_000
"""Characters of sources on a page, until which their texts are whole."""
_AROUND = 200
"""Characters of another source before and after a passage."""
_LABEL, _BINS = 80, 20


def passages_page(result: Any) -> str:
    """Make the page of a `PassageResult`."""
    made = _Page(result)
    with_some = len(made.totals)
    title = tr("Passages in {documents:,} of {read:,} documents", documents=with_some, read=result.read)
    if not made.rows:
        return page(title, none_of(tr("No passage was found.")))
    data = {
        "documents": made.documents(), "texts": made.texts(), "words": _words(), "shortest": result.min_length,
        "against": result.is_against, "own": result.fields.own is not None,
    }  # fmt: skip
    notes = tag("div", *(tag("p", note, class_="note") for note in made.notes()))
    return page(
        title, notes, *_overview(made, is_alone=not result.is_against), *_one(),
        script="passages.js", style="passages.css", data=data,
    )  # fmt: skip


class _Page:
    """What the page has: documents of the table come first among its texts, and then their sources."""

    def __init__(self, result: Any) -> None:
        self.result = result
        self.totals = {
            total.document_position: total for total in result.totals if total.sources or total.own_works_share
        }
        failed = {at for at, *_ in result.failures()}
        others = (at for at in range(result.read) if at not in self.totals and at not in failed)
        by_share = sorted(self.totals, key=lambda at: (-self.totals[at].share, at))
        self.shared_nothing = result.read - len(failed) - len(self.totals)
        self.rows = [*by_share, *others][:MOST_ROWS] if by_share else []
        shown = set(by_share[:MOST_DOCUMENTS])
        pairs = groupby(result, key=lambda row: row.document_position)
        self.all_pairs = {at: list(of) for at, of in pairs if at in shown}
        self.pairs = {at: of[:MOST_SOURCES] for at, of in self.all_pairs.items()}
        # Old records are numbered after the documents.
        self._first = result.read if result.is_against else 0
        sources = dict.fromkeys(row.source_position + self._first for of in self.pairs.values() for row in of)
        self._places = list(dict.fromkeys([*self.rows, *sources]))
        self._number = {at: number for number, at in enumerate(self._places)}
        self._titles = result.fields.titles(self._places)
        self._left = _WHOLE

    def notes(self) -> Iterator[str]:
        if len(self.rows) < len(self.totals) + self.shared_nothing:
            yield tr("The table has the {count:,} documents with the largest share.", count=len(self.rows))
        if len(self.totals) > len(self.pairs):
            yield tr("Texts are there of the {count:,} documents with the largest share.", count=len(self.pairs))
        if any(len(of) > MOST_SOURCES for of in self.all_pairs.values()):
            yield tr("Of each document it has the {count:,} sources with the largest share.", count=MOST_SOURCES)
        if any(self.result.excluded(at) for at in self.pairs):
            yield tr("Shares are of the text that is not excluded.")
        if not self.result.is_against:
            yield tr("The source is the earlier document. That does not say who copied from whom.")

    def documents(self) -> list[dict[str, Any]]:
        return [self._document(at) for at in self.rows]

    def _document(self, at: int) -> dict[str, Any]:
        total = self.totals.get(at)
        if total is None:
            return {"characters": self.result.characters(at), "share": 0, "quoted": 0, "longest": 0, "sources": 0}
        rows = [row for row in self.all_pairs.get(at, []) if not row.own_work]
        longest = max((row.longest for row in rows), default=0)
        row = {
            "characters": total.characters, "share": total.share, "quoted": round(total.share - total.own_share, 6),
            "longest": longest, "sources": total.sources, "works": total.own_works_share,
        }  # fmt: skip
        if at in self.pairs:
            kinds = [[kind, *place] for kind, place in self.result.left_out(at)]
            row["excluded"] = kinds + [["always", *place] for place in self.result.excluded(at)]
            row["matches"] = [
                {
                    "source": self._number[one.source_position + self._first], "share": one.share, "own": one.own_work,
                    "largest": max(one.share, one.source_share), "spans": [astuple(span) for span in one.spans],
                }
                for one in self.pairs[at]
            ]  # fmt: skip
        return row

    def texts(self) -> list[dict[str, Any]]:
        """Names, and pieces of texts: documents are whole, and sources as far as the page has room."""
        spans: dict[int, list[Any]] = {}
        for row in (row for of in self.pairs.values() for row in of):
            spans.setdefault(row.source_position + self._first, []).extend(row.spans)
        return [self._text(at, spans.get(at, [])) for at in self._places]

    def _text(self, at: int, spans: Sequence[Any]) -> dict[str, Any]:
        label = self.result.label(at)
        name = str((at - self._first if at >= self._first else at) if label is None else label)
        title = self._titles.get(at)
        shown = {"name": cut(name if title is None else f"{title} ({name})", _LABEL), "pieces": []}
        if at not in self.pairs and not spans:
            return shown
        text = self.result.text(at)
        places = [(0, len(text))]
        if at not in self.pairs and not self._fits(len(text)):
            places = merged((max(0, one.source_start - _AROUND), one.source_end + _AROUND) for one in spans)
        return shown | {"pieces": [[start, text[start:end], end < len(text)] for start, end in places]}

    def _fits(self, size: int) -> bool:
        self._left -= size
        return self._left >= 0


def _overview(made: _Page, *, is_alone: bool) -> list[Html]:
    """The histogram, the graph, and the table of all documents."""
    counts = [0] * _BINS
    for total in made.totals.values():
        counts[min(_BINS - 1, int(total.share * _BINS))] += 1
    labels = [f"{100 * at // _BINS} %" for at in range(_BINS)]
    name = tr("Shares of the documents")
    nothing = tag("p", tr("{count:,} documents share nothing.", count=made.shared_nothing), class_="note")
    charts = [section(name, bars(labels, counts, name, every=4), nothing)]
    if is_alone:
        charts.append(section(
            tr("Groups of documents that share with one another"),
            tag("p", tag("label", tr("least share of a line, %"), " ",
                tag("input", type="number", id="line", min="0", max="100", value="5")), class_="choices"),
            tag("div", "", id="graph"), tag("ul", "", id="groups"),
        ))  # fmt: skip
    buttons = tag(
        "p", tag("a", tr("save the table as CSV"), href="#", download="documents.csv", id="save", class_="button"),
        tag("button", tr("hide names"), type="button", id="hide", aria_pressed="false"),
        tag("button", tr("print"), type="button", class_="print"), class_="buttons",
    )  # fmt: skip
    table = tag(
        "div", tag("table", "", id="table"), class_="wide", tabindex="0", role="region", aria_label=tr("documents")
    )
    return [
        tag(
            "div",
            buttons,
            tag("div", *charts, class_="charts"),
            section(tr("Documents"), table, place="documents"),
            id="all",
        )
    ]


def _one() -> list[Html]:
    """One document with its passages, a source beside it, and what is printed of the two."""

    def pane(name: str, title: str) -> Html:
        scrolls = tag("div", "", id=name, class_="text", tabindex="0", role="region", aria_label=title)
        return tag("section", tag("h2", title), tag("p", "", id=f"{name}-name", class_="note"), scrolls)

    moves = {
        "back": tr("all documents"), "every": tr("all sources"), "previous": tr("previous"), "next": tr("next")
    }  # fmt: skip
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
        "group": tr("{count} documents, up to {share}"), "graph": tr("Documents and what they share"),
        "no_group": tr("No two documents share so much."), "form": tr("Comparison of two texts"),
        "source": tr("source"), "place": tr("place"), "in_document": tr("in the document"),
        "in_source": tr("in the source"), "differs": tr("What differs is underlined."),
        "heard": tr("What the author says"), "signed": tr("Place, date, signatures"),
        "origin": tr("The source is the earlier document. That does not say who copied from whom."),
    }  # fmt: skip
