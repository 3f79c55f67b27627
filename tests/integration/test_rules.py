"""Fields that must be equal and verdicts, on the command line: what they do, and what is refused."""

import json
from typing import Any

import pytest
from tests.integration.conftest import Program

STEM = "Read the passage on trade winds and choose the one statement that the author would agree with most"
ROWS: list[dict[str, Any]] = [
    {"id": "q1", "text": STEM, "subject": "geography", "answer": "A"},
    {"id": "q2", "text": STEM + " today", "subject": "geography", "answer": "C"},
    {"id": "q3", "text": STEM, "subject": "geography", "answer": "A"},
    {"id": "q4", "text": STEM + " now", "subject": "English", "answer": "A"},
    {"id": 5, "text": "A text about something else, with words of its own", "subject": "law", "answer": ["A", "B"]},
    {"id": 6, "text": "Another text, of other words and on another thing", "subject": "law", "answer": ["A",  "B"]},
]  # fmt: skip


@pytest.fixture
def program(simsieve: Program) -> Program:
    """Give the program in a folder with questions, as JSON lines and as a table."""
    simsieve.file("q.jsonl", "".join(json.dumps(row) + "\n" for row in ROWS))
    table = ["id;text;subject", *(f"{row['id']};{row['text'].replace(',', '')};{row['subject']}" for row in ROWS)]
    simsieve.file("q.csv", "\n".join(table) + "\n")
    return simsieve


def kept(program: Program, *words: str) -> list[Any]:
    """The ids that a run keeps."""
    done = program("dedup", "q.jsonl", "-o", "-", "--quiet", *words).ok()
    return [json.loads(line)["id"] for line in done.out.splitlines()]


def test_fields_that_must_be_equal(program: Program) -> None:
    """Blocks and differing fields keep records; exact copies collapse only where they are equal. Lists are values."""
    assert kept(program) == ["q1", 5, 6] and kept(program, "--block-by", "subject") == ["q1", "q4", 5, 6]
    assert kept(program, "--differ", "answer") == ["q1", "q2", 5, 6]
    assert kept(program, "--differ", "answer", "--block-by", "subject") == ["q1", "q2", "q4", 5, 6]
    program.file("v.tsv", "a\tb\tverdict\n5\t6\tsame\n")
    assert kept(program, "--differ", "answer", "--verdicts", "v.tsv") == ["q1", "q2", 5]
    done = program("dedup", "q.csv", "-o", "k.csv", "--differ", "subject")
    assert (done.code, (program.folder / "k.csv").read_bytes().count(b"\n")) == (0, 5), done.err


def test_numbers_that_must_be_the_same(program: Program) -> None:
    """Other numbers keep records apart, however near; a number is one in any form. Pairs agree."""
    stem = "A ball falls from a tower of {} m and takes {} seconds to reach the ground below it"
    law = "第{}条规定，任何单位和个人都不得以任何方式损害他人的合法权益，违者依法承担责任"
    texts = [
        stem.format(45, 3), stem.format("４５", "3.0"), stem.format("045", 3), stem.format(3, 45),
        law.format("一百二十三"), law.format("123"), law.format("一百二十四"),
    ]  # fmt: skip
    program.file("q.jsonl", "".join(json.dumps({"id": at, "text": text}) + "\n" for at, text in enumerate(texts)))
    words = ("--same", "numbers", "--similarity", "0.6")

    assert kept(program, "--similarity", "0.6") == [0, 4]
    # A number is one with its unit: 45 m and 3 seconds are not 3 m and 45 seconds.
    assert kept(program, *words) == [0, 1, 3, 4, 6]
    found = program("pairs", "q.jsonl", "-o", "-", "-q", *words)
    assert sorted((row["a"], row["b"]) for row in map(json.loads, found.out.splitlines())) == [
        (0, 2), (4, 5)
    ]  # fmt: skip
    assert program("dedup", "q.jsonl", "-o", "k.jsonl", "-q", *words, "--run-dir", "a.run").code == 0
    again = program("dedup", "--run-dir", "a.run", "-o", "-", "-q", "--similarity", "0.7")
    assert [json.loads(line)["id"] for line in again.out.splitlines()] == [0, 1, 3, 4, 6], again.err
    assert kept(program, *words, "--strip", r"第[^条]*条") == [0, 1, 3, 4]


