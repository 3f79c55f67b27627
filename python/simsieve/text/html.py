r"""From a page of HTML to its text, its main text, or a fingerprint of its structure.

    >>> extract_text("<h1>Caf&eacute;</h1><p>w<b>or</b>d<script>x()</script>")
    'Café\nword'

Every function takes a page as `str`, or as `bytes` with an optional `charset` (such as an HTTP header has it). Bytes
are decoded as browsers do: a byte order mark counts first, then `charset`, then the page's own `meta`. Else it is UTF-8
where the bytes are that, and a guess where they are not. Any page is taken, however broken; tags that are left out or
wrongly nested are put right by the rules of the HTML standard, section 13.2.

A page is refused with `TextError` where its bytes are no text, and where it has more than 1 GiB. It is refused too
where its tags are so misnested that a parser would have to invent more elements than a quarter of its bytes. A
`charset` that is not known is a `ConfigError`.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from simsieve import _core
from simsieve.checks import check_integer
from simsieve.errors import ConfigError
from simsieve.text.checks import lone_surrogates_named
from simsieve.types import Fingerprint

__all__ = [
    "DomFeature",
    "Element",
    "decode",
    "dom_features",
    "dom_fingerprint",
    "extract_main",
    "extract_text",
    "outline",
]

Made = TypeVar("Made")

DECAY = 0.45
"""The usual share that each level further from the root leaves of a weight."""

_MOST_LEVELS = 1000


class DomFeature(NamedTuple):
    """A feature of a page's structure: its text, the 64 bits of its hash, its weight.

    A decayed weight is a whole number of steps of 2^-20.

    Example:
        >>> DomFeature("html", 5, 471859).weight / 2**20 == 471859 / 2**20
        True
    """

    text: str
    hash: int
    weight: int


class Element(NamedTuple):
    """An element of a page: its depth (`html` at 1), its tag, and whether a start tag of the page made it.

    Example:
        >>> Element(3, "p", own=True).tag
        'p'
    """

    depth: int
    tag: str
    own: bool


def decode(html: bytes, charset: str | None = None) -> tuple[str, str]:
    """Decode a page's bytes.

    Args:
        html: The page.
        charset: The encoding that is declared for the page's bytes; None where none is.

    Returns:
        The text and the name of the encoding that was used. Bytes that are no character there become U+FFFD.

    Raises:
        ConfigError: The charset is not known.
        TextError: The bytes are no text; the code is `not_text`.

    Example:
        >>> decode(b"<meta charset=gbk>" + "中文".encode("gbk"))
        ('<meta charset=gbk>中文', 'GBK')
    """
    if not isinstance(html, bytes):
        raise TypeError(f"html is of type {type(html).__name__}: give bytes")
    return _core.page_decode(html, charset)


def extract_text(html: str | bytes, charset: str | None = None) -> str:
    r"""Extract all text of a page that a reader sees.

    Left out are scripts, styles, comments, templates, the head with its title, and elements with `hidden` or
    `style="display: none"`. Character references are resolved. Blocks are on lines of their own; cells and buttons
    are kept apart by a space, inline elements are not; runs of white space become one.

    Args:
        html: The page.
        charset: As in `decode`; for `bytes` only.

    Returns:
        The text, without white space at its ends; empty where nothing is shown.

    Raises:
        TypeError: The page is neither str nor bytes.
        ConfigError: The charset is not known.
        TextError: The page is refused, as the module says.

    Example:
        >>> extract_text("<table><tr><td>a<td>b<tr><td>c</table>")
        'a b\nc'
    """
    return _of_page(_core.page_text, html, charset)


def extract_main(html: str | bytes, charset: str | None = None) -> str:
    """Extract the main text of a page: without menus, headers, footers and lists of links.

    A rule of thumb: furniture is known by tag, role and the words of classes and ids. Then `main`, `article` or the
    deepest element with most of the text is taken. Blocks that are mostly links are left out of it. Link density:
    Kohlschütter et al., WSDM 2010, section 3.

    Args:
        html: The page.
        charset: As in `decode`; for `bytes` only.

    Returns:
        The text in lines as of `extract_text`, and the whole of that where nothing would be left.

    Raises:
        SimsieveError: As for `extract_text`; a page of another type is a TypeError too.

    Example:
        >>> extract_main("<nav><a href=/>Home</a></nav><p>What the page says.<footer>2020</footer>")
        'What the page says.'
    """
    return _of_page(_core.page_text, html, charset, main=True)


def outline(html: str | bytes, charset: str | None = None) -> list[Element]:
    """List every element of the tree that a page becomes, in document order.

    Args:
        html: The page.
        charset: As in `decode`; for `bytes` only.

    Returns:
        The elements. Those that no start tag made (an omitted `html` or `tbody`, formatting that is opened again) are
        there with `own` false; they are no features. The contents of a template are its children.

    Raises:
        SimsieveError: As for `extract_text`; a page of another type is a TypeError too.

    Example:
        >>> [element.tag for element in outline("<td>a") if element.own]
        []
    """
    return [Element(*row) for row in _of_page(_core.page_outline, html, charset)]


def dom_features(
    html: str | bytes,
    charset: str | None = None,
    *,
    levels: int = 1,
    classes: bool = False,
    weight: str = "sum",
    decay: float = DECAY,
    hash: str = "fnv1",
) -> list[DomFeature]:
    """Take the features of a page's structure.

    A feature is a tag, or the tags of several levels joined by `/`. Only elements of the page are features, but
    elements that the parser adds count for the depth and are in paths.

    Args:
        html: The page.
        charset: As in `decode`; for `bytes` only.
        levels: How many tags a feature has from the element upward, 0 to 1,000; 1 is the tag alone, 2 has its parent's
            before it, 0 is the whole path from the root.
        classes: Whether a tag has its class names with it, as `div.menu.open`.
        weight: `sum` (of decay to the power of the depth over all its elements), `nearest` (decay to the power of the
            depth of the element nearest to the root) or `once` (1).
        decay: Above 0 and at most 1.
        hash: `fnv1` or `xxh3`, of 64 bits.

    Returns:
        The features, sorted by text; those whose weight rounds to 0 are left out.

    Raises:
        SimsieveError: As for `extract_text`, and where another argument is not allowed.

    Example:
        >>> [(feature.text, feature.weight) for feature in dom_features("<p>a<p>b", levels=2, weight="once")]
        [('body/p', 1)]
    """
    arguments = (_levels(levels), classes, weight, _decay(decay), hash)
    return [DomFeature(*row) for row in _of_page(_core.page_features, html, charset, *arguments)]


def dom_fingerprint(
    html: str | bytes,
    charset: str | None = None,
    *,
    levels: int = 1,
    classes: bool = False,
    weight: str = "sum",
    decay: float = DECAY,
    hash: str = "fnv1",
    width: int = 64,
) -> Fingerprint | None:
    """Compute the fingerprint of a page's structure, whatever its words.

    The defaults are those of `dom64`: tags, each weighted by the sum of 0.45 to the power of the depth, FNV-1. For
    pages of one template `levels=2, classes=True, weight="nearest", decay=0.8, hash="xxh3"` is better by far, within
    17 of 64 bits or 37 of 128; docs/explanation/dom.md has the figures. Source: Charikar, STOC 2002, section 3.

    Args:
        html: The page.
        charset: As in `decode`; for `bytes` only.
        levels: As in `dom_features`.
        classes: As there.
        weight: As there.
        decay: As there.
        hash: As there; bits beyond 64 are mixed from its 64.
        width: Bits, 1 to 256.

    Returns:
        The fingerprint, or None where the page has no element of its own.

    Raises:
        SimsieveError: As for `extract_text`, and where another argument is not allowed.

    Example:
        >>> one, other = (dom_fingerprint(f"<html><body><p>{words}</p></body></html>") for words in ("a b", "c"))
        >>> one == other, dom_fingerprint("words alone") is None
        (True, True)
    """
    bits = check_integer("width", width, 1, 256)
    arguments = (_levels(levels), classes, weight, _decay(decay), hash)
    raw, digest = _of_page(_core.page_fingerprint, html, charset, *arguments, bits)
    named = (
        f"levels={levels},classes={'with' if classes else 'without'},weight={weight},decay={arguments[3]},hash={hash}"
    )
    spec = f"dom{bits}:{named}"
    return None if raw is None else Fingerprint(int.from_bytes(raw, "big"), bits, spec, digest)


def _of_page(work: Callable[..., Made], html: str | bytes, charset: str | None, *arguments: Any, **named: Any) -> Made:
    """What the core makes of a page; a lone surrogate in it is an error that names it."""
    with lone_surrogates_named([html] if isinstance(html, str) else []):
        return work(html, charset, *arguments, **named)


def _levels(levels: int) -> int:
    return check_integer("levels", levels, 0, _MOST_LEVELS)


def _decay(decay: float) -> float:
    if isinstance(decay, bool) or not isinstance(decay, int | float):
        raise ConfigError(
            "decay {decay!r} is not allowed: give a number above 0 and at most 1, such as {decay_2}",
            decay=decay, decay_2=DECAY,
        )  # fmt: skip
    return float(decay)
