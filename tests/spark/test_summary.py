"""A job counts and measures what it has decided as one machine does."""

from typing import Any

import pytest
from tests.spark.conftest import dedup_with_summary, mixed, shuffled, table
from tests.spark.test_against import halves
from tests.spark.test_rules import records

import simsieve

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(900)]
MANY = 9000
SAME = (
    "schema_version", "read", "kept", "dropped", "failed", "exact_duplicates", "near_duplicates", "clusters",
    "largest_cluster", "lost_much", "conflicts", "scheme", "digest", "recipe_digest",
)  # fmt: skip


def in_places(texts: list[str | None]) -> Any:
    """Rows whose places are their numbers, so that the sample is drawn by the same positions as on one machine."""
    rows = table(texts)
    pa = pytest.importorskip("pyarrow")
    return rows.set_column(rows.schema.get_field_index("place"), "place", pa.array(range(len(rows)), pa.int64()))


def same(summary: dict[str, Any]) -> dict[str, Any]:
    """What a job tells as one machine does; a count that is 0 may not be there."""
    return {name: summary.get(name) or 0 for name in SAME}


def forms() -> Any:
    """Short texts, and reports that differ in their numbers."""
    reports = [f"Market report. Wheat costs {at}{at + 3} a ton in the port, and trade is calm." for at in range(30)]
    short = [f"{chr(0x4E00 + at) * 9} and {chr(0x5E00 + at) * 9}" for at in range(120)]
    return in_places([*short, *reports])


SAMPLED: list[dict[str, Any]] = [
    {},
    # A search that misses pairs on purpose, so that the sample finds some.
    {"recall": 0.5, "similarity": 0.65, "keep": ["longest", "last"]},
]
COUNTED = ("old rows", "equal facts", "no copy")
"""Rows of which some are dropped for old ones or by their facts, or none are."""


def counted(name: str) -> tuple[Any, Any, dict[str, Any]]:
    """Rows of `COUNTED`, old ones, and settings."""
    if name == "old rows":
        return *halves(700, 300), {}
    if name == "equal facts":
        return records(900).drop_columns(["names"]), None, {"agree": ["doi"], "conflict": "none"}
    return table([f"{at * 7919 % 999_983:x} {at:x}" for at in range(50)]), None, {}


@pytest.mark.parametrize("name", COUNTED)
def test_what_is_counted_is_that_of_one_machine(spark: Any, name: str) -> None:
    """Rows that are dropped for old ones are in no cluster; those that a fact joins are near duplicates."""
    rows, old, settings = counted(name)
    against = None if old is None else shuffled(spark, old, 2)

    _, summary = dedup_with_summary(shuffled(spark, rows, 3, seed=1), order="place", against=against, **settings)

    assert same(summary) == same(simsieve.dedup(rows, against=old, max_failed="100%", sample=0, **settings).summary)


@pytest.mark.parametrize("settings", SAMPLED)
def test_the_summary_is_that_of_one_machine(spark: Any, settings: dict[str, Any]) -> None:
    """Counts, digests, and the recall with its interval, which the same sample gives."""
    rows = in_places(mixed(MANY, seed=2))
    one = simsieve.dedup(rows, max_failed="100%", sample=700, **settings)

    _, summary = dedup_with_summary(shuffled(spark, rows, 5, seed=1), order="place", sample=700, **settings)

    assert same(summary) == same(one.summary)
    assert (summary["recall"], summary["recall_interval"]) == (one.summary["recall"], one.summary["recall_interval"])
    assert not settings or summary["recall"] < 1
    assert summary.get("hubs") == one.summary.get("hubs")


@pytest.mark.parametrize("settings", [{"max_distance": 3}, {"similarity": 0.8}])
def test_an_exact_search_is_not_sampled(spark: Any, settings: dict[str, Any]) -> None:
    """A search of every pair, and one within a distance, miss nothing."""
    _, summary = dedup_with_summary(shuffled(spark, table(mixed(500)), 2, seed=1), order="place", **settings)

    assert (summary["recall"], summary["recall_interval"]) == (1.0, [1.0, 1.0])


def test_hubs_and_kinds_are_told_as_on_one_machine(spark: Any) -> None:
    """Forms with other numbers are a hub with its passage, and short texts are named."""
    rows = forms()
    one = simsieve.dedup(rows, conflict="none")

    _, summary = dedup_with_summary(shuffled(spark, rows, 3, seed=1), order="place", conflict="none")

    assert summary["hubs"] == one.summary["hubs"] and summary["hubs"][0]["near_duplicates"] == 29
    assert summary["looks_like"] == one.summary["looks_like"] == "short"
    _, summary = dedup_with_summary(shuffled(spark, rows, 3, seed=1), order="place", kind="short")
    assert not {"hubs", "looks_like"} & set(summary)


def test_an_empty_frame_has_a_summary(spark: Any) -> None:
    """There is nothing to count or to measure."""
    decisions, summary = dedup_with_summary(
        spark.createDataFrame([], "id string, text string, place long"), order="place"
    )

    assert (decisions.count(), summary["read"], summary["largest_cluster"], summary["recall"]) == (0, 0, 0, None)
