"""What a job needs of an engine: it moves batches of Arrow between tasks, and keeps them."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from simsieve.cluster.rows import SCHEMA, Packed
from simsieve.cluster.steps import Step


class Rows(Protocol):
    """Rows on the machines of an engine. All but `keep`, `sums` and `table` may be done later, and more than once."""

    def map(self, step: Step, schema: str = SCHEMA, ids: Any = None) -> "Rows":
        """Map the batches of each task. In a schema `*` are the columns that are there, and `{id}` the type `ids`."""

    def by_part(self, step: Step, count: int, schema: str = SCHEMA) -> "Rows":
        """Map packed rows in this many tasks; all rows of one `part` are in one task."""

    def of(self, *kinds: str) -> "Rows":
        """The packed rows of some kinds."""

    def union(self, *others: Any) -> "Rows":
        """These rows and others."""

    def with_other(self, merged: Any, count: int, *, every: bool, is_small: bool = False) -> "Rows":
        """Packed rows with the value of another, one for each `part`, as `other`; or those alone that have one."""

    def keep(self, *, now: bool = False) -> "Rows":
        """Keep the rows for several uses, when they are first used or now."""

    def drop(self) -> object:
        """Keep them no longer."""

    def sums(self) -> dict[str, int]:
        """The sum of the numbers of packed rows of each kind."""

    def table(self) -> Any:
        """The rows as a table of Arrow on the driver."""


class Engine(Protocol):
    """What runs a job."""

    @property
    def name(self) -> str:
        """The name, as messages have it."""

    @property
    def tasks(self) -> int:
        """How many tasks can run at a time."""

    def stage(self, name: str) -> AbstractContextManager[None]:
        """Name the work that is done meanwhile."""

    def made(self, rows: Sequence[Packed]) -> Rows:
        """Rows of the driver for all machines."""