def test_verdicts_decide(program: Program) -> None:
    """Each verdict holds; the closing table, decisions, pairs and a run directory have it."""
    rows = [(5, 6, "keep b"), ("q1", "q3", "different"), ("q9", "q1", "same"), ("q2", "q4", "")]
    lines = ["note,Verdict,a,B", *(f",{word},{a},{b}" for a, b, word in rows)]
    program.file("v.csv", "\ufeff" + "\n".join(lines))
    words = ("--verdicts", "v.csv")

    done = program("dedup", "q.jsonl", "-o", "k.jsonl", "--decisions", "d.jsonl", "--run-dir", "r", *words).ok()
    assert "verdicts          0 same, 1 different, 1 keep; 1 on unknown ids" in done.err
    assert "1 of 3 verdicts names an id that no record has, such as 'q9'" in done.err
    why = program.rows("d.jsonl")
    assert [row["id"] for row in why if row["decision"] == "kept"] == ["q1", "q3", 6]
    assert [(row["reason"], row["representative"], row["similarity"]) for row in why[4:5]] == [("verdict", 6, None)]

    again = program("dedup", "--run-dir", "r", "-o", "-", "--similarity", "0.99", "--quiet")
    assert [json.loads(line)["id"] for line in again.out.splitlines()] == ["q1", "q2", "q3", "q4", 6], again.err
    pairs = program("pairs", "q.jsonl", *words)
    found = [(row["a"], row["b"]) for row in map(json.loads, pairs.out.splitlines())]
    assert (5, 6) in found and ("q1", "q3") not in found
    assert ("q1", "q2") in found


def test_verdicts_hold_against_old_documents(program: Program) -> None:
    """A new record that a verdict keeps apart from an old one stays; an old one is not put behind a new one."""
    program.file("new.jsonl", json.dumps({"id": "n1", "text": STEM}) + "\n")
    words = ("dedup", "new.jsonl", "--against", "q.jsonl", "-o", "-", "--quiet", "--verdicts", "v.csv")
    program.file("v.csv", "a,b,verdict\n" + "".join(f"n1,q{at},different\n" for at in range(1, 5)))
    assert program(*words).out.count(b"\n") == 1
    program.file("v.csv", "a,b,verdict\nn1,q1,keep a\n")
    done = program(*words)
    assert done.code == 2 and 'keeps the record "n1" before "q1", which is an old one' in done.err


CYCLE = "5,q1,keep a\nq1,q2,keep a\n5,q2,keep b\n"


@pytest.mark.parametrize(
    ("rows", "parts"),
    [
        ("q1,q2,same\nq2,q1,different\n", ["contradict", "line 2", "line 3"]),
        ("q1,q2,keep a\nq2,q1,keep a\n", ["each keeps the other", "line 2", "line 3"]),
        (CYCLE, ["in a circle", "line 2", "line 3", "line 4"]),
    ],
)
def test_verdicts_that_contradict_are_refused(program: Program, rows: str, parts: list[str]) -> None:
    """They end the run before the output is touched, with the line and what to do."""
    program.file("v.csv", "a,b,verdict\n" + rows)
    program.file("k.jsonl", "an output of yesterday\n")
    done = program("dedup", "q.jsonl", "-o", "k.jsonl", "--verdicts", "v.csv")

    assert (done.code, (program.folder / "k.jsonl").read_bytes()) == (2, b"an output of yesterday\n")
    assert [part for part in parts if part not in done.err] == []
    assert done.err.count("\n") == 1


def test_other_tables_are_refused(program: Program) -> None:
    """A file that is missing, fields of plain texts, and an id of several records."""
    program.file("t.txt", "one text\nanother text\n")
    program.file("w.csv", "a,b,verdict\nq1,q2,same\n")
    for words, part in [
        (("q.jsonl", "--verdicts", "gone.csv"), "gone.csv"),
        (("t.txt", "--differ", "answer"), 'its records are texts and have no field "answer"'),
        (("q.csv", "--differ", "anwser"), "no column 'anwser'; there are 'id', 'text', 'subject'"),
        (("q.jsonl", "--id-field", "subject", "--verdicts", "w.csv"), "q1"),
    ]:
        done = program("dedup", *words, "--dry-run")
        assert part in done.err, done.err
    program.file("w.csv", "a,b,verdict\nlaw,English,same\n")
    done = program("dedup", "q.jsonl", "--id-field", "subject", "--verdicts", "w.csv", "--dry-run")
    assert (done.code, 'names the id "law", and several records have it' in done.err) == (2, True)


def test_verdicts_that_fields_overrule_are_told(program: Program) -> None:
    """A verdict joins no records that differ in a field, and a warning says so."""
    program.file("v.csv", "a,b,verdict\nq1,q2,same\n")
    done = program("dedup", "q.jsonl", "-o", "k.jsonl", "--differ", "answer", "--verdicts", "v.csv")
    assert "1 of 1 verdicts say same or keep of records that differ in answer: they stay apart" in done.err
