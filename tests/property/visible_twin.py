"""The plain twin of the visible text: the tree of lexbor, as browsers read pages, and the rules for what is shown."""

import importlib
import re
from typing import Any

HIDDEN = frozenset(
    "head script style template noscript iframe noembed noframes title datalist rp audio video canvas".split()
)
BLOCKS = frozenset(
    "html body address article aside blockquote br caption center dd details dialog dir div dl dt fieldset figcaption "
    "figure footer form frame frameset h1 h2 h3 h4 h5 h6 header hgroup hr legend li listing main menu nav ol optgroup "
    "option p plaintext pre search section summary table tbody tfoot thead tr ul xmp".split()
)
APART = frozenset(("td", "th", "button", "select", "textarea"))
WITH_LINES = frozenset(("pre", "textarea", "listing", "xmp"))
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


def parts(node: Any, *, lines: bool) -> str:
    """The text of a node with marks around what stands on lines of its own or apart."""
    if node.tag == "-text":
        text = node.text_content or ""
        return text.replace("\n", LINE) if lines else text
    if not is_shown(node):
        return ""
    edge = LINE if node.tag in BLOCKS else " " if node.tag in APART else ""
    inside, child = [], None if hides_itself(node) else node.child
    while child is not None:
        inside.append(parts(child, lines=lines or node.tag in WITH_LINES))
        child = child.next
    return edge + "".join(inside) + edge


def visible(html: str) -> str:
    """The text that is shown: a line for each block, and one space for white space."""
    marked = parts(importlib.import_module("selectolax.lexbor").LexborHTMLParser(html).root, lines=False)
    found = (" ".join(filter(None, re.split("[ \t\n\f\r]", line))) for line in marked.split(LINE))
    return "\n".join(filter(None, found))
