"""Root without root's right to read and write what others closed; a user has no such right to begin with.

As a script it carries out a command line so: `powerless.py dedup in.jsonl -o kept.jsonl`.
"""

import ctypes
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# linux/capability.h: the bits of CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH, and the third version of the call, whose
# capabilities are two words of effective, permitted and inheritable ones each.
_READS_ANYTHING = 1 << 1 | 1 << 2
_VERSION = 0x20080522
_WORDS = 6


def _libc() -> ctypes.CDLL | None:
    libc = ctypes.CDLL(None, use_errno=True)
    return libc if sys.platform == "linux" and hasattr(libc, "capset") else None


def _capabilities(libc: ctypes.CDLL, change: list[int] | None = None) -> list[int]:
    """The capabilities of this thread, or what they become; threads that it starts have them too."""
    header = (ctypes.c_uint32 * 2)(_VERSION, 0)
    words = (ctypes.c_uint32 * _WORDS)(*(change or []))
    if (libc.capset if change else libc.capget)(header, words) != 0:
        # No error of the system's own kind: a PermissionError would look like what is tried here.
        raise RuntimeError(f"capabilities cannot be told or changed: {os.strerror(ctypes.get_errno())}")
    return list(words)


@contextmanager
def powerless() -> Iterator[None]:
    """Put root's right to what is closed away for a while."""
    libc = _libc()
    if os.geteuid() != 0 or libc is None:
        yield
        return
    before = _capabilities(libc)
    _capabilities(libc, [before[0] & ~_READS_ANYTHING, *before[1:]])
    try:
        yield
    finally:
        _capabilities(libc, before)


def what_is_closed_is_closed() -> bool:
    """Whether a closed file cannot be read here, as it could by root of a system without capabilities."""
    with tempfile.TemporaryDirectory() as folder:
        probe = Path(folder, "closed")
        probe.touch(mode=0)
        try:
            with powerless():
                probe.read_bytes()
        except PermissionError:
            return True
        except RuntimeError:
            return False
    return False


if __name__ == "__main__":
    from simsieve.cli import main

    with powerless():
        raise SystemExit(main(sys.argv[1:]))
