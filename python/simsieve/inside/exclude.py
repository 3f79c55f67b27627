"""Parts of a text in which a passage does not count: quotations and lists of references."""

import re
from collections.abc import Iterable, Sequence

Place = tuple[int, int]
"""The first code point of a part, and the one behind the last."""

QUOTES, REFERENCES = "quotes", "references"
KINDS = (QUOTES, REFERENCES)

_PARAGRAPH_END = re.compile(r"\n(?=[^\S\n]*\n|[ \t\u3000]{2}|\t|\Z)|(?<=[.!?。！？…])\n|\Z")
_QUOTE = re.compile(
    r"“[^“”]{1,2000}”|「[^「」]{1,2000}」|『[^『』]{1,2000}』|«[^«»]{1,2000}»|„[^„“”]{1,2000}[“”]"
    # A straight mark behind a digit is that of an inch, and one between a letter or a space and a space closes.
    r"|(?<![0-9A-Za-zÀ-ʯͰ-ԯ])\"(?=[^\s\"])[^\"\n]{1,600}(?<!\s)\""
)
_LISTS = (
    r"参\s*考\s*(?:文\s*献|资\s*料|书\s*目)|參\s*考\s*(?:文\s*獻|資\s*料|書\s*目)|主要参考文献|引用文[献獻]",
    r"(?:list of )?references(?: cited)?|(?:selected )?bibliography|(?:works|literature|sources) cited",
    r"literatur(?:verzeichnis|angaben|liste)?|quellen(?:verzeichnis|angaben)?|bibliogra(?:ph|f)ie",
    r"r[ée]f[ée]rences(?: bibliographiques)?|ouvrages cités|sources",
    r"referencias(?: bibliográficas)?|bibliografía(?: citada)?|obras citadas",
    r"(?:список )?(?:использованн(?:ой|ых) )?(?:литератур[аы]|источники|источников)(?: и литературы)?|библиография",
    r"참\s*고\s*(?:문\s*헌|자\s*료)|인용\s*문헌",
    r"参考[・･]?(?:引用)?文献(?:一覧|リスト)?|参考図書|引用文献(?:一覧)?|文献(?:一覧)?",
)
"""Headings of lists of references: Chinese, English, German, French, Spanish, Russian, Korean, Japanese."""
_HEADING = re.compile(
    r"^[ \t>#*]*(?:(?:第\s*)?(?:[0-9０-９]{1,3}(?:\.[0-9]{1,3}){0,3}|[一二三四五六七八九十]{1,3}|[IVX]{1,5})"
    rf"(?:[.、．章节節)）]|[ \t])[ \t]*)?(?:{'|'.join(_LISTS)})[ \t*:：]*$",
    re.IGNORECASE | re.MULTILINE,
)
_CHAPTER = re.compile(
    r"#{1,6}\s+\S.*"
    r"|(?:chapter|part|section|appendi(?:x|ces)|annex|kapitel|teil|anhang|chapitre|partie|annexes?|capítulo|parte"
    r"|apéndices?|anexos?|глава|часть|раздел|приложени[ея])\b[^,;]{0,80}"
    r"|第\s*[0-9０-９一二三四五六七八九十百]+\s*[章节節部篇編编].{0,60}|제\s*[0-9]+\s*[장절부].{0,60}"
    r"|[*\s]*(?:致\s*[谢謝]|附\s*[录録錄]|謝\s*辞|[后後]\s*[记記]|[结結]\s*[论論语語]|부\s*록|감사의\s*글).{0,40}"
    r"|[一二三四五六七八九十]{1,3}[、．.]\s*[^，。；：,;:.]{1,40}"
    r"|(?:(?:[1-9][0-9]?(?:\.[1-9][0-9]?){0,3}|[IVX]{1,5})[.)]?\s+|[1-9][0-9]?[、．]\s*)[^\W\d_][^,;:.，；：。]{0,60}"
    r"|(?:abstract|summary|introduction|methods?|results|discussion|conclusions?|acknowledge?ments?|notes|index"
    r"|einleitung|methoden|ergebnisse|fazit|danksagung|introducción|métodos|resultados|conclusi[óo]n(?:es)?"
    r"|agradecimientos|méthodes?|résultats|remerciements|введение|заключение|благодарности|выводы)[*\s:：]*",
    re.IGNORECASE,
)
_ENTRY = re.compile(
    r"^(?:[\[［(（【][0-9０-９]{1,4}[\]］)）】]|[•·‐–—*-]\s|[0-9]{1,4}[.)．、]?\s*\S[^,.，．:：]*[,.，．:：]\s*\S)"
    r"|\b(?:1[5-9]|20)[0-9]{2}[a-z]?(?=\s*(?:[.,;:)\]）》。，；]|$))|https?://|\bdoi\b|\bet al\b"
    r"|[\[［][JMDCNPRSZ](?:/OL)?[\]］]",
    re.IGNORECASE,
)
_CONTENTS = re.compile(
    r"^[ \t>#*]*(?:(?:table of )?contents|目\s*[录錄次]|inhalt(?:sverzeichnis)?|table des matières|sommaire|índice"
    r"|содержание|оглавление|목\s*차|차\s*례)[ \t*:：]*$",
    re.IGNORECASE | re.MULTILINE,
)
_LINE = re.compile(r"[^\n]*\n|[^\n]+\Z")
_LONGEST, _LOOSE = 300, 3
"""Characters of a line of an entry, and lines between two entries that are none."""


