"""Copies of sources that cannot be read in place: in which folder they are, and a note of those that may be large.

Packed files, streams, JSON lists, UTF-16, Parquet, WARC, Word and PDF are copied while they are read, as compressed
blocks in a temporary file without a name. It has mode 600, and the system removes it when the run has ended, however it
ends.
"""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable

from simsieve.config.formats import is_parquet
from simsieve.config.settings import DedupConfig
from simsieve.display import readable_bytes
from simsieve.messages import Message
from simsieve.registry import format_of
from simsieve.types import Progress

NOTED_BYTES = 256 << 20
"""A copy that may become larger is noted before it is written."""
COPY_OF_PACKED = 4.0
"""Bytes of a copy for each byte of a packed file: 1.5 to 3.7 were measured on 15 collections in .gz, most below 1.7."""
COPY_OF_TEXT = 0.8
"""Bytes of a copy for each byte of text: 0.31 to 0.76 were measured on the same collections, most of short texts."""
_PACKED = (".gz", ".zst")


def spool_folder(config: DedupConfig, paths: Iterable[str] | None = None) -> str | None:
    """Give the folder of the copies: the run directory where the settings name one, which is made; else None."""
    if config.run_dir is None or (paths is not None and not any(_is_copied(path, config) for path in paths)):
        return None
    # It is there; or it cannot be made, which is an error where the run directory is opened.
    with contextlib.suppress(OSError):
        os.mkdir(config.run_dir, 0o700)
    return config.run_dir if os.path.isdir(config.run_dir) else None


def _is_copied(path: str, config: DedupConfig) -> bool:
    """Whether a file is copied while it is read; of UTF-16 only the bytes would tell."""
    if path == "-" or config.encoding != "utf-8" or config.input_format == "json":
        return True
    if is_parquet(path, config.input_format) or path.lower().endswith((*_PACKED, ".json")) or format_of(path):
        return True
    return _is_stream(path)


def noted_copies(
    paths: Iterable[str], config: DedupConfig, progress: Progress | None, tell: Callable[[str], None]
) -> Progress | None:
    """Note the copies of files before they are written, and that of a stream once it has become large."""
    paths = tuple(paths)
    folder = spool_folder(config, paths) or tempfile.gettempdir()

    def say(what: str, size: str) -> None:
        free = readable_bytes(shutil.disk_usage(folder).free)
        tell(Message(
            "{what}: is copied to a temporary file in {folder} while it is read, {size}; {free} are free there, "
            "and another folder is given by {@`run_dir`} or the variable TMPDIR",
            what=what, folder=folder, size=size, free=free,
        ))  # fmt: skip

    copied = [path for path in paths if os.path.isfile(path) and _is_copied(path, config)]
    packed = [path for path in copied if path.lower().endswith(_PACKED) or is_parquet(path, config.input_format)]
    size = sum(os.path.getsize(path) * (COPY_OF_PACKED if path in packed else COPY_OF_TEXT) for path in copied)
    if size >= NOTED_BYTES:
        what = copied[0] if len(copied) == 1 else Message("{count:,} files", count=len(copied))
        say(what, f"at most about {readable_bytes(round(size))}")
    streams = ["standard input" if path == "-" else path for path in paths if path == "-" or _is_stream(path)]
    if not streams:
        return progress
    so_far = Message(
        "at most about {copy_of_text:.0%} of its text, of which {readable_bytes} are read so far",
        copy_of_text=COPY_OF_TEXT, readable_bytes=readable_bytes(NOTED_BYTES),
    )  # fmt: skip
    is_told = False

    def noted(stage: str, done: int, total: int) -> None:
        nonlocal is_told
        # Of the stage `read` the core counts bytes.
        if stage == "read" and done >= NOTED_BYTES and not is_told:
            is_told = True
            say(streams[0], so_far)
        if progress is not None:
            progress(stage, done, total)

    return noted


def _is_stream(path: str) -> bool:
    """Whether a name is that of a pipe."""
    return os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path))
