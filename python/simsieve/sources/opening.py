"""What a caller may give as a source, and how it is opened.

| given | read as |
|---|---|
| a str or a path | one file; a folder; a pattern such as `data/*.jsonl`; `-` is stdin |
| a list or tuple of paths | several of these, in this order |
| a str such as `mongodb://host/database.collection` | the documents of a collection |
| a data frame of pandas or polars, an Arrow table | its rows |
| an iterable of str; a Series of pandas or polars, an Arrow array | texts |
| of whole numbers or bytes, under `external` schemes of those formats | fingerprints |
| of lists, under custom schemes with `features="tokens"` | lists of tokens |
| an iterable of dict | records, spooled to a JSON-lines file that lives as long as the result |
"""

import itertools
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from simsieve.config.settings import DedupConfig
from simsieve.errors import ConfigError
from simsieve.mongo import is_mongo
from simsieve.sources.arrow import Frame, column_texts
from simsieve.sources.base import AnySource, Source
from simsieve.sources.files import open_files, path_of, paths_of
from simsieve.sources.mongo import CollectionSource
from simsieve.sources.records import Texts, spool_records
from simsieve.tabular import is_frame

_NOTHING = object()


def open_source(source: AnySource, config: DedupConfig | None = None) -> Source:
    """Open a source by its kind; a stream of records is spooled to a temporary file, no more of it than `limit`.

    Args:
        source: See the module's page.
        config: The settings, of which records need none but texts in memory refuse `input_format`.

    Raises:
        TypeError: It is none of the kinds of source; the text names the index and type of the first bad item.
        ConfigError: Texts look like paths, or `input_format` is given for what is no file.

    Example:
        >>> len(open_source(["a text", "another"]).store(DedupConfig()))
        2
    """
    if isinstance(source, str) and is_mongo(source):
        _refuse_file_settings(config)
        return CollectionSource(source, config or DedupConfig())
    for name in ("query", "since_field"):
        value = getattr(config, name, None)
        if value is not None:
            raise ConfigError(f"{name} {value!r} is for collections of MongoDB: leave it out for other sources")
    if isinstance(source, (str, os.PathLike)):
        return open_files((path_of(source),), config)
    if is_frame(source):
        _refuse_file_settings(config)
        return Frame(source)
    forms = frozenset() if config is None else config.given_forms
    values = column_texts(source)
    if values is not None:
        _refuse_file_settings(config)
        return Texts(values, forms)
    if isinstance(source, (bytes, bytearray, Mapping)) or not isinstance(source, Iterable):
        raise TypeError(
            f"source is of type {type(source).__name__}: give a path, a list of paths, or an iterable of texts or of"
            " records (dict)"
        )
    stream: Iterator[Any] = iter(source)
    # None may be an item, and a bad one: only an object of our own can mean "there is no first item".
    first = next(stream, _NOTHING)
    stream = itertools.chain(() if first is _NOTHING else (first,), stream)
    if isinstance(first, os.PathLike):
        return open_files(paths_of(stream), config)
    _refuse_file_settings(config)
    if config is not None:
        stream = itertools.islice(stream, config.limit)
    if isinstance(first, Mapping):
        return spool_records(stream, config)
    return Texts(list(stream), forms)


def _refuse_file_settings(config: DedupConfig | None) -> None:
    if config is not None and config.input_format is not None:
        raise ConfigError(f"input_format {config.input_format!r} is for files: leave it out for texts and records")
    if config is not None and config.encoding != "utf-8":
        raise ConfigError(f"encoding {config.encoding!r} is for files: leave it out for texts and records")
    if config is not None and config.quoting != "auto":
        raise ConfigError(f"quoting {config.quoting!r} is for files: leave it out for texts and records")
    if config is not None and config.delimiter is not None:
        raise ConfigError(f"delimiter {config.delimiter!r} is for files: leave it out for texts and records")
