"""The closing table, the summary file, the differences of texts, the progress lines."""

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from simsieve import SinkError
from simsieve.cli.progress import PlainProgress, shown_progress
from simsieve.recall import estimate
from simsieve.report.differences import Difference, differences, shortened
from simsieve.report.summary import write_summary
from simsieve.report.table import aligned, readable_bytes, summary_rows, with_rate

SUMMARY: dict[str, Any] = {
    "read": 2000, "kept": 1500, "exact_duplicates": 300, "near_duplicates": 195, "failed": 5, "clusters": 200,
    "largest_cluster": 40, "repeated_ids": 0, "candidates": 12345, "verified": 678, "seconds": 2.0,
    "bytes_read": 5_000_000, "peak_rss_bytes": 123_456_789,
}  # fmt: skip


def test_the_table() -> None:
    """The table has counts with rates in percent, the recall with its interval, speed and memory."""
    rows = dict(summary_rows(SUMMARY, estimate(1500, 495, 1000, 0)))

    assert rows["read"] == "2,000"
    assert rows["kept"] == "1,500 (75.00 %)"
    assert rows["exact duplicates"] == "300 (15.00 %)"
    assert rows["near duplicates"] == "195 (9.75 %)"
    assert rows["failed"] == "5 (0.25 %)"
    assert rows["recall"].startswith("1.0000 (95 % interval 0.98")
    assert rows["candidate pairs"] == "12,345"
    assert rows["speed"] == "2.5 MB/s"
    assert rows["peak memory"] == "123.5 MB"


def test_the_table_of_nothing() -> None:
    """A run of no records in no time has no rates and no speed."""
    rows = dict(summary_rows(dict.fromkeys(SUMMARY, 0), None))

    assert (rows["read"], rows["kept"], rows["recall"], rows["speed"]) == ("0", "0", "not measured", "-")


def test_rows_are_aligned() -> None:
    """The values begin in one column."""
    assert aligned([("a", "1"), ("long", "2")]).splitlines() == ["a     1", "long  2"]
    assert aligned([]) == ""


@pytest.mark.parametrize(
    ("size", "text"), [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (2_500_000, "2.5 MB"), (7 * 10**16, "70000.0 TB")]
)
def test_sizes(size: int, text: str) -> None:
    """A size is written in the largest decimal unit that leaves 1 or more."""
    assert text == readable_bytes(size)
    assert with_rate(3, 4) == "3 (75.00 %)"


def test_a_summary_file_appears_whole(tmp_path: Path) -> None:
    """The file holds the summary, has the usual rights, replaces what was there, and leaves nothing beside it."""
    sink = tmp_path / "summary.json"
    sink.write_text("old")
    write_summary(sink, SUMMARY)

    assert json.loads(sink.read_text()) == SUMMARY
    assert [sink] == list(tmp_path.iterdir())
    mask = os.umask(0)
    os.umask(mask)
    assert 0o666 & ~mask == stat.S_IMODE(sink.stat().st_mode)


def test_a_summary_file_that_cannot_be_written(tmp_path: Path) -> None:
    """A missing folder or an object that is no JSON leaves nothing at the file's name."""
    with pytest.raises(SinkError, match=r"nowhere.*choose another place"):
        write_summary(tmp_path / "nowhere" / "summary.json", SUMMARY)
    with pytest.raises(TypeError):
        write_summary(tmp_path / "summary.json", {"x": object()})

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("a", "b", "found"),
    [
        ("same", "same", []),
        ("one two", "one 2", [Difference(4, 4, "two", "2")]),
        ("one", "one two", [Difference(3, 3, "", " two")]),
        ("one two", "two", [Difference(0, 0, "one ", "")]),
        ("我们好", "我你好", [Difference(1, 1, "们", "你")]),
        ("", "x", [Difference(0, 0, "", "x")]),
    ],
)
def test_differences(a: str, b: str, found: list[Difference]) -> None:
    """Texts are aligned by words, and Han by characters; each difference has its places."""
    assert found == differences(a, b)


def test_long_texts_are_aligned_by_lines() -> None:
    """Beyond 20,000 words lines are compared, so that long texts take no longer than they need."""
    lines = [f"line {number} of the text\n" for number in range(6000)]
    other = [*lines[:3000], "another line\n", *lines[3001:]]

    assert [
        Difference(len("".join(lines[:3000])), len("".join(lines[:3000])), lines[3000], other[3000])
    ] == differences("".join(lines), "".join(other))


def test_differences_are_shortened() -> None:
    """A long difference is cut in its middle to 80 characters."""
    text = shortened("a" * 100 + "b" * 100)

    assert (len(text), text[0], text[-1]) == (80, "a", "b")
    assert "…" in text


def test_plain_progress_is_seldom() -> None:
    """Elsewhere than on a terminal a line comes at most every five seconds, with share and time."""
    lines: list[str] = []
    now = iter([0.0, 1.0, 5.0, 6.0, 11.0])
    progress = PlainProgress(lines.append, lambda: next(now))
    for done, total in ((1, 10), (5, 10), (6, 10), (70, 0)):
        progress("read", done, total)

    assert lines == ["simsieve: read 50 % (5 of 10), 5 s", "simsieve: read 70, 11 s"]


def test_quiet_shows_nothing() -> None:
    """With quiet there is nothing to call."""
    with shown_progress(quiet=True) as progress:
        assert progress is None
