"""Fields that are compared by themselves, held against the plain loop: in a run, in pairs, and in an index."""

import json
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import given
from hypothesis import strategies as st
from tests.property.plain import batches_are_one_run
from tests.strategies import examples

from simsieve import Index, Scheme, dedup, find_pairs, fingerprint, similarity
from simsieve.review.cards import Cards

Record = dict[str, Any]
TITLES = ["The quick brown fox", "the  quick brown fox", "the quick brown fix", "lorem ipsum dolor", "!!!", None]
AUTHORS = [None, [], ["Ann Lee", "Bo Wu"], ["Bo Wu", "Ann Lee"], ["Ann Leigh", "Bo Wu"], "Li Na", ["Carl Zeiss"]]
NOTES = [None, "printed on thin paper", "printed on thick paper", "\x1e", "of another kind\n\x1ealtogether"]
FIELDS = ("title:0.7", "authors:words64@0.5", "note|remark:0.6")
SCHEMES = ("chars128", "words64", "chars128")
PLAIN: dict[str, Any] = {"conflict": (), "sample": 0}

records = st.builds(
    lambda title, authors, note, name: {"title": title, "authors": authors, name: note},
    st.sampled_from(TITLES), st.sampled_from(AUTHORS), st.sampled_from(NOTES), st.sampled_from(["note", "remark"]),
)  # fmt: skip
# A record without any of the fields fails, as one without a text does.
collections = st.lists(
    records.filter(lambda row: any(one is not None for one in row.values())), min_size=1, max_size=20
)


def texts(row: Record) -> list[str]:
    """The texts of a record's fields; a list is a set."""
    found = (row.get("title"), row.get("authors"), row.get("note") or row.get("remark"))
    return ["\n".join(sorted(one)) if isinstance(one, list) else one or "" for one in found]


def measured(one: Record, other: Record) -> list[float | None]:
    """The similarity in each field; None where one has no features there."""
    found: list[float | None] = []
    for a, b, scheme in zip(texts(one), texts(other), SCHEMES, strict=True):
        known = fingerprint(a, scheme) is not None and fingerprint(b, scheme) is not None
        found.append(similarity(a, b, scheme) if known else None)
    return found


def is_near(one: Record, other: Record) -> bool:
    """Whether the titles are near, and every other field that both have."""
    found = measured(one, other)
    return found[0] is not None and all(
        x is None or x >= least for x, least in zip(found, (0.7, 0.5, 0.6), strict=True)
    )


def mean_is_enough(one: Record, other: Record) -> bool:
    """Whether the mean over the fields that both have is at least 0.8."""
    known = [(x, w) for x, w in zip(measured(one, other), (4, 1, 1), strict=True) if x is not None]
    return measured(one, other)[0] is not None and sum(x * w for x, w in known) / sum(w for _, w in known) >= 0.8


def loop(rows: list[Record]) -> list[tuple[str, int]]:
    """The law: the decision, and for whom a record was dropped."""
    bits = [fingerprint(texts(row)[0]) for row in rows]
    kept: list[int] = []
    found: list[tuple[str, int]] = []
    for at, row in enumerate(rows):
        mine = bits[at]
        near = [
            (mine.distance(theirs), other)
            for other in kept
            if mine is not None and (theirs := bits[other]) is not None and is_near(row, rows[other])
        ]
        best = min(near, default=None)
        if best is None:
            kept.append(at)
        found.append(("kept", at) if best is None else ("dropped", best[1]))
    return found


@examples(0.4)
@given(collections)
def test_a_run_with_fields_is_the_plain_loop(rows: list[Record]) -> None:
    """Each field must be near under its own scheme and threshold; one that a record lacks is no difference."""
    result = dedup(rows, field=FIELDS, batch=7, **PLAIN)
    assert [(one.decision, one.representative_position) for one in result.decisions] == loop(rows)
    counts = result.counts
    assert counts.read == counts.kept + counts.exact + counts.near


@examples(0.4)
@given(collections)
def test_pairs_are_near_in_each_field_or_in_the_mean(rows: list[Record]) -> None:
    """Pairs are all that the plain test finds, with thresholds and with weights."""
    every = list(combinations(range(len(rows)), 2))
    found = find_pairs(rows, field=FIELDS, sample=0)
    assert [(pair.a_position, pair.b_position) for pair in found] == [
        (a, b) for a, b in every if is_near(rows[a], rows[b])
    ]
    weighed = find_pairs(
        rows, field=["title::4", "authors:words64@0.000001:1", "note|remark::1"], similarity=0.8, sample=0
    )
    assert [(pair.a_position, pair.b_position) for pair in weighed] == [
        (a, b) for a, b in every if mean_is_enough(rows[a], rows[b])
    ]


