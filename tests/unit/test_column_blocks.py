"""Parquet made by blocks of columns has the rows and types of Parquet made row by row."""

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simsieve import Criterion, dedup
from simsieve.sinks.base import Kind, written
from simsieve.sinks.tables import TableSink, line_of

COLUMNS: dict[str, Kind | None] = {"position": "int", "id": None, "similarity": "float"}
VALUES = {
    "int": st.integers(-(2**63), 2**63 - 1),
    "text": st.text(),
    "date": st.just("2026-11-23"),
    "surrogate": st.just("\ud800"),
    "bool": st.booleans(),
    "large": st.integers(-(2**70), 2**70),
    "float": st.floats(allow_nan=False, allow_infinity=False),
    "list": st.lists(st.integers(0, 9), max_size=2),
}


@st.composite
def rows(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Rows whose columns hold one kind or several."""
    kinds = st.lists(st.sampled_from(sorted(VALUES)), min_size=1, max_size=2).map(
        lambda names: st.one_of(st.none(), *(VALUES[name] for name in names))
    )
    others = draw(st.lists(st.sampled_from(["a", "ä", "b c"]), unique=True, max_size=2))
    values = {name: draw(kinds) for name in ["id", *others]}
    similarity = st.none() | st.floats(0, 1)
    made = st.fixed_dictionaries({"position": st.integers(0, 99), "similarity": similarity}, optional=values)
    return draw(st.lists(made, max_size=12))


def table_of(path: Path, given_rows: list[dict[str, Any]], *, by_rows: bool, patch: pytest.MonkeyPatch) -> Any:
    """The Parquet file of rows, read back."""
    with patch.context() as patched:
        if by_rows:
            patched.setattr("simsieve.sinks.tables.plain_kinds", lambda *_: None)
        with written(TableSink(path, COLUMNS, last={"end": "text"})) as table:
            table.write(map(line_of, given_rows))
    return pq.read_table(path)


@given(made=rows())
def test_blocks_are_the_rows(made: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory) -> None:
    """Any rows give the same table both ways."""
    folder = tmp_path_factory.mktemp("tables")
    with pytest.MonkeyPatch.context() as patch:
        blocks = table_of(folder / "blocks.parquet", made, by_rows=False, patch=patch)
        slow = table_of(folder / "rows.parquet", made, by_rows=True, patch=patch)
    assert blocks.schema == slow.schema, json.dumps(made)
    assert blocks.equals(slow), json.dumps(made)


def test_a_table_of_several_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A column that a later block brings is empty before it."""
    monkeypatch.setattr("simsieve.sinks.tables._BLOCK_BYTES", 100)
    made = [{"position": at, "id": f"d{at}", "similarity": None} for at in range(50)]
    made[40]["note"] = "late"
    blocks = table_of(tmp_path / "blocks.parquet", made, by_rows=False, patch=monkeypatch)
    assert blocks.column_names == ["position", "id", "similarity", "note", "end"]
    assert blocks.column("note").to_pylist() == [row.get("note") for row in made]


@pytest.mark.parametrize("order", [1, -1])
def test_a_column_of_fractions_and_a_number_without_an_exact_float_is_text(
    order: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No digit of a number is lost, whichever comes first; a number with an exact float stays a number."""
    for number, kind in [(2**53 + 1, "string"), (-(2**53) - 1, "string"), (2**53, "double"), (2**63, "string")]:
        made = [{"position": 0, "id": at, "similarity": None} for at in (number, 0.5)][::order]
        table = table_of(tmp_path / "rows.parquet", made, by_rows=False, patch=monkeypatch)
        assert str(table.schema.field("id").type) == kind
        texts = [str(row["id"]) for row in made] if kind == "string" else [row["id"] for row in made]
        assert table.column("id").to_pylist() == texts


TEXTS = ["a fox jumps over the dog", "a fox jumps over the dog", "...", "a fox jumps over the dogs", "other words here"]
RECORDS: dict[str, list[dict[str, Any]]] = {
    "whole numbers": [{"id": at, "text": text} for at, text in enumerate(TEXTS)],
    "texts": [{"id": f"n{at}", "text": text} for at, text in enumerate(TEXTS)],
    "several kinds": [{"id": at if at % 2 else f"n{at}", "text": text} for at, text in enumerate(TEXTS)],
    "none": [{"text": text} for text in TEXTS],
    "some": [{"id": at, "text": text} if at % 2 else {"text": text} for at, text in enumerate(TEXTS)],
    "failed records": [{"id": 5}, *({"id": at, "text": text} for at, text in enumerate(TEXTS)), {"id": 9, "text": 7}],
}
RUNS: dict[str, dict[str, Any]] = {
    "plain": {},
    "against": {"against": [{"id": 70, "text": "other words here"}]},
    "schemes": {"scheme": [Criterion("chars64", 0.8), Criterion("words64", max_distance=9)], "combine": "any"},
}


@pytest.mark.parametrize("rows", [2, 1 << 17])
@pytest.mark.parametrize("records", RECORDS)
@pytest.mark.parametrize("run", RUNS)
def test_decisions_in_parquet_are_those_in_lines(
    run: str, records: str, rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever a block of rows ends; labels of several kinds are texts."""
    monkeypatch.setattr("simsieve.results.arrow._BLOCK_ROWS", rows)
    result = dedup(RECORDS[records], text_field="text", max_failed=2, **RUNS[run])
    result.write(tmp_path / "kept.jsonl", decisions=tmp_path / "d.parquet")
    result.write(tmp_path / "kept.jsonl", decisions=tmp_path / "d.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "d.jsonl").read_text(encoding="utf-8").splitlines()]
    names = list(dict.fromkeys(name for line in lines for name in line))
    labels = [line[name] for line in lines for name in ("id", "representative") if line[name] is not None]
    if len(set(map(type, labels))) > 1:
        for line in lines:
            line.update({name: None if line[name] is None else str(line[name]) for name in ("id", "representative")})
    table = pq.read_table(tmp_path / "d.parquet")
    assert table.column_names == names
    assert table.to_pylist() == [{name: line.get(name) for name in names} for line in lines]
