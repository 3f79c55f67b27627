"""What every sink keeps to: one suite over all kinds."""

import os
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from simsieve import SimsieveError, SinkError, SourceError, _core, dedup
from simsieve.config.settings import DedupConfig
from simsieve.results.tables import one_ahead, rows_beside
from simsieve.sinks.arrow import ArrowRowSinks
from simsieve.sinks.base import Chosen, FileSink, Rows, RowSinks, Sink, SinkPath, write_rows, written
from simsieve.sinks.checks import Sinks
from simsieve.sinks.kept import Kept
from simsieve.sinks.records import CoreRowSinks
from simsieve.sinks.tables import TableSink
from simsieve.sources.arrow import Frame, ParquetFiles

WANTED = np.array([True, False, True, True, False, True])
LINES = [b'{"a":%d,"b":"text %d"}' % (number, number) for number in range(6)]
CHOSEN = Chosen(WANTED, {"group": "int", "found": None}, lambda position: {"group": position, "found": f"f{position}"})
TABLE = pa.table({"text": [f"row {number}" for number in range(6)], "n": range(6)})


def store(folder: Path) -> _core.Records:
    """Six records of JSON lines."""
    source = folder / "in.jsonl"
    source.write_bytes(b"".join(line + b"\n" for line in LINES))
    return _core.Records([(str(source), None)], 1 << 20)


def tree(folder: Path) -> _core.Records:
    """Six files of a folder."""
    root = folder / "in"
    root.mkdir(exist_ok=True)
    for number in range(6):
        (root / f"{number}.txt").write_text(f"text {number}")
    return _core.Records([(str(root), None)], 1 << 20)


def rows_of(sinks: RowSinks, opened: Callable[[Path], _core.Records], *, more: bool) -> Callable[[Path, SinkPath], Any]:
    """What makes a sink of kept rows, or of rows with values added."""
    if more:
        return lambda folder, sink: sinks.extended(opened(folder), CHOSEN, sink, None)
    return lambda folder, sink: sinks.kept(opened(folder), sink, None)


CORE, ARROW = CoreRowSinks(), ArrowRowSinks(Frame(TABLE))


def several(folder: Path) -> _core.Records:
    """Six records of JSON lines in three files; the second has none."""
    paths = [folder / name for name in ("a.jsonl", "b.jsonl", "c.jsonl")]
    for path, some in zip(paths, (LINES[:2], [], LINES[2:]), strict=True):
        path.write_bytes(b"".join(line + b"\n" for line in some))
    return _core.Records([(str(path), None) for path in paths], 1 << 20)


def files_of(opened: Callable[[Path], _core.Records], size: str | None) -> Callable[[Path, SinkPath], Any]:
    """What makes a folder of files with kept records, one for each source or in parts of a size."""

    def made(folder: Path, sink: SinkPath) -> Any:
        store = opened(folder)
        names = [str(path) for path, _ in store.sources]
        kept = Kept.of(CORE, names, Sinks(sink), DedupConfig(shard_size=size))
        kept.open(store)
        return kept.sink()

    return made


KINDS: dict[str, tuple[str, Callable[[Path, SinkPath], Any]]] = {
    **{f"bytes{end}": (f"out{end}", lambda _, sink: FileSink(sink)) for end in ("", ".gz", ".zst")},
    **{
        f"table.{end}": (f"out.{end}", lambda _, sink: TableSink(sink, {"a": "int"}))
        for end in ("jsonl", "jsonl.gz", "csv", "csv.zst", "tsv", "parquet")
    },
    "kept": ("out.jsonl", rows_of(CORE, store, more=False)),
    "folder": ("out/", rows_of(CORE, tree, more=False)),
    "mirror": ("out/", files_of(several, None)),
    "parts": ("out/", files_of(several, "3")),
    "parts of bytes": ("out/", files_of(store, "50B")),
    "extended": ("out.jsonl", rows_of(CORE, store, more=True)),
    "extended.csv": ("out.csv", rows_of(CORE, store, more=True)),
    "rows": ("out.parquet", rows_of(ARROW, store, more=False)),
    "extended rows": ("out.parquet", rows_of(ARROW, store, more=True)),
    "extended rows.csv": ("out.csv", rows_of(ARROW, store, more=True)),
}


