"""Three dialects of SQL behind a few calls: how a database is opened, quoted, described, read and filled."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import quote, urlencode

from simsieve.errors import ConfigError, SimsieveError, SinkError, SourceError
from simsieve.messages import Message
from simsieve.optional import arrow, database_driver
from simsieve.sources.columns import BATCH_ROWS
from simsieve.stores.sql.address import Address

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
_UNSIGNED, _MOST_DIGITS, _SHORT_DIGITS = 20, 76, 38
_CONNECT_SECONDS, _ANSWER_SECONDS = 10, 300


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, the database's type, what it holds, and whether it is of the primary key."""

    name: str
    type: str
    kind: str
    is_key: bool = False
    digits: tuple[int, int] = (_UNSIGNED, 0)
    """Digits of a decimal, and those behind the point."""

    @classmethod
    def of(cls, name: str, type_: str, *, is_key: bool = False) -> "Column":
        """Describe a column by the name of its type."""
        for kind, pattern in _KINDS:
            if found := re.fullmatch(pattern, type_.lower()):
                groups = found.groupdict()
                digits = (int(groups["precision"]), int(groups["scale"])) if "precision" in groups else (_UNSIGNED, 0)
                # Arrow has no more digits: then they are a text.
                return cls(name, type_, kind if digits[0] <= _MOST_DIGITS else "text", is_key, digits)
        return cls(name, type_, "text", is_key)

    def field(self, dialect: str) -> Any:
        """The column in a schema of Arrow, with the type that it has in the database."""
        pa = arrow()
        plain = {"int": pa.int64(), "float": pa.float64(), "bool": pa.bool_(), "blob": pa.binary()}
        decimal = pa.decimal128 if self.digits[0] <= _SHORT_DIGITS else pa.decimal256
        kind = decimal(*self.digits) if self.kind == "decimal" else plain.get(self.kind, pa.string())
        return pa.field(self.name, kind, metadata={"sql": f"{dialect}:{self.type}", "kind": self.kind})