def quotes(text: str) -> list[Place]:
    """Give the quotations of a text, with their marks; each ends in its paragraph."""
    found, start = [], 0
    for end in _PARAGRAPH_END.finditer(text):
        found += [one.span() for one in _QUOTE.finditer(text, start, end.start())]
        start = end.end()
    return found


def references(text: str) -> list[Place]:
    """Give the lists of references: each from its heading to the next chapter, or behind its last entry."""
    headings = [found.span() for found in _HEADING.finditer(text)]
    limits = [start for start, _ in [*headings, (len(text), 0)]][1:]
    lists = []
    for (start, begin), limit in zip(headings, limits, strict=True):
        if not _in_contents(text, start, begin):
            end = _end_of_list(text, begin, limit, is_last=limit == len(text))
            lists += [(start, end)] if end > begin else []
    return lists


def _in_contents(text: str, start: int, begin: int) -> bool:
    """Whether a heading is in a table of contents: short lines follow the title of one, or the next line was there."""
    following = next((line for line in text[begin : begin + 1000].splitlines() if line.strip()), "").strip()
    before = [line.strip() for line in text[:start].splitlines()]
    if following and following in before and not _ENTRY.search(following):
        return True
    titles = [found.end() for found in _CONTENTS.finditer(text, 0, start)]
    # Behind an empty line the text begins.
    return bool(titles) and all(0 < len(line) <= 60 for line in text[titles[-1] : start].strip("\n").split("\n"))


def _end_of_list(text: str, begin: int, limit: int, *, is_last: bool) -> int:
    """The end of the list behind a heading; its beginning where there is none. The last list needs no entry."""
    end, loose, goes_on = begin, 0, False
    for found in _LINE.finditer(text, begin, limit):
        line = found.group().strip()
        if not line:
            goes_on = False
            continue
        is_entry = len(line) <= _LONGEST and _ENTRY.search(line) is not None
        if not is_entry and _CHAPTER.fullmatch(line):
            return found.start() if not loose or (end == begin and is_last) else end
        if is_entry or (goes_on and len(line) <= _LONGEST):
            end, loose = found.end(), 0
            goes_on = line[-1] not in ".。;；"
        else:
            loose += 1 if len(line) <= _LONGEST else 1 + _LOOSE
            if loose > _LOOSE and (end > begin or not is_last):
                return end
    return limit if not loose or (end == begin and is_last) else end


FINDERS = {QUOTES: quotes, REFERENCES: references}


def merged(places: Iterable[Place]) -> list[Place]:
    """Join parts that overlap or touch, in order."""
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
    """Give what of some parts is in no excluded part; both are as `merged` gives them."""
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


_SIGNS = re.compile(r"[\W_]*")


def widened(places: Iterable[Place], text: str) -> list[Place]:
    r"""Give parts of a text with the signs and spaces behind each.

    Example:
        >>> widened([(0, 2)], "ab.\n cd")
        [(0, 5)]
    """
    ends = ((start, _SIGNS.match(text, end)) for start, end in places)
    return [(start, found.end()) for start, found in ends if found]


def units(text: str) -> int:
    """Count the characters of a text, and those of Chinese, Japanese and Korean twice.

    Example:
        >>> units("ab中")
        4
    """
    return len(text) + sum(sign >= "\u2e80" for sign in text)
