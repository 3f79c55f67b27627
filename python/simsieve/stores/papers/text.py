"""The text of a paper while it is read: no more of it than a record may have."""

from simsieve.errors import TextError
from simsieve.messages import Message


class Text:
    """Pieces of text, and their bytes."""

    def __init__(self, most_bytes: int) -> None:
        self._most, self._held = most_bytes, 0
        self._pieces: list[str] = []

    def add(self, piece: str) -> None:
        """Add a piece; too many are an error."""
        self._held += len(piece.encode(errors="replace"))
        if self._held > self._most:
            why = Message(
                "the text has more than {most:,} bytes; split it, or raise the limit with {@max_record_bytes}",
                most=self._most,
            )  # fmt: skip
            raise TextError(why, code="too_long")
        self._pieces.append(piece)

    def __str__(self) -> str:
        """Give the whole text."""
        return "".join(self._pieces)
