"""The steps of a run on several machines, one after another in this process: they decide as one run does."""

import random
from collections import defaultdict
from typing import Any

import numpy as np
import pytest

import simsieve
from simsieve import _core
from simsieve.errors import ConfigError
from simsieve.schemes.criteria import Nearness

MANY = 8500
"""Texts of a search by keys; below 8,192 every pair is tested."""


def column(texts: list[str | None]) -> Any:
    """Texts as the core takes a column of them."""
    encoded = [(text or "").encode() for text in texts]
    offsets = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    valid = np.array([text is not None for text in texts], dtype=np.bool_)
    return offsets, np.frombuffer(b"".join(encoded), dtype=np.uint8), valid


def collection(count: int) -> list[str | None]:
    """Unrelated texts, edited and exact copies, a family, a crowd of one template, and texts without features."""
    draw = random.Random(7)
    words = [f"{draw.randrange(16**5):x}" for _ in range(4000)]
    template = " ".join(draw.choices(words, k=12))
    texts: list[str | None] = []
    for at in range(count):
        own = " ".join(draw.choices(words, k=12))
        kind = draw.random()
        if kind < 0.15 and at > 9:
            old = texts[draw.randrange(at)] or "none"
            texts.append(old.upper() if kind < 0.05 else f"{old} {draw.choice(words)}")
        elif kind < 0.25:
            texts.append(f"{template} {own[: 4 if kind < 0.2 else 60]}")
        else:
            texts.append("!!!" if kind < 0.26 else own)
    return texts


def sent_search(texts: list[str | None], draw: random.Random, nearness: Nearness, also: list[Any]) -> Any:
    """A search that was frozen on some texts and sent, with further schemes that must agree."""
    scheme = _core.Scheme("chars128")
    unfrozen = _core.UnfrozenSearch(scheme, len(texts), nearness)
    sampled = []
    if unfrozen.sample_log2 is not None:
        is_in = _core.sampled_texts(column(texts), unfrozen.sample_log2)
        sampled = [text for text, chosen in zip(texts, is_in, strict=True) if chosen]
        draw.shuffle(sampled)
    frozen = unfrozen.freeze(column(sampled), len(texts), unfrozen.sample_log2 or 0)
    assert frozen is not None
    return _core.FrozenSearch(scheme, *frozen.parts(), also)


def decided(
    texts: list[str | None],
    seed: int,
    fields: list[str | None] | None,
    others: dict[str, float] | None = None,
    **threshold: Any,
) -> tuple[dict[int, int], str]:
    """For each text the one that is kept for it, decided in parts that a seed chooses; and the recipe's digest.

    Near texts have equal fields and, where there are fields, equal numbers. They have a similarity under other schemes.
    """
    draw = random.Random(seed)
    also = [(_core.Scheme(name), Nearness(similarity)) for name, similarity in (others or {}).items()]
    search = sent_search(texts, draw, Nearness(**threshold), also)

    of_fields, same = (None, []) if fields is None else (column(fields), ["numbers"])
    (_, _, digests), (group, facts, dates), failures = _core.text_digests(
        _core.Scheme("chars128"), column(texts), of_fields, same, also=[scheme for scheme, _ in also]
    )
    assert failures == []
    rows, tasks = digests.view("<u8").reshape(-1, 2), draw.randrange(1, 5)
    first: dict[int, int] = {}
    parts: dict[int, list[bytes]] = defaultdict(list)
    words: dict[int, tuple[Any, Any]] = {}
    sizes: dict[int, int] = {}
    for task in range(tasks):
        at = np.array(
            sorted(np.flatnonzero(rows[:, 0] % tasks == task), key=lambda row: (*rows[row], row)), dtype=np.int64
        )
        work = _core.EncodePass(search, 3)
        for batch in np.array_split(at, draw.randrange(1, 9)):
            made, failures = work.push(
                rows[batch].view(np.uint8).ravel(), group[batch], batch, column([texts[row] for row in batch])
            )
            assert failures == []
            first.update(zip(batch.tolist(), made["first"].tolist(), strict=True))
            for number, row in enumerate(batch.tolist()):
                if made["valid"][number]:
                    words[row], sizes[row] = (made["fingerprint"][number], made["sketch"][number]), made["size"][number]
            if draw.random() < 0.5:
                for part, piece in work.take_pieces():
                    parts[part].append(piece)
        for part, piece in work.take_pieces():
            parts[part].append(piece)

    pairs: dict[tuple[int, int], int] = {}
    members = [(row, 0) for row in words] if search.is_brute else []
    for part, pieces in parts.items():
        draw.shuffle(pieces)
        found = search.pairs(pieces)
        pairs.update(
            zip(zip(found["a"].tolist(), found["b"].tolist(), strict=True), found["distance"].tolist(), strict=True)
        )
        members += [
            (row, 1000 * part + bucket)
            for row, bucket in zip(found["member"].tolist(), found["bucket"].tolist(), strict=True)
        ]
    a, b = (np.array([pair[side] for pair in pairs], dtype=np.int64) for side in (0, 1))
    distance = np.array(list(pairs.values()), dtype=np.uint32)
    # Where the order of two texts counts, a pair comes in both.
    in_order = a < b
    a, b, distance = a[in_order], b[in_order], distance[in_order]
    sides = [column([texts[row] for row in side]) for side in (a, b)]
    similarity, _, lost_b, conflict = search.verify(a, b, sides[0], sides[1])
    if search.reads_texts:
        near = ~np.isnan(similarity)
        assert (lost_b[near] >= 0).all()
        a, b, distance, similarity, lost_b, conflict = (
            a[near], b[near], distance[near], similarity[near], lost_b[near], conflict[near],
        )  # fmt: skip

    involved = np.unique(np.array([*a, *b, *(row for row, _ in members)], dtype=np.int64))
    _, bucket = np.unique([bucket for _, bucket in members] or np.zeros(0, np.int64), return_inverse=True)
    place = {row: number for number, row in enumerate(involved.tolist())}

    def numbers(positions: Any) -> Any:
        return np.array([place[row] for row in positions], dtype=np.uint32)

    out = search.decide(
        column([texts[row] for row in involved]),
        (
            np.concatenate([words[row][0] for row in involved]),
            np.concatenate([words[row][1] for row in involved]),
            np.array([sizes[row] for row in involved], dtype=np.uint32),
            (group[involved], facts, dates),
        ),
        (numbers(a), numbers(b), distance),
        similarity if search.reads_texts else similarity[:0],
        lost_b if search.reads_texts else lost_b[:0],
        conflict,
        (numbers(row for row, _ in members), bucket.astype(np.uint32)),
    )
    to = dict(zip(involved.tolist(), involved[out["to"]].tolist(), strict=True))
    return {row: to.get(head, head) for row, head in first.items()}, search.recipe_digest


