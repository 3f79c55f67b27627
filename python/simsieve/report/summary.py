"""A run's summary as JSON: one line of text, or a file that appears whole."""

import json
import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from simsieve.errors import SinkError


def summary_line(summary: Mapping[str, Any]) -> str:
    """Write a summary as one line of JSON, without a line end.

    Example:
        >>> summary_line({"read": 1})
        '{"read": 1}'
    """
    return json.dumps(summary, ensure_ascii=False, allow_nan=False)


def write_summary(sink: str | os.PathLike[str], summary: Mapping[str, Any]) -> None:
    """Write a summary to a file: beside it first, then synced, then renamed, so that it is never seen in part.

    Args:
        sink: The file; one that is there is replaced.
        summary: What `DedupResult.summary` gives.

    Raises:
        SinkError: The file cannot be written; nothing is left at its name.

    Example:
        >>> folder = tempfile.mkdtemp()
        >>> write_summary(Path(folder, "summary.json"), {"read": 1})
        >>> os.listdir(folder)
        ['summary.json']
    """
    path = Path(sink).absolute()
    beside = None
    try:
        handle, beside = tempfile.mkstemp(dir=path.parent, prefix=".simsieve-")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(summary_line(summary) + "\n")
            file.flush()
            os.fsync(file.fileno())
        mask = os.umask(0)
        os.umask(mask)
        Path(beside).chmod(0o666 & ~mask)
        Path(beside).replace(path)
    except BaseException as error:
        if beside is not None:
            with suppress(OSError):
                Path(beside).unlink()
        if isinstance(error, OSError):
            raise SinkError(f"{os.fspath(sink)}: {error.strerror}; choose another place for the summary") from error
        raise
