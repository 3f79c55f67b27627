"""Few texts in memory: an index is asked about them as they are, without a source and a run."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from simsieve.config.settings import DedupConfig
from simsieve.index.answers import raw_label
from simsieve.run.no_effect import is_page
from simsieve.sources.records import refuse_paths

MOST_FEW = 100
"""Of more records a run tells what stands out in them."""


@dataclass(frozen=True, slots=True)
class FewTexts:
    """The texts of some records, and their ids as raw JSON."""

    given: Sequence[Any]
    texts: Sequence[str]
    ids: list[str | None] | None


def read_fields(config: DedupConfig) -> tuple[str, str] | None:
    """The fields of text and id, where an index compares nothing else of a record; else None."""
    names = (*config.text_field, config.id_field)
    more = config.equal_fields or config.window or config.given_forms or any("." in name for name in names)
    return None if more or len(config.text_field) != 1 else (config.text_field[0], config.id_field)


def few_texts(source: Any, fields: tuple[str, str] | None) -> FewTexts | None:
    """The texts of few records that have nothing else to compare; None of other sources, and of pages of HTML."""
    given = [source] if isinstance(source, dict) else source
    if fields is None or not isinstance(given, (list, tuple)) or not 0 < len(given) <= MOST_FEW:
        return None
    ids: list[str | None] | None = None
    if all(type(one) is str for one in given):
        refuse_paths(given)
        texts = given
    elif all(type(one) is dict for one in given):
        texts, labels = ([one.get(name) for one in given] for name in fields)
        if not all(type(text) is str for text in texts) or not all(type(one) in _LABELS for one in labels):
            return None
        ids = [raw_label(one) for one in labels]
    else:
        return None
    return None if any(map(is_page, texts)) else FewTexts(given, texts, ids)


_LABELS = (str, int, type(None))
