"""The text of a PDF file, read by PDFium."""

import os
import threading
from collections import Counter
from unicodedata import category

from simsieve.errors import TextError
from simsieve.messages import Message
from simsieve.optional import pdfium
from simsieve.sources.base import PAGE_END
from simsieve.stores.papers.text import Text

_CUT, _HYPHEN = "\ufffe\r\n", "\ufffe"
"""How PDFium gives the hyphen of a word that goes on in the next line, and one without a next line."""
_NO_MEANING = {"Cc", "Cn", "Co", "Cs"}
_ONE = threading.Lock()
"""PDFium works for one thread at a time."""


def read(path: str, most_bytes: int) -> tuple[str, int]:
    """Give the text of a file, and how many of its pages are pictures."""
    library = pdfium()
    text, pictures = Text(most_bytes), 0
    with _ONE:
        try:
            # A name that begins with ~ is that of a home to it.
            with library.PdfDocument(os.path.abspath(path)) as document:
                for number in range(len(document)):
                    page = document[number]
                    found = _shown(page.get_textpage().get_text_range())
                    is_picture = not found and any(page.get_objects([library.raw.FPDF_PAGEOBJ_IMAGE], max_depth=2))
                    pictures += is_picture
                    text.add(PAGE_END * (number > 0) + found)
                    page.close()
        except library.PdfiumError as error:
            if error.err_code == library.raw.FPDF_ERR_PASSWORD:
                raise TextError("is encrypted; save it without a password", code="unreadable") from error
            why = Message(
                "is no whole {kind} file ({error}); fetch or save it again", kind="PDF", error=str(error).rstrip(".")
            )
            raise TextError(why, code="unreadable") from error
    _check(str(text), pictures)
    return str(text), pictures


def _shown(text: str) -> str:
    """The text of a page in lines, without space at its ends."""
    return text.replace(_CUT, "").replace(_HYPHEN, "-").replace("\r\n", "\n").strip()


def _check(text: str, pictures: int) -> None:
    """Refuse what is no text for a program though people can read it."""
    signs = Counter(text)
    total = sum(count for sign, count in signs.items() if not sign.isspace())
    if not total and pictures:
        why = Message(
            "has no text: {pictures:,} of its pages are pictures; let a program such as ocrmypdf recognise the text",
            pictures=pictures,
        )  # fmt: skip
        raise TextError(why, code="not_text")
    if not total:
        raise TextError("has no text: its pages are empty", code="not_text")
    bad = sum(count for sign, count in signs.items() if not sign.isspace() and category(sign) in _NO_MEANING)
    if 2 * bad > total:
        why = Message(
            "does not say what its letters are: {bad:,} of {total:,} have no meaning; save it as PDF again where it "
            "was written, or let a program such as ocrmypdf recognise the text",
            bad=bad, total=total,
        )  # fmt: skip
        raise TextError(why, code="not_text")
