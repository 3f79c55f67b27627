"""What a run writes to databases of SQL, all of it or nothing: a table of kept rows, marks, and a row that names them."""

import datetime as dt
import json
import logging
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from simsieve import _core
from simsieve._core import __version__
from simsieve.config.settings import DedupConfig
from simsieve.errors import ConfigError, SimsieveError
from simsieve.messages import Message
from simsieve.optional import arrow
from simsieve.registry import store_of
from simsieve.results.arrow import KEPT, labels_array
from simsieve.results.run import Run
from simsieve.results.stored import identity_of, no_run
from simsieve.sinks.arrow import ArrowRowSinks
from simsieve.sinks.base import SinkPath
from simsieve.sinks.checks import Sinks
from simsieve.sources.base import Source
from simsieve.sources.columns import ColumnSource
from simsieve.stores.sql.address import Address, address_of
from simsieve.stores.sql.database import Column, Database, connect, server_errors, sink_errors
from simsieve.stores.sql.source import TableSource
from simsieve.types import Progress

RUNS, _ADDED, _LOADED = "simsieve_runs", "simsieve_added", "simsieve_loaded"
WRITING, COMPLETE, FAILED, UNDONE = "writing", "complete", "failed", "undone"
_DIGITS = 6
_log = logging.getLogger(__name__)


def _named(sink: SinkPath | None) -> Address | None:
    """Take the name of an output apart; None where it is no table of SQL."""
    if sink is None or type(store_of(sink)).__module__ != "simsieve.stores.sql.store":
        return None
    return address_of(sink)


def check_tables(sinks: Sinks, config: DedupConfig, source: Source) -> None:
    """Check, before the source is read, what goes to tables, and that rows may be marked."""
    if (decisions := _named(sinks.decisions)) is not None:
        raise ConfigError(
            "{shown}: decisions go to a file, or as marks to the rows: give a file", shown=decisions.shown
        )
    if config.mark is not None and isinstance(source, TableSource):
        with server_errors(source.database, "read the marks"):
            _check_markable(source.database, source.address, config.mark)
    if (target := _named(sinks.kept)) is not None:
        if sinks.annotate or config.fields is not None:
            raise ConfigError(
                "{shown}: a table gets whole kept rows: leave {@`fields`} and annotate out", shown=target.shown
            )
        if not isinstance(source, ColumnSource):
            raise ConfigError(
                "{shown}: only rows of tables, frames and Parquet files have columns for a table: give a file",
                shown=target.shown,
            )  # fmt: skip
        if target.table is None:
            raise ConfigError("{shown}: give ?table=NAME, the table for the kept rows", shown=target.shown)
        if isinstance(source, TableSource) and _is_same(source.address, target):
            raise ConfigError(
                "{shown} is the source too: give another table, or mark its rows with {`mark`}", shown=target.shown
            )
        database = connect(target, new=True)
        with sink_errors(database, "write the target"):
            if not config.resume:
                _how(database, target.table, config)
            if not sinks.dry_run:
                # A user without the right is refused before the work.
                database.do(f"CREATE TABLE {database.table(_beside(target.table, 'check'))} (a int)")
                database.do(f"DROP TABLE {database.table(_beside(target.table, 'check'))}")
        database.close()


def _is_same(one: Address, other: Address) -> bool:
    return (one.dialect, one.host, one.port, one.place, one.table) == (
        other.dialect, other.host, other.port, other.place, other.table
    )  # fmt: skip


def _beside(table: str, name: str) -> str:
    """A name in the schema of a table."""
    schema, dot, _ = table.rpartition(".")
    return f"{schema}{dot}simsieve_{name}"


def _how(database: Database, table: str, config: DedupConfig) -> str:
    """Whether a target is new, added to or replaced."""
    there = database.columns(table)
    if there and not database.is_table(table):
        raise ConfigError("{shown} is a view, which takes no rows; name a table", shown=database.address.shown)
    if not there or config.replace:
        return "replace" if there else "new"
    if not config.append and database.rows(f"SELECT 1 FROM {database.table(table)} LIMIT 1"):
        raise ConfigError(
            "{shown} has rows: give {`append`} to add to it, {`replace`}, or another name", shown=database.address.shown
        )
    return "append"


def _of_run(database: Database, field: str, run: str) -> str:
    """The condition for the marks of a run."""
    return f'CAST({field} AS {"char" if database.keeps_ddl else "text"}) LIKE \'%"run": "{run}"%\''


