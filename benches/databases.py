"""What reading, copying, marking and undoing a table costs, in SQLite, PostgreSQL and MariaDB, with servers of its own.

Usage: PYTHONPATH=. python benches/databases.py [--rows N]. It prints rows a second of wall time, and CPU microseconds
of this program a row. The kept rows of each database are compared with those of the texts in memory.
"""

import argparse
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from typing import Any

from tools.databases import MariaDB, PostgreSQL

from simsieve import dedup
from simsieve.config.settings import DedupConfig
from simsieve.optional import arrow
from simsieve.registry import store_of

_INSERTED = 2_000
_COLUMNS = "id bigint primary key, text text, n bigint, x double precision, note text"


def rows_of(count: int) -> list[tuple[int, str, int, float, str | None]]:
    """Rows of about 180 bytes; each third text is near the one before it."""
    made = []
    for at in range(count):
        words = [f"word{at // 3 * 7919 * step % 9973}" for step in range(1, 20)]
        text = " ".join(["another", *words[1:]] if at % 3 == 2 else words)
        made.append((at, text, at * 3, at / 7, None if at % 9 else "x"))
    return made


def timed(what: str, rows: int, work: Callable[[], Any]) -> Any:
    """Do something, and print what a row takes."""
    wall, cpu = time.perf_counter(), time.process_time()
    done = work()
    seconds, used = time.perf_counter() - wall, time.process_time() - cpu
    print(f"  {what:22} {rows / seconds:12,.0f} rows/s {used / rows * 1e6:8.1f} CPU us a row")
    return done


def measure(name: str, uri: Callable[[str], str], run: Callable[..., Any], rows: list[Any], kept: list[int]) -> None:
    """Measure the steps on one database."""
    print(name)
    run(f"CREATE TABLE bank ({_COLUMNS})")
    for start in range(0, len(rows), _INSERTED):
        values = ", ".join(
            f"({at}, '{text}', {n}, {x}, {'NULL' if note is None else repr(note)})"
            for at, text, n, x, note in rows[start : start + _INSERTED]
        )
        run(f"INSERT INTO bank VALUES {values}")
    store, count = store_of(uri("bank")), len(rows)
    source = store.open(uri("bank"), DedupConfig())
    timed("read", count, lambda: source.read(DedupConfig()))
    result = dedup(uri("bank"), mark="near", apply=True)
    if result.kept.tolist() != kept:
        sys.exit(f"{name}: other rows are kept than of the texts in memory")
    timed("mark", count, lambda: result.write(None))
    timed("undo the marks", count, lambda: store.undo(uri("bank"), result.summary["collection"]["run"]))
    copied = dedup(uri("bank"))
    timed("write the kept rows", len(kept), lambda: copied.write(uri("kept")))


def main() -> None:
    """Measure each database that is installed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=200_000)
    # pyarrow loads pandas with the first array, where that is installed.
    arrow().array([1])
    rows = rows_of(parser.parse_args().rows)
    kept = dedup([row[1] for row in rows]).kept.tolist()
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/bench.db"

        def run(statement: str) -> None:
            with closing(sqlite3.connect(path)) as database, database:
                database.execute(statement)

        measure("SQLite", lambda table: f"sqlite:///{path}?table={table}", run, rows, kept)
    for kind in (PostgreSQL, MariaDB):
        if not kind.is_installed():
            print(f"{kind.__name__} NOT MEASURED: apt-get install postgresql mariadb-server")
            continue
        with kind() as server:
            measure(kind.__name__, server.uri, server.run, rows, kept)


if __name__ == "__main__":
    main()