@examples(0.3)
@given(collections, st.integers(0, 20))
def test_batches_of_an_index_with_fields_are_one_run(rows: list[Record], cut: int) -> None:
    """Two batches are decided as one run on both."""
    rows = [row | {"id": at} for at, row in enumerate(rows)]
    batches_are_one_run(rows, cut, loop(rows), field=FIELDS, **PLAIN)


def test_a_record_of_an_index_may_lack_fields(tmp_path: Path) -> None:
    """One record that lacks all but the first field is decided on; a text is lines of its fields."""
    rows = [{"id": 1, "title": "Sleep and memory in older adults", "note": "on thin paper", "year": 2015}]
    with Index.create(tmp_path / "seen", rows, field=["title:0.8", "note:0.5"], near="year:1", sample=0) as index:
        (found,) = index.check([{"title": "Sleep and memory in older adults!"}], sample=0).decisions
        assert (found.decision, found.representative) == ("dropped", 1)
        assert index.get(1) == "Sleep and memory in older adults\non thin paper"
        assert [text for _, text in index] == [index.get(1)]


def test_every_kind_of_source_has_the_same_fields(tmp_path: Path) -> None:
    """JSON lines, a table, Parquet and records in memory are decided alike."""
    rows: list[Record] = [
        {"title": "Sleep and memory in older adults", "authors": ["Ann Lee", "Bo Wu"], "year": 2015},
        {"title": "Sleep and memory in older adults.", "authors": ["Bo Wu", "Ann Lee"], "year": 2015},
        {"title": "Sleep and memory in older adults", "authors": ["Carl Zeiss", "Di Xu"], "year": 2015},
        {"title": "Sleep and memory in older adults", "authors": None, "year": 2015},
    ]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "rows.parquet")
    lines = [f"{row['title']},{' '.join(sorted(row['authors'] or []))},2015\n" for row in rows]
    (tmp_path / "rows.csv").write_text("title,authors,year\n" + "".join(lines))
    sources: list[Any] = [rows, *(tmp_path / f"rows.{form}" for form in ("jsonl", "parquet", "csv"))]
    for source in sources:
        result = dedup(source, field=["title:0.8", "authors:0.5", "year:0.9"])
        assert result.kept.tolist() == [0, 2], source
    assert dedup(rows, field="title:0.8").kept.tolist() == [0]


def test_a_field_that_all_pairs_may_differ_in_is_searched_above_the_exact_size() -> None:
    """With weights a search by keys finds pairs if one field differs altogether."""
    words = [f"{a}{b}{c}" for a, b, c in product("bcdfghkl", "aeiou", "mnprstvz")]
    rows = [{"title": " ".join(words[(at * k) % len(words)] for k in (3, 7, 11, 13, 17)), "note": words[at % 99]}
            for at in range(9000)]  # fmt: skip
    rows += [{"title": rows[at]["title"] + "!", "note": "entirely other"} for at in range(0, 9000, 90)]
    result = dedup(rows, field=["title::9", "note::1"], similarity=0.8, **PLAIN)
    assert not set(result.kept.tolist()) & set(range(9000, 9100))


def test_all_fields_are_shown_and_how_near_each_is(tmp_path: Path) -> None:
    """A card and a report have the texts of all fields; the card says how near each is, or that it is not known."""
    rows: list[dict[str, Any]] = [
        {"title": "Sleep and memory in older adults", "note": "printed on thin paper", "by": "Ann"},
        {"title": "Sleep and memory in old adults", "note": "printed on thick paper", "by": None},
    ]
    result = dedup(rows, field=["title:0.5", "note:0.5", "by:0.5"])
    (card,) = Cards(result, ()).cards([0])
    assert f"fields: title {similarity(rows[0]['title'], rows[1]['title']):.4f}, note 0." in card["why"]
    assert card["why"].endswith("by not known")
    assert "thick" in json.dumps(card["texts"])
    result.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert "thick" in page and "\x1e" not in page


def test_fields_of_a_scheme_are_options_of_it() -> None:
    """A part is an option of a scheme, and bits of different parts are not compared."""
    assert Scheme("chars128:part=2,parts=2").spec == "chars128:part=2,parts=2"
    assert Scheme("chars128:part=2").digest != Scheme("chars128").digest
