"""What is inside texts: passages that documents share though the rest of them differs, and lines that are repeated."""

from simsieve.inside.find import passages
from simsieve.inside.remove import lines
from simsieve.inside.repeated import LinesResult, RepeatedUnit, ScopeTotal
from simsieve.inside.result import DocumentTotal, PassageResult, SharedText, Span

__all__ = [
    "DocumentTotal",
    "LinesResult",
    "PassageResult",
    "RepeatedUnit",
    "ScopeTotal",
    "SharedText",
    "Span",
    "lines",
    "passages",
]
