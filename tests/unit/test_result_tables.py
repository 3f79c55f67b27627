"""Decisions, pairs and fingerprints as tables of Arrow, pandas and polars, made of columns."""

import pickle
import sys
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from simsieve import ConfigError, Criterion, Fingerprinter, dedup, find_pairs
from simsieve.results import Decision, Pair

A = "the quick brown fox jumps over the lazy dog again and again"
B = "lorem ipsum dolor sit amet consectetur adipiscing elit sed do"
TEXTS = [A, A, A + "!", B, "", A + " and again"]
RECORDS = [{"id": f"n{at}", "text": text} for at, text in enumerate(TEXTS)] + [{"id": "bad"}, {"text": B}]
OLD = [{"id": "o", "text": B}]


def fields(decisions: Any) -> list[dict[str, Any]]:
    """Decisions one by one, as a table has them."""
    return [{name: getattr(decision, name) for name in Decision.__slots__} for decision in decisions]


RUNS: dict[str, dict[str, Any]] = {
    "similarity": {},
    "jaccard": {"measure": "jaccard"},
    "distance": {"max_distance": 12},
    "against": {"against": OLD},
    "any of two": {"scheme": [Criterion("chars64", 0.9), Criterion("words64", max_distance=9)], "combine": "any"},
    "all of two": {"scheme": [Criterion("chars64", 0.6), Criterion("words64", max_distance=30)], "combine": "all"},
    "keep last": {"keep": "last"},
}


@pytest.mark.parametrize("name", RUNS)
def test_the_table_of_decisions_has_every_decision(name: str) -> None:
    """Each row has the fields of its decision; columns that no record needs are left out, and pickling changes none."""
    result = dedup(RECORDS, **RUNS[name])
    table = result.decisions.to_arrow()
    rows = table.drop_columns(["cluster"]).to_pylist()
    empty = {name: None for name in Decision.__slots__ if name not in table.column_names}

    assert set(empty) <= {"representative_collection", "scheme"}
    assert [{**empty, **row} for row in rows] == fields(result.decisions)
    assert table["reason"].to_pylist()[6] == "no_text_field"
    made = pickle.loads(pickle.dumps(result))
    assert made.decisions.to_arrow().equals(table) and made.decisions[2:5].to_arrow().equals(table.slice(2, 3))
    assert result.decisions[::-2].to_arrow()["position"].to_pylist() == [7, 5, 3, 1]


def test_clusters_are_a_column() -> None:
    """It is the position of the kept document; a failed record, and one dropped for an old one, has none."""
    result = dedup(RECORDS, against=OLD)
    column = result.decisions.to_arrow()["cluster"].to_pylist()
    found: dict[int, list[int]] = {}
    for position, cluster in enumerate(column):
        if cluster is not None:
            found.setdefault(cluster, []).append(position)

    assert {head: group for head, group in found.items() if len(group) > 1} == result.clusters()
    assert [at for at, cluster in enumerate(column) if cluster is None] == [3, 6, 7]


@pytest.mark.parametrize(
    ("labels", "kind", "wanted"),
    [
        ([1, 2, None], pa.int64(), [1, 2, None]),
        (["a", 'q"\n', "é"], pa.large_string(), ["a", 'q"\n', "é"]),
        ([1, "a", None], pa.large_string(), ["1", '"a"', None]),
        ([2**63, 1, 2], pa.large_string(), [str(2**63), "1", "2"]),
        ([True, False, True], pa.large_string(), ["true", "false", "true"]),
        ([None, None, None], pa.large_string(), [None, None, None]),
        (["\ud800", "a", "b"], pa.large_string(), ['"\\ud800"', '"a"', '"b"']),
    ],
)
def test_labels_are_one_column(labels: list[Any], kind: pa.DataType, wanted: list[Any]) -> None:
    """Whole numbers are numbers, strings are texts, and all else is JSON; also where they were pickled."""
    result = dedup([{"id": label, "text": text} for label, text in zip(labels, [A, A, B], strict=True)])
    for made in (result, pickle.loads(pickle.dumps(result))):
        table = made.decisions.to_arrow()
        assert (table["id"].type, table["id"].to_pylist()) == (kind, wanted)
        assert table["representative"].to_pylist() == [wanted[0], wanted[0], wanted[2]]


def test_pairs_are_a_table() -> None:
    """A row has the fields of its pair, pickled too, and across two collections."""
    for pairs in (find_pairs(RECORDS), find_pairs(RECORDS, max_distance=9), find_pairs(RECORDS, against=OLD)):
        rows = [{name: getattr(pair, name) for name in Pair.__slots__} for pair in pairs]
        assert len(rows) > 1
        assert pairs.to_arrow().to_pylist() == rows
        assert pickle.loads(pickle.dumps(pairs)).to_arrow().equals(pairs.to_arrow())
    assert find_pairs([A]).to_arrow().num_rows == 0


