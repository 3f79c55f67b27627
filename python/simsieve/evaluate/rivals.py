"""Other ways to find edited copies, for comparison: MinHash of datasketch, and the exact Jaccard similarity."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.config.near_rows import DEFAULTS
from simsieve.config.settings import DedupConfig
from simsieve.evaluate.matchers import LOWEST, STEP, Found, Matcher, SimilarityMatcher
from simsieve.evaluate.metrics import similarities_from
from simsieve.optional import datasketch
from simsieve.schemes.criteria import Criterion

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
