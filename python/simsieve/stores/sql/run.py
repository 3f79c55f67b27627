"""What a run writes to databases of SQL, all of it or nothing: kept rows, marks, and a row that names them."""

import datetime as dt
import json
import logging
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
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
from simsieve.results.stored import COMPLETE, FAILED, UNDONE, WRITING, identity_of, no_run
from simsieve.sinks.arrow import ArrowRowSinks, checked_texts
from simsieve.sinks.base import SinkPath
from simsieve.sinks.checks import Sinks
from simsieve.sources.base import Source
from simsieve.sources.columns import ColumnSource
from simsieve.stores.sql.address import Address, address_of
from simsieve.stores.sql.database import Database, connect, server_errors, sink_errors
from simsieve.stores.sql.dialects import Column
from simsieve.stores.sql.source import TableSource
from simsieve.types import Progress

RUNS, _ADDED, _LOADED = "simsieve_runs", "simsieve_added", "simsieve_loaded"
_DIGITS, _DOING = 6, "write the rows"
_log = logging.getLogger(__name__)


def _named(sink: SinkPath | None) -> Address | None:
    """Take the name of an output apart; None where it is no table of SQL."""
    is_ours = sink is not None and type(store_of(sink)).__module__ == "simsieve.stores.sql"
    return address_of(sink) if is_ours and sink is not None else None


def check_tables(sinks: Sinks, config: DedupConfig, source: Source) -> None:
    """Check, before the source is read, what goes to tables, and that rows may be marked."""
    if (decisions := _named(sinks.decisions)) is not None:
        raise ConfigError(
            "{shown}: decisions go to a file, or as marks to the rows: give a file", shown=decisions.shown
        )
    if config.mark is not None and isinstance(source, TableSource):
        with closing(connect(source.address)) as database, server_errors(database, "read the marks"):
            _check_markable(database, source.address, config.mark)
    target = _named(sinks.kept)
    if target is None:
        return
    if sinks.annotate or config.fields is not None or not isinstance(source, ColumnSource):
        raise ConfigError(
            "{shown}: a table gets whole kept rows of a table, a frame or Parquet files: leave {@`fields`} and annotate"
            " out, or give a file",
            shown=target.shown,
        )
    if target.table is None:
        raise ConfigError("{shown}: give ?table=NAME, the table for the kept rows", shown=target.shown)
    if isinstance(source, TableSource) and source.address.is_same_table(target):
        raise ConfigError(
            "{shown} is the source too: give another table, or mark its rows with {`mark`}", shown=target.shown
        )
    with closing(connect(target, new=True)) as database, sink_errors(database, "write the target"):
        if not config.resume:
            _how(database, target.table, config)
        if not sinks.dry_run:
            # A user without the right is refused before the work.
            tried = database.table(database.beside(target.table, "check"))
            database.do(f"CREATE TABLE {tried} (a int)")
            database.do(f"DROP TABLE {tried}")


def _how(database: Database, table: str, config: DedupConfig) -> str:
    """Whether a target is new, added to or replaced."""
    columns, is_table = database.columns(table)
    if columns and not is_table:
        raise ConfigError("{shown} is a view, which takes no rows; name a table", shown=database.address.shown)
    if not columns or config.replace:
        return "replace" if columns else "new"
    if not config.append and database.rows(f"SELECT 1 FROM {database.table(table)} LIMIT 1"):
        raise ConfigError(
            "{shown} has rows: give {`append`} to add to it, {`replace`}, or another name", shown=database.address.shown
        )
    return "append"


def _of_run(database: Database, column: str, run: str) -> str:
    """The condition for the marks of a run; of any run where it is empty."""
    end = f'{run}"%' if run else "%"
    return f'{database.text_of(column)} LIKE \'%"run": "{end}\''


def _check_markable(database: Database, address: Address, mark: str, run: str = "") -> bool:
    """Check that rows may be marked, and say whether the column is there."""
    columns, is_table = database.columns(address.table or "")
    if not is_table:
        raise ConfigError("{shown} is no table, so its rows cannot be marked", shown=address.shown)
    if mark not in [one.name for one in columns]:
        return False
    name = database.name(mark)
    other = f"{name} IS NOT NULL AND NOT {_of_run(database, name, run)}"
    if database.rows(f"SELECT 1 FROM {database.table(address.table or '')} WHERE {other} LIMIT 1"):
        raise ConfigError(
            "{shown}: a row has in column {mark!r} a value, or the mark of another run: undo that run, keep the value, "
            "or give another field",
            shown=address.shown, mark=mark,
        )  # fmt: skip
    return True


