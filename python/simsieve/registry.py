"""The kinds of stores, a line each, and what a store can do. A name that no line takes is that of a file on a disk.

Other code calls what `Store` has, and knows no kind. A new kind is a package below `simsieve.stores` and a line here.
"""

import importlib
import os
import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import IO, Any, Protocol

from simsieve import _core
from simsieve.errors import ConfigError
from simsieve.optional import not_installed

Name = str | os.PathLike[str]


@dataclass(frozen=True, slots=True)
class Version:
    """A file of a store as it is there now: its bytes, its tag, and its time in seconds since 1970."""

    size: int
    etag: str
    modified: int


class Upload(Protocol):
    """A file that is written on a disk first."""

    def begin(self) -> str:
        """Give the place to write to."""

    def commit(self) -> None:
        """Put the file into the store, and remove it."""

    def abort(self) -> None:
        """Remove the file; allowed at any time."""


class Reader(Protocol):
    """What finds and fetches the files of a store; threads may share it."""

    def find(self, name: str) -> Mapping[str, Version]:
        """The files that a name or a pattern means, in order."""

    def fetch(self, name: str, file: IO[bytes], count: Callable[[int], None]) -> Version | None:
        """Write a file to one on a disk, and give the version that is in the store then; `count` gets bytes."""

    def close(self) -> None:
        """Close its connections, which are made again where they are needed."""


class Store:
    """What a kind of store can do. These are files on a disk; each other kind has a class of its own.

    A store of files finds, fetches and takes files. A database opens collections as sources, and writes runs.
    """

    def shown(self, name: Name) -> str:
        """The name as messages show it, without a password."""
        return os.fspath(name)

    def reader(self, name: str) -> Reader:
        """What finds and fetches files; the name is for messages."""
        raise NotImplementedError(name)

    def is_folder(self, name: Name) -> bool:
        """Whether an output's name is a folder's: it ends in a slash, or there is a folder of the name."""
        return os.fspath(name).endswith("/") or os.path.isdir(name)

    def is_inside(self, name: Name, folder: Name) -> bool:
        """Whether a name is that of something in a folder, or of the folder, links seen through."""
        around = os.path.realpath(folder)
        return os.path.commonpath([os.path.realpath(name), around]) == around

    def held(self, name: Name) -> dict[str, int]:
        """The files in a folder with their bytes, by their names from the folder on; a file by an empty name."""
        root = os.path.realpath(name)
        if os.path.isfile(root):
            return {"": os.path.getsize(root)}
        paths = [os.path.join(inside, one) for inside, _, names in os.walk(root) for one in names]
        return {os.path.relpath(path, root): os.lstat(path).st_size for path in paths}

    def is_there(self, name: Name) -> bool:
        """Whether there is something of that name."""
        return os.path.lexists(name)

    def check_writable(self, name: Name) -> None:
        """Check that a file can be written."""
        _core.check_sinks([], [os.fspath(name)])

    def upload(self, name: Name) -> Upload | None:
        """What puts a file into the store; None where it is written in its place."""
        return None

    def folder(self, name: str, is_own: Callable[[str], bool], *, replace: bool) -> Any:
        """The folder of outputs, an `OutputFolder`; None where it is one on a disk."""

    def remove_unfinished(self, name: Name) -> None:
        """Remove what a killed run had begun of an output."""
        folder, last = os.path.split(os.path.realpath(os.fspath(name).rstrip("/")))
        # As the core and Python name a file that is not whole: hidden, with some random signs.
        unfinished = re.compile(rf"\.({re.escape(last)}|{re.escape(last[:60])})\.[A-Za-z0-9_]{{6,8}}\.part")
        for entry in os.scandir(folder) if os.path.isdir(folder) else ():
            if unfinished.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                os.unlink(entry.path)
            elif unfinished.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path)

    def open(self, name: str, config: Any) -> Any:
        """A collection as a source that was looked at, a `sources.base.Source`."""
        raise NotImplementedError(name)

    def check_outputs(self, sinks: Any, config: Any, source: Any) -> None:
        """Check, before a run reads, what goes to collections, and the marks of a source of this kind."""

    def write(self, run: Any, columns: _core.Decisions, sinks: Any, progress: Any) -> Mapping[str, Any]:
        """Write a run's kept records, decisions and marks to collections, all or nothing; see `check_outputs`."""
        raise NotImplementedError

    def database(self, name: Name) -> str:
        """The database of a name, as messages show it."""
        raise ConfigError("{name} is no database: give mongodb://, sqlite://, postgresql:// or mysql://", name=name)

    def runs(self, name: Name) -> list[Mapping[str, Any]]:
        """What the database notes of the runs that wrote to it, the latest first."""
        raise ConfigError(self.database(name))

    def undo(self, name: Name, run: str) -> list[tuple[str, int]]:
        """Take away what a run wrote to the database: what that is, and how many."""
        raise ConfigError(self.database(name))

    def rows(self, summary: Mapping[str, Any]) -> list[tuple[str, str]]:
        """What a summary has of collections, as rows of label and value for people."""
        return []


