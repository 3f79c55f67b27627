"""Texts and records in memory; records are spooled to a file of JSON lines, which the core reads."""

import itertools
import json
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
from simsieve.errors import ConfigError, SinkError
from simsieve.sources.base import Source
from simsieve.sources.fields import FINGERPRINT
from simsieve.text.checks import advice_on, all_written, lone_surrogates_named, written_fields
from simsieve.types import Progress

_LOOKED_AT = 10


class Spool:
    """A folder of its own for records that have no file yet; it is removed with the object.

    `tempfile.TemporaryDirectory` is not used since it warns when nobody closes it, and a result needs no closing.

    Example:
        >>> spool = Spool()
        >>> Path(spool.folder).is_dir()
        True
    """

    def __init__(self) -> None:
        try:
            self.folder = tempfile.mkdtemp(prefix="simsieve-")
        except OSError as error:
            raise no_room(error) from error
        self._finalizer = weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)


class Texts(Source):
    """Texts in memory, and fingerprints that are given as numbers or bytes.

    Args:
        given: The texts.
        forms: The forms in which the schemes take given fingerprints.

    Raises:
        TypeError: An item is no text; the error's text names its index.
        ConfigError: One of the first texts looks like a path.

    Example:
        >>> Texts(["a", "b", "c"]).take(np.array([0, 2]))
        ['a', 'c']
    """

    def __init__(self, given: list[Any], forms: frozenset[str] = frozenset()) -> None:
        self._given, self._forms = given, forms
        self._texts: list[str] | None = all_written(given, forms)
        _refuse_paths(self._texts[:_LOOKED_AT])

    def spool(self, config: DedupConfig, progress: Progress | None = None) -> _core.Store:
        """Copy the texts into the core; their written form is not kept."""
        del config, progress
        texts, self._texts = self._texts, None
        if texts is None:
            texts = all_written(self._given, self._forms)
        with lone_surrogates_named(texts):
            return _core.Store.from_texts(texts)

    def take(self, positions: NDArray[np.int64]) -> list[Any]:
        """Give texts as they came in."""
        return [self._given[position] for position in positions.tolist()]


class Records(Source):
    """Records that were spooled to a file of JSON lines, one a line; `spool_records` makes it.

    Args:
        folder: The spool's folder.
        path: The file.
    """

    def __init__(self, folder: Spool, path: Path) -> None:
        self.keep_alive = folder
        self.paths = (str(path),)
        self._path = path

    def spool(self, config: DedupConfig, progress: Progress | None = None) -> _core.Store:
        """Open the file."""
        sources = [(str(self._path), "jsonl")]
        most = config.max_record_bytes
        return _core.Store(sources, most, progress, None, config.delimiter, config.limit, of_memory=True)

    def take(self, positions: NDArray[np.int64]) -> list[dict[str, Any]]:
        """Give records, as JSON has them."""
        wanted = np.zeros(int(positions[-1]) + 1 if len(positions) else 0, dtype=bool)
        wanted[positions] = True
        with self._path.open("rb") as file:
            return [json.loads(line) for line in itertools.compress(file, wanted.tolist())]


def no_room(error: OSError) -> SinkError:
    """Make the error of a temporary folder that cannot take the records.

    Example:
        >>> str(no_room(OSError(28, "No space left on device"))).endswith("set TMPDIR to a folder with room")
        True
    """
    return SinkError(f"{tempfile.gettempdir()}: {error.strerror}; set TMPDIR to a folder with room")


def _refuse_paths(texts: list[str]) -> None:
    for index, text in enumerate(texts):
        if looks_like_file(text):
            what = "ends like a file's name"
        elif _is_file(text):
            what = "names a file"
        else:
            continue
        raise ConfigError(
            f"text {index} ({text!r}) {what}: wrap it in pathlib.Path to read the file, or in a record"
            ' such as {"text": ...} if it is meant as a text'
        )


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except OSError:
        # Too long for a file's name, for example.
        return False


def spool_records(records: Iterable[Any], config: DedupConfig | None) -> Records:
    """Write records to a temporary file of JSON lines, which lives as long as the result.

    Args:
        records: Mappings; they are read one by one and never held whole.
        config: Its schemes say which fingerprints are allowed in the text fields.

    Raises:
        TypeError: A record is no mapping, or cannot be written as JSON; the error's text names its index.
        SinkError: The temporary folder has no room.

    Example:
        >>> len(spool_records([{"text": "a text"}], None).paths)
        1
    """
    forms = frozenset() if config is None else config.given_forms
    fields = () if config is None or not forms else (*config.text_field, FINGERPRINT)
    spool = Spool()
    path = Path(spool.folder, "records.jsonl")
    # The records may come from a file themselves: only what fails while the spool is written is the spool's failure.
    writing = False
    try:
        with path.open("wb", buffering=1 << 20) as file:
            for index, record in enumerate(records):
                line = _line(index, record, fields, forms)
                writing = True
                file.write(line)
                writing = False
            # The rest is written when the file is closed.
            writing = True
    except OSError as error:
        if not writing:
            raise
        raise no_room(error) from error
    return Records(spool, path)


def _line(index: int, record: Any, fields: Sequence[str], forms: Collection[str]) -> bytes:
    if not isinstance(record, Mapping):
        raise TypeError(f"record {index} is of type {type(record).__name__}: give dict like the first one")
    record = written_fields(record, fields, forms)
    try:
        line = json.dumps(dict(record), ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        advice = next(filter(None, (advice_on(record.get(name), forms) for name in fields)), "")
        raise TypeError(
            f"record {index} cannot be written as JSON: {error}{advice and '; give a text' + advice}"
        ) from error
    try:
        return line.encode() + b"\n"
    except UnicodeEncodeError:
        # A lone surrogate has no UTF-8; escaped it stays visible, and the record fails as it would from a file.
        return json.dumps(dict(record), allow_nan=False).encode() + b"\n"
