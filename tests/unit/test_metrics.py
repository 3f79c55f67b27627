"""Agreement with labels, held against scikit-learn and against definitions of a few lines."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score, average_precision_score

from simsieve.evaluate.metrics import PairScore, average_precision, cluster_score, components, precision_of, sweep

PARTITIONS = st.integers(1, 30).flatmap(
    lambda n: st.tuples(*(st.lists(st.integers(0, 5), min_size=n, max_size=n) for _ in range(2)))
)


@given(PARTITIONS)
def test_clusters_agree_with_the_definitions(partitions: tuple[list[int], list[int]]) -> None:
    """The adjusted Rand index is scikit-learn's; B-cubed is the mean over documents."""
    clusters, labels = partitions
    found = cluster_score(np.array(clusters), np.array(labels))
    shares = []
    for mine, others in ((clusters, labels), (labels, clusters)):
        rows = list(zip(mine, others, strict=True))
        shares.append(np.mean([rows.count(row) / mine.count(row[0]) for row in rows]))

    assert found.adjusted_rand == pytest.approx(adjusted_rand_score(labels, clusters), abs=1e-9)
    assert (found.bcubed_precision, found.bcubed_recall) == pytest.approx(tuple(shares))


@given(st.lists(st.tuples(st.integers(0, 10), st.booleans()), min_size=1, max_size=40), st.booleans())
def test_average_precision_is_that_of_scikit_learn(pairs: list[tuple[int, bool]], by_distance: bool) -> None:
    """Ties count together, for similarities and distances; right pairs that were not found add nothing."""
    values, right = (np.array(column) for column in zip(*pairs, strict=True))
    if not right.any():
        return
    ours = average_precision(values.astype(float), right, int(right.sum()), by_distance=by_distance)

    assert ours == pytest.approx(average_precision_score(right, -values if by_distance else values))
    half = average_precision(values.astype(float), right, 2 * int(right.sum()), by_distance=by_distance)
    assert half == pytest.approx(ours / 2)


@given(st.lists(st.tuples(st.sampled_from([0.4, 0.5, 0.65, 0.9, 1.0]), st.booleans()), max_size=30))
def test_a_sweep_counts_pairs(pairs: list[tuple[float, bool]]) -> None:
    """At each threshold, bound included, the counts are those of a loop."""
    values, right = np.array([value for value, _ in pairs]), np.array([good for _, good in pairs], dtype=bool)
    for row in sweep(values, right, 40, [0.4, 0.65, 1.0], by_distance=False):
        assert row.found == sum(value >= row.threshold for value, _ in pairs)
        assert row.right == sum(value >= row.threshold and good for value, good in pairs)
    for row in sweep(values, right, 40, [0.5], by_distance=True):
        assert row.found == sum(value <= 0.5 for value, _ in pairs)


def test_scores_without_pairs_divide_by_nothing() -> None:
    """Nothing found has no precision, nothing to find no recall."""
    empty = PairScore(0.5, 0, 0, 0)

    assert (empty.precision, empty.recall, empty.f1) == (None, None, 0.0)
    assert empty.precision_interval == empty.recall_interval == (0.0, 1.0)
    assert average_precision(np.array([]), np.array([], dtype=bool), 3, by_distance=False) == 0.0


@given(st.integers(1, 25), st.lists(st.tuples(st.integers(0, 24), st.integers(0, 24)), max_size=40))
def test_components_are_those_of_a_walk(count: int, pairs: list[tuple[int, int]]) -> None:
    """Two documents have one number if and only if pairs lead from one to the other."""
    pairs = [(a % count, b % count) for a, b in pairs]
    parents = list(range(count))
    for _ in range(count):
        for a, b in pairs:
            parents[a] = parents[b] = min(parents[a], parents[b])
    both = np.array(pairs, dtype=np.int64).reshape(-1, 2)

    assert components(count, both[:, 0], both[:, 1]).tolist() == parents


def test_precision_of_one_band_is_that_of_a_plain_sample() -> None:
    """With one band the interval is Clopper and Pearson's."""
    found = precision_of([(1000, 100, 3)])

    assert found.value == pytest.approx(0.97)
    assert (found.low, found.high) == pytest.approx((0.91482, 0.99377), abs=1e-4)


def test_bands_weigh_by_their_size() -> None:
    """A small band full of errors moves the estimate little; an unjudged band is named."""
    found = precision_of([(990, 50, 0), (10, 50, 50), (100, 0, 0)])

    assert found.value == pytest.approx(0.99) and found.covered == pytest.approx(1000 / 1100)
    assert "90.9 %" in found.text
    assert precision_of([(5, 0, 0)]).text == "not measured: no pair is judged"
    assert precision_of([]).value is None


@example([(1, 4, 4), (289, 9, 9), (43, 8, 8), (189, 2, 2)])
@given(st.lists(st.tuples(st.integers(1, 500), st.integers(0, 20), st.integers(0, 20)), min_size=1, max_size=10))
def test_an_interval_holds_its_estimate(bands: list[tuple[int, int, int]]) -> None:
    """Whatever was judged, the ends are in [0, 1] and the estimate is between them."""
    found = precision_of([(size + seen, seen, min(bad, seen)) for size, seen, bad in bands])

    assert 0 <= found.low <= found.high <= 1
    assert found.value is None or found.low - 1e-9 <= found.value <= found.high + 1e-9


def test_the_interval_covers_the_truth() -> None:
    """Of 300 stratified samples, the interval of 95 % holds the true precision in at least 93 %."""
    draw = np.random.default_rng(11)
    sizes, rates = [4000, 1000, 300], [0.01, 0.1, 0.5]
    truth = 1 - sum(size * rate for size, rate in zip(sizes, rates, strict=True)) / sum(sizes)
    held = 0
    for _ in range(300):
        found = precision_of([(n, 40, int(draw.binomial(40, rate))) for n, rate in zip(sizes, rates, strict=True)])
        held += found.low <= truth <= found.high

    assert held >= 279
