"""The text of a PDF file, read by PDFium."""

import ctypes
import os
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Any
from unicodedata import category

from simsieve.errors import TextError
from simsieve.messages import Message
from simsieve.optional import pdfium
from simsieve.sources.base import PAGE_END
from simsieve.stores.papers.text import Text, raised

_HYPHEN = re.compile("(.?)\ufffe(?:\r\n)?(.?)", re.DOTALL)
"""How PDFium gives a hyphen at the end of a line, behind which the word may go on."""
_DIGITS = re.compile(r"\S?\d+")
_SMALL, _MOVED = 0.85, 0.1
"""Parts of a character's height: that of a raised digit at most, and by how much it is moved at least."""
_PASSWORD = 1 << 13
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
                document.init_forms()
                for number in range(len(document)):
                    page = document[number]
                    found = "\n".join(filter(None, [_shown(library, page.get_textpage()), *_fields(library, page)]))
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


def _shown(library: Any, page: Any) -> str:
    """The text of a page in lines, without space at its ends."""
    text = _HYPHEN.sub(_joined, _with_raised(library, page, page.get_text_range()))
    return text.replace("\r\n", "\n").strip()


def _joined(cut: re.Match[str]) -> str:
    """A word that a hyphen cuts, whole; the hyphen stays before a capital, as of a name, and where nothing follows."""
    before, after = cut.groups()
    is_compound = not after.strip() or (after.isupper() and not before.isupper())
    return f"{before}-{after}" if is_compound else before + after


def _with_raised(library: Any, page: Any, text: str) -> str:
    """Write digits that are smaller and above or below the line as those of pages."""
    # PDFium counts in units of UTF-16.
    places: Sequence[int] = range(len(text) + 1)
    if text and max(text) > "\uffff":
        places = list(accumulate((1 + (sign > "\uffff") for sign in text), initial=0))
    if places[-1] != page.count_chars():
        return text

    def height(at: int) -> float:
        _, low, _, high = page.get_charbox(places[at], loose=True)
        return float(high - low)

    def line(at: int) -> float:
        x, y = ctypes.c_double(), ctypes.c_double()
        library.raw.FPDFText_GetCharOrigin(page, places[at], x, y)
        return y.value

    pieces, done = [], 0
    for found in _DIGITS.finditer(text):
        start, end = found.span()
        size, last = height(start), end - 1
        moved = 0.0 if height(last) > _SMALL * size else line(last) - line(start)
        if abs(moved) >= _MOVED * size:
            # Digits of the line do not follow a raised one.
            first = next(at for at in range(start, end) if height(at) <= _SMALL * size)
            pieces += [text[done:first], raised(text[first:end], "sup" if moved > 0 else "sub")]
            done = end
    return "".join([*pieces, text[done:]])


def _fields(library: Any, page: Any) -> Iterator[str]:
    """What the fields of a form show on a page, which is no text of the page, and what was typed on top of it."""
    raw, boxes = library.raw, ""
    kinds = {raw.FPDF_FORMFIELD_CHECKBOX, raw.FPDF_FORMFIELD_RADIOBUTTON}
    for number in range(raw.FPDFPage_GetAnnotCount(page)):
        note = raw.FPDFPage_GetAnnot(page, number)
        kind = raw.FPDFAnnot_GetSubtype(note)
        form = page.formenv
        if raw.FPDFAnnot_GetFlags(note) & (raw.FPDF_ANNOT_FLAG_HIDDEN | raw.FPDF_ANNOT_FLAG_NOVIEW):
            pass
        elif kind == raw.FPDF_ANNOT_FREETEXT:
            yield _value(raw.FPDFAnnot_GetStringValue, note, b"Contents")
        elif kind == raw.FPDF_ANNOT_WIDGET and form is not None:
            if raw.FPDFAnnot_GetFormFieldType(form, note) in kinds:
                boxes += "☒" if raw.FPDFAnnot_IsChecked(form, note) else "☐"
            elif not raw.FPDFAnnot_GetFormFieldFlags(form, note) & _PASSWORD:
                yield _value(raw.FPDFAnnot_GetFormFieldValue, form, note)
        raw.FPDFPage_CloseAnnot(note)
    yield boxes


def _value(call: Callable[..., int], *of: Any) -> str:
    """A text that PDFium writes into a buffer, whose length it gives."""
    size = call(*of, None, 0)
    buffer = ctypes.create_string_buffer(size)
    call(*of, ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), size)
    return buffer.raw.decode("utf-16-le", "replace").rstrip("\0").replace("\r\n", "\n").replace("\r", "\n").strip()


def _check(text: str, pictures: int) -> None:
    """Refuse a text that people can read and a program cannot."""
    signs = Counter(text)
    total = sum(count for sign, count in signs.items() if not sign.isspace())
    if not total and pictures:
        why = Message(
            "has no text: {pictures:,} of its pages are pictures; let a program such as ocrmypdf recognise the text",
            pictures=pictures,
        )
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
