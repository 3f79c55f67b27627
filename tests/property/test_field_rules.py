"""Rules on fields, held against the plain loop: in one run, in pairs, and batch by batch in an index."""

import re
from itertools import combinations
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import given
from hypothesis import strategies as st
from tests.property import twin
from tests.property.plain import Outcome, batches_are_one_run, decided
from tests.strategies import examples

from simsieve import dedup, find_pairs

Record = dict[str, Any]
TEXTS = ["the quick brown fox", "The  quick brown fox", "the quick brown fix", "lorem ipsum dolor", "!!!", ""]
YEARS: dict[Any, int | None] = {None: None, "unknown": None, 2010: 2010, "2011": 2011, "2013-05": 2013, "c. 2012": 2012}
"""Values of a field, each with what is known by it."""
DOIS = {None: None, " ": None, "10.1/A": "a", "https://doi.org/10.1/a ": "a", "doi:10.1/b": "b", "N/A": None}
PAGES = {None: None, "1-5": (1, 5), "5-9": (5, 9), "101-5": (101, 105), "104": (104, 104), "13-May": None}
NAMES = {None: None, "Lee, A. and Wu, B.": {"lee", "wu"}, "LÉE Ann": {"lee", "ann"}, "Li": {"li"}, "A. B.": None}
RULES: dict[str, Any] = {"near": ["year:1", "pages:range", "author:names"], "differ": "doi:known", "agree": "doi"}

records = st.builds(
    lambda text, year, doi, pages, author: {"text": text, "year": year, "doi": doi, "pages": pages, "author": author},
    st.sampled_from(TEXTS), *(st.sampled_from(list(values)) for values in (YEARS, DOIS, PAGES, NAMES)),
)  # fmt: skip
collections = st.lists(records, min_size=1, max_size=24)
distances = st.sampled_from([0, 12, 28])


def agree(one: Record, other: Record) -> list[bool | None]:
    """Whether year, pages, names and DOI agree."""
    found: list[bool | None] = []
    for name, values, same in (
        ("year", YEARS, lambda a, b: abs(a - b) <= 1),
        ("pages", PAGES, lambda a, b: a[0] <= b[1] and b[0] <= a[1]),
        ("author", NAMES, lambda a, b: 2 * len(a & b) >= min(len(a), len(b))),
        ("doi", DOIS, lambda a, b: a == b),
    ):
        a, b = values[one[name]], values[other[name]]
        found.append(None if a is None or b is None else same(a, b))
    return found


def loop(rows: list[Record], k: int) -> list[Outcome]:
    """The law under the rules."""
    options = twin.parse("chars64")
    bits = [twin.fingerprint(row["text"], options) for row in rows]
    normal = [twin.normalise(row["text"]) for row in rows]
    facts = [
        (YEARS[row["year"]], PAGES[row["pages"]], DOIS[row["doi"]], frozenset(NAMES[row["author"]] or ()))
        for row in rows
    ]

    def near(one: int, other: int) -> tuple[int, str] | None:
        said = agree(rows[one], rows[other])
        a, b = bits[one], bits[other]
        distance = None if a is None or b is None else (a ^ b).bit_count()
        if False in said:
            return None
        if distance is not None and distance <= k:
            return distance, "exact" if normal[one] == normal[other] else "near"
        return (1 << 16 if distance is None else distance, "agree") if said[3] else None

    found = decided(range(len(rows)), lambda at: None if bits[at] is None else (normal[at], facts[at]), near)
    return [found[at] for at in range(len(rows))]


@examples(0.6)
@given(collections, distances)
def test_a_run_with_rules_on_fields_is_the_plain_loop(rows: list[Record], k: int) -> None:
    """Values that differ keep apart, an equal identifier joins, and an unknown value says nothing."""
    expected = loop(rows, k)
    result = dedup(rows, scheme="chars64", max_distance=k, batch=7, **RULES)

    assert [(one.decision, one.reason, one.representative_position) for one in result.decisions] == expected
    counts = result.counts
    assert counts.read == counts.kept + counts.dropped + counts.failed
    assert counts.dropped == counts.exact + counts.near


@examples(0.4)
@given(collections, distances)
def test_pairs_are_all_that_the_rules_allow(rows: list[Record], k: int) -> None:
    """A pair has no order: it is one if both texts are near, or an identifier is equal, and no value differs."""
    options = twin.parse("chars64")
    bits = [twin.fingerprint(row["text"], options) for row in rows]

    def near(a: int, b: int) -> bool:
        said, (x, y) = agree(rows[a], rows[b]), (bits[a], bits[b])
        within = x is not None and y is not None and (x ^ y).bit_count() <= k
        return False not in said and (within or said[3] is True)

    found = find_pairs(rows, scheme="chars64", max_distance=k, **RULES)
    expected = [pair for pair in combinations(range(len(rows)), 2) if near(*pair)]
    assert [(pair.a_position, pair.b_position) for pair in found] == expected


@examples(0.4)
@given(collections, st.integers(0, 24))
def test_batches_of_an_index_with_rules_on_fields_are_one_run(rows: list[Record], cut: int) -> None:
    """Two batches are decided as the plain loop decides on both."""
    rows = [row | {"id": at} for at, row in enumerate(rows)]
    expected = [(decision, of) for decision, _, of in loop(rows, 12)]
    batches_are_one_run(rows, cut, expected, scheme="chars64", max_distance=12, sample=0, **RULES)


def test_similarity_takes_the_place_of_fields() -> None:
    """Where too few fields agree, only more similar texts are near."""
    one = {"text": "Sleep and memory in older adults of two towns", "year": 2015, "pages": "1-9"}
    for other, dropped in (
        ({"year": 2015, "pages": "9"}, 1),
        ({"year": 2015}, 0),
        ({"year": 2015, "text": re.sub("two", "TWO", one["text"])}, 1),  # type: ignore[call-overload]
    ):
        rows = [one, {"text": "Sleep and memory in older adults of ten towns", **other}]
        result = dedup(rows, near=["year:1", "pages:range"], sure="2:0.95", similarity=0.5)
        assert result.counts.dropped == dropped, other


def test_lists_of_names_in_columns_are_those_of_records(tmp_path: Path) -> None:
    """A table, a frame and a file of Parquet with a list in a column are decided as records with lists."""
    names = [["Lee, Ann", "Wu"], ["Xu, Carl"], ["Ann Lee"], None, []]
    rows = [{"text": TEXTS[0], "year": 2010 + at % 2, "author": names[at % 5]} for at in range(20)]
    table = pa.Table.from_pylist(rows)
    pq.write_table(table, tmp_path / "in.parquet")
    expected = dedup(rows, near=["author:names"], differ="year")

    assert 2 < expected.counts.kept < len(rows)
    for source in (table, table.to_pandas(), tmp_path / "in.parquet"):
        decisions = dedup(source, near=["author:names"], differ="year").decisions
        found, wanted = ([row.representative_position for row in rows] for rows in (decisions, expected.decisions))
        assert found == wanted
