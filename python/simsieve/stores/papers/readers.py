"""What reads each kind of paper, by the ending of its name."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from simsieve.errors import TextError
from simsieve.stores.papers import pdf, word


@dataclass(frozen=True, slots=True)
class Paper:
    """A record of a file: its text, what tells it from others of the file, and how many of its pages are pictures."""

    text: str
    part: str = ""
    pictures: int = 0


def _pdf(path: str, most_bytes: int) -> Iterator[Paper]:
    text, pictures = pdf.read(path, most_bytes)
    yield Paper(text, pictures=pictures)


def _word(path: str, most_bytes: int) -> Iterator[Paper]:
    yield Paper(word.read(path, most_bytes))


READERS: dict[str, Callable[[str, int], Iterator[Paper | TextError]]] = {".docx": _word, ".docm": _word, ".pdf": _pdf}
"""Each takes a path and the most bytes of a text, and gives the records of a file, or why one of several fails.

Why a whole file fails is raised."""


def read(name: str, path: str, most_bytes: int) -> Iterator[Paper | TextError]:
    """Read the records of a file by the ending of its name."""
    return READERS[os.path.splitext(name.lower())[1]](path, most_bytes)