def _check_markable(database: Database, address: Address, field: str, run: str | None = None) -> bool:
    """Check that rows may be marked, and say whether the column is there."""
    table, shown = address.table or "", address.shown
    if not database.is_table(table):
        raise ConfigError("{shown} is a view, whose rows cannot be marked", shown=shown)
    if field not in [one.name for one in database.columns(table)]:
        return False
    name = database.name(field)
    mine = _of_run(database, name, "" if run is None else run)
    mine = mine.replace('""%', '"%') if run is None else mine
    others = database.rows(
        f"SELECT {database.text.format(name)} FROM {database.table(table)} WHERE {name} IS NOT NULL AND NOT {mine} LIMIT 1"
    )
    if others:
        raise ConfigError(
            "{shown}: a row has in column {field!r} a value, or the mark of another run: undo that run, keep the value, or "
            "give another field",
            shown=shown, field=field,
        )  # fmt: skip
    return True


class _Target:
    """The kept rows, in a table."""

    def __init__(self, address: Address, run: Run, columns: _core.Decisions, id_: str) -> None:
        self.address, self.table, self._run, self._columns, self._id = address, address.table or "", run, columns, id_
        self.counts = {"written": 0, "present": 0}
        self.how = ""
        self._staged = self.table

    @property
    def described(self) -> dict[str, Any]:
        """What the run's row says of it."""
        return {"kind": "target", "collection": self.table, "how": self.how, "counts": self.counts}

    def write(self, database: Database, before: Mapping[str, Any], progress: Progress | None) -> None:
        """Load the rows, and put them into the table."""
        source, config = self._run.rows, self._run.config
        is_mine = config.resume and before.get("state") in (WRITING, COMPLETE) and database.columns(self.table)
        self.how = "replace" if is_mine else _how(database, self.table, config)
        kept = self._columns.decision == KEPT
        reader = ArrowRowSinks(source).stream(kept) if isinstance(source, ColumnSource) else None
        assert reader is not None
        key = source.key.name if isinstance(source, TableSource) and source.key is not None else None
        columns = [_column_of(database, field, is_key=field.name == key) for field in reader.schema]
        total = int(kept.sum())
        database.load(_LOADED, columns, reader.schema, _told(reader, progress, "write", total))
        if self.how == "append":
            self._append(database, columns, total)
            return
        self._staged = database.staged(self.table, self._id)
        if database.keeps_ddl:
            database.do(f"DROP TABLE IF EXISTS {database.table(self._staged)}")
        elif self.how == "replace":
            database.do(f"DROP TABLE {database.table(self.table)}")
        given = [f"{database.name(one.name)} {one.type}{' NOT NULL' if one.is_key else ''}" for one in columns]
        given += [f"PRIMARY KEY ({database.name(key)})"] if key is not None else []
        database.do(f"CREATE TABLE {database.table(self._staged)} ({', '.join(given)})")
        self.counts["written"] = self._insert(database, self._staged, columns, "")

    def _insert(self, database: Database, table: str, columns: list[Column], condition: str) -> int:
        names = ", ".join(database.name(one.name) for one in columns)
        casts = ", ".join(database.cast(one, "m") for one in columns)
        return database.do(
            f"INSERT INTO {database.table(table)} ({names}) SELECT {casts} FROM {database.name(_LOADED)} AS m{condition}"
        )

    def _append(self, database: Database, columns: list[Column], total: int) -> None:
        there = {one.name: one for one in database.columns(self.table)}
        lacks = [one.name for one in columns if one.name not in there]
        keys = [one for one in there.values() if one.is_key]
        if lacks or len(keys) != 1 or keys[0].name not in [one.name for one in columns]:
            raise ConfigError(
                "{shown}: rows are added to a table that has their columns and a key of one of them; it has {names}: write "
                "to another table",
                shown=self.address.shown, names=", ".join(there),
            )  # fmt: skip
        given, key = [there[one.name] for one in columns], keys[0]
        table, loaded = database.table(self.table), database.name(_LOADED)
        made = database.cast(key, "m")
        new = f" WHERE NOT EXISTS (SELECT 1 FROM {table} AS t WHERE {database.name('t', key.name)} = {made})"
        blob = database.types["blob"] if database.keeps_ddl else "text"
        database.do(f"CREATE TABLE IF NOT EXISTS {_ADDED} (run VARCHAR(32), target VARCHAR(255), row_key {blob})")
        names = f"{database.literal(self._id, _TEXT)}, {database.literal(self.table, _TEXT)}"
        database.do(f"INSERT INTO {_ADDED} SELECT {names}, {database.text.format(made)} FROM {loaded} AS m{new}")
        self.counts["written"] = self._insert(database, self.table, given, new)
        self.counts["present"] = total - self.counts["written"]

    def place(self, database: Database) -> None:
        """Give the table its name."""
        if self.how != "append":
            database.place(self._staged, self.table, replaces=self.how == "replace")

    def take_back(self, database: Database) -> None:
        """Leave nothing."""
        if database.keeps_ddl and self._staged != self.table:
            database.do(f"DROP TABLE IF EXISTS {database.table(self._staged)}")


