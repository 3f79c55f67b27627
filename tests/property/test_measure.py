"""Runs whose measure is the Jaccard similarity, held against plain loops over sets of windows."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import strategies
from tests.property import twin

from simsieve import _core, dedup, find_pairs

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


NEAR = 0.4
WINDOW = 8
PIECES = st.sampled_from([
    "a ferry carries forty cars across the bay ", "twice a day in the summer months. ",
    "how many cars cross in a week? ", "what does one trip cost? ", "渡轮每天往返海湾两次，",
    "每次运四十辆汽车。", "一周共运多少辆？", "(A) 3 ", "(B) 5 ", "第 2 题 ",
])  # fmt: skip
LOSING = st.lists(PIECES, min_size=1, max_size=6).map("".join)


def compact(text: str) -> str:
    """A text of these pieces without spaces and punctuation."""
    return "".join(c for c in text.lower() if c.isalnum())


def units(text: str) -> int:
    """Two for each Han character, one for any other."""
    return sum(2 if "一" <= c <= "鿿" else 1 for c in text)


def plain_lost(text: str, other: str, window: int = WINDOW) -> int:
    """The longest run of characters that are in no window that the other text has."""
    text, other = compact(text), compact(other)
    covered = [False] * len(text)
    for first in range(len(text)):
        end, held = first, 0
        while held < window and end < len(text):
            held += units(text[end])
            end += 1
        if (held >= window or first == 0) and text[first:end] in other:
            covered[first:end] = [True] * (end - first)
    last = max((first for first in range(len(text)) if units(text[first:]) >= window), default=None)
    if last is not None and text[last:] in other:
        covered[last:] = [True] * (len(text) - last)
    longest = run = 0
    for c, is_covered in zip(text, covered, strict=True):
        run = 0 if is_covered else run + units(c)
        longest = max(longest, run)
    return longest


@given(LOSING, LOSING)
def test_what_is_lost_is_the_definition(text: str, other: str) -> None:
    """The units, and the run itself, whatever the scheme keeps of a text."""
    for spec in ("chars128", "chars64:punctuation=keep,n=2", "words64", "keywords64"):
        found = _core.Scheme(spec).lost(text, other)
        assert found is not None and found[0] == plain_lost(text, other)
        assert units(found[1]) == found[0] and found[1] in compact(text)


@pytest.mark.parametrize("settings", [{"similarity": NEAR}, {"scheme": "chars128", "max_distance": 40}])
def test_the_summary_has_the_median_and_the_longest(settings: dict[str, Any]) -> None:
    """Exact copies are not counted; without near drops there is no figure."""
    stem = "a ferry carries forty cars across the bay twice a day in the summer months"
    result = dedup([stem, stem, stem + " x", stem + " and never in the winter"], **settings)
    assert sorted(row.lost or 0 for row in result.decisions if row.reason == "near") == [1, 19]
    assert (result.summary["lost_median"], result.summary["lost_longest"]) == (10.0, 19)
    assert dedup(["one text", "one text"]).summary["lost_median"] is None
