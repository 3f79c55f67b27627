"""Hits of a leak check that may be none: a part of the item is lacking, or the numbers are others."""

import re
from collections import Counter
from collections.abc import Sequence

from simsieve import _core
from simsieve.differences import aligned_parts
from simsieve.inside.exclude import merged, outside, units

LACKING, NUMBERS = "lacking", "numbers"
_MOST, _MOST_OF_MANY = 12, 4
"""Units of an item that may be lacking in one run; of an item with hits in many documents, which have a common text."""

Spans = Sequence[tuple[int, int, int, int, float, int]]
"""As the core gives them: start and end in the document, in the item, and more."""


def doubt(item: str, document: str, spans: Spans, *, is_many: bool) -> str | None:
    """Say why the spans of an item in a document may be no leak; None where nothing speaks against one.

    An exam's instructions, a quotation and a sample of code are in other texts too: there the item's own question is
    lacking. Items that differ in their numbers are several.

    Example:
        >>> item = "It is known that x + y = z. Why is this always so?"
        >>> doubt(item, item[:27], [(0, 27, 0, 27, 1.0, 0)], is_many=False)
        'lacking'
    """
    best = max(spans, key=lambda span: span[4] * (span[3] - span[2]))
    room = len(item)
    here = [span for span in spans if best[0] - room <= span[0] and span[1] <= best[1] + room]
    gaps = outside([(0, room)], merged(span[2:4] for span in here))
    if any(_letters(item[start:end]) > (_MOST_OF_MANY if is_many else _MOST) for start, end in gaps):
        return LACKING
    if len(here) == 1 and best[4] == 1:
        return None
    first, end = min(span[2] for span in here), max(span[3] for span in here)
    start, last = min(span[0] for span in here), max(span[1] for span in here)
    return NUMBERS if _differ_in_numbers(item[first:end], document[start:last]) else None


def _letters(text: str) -> int:
    return units(re.sub(r"[\W_]", "", text))


def _differ_in_numbers(one: str, other: str) -> bool:
    """Whether each text has numbers that the other lacks, and no more words than numbers were exchanged."""
    numbers, others = (Counter(_core.guarded("numbers", text)) for text in (one, other))
    if not (numbers - others and others - numbers):
        return False
    exchanged = [
        bool(_core.guarded("numbers", a) and _core.guarded("numbers", b))
        for is_equal, a, b in aligned_parts(one, other) if not is_equal and _letters(a + b)
    ]  # fmt: skip
    return 2 * sum(exchanged) >= max(1, len(exchanged))