@dataclass
class _Job:
    """One thing that a run writes, in a transaction of its own with the row that names it."""

    address: Address
    run: Run
    columns: _core.Decisions
    id: str
    progress: Progress | None
    counts: dict[str, int]
    write: dict[str, Any]
    """What the row of the run says of it."""
    after: list[str] = field(default_factory=list)
    """The work after the commit, where a table gets its name by no transaction."""
    undo: list[str] = field(default_factory=list)
    """What takes back that a rollback leaves."""

    @property
    def is_mark(self) -> bool:
        """Whether it is marks, and no target."""
        return bool(self.write["kind"] == "mark")

    def _load(self, database: Database, columns: list[Column], schema: Any, batches: Any, total: int) -> None:
        """Load batches into a temporary table, and tell of them."""
        stage = "mark" if self.is_mark else "write"

        def told() -> Iterator[Any]:
            done = 0
            for batch in map(checked_texts, batches):
                yield batch
                done += len(batch)
                if self.progress is not None:
                    self.progress(stage, done, total)

        database.load(_LOADED, columns, schema, told())

    def _put_kept(self, database: Database, before: Mapping[str, Any]) -> None:
        """Write the kept rows."""
        source, table, kept = self.run.rows, self.write["collection"], self.columns.decision == KEPT
        is_mine = self.run.config.resume and before.get("state") in (WRITING, COMPLETE) and database.columns(table)[0]
        how = self.write["how"] = "replace" if is_mine else _how(database, table, self.run.config)
        reader = ArrowRowSinks(source).stream(kept) if isinstance(source, ColumnSource) else None
        assert reader is not None
        key = source.key.name if isinstance(source, TableSource) and source.key is not None else None
        columns = [_column_of(database, one, is_key=one.name == key) for one in reader.schema]
        if how == "append":
            there = {one.name: one for one in database.columns(table)[0]}
            keys = [one for one in there.values() if one.is_key and one.name in reader.schema.names]
            if not set(reader.schema.names) <= set(there) or len(keys) != 1:
                raise ConfigError(
                    "{shown}: rows are added to a table that has their columns and a key of one of them; it has "
                    "{names}: write to another table",
                    shown=self.address.shown, names=", ".join(there),
                )  # fmt: skip
            columns = [there[one.name] for one in columns]
        self._load(database, columns, reader.schema, reader, int(kept.sum()))
        if how == "append":
            self._append(database, table, columns, keys[0])
            self.counts["present"] = int(kept.sum()) - self.counts["written"]
            return
        made = database.table(table)
        if database.dialect.keeps_ddl:
            old, made, aside = (
                made,
                *(database.table(database.beside(table, f"{of}_{self.id}")) for of in ("new", "old")),
            )
            self.undo = [f"DROP TABLE IF EXISTS {made}"]
            self.after = [f"RENAME TABLE {f'{old} TO {aside}, ' if how == 'replace' else ''}{made} TO {old}"]
            self.after += [f"DROP TABLE IF EXISTS {aside}"]
            for statement in (*self.undo, self.after[-1]):
                database.do(statement)
        elif how == "replace":
            database.do(f"DROP TABLE {made}")
        given = [f"{database.name(one.name)} {one.type}{' NOT NULL' if one.is_key else ''}" for one in columns]
        given += [f"PRIMARY KEY ({database.name(key)})"] if key is not None else []
        database.do(f"CREATE TABLE {made} ({', '.join(given)})")
        self.counts["written"] = _insert(database, made, columns)

    def _append(self, database: Database, table: str, columns: list[Column], key: Column) -> None:
        """Add the rows whose key is not there, and note their keys, by which they are taken away again."""
        made = database.cast(key, "m")
        lacks = f"SELECT 1 FROM {database.table(table)} AS t WHERE {database.name('t', key.name)} = {made}"
        new = f" WHERE NOT EXISTS ({lacks})"
        kind = database.dialect.types["blob"] if database.dialect.keeps_ddl else "text"
        database.do(f"CREATE TABLE IF NOT EXISTS {_ADDED} (run VARCHAR(32), target VARCHAR(255), row_key {kind})")
        names = f"{database.literal(self.id)}, {database.literal(table)}"
        database.do(f"INSERT INTO {_ADDED} SELECT {names}, {database.text_of(made)} FROM {_LOADED} AS m{new}")
        self.counts["written"] = _insert(database, database.table(table), columns, new)

    def _put_marks(self, database: Database, _before: Mapping[str, Any]) -> None:
        """Put marks into the rows that are as they were read."""
        source, total, mark = self.run.rows, len(self.columns), self.write["field"]
        key = source.key if isinstance(source, TableSource) else None
        assert isinstance(source, TableSource)
        assert key is not None
        is_there = _check_markable(database, self.address, mark, self.id)
        table, of_row = database.table(self.write["collection"]), database.name("t", mark)
        json_type = database.dialect.types["json"]
        if not is_there:
            self.write["added"] = True
            if database.dialect.keeps_ddl:
                self.undo = [f"ALTER TABLE {table} DROP COLUMN {database.name(mark)}"]
            database.do(f"ALTER TABLE {table} ADD COLUMN {database.name(mark)} {json_type}")
        of_run = dict.fromkeys(self.run.config.text_field)
        texts = [one for one in source.described if one.name in of_run]
        columns = [key, *(one for one in texts if one.name != key.name), Column("simsieve_mark", json_type, "text")]
        schema = arrow().schema([one.field(self.address.dialect) for one in columns])
        self._load(database, columns, schema, self._marked(source, schema), total)
        same = [database.dialect.same.format(*(database.read(one, of) for of in ("t", "m"))) for one in texts]
        joined = " AND ".join([f"{database.name('t', key.name)} = {database.cast(key, 'm')}", *same])
        loaded, value = f"{_LOADED} AS m", database.cast(columns[-1], "m")
        if is_there:
            mine = f"{joined} AND {_of_run(database, of_row, self.id)}"
            self.counts["same"] = database.rows(f"SELECT count(*) FROM {table} AS t, {loaded} WHERE {mine}")[0][0]
        if database.dialect.keeps_ddl:
            change = f"UPDATE {table} AS t, {loaded} SET {of_row} = {value}"
        else:
            change = f"UPDATE {table} AS t SET {database.name(mark)} = {value} FROM {loaded}"
        self.counts["marked"] = database.do(f"{change} WHERE {joined} AND {of_row} IS NULL")
        self.counts["changed"] = total - self.counts["marked"] - self.counts["same"]

    def _marked(self, source: TableSource, schema: Any) -> Iterator[Any]:
        """The key and the texts of each row as it was read, and its mark."""
        pa, first, total = arrow(), 0, len(self.columns)
        for rows in source.batches(source.parts[0], None):
            some = rows.select(schema.names[:-1]).slice(0, total - first)
            if len(some):
                marks = pa.array(self._marks(first, first + len(some)), pa.string())
                yield pa.RecordBatch.from_arrays([*some.columns, marks], schema=schema)
            first += len(some)

    def _marks(self, first: int, end: int) -> Iterator[str]:
        columns, documents = self.columns.columns(first, end)[0], self.run.documents
        labels = labels_array(documents, columns["representative"], documents.label_kind()).to_pylist()
        found = (columns[name].tolist() for name in ("decision", "distance", "similarity", "lost"))
        for decision, distance, similarity, lost, label in zip(*found, labels, strict=True):
            mark = {
                "run": self.id, "decision": _core.DECISIONS[decision], "representative": label,
                "distance": distance if distance >= 0 else None,
                "similarity": round(similarity, _DIGITS) if similarity >= 0 else None,
                "lost": lost if lost >= 0 else None,
            }  # fmt: skip
            yield json.dumps(mark, ensure_ascii=False)

    def carry_out(self, about: Mapping[str, Any]) -> None:
        """Write it in one transaction with the row of the run, or take it back."""
        note = dict(about)
        try:
            with closing(connect(self.address, new=not self.is_mark)) as database, sink_errors(database, _DOING):
                text = database.dialect.types["text"]
                columns = f"run VARCHAR(32) PRIMARY KEY, state VARCHAR(16), about {text}"
                database.do(f"CREATE TABLE IF NOT EXISTS {RUNS} ({columns})")
                before = _noted(database).get(self.id, {})
                # The target may be noted before the marks.
                writes = [] if before.get("state") == UNDONE else before.get("writes", [])
                others = [one for one in writes if one["kind"] != self.write["kind"]]
                if self.is_mark:
                    self.write["added"] = any(one.get("added") for one in writes)
                note |= {"started": before.get("started", _now()), "writes": [*others, self.write]}
                if database.dialect.keeps_ddl:
                    _note(database, self.id, WRITING, note)
                    database.commit()
                (self._put_marks if self.is_mark else self._put_kept)(database, before)
                _note(database, self.id, COMPLETE, {**note, "finished": _now()})
                database.commit()
                for statement in self.after:
                    database.do(statement)
        except BaseException as error:
            if self.undo:
                self._take_back({**note, "error": str(error)[:1000], "finished": _now()})
            raise

    def _take_back(self, note: Mapping[str, Any]) -> None:
        """Take back what the rollback leaves; the server may not answer."""
        with suppress(SimsieveError), closing(connect(self.address)) as database, sink_errors(database, "take back"):
            for statement in self.undo:
                database.do(statement)
            _note(database, self.id, FAILED, note)
            database.commit()


