"""The run of `simsieve lines`: the repeated units of a collection, the texts without them, and the written forms."""

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, Unpack

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.checks import MOST, check_integer, check_real
from simsieve.config.formats import is_document
from simsieve.config.settings import DedupConfig, check_taken
from simsieve.config.typed import LineSettings, with_settings
from simsieve.display import counted, html_table
from simsieve.errors import ConfigError, short_errors
from simsieve.inside.find import MOST_PLACES, run_directory
from simsieve.json_values import row_of, value_at
from simsieve.messages import Message
from simsieve.progress import chosen_progress
from simsieve.registry import in_database, is_whole
from simsieve.results.arrow import DROPPED, table_of_rows
from simsieve.results.run import warn_of_failed
from simsieve.results.tables import write_failed
from simsieve.run.forecast import Warn, warn_program
from simsieve.run.pipeline import run_dedup
from simsieve.run.steps import open_store
from simsieve.sinks.base import Chosen, Kind, SinkPath, temporary_folder, write_rows
from simsieve.sinks.checks import Output, Sinks, check_replaced, is_folder, write_outputs
from simsieve.sinks.fields import NewTexts, cut_rows
from simsieve.sinks.kept import Kept
from simsieve.sinks.records import CoreRowSinks
from simsieve.sinks.tables import table_format_of, write_objects
from simsieve.sources.base import AnySource, Source
from simsieve.sources.fields import check_known, first_fields
from simsieve.sources.opening import open_source
from simsieve.tabular import ArrowTable, Tabular
from simsieve.types import Progress, ProgressOption

_SHOWN, _SCOPES = 10, 1000
"""Rows that a notebook shows, and scopes that a result knows."""
_DIGITS = 1000

UNITS: dict[str, Kind | None] = {"count": "int", "documents": "int", "text": "text", "position": "int"}
ADDED: dict[str, Kind | None] = {"repeated": "text", "rest": "int"}


def _whole(digits: str) -> int | str:
    """A whole number; one of thousands of digits is none of Python's."""
    return int(digits) if len(digits) < _DIGITS else digits


@dataclass(frozen=True, slots=True)
class RepeatedUnit:
    """A unit that occurs more than once.

    Args:
        count: How often it occurs.
        documents: In how many documents.
        text: The unit as it is written where it occurs first.
        position: The place of that document among the records, from 0.

    Example:
        >>> RepeatedUnit(3, 2, "Read more", 0).count
        3
    """

    count: int
    documents: int
    text: str
    position: int


@dataclass(frozen=True, slots=True)
class ScopeTotal:
    """The records that are equal in the field of the scope, and what goes of them.

    Args:
        scope: The value of the field; None where the scope is the collection, or a record lacks the field.
        documents: The records.
        characters: The code points of their texts.
        removed: Those of them that go.

    Example:
        >>> ScopeTotal("a.example", 2, 100, 30).removed
        30
    """

    scope: Any
    documents: int
    characters: int
    removed: int


