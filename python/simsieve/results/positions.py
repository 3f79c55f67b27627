"""Which documents a result kept, dropped and failed, and how they form clusters: all by position."""

from abc import abstractmethod

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.display import counted, html_table
from simsieve.errors import ConfigError
from simsieve.results.arrow import DROPPED, FAILED, KEPT, copies_of, grouped, heads

_SHOWN, _MEMBERS = 10, 20
"""Clusters, and members of each, that a notebook shows."""


class Clusters(dict[int, list[int]]):
    """Groups of documents by the position of the one that represents them; a dict that a notebook shows shortened.

    Example:
        >>> from simsieve import dedup
        >>> dedup(["one text here", "one text here"]).clusters()
        {0: [0, 1]}
    """

    def _repr_html_(self) -> str:
        """Show the largest clusters in a notebook."""
        largest = sorted(self.items(), key=lambda item: -len(item[1]))[:_SHOWN]
        more = f"; the largest {_SHOWN}" if len(self) > _SHOWN else ""
        rows = [[head, len(members), _listed(members)] for head, members in largest]
        return html_table(f"{counted(len(self), 'cluster')}{more}", ("representative", "size", "positions"), rows)


def _listed(members: list[int]) -> str:
    return ", ".join(map(str, members[:_MEMBERS])) + (", ..." if len(members) > _MEMBERS else "")


class Positions:
    """The positions of the documents of a result, by what was decided on them."""

    @property
    @abstractmethod
    def _columns(self) -> _core.Decisions:
        """What was decided, as columns."""

    @property
    def kept(self) -> NDArray[np.int64]:
        """The positions of the kept documents, ascending: int64[kept]."""
        return np.flatnonzero(self._columns.decision == KEPT)

    @property
    def dropped(self) -> NDArray[np.int64]:
        """The positions of the dropped documents, ascending: int64[dropped]."""
        return np.flatnonzero(self._columns.decision == DROPPED)

    @property
    def copies(self) -> NDArray[np.int64]:
        """How many documents each kept one stands for, itself among them, in the order of `kept`: int64[kept]."""
        return copies_of(self._columns.decision, self._columns.representative)[self.kept]

    @property
    def failed(self) -> NDArray[np.int64]:
        """The positions of the failed records, ascending: int64[failed]; `failures` says why each failed."""
        return np.flatnonzero(self._columns.decision == FAILED)

    def clusters(self, min_size: int = 2) -> Clusters:
        """Group the documents by the kept one that represents them; those dropped for old ones are left out.

        Args:
            min_size: Leave out clusters of fewer documents; 1 gives every kept document, the default those that
                represent another.

        Returns:
            Position of a kept document -> positions of its cluster, ascending, itself among them.

        Raises:
            ConfigError: `min_size` is below 1.
        """
        if min_size < 1:
            raise ConfigError("min_size {min_size} is not allowed: allowed is 1 or more", min_size=min_size)
        found = heads(self._columns.decision, self._columns.representative)
        positions = np.flatnonzero((found >= 0) & (found < len(found)))
        return Clusters(grouped(found[positions], positions, min_size))

    def old_clusters(self) -> Clusters:
        """Group the documents that were dropped for old ones, where the run was against any.

        Returns:
            Position of an old document, over the old sources -> positions of the new ones that it represents,
            ascending.

        Example:
            >>> from simsieve import dedup
            >>> dedup(["one text here", "another"], against=["some words", "one text here"]).old_clusters()
            {1: [0]}
        """
        representative, new = self._columns.representative, len(self._columns)
        positions = np.flatnonzero(representative >= new)
        return Clusters(grouped(representative[positions] - new, positions))
