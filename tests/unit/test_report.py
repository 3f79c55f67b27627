"""The closing table, the summary file, the differences of texts, the progress lines."""

import difflib
import json
import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from simsieve import SinkError
from simsieve.differences import Difference, differences, shortened
from simsieve.display import readable_bytes
from simsieve.report.table import aligned, output_rows, summary_rows, with_rate
from simsieve.results.recall import estimate
from simsieve.results.summary import write_summary
from simsieve.screen import cells
from simsieve.sinks.checks import Sinks

SUMMARY: dict[str, Any] = {
    "read": 2000, "kept": 1500, "exact_duplicates": 300, "near_duplicates": 195, "failed": 5, "clusters": 200,
    "largest_cluster": 40, "repeated_ids": 0, "candidates": 12345, "verified": 678, "seconds": 2.0,
    "bytes_read": 5_000_000, "peak_rss_bytes": 123_456_789,
}  # fmt: skip


def test_the_table() -> None:
    """The table has counts with rates in percent, the recall with its interval, speed and memory."""
    rows = dict(summary_rows(SUMMARY, estimate(1500, 495, 1000, 0), verbose=True))

    assert rows["read"] == "2,000" and rows["kept"] == "1,500 (75.00 %)"
    assert rows["exact duplicates"] == "300 (15.00 %)" and rows["near duplicates"] == "195 (9.75 %)"
    assert rows["failed"] == "5 (0.25 %)" and rows["recall"].startswith("1.0000 (95 % interval 0.98")
    assert rows["candidate pairs"] == "12,345" and rows["speed"] == "2.5 MB/s"
    assert rows["peak memory"] == "123.5 MB"


def test_the_table_has_the_stages_and_both_kinds_of_memory() -> None:
    """Stages have seconds, CPU seconds and memory, as far as the system counts it; short ones have no row."""
    search = {"stage": "search", "seconds": 1.5, "cpu_seconds": 3.0}
    memory = {"anonymous_bytes": 200_000_000, "mapped_bytes": 30_000_000}
    stages = [{"stage": "open", "seconds": 0.001, "cpu_seconds": 0.001} | memory, search | memory]
    measured = {"peak_anonymous_bytes": 210_000_000, "peak_mapped_bytes": 40_000_000, "stages": stages}
    rows = dict(summary_rows(SUMMARY | measured, None, verbose=True))

    assert rows["of it"] == "210.0 MB anonymous, 40.0 MB of mapped files"
    assert rows["  search"] == "1.50 s, 3.00 CPU s, 200.0 MB + 30.0 MB mapped" and "  open" not in rows
    rows = dict(summary_rows(SUMMARY | {"stages": [search]}, None, verbose=True))
    assert rows["  search"] == "1.50 s, 3.00 CPU s" and "of it" not in rows


