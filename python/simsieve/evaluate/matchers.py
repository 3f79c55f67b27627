"""What finds the near originals of edited copies: a scheme under a distance or a similarity, and rivals."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.comparison.fingerprint import Fingerprinter
from simsieve.comparison.hamming import near_pairs
from simsieve.config.near_rows import DEFAULTS
from simsieve.config.settings import DedupConfig
from simsieve.evaluate.metrics import similarities_from
from simsieve.optional import datasketch
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
            near=(), agree=(), sure=None, verdicts=None,
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


_PERMUTATIONS = 128
_WINDOW = 3
_ROWS = 64
"""Signatures that are compared at a time."""


class MinHashMatcher:
    """Signatures of datasketch over windows of three characters; every pair of signatures is compared."""

    by_distance = False
    name = f"datasketch MinHash({_PERMUTATIONS})@{DEFAULTS['jaccard']:g}"
    bound = DEFAULTS["jaccard"]

    def __init__(self, originals: Sequence[str]) -> None:
        self._minhash = datasketch().MinHash
        self._originals = self._signatures(originals)
        self.thresholds = sorted({*similarities_from(LOWEST, STEP), self.bound})

    def _signatures(self, texts: Sequence[str]) -> NDArray[np.uint32]:
        rows = []
        for text in texts:
            plain = _core.normalise(text)
            windows = {plain[at : at + _WINDOW].encode() for at in range(max(1, len(plain) - _WINDOW + 1))}
            signature = self._minhash(num_perm=_PERMUTATIONS)
            signature.update_batch(sorted(windows))
            rows.append(signature.hashvalues.astype(np.uint32))
        return np.array(rows)

    def near(self, texts: Sequence[str]) -> Found:
        """Find all pairs whose signatures agree in at least the loosest share."""
        copies = self._signatures(texts)
        found = []
        for start in range(0, len(copies), _ROWS):
            agree = (copies[start : start + _ROWS, None, :] == self._originals[None, :, :]).sum(axis=2)
            a, b = np.nonzero(agree >= self.thresholds[0] * _PERMUTATIONS)
            found.append((a + start, b, agree[a, b] / _PERMUTATIONS))
        a, b, nearness = (np.concatenate(columns) for columns in zip(*found, strict=True))
        return a, b, nearness


def rivals_of(originals: Sequence[str], config: DedupConfig) -> list[Matcher]:
    """Make what is measured beside the schemes."""
    jaccard = SimilarityMatcher(
        Criterion("chars128", similarity=DEFAULTS["jaccard"]), originals, replace(config, measure="jaccard")
    )
    jaccard.name = f"exact Jaccard@{DEFAULTS['jaccard']:g}"
    return [MinHashMatcher(originals), jaccard]
