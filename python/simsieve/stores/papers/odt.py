"""The text of an OpenDocument file (`.odt`, ISO/IEC 26300), as a reader sees it.

Notes stand behind the text. Headers, comments, hidden and struck text, and what tracked changes have taken out are left
out.
"""

import posixpath
import re
import zipfile

from simsieve import _core
from simsieve.errors import TextError
from simsieve.stores.papers.packed import SMALL, content, parse, stamp, unpacked
from simsieve.stores.papers.text import Text, raised

_SIGNS = {"tab": "\t", "line-break": "\n", "s": " "}
_GONE = {
    "tracked-changes",
    "annotation",
    "ruby-text",
    "desc",
    "note-citation",
    "forms",
    "hidden-text",
    "hidden-paragraph",
}
_PARAGRAPHS = {"p", "h"}
_STYLED = {**dict.fromkeys(_PARAGRAPHS, "paragraph"), "span": "text", "a": "text"}
"""Elements with text, and the family of their styles."""
_Style = tuple[str, str]


def read(path: str, most_bytes: int) -> str:
    """Give the text of a file."""
    text = Text(most_bytes)
    with unpacked(path, "OpenDocument") as archive:
        manifest = "META-INF/manifest.xml"
        if manifest in archive.NameToInfo and b"encryption-data" in content(archive, manifest):
            raise TextError("is encrypted; save it without a password", code="unreadable")
        shown = _Shown(archive, text)
        if "styles.xml" in archive.NameToInfo:
            parse(archive, "styles.xml", SMALL, start=shown.style, end=shown.end)
        parse(archive, "content.xml", start=shown.start, end=shown.end, data=shown.data)
        for note in shown.notes:
            text.add(note)
    return str(text)


def _raised_by(position: str) -> str:
    """The tag of `super 58%`, `sub 58%` or a height such as `33% 58%`, below the line with a minus."""
    named = re.match(r"(super|sub)|(-?)[0-9.]*[1-9]", position)
    return "" if named is None else "sub" if named[1] == "sub" or named[2] else "sup"


class _Shown:
    """What a reader sees of the content."""

    def __init__(self, archive: zipfile.ZipFile, text: Text) -> None:
        self._archive, self._text = archive, text
        self._styles: dict[_Style, tuple[_Style, dict[str, str]]] = {}
        self._style: _Style = ("", "")
        # Of each open element: its name, whether its text is not shown, and how it is raised.
        self._open: list[tuple[str, bool, str]] = [("", False, "")]
        self._gone = self._paragraphs = 0
        self.notes: list[str] = []
        self._note: Text | None = None

    def style(self, name: str, values: dict[str, str]) -> None:
        """Note the properties of styles."""
        if name == "style":
            family = values.get("family", "")
            self._style = (family, values.get("name", ""))
            self._styles[self._style] = ((family, values.get("parent-style-name", "")), {})
        elif name == "text-properties" and self._style in self._styles:
            self._styles[self._style][1].update(values)
        self._open.append((name, False, ""))

    def _says(self, style: _Style) -> dict[str, str]:
        found: dict[str, str] = {}
        for _ in range(16):
            above, says = self._styles.get(style, (("", ""), {}))
            found, style = {**says, **found}, above
        return found

    def start(self, name: str, values: dict[str, str]) -> None:
        """Begin an element."""
        above = self._open[-1]
        if name in ("style", "text-properties"):
            self.style(name, values)
            return
        says = self._says((_STYLED[name], values.get("style-name", ""))) if name in _STYLED else {}
        is_title = name == "title" and above[0] not in _STYLED
        is_struck = says.get("text-line-through-style", "none") != "none"
        is_hidden = says.get("display") == "none" or (name == "section" and values.get("display") == "none")
        is_gone = name in _GONE or is_title or is_struck or is_hidden
        tag = _raised_by(says.get("text-position", "")) or above[2]
        self._open.append((name, is_gone, tag))
        self._gone += is_gone
        self._paragraphs += name in _PARAGRAPHS
        if self._gone:
            return
        if name in _SIGNS and above[0] in _STYLED:
            self._into.add(_SIGNS[name] * min(int(values.get("c", "1")), self._text.most + 1))
        elif name in ("image", "object") and "href" in values:
            self._drawn(name, values["href"].removeprefix("./"))
        elif name == "note-body" and self._note is None:
            self._note = Text(self._text.most)

    @property
    def _into(self) -> Text:
        return self._text if self._note is None else self._note

    def _drawn(self, name: str, part: str) -> None:
        """Write a formula, or note a picture."""
        inside = posixpath.join(part, "content.xml")
        if name == "object" and inside in self._archive.NameToInfo:
            formula = content(self._archive, inside).replace(b"math:", b"")
            self._into.add(_core.page_text(formula) if b"<math" in formula else "")
        else:
            self._text.picture(stamp(self._archive, part))

    def end(self, name: str) -> None:
        """End the innermost element."""
        _, is_gone, _ = self._open.pop()
        if name in _PARAGRAPHS:
            self._paragraphs -= 1
            self._into.add("" if self._gone else "\n")
        self._gone -= is_gone
        if name == "note-body" and self._note is not None:
            self.notes.append(f"{self._note}\n")
            self._text.check(sum(map(len, self.notes)))
            self._note = None

    def data(self, data: str) -> None:
        """Add text."""
        name, _, tag = self._open[-1]
        if self._paragraphs and not self._gone and name not in _SIGNS:
            piece = data.replace("\n", " ")
            self._into.add(raised(piece, tag) if tag else piece)
