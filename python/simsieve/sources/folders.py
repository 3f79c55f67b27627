"""The files of a folder that are read, the chosen one of several names of a file, and the files left out."""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from simsieve import _core
from simsieve.config.formats import DOCUMENTS, has_records, is_text
from simsieve.config.rows import FILE, LINE
from simsieve.config.settings import DedupConfig
from simsieve.errors import UnreadFilesWarning, not_read
from simsieve.messages import Message
from simsieve.registry import is_picture, is_whole, on_disk

_SHOWN = 5
"""Endings that a message names."""
HIDDEN, MORE = ".", "more"
"""The keys that count hidden files, whose ending says nothing, and files that are not listed."""
_WORDS = {"": "without an ending", HIDDEN: "hidden", MORE: "others"}


class Unread(Message):
    """The text of a warning of files that are not read."""

    category = UnreadFilesWarning


@dataclass
class LeftOut:
    """The files that are there and not read."""

    others: Counter[str] = field(default_factory=Counter)
    same: list[tuple[str, str | None]] = field(default_factory=list)
    count: int = 0
    records: Counter[str] = field(default_factory=Counter)
    where: str = ""
    pictures: int = 0
    blank: int = 0

    def with_records(self, records: _core.Records) -> "LeftOut":
        """Add what the core has left out of folders."""
        others, count, first = records.left_out
        named = [] if first is None else [(str(first[0]), None if first[1] is None else str(first[1]))]
        return replace(self, others=self.others + Counter(others), same=self.same + named, count=self.count + count)

    def tell(self, where: str, tell: Callable[[str], None], warn: Callable[[str], None]) -> None:
        """Tell the files that are read once, and warn of files that are not read, a line a kind."""
        if self.count:
            name, other = self.same[0]
            how = name if other is None else Message("{name}, which is {other}", name=name, other=other)
            more = "1 more name is" if self.count == 1 else Message("{count:,} more names are", count=self.count)
            tell(Message(
                "{where}: what is there twice is read once; {more} left out: {how}", where=where, more=more, how=how
            ))  # fmt: skip
        if self.pictures:
            warn(Unread(
                "{where}: {pictures:,} pages are pictures, as in a scan, and their text is not read: let a program "
                "such as ocrmypdf recognise it first",
                where=where, pictures=self.pictures,
            ))  # fmt: skip
        if self.blank:
            warn(Unread(
                "{where}: {blank:,} documents have no text, and are similar to nothing: look whether they are pictures "
                "of a text",
                where=where, blank=self.blank,
            ))  # fmt: skip
        if self.others:
            where = self.where or where
            total = self.others.total()
            warn(Unread(
                "{where}: {total:,} {verb} not read: {counts_by}; {advice}",
                where=where, total=total, verb="file is" if total == 1 else "files are",
                counts_by=counts_by(self.others), advice=self._advice(where),
            ))  # fmt: skip

    def _advice(self, where: str) -> Message:
        """What to do with files that are not read."""
        if not self.others.keys() - {HIDDEN}:
            return Message("rename those that are meant")
        known = sorted(filter(has_records, self.others), key=lambda ending: (-self.others[ending], ending))
        if known:
            patterns = " ".join(f"'{where}/**/*{ending}'" for ending in known[:_SHOWN])
            return Message("name {patterns} too", patterns=patterns)
        return Message("{@`suffix`} names the files that are")


def counts_by(counts: Counter[str], words: Mapping[str, str] = _WORDS) -> str:
    """List counts, the greatest first."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    shown = [f"{count:,} {words.get(name, name)}" for name, count in ordered[:_SHOWN]]
    rest = sum(count for _, count in ordered[_SHOWN:])
    return ", ".join([*shown, *([f"{rest:,} {words[MORE]}"] if rest else [])])


def once(paths: Iterable[str]) -> tuple[list[str], list[tuple[str, str | None]]]:
    """Give each file or folder once, links seen through: a name that is no link first, then the first one."""
    named: dict[object, list[str]] = {}
    for at, path in enumerate(paths):
        try:
            status = os.stat(path) if on_disk(path) else None
        except (OSError, ValueError):
            # The error is raised where the file is opened.
            named[at] = [path]
            continue
        named.setdefault(path if status is None else (status.st_dev, status.st_ino), []).append(path)
    kept = {key: min(names, key=_is_linked) for key, names in named.items()}
    same: list[tuple[str, str | None]] = []
    for key, names in named.items():
        rest = list(names)
        rest.remove(kept[key])
        same += [(name, kept[key]) for name in rest]
    return list(kept.values()), same


def _is_linked(path: str) -> bool:
    return on_disk(path) and os.path.realpath(path) != os.path.abspath(path)


def files_in(folder: str, config: DedupConfig | None) -> tuple[list[str], Counter[str]]:
    """Give the files of a folder that are read as files, and what else is there; none where it is read as a folder."""
    # A folder without documents is read file by file where it has files with records. Under `each` line its texts are.
    each = None if config is None else config.each
    suffixes = () if config is None else tuple(config.suffix)
    pictures = config is not None and config.has_pictures
    named = bool(suffixes) and each is None and not pictures
    if config is not None and (config.input_format is not None or each == FILE or named):
        return [], Counter()
    found: list[str] = []
    others: Counter[str] = Counter()
    failed: list[OSError] = []
    for path in files_below(folder, failed.append):
        name = os.path.basename(path)
        lower = name.lower()
        if is_hidden(name):
            others[HIDDEN] += 1
        elif pictures:
            if is_picture(name) and lower.endswith(suffixes or ""):
                found.append(path)
            else:
                others[ending_of(lower)] += 1
        elif each == LINE and (lower.endswith(suffixes) if suffixes else is_text(name)):
            found.append(path)
        elif each is None and lower.endswith(DOCUMENTS):
            return [], Counter()
        elif each is None and has_records(name) and not is_whole(name):
            found.append(path)
        else:
            others[ending_of(lower)] += 1
    if found and failed:
        raise not_read(folder, Message("the folder {filename}", filename=failed[0].filename), failed[0]) from failed[0]
    return (sorted(found), others) if found else ([], Counter())


def files_below(folder: str, failed: Callable[[OSError], None] | None = None) -> Iterator[str]:
    """Give all files below a folder; each folder is entered once, by a link only where there is no other way."""
    linked, entered = [folder], set()
    for top in linked:
        for place, folders, names in os.walk(top, onerror=failed):
            status = os.stat(place)
            if (status.st_dev, status.st_ino) in entered:
                folders.clear()
                continue
            entered.add((status.st_dev, status.st_ino))
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            linked += [path for name in folders if os.path.islink(path := os.path.join(place, name))]
            yield from (os.path.join(place, name) for name in sorted(names))


def is_hidden(name: str) -> bool:
    """Say whether a file is hidden, or is one that a program keeps beside others, such as the mark of an open document.

    The core has the same rule for the folders that it reads.
    """
    return name.startswith((".", "~$")) or name.lower() in ("thumbs.db", "desktop.ini")


def ending_of(name: str) -> str:
    """Give the end of a file's name; that of a compression has another before it."""
    stem, ending = os.path.splitext(name)
    return os.path.splitext(stem)[1] + ending if ending in (".gz", ".zst") else ending


def common_folder(paths: Sequence[str]) -> str:
    """Give the folder that files have in common, from which their names are counted."""
    try:
        return os.path.commonpath([os.path.dirname(path) for path in paths])
    except ValueError:
        # Some names are absolute, and some are not.
        return ""
