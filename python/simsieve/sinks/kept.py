"""The sinks of the kept records: one file, or a folder with a file for each source or numbered parts."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.config.checks import shard_limit
from simsieve.config.formats import is_document
from simsieve.config.settings import DedupConfig
from simsieve.errors import ConfigError, InternalError
from simsieve.messages import Message
from simsieve.registry import Upload, format_of, in_database, is_picture, on_disk, store_of
from simsieve.sinks.base import Rows, RowSinks, Sink, by_source
from simsieve.sinks.checks import Sinks, is_folder
from simsieve.sinks.fields import FieldRowSinks, Filled, MergedRowSinks, Written
from simsieve.sinks.folder import OutputFolder
from simsieve.sinks.names import ending_of, format_and_packing, is_part, mirrored, part_name
from simsieve.sinks.tables import table_format_of

MakeSink = Callable[[str], Sink[Rows]]


@dataclass(frozen=True, slots=True)
class Mirrored:
    """The kept records of one source."""

    name: str
    records: int
    make: MakeSink


class _FolderSink:
    """A folder whose files are written one after another."""

    def __init__(self, folder: OutputFolder, check_unchanged: Callable[[], None]) -> None:
        self._folder, self._check_unchanged = folder, check_unchanged
        self._sink: Sink[Rows] | None = None

    def begin(self) -> None:
        """Begin the folder."""
        self._folder.begin()

    def abort(self) -> None:
        """Remove the folder."""
        sink, self._sink = self._sink, None
        if sink is not None:
            sink.abort()
        self._folder.abort()

    def _begin_file(self, make: MakeSink, name: str) -> Sink[Rows]:
        self._sink = make(self._folder.path(name))
        self._sink.begin()
        return self._sink

    def _end_file(self) -> None:
        if self._sink is not None:
            self._sink.commit()
            self._sink = None

    def _appear(self) -> None:
        """Make sure that no source has changed, and give the folder its name."""
        self._check_unchanged()
        self._folder.commit()


class MirrorSink(_FolderSink):
    """The sink of rows of several sources: a file for each, also for a source without kept rows."""

    def __init__(self, folder: OutputFolder, files: Sequence[Mirrored], check_unchanged: Callable[[], None]) -> None:
        super().__init__(folder, check_unchanged)
        self._files = files
        self._counts = [file.records for file in files]
        self._at = -1

    def check(self) -> None:
        """Check that each file can hold its rows."""
        for file in self._files:
            file.make(file.name)

    def write(self, batch: Rows, /) -> None:
        """Write rows to the files of their sources."""
        with self._folder.named():
            for source, rows in by_source(batch, self._counts):
                self._go_to(source).write(rows)

    def commit(self) -> None:
        """Write the files that are left, make sure that no source has changed, and give the folder its name."""
        with self._folder.named():
            self._go_to(len(self._files) - 1)
            self._end_file()
        self._appear()

    def _go_to(self, index: int) -> Sink[Rows]:
        """End the files before this one, and begin it."""
        while self._at < index:
            self._end_file()
            self._at += 1
            file = self._files[self._at]
            self._begin_file(file.make, file.name)
        if self._sink is None:
            raise InternalError("rows are written in order, and the file of these has ended")
        return self._sink


class ShardSink(_FolderSink):
    """The sink of rows in numbered parts; each has at most a number of records or bytes, and at least one record."""

    def __init__(
        self,
        folder: OutputFolder,
        ending: str,
        make: MakeSink,
        most: int,
        sizes: Callable[[list[int]], NDArray[np.uint64]] | None,
        check_unchanged: Callable[[], None],
    ) -> None:
        super().__init__(folder, check_unchanged)
        self._ending, self._make = ending, make
        self._most, self._sizes = most, sizes
        self._count = self._held = 0

    def check(self) -> None:
        """Check that its files can hold the rows."""
        self._make(part_name(0, self._ending))

    def write(self, batch: Rows, /) -> None:
        """Write rows, to as many parts as they need."""
        wanted = np.flatnonzero(batch.wanted)
        sizes = np.ones(len(wanted)) if self._sizes is None else self._sizes(batch.positions)
        # What the records up to each one count together.
        ends = np.cumsum(np.asarray(sizes, dtype=np.int64))
        done = before = begin = 0
        while done < len(wanted):
            fit = int(np.searchsorted(ends, before + self._most - self._held, side="right"))
            if fit <= done and self._held:
                self._end_file()
                self._held = 0
                continue
            # A record that is larger than a part has a part of its own.
            fit = max(fit, done + 1)
            end = int(wanted[fit]) if fit < len(wanted) else len(batch.wanted)
            with self._folder.named():
                self._part().write(Rows(batch.first + begin, batch.wanted[begin:end]))
            self._held += int(ends[fit - 1]) - before
            done, before, begin = fit, int(ends[fit - 1]), end

    def commit(self) -> None:
        """End the last part, make sure that no source has changed, and give the folder its name."""
        with self._folder.named():
            if not self._count:
                # A folder without a file would not show that nothing is kept.
                self._part()
            self._end_file()
        self._appear()

    def _part(self) -> Sink[Rows]:
        """The part that is written to, begun where there is none."""
        if self._sink is not None:
            return self._sink
        sink = self._begin_file(self._make, part_name(self._count, self._ending))
        self._count += 1
        return sink


class UploadedSink:
    """The sink of rows whose file is uploaded to a store when it is whole."""

    def __init__(self, name: str, upload: Upload, make: Callable[[str], Sink[Rows]]) -> None:
        self._name, self._file, self._make = name, upload, make
        self._sink: Sink[Rows] | None = None

    def check(self) -> None:
        """Check that the format can hold the rows."""
        self._make(os.path.basename(self._name))

    def begin(self) -> None:
        """Begin the file."""
        self._sink = self._make(self._file.begin())
        self._sink.begin()

    def write(self, batch: Rows, /) -> None:
        """Write rows."""
        if self._sink is None:
            raise InternalError("the output {name} was not begun; call begin before write and commit", name=self._name)
        self._sink.write(batch)

    def commit(self) -> None:
        """End the file, and put it into the store."""
        if self._sink is not None:
            self._sink.commit()
            self._sink = None
        self._file.commit()

    def abort(self) -> None:
        """Remove the file."""
        sink, self._sink = self._sink, None
        if sink is not None:
            sink.abort()
        self._file.abort()


def merge_refused(config: DedupConfig, kept: object, what: Message) -> ConfigError:
    """Give the error of an output whose records take no values."""
    return ConfigError(
        "{@`merge`} {fields} changes kept records, and the output {kept} is {what}: name a file such as kept.jsonl, or "
        "leave {@`merge`} out",
        fields=", ".join(config.merge), kept=kept, what=what,
    )  # fmt: skip


class Kept:
    """The sink of the kept records of a run. It is made once, checked before the work, and written after it."""

    def __init__(self, rows: RowSinks, names: Sequence[str], sinks: Sinks, config: DedupConfig) -> None:
        self._rows, self._names, self._sinks, self._config = rows, names, sinks, config
        self._name = os.fspath(sinks.kept or "")
        self._fields: FieldRowSinks | None = None
        self._merged: MergedRowSinks | None = None
        self._folder: OutputFolder | None = None
        self._files: list[str] = []
        self._ending = ""
        self._sink: Sink[Rows] | None = None

    @classmethod
    def of(cls, rows: RowSinks, names: Sequence[str], sinks: Sinks, config: DedupConfig) -> "Kept":
        """Check the sink by its name, before the sources are read."""
        made = cls(rows, names, sinks, config)
        if sinks.kept is not None:
            made._check()
        return made

    def _check(self) -> None:
        form = self._config.output_format
        self._check_merge()
        if self._sinks.annotate:
            table_format_of(self._name, form)
            return
        rows = self._rows if self._config.fields is None else FieldRowSinks(self._rows, self._config.fields, int)
        rows.check_kept(self._name, form)
        if not has_files(self._name, self._names, self._sinks, self._config):
            if is_folder(self._name):
                _core.check_sinks(list(self._names), [], self._name)
            return
        if self._config.shard_size is None:
            self._files = mirrored(self._names, form)
            is_own: Callable[[str], bool] = set(self._files).__contains__
        else:
            self._ending = ending = _ending(self._names, self._config, self._rows.ending)
            is_own = partial(is_part, ending=ending)
        is_replaced = self._config.replace or self._sinks.goes_on
        self._folder = store_of(self._name).folder(self._name, is_own, replace=is_replaced) or OutputFolder(
            self._name, is_own, replace=is_replaced
        )
        self._folder.check(self._names)

    def _check_merge(self) -> None:
        """Check that the kept records are written as records of files, which may take values."""
        others = {
            Message("annotated records, which stay as they are"): self._sinks.annotate,
            Message("files of a folder, which are copied"): is_folder(self._name)
            and not has_files(self._name, self._names, self._sinks, self._config),
        }
        for what, is_so in others.items():
            if self._config.merge and is_so:
                raise merge_refused(self._config, self._name, what)

    def open(self, store: _core.Records) -> None:
        """Make the sink of the records of open sources."""
        if self._sinks.kept is not None and not self._sinks.annotate:
            self._sink = self._made(store)
            self._sink.check()

    def _made(self, store: _core.Records) -> Sink[Rows]:
        rows, form = self._rows, self._config.output_format
        counts = [count for _, count in store.sources]
        if self._config.merge:
            rows = self._merged = MergedRowSinks(rows, lambda source: sum(counts[:source]))
        if self._config.fields is not None:
            rows = self._fields = FieldRowSinks(rows, self._config.fields, lambda source: sum(counts[:source]))
        if self._folder is None:
            upload = store_of(self._name).upload(self._name)
            if upload is not None:
                return UploadedSink(self._name, upload, lambda path: rows.kept(store, path, form))
            return rows.kept(store, self._name, form, link=self._sinks.link)
        if self._config.shard_size is None:

            def made(source: int, path: str) -> Sink[Rows]:
                return rows.of_source(source).kept(store.only(source), path, form or self._config.input_format)

            files = [Mirrored(name, counts[at], partial(made, at)) for at, name in enumerate(self._files)]
            return MirrorSink(self._folder, files, store.check_unchanged)
        most, is_bytes = shard_limit(self._config.shard_size)
        sizes = store.sizes if is_bytes else None
        return ShardSink(
            self._folder, self._ending, lambda path: rows.kept(store, path, form), most, sizes, store.check_unchanged
        )

    def sink(self, written: Written | None = None, filled: Filled | None = None) -> Sink[Rows]:
        """Give the sink, to be written with what the run knows of its documents, and what the records take."""
        if self._sink is None:
            raise InternalError("the sink of the kept records is not open; call open before it is written")
        if self._fields is not None and written is not None:
            self._fields.written = written
        if self._merged is not None and filled is not None:
            self._merged.filled.update(filled)
        return self._sink


def has_files(kept: str, names: Sequence[str], sinks: Sinks, config: DedupConfig) -> bool:
    """Say whether the sink of the kept records is a folder of files with records."""
    if not is_folder(kept):
        if config.shard_size is not None:
            raise ConfigError(
                "{@shard_size} {shard_size} is for a folder, and the output is {kept}: give a name that ends in /, or "
                "leave {@shard_size} out",
                shard_size=config.shard_size, kept=kept,
            )  # fmt: skip
        return False
    if config.shard_size is None:
        folders = [name for name in names if _is_copied(name, config)]
        if folders and len(folders) == len(names):
            if not on_disk(kept):
                raise ConfigError(
                    "the output {kept} gets files of records, and the sources are folders of texts: give a folder on "
                    "a disk and copy it, or give a name that ends in .jsonl",
                    kept=kept,
                )
            return False
        _check_mirrored(kept, names, folders)
    if sinks.link:
        raise ConfigError("{@`link`} is for the files of folders: leave it out for records of files")
    return True


def _is_copied(name: str, config: DedupConfig) -> bool:
    """Whether a folder gets the kept files of a source: of a folder, or one that is a document."""
    if config.has_pictures and is_picture(name):
        return True
    return os.path.isdir(name) or is_document(name, config.each, config.input_format)


def _check_mirrored(kept: str, names: Sequence[str], folders: Sequence[str]) -> None:
    """Check that each source has a name for a file."""
    unnamed = {
        "the records are in memory": not names,
        "standard input has no name": "-" in names,
        "a collection is no file": any(map(in_database, names)),
    }
    for why, is_so in unnamed.items():
        if is_so:
            raise ConfigError(
                "the output {kept} is a folder that gets a file for each source, and {why}: name a file, or give "
                "{@shard_size} for numbered parts",
                kept=kept, why=why,
            )  # fmt: skip
    if folders and not os.path.isdir(folders[0]):
        raise ConfigError(
            "the output {kept} is a folder that gets a file for each source with records, and the source {name} is one "
            "document: make two runs",
            kept=kept, name=folders[0],
        )  # fmt: skip
    if folders:
        raise ConfigError(
            "the output {kept} is a folder that gets a file for each source, and the source {folders} is a folder: "
            "give a pattern such as '{join}', or make two runs",
            kept=kept, folders=folders[0], join=os.path.join(folders[0], "*.txt"),
        )  # fmt: skip


def _ending(names: Sequence[str], config: DedupConfig, usual: str) -> str:
    """The ending of numbered parts: that of the sources, where no format is given."""
    files = [name for name in names if name != "-" and not in_database(name)]
    known = [format_and_packing(name) for name in files]
    # What a package of its own reads is not written.
    forms = {
        config.input_format or (usual if format_of(name) else form)
        for name, (form, _) in zip(files, known, strict=True)
    }
    if config.output_format is None and len(forms) > 1:
        raise ConfigError(
            "the sources {names} are of different formats, and parts have one: give {@output_format}",
            names=", ".join(names),
        )
    form = config.output_format or config.input_format or next(iter(forms), None) or usual
    return ending_of(form, known[0][1] if known else "")
