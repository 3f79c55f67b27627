"""The arithmetic of the bake-off: each chance against counting, on texts small enough to count."""

from itertools import combinations, product

import numpy as np
import pytest

from bakeoff import background_met, interval, met_in_bands
from bakeoff_chances import agree_on, binomial, near_of, quantile_above, strangers_of
from bakeoff_prefix import exact_prefix, rare_first
from bakeoff_recipes import chosen, differing
from bakeoff_sources import RECALL, Keys, key_sources
from bakeoff_texts import SCHEME, Collection, Pairs, all_pairs, edit, make, sketch, subset, sums_of
from generate import FUNCTION_EN


@pytest.fixture(scope="module")
def docs() -> Collection:
    """Invented texts and edited copies of half of them."""
    rng = np.random.default_rng(5)
    names = [f"{a}{b}{c}" for a, b, c in product("bdfgklmnprst", "aeiou", "bdfgklmnprst")]
    texts = [" ".join(rng.choice(names + FUNCTION_EN * 4, 30)) for _ in range(120)]
    return make("invented", "short", [(str(i), text) for i, text in enumerate(texts)], 0.5, rng)


@pytest.fixture(scope="module")
def pairs(docs: Collection) -> Pairs:
    """All of their pairs."""
    return all_pairs(docs, sums_of(docs, None), np.ones(len(docs.hashes)))


def test_every_pair_is_what_the_core_says(docs: Collection, pairs: Pairs) -> None:
    """Similarity, distance and Jaccard similarity of the brute force are the core's, and those of the sets."""
    sets = [set(docs.features[a:b].tolist()) for a, b in zip(docs.offsets[:-1], docs.offsets[1:], strict=True)]
    bits = [int.from_bytes(SCHEME.fingerprint(text) or b"", "big") for text in docs.texts]

    assert len(pairs.a) == len(docs.texts) * (len(docs.texts) - 1) // 2
    for row in range(0, len(pairs.a), 97):
        a, b = pairs.a[row], pairs.b[row]
        assert pairs.cosine[row] == pytest.approx(SCHEME.similarity(docs.texts[a], docs.texts[b]))
        assert pairs.jaccard[row] == pytest.approx(len(sets[a] & sets[b]) / len(sets[a] | sets[b]))
        assert pairs.distances[128][row] == (bits[a] ^ bits[b]).bit_count()


def test_a_copy_differs_by_what_was_asked() -> None:
    """An edited copy keeps most of its words and is not the same text."""
    text = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
    copies = [edit(text, "zz yy xx ww vv uu tt ss", np.random.default_rng(seed)) for seed in range(50)]
    kept = [len(set(copy.split()) & set(text.split())) for copy in copies]

    assert min(kept) >= 9
    assert np.mean([copy != text for copy in copies]) > 0.95


def test_exact_prefixes_find_every_near_pair(docs: Collection, pairs: Pairs) -> None:
    """The prefix and its bounds lose nothing, whatever the weights."""
    for squares in (np.ones(len(docs.hashes)), docs.idf_squares()):
        weighted = all_pairs(docs, sums_of(docs, np.sqrt(squares)), squares)
        for similarity in (0.6, 0.8):
            (met,) = exact_prefix([(rare_first(docs, squares), weighted)], similarity)
            assert (weighted.cosine >= similarity).sum() > 5
            assert met.found(similarity) == 1
            assert len(met.left) < len(pairs.a) / 2


@pytest.mark.parametrize("weighted", [False, True])
def test_sketches_agree_as_often_as_the_sets_are_similar(docs: Collection, *, weighted: bool) -> None:
    """With squared weights too: then the Jaccard similarity is that of the masses."""
    squares = docs.idf_squares() if weighted else np.ones(len(docs.hashes))
    measured = all_pairs(docs, sums_of(docs, None), squares)
    made = sketch(docs, 512, 7, squares if weighted else None)
    near = np.flatnonzero(measured.cosine > 0.5)
    agreement = (made[measured.a[near]] == made[measured.b[near]]).mean(axis=1)

    assert np.abs(agreement - measured.jaccard[near]).max() < 0.12
    assert abs(np.mean(agreement - measured.jaccard[near])) < 0.02


