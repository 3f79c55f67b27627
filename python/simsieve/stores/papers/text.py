"""The text of a paper while it is read: no more of it than a record may have."""

import hashlib
import html

from simsieve import _core
from simsieve.errors import TextError
from simsieve.messages import Message

_MARK = "\U000e0001"
"""What a picture's mark begins with; its digest follows in tag characters, as the core writes it of pages."""


class Text:
    """Pieces of text, their bytes, and the pictures between them."""

    def __init__(self, most_bytes: int) -> None:
        self.most, self._held = most_bytes, 0
        self._pieces: list[str] = []
        self._marks: list[str] = []
        self.seen = 0
        """Pieces and pictures that can be seen."""

    def add(self, piece: str) -> None:
        """Add a piece; too many are an error."""
        self._held += len(piece.encode(errors="replace"))
        self.check(self._held)
        self._pieces.append(piece)
        self.seen += not piece.isspace()

    def picture(self, stamp: str) -> None:
        """Note a picture by what tells it from others. Its mark is behind the text, so that places stay."""
        digest = hashlib.blake2b(stamp.encode(errors="replace"), digest_size=8).hexdigest()
        self._held += 68
        self.check(self._held)
        self._marks.append(_MARK + "".join(chr(0xE0000 + ord(digit)) for digit in digest))
        self.seen += 1

    def check(self, held: int) -> None:
        """Refuse more bytes than a record may have."""
        if held > self.most:
            why = Message(
                "the text has more than {most:,} bytes; split it, or raise the limit with {@max_record_bytes}",
                most=self.most,
            )
            raise TextError(why, code="too_long")

    @property
    def last(self) -> str:
        """The last piece."""
        return self._pieces[-1] if self._pieces else ""

    def __str__(self) -> str:
        """Give the whole text, and the marks of the pictures."""
        return "".join(self._pieces).strip("\n") + "".join(self._marks)


def words_of(text: str) -> str:
    """Give a text without the marks of its pictures, which are behind it."""
    return text.partition(_MARK)[0]


def raised(piece: str, tag: str) -> str:
    """Write a piece above (`sup`) or below (`sub`) the line, as the text of a page has it."""
    bare = piece.strip()
    return piece.replace(bare, _core.page_text(f"<{tag}>{html.escape(bare)}</{tag}>")) if bare else piece
