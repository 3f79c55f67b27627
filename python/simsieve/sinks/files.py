"""Kept rows that the core writes, and the files that Python writes beside them."""

import os

from simsieve import _core
from simsieve.config.formats import is_parquet
from simsieve.config.settings import DedupConfig
from simsieve.config.toml import settings_toml
from simsieve.errors import ConfigError
from simsieve.sinks.atomic import write_whole
from simsieve.sinks.base import Chosen, SinkPath
from simsieve.sinks.records import write_store_records
from simsieve.types import Progress


class FileSink:
    """The sink of rows that the core has read: it writes them byte for byte.

    Example:
        >>> FileSink().check(_core.Store.from_texts(["a text"]), "kept.jsonl", None)
    """

    def check(self, store: _core.Store | None, sink: SinkPath, form: str | None) -> None:
        """Check the sink; see `KeptSink.check`."""
        if is_parquet(os.fspath(sink), form):
            raise ConfigError(
                f"the sink {os.fspath(sink)} is Parquet, which only rows of Parquet files and data frames are written"
                " to; give it the sources' ending"
            )
        if store is not None:
            store.check_kept_sink(os.fspath(sink), form)

    def write(
        self, columns: _core.Decisions, sink: SinkPath, form: str | None, *, link: bool, progress: Progress | None
    ) -> None:
        """Write the kept rows; see `KeptSink.write`."""
        columns.write_kept(os.fspath(sink), progress, form, link)

    def write_records(
        self, store: _core.Store, chosen: Chosen, sink: SinkPath, form: str | None, progress: Progress | None
    ) -> None:
        """Write records with values added to each; see `KeptSink.write_records`."""
        write_store_records(store, chosen, sink, form, progress)


def write_settings(sink: SinkPath, config: DedupConfig) -> None:
    """Write the settings in force to a file, which appears whole.

    Args:
        sink: The file; one that is there is replaced.
        config: The settings.

    Raises:
        SinkError: The file cannot be written.
        ConfigError: As for `settings_toml`.
    """
    write_whole(sink, settings_toml(config))
