"""Columns of every type of Arrow, and values that JSON lacks: nothing is found out after the work, and types stay."""

import datetime as dt
import json
import struct
import uuid
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from simsieve import ConfigError, FailedRecordsWarning, dedup
from simsieve.json_values import row_of

TEXTS = ["One text of some words", "One text of some words", "Another text on gravel and lamps", "A third one"]
KEPT = [0, 2, 3]

VIEWS: dict[str, Any] = {
    "string_view": pa.array(["a", "b", None, "d"], pa.string_view()),
    "binary_view": pa.array([b"a", b"\xff", None, b"d"], pa.binary_view()),
    "list_view": pa.array([[1], [2, 3], None, []], pa.list_view(pa.int64())),
    "large_list_view": pa.array([["x"], ["y"], None, []], pa.large_list_view(pa.string_view())),
    "list of views": pa.array([["x"], ["y"], None, []], pa.list_(pa.string_view())),
    "struct of views": pa.array([{"a": "x"}, {"a": "y"}, None, {"a": None}], pa.struct([("a", pa.string_view())])),
    "map of views": pa.array([[("k", "v")], [], None, []], pa.map_(pa.string(), pa.string_view())),
    "dictionary": pa.array(["a", "b", None, "a"]).dictionary_encode(),
    "large_string": pa.array(["a", "b", None, "d"], pa.large_string()),
    "large_binary": pa.array([b"a", b"b", None, b"d"], pa.large_binary()),
    "large_list": pa.array([[1], [2, 3], None, []], pa.large_list(pa.int64())),
    "uuid": pa.array([b"a" * 16, b"b" * 16, None, b"d" * 16], pa.uuid()),
    "null": pa.nulls(4),
}


@pytest.mark.parametrize("kind", VIEWS)
def test_columns_keep_their_types(kind: str, tmp_path: Path) -> None:
    """Rows of views and large types are chosen from files and tables; Parquet keeps them, and JSON lines has them."""
    table = pa.table({"text": TEXTS, "v": VIEWS[kind]})
    path, kept = tmp_path / "in.parquet", tmp_path / "kept.parquet"
    pq.write_table(table, path)
    for source in (path, table):
        result = dedup(source)
        result.write(kept)
        given = pq.read_table(path)
        assert pq.read_schema(kept).field("v").type == pq.read_schema(path).field("v").type
        assert pq.read_table(kept)["v"].to_pylist() == [given["v"].to_pylist()[at] for at in KEPT]
        result.write(tmp_path / "kept.jsonl")
        assert dedup(tmp_path / "kept.jsonl").counts.kept == 3
        result.write(tmp_path / "kept.csv")
    rows = dedup(table).kept_rows(pa.Table)
    assert rows.schema == table.schema and rows["v"].to_pylist() == [VIEWS[kind].to_pylist()[at] for at in KEPT]


@pytest.mark.parametrize(
    "kind", ["string_view", "binary_view", "large_string", "dictionary", "runs", "dictionary of views"]
)
def test_texts_and_ids_of_every_type(kind: str) -> None:
    """The text and the id are read of views, dictionaries and runs alike."""
    plain = pa.array(TEXTS)
    made = {
        "runs": lambda: pa.RunEndEncodedArray.from_arrays(
            pa.array([2, 3, 4], pa.int32()), pa.array([TEXTS[0], *TEXTS[2:]])
        ),
        "dictionary": plain.dictionary_encode,
        "dictionary of views": lambda: pa.DictionaryArray.from_arrays(
            pa.array([0, 0, 1, 2]), pa.array([TEXTS[0], *TEXTS[2:]], pa.string_view())
        ),
        "binary_view": lambda: plain.cast(pa.binary()).cast(pa.binary_view()),
    }
    texts = made.get(kind, lambda: plain.cast(getattr(pa, kind)()))()
    result = dedup(pa.table({"text": texts, "id": texts}))
    assert list(result.kept) == KEPT and result.decisions[2].id == TEXTS[2]


def test_types_that_parquet_lacks_are_refused_before_the_work(tmp_path: Path) -> None:
    """A column that Parquet cannot hold is named before the search, with the way out; JSON lines take it."""
    table = pa.table({"text": TEXTS, "v": pa.array([(1, 2, 3)] * 4, pa.month_day_nano_interval())})
    with pytest.raises(ConfigError, match="column 'v' is of type month_day_nano_interval, which Parquet cannot hold"):
        dedup(table).write(tmp_path / "kept.parquet")
    dedup(table).write(tmp_path / "kept.jsonl")
    assert not (tmp_path / "kept.parquet").exists()


