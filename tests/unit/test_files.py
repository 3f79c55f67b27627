"""Files that are named: a pipe, a device or a folder is an error at once, and never waited for."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.integration.conftest import Outcome, Program

from simsieve.files import read_file

ROW = '{"id": 1, "text": "the quick brown fox jumps over the lazy dog"}\n'


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """Give a folder with a table, an index, and a pipe, a socket and a folder under many names."""
    (tmp_path / "a.jsonl").write_text(ROW, encoding="utf-8")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
        for ending in ("docx", "pdf", "parquet", "toml", "csv", "html"):
            os.mkfifo(tmp_path / f"pipe.{ending}")
            (tmp_path / f"folder.{ending}").mkdir()
            (tmp_path / f"zero.{ending}").symlink_to("/dev/zero")
            (tmp_path / f"socket.{ending}").symlink_to("socket")
        yield tmp_path


def called(place: Path, words: str, given: str = "") -> Outcome:
    """Run the program."""
    return Program(place)(*words.split(), given=given.encode())


@pytest.mark.parametrize(
    "words",
    [
        "dedup {}.docx --dry-run", "dedup {}.pdf --dry-run", "dedup {}.parquet --dry-run", "passages {}.docx",
        "dedup a.jsonl --dry-run --ignore {}.csv", "dedup a.jsonl --dry-run --scheme words64:dict={}.csv",
        "dedup a.jsonl --dry-run --scheme words64:stop={}.csv", "dedup a.jsonl --dry-run --scheme {}.toml",
        "dedup a.jsonl --dry-run --idf {}.csv --scheme keywords64", "dedup a.jsonl --dry-run --verdicts {}.csv",
        "dedup a.jsonl --dry-run --config {}.toml", "compare a.jsonl {}.csv", "compare {}.html a.jsonl --scheme dom64",
        "index remove none --ids {}.csv", "serve none --key-file {}.csv", "serve none --config {}.toml",
    ],
)  # fmt: skip
def test_a_pipe_is_told_at_once(place: Path, words: str) -> None:
    """Whatever names a file that is read whole: the name is in the error, and nothing waits for a writer."""
    code, _, said = called(place, words.format("pipe"))
    assert (code, "Traceback" in said) == (2, False)
    assert "pipe." in said or "none" in said


@pytest.mark.parametrize("kind", ["zero", "socket", "folder", "pipe"])
def test_what_is_no_file_is_no_content(place: Path, kind: str) -> None:
    """A device has no end, a socket and a folder have no content."""
    with pytest.raises(OSError, match=r"regular|directory|No such device"):
        read_file(place / f"{kind}.csv")


def test_what_a_program_is_given_open_is_read(place: Path) -> None:
    """Standard input by its names: of sources as before, and of files that the command line names."""
    for words, given in (
        ("dedup - -o -", ROW), ("dedup /dev/stdin --input-format jsonl -o -", ROW), ("compare /dev/stdin a.jsonl", ROW),
        ("dedup a.jsonl --dry-run --config /dev/stdin", "similarity = 0.7\n"),
    ):  # fmt: skip
        assert called(place, words, given).code == 0, words
    code, _, said = called(place, "dedup a.jsonl --dry-run --ignore /dev/stdin", ROW)
    assert (code, "no regular file" in said) == (2, True)


def test_a_file_of_any_size_is_bounded(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One byte more than the bound is an error."""
    monkeypatch.setattr("simsieve.files._MOST", len(ROW))
    assert read_file(place / "a.jsonl") == ROW.encode()
    with open(place / "a.jsonl", "a", encoding="utf-8") as file:
        file.write(" ")
    with pytest.raises(OSError, match="too large"):
        read_file(place / "a.jsonl")


def test_an_index_from_elsewhere_reads_regular_files_alone(place: Path) -> None:
    """Files that the settings of an index name may have become something else since."""
    (place / "stop.txt").write_text("fox\n", encoding="utf-8")
    (place / "ignored.jsonl").write_text(
        '{"simsieve_template": 1, "text": "jumps over the lazy dog"}\n', encoding="utf-8"
    )
    made = "--scheme words64:stop=stop.txt --ignore ignored.jsonl"
    assert called(place, f"index create seen a.jsonl {made}").code == 0
    for name in ("stop.txt", "ignored.jsonl"):
        (place / name).rename(place / "aside")
        for to, words in (("pipe.csv", "index stats seen"), ("zero.csv", "index check seen a.jsonl"),
                          ("socket", "serve seen --port 0"), ("folder.csv", "index verify seen")):  # fmt: skip
            (place / name).symlink_to(to)
            code, _, said = called(place, words)
            assert (code, name in said, "Traceback" in said) == (2, True, False), said
            (place / name).unlink()
        (place / "aside").rename(place / name)
    assert called(place, "index stats seen").code == 0
