"""What the names of sources and sinks tell: formats, and patterns of names."""

import glob
import os
import re

from simsieve.errors import ConfigError, SourceError, not_read

TEXT_FORMATS = ("jsonl", "txt", "csv", "tsv")
"""The formats that the core reads and writes byte for byte."""

FORMATS = (*TEXT_FORMATS, "parquet")

_FILE_ENDING = re.compile(r"\.((jsonl|ndjson|txt|csv|tsv)(\.gz|\.zst)?|parquet)$", re.IGNORECASE)


def check_format(setting: str, name: str | None) -> None:
    """Check the name of a format.

    Args:
        setting: The setting's name, for the message.
        name: The format, or None where the name of the file shall tell it.

    Raises:
        ConfigError: It is not known.

    Example:
        >>> check_format("input_format", "csv")
    """
    if name is not None and name not in FORMATS:
        raise ConfigError(
            f"{setting} {name!r} is not known: allowed are {', '.join(FORMATS[:-1])} and {FORMATS[-1]};"
            " leave it out to go by the file's ending"
        )


def is_parquet(path: str, given: str | None = None) -> bool:
    """Say whether a file is Parquet, by the format that is given or else by its ending.

    Example:
        >>> is_parquet("a.PARQUET"), is_parquet("a.parquet", "txt")
        (True, False)
    """
    return given == "parquet" if given is not None else path.lower().endswith(".parquet")


def looks_like_file(text: str) -> bool:
    """Say whether a text ends like the name of a file that is read, and has no white space.

    Example:
        >>> looks_like_file("a.csv.gz"), looks_like_file("see a.csv")
        (True, False)
    """
    return _FILE_ENDING.search(text) is not None and not re.search(r"\s", text)


def is_folder(sink: str | os.PathLike[str]) -> bool:
    """Say whether a sink's name is a folder's: it ends in a slash, or there is a folder of the name.

    Example:
        >>> is_folder("kept/"), is_folder("kept.jsonl")
        (True, False)
    """
    name = os.fspath(sink)
    return name.endswith("/") or os.path.isdir(name)


def expand(path: str) -> list[str]:
    """Give the files that a pattern names, sorted; a name without `*`, `?` or `[`, or of a file, as it is.

    Args:
        path: A name, or a pattern in which `**` stands for any number of folders.

    Raises:
        SourceError: The pattern matches nothing, or the folder that it begins in may not be read.

    Example:
        >>> expand("corpus.jsonl")
        ['corpus.jsonl']
    """
    if not glob.has_magic(path) or os.path.lexists(path):
        return [path]
    found = sorted(glob.glob(path, recursive=True))
    if not found:
        _check_listable(path)
        raise SourceError(f"{path}: no file matches this pattern; check it")
    return found


def _check_listable(pattern: str) -> None:
    """Check that a pattern finds nothing because there is nothing, and not because its folder shows nothing."""
    folder = re.split(r"[*?[]", pattern, maxsplit=1)[0].rpartition("/")[0] or ("/" if pattern[0] == "/" else ".")
    try:
        os.scandir(folder).close()
    except PermissionError as error:
        raise not_read(pattern, f"the folder {folder}", error) from error
    except OSError:
        # There is no such folder, and so no such file.
        return