def test_old_lz4_is_written_as_snappy(tmp_path: Path) -> None:
    """A compression that is read and cannot be written gives way to the usual one."""
    path, kept = tmp_path / "in.parquet", tmp_path / "kept.parquet"
    pq.write_table(pa.table({"text": TEXTS}), path, compression="lz4")
    raw = bytearray(path.read_bytes())
    (length,) = struct.unpack("<I", raw[-8:-4])
    footer = bytes(raw[-8 - length : -8])
    assert footer.count(b"\x15\x0e") == 1
    # Codec 5 is the old LZ4, of Hadoop; its blocks may be as those of codec 7.
    raw[-8 - length : -8] = footer.replace(b"\x15\x0e", b"\x15\x0a")
    path.write_bytes(raw)
    dedup(path).write(kept)
    assert pq.ParquetFile(kept).metadata.row_group(0).column(0).compression == "SNAPPY"
    assert pq.read_table(kept)["text"].to_pylist() == [TEXTS[at] for at in KEPT]


def test_json_lines_have_what_json_has(tmp_path: Path) -> None:
    """NaN and infinity are null, bytes are text or base64, times are ISO 8601, and simsieve reads the lines again."""
    moment = dt.datetime(2024, 1, 31, 10, 0, tzinfo=dt.UTC)
    table = pa.table({
        "text": TEXTS, "f": [float("nan"), 1.0, float("inf"), 2.5], "raw": [b"\xff", b"a", "é".encode(), None],
        "list": [[float("nan")], [], None, [1.5]], "day": [moment.date()] * 4, "at": [moment] * 4,
        "ns": pa.array([1, 2, 3, 4], pa.timestamp("ns")), "far": pa.array([2**40] * 4, pa.timestamp("s")),
    })  # fmt: skip
    dedup(table).write(tmp_path / "kept.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "kept.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["f"] for row in rows] == [None, None, 2.5]
    assert [row["raw"] for row in rows] == ["/w==", "é", None]
    assert [row["list"] for row in rows] == [[None], None, [1.5]]
    assert rows[0]["day"] == "2024-01-31" and rows[0]["at"].startswith("2024-01-31T10:00:00")
    assert rows[0]["ns"] == "1970-01-01T00:00:00.000000001"
    assert dedup(tmp_path / "kept.jsonl").counts.kept == 3


class Other:
    """A type that nobody knows."""


def test_records_may_hold_anything_beside_their_text(tmp_path: Path) -> None:
    """Dates, decimals, UUIDs, NaN, numpy and other types do no harm, and kept rows are the objects that were given."""
    at = dt.datetime(2024, 1, 31, tzinfo=dt.UTC)
    records: list[dict[str, Any]] = [
        {"id": uuid.UUID(int=1), "text": TEXTS[0], "at": at, "n": Decimal("1.50"), "x": Other()},
        {"id": 2, "text": TEXTS[0], "at": None, "n": float("nan")},
        {"id": 3, "text": TEXTS[2], "n": np.float32("nan"), "m": np.int64(4), "s": {1, 2}, "d": {(1, 2): b"\xff"}},
    ]
    result = dedup(records)
    kept = result.kept_rows(list)
    assert kept[0] is records[0] and kept[1] is records[2]
    result.write(tmp_path / "kept.jsonl")
    first, last = (json.loads(line) for line in (tmp_path / "kept.jsonl").read_text(encoding="utf-8").splitlines())
    assert (first["at"], first["n"], first["id"]) == ("2024-01-31T00:00:00+00:00", "1.50", str(uuid.UUID(int=1)))
    assert (last["n"], last["m"], last["d"]) == (None, 4, {"(1, 2)": "/w=="})
    assert [row["id"] for row in dedup(iter(records)).kept_rows(list)] == [str(uuid.UUID(int=1)), 3]
    bad: list[dict[str, Any]] = [{"text": "a"}, {"text": dt.date(2024, 1, 31)}]
    with pytest.raises(TypeError, match="record 1: field 'text' is of type date, which is no text: give str"):
        dedup(bad)
    bad[1]["text"] = float("nan")
    with pytest.warns(FailedRecordsWarning):
        assert dedup(bad).counts.failed == 1


@pytest.mark.parametrize("ending", ["parquet", "csv", "jsonl"])
def test_a_value_of_any_depth_is_written(ending: str, tmp_path: Path) -> None:
    """A value nested deeper than Python goes stays as it is written, in every format."""
    deep = "[" * 900 + "1" + "]" * 900
    path, kept = tmp_path / "in.jsonl", tmp_path / f"kept.{ending}"
    path.write_text(f'{{"id": 1, "text": "{TEXTS[0]}", "v": {deep}}}\n{{"id": 2, "text": "{TEXTS[2]}"}}\n', "utf-8")
    dedup(path).write(kept)
    if ending == "parquet":
        assert pq.read_table(kept).to_pylist()[0] == {"id": 1, "text": TEXTS[0], "v": deep}
    else:
        assert deep in kept.read_text(encoding="utf-8-sig")
    dedup(path).write(tmp_path / f"all.{ending}", annotate=True)
    assert row_of(f'{{"a": {deep}, "b": "x"}}'.encode()) == {"a": deep, "b": "x"}
