"""What a drop loses, against the definition in a few lines; `max_lost` decides as a plain loop over all pairs."""

from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simsieve import _core, dedup, find_pairs, similarity

NEAR = 0.4
WINDOW = 8
PIECES = st.sampled_from([
    "a ferry carries forty cars across the bay ", "twice a day in the summer months. ",
    "how many cars cross in a week? ", "what does one trip cost? ", "渡轮每天往返海湾两次，",
    "每次运四十辆汽车。", "一周共运多少辆？", "(A) 3 ", "(B) 5 ", "第 2 题 ",
])  # fmt: skip
TEXTS = st.lists(PIECES, min_size=1, max_size=6).map("".join)
RECORDS = st.lists(TEXTS, min_size=2, max_size=12)


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


@given(TEXTS, TEXTS)
def test_what_is_lost_is_the_definition(text: str, other: str) -> None:
    """The units, and the run itself, whatever the scheme keeps of a text."""
    for spec in ("chars128", "chars64:punctuation=keep,n=2", "words64", "keywords64"):
        found = _core.Scheme(spec).lost(text, other)
        assert found is not None
        assert found[0] == plain_lost(text, other)
        assert units(found[1]) == found[0]
        assert found[1] in compact(text)


@given(RECORDS, st.integers(0, 40), st.sampled_from(["first", "longest"]), st.sampled_from(["cosine", "jaccard"]))
def test_a_bound_decides_as_the_plain_loop(
    texts: list[str], most: int, keep: str, measure: Literal["cosine", "jaccard"]
) -> None:
    """Kept are those that lose more for every near kept one; each decision has what it loses, and no drop over 3 N."""
    settings: dict[str, Any] = {"similarity": NEAR, "measure": measure, "keep": keep, "sample": 0}
    order = sorted(range(len(texts)), key=lambda at: (-len(texts[at]), at)) if keep == "longest" else range(len(texts))
    kept = list[int]()
    for at in order:
        near = (to for to in kept if similarity(texts[at], texts[to], measure=measure) >= NEAR)
        if all(plain_lost(texts[at], texts[to]) > most for to in near):
            kept.append(at)

    result = dedup(texts, max_lost=most, **settings)
    assert [row.position for row in result.decisions if row.decision == "kept"] == sorted(kept)
    for row in result.decisions:
        if row.decision == "dropped":
            assert row.representative_position is not None
            other = texts[row.representative_position]
            assert row.lost == plain_lost(texts[row.position], other) <= most
            assert plain_lost(texts[row.position], other, 6) <= 3 * max(most, 2)
        else:
            assert row.lost is None
    stricter = dedup(texts, max_lost=most, **{**settings, "similarity": 0.9})
    assert list(result.rethreshold(similarity=0.9).decisions) == list(stricter.decisions)


@given(RECORDS, st.one_of(st.none(), st.integers(0, 30)))
def test_pairs_have_what_either_loses(texts: list[str], most: int | None) -> None:
    """A pair is there if it is near and one of its texts loses no more than the bound."""
    found = find_pairs(texts, similarity=NEAR, max_lost=most)
    for pair in found:
        a, b = texts[pair.a_position], texts[pair.b_position]
        assert (pair.lost_a, pair.lost_b) == (plain_lost(a, b), plain_lost(b, a))
    wanted = [
        (a, b) for a in range(len(texts)) for b in range(a + 1, len(texts))
        if similarity(texts[a], texts[b]) >= NEAR
        and (most is None or min(plain_lost(texts[a], texts[b]), plain_lost(texts[b], texts[a])) <= most)
    ]  # fmt: skip
    assert [(pair.a_position, pair.b_position) for pair in found] == wanted


@pytest.mark.parametrize("settings", [{"similarity": NEAR}, {"scheme": "chars128", "max_distance": 40}])
def test_the_summary_has_the_median_and_the_longest(settings: dict[str, Any]) -> None:
    """Exact copies are not counted; without near drops there is no figure."""
    stem = "a ferry carries forty cars across the bay twice a day in the summer months"
    result = dedup([stem, stem, stem + " x", stem + " and never in the winter"], **settings)
    lost = sorted(row.lost or 0 for row in result.decisions if row.reason == "near")

    assert lost == [1, 19]
    assert (result.summary["lost_median"], result.summary["lost_longest"]) == (10.0, 19)
    assert dedup(["one text", "one text"]).summary["lost_median"] is None
