"""Near duplicates of a run for people to judge: a sample, its page or table, and the precision that follows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simsieve.checks import check_integer
from simsieve.config.pair_rows import PairRow
from simsieve.differences import in_words
from simsieve.errors import ConfigError
from simsieve.evaluate.metrics import Precision, precision_of
from simsieve.evaluate.pairs import Ids, Key, labels_of, verdict_words
from simsieve.report.samples import sample_of
from simsieve.results.dedup import DedupResult
from simsieve.results.near import NearDrops, Texts
from simsieve.results.review import MOST_REVIEWED, ReviewPair, review_pair
from simsieve.sinks.base import Kind, SinkPath
from simsieve.sinks.checks import check_sinks, is_page
from simsieve.sinks.fields import values_of
from simsieve.sinks.records import free_names
from simsieve.sinks.tables import table_format_of, write_objects
from simsieve.sources.fields import check_known

ORDERS = ("bands", "similarity")
_BANDS = 10
COLUMNS: dict[str, Kind | None] = {
    "a": None, "b": None, "verdict": "text", "group": "int", "similarity": "float", "distance": "int",
    "lost": "int", "lost_text": "text",
    "differences": "text", "text_a": "text", "text_b": "text", "position_a": "int", "position_b": "int",
    "check_a": "text", "check_b": "text",
}  # fmt: skip
"""The columns of a table of a review; `_row` gives their values by name."""


@dataclass(frozen=True, slots=True, eq=False)
class Review:
    """Near duplicates to judge."""

    near: NearDrops
    chosen: NDArray[np.int64]
    bands: NDArray[np.int64]

    @property
    def positions(self) -> NDArray[np.int64]:
        """The positions of the documents to show, ascending, each once."""
        return np.unique(np.concatenate([self.near.position[self.chosen], self.near.representative[self.chosen]]))


def check_review(sink: SinkPath | None, pairs: int, order: str) -> None:
    """Check what a review is to be."""
    check_integer("pairs", pairs, 1, MOST_REVIEWED)
    if order not in ORDERS:
        raise ConfigError("order {order!r} is not known: allowed are {orders}", order=order, orders=", ".join(ORDERS))
    if sink is not None and not is_page(sink):
        table_format_of(sink)


def review_of(result: DedupResult, pairs: int = 200, order: str = "bands", seed: int = 0) -> Review:
    """Choose at most a number of near duplicates to judge."""
    near, bands = result.decisions.near, bands_of(result)
    farness = near.farness
    if order == "similarity":
        return Review(near, np.argsort(-farness, kind="stable")[:pairs], bands)
    chosen = drawn(bands, seed)[:pairs]
    return Review(near, chosen[np.argsort(-farness[chosen], kind="stable")], bands)


def bands_of(result: DedupResult) -> NDArray[np.int64]:
    """Give the band of similarity of each near duplicate; that of the threshold is the first."""
    farness, limit = result.decisions.near.farness, result.config.max_distance
    end = 1 - (result.config.effective_similarity or 0.0) if limit is None else limit + 1
    return _BANDS - 1 - np.minimum((farness / (end or 1) * _BANDS).astype(np.int64), _BANDS - 1)


def drawn(bands: NDArray[np.int64], seed: int) -> NDArray[np.int64]:
    """Draw near duplicates one after another, from each band alike."""
    mixed = np.random.default_rng(seed).permutation(len(bands))
    # The k-th of its band, for each; the least k go first, so bands are drawn from alike.
    by_band = mixed[np.argsort(bands[mixed], kind="stable")]
    _, starts, counts = np.unique(bands[by_band], return_index=True, return_counts=True)
    rank = np.arange(len(by_band)) - np.repeat(starts, counts)
    order: NDArray[np.int64] = by_band[np.argsort(rank, kind="stable")]
    return order


def precision_by(bands: NDArray[np.int64], labels: Mapping[int, bool]) -> Precision:
    """Estimate the precision of a run, of some of whose near duplicates it is known whether they are the same."""
    counts = [[size, 0, 0] for size in np.bincount(bands, minlength=_BANDS).tolist()]
    for at, same in labels.items():
        band = counts[int(bands[at])]
        band[1] += 1
        band[2] += not same
    return precision_of([(size, seen, bad) for size, seen, bad in counts])


def shown_values(result: DedupResult, positions: NDArray[np.int64], fields: Sequence[str]) -> dict[int, dict[str, Any]]:
    """Read some fields of the documents at some positions; old ones have none."""
    run, columns = result.with_sources()
    return values_of(run.sinks, run.store, positions[positions < len(columns)], fields)


def write_review(
    result: DedupResult, review: Review, sink: SinkPath, verdicts: dict[Key, str], show: Sequence[str] = ()
) -> None:
    """Write a review as a table to fill in."""
    run, columns = result.with_sources()
    check_sinks(run.sources, [sink])
    texts = Texts(run.documents, run.schemes[0], len(columns))
    samples = [sample_of(review.near, int(at)) for at in review.chosen]
    words = [verdicts.get((min(one.a, one.b), max(one.a, one.b)), "") for one in samples]
    check_known("show", show, run.store, run.rows)
    values = shown_values(result, review.positions, show)
    names = free_names((f"{field}_{side}" for field in show for side in "ab"), COLUMNS)
    shown_columns: dict[str, Kind | None] = COLUMNS | dict.fromkeys(names.values())

    def row(pair: ReviewPair, word: str) -> dict[str, Any]:
        sides = {"a": values.get(pair.group, {}), "b": values.get(pair.b_position, {})}
        shown = {names[f"{field}_{side}"]: of.get(field) for field in show for side, of in sides.items()}
        return _row(pair, word, texts) | shown

    pairs = (review_pair(review.near, int(at), texts) for at in review.chosen)
    write_objects(sink, shown_columns, map(row, pairs, words), private=True, safe=result.config.safe_cells)


def _row(pair: ReviewPair, word: str, texts: Texts) -> dict[str, Any]:
    named = {name: getattr(pair, name) for name in ("a", "b", "group", "similarity", "distance", "lost", "lost_text")}
    named |= {"verdict": word or None, "differences": in_words(pair.differences)}
    named |= {"text_a": pair.a_text, "text_b": pair.b_text}
    named |= texts.naming(pair.group, "a") | texts.naming(pair.b_position, "b")
    return {name: named[name] for name in COLUMNS}


@dataclass(frozen=True, slots=True)
class Judged:
    """What a file of verdicts says of a run."""

    precision: Precision
    words: dict[Key, str]
    others: int
    warning: str


def judged(result: DedupResult, review: Review, rows: Sequence[PairRow]) -> Judged:
    """Estimate the precision of a run from verdicts."""
    run, columns = result.with_sources()
    keys, warning = Ids(run.documents, len(columns)).keys(rows)
    labels = labels_of(rows, keys)
    near = review.near
    low, high = np.minimum(near.position, near.representative), np.maximum(near.position, near.representative)
    dropped: dict[Key, int] = {key: at for at, key in enumerate(zip(low.tolist(), high.tolist(), strict=True))}
    found = precision_by(review.bands, {dropped[key]: same for key, same in labels.items() if key in dropped})
    return Judged(found, dict(verdict_words(rows, keys)), len(labels) - found.judged, warning)
