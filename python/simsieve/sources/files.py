"""Files: names, patterns of names, and the objects opened for them."""

import glob
import itertools
import os
import re
from collections.abc import Iterable
from typing import Any

from simsieve.config.formats import TEXT_FORMATS, has_records, is_parquet
from simsieve.config.rows import FILE
from simsieve.config.settings import SETTINGS, DedupConfig
from simsieve.errors import ConfigError, SourceError, not_read
from simsieve.messages import Message
from simsieve.registry import (
    PICTURES,
    REFERENCES,
    Kind,
    format_of,
    in_database,
    is_picture,
    is_whole,
    on_disk,
    package,
    store_of,
)
from simsieve.sinks.names import format_and_packing
from simsieve.sources.arrow import ParquetFiles
from simsieve.sources.base import Files, MixedFiles, Source
from simsieve.sources.copies import Copies
from simsieve.sources.folders import HIDDEN, LeftOut, files_in, is_hidden, once

_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/{1,2}(.+)")
_FETCH = {
    "http": "curl -s {}",
    "https": "curl -s {}",
    "ftp": "curl -s {}",
    "gs": "gsutil cat {}",
    "hdfs": "hdfs dfs -cat {}",
}
"""For each kind of address, a command that writes its content to standard output."""
_PARQUET = "Parquet"
_AS_TEXT = (".yaml", ".yml", ".json5")
"""Endings of files that can be read as one text each."""
_ADVICE = {
    ".xlsx .xlsm .xls .ods .et": 'is a workbook: save its sheet as "CSV UTF-8" and give that file',
    ".zip .7z .rar .tar .tar.gz .tgz .bz2 .xz .lz4": "is packed in a way that is not read: unpack it; of packed files "
    "those with .gz and .zst are read",
    ".gz.gz .zst.zst": "is packed twice: unpack it once",
    ".doc .dot .wps .wpd .hwp .ppt .pptx .odp .dps .mobi .azw3 .djvu .chm": "is a document of another program: save "
    "it as .docx or .pdf, or convert it to text, and give a folder of .txt files, or one file with a document on each "
    "line",
    ".msg .pst .ost .mht": "is of a mail program: save the mails as .eml or .mbox",
    ".feather .arrow .avro .orc": "is a table that is not read: write it as .parquet, .csv or .jsonl",
    ".db .sqlite .sqlite3": "is a database: write the table as .csv or .jsonl",
    ".npy .npz .pkl .pickle": "has objects of Python: write their texts as .jsonl, or give them to simsieve.dedup",
    " ".join(_AS_TEXT): "has no form of records that is read: write them as .jsonl, an object on each line; or read a "
    "file as one text, by each file",
}
"""For endings of other programs, the way to a file that can be read."""


def open_files(named: Iterable[str], config: DedupConfig | None) -> Source:
    """Look at files, without reading them."""
    given = None if config is None else config.input_format
    named = tuple(named)
    for name in named:
        check_name(name, given, as_text=config is not None and config.each is not None)
    copies = Copies()
    found = LeftOut()
    paths: list[str] = []
    for path in [path for name in named for path in (expand(name, found) if on_disk(name) else copies.find(name))]:
        files, others = files_in(path, config)
        paths += files or [path]
        found.others += others
        found.where = found.where or (path if others else "")
    for path in paths:
        path_of(path)
        if given is None and is_whole(path):
            package("papers").check(path)
    paths, found.same = once(paths)
    found.count = len(found.same)
    if config is not None and config.each is not None:
        _check_texts(paths, config)
    groups = [(kind, tuple(some)) for kind, some in itertools.groupby(paths, lambda path: _kind_of(path, config))]
    if config is not None and not any(kind is None and not all(map(is_whole, some)) for kind, some in groups):
        _check_of_text(config, groups[0][0] or format_of(paths[0]))
    each = [_opened(kind, some, copies or None) for kind, some in groups]
    opened = each[0] if len(each) == 1 else MixedFiles(each)
    opened.found_once = found
    return opened


def _kind_of(path: str, config: DedupConfig | None) -> Kind | str | None:
    """What reads a file; None where the core does."""
    given = None if config is None else config.input_format
    if is_parquet(path, given):
        return _PARQUET
    if given is None and is_picture(path) and not os.path.isdir(path):
        if config is not None and config.has_pictures:
            return PICTURES
        if config is None or config.each is None:
            raise ConfigError("{path}: is a picture: its copies are found with {@scheme} phash64", path=path)
    if given is None and path.lower().endswith(".xml") and (config is None or config.each is None):
        return REFERENCES
    kind = format_of(path) if given is None else None
    # The core asks for the texts of papers, so that a folder may have them beside others.
    return None if kind is None or kind.is_whole else kind


def _opened(kind: Kind | str | None, paths: tuple[str, ...], copies: Copies | None) -> Source:
    """Look at files of one kind."""
    if kind is None:
        return Files(paths, copies)
    if isinstance(kind, Kind):
        opened: Source = package(kind.name).open_files(paths, copies)
        return opened
    if "-" in paths:
        raise ConfigError("Parquet is not read from stdin, because its index is at the end of the file; name a file")
    return ParquetFiles(paths, copies)