_TEXT = Column("", "text", "text")


def _column_of(database: Database, field: Any, *, is_key: bool) -> Column:
    """The column of a new table for a field of Arrow, of the same type where the database is of one kind."""
    types, about = arrow("pyarrow.types"), field.metadata or {}
    dialect, _, type_ = about.get(b"sql", b"").decode().partition(":")
    kind = about.get(b"kind", b"").decode()
    if dialect == database.address.dialect and type_:
        return Column(field.name, type_, kind, is_key)
    if not kind:
        tests = {
            "int": types.is_integer, "float": types.is_floating, "decimal": types.is_decimal, "bool": types.is_boolean,
            "date": types.is_date, "timestamp": types.is_timestamp, "blob": lambda one: "binary" in str(one),
        }  # fmt: skip
        kind = next((name for name, test in tests.items() if test(field.type)), "text")
    if is_key and kind == "text" and database.keeps_ddl:
        # A key of MySQL is bounded.
        return Column(field.name, "varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin", kind, is_key)
    return Column(field.name, database.types[kind], kind, is_key)


def _told(batches: Any, progress: Progress | None, stage: str, total: int) -> Iterator[Any]:
    done = 0
    for batch in batches:
        yield batch
        done += len(batch)
        if progress is not None:
            progress(stage, done, total)


class _Marks:
    """What was decided about each row, as JSON in a column of the row."""

    def __init__(self, source: TableSource, run: Run, columns: _core.Decisions, id_: str) -> None:
        self.address, self.table = source.address, source.address.table or ""
        self.field, self.apply = str(run.config.mark), run.config.apply
        self._source, self._run, self._columns, self._id = source, run, columns, id_
        self.counts = {"marked": 0, "same": 0, "changed": 0}
        self._added = False

    @property
    def described(self) -> dict[str, Any]:
        """What the run's row says of it."""
        about = {"kind": "mark", "collection": self.table, "field": self.field}
        return {**about, "added": self._added, "counts": self.counts}

    def write(self, database: Database, before: Mapping[str, Any], progress: Progress | None) -> None:
        """Load the marks, and put them into the rows that are as they were read."""
        source, key, total = self._source, self._source.key, len(self._columns)
        if key is None:
            raise ConfigError("{shown}: rows of a query are not marked: give ?table=NAME", shown=self.address.shown)
        is_there = _check_markable(database, self.address, self.field, self._id)
        table, field = database.table(self.table), database.name(self.field)
        if not is_there:
            database.do(f"ALTER TABLE {table} ADD COLUMN {field} {database.types['json']}")
        self._added = not is_there
        names = {one.name: one for one in source.described}
        texts = [names[name] for name in dict.fromkeys(self._run.config.text_field) if name in names]
        mark = Column("simsieve_mark", database.types["json" if database.keeps_ddl else "text"], "text")
        columns = [key, *(one for one in texts if one.name != key.name), mark]
        schema = arrow().schema([one.field(self.address.dialect) for one in columns])
        database.load(_LOADED, columns, schema, _told(self._batches(schema), progress, "mark", total))
        same = [database.same.format(*(database.read(one, of) for of in ("t", "m"))) for one in texts]
        joined = " AND ".join([f"{database.name('t', key.name)} = {database.cast(key, 'm')}", *same])
        loaded = f"{database.name(_LOADED)} AS m"
        if is_there:
            mine = _of_run(database, database.name("t", self.field), self._id)
            self.counts["same"] = database.rows(
                f"SELECT count(*) FROM {table} AS t, {loaded} WHERE {joined} AND {mine}"
            )[0][0]
        empty, value = f"{database.name('t', self.field)} IS NULL", database.name("m", mark.name)
        if database.keeps_ddl:
            sql = f"UPDATE {table} AS t, {loaded} SET {database.name('t', self.field)} = {value} WHERE {joined} AND {empty}"
        else:
            value = f"CAST({value} AS {database.types['json']})"
            sql = f"UPDATE {table} AS t SET {field} = {value} FROM {loaded} WHERE {joined} AND {empty}"
        self.counts["marked"] = database.do(sql)
        self.counts["changed"] = total - self.counts["marked"] - self.counts["same"]

    def _batches(self, schema: Any) -> Iterator[Any]:
        """The key and the text of each row as it was read, and its mark."""
        pa, first, total = arrow(), 0, len(self._columns)
        for rows in self._source.batches(self._source.parts[0], schema.names[:-1]):
            some = rows.slice(0, total - first)
            if len(some):
                marks = pa.array(self._marks(first, first + len(some)), pa.string())
                yield pa.RecordBatch.from_arrays([*some.columns, marks], schema=schema)
            first += len(some)

    def _marks(self, first: int, end: int) -> Iterator[str]:
        columns, documents = self._columns.columns(first, end)[0], self._run.documents
        labels = labels_array(documents, columns["representative"], documents.label_kind()).to_pylist()
        found = (columns[name].tolist() for name in ("decision", "distance", "similarity", "lost"))
        for decision, distance, similarity, lost, label in zip(*found, labels, strict=True):
            mark = {
                "run": self._id, "decision": _core.DECISIONS[decision], "representative": label,
                "distance": None if distance < 0 else distance,
                "similarity": None if similarity != similarity else round(similarity, _DIGITS),  # noqa: PLR0124 - NaN
                "lost": None if lost < 0 else lost,
            }  # fmt: skip
            yield json.dumps(mark, ensure_ascii=False)

    def place(self, database: Database) -> None:
        """Do nothing: the marks are where they belong."""

    def take_back(self, database: Database) -> None:
        """Leave nothing."""
        if database.keeps_ddl and self._added:
            database.do(f"ALTER TABLE {database.table(self.table)} DROP COLUMN {database.name(self.field)}")


