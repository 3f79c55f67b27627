"""Agreement of near pairs and clusters with labels, for a scheme and a threshold, or for another program's pairs."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from simsieve.config.pair_rows import read_pairs
from simsieve.config.settings import DedupConfig
from simsieve.config.typed import Settings, with_settings
from simsieve.display import counted, html_table
from simsieve.errors import ConfigError, short_errors
from simsieve.evaluate.collection import Labelled, labelled
from simsieve.evaluate.metrics import (
    ClusterScore,
    PairScore,
    average_precision,
    cluster_score,
    components,
    similarities_from,
    sweep,
)
from simsieve.progress import chosen_progress
from simsieve.results.arrow import heads
from simsieve.run.forecast import Warn, warn_program
from simsieve.run.schemes import only_criterion
from simsieve.run.steps import load
from simsieve.sinks.base import SinkPath
from simsieve.sources.base import AnySource
from simsieve.types import Progress, ProgressOption

LOWEST = {"cosine": 0.4, "jaccard": 0.25}
"""From where similarities are tried, by default."""
STEP = 0.005

PairColumns = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]
"""Positions of a, positions of b, and similarities or distances."""


@dataclass(frozen=True, slots=True)
class Error:
    """A pair on which search and labels do not agree."""

    kind: str
    a: int
    b: int
    a_id: str
    b_id: str
    nearness: float | None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Evaluation:
    """How well pairs and clusters agree with labels; `evaluate_labels` makes it.

    Args:
        documents: Documents that were read.
        gold: Pairs that are the same by the labels.
        scheme: What was judged: the scheme, or the file of another program's pairs.
        at: The score at the threshold of the settings: `threshold`, `found`, `right`, `precision`, `recall`, `f1` and
            their intervals.
        best: The score at the threshold with the best F1, which was chosen on the labels.
        rows: The scores at all thresholds.
        average_precision: The area under the curve of precision and recall.
        clusters: B-cubed and the adjusted Rand index; None where pairs are labelled and not groups.
        errors: The pairs that are wrong or were missed, where they were asked for.

    Example:
        >>> records = [{"text": "one text here", "group": 1}, {"text": "one text here!", "group": 1}]
        >>> evaluate_labels(records, labels="group").at.recall
        1.0
    """

    documents: int
    gold: int
    scheme: str
    at: PairScore
    best: PairScore
    rows: list[PairScore]
    average_precision: float
    clusters: ClusterScore | None
    errors: list[Error]

    def __repr__(self) -> str:
        """Show the score at the threshold."""
        return f"<Evaluation: {self.scheme} at {self.at.threshold:g}, F1 {self.at.f1:.4f}>"

    def _repr_html_(self) -> str:
        """Show the scores in a notebook."""
        names = ("threshold", "precision", "recall", "f1", "found", "right")
        rows = (
            [name, *(getattr(row, key) for key in names)] for name, row in (("as set", self.at), ("best", self.best))
        )
        title = f"{self.scheme}: {counted(self.documents, 'document')}, {counted(self.gold, 'labelled pair')}"
        return html_table(title, ("", *names), rows)

    @property
    def summary(self) -> dict[str, Any]:
        """All figures, ready for JSON."""
        names = ("bcubed_precision", "bcubed_recall", "bcubed_f1", "adjusted_rand")
        clusters = None if self.clusters is None else {name: getattr(self.clusters, name) for name in names}
        return {
            "documents": self.documents, "gold_pairs": self.gold, "scheme": self.scheme, "at": scored(self.at),
            "best": scored(self.best), "average_precision": self.average_precision, "clusters": clusters,
            "thresholds": [scored(row) for row in self.rows],
        }  # fmt: skip


def scored(row: PairScore) -> dict[str, Any]:
    """Give a score as JSON has it."""
    values = {name: getattr(row, name) for name in ("threshold", "found", "right", "precision", "recall", "f1")}
    return values | {name: list(getattr(row, name)) for name in ("precision_interval", "recall_interval")}


@with_settings
def evaluate_labels(
    source: AnySource,
    *,
    labels: str | None = None,
    pairs: SinkPath | None = None,
    found: SinkPath | None = None,
    errors: bool = False,
    lowest: float | None = None,
    progress: ProgressOption = None,
    **settings: Unpack[Settings],
) -> Evaluation:
    """Measure how well near pairs and clusters agree with labels.

    Args:
        source: As for `dedup`.
        labels: The field of the labels: records with one label are the same. One without a label is like no other.
        pairs: A file of labelled pairs in place of it, with the columns a, b and label or verdict.
        found: Judge the pairs of this file, which another program found: a, b and perhaps similarity or distance.
        errors: List the pairs that are wrong or were missed.
        lowest: The loosest similarity that is tried.
        progress: As for `dedup`.
        **settings: As for `dedup`.

    Raises:
        ConfigError: A setting is not allowed, or labels come from two places or none.
        SourceError: A source or a file of pairs cannot be read.

    Example:
        >>> texts = ["one text here", "one text here!", "one text here"]
        >>> records = [{"text": text, "group": group} for text, group in zip(texts, (1, 1, 2))]
        >>> [(error.kind, error.a, error.b) for error in evaluate_labels(records, labels="group", errors=True).errors]
        [('wrong', 0, 2), ('wrong', 1, 2)]
    """
    with short_errors, chosen_progress(progress) as show:
        files = [None if path is None else os.fspath(path) for path in (pairs, found)]
        return run_labels(
            source, DedupConfig.from_settings(settings), field=labels, pairs=files[0], found=files[1], errors=errors,
            lowest=lowest, progress=show,
        )  # fmt: skip


def run_labels(
    source: AnySource,
    config: DedupConfig,
    *,
    field: str | None = None,
    pairs: str | None = None,
    found: str | None = None,
    lowest: float | None = None,
    errors: bool = False,
    progress: Progress | None = None,
    warn: Warn = warn_program,
) -> Evaluation:
    """Measure how well near pairs agree with labels."""
    # One search at the loosest threshold gives all pairs; a pair is found at a threshold if it is near by it. The
    # clusters are those of `dedup` at the threshold of the settings; those of a file of pairs are its connected parts.
    config.check_undirected("evaluate")
    only_criterion(config, "an evaluation")
    collection = labelled(source, config, field, pairs, progress, warn)
    by_distance = config.max_distance is not None
    threshold = config.threshold
    steps = _steps(config, lowest)
    count = len(collection.store)
    if found is not None:
        a, b, nearness = _other(found, collection, warn, by_distance=by_distance)
        near = _within(nearness, threshold, by_distance=by_distance)
        clusters = None if collection.labels is None else components(count, a[near], b[near])
        name = found
    else:
        loose = replace(config, similarity=None if by_distance else min(steps), max_distance=config.max_distance)
        documents = load(collection.store, collection.schemes, loose, progress)
        i, j, distance, similarity, *_ = documents.pairs(config.max_pairs, threads=config.threads, progress=progress)
        a, b, nearness = i, j, distance.astype(np.float64) if by_distance else similarity
        clusters, name = None, collection.schemes[0].spec
        if collection.labels is not None:
            again = documents.rethreshold(config.nearness[0])
            columns = again.dedup(config.threads, progress)
            clusters = heads(columns.decision, columns.representative)
    known, right = collection.judged(a, b)
    nearness = nearness[known]
    gold = collection.gold
    rows = sweep(nearness, right, gold, steps, by_distance=by_distance)
    at = sweep(nearness, right, gold, [threshold], by_distance=by_distance)[0]
    best = max(rows, key=lambda row: row.f1)
    score = None
    if clusters is not None and collection.labels is not None:
        score = cluster_score(clusters[collection.usable], collection.labels[collection.usable])
    inside = _within(nearness, threshold, by_distance=by_distance)
    listed = _errors(collection, (a[known], b[known], nearness), right, inside) if errors else []
    average = average_precision(nearness, right, gold, by_distance=by_distance)
    return Evaluation(count, gold, name, at, best, rows, average, score, listed)


def _steps(config: DedupConfig, lowest: float | None) -> list[float]:
    if config.max_distance is not None:
        return [float(bits) for bits in range(config.max_distance, -1, -1)]
    threshold = config.threshold
    low = min(LOWEST[config.measure], threshold) if lowest is None else lowest
    if not 0 < low <= threshold:
        raise ConfigError(
            "from {low:g} is not allowed: give a similarity above 0 and at most {threshold:g}, the judged",
            low=low, threshold=threshold,
        )  # fmt: skip
    return similarities_from(low, STEP)


def _within(nearness: NDArray[np.float64], threshold: float, *, by_distance: bool) -> NDArray[np.bool_]:
    return nearness <= threshold if by_distance else nearness >= threshold - 1e-12


def _other(path: str, collection: Labelled, warn: Warn, *, by_distance: bool) -> PairColumns:
    """The pairs of another program: with its similarities or distances, as the threshold is, or all alike."""
    rows = read_pairs(path)
    keys, warning = collection.ids.keys(rows)
    if warning:
        warn(warning)
    wanted, other = ("distance", "similarity") if by_distance else ("similarity", "distance")
    if any(other in row.values for row in rows) and not any(wanted in row.values for row in rows):
        setting = "similarity" if by_distance else "max_distance"
        raise ConfigError(
            "{path} has a {other} of each pair, and no {wanted}: give a threshold of it with {setting}",
            path=path, other=other, wanted=wanted, setting=setting,
        )  # fmt: skip
    best: dict[tuple[int, int], float] = {}
    for row, key in zip(rows, keys, strict=True):
        value = row.values.get(wanted, 0.0 if by_distance else 1.0)
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise ConfigError(
                "{where}: {value!r} is no number: give the similarity of each pair, or none",
                where=row.where, value=value,
            ) from None  # fmt: skip
        if key is not None:
            pick = min if by_distance else max
            best[key] = number if key not in best else pick(best[key], number)
    order = sorted(best)
    both = np.array(order, dtype=np.int64).reshape(-1, 2)
    return both[:, 0], both[:, 1], np.array([best[key] for key in order], dtype=np.float64)


def _errors(
    collection: Labelled, pairs: PairColumns, right: NDArray[np.bool_], inside: NDArray[np.bool_]
) -> list[Error]:
    """The wrong pairs and then the missed ones, the nearest first."""
    a, b, nearness = pairs

    names = collection.ids.names

    def error(kind: str, i: int, j: int, value: float | None) -> Error:
        return Error(kind, i, j, names[i], names[j], value)

    bad = np.flatnonzero(inside & ~right)
    wrong = [error("wrong", int(a[at]), int(b[at]), float(nearness[at])) for at in bad]
    good = {(int(a[at]), int(b[at])): (bool(inside[at]), float(nearness[at])) for at in np.flatnonzero(right)}
    missed = []
    for key in _gold_pairs(collection):
        is_in, value = good.get(key, (False, None))
        if not is_in:
            missed.append(error("missed", *key, value))
    return wrong + missed


def _gold_pairs(collection: Labelled) -> Iterator[tuple[int, int]]:
    """The pairs that are the same by the labels, by position."""
    if collection.pairs is not None:
        yield from sorted(key for key, same in collection.pairs.items() if same)
        return
    assert collection.labels is not None
    members: dict[int, list[int]] = {}
    for position in np.flatnonzero(collection.usable).tolist():
        members.setdefault(int(collection.labels[position]), []).append(position)
    for group in members.values():
        yield from ((one, other) for at, one in enumerate(group) for other in group[at + 1 :])