def test_the_table_leaves_out_what_the_search_did() -> None:
    """Pairs, speed and forecasts are rows of a verbose table only."""
    recall = estimate(1500, 495, 1000, 0)
    rows, verbose = (dict(summary_rows(SUMMARY, recall, verbose=wanted)) for wanted in (False, True))

    assert set(verbose) - set(rows) == {"repeated ids", "candidate pairs", "verified pairs", "speed"}
    assert set(rows) <= set(verbose)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_table_fits_80_columns(lang: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also the recall with its interval, and the numbers beside their forecasts."""
    monkeypatch.setenv("SIMSIEVE_LANG", lang)
    numbers = {"candidates": 123_456_789, "verified": 123_456_789, "seconds": 12345.67, "bytes": 10**11}
    summary = SUMMARY | numbers | {"read": 10**9, "kept": 10**9, "plan": {"forecast": numbers, "outcome": numbers}}
    memory = {f"{part}_bytes": 10**11 for part in ("anonymous", "mapped")}
    stage = {"stage": "fingerprint", "seconds": 12345.67, "cpu_seconds": 98765.43, **memory}
    summary |= {"peak_anonymous_bytes": 10**11, "peak_mapped_bytes": 10**11, "stages": [stage]}
    for recall in (estimate(10**9, 495, 100_000, 13), estimate(10**9, 0, 100_000, 0), None):
        table = aligned(summary_rows(summary, recall, verbose=True))

        assert [line for line in table.splitlines() if cells(line) > 80] == []
        assert lang == "en" or "候选对" in table


def test_the_table_says_where_results_went() -> None:
    """Each output has a row, standard output by name; a dry run has written nothing."""
    rows = output_rows(Sinks("-", decisions="why.csv"))

    assert rows == [("output", "standard output"), ("decisions", "why.csv")]
    assert output_rows(Sinks(dry_run=True)) == [("output", "nothing was written: --dry-run")]


def test_the_table_of_nothing() -> None:
    """A run of no records has no rates, and one of less than a second no speed."""
    rows = dict(summary_rows(dict.fromkeys(SUMMARY, 0) | {"seconds": 0.9}, None, verbose=True))

    assert (rows["read"], rows["kept"], rows["recall"], "speed" in rows) == ("0", "0", "not measured", False)


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
    with pytest.raises(SinkError, match=r"nowhere does not exist; make it, or write elsewhere"):
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
        # A word that both the beginning and the end could claim is set aside once.
        ("x x", "x x x", [Difference(3, 3, "", " x")]),
        ("x x x", "x x", [Difference(3, 3, " x", "")]),
        ("x", "x x", [Difference(1, 1, "", " x")]),
    ],
)
def test_differences(a: str, b: str, found: list[Difference]) -> None:
    """Texts are aligned by words, and Han by characters; each difference has its places."""
    assert found == differences(a, b)


LINES = [f"line {number} of a text of some words\n" for number in range(50_000)]


def changed(every: int, most: int = 50_000) -> list[str]:
    """The lines; one in `every` of the first `most` is another."""
    return [f"other {at}\n" if at % every == 0 and at < most else line for at, line in enumerate(LINES)]


def test_what_is_alike_at_both_ends_is_set_aside() -> None:
    """A single word that differs in a text of any length is found as the word, at its place."""
    other = [*LINES[:30_000], LINES[30_000].replace("some", "few"), *LINES[30_001:]]
    at = len("".join(LINES[:30_000])) + LINES[30_000].index("some")

    assert [Difference(at, at, "some", "few")] == differences("".join(LINES), "".join(other))


def test_many_words_are_aligned_by_lines() -> None:
    """Where more than 8,000 words are left, whole lines are the differences, each at its place."""
    one, other = "".join(LINES), "".join(changed(100, 5_000))
    found = differences(one, other)

    assert [LINES[at] for at in range(0, 5_000, 100)] == [difference.a for difference in found]
    assert [f"other {at}\n" for at in range(0, 5_000, 100)] == [difference.b for difference in found]


def test_beyond_8000_lines_there_is_one_difference() -> None:
    """Where more than 8,000 lines are left, all between the first and the last difference is one difference."""
    one, other = "start of a text\n" + "".join(LINES), "start of the text\n" + "".join(changed(7))
    found = differences(one, other)

    assert [(difference.a_start, difference.b_start) for difference in found] == [(9, 9)]
    assert (found[0].a[:5], found[0].b[:5]) == ("a tex", "the t")


@pytest.mark.parametrize(("every", "most"), [(1, 50_000), (2, 50_000), (10, 50_000), (100, 50_000), (100, 7_900)])
def test_long_texts_are_aligned_in_few_parts_and_keep_their_places(
    every: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 50,000 lines at most 8,000 parts a side are aligned, once, and a difference has its place in each text."""
    aligned: list[tuple[int, int]] = []

    class Counting(difflib.SequenceMatcher[str]):
        def __init__(self, isjunk: None, a: Sequence[str], b: Sequence[str]) -> None:
            aligned.append((len(a), len(b)))
            super().__init__(isjunk, a, b)

    monkeypatch.setattr(difflib, "SequenceMatcher", Counting)
    one, other = "".join(LINES), "".join(changed(every, most))
    found = differences(one, other)

    assert found
    assert len(aligned) == (1 if most < 50_000 else 0)
    assert all(max(sizes) <= 8_000 for sizes in aligned)
    for difference in found:
        for text, at, part in ((one, difference.a_start, difference.a), (other, difference.b_start, difference.b)):
            assert text.startswith(part.partition("…")[0], at)


def test_differences_are_shortened() -> None:
    """A long difference is cut in its middle to 80 characters."""
    text = shortened("a" * 100 + "b" * 100)

    assert (len(text), text[0], text[-1]) == (80, "a", "b")
    assert "…" in text
