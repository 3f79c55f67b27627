"""Near duplicates with both texts: which are chosen, and what they have."""

import pickle
import statistics
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import simsieve
from simsieve import ConfigError, SourceError, dedup, find_pairs
from simsieve.differences import in_words
from simsieve.results.thresholds import STEPS

WORDS = [f"w{number:03}" for number in range(60)]
TEXTS = [" ".join(WORDS[: 60 - cut] + [f"x{cut}{at:02}" for at in range(cut)]) for cut in (0, 2, 6, 12, 20)]
RECORDS = [{"id": f"n{at}", "text": text} for at, text in enumerate([*TEXTS, TEXTS[0]])]
PAGES = [f"<html><body><p>{text}</p><p>and more</p></body></html>" for text in TEXTS]


def near(result: Any) -> list[Any]:
    """The near duplicates, the least similar one first."""
    found = [one for one in result.decisions if one.reason == "near"]
    return sorted(found, key=lambda one: one.similarity if one.similarity is not None else -one.distance)


@pytest.mark.parametrize("settings", [{"similarity": 0.4}, {"max_distance": 40}, {"measure": "jaccard"}])
def test_the_pairs_are_those_of_the_decisions(settings: dict[str, Any]) -> None:
    """By default those at the threshold; exact copies are not among them."""
    result = dedup(RECORDS, **settings)
    pairs = result.review()

    assert len(pairs) > 1
    for pair, one in zip(pairs, near(result), strict=True):
        assert (pair.a, pair.b, pair.similarity, pair.distance) == (
            one.representative, one.id, one.similarity, one.distance
        )  # fmt: skip
        assert (pair.a_position, pair.b_position) == (one.representative_position, one.position)
        assert (pair.a_text, pair.b_text) == tuple(RECORDS[at]["text"] for at in (pair.a_position, pair.b_position))
        assert pair.differences and pair.group == pair.a_position


def test_those_nearest_to_a_similarity_are_taken() -> None:
    """As many as are asked for, the least similar one first."""
    result = dedup(RECORDS, similarity=0.3)
    every = [one.similarity for one in near(result)]
    for around in (0.3, 0.5, 0.8, 1.0):
        chosen = [pair.similarity for pair in result.review(2, around=around)]
        assert chosen == sorted(sorted(every, key=lambda value: abs(value - around))[:2])
    bits = dedup(RECORDS, max_distance=60)
    assert [pair.distance for pair in bits.review(1, around=0)] == [min(one.distance for one in near(bits))]


def test_what_was_not_dropped_is_refused() -> None:
    """Around a looser threshold than the run's there is nothing; the error says what to run."""
    with pytest.raises(ConfigError, match=r"looser than the run's similarity 0\.6, .*run dedup with similarity 0\.5"):
        dedup(TEXTS).review(around=0.5)
    with pytest.raises(ConfigError, match=r"run's max_distance 3,.*give 3 or less, or run dedup with max_distance 9"):
        dedup(TEXTS, max_distance=3).review(around=9)
    for given in ({"n": 0}, {"n": 5001}, {"around": 1.5}, {"around": "x"}):
        with pytest.raises(ConfigError, match=next(iter(given))):
            dedup(TEXTS).review(**given)
    result = dedup(TEXTS)
    assert len(pickle.loads(pickle.dumps(result)).review()) == len(result.review())


def test_old_documents_and_pages() -> None:
    """An old representative has its own position, and texts are as the scheme sees them."""
    result = dedup(PAGES[2:], against=PAGES[:2], extract="text")
    pairs = result.review()

    assert {pair.a_position for pair in pairs} <= {0, 1}
    assert {pair.group for pair in pairs} <= {len(PAGES) - 2, len(PAGES) - 1}
    assert all("<p>" not in pair.a_text + pair.b_text for pair in pairs)


def test_they_are_a_table_and_can_be_pickled() -> None:
    """A row has the fields of its pair; differences are one text."""
    pairs = dedup(RECORDS, similarity=0.4).review()
    rows = pairs.to_arrow().to_pylist()

    assert [row["differences"] for row in rows] == [in_words(pair.differences) for pair in pairs]
    assert [(row["a"], row["b_text"]) for row in rows] == [(pair.a, pair.b_text) for pair in pairs]
    assert pairs.to_pandas()["group"].dtype == np.int64 and pairs.to_polars().height == len(pairs)
    assert pickle.loads(pickle.dumps(pairs))[0] == pairs[0] and len(pairs[1:]) == len(pairs) - 1
    assert dedup(["one text"]).review().to_arrow().num_rows == 0
    assert repr(pairs[:0]) == "<ReviewPairs: 0 near duplicates>"
    assert repr(pairs).startswith(f"<ReviewPairs: {len(pairs)} near duplicates, similarity 0.")


def test_pairs_of_sources_that_are_gone_are_shown_without_texts(tmp_path: Path) -> None:
    """A notebook shows what is still known."""
    source = tmp_path / "in.txt"
    source.write_text("\n".join([TEXTS[0], TEXTS[1]]) + "\n")
    result, pairs = dedup(source), find_pairs(source)
    assert "</ins>" in pairs._repr_html_()
    source.write_text("other\n")

    assert "</ins>" not in pairs._repr_html_() and "1 near pair" in pairs._repr_html_()
    with pytest.raises(SourceError):
        result.review()


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
        assert row.losses.measured == len(lost) and row.losses.longest == max(lost, default=None)
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
    assert repr(rows) == "<Thresholds: kept at 0.6: 1, 0.95: 2>" and len(rows[1:]) == 1
    assert [row.kept for row in dedup([]).thresholds()][:1] == [0]
