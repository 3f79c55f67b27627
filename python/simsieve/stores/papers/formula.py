"""Formulas of Word (Office Math): they are written as MathML, whose text is that of formulas of pages."""

import html
import re
from collections.abc import Callable

from simsieve import _core

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
