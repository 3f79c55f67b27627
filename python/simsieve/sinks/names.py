"""The names of files in a folder of outputs: those of the sources, or those of numbered parts."""

import os
import re
from collections.abc import Sequence

from simsieve.errors import ConfigError
from simsieve.registry import PAPERS, format_of

_FORMS = {"ndjson": "jsonl", "warc.wet": "warc", "wet": "warc"}
"""The format of an ending that is not called as the ending."""
_ENDING = re.compile(
    r"\.(jsonl|ndjson|json|txt|csv|tsv|warc\.wet|warc|wet|parquet|" + "|".join(PAPERS) + r")$", re.IGNORECASE
)
_PACKING = re.compile(r"\.(gz|zst)$", re.IGNORECASE)
_PART = "part-{:05}"
_PARTS = re.compile(r"part-\d{5,}")


def format_and_packing(name: str) -> tuple[str | None, str]:
    """Give the format that a file's name means, or None, and the ending of its compression."""
    packing = _PACKING.search(name)
    plain = name if packing is None else name[: packing.start()]
    ending = _ENDING.search(plain)
    form = None if ending is None else ending[1].lower()
    return None if form is None else _FORMS.get(form, form), "" if packing is None else packing[0]


def ending_of(form: str, packing: str) -> str:
    """Give the ending of a file in a format and a compression; Parquet is compressed within."""
    return f".{form}" if form == "parquet" else f".{form}{packing}"


def renamed(name: str, form: str | None) -> str:
    """Give a file in another format the name that it has with the ending of that format."""
    own, packing = format_and_packing(name)
    if form is None or own == form:
        return name
    stem = name[: len(name) - len(packing)]
    return (stem if own is None else _ENDING.sub("", stem)) + ending_of(form, packing)


def mirrored(paths: Sequence[str], form: str | None) -> list[str]:
    """Name the files that hold the kept records of files, in their order."""
    # A file has the name of its source. Where two sources would give one name, all keep their places below the folder
    # that is common to them.
    kinds = ((path, format_of(path)) for path in paths)
    archive = next((path for path, kind in kinds if form is None and kind and not kind.is_written), None)
    if archive is not None:
        raise ConfigError(
            "{archive}: this format is read and not written: give {@output_format}, such as jsonl", archive=archive
        )
    names = [renamed(os.path.basename(path), form) for path in paths]
    if len(set(names)) < len(names):
        whole = [os.path.abspath(path) for path in paths]
        common = os.path.commonpath([os.path.dirname(path) for path in whole])
        names = [renamed(os.path.relpath(path, common), form) for path in whole]
    first: dict[str, str] = {}
    for path, name in zip(paths, names, strict=True):
        if name in first:
            raise ConfigError(
                "the sources {first} and {path} would both be {name} in the folder: rename one, or make two runs",
                first=first[name], path=path, name=name,
            )  # fmt: skip
        first[name] = path
    return names


def part_name(number: int, ending: str) -> str:
    """Name a numbered part."""
    return _PART.format(number) + ending


def is_part(name: str, ending: str) -> bool:
    """Say whether a name is that of a part with this ending."""
    return name.endswith(ending) and _PARTS.fullmatch(name.removesuffix(ending)) is not None
