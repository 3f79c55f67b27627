"""`simsieve thresholds`: what would be kept at several thresholds."""

import itertools
import json
from typing import TYPE_CHECKING, Any

import click

from simsieve.cli.common import echo
from simsieve.cli.given import Given, is_given, reads
from simsieve.config.near_rows import THRESHOLDS
from simsieve.messages import tr
from simsieve.screen import padded, wrapped

_OPENING = 30
"""Characters that are shown of any text from its beginning."""
_BEFORE = 20
"""Characters that are shown before the first difference, where it comes later."""
_WIDTHS = (12, 12, 12, 12, 17, 13, 12)
"""Columns of a terminal for each number."""

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from simsieve.results.thresholds import Threshold


@reads(
    "thresholds",
    examples=(
        "simsieve thresholds corpus.jsonl",
        "simsieve thresholds corpus.jsonl --similarity 0.6 --json",
        "simsieve thresholds corpus.jsonl --scheme chars64 --max-distance 12",
        "simsieve thresholds --run-dir corpus.rundir",
    ),
    as_json="The table as one JSON object.",
    required=False,
)
def thresholds(given: Given) -> int:
    """Count what is kept at thresholds from 0.4 to 0.95, and show a pair at the edge of each.

    The pair is the near duplicate that is least like its representative. What near duplicates lose is in units: two of
    each Han, kana or Hangul character, one of any other. --similarity gives another lowest threshold,
    --max-distance the greatest distance. Nothing is written.
    """
    from simsieve.differences import first_difference
    from simsieve.results.losses import MUCH
    from simsieve.results.near import Texts
    from simsieve.results.thresholds import STEPS

    context = click.get_current_context()
    is_own = any(is_given(context, name) for name in THRESHOLDS)
    if given.sources and not is_own and "@" not in str(given.settings["scheme"]):
        given.settings["similarity"] = STEPS[0]
    given.settings["sample"] = 0
    with given.progress("-") as progress:
        result = given.run(progress)
        found = result.thresholds(progress=progress)
    run, columns = result.with_sources()
    texts = Texts(run.documents, run.schemes[0], len(columns))
    if given.as_json:
        rows = []
        for row in found:
            edge = row.borderline
            pair = None if edge is None else {
                "a": edge.representative, "b": edge.id, "similarity": edge.similarity, "distance": edge.distance
            }  # fmt: skip
            numbers = {name: getattr(row, name) for name in ("threshold", "kept", "dropped", "clusters")}
            lost = {"lost_median": row.losses.median, "lost_longest": row.losses.longest, "lost_much": row.losses.much}
            rows.append({**numbers, "largest_cluster": row.largest_cluster, **lost, "borderline": pair})
        echo(json.dumps({"read": result.counts.read, "thresholds": rows}, ensure_ascii=False))
        return given.ended(result)
    head = (
        tr("threshold"), tr("kept"), tr("dropped"), tr("clusters"), tr("largest cluster"), tr("median lost"),
        tr("longest lost"),
    )  # fmt: skip
    for line in [head, *(_numbers(row) for row in found)]:
        echo("".join(padded(cell, width) for cell, width in zip(line, _WIDTHS, strict=True)).rstrip())
    if found[0].losses.much and result.config.max_lost is None and result.config.max_distance is None:
        text = tr(
            "{much:,} of {count:,} near duplicates at {threshold:g} lose a run of more than {most} units: --max-lost"
            " {most} keeps them"
        )
        losses = found[0].losses
        echo("")
        echo(text.format(much=losses.much, count=losses.measured, threshold=found[0].threshold, most=MUCH))
    for alike in _edges(found):
        edge = alike[0].borderline
        if edge is None or edge.representative_position is None:
            continue
        old = len(columns) if edge.representative_collection == "old" else 0
        a, b = edge.representative_position + old, edge.position
        near = f"{edge.similarity:.4f}" if edge.similarity is not None else tr("{count} bits", count=edge.distance)
        at = " - ".join(f"{value:g}" for value in dict.fromkeys((alike[0].threshold, alike[-1].threshold)))
        echo("")
        echo(tr("at {threshold}: {a} ~ {b}, {near}", threshold=at, a=texts.name(a), b=texts.name(b), near=near))
        one, other = alike[0].texts
        differ = first_difference(one, other)
        start = differ - _BEFORE if differ > _OPENING else 0
        for text in (one, other):
            echo(f"  {_line(text, start)}")
    return given.ended(result)


def _edges(found: "Iterable[Threshold]") -> "Iterator[list[Threshold]]":
    """Group consecutive thresholds that have one pair at their edge."""
    for _, rows in itertools.groupby(found, key=lambda row: row.borderline and row.borderline.position):
        yield list(rows)


def _numbers(row: Any) -> tuple[str, ...]:
    counts = (row.kept, row.dropped, row.clusters, row.largest_cluster)
    lost = (row.losses.median, row.losses.longest)
    units = ("" if count is None else f"{count:g}" for count in lost)
    return f"{row.threshold:g}", *(f"{count:,}" for count in counts), *units


def _line(text: str, start: int) -> str:
    """A text from a character on, on one line of a terminal; signs that control one are left out."""
    end = start + 400
    plain = " ".join("".join(sign if sign.isprintable() else " " for sign in text[start:end]).split())
    lines = wrapped(plain, 74 if start else 76)
    more = " …" if len(lines) > 1 or len(text) > end else ""
    return ("… " if start else "") + (lines[0] if lines else "") + more
