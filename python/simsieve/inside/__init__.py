"""What is inside texts: passages, runs of text that documents share though the rest of them differs."""

from simsieve.inside.find import passages
from simsieve.inside.result import DocumentTotal, PassageResult, SharedText, Span

__all__ = ["DocumentTotal", "PassageResult", "SharedText", "Span", "passages"]
