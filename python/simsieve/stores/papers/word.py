"""The text of a Word file (`.docx`, ECMA-376): a ZIP archive, in which the document is XML.

What a reader sees is read, in the order of the file: paragraphs, tables, text boxes, then footnotes and endnotes.
Headers, comments, hidden and struck text, and what tracked changes have taken out are left out.
"""

import html
import io
import posixpath
import re
import zipfile
from collections.abc import Callable
from typing import Any

from simsieve import _core
from simsieve.config.formats import PAGES
from simsieve.errors import TextError
from simsieve.messages import Message
from simsieve.stores.papers.packed import SMALL, Related, content, parse, relations, stamp, unpacked
from simsieve.stores.papers.text import Text, raised

_BRACKETS = (("beg", "("), ("sep", "|"), ("end", ")"))
_TOKEN = re.compile(r"(?P<mn>\d+(?:[.,]\d+)*)|(?P<mi>\w)|(?P<mo>\S)")


class _Parts:
    """An element that is open: what its properties say, and its finished parts by their names."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.says: dict[str, str] = {}
        self.parts: list[tuple[str, str]] = []

    def all(self) -> str:
        return "".join(made for _, made in self.parts)

    def one(self, name: str) -> str:
        return _row("".join(made for part, made in self.parts if part == name))


def _row(made: str, tag: str = "mrow") -> str:
    return f"<{tag}>{made}</{tag}>"


def _sign(sign: str) -> str:
    return _row(html.escape(sign), "mo")


def _of(tag: str, *names: str) -> Callable[[_Parts], str]:
    return lambda open_: _row("".join(map(open_.one, names)), tag)


def _fraction(open_: _Parts) -> str:
    if open_.says.get("type") == "noBar":
        return _sign("(") + open_.one("num") + _sign("¦") + open_.one("den") + _sign(")")
    return _of("mfrac", "num", "den")(open_)


def _root(open_: _Parts) -> str:
    has_index = any(name == "deg" and made for name, made in open_.parts)
    return _of("mroot", "e", "deg")(open_) if has_index else _of("msqrt", "e")(open_)


def _sum(open_: _Parts) -> str:
    sign = _sign(open_.says.get("chr") or "∫")
    return _row(sign + open_.one("sub") + open_.one("sup"), "munderover") + open_.one("e")


def _brackets(open_: _Parts) -> str:
    begin, between, end = (open_.says.get(f"{name}Chr", usual) for name, usual in _BRACKETS)
    return _sign(begin) + _sign(between).join(_row(made) for _, made in open_.parts) + _sign(end)


def _accent(usual: str) -> Callable[[_Parts], str]:
    def made(open_: _Parts) -> str:
        is_below = open_.says.get("pos", "top" if open_.name == "acc" else "bot") == "bot"
        return _row(open_.one("e") + _sign(open_.says.get("chr") or usual), "munder" if is_below else "mover")

    return made


_FORMS: dict[str, Callable[[_Parts], str]] = {
    "f": _fraction,
    "sSup": _of("msup", "e", "sup"),
    "sSub": _of("msub", "e", "sub"),
    "sSubSup": _of("msubsup", "e", "sub", "sup"),
    "sPre": lambda open_: _row("<mrow/>" + open_.one("sub") + open_.one("sup"), "msubsup") + open_.one("e"),
    "rad": _root,
    "nary": _sum,
    "d": _brackets,
    "limLow": _of("munder", "e", "lim"),
    "limUpp": _of("mover", "e", "lim"),
    "acc": _accent("^"),
    "bar": _accent("¯"),
    "groupChr": _accent("⏟"),
    "phant": lambda open_: "" if open_.says.get("show") in ("0", "off", "false") else open_.all(),
    "eqArr": lambda open_: _row("".join(_row(_row(made, "mtd"), "mtr") for _, made in open_.parts), "mtable"),
    "m": lambda open_: _row(open_.all(), "mtable"),
    "mr": lambda open_: _row("".join(_row(made, "mtd") for _, made in open_.parts), "mtr"),
}
"""How the elements are written that are more than their parts in a row."""


class Formula:
    """A formula while it is read."""

    def __init__(self) -> None:
        self._open = [_Parts("oMath")]
        self.bytes = 0

    def start(self, name: str, values: dict[str, str]) -> None:
        """Begin an element."""
        above = self._open[-1]
        if above.name.endswith("Pr"):
            self._open[-2].says[name] = values.get("val", "1")
        self._open.append(_Parts(name))

    def data(self, data: str) -> None:
        """Add signs, each number and letter as an element of its own."""
        self.bytes += len(data.encode(errors="replace"))
        for found in _TOKEN.finditer(data):
            self._open[-1].parts.append(("t", _row(html.escape(found[0]), found.lastgroup or "mo")))

    def end(self) -> bool:
        """End the innermost element; say whether it is one of the formula."""
        if len(self._open) == 1:
            return False
        ended = self._open.pop()
        if not ended.name.endswith("Pr"):
            self._open[-1].parts.append((ended.name, _FORMS.get(ended.name, _Parts.all)(ended)))
        return True

    def __str__(self) -> str:
        """Give the formula in a line."""
        return _core.page_text(_row(self._open[0].all(), "math")).replace("\n", " ")


_SYMBOL = (
    " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼",
    "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑",
)
_FONTS = {
    "symbol": {
        **{0x20 + at: sign for at, sign in enumerate(_SYMBOL[0])},
        **{0xA0 + at: sign for at, sign in enumerate(_SYMBOL[1])},
    },
    "wingdings": dict(zip(b"lno\x9f\xa7\xa8\xdf\xe0\xfb\xfc\xfd\xfe", "●■□•▪◻←→✗✓☒☑", strict=True)),
    "wingdings 2": dict(zip(b"OPQR\xa3", "✗✓☒☑□", strict=True)),
}
_PRIVATE = 0xF000
"""Such fonts are in the private part of Unicode, from here on."""


def sign_of(font: str, code: str) -> str:
    """Give the sign of a code in hexadecimal digits, as far as the font is known; else the character of the code."""
    number = int(code, 16)
    if number >> 16 or number in range(0xD800, 0xE000):
        raise ValueError(f"a symbol has the code {code}")
    known = _FONTS.get(font.lower(), {})
    return known.get(number - _PRIVATE if number >= _PRIVATE else number, chr(number) if number else "")


_SIGNS = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_GONE = {"moveFrom", "del", "rt", "rPrChange", "pPrChange", "delInstrText"}
"""Elements whose text is not shown, or stands in another place too."""
_BLOCKS = {"tc", "txbxContent", "footnote", "endnote", "body"}
_TOGGLES = {"vanish", "strike", "dstrike"}
"""Properties that a style of characters turns round if the style of the paragraph has them."""
_PROPERTIES = {*_TOGGLES, "vertAlign"}
_RAISED = {"superscript": "sup", "subscript": "sub"}
_PICTURES = {"blip": ("embed", "link"), "imagedata": ("id",), "chart": ("id",)}
"""Elements that show a picture, and the attributes with its relationship."""
_MOST_BASES = 16
"""Word allows eleven styles that are based on one another."""
_MOST_CODE = 1 << 12
_EQUATIONS = [
    # A sound above its character, in the form of before `ruby`.
    (re.compile(r"\\o\s*\\a[a-z]\(\\s\\up\s*\d+\([^()]*\),([^()]*)\)"), r"\1"),
    (re.compile(r"\\f\(([^(),;]*)[,;]([^(),;]*)\)"), r"\1/\2"),
    (re.compile(r"\\\*\s*\S+\s*(\"[^\"]*\")?|^\s*EQ\s", re.IGNORECASE), ""),
]
"""The text of the code of an equation field: fractions, and base characters; the rest as it is."""


def read(path: str, most_bytes: int) -> str:
    """Give the text of a file."""
    text = Text(most_bytes)
    with unpacked(path, "Word") as archive:
        _read(archive, text, is_inside=False)
    return str(text)


def _read(archive: zipfile.ZipFile, text: Text, *, is_inside: bool) -> None:
    named = relations(archive, "").values()
    main = next((one.target for one in named if one.kind == "officeDocument"), "word/document.xml")
    parts = relations(archive, main)

    def related(kind: str) -> str:
        usual = posixpath.join(posixpath.dirname(main), f"{kind}.xml")
        return next((one.target for one in parts.values() if one.kind == kind), usual)

    styles = _styles(archive, related("styles"))
    for part in (main, *(note for note in map(related, ("footnotes", "endnotes")) if note in archive.NameToInfo)):
        _Shown(archive, text, styles, relations(archive, part), is_inside=is_inside).parse(part)


class _Styles:
    """The properties of styles, by their ids."""

    def __init__(self) -> None:
        self.based: dict[str, str] = {}
        self.says: dict[str, dict[str, str]] = {}
        self.usual = ""
        self._whole: dict[str, dict[str, str]] = {}

    def of(self, style: str) -> dict[str, str]:
        """Give what a style says, and what it is based on."""
        if style in self.says and style not in self._whole:
            found: dict[str, str] = {}
            above = style
            for _ in range(_MOST_BASES):
                found = {**self.says.get(above, {}), **found}
                above = self.based.get(above, "")
            self._whole[style] = found
        return self._whole.get(style, {})


def _styles(archive: zipfile.ZipFile, part: str) -> _Styles:
    styles, path, style = _Styles(), [""], ""

    def start(name: str, values: dict[str, str]) -> None:
        nonlocal style
        if name == "style":
            style = values.get("styleId", "")
            styles.says[style] = {}
            if values.get("type") == "paragraph" and _is_on(values.get("default", "0")):
                styles.usual = style
        elif name == "basedOn":
            styles.based[style] = values.get("val", "")
        elif path[-2:] == ["style", "rPr"] and name in _PROPERTIES:
            styles.says[style][name] = values.get("val", "1")
        path.append(name)

    if part in archive.NameToInfo:
        parse(archive, part, SMALL, start=start, end=lambda _: path.pop())
    return styles


def _is_on(value: str) -> bool:
    return value not in ("0", "false", "off")


class _Run:
    """A run, or a paragraph: what it says of its text, and its style."""

    def __init__(self, style: str = "") -> None:
        self.style = style
        self.says: dict[str, str] = {}
        self.is_hidden = False
        self.tag = ""


class _Shown:
    """What a reader sees of one part."""

    def __init__(
        self, archive: zipfile.ZipFile, text: Text, styles: _Styles, related: dict[str, Related], *, is_inside: bool
    ) -> None:
        self._archive, self._text, self._styles = archive, text, styles
        self._relations, self._is_inside = related, is_inside
        self._path = [""]
        self._runs: list[_Run] = []
        self._paragraphs: list[_Run] = []
        self._choices: list[list[int]] = []
        self._gone = self._hidden = 0
        self._joined = False
        self._formula: Formula | None = None
        self._code = ""
        self._field: dict[str, Any] = {}

    def parse(self, part: str) -> None:
        """Read a part."""
        parse(self._archive, part, start=self._start, end=self._end, data=self._data)

    @property
    def _is_shown(self) -> bool:
        return not self._gone and not self._hidden

    def _start(self, name: str, values: dict[str, str]) -> None:
        above = self._path[-1]
        self._path.append(name)
        if name == "AlternateContent":
            self._choices.append([])
        if self._is_gone(name, above):
            self._gone += 1
            self._path[-1] = f"-{name}"
        elif name in ("Choice", "Fallback") and self._choices:
            self._choices[-1].append(self._text.seen)
        if self._gone:
            return
        if name == "oMath" and self._formula is None:
            self._formula = Formula()
        elif self._formula is not None:
            self._formula.start(name, values)
        if name == "p":
            self._paragraphs.append(_Run(self._styles.usual))
        elif name == "r":
            self._runs.append(_Run())
            self._settle()
        elif above == "rPr":
            self._property(name, values)
        elif name == "pStyle" and self._paragraphs:
            self._paragraphs[-1].style = values.get("val", "")
        elif self._is_shown:
            self._see(name, values, above)

    def _is_gone(self, name: str, above: str) -> bool:
        if name in ("Choice", "Fallback") and self._choices:
            # The first one that shows anything is read.
            return any(seen < self._text.seen for seen in self._choices[-1])
        # A mark of a change to a paragraph's end or to a row is no text that was taken out.
        return name in _GONE and above not in ("rPr", "trPr")

    def _property(self, name: str, values: dict[str, str]) -> None:
        """Note a property of the run, or of the end of the paragraph."""
        owner = self._path[-3]
        if owner == "r" and self._runs:
            if name == "rStyle":
                self._runs[-1].style = values.get("val", "")
                self._settle()
            elif name in _PROPERTIES:
                self._runs[-1].says[name] = values.get("val", "1")
                self._settle()
        elif owner == "pPr" and self._paragraphs and name in ("vanish", "specVanish", "del"):
            self._paragraphs[-1].is_hidden |= _is_on(values.get("val", "1"))

    def _settle(self) -> None:
        """Decide whether the innermost run is hidden or raised."""
        run = self._runs[-1]
        of_paragraph = self._styles.of(self._paragraphs[-1].style) if self._paragraphs else {}
        of_run = self._styles.of(run.style)
        if not (of_paragraph or of_run or run.says):
            return
        turned = [_is_on(run.says[name]) if name in run.says else _is_on(of_paragraph.get(name, "0"))
                  != _is_on(of_run.get(name, "0")) for name in _TOGGLES]  # fmt: skip
        self._hidden += any(turned) - run.is_hidden
        run.is_hidden = any(turned)
        run.tag = _RAISED.get({**of_paragraph, **of_run, **run.says}.get("vertAlign", ""), "")

    def _see(self, name: str, values: dict[str, str], above: str) -> None:
        """Write what an element shows by itself."""
        if name in _SIGNS and above in ("r", "p"):
            self._text.add(_SIGNS[name])
        elif name == "sym":
            self._data_shown(sign_of(values.get("font", ""), values.get("char", "")))
        elif name in _PICTURES:
            for found in filter(None, (self._relations.get(values.get(one, "")) for one in _PICTURES[name])):
                self._text.picture(found.target if found.is_outside else stamp(self._archive, found.target))
        elif name == "relIds" and values.get("dm") in self._relations:
            # The text of a drawn list or chart of boxes is in a part of its own, which is read once.
            found = self._relations.pop(values["dm"])
            if found.target in self._archive.NameToInfo:
                _Shown(self._archive, self._text, self._styles, {}, is_inside=True).parse(found.target)
        elif name == "altChunk":
            self._chunk(values.get("id", ""))
        elif name == "fldChar":
            self._end_code()
        else:
            self._choose(name, values, above)

    def _choose(self, name: str, values: dict[str, str], above: str) -> None:
        """Note what a list or a box of a form has."""
        if name in ("ddList", "checkBox"):
            self._field = {"entries": []}
        elif above in ("ddList", "checkBox"):
            value = values.get("val", "1")
            if name == "listEntry":
                self._field["entries"].append(value)
            else:
                self._field[name] = value

    def _end(self, name: str) -> None:
        path = self._path.pop()
        if path.startswith("-"):
            self._gone -= 1
            return
        if name == "AlternateContent":
            self._choices.pop()
        if self._gone:
            return
        if self._formula is not None and not self._formula.end():
            formula, self._formula = str(self._formula), None
            self._text.add(formula)
        if name == "r" and self._runs:
            self._hidden -= self._runs.pop().is_hidden
        elif name == "p":
            self._joined = bool(self._paragraphs) and self._paragraphs.pop().is_hidden
            if not self._joined:
                self._text.add("\n")
        elif name in _BLOCKS and self._joined:
            self._joined = False
            self._text.add("\n")
        elif name in ("ddList", "checkBox") and self._is_shown:
            self._end_field(name)

    def _end_field(self, name: str) -> None:
        """Write what a list or a box of a form shows."""
        field, self._field = self._field, {}
        if name == "checkBox":
            self._text.add("☒" if _is_on(field.get("checked", field.get("default", "0"))) else "☐")
            return
        chosen = field.get("result", field.get("default", "0"))
        if chosen.isdecimal() and int(chosen) < len(field["entries"]):
            self._text.add(field["entries"][int(chosen)])

    def _end_code(self) -> None:
        """Write the code of a field that is an equation, which has no other text."""
        code, self._code = self._code, ""
        if code.strip()[:3].upper() == "EQ ":
            for pattern, form in _EQUATIONS:
                code = pattern.sub(form, code)
            self._text.add(code.strip())

    def _data(self, data: str) -> None:
        if not self._is_shown:
            return
        if self._path[-1] == "t":
            self._data_shown(data)
        elif self._path[-1] == "instrText":
            self._code = (self._code + data)[:_MOST_CODE]

    def _data_shown(self, data: str) -> None:
        if self._formula is not None:
            self._formula.data(data)
            self._text.check(self._formula.bytes)
        elif self._runs and self._runs[-1].tag:
            self._text.add(raised(data, self._runs[-1].tag))
        else:
            self._text.add(data)

    def _chunk(self, name: str) -> None:
        """Read a file of another format that Word takes in when it opens the document."""
        found = self._relations.pop(name, None)
        part = f"altChunk {name}".strip() if found is None else found.target
        ending = posixpath.splitext(part)[1].lower()
        readable = (*PAGES, ".txt") if self._is_inside else (*PAGES, ".txt", ".docx")
        if found is None or found.is_outside or ending not in readable:
            why = Message(
                "holds {part}, in a format that is not read inside Word: open it in Word and save it, so that Word "
                "takes it in",
                part=part,
            )
            raise TextError(why, code="unreadable")
        whole = content(self._archive, part, self._text.most)
        if ending == ".docx":
            with zipfile.ZipFile(io.BytesIO(whole)) as inner:
                _read(inner, self._text, is_inside=True)
        else:
            self._text.add((_core.page_text(whole) if ending in PAGES else whole.decode("utf-8-sig")) + "\n")
