"""Three dialects of SQL as a table: names, types of columns, and the queries that describe tables."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from simsieve.optional import arrow

_KINDS = (
    ("int", r"(tiny|small|medium|big)?int(eger)?\d?(\(\d+\))?|year(\(\d+\))?"),
    ("decimal", r"(?:numeric|decimal)\((?P<precision>\d+),(?P<scale>-?\d+)\).*"),
    ("decimal", r".*int.*unsigned.*"),
    ("float", r"real|(double|float).*"),
    ("bool", r"bool(ean)?"),
    ("blob", r"bytea|\w*blob|(var)?binary.*"),
    ("date", r"date"),
    ("timestamp", r"(timestamp|datetime).*"),
    ("json", r"jsonb?"),
)
"""What a column holds, by the name of its type; any other holds texts."""
NATIVE = ("int", "float", "bool", "blob")
"""Types that are read as they are; all others are read as texts."""
_UNSIGNED, _MOST_DIGITS, _SHORT_DIGITS = 20, 76, 38


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, the database's type, what it holds, whether it is of the primary key, digits of decimals."""

    name: str
    type: str
    kind: str
    is_key: bool = False
    digits: tuple[int, int] = (_UNSIGNED, 0)

    @classmethod
    def of(cls, name: str, type_: str, is_key: object = False) -> "Column":  # noqa: FBT002 - a column of a query
        """Describe a column by the name of its type."""
        for kind, pattern in _KINDS:
            if found := re.fullmatch(pattern, type_.partition(" CHARACTER")[0].lower()):
                groups = found.groupdict()
                digits = (int(groups["precision"]), int(groups["scale"])) if "precision" in groups else (_UNSIGNED, 0)
                # Arrow has no more digits: then they are a text.
                return cls(name, type_, kind if digits[0] <= _MOST_DIGITS else "text", bool(is_key), digits)
        return cls(name, type_, "text", bool(is_key))

    def field(self, dialect: str) -> Any:
        """The column in a schema of Arrow, with the type that it has in the database."""
        pa = arrow()
        plain = {"int": pa.int64(), "float": pa.float64(), "bool": pa.bool_(), "blob": pa.binary()}
        decimal = pa.decimal128 if self.digits[0] <= _SHORT_DIGITS else pa.decimal256
        kind = decimal(*self.digits) if self.kind == "decimal" else plain.get(self.kind, pa.string())
        return pa.field(self.name, kind, metadata={"sql": f"{dialect}:{self.type}", "kind": self.kind})


@dataclass(frozen=True, slots=True)
class Dialect:
    """What one kind of database has of its own."""

    name: str
    types: Mapping[str, str]
    """The type of a new column, by what it holds."""
    tables: str
    """The query for the names of all tables and views."""
    columns: str
    """The query for the columns of `{table}` in `{schema}`: name, type, whether of the key, whether of a table."""
    same: str
    """Whether two texts are the same, or both missing."""
    text: str = "CAST({} AS text)"
    """A value as a text that can be compared."""
    quote: str = '"'
    value: str = "?"
    """What stands for a value in a statement."""
    begin: tuple[str, ...] = ()
    """What makes all reads see one state."""
    schemas: str | None = "."
    """What stands between the names of a schema and a table."""
    keeps_ddl: bool = False
    """Whether tables and columns that are made or dropped stay so without a commit."""
    options: Mapping[str, type] = field(default_factory=dict)
    """Options of a URI; those of PostgreSQL are left to its driver."""


SQLITE = Dialect(
    name="sqlite",
    types={
        "int": "INTEGER", "float": "REAL", "decimal": "NUMERIC", "bool": "BOOLEAN", "blob": "BLOB", "date": "DATE",
        "timestamp": "DATETIME", "json": "TEXT", "text": "TEXT",
    },
    tables="SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite%' ORDER BY 1",
    columns="SELECT name, type, pk > 0, EXISTS (SELECT 1 FROM sqlite_master AS m WHERE m.type = 'table'"
    " AND lower(m.name) = lower({table})) FROM pragma_table_info({table})",
    same="{} IS {}",
    schemas=None,
)  # fmt: skip
POSTGRESQL = Dialect(
    name="postgresql",
    types={
        "int": "bigint", "float": "double precision", "decimal": "numeric", "bool": "boolean", "blob": "bytea",
        "date": "date", "timestamp": "timestamp", "json": "jsonb", "text": "text",
    },
    tables="SELECT CASE WHEN table_schema = current_schema() THEN '' ELSE table_schema || '.' END || table_name"
    " FROM information_schema.tables WHERE table_schema NOT IN ('pg_catalog', 'information_schema') ORDER BY 1",
    columns="SELECT CAST(a.attname AS text), format_type(a.atttypid, a.atttypmod),"
    " coalesce(a.attnum = ANY (i.indkey), false), c.relkind IN ('r', 'p', 'f') FROM pg_class c"
    " JOIN pg_attribute a ON a.attrelid = c.oid LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary"
    " WHERE c.oid = to_regclass({quoted}) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum",
    same="{} IS NOT DISTINCT FROM {}",
    begin=("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY",),
)  # fmt: skip
MYSQL = Dialect(
    name="mysql",
    types={
        "int": "bigint", "float": "double", "decimal": "decimal(65,30)", "bool": "boolean", "blob": "longblob",
        "date": "date", "timestamp": "datetime(6)", "json": "json", "text": "longtext CHARACTER SET utf8mb4",
    },
    tables="SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() ORDER BY 1",
    columns="SELECT c.column_name, concat(c.column_type, coalesce(concat(' CHARACTER SET ', c.character_set_name,"
    " ' COLLATE ', c.collation_name), '')), c.column_key = 'PRI', t.table_type = 'BASE TABLE'"
    " FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)"
    " WHERE table_schema = coalesce({schema}, DATABASE()) AND table_name = {table} ORDER BY c.ordinal_position",
    # Letters of both cases are equal under most collations.
    same="CAST(CONVERT({} USING utf8mb4) AS BINARY) <=> CAST(CONVERT({} USING utf8mb4) AS BINARY)",
    text="CAST(CONVERT({} USING utf8mb4) AS BINARY)",
    quote="`",
    value="%s",
    begin=("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ", "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY"),
    keeps_ddl=True,
    options={
        "unix_socket": str, "ssl_ca": str, "ssl_cert": str, "ssl_key": str, "connect_timeout": int,
        "read_timeout": int, "write_timeout": int,
    },
)  # fmt: skip
