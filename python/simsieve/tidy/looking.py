"""The content of a folder or a file: kinds and counts, unread files and why, and the kind that the texts look like."""

import importlib.util
import json
import os
from collections import Counter, defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from simsieve.config.formats import DOCUMENTS, PAGES, has_records
from simsieve.config.kinds import KINDS
from simsieve.config.near_rows import DEFAULT_SIMILARITY
from simsieve.config.settings import DedupConfig
from simsieve.errors import SimsieveError
from simsieve.messages import tr
from simsieve.optional import EXTRAS
from simsieve.registry import is_picture, is_whole
from simsieve.results.hubs import kind_of
from simsieve.run.pipeline import run_dedup, say_nothing
from simsieve.screen import visible
from simsieve.sources.fields import first_fields
from simsieve.sources.folders import ending_of, is_hidden
from simsieve.sources.opening import open_source
from simsieve.tidy.moves import BESIDE_ENDING, LOG

_SOME = 100
"""Texts or records that are looked at."""
_NAMED = 5
"""Unread files of an ending and a reason that are named."""
_NEEDS = {".pdf": ("pypdfium2", "pdf"), ".rtf": ("striprtf", "rtf")}
_FIELDS = ("text", "body", "content", "question", "stem", "题干", "正文", "内容", "文本", "标题")
"""Names of fields that hold the text, the likeliest first."""


@dataclass(frozen=True)
class Look:
    """The files of a folder, or the fields of a file, by kind."""

    texts: tuple[Path, ...]
    pictures: tuple[Path, ...] = ()
    unread: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    fields: tuple[str, ...] = ()
    is_plain: bool = False

    def told(self) -> dict[str, Any]:
        """Give what the page shows."""
        kinds = Counter(ending_of(path.name.lower()) for path in (*self.texts, *self.pictures))
        return {
            "kinds": kinds.most_common(),
            "texts": len(self.texts), "pictures": len(self.pictures), "fields": self.fields,
            "unread": [
                [ending or "-", len(of), why, ", ".join(map(visible, of[:_NAMED])) + " ..." * bool(of[_NAMED:])]
                for (ending, why), of in sorted(self.unread.items(), key=lambda row: -len(row[1]))
            ],
        }  # fmt: skip

    def extract(self, kind: str | None) -> str:
        """Which part of pages is compared: markup is no text."""
        has_pages = any(path.name.lower().endswith(PAGES) for path in self.texts)
        return "main" if kind == "web" and has_pages else "text" if has_pages else "none"


def look_at(place: Path) -> Look:
    """List the files; links are not followed, so nothing outside is read."""
    if not place.is_dir():
        return Look((place,), fields=_fields_of(place) if has_records(place.name) else ())
    texts, pictures, unread = list[Path](), list[Path](), defaultdict[tuple[str, str], list[str]](list)
    link, moved = tr("a link: it may lead out of the folder"), tr("files that were moved there before")
    for folder, folders, names in os.walk(place):
        inside = os.path.relpath(folder, place)
        if linked := [os.path.join(inside, name) for name in folders if os.path.islink(os.path.join(folder, name))]:
            unread["", link] += map(os.path.normpath, linked)
        if away := [name for name in folders if _is_of_moves(folder, name)]:
            unread["", moved] += [os.path.normpath(os.path.join(inside, name)) for name in away]
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in away)
        for name in sorted(names):
            path, ending = Path(folder, name), ending_of(name.lower())
            if path.is_symlink() or not path.is_file():
                unread[ending, link].append(os.path.normpath(os.path.join(inside, name)))
            elif name == LOG:
                continue
            elif why := _why_not(path, ending):
                unread[ending, why].append(os.path.normpath(os.path.join(inside, name)))
            else:
                (pictures if is_picture(name) else texts).append(path)
    is_plain = not any(ending == ".mbox" or why in (link, moved, tr("an empty file")) for ending, why in unread)
    return Look(tuple(texts), tuple(pictures), dict(unread), is_plain=is_plain)


