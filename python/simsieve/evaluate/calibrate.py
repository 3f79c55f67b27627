"""The scheme and the threshold that suit a collection: by labels, or by edited copies of its own texts."""

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Unpack, cast

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.config.near_rows import DEFAULTS
from simsieve.config.settings import DedupConfig
from simsieve.config.typed import Settings, with_settings
from simsieve.display import counted, html_values
from simsieve.errors import ConfigError, short_errors
from simsieve.evaluate.choice import Choice, Curve, Goal, choose, resampled_f1
from simsieve.evaluate.collection import labelled
from simsieve.evaluate.edits import KINDS, STRENGTHS, Parts, edited, originals_of
from simsieve.evaluate.labels import scored
from simsieve.evaluate.metrics import PairScore, average_precision, similarities_from, sweep
from simsieve.evaluate.rules import OF_FIELDS, Rules, rules_by_labels
from simsieve.messages import Setting
from simsieve.progress import chosen_progress
from simsieve.results.pairs import PairColumns
from simsieve.run.forecast import Warn, warn_program
from simsieve.run.schemes import chosen_schemes, fitted_schemes
from simsieve.run.steps import load
from simsieve.sinks.base import SinkPath
from simsieve.sources.base import AnySource
from simsieve.types import Progress, ProgressOption

SCHEMES = ("chars128", "chars128:n=4", "chars128:weights=log")
"""The schemes that are tried by default."""
LOWEST = {"cosine": 0.45, "jaccard": 0.29}
"""From where similarities are tried, by default; each lower step costs many more comparisons."""
STEP = 0.01
BOUNDS = (4, 6, 8, 10, 15, 20, 30, 60)
"""Bounds of a drop's loss that are tried, in units."""
_LEAST = 3
"""Documents that a calibration needs."""
_LEAST_ALONE = 0.1
"""The share of the documents that must have no near one: edited copies of fewer say nothing about the collection."""


@dataclass(frozen=True, slots=True)
class Edit:
    """How often copies of one kind and one share of edits were found at the chosen threshold."""

    kind: str
    share: float
    copies: int
    found: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Calibration:
    """The scheme and the threshold that were chosen for a collection, and all figures; `calibrate` makes it.

    Args:
        config: Settings with the chosen scheme and similarity.
        choice: The scheme with its scores, the threshold, and the equally good ones.
        curves: The scores of every scheme that was tried, at every threshold.
        documents: Documents that were compared.
        left_out: Documents that were not sampled, because others are near them.
        edits: Without labels, how many edited copies of each kind were found.
        bound: With labels, the bound of a drop's loss that agrees better, with its score; None where none does.
        rules: With labels and several fields, or rules on fields, what was chosen of these; else None.

    Example:
        >>> texts = ["The mill by the old river grinds its corn again.", "Nobody walks the harbour road at night.",
        ...          "Two bakers share one oven behind the church.", "Every spring the ferry gets a coat of paint."]
        >>> sorted(calibrate(texts, scheme="chars64").settings)
        ['scheme', 'similarity']
    """

    config: DedupConfig
    choice: Choice
    curves: list[Curve]
    documents: int
    left_out: int
    edits: list[Edit]
    bound: tuple[int, PairScore] | None = None
    rules: Rules | None = None

    def __repr__(self) -> str:
        """Show the choice and its score."""
        row = self.choice.row
        return f"<Calibration: {self.choice.curve.scheme} at {row.threshold:g}, F1 {row.f1:.4f}>"

    def _repr_html_(self) -> str:
        """Show the choice, and the best of each scheme, in a notebook."""
        rows: list[tuple[str, object]] = [("similarity", f"{self.choice.row.threshold:g}")]
        rows += [(name, getattr(self.choice.row, name)) for name in ("precision", "recall", "f1")]
        rows += [(f"best F1 of {curve.scheme}", max(row.f1 for row in curve.rows)) for curve in self.curves]
        return html_values(f"{self.choice.curve.scheme} for {counted(self.documents, 'document')}", rows)

    @property
    def settings(self) -> dict[str, Any]:
        """The chosen scheme and similarity, or fields and rules, for `dedup(source, **settings)`."""
        if self.rules is None:
            return {"scheme": self.choice.curve.scheme, "similarity": self.choice.row.threshold}
        values = {name: getattr(self.config, name) for name in (*OF_FIELDS, "text_field", "conflict")}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}

    @property
    def summary(self) -> dict[str, Any]:
        """All figures, ready for JSON."""
        choice = self.choice
        return {
            "documents": self.documents, "left_out": self.left_out, "scheme": choice.curve.scheme,
            "similarity": choice.row.threshold, "is_reached": choice.is_reached, "at": scored(choice.row),
            "alike": list(choice.alike), "schemes_alike": choice.others,
            "max_lost": None if self.bound is None else {"units": self.bound[0], **scored(self.bound[1])},
            "rules": None if self.rules is None else self.rules.summary,
            "edits": [{name: getattr(edit, name) for name in Edit.__slots__} for edit in self.edits],
            "curves": [
                {"scheme": curve.scheme, "average_precision": curve.average_precision,
                 "thresholds": [scored(row) for row in curve.rows]}
                for curve in self.curves
            ],
        }  # fmt: skip


