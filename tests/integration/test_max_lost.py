"""`--max-lost`: every output has what a drop loses, and runs decided again and old documents keep the bound."""

import json
from typing import Any

import pytest
from tests.integration.conftest import Program

STEM = "渡轮每天往返海湾两次，每次运四十辆汽车。"
ROWS = [STEM, STEM + "一周共运多少辆？", STEM + "每辆收费九元，一天共收多少？", STEM + "第1题"]


@pytest.fixture
def bank(simsieve: Program) -> Program:
    """A bank of four questions on one stem."""
    program = simsieve
    lines = (json.dumps({"id": f"q{at}", "text": text}, ensure_ascii=False) for at, text in enumerate(ROWS))
    program.file("bank.jsonl", "".join(line + "\n" for line in lines))
    return program


def rows_of(done: Any) -> list[dict[str, Any]]:
    """The JSON lines of stdout."""
    return [json.loads(line) for line in done.out.splitlines()]


def test_what_is_lost_is_in_every_output(bank: Program) -> None:
    """Decisions, dropped records, pairs, the summary and the closing table have it."""
    done = bank(
        "dedup", "bank.jsonl", "-o", "k.jsonl", "--keep", "longest", "--max-lost", "9", "--decisions", "d.csv",
        "--dropped", "x.jsonl", "--summary", "s.json",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert "lost by near      median 2.5, longest 5 units" in done.err
    header, *lines = (bank.folder / "d.csv").read_text("utf-8-sig").splitlines()
    at = header.split(",").index("lost")
    assert [line.split(",")[at] for line in lines] == ["0", "", "", "5"]
    dropped = bank.rows("x.jsonl")
    assert [row["lost"] for row in dropped] == [0, 5]
    summary = json.loads((bank.folder / "s.json").read_text("utf-8"))
    assert (summary["lost_median"], summary["lost_longest"]) == (2.5, 5)
    pairs = rows_of(bank("pairs", "bank.jsonl", "-q"))
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
    assert [row["conflict"] for row in rows_of(pairs)].count(True) == 8
    assert "10 pairs among 5 records (0 failed); numbers of 8 pairs conflict" in pairs.err
    done = simsieve("dedup", "a.jsonl", "b.jsonl", *words, "numbers")
    assert (done.code, "conflict" in done.err) == (0, False)
    assert [row["conflict"] for row in simsieve.rows("d.jsonl")] == [None, None, False, False, None]


def test_a_bound_holds_in_later_runs(bank: Program) -> None:
    """A run that is decided again, and a run on what an earlier one kept."""
    words = ("--keep", "longest", "--max-lost", "9", "-q")
    first = rows_of(bank("dedup", "bank.jsonl", "-o", "-", *words))
    assert [row["id"] for row in first] == ["q1", "q2"]
    assert bank("dedup", "bank.jsonl", "-o", "k.jsonl", "--run-dir", "a.run", *words).code == 0
    again = bank("dedup", "--run-dir", "a.run", "-o", "-", "-q", "--decisions", "d.jsonl", "--similarity", "0.61")
    assert [row["id"] for row in rows_of(again)] == ["q1", "q2"], again.err
    lost = [row["lost"] for row in bank.rows("d.jsonl")]
    assert lost == [0, None, None, 5]
    bank.file(
        "new.jsonl", json.dumps({"id": "n0", "text": STEM + "一周共运多少辆？去掉星期日。"}, ensure_ascii=False) + "\n"
    )
    for most, kept in (("9", 1), ("10", 0)):
        done = bank("dedup", "new.jsonl", "--against", "k.jsonl", "-o", "-", "-q", "--max-lost", most)
        assert len(rows_of(done)) == kept, done.err


def test_a_bound_holds_under_a_distance(bank: Program) -> None:
    """In pairs, decisions and a run decided again, as by the loop over all pairs of texts."""
    bound = ("--max-distance", "60", "--max-lost", "9")
    every = rows_of(bank("pairs", "bank.jsonl", "-q", "--max-distance", "60"))
    wanted = [row for row in every if min(row["lost_a"], row["lost_b"]) <= 9]
    assert 0 < len(wanted) < len(every)
    assert rows_of(bank("pairs", "bank.jsonl", "-q", *bound)) == wanted
    kept = rows_of(bank("dedup", "bank.jsonl", "-o", "-", "-q", *bound))
    assert len(kept) > len(rows_of(bank("dedup", "bank.jsonl", "-o", "-", "-q", "--max-distance", "60")))
    assert bank("dedup", "bank.jsonl", "-o", "k.jsonl", "-q", "--run-dir", "a.run", *bound).code == 0
    assert rows_of(bank("dedup", "--run-dir", "a.run", "-o", "-", "-q", "--max-distance", "60")) == kept
