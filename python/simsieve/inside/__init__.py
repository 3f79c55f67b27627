"""Parts of texts: passages, templates and repeated lines."""

from simsieve.inside.find import passages
from simsieve.inside.repeated import LinesResult, RepeatedUnit, ScopeTotal, lines
from simsieve.inside.result import DocumentTotal, PassageResult, SharedText, Span
from simsieve.inside.shared import Template, TemplatePlace, TemplatesResult, templates

__all__ = [
    "DocumentTotal",
    "LinesResult",
    "PassageResult",
    "RepeatedUnit",
    "ScopeTotal",
    "SharedText",
    "Span",
    "Template",
    "TemplatePlace",
    "TemplatesResult",
    "lines",
    "passages",
    "templates",
]