class LinesResult(Tabular):
    r"""A collection and its repeated units; `lines` makes it.

    `to_arrow`, `to_pandas` and `to_polars` give the repeated units with the fields of `RepeatedUnit`.

    Example:
        >>> from simsieve import lines
        >>> result = lines(["All rights reserved.\none", "All rights reserved.\ntwo"], keep_repeats=0)
        >>> result.texts()
        ['one', 'two']
        >>> result.spans(0)
        [(0, 21)]
    """

    def __init__(
        self,
        core: _core.Lines,
        removed: _core.RemovedLines,
        store: _core.Records,
        config: DedupConfig,
        scope: str | None,
        rest_below: int,
        place: tuple[Source, Kept],
        recall: float | None,
    ) -> None:
        self._core, self._removed, self._store, self._scope = core, removed, store, scope
        self._source, self._kept = place
        self.config = config
        """The settings in force."""
        self.recall = recall
        """The measured recall of the search for near units; None where only equal ones count."""
        self.characters: NDArray[np.uint32] = core.characters
        """The code points of every text: uint32[n]."""
        self.removed: NDArray[np.uint32] = removed.characters
        """Those of them that go."""
        rest = self.characters - self.removed
        self.short: NDArray[np.int64] = np.flatnonzero((self.removed > 0) & (rest < rest_below))
        """The positions of documents that lose something and have less left than `rest_below`: they are not written."""

    @property
    def read(self) -> int:
        """Records read."""
        return len(self._store)

    def __repr__(self) -> str:
        """Show the counts."""
        text = f"{counted(self.summary['removed_units'], 'unit')} go of {counted(self.read, 'record')}"
        return f"<LinesResult: {text}>"

    def _repr_html_(self) -> str:
        """Show the most frequent units in a notebook."""
        rows = ([getattr(one, name) for name in UNITS] for one in self.repeated[:_SHOWN])
        return html_table(repr(self)[1:-1], list(UNITS), rows)

    @cached_property
    def repeated(self) -> list[RepeatedUnit]:
        """The most frequent units that are repeated, at most 1,000."""
        return [
            RepeatedUnit(count, documents, text, position)
            for count, documents, position, text in self._removed.frequent
        ]

    @cached_property
    def scopes(self) -> list[ScopeTotal]:
        """What goes of each scope, most characters first, at most 1,000."""
        totals = self._removed.scopes[:_SCOPES]
        values = dict.fromkeys((total[0] for total in totals), None)
        if self._scope is not None:
            positions = sorted(values)
            for position, line in zip(positions, self._store.objects(positions), strict=True):
                values[position] = value_at(row_of(line or b"{}", parse_int=_whole), self._scope)
        return [ScopeTotal(values[first], *counts) for first, *counts in totals]

    def text(self, position: int) -> str:
        """Give the text of a record without what goes."""
        return self._removed.text(position)

    def texts(self) -> list[str]:
        """Give the texts of all records that are written, without what goes."""
        return [self.text(position) for position in np.flatnonzero(self._written).tolist()]

    def spans(self, position: int) -> list[tuple[int, int]]:
        """Give what goes of a text, as places in its code points; ends are not among them."""
        return self._removed.spans(position)

    def failures(self) -> list[tuple[int, str, str]]:
        """List the failed records as (position, code, message)."""
        return self._core.failures()

    @property
    def _read(self) -> NDArray[np.bool_]:
        """The records that did not fail."""
        wanted = np.ones(self.read, dtype=np.bool_)
        wanted[[position for position, _, _ in self.failures()]] = False
        return wanted

    @property
    def _written(self) -> NDArray[np.bool_]:
        wanted = self._read
        wanted[self.short] = False
        return wanted

    @cached_property
    def summary(self) -> dict[str, Any]:
        """The numbers of the run, ready for JSON."""
        distinct, repeated, count = self._removed.counts
        gone = self.removed > 0
        return {
            "read": self.read, "failed": len(self.failures()), "units": self._core.units, "distinct": distinct,
            "repeated": repeated, "removed_units": count, "characters": int(self.characters.sum(dtype=np.int64)),
            "removed_characters": int(self.removed.sum(dtype=np.int64)), "changed": int(gone.sum()),
            "empty": int((gone & (self.removed == self.characters)).sum()), "short": len(self.short),
            "recall": self.recall, "scopes": [asdict(one) for one in self.scopes[: 1 if self._scope is None else 100]],
        }  # fmt: skip

    def to_arrow(self) -> ArrowTable:
        """Give the repeated units as a `pyarrow.Table`; see the class."""
        return table_of_rows(UNITS, map(asdict, self.repeated))

    def write_units(self, sink: SinkPath) -> None:
        """Write the repeated units as a table, whole or not at all.

        Args:
            sink: A file in `.jsonl`, `.csv`, `.tsv` or `.parquet`, or `-` for JSON lines on stdout.

        Raises:
            SinkError: The file cannot be written.
            ConfigError: The ending is none that a table can have.
        """
        write_objects(sink, UNITS, map(asdict, self.repeated), safe=self.config.safe_cells)

    def write_failed(self, sink: SinkPath) -> None:
        """Write the failed records with their bytes and the reason."""
        write_failed(self._core, sink, safe=self.config.safe_cells)

    def write_short(self, sink: SinkPath) -> None:
        """Write the records with too little left as they were read, with what goes of them."""
        short = np.zeros(self.read, dtype=np.bool_)
        short[self.short] = True
        self._write_whole(sink, short, None, None)

    def write_records(self, sinks: Sinks, progress: Progress | None) -> None:
        """Write the records to a sink that was checked before the sources were read."""
        if sinks.kept is None:
            return
        wanted = self._read if sinks.annotate else self._written
        if not wanted.any():
            reason = Message("of {read:,} records none is written", read=self.read)
            check_replaced(sinks.kept, reason, allow_empty=self.config.allow_empty)
        if sinks.annotate:
            self._write_whole(sinks.kept, wanted, self.config.output_format, progress)
            return
        self._kept.open(self._removed.store)
        write_rows(self._kept.sink(), wanted, progress)

    def _write_whole(
        self, name: SinkPath, wanted: NDArray[np.bool_], form: str | None, progress: Progress | None
    ) -> None:
        """Write records as they were read, with what goes of their texts and how much is left."""
        is_lines = table_format_of(name, form) == "jsonl"

        def values(position: int) -> dict[str, Any]:
            spans = self.spans(position)
            rest = int(self.characters[position]) - int(self.removed[position])
            return {"repeated": spans if is_lines else json.dumps(spans), "rest": rest}

        chosen = Chosen(wanted, ADDED, values, tuple(first_fields(self._store)))
        sink = self._source.row_sinks().extended(self._store, chosen, name, form)
        sink.check()
        write_rows(sink, wanted, progress)


