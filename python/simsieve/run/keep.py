"""Warnings of keep orders whose values are hardly in the order that was meant."""

from simsieve import _core
from simsieve.config.settings import DedupConfig
from simsieve.messages import Message
from simsieve.run.forecast import Warn
from simsieve.sources.checks import FIRST, has_field

_SHOWN = 40
"""Characters of a value that a warning shows."""


def warn_of_keep(store: _core.Store, documents: _core.Documents, config: DedupConfig, warn: Warn) -> None:
    """Warn of fields of the keep order that have both numbers and texts, no values, or texts whose order misleads."""
    for field, numbers, texts, missing, text, misordered in documents.keep_values():
        total = numbers + texts + missing
        if total and missing == total and has_field(store.first(min(FIRST, store.new_len)), field, config):
            warn(Message(
                "none of {total:,} documents has a number or a text in {field!r}: keep does not order by it; name "
                "a field with numbers, texts or dates",
                total=total, field=field,
            ))  # fmt: skip
        elif numbers and texts:
            warn(Message(
                "of the values of {field!r}, by which keep orders, {numbers:,} are numbers and {texts:,} are "
                "none, such as {value!r}: numbers precede texts; correct the others, or empty them",
                field=field, numbers=numbers, texts=texts, value=_shown(text or ""),
            ))  # fmt: skip
        elif misordered is not None:
            one, other = misordered
            warn(Message(
                "keep compares the values of {field!r} as texts, in which {one!r} is before {other!r}: write "
                "dates as 2024-01-31 and in one time zone, and numbers without words",
                field=field, one=_shown(one), other=_shown(other),
            ))  # fmt: skip


def _shown(value: str) -> str:
    return value if len(value) <= _SHOWN else value[: _SHOWN - 1] + "…"
