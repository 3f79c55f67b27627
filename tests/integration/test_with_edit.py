"""`--with-edit` adds the edit similarity to decisions and pairs, in every format, and decides nothing."""

import csv
import json
from itertools import combinations
from pathlib import Path

import pyarrow.parquet
import pytest
from tests.integration.conftest import Program

import simsieve as library
from simsieve import ConfigError, explain

TEXTS = [
    "The ferry leaves the harbour at seven in the morning", "The ferry leaves the harbour at eight in the morning",
    "the ferry leaves the harbour at seven, in the morning", "The baker opens his shop on the market square", "",
]  # fmt: skip
NEAR = ("--similarity", "0.5", "-q", "--with-edit")


def edits(a: str, b: str) -> float | None:
    """What `explain` says, as tables have it."""
    found = explain(a, b).edit
    return None if found is None else round(found, 6)


def rows(path: Path) -> list[dict[str, object]]:
    """The rows of a table, with values as JSON has them."""
    if path.suffix == ".parquet":
        return list(pyarrow.parquet.read_table(path).to_pylist())
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in path.read_text().splitlines()]
    with path.open(encoding="utf-8-sig", newline="") as file:
        made = csv.DictReader(file, delimiter="," if path.suffix == ".csv" else "\t")
        return [{**row, "edit": float(row["edit"]) if row["edit"] else None} for row in made]


@pytest.mark.parametrize("ending", ["jsonl", "csv", "tsv", "parquet"])
def test_decisions_and_pairs_have_the_edits(ending: str, simsieve: Program) -> None:
    """They are those of `explain`; kept records have none, and all other columns are as they are without."""
    simsieve.file("in.jsonl", "".join(json.dumps({"text": text}) + "\n" for text in TEXTS))
    plain, more = simsieve.folder / f"plain.{ending}", simsieve.folder / f"more.{ending}"
    assert simsieve("dedup", "in.jsonl", "-o", "k.jsonl", *NEAR[:3], "--decisions", plain.name).code == 0
    assert simsieve("dedup", "in.jsonl", "-o", "k.jsonl", *NEAR, "--decisions", more.name).code == 0
    found = rows(more)
    assert [row["edit"] for row in found] == [None, *(edits(text, TEXTS[0]) for text in TEXTS[1:3]), None, None]
    if ending not in {"csv", "tsv"}:
        assert [{key: row[key] for key in row if key != "edit"} for row in found] == rows(plain)

    done = simsieve("pairs", "in.jsonl", *NEAR, "-o", more.name)
    assert done.code == 0, done.err
    assert [row["edit"] for row in rows(more)] == [edits(a, b) for a, b in combinations(TEXTS[:3], 2)]


def test_pairs_on_stdout_and_old_records(simsieve: Program) -> None:
    """Lines of JSON too; an old record is measured as a new one is."""
    simsieve.file("new.jsonl", json.dumps({"text": TEXTS[1]}) + "\n")
    simsieve.file("old.jsonl", json.dumps({"text": TEXTS[0]}) + "\n")
    pairs = simsieve("pairs", "new.jsonl", "--against", "old.jsonl", *NEAR)
    run = ("dedup", "new.jsonl", "--against", "old.jsonl", "-o", "k.jsonl", "--allow-empty", *NEAR)
    assert simsieve(*run, "--decisions", "why.jsonl").code == 0
    assert json.loads(pairs.out)["edit"] == simsieve.rows("why.jsonl")[0]["edit"] == edits(TEXTS[0], TEXTS[1])


def test_where_there_are_no_texts_there_is_no_edit(simsieve: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """Given fingerprints have none; without RapidFuzz nothing is begun, and a collection of decisions is refused."""
    simsieve.file("in.jsonl", '{"text": "0f"}\n{"text": "1f"}\n')
    done = simsieve("pairs", "in.jsonl", "--scheme", "external8", "--max-distance", "1", "-q", "--with-edit")
    assert json.loads(done.out)["edit"] is None
    for more in (["--decisions", "mongodb://h/d.c"], []):
        done = simsieve("dedup", "in.jsonl", "-o", "k.jsonl", "--with-edit", *more)
        assert done.code == 2 and "--with-edit is a column of decisions: give a file for them" in done.err
    monkeypatch.setitem(__import__("sys").modules, "rapidfuzz.distance", None)
    with pytest.raises(
        ConfigError, match=r"counted by RapidFuzz, which is not installed: pip install 'simsieve\[edit\]'"
    ):
        library.dedup(TEXTS, with_edit=True)
