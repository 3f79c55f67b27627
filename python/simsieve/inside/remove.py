"""The run of `simsieve lines`: from checked settings to a collection without what is repeated in it."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, Unpack

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.checks import MOST, check_integer, check_real
from simsieve.config.formats import is_document
from simsieve.config.settings import DedupConfig, check_taken
from simsieve.config.typed import LineSettings, with_settings
from simsieve.errors import ConfigError, short_errors
from simsieve.inside.find import MOST_PLACES, run_directory
from simsieve.inside.repeated import LinesResult
from simsieve.progress import chosen_progress
from simsieve.registry import in_database, is_whole
from simsieve.results.arrow import DROPPED
from simsieve.results.run import warn_of_failed
from simsieve.run.forecast import Warn, warn_program
from simsieve.run.pipeline import run_dedup
from simsieve.run.steps import open_store
from simsieve.sinks.base import SinkPath
from simsieve.sinks.checks import Output, Sinks, is_folder, write_outputs
from simsieve.sinks.cut import NewTexts, cut_rows
from simsieve.sinks.files import temporary_folder
from simsieve.sinks.kept import Kept
from simsieve.sinks.records import CoreRowSinks
from simsieve.sources.base import AnySource, Source
from simsieve.sources.fields import check_known
from simsieve.sources.opening import open_source
from simsieve.types import Progress, ProgressOption

Unit = Literal["line", "sentence", "paragraph", "3-sentences"]
CORPUS, SCOPE = "corpus", "scope"
_SHOWN = 1000
"""The most frequent units that a run knows the text of."""


@dataclass(frozen=True, slots=True)
class LineChoice:
    """What is repeated, and what goes of it; see `lines`."""

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

    Units are equal if they are exact copies: case, width and runs of white space do not count. What is left of a record
    stays byte for byte as it is written. The result does not depend on threads or memory.

    Args:
        source: The documents, as for `dedup`.
        unit: What is compared and removed as a whole; `"3-sentences"` are any three that follow one another.
        near: Units of at least this similarity count as equal, in (0, 1]; by default none but equal ones do.
        scope: A field, such as `"site"`: a unit counts as repeated among records that are equal there only.
        keep_repeats: How many of a repeated unit stay, the first ones. With 0 a unit that occurs once stays even so.
        min_length: Shorter units stay, in characters.
        min_share: The least share of the documents of a scope that a unit stands in, in [0, 1]: what is on most pages
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
    """Find what is repeated with checked settings, and write the outputs of the result, and the records last."""
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
        removed = core.remove(choice.keep_repeats, choice.min_share, _SHOWN, counted_as, config.threads, progress)
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
