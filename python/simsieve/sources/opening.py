"""What a caller may give as a source, and how it is opened.

| given | read as |
|---|---|
| a str or a path | one file; a folder; a pattern such as `data/*.jsonl`; `-` is stdin |
| a list or tuple of paths | several of these, in this order |
| a str such as `mongodb://host/database.collection` | the documents of a collection |
| a str such as `sqlite:///file.db?table=NAME` | the rows of a table of SQL |
| a data frame of pandas or polars, an Arrow table, a dataset of Hugging Face | its rows |
| a stream of Arrow: a reader, a scanner, a query of DuckDB | its rows, copied to a file while they come |
| an iterable of str; a Series of pandas or polars, an Arrow array | texts |
| of whole numbers or bytes, under `external` schemes of those formats | fingerprints |
| of lists, and of dict from tokens to weights, under custom schemes with `features="tokens"` | tokens |
| an iterable of dict | records, spooled to a JSON-lines file that lives as long as the result |
"""

import itertools
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from numbers import Real
from typing import Any

from simsieve import _core
from simsieve.config.settings import SETTINGS, DedupConfig
from simsieve.errors import ConfigError, SourceError
from simsieve.json_values import is_missing
from simsieve.messages import Message
from simsieve.registry import in_database, store_of
from simsieve.sources.arrow import Frame, Stream, column_texts
from simsieve.sources.base import AnySource, Source, none_is_old
from simsieve.sources.files import open_files, path_of, paths_of
from simsieve.sources.records import Records, Texts
from simsieve.tabular import is_frame, is_stream
from simsieve.text.checks import check_texts

_NOTHING = object()
_TABLES_OF = {
    "LazyFrame": "what its collect() or collect_batches() makes",
    "DatasetDict": "one of its splits, such as source['train']",
}
"""Objects that have tables or become one, and the object to give in their place."""


def apart_from(new: Source, old: Source, config: DedupConfig, warn: Callable[[str], None]) -> Source:
    """Leave the new files out of the old sources: a file is no old document of itself."""
    held = new.holds(old.given_names)
    left = [path for path, is_new in zip(old.given_names, held, strict=True) if not is_new]
    if any(held):
        if not left:
            raise none_is_old(old.given_names[0])
        out = next(path for path, is_new in zip(old.given_names, held, strict=True) if is_new)
        warn(Message(
            "{out} is left out of {`against`}, because it is a source: {held:,} of {count:,} old files",
            out=out, held=sum(held), count=len(held),
        ))  # fmt: skip
        # What was looked at is once more, without these.
        old = open_files(left, config)
    old.apart = (new.was_read(),)
    return old


def check_old(old: Source, read: _core.Records) -> None:
    """Check that old records are left."""
    if not len(read) and read.left_out[1]:
        raise none_is_old(", ".join(old.given_names[:1]))


def _check_no_text(source: str | os.PathLike[str]) -> None:
    """Check that a text was not given as the name of a file: words without a point, a slash or a pattern."""
    if isinstance(source, str) and re.fullmatch(r"[^./\\*?\[]*\s[^./\\*?\[]*", source) and not os.path.lexists(source):
        raise SourceError("{source!r} is no file here: a text is given in a list, as in [text]", source=source)


def open_source(source: AnySource, config: DedupConfig | None = None) -> Source:
    """Open a source by its kind; a stream of records is spooled to a temporary file, no more of it than `limit`."""
    if isinstance(source, str) and in_database(source):
        _refuse_file_settings(config)
        opened: Source = store_of(source).open(source, config or DedupConfig())
        return opened
    for name in ("query", "since_field"):
        value = getattr(config, name, None)
        if value is not None:
            raise ConfigError(
                "{name} {value!r} is for databases: leave it out for other sources", name=name, value=value
            )
    if isinstance(source, (str, os.PathLike)):
        _check_no_text(source)
        return open_files((path_of(source),), config)
    if is_frame(source):
        _refuse_file_settings(config)
        return Stream(source) if is_stream(source) else Frame(source)
    forms = frozenset() if config is None else config.given_forms
    values = column_texts(source)
    if values is not None:
        _refuse_file_settings(config)
        return _texts(values, forms, config)
    if isinstance(source, (bytes, bytearray, Mapping)) or not isinstance(source, Iterable):
        kind = type(source).__name__
        usual = "a path, a list of paths, or an iterable of texts or of records (dict)"
        raise TypeError(f"source is of type {kind}: give {_TABLES_OF.get(kind, usual)}")
    stream: Iterator[Any] = iter(source)
    # None may be an item, and a bad one: only an object of our own can mean "there is no first item".
    first = next(stream, _NOTHING)
    stream = itertools.chain(() if first is _NOTHING else (first,), stream)
    if isinstance(first, os.PathLike):
        return open_files(paths_of(stream), config)
    _refuse_file_settings(config)
    if config is not None:
        stream = itertools.islice(stream, config.limit)
    if "tokens" in forms and isinstance(first, Mapping):
        head = list(_to_one_with_something(stream))
        first, stream = head[-1], itertools.chain(head, stream)
    # Without any item, what has fields that must be equal is records.
    is_none = first is _NOTHING and config is not None and bool(config.equal_fields)
    if is_none or (isinstance(first, Mapping) and not ("tokens" in forms and _are_weights(first))):
        return Records(stream, config, source if isinstance(source, Sequence) else None)
    return _texts(list(stream), forms, config)


def _texts(given: list[Any], forms: frozenset[str], config: DedupConfig | None) -> Source:
    """Texts; with a missing one among them they are records of one field, and the missing one fails."""
    if forms or not any(map(is_missing, given)):
        return Texts(given, forms)
    check_texts(["" if is_missing(value) else value for value in given])
    name = "text" if config is None else config.text_field[0]
    return Records(({name: None if is_missing(value) else value} for value in given), config, given)


def _to_one_with_something(stream: Iterable[Any]) -> Iterator[Any]:
    """The first items, to one that says what all are: a mapping without anything may be a record or no tokens."""
    for one in stream:
        yield one
        if not isinstance(one, Mapping) or one:
            return


def _are_weights(document: Mapping[Any, Any]) -> bool:
    """Whether a mapping is a document of tokens with their weights; a record has no number where its text should be."""
    return all(isinstance(weight, Real) for weight in document.values())


def _refuse_file_settings(config: DedupConfig | None) -> None:
    for name, row in SETTINGS.items():
        # What says which texts are documents may be for the other side of a run.
        is_other = name in ("each", "suffix")
        if row.of_files and not is_other and config is not None and (value := getattr(config, name)) != row.default:
            raise ConfigError(
                "{name} {value!r} is for files: leave it out for texts and records", name=name, value=value
            )