def test_bands_reach_the_recall_that_was_reckoned(docs: Collection, pairs: Pairs) -> None:
    """The fewest tables are enough, fewer are not, and real sketches find as much."""
    near, strangers = near_of([pairs]), strangers_of([pairs])
    wanted = near.above(0.65)
    for cost in key_sources(near, strangers, 0.65, 128, ((3, 1, 0),)):
        keys = Keys(3, 1, 0, int(cost.keys), 128)
        assert keys.found(wanted) >= RECALL > Keys(3, 1, 0, keys.tables - 1, 128).found(wanted)
        rows = np.flatnonzero(pairs.cosine >= 0.65)
        met = [met_in_bands(docs, keys, None, seed)[pairs.a[rows], pairs.b[rows]].mean() for seed in range(5)]
        assert np.mean(met) > RECALL - 0.02


def test_strangers_meet_as_often_as_was_reckoned(docs: Collection, pairs: Pairs) -> None:
    """Over some sketches the background meets as its similarities say."""
    counts = np.array([background_met(docs, pairs, None, seed) for seed in range(8)])

    assert counts[:, 1].mean() == pytest.approx(counts[0, 0], rel=0.35)


def test_an_interval_has_the_recall_in_its_middle() -> None:
    """It is a point where every pair is found, and as wide as 400 tosses of a coin are where a half is."""
    tosses = np.random.default_rng(3).random((1, 400)) < 0.5
    low, high = interval([tosses], 1)

    assert interval([np.ones((4, 50), dtype=bool)], 1) == (1, 1)
    assert low < tosses.mean() < high
    assert high - low == pytest.approx(2 * 1.96 * 0.5 / 20, rel=0.15)


def test_a_part_is_a_collection_of_its_own(docs: Collection, pairs: Pairs) -> None:
    """The pairs of some documents are as they were among all."""
    chosen_rows = np.arange(0, len(docs.texts), 3)
    part = subset(docs, chosen_rows)
    measured = all_pairs(part, sums_of(part, None), np.ones(len(part.hashes)))
    at = {(a, b): row for row, (a, b) in enumerate(zip(pairs.a.tolist(), pairs.b.tolist(), strict=True))}
    rows = [at[pair] for pair in combinations(chosen_rows.tolist(), 2)]

    assert measured.cosine == pytest.approx(pairs.cosine[rows])


def test_a_bit_differs_as_often_as_counting_says() -> None:
    """All signs of all features of two small sets, counted."""
    for shared, own_a, own_b in [(1, 1, 1), (3, 1, 2), (4, 0, 1), (2, 2, 2)]:
        signs = np.array(list(product((-1, 1), repeat=shared + own_a + own_b)))
        a = signs[:, : shared + own_a].sum(axis=1) > 0
        b = signs[:, :shared].sum(axis=1) + signs[:, shared + own_a :].sum(axis=1) > 0
        assert differing(shared, own_a, own_b) == pytest.approx((a != b).mean())


def test_chances_are_those_of_the_binomial_and_of_drawing() -> None:
    """A tail of Binomial(10, 0.5), and bits drawn without putting back."""
    assert binomial(10, np.array([0.5]))[0, 9:].sum() == pytest.approx(11 / 1024)
    assert quantile_above(10, 0.5, 11.5 / 1024) == 8
    assert agree_on(8, 2, np.array([0, 4, 7]))[[0, 1, 2]] == pytest.approx([1, 4 * 3 / (8 * 7), 0])


def test_the_formula_today_is_the_recipes() -> None:
    """The formula that is compared with gives the bands that the design page names for 200,000 records."""
    assert chosen(0.65, 200_000, "any", proposed=False) == (50, 3, 192)
