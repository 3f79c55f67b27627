"""Rules on fields, dates and verdicts hold a cluster's rows apart, or join them, as those of one machine."""

import json
import random
from typing import Any

import pyarrow as pa
import pytest
from tests.spark.conftest import dedup, expected, got, mixed, shuffled, table

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
    ("count", "settings", "most"),
    [
        (600, FIELDS, None),
        pytest.param(600, {"window": "3d", "date_field": "day", "keep": ["longest"]}, None, marks=pytest.mark.slow),
        (MANY, {**FIELDS, "window": "5d", "date_field": "day"}, None),
        pytest.param(MANY, {**FIELDS, "window": "5d", "date_field": "day"}, 10, marks=pytest.mark.slow),
        pytest.param(MANY, {"near": ["year:1"], "agree": ["doi"], "max_distance": 6}, 10, marks=pytest.mark.slow),
    ],
)
def test_rules_hold_as_on_one_machine(
    spark: Any, count: int, settings: dict[str, Any], most: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every field of every decision is equal, also of rows without features that a fact joins, and in rounds."""
    from simsieve.cluster import rounds

    monkeypatch.setattr(rounds, "MOST_WALKED", most or rounds.MOST_WALKED)
    rows = records(count)
    # One machine reads a list of a table as its JSON.
    at = rows.schema.get_field_index("names")
    names = [None if value is None else json.dumps(value) for value in rows["names"].to_pylist()]

    job = got(dedup(shuffled(spark, rows, 4, seed=1), order="place", **settings))

    assert job == expected(rows.set_column(at, "names", pa.array(names)), **settings)
    assert "agree" not in settings or {"agree", "near", "exact"} <= {row["reason"] for row in job}


@pytest.mark.parametrize("count", [600, pytest.param(MANY, marks=pytest.mark.slow)])
def test_verdicts_hold_as_on_one_machine(spark: Any, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs that people have judged, near ones and copies among them, beside rules and old rows."""
    from simsieve.cluster import rounds

    monkeypatch.setattr(rounds, "MOST_WALKED", 10)
    rows, draw = records(count).drop_columns(["names"]), random.Random(9)
    ids = pa.array([f"r{at}" for at in range(count)])
    rows = rows.set_column(rows.schema.get_field_index("id"), "id", ids)
    settings: dict[str, Any] = {"keep": ["longest"], "near": ["year:2"]}
    dropped = [row for row in expected(rows) if row["reason"] in {"near", "exact"}]
    pairs = [(row["id"], row["representative"]) for row in draw.sample(dropped, 12)]
    pairs += [(f"r{draw.randrange(count)}", f"r{draw.randrange(count)}") for _ in range(12)]
    used: set[str] = set()
    verdicts = []
    for a, b in pairs:
        if a != b and not used & {a, b}:
            used |= {a, b}
            verdicts.append((a, b, draw.choice(["same", "different", "keep a", "keep b"])))
    old, new = rows.slice(0, count // 4), rows.slice(count // 4)
    is_old = {f"r{at}" for at in range(count // 4)}
    verdicts = [(a, b, "different" if "keep" in word and is_old & {a, b} else word) for a, b, word in verdicts]
    settings["verdicts"] = [*verdicts, ("r1", "nobody", "same")]

    job = got(dedup(shuffled(spark, new, 4, seed=1), order="place", against=shuffled(spark, old, 2), **settings))

    assert job == expected(new, against=old, **settings)
    assert "verdict" in {row["reason"] for row in job}