_Written = _Target | _Marks


def write_run(run: Run, columns: _core.Decisions, sinks: Sinks, progress: Progress | None) -> dict[str, Any]:
    """Write all of it, or nothing."""
    source, target = run.rows if isinstance(run.rows, TableSource) else None, _named(sinks.kept)
    id_, about = identity_of(run, None if source is None else source.address.shown, [target and target.shown])
    about |= {"version": __version__, "counts": dict(columns.counts)}
    parts: list[_Written] = [] if target is None else [_Target(target, run, columns, id_)]
    marks = None if run.config.mark is None or source is None else _Marks(source, run, columns, id_)
    if marks is not None and not marks.apply:
        marks.counts["marked"] = len(columns)
    elif marks is not None:
        # The last one: it changes rows where they are.
        parts.append(marks)
    for part in parts:
        _write_part(part, id_, about, progress)
    counts = {name: count for part in (*parts, *filter(None, [marks])) for name, count in part.counts.items()}
    _log.info("run %s wrote to tables: %s", id_, counts)
    return {"run": id_, **counts, **({} if marks is None else {"mark": marks.field, "applied": marks.apply})}


def _write_part(part: _Written, run: str, about: Mapping[str, Any], progress: Progress | None) -> None:
    """Write a target or marks in one transaction with the row that names them."""
    database = connect(part.address, new=isinstance(part, _Target))
    try:
        with sink_errors(database, "note the run"):
            _make_runs(database)
            before = _noted(database, run).get(run, {})
            # What the run has written beside this, as the target before the marks.
            others = [one for one in before.get("writes", ()) if one["kind"] != part.described["kind"]]
            others = others if before.get("state") != UNDONE else []
            note = {**about, "started": before.get("started", _now())}
            _note(database, run, WRITING, {**note, "writes": [*others, part.described]})
            database.commit()
        try:
            with sink_errors(database, "write the rows"):
                part.write(database, before, progress)
                _note(database, run, COMPLETE, {**note, "finished": _now(), "writes": [*others, part.described]})
                database.commit()
                part.place(database)
                database.commit()
        except BaseException as error:
            _take_back(part, run, {**note, "error": str(error)[:1000], "writes": [*others, part.described]})
            raise
    finally:
        database.close()


def _take_back(part: _Written, run: str, about: Mapping[str, Any]) -> None:
    """Take back what the rollback leaves; the server may not answer."""
    with suppress(SimsieveError):
        database = connect(part.address)
        with sink_errors(database, "take back"):
            part.take_back(database)
            _note(database, run, FAILED, {**about, "finished": _now()})
            database.commit()
        database.close()


def _now() -> str:
    return dt.datetime.now(dt.UTC).isoformat(timespec="seconds")


def _make_runs(database: Database) -> None:
    text = database.types["text"]
    database.do(f"CREATE TABLE IF NOT EXISTS {RUNS} (run VARCHAR(32) PRIMARY KEY, state VARCHAR(16), about {text})")


