"""Files that are read whole by their names: regular ones, of bounded size."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

_MOST = 1 << 30
"""Bytes of such a file, as in the core."""
# Without O_NONBLOCK the name of a pipe would wait for its writer.
_FLAGS = sum({getattr(os, f"O_{name}", 0) for name in ("RDONLY", "NONBLOCK", "NOCTTY", "CLOEXEC", "BINARY")})
"""Of those that the system has."""
_OWN = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")
"""Names of files that this process was given open, such as the output of another program in `<(...)`."""


@contextmanager
def regular(path: str | os.PathLike[str], *, may_be_given: bool = False) -> Iterator[BinaryIO]:
    """Open a regular file; an `OSError` for anything else, since a pipe may keep the caller waiting for ever.

    Args:
        path: Its name.
        may_be_given: Whether it may also be a pipe that this process was given open: not where a name comes from a file
            of somebody else.
    """
    with open(os.open(path, _FLAGS), "rb") as file:
        mode = os.fstat(file.fileno()).st_mode
        if not stat.S_ISREG(mode) and not (may_be_given and os.fspath(path).startswith(_OWN)):
            raise OSError(errno.EINVAL, "it is no regular file")
        if hasattr(os, "O_NONBLOCK"):
            os.set_blocking(file.fileno(), True)
        yield file


def read_file(path: str | os.PathLike[str], *, may_be_given: bool = False) -> bytes:
    """Read a file as `regular` opens it; one that is too large is an `OSError` too."""
    content = bytearray()
    with regular(path, may_be_given=may_be_given) as file:
        # A read takes room for as many bytes as it asks for.
        while len(content) <= _MOST and (piece := file.read(1 << 20)):
            content += piece
    if len(content) > _MOST:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    return bytes(content)
