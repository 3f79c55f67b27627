"""Rows of `simsieve passages` for people to judge: a fair sample as a page or table, and the precision that follows."""

import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from simsieve.config.pair_rows import CHECKS, POSITIONS, Name, PairRow, check_word, id_text
from simsieve.config.verdicts import DIFFERENT, WORDS, verdict_word
from simsieve.display import cut
from simsieve.evaluate.metrics import Precision
from simsieve.evaluate.review import drawn, precision_by
from simsieve.inside.result import PassageResult, Span
from simsieve.messages import tr
from simsieve.review.cards import card_of, plain
from simsieve.review.page import review_page, words
from simsieve.screen import visible
from simsieve.sinks.base import Kind, SinkPath, write_text
from simsieve.sinks.checks import is_page
from simsieve.sinks.tables import write_objects

COLUMNS: dict[str, Kind | None] = {
    "a": None, "b": None, "verdict": "text", "share": "float", "source_share": "float", "doubt": "text",
    "text_a": "text", "text_b": "text", "position_a": "int", "position_b": "int", "check_a": "text", "check_b": "text",
}  # fmt: skip
"""The columns of a table of rows to judge: a is the document, b the source, numbered after the documents."""
_AROUND, _WHOLE, _LABEL = 200, 4_000, 120
"""Characters before and after the longest span that are shown, and those of a source that is shown whole and
of a name."""
_Parts = tuple[str, str, str]
"""A text before, between and after the spans of a row."""


def write_sample(
    result: PassageResult, sink: SinkPath, pairs: int = 200, seed: int = 0, verdicts: dict[int, str] | None = None
) -> int:
    """Write at most a number of rows to judge, drawn by a seed from each band alike, and give their number.

    A band is a tenth of the shares between the least and 1; rows in doubt have bands of their own. A name in `.html`
    makes a page, another one a table. `verdicts` has what was judged before, by row.
    """
    chosen = np.sort(drawn(result.bands, seed)[:pairs]).tolist()
    known = verdicts or {}
    made = [_row(result, at, known.get(at, "")) for at in chosen]
    rows = [row for row, _ in made]
    if not is_page(sink):
        write_objects(sink, COLUMNS, rows, private=True, safe=result.config.safe_cells)
        return len(rows)
    told = {
        "item": tr("{count:,} of {all:,} pairs to judge", count=len(rows), all=len(result)), "keep": "",
        "near": tr("Does the document have what the source says? Judge by key or button, then save. The saved file goes"
                   " to simsieve passages --verdicts FILE, which gives the precision."),
        "none": tr("No passage was found."), "a": "{name}", "b": "{name}",
    }  # fmt: skip
    cards = [_card(at, *of) for at, of in zip(chosen, made, strict=True)]
    title = tr("Judge passages")
    write_text(sink, review_page({"words": words() | told, "pairs": cards}, title), private=True)
    return len(rows)


def judged(result: PassageResult, rows: Sequence[PairRow]) -> tuple[Precision, dict[int, str], int]:
    """Estimate the share of the rows that are right; give the verdicts by row, and how many are of no row."""
    places = {key: at for at, key in enumerate(result.positions)}
    by_name = places.items() if any(not row.has_positions for row in rows) else ()
    names = {tuple(_name(result, at) for at in key): at for key, at in by_name}
    found, others = dict[int, str](), 0
    for row in rows:
        word, (a, b) = verdict_word(row.word), row.names
        places_of = a.position or 0, b.position or 0
        at = places.get(places_of) if row.has_positions else names.get((row.a, row.b))
        if word is None or at is None or not (_is_known(result, a) and _is_known(result, b)):
            others += word is not None
        else:
            found[at] = word
    return precision_by(result.bands, {at: WORDS[word] != DIFFERENT for at, word in found.items()}), found, others


def _is_known(result: PassageResult, name: Name) -> bool:
    """Whether the text at a position is the one that was judged, as far as the name says."""
    return name.check is None or check_word(name.check) == _check(result.text(name.position or 0))


def _check(text: str) -> str:
    return check_word(zlib.crc32(text.encode("utf-8", "surrogatepass")))


def _name(result: PassageResult, position: int) -> str:
    label = result.label(position)
    return id_text(position - result.read * (position >= result.read) if label is None else label)


def _shown(spans: Sequence[Span], texts: Sequence[str], *, is_contained: bool) -> tuple[_Parts, _Parts]:
    """The document and the source around the longest span: before, between and after the spans of a row."""
    document, source = texts
    longest = max(spans, key=lambda span: span.end - span.start)
    room = _AROUND + min(len(source), _WHOLE) * is_contained
    of_document = _parts(
        document, range(longest.start - room, longest.end + room), [(span.start, span.end) for span in spans]
    )
    if len(source) <= _WHOLE:
        window = range(len(source))
    else:
        window = range(longest.source_start - _AROUND, longest.source_end + _AROUND)
    # An item is looked for as a whole.
    places = [(0, len(source))] if is_contained else [(span.source_start, span.source_end) for span in spans]
    return of_document, _parts(source, window, places)


def _parts(text: str, window: range, spans: Sequence[tuple[int, int]]) -> _Parts:
    start, end = max(0, window.start), window.stop
    first, last = max(start, min(span[0] for span in spans)), min(end, max(span[1] for span in spans))
    return text[start:first], text[first:last], text[last:end]


def _row(result: PassageResult, at: int, verdict: str) -> tuple[dict[str, Any], tuple[_Parts, _Parts]]:
    """What a table has of a row: the names, the shares, and the texts around the longest span; and their parts."""
    row, positions = result[at], result.positions[at]
    texts = [result.text(position) for position in positions]
    shown = _shown(row.spans, texts, is_contained=result.is_contained)
    made = {"verdict": verdict or None, "share": row.share, "source_share": row.source_share, "doubt": row.doubt}
    for side, position, text, parts in zip("ab", positions, texts, shown, strict=True):
        made |= {side: _name(result, position), f"text_{side}": "".join(parts)}
        made |= {POSITIONS[side]: position, CHECKS[side]: _check(text)}
    return made, shown


def _card(at: int, row: dict[str, Any], parts: tuple[_Parts, _Parts]) -> dict[str, Any]:
    why = tr("{share:.1%} of the document, {source_share:.1%} of the source", **row)
    names = visible(cut(row["a"], _LABEL)), visible(cut(row["b"], _LABEL))
    naming = {name: row[name] for name in ("a", "b", *POSITIONS.values(), *CHECKS.values())}
    shown = card_of((parts[0][1], parts[1][1]), names, why=why)
    # The surroundings are shown, and are no differences; their numbers and negations say nothing of a passage.
    texts = [
        [*plain(before), *marked, *plain(after)]
        for (before, _, after), marked in zip(parts, shown["texts"], strict=True)
    ]
    own = {"texts": texts, "guards": [], "position": at, "naming": naming, "verdict": row["verdict"] or ""}
    return shown | own