def _insert(database: Database, table: str, columns: list[Column], condition: str = "") -> int:
    names = ", ".join(database.name(one.name) for one in columns)
    casts = ", ".join(database.cast(one, "m") for one in columns)
    return database.do(f"INSERT INTO {table} ({names}) SELECT {casts} FROM {_LOADED} AS m{condition}")


def _column_of(database: Database, given: Any, *, is_key: bool) -> Column:
    """The column of a new table for a field of Arrow, of the same type where the database is of one kind."""
    types, about = arrow("pyarrow.types"), given.metadata or {}
    dialect, _, type_ = about.get(b"sql", b"").decode().partition(":")
    kind = about.get(b"kind", b"").decode()
    if dialect == database.dialect.name and type_:
        return Column(given.name, type_, kind, is_key)
    tests = {
        "int": types.is_integer, "float": types.is_floating, "decimal": types.is_decimal, "bool": types.is_boolean,
        "date": types.is_date, "timestamp": types.is_timestamp, "blob": lambda one: "binary" in str(one),
    }  # fmt: skip
    kind = kind or next((name for name, test in tests.items() if test(given.type)), "text")
    if is_key and kind == "text" and database.dialect.keeps_ddl:
        # A key of MySQL is bounded.
        return Column(given.name, "varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin", kind, is_key)
    return Column(given.name, database.dialect.types[kind], kind, is_key)


