"""What the core calls for the texts of papers, which are files of other programs, such as those of Word."""

import json
import os
from collections.abc import Mapping

from simsieve.errors import ConfigError, TextError
from simsieve.messages import Message
from simsieve.registry import PAPERS, package

ENDINGS = [f".{ending}" for ending in PAPERS]
Read = tuple[str | None, str, str, str]
"""A text, or None, a code and the reason as JSON of its message; and what its name has behind that of the file."""


class PaperReader:
    """Reads papers, and notes what of them is no text. The package that reads them is loaded with the first."""

    def __init__(self, most_bytes: int, copies: Mapping[str, str]) -> None:
        self._most = most_bytes
        self._names = {place: name for name, place in copies.items()}
        self.pictures = self.blank = 0
        self.has_pages = False

    def __call__(self, path: os.PathLike[str]) -> list[Read]:
        """Give the texts of a file; one that cannot be used is a failed record, and the run goes on."""
        place = os.fspath(path)
        name = self._names.get(place, place)
        found: list[Read] = []
        try:
            for paper in package("papers").read(name, place, self._most):
                if isinstance(paper, TextError):
                    found.append((None, paper.code, _reason(paper.why), f":{len(found) + 1}"))
                else:
                    self.pictures += paper.pictures
                    self.blank += paper.is_blank
                    found.append((paper.text.encode(errors="replace").decode(), "", "", paper.part))
        except TextError as error:
            return [(None, error.code, _reason(error.why), "")]
        except ConfigError as error:
            # What reads it is not installed: of a folder the other files are read.
            return [(None, "unreadable", _reason(error.message), "")]
        self.has_pages |= name.lower().endswith(".pdf")
        return found


def _reason(why: str) -> str:
    """A message as the core reads it, with its template and values, by which it is translated."""
    return json.dumps(why.as_json() if isinstance(why, Message) else why)
