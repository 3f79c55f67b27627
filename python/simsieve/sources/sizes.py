"""How many records sources have, and how long their texts are: what a plan needs to know of them."""

import json
from collections.abc import Sequence
from typing import Any

from simsieve import _core
from simsieve.config.settings import DedupConfig

SAMPLE = 1000
"""How many records are looked at, spread evenly over the sources."""


def mean_text_bytes(store: _core.Store, config: DedupConfig) -> int:
    """Give the mean length of a text in bytes of UTF-8, over a sample; at least 1.

    Of a folder and of columns it is the mean of what was read for each record.

    Args:
        store: The open sources.
        config: The names of the text fields.

    Example:
        >>> mean_text_bytes(_core.Store.from_texts(["four", "seventy"]), DedupConfig())
        5
    """
    count = store.new_len
    looked_at = sorted({at * count // SAMPLE for at in range(min(count, SAMPLE))} if count > SAMPLE else range(count))
    lengths = [length for line in store.objects(looked_at) if (length := _length(line, config.text_field)) is not None]
    if lengths:
        return max(1, sum(lengths) // len(lengths))
    return max(1, store.bytes_read // count) if count else 1


def _length(line: bytes | None, fields: Sequence[str]) -> int | None:
    """The bytes of the texts of a record; None where it has none."""
    try:
        record = json.loads(line or b"")
    except (ValueError, RecursionError):
        return None
    texts = [text for name in fields if isinstance(text := _value(record, name), str)]
    # The texts of several fields are joined by one character.
    return sum(len(text.encode(errors="replace")) + 1 for text in texts) - 1 if texts else None


def _value(record: Any, name: str) -> Any:
    if isinstance(record, dict) and name in record:
        return record[name]
    for step in name.split("."):
        record = record.get(step) if isinstance(record, dict) else None
    return record