def test_pairs_are_a_sequence() -> None:
    """Pairs are reached by their index, from the end too, and as slices."""
    pairs = find_pairs(RECORDS)

    assert pairs[0] == next(iter(pairs)) and pairs[-1] == list(pairs)[-1]
    assert pairs[1:3] == list(pairs)[1:3]
    with pytest.raises(IndexError):
        pairs[len(pairs)]


def test_fingerprints_are_a_table_and_an_array() -> None:
    """Hex digits in a table, null where there is none; the words as an array, without a copy."""
    prints = Fingerprinter().transform([A, "", B])
    table = prints.to_arrow()

    assert table["fingerprint"].to_pylist() == [None if one is None else one.hex for one in prints]
    assert table.schema.metadata == {b"scheme": b"chars128", b"digest": prints.digest.encode()}
    assert np.asarray(prints) is prints.values or np.shares_memory(np.asarray(prints), prints.values)
    assert np.array(prints, dtype=object).dtype == object
    assert Fingerprinter().transform([]).to_arrow().num_rows == 0


def test_frames_of_both_kinds() -> None:
    """Frames of pandas keep whole numbers whole where some are missing; polars and Arrow read the stream."""
    result, pairs = dedup(RECORDS, against=OLD), find_pairs(RECORDS)
    frame = result.decisions.to_pandas()

    assert isinstance(frame, pd.DataFrame) and isinstance(result.decisions.to_polars(), pl.DataFrame)
    assert frame["cluster"].dtype == pd.Int64Dtype() and frame["distance"].dtype == pd.Int32Dtype()
    assert frame["position"].dtype == np.int64
    assert pa.table(result.decisions).equals(result.decisions.to_arrow())
    assert pl.DataFrame(pairs).to_dicts() == pairs.to_polars().to_dicts()
    assert pl.DataFrame(Fingerprinter().transform([A]))["fingerprint"].len() == 1


@pytest.mark.parametrize("module", ["pyarrow", "pandas", "polars"])
def test_a_package_that_is_not_there_is_named(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says what to install."""
    decisions = dedup([A, B]).decisions
    monkeypatch.setitem(sys.modules, module, None)
    way = {"pyarrow": decisions.to_arrow, "pandas": decisions.to_pandas, "polars": decisions.to_polars}[module]

    with pytest.raises(ConfigError, match=f"pip install {module}"):
        way()


def test_kept_positions_are_an_array() -> None:
    """They have a length and an index, and pick rows of frames and arrays."""
    result = dedup(TEXTS)

    assert result.kept.dtype == np.int64 and len(result.kept) == result.counts.kept
    assert pd.Series(TEXTS).iloc[result.kept].tolist() == result.kept_rows()


def frame(index: Any = None) -> pd.DataFrame:
    """Texts without ids."""
    return pd.DataFrame({"text": [A, A, B]}, index=index)


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (frame(), [0, 1, 2]),
        (frame(["x", "y", "z"]), ["x", "y", "z"]),
        (frame([7, 7, 9]), [7, 7, 9]),
        (frame(pd.MultiIndex.from_product([["a"], [1, 2, 3]])), [0, 1, 2]),
        (frame(pd.Index([1, "a", 2.5], dtype=object)), [0, 1, 2]),
        (frame(pd.to_datetime(["2026-01-01"] * 3)), ["2026-01-01 00:00:00.000000"] * 3),
        (pl.DataFrame({"text": [A, A, B]}), [0, 1, 2]),
        (pa.table({"text": [A, A, B]}), [0, 1, 2]),
    ],
    ids=["range", "texts", "repeated", "levels", "mixed", "dates", "polars", "arrow"],
)
def test_rows_of_frames_have_labels(given: Any, wanted: list[Any]) -> None:
    """Without an id column the index of a frame of pandas is the label, else the row number."""
    result = dedup(given)

    assert [decision.id for decision in result.decisions] == wanted
    assert [(pair.a, pair.b) for pair in find_pairs(given)] == [(wanted[0], wanted[1])]
    assert dedup(frame(["x", "y", "z"]).assign(id=[4, 5, 6])).decisions[1].id == 5


def test_a_long_frame_has_a_label_for_each_row() -> None:
    """Rows are handed over in batches, and each keeps its own label."""
    texts = [str(number) for number in range(40_000)]
    given = pd.DataFrame({"text": texts}, index=[f"i{text}" for text in texts])
    assert dedup(given, max_distance=0, sample=0).decisions.to_arrow()["id"].to_pylist() == given.index.tolist()