def write_run(run: Run, columns: _core.Decisions, sinks: Sinks, progress: Progress | None) -> dict[str, Any]:
    """Write all of it, or nothing."""
    source, target = run.rows if isinstance(run.rows, TableSource) else None, _named(sinks.kept)
    shown = None if target is None else target.shown
    id_, about = identity_of(run, None if source is None else source.address.shown, [shown])
    about |= {"version": __version__, "counts": dict(columns.counts)}
    jobs: list[tuple[Address, dict[str, Any]]] = []
    counts, applied = {}, {}
    if target is not None:
        none = {"written": 0, "present": 0}
        jobs.append((target, {"kind": "target", "collection": target.table, "counts": none}))
    if run.config.mark is not None and source is not None:
        # The last one: it changes rows where they are.
        applied, counts = {"mark": run.config.mark, "applied": run.config.apply}, {"marked": len(columns)}
        none = {"marked": 0, "same": 0, "changed": 0}
        about_mark = {"collection": source.address.table, "field": run.config.mark, "added": False, "counts": none}
        jobs += [(source.address, {"kind": "mark", **about_mark})] if run.config.apply else []
    for address, one in jobs:
        _Job(address, run, columns, id_, progress, one["counts"], one).carry_out(about)
        counts |= one["counts"]
    _log.info("run %s wrote to tables: %s", id_, counts)
    return {"run": id_, **counts, **applied}


def _now() -> str:
    return dt.datetime.now(dt.UTC).isoformat()


