"""Verdicts of a table that are taken into a review: how a file that was sent is read, and what is said of it."""

import os
import re
import tempfile
from pathlib import Path

from simsieve.checks import shown
from simsieve.config.pair_rows import PairRow, cell_text
from simsieve.config.words import in_words
from simsieve.errors import ConfigError, SimsieveError
from simsieve.evaluate.pairs import judged_rows
from simsieve.messages import Message, tr
from simsieve.review.log import Entry
from simsieve.review.page import words
from simsieve.review.verdicts import Taken
from simsieve.screen import visible

_TABLES = (".csv", ".tsv", ".jsonl", ".json", ".parquet")
"""What a packed table unpacks to has no bound."""
_NAMED = 3
"""Pairs that are named."""


def sent_rows(name: str, content: bytes) -> list[PairRow]:
    """Read and check a table that a browser has sent; `name` says by its ending how it is written.

    Raises:
        ConfigError: It is no table of verdicts, or they contradict one another; the text names the row.
    """
    shown_name = visible(re.split(r"[/\\]", name)[-1][-100:])
    ending = next((one for one in _TABLES if name.lower().endswith(one)), None)
    if ending is None:
        raise ConfigError(
            "{name} is no table of verdicts: send a file in {endings}, not packed",
            name=shown(shown_name), endings=", ".join(_TABLES),
        )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"table{ending}")
        path.write_bytes(content)
        try:
            return judged_rows(os.fspath(path))
        except SimsieveError as error:
            # Who reads it knows the file by its name, and not this machine's folders.
            told = in_words(error.message).replace(os.fspath(path), shown_name)
            raise ConfigError(Message.of(told, "{message}", {"message": told})) from None


def taken_text(taken: Taken) -> str:
    """Say how many verdicts were taken over, and which ones were not."""
    text = tr("{count:,} verdicts are taken over; {known:,} were here before", count=taken.taken, known=taken.known)
    if not taken.left:
        return text
    names = ", ".join(_conflict(entry, known) for entry, known in taken.left[:_NAMED])
    more = len(taken.left) - _NAMED
    names += tr(" and {count:,} more", count=more) if more > 0 else ""
    left = tr("{count:,} say otherwise than this review, which stays as it is: {names}", count=len(taken.left),
              names=names)  # fmt: skip
    return f"{text}. {left}"


def _conflict(entry: Entry, known: Entry | None) -> str:
    a, b = (visible(cell_text(entry.naming[side])) for side in "ab")
    said = words()
    here = tr("undone") if known is None else said[known.verdict]
    return tr("{a} ~ {b} (here {here}, there {there})", a=a, b=b, here=here, there=said[entry.verdict])