def _is_of_moves(folder: str, name: str) -> bool:
    """Whether a folder has what was moved out of the one beside it."""
    return name.endswith(BESIDE_ENDING) and os.path.lexists(os.path.join(folder, name.removesuffix(BESIDE_ENDING), LOG))


def _why_not(path: Path, ending: str) -> str:
    """Why a file is not read; empty where it is."""
    name = path.name
    module, extra = ("PIL", "pictures") if is_picture(name) else _NEEDS.get(ending, ("os", ""))
    if is_hidden(name):
        return tr("a hidden file")
    if not _is_installed(module):
        return tr("its reader is not installed: pip install {packages}", packages=EXTRAS[extra])
    if ending == ".mbox":
        return tr("a box of several mails, which are no files")
    if is_picture(name) or ending in DOCUMENTS or is_whole(name):
        return "" if os.path.getsize(path) else tr("an empty file")
    if has_records(name):
        return tr("a table or records: choose this file by itself")
    return tr("no kind of text that can be read")


@cache
def _is_installed(module: str) -> bool:
    """Whether a reader is there, looked for once."""
    return importlib.util.find_spec(module) is not None


def _fields_of(place: Path) -> tuple[str, ...]:
    """The fields of the first records, that of the text first: by its name, or by its length."""
    records = open_source(place).read(DedupConfig.from_settings({"limit": _SOME, "encoding": "auto"}))
    names = first_fields(records)
    lengths: Counter[str] = Counter()
    for line in records.objects(range(len(records))):
        # A line that is none is a failed record of the run.
        with suppress(ValueError):
            for name, value in (json.loads(line) if line else {}).items():
                lengths[name] += len(value) if isinstance(value, str) else 0
    usual = [name for name in _FIELDS if lengths[name]]
    first = usual[:1] or [name for name, _ in lengths.most_common(1)]
    return (*first, *(name for name in names if name not in first))


def proposal(look: Look) -> dict[str, Any]:
    """Give the kind that some of the texts look like, why, and the thresholds of all kinds."""
    count = len(look.texts)
    some = [look.texts[at * count // _SOME] for at in range(_SOME)] if count > _SOME else look.texts
    texts = _texts(look, some) if some else []
    found = kind_of(texts) if texts else None
    signs = {
        "web": tr("have tags of HTML"), "laws": tr("have articles or sections of a law"),
        "code": tr("have lines of a program"), "questions": tr("have options A to D"),
        "poems": tr("are verses of five or seven characters"), "short": tr("are shorter than 80 characters"),
    }  # fmt: skip
    why = tr("They look like no kind in particular: the usual settings are proposed.")
    if found is not None:
        why = tr("{count:,} of {read:,} texts {sign}.", count=found[1], read=len(texts), sign=signs[found[0]])
    if look.fields and len(texts) == _SOME:
        why += " " + tr("The first {read:,} records were looked at.", read=len(texts))
    elif not look.fields and count > len(texts) > 0:
        why += " " + tr("Of {all:,} texts {read:,} were looked at.", all=count, read=len(texts))
    limits = {name: settings.get("similarity", DEFAULT_SIMILARITY) for name, settings in KINDS.items()}
    return {"kind": "" if found is None else found[0], "why": why, "limits": {"": DEFAULT_SIMILARITY, **limits}}


def _texts(look: Look, some: Sequence[Path]) -> list[str]:
    """The texts of some files, or of some records of a file."""
    settings: dict[str, Any] = {"encoding": "auto", "sample": 0, "limit": _SOME}
    if look.fields:
        settings |= {"text_field": look.fields[:1]}
    elif look.texts[0].suffix.lower() != ".txt" or len(look.texts) > 1:
        settings |= {"each": "file"}
    try:
        config = DedupConfig.from_settings(settings)
        run, columns = run_dedup(list(some), config, warn=say_nothing, tell=say_nothing).with_sources()
        read = [at for at in range(len(columns)) if run.documents.failure(at) is None]
        return [run.documents.text(at) for at in read]
    except SimsieveError:
        # The run tells the fault.
        return []
