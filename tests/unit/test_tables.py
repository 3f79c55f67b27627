"""Data frames, Arrow tables and Parquet files as sources; the kept rows come back in the kind that came in."""

import datetime as dt
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from simsieve import ConfigError, SimsieveWarning, SinkError, dedup, find_pairs, fit

A = "the quick brown fox jumps over the lazy dog again and again"
B = "lorem ipsum dolor sit amet consectetur adipiscing elit sed do"
TABLE = pa.table({
    "id": [1, 2, 3, 4, 5],
    "text": [A, A + "!", B, None, ""],
    "n": [1.5, float("nan"), 2.5, None, 3.5],
    "meta": [{"lang": "en", "t": f"{B} {number}"} for number in range(4)] + [None],
    "tags": [["x"], [], ["y", "z"], None, [""]],
    "day": [dt.date(2026, 1, day) for day in (3, 9, 1, 1, 1)],
    "label": pa.array(["x", "y", "x", "x", "z"]).dictionary_encode(),
    "raw": pa.array([b"\xff\x00", b"", None, b"a", b"b"]),
})  # fmt: skip


def kinds() -> list[Any]:
    """One table in every kind."""
    some = TABLE.select(["id", "text", "n"])
    frame = some.to_pandas()
    frame.index = pd.Index(list("vwxyz"))
    return [some, some.to_batches()[0], pl.from_arrow(some), frame]


@pytest.mark.parametrize("given", kinds(), ids=["table", "batch", "polars", "pandas"])
def test_kept_rows_come_back_in_their_kind(given: Any) -> None:
    """The decisions are those of the records, and the kept rows are a table of the kind that came in."""
    records = dedup([{"id": row["id"], "text": row["text"]} for row in TABLE.to_pylist()])
    result = dedup(given)
    kept = result.kept_rows(type(given))

    assert result.counts == records.counts
    assert [decision.id for decision in result.decisions] == [decision.id for decision in records.decisions]
    assert type(kept) is type(given)
    ids = kept["id"]
    assert list(ids.to_pylist() if hasattr(ids, "to_pylist") else ids) == [1, 3, 5]
    assert not isinstance(given, pd.DataFrame) or list(kept.index) == ["v", "x", "z"]


def test_datasets_of_hugging_face_are_tables() -> None:
    """Rows come back as a dataset, of a shuffled one too; a stream gives records, and of splits one is to be named."""
    import datasets  # two seconds, which not every worker that collects this file needs

    given = datasets.Dataset.from_dict({"id": [1, 2, 3], "text": [A, A, B]})

    assert dedup(given).kept_rows(datasets.Dataset)["id"][:] == [1, 3]
    assert dedup(given.select([2, 1, 0])).kept_rows(datasets.Dataset)["id"][:] == [3, 2]
    assert dedup(given.select([])).counts.read == 0
    assert dedup(given.to_iterable_dataset()).kept_rows() == [{"id": 1, "text": A}, {"id": 3, "text": B}]
    with pytest.raises(TypeError, match=r"DatasetDict: give one of its splits, such as source\['train'\]"):
        dedup(datasets.DatasetDict(train=given))


def test_texts_and_records_come_back() -> None:
    """Of texts, series and records too, from an iterator that is gone by then."""
    assert dedup(iter([A, A, B])).kept_rows() == [A, B]
    assert dedup({"text": text, "n": [number]} for number, text in enumerate([A, A, B])).kept_rows() == [
        {"text": A, "n": [0]}, {"text": B, "n": [2]},
    ]  # fmt: skip
    rows: list[dict[str, object]] = [{"text": A}, {"text": B, "body": 1}]
    assert dedup(rows, text_field="body").kept_rows() == []


def test_slices_and_chunks_are_read_right() -> None:
    """What stands before a slice, and where chunks are cut, does not matter."""
    cut = pa.concat_tables([TABLE.slice(1, 2), TABLE.slice(4), TABLE.slice(0, 3)])
    result = dedup(cut, keep="max:day")

    assert [decision.id for decision in result.decisions] == [2, 3, 5, 1, 2, 3]
    assert result.kept_rows(pa.Table)["id"].to_pylist() == [2, 3, 5]


