"""Parts of texts that many documents share, and how they are written to a file that a run ignores."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from simsieve import _core
from simsieve.config.settings import DedupConfig
from simsieve.display import counted, html_table
from simsieve.messages import Message
from simsieve.results.arrow import table_of_rows
from simsieve.results.run import Failures
from simsieve.results.tables import write_failed
from simsieve.sinks.base import Kind, SinkPath
from simsieve.sinks.checks import check_replaced
from simsieve.sinks.files import write_text
from simsieve.sinks.tables import write_objects
from simsieve.tabular import ArrowTable, Tabular

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
