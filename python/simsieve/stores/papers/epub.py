"""The text of a book (`.epub`, ISO/IEC 23736): pages of HTML in a ZIP archive, in the order in which they are read."""

import html
import posixpath
import re
from urllib.parse import unquote

from simsieve import _core
from simsieve.errors import TextError
from simsieve.stores.papers.packed import SMALL, content, parse, stamp, unpacked
from simsieve.stores.papers.text import Text

_LOCKS = "META-INF/encryption.xml"
_DRAWN = re.compile(rb"<(?:img|image)\b[^<>]*?\b(?:src|href)\s*=\s*[\"']([^\"'<>]+)|<path\b[^<>]*")
"""A picture by its file, or a line of a drawing."""
_PREFIX = re.compile(rb"(</?)[a-zA-Z][\w.-]*:(?=[a-zA-Z])")
"""The prefix of a namespace, as of `<m:math>`; a reader of HTML knows none."""


def read(path: str, most_bytes: int) -> str:
    """Give the text of a file."""
    text = Text(most_bytes)
    roots: list[str] = []
    named: dict[str, str] = {}
    order: list[str] = []
    locked: set[str] = set()

    def noted(name: str, values: dict[str, str]) -> None:
        if name == "rootfile":
            roots.append(values.get("full-path", ""))
        elif name == "item":
            named[values.get("id", "")] = unquote(values.get("href", ""))
        elif name == "itemref":
            order.append(values.get("idref", ""))
        elif name == "CipherReference":
            locked.add(unquote(values.get("URI", "")))

    with unpacked(path, "EPUB") as archive:
        parse(archive, "META-INF/container.xml", SMALL, start=noted)
        if not roots:
            raise ValueError("its container names no book")
        parse(archive, roots[0], SMALL, start=noted)
        # Fonts are locked in many books, and their text is not.
        if _LOCKS in archive.NameToInfo:
            parse(archive, _LOCKS, SMALL, start=noted)
        # A page is read once, however often a book may name it.
        for part in dict.fromkeys(named[one] for one in order if one in named):
            page = posixpath.normpath(posixpath.join(posixpath.dirname(roots[0]), part))
            if page in locked:
                raise TextError("is encrypted; save it without a password", code="unreadable")
            shown = _PREFIX.sub(rb"\1", content(archive, page))
            text.add(_core.page_text(shown) + "\n")
            for drawn in _DRAWN.finditer(shown):
                name = unquote(html.unescape(drawn[1].decode(errors="replace"))) if drawn[1] else ""
                place = posixpath.normpath(posixpath.join(posixpath.dirname(page), name))
                text.picture(stamp(archive, place) if name else drawn[0].decode(errors="replace"))
    return str(text)
