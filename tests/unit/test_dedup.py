"""Deduplication from Python: sources, decisions, clusters, pairs, what is refused."""

import gc
import json
import re
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from simsieve import ConfigError, SinkError, dedup
from simsieve.results import Decision, DedupResult

FOX = "the quick brown fox jumps over the lazy dog and runs into the deep dark wood behind the old mill"
TEXTS = [
    FOX,
    "lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt ut labore",
    FOX.upper(),
    "",
    FOX.replace("dog", "cat"),
    FOX,
]
SUMMARY_KEYS = [
    "schema_version", "read", "kept", "dropped", "exact_duplicates", "near_duplicates", "failed", "clusters",
    "largest_cluster", "lost_median", "lost_longest", "repeated_ids", "candidates", "verified", "recall",
    "recall_interval", "scheme", "digest", "recipe_digest", "frozen_digest", "plan", "seconds", "bytes_read",
    "peak_rss_bytes", *(["peak_anonymous_bytes", "peak_mapped_bytes"] if sys.platform == "linux" else []), "stages",
    "blank_lines",
]  # fmt: skip


def reasons(result: DedupResult) -> list[str]:
    """Give the reason of each decision."""
    return [decision.reason for decision in result.decisions]


@pytest.fixture
def result() -> DedupResult:
    """Deduplicate the example."""
    return dedup(TEXTS)


def test_decisions_are_a_sequence(result: DedupResult) -> None:
    """The decisions have a length, indices from both ends, and slices, all lazily made."""
    decisions = result.decisions

    assert len(TEXTS) == len(decisions)
    assert isinstance(decisions[0], Decision) and decisions[5] == decisions[-1]
    assert [decisions[1], decisions[3], decisions[5]] == list(decisions[1::2])
    assert [decision.position for decision in decisions[1:][2:3]] == [3]
    with pytest.raises(IndexError):
        decisions[6]


def test_clusters(result: DedupResult) -> None:
    """A cluster is a kept document with those it represents; singles are given when asked for."""
    assert result.clusters() == {0: [0, 2, 4, 5]}
    assert result.clusters(min_size=1) == {0: [0, 2, 4, 5], 1: [1], 3: [3]}
    assert result.clusters(min_size=5) == {}
    assert (result.counts.clusters, result.counts.largest_cluster) == (1, 4)
    with pytest.raises(ConfigError, match="min_size 0"):
        result.clusters(min_size=0)


def test_summary(result: DedupResult) -> None:
    """The summary has the contract's keys, is JSON, and agrees with the counts; without a sample it has no recall."""
    counts, summary = result.counts, result.summary

    assert counts.balanced
    assert (counts.read, counts.kept, counts.dropped, counts.exact, counts.near, counts.failed) == (6, 3, 3, 2, 1, 0)
    assert list(result.kept) == [0, 1, 3]
    assert list(summary) == SUMMARY_KEYS and summary == json.loads(json.dumps(summary, allow_nan=False))
    assert (summary["read"], summary["kept"], summary["dropped"]) == (6, 3, 3)
    assert summary["scheme"] == "chars128" and summary["recipe_digest"]
    assert result.recall is not None
    assert [result.recall.low, result.recall.high] == summary["recall_interval"]
    unsampled = dedup(TEXTS, sample=0)
    assert unsampled.recall is None
    assert (unsampled.summary["recall"], unsampled.summary["recall_interval"]) == (None, None)


@pytest.mark.filterwarnings("ignore:.*probably other documents")
@pytest.mark.parametrize("settings", [{}, {"scheme": ["chars64", "words64"], "combine": "any"}], ids=str)
def test_what_is_frozen_has_a_digest(settings: dict[str, Any]) -> None:
    """The digest is a function of the set of texts; a search of every pair, or within a distance, has none."""
    texts = [f"a text {number % 4500 * 7919}" for number in range(8200)]
    settings = {**settings, "conflict": "none"}
    first = dedup(texts, sample=0, threads=1, **settings)

    digest = first.summary["frozen_digest"]
    assert re.fullmatch("[0-9a-f]{32}", digest)
    assert dedup(texts[::-1], sample=0, threads=2, batch=100, **settings).summary["frozen_digest"] == digest
    assert dedup([*texts[1:], "another text"], sample=0, **settings).summary["frozen_digest"] != digest
    assert dedup(texts[:20], **settings).summary["frozen_digest"] is None
    assert dedup(texts, scheme="chars64", max_distance=3, sample=0).summary["frozen_digest"] is None


