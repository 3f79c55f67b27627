"""New documents against old ones, and deciding again, held against plain loops."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests import strategies
from tests.property import twin
from tests.property.test_laws import keep_order

from simsieve import dedup, find_pairs, fingerprint, similarity

# Sources are drawn that have no field of the keep order, or numbers and texts in it, or dates beside other texts;
# warnings say so.
pytestmark = [
    pytest.mark.filterwarnings("ignore:.*keep does not order by it"),
    pytest.mark.filterwarnings("ignore:of the values of .*numbers precede texts"),
    pytest.mark.filterwarnings("ignore:keep compares the values of .* as texts"),
]

Record = dict[str, Any]
Outcome = tuple[str, str, str | None, int | None]
distances = st.sampled_from([0, 12, 22, 28, 63])
# Each with one that is as strict or stricter.
THRESHOLDS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"similarity": 0.4}, {"similarity": 0.7}),
    ({"similarity": 0.65}, {"similarity": 0.65}),
    ({"max_distance": 40}, {"max_distance": 12}),
]


def oracle(new: list[Record], old: list[Record], keep: list[str], k: int) -> list[Outcome]:
    """The law under `max_distance`: kept = old; walk the new. Decision, reason, and for whom."""
    options = twin.parse("chars64")
    kept: list[tuple[str, int, int]] = []
    first_of: dict[str, tuple[str, int]] = {}
    for position, record in enumerate(old):
        if record["text"] is not None and (bits := twin.fingerprint(record["text"], options)) is not None:
            kept.append(("old", position, bits))
            first_of.setdefault(twin.normalise(record["text"]), ("old", position))
    outcomes: list[Outcome] = [("failed", "text_not_string", None, None)] * len(new)
    for position in keep_order(new, keep):
        bits, normal = twin.fingerprint(new[position]["text"], options), twin.normalise(new[position]["text"])
        near = [] if bits is None else [((bits ^ other).bit_count(), at) for at, (*_, other) in enumerate(kept)]
        best = min((pair for pair in near if pair[0] <= k), default=None)
        if bits is None:
            outcomes[position] = ("kept", "no_features", "new", position)
        elif normal in first_of:
            outcomes[position] = ("dropped", "exact", *first_of[normal])
        elif best is not None:
            outcomes[position] = ("dropped", "near", *kept[best[1]][:2])
        else:
            outcomes[position] = ("kept", "unique", "new", position)
            kept.append(("new", position, bits))
        if bits is not None:
            _, _, collection, head = outcomes[position]
            assert collection is not None and head is not None
            first_of.setdefault(normal, (collection, head))
    for decision, _, collection, head in list(outcomes):
        if decision == "dropped" and collection == "new" and head is not None:
            outcomes[head] = ("kept", "representative", "new", head)
    return outcomes


@given(strategies.collections, strategies.collections, strategies.keep_orders, distances)
def test_new_ones_are_decided_as_the_naive_loop_does(
    new: list[Record], old: list[Record], keep: list[str], k: int
) -> None:
    """Kept begins as the old ones, and the new ones are walked: what stays, what goes, why, and for whom."""
    result = dedup(iter(new), against=iter(old), scheme="chars64", max_distance=k, keep=keep)
    outcomes = [
        (d.decision, d.reason, d.representative_collection, d.representative_position) for d in result.decisions
    ]

    assert oracle(new, old, keep, k) == outcomes
    assert result.counts.read == len(new)
    assert result.old_read == len(old)
    assert len(result.old_failures()) == sum(record["text"] is None for record in old)
    clusters = [position for cluster in result.clusters(min_size=1).values() for position in cluster]
    matched = [position for cluster in result.old_clusters().values() for position in cluster]
    assert sorted(clusters + matched) == [at for at, outcome in enumerate(outcomes) if outcome[0] != "failed"]


@given(strategies.collections, strategies.collections, st.sampled_from([0.3, 0.65, 0.9]), st.sampled_from([1, 7]))
def test_nothing_false_is_dropped_for_an_old_one(
    new: list[Record], old: list[Record], threshold: float, batch: int
) -> None:
    """Under a similarity each drop is near its representative, of either collection; a plan changes nothing."""
    result = dedup(iter(new), against=iter(old), similarity=threshold)
    for d in result.decisions:
        if d.decision == "dropped":
            assert d.representative_position is not None
            of = old if d.representative_collection == "old" else new
            measured = similarity(new[d.position]["text"], of[d.representative_position]["text"])
            assert d.similarity == pytest.approx(measured, abs=1e-9)
            assert measured >= threshold
    planned = dedup(iter(new), against=iter(old), similarity=threshold, threads=1, batch=batch)
    assert list(planned.decisions) == list(result.decisions)


@given(strategies.collections, strategies.collections, distances)
def test_pairs_across_have_one_side_in_each(new: list[Record], old: list[Record], k: int) -> None:
    """Every near pair of a new and an old document is found, and no other."""

    def made(records: list[Record]) -> list[int | None]:
        prints = [None if r["text"] is None else fingerprint(r["text"], "chars64") for r in records]
        return [None if found is None else int(found) for found in prints]

    wanted = [
        (i, j, (a ^ b).bit_count())
        for i, a in enumerate(made(new))
        for j, b in enumerate(made(old))
        if a is not None and b is not None and (a ^ b).bit_count() <= k
    ]
    pairs = find_pairs(iter(new), against=iter(old), scheme="chars64", max_distance=k)
    assert wanted == [(p.a_position, p.b_position, p.distance) for p in pairs]
    assert wanted == list(zip(*(column.tolist() for column in pairs.columns[:3]), strict=True))


@given(
    strategies.collections, strategies.collections, strategies.keep_orders, st.booleans(), st.sampled_from(THRESHOLDS)
)
def test_again_is_a_fresh_run_where_every_pair_is_looked_at(
    new: list[Record],
    old: list[Record],
    keep: list[str],
    against: bool,
    thresholds: tuple[dict[str, Any], dict[str, Any]],
) -> None:
    """On small collections deciding again at a stricter threshold gives what a fresh run gives."""
    loose, strict = thresholds

    def run(threshold: dict[str, Any]) -> Any:
        return dedup(iter(new), against=iter(old) if against else None, keep=keep, **threshold)

    result = run(loose)
    before = list(result.decisions)
    again, fresh = result.rethreshold(**strict), run(strict)

    assert list(again.decisions) == list(fresh.decisions)
    assert again.config == fresh.config
    assert list(result.decisions) == before
    assert list(again.rethreshold(**loose).decisions) == before
