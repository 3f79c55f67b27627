"""A table, a view or a query as a source: read once in the order of its key, as it is at one moment, and copied.

The copy has whole rows in Arrow's own form and is compressed. So kept rows are written as they were decided on, and the
server is asked once. With a run directory the copy is there, and a run that goes on does not read again.
"""

import hashlib
import json
import re
from collections.abc import Callable, Collection, Generator, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from simsieve import _core
from simsieve.checks import check_same
from simsieve.config.settings import DedupConfig
from simsieve.display import cut
from simsieve.errors import ConfigError, SourceError
from simsieve.messages import Message
from simsieve.optional import arrow
from simsieve.sinks.arrow import checked_texts
from simsieve.sources.arrow import Stream
from simsieve.sources.columns import BATCH_ROWS
from simsieve.sources.fields import near_field, shown_fields
from simsieve.stores.sql.address import Address, address_of
from simsieve.stores.sql.database import Database, connect, server_errors
from simsieve.stores.sql.dialects import MYSQL, SQLITE, Column
from simsieve.types import Progress

_PAGE_BYTES, _FIRST_ROWS = 32 << 20, 256
_ROWID = "rowid"
_READS = re.compile(r"(\s|\(|--[^\n]*\n|/\*.*?\*/)*(select|with)\b", re.IGNORECASE | re.DOTALL)
_SHOWN = 20


