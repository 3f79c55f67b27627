"""What reads each kind of paper, by the ending of its name."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from simsieve.errors import TextError
from simsieve.optional import pdfium, striprtf
from simsieve.stores.papers import epub, mail, odt, pdf, rtf, word
from simsieve.stores.papers.text import words_of


@dataclass(frozen=True, slots=True)
class Paper:
    """A record of a file: its text, what tells it from others of the file, and how many of its pages are pictures."""

    text: str
    part: str = ""
    pictures: int = 0

    @property
    def is_blank(self) -> bool:
        """Whether it has no text, but pictures at most."""
        return not words_of(self.text).strip()


_Reader = Callable[[str, int], Iterator[Paper | TextError]]


def _whole(read_text: Callable[[str, int], str]) -> _Reader:
    """A reader of files that are one record."""

    def read(path: str, most_bytes: int) -> Iterator[Paper]:
        yield Paper(read_text(path, most_bytes))

    return read


def _pdf(path: str, most_bytes: int) -> Iterator[Paper]:
    text, pictures = pdf.read(path, most_bytes)
    yield Paper(text, pictures=pictures)


def _box(path: str, most_bytes: int) -> Iterator[Paper | TextError]:
    for number, found in enumerate(mail.read_box(path, most_bytes), 1):
        yield found if isinstance(found, TextError) else Paper(found, f":{number}")


READERS: dict[str, _Reader] = {
    ".docx": _whole(word.read),
    ".docm": _whole(word.read),
    ".eml": _whole(mail.read),
    ".epub": _whole(epub.read),
    ".mbox": _box,
    ".odt": _whole(odt.read),
    ".pdf": _pdf,
    ".rtf": _whole(rtf.read),
}
"""Each takes a path and the most bytes of a text, and gives the records of a file, or why one of several fails.

Why a whole file fails is raised."""
_NEEDS: dict[str, Callable[[], Any]] = {".pdf": pdfium, ".rtf": striprtf}


def check(name: str) -> None:
    """Check that the package is there which reads a file."""
    _NEEDS.get(_ending(name), str)()


def read(name: str, path: str, most_bytes: int) -> Iterator[Paper | TextError]:
    """Read the records of a file by the ending of its name."""
    return READERS[_ending(name)](path, most_bytes)


def _ending(name: str) -> str:
    return os.path.splitext(name.lower())[1]
