"""`--failed`: every command that reads records keeps those that failed, with the same lines."""

import pytest
from tests.integration.conftest import Program

COMMANDS = {
    "dedup": ["dedup", "in.jsonl", "-o", "out.jsonl"],
    "pairs": ["pairs", "in.jsonl", "-o", "out.jsonl"],
    "fingerprint": ["fingerprint", "in.jsonl", "-o", "out.jsonl"],
}


@pytest.fixture
def source(simsieve: Program) -> Program:
    """The program with a source of which two records fail."""
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
        done = source(*COMMANDS[name], "--failed", sink, "--quiet")
        assert (done.code, part in done.err) == (2, True), done.err
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
