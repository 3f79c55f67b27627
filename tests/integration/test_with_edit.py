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

    simsieve("pairs", "in.jsonl", *NEAR, "-o", more.name).ok()
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
    with pytest.raises(ConfigError, match="counted by RapidFuzz, which is not installed: pip install rapidfuzz"):
        library.dedup(TEXTS, with_edit=True)


STEM = "渡轮每天往返海湾两次，每次运四十辆汽车。"
ROWS = [STEM, STEM + "一周共运多少辆？", STEM + "每辆收费九元，一天共收多少？", STEM + "第1题"]


@pytest.fixture
def bank(simsieve: Program) -> Program:
    """A bank of four questions on one stem."""
    program = simsieve
    lines = (json.dumps({"id": f"q{at}", "text": text}, ensure_ascii=False) for at, text in enumerate(ROWS))
    program.file("bank.jsonl", "".join(line + "\n" for line in lines))
    return program


def test_what_is_lost_is_in_every_output(bank: Program) -> None:
    """Decisions, dropped records, pairs, the summary and the closing table have it."""
    done = bank(
        "dedup",
        "bank.jsonl",
        "-o",
        "k.jsonl",
        "--keep",
        "longest",
        "--max-lost",
        "9",
        "--decisions",
        "d.csv",
        "--dropped",
        "x.jsonl",
        "--summary",
        "s.json",
    ).ok()
    assert "lost by near      median 2.5, longest 5 units" in done.err
    header, *lines = (bank.folder / "d.csv").read_text("utf-8-sig").splitlines()
    at = header.split(",").index("lost")
    assert [line.split(",")[at] for line in lines] == ["0", "", "", "5"]
    dropped = bank.rows("x.jsonl")
    assert [row["lost"] for row in dropped] == [0, 5]
    summary = json.loads((bank.folder / "s.json").read_text("utf-8"))
    assert (summary["lost_median"], summary["lost_longest"]) == (2.5, 5)
    pairs = bank("pairs", "bank.jsonl", "-q").rows()
    assert {(row["a"], row["b"]): (row["lost_a"], row["lost_b"]) for row in pairs}["q0", "q1"] == (0, 14)


def test_conflicts_are_counted(simsieve: Program) -> None:
    """By the summary, the closing table, of each source, of pairs, and none where a rule keeps them apart."""
    report = "Market report of {} May. Wheat costs {} a ton in the port, and trade is calm today."
    for name, values in (("a", [(3, 210), (9, 245), (9, 245)]), ("b", [(3, 210), (8, 260)])):
        rows = (json.dumps({"id": f"{name}{at}", "text": report.format(*of)}) for at, of in enumerate(values))
        simsieve.file(f"{name}.jsonl", "".join(f"{row}\n" for row in rows))
    words = ("-o", "k.jsonl", "--decisions", "d.jsonl", "--summary", "s.json", "--conflict")
    done = simsieve("dedup", "a.jsonl", "b.jsonl", *words, "none")
    assert "conflicts         numbers of 2 of 2 near duplicates conflict: --conflict numbers keeps" in done.err
    assert "a.jsonl: 2 (66.67 %), 1 conflict" in done.err
    assert [row["conflict"] for row in simsieve.rows("d.jsonl")] == [None, True, True, False, True]
    summary = json.loads((simsieve.folder / "s.json").read_text("utf-8"))
    assert [summary["conflicts"], *(share["conflicts"] for share in summary["sources"])] == [2, 1, 1]
    pairs = simsieve("pairs", "a.jsonl", "b.jsonl")
    assert [row["conflict"] for row in pairs.rows()].count(True) == 8
    assert "10 pairs among 5 records (0 failed); numbers of 8 pairs conflict" in pairs.err
    done = simsieve("dedup", "a.jsonl", "b.jsonl", *words, "numbers")
    assert (done.code, "conflict" in done.err) == (0, False)
    assert [row["conflict"] for row in simsieve.rows("d.jsonl")] == [None, None, False, False, None]


def test_a_bound_holds_in_later_runs(bank: Program) -> None:
    """A run that is decided again, and a run on what an earlier one kept."""
    words = ("--keep", "longest", "--max-lost", "9", "-q")
    first = bank("dedup", "bank.jsonl", "-o", "-", *words).rows()
    assert [row["id"] for row in first] == ["q1", "q2"]
    assert bank("dedup", "bank.jsonl", "-o", "k.jsonl", "--run-dir", "a.run", *words).code == 0
    again = bank("dedup", "--run-dir", "a.run", "-o", "-", "-q", "--decisions", "d.jsonl", "--similarity", "0.61")
    assert [row["id"] for row in again.rows()] == ["q1", "q2"], again.err
    assert [row["lost"] for row in bank.rows("d.jsonl")] == [0, None, None, 5]
    bank.file(
        "new.jsonl", json.dumps({"id": "n0", "text": STEM + "一周共运多少辆？去掉星期日。"}, ensure_ascii=False) + "\n"
    )
    for most, kept in (("9", 1), ("10", 0)):
        done = bank("dedup", "new.jsonl", "--against", "k.jsonl", "-o", "-", "-q", "--max-lost", most)
        assert len(done.rows()) == kept, done.err


def test_a_bound_holds_under_a_distance(bank: Program) -> None:
    """In pairs, decisions and a run decided again, as by the loop over all pairs of texts."""
    bound = ("--max-distance", "60", "--max-lost", "9")
    every = bank("pairs", "bank.jsonl", "-q", "--max-distance", "60").rows()
    wanted = [row for row in every if min(row["lost_a"], row["lost_b"]) <= 9]
    assert 0 < len(wanted) < len(every) and bank("pairs", "bank.jsonl", "-q", *bound).rows() == wanted
    kept = bank("dedup", "bank.jsonl", "-o", "-", "-q", *bound).rows()
    assert len(kept) > len(bank("dedup", "bank.jsonl", "-o", "-", "-q", "--max-distance", "60").rows())
    assert bank("dedup", "bank.jsonl", "-o", "k.jsonl", "-q", "--run-dir", "a.run", *bound).code == 0
    assert bank("dedup", "--run-dir", "a.run", "-o", "-", "-q", "--max-distance", "60").rows() == kept