def records() -> list[dict[str, Any]]:
    """Give the example as records with labels of several types."""
    return [{"id": label, "text": text} for label, text in zip(["a", 7, "b", None, "c", "a"], TEXTS, strict=True)]


def write_jsonl(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    """Write records as JSON lines."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


SOURCES: list[tuple[str, Callable[[Path], Any]]] = [
    ("records", lambda _: records()),
    ("generator", lambda _: (record for record in records())),
    ("path", lambda folder: write_jsonl(folder / "a.jsonl", records())),
    ("string", lambda folder: str(write_jsonl(folder / "a.jsonl", records()))),
    (
        "files",
        lambda folder: [write_jsonl(folder / "a.jsonl", records()[:2]), write_jsonl(folder / "b.jsonl", records()[2:])],
    ),
]


@pytest.mark.parametrize("make", [make for _, make in SOURCES], ids=[name for name, _ in SOURCES])
def test_every_kind_of_source_gives_the_same(make: Callable[[Path], Any], tmp_path: Path, result: DedupResult) -> None:
    """Records, a file, several files and texts give the same decisions; labels keep their JSON type."""
    other = dedup(make(tmp_path))

    assert reasons(result) == reasons(other)
    assert [decision.id for decision in other.decisions] == ["a", 7, "b", None, "c", "a"]
    assert other.decisions[4].representative == "a" and other.summary["repeated_ids"] == 1


def test_a_record_that_fails_is_counted() -> None:
    """A record without a text, or with half a surrogate pair, fails; the others go on."""
    bad: list[dict[str, Any]] = [{"body": FOX}, {"text": None}, {"text": "\ud800"}]
    result = dedup([{"text": FOX}, *bad, {"text": FOX}])

    assert (result.counts.read, result.counts.kept, result.counts.dropped, result.counts.failed) == (5, 1, 1, 3)
    assert [position for position, _, _ in result.failures()] == [1, 2, 3]
    assert reasons(result)[1:4] == ["no_text_field", "text_not_string", "lone_surrogate"]


def test_spooled_records_leave_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file of spooled records lives as long as the result and no longer."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    result = dedup(records())
    assert result.decisions[0].id == "a"
    del result
    gc.collect()

    assert list(tmp_path.iterdir()) == []


def test_write(tmp_path: Path) -> None:
    """The kept records come out byte for byte, the decisions a line each, the failed ones apart."""
    source = write_jsonl(tmp_path / "a.jsonl", [*records(), {"no": "text"}])
    lines = source.read_bytes().splitlines(keepends=True)
    result = dedup(source)
    result.write(tmp_path / "kept.jsonl", decisions=tmp_path / "why.jsonl", failed=tmp_path / "failed.jsonl")

    assert b"".join(lines[position] for position in result.kept) == (tmp_path / "kept.jsonl").read_bytes()
    rows = [json.loads(line) for line in (tmp_path / "why.jsonl").read_text().splitlines()]
    assert [d.reason for d in result.decisions] == [row["reason"] for row in rows]
    assert list(Decision.__slots__)[:13] == list(rows[0])
    assert Decision.__slots__[13:] == ("representative_collection", "scheme")
    assert [json.loads(line)["position"] for line in (tmp_path / "failed.jsonl").read_text().splitlines()] == [6]


def test_write_refuses_a_source_as_sink(tmp_path: Path) -> None:
    """A source is never overwritten, whatever name it is given by."""
    source = write_jsonl(tmp_path / "a.jsonl", records())
    before = source.read_bytes()
    link = tmp_path / "link.jsonl"
    link.symlink_to(source)

    for sink in (source, link):
        with pytest.raises(ConfigError, match="source"):
            dedup(source).write(sink)
    with pytest.raises(SinkError, match="nowhere"):
        dedup(source).write(tmp_path / "nowhere" / "kept.jsonl")
    assert before == source.read_bytes()


@pytest.mark.parametrize("text", ["a b" * 200, "x" * 5000, "nul\0byte", "two\nlines.txt", "see corpus.jsonl", "."])
def test_what_only_resembles_a_path_is_a_text(text: str) -> None:
    """A text that cannot be a file's name, or only mentions one, is a text."""
    assert dedup([text]).counts.kept == 1
