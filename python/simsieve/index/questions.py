"""Questions to a durable index: what is near a text, what it knows of an id, and what it keeps."""

import datetime as dt
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Unpack

from simsieve.checks import MOST, check_integer
from simsieve.config.settings import DedupConfig
from simsieve.config.typed import Settings
from simsieve.errors import ConfigError
from simsieve.index.answers import IndexDocument, IndexMatch, raw_id
from simsieve.index.upkeep import Upkeep
from simsieve.json_values import is_missing
from simsieve.run.against import SeenIndex, kept_rows
from simsieve.run.pipeline import run_pairs
from simsieve.text.checks import check_texts


class Questions(Upkeep):
    """What is asked of an index besides decisions."""

    def _config(self, settings: Mapping[str, Any]) -> DedupConfig:
        """The settings of a run on new records."""
        raise NotImplementedError

    def query(
        self, text: str, n: int = 10, *, date: str | dt.date | None = None, **settings: Unpack[Settings]
    ) -> list[IndexMatch]:
        """Find the kept documents that are near a text.

        Args:
            text: The text.
            n: Documents at most.
            date: Of an index with a window of time: leave out the documents whose dates are further from this one. By
                default all are looked at.
            **settings: As for `add`.

        Returns:
            At most `n` of them, the nearest first.

        Example:
            >>> import tempfile
            >>> from simsieve import Index
            >>> index = Index.create(f"{tempfile.mkdtemp()}/seen", [{"id": 7, "text": "the quick brown fox jumps"}])
            >>> [match.id for match in index.query("the quick brown fox jumped")]
            [7]
            >>> index.close()
        """
        n = check_integer("n", n, 1, MOST)
        if is_missing(text):
            # In a source it is a record without a text.
            check_texts([text])
        if date is not None and self.config.window is None:
            raise ConfigError("date {date} is given, and the index has no window of time: leave it out", date=date)
        # A text has no fields: it is compared with the documents of all blocks.
        no_fields: dict[str, Any] = {"window": None, "date_field": None, "block_by": (), "differ": (), "same": ()}
        config = replace(self._config(settings), **no_fields)
        seen = SeenIndex(self._open, self._open.seen_at(None if date is None else str(date)), "ignore", prepares=False)
        found = run_pairs([text], config, seen=seen)
        rows = sorted(enumerate(found), key=lambda row: (-(row[1].similarity or 0), row[1].distance or 0, row[0]))
        return [IndexMatch(pair.b, pair.similarity, pair.distance, found.texts(at)[1]) for at, pair in rows[:n]]

    def get(self, id: Any) -> str | None:
        """Give the text of the kept document with an id; None where there is none."""
        return self._open.text(raw_id(id))

    def find(self, id: Any) -> IndexDocument | None:
        """Give what the index knows of an id: the text, or whom its document was dropped for; None where it has none.

        Example:
            >>> import tempfile
            >>> from simsieve import Index
            >>> index = Index.create(f"{tempfile.mkdtemp()}/seen", [{"id": 7, "text": "the quick brown fox jumps"}])
            >>> _ = index.add_texts(["the quick brown fox jumped"], [8])
            >>> index.find(8).representative, index.find(9)
            (7, None)
            >>> index.close()
        """
        raw = raw_id(id)
        found = self._open.find(raw)
        if found is None:
            return None
        kept, of, similarity = found
        if kept:
            return IndexDocument(id, "kept", self._open.text(raw))
        return IndexDocument(id, "dropped", None, None if of is None else json.loads(of), similarity)

    def __contains__(self, id: object) -> bool:
        """Whether a document with this id is in the index, kept or dropped."""
        return self._open.find(raw_id(id)) is not None

    def __len__(self) -> int:
        """Count the kept documents."""
        return int(self._open.sizes["kept"])

    def __iter__(self) -> Iterator[tuple[Any, str]]:
        """Give id and text of every kept document, in order."""
        return ((id_, text) for id_, text, _ in kept_rows(self._open))
