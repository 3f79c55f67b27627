"""Rounds and the walks of what they leave open decide as one walk over all near pairs."""

from collections import defaultdict
from typing import Any

import pytest
from tests.spark.conftest import dedup, expected, got, mixed, shuffled, table

pytest.importorskip("pyspark")
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from simsieve.cluster import rounds
from simsieve.cluster.decide import NO_PAIRS
from simsieve.cluster.rows import PLACE_BITS, Packed, batch_of, pack

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(900)]
PARTITIONS = 3


def walked(near: dict[tuple[int, int], int]) -> dict[int, int]:
    """The loop: a row near earlier kept rows is dropped for the nearest, then the first; by pairs (earlier, later)."""
    to: dict[int, int] = {}
    for row in sorted({row for pair in near for row in pair}):
        kept = [(distance, a) for (a, b), distance in near.items() if b == row and a not in to]
        if kept:
            to[row] = min(kept)[1]
    return to


def moved(rows: list[Any]) -> Any:
    """The packed rows of all tasks, those of one partition together."""
    by_part = defaultdict(list)
    for batch in rows:
        for row in batch.to_pylist():
            by_part[row["part"]].append(Packed(**row))
    return iter([batch_of(some) for some in by_part.values()])


def in_rounds(near: dict[tuple[int, int], int], stays: set[int], most: int) -> dict[int, dict[tuple[int, int], int]]:
    """The pairs that decide by the tasks that walk them, after some rounds."""
    # Places in the keep order have nothing to do with numbers.
    number = [(row * 7 % PARTITIONS << PLACE_BITS) + (row * 5) % 64 for row in range(64)]
    row_of = {at: row for row, at in enumerate(number)}
    columns = {"a": [number[a] for a, _ in near], "b": [number[b] for _, b in near], "distance": [*near.values()]}
    rows = pa.table({name: pa.array(columns.get(name, [None] * len(near)), kind) for name, kind in KINDS})
    state = list(rounds.begun()(iter(rows.to_batches())))
    table = [(number[row] >> PLACE_BITS, pa.table({"row": [number[row]]})) for row in stays]
    state.append(batch_of([Packed("stays", part, 1, pack(rows)) for part, rows in table]))
    for _ in range(most):
        state = list(rounds.decided()(moved(state)))
    found: dict[int, dict[tuple[int, int], int]] = defaultdict(dict)
    for batch in rounds.in_bins(4)(moved(state)):
        for row in batch.to_pylist():
            found[row["bin"]][row_of[row["a"]], row_of[row["b"]]] = row["distance"]
    return found


KINDS = [(field.name, field.type) for field in NO_PAIRS.schema]
PAIRS = st.tuples(st.integers(0, 15), st.integers(0, 15)).filter(lambda pair: pair[0] < pair[1])


@given(st.dictionaries(PAIRS, st.integers(0, 3), max_size=40), st.sets(st.integers(0, 15), max_size=6), st.data())
def test_rounds_decide_as_the_walk(near: dict[tuple[int, int], int], crowd: set[int], data: Any) -> None:
    """What is dropped, and what represents it, are those of the walk, with pairs that no list has in a crowd."""
    inside = {pair for pair in near if crowd.issuperset(pair)}
    listed = {pair: distance for pair, distance in near.items() if pair not in inside}

    tasks = in_rounds(listed, crowd, data.draw(st.integers(0, 5)))

    to: dict[int, int] = {}
    for task, pairs in tasks.items():
        to |= walked(pairs | ({pair: near[pair] for pair in inside} if task == 0 else {}))
    if 0 not in tasks:
        to |= walked({pair: near[pair] for pair in inside})
    assert to == walked(near)
    ends = [b for pairs in tasks.values() for b in {b for _, b in pairs}]
    assert len(ends) == len(set(ends)), "all pairs that end in a row are in one task"


@pytest.mark.parametrize(
    "settings",
    [{"max_lost": 9}, pytest.param({"max_distance": 6, "keep": ["longest", "last"]}, marks=pytest.mark.slow)],
)
def test_a_large_job_decides_in_rounds(spark: Any, settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Above the bound of one walk every field of every decision is the same, beside a crowd."""
    monkeypatch.setattr(rounds, "MOST_WALKED", 10)
    rows = table(mixed(8500, seed=4))

    assert got(dedup(shuffled(spark, rows, 4, seed=1), order="place", **settings)) == expected(rows, **settings)