def _check_of_text(config: DedupConfig, kind: Kind | str | None) -> None:
    """Check that no setting is given that is for text files alone."""
    name = kind.shown if isinstance(kind, Kind) else kind
    for setting in ("encoding", "quoting", "delimiter"):
        value = getattr(config, setting)
        if value != SETTINGS[setting].default:
            raise ConfigError(
                "{setting} {value!r} is for text files, and {name} has none; leave it out",
                setting=setting, value=value, name=name,
            )  # fmt: skip


def _check_texts(paths: Iterable[str], config: DedupConfig) -> None:
    """Check that only texts are read as files or as lines."""
    if config.input_format not in (None, "txt"):
        raise ConfigError(
            "each {each} is of texts, and {@input_format} is {input_format}: leave one out",
            each=config.each, input_format=config.input_format,
        )  # fmt: skip
    for path in paths:
        if config.each == FILE and is_whole(path):
            continue
        if has_records(path) and config.input_format is None:
            if is_whole(path):
                raise ConfigError("{path}: is one document and has no lines of text; leave each line out", path=path)
            # It is read by its records, beside texts.
            continue
        if config.each == FILE and (path == "-" or path.lower().endswith((".gz", ".zst")) or not on_disk(path)):
            name = "standard input" if path == "-" else path
            raise ConfigError(
                "{name}: each file is of plain files on disk; unpack or copy it first, or give each line", name=name
            )


def check_name(name: str, given: str | None = None, *, as_text: bool = False) -> None:
    """Refuse addresses, and files of other programs, with what to do with them."""
    address = _ADDRESS.fullmatch(name)
    if address is not None and on_disk(name) and not os.path.lexists(name):
        scheme, rest = address[1].lower(), address[2]
        # A path object has made one slash of two.
        whole = f"{scheme}://{rest}"
        if scheme in ("mongo", "mongod"):
            raise ConfigError(
                "{whole}: is an address, and files are read: did you mean {uri}?",
                whole=whole, uri="mongodb://" + rest.lstrip("/"),
            )  # fmt: skip
        how = (
            Message("give its path, {path}", path="/" + rest.lstrip("/"))
            if scheme == "file"
            else "fetch it first, and give the file"
        )
        if scheme in _FETCH:
            command, (form, _) = _FETCH[scheme].format(whole), format_and_packing(rest)
            last = rest.rpartition("/")[2]
            file = last if re.fullmatch(r"[\w-]+(\.\w+)+", last) and "/" in rest.rstrip("/") else "page.html"
            how = (
                Message(
                    "pipe it in, as with {command}", command=f"`{command} | simsieve dedup - --input-format {form} ...`"
                )
                if form in TEXT_FORMATS
                else Message("save it, as with {command}, and give that file", command=f"`{command} > {file}`")
            )
        raise ConfigError("{whole}: is an address, and files are read: {how}", whole=whole, how=how)
    advice = next(
        (advice for endings, advice in _ADVICE.items() if name.lower().endswith(tuple(endings.split()))), None
    )
    if as_text and name.lower().endswith(_AS_TEXT):
        return
    if given is None and advice is not None and not os.path.isdir(name):
        raise ConfigError("{name}: {advice}", name=name, advice=advice)


def paths_of(items: Iterable[Any]) -> tuple[str, ...]:
    """Return the names of several files as texts."""
    paths = []
    for index, item in enumerate(items):
        if not isinstance(item, (str, os.PathLike)):
            raise TypeError(f"source {index} is of type {type(item).__name__}: give a path like the first one")
        paths.append(path_of(item))
    return tuple(paths)


def path_of(item: str | os.PathLike[str]) -> str:
    """Return the name of a file as a text."""
    path = os.fsdecode(item)
    try:
        path.encode()
    except UnicodeEncodeError:
        raise SourceError("{path!r}: the file's name is not UTF-8; rename it or link to it", path=path) from None
    # A path object has made one slash of two.
    return path if in_database(path) else store_of(path).shown(path)


def expand(path: str, left_out: LeftOut | None = None) -> list[str]:
    """Give the files that a pattern names, sorted; a name without `*`, `?` or `[`, or of a file, as it is."""
    if not glob.has_magic(path) or os.path.lexists(path):
        return [path]
    found = sorted(glob.glob(path, recursive=True))
    if not is_hidden(os.path.basename(path)):
        shown = [name for name in found if not is_hidden(os.path.basename(name))]
        if left_out is not None and len(shown) < len(found):
            left_out.others[HIDDEN] += len(found) - len(shown)
            left_out.where = left_out.where or os.path.dirname(path) or "."
        found = shown
    if not found:
        _check_listable(path)
        raise SourceError("{path}: no file matches this pattern; check it", path=path)
    return found


def _check_listable(pattern: str) -> None:
    """Check that a pattern finds nothing because there is nothing, and not because its folder shows nothing."""
    folder = re.split(r"[*?[]", pattern, maxsplit=1)[0].rpartition("/")[0] or ("/" if pattern[0] == "/" else ".")
    try:
        os.scandir(folder).close()
    except PermissionError as error:
        raise not_read(pattern, Message("the folder {folder}", folder=folder), error) from error
    except OSError:
        # There is no such folder, and so no such file.
        return