DISK = Store()


@dataclass(frozen=True, slots=True)
class Kind:
    """A line of the table."""

    name: str
    names: str
    need: str
    is_database: bool = False
    shown: str = ""
    """A file of it in messages."""
    is_whole: bool = False
    """Whether a file is one record."""
    is_written: bool = False
    """Whether kept records can go to such a file."""


STORES = [
    Kind("mongo", r"mongodb(\+srv)?://.*", "collections of MongoDB are read and written by pymongo", is_database=True),
    Kind(
        "sql",
        r"(sqlite|postgres(ql)?|mysql|mariadb)://.*",
        "tables of SQL are read and written by ADBC and PyMySQL",
        is_database=True,
    ),
    # A path object has made one slash of two.
    Kind("s3", r"s3:/.*", "objects of S3 are read and written by boto3"),
]
"""The kinds of stores, by their names."""
PAPERS = ("docm", "docx", "eml", "epub", "mbox", "odt", "pdf", "rtf")
"""The endings of papers; `simsieve.stores.papers.readers` has what reads them."""
# What reads BibTeX is an extra, which the package asks for itself.
REFERENCES = Kind("references", r"(?i).*\.(ris|bib|nbib)", "", shown="a file of references", is_written=True)
"""Files of references. Those of XML have an ending that others have too, and are texts where each file is one."""
FORMATS = [
    Kind("warc", r"(?i).*\.(warc|wet)(\.gz)?", "WARC files are read by warcio", shown="WARC"),
    REFERENCES,
    # What reads PDF and RTF are extras, which the package asks for itself; others need none.
    Kind("papers", rf"(?i).*\.({'|'.join(PAPERS)})", "", shown="a document such as Word or PDF", is_whole=True),
]
"""The kinds of files that a package of their own reads as a source, by their endings."""

PICTURES = Kind(
    "pictures",
    r"(?i).*\.(a?png|jpe?g|jpe|jfif|gif|bmp|dib|webp|tiff?|p[bgnp]m|tga|ico|icns|jp2|j2k|jpx|pcx|psd|avif|qoi|sgi|dds)",
    "pictures are read by Pillow and hashed by imagehash",
    shown="a picture",
)
"""Files that are a source under a scheme of pictures alone."""


@cache
def package(name: str) -> Any:
    """Give the package of a kind of store, which is imported when it is first needed."""
    try:
        return importlib.import_module(f"simsieve.stores.{name}")
    except ImportError:
        need = next(kind.need for kind in (*STORES, *FORMATS, PICTURES) if kind.name == name)
        not_installed(need, name)


def _of(kinds: list[Kind], name: object) -> Kind | None:
    text = os.fsdecode(name) if isinstance(name, str | os.PathLike) else ""
    return next((kind for kind in kinds if re.fullmatch(kind.names, text, re.DOTALL)), None)


def store_of(name: object) -> Store:
    """Give the store that a name belongs to."""
    kind = _of(STORES, name)
    store: Store = DISK if kind is None else package(kind.name).STORE
    return store


def on_disk(name: object) -> bool:
    """Say whether a name is that of a file on a disk, and of no other store."""
    return _of(STORES, name) is None


def in_database(name: object) -> bool:
    """Say whether a name is that of a collection of a database."""
    kind = _of(STORES, name)
    return kind is not None and kind.is_database


def databases(*names: object) -> list[Store]:
    """Give the databases of the collections among some names, each once."""
    return list(dict.fromkeys(map(store_of, filter(in_database, names))))


def format_of(path: str) -> Kind | None:
    """Give the kind of a file that is read by a package of its own; None of others."""
    return _of(FORMATS, path)


def is_whole(path: str) -> bool:
    """Say whether a file is one record that a package of its own reads."""
    kind = format_of(path)
    return kind is not None and kind.is_whole


def is_picture(path: str) -> bool:
    """Say whether a file is a picture by its ending."""
    return _of([PICTURES], path) is not None


@dataclass(frozen=True, slots=True)
class StoreName(os.PathLike[str]):
    """A name among paths that stays as it is; a path object would lose slashes of it."""

    name: str

    def __fspath__(self) -> str:
        """Give the name."""
        return self.name
