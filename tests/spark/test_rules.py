"""Rules on fields, dates and verdicts hold a cluster's rows apart, or join them, as those of one machine."""

import json
import random
from typing import Any

import pyarrow as pa
import pytest
from tests.spark.conftest import expected, got, mixed, shuffled, table

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(900)]

MANY = 8600
"""Rows of a search by keys; below 8,192 every pair is tested."""
FIELDS = {"near": ["year:1", "names:names"], "differ": ["doi:known", "third"], "agree": ["doi"], "sure": "2:0.75"}


def records(count: int, seed: int = 3) -> Any:
    """Rows of all kinds with the fields of records: many values are equal, near or missing, and few dates are none."""
    rows, draw = table(mixed(count, seed)), random.Random(seed)
    columns: dict[str, list[Any]] = {
        "doi": [draw.choice([None, "n/a", f"10.1/{draw.randrange(count // 3)}"]) for _ in range(count)],
        "year": [draw.choice([None, *range(2001, 2007)]) for _ in range(count)],
        "names": [draw.choice([None, ["Li, C.", "Wu, B."], ["Wu, Bo"], ["Sørensen, P. G."]]) for _ in range(count)],
        "day": [f"2026-11-{draw.randrange(1, 29):02}" if draw.random() < 0.99 else "soon" for _ in range(count)],
        "third": [("a", "b", None)[at % 3] for at in range(count)],
    }
    for name, values in columns.items():
        rows = rows.append_column(name, pa.array(values))
    return rows


@pytest.mark.parametrize(
    ("count", "settings"),
    [
        (600, FIELDS),
        (600, {"window": "3d", "date_field": "day", "keep": ["longest"]}),
        (MANY, {**FIELDS, "window": "5d", "date_field": "day"}),
        (MANY, {"near": ["year:1"], "agree": ["doi"], "max_distance": 6}),
    ],
)
def test_rules_hold_as_on_one_machine(spark: Any, count: int, settings: dict[str, Any]) -> None:
    """Every field of every decision is equal, also of rows without features that a fact joins."""
    from simsieve.spark import dedup

    rows = records(count)
    # One machine reads a list of a table as its JSON.
    at = rows.schema.get_field_index("names")
    names = [None if value is None else json.dumps(value) for value in rows["names"].to_pylist()]

    job = got(dedup(shuffled(spark, rows, 4, seed=1), order="place", **settings))

    assert job == expected(rows.set_column(at, "names", pa.array(names)), **settings)
    assert "agree" not in settings or {"agree", "near", "exact"} <= {row["reason"] for row in job}
