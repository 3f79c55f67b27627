"""What databases of SQL can do: tables as sources, and what a run writes to them."""

from collections.abc import Mapping
from typing import Any

from simsieve import _core
from simsieve.config.settings import DedupConfig
from simsieve.registry import Name, Store
from simsieve.report.databases import written_rows
from simsieve.results.run import Run
from simsieve.sinks.checks import Sinks
from simsieve.sources.base import Source
from simsieve.stores.sql.address import address_of
from simsieve.stores.sql.run import check_tables, list_runs, undo_run, write_run
from simsieve.stores.sql.source import TableSource
from simsieve.types import Progress


class Tables(Store):
    """The tables of databases of SQL."""

    def shown(self, name: Name) -> str:
        """The URI without password and options of the driver."""
        return address_of(name).shown

    def is_folder(self, name: Name) -> bool:
        """A table is none."""
        return False

    def open(self, name: str, config: DedupConfig) -> TableSource:
        """Open a table or a query as a source."""
        return TableSource(name, config)

    def check_outputs(self, sinks: Sinks, config: DedupConfig, source: Source) -> None:
        """Check what goes to tables."""
        check_tables(sinks, config, source)

    def write(self, run: Run, columns: _core.Decisions, sinks: Sinks, progress: Progress | None) -> Mapping[str, Any]:
        """Write what goes to tables; see `write_run`."""
        return write_run(run, columns, sinks, progress)

    def database(self, name: Name) -> str:
        """The URI of the database."""
        return address_of(name).database

    def runs(self, name: Name) -> list[Mapping[str, Any]]:
        """The runs that wrote to the database."""
        return list_runs(address_of(name))

    def undo(self, name: Name, run: str) -> list[tuple[str, int]]:
        """Take away what a run wrote."""
        return undo_run(address_of(name), run)

    def rows(self, summary: Mapping[str, Any]) -> list[tuple[str, str]]:
        """What was read and written, for people."""
        return written_rows(summary)


STORE = Tables()
