"""The plain twin of the visible text: the tree of lexbor, as browsers read pages, and the rules for what is shown."""

import importlib
import re
from typing import Any

HIDDEN = frozenset(
    "head script style template noscript iframe noembed noframes title datalist rp audio video canvas".split()
)


def is_shown(node: Any) -> bool:
    """Whether an element is shown by its name and its own attributes; comments and document types are not."""
    attributes = node.attributes or {}
    style = re.sub("[ \t\n\f\r]", "", attributes.get("style") or "").lower()
    is_element = node.tag is None or not node.tag.startswith(("-", "!"))
    return is_element and node.tag not in HIDDEN and "hidden" not in attributes and "display:none" not in style


def visible(html: str) -> str:
    """The text that is shown; white space is as it is in the page."""
    parts, waiting = [], [importlib.import_module("selectolax.lexbor").LexborHTMLParser(html).root]
    while waiting:
        node = waiting.pop()
        if node.tag == "-text":
            parts.append(node.text_content or "")
        elif is_shown(node):
            inside, child = [], node.child
            while child is not None:
                inside.append(child)
                child = child.next
            waiting += reversed(inside)
    return "".join(parts)
