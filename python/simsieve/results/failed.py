"""Records that failed, against the number that the settings allow."""

import warnings

from simsieve.config.settings import DedupConfig
from simsieve.errors import FailedRecordsWarning
from simsieve.messages import Message
from simsieve.results.run import Failures

_NAMED = 3
"""Failed records that a warning names."""


def warn_of_failed(
    config: DedupConfig, failures: Failures, read: int, *, what: str = "records", listed: str = "failures()"
) -> None:
    """Warn a program of more failed records than `max_failed` allows; the warning is of the caller's caller."""
    if config.allows_failed(len(failures), read):
        return
    named = "; ".join(
        Message("record {position} ({code}): {message}", position=position, code=code, message=message)
        for position, code, message in failures[:_NAMED]
    )
    more = Message("; and {count:,} more", count=len(failures) - _NAMED) if len(failures) > _NAMED else ""
    where = Message("; {listed} lists them", listed=listed) if listed else ""
    text = Message(
        "{count:,} of {read:,} {what} failed, more than {@max_failed} {max_failed} allows: {named}{more}. The "
        "result is without them{where}. Correct the records, or give {@max_failed}, such as '1%'",
        count=len(failures), read=read, what=what, max_failed=config.max_failed, named=named, more=more, where=where,
    )  # fmt: skip
    warnings.warn(text, FailedRecordsWarning, stacklevel=3)
