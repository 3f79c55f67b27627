"""What finds the near originals of edited copies: a scheme under a distance, or under a similarity."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.compare.fingerprint import Fingerprinter
from simsieve.compare.hamming import near_pairs
from simsieve.config.settings import DedupConfig
from simsieve.evaluate.metrics import similarities_from
from simsieve.run.steps import load
from simsieve.schemes.criteria import Criterion
from simsieve.schemes.scheme import load_scheme

Found = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]
"""Of each pair the copy, the original, and the similarity or the distance."""
LOWEST = 0.5
"""The loosest similarity that is tried, unless a scheme is measured at a looser one; lower steps cost many more
comparisons."""
STEP = 0.01


class Matcher(Protocol):
    """What finds the near originals of texts."""

    name: str
    """What is measured, as the user gives it."""
    bound: float
    """The threshold that is measured: a similarity, or bits."""
    by_distance: bool
    """Whether the threshold is a distance."""
    thresholds: list[float]
    """All thresholds that are tried, the loosest first; the bound is one of them."""

    def near(self, texts: Sequence[str]) -> Found:
        """Find all pairs of a text and an original that are near at the loosest threshold."""
        ...


class DistanceMatcher:
    """Fingerprints within a distance; no text is verified."""

    by_distance = True

    def __init__(self, criterion: Criterion, originals: Sequence[str], config: DedupConfig) -> None:
        assert criterion.max_distance is not None
        self._fingerprinter = _fitted(criterion, originals)
        self._originals = self._fingerprinter.transform(originals, config.threads)
        self._config = config
        self.name, self.bound = str(criterion), float(criterion.max_distance)
        # Unrelated texts differ in half of the bits; at three eighths all schemes find many of them.
        most = max(criterion.max_distance, self._fingerprinter.width * 3 // 8)
        self.thresholds = [float(bits) for bits in range(most, -1, -1)]

    def near(self, texts: Sequence[str]) -> Found:
        """Find all pairs within the greatest distance."""
        copies = self._fingerprinter.transform(texts, self._config.threads)
        a, b, distance = near_pairs(
            copies, int(self.thresholds[0]), other=self._originals, max_pairs=self._config.max_pairs,
            threads=self._config.threads,
        )  # fmt: skip
        return a, b, distance.astype(np.float64)


class SimilarityMatcher:
    """Texts with a similarity, each pair verified, as `dedup` does it."""

    by_distance = False

    def __init__(self, criterion: Criterion, originals: Sequence[str], config: DedupConfig) -> None:
        assert criterion.similarity is not None
        model = _fitted(criterion, originals).model
        scheme = load_scheme(criterion.scheme)
        self._scheme = scheme if scheme.model is not None or model is None else scheme.with_model(model.core)
        self._scheme.check_similarity()
        self._originals = _core.Records.from_texts(originals)
        self.name, self.bound = str(criterion), criterion.similarity
        low = min(LOWEST, self.bound)
        self.thresholds = sorted({*similarities_from(low, STEP), self.bound})
        self._config = replace(
            config, scheme=criterion.scheme, similarity=low, max_distance=None, block_by=(), differ=(), same=(),
            verdicts=None,
        )  # fmt: skip

    def near(self, texts: Sequence[str]) -> Found:
        """Find all pairs of at least the loosest similarity."""
        store = _core.Records.from_texts(texts).against(self._originals)
        documents = load(store, [self._scheme], self._config, None)
        a, b, _, similarity, *_ = documents.pairs(self._config.max_pairs, threads=self._config.threads)
        return a, b - len(texts), similarity


def matcher_of(criterion: Criterion, originals: Sequence[str], config: DedupConfig) -> Matcher:
    """Make what measures a criterion."""
    kind = DistanceMatcher if criterion.similarity is None else SimilarityMatcher
    return kind(criterion, originals, config)


def _fitted(criterion: Criterion, originals: Sequence[str]) -> Fingerprinter:
    """What makes the scheme's fingerprints, with a model of the originals where it needs one and names none."""
    made = Fingerprinter(criterion.scheme)
    return made if made.model is not None else made.fit(list(originals))
