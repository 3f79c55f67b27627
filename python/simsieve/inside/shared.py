"""The run of `simsieve templates`: the parts of text that many documents share, and the file that a run ignores."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.checks import check_integer, check_real
from simsieve.config.settings import DedupConfig, check_taken
from simsieve.config.typed import PassageSettings, with_settings
from simsieve.display import counted, html_table
from simsieve.errors import short_errors
from simsieve.inside.find import MOST_PLACES, run_directory
from simsieve.messages import Message
from simsieve.progress import chosen_progress
from simsieve.results.arrow import DROPPED, table_of_rows
from simsieve.results.run import Failures, warn_of_failed
from simsieve.results.tables import write_failed
from simsieve.run.forecast import Warn, warn_program
from simsieve.run.no_effect import warn_of_markup
from simsieve.run.schemes import chosen_scheme
from simsieve.run.steps import begin, open_store
from simsieve.sinks.base import Kind, SinkPath, write_text
from simsieve.sinks.checks import Output, check_outputs, check_replaced, write_outputs
from simsieve.sinks.tables import write_objects
from simsieve.sources.base import AnySource
from simsieve.sources.opening import open_source
from simsieve.tabular import ArrowTable, Tabular
from simsieve.types import Progress, ProgressOption

_SHOWN = 10
"""Rows that a notebook shows."""
COLUMNS: dict[str, Kind | None] = {
    "documents": "int", "groups": "int", "letters": "int", "text": "text", "position": "int", "id": None
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class TemplatePlace:
    """Where a document has a template.

    Args:
        id: The label of the document.
        position: Its place among the records, from 0.
        start: The first code point in its text.
        end: The code point behind the last.

    Example:
        >>> TemplatePlace("q7", 6, 0, 40).end
        40
    """

    id: Any
    position: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Template:
    """A part of text that many documents share.

    Args:
        text: The part as it is written in the first document that has it.
        documents: How many documents have it.
        groups: How many these are if near documents count as one.
        letters: Its letters: spaces and punctuation do not count.
        examples: The first documents that have it, at most three, of a group each.

    Example:
        >>> Template("all rights reserved", 5, 5, 17, []).groups
        5
    """

    text: str
    documents: int
    groups: int
    letters: int
    examples: list[TemplatePlace]


class TemplatesResult(Tabular):
    """The templates of a collection, those of most groups first; `templates` makes it.

    `to_arrow`, `to_pandas` and `to_polars` give a row a template, with position and id of its first example.

    Example:
        >>> from simsieve import templates
        >>> stem = "Read the passage below and answer the question that follows it"
        >>> own = ["Who keeps the lamp?", "Why did the boat turn?", "What does the bell mean?"]
        >>> result = templates([f"{stem}: {text}" for text in own], min_count=3)
        >>> [(one.documents, one.text) for one in result.templates]
        [(3, 'Read the passage below and answer the question that follows it')]
    """

    def __init__(self, core: _core.Templates, read: int, config: DedupConfig) -> None:
        self._core = core
        self.read: int = read
        """Records read."""
        self.config = config
        """The settings in force."""
        self.templates: list[Template] = [
            Template(
                text, documents, groups, letters,
                [TemplatePlace(core.id(position), position, start, end) for position, start, end in places],
            )
            for text, letters, documents, groups, places in core.rows()
        ]  # fmt: skip
        """The templates."""

    def __repr__(self) -> str:
        """Show the counts."""
        return f"<TemplatesResult: {counted(len(self), 'template')} of {counted(self.read, 'record')}>"

    def __len__(self) -> int:
        """How many templates there are."""
        return len(self.templates)

    def __iter__(self) -> Iterator[Template]:
        """The templates, those of most groups first."""
        return iter(self.templates)

    def _repr_html_(self) -> str:
        """Show the templates of most groups in a notebook."""
        rows = ([row[name] for name in COLUMNS] for row in map(_row, self.templates[:_SHOWN]))
        return html_table(repr(self)[1:-1], list(COLUMNS), rows)

    def to_arrow(self) -> ArrowTable:
        """Give the templates as a `pyarrow.Table`; see the class."""
        return table_of_rows(COLUMNS, map(_row, self.templates))

    @property
    def summary(self) -> dict[str, Any]:
        """The numbers of the run."""
        return {"read": self.read, "failed": len(self.failures()), "templates": len(self.templates)}

    def failures(self) -> Failures:
        """Give position, code and message of every failed record."""
        return self._core.failures()

    def write(self, sink: SinkPath) -> None:
        """Write the templates to a file that `ignore` names: JSON lines, in which lines may be edited or left out.

        Raises:
            SinkError: The file cannot be written.
            ConfigError: The file has templates, and there is none to write.
        """
        if not self.templates:
            reason = Message("of {read:,} records none has a template", read=self.read)
            check_replaced(sink, reason, allow_empty=self.config.allow_empty)
        form = {_core.Templates.FIELD: _core.Templates.VERSION}
        lines = (json.dumps({**form, **asdict(one)}, ensure_ascii=False) for one in self.templates)
        write_text(sink, "".join(f"{line}\n" for line in lines))

    def write_table(self, sink: SinkPath) -> None:
        """Write a row a template to .jsonl, .csv, .tsv or .parquet.

        Raises:
            SinkError: The file cannot be written.
            ConfigError: The ending is none that a table can have.
        """
        write_objects(sink, COLUMNS, map(_row, self.templates), safe=self.config.safe_cells)

    def write_failed(self, sink: SinkPath) -> None:
        """Write the failed records with their bytes and the reason."""
        write_failed(self._core, sink, safe=self.config.safe_cells)


def _row(one: Template) -> dict[str, Any]:
    """A template as a row, with its first example."""
    first = one.examples[0]
    return {
        "documents": one.documents, "groups": one.groups, "letters": one.letters, "text": one.text,
        "position": first.position, "id": first.id,
    }  # fmt: skip


MIN_LENGTH, MIN_COUNT, NEAR = 30, 5, 0.9
"""The usual least letters and groups of a template, and the similarity from which documents count as one."""

_REST = 0.4
"""Documents that are this similar without their templates count as one."""


@dataclass(frozen=True, slots=True)
class TemplateChoice:
    """What a template is; see `templates`."""

    min_length: int = MIN_LENGTH
    min_count: int = MIN_COUNT
    near: float = NEAR

    def __post_init__(self) -> None:
        """Check the values."""
        check_integer("min_length", self.min_length, _core.Templates.LEAST, MOST_PLACES)
        check_integer("min_count", self.min_count, 2, MOST_PLACES)
        check_real("near", self.near, "(0, 1]", lambda x: 0 < x <= 1)


@with_settings
def templates(
    source: AnySource,
    *,
    min_length: int = MIN_LENGTH,
    min_count: int = MIN_COUNT,
    near: float = NEAR,
    progress: ProgressOption = None,
    **settings: Unpack[PassageSettings],
) -> TemplatesResult:
    """Find the parts of text that many documents share, though the documents are not near one another.

    Source: winnowing (Schleimer, Wilkerson and Aiken, "Winnowing: local algorithms for document fingerprinting",
    2003) finds places where texts may be equal; from there a part grows as long as documents times letters do. No text
    of a document is in two parts. A part with a changed letter is two parts.

    Args:
        source: The documents, as for `dedup`.
        min_length: The least length of a template in letters, at least 15: spaces and punctuation do not count. A
            text of whole words of that length that `min_count` groups and no other document have is found for certain.
        min_count: The least number of documents that have it. Near documents count as one.
        near: Documents of at least this similarity to a kept one are near, in (0, 1], as a run of `dedup` finds them:
            copies of one document make no template.
        progress: As for `dedup`.
        **settings: `text_field`, `id_field`, `extract`, `threads`, `memory` and how the records are read; see `dedup`.

    Returns:
        The templates, and `write` to write a file that `ignore` of other runs takes.

    Raises:
        ConfigError: A setting is unknown or not allowed.
        SimsieveError: As for `dedup`.

    Example:
        >>> stem = "Choose the one answer that completes the sentence best"
        >>> own = ["He ... home.", "It ... late.", "We ... you."]
        >>> result = templates([f"{stem}. {text}" for text in own], min_count=3)
        >>> [(one.groups, one.text) for one in result]
        [(3, 'Choose the one answer that completes the sentence best')]
    """
    with short_errors, chosen_progress(progress) as show:
        check_taken("templates", settings, tuple(PassageSettings.__annotations__))
        config = DedupConfig.from_settings(settings)
        result = run_templates(source, config, TemplateChoice(min_length, min_count, near), progress=show)
    warn_of_failed(config, result.failures(), result.read)
    return result


def run_templates(
    source: AnySource,
    config: DedupConfig,
    choice: TemplateChoice,
    outputs: Sequence[Output] = (),
    *,
    progress: Progress | None = None,
    warn: Warn = warn_program,
) -> TemplatesResult:
    """Find templates with checked settings, and write the outputs of the result."""
    config = replace(config, similarity=choice.near)
    scheme = chosen_scheme(config, "a search for templates")
    opened = open_source(source, config)
    check_outputs(outputs, opened.paths)
    store, reading = open_store(opened, config, progress, warn)
    warn_of_markup(store, [scheme], reading, warn)
    with run_directory(store, config, progress) as directory:
        groups = _groups(store, scheme, reading, progress, directory)
    with run_directory(store, config, progress) as directory:
        core = _core.Templates(
            store, scheme, reading.text_field, reading.id_field, choice.min_length, choice.min_count, groups,
            config.threads, progress, directory,
        )  # fmt: skip
    rest, alike = core.ignored_by(scheme), replace(reading, similarity=_REST)
    with run_directory(store, config, progress) as directory:
        core.count(_groups(store, rest, alike, progress, directory), config.threads, progress)
    result = TemplatesResult(core, len(store), config)
    write_outputs(outputs, result)
    return result


def _groups(
    store: _core.Records, scheme: _core.Scheme, config: DedupConfig, progress: Progress | None,
    directory: _core.RunDirectory | None,
) -> NDArray[np.uint32]:  # fmt: skip
    """Give for each record the kept one that it is near to, or itself."""
    documents = begin(store, [scheme], config, progress, directory).finish(config.threads, progress)
    decided = documents.dedup(config.threads, progress)
    groups = np.arange(len(store), dtype=np.uint32)
    dropped = np.flatnonzero(decided.decision == DROPPED)
    groups[dropped] = decided.representative[dropped]
    return groups
