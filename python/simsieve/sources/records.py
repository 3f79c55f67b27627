"""Texts and records in memory; records are spooled to a file of JSON lines, which the core reads."""

import itertools
import json
import os
import shutil
import tempfile
import weakref
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.config.formats import looks_like_file
from simsieve.config.settings import DedupConfig
from simsieve.errors import ConfigError
from simsieve.json_values import json_of, utf8_of
from simsieve.messages import Message
from simsieve.sinks.base import no_room
from simsieve.sources.base import Source
from simsieve.sources.fields import FINGERPRINT
from simsieve.text.checks import advice_on, all_written, lone_surrogates_named, written_fields
from simsieve.types import Progress

_LOOKED_AT = 10
_OF_JSON = (str, bool, int, float, list, tuple, Mapping, type(None))
"""The types that a text field may hold here; the core names a value of these that is no text."""


class Spool:
    """A folder of its own for records that have no file yet; it is removed with the object.

    `tempfile.TemporaryDirectory` is not used since it warns when nobody closes it, and a result needs no closing.
    """

    def __init__(self) -> None:
        try:
            self.folder = tempfile.mkdtemp(prefix="simsieve-")
        except OSError as error:
            raise no_room(error) from error
        self._finalizer = weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)


class Texts(Source):
    """Texts in memory, and fingerprints that are given as numbers or bytes."""

    def __init__(self, given: list[Any], forms: frozenset[str] = frozenset()) -> None:
        self._given, self._forms = given, forms
        self._texts: list[str] | None = all_written(given, forms)
        refuse_paths(self._texts)

    def spool(self, config: DedupConfig, progress: Progress | None = None) -> _core.Records:
        """Copy the texts into the core; their written form is not kept."""
        texts, self._texts = self._texts, None
        if texts is None:
            texts = all_written(self._given, self._forms)
        with lone_surrogates_named(texts):
            return _core.Records.from_texts(texts)

    def take(self, positions: NDArray[np.int64]) -> list[Any]:
        """Give texts as they came in."""
        return [self._given[position] for position in positions.tolist()]


class Records(Source):
    """Records in memory or of a stream, written one by one to a file that lives as long as the result."""

    def __init__(self, records: Iterable[Any], config: DedupConfig | None, given: Sequence[Any] | None = None) -> None:
        self.keep_alive = spool = Spool()
        self._path = Path(spool.folder, "records.jsonl")
        self.paths = (str(self._path),)
        self._records: Iterable[Any] | None = records
        self._config, self._given = config, given

    def spool(self, config: DedupConfig, progress: Progress | None = None) -> _core.Records:
        """Write the records, and open the file."""
        records, self._records = self._records, None
        if records is not None:
            self._write(records)
        sources = [(str(self._path), "jsonl")]
        most = config.max_record_bytes
        return _core.Records(sources, most, progress, None, config.delimiter, config.limit, of_memory=True)

    def _write(self, records: Iterable[Any]) -> None:
        forms = frozenset() if self._config is None else self._config.given_forms
        texts = () if self._config is None else self._config.text_field
        # The records may come from a file themselves: only what fails while the spool is written is its failure.
        writing = False
        try:
            with self._path.open("wb", buffering=1 << 20) as file:
                for index, record in enumerate(records):
                    line = _line(index, record, texts, forms)
                    writing = True
                    file.write(line)
                    writing = False
                # The rest is written when the file is closed.
                writing = True
        except OSError as error:
            if not writing:
                raise
            raise no_room(error) from error

    def take(self, positions: NDArray[np.int64]) -> list[Any]:
        """Give records as they came in; of a stream, as JSON has them."""
        if self._given is not None:
            return [self._given[position] for position in positions.tolist()]
        wanted = np.zeros(int(positions[-1]) + 1 if len(positions) else 0, dtype=bool)
        wanted[positions] = True
        with self._path.open("rb") as file:
            return [json.loads(line) for line in itertools.compress(file, wanted.tolist())]


def refuse_paths(texts: Sequence[str]) -> None:
    """Refuse texts if one of the first names a file."""
    for index, text in enumerate(texts[:_LOOKED_AT]):
        if looks_like_file(text):
            what = "ends like a file's name"
        elif os.path.isfile(text):
            what = "names a file"
        else:
            continue
        raise ConfigError(
            "text {index} ({text!r}) {what}: wrap it in pathlib.Path to read the file, or in a record such as "
            '{{"text": ...}} if it is meant as a text',
            index=index, text=text, what=what,
        )  # fmt: skip


def _line(index: int, record: Any, texts: Sequence[str], forms: Collection[str]) -> bytes:
    """A record as a line of JSON. What JSON lacks is written as `json_of` does, but for the text itself."""
    if not isinstance(record, Mapping):
        raise TypeError(f"record {index} is of type {type(record).__name__}: give dict like the first one")
    record = dict(written_fields(record, (*texts, FINGERPRINT), forms) if forms else record)
    for name in texts:
        text = record.get(name)
        if not isinstance(text, _OF_JSON):
            advice = advice_on(text, forms)
            needed = f"; give a text{advice}" if advice else ": give str"
            kind = type(text).__name__
            raise TypeError(f"record {index}: field {name!r} is of type {kind}, which is no text{needed}")
    try:
        return utf8_of(json_of(record)) + b"\n"
    except (TypeError, ValueError, RecursionError) as error:
        raise TypeError(f"record {index} cannot be written as JSON: {_culprit(record)}{error}") from error


def _culprit(record: Mapping[Any, Any]) -> str:
    """The field that cannot be written as JSON, for a message."""
    for name, value in record.items():
        try:
            json_of(value)
        except (TypeError, ValueError, RecursionError):
            return Message("field {name!r}: ", name=name)
    return ""
