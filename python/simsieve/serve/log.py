"""The log: an object of JSON a line on standard error, without texts, paths and keys."""

import sys
import time
from contextlib import suppress

import msgspec

_encode = msgspec.json.Encoder().encode


class _Told:
    """What goes to the log."""

    quiet = False


def be_quiet(*, quiet: bool) -> None:
    """Log errors only, or everything."""
    _Told.quiet = quiet


def log(event: str, *, level: str = "info", **values: object) -> None:
    """Write one line; a log that takes nothing stops nobody."""
    if _Told.quiet and level == "info":
        return
    line = _encode({"time": round(time.time(), 3), "level": level, "event": event, **values})
    with suppress(OSError, ValueError):
        sys.stderr.buffer.write(line + b"\n")
        sys.stderr.buffer.flush()