@with_settings
def calibrate(
    source: AnySource,
    *,
    labels: str | None = None,
    pairs: SinkPath | None = None,
    documents: int = 1000,
    least_precision: float | None = None,
    least_recall: float | None = None,
    lowest: float | None = None,
    progress: ProgressOption = None,
    **settings: Unpack[Settings],
) -> Calibration:
    """Choose a scheme and a threshold for a collection: by labels, or by edited copies of its own texts.

    With labels and several fields, or rules such as `near`, a threshold for each field is chosen, and the rules that
    pay.

    Args:
        source: As for `dedup`.
        labels: The field of the labels: records with one label are the same.
        pairs: A file of labelled pairs, or of verdicts, in place of it: the columns a, b and label or verdict.
        documents: Without labels, how many documents are sampled and edited; at least 3.
        least_precision: The precision in (0, 1] that is wanted; then the most recall is chosen.
        least_recall: The recall in (0, 1] that is wanted; then the most precision is chosen. Without either the best F1
            is chosen.
        lowest: The least similarity that is tried, in (0, 1); by default 0.45, and 0.29 of Jaccard.
        progress: As for `dedup`.
        **settings: As for `dedup`; `scheme` may be a list of schemes to try. Thresholds are not for here.

    Raises:
        ConfigError: A setting is not allowed, there are too few documents, or labels come from two places.
        SourceError: A source or the file of pairs cannot be read.

    Example:
        >>> records = [{"text": text, "group": group} for text, group in
        ...            [("the old mill by the river", 1), ("the old mill by the rivers", 1), ("a quiet road", 2)]]
        >>> calibrate(records, labels="group", scheme="chars64").choice.row.f1
        1.0
    """
    with short_errors, chosen_progress(progress) as show:
        given = settings.get("scheme", SCHEMES)
        schemes = list(given) if isinstance(given, (list, tuple)) else [given]
        config = DedupConfig.from_settings({**settings, "scheme": schemes[0]})
        file = None if pairs is None else os.fspath(pairs)
        return run_calibrate(
            source, config, cast("Sequence[str]", schemes), field=labels, pairs=file,
            documents=documents, precision=least_precision, recall=least_recall, lowest=lowest, progress=show,
        )  # fmt: skip


def run_calibrate(
    source: AnySource,
    config: DedupConfig,
    schemes: Sequence[str] = SCHEMES,
    *,
    field: str | None = None,
    pairs: str | None = None,
    documents: int = 1000,
    precision: float | None = None,
    recall: float | None = None,
    lowest: float | None = None,
    progress: Progress | None = None,
    warn: Warn = warn_program,
) -> Calibration:
    """Choose a scheme and a threshold for a collection."""
    # Without labels, a sample of the documents is taken, and of each an edited copy. A copy and its original are a
    # right pair, and any other pair is a wrong one. Documents with a near one are left out of the sample first, and the
    # default scheme and threshold stay unless others are clearly better. Pairs that `block_by` or `differ` keeps apart
    # are not near; a copy has the fields of its original.
    config.check_undirected("calibrate")
    goal = Goal(precision, recall)
    for name, wanted in goal._asdict().items():
        if wanted is not None and not 0 < wanted <= 1:
            raise ConfigError(
                "{name} {goal:g} is outside (0, 1]: give a share such as 0.99", name=Setting(name), goal=wanted
            )
    config = replace(config, similarity=None, max_distance=None, scheme=schemes[0])
    low = LOWEST[config.measure] if lowest is None else lowest
    if not 0 < low < 1:
        raise ConfigError("from {low:g} is not allowed: give a similarity between 0 and 1", low=low)
    has_labels = field is not None or pairs is not None
    if config.field_rules or config.sure or len(config.criteria) > 1:
        if not has_labels:
            raise ConfigError("fields and rules on fields are chosen by labels: give labels, or leave them out")
        if tuple(schemes) not in (SCHEMES, (schemes[0],)):
            raise ConfigError("fields and rules on fields are chosen under one scheme: give one, or name it in a field")
        collection = labelled(source, config, field, pairs, progress, warn)
        rules, curve = rules_by_labels(collection, goal, low, progress)
        count, choice = len(collection.store), choose([curve], goal)
        return Calibration(rules.config, choice, [curve], count, 0, [], rules=rules)
    steps = similarities_from(low, STEP)
    trial = None if has_labels else _trial(source, config, documents, progress, warn)
    curves, found_at, labelled_pairs = [], {}, {}
    count = 0
    for scheme in schemes:
        one = replace(config, scheme=scheme, similarity=low)
        if trial is not None:
            # The texts of the trial have no fields; it holds the values itself.
            free = replace(one, block_by=(), differ=())
            made = load(trial.store, fitted_schemes(chosen_schemes(free), trial.store, free, progress), free, progress)
            found = made.pairs(one.max_pairs, threads=one.threads, progress=progress)
            a, b, _, nearness, *_ = trial.allowed(found)
            right, gold, count = b - a == trial.size, trial.size, 2 * trial.size
            found_at[scheme] = dict(zip(a[right].tolist(), nearness[right].tolist(), strict=True))
            times = np.where(right, 1, trial.scale)
            nearness, right = np.repeat(nearness, times), np.repeat(right, times)
        else:
            collection = labelled(source, one, field, pairs, progress, warn)
            made = load(collection.store, collection.schemes, one, progress)
            a, b, _, nearness, _, *lost, _ = made.pairs(
                one.max_pairs, lost=True, threads=one.threads, progress=progress
            )
            known, right = collection.judged(a, b)
            nearness, gold, count = nearness[known], collection.gold, len(collection.store)
            labelled_pairs[scheme] = nearness, right, gold, np.minimum(*lost)[known]
        rows = sweep(nearness, right, gold, steps, by_distance=False)
        average = average_precision(nearness, right, gold, by_distance=False)
        curves.append(Curve(scheme, rows, average, resampled_f1(nearness, right, gold, steps, config.seed)))
    choice = choose(curves, goal, None if trial is None else DEFAULTS[config.measure])
    chosen = replace(config, scheme=choice.curve.scheme, similarity=choice.row.threshold)
    if trial is None:
        bound = _bound(*labelled_pairs[choice.curve.scheme], choice.row)
        return Calibration(chosen, choice, curves, count, 0, [], bound=bound)
    edits = _edits(trial, found_at[choice.curve.scheme], choice.row.threshold)
    return Calibration(chosen, choice, curves, count, trial.left_out, edits)


