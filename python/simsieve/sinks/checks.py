"""Where the results of a run go, and whether they can go there."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

from simsieve import _core
from simsieve.errors import ConfigError
from simsieve.registry import in_database, on_disk, store_of
from simsieve.sinks.base import SinkPath
from simsieve.sinks.tables import table_format_of


class Output(NamedTuple):
    """A result of a command: where it goes, what it is, and what writes it; without a name it is not written."""

    name: SinkPath | None
    kind: Literal["table", "lines", "page", "records", "file"]
    write: Callable[[Any, SinkPath], object] | None = None


def check_outputs(outputs: Sequence[Output], sources: Sequence[str]) -> None:
    """Check, before the work, that every output can be written in its form, none is a source, and all differ."""
    given = [(one.name, one.kind) for one in outputs if one.name is not None]
    for name, kind in given:
        if kind in ("table", "lines") and table_format_of(name) != "jsonl" and kind == "lines":
            raise ConfigError(
                "{sink}: templates are JSON lines: give a name that ends in .jsonl, and {@`table`} for a table",
                sink=name,
            )
        if kind == "page" and not is_page(name):
            raise ConfigError(
                "{sink!r} is no name of a page of HTML: give one that ends in .html, and open it in a browser",
                sink=os.fspath(name),
            )
    records = next((name for name, kind in given if kind == "records"), None)
    check_sinks(sources, [name for name, kind in given if kind != "records"], records)


def write_outputs(outputs: Sequence[Output], result: object) -> None:
    """Write the outputs of a result in their order."""
    for one in outputs:
        if one.name is not None and one.write is not None:
            one.write(result, one.name)


@dataclass(frozen=True, slots=True)
class Sinks:
    """Where the results of a run go; None writes none."""

    kept: SinkPath | None = None
    decisions: SinkPath | None = None
    failed: SinkPath | None = None
    summary: SinkPath | None = None
    dry_run: bool = False
    link: bool = False
    dropped: SinkPath | None = None
    clusters: SinkPath | None = None
    annotate: bool = False
    report: SinkPath | None = None
    report_texts: bool = True
    command: str | None = None
    goes_on: bool = False

    @property
    def files(self) -> "Sinks":
        """The same without what goes to collections."""
        kept, decisions = (None if in_database(sink) else sink for sink in (self.kept, self.decisions))
        return replace(self, kept=kept, decisions=decisions)

    @property
    def tables(self) -> tuple[SinkPath | None, ...]:
        """The sinks of tables, whose names give their formats."""
        return self.decisions, self.failed, self.dropped, self.clusters

    def check(self, sources: Sequence[str], more: Sequence[Output] = ()) -> None:
        """Check that every sink can be written in its format and none is a source; see `check_outputs`."""
        if self.annotate and self.kept is not None and is_folder(self.kept):
            raise ConfigError("annotated records do not go to a folder: give a file in place of {kept}", kept=self.kept)
        tables = [Output(name, "table") for name in self.tables]
        others = Output(self.summary, "file"), Output(self.report, "page"), Output(self.kept, "records")
        check_outputs([*tables, *others, *more], sources)


def is_page(sink: SinkPath) -> bool:
    """Say whether a name is that of a page of HTML."""
    return os.fspath(sink).lower().endswith((".html", ".htm"))


def check_replaced(sink: SinkPath | None, written: str, *, allow_empty: bool) -> None:
    """Check that an output without records does not replace one that has some."""
    name = "-" if sink is None else os.fspath(sink)
    if allow_empty or name == "-":
        return
    held = store_of(name).held(name)
    size = sum(held.values()) if is_folder(name) else held.get("", 0)
    if not size:
        return
    raise ConfigError(
        "{name} has {size:,} bytes, and {written}: it is left as it was; name another file, or give {@allow_empty} to "
        "replace it by nothing",
        name=name, size=size, written=written,
    )  # fmt: skip


def check_sinks(sources: Sequence[str], sinks: Sequence[SinkPath | None], kept: SinkPath | None = None) -> None:
    """Check that sinks can be written, are no sources or in one that is an index, and differ, links seen through."""
    files = [os.fspath(sink) for sink in (kept, *sinks) if sink is not None]
    for source in sources:
        if os.path.isdir(source) and _core.Index.is_index(Path(source)):
            check_outside(source, files)
    if kept is not None and is_folder(kept):
        # The folder itself is checked where its files are known.
        files = files[1:]
        _check_outside(kept, files)
    elsewhere = [store_of(name).shown(name) for name in files if not on_disk(name)]
    for at, name in enumerate(elsewhere):
        if name in sources:
            raise ConfigError(
                "the output {name} is the source {name}: sources are never overwritten; write to another file",
                name=name,
            )
        if name in elsewhere[:at]:
            raise ConfigError("the outputs {name} and {name} are the same file; give each its own", name=name)
    for name in elsewhere:
        store_of(name).check_writable(name)
    _core.check_sinks(list(filter(on_disk, sources)), list(filter(on_disk, files)))


def check_outside(index: SinkPath, sinks: Iterable[SinkPath | None]) -> None:
    """Check that no sink is in the directory of an index."""
    for name in _inside(index, sinks):
        raise ConfigError(
            "the output {name} is in the index {index}, whose files are never overwritten: give a place outside it",
            name=name, index=os.fspath(index),
        )  # fmt: skip


def _check_outside(folder: SinkPath, files: Iterable[SinkPath]) -> None:
    """Check that nothing else is written into the folder of the kept records, which appears as a whole."""
    for name in _inside(folder, files):
        raise ConfigError(
            "the output {name} is in the folder {folder}, which appears as a whole: give a place outside it",
            name=name, folder=os.fspath(folder),
        )  # fmt: skip


def _inside(folder: SinkPath, sinks: Iterable[SinkPath | None]) -> Iterator[str]:
    """Give the sinks that are in a folder."""
    store = store_of(folder)
    names = (os.fspath(sink) for sink in sinks if sink is not None)
    return (name for name in names if name != "-" and store_of(name) is store and store.is_inside(name, folder))


def is_folder(sink: str | os.PathLike[str]) -> bool:
    """Say whether a sink's name is a folder's: it ends in a slash, or there is a folder of the name."""
    return store_of(sink).is_folder(sink)
