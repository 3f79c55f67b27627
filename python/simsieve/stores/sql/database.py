"""Connections to databases of SQL: by sqlite3 of Python, by PyMySQL, and by ADBC to PostgreSQL.

A second library of SQLite in the process, such as that of ADBC, would drop the locks of a user's own connection.
"""

import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from simsieve.errors import ConfigError, SimsieveError, SinkError, SourceError
from simsieve.messages import Message
from simsieve.optional import arrow, database_driver
from simsieve.stores.sql.address import Address
from simsieve.stores.sql.dialects import MYSQL, NATIVE, POSTGRESQL, SQLITE, Column, Dialect

_CONNECT_SECONDS, _ANSWER_SECONDS = 10, 300
_FETCHED = 1 << 11


class Database:
    """A connection as Python's DB-API has it. What it changes counts when `commit` is called."""

    errors: tuple[type[Exception], ...]
    """What the driver raises."""
    _connection: Any

    def __init__(self, address: Address, dialect: Dialect, *, new: bool = False) -> None:
        self.address, self.dialect = address, dialect
        unknown = [name for name in address.options if name not in dialect.options and dialect is not POSTGRESQL]
        if unknown:
            known = ", ".join(dialect.options) or "none"
            raise ConfigError(
                "{shown}: the URI has an option {name} that is not known; known are {known}",
                shown=address.shown, name=unknown[0], known=known,
            )  # fmt: skip
        self._connect(new=new)

    def _connect(self, *, new: bool) -> None:
        """Connect; a file that is not there is made where `new` says so."""
        raise NotImplementedError

    def do(self, sql: str) -> int:
        """Change something, and give how many rows."""
        with closing(self._connection.cursor()) as cursor:
            cursor.execute(sql)
            return int(cursor.rowcount)

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Read a few rows."""
        with closing(self._connection.cursor()) as cursor:
            cursor.execute(sql)
            return list(cursor.fetchall())

    def _unbuffered(self) -> Any:
        """A cursor that has few rows at a time."""
        return self._connection.cursor()

    def stream(self, sql: str, schema: Any) -> Iterator[Any]:
        """Read rows as batches of Arrow of a schema."""
        with closing(self._unbuffered()) as cursor:
            cursor.execute(sql)
            while found := cursor.fetchmany(_FETCHED):
                yield self._batch(zip(*found, strict=True), schema)

    def described(self, sql: str) -> list[Column]:
        """Describe what a query gives."""
        with closing(self._connection.cursor()) as cursor:
            cursor.execute(f"SELECT * FROM ({sql}) AS q LIMIT 0")
            return [Column.of(one[0], self.type_of(one[1])) for one in cursor.description]

    def type_of(self, code: Any) -> str:
        """Give the type of a column that a driver has a code for; of SQLite only the values show it."""
        return ""

    def load(self, name: str, columns: Sequence[Column], schema: Any, batches: Iterable[Any]) -> None:
        """Make a temporary table of batches; decimals and times go to it as texts."""
        given = ", ".join(f"{self.name(one.name)} {one.type}" for one in columns)
        self.do(f"CREATE TEMPORARY TABLE {self.name(name)} ({given})")
        insert = f"INSERT INTO {self.name(name)} VALUES ({', '.join([self.dialect.value] * len(columns))})"
        plain = _plain(schema)
        with closing(self._connection.cursor()) as cursor:
            for batch in batches:
                values = (one.to_pylist() for one in batch.cast(plain).columns)
                cursor.executemany(insert, list(zip(*values, strict=True)))

    def commit(self) -> None:
        """Make the changes count."""
        self._connection.commit()

    def close(self) -> None:
        """Leave uncommitted changes, and close the connection, which may be lost."""
        with suppress(*self.errors):
            self._connection.close()

    def _batch(self, columns: Iterable[Any], schema: Any) -> Any:
        """Values as they came, as a batch of a schema."""
        pa, made = arrow(), []
        for values, field in zip(columns, schema, strict=True):
            try:
                made.append(_array(values, field.type))
            except (OverflowError, TypeError, pa.ArrowException) as error:
                raise SourceError(
                    "{shown}: column {name!r} has a value that is no {type} ({why}): convert it by "
                    "?query=SELECT CAST(...)",
                    shown=self.address.shown, name=field.name, type=field.type, why=" ".join(str(error).split()),
                ) from None  # fmt: skip
        return pa.RecordBatch.from_arrays(made, schema=schema)

    def name(self, *names: str) -> str:
        """Quote a name, or several below one another."""
        mark = self.dialect.quote
        return ".".join(f"{mark}{one.replace(mark, 2 * mark)}{mark}" for one in names)

    def table(self, table: str) -> str:
        """Quote the name of a table, which may be below a schema."""
        return self.name(*table.split(self.dialect.schemas, 1)) if self.dialect.schemas else self.name(table)

    def beside(self, table: str, name: str) -> str:
        """Give a name of ours in the schema of a table."""
        schema, dot, _ = table.rpartition(".") if self.dialect.schemas else ("", "", table)
        return f"{schema}{dot}simsieve_{name}"

    def text_of(self, value: str) -> str:
        """Give the expression for a value as a text that can be compared."""
        return self.dialect.text.format(value)

    def read(self, column: Column, of: str) -> str:
        """Give the expression by which a column is read: what Arrow lacks is a text."""
        name = self.name(of, column.name)
        if self.dialect is SQLITE and column.kind == "float":
            return f"CAST({name} AS REAL)"
        return name if column.kind in NATIVE or self.dialect is MYSQL else f"CAST({name} AS text)"

    def cast(self, column: Column, of: str) -> str:
        """Give the expression by which a loaded value gets the type of a column; only PostgreSQL needs one."""
        name = self.name(of, column.name)
        return f"CAST({name} AS {column.type})" if self.dialect is POSTGRESQL else name

    def literal(self, value: Any, column: Column | None = None) -> str:
        """Write a value as SQL has it, of the type of a column."""
        if isinstance(value, bytes):
            made = f"'\\x{value.hex()}'" if self.dialect is POSTGRESQL else f"X'{value.hex()}'"
        else:
            made = repr(value) if isinstance(value, (int, float)) else "'{}'".format(str(value).replace("'", "''"))
        return made if column is None or self.dialect is not POSTGRESQL else f"CAST({made} AS {column.type})"

    def columns(self, table: str) -> tuple[list[Column], bool]:
        """Give the columns of a table or view, none if it is missing, and say whether it is a table."""
        schema, _, last = table.rpartition(".") if self.dialect.schemas else ("", "", table)
        names = {"table": last, "schema": schema or None, "quoted": self.table(table)}
        literals = {of: "NULL" if one is None else self.literal(one) for of, one in names.items()}
        found = self.rows(self.dialect.columns.format(**literals))
        return [Column.of(*row[:3]) for row in found], bool(found and found[0][3])

    def looked(self, columns: list[Column], rows: str) -> list[Column]:
        """Say what columns of SQLite hold: values have types there."""
        if self.dialect is not SQLITE:
            return columns
        each = ", ".join(f"group_concat(DISTINCT typeof({self.name(one.name)}))" for one in columns)
        found = self.rows(f"SELECT {each} FROM {rows}")[0]
        return [_held(one, held) for one, held in zip(columns, found, strict=True)]


def _array(values: Any, kind: Any) -> Any:
    """Values as an array of a type; bytes that are no UTF-8 stay as they are in texts, and their records fail."""
    pa = arrow()
    if isinstance(values, pa.Array):
        return pa.nulls(len(values), kind) if values.null_count == len(values) else values.cast(kind)
    if pa.types.is_decimal(kind):
        return pa.array([None if one is None else str(one) for one in values], pa.string()).cast(kind)
    try:
        return pa.array(values, kind)
    except pa.ArrowInvalid:
        if kind != pa.string():
            raise
        return pa.array(values, pa.binary()).view(kind)


def _plain(schema: Any) -> Any:
    """A schema whose decimals and times are texts, which keep their digits."""
    pa, types = arrow(), arrow("pyarrow.types")
    return pa.schema([
        one.with_type(pa.string()) if types.is_decimal(one.type) or types.is_temporal(one.type) else one
        for one in schema
    ])  # fmt: skip


def _held(column: Column, held: str | None) -> Column:
    kinds = {"integer": "int", "real": "float", "text": "text", "blob": "blob"}
    there = {kinds[one] for one in (held or "").split(",") if one in kinds}
    if there == {"text"} and column.kind in ("date", "timestamp", "json"):
        return column
    if not there:
        there = {column.kind if column.kind in kinds.values() else "text"}
    kind = there.pop() if len(there) == 1 else "float" if there == {"int", "float"} else "text"
    return Column(column.name, column.type, kind, column.is_key)


class _SQLite(Database):
    """A file of SQLite."""

    def _connect(self, *, new: bool) -> None:
        path, self.errors = Path(self.address.place), (sqlite3.Error,)
        if not path.is_file() and (not new or path.exists() or not path.parent.is_dir()):
            root = Path("/", path)
            hint = Message("; from the root on it is sqlite:///{root}", root=root) if root.is_file() else ""
            raise SourceError(
                "{shown}: there is no file {path}; check the name{hint}", shown=self.address.shown, path=path, hint=hint
            )
        with server_errors(self, "open the file"):
            uri = f"file:{quote(self.address.place)}?mode={'rwc' if new else 'rw'}"
            self._connection = sqlite3.connect(
                uri, _CONNECT_SECONDS, isolation_level=None, check_same_thread=False, uri=True
            )
            self.do("BEGIN")

    def stream(self, sql: str, schema: Any) -> Iterator[Any]:
        """Read rows as batches of Arrow of a schema; texts may be no UTF-8."""
        self._connection.text_factory = bytes
        try:
            yield from super().stream(sql, schema)
        finally:
            self._connection.text_factory = str


class _MySQL(Database):
    """A connection to MySQL or MariaDB."""

    def _connect(self, *, new: bool) -> None:
        driver, types = database_driver("pymysql"), database_driver("pymysql.constants.FIELD_TYPE")
        self.errors, self._cursor = (driver.MySQLError, OSError), driver.cursors.SSCursor
        whole = (types.TINY, types.SHORT, types.LONG, types.LONGLONG, types.INT24, types.YEAR)
        self._types = {**dict.fromkeys(whole, "bigint"), types.FLOAT: "float", types.DOUBLE: "double"}
        decoded = {of: int if kind == "bigint" else float for of, kind in self._types.items()}
        encoded = {of: how for of, how in driver.converters.conversions.items() if not isinstance(of, int)}
        address, known = self.address, self.dialect.options
        given = {
            "connect_timeout": _CONNECT_SECONDS, "read_timeout": _ANSWER_SECONDS, "write_timeout": _ANSWER_SECONDS,
            **{name: known[name](value) for name, value in address.options.items()},
        }  # fmt: skip
        with server_errors(self, "connect"):
            self._connection = driver.connect(
                host=address.host or "localhost", port=address.port or 3306, user=address.user, charset="utf8mb4",
                password=address.password or "", database=address.place, conv={**encoded, **decoded}, **given,
                init_command="SET time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES,NO_BACKSLASH_ESCAPES'",
            )  # fmt: skip

    def type_of(self, code: Any) -> str:
        """Give the type of a column that the driver has a code for."""
        return self._types.get(code, "longtext")

    def _unbuffered(self) -> Any:
        return self._connection.cursor(self._cursor)


class _PostgreSQL(Database):
    """A connection to PostgreSQL, by batches of Arrow."""

    def _connect(self, *, new: bool) -> None:
        # The interface of DB-API would load pandas, where that is installed.
        manager, driver = database_driver("adbc_driver_manager"), database_driver("adbc_driver_postgresql")
        self.errors, self._new_statement = (manager.Error, arrow().ArrowException, OSError), manager.AdbcStatement
        address = self.address
        login = ":".join(quote(one, safe="") for one in (address.user, address.password) if one)
        host = f"[{address.host}]" if ":" in address.host else address.host
        place = f"{login}{'@' if login else ''}{host}{f':{address.port}' if address.port else ''}"
        options = urlencode({"connect_timeout": _CONNECT_SECONDS, **address.options}, quote_via=quote)
        with server_errors(self, "connect"):
            self._database = driver.connect(f"postgresql://{place}/{quote(address.place, safe='')}?{options}")
            self._connection = manager.AdbcConnection(self._database)
            self._connection.set_autocommit(False)

    @contextmanager
    def _statement(self, sql: str) -> Iterator[Any]:
        with self._new_statement(self._connection) as statement:
            statement.set_sql_query(sql)
            yield statement

    @contextmanager
    def _reader(self, sql: str) -> Iterator[Any]:
        reader = arrow().RecordBatchReader
        with self._statement(sql) as asked, reader.from_stream(asked.execute_query()[0]) as found:
            yield found

    def do(self, sql: str) -> int:
        """Change something, and give how many rows."""
        with self._statement(sql) as statement:
            return int(statement.execute_update())

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Read a few rows."""
        with self._reader(sql) as reader:
            return [tuple(row.values()) for row in reader.read_all().to_pylist()]

    def stream(self, sql: str, schema: Any) -> Iterator[Any]:
        """Read rows as batches of Arrow of a schema."""
        with self._reader(sql) as reader:
            for batch in reader:
                yield self._batch(batch.columns, schema)

    def described(self, sql: str) -> list[Column]:
        """Describe what a query gives."""
        with self._reader(f"SELECT * FROM ({sql}) AS q LIMIT 0") as reader:
            found = [(one.name, (one.metadata or {}).get(b"POSTGRESQL:type", b"text")) for one in reader.schema]
        return [Column.of(name, type_.decode()) for name, type_ in found]

    def load(self, name: str, columns: Sequence[Column], schema: Any, batches: Iterable[Any]) -> None:
        """Make a temporary table of batches; decimals and times are texts in it."""
        plain, options = _plain(schema), {"target_table": name, "mode": "adbc.ingest.mode.create", "temporary": "true"}
        cast = (batch.cast(plain) for batch in batches)
        with self._new_statement(self._connection) as statement:
            statement.set_options(**{f"adbc.ingest.{option}": value for option, value in options.items()})
            statement.bind_stream(arrow().RecordBatchReader.from_batches(plain, cast))
            statement.execute_update()

    def close(self) -> None:
        """Leave uncommitted changes, and close the connection, which may be lost."""
        super().close()
        with suppress(*self.errors):
            self._database.close()


