"""The page on passages: the sources by share, the document with its passages marked, and the source beside it."""

from collections.abc import Sequence
from dataclasses import astuple
from itertools import groupby
from typing import Any

from simsieve.display import cut
from simsieve.inside.exclude import merged
from simsieve.messages import tr
from simsieve.report.page import none_of, page, tag

MOST_DOCUMENTS, MOST_SOURCES = 20, 200
"""Documents on a page, those with the largest share, and sources of each."""
_AROUND = 200
"""Characters of a source before and after a passage."""
_LABEL = 80


def passages_page(result: Any) -> str:
    """Make the page of a `PassageResult`."""
    shares = {total.document_position: total.share for total in result.totals if total.sources}
    chosen = sorted(shares, key=lambda at: (-shares[at], at))[:MOST_DOCUMENTS]
    rows = {at: list(of) for at, of in groupby(result, key=lambda row: row.document_position) if at in set(chosen)}
    title = tr("Passages in {documents:,} of {read:,} documents", documents=len(shares), read=result.read)
    if not chosen:
        return page(title, none_of(tr("No passage was found.")))
    notes = []
    if len(shares) > len(chosen):
        notes.append(tr("The page has the {count:,} documents with the largest share.", count=len(chosen)))
    if any(len(of) > MOST_SOURCES for of in rows.values()):
        notes.append(tr("Of each document it has the {count:,} sources with the largest share.", count=MOST_SOURCES))
    if any(result.excluded(at) for at in chosen):
        notes.append(tr("Shares are of the text that is not excluded."))
    if not result.is_against:
        notes.append(tr("The source is the earlier document. That does not say who copied from whom."))
    documents = [_document(result, at, rows[at][:MOST_SOURCES]) for at in chosen]
    words = {
        "share": tr("share copied in all"), "own": tr("without quotations and references"),
        "largest": tr("largest single source"), "sources": tr("sources"), "passages": tr("passages"),
        "equal": tr("{share} equal"), "at": tr("passage {number} of {count}"), "left": tr("{count} characters"),
        "choose": tr("Click a passage to see it in its source."), "from": tr("characters {start} to {end}"),
        "page": tr("page {page} of the document"), "source_page": tr("page {page} of the source"),
    }  # fmt: skip
    names = [tag("option", one["name"], value=str(number)) for number, one in enumerate(documents)]
    choice = [tag("label", tr("document"), " ", tag("select", *names, id="document"))] if len(names) > 1 else []
    return page(
        title,
        *(tag("p", note, class_="note") for note in notes),
        tag("div", "", class_="cards", id="numbers"),
        tag(
            "div", *choice, _check("quotes", tr("without quotations")), _check("references", tr("without references")),
            _check("only", tr("matches only")),
            tag("label", tr("least characters"), " ", tag("input", type="number", id="least", min="0", value="0")),
            tag("span", tag("button", tr("previous"), type="button", id="previous"),
                tag("button", tr("next"), type="button", id="next"), class_="moves"),
            class_="bar-of-keys choices",
        ),
        tag(
            "div", tag("section", tag("h2", tr("Sources")), tag("ol", "", id="sources"), class_="sources"),
            tag("section", tag("h2", tr("Document")), tag("div", "", id="text", class_="text"), class_="own"),
            tag("section", tag("h2", tr("Source")), tag("div", "", id="twin", class_="text"), class_="twin"),
            class_="passages",
        ),
        script="passages.js", style="passages.css",
        data={"documents": documents, "words": words, "shortest": result.min_length},
    )  # fmt: skip


def _check(name: str, text: str) -> str:
    return tag("label", tag("input", type="checkbox", id=name), " ", text)


def _document(result: Any, position: int, rows: Sequence[Any]) -> dict[str, Any]:
    left_out = [[kind, *place] for kind, place in result.left_out(position)]
    excluded = [["always", *place] for place in result.excluded(position)]
    return {
        "name": _name(rows[0].document, position),
        "text": result.text(position),
        "excluded": left_out + excluded,
        "sources": [_source(result, row) for row in rows],
    }


def _source(result: Any, row: Any) -> dict[str, Any]:
    text = result.source_text(row.source_position)
    around = merged((max(0, span.source_start - _AROUND), span.source_end + _AROUND) for span in row.spans)
    return {
        "name": _name(row.source, row.source_position),
        "pieces": [[start, text[start:end], end < len(text)] for start, end in around],
        "spans": [astuple(span) for span in row.spans],
    }


def _name(label: Any, position: int) -> str:
    name = str(position if label is None else label)
    return cut(name, _LABEL)