def _bound(
    nearness: NDArray[np.float64], right: NDArray[np.bool_], gold: int, lost: NDArray[np.int64], unbounded: PairScore
) -> tuple[int, PairScore] | None:
    """The bound with the best F1, if that is above that of no bound; a pair loses the less of its two orders."""
    scores: list[tuple[int, PairScore]] = []
    for units in BOUNDS:
        within = lost <= units
        (score,) = sweep(nearness[within], right[within], gold, [unbounded.threshold], by_distance=False)
        scores.append((units, score))
    best = max(scores, key=lambda it: it[1].f1)
    return best if best[1].f1 > unbounded.f1 else None


@dataclass(frozen=True, slots=True, eq=False)
class _Trial:
    """Originals and, after all of them, an edited copy of each."""

    store: _core.Records
    size: int
    kinds: list[tuple[str, float]]
    left_out: int
    fields: list[NDArray[np.int64]]
    scale: int
    """As many times more wrong pairs a document has in the whole collection as in the sample."""

    def allowed(self, columns: PairColumns) -> PairColumns:
        """Leave out the pairs whose fields differ, of the columns of pairs."""
        a, b = columns[0] % self.size, columns[1] % self.size
        equal = np.ones(len(a), dtype=bool)
        for values in self.fields:
            equal &= values[a] == values[b]
        kept: Any = tuple(column[equal] for column in columns)
        return kept  # type: ignore[no-any-return]


def _trial(source: AnySource, config: DedupConfig, wanted: int, progress: Progress | None, warn: Warn) -> _Trial:
    draw = Random(config.seed)  # noqa: S311 - it draws a sample, no secret
    originals = originals_of(source, config, wanted, draw, progress, warn, alone=DEFAULTS[config.measure])
    texts, alone = originals.texts, originals.read - originals.left_out
    least = max(_LEAST, math.ceil(_LEAST_ALONE * originals.read))
    if alone < least:
        raise ConfigError(
            "{count:,} of {read:,} documents have no near one, and a calibration by edited copies needs at least "
            "{least:,}: judge some pairs with `simsieve review` and give --verdicts, or give labels",
            count=alone, read=originals.read, least=least,
        )  # fmt: skip
    ways = [(kind, share) for share in STRENGTHS for kind in KINDS]
    others = Parts(texts)
    copies, kinds = [], []
    for at, text in enumerate(texts):
        for step in range(len(ways)):
            kind, share = ways[(at + step) % len(ways)]
            made = edited(text, kind, share, draw, others)
            if made not in (text, ""):
                break
        copies.append(made or text)
        kinds.append((kind, share))
    return _Trial(_core.Records.from_texts(texts + copies), len(texts), kinds, originals.left_out, originals.fields,
                  max(1, round(alone / len(texts))))  # fmt: skip


def _edits(trial: _Trial, found: dict[int, float], threshold: float) -> list[Edit]:
    counts: dict[tuple[str, float], list[int]] = {}
    for original, way in enumerate(trial.kinds):
        count = counts.setdefault(way, [0, 0])
        count[0] += 1
        count[1] += found.get(original, 0.0) >= threshold - 1e-12
    order = list(KINDS)
    return [
        Edit(kind, share, copies, near)
        for (kind, share), (copies, near) in sorted(counts.items(), key=lambda it: (order.index(it[0][0]), it[0][1]))
    ]