def _note(database: Database, run: str, state: str, about: Mapping[str, Any]) -> None:
    """Write the row of a run."""
    values = [database.literal(one) for one in (run, state, json.dumps(about, default=str, ensure_ascii=False))]
    database.do(f"DELETE FROM {RUNS} WHERE run = {values[0]}")
    database.do(f"INSERT INTO {RUNS} (run, state, about) VALUES ({', '.join(values)})")


def _noted(database: Database) -> dict[str, dict[str, Any]]:
    """The rows of the runs, the latest first."""
    found = database.rows(f"SELECT run, state, about FROM {RUNS}") if database.columns(RUNS)[0] else []
    runs = [{"_id": run, "state": state, **json.loads(about)} for run, state, about in found]
    return {run["_id"]: run for run in sorted(runs, key=lambda run: str(run["started"]), reverse=True)}


def list_runs(address: Address) -> list[Mapping[str, Any]]:
    """List the runs that wrote to a database, the latest first."""
    with closing(connect(address)) as database, server_errors(database, "read the runs"):
        found = _noted(database).values()
    times = ("started", "finished")
    return [one | {name: dt.datetime.fromisoformat(one[name]) for name in times if name in one} for one in found]


def undo_run(address: Address, run: str) -> list[tuple[str, int]]:
    """Take away what a run wrote to a database: marks, and the rows that it added."""
    # A table that only this run wrote is dropped. What a table held before it was replaced does not come back.
    with closing(connect(address)) as database, sink_errors(database, "undo the run"):
        runs = _noted(database)
        if run not in runs:
            raise no_run(address.shown, run, runs)
        found = runs[run]
        if found["state"] == UNDONE:
            return []
        # The last that was written goes first.
        writes = [one for one in reversed(found["writes"]) if database.columns(one["collection"])[0]]
        done = [_undone(database, run, one, runs) for one in writes]
        for one in found["writes"] if database.dialect.keeps_ddl else ():
            database.do(f"DROP TABLE IF EXISTS {database.table(database.beside(one['collection'], f'new_{run}'))}")
        about = {name: value for name, value in found.items() if name not in ("_id", "state")}
        _note(database, run, UNDONE, {**about, "finished": _now()})
        database.commit()
        return done


def _undone(
    database: Database, run: str, write: Mapping[str, Any], runs: Mapping[str, Mapping[str, Any]]
) -> tuple[str, int]:
    name, written = write["collection"], write["counts"].get("written")
    table, columns = database.table(name), database.columns(name)[0]
    if write["kind"] == "mark":
        count, mark = 0, database.name(write["field"])
        if write["field"] in [one.name for one in columns]:
            count = database.do(f"UPDATE {table} SET {mark} = NULL WHERE {_of_run(database, mark, run)}")
            ours = any(
                one["added"] for of in runs.values() for one in of["writes"] if one.get("field") == write["field"]
            )
            if ours and not database.rows(f"SELECT 1 FROM {table} WHERE {mark} IS NOT NULL LIMIT 1"):
                database.do(f"ALTER TABLE {table} DROP COLUMN {mark}")
        return Message("marks in {name}.{field}", name=name, field=write["field"]), count
    if write["how"] == "append":
        mine = f"run = {database.literal(run)} AND target = {database.literal(name)}"
        key = database.text_of(database.name(next(one.name for one in columns if one.is_key)))
        count = database.do(f"DELETE FROM {table} WHERE {key} IN (SELECT row_key FROM {_ADDED} WHERE {mine})")
        database.do(f"DELETE FROM {_ADDED} WHERE {mine}")
        return Message("documents of {name}", name=name), count
    count = database.rows(f"SELECT count(*) FROM {table}")[0][0]
    # The latest come first.
    later = [of for of in list(runs.values())[: list(runs).index(run)] if of["state"] not in (UNDONE, FAILED)]
    is_used = any(one["kind"] == "target" and one["collection"] == name for of in later for one in of["writes"])
    if is_used or count != written:
        raise ConfigError(
            "{shown}: table {name} has {count:,} rows, and the run wrote {written:,}: undo the later runs that wrote "
            "to it first, or drop it yourself",
            shown=database.address.shown, name=name, count=count, written=written,
        )  # fmt: skip
    database.do(f"DROP TABLE {table}")
    return Message("documents of {name}, which is dropped", name=name), count
