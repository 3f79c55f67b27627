"""Rows are packed for their text partitions, and their numbers do not depend on how."""

import random
from collections.abc import Sequence
from typing import Any

import pytest
from tests.spark.conftest import mixed, shuffled

pytest.importorskip("pyspark")
import numpy as np
import pyarrow as pa

from simsieve import _core
from simsieve.cluster.rows import TextRows, pack, slices, texts_of, unpack
from simsieve.cluster.steps import SentRules, SentScheme, spread
from simsieve.schemes.criteria import Nearness
from simsieve.spark.pipeline import job_of

pytestmark = pytest.mark.filterwarnings("ignore")
SENT = SentScheme.of(_core.Scheme("chars64"))
KEEP = (("keep_0", True), ("position", False))


def frame(texts: Sequence[str | None]) -> Any:
    """The columns of a job's rows."""
    scores = [None if at % 7 == 0 else at % 5 for at in range(len(texts))]
    return pa.table({
        "position": pa.array(range(-5, len(texts) - 5), pa.int64()), "id": [f"d{at}" for at in range(len(texts))],
        "text": pa.array(texts, pa.string()), "keep_0": pa.array(scores, pa.int64()),
    })  # fmt: skip


def packed(rows: Any, partitions: int, size: int) -> dict[int, list[bytes]]:
    """The packed rows by partitions, of tasks of one batch."""
    found: dict[int, list[bytes]] = {at: [] for at in range(partitions)}
    for batch in rows.to_batches(max_chunksize=size):
        for made in spread(SENT, SentRules(), partitions, None)(iter([batch])):
            for kind, part, value in zip(*(made[name].to_pylist() for name in ("kind", "part", "value")), strict=True):
                if kind == "texts":
                    found[part].append(value)
    return found


def in_order(values: dict[int, list[bytes]], keep: Any) -> list[tuple[int, int, Any, Any]]:
    """Partition, position, label and text of all rows by their places."""
    all_rows = []
    for part, packs in values.items():
        texts = TextRows.of(packs, keep)
        column = [texts.rows[name].to_pylist() for name in ("position", "id")]
        content = texts.text(np.arange(len(texts.rows))).to_pylist()
        assert texts.bytes().tolist() == [len((text or "").encode()) for text in content]
        all_rows += [(part, *row) for row in zip(*column, content, strict=True)]
    return all_rows


@pytest.mark.parametrize("keep", [KEEP, (("position", True),), (("position", False),)])
def test_places_do_not_depend_on_how_rows_are_packed(keep: Any) -> None:
    """Other batches in another order give each row the same place, and copies are in keep order."""
    texts = mixed(400, seed=9)
    rows = frame(texts)
    order = list(range(len(rows)))
    random.Random(1).shuffle(order)

    one = in_order(packed(rows, 3, 1000), keep)
    other = in_order(packed(rows.take(order), 3, 37), keep)

    assert one == other
    assert sorted(row[1] for row in one) == rows["position"].to_pylist()
    known = dict(zip(rows["position"].to_pylist(), texts, strict=True))
    usable = [row for row in one if row[3] is not None]
    assert all(known[position] == text for _, position, _, text in usable)


def test_equal_texts_are_packed_once() -> None:
    """Many copies of a long text take the bytes of one."""
    rows = frame(["the same words " * 1000] * 500)

    values = [value for values in packed(rows, 2, 500).values() for value in values]

    assert sum(map(len, values)) < 60_000


def test_slices_hold_bounds_and_lose_no_row() -> None:
    """A slice has at most the given number of rows and the given size, or one row."""
    sizes = np.array([0, 50, 3, 3, 3, 0, 0, 99, 1])

    found = list(slices(sizes, 3, 10))

    assert [at for part in found for at in range(part.start, part.stop)] == list(range(len(sizes)))
    assert all(part.stop - part.start <= 3 for part in found)
    assert all(sizes[part].sum() <= 10 or part.stop - part.start == 1 for part in found)


def test_tables_come_back() -> None:
    """Several tables are one value."""
    tables = [pa.table({"a": [1, None]}), pa.table({"b": pa.array([], pa.string())})]

    assert unpack(pack(*tables)) == tables


def test_executors_make_the_keys_that_split_crowds(spark: Any) -> None:
    """A second freeze on a cluster gives the search that one machine gives."""
    draw = random.Random(3)
    words = [f"{draw.randrange(1 << 40):x}" for _ in range(40)]
    texts = [" ".join(draw.sample(words, 8)) for _ in range(12_000)]
    rows = pa.table({"place": range(len(texts)), "text": texts})
    job = job_of(shuffled(spark, rows, 3), "text", "place", None, {"scheme": "words128", "similarity": 0.65})
    none = texts_of(pa.array([], pa.string()))
    search = _core.UnfrozenSearch(_core.Scheme("words128"), 1 << 25, Nearness(0.65)).freeze(none, 1 << 25, 4)
    assert search is not None
    alone = search.split([search.sampled_keys(texts_of(pa.array(texts)), 4)], 4).parts()
    together = job.split(search, 4).parts()
    assert together[:3] == alone[:3]
    assert len(alone[3]) > 20
    assert together[3].tolist() == alone[3].tolist()