class TableSource(Stream):
    """A table, a view or a query, looked at; its rows come when they are asked for."""

    is_named = is_kept = True
    key: Column | None = None
    """The column by which rows are known; None for those of a query."""
    _labels: Any = None
    _noted: tuple[_core.RunDirectory, str, str] | None = None

    def __init__(self, name: str, config: DedupConfig) -> None:
        self.address: Address = address_of(name)
        shown = self.address.shown
        if config.since_field is not None:
            raise ConfigError("{shown}: {@since_field} is for MongoDB: give ?where=COLUMN>VALUE", shown=shown)
        if (self.address.table is None) == (config.query is None):
            raise ConfigError("{shown}: give ?table=NAME, or ?query=SELECT ... in its place", shown=shown)
        if config.query is not None and not _READS.match(config.query):
            raise ConfigError(
                "{shown}: the query begins with {begin!r}, and a query reads rows: begin it with SELECT or WITH, and "
                "change rows by a program of the database",
                shown=shown, begin=cut(config.query.strip(), _SHOWN),
            )  # fmt: skip
        self.paths = self.parts = (shown,)
        # The query stands in another one, which the sign at its end would cut.
        self._query = None if config.query is None else config.query.rstrip().removesuffix(";")
        self._limit, self._texts = config.limit, config.text_field
        with closing(connect(self.address)) as database, server_errors(database, "read"):
            self._look(database)
        pa = arrow()
        self._fields = pa.schema([one.field(self.address.dialect) for one in self.described])
        self._pages = self._batches()
        super().__init__(pa.RecordBatchReader.from_batches(self._fields, self._pages))

    def _look(self, database: Database) -> None:
        """Find out the columns and the key."""
        address = self.address
        if self._query is not None:
            if address.key is not None or address.where is not None:
                raise ConfigError(
                    "{shown}: ?key and ?where are for a table: put them into the query", shown=address.shown
                )
            self._from, self._where = f"({self._query})", ""
            self.described = database.looked(database.described(self._query), f"{self._from} AS q")
            return
        table = address.table or ""
        columns, self.can_mark = database.columns(table)
        if not columns:
            raise _missing(database, table)
        self._from = database.table(table)
        self._where = f" WHERE ({address.where})" if address.where else ""
        key = self._key(columns)
        # The number of a row in SQLite is no column.
        self.described = database.looked(columns if key in columns else [key, *columns], self._from + self._where)
        self.key = next(one for one in self.described if one.name == key.name)
        self._check_key(database, key)

    def _key(self, columns: list[Column]) -> Column:
        """The column by which rows are read and known."""
        names, asked, shown = [one.name for one in columns], self.address.key, self.address.shown
        if asked is not None:
            if asked == _ROWID and self.address.dialect == SQLITE.name and asked not in names:
                return Column(_ROWID, "INTEGER", "int")
            if asked not in names:
                raise ConfigError(
                    "{shown}: there is no column {asked!r} for ?key; there are {names}",
                    shown=shown, asked=asked, names=shown_fields(names),
                )  # fmt: skip
            return columns[names.index(asked)]
        found = [one for one in columns if one.is_key]
        if len(found) != 1:
            rowid = Message(" (?key=rowid works too)") if self.address.dialect == SQLITE.name else ""
            several = Message("its key has several columns, {names}", names=shown_fields([one.name for one in found]))
            raise ConfigError(
                "{shown}: {why}: name a column whose values are unique by ?key=COLUMN{rowid}, or write a query, "
                "?query=SELECT ...",
                shown=shown, why=several if found else Message("it has no primary key, or is a view"), rowid=rowid,
            )  # fmt: skip
        return found[0]

    def _check_key(self, database: Database, key: Column) -> None:
        """Check that each row has another value of a key that the database does not hold for unique."""
        is_file = database.dialect is SQLITE
        if key.name == _ROWID or (key.is_key and not is_file):
            return
        rows = f"(SELECT {database.name(key.name)} AS k FROM {self._from}{self._where}) AS t"
        checks = [f"SELECT 1 FROM {rows} WHERE k IS NULL LIMIT 1"]
        checks += [] if key.is_key else [f"SELECT 1 FROM {rows} GROUP BY k HAVING count(*) > 1 LIMIT 1"]
        checks += (
            [f"SELECT 1 FROM (SELECT count(DISTINCT typeof(k)) AS n FROM {rows}) AS u WHERE n > 1"] if is_file else []
        )
        if any(map(database.rows, checks)):
            raise ConfigError(
                "{shown}: column {name!r} is no key, because a value is there twice, is missing, or is of another type "
                "than others: name another by ?key=COLUMN",
                shown=self.address.shown, name=key.name,
            )  # fmt: skip

    def _batches(self) -> Generator[Any, None, None]:
        """The rows, page by page in the order of the key; those of a query as they come."""
        schema, key = self._fields, self.key
        with closing(connect(self.address)) as database, server_errors(database, "read"):
            for statement in database.dialect.begin:
                database.do(statement)
            read = ", ".join(f"{database.read(one, 't')} AS {database.name(one.name)}" for one in self.described)
            select = f"SELECT {read} FROM {self._from} AS t"
            if key is None:
                # MySQL would take the order of a query within another one for none; it casts nothing.
                whole = str(self._query) if database.dialect is MYSQL else select
                yield from database.stream(whole, schema)
                return
            by, after, size, left = database.name("t", key.name), "", _FIRST_ROWS, self._limit
            while left is None or left > 0:
                most = size if left is None else min(size, left)
                condition = self._where + (f"{' AND' if self._where else ' WHERE'} {by} > {after}" if after else "")
                page = list(database.stream(f"{select}{condition} ORDER BY {by} LIMIT {most}", schema))
                yield from page
                rows = sum(map(len, page))
                if rows < most:
                    return
                last = checked_texts(page[-1].select([key.name]))
                after = database.literal(last.column(0)[-1].as_py(), key)
                left = None if left is None else left - rows
                size = max(1, min(BATCH_ROWS, _PAGE_BYTES * rows // max(1, sum(one.nbytes for one in page))))

    def keep_in(
        self, directory: _core.RunDirectory | None, progress: Progress | None, warn: Callable[[str], None]
    ) -> None:
        """Have the copy in the run directory; one that is whole is not read again."""
        if directory is None:
            return
        name = f"table-{hashlib.blake2b(self.address.shown.encode(), digest_size=8).hexdigest()}"
        about = {"source": self.address.shown, "query": self._query, "limit": self._limit}
        # The core removes files of this ending with the run directory.
        self._copy = Path(directory.path, f"{name}.copy")
        self._noted = (directory, name, json.dumps(about))
        noted = directory.noted(name)
        if noted is None:
            return
        for one, was in json.loads(noted).items():
            of = Message("the run in {path}", path=directory.path)
            check_same(one, was, about[one], of, Message("give the same, or name another run directory"))
        with suppress(FileNotFoundError), arrow().OSFile(str(self._copy)) as file:
            self._schema = arrow("pyarrow.ipc").open_stream(file).schema
            self._given = None

    def spool(self, config: DedupConfig, progress: Progress | None = None) -> _core.Records:
        """Read the rows, and let the database go."""
        kinds = {one.name: one.kind for one in self.described}
        for name in config.text_field:
            if kinds.get(name) == "blob" and not config.given_forms:
                raise ConfigError(
                    "{shown}: column {name!r} has bytes, and text is needed; name another with {@text_field}",
                    shown=self.address.shown, name=name,
                )  # fmt: skip
        try:
            made = super().spool(config, progress)
        finally:
            self._pages.close()
        if self._noted is not None:
            directory, name, about = self._noted
            if directory.noted(name) is None:
                directory.note(name, about)
        return made

    def batches(self, part: str, columns: list[str] | None) -> Iterator[Any]:
        """Give the rows batch by batch; see `Stream.batches`. Of some columns, bytes are hex digits."""
        blobs = {one.name for one in self.described if one.kind == "blob"} - set(self._texts)
        for rows in super().batches(part, None):
            if self.key is not None:
                self._labels = _shown(rows, self.key.name, blobs)
            yield (
                rows
                if columns is None
                else arrow().record_batch([_shown(rows, one, blobs) for one in columns], columns)
            )

    def row_labels(self, first: int, count: int) -> Any:
        """Give the keys of the rows that were read last."""
        return super().row_labels(first, count) if self._labels is None or not count else self._labels


def _shown(rows: Any, name: str, blobs: Collection[str]) -> Any:
    """A column; bytes as hex digits, which are labels and can be compared."""
    column = rows.column(name)
    return arrow().array([one and one.hex() for one in column.to_pylist()]) if name in blobs else column


def _missing(database: Database, table: str) -> SourceError:
    known = [row[0] for row in database.rows(database.dialect.tables)]
    near = near_field(table, known)
    hint = Message("did you mean {near!r}? ", near=near) if near else ""
    there = Message("there are {names}", names=shown_fields(known)) if known else Message("the database has no table")
    return SourceError(
        "{shown}: there is no such table: {hint}{there}; check the URI",
        shown=database.address.shown, hint=hint, there=there,
    )  # fmt: skip