def _note(database: Database, run: str, state: str, about: Mapping[str, Any]) -> None:
    """Write the row of a run."""
    values = [database.literal(one, _TEXT) for one in (run, state, json.dumps(about, default=str, ensure_ascii=False))]
    database.do(f"DELETE FROM {RUNS} WHERE run = {values[0]}")
    database.do(f"INSERT INTO {RUNS} (run, state, about) VALUES ({', '.join(values)})")


def _noted(database: Database, run: str | None = None) -> dict[str, dict[str, Any]]:
    """The rows of the runs, the latest first."""
    if not database.columns(RUNS):
        return {}
    found = [(one, {"_id": one, "state": state} | json.loads(about)) for one, state, about in database.rows(
        f"SELECT run, state, about FROM {RUNS}"
    )]  # fmt: skip
    return dict(sorted(found, key=lambda one: str(one[1]["started"]), reverse=True))


def list_runs(address: Address) -> list[Mapping[str, Any]]:
    """List the runs that wrote to a database, the latest first."""
    database = connect(address)
    with server_errors(database, "read the runs"):
        found = list(_noted(database).values())
    database.close()
    return [
        one | {name: dt.datetime.fromisoformat(one[name]) for name in ("started", "finished") if name in one}
        for one in found
    ]


def undo_run(address: Address, run: str) -> list[tuple[str, int]]:
    """Take away what a run wrote to a database: marks, and the rows that it added.

    A table that only this run wrote is dropped. What a table held before it was replaced does not come back.
    """
    database = connect(address)
    try:
        with sink_errors(database, "undo the run"):
            runs = _noted(database)
            if run not in runs:
                raise no_run(address.shown, run, runs)
            found = runs[run]
            if found["state"] == UNDONE:
                return []
            # The last that was written goes first.
            done = [
                _undone(database, run, one, runs)
                for one in reversed(found["writes"])
                if database.columns(one["collection"])
            ]
            if database.keeps_ddl:
                for one in found["writes"]:
                    database.do(f"DROP TABLE IF EXISTS {database.table(database.staged(one['collection'], run))}")
            about = {name: value for name, value in found.items() if name not in ("_id", "state")}
            _note(database, run, UNDONE, {**about, "finished": _now()})
            database.commit()
            return done
    finally:
        database.close()


def _undone(
    database: Database, run: str, write: Mapping[str, Any], runs: Mapping[str, Mapping[str, Any]]
) -> tuple[str, int]:
    name = write["collection"]
    table = database.table(name)
    if write["kind"] == "mark":
        return Message("marks in {name}.{field}", name=name, field=write["field"]), _unmarked(
            database, run, write, runs
        )
    if write["how"] == "append":
        mine = f"run = {database.literal(run, _TEXT)} AND target = {database.literal(name, _TEXT)}"
        key = next(one for one in database.columns(name) if one.is_key)
        listed = f"(SELECT row_key FROM {_ADDED} WHERE {mine})"
        count = database.do(f"DELETE FROM {table} WHERE {database.text.format(database.name(key.name))} IN {listed}")
        database.do(f"DELETE FROM {_ADDED} WHERE {mine}")
        return Message("documents of {name}", name=name), count
    count = database.rows(f"SELECT count(*) FROM {table}")[0][0]
    if count != write["counts"]["written"] and write["counts"]["written"]:
        raise ConfigError(
            "{shown}: table {name} has {count:,} rows, and the run wrote {written:,}: undo the runs that added to it first, "
            "or drop it yourself",
            shown=database.address.shown, name=name, count=count, written=write["counts"]["written"],
        )  # fmt: skip
    database.do(f"DROP TABLE {table}")
    return Message("documents of {name}, which is dropped", name=name), count


def _unmarked(database: Database, run: str, write: Mapping[str, Any], runs: Mapping[str, Mapping[str, Any]]) -> int:
    table, field = database.table(write["collection"]), database.name(write["field"])
    if write["field"] not in [one.name for one in database.columns(write["collection"])]:
        return 0
    count = database.do(f"UPDATE {table} SET {field} = NULL WHERE {_of_run(database, field, run)}")
    is_ours = any(
        one.get("added") and (one["collection"], one["field"]) == (write["collection"], write["field"])
        for other in runs.values() for one in other.get("writes", ()) if one["kind"] == "mark"
    )  # fmt: skip
    if is_ours and not database.rows(f"SELECT 1 FROM {table} WHERE {field} IS NOT NULL LIMIT 1"):
        database.do(f"ALTER TABLE {table} DROP COLUMN {field}")
    return count
