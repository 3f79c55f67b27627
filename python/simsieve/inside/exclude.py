"""Parts of a text in which a passage does not count: quotations and lists of references."""

import re
from collections.abc import Iterable, Sequence

Place = tuple[int, int]
"""The first code point of a part, and the one behind the last."""

QUOTES, REFERENCES = "quotes", "references"
KINDS = (QUOTES, REFERENCES)

_QUOTE = re.compile(
    r"“[^“”]{1,2000}”|「[^「」]{1,2000}」|『[^『』]{1,2000}』|«[^«»]{1,2000}»|„[^„“”]{1,2000}[“”]|\"[^\"\n]{1,600}\""
)
_HEADING = r"^[ \t>#*]*(?:[0-9一二三四五六七八九十IVX]{1,4}[.、．\s]\s*)?(?:%s)[ \t*:：]*$"
_REFERENCES = re.compile(
    _HEADING % "参\\s*考\\s*文\\s*献|參考文獻|参考资料|引用文献|references|bibliography|works cited|literature cited",
    re.IGNORECASE | re.MULTILINE,
)
_AFTER = re.compile(
    _HEADING % "致\\s*谢|致謝|附\\s*录.*|附錄.*|acknowledge?ments?|appendix.*|appendices", re.IGNORECASE | re.MULTILINE
)


def quotes(text: str) -> list[Place]:
    """Give the quotations of a text, with their marks.

    Example:
        >>> quotes('She said "go home" and left.')
        [(9, 18)]
    """
    return [found.span() for found in _QUOTE.finditer(text)]


def references(text: str) -> list[Place]:
    r"""Give the list of references: from its heading, the last of its kind, to the end or to thanks and appendices.

    Example:
        >>> references("Text.\nReferences\n[1] A book.")
        [(6, 28)]
    """
    headings = list(_REFERENCES.finditer(text))
    if not headings:
        return []
    last = headings[-1]
    after = _AFTER.search(text, last.end())
    return [(last.start(), len(text) if after is None else after.start())]


FINDERS = {QUOTES: quotes, REFERENCES: references}


def merged(places: Iterable[Place]) -> list[Place]:
    """Join parts that overlap or touch, in order.

    Example:
        >>> merged([(5, 9), (0, 3), (3, 6)])
        [(0, 9)]
    """
    joined: list[Place] = []
    for start, end in sorted(places):
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined


def size(places: Iterable[Place]) -> int:
    """Count the code points of parts that do not overlap."""
    return sum(end - start for start, end in places)


def outside(places: Sequence[Place], excluded: Sequence[Place]) -> list[Place]:
    """Give what of some parts is in no excluded part; both are as `merged` gives them.

    Example:
        >>> outside([(0, 10)], [(2, 4), (9, 12)])
        [(0, 2), (4, 9)]
    """
    left, at = [], 0
    for start, end in places:
        while at < len(excluded) and excluded[at][1] <= start:
            at += 1
        from_here, here = start, at
        while here < len(excluded) and excluded[here][0] < end:
            if excluded[here][0] > from_here:
                left.append((from_here, excluded[here][0]))
            from_here = max(from_here, excluded[here][1])
            here += 1
        if from_here < end:
            left.append((from_here, end))
    return left
