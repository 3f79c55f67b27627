"""Warnings of pages: those that are compared with their markup, and those whose main text may have been missed."""

import re
from collections.abc import Iterator, Sequence

from simsieve import _core
from simsieve.config.settings import DedupConfig
from simsieve.json_values import record_of, value_at
from simsieve.messages import Message
from simsieve.results.summary import small_main_texts
from simsieve.run.forecast import Warn

_FIRST = 20
_FILES = 1000
"""So many files of a folder are looked at by their names."""

_LARGEST = 1 << 20

_PAGE = re.compile(r"\ufeff?(?:\s|<\?xml[^>]*>|<!--(?s:.*?)-->)*<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)

_PART = re.compile(r"\s*<(?:article|div|h[1-6]|header|main|meta|nav|p|section|table|title|ul)\b[^<>]*>", re.IGNORECASE)
_LEAST_ENDS = 3
"""A text that begins as a part of a page and has this many end tags is one."""


def is_page(text: str) -> bool:
    """Decide whether a text is a page of HTML or a part of one; a text that merely has a tag is none."""
    return bool(_PAGE.match(text)) or (
        bool(_PART.match(text)) and text.rstrip().endswith(">") and text.count("</") >= _LEAST_ENDS
    )


def warn_of_markup(store: _core.Records, schemes: Sequence[_core.Scheme], config: DedupConfig, warn: Warn) -> None:
    """Warn where a quarter of the first texts are pages, and no scheme takes what a page says out of its markup.

    Of the files of a folder a single page is told: people put papers of all kinds into one.
    """
    if any(scheme.takes_pages or scheme.given_as for scheme in schemes):
        return
    looked_at = list(_first_are_pages(store, config))
    if 4 * sum(looked_at) < len(looked_at):
        looked_at = [page for page in store.pages(_FILES) if page is not None]
    if pages := sum(looked_at):
        warn(Message(
            "{pages:,} of the first {count:,} texts are pages of HTML, and their markup is compared too; "
            "--extract main compares their main text, --extract text all that a reader sees (in Python "
            'extract="main")',
            pages=pages, count=len(looked_at),
        ))  # fmt: skip


def _first_are_pages(store: _core.Records, config: DedupConfig) -> Iterator[bool]:
    """Whether each of the first texts is a page; a file of a folder is one by its name."""
    head, files = store.first(min(_FIRST, store.new_len)), store.pages(_FIRST)
    yield from (page for page in files if page is not None)
    sizes = head.sizes(range(head.new_len))
    for line in head.objects([place for place, size in enumerate(sizes) if size <= _LARGEST and files[place] is None]):
        record = record_of(line)
        for name in config.text_field:
            value = value_at(record, name)
            if isinstance(value, str) and value:
                yield is_page(value)


def warn_of_small_main(documents: _core.Documents, config: DedupConfig, warn: Warn) -> None:
    """Warn of pages whose main text is so small a part of them that the rule may have missed it."""
    found = small_main_texts(documents, config.threads)
    if found is not None:
        looked, small, position = found
        label = documents.id(position)
        warn(Message(
            "of {looked:,} pages looked at, {small:,} have a main text of less than a tenth of what a reader "
            "sees, such as {more!r}; it may not be what they are about; --extract text compares all that a reader "
            "sees",
            looked=looked, small=small, more=position if label is None else label,
        ))  # fmt: skip
