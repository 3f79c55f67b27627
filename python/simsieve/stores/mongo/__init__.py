"""Collections of MongoDB: read, written and marked, by pymongo."""

from collections.abc import Mapping
from typing import Any

from simsieve import _core
from simsieve.registry import Name, Store
from simsieve.report.databases import written_rows
from simsieve.results.run import Run
from simsieve.sinks.checks import Sinks
from simsieve.stores.mongo.client import address_of
from simsieve.stores.mongo.run import CollectionRun, check_collections, list_runs, undo_run
from simsieve.stores.mongo.source import CollectionSource
from simsieve.types import Progress

__all__ = ["STORE"]


class Collections(Store):
    """The collections of MongoDB; its methods are those of `Store`."""

    open = staticmethod(CollectionSource)
    check_outputs = staticmethod(check_collections)
    rows = staticmethod(written_rows)

    def shown(self, name: Name) -> str:
        """The URI without password and options."""
        return address_of(name).shown

    def is_folder(self, name: Name) -> bool:
        """A collection is none."""
        return False

    def write(self, run: Run, columns: _core.Decisions, sinks: Sinks, progress: Progress | None) -> Mapping[str, Any]:
        """Write what goes to MongoDB; see `CollectionRun`."""
        return CollectionRun(run, columns, sinks).write(progress)

    def database(self, name: Name) -> str:
        """The URI of the database."""
        return address_of(name, collection=False).shown

    def runs(self, name: Name) -> list[Mapping[str, Any]]:
        """The runs that wrote to the database."""
        return [*list_runs(address_of(name, collection=False))]

    def undo(self, name: Name, run: str) -> list[tuple[str, int]]:
        """Take away what a run wrote."""
        return undo_run(address_of(name, collection=False), run)


STORE = Collections()
