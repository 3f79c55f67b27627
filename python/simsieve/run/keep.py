"""Warnings of keep orders whose values are hardly in the order that was meant."""

from simsieve import _core
from simsieve.config.settings import DedupConfig
from simsieve.run.forecast import Warn
from simsieve.sources.checks import FIRST, has_field

_SHOWN = 40
"""Characters of a value that a warning shows."""


def warn_of_keep(store: _core.Store, documents: _core.Documents, config: DedupConfig, warn: Warn) -> None:
    """Warn of fields of the keep order that have both numbers and texts, no values, or texts whose order misleads.

    Args:
        store: The sources.
        documents: The documents.
        config: The settings.
        warn: Called with a warning for each such field.

    Example:
        >>> from simsieve.run.schemes import chosen_schemes
        >>> from simsieve.run.steps import load
        >>> config = DedupConfig()
        >>> store = _core.Store.from_texts(["a text"])
        >>> warn_of_keep(store, load(store, chosen_schemes(config), config, None), config, print)
    """
    for field, numbers, texts, missing, text, misordered in documents.keep_values():
        total = numbers + texts + missing
        if total and missing == total and has_field(store.first(min(FIRST, store.new_len)), field, config):
            warn(
                f"none of {total:,} documents has a number or a text in {field!r}: keep does not order by it; name a"
                " field with numbers, texts or dates"
            )
        elif numbers and texts:
            warn(
                f"of the values of {field!r}, by which keep orders, {numbers:,} are numbers and {texts:,} are none,"
                f" such as {_shown(text or '')!r}: numbers precede texts; correct the others, or empty them"
            )
        elif misordered is not None:
            one, other = misordered
            warn(
                f"keep compares the values of {field!r} as texts, in which {_shown(one)!r} is before {_shown(other)!r}:"
                " write dates as 2024-01-31 and in one time zone, and numbers without words"
            )


def _shown(value: str) -> str:
    return value if len(value) <= _SHOWN else value[: _SHOWN - 1] + "…"
