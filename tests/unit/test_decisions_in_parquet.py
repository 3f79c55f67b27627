"""Decisions in Parquet are made of columns, and are those that the lines have."""

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

from simsieve import Criterion, dedup

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
    table = pyarrow.parquet.read_table(tmp_path / "d.parquet")
    assert table.column_names == names
    assert table.to_pylist() == [{name: line.get(name) for name in names} for line in lines]
