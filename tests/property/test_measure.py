"""Runs whose measure is the Jaccard similarity, held against plain loops over sets of windows."""

from hypothesis import given, settings
from hypothesis import strategies as st
from tests import strategies
from tests.property import twin

from simsieve import dedup, find_pairs

SCHEME = "chars128"
THRESHOLDS = st.one_of(st.sampled_from([0.25, 1 / 3, 0.48, 0.5, 2 / 3, 0.8, 1.0]), st.floats(0.05, 1.0))
TEXTS = st.lists(
    st.one_of(
        strategies.mixed_texts,
        st.lists(st.sampled_from(["the", "ferry", "leaves", "at", "seven", "我们在", "讨论文本", "!"]), max_size=9).map(
            " ".join
        ),
    ),
    max_size=20,
)


def jaccard(a: str, b: str) -> float:
    """The share of the windows of either text that both have; 0 where one has none."""
    x, y = (set(twin.features(text, twin.parse(SCHEME))) for text in (a, b))
    return len(x & y) / len(x | y) if x and y else 0.0


@settings(deadline=None)
@given(TEXTS, THRESHOLDS)
def test_a_run_by_jaccard_is_the_plain_loop(texts: list[str], threshold: float) -> None:
    """Kept are those that no earlier kept one is near, pairs are all near ones, and both tell the similarity."""
    kept: list[int] = []
    first: dict[str, int] = {}
    for at, text in enumerate(texts):
        # What has no features is near to nothing, and yet the copy of its equal is no second text.
        copy = first.setdefault(twin.normalise(text), at) != at and bool(twin.features(text, twin.parse(SCHEME)))
        if not copy and not any(jaccard(text, texts[one]) >= threshold for one in kept):
            kept.append(at)
    result = dedup(texts, measure="jaccard", similarity=threshold)
    assert list(result.kept) == kept
    assert result.recall is None or result.recall.missed == 0
    for row in result.decisions:
        if row.measure is None:
            assert (row.similarity, row.reason) == (None, "no_features")
        else:
            assert row.representative_position is not None
            found = jaccard(texts[row.position], texts[row.representative_position])
            assert (row.measure, row.similarity) == ("jaccard", found)
            assert found >= threshold

    near = [(a, b) for a in range(len(texts)) for b in range(a + 1, len(texts))]
    wanted = [(a, b, jaccard(texts[a], texts[b])) for a, b in near if jaccard(texts[a], texts[b]) >= threshold]
    pairs = find_pairs(texts, measure="jaccard", similarity=threshold)
    assert [(pair.a_position, pair.b_position, pair.similarity) for pair in pairs] == wanted
