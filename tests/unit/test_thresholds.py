"""What a result would keep at other thresholds."""

import statistics

import pytest

import simsieve
from simsieve import ConfigError, dedup
from simsieve.results.thresholds import STEPS

WORDS = [f"w{number:03}" for number in range(60)]
TEXTS = [" ".join(WORDS[: 60 - cut] + [f"x{cut}{at:02}" for at in range(cut)]) for cut in (0, 2, 6, 12, 20)]


def test_the_counts_are_those_of_runs_of_their_own() -> None:
    """Each row has the counts of a run at its threshold, the loosest first."""
    rows = dedup(TEXTS, similarity=0.4).thresholds()

    assert [row.threshold for row in rows] == list(STEPS)
    for row in rows:
        fresh = dedup(TEXTS, similarity=row.threshold)
        assert (row.kept, row.dropped, row.clusters) == (fresh.counts.kept, fresh.counts.dropped, fresh.counts.clusters)


def test_the_pair_at_the_edge_is_the_least_similar_one() -> None:
    """Of the near duplicates, it is the one least like its representative; a step higher it is not dropped for it."""
    for row in dedup(TEXTS, similarity=0.5).thresholds():
        fresh = dedup(TEXTS, similarity=row.threshold)
        near = [one for one in fresh.decisions if one.reason == "near"]
        if not near:
            assert row.borderline is None
            continue
        assert row.borderline is not None
        assert row.borderline.similarity == min(one.similarity or 0 for one in near)
        assert (row.borderline.similarity or 0) >= row.threshold


def test_what_is_lost_is_that_of_runs_of_their_own() -> None:
    """Each row sums up what is lost at its threshold; a step that drops nothing near loses nothing."""
    rows = dedup(TEXTS, similarity=0.5).thresholds([0.5, 0.8, 0.99])

    for row in rows:
        decisions = dedup(TEXTS, similarity=row.threshold).decisions
        lost = [one.lost for one in decisions if one.reason == "near" and one.lost is not None]
        assert row.losses.measured == len(lost)
        assert row.losses.longest == max(lost, default=None)
        assert row.losses.median == (statistics.median(lost) if lost else None)
    assert [row.losses.measured for row in rows] == sorted((row.losses.measured for row in rows), reverse=True)
    assert rows[0].losses.much and not rows[2].losses.measured


def test_distances_are_tried_from_the_loosest() -> None:
    """Under a distance every bound up to the run's is tried, exact copies do not make an edge."""
    rows = dedup([*TEXTS, TEXTS[0]], max_distance=10).thresholds()

    assert [row.threshold for row in rows] == list(range(10, -1, -1))
    assert [row.kept for row in rows] == sorted(row.kept for row in rows)
    assert all(row.borderline is None or row.borderline.reason == "near" for row in rows)


def test_own_values_and_bounds() -> None:
    """Values may be given; a looser one than the run's is refused."""
    result = dedup(TEXTS, similarity=0.7)

    assert [row.threshold for row in result.thresholds([0.9, 0.8, 0.9])] == [0.8, 0.9]
    with pytest.raises(ConfigError, match=r"looser|has not looked"):
        result.thresholds([0.5])


def test_it_shows_itself() -> None:
    """In a notebook it is a table, escaped; the repr is one line; slices are of its kind."""
    records = [{"id": "<b>", "text": "the quick brown fox jumps"}, {"id": "c", "text": "the quick brown fox jumped"}]
    rows = simsieve.dedup(records, similarity=0.6).thresholds([0.6, 0.95])

    assert "&lt;b&gt;" in rows._repr_html_()
    assert "jumped</ins>" in rows._repr_html_() and rows[0].texts == tuple(one["text"] for one in records)
    assert repr(rows) == "<Thresholds: kept at 0.6: 1, 0.95: 2>"
    assert len(rows[1:]) == 1
    assert [row.kept for row in dedup([]).thresholds()][:1] == [0]
