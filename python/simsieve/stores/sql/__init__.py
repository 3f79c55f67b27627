"""Tables of SQLite, PostgreSQL, MySQL and MariaDB: read, written and marked, by ADBC and PyMySQL."""

from collections.abc import Mapping
from typing import Any

from simsieve.registry import Name, Store
from simsieve.report.databases import written_rows
from simsieve.stores.sql.address import address_of
from simsieve.stores.sql.run import check_tables, list_runs, undo_run, write_run
from simsieve.stores.sql.source import TableSource

__all__ = ["STORE"]


class Tables(Store):
    """The tables of databases of SQL; its methods are those of `Store`."""

    open = staticmethod(TableSource)
    check_outputs = staticmethod(check_tables)
    write = staticmethod(write_run)
    rows = staticmethod(written_rows)

    def shown(self, name: Name) -> str:
        """The URI without password and options of the driver."""
        return address_of(name).shown

    def is_folder(self, name: Name) -> bool:
        """A table is none."""
        return False

    def database(self, name: Name) -> str:
        """The URI of the database."""
        return address_of(name).database

    def runs(self, name: Name) -> list[Mapping[str, Any]]:
        """The runs that wrote to the database."""
        return list_runs(address_of(name))

    def undo(self, name: Name, run: str) -> list[tuple[str, int]]:
        """Take away what a run wrote."""
        return undo_run(address_of(name), run)


STORE = Tables()