def test_every_type_of_a_keep_field_orders(tmp_path: Path) -> None:
    """Numbers, dates and dictionaries order; NaN, null, lists and structs are missing and come last."""
    texts = pa.array([A] * 5)
    for name, best in [("n", 4), ("day", 1), ("label", 4), ("id", 4)]:
        assert list(dedup(TABLE.set_column(1, "text", texts), keep=f"max:{name}").kept) == [best]
    for name in ("tags", "meta"):
        with pytest.warns(SimsieveWarning, match=f"none of 5 documents has a number or a text in '{name}'"):
            assert list(dedup(TABLE.set_column(1, "text", texts), keep=f"max:{name}").kept) == [0]


def test_nested_and_several_text_fields() -> None:
    """Dots reach into structs, several columns are joined, a null among them is left out."""
    assert dedup(TABLE, text_field="meta.t").failures()[0][:2] == (4, "text_not_string")
    assert dedup(TABLE, text_field=["text", "meta.t"]).counts.failed == 0
    assert next(iter(find_pairs(TABLE, text_field=("meta.t", "label"), similarity=0.5))).a_position == 0
    assert fit(TABLE, text_field="label").documents == 5


def test_frames_that_are_no_table() -> None:
    """Columns of mixed types or of one name are refused where they are needed, and only there."""
    mixed = pd.DataFrame({"text": [A, B], "other": [1, "x"]})
    assert len(dedup(mixed).kept_rows(pd.DataFrame)) == 2
    with pytest.raises(ConfigError, match="mixed types"):
        dedup(mixed, text_field="other")
    twice = pd.DataFrame([[A, B]], columns=["text", "text"])
    with pytest.raises(ConfigError, match="the table"):
        dedup(twice)


def test_frames_with_a_column_of_several_types_are_written_by_lines(tmp_path: Path) -> None:
    """Values stay as they are in JSON lines and CSV; Parquet needs one type."""
    values = [1, "x", np.float64("nan"), [3, np.int64(4)], pd.NA, {"at": pd.Timestamp("2026-01-02")}]
    frame = pd.DataFrame({"text": [f"{A} {at * 7919} {at}" * 2 for at in range(6)], "n": range(6)})
    frame["other"] = pd.Series(values, dtype=object)
    result = dedup(frame, similarity=1.0)
    result.write(tmp_path / "kept.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "kept.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["other"] for row in rows] == [1, "x", None, [3, 4], None, {"at": "2026-01-02T00:00:00"}]
    assert [row["n"] for row in rows] == list(range(6))
    result.write(tmp_path / "all.csv", annotate=True)
    lines = (tmp_path / "all.csv").read_text(encoding="utf-8-sig").splitlines()
    assert lines[0].startswith("text,n,other,") and ",1,x," in lines[2]
    with pytest.raises(ConfigError, match="mixed types"):
        result.write(tmp_path / "kept.parquet")
    assert frame["other"].iloc[0] == 1


def test_parquet_keeps_rows_and_types(tmp_path: Path) -> None:
    """Kept rows of several files come out with all columns, types, metadata and the compression, in their order."""
    table = TABLE.replace_schema_metadata({"made": "by a test"})
    first, second = tmp_path / "a.parquet", tmp_path / "b.parquet"
    pq.write_table(table, first, row_group_size=2, compression="zstd")
    pq.write_table(table.slice(2), second)
    result = dedup([first, second])
    sink = tmp_path / "kept.parquet"
    result.write(sink, decisions=tmp_path / "why.jsonl")
    kept = pq.read_table(sink)

    assert kept.schema.equals(pq.read_schema(first), check_metadata=True)
    assert kept.equals(pa.concat_tables([table, table.slice(2)]).take(pa.array(list(result.kept))))
    assert pq.ParquetFile(sink).metadata.row_group(0).column(0).compression == "ZSTD"
    assert sorted(os.listdir(tmp_path)) == ["a.parquet", "b.parquet", "kept.parquet", "why.jsonl"]
    assert result.failures()[0][2].startswith(f"{first} row 4: ")
    with pytest.raises(ConfigError, match="rows are in files"):
        result.kept_rows()


