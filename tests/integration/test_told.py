"""What a run says of settings without effect and of records that all fail."""

import json
from pathlib import Path

import pytest
from tests.integration.conftest import Program

from simsieve import SimsieveWarning, dedup

TEXTS = [f"Question {number} on gravel and lamps. Solution: number {number}" for number in range(40)]


@pytest.mark.parametrize("rundir", [False, True])
@pytest.mark.parametrize("threads", ["1", "2"])
def test_patterns_are_counted(simsieve: Program, threads: str, rundir: bool) -> None:
    """The summary and the table say in how many texts each pattern matched; each text counts once."""
    lines = [json.dumps({"id": at, "text": text}) for at, text in enumerate([*TEXTS, "Neither of them", "12 alone"])]
    simsieve.file("in.jsonl", "\n".join([*lines, "no JSON"]))
    words = ["dedup", "in.jsonl", "--cut-at", "Solution:", "--strip", r"\d+", "--threads", threads, "--max-failed", "1"]
    words += ["--run-dir", "kept.rundir"] if rundir else []
    ended = simsieve(*words, "-o", "kept.jsonl", "--summary", "numbers.json").ok()
    numbers = json.loads((simsieve.folder / "numbers.json").read_text())
    assert numbers["matched"] == {"texts": 42, "cut_at": 40, "strip": 41}
    assert "cut-at            matched in 40 of 42 texts" in ended.err
    assert "strip             matched in 41 of 42 texts" in ended.err and "check the pattern" not in ended.err
    if rundir:
        again = simsieve(*words, "-o", "again.jsonl", "--resume", "--json")
        assert json.loads(again.out)["matched"] == numbers["matched"]


@pytest.mark.parametrize("command", ["dedup", "pairs"])
def test_a_pattern_without_a_match_is_warned_of(simsieve: Program, command: str) -> None:
    """A pattern that matches in no text has no effect, which is said even where nothing else is."""
    simsieve.file("in.jsonl", "\n".join(json.dumps({"text": text}) for text in TEXTS))
    ended = simsieve(command, "in.jsonl", "-o", "out.jsonl", "--cut-at", "Answer:", "--strip", "lamps", "-q")
    assert ended.err.startswith("simsieve: warning: --cut-at 'Answer:' matched in 0 of 40 texts: check the pattern\n")
    ended = simsieve(command, "in.jsonl", "-o", "out.jsonl", "--strip", "Answer:", "--extract", "text", "-q")
    assert "--extract gives has other white space" in ended.err
    with pytest.warns(SimsieveWarning, match="cut_at matched in 0 of 2 texts"):
        dedup(["one text", "another"], scheme="chars64:cut_at=Answer")


def test_verdicts_on_ids_that_there_are_not(simsieve: Program) -> None:
    """None that is known ends the run; some that are unknown are warned of."""
    simsieve.file("in.jsonl", "\n".join(json.dumps({"id": at, "text": text}) for at, text in enumerate(TEXTS)))
    simsieve.file("wrong.csv", "a,b,verdict\nq1,q2,same\nq3,q4,different\n")
    simsieve.file("some.csv", "a,b,verdict\nq1,q2,same\n1,2,different\n")
    for command in ("dedup", "pairs"):
        told = simsieve(command, "in.jsonl", "-o", "out.jsonl", "--verdicts", "wrong.csv", "-q").refused()
        assert told.startswith(
            "simsieve: none of the 2 verdicts is on records of these sources, such as 'q1': give the --id-field that"
            " the verdicts were made with, or the sources that were judged"
        )
        assert not (simsieve.folder / "out.jsonl").exists()
    ended = simsieve("dedup", "in.jsonl", "-o", "out.jsonl", "--verdicts", "some.csv", "-q")
    assert (ended.code, "1 of 2 verdicts names an id that no record has" in ended.err) == (0, True)
    assert simsieve("dedup", "in.jsonl", "--dry-run", "--verdicts", "wrong.csv", "-q", "--limit", "9").code == 0


@pytest.mark.parametrize("output", ["kept.jsonl", "kept.csv"])
def test_all_records_fail_and_the_output_has_records(simsieve: Program, output: str) -> None:
    """The output stays, the first reason is told, and the failed records are written."""
    simsieve.file("in.jsonl", '{"text": null}\n{"text": 7}\n')
    old = simsieve.file(output, "text\nold\n").read_bytes()
    ended = simsieve("dedup", "in.jsonl", "-o", output, "--failed", "failed.jsonl", "--decisions", "why.jsonl")
    assert (ended.code, Path(simsieve.folder, output).read_bytes()) == (2, old)
    assert 'the first that failed is record 0 (text_not_string): in.jsonl line 1: field "text" is null' in ended.err
    failed = simsieve.rows("failed.jsonl")
    assert [row["code"] for row in failed] == ["text_not_string"] * 2
    assert not (simsieve.folder / "why.jsonl").exists()


COMMANDS = {
    "dedup": ["dedup", "in.jsonl", "-o", "out.jsonl"],
    "pairs": ["pairs", "in.jsonl", "-o", "out.jsonl"],
    "fingerprint": ["fingerprint", "in.jsonl", "-o", "out.jsonl"],
}


@pytest.fixture
def source(simsieve: Program) -> Program:
    """The program with a source; two of its records fail."""
    simsieve.file("in.jsonl", b'{"text": "one good text of words"}\nno JSON\n{"text": "caf\xe9"}\n{"text": "good"}\n')
    return simsieve


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_failed_records_are_kept(source: Program, name: str) -> None:
    """The file has the bytes of each and the reason; the exit code goes by `--max-failed` as without it."""
    done = source(*COMMANDS[name], "--failed", "failed.jsonl", "--quiet")
    rows = source.rows("failed.jsonl")

    assert done.code == 1
    assert [(row["position"], row["line"], row["code"]) for row in rows] == [(1, 2, "not_json"), (2, 3, "invalid_utf8")]
    assert (rows[0]["record"], "record_base64" in rows[1]) == ("no JSON", True)
    assert (source.folder / "out.jsonl").exists()


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_the_file_is_checked_as_a_sink(source: Program, name: str) -> None:
    """It is neither the source nor another sink, and its folder is there."""
    for sink, part in [("in.jsonl", "source"), ("out.jsonl", "same file"), ("no/failed", "no")]:
        assert part in source(*COMMANDS[name], "--failed", sink, "--quiet").refused()
    assert source.names() == ["in.jsonl"]


@pytest.mark.parametrize("ending", ["jsonl", "jsonl.gz", "csv", "tsv", "parquet"])
@pytest.mark.parametrize("is_there", [False, True])
def test_the_file_is_for_its_owner_alone(source: Program, ending: str, is_there: bool) -> None:
    """It has the bytes of records, so its mode is 600 in every format; a file that it replaces has no say."""
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    path = source.folder / f"failed.{ending}"
    if is_there:
        path.write_text("earlier")
        path.chmod(0o644)
    assert source(*COMMANDS["dedup"], "--failed", path.name, "--quiet").code == 1

    assert path.stat().st_mode & 0o777 == 0o600
    assert (source.folder / "out.jsonl").stat().st_mode & 0o777 != 0o600
