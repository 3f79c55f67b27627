"""Streams of Arrow as sources and as results: batch by batch, whatever gives them, with all columns and types."""

import itertools
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from simsieve import ConfigError, dedup
from simsieve.results import DedupResult

A = "the quick brown fox jumps over the lazy dog again and again"
B = "lorem ipsum dolor sit amet consectetur adipiscing elit sed do"
TABLE = pa.table({"id": [7, 8, 9, 10], "text": [A, A + "!", B, B], "n": [1.5, None, 2.5, 3.5]})
KINDS: dict[str, Callable[[Path], Any]] = {
    "reader": lambda _: TABLE.to_reader(3),
    "scanner": lambda file: ds.dataset(file).scanner(batch_size=3),
    "data set": ds.dataset,
    "duckdb": lambda file: duckdb.sql(f"SELECT * FROM '{file}' ORDER BY id"),
    "polars": lambda file: pl.scan_parquet(file).collect_batches(),
    "capsule": lambda _: Given(TABLE),
}


class Given:
    """What has nothing but Arrow's protocol."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


def batches(result: DedupResult) -> pa.RecordBatchReader:
    """Give the kept rows as a stream."""
    return result.kept_rows(pa.RecordBatchReader)


@pytest.mark.parametrize("kind", KINDS)
def test_every_stream_is_a_source(kind: str, tmp_path: Path) -> None:
    """What gives its rows once is decided as the table of its rows, and the kept ones come as a table or a stream."""
    pq.write_table(TABLE, tmp_path / "rows.parquet")
    result, wanted = dedup(KINDS[kind](tmp_path / "rows.parquet")), dedup(TABLE)

    assert result.decisions.to_arrow() == wanted.decisions.to_arrow()
    assert result.kept_rows(pa.Table).to_pylist() == wanted.kept_rows(pa.Table).to_pylist()
    assert batches(result).read_all() == result.kept_rows()
    assert batches(result).read_all()["id"].to_pylist() == [7, 9]


def test_no_batch_is_held() -> None:
    """When the next batch is asked for, the last one and its copy are gone; so it is with the kept rows."""
    rows, count = 1 << 10, 16
    letters = np.random.default_rng(7).integers(97, 123, size=rows << 10, dtype=np.uint8)
    ends = pa.py_buffer(np.arange(0, (rows << 10) + 1, 1 << 10, dtype=np.int32))
    held = []

    def given() -> Iterator[pa.RecordBatch]:
        for number in range(count):
            held.append(pa.total_allocated_bytes() - before)
            shifted = np.roll(letters, 131 * number)
            text = pa.StringArray.from_buffers(rows, ends, pa.py_buffer(shifted))
            # Arrow's own memory, which it counts.
            yield pa.record_batch({"text": pa.concat_arrays([text, text.slice(0, 0)])})

    schema, before = pa.schema({"text": pa.string()}), pa.total_allocated_bytes()
    result = dedup(pa.RecordBatchReader.from_batches(schema, given()), limit=rows * count, max_distance=0)
    size = letters.nbytes
    assert max(held) < 4 * size
    kept = 0
    for batch in batches(result):
        kept += len(batch)
        assert pa.total_allocated_bytes() - before < 4 * size
    assert kept == result.counts.kept > rows


def test_a_stream_without_end_is_read_to_the_limit() -> None:
    """No batch is taken that is not needed."""
    asked = itertools.count()
    rows = (pa.record_batch({"text": [f"{A} {next(asked)}", B]}) for _ in itertools.repeat(None))
    result = dedup(pa.RecordBatchReader.from_batches(pa.schema({"text": pa.string()}), rows), limit=5, similarity=0.99)

    assert (result.counts.read, next(asked)) == (5, 3)
    assert batches(result).read_all().num_rows == result.counts.kept


def test_every_type_passes_through(tmp_path: Path) -> None:
    """Views, dictionaries that change from batch to batch, unions, runs, extensions: rows come back as they were."""
    labels = [pa.array(["x", "y"]).dictionary_encode(), pa.array(["z", "x"]).dictionary_encode()]
    columns = {
        "text": [pa.array([A, A], pa.string_view()), pa.array([B, None], pa.string_view())],
        "label": labels,
        "runs": [pa.compute.run_end_encode(pa.array([1, 1])), pa.compute.run_end_encode(pa.array([2, 3]))],
        "union": [pa.UnionArray.from_dense(pa.array([0, 1], pa.int8()), pa.array([0, 0], pa.int32()),
                                           [pa.array([5]), pa.array(["s"])])] * 2,
        "uuid": [pa.array([b"0123456789abcdef"] * 2, pa.uuid())] * 2,
        "list": [pa.array([[b"\xff"], None], pa.list_view(pa.binary_view()))] * 2,
        "month": [pa.array([(1, 2, 3), None], pa.month_day_nano_interval())] * 2,
        "half": [pa.array([np.float16(1.5), None])] * 2,
        "null": [pa.nulls(2)] * 2,
    }  # fmt: skip
    given = [pa.record_batch({name: of[at] for name, of in columns.items()}) for at in (0, 1)]
    result = dedup(pa.RecordBatchReader.from_batches(given[0].schema, given))

    assert result.kept.tolist() == [0, 2]
    found = batches(result)
    assert found.schema.equals(given[0].schema)
    assert [row for batch in found for row in batch.to_pylist()] == [
        batch.slice(0, 1).to_pylist()[0] for batch in given
    ]


def test_all_outputs_are_those_of_a_table(tmp_path: Path) -> None:
    """Kept, dropped and annotated rows in every format; several are read side by side."""
    for name, source in (("table", TABLE), ("stream", TABLE.to_reader(1))):
        result = dedup(source)
        for ending in ("parquet", "jsonl", "csv"):
            result.write(tmp_path / f"{name}.{ending}", dropped=tmp_path / f"{name}-dropped.{ending}")
            result.write(tmp_path / f"{name}-all.{ending}", annotate=True)
    pairs = [(path, path.with_name(path.name.replace("table", "stream"))) for path in tmp_path.glob("table*")]

    assert len(pairs) == 9
    assert all(one.read_bytes() == other.read_bytes() for one, other in pairs)


def test_tables_and_parquet_files_give_streams_too(tmp_path: Path) -> None:
    """Their kept rows need not be in memory at once; what has no columns has no stream."""
    pq.write_table(TABLE, tmp_path / "rows.parquet")
    for source in (TABLE, TABLE.to_pandas(), pl.from_arrow(TABLE), tmp_path / "rows.parquet"):
        assert batches(dedup(source)).read_all()["id"].to_pylist() == [7, 9]
    with pytest.raises(ConfigError, match="the rows are in files"):
        dedup(tmp_path / "rows.parquet").kept_rows()
    with pytest.raises(TypeError, match="the kept rows are of type list, not RecordBatchReader"):
        batches(dedup([A, B]))


def test_decisions_are_a_stream() -> None:
    """Read block by block they are the table, with old documents and failures among them."""
    rows = [{"id": at, "text": f"{A} {at // 2}" if at % 5 else None} for at in range(100)]
    found = dedup(rows, against=rows[50:60], max_failed="100%").decisions

    assert pa.table(found) == found.to_arrow() and pa.table(found[3:5]) == found[3:5].to_arrow()
    assert pa.table(dedup([]).decisions).num_rows == 0


def test_the_copy_is_removed(tmp_path: Path) -> None:
    """The file of the rows lives as long as what reads it."""
    code = """
