"""What is inside texts: passages, templates and repeated lines."""

from simsieve.inside.find import passages
from simsieve.inside.remove import lines
from simsieve.inside.repeated import LinesResult, RepeatedUnit, ScopeTotal
from simsieve.inside.result import DocumentTotal, PassageResult, SharedText, Span
from simsieve.inside.shared import Template, TemplatePlace, TemplatesResult
from simsieve.inside.template_run import templates

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