def batches(kind: str, size: int) -> list[Any]:
    """What is written to a sink, in batches of a size."""
    ranges = [slice(at, at + size) for at in range(0, 6, size)]
    if kind.startswith("bytes"):
        return [b"".join(LINES[part]) for part in ranges]
    if kind.startswith("table"):
        return [LINES[part] for part in ranges]
    return [Rows(part.start, WANTED[part]) for part in ranges]


def content(path: Path) -> dict[str, bytes]:
    """All files below a path, or the file that it is."""
    files = [path] if path.is_file() else [inner for inner in path.rglob("*") if inner.is_file()]
    return {str(file.relative_to(path)): file.read_bytes() for file in files}


def folders(tmp_path: Path) -> tuple[Path, Path]:
    """A folder for sources and one for sinks."""
    made = tmp_path / "sources", tmp_path / "sinks"
    for folder in made:
        folder.mkdir()
    return made


def write_and_stop(sink: Sink[Any], some: list[Any], raised: type[BaseException]) -> None:
    """Write batches, and raise before the commit."""
    with written(sink):
        for batch in some:
            sink.write(batch)
        raise raised


@pytest.mark.parametrize("kind", KINDS)
def test_a_sink_is_whole_after_its_commit(kind: str, tmp_path: Path) -> None:
    """Nothing is at its name before, the same bytes are there after it, whatever the batches, and nothing beside it."""
    sources, sinks = folders(tmp_path)
    name, make = KINDS[kind]
    path, found = sinks / name, []
    for size in (6, 1, 4):
        sink: Sink[Any] = make(sources, sinks / name if name != "out/" else f"{sinks}/out/")
        sink.check()
        sink.begin()
        for batch in batches(kind, size):
            sink.write(batch)
            assert not path.exists()
        sink.commit()
        sink.abort()
        assert os.listdir(sinks) == [path.name]
        found.append(content(path))
        for file in (path, *path.rglob("*")) if path.is_dir() else (path,):
            if file.is_file():
                file.unlink()
        if path.is_dir():
            path.rmdir()
    assert found[0] == found[1] == found[2]
    assert sum(map(len, found[0].values())) > 15


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("raised", [KeyboardInterrupt, RuntimeError])
def test_a_sink_that_is_not_committed_leaves_nothing(
    kind: str, raised: type[BaseException], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After an exception at any batch, its name has what it had, and the folder of temporary files is empty."""
    sources, sinks = folders(tmp_path)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    name, make = KINDS[kind]
    path = sinks / name
    for before in (False, name != "out/"):
        if before:
            path.write_bytes(b"before")
        for stop in range(4):
            with pytest.raises(raised):
                write_and_stop(make(sources, f"{sinks}/{name}"), batches(kind, 2)[:stop], raised)
            assert os.listdir(sinks) == ([path.name] if before else [])
            assert os.listdir(tmp_path / "temporary") == []
    assert not path.is_file() or path.read_bytes() == b"before"


@pytest.mark.parametrize("kind", KINDS)
def test_calls_that_cannot_be(kind: str, tmp_path: Path) -> None:
    """A folder that is not there is told before the work; `begin` comes first; an abort is allowed at any time."""
    sources, sinks = folders(tmp_path)
    name, make = KINDS[kind]
    with pytest.raises(SinkError):
        make(sources, f"{sinks}/no/such/{name}").check()
    sink = make(sources, f"{sinks}/{name}")
    with pytest.raises(SimsieveError, match="begin"):
        sink.write(batches(kind, 6)[0])
    with pytest.raises(SimsieveError, match="begin"):
        sink.commit()
    sink.abort()
    assert os.listdir(sinks) == []


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
@pytest.mark.parametrize("name", ["out", "more.jsonl", "more.csv", "more.parquet"])
def test_a_source_that_changes_is_not_written(kind: str, name: str, tmp_path: Path) -> None:
    """What is written is of the records that were decided on, or nothing is."""
    opened = store(tmp_path)
    sinks: RowSinks = CORE
    if kind == "parquet":
        pq.write_table(TABLE, tmp_path / "in.parquet")
        sinks = ArrowRowSinks(ParquetFiles((str(tmp_path / "in.parquet"),)))
    before = sorted(os.listdir(tmp_path))
    sink = (
        sinks.kept(opened, tmp_path / f"out.{kind}", None)
        if name == "out"
        else sinks.extended(opened, CHOSEN, tmp_path / name, None)
    )
    os.utime(tmp_path / f"in.{kind}", ns=(1, 1))
    with pytest.raises(SourceError, match="changed"):
        write_rows(sink, WANTED, None)
    assert sorted(os.listdir(tmp_path)) == before


ROW_KINDS = [kind for kind in KINDS if not kind.startswith(("bytes", "table"))]


@pytest.mark.parametrize("kind", ROW_KINDS)
def test_rows_of_a_second_thread(kind: str, tmp_path: Path) -> None:
    """The same bytes as from one thread, at their place after the commit; without it, or after an error, nothing."""
    sources, sinks = folders(tmp_path)
    name, make = KINDS[kind]
    path = sinks / name
    (tmp_path / "alone").mkdir()
    write_rows(make(sources, f"{tmp_path}/alone/{name}"), WANTED, None)
    with rows_beside(make(sources, f"{sinks}/{name}"), WANTED):
        assert not path.exists()
    assert os.listdir(sinks) == []
    with pytest.raises(KeyboardInterrupt), rows_beside(make(sources, f"{sinks}/{name}"), WANTED):
        raise KeyboardInterrupt
    assert os.listdir(sinks) == []
    told: list[tuple[str, int, int]] = []
    with rows_beside(make(sources, f"{sinks}/{name}"), WANTED) as commit:
        commit(lambda *tick: told.append(tick))
        assert content(path) == content(tmp_path / "alone" / name)
    assert content(path) == content(tmp_path / "alone" / name)
    assert told[-1] == ("write", 6, 6)


def test_an_error_of_the_second_thread_is_told(tmp_path: Path) -> None:
    """A record that cannot be read again is an error of the commit; what was at the name stays."""
    opened = store(tmp_path)
    (tmp_path / "out.jsonl").write_bytes(b"before")
    os.truncate(tmp_path / "in.jsonl", 30)
    with pytest.raises(SourceError), rows_beside(CORE.kept(opened, tmp_path / "out.jsonl", None), WANTED) as commit:
        commit(None)
    assert (tmp_path / "out.jsonl").read_bytes() == b"before"
    assert sorted(os.listdir(tmp_path)) == ["in.jsonl", "out.jsonl"]


def test_items_made_ahead() -> None:
    """All items in their order; an exception is raised after those before it."""

    def failing() -> Iterator[int]:
        yield 1
        yield 2
        raise ValueError("third")

    assert list(one_ahead(range(100))) == list(range(100))
    assert list(one_ahead([])) == []
    made = one_ahead(failing())
    assert (next(made), next(made)) == (1, 2)
    with pytest.raises(ValueError, match="third"):
        next(made)


@pytest.mark.parametrize("end", ["jsonl", "csv", "parquet"])
def test_results_are_whole_or_not_there_wherever_a_run_is_stopped(end: str, tmp_path: Path) -> None:
    """An exception of any call of `progress` leaves each file as the whole run writes it, or none at its name."""
    texts = ["the quick brown fox jumps", "the quick brown fox jumps", "lorem ipsum dolor sit amet", None, "one more"]
    source = tmp_path / "in.jsonl"
    source.write_text(
        "".join(f'{{"text": {"null" if text is None else repr(text)}}}\n'.replace("'", '"') for text in texts)
    )
    result = dedup(source)

    def write(folder: str, last: int | None = None) -> tuple[dict[str, bytes], int]:
        """The files, and how often progress was called; the call of number `last` is stopped."""
        (tmp_path / folder).mkdir()
        calls = count()

        def progress(*_: object) -> None:
            if next(calls) == last:
                raise KeyboardInterrupt

        names = ("decisions", "failed", "dropped", "clusters")
        sides: dict[str, Any] = {name: tmp_path / folder / f"{name}.{end}" for name in names}
        for annotate in (False, True):
            sink = tmp_path / folder / (f"all.{end}" if annotate else "kept.jsonl")
            result.write(sink, **({} if annotate else sides), annotate=annotate, progress=progress)
        return content(tmp_path / folder), next(calls)

    whole, _ = write("whole")
    assert len(whole) == 6
    for last in count():
        try:
            # How often the wait for the second thread is told differs between runs.
            _, calls = write(f"stop {last}", last)
        except KeyboardInterrupt:
            found = content(tmp_path / f"stop {last}")
            assert found.items() <= whole.items() and len(found) < 6
        else:
            assert calls <= last
            break
    assert last > 5