def test_frames_are_written_as_parquet(tmp_path: Path) -> None:
    """Rows in memory and those of a file go to Parquet, by their own types, and to the other tables."""
    for given in kinds():
        dedup(given).write(tmp_path / "kept.parquet")
        assert pq.read_table(tmp_path / "kept.parquet")["id"].to_pylist() == [1, 3, 5]
        for ending, start in (("csv", "\ufeffid,text,n\n1,"), ("tsv", "id\ttext\tn\n1\t")):
            dedup(given).write(tmp_path / f"kept.{ending}")
            assert (tmp_path / f"kept.{ending}").read_text("utf-8").startswith(start)
    with pytest.raises(ConfigError, match=r"cannot have the ending \.xlsx"):
        dedup(TABLE).write(tmp_path / "kept.xlsx")
    dedup(tmp_path / "kept.parquet").write(tmp_path / "kept.jsonl")
    assert [json.loads(line)["id"] for line in (tmp_path / "kept.jsonl").read_text().splitlines()] == [1, 3, 5]
    dedup(TABLE).write(tmp_path / "kept.jsonl")
    assert [json.loads(line)["id"] for line in (tmp_path / "kept.jsonl").read_text().splitlines()] == [1, 3, 5]
    with pytest.raises(ConfigError, match="not written to stdout"):
        dedup(TABLE, output_format="parquet").write("-")
    dedup([A]).write(tmp_path / "texts.parquet")
    assert pq.read_table(tmp_path / "texts.parquet").to_pylist() == [{"text": A}]
    with pytest.raises(SinkError):
        dedup(TABLE).write(tmp_path / "nowhere" / "kept.parquet")


def test_the_rows_of_large_groups_are_all_there(tmp_path: Path) -> None:
    """Batches and groups of another size than the file's give the same rows."""
    rng = np.random.default_rng(7)
    words = rng.integers(0, 5000, size=(40_000, 6))
    texts = [" ".join(f"w{word}" for word in row) for row in words.tolist()]
    table = pa.table({"text": texts, "n": range(len(texts))})
    path = tmp_path / "a.parquet"
    pq.write_table(table, path, row_group_size=40_000)
    result = dedup(path, sample=0)
    result.write(tmp_path / "kept.parquet")

    assert pq.read_table(tmp_path / "kept.parquet")["n"].to_pylist() == list(result.kept)
    assert list(result.kept) == list(dedup(texts, sample=0).kept)


def columns(values: list[Any]) -> list[Any]:
    """One column of texts in every kind."""
    half = len(values) // 2
    return [
        pd.Series(values, index=[f"row {at}" for at in range(len(values))], dtype=object),
        pd.Series(values, dtype="string"),
        pd.Series(values, dtype="category"),
        pl.Series("any name", values),
        pa.array(values),
        pa.chunked_array([values[:half], values[half:]], pa.large_string()),
        pa.array(values).dictionary_encode(),
    ]


KINDS = ["pandas", "pandas string", "pandas category", "polars", "array", "chunked", "dictionary"]


@pytest.mark.parametrize("kind", range(len(KINDS)), ids=KINDS)
def test_a_column_is_its_texts(kind: int) -> None:
    """A Series or an Arrow array is decided on as the list of its texts, and the kept ones are a list."""
    values = [A, A + " and again", B, A, "one more text"]
    column = columns(values)[kind]
    result, plain = dedup(column), dedup(values)

    assert list(result.kept) == list(plain.kept) == [0, 2, 4]
    assert result.kept_rows() == plain.kept_rows() == [A, B, "one more text"]
    assert len(find_pairs(column, against=columns([A])[kind])) == 3 and fit(column).documents == 5
    with pytest.raises(ConfigError, match="input_format 'csv' is for files"):
        dedup(column, input_format="csv")


@pytest.mark.parametrize("kind", range(len(KINDS)), ids=KINDS)
def test_a_column_that_lacks_a_text_has_a_failed_record(kind: int) -> None:
    """A missing text is a failed record, as in a table and in a list, and the rows come out as they came in."""
    given: list[Any] = [A, None, A, B]
    for source in (columns(given)[kind], given, pd.DataFrame({"text": given})):
        result = dedup(source, max_failed=1)
        assert (result.kept.tolist(), result.failed.tolist()) == ([0, 3], [1])
        assert [code for _, code, _ in result.failures()] == ["text_not_string"]
    assert dedup(columns(given)[kind], max_failed=1).kept_rows() == [A, B]


def test_a_column_of_numbers_is_refused() -> None:
    """Numbers are no texts."""
    for column in (pd.Series([1, 2]), pl.Series([1, 2]), pa.array([1, 2])):
        with pytest.raises(TypeError, match="text 0 is of type int: give str"):
            dedup(column)
