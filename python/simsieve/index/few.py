"""Few texts in memory: an index is asked about them as they are, without a source and a run."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from simsieve.config.settings import DedupConfig
from simsieve.index.answers import raw_label
from simsieve.run.markup import is_page
from simsieve.sources.records import refuse_paths

MOST_FEW = 100
"""Of more records a run tells what stands out in them."""


@dataclass(frozen=True, slots=True)
class FewTexts:
    """The texts of some records, and their ids as raw JSON."""

    given: Sequence[Any]
    texts: list[str]
    ids: list[str | None] | None


def few_texts(source: Any, config: DedupConfig) -> FewTexts | None:
    """The texts of few records that have nothing else to compare; None of other sources, and of pages of HTML."""
    given = [source] if isinstance(source, dict) else source
    if not isinstance(given, (list, tuple)) or not 0 < len(given) <= MOST_FEW or _reads_more(config):
        return None
    ids: list[str | None] | None = None
    if all(type(one) is str for one in given):
        refuse_paths(given)
        texts = list(given)
    elif all(type(one) is dict for one in given):
        texts = [one.get(config.text_field[0]) for one in given]
        labels = [one.get(config.id_field) for one in given]
        if not all(type(text) is str for text in texts) or not all(type(one) in _LABELS for one in labels):
            return None
        ids = [raw_label(one) for one in labels]
    else:
        return None
    return None if any(map(is_page, texts)) else FewTexts(given, texts, ids)


_LABELS = (str, int, type(None))


def _reads_more(config: DedupConfig) -> bool:
    """Whether more than one text and the id of a record count, or fields are parts of others."""
    names = (*config.text_field, config.id_field)
    return (
        len(names) != 2
        or any("." in name for name in names)
        or bool(config.equal_fields or config.window or config.given_forms)
    )
