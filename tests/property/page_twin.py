"""The plain twin of `dom` schemes: the tree of another parser, and the definition of features and weights.

The package `justhtml` reads pages by the rules of the HTML standard and shares no line with the core. It reads about a
megabyte a second, in plain Python.
"""

import importlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any


@dataclass(frozen=True)
class Node:
    """An element: its path from the root in plain tags and in tags with classes, and whether a start tag made it."""

    tags: tuple[str, ...]
    classed: tuple[str, ...]
    own: bool


def root_of(html: str) -> Any:
    """The document, as browsers without scripts read it."""
    made = importlib.import_module("justhtml").JustHTML(
        html, sanitize=False, track_node_locations=True, scripting_enabled=False
    )
    return made.root


def children(node: Any) -> list[Any]:
    """The elements in an element; the contents of a template are its children."""
    inside = getattr(node, "template_content", None) or node
    return [child for child in inside.children or [] if child.name[0] not in "#!"]


def first_place(node: Any) -> int | None:
    """The least place in the page of the contents of an element."""
    places, waiting = [], children(node)
    while waiting:
        child = waiting.pop()
        waiting += children(child)
        places += [] if child.origin_offset is None else [child.origin_offset]
    return min(places, default=None)


def is_own(node: Any, html: str, used: set[int]) -> bool:
    """Whether a start tag of this name made the element: formatting that is opened again has its first one's place.

    A tag `<html>`, `<head>` or `<body>` that comes behind what is in that element only adds attributes to it.
    """
    at = node.origin_offset
    if at is None or at in used or html[at + 1 : at + 1 + len(node.name)].lower() != node.name.lower():
        return False
    if node.name in ("html", "head", "body"):
        first = first_place(node)
        if first is not None and first < at:
            return False
    used.add(at)
    return True


def label(node: Any, html: str, *, own: bool) -> str:
    """The tag with its class names, each once and in order; those that a second `<html>` or `<body>` adds are not."""
    names = (node.attrs or {}).get("class") or ""
    brought = own and re.match("<[^>]*class", html[node.origin_offset :], re.IGNORECASE)
    if node.name in ("html", "body") and not brought:
        names = ""
    return ".".join((node.name, *sorted(set(filter(None, re.split("[ \t\n\f\r]", names))))))


@lru_cache(maxsize=128)
def nodes(html: str) -> list[Node]:
    """Every element in document order. An XML declaration at the start is a comment; this parser errs there."""
    html = re.sub(r"\A\s*<\?[^>]*>", "", html)
    return list(walk(html))


def walk(html: str) -> Iterator[Node]:
    """Every element in document order."""
    used: set[int] = set()
    waiting = [(node, (), ()) for node in reversed(children(root_of(html)))]
    while waiting:
        node, above, above_classed = waiting.pop()
        own = is_own(node, html, used)
        made = Node((*above, node.name), (*above_classed, label(node, html, own=own)), own)
        yield made
        waiting += [(child, made.tags, made.classed) for child in reversed(children(node))]  # type: ignore[misc]


@lru_cache(maxsize=256)
def counts(html: str, levels: int, *, classes: bool) -> dict[str, Counter[int]]:
    """For each feature in the order of the page how many of its elements stand at which depth."""
    found: defaultdict[str, Counter[int]] = defaultdict(Counter)
    for node in nodes(html):
        if node.own:
            found["/".join((node.classed if classes else node.tags)[-levels:])][len(node.tags)] += 1
    return found


def weights(html: str, levels: int, weight: str, decay: float, *, classes: bool) -> dict[str, int]:
    """The features with whole weights: from the root down, the number of elements times the power of their depth."""
    made = {}
    for text, depths in counts(html, levels, classes=classes).items():
        if weight == "once":
            made[text] = 1
            continue
        total = 0.0
        for depth in sorted(depths)[: 1 if weight == "nearest" else None]:
            total += (1 if weight == "nearest" else depths[depth]) * power(decay, depth)
        made[text] = round(total * 2**20)
    return {text: value for text, value in made.items() if value > 0}


@lru_cache(maxsize=10_000)
def power(decay: float, depth: int) -> float:
    """A power by repeated multiplication."""
    value = 1.0
    for _ in range(depth):
        value *= decay
    return value
