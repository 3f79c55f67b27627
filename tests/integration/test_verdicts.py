"""Verdicts on the command line: what a review writes, a run takes."""

import csv
import json
from pathlib import Path

import pytest
from tests.integration.conftest import Program

NAMELESS = "".join(
    f'{{"no": {at + 1}, "text": "the quick brown fox jumps over the lazy dog {end}"}}\n' for at, end in enumerate("xyz")
)


def test_a_run_without_verdicts_takes_none(simsieve: Program) -> None:
    """The message says what to do, and has no None."""
    simsieve.file("in.jsonl", NAMELESS)
    simsieve.file("v.csv", "a,b,verdict\n0,1,different\n")
    assert simsieve("dedup", "in.jsonl", "-o", "k.jsonl", "--run-dir", "w.run", "--quiet").code == 0
    told = simsieve("dedup", "--run-dir", "w.run", "-o", "l.jsonl", "--verdicts", "v.csv").refused()
    assert "verdicts is not given in the run in w.run, and v.csv is given: leave it out" in told


def judged(path: Path, verdict: str = "different") -> None:
    """Fill in the verdicts of a review."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]))
        table.writeheader()
        table.writerows(row | {"verdict": verdict} for row in rows)


def test_what_a_review_writes_a_run_takes(simsieve: Program, tmp_path: Path) -> None:
    """With ids that repeat, without ids, with ids that are positions of others, or formulas, in several files."""
    fox = "the quick brown fox jumps over the lazy dog"
    ids = ['"x"', '"x"', "null", "2", '"=1+2"', '"-5"', "7"]
    lines = [f'{{"id": {name}, "text": "{fox} {end}"}}\n' for name, end in zip(ids, "abcdefg", strict=True)]
    simsieve.file("a.jsonl", "".join(lines[:4]))
    simsieve.file("b.jsonl", "".join(lines[4:]))
    sources = ["a.jsonl", "b.jsonl"]
    for name in ("r.csv", "r.tsv", "r.jsonl", "r.parquet"):
        assert simsieve("review", *sources, "-o", name, "--quiet").code == 0
    judged(tmp_path / "r.csv")
    rows = [json.loads(line) for line in (tmp_path / "r.jsonl").read_text(encoding="utf-8").splitlines()]
    simsieve.file("v.jsonl", "".join(json.dumps(row | {"verdict": "different"}) + "\n" for row in rows))
    for name in ("r.csv", "v.jsonl"):
        assert b"precision  0.0000" in simsieve("review", *sources, "--verdicts", name, "--quiet").silent().out
        run = simsieve("dedup", *sources, "--verdicts", name, "-o", "k.jsonl")
        assert run.code == 0 and f"0 same, {len(rows)} different, 0 keep" in run.err, run.err


def test_positions_are_not_taken_for_those_of_other_sources(simsieve: Program, tmp_path: Path) -> None:
    """In another order records are found by id and text; for one that is not there no other is taken."""
    simsieve.file("a.jsonl", NAMELESS)
    simsieve.file("b.jsonl", '{"text": "something else entirely, on gravel and lamps"}\n')
    assert simsieve("review", "a.jsonl", "-o", "r.csv", "--quiet").code == 0
    judged(tmp_path / "r.csv")
    done = simsieve("dedup", "b.jsonl", "a.jsonl", "--verdicts", "r.csv", "-o", "k.jsonl")
    assert done.code == 2 and "the text there is another one: the sources have changed, or are in another" in done.err
    assert simsieve("dedup", "a.jsonl", "b.jsonl", "--verdicts", "r.csv", "-o", "k.jsonl", "-q").code == 0
    same = "".join(f'{{"id": "x", "text": "the quick brown fox jumps over the lazy dog {end}"}}\n' for end in "xyz")
    simsieve.file("c.jsonl", same)
    assert simsieve("review", "c.jsonl", "-o", "s.csv", "--quiet").code == 0
    judged(tmp_path / "s.csv")
    done = simsieve("dedup", "b.jsonl", "c.jsonl", "--verdicts", "s.csv", "-o", "k.jsonl")
    assert done.code == 0 and "0 same, 2 different, 0 keep" in done.err
    simsieve.file("d.jsonl", same.splitlines()[0] + "\n" + same.splitlines()[1].replace("fox", "cat") + "\n")
    done = simsieve("dedup", "d.jsonl", "--verdicts", "s.csv", "-o", "k.jsonl")
    assert done.code == 2 and "none of them is at the position given" in done.err


@pytest.mark.parametrize(
    ("table", "part"),
    [
        ("a,b,verdict,position_a,position_b\nx,y,same,3,3\n", "v.csv, line 2: a and b are both 'x'"),
        ("a,b,verdict\nx,y,same\ny,x,different\n", "verdicts contradict one another"),
        ("a,b,verdict,position_a,check_a\nx,y,same,1,zz\n", "check_a 'zz' is none: leave it as it was"),
    ],
)
@pytest.mark.parametrize("command", ["review", "dedup", "calibrate"])
def test_mistakes_in_verdicts_come_before_the_sources(simsieve: Program, command: str, table: str, part: str) -> None:
    """The source is not there, and the mistake is told."""
    simsieve.file("v.csv", table)
    done = simsieve(command, "no.jsonl", "--verdicts", "v.csv", "-o", "k.jsonl" if command == "dedup" else "k.html")
    assert done.code == 2 and part in done.err, done.err


def test_records_without_an_id_are_named_by_their_position(simsieve: Program, tmp_path: Path) -> None:
    """A review of them serves a run, also where a field of ids is given later; ids alone are no positions."""
    simsieve.file("in.jsonl", NAMELESS)
    assert simsieve("review", "in.jsonl", "-o", "r.csv", "--quiet").code == 0
    assert simsieve("review", "in.jsonl", "-o", "ids.csv", "--quiet", "--id-field", "no").code == 0
    judged(tmp_path / "r.csv")
    judged(tmp_path / "ids.csv")
    run = ("dedup", "in.jsonl", "-o", "k.jsonl")
    for name, more in [
        ("r.csv", ()),
        ("ids.csv", ("--id-field", "no")),
        ("r.csv", ("--id-field", "no")),
        ("ids.csv", ()),
    ]:
        assert "0 same, 2 different, 0 keep" in simsieve(*run, "--verdicts", name, *more).ok().err, (name, more)
    simsieve.file("alone.csv", "a,b,verdict\n7,8,same\n")
    none = simsieve(*run, "--verdicts", "alone.csv")
    assert none.code == 2 and "none of the 1 verdicts is on records of these sources, such as '7'" in none.err
    simsieve.file("old.csv", "a,b,verdict,position_a,position_b\n0,1,different,0,1\n")
    assert "0 same, 1 different, 0 keep" in simsieve(*run, "--verdicts", "old.csv").err
    refused = simsieve(*run, "--verdicts", "old.csv", "--id-field", "no").refused()
    assert 'names record 0 by its position, and the record has the id "1"; give the --id-field' in refused
    simsieve.file("w.csv", "a,b,verdict,position_a,position_b\n0,1,different,zero,1\n")
    assert "position_a 'zero' is no position" in simsieve(*run, "--verdicts", "w.csv").err


def test_a_batch_without_a_verdict_is_told_and_added(simsieve: Program) -> None:
    """A table that grows day by day names none of a first batch, or only documents out of the window: it is told."""
    row = '{{"id": "{0}", "text": "{1} stands on the other shelf", "day": "{2}"}}\n'
    simsieve.file("old.jsonl", row.format("a", "a red boat with one lamp", "2026-11-01"))
    simsieve.file("new.jsonl", row.format("b", "nine grey stones and a rope", "2026-12-01"))
    for number, line in enumerate(("x,y,different", "a,b,same")):
        simsieve.file("v.csv", f"a,b,verdict\n{line}\n")
        assert simsieve("index", "create", f"i{number}", "old.jsonl", "--window", "1d", "--date-field", "day").code == 0
        for command in ("check", "add"):
            done = simsieve("index", command, f"i{number}", "new.jsonl", "--verdicts", "v.csv")
            assert (done.code, "1 of 1 verdicts names an id that no record has" in done.err) == (0, True), done.err
    assert simsieve("dedup", "new.jsonl", "-o", "k.jsonl", "--verdicts", "v.csv").code == 2


def test_fields_are_shown_beside_the_texts(simsieve: Program, tmp_path: Path) -> None:
    """In the page and in the table; a field that there is not is an error."""
    simsieve.file(
        "in.csv",
        "id,题目,答案,科目\n1,the quick brown fox jumps over it,甲,文\n2,the quick brown fox jumps over me,乙,文\n",
    )
    words = ("review", "in.csv", "--text-field", "题目", "--quiet", "--similarity", "0.5")
    assert simsieve(*words, "-o", "r.csv", "--show", "答案", "--show", "科目").code == 0
    with (tmp_path / "r.csv").open(encoding="utf-8-sig", newline="") as file:
        (row,) = csv.DictReader(file)
    assert [row[name] for name in ("答案_a", "答案_b", "科目_a", "科目_b")] == ["甲", "乙", "文", "文"]
    assert simsieve(*words, "-o", "r.html", "--show", "答案").code == 0
    assert '"fields": [["答案", "甲", "乙"]]' in (tmp_path / "r.html").read_text(encoding="utf-8")
    done = simsieve(*words, "-o", "r.html", "--show", "答按")
    assert done.code == 2 and "show has '答按', and the first records have no such field" in done.err
