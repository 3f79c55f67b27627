"""Clusters: the documents by the kept one that represents them."""

import numpy as np
from numpy.typing import NDArray

from simsieve.results.arrow import heads


def grouped(decision: NDArray[np.uint8], representative: NDArray[np.int64], min_size: int = 1) -> dict[int, list[int]]:
    """Group documents by their representative, without failed records and those that an old document represents."""
    found = heads(decision, representative)
    positions = np.flatnonzero((found >= 0) & (found < len(decision)))
    order = np.argsort(found[positions], kind="stable")
    firsts, starts = np.unique(found[positions][order], return_index=True)
    groups = np.split(positions[order], starts[1:])
    pairs = zip(firsts.tolist(), groups, strict=True) if len(firsts) else ()
    return {head: group.tolist() for head, group in pairs if len(group) >= min_size}


def grouped_old(representative: NDArray[np.int64]) -> dict[int, list[int]]:
    """Group documents that old ones represent; see `DedupResult.old_clusters`."""
    found: dict[int, list[int]] = {}
    new = len(representative)
    for position in np.flatnonzero(representative >= new).tolist():
        found.setdefault(int(representative[position]) - new, []).append(position)
    return dict(sorted(found.items()))
