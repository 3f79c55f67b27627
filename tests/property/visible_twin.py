"""The plain twin of the visible text: the tree of lexbor, as browsers read pages, and the rules for what is shown."""

import importlib
import re
from typing import Any

HIDDEN = frozenset(
    "head script style template noscript iframe noembed noframes title datalist rp rt rtc mphantom audio video canvas "
    "del s strike".split()
)
BLOCKS = frozenset(
    "html body address article aside blockquote br caption center dd details dialog dir div dl dt fieldset figcaption "
    "figure footer form frame frameset h1 h2 h3 h4 h5 h6 header hgroup hr legend li listing main menu nav ol optgroup "
    "option p plaintext pre search section summary table tbody tfoot thead tr ul xmp".split()
)
APART = frozenset(("td", "th", "button", "select", "textarea"))
WITH_LINES = frozenset(("pre", "textarea", "listing", "xmp"))
_PLAIN = "0123456789+-−=()aehijklmnoprstuvx"
_FORMS = {"sup": "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾   ⁱ    ⁿ        ", "sub": "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₕ  ₖₗₘₙₒₚ ₛₜ  ₓ"}
LINE = "\1"
"""What stands for the end of a line, beside white space."""


def is_shown(node: Any) -> bool:
    """Whether an element is shown by its name; comments and document types are not."""
    return (node.tag is None or not node.tag.startswith(("-", "!"))) and node.tag not in HIDDEN


def hides_itself(node: Any) -> bool:
    """Whether the attributes of an element hide what is inside."""
    attributes = node.attributes or {}
    style = re.sub("[ \t\n\f\r]", "", attributes.get("style") or "").lower()
    return "hidden" in attributes or "display:none" in style


def raised(tag: str, text: str) -> str:
    """The text of `sup` and `sub`: digits above or below the line, and beside them signs and one letter."""
    start, words, end = re.fullmatch(r"([ \t\n\f\r\1]*)(.*?)([ \t\n\f\r\1]*)", text, re.DOTALL).groups()  # type: ignore[union-attr]
    digits, letters = (sum(test(sign) for sign in words) for test in (str.isdecimal, str.isalpha))
    if letters > 1 and not digits:
        return text
    forms = dict(zip(_PLAIN, _FORMS[tag], strict=True))
    known = {sign: forms[sign] for sign in words if forms.get(sign, " ") != " " and (letters < 2 or sign.isdecimal())}
    out = "".join(known.get(sign, sign) for sign in words)
    if (
        digits
        and any(sign.isalpha() and sign not in known for sign in words)
        and words[0].isalnum()
        and words[-1].isalnum()
    ):
        out = forms["("] + out + forms[")"]
    return start + out + end


def parts(node: Any, *, lines: bool, inside_of: str = "") -> str:
    """The text of a node with marks around what stands on lines of its own or apart."""
    if node.tag == "-text":
        text = node.text_content or ""
        return text.replace("\n", LINE) if lines else text
    if not is_shown(node):
        return ""
    if node.tag == "img":
        alt = (node.attributes or {}).get("alt") or ""
        return f" {alt} " if any(sign.isnumeric() or sign in r"\^=<>" for sign in alt) else ""
    edge = LINE if node.tag in BLOCKS else " " if node.tag in APART else ""
    inside, child = [], None if hides_itself(node) else node.child
    while child is not None:
        inside.append(
            parts(child, lines=lines or node.tag in WITH_LINES, inside_of=inside_of or _FORMS.get(node.tag, ""))
        )
        child = child.next
    text = "".join(inside)
    if node.tag in _FORMS:
        text = ("^" if node.tag == "sup" else "_") + text if inside_of else raised(node.tag, text)
    return edge + text + edge


def visible(html: str) -> str:
    """The text that is shown: a line for each block, and one space for white space."""
    marked = parts(importlib.import_module("selectolax.lexbor").LexborHTMLParser(html).root, lines=False)
    found = (" ".join(filter(None, re.split("[ \t\n\f\r]", line))) for line in marked.split(LINE))
    return "\n".join(filter(None, found))