class Database(ABC):
    """A connection, whose changes count when `commit` is called."""

    quote: ClassVar[str] = '"'
    types: ClassVar[dict[str, str]]
    """The type of a new column, by what it holds."""
    same: ClassVar[str]
    """Whether two texts are the same, or both missing."""
    text: ClassVar[str] = "CAST({} AS text)"
    """A value as a text that can be compared."""
    begin: ClassVar[tuple[str, ...]] = ()
    """What makes the next reads see one state."""
    keeps_ddl: ClassVar[bool] = False
    """Whether tables and columns that are made or dropped stay so without a commit."""
    listed: ClassVar[str]
    """The query for the names of all tables and views."""
    errors: tuple[type[Exception], ...]
    address: Address

    def __init__(self, address: Address, *, new: bool = False) -> None:
        self.address = address
        self.open(address, new=new)

    @abstractmethod
    def open(self, address: Address, *, new: bool) -> None:
        """Connect; a file that is not there is made where `new` says so."""

    @abstractmethod
    def do(self, sql: str) -> int:
        """Change something, and give how many rows."""

    @abstractmethod
    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Read a few rows."""

    @abstractmethod
    def stream(self, sql: str, schema: Any) -> Iterator[Any]:
        """Read rows as batches of Arrow of a schema."""

    @abstractmethod
    def load(self, name: str, columns: Sequence[Column], schema: Any, batches: Iterable[Any]) -> None:
        """Make a temporary table of batches."""

    @abstractmethod
    def columns(self, table: str) -> list[Column]:
        """Describe a table or view; of what is not there nothing."""

    @abstractmethod
    def described(self, sql: str) -> list[Column]:
        """Describe what a query gives."""

    @abstractmethod
    def is_table(self, table: str) -> bool:
        """Whether a name is that of a table, and of no view."""

    @abstractmethod
    def commit(self) -> None:
        """Make the changes count."""

    @abstractmethod
    def close(self) -> None:
        """Leave what is not committed, and close the connection, which may be lost."""

    def name(self, *names: str) -> str:
        """Quote a name, or several below one another."""
        return ".".join(f"{self.quote}{one.replace(self.quote, 2 * self.quote)}{self.quote}" for one in names)

    def table(self, table: str) -> str:
        """Quote the name of a table, which may be below a schema."""
        return self.name(*table.split(".", 1))

    def read(self, column: Column, of: str) -> str:
        """The expression by which a column is read: what Arrow lacks is a text."""
        name = self.name(of, column.name)
        return name if column.kind in ("int", "float", "bool", "blob") else f"CAST({name} AS text)"

    def cast(self, column: Column, of: str) -> str:
        """The expression that gives a loaded value the type of a column."""
        return f"CAST({self.name(of, column.name)} AS {column.type})"

    def literal(self, value: Any, column: Column) -> str:
        """A value of a column as SQL has it."""
        if isinstance(value, bytes):
            return f"X'{value.hex()}'"
        return repr(value) if isinstance(value, (int, float)) else "'{}'".format(str(value).replace("'", "''"))

    def column(self, values: Any, field: Any) -> Any:
        """Values as they came, as an array of the type of a field."""
        pa = arrow()
        try:
            if not isinstance(values, pa.Array):
                is_text = pa.types.is_decimal(field.type)
                values = pa.array(
                    [one if one is None else str(one) for one in values] if is_text else values,
                    pa.string() if is_text else field.type,
                )
            return pa.nulls(len(values), field.type) if values.null_count == len(values) else values.cast(field.type)
        except (OverflowError, pa.ArrowException) as error:
            raise SourceError(
                "{shown}: column {name!r} has a value that is no {type} ({why}): convert it by ?query=SELECT CAST(...)",
                shown=self.address.shown, name=field.name, type=field.type, why=" ".join(str(error).split()),
            ) from None  # fmt: skip

    def look(self, columns: list[Column], table: str, where: str) -> list[Column]:
        """Say what columns hold by their values, where types do not."""
        return columns

    def staged(self, table: str, run: str) -> str:
        """The name under which a new table is written: its own, where nobody sees it before the commit."""
        return table

    def place(self, staged: str, table: str, *, replaces: bool) -> None:
        """Give a new table its name, at once."""


class _Adbc(Database):
    """What SQLite and PostgreSQL share: drivers of Arrow batches."""

    statement: ClassVar[dict[str, str]] = {}

    def _connect(self, package: str, uri: str) -> None:
        # The interface of DB-API would load pandas, where that is installed.
        manager, driver = database_driver("adbc_driver_manager"), database_driver(package)
        self.errors = (manager.Error, arrow().ArrowException, OSError)
        self._new_statement = manager.AdbcStatement
        with server_errors(self, "connect"):
            self._database = driver.connect(uri)
            self._connection = manager.AdbcConnection(self._database)
            self._connection.set_autocommit(False)

    @contextmanager
    def _asked(self, sql: str) -> Iterator[Any]:
        with self._new_statement(self._connection) as statement:
            statement.set_options(**self.statement)
            statement.set_sql_query(sql)
            yield statement

    @contextmanager
    def _read(self, sql: str) -> Iterator[Any]:
        with (
            self._asked(sql) as statement,
            arrow().RecordBatchReader.from_stream(statement.execute_query()[0]) as reader,
        ):
            yield reader

    def do(self, sql: str) -> int:
        with self._asked(sql) as statement:
            return int(statement.execute_update())

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        with self._read(sql) as reader:
            return [tuple(row.values()) for row in reader.read_all().to_pylist()]

    def stream(self, sql: str, schema: Any) -> Iterator[Any]:
        pa = arrow()
        with self._read(sql) as reader:
            for batch in reader:
                columns = [self.column(one, field) for one, field in zip(batch.columns, schema, strict=True)]
                yield pa.RecordBatch.from_arrays(columns, schema=schema)

    def load(self, name: str, columns: Sequence[Column], schema: Any, batches: Iterable[Any]) -> None:
        pa = arrow()
        # Decimals as texts keep their digits.
        plain = pa.schema([
            pa.field(one.name, pa.string() if pa.types.is_decimal(one.type) or pa.types.is_temporal(one.type) else one.type)
            for one in schema
        ])  # fmt: skip
        reader = pa.RecordBatchReader.from_batches(plain, (batch.cast(plain) for batch in batches))
        options = {"target_table": name, "mode": "adbc.ingest.mode.create", "temporary": "true"}
        with self._new_statement(self._connection) as statement:
            statement.set_options(**{f"adbc.ingest.{option}": value for option, value in options.items()})
            statement.bind_stream(reader)
            statement.execute_update()

    def commit(self) -> None:
        self._connection.commit()

    def close(self) -> None:
        with suppress(*self.errors):
            self._connection.close()
            self._database.close()


class SQLite(_Adbc):
    """A file. Values have types there, columns have none."""

    types: ClassVar[dict[str, str]] = {
        "int": "INTEGER", "float": "REAL", "decimal": "NUMERIC", "bool": "BOOLEAN", "blob": "BLOB", "date": "DATE",
        "timestamp": "DATETIME", "json": "TEXT", "text": "TEXT",
    }  # fmt: skip
    same = "{} IS {}"
    listed = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite%'"
    # The driver takes the types from the first batch.
    statement: ClassVar[dict[str, str]] = {"adbc.sqlite.query.batch_rows": str(BATCH_ROWS)}

    def open(self, address: Address, *, new: bool) -> None:
        path = Path(address.place)
        if address.options:
            raise ConfigError(
                "{shown}: SQLite has no option {name}", shown=address.shown, name=next(iter(address.options))
            )
        if not path.is_file() and (not new or path.exists() or not path.parent.is_dir()):
            root = Path("/", address.place)
            hint = Message("; from the root on it is sqlite:///{root}", root=root) if root.is_file() else ""
            raise SourceError(
                "{shown}: there is no file {path}; check the name{hint}", shown=address.shown, path=path, hint=hint
            )
        self._connect("adbc_driver_sqlite", f"file:{quote(address.place)}?mode={'rwc' if new else 'rw'}")
        with server_errors(self, "open the file"):
            self.rows(f"PRAGMA busy_timeout = {_CONNECT_SECONDS * 1000}")
            self.rows("SELECT count(*) FROM sqlite_master")

    def table(self, table: str) -> str:
        return self.name(table)

    def do(self, sql: str) -> int:
        super().do(sql)
        return int(self.rows("SELECT changes()")[0][0])

    def columns(self, table: str) -> list[Column]:
        found = self.rows(f"SELECT name, type, pk FROM pragma_table_info('{table.replace(chr(39), 2 * chr(39))}')")
        return [Column.of(name, type_, is_key=pk > 0) for name, type_, pk in found]

    def described(self, sql: str) -> list[Column]:
        # A copy has rowids, by which it is read.
        self.do(f"CREATE TEMPORARY TABLE simsieve_query AS {sql}")
        return self.columns("simsieve_query")

    def is_table(self, table: str) -> bool:
        named = f"lower(name) = lower('{table.replace(chr(39), 2 * chr(39))}')"
        return bool(self.rows(f"SELECT 1 FROM sqlite_master WHERE type = 'table' AND {named}"))

    def column(self, values: Any, field: Any) -> Any:
        """Values as they came, as an array of the type of a field."""
        pa = arrow()
        try:
            if not isinstance(values, pa.Array):
                is_text = pa.types.is_decimal(field.type)
                values = pa.array(
                    [one if one is None else str(one) for one in values] if is_text else values,
                    pa.string() if is_text else field.type,
                )
            return pa.nulls(len(values), field.type) if values.null_count == len(values) else values.cast(field.type)
        except (OverflowError, pa.ArrowException) as error:
            raise SourceError(
                "{shown}: column {name!r} has a value that is no {type} ({why}): convert it by ?query=SELECT CAST(...)",
                shown=self.address.shown, name=field.name, type=field.type, why=" ".join(str(error).split()),
            ) from None  # fmt: skip

    def look(self, columns: list[Column], table: str, where: str) -> list[Column]:
        each = ", ".join(f"group_concat(DISTINCT typeof({self.name(one.name)}))" for one in columns)
        found = self.rows(f"SELECT {each} FROM {self.table(table)}{where}")[0]
        return [self._held(one, held) for one, held in zip(columns, found, strict=True)]

    def _held(self, column: Column, held: str | None) -> Column:
        kinds = {"integer": "int", "real": "float", "text": "text", "blob": "blob"}
        there = {kinds[one] for one in (held or "").split(",") if one in kinds}
        if there == {"text"} and column.kind in ("date", "timestamp", "json"):
            return column
        if not there:
            there = {column.kind if column.kind in kinds.values() else "text"}
        kind = there.pop() if len(there) == 1 else "float" if there == {"int", "float"} else "text"
        return Column(column.name, column.type, kind, column.is_key)

    def read(self, column: Column, of: str) -> str:
        name = self.name(of, column.name)
        return f"CAST({name} AS REAL)" if column.kind == "float" else super().read(column, of)

    def cast(self, column: Column, of: str) -> str:
        return self.name(of, column.name)


class PostgreSQL(_Adbc):
    """A database on a server of PostgreSQL."""

    types: ClassVar[dict[str, str]] = {
        "int": "bigint", "float": "double precision", "decimal": "numeric", "bool": "boolean", "blob": "bytea",
        "date": "date", "timestamp": "timestamp", "json": "jsonb", "text": "text",
    }  # fmt: skip
    same = "{} IS NOT DISTINCT FROM {}"
    begin = ("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY",)
    listed = (
        "SELECT CASE WHEN table_schema = current_schema() THEN '' ELSE table_schema || '.' END || table_name"
        " FROM information_schema.tables WHERE table_schema NOT IN ('pg_catalog', 'information_schema') ORDER BY 1"
    )

    def open(self, address: Address, *, new: bool) -> None:
        login = quote(address.user or "", safe="") + (
            f":{quote(address.password, safe='')}" if address.password else ""
        )
        host = f"[{address.host}]" if ":" in address.host else address.host
        port = f":{address.port}" if address.port else ""
        options = urlencode({"connect_timeout": _CONNECT_SECONDS, **address.options}, quote_via=quote)
        place = f"{f'{login}@' if login else ''}{host}{port}/{quote(address.place, safe='')}"
        self._connect("adbc_driver_postgresql", f"postgresql://{place}?{options}")

    def _kept(self, table: str) -> str:
        return f"to_regclass('{self.table(table).replace(chr(39), 2 * chr(39))}')"

    def columns(self, table: str) -> list[Column]:
        found = self.rows(
            "SELECT CAST(a.attname AS text), format_type(a.atttypid, a.atttypmod),"
            " coalesce(a.attnum = ANY (i.indkey), false) FROM pg_attribute a"
            " LEFT JOIN pg_index i ON i.indrelid = a.attrelid AND i.indisprimary"
            f" WHERE a.attrelid = {self._kept(table)} AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum"
        )
        return [Column.of(name, type_, is_key=is_key) for name, type_, is_key in found]

    def described(self, sql: str) -> list[Column]:
        with self._read(f"SELECT * FROM ({sql}) AS q LIMIT 0") as reader:
            schema = reader.schema
        types = {str(arrow().int64()): "bigint", str(arrow().float64()): "double precision"}
        return [
            Column.of(one.name, (one.metadata or {}).get(b"POSTGRESQL:type", b"").decode() or types.get(str(one.type), "text"))
            for one in schema
        ]  # fmt: skip

    def is_table(self, table: str) -> bool:
        kinds = "'r', 'p', 'f'"
        return bool(self.rows(f"SELECT 1 FROM pg_class WHERE oid = {self._kept(table)} AND relkind IN ({kinds})"))

    def literal(self, value: Any, column: Column) -> str:
        if isinstance(value, bytes):
            return f"'\\x{value.hex()}'::bytea"
        return f"CAST({super().literal(value, column)} AS {column.type})"


class MySQL(Database):
    """A database on a server of MySQL or MariaDB."""

    quote: ClassVar[str] = "`"
    types: ClassVar[dict[str, str]] = {
        "int": "bigint", "float": "double", "decimal": "decimal(65,30)", "bool": "boolean", "blob": "longblob",
        "date": "date", "timestamp": "datetime(6)", "json": "json", "text": "longtext CHARACTER SET utf8mb4",
    }  # fmt: skip
    # Letters of both cases are equal under most collations.
    same = "CAST(CONVERT({} USING utf8mb4) AS BINARY) <=> CAST(CONVERT({} USING utf8mb4) AS BINARY)"
    text = "CAST(CONVERT({} USING utf8mb4) AS BINARY)"
    begin = (
        "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ",
        "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY",
    )
    keeps_ddl = True
    listed = "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() ORDER BY 1"
    _OPTIONS: ClassVar[dict[str, type]] = {
        "unix_socket": str, "ssl_ca": str, "ssl_cert": str, "ssl_key": str, "connect_timeout": int,
        "read_timeout": int, "write_timeout": int,
    }  # fmt: skip

    def open(self, address: Address, *, new: bool) -> None:
        driver, types = database_driver("pymysql"), database_driver("pymysql.constants.FIELD_TYPE")
        self.errors = (driver.MySQLError, OSError)
        unknown = [name for name in address.options if name not in self._OPTIONS]
        if unknown:
            raise ConfigError(
                "{shown}: the URI has no option {name}: known are {names}",
                shown=address.shown, name=unknown[0], names=", ".join(self._OPTIONS),
            )  # fmt: skip
        options = {name: self._OPTIONS[name](value) for name, value in address.options.items()}
        whole = (types.TINY, types.SHORT, types.LONG, types.LONGLONG, types.INT24, types.YEAR)
        decoded = {**dict.fromkeys(whole, int), types.FLOAT: float, types.DOUBLE: float}
        encoded = {of: how for of, how in driver.converters.conversions.items() if not isinstance(of, int)}
        timeouts = {
            "connect_timeout": _CONNECT_SECONDS, "read_timeout": _ANSWER_SECONDS, "write_timeout": _ANSWER_SECONDS
        }  # fmt: skip
        with server_errors(self, "connect"):
            self._connection = driver.connect(
                host=address.host or "localhost", port=address.port or 3306, user=address.user,
                password=address.password or "", database=address.place, charset="utf8mb4", conv={**encoded, **decoded},
                init_command="SET time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES'", **{**timeouts, **options},
            )  # fmt: skip
        self._unbuffered = driver.cursors.SSCursor

    def do(self, sql: str) -> int:
        with self._connection.cursor() as cursor:
            return int(cursor.execute(sql))

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        with self._connection.cursor() as cursor:
            cursor.execute(sql)
            return list(cursor.fetchall())

    def stream(self, sql: str, schema: Any) -> Iterator[Any]:
        pa = arrow()
        with self._connection.cursor(self._unbuffered) as cursor:
            cursor.execute(sql)
            while found := cursor.fetchmany(BATCH_ROWS):
                columns = [self.column(one, field) for one, field in zip(zip(*found, strict=True), schema, strict=True)]
                yield pa.RecordBatch.from_arrays(columns, schema=schema)

    def load(self, name: str, columns: Sequence[Column], schema: Any, batches: Iterable[Any]) -> None:
        given = ", ".join(f"{self.name(one.name)} {one.type}" for one in columns)
        self.do(f"CREATE TEMPORARY TABLE {self.name(name)} ({given})")
        marks = ", ".join(["%s"] * len(columns))
        with self._connection.cursor() as cursor:
            for batch in batches:
                values = zip(*(one.to_pylist() for one in batch.columns), strict=True)
                cursor.executemany(f"INSERT INTO {self.name(name)} VALUES ({marks})", list(values))

    def _where(self, table: str) -> str:
        schema, _, name = table.rpartition(".")
        of = self._connection.literal(schema) if schema else "DATABASE()"
        return f"WHERE table_schema = {of} AND table_name = {self._connection.literal(name)}"

    def columns(self, table: str) -> list[Column]:
        found = self.rows(
            "SELECT column_name, data_type, column_type, character_set_name, collation_name, column_key"
            f" FROM information_schema.columns {self._where(table)} ORDER BY ordinal_position"
        )
        columns = []
        for name, data_type, type_, charset, collation, key in found:
            one = Column.of(name, type_, is_key=key == "PRI")
            of = f"{type_} CHARACTER SET {charset} COLLATE {collation}" if charset else type_
            kind = "blob" if data_type in ("bit", "geometry", "point", "polygon", "linestring") else one.kind
            columns.append(Column(name, of, kind, one.is_key, one.digits))
        return columns

    def described(self, sql: str) -> list[Column]:
        types = database_driver("pymysql.constants.FIELD_TYPE")
        whole = (types.TINY, types.SHORT, types.LONG, types.LONGLONG, types.INT24, types.YEAR)
        known = {**dict.fromkeys(whole, "bigint"), types.FLOAT: "float", types.DOUBLE: "double"}
        with self._connection.cursor() as cursor:
            cursor.execute(f"SELECT * FROM ({sql}) AS q LIMIT 0")
            return [Column.of(one[0], known.get(one[1], "longtext")) for one in cursor.description]

    def is_table(self, table: str) -> bool:
        kind = "table_type = 'BASE TABLE'"
        return bool(self.rows(f"SELECT 1 FROM information_schema.tables {self._where(table)} AND {kind}"))

    def read(self, column: Column, of: str) -> str:
        return self.name(of, column.name)

    def cast(self, column: Column, of: str) -> str:
        return self.name(of, column.name)

    def literal(self, value: Any, column: Column) -> str:
        return str(self._connection.literal(value))

    def staged(self, table: str, run: str) -> str:
        schema, dot, _ = table.rpartition(".")
        return f"{schema}{dot}simsieve_new_{run}"

    def place(self, staged: str, table: str, *, replaces: bool) -> None:
        old, new, aside = self.table(table), self.table(staged), self.table(f"{staged}_old")
        self.do(f"RENAME TABLE {f'{old} TO {aside}, ' if replaces else ''}{new} TO {old}")
        if replaces:
            self.do(f"DROP TABLE {aside}")

    def commit(self) -> None:
        self._connection.commit()

    def close(self) -> None:
        with suppress(*self.errors):
            self._connection.close()


_DIALECTS: dict[str, type[Database]] = {"sqlite": SQLite, "postgresql": PostgreSQL, "mysql": MySQL}


def connect(address: Address, *, new: bool = False) -> Database:
    """Connect to the database of an address."""
    return _DIALECTS[address.dialect](address, new=new)


_ADVICE = (
    (r"28P01|28000|\b1045\b|\b1044\b|authentication failed|no password supplied|role .* does not exist|\b1698\b",
     "user or password is wrong ({why}); fix them in the URI"),
    (r"Connection refused|could not translate|Can't connect|Name or service|timeout expired|\b2003\b|\b2002\b",
     "no server answers ({why}); check host and port and that the server runs"),
    (r"57P0[123]|08\d\d\d|\b2006\b|\b2013\b|server closed|terminating connection|Lost connection|no connection|SSL SYSCALL",
     "the connection was lost ({why}); check server and network and run again"),
    (r"42501|25006|\b1142\b|\b1143\b|\b1227\b|\b1290\b|permission denied|must be owner|readonly database",
     "the user of the URI has no right to {doing} ({why}); grant it, or name another user"),
    (r"database is locked|55P03|\b1205\b", "another program holds it ({why}); let it finish, then run again"),
    (r"53100|No space left|disk is full|\b1114\b", "the disk of the database is full ({why}); make room and run again"),
)  # fmt: skip
"""What to do, by the code or the text of an error."""


@contextmanager
def server_errors(database: Database, doing: str, kind: type[SimsieveError] = SourceError) -> Iterator[None]:
    """Turn errors of the drivers into one line that says what to do, without a password."""
    try:
        yield
    except database.errors as error:
        why = database.address.hidden(" ".join(str(error).split("\n\n")[0].split()))
        code = getattr(error, "sqlstate", None) or ""
        why = re.sub(r"^[A-Z_]+: (\[\w+\] )?|\s*(Query was|query|LINE \d+): .*|\. SQLSTATE: \w+$", "", why)[:300]
        form = next((text for found, text in _ADVICE if re.search(found, f"{code} {error}")), None)
        advice = Message(form or "the database cannot {doing}: {why}", why=why, doing=doing)
        raise kind("{shown}: {advice}", shown=database.address.shown, advice=advice) from None


def sink_errors(database: Database, doing: str) -> Any:
    """Turn errors of the drivers into `SinkError`; see `server_errors`."""
    return server_errors(database, doing, SinkError)
