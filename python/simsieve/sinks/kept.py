"""The sink of the kept records: one file, or a folder that has a file for each source or numbered parts."""

import os
from collections.abc import Callable, Sequence
from functools import partial

from simsieve import _core
from simsieve.config.checks import shard_limit
from simsieve.config.rows import FILE
from simsieve.config.settings import DedupConfig
from simsieve.errors import ConfigError, InternalError
from simsieve.registry import Upload, format_of, in_database, on_disk, store_of
from simsieve.sinks.base import Rows, RowSinks, Sink
from simsieve.sinks.checks import Sinks, is_folder
from simsieve.sinks.fields import FieldRowSinks, Written
from simsieve.sinks.folder import OutputFolder
from simsieve.sinks.names import ending_of, format_and_packing, is_part, mirrored
from simsieve.sinks.shards import Mirrored, MirrorSink, ShardSink


class UploadedSink:
    """The sink of rows of which the file goes to a store when it is whole.

    Args:
        name: The output.
        upload: Puts the file into the store.
        make: Makes the sink of the rows at a path.
    """

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
            raise InternalError(f"the output {self._name} was not begun; call begin before write and commit")
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


def kept_sink(
    rows: RowSinks,
    store: _core.Store,
    names: Sequence[str],
    sinks: Sinks,
    config: DedupConfig,
    written: Written | None = None,
) -> Sink[Rows]:
    """Make the sink of the kept records.

    Args:
        rows: Makes the sinks of the rows of the sources.
        store: The sources.
        names: The names of the sources that are decided on; none where they are in memory.
        sinks: Where results go; the kept records go somewhere.
        config: The settings; `output_format`, `shard_size` and `fields` count.
        written: What the run knows of its documents; None where nothing is written yet.

    Raises:
        ConfigError: The sink cannot hold the records.
    """
    kept, form = os.fspath(sinks.kept or ""), config.output_format
    if config.fields is not None:
        rows = FieldRowSinks(rows, config.fields, store, written)
    if not has_files(kept, names, sinks, config):
        upload = store_of(kept).upload(kept)
        if upload is not None:
            return UploadedSink(kept, upload, lambda path: rows.kept(store, path, form))
        return rows.kept(store, kept, form, link=sinks.link)
    if config.shard_size is None:
        folder, files = _mirror(kept, names, sinks, config)

        def made(source: int, path: str) -> Sink[Rows]:
            return rows.of_source(source).kept(store.only(source), path, form or config.input_format)

        counts = [count for _, count in store.sources]
        return MirrorSink(
            folder,
            [Mirrored(name, counts[source], partial(made, source)) for source, name in enumerate(files)],
            names,
            store.check_unchanged,
        )
    folder, ending = _shards(kept, names, sinks, config, rows.ending)
    most, is_bytes = shard_limit(config.shard_size)
    sizes = store.sizes if is_bytes else None
    return ShardSink(
        folder, ending, lambda path: rows.kept(store, path, form), most, sizes, names, store.check_unchanged
    )


def check_kept_name(rows: RowSinks, names: Sequence[str], sinks: Sinks, config: DedupConfig) -> None:
    """Check the sink of the kept records by its name, before the sources are read; see `kept_sink`."""
    kept = os.fspath(sinks.kept or "")
    if config.fields is not None:
        rows = FieldRowSinks(rows, config.fields)
    rows.check_kept(kept, config.output_format)
    if not has_files(kept, names, sinks, config):
        if is_folder(kept):
            _core.check_sinks(list(names), [], kept)
        return
    if config.shard_size is None:
        folder, _ = _mirror(kept, names, sinks, config)
    else:
        folder, _ = _shards(kept, names, sinks, config, rows.ending)
    folder.check(names)


def has_files(kept: str, names: Sequence[str], sinks: Sinks, config: DedupConfig) -> bool:
    """Say whether the sink of the kept records is a folder of files with records.

    Args:
        kept: The sink's name.
        names: The names of the sources; none where they are in memory.
        sinks: Where results go.
        config: The settings.

    Raises:
        ConfigError: The records cannot go to a folder.

    Example:
        >>> has_files("kept.jsonl", ["in.jsonl"], Sinks(), DedupConfig())
        False
        >>> has_files("kept/", ["a.jsonl", "b.jsonl"], Sinks(), DedupConfig())
        True
    """
    if not is_folder(kept):
        if config.shard_size is not None:
            raise ConfigError(
                f"shard_size {config.shard_size} is for a folder, and the output is {kept}: give a name that ends in /,"
                " or leave shard_size out"
            )
        return False
    if config.shard_size is None:
        # A file that is one document is as a file of a folder.
        folders = [name for name in names if os.path.isdir(name) or config.each == FILE]
        if folders and len(folders) == len(names):
            if not on_disk(kept):
                raise ConfigError(
                    f"the output {kept} gets files of records, and the sources are folders of texts: give a folder on a"
                    " disk and copy it, or give a name that ends in .jsonl"
                )
            return False
        _check_mirrored(kept, names, folders)
    if sinks.link:
        raise ConfigError("the setting `link` is for the files of folders: leave it out for records of files")
    return True


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
                f"the output {kept} is a folder that gets a file for each source, and {why}: name a file, or give"
                " shard_size for numbered parts"
            )
    if folders:
        raise ConfigError(
            f"the output {kept} is a folder that gets a file for each source, and the source {folders[0]} is a folder:"
            f" give a pattern such as '{os.path.join(folders[0], '*.txt')}', or make two runs"
        )


def _mirror(kept: str, names: Sequence[str], sinks: Sinks, config: DedupConfig) -> tuple[OutputFolder, list[str]]:
    """The folder, and the name of the file for each source."""
    files = mirrored(names, config.output_format)
    return _folder(kept, set(files).__contains__, sinks, config), files


def _shards(kept: str, names: Sequence[str], sinks: Sinks, config: DedupConfig, usual: str) -> tuple[OutputFolder, str]:
    """The folder, and the ending of its parts: that of the sources, where no format is given."""
    files = [name for name in names if name != "-" and not in_database(name)]
    known = [format_and_packing(name) for name in files]
    # What a package of its own reads is not written.
    forms = {
        config.input_format or (usual if format_of(name) else form)
        for name, (form, _) in zip(files, known, strict=True)
    }
    if config.output_format is None and len(forms) > 1:
        raise ConfigError(
            f"the sources {', '.join(names)} are of different formats, and parts have one: give output_format"
        )
    form = config.output_format or config.input_format or next(iter(forms), None) or usual
    ending = ending_of(form, known[0][1] if known else "")
    return _folder(kept, lambda name: is_part(name, ending), sinks, config), ending


def _folder(kept: str, is_own: Callable[[str], bool], sinks: Sinks, config: DedupConfig) -> OutputFolder:
    is_replaced = config.replace or sinks.goes_on
    folder: OutputFolder | None = store_of(kept).folder(kept, is_own, replace=is_replaced)
    return folder or OutputFolder(kept, is_own, replace=is_replaced)
