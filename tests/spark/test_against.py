"""Old rows and an index are as on one machine: they stay, and what is near them is dropped for them."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.spark.conftest import dedup, dedup_with_summary, expected, got, mixed, shuffled, table

import simsieve
from simsieve.errors import ConfigError

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(900)]


def halves(count: int, old: int) -> tuple[Any, Any]:
    """Rows, and old ones that have copies, near rows and labels in common with them, and near rows of their own."""
    rows = table(mixed(count, seed=8))
    order = [at * 7919 % count for at in range(count)]
    return rows.take(sorted(order[old:])), rows.take(sorted(order[:old]))


@pytest.mark.parametrize(
    ("count", "old", "settings"),
    [
        pytest.param(9000, 3000, {}, marks=pytest.mark.slow),
        pytest.param(9000, 6000, {"max_distance": 4, "keep": ["last"]}, marks=pytest.mark.slow),
        (900, 400, {"keep": ["longest", "min:score"], "block_by": "score"}),
    ],
)
def test_old_rows_are_those_of_one_machine(spark: Any, count: int, old: int, settings: dict[str, Any]) -> None:
    """Every field of every decision is equal; old rows are in none, but for those that represent others."""
    rows, before = halves(count, old)

    job = dedup(shuffled(spark, rows, 4, seed=1), order="place", against=shuffled(spark, before, 3), **settings)

    assert got(job) == expected(rows, against=before, **settings)


@pytest.mark.parametrize("count", [700, pytest.param(9000, marks=pytest.mark.slow)])
def test_an_index_decides_as_on_one_machine(spark: Any, tmp_path: Path, count: int) -> None:
    """The same rows are dropped, those near a document of the index for the nearest of these."""
    rows, before = halves(count, count // 3)
    ids = pa.array([f"old{at}" for at in range(len(before))])
    before = before.set_column(before.schema.get_field_index("id"), "id", ids)
    simsieve.Index.create(tmp_path / "index", before, max_failed="100%", similarity=0.65).close()
    one = expected(rows, against=str(tmp_path / "index"))

    decisions, summary = dedup_with_summary(
        shuffled(spark, rows, 4, seed=1), order="place", against=tmp_path / "index", sample=0
    )

    job = got(decisions)
    assert [row["decision"] for row in job] == [row["decision"] for row in one]
    old = [(a, b) for a, b in zip(job, one, strict=True) if b["representative_collection"] == "old" and a["lost"]]
    assert old
    same = ("representative", "representative_collection", "distance", "similarity", "lost", "conflict")
    assert [[a[name] for name in same] for a, _ in old] == [[b[name] for name in same] for _, b in old]
    # Copies of a row that is near an old one may be in several look-ups.
    assert all({a["reason"], b["reason"]} <= {"near", "exact"} for a, b in old)
    assert summary["read"] == len(rows)


def test_what_is_no_index_is_refused(spark: Any, tmp_path: Path) -> None:
    """A path that names no index, and old rows with labels of another kind."""
    rows = spark.createDataFrame(table(["a text"]))

    with pytest.raises(ConfigError, match="is no index: give a DataFrame or a Dataset of old rows"):
        dedup(rows, order="place", against=str(tmp_path))
    with pytest.raises(ConfigError, match="the ids of the rows are string, and those of the old ones bigint"):
        dedup(rows, order="place", against=rows.withColumn("id", rows["place"]))
