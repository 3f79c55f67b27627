"""A file that Python writes appears whole or not at all, as those of the core do."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from simsieve.errors import SimsieveError, SinkError


@contextmanager
def atomic_file(sink: str) -> Iterator[IO[bytes]]:
    """Give a file beside a sink's place, and put it there when the block ends without an exception.

    Args:
        sink: The file's name; a link is seen through, and an existing file's permissions stay.

    Raises:
        SinkError: It cannot be written; nothing was left at its name.

    Example:
        >>> folder = tempfile.TemporaryDirectory()
        >>> with atomic_file(folder.name + "/a.bin") as file:
        ...     size = file.write(b"all of it")
        >>> os.listdir(folder.name)
        ['a.bin']
        >>> folder.cleanup()
    """
    target = os.path.realpath(sink)
    folder, name = os.path.split(target)
    temporary = ""
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{name[:60]}.", suffix=".part", dir=folder)
        with os.fdopen(handle, "wb") as file:
            os.fchmod(file.fileno(), _mode(target))
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
        temporary = ""
        _sync(folder)
    except SimsieveError:
        # What is written came from a source, and that failed.
        raise
    except OSError as error:
        raise SinkError(
            f"{sink}: cannot be written: {error.strerror or error}; nothing was left at its name: choose another place"
        ) from error
    finally:
        if temporary:
            os.unlink(temporary)


def write_whole(sink: str | os.PathLike[str], text: str) -> None:
    """Write a text to a file, which appears whole or not at all.

    Args:
        sink: The file; one that is there is replaced.
        text: What it will hold, as UTF-8.

    Raises:
        SinkError: The file cannot be written; nothing is left at its name.

    Example:
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_whole(folder + "/a.txt", "all of it")
        ...     os.listdir(folder)
        ['a.txt']
    """
    with atomic_file(os.fspath(sink)) as file:
        file.write(text.encode())


def _mode(target: str) -> int:
    try:
        return os.stat(target).st_mode & 0o777
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


def _sync(folder: str) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