Unit = Literal["line", "sentence", "paragraph", "3-sentences"]
CORPUS, SCOPE = "corpus", "scope"
_LISTED = 1000
"""The most frequent units that a run knows the text of."""


@dataclass(frozen=True, slots=True)
class LineChoice:
    """The repeated units that are looked for, and those that are removed; see `lines`."""

    unit: str = "line"
    near: float | None = None
    scope: str = CORPUS
    keep_repeats: int = 1
    min_length: int = 10
    min_share: float = 0.0
    rest_below: int = 0

    def __post_init__(self) -> None:
        """Check the values."""
        check_integer("min_length", self.min_length, 1, MOST_PLACES)
        check_integer("keep_repeats", self.keep_repeats, 0, MOST_PLACES)
        check_integer("rest_below", self.rest_below, 0, MOST_PLACES)
        check_real("min_share", self.min_share, "[0, 1]", lambda x: 0 <= x <= 1)
        if self.near is not None:
            check_real("near", self.near, "(0, 1]", lambda x: 0 < x <= 1)
        if not isinstance(self.scope, str) or not self.scope:
            raise ConfigError("scope {scope!r} is no name: give corpus, or a field of the records", scope=self.scope)

    @property
    def field(self) -> str | None:
        """The field of the scope; None where it is the collection."""
        return None if self.scope == CORPUS else self.scope


@with_settings
def lines(
    source: AnySource,
    *,
    unit: Unit = "line",
    near: float | None = None,
    scope: str = CORPUS,
    keep_repeats: int = 1,
    min_length: int = 10,
    min_share: float = 0.0,
    rest_below: int = 0,
    output: SinkPath | None = None,
    progress: ProgressOption = None,
    **settings: Unpack[LineSettings],
) -> LinesResult:
    r"""Remove the lines, sentences or paragraphs of texts that are repeated over a collection.

    Units are equal if they are exact copies: case, width and runs of white space do not count. The rest of a record
    stays byte for byte as it is written. The result does not depend on threads or memory.

    Args:
        source: The documents, as for `dedup`.
        unit: The unit that is compared and removed as a whole; `"3-sentences"` are any three that follow one another.
        near: Units of at least this similarity count as equal, in (0, 1]; by default none but equal ones do.
        scope: A field, such as `"site"`: a unit counts as repeated among records that are equal there only.
        keep_repeats: How many of a repeated unit stay, the first ones. With 0 a unit that occurs once stays even so.
        min_length: Shorter units stay, in characters.
        min_share: The least share of the documents of a scope that a unit stands in, in [0, 1]: a unit on most pages
            of a site is furniture.
        rest_below: Documents that lose something and have fewer characters left are not written.
        output: Where the records go, as for `LinesResult.write`; by default nothing is written.
        progress: As for `dedup`.
        **settings: `text_field` (one), `id_field`, `threads`, `memory` and how the records are read; see `dedup`.

    Returns:
        What was repeated, the texts without it, and `write` to write the records.

    Raises:
        ConfigError: A setting is unknown or not allowed, or the text is not one string of a record.
        SimsieveError: As for `dedup`.

    Example:
        >>> pages = ["Welcome to the harbour\nThe lamp is red.", "Welcome to the harbour\nThe tide is high."]
        >>> result = lines(pages)
        >>> result.texts()
        ['Welcome to the harbour\nThe lamp is red.', 'The tide is high.']
        >>> [(one.count, one.text) for one in result.repeated]
        [(2, 'Welcome to the harbour')]
    """
    with short_errors, chosen_progress(progress) as show:
        check_taken("lines", settings, tuple(LineSettings.__annotations__))
        config = DedupConfig.from_settings(settings)
        choice = LineChoice(unit, near, scope, keep_repeats, min_length, min_share, rest_below)
        result = run_lines(source, config, choice, Sinks(output), progress=show)
    warn_of_failed(config, result.failures(), result.read)
    return result


