"""Kinds of collections, and the settings that pay for each: `benches/kinds.py` and `benches/read_drops.py` measure."""

from collections.abc import Mapping
from typing import Any

KNOWN = ":known"
"""What follows a field that differs only where both values are known."""
_NOTES = r"(?:[.\s]+\[[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)?\])+[.\s]*$"
"""Notes behind a title, such as [Review] or [Erratum appears in ...]."""
_LONGEST = {"keep": ("longest",)}
KINDS: Mapping[str, Mapping[str, Any]] = {
    "web": {"similarity": 0.85, "conflict": (), **_LONGEST},
    "news": {"conflict": "numbers,text", **_LONGEST},
    "articles": {"conflict": "numbers", **_LONGEST},
    "questions": {"similarity": 0.5, "conflict": "numbers", "max_lost": 20, **_LONGEST},
    "poems": {"similarity": 0.5, "conflict": (), **_LONGEST},
    "laws": {"similarity": 0.65, "conflict": "numbers", **_LONGEST},
    "records": {"conflict": "numbers,opposites,text"},
    "code": {"similarity": 0.85, "conflict": ()},
    "ocr": {"conflict": ()},
    "references": {
        "similarity": 0.5,
        "conflict": (),
        "text_field": ("title",),
        "differ": ("doi" + KNOWN,),
        "agree": ("doi",),
        "near": ("year:1", "volume:0", "pages:range", "author:names"),
        "sure": "4:0.95",
        "strip": _NOTES,
    },
    "short": {"conflict": "numbers,opposites,text", **_LONGEST},
}
"""What each kind sets where nothing else is given."""
USUAL: Mapping[str, frozenset[str]] = {
    "title": frozenset(("title", "article title", "primary title", "ti", "t1", "题名", "标题", "篇名")),
    "author": frozenset(("author", "authors", "author(s)", "author names", "au", "作者")),
    "year": frozenset(("year", "publication year", "publication_year", "py", "年", "年份")),
    "volume": frozenset(("volume", "vol", "vl", "卷")),
    "pages": frozenset(("pages", "page", "page range", "page start", "start_page", "页码")),
    "doi": frozenset(("doi", "di")),
}
"""The usual names of the fields that the kind of references compares, in lower case."""
