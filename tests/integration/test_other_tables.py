"""Kept records in a table of another format than the sources have: their fields are its columns."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.integration.conftest import Program
from tests.integration.test_tables_of_results import plain, read

FOX = "the quick brown fox jumps over the lazy dog"
RECORDS = [
    {"id": "a", "text": FOX, "n": 1, "tags": ["x", None]},
    {"id": "b", "text": FOX, "n": 2},
    {"id": "c", "text": "pour the water, while it is nearly boiling", "n": 3.5, "tags": [1, {"weight": 2.50}, "1"]},
]


def write(program: Program, name: str) -> Path:
    """A source of the format of its name, with the records above."""
    program.file("made.jsonl", "".join(json.dumps(record) + "\n" for record in RECORDS))
    if name != "made.jsonl":
        done = program("dedup", "made.jsonl", "-o", name, "--max-distance", "0", "--differ", "id", "--quiet")
        assert (done.code, done.err) == (0, "")
    return program.folder / name


@pytest.mark.parametrize("source", ["made.jsonl", "in.csv", "in.tsv.gz", "in.parquet"])
@pytest.mark.parametrize("sink", ["kept.jsonl", "kept.csv", "kept.tsv", "kept.parquet"])
def test_every_table_goes_to_every_other(simsieve: Program, source: str, sink: str) -> None:
    """The kept records have the values of the source; in CSV and TSV as text."""
    write(simsieve, source)
    done = simsieve("dedup", source, "-o", sink, "--quiet")
    assert (done.code, done.err) == (0, "")
    kept: list[dict[str, Any]] = [record for record in RECORDS if record["id"] != "b"]
    found = read(simsieve.folder / sink)
    for record, wanted in zip(found, kept, strict=True):
        assert [plain(record.get(name)) for name in ("id", "text")] == [wanted["id"], wanted["text"]]
        assert plain(record.get("n")).removesuffix(".0") == plain(wanted["n"]).removesuffix(".0")
        assert plain(record.get("tags")).replace(" ", "") == plain(wanted["tags"])


def test_sources_of_two_formats_go_to_one_table(simsieve: Program) -> None:
    """Columns come in the order in which they are met; what a record lacks is empty."""
    simsieve.file("a.jsonl", json.dumps(RECORDS[0]) + "\n")
    simsieve.file("b.csv", f"id,text,note\nb,{FOX},\nd,lorem ipsum dolor sit amet consectetur,hm\n")
    done = simsieve("dedup", "a.jsonl", "b.csv", "-o", "kept.csv", "--quiet")
    assert (done.code, done.err) == (0, "")
    assert [(row["id"], row["n"], row["note"]) for row in read(simsieve.folder / "kept.csv")] == [
        ("a", "1", ""),
        ("d", "", "hm"),
    ]


def test_parquet_goes_to_standard_output_as_json_lines(simsieve: Program) -> None:
    """And a table of another format only where it is asked for."""
    write(simsieve, "in.parquet")
    lines = simsieve("dedup", "in.parquet", "-o", "-", "--quiet").out
    assert [json.loads(line)["id"] for line in lines.splitlines()] == ["a", "c"]
    table = simsieve("dedup", "in.parquet", "-o", "-", "--output-format", "csv", "--quiet").out
    assert table.decode("utf-8-sig").splitlines()[0] == "id,text,n,tags"