import gc, os, tempfile, pyarrow as pa, simsieve
result = simsieve.dedup(pa.table({"text": ["a text", "a text"]}).to_reader())
kept = result.kept_rows(pa.RecordBatchReader)
del result
gc.collect()
print(len(os.listdir(tempfile.gettempdir())), kept.read_all().num_rows)
del kept
gc.collect()
print(len(os.listdir(tempfile.gettempdir())))
"""
    assert run(code, tmp_path) == ["1 1", "0"]


def run(code: str, folder: Path, *arguments: str) -> list[str]:
    """Run a program of Python with a folder for temporary files, and give its lines."""
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False,
        env={**os.environ, "TMPDIR": str(folder)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


MEASURED = """
import resource, sys
import numpy as np, pyarrow as pa, pyarrow.parquet as pq, simsieve

def given(batches, rows=1000, pieces=100, width=40):
    random, size = np.random.default_rng(1), pieces * width
    letters = random.integers(97, 123, size=1 << 24, dtype=np.uint8)
    letters[random.random(1 << 24) < 0.16] = 32
    pool = letters[: len(letters) // width * width].reshape(-1, width)
    ends = pa.py_buffer(np.arange(0, (rows + 1) * size, size, dtype=np.int32))
    last = None
    for number in range(batches):
        made = pool[random.integers(len(pool), size=rows * pieces)]
        if number % 2:
            made[: len(made) // 2] = last[: len(made) // 2]
        last = made
        yield pa.record_batch({"text": pa.StringArray.from_buffers(rows, ends, pa.py_buffer(made))})

simsieve.dedup(["a text", "another text"])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
schema = pa.schema({"text": pa.string()})
result = simsieve.dedup(pa.RecordBatchReader.from_batches(schema, given(int(sys.argv[1]))), memory="256MiB")
kept = result.kept_rows(pa.RecordBatchReader)
with pq.ParquetWriter("/dev/null", schema) as file:
    rows = sum(file.write_batch(batch) or len(batch) for batch in kept)
assert rows == result.counts.kept == result.counts.read * 3 // 4, result
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) >> 10)
"""


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_gigabyte_passes_in_bounded_memory(tmp_path: Path) -> None:
    """A stream of 1 GB in and its kept rows out need 300 MB more than a call on two texts."""
    [megabytes] = run(MEASURED, tmp_path, "256")

    assert int(megabytes) < 300
