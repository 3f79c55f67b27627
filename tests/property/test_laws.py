"""The laws of distances and decisions, held against naive oracles."""

from functools import cmp_to_key
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests import strategies
from tests.property import twin
from tests.property.plain import Outcome, decided

from simsieve import dedup, fingerprint, similarity

Record = dict[str, Any]

# Sources are drawn that have no field of the keep order, or numbers and texts in it, or dates beside other texts;
# warnings say so.
pytestmark = [
    pytest.mark.filterwarnings("ignore:.*keep does not order by it"),
    pytest.mark.filterwarnings("ignore:of the values of .*numbers precede texts"),
    pytest.mark.filterwarnings("ignore:keep compares the values of .* as texts"),
]


@given(strategies.texts, strategies.texts, st.sampled_from(["chars64", "chars128:weights=log", "chars256"]))
def test_distance_of_texts_counts_their_differing_bits(a: str, b: str, spec: str) -> None:
    """The distance of two texts' fingerprints is the number of differing characters of their bits."""
    one, other = fingerprint(a, spec), fingerprint(b, spec)
    if one is not None and other is not None:
        wanted = sum(x != y for x, y in zip(one.bits, other.bits, strict=True))
        assert wanted == one.distance(other) == other.distance(one)


def compare_values(x: Any, y: Any, *, greatest_first: bool) -> int:
    """Numbers before texts before what is missing; null, empty texts, lists and objects count as missing."""
    kinds = [0 if isinstance(v, (bool, int, float)) else 1 if v and isinstance(v, str) else 2 for v in (x, y)]
    if kinds[0] != kinds[1]:
        return kinds[0] - kinds[1]
    order = 0 if kinds[0] == 2 else int(x > y) - int(x < y)
    return -order if greatest_first else order


def keep_order(records: list[Record], keep: list[str]) -> list[int]:
    """Positions in the order in which they are kept: by the first rule that tells two apart, then by position."""

    def compare(a: int, b: int) -> int:
        x, y = records[a], records[b]
        for rule in keep:
            head, _, field = rule.partition(":")
            length = len(x["text"]) - len(y["text"])
            order = {
                "first": a - b,
                "last": b - a,
                "shortest": length,
                "longest": -length,
                "max": compare_values(x.get(field), y.get(field), greatest_first=True),
                "min": compare_values(x.get(field), y.get(field), greatest_first=False),
            }[head]
            if order:
                return order
        return a - b

    return sorted((p for p, record in enumerate(records) if record["text"] is not None), key=cmp_to_key(compare))


def oracle(records: list[Record], keep: list[str], k: int, spec: str) -> dict[int, Outcome]:
    """Law 1 under `max_distance`, by position."""
    options, order = twin.parse(spec), keep_order(records, keep)
    bits = {at: twin.fingerprint(records[at]["text"], options) for at in order}

    def near(one: int, other: int) -> tuple[int, str] | None:
        a, b = bits[one], bits[other]
        distance = None if a is None or b is None else (a ^ b).bit_count()
        return None if distance is None or distance > k else (distance, "near")

    found = decided(order, lambda at: None if bits[at] is None else twin.normalise(records[at]["text"]), near)
    return {at: found.get(at, ("failed", "text_not_string", None)) for at in range(len(records))}


@given(strategies.collections, strategies.keep_orders, st.sampled_from([0, 6, 12, 22, 25, 26, 28, 30, 40, 63]))
@strategies.examples(2)
def test_decisions_are_those_of_the_naive_oracle(records: list[Record], keep: list[str], k: int) -> None:
    """Any small collection under any keep order is decided as the law says: kept, dropped, why, and for whom."""
    result = dedup(iter(records), scheme="chars64", max_distance=k, keep=keep, sample=0)
    wanted = oracle(records, keep, k, "chars64")

    assert wanted == {d.position: (d.decision, d.reason, d.representative_position) for d in result.decisions}
    for d in result.decisions:
        if d.decision == "dropped":
            assert d.representative_position is not None
            pair = (fingerprint(records[at]["text"], "chars64") for at in (d.position, d.representative_position))
            own, other = pair
            assert own is not None and other is not None
            assert d.distance == own.distance(other) <= k


@given(strategies.collections, strategies.keep_orders, st.sampled_from([0.3, 0.5, 0.65, 0.9, 1.0]))
def test_nothing_false_is_dropped_and_the_books_balance(
    records: list[Record], keep: list[str], threshold: float
) -> None:
    """Under a similarity every near duplicate is as similar to its kept representative as was asked for, or more.

    Every record read is kept, dropped or failed, and the counts are those of the decisions.
    """
    result = dedup(iter(records), similarity=threshold, keep=keep, sample=0)
    for d in result.decisions:
        if d.decision == "dropped":
            assert d.representative_position is not None
            measured = similarity(records[d.position]["text"], records[d.representative_position]["text"])
            assert d.similarity == pytest.approx(measured, abs=1e-9)
            assert measured >= threshold
            assert result.decisions[d.representative_position].decision == "kept"

    of: list[str] = [d.decision for d in result.decisions]
    why: list[str] = [d.reason for d in result.decisions]
    c = result.counts
    assert (c.read, c.kept, c.dropped, c.failed) == (len(records), *map(of.count, ("kept", "dropped", "failed")))
    assert (c.exact, c.near, c.clusters) == tuple(map(why.count, ("exact", "near", "representative")))
    assert c.failed == sum(record["text"] is None for record in records)