def run_lines(
    source: AnySource,
    config: DedupConfig,
    choice: LineChoice,
    sinks: Sinks | None = None,
    outputs: Sequence[Output] = (),
    *,
    progress: Progress | None = None,
    warn: Warn = warn_program,
) -> LinesResult:
    """Find repeated units with checked settings, and write the outputs of the result, and the records last."""
    if len(config.text_field) > 1:
        raise ConfigError(
            "{@text_field} {fields} are several: units are cut out of one field; give one, and make a run for each",
            fields=", ".join(config.text_field),
        )
    sinks = sinks or Sinks()
    opened = open_source(source, config)
    _check_sink(sinks, opened, config)
    sinks.check(opened.paths, outputs)
    texts = NewTexts(config.text_field[0])
    rows = cut_rows(opened.row_sinks(), opened, texts)
    kept = Kept.of(rows, opened.given_names, sinks, config)
    if opened.columns is not None and choice.field is not None:
        _check_scope(choice.field, opened, None)
    read = config
    if choice.field is not None and not isinstance(rows, CoreRowSinks):
        # Of rows in columns only those are read that are named.
        read = replace(config, block_by=(choice.field,))
    store, reading = open_store(opened, read, progress, warn)
    if opened.columns is None and choice.field is not None:
        _check_scope(choice.field, opened, store)
    with run_directory(store, config, progress) as directory:
        core = _core.Lines(
            store, texts.field, reading.id_field, choice.field, choice.unit, choice.min_length, config.threads,
            progress, directory,
        )  # fmt: skip
        counted_as, recall = None, None
        if choice.near is not None and core.units:
            counted_as, recall = _near(core, choice, config, progress)
        removed = core.remove(choice.keep_repeats, choice.min_share, _LISTED, counted_as, config.threads, progress)
    texts.are(store, removed.characters > 0, removed.text)
    result = LinesResult(core, removed, store, config, choice.field, choice.rest_below, (opened, kept), recall)
    write_outputs(outputs, result)
    result.write_records(sinks, progress)
    return result


def _check_scope(field: str, opened: Source, store: _core.Records | None) -> None:
    """Check that the first records have the field of the scope."""
    check_known(SCOPE, (field,), store, opened)  # type: ignore[arg-type] # a source with columns needs none


def _check_sink(sinks: Sinks, opened: Source, config: DedupConfig) -> None:
    """Check that the output is one that records with other texts can go to."""
    if sinks.kept is None:
        return
    name = os.fspath(sinks.kept)
    if in_database(name):
        raise ConfigError("the records of `lines` go to files, and the output is {name}: name a file", name=name)
    # Of papers a table has the texts.
    texts = (path for path in opened.paths if not is_whole(path))
    are_files = any(os.path.isdir(path) or is_document(path, config.each, config.input_format) for path in texts)
    if are_files and not is_folder(name) and not sinks.annotate:
        raise ConfigError(
            "the sources are texts, each a file, and go to a folder of such files, which {name} is not: give a name "
            "that ends in /",
            name=name,
        )


def _near(
    core: _core.Lines, choice: LineChoice, config: DedupConfig, progress: Progress | None
) -> tuple[NDArray[np.uint32], float]:
    """Give for each different unit the earlier one that it counts as, and the recall of the search."""
    with temporary_folder() as folder:
        units = Path(folder, "units.jsonl")
        numbers, count = core.write_distinct(str(units), choice.near or 0, config.threads, progress)
        counted_as = np.arange(count, dtype=np.uint32)
        missed = 0.0 if len(numbers) == count else _core.LINES_MISSED
        if not len(numbers):
            return counted_as, 1 - missed
        given: dict[str, Any] = {"similarity": choice.near, "threads": config.threads, "memory": config.memory}
        if choice.field is not None:
            given["block_by"] = SCOPE
        found = run_dedup(
            units, DedupConfig.from_settings({**given, "max_record_bytes": MOST}), progress=progress,
            warn=lambda _: None, tell=lambda _: None,
        )  # fmt: skip
        _, columns = found.with_sources()
        dropped = np.flatnonzero(columns.decision == DROPPED)
        counted_as[numbers[dropped]] = numbers[columns.representative[dropped]]
        measured = None if found.recall is None else found.recall.value
        return counted_as, (1 - missed) * (1.0 if measured is None else measured)