@pytest.mark.filterwarnings("ignore:.*probably other documents")
@pytest.mark.parametrize(
    ("count", "threshold", "values"),
    [
        (MANY, {"similarity": 0.65}, []), (MANY, {"max_distance": 5}, []), (900, {"similarity": 0.7}, []),
        (MANY, {"similarity": 0.65}, ["a", "b", None]), (MANY, {"max_distance": 5}, ["a", None]),
        (900, {"similarity": 0.7}, ["a", "b"]),
        (MANY, {"similarity": 0.7, "measure": "containment", "max_ratio": 4.0}, []),
        (900, {"similarity": 0.6, "measure": "containment", "max_ratio": 4.0}, ["a", "b"]),
    ],
)  # fmt: skip
def test_parts_decide_as_one_run(count: int, threshold: dict[str, Any], values: list[str | None]) -> None:
    """Representatives and recipe are equal, however rows, batches and pieces fall, and whatever must be equal."""
    texts = collection(count)
    fields = [values[at * 7919 % len(values)] for at in range(count)] if values else None

    rows = [{"text": text or "", "kind": kind} for text, kind in zip(texts, fields or texts, strict=True)]
    rules: dict[str, Any] = {"block_by": "kind", "same": "numbers"} if fields else {}
    result = simsieve.dedup(rows, sample=0, conflict="none", **rules, **threshold)
    table = result.decisions.to_arrow()

    wanted = dict(enumerate(table["representative_position"].to_pylist()))
    for seed in range(1 if count == MANY else 3):
        assert decided(texts, seed, fields, **threshold) == (wanted, result.recipe["digest"])


@pytest.mark.filterwarnings("ignore:.*probably other documents")
@pytest.mark.parametrize(
    ("count", "threshold"), [(MANY, {"similarity": 0.6}), (MANY, {"max_distance": 20}), (900, {"max_distance": 20})]
)
def test_parts_decide_under_several_schemes(count: int, threshold: dict[str, Any]) -> None:
    """A near pair is near under all schemes, also where the bits of the first decide, and copies are those of all."""
    texts = collection(count)
    near = f"{threshold['max_distance']}bits" if "max_distance" in threshold else threshold["similarity"]
    others = {"words64": 0.7, "chars64": 0.5}
    schemes = [f"chars128@{near}", *(f"{name}@{similarity}" for name, similarity in others.items())]

    rows = [{"text": text or ""} for text in texts]
    result = simsieve.dedup(rows, sample=0, scheme=schemes, conflict="none")

    wanted = dict(enumerate(result.decisions.to_arrow()["representative_position"].to_pylist()))
    assert decided(texts, 1, None, others, **threshold)[0] == wanted


def test_what_a_search_was_not_made_for_is_refused() -> None:
    """Parts of another scheme, by its digest, and bytes that are no piece of its keys."""
    search = _core.UnfrozenSearch(_core.Scheme("chars64"), 10, Nearness(0.65)).freeze(column([]), 10, 0)
    assert search is not None
    with pytest.raises(ConfigError, match="install one version of simsieve on all machines"):
        _core.FrozenSearch(_core.Scheme("chars128"), *search.parts())
    for piece in (b"", b"x" * 40):
        with pytest.raises(ConfigError, match="a piece of search keys is damaged"):
            search.pairs([piece])


def test_keys_of_all_machines_show_the_crowds() -> None:
    """Paths of many texts that the first sample has not seen are split, however the texts are spread."""
    draw = random.Random(3)
    words = [f"{draw.randrange(1 << 40):x}" for _ in range(40)]
    texts = [" ".join(draw.sample(words, 8)) for _ in range(12_000)]
    search = _core.UnfrozenSearch(_core.Scheme("words128"), 1 << 25, Nearness(0.65)).freeze(column([]), 1 << 25, 4)
    assert search is not None
    assert (search.crowd_log2, len(search.parts()[3])) == (None, 0)
    found = []
    for spread in (texts[:5000], texts[5000:]), (texts[::-1],):
        keys = [search.sampled_keys(column([*some, None, ""]), 4) for some in spread]
        split = search.split(keys, 4)
        found.append([*split.parts()[:3], split.parts()[3].tolist()])
    assert found[0] == found[1] and len(found[0][3]) > 20
    assert len(search.split([], 4).parts()[3]) == 0