_KINDS: dict[str, tuple[type[Database], Dialect]] = {
    SQLITE.name: (_SQLite, SQLITE), POSTGRESQL.name: (_PostgreSQL, POSTGRESQL), MYSQL.name: (_MySQL, MYSQL)
}  # fmt: skip


def connect(address: Address, *, new: bool = False) -> Database:
    """Connect to the database of an address; a file that is not there is made where `new` says so."""
    kind, dialect = _KINDS[address.dialect]
    return kind(address, dialect, new=new)


_LOGIN = r"28P01|28000|authentication failed|no password supplied|role .* does not exist|\b(1045|1044|1698)\b"
_AWAY = r"Connection refused|could not translate|Can't connect|Name or service|timeout expired|\b(2003|2002)\b"
_LOST = r"57P0[123]|\b08\d{3}\b|server closed|terminating connection|Lost connection|no connection|\b(2006|2013)\b"
_RIGHTS = r"42501|25006|permission denied|must be owner|readonly database|\b(1142|1143|1227|1290)\b"
_HELD, _FULL = r"database is locked|55P03|\b1205\b", r"53100|No space left|disk is full|\b1114\b"


def _advice(text: str, why: str, doing: str) -> Message:
    """What to do, by the code or the text of an error."""
    if re.search(_LOGIN, text):
        return Message("user or password is wrong ({why}); fix them in the URI", why=why)
    if re.search(_AWAY, text):
        return Message("no server answers ({why}); check host and port and that the server runs", why=why)
    if re.search(_LOST, text):
        return Message("the connection was lost ({why}); check server and network and run again", why=why)
    if re.search(_RIGHTS, text):
        return Message(
            "the user of the URI has no right to {doing} ({why}); grant it, or name another user", doing=doing, why=why
        )
    if re.search(_HELD, text):
        return Message("another program holds it ({why}); let it finish, then run again", why=why)
    if re.search(_FULL, text):
        return Message("the disk of the database is full ({why}); make room and run again", why=why)
    return Message("the database cannot {doing}: {why}", why=why, doing=doing)


@contextmanager
def server_errors(database: Database, doing: str, kind: type[SimsieveError] = SourceError) -> Iterator[None]:
    """Turn errors of the drivers into one line that says what to do, without a password."""
    try:
        yield
    except SimsieveError:
        # Some are errors of the system too.
        raise
    except database.errors as error:
        # The drivers add the statement.
        found = re.split(r"\n\s*(?:query:|Query was:|LINE \d+:)", str(error))[0]
        text = database.address.hidden(" ".join(found.split()))
        why = re.sub(r"^[A-Z_]+: (\[\w+\] )?|\. SQLSTATE: \w+$", "", text)[:300]
        advice = _advice(f"{getattr(error, 'sqlstate', None) or ''} {text}", why, doing)
        raise kind("{shown}: {advice}", shown=database.address.shown, advice=advice) from None


def sink_errors(database: Database, doing: str) -> Any:
    """Turn errors of the drivers into `SinkError`; see `server_errors`."""
    return server_errors(database, doing, SinkError)
