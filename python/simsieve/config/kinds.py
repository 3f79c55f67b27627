"""Kinds of collections, and the settings that pay for each: `benches/kinds.py` and `benches/read_drops.py` measure."""

from collections.abc import Mapping
from typing import Any

_LONGEST = {"keep": ("longest",)}
KINDS: Mapping[str, Mapping[str, Any]] = {
    "web": {"similarity": 0.85, "conflict": (), **_LONGEST},
    "news": {"conflict": "numbers,text", **_LONGEST},
    "articles": {"conflict": "numbers", **_LONGEST},
    "questions": {"similarity": 0.5, "conflict": "numbers", **_LONGEST},
    "poems": {"similarity": 0.5, "conflict": (), **_LONGEST},
    "laws": {"similarity": 0.65, "conflict": "numbers", **_LONGEST},
    "records": {"conflict": "numbers,opposites,text"},
    "code": {"conflict": ()},
    "ocr": {"conflict": ()},
    "short": {"conflict": "numbers,opposites,text", **_LONGEST},
}
"""What each kind sets where nothing else is given."""
