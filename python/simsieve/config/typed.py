"""The settings as types, so that an editor completes them and a type checker refuses other names.

Each name here is a row of `simsieve.config.settings.SETTINGS`, which says what a setting does; a test compares the two.
"""

import inspect
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any, Literal, TypedDict, TypeVar, get_args

from simsieve.config.settings import SETTINGS
from simsieve.schemes.criteria import Criterion
from simsieve.schemes.model import Model
from simsieve.schemes.scheme import AnyScheme
from simsieve.tabular import ArrowStream
from simsieve.types import SimilarityMeasure

Combine = Literal["all", "any"]
Extract = Literal["none", "text", "main"]
Fold = Literal[
    "none", "t2s", "tw2sp", "numerals", "marks", "t2s+numerals", "tw2sp+numerals", "t2s+marks", "tw2sp+marks",
    "numerals+marks", "t2s+numerals+marks", "tw2sp+numerals+marks",
]  # fmt: skip
Each = Literal["file", "line"]
Quoting = Literal["auto", "minimal", "none"]
Format = Literal["jsonl", "json", "txt", "csv", "tsv", "parquet"]


class _Threshold(TypedDict, total=False):
    similarity: float | None
    max_distance: int | None


Function = TypeVar("Function", bound=Callable[..., Any])


def with_settings(function: Function) -> Function:
    """Give a function that takes settings a signature with their names and defaults, for shells and notebooks."""
    # It has no types: with them it would fill a screen. Editors and type checkers read the annotations.
    own = inspect.signature(function)
    *named, rest = own.parameters.values()
    (settings,) = get_args(rest.annotation)
    shown = [one.replace(annotation=one.empty) for one in named]
    shown += [
        inspect.Parameter(name, rest.KEYWORD_ONLY, default=SETTINGS[name].default) for name in settings.__annotations__
    ]
    function.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
    return function


class RethresholdSettings(_Threshold, total=False):
    """The settings of `DedupResult.rethreshold`.

    Example:
        >>> RethresholdSettings(similarity=0.9)
        {'similarity': 0.9}
    """

    sample: int | None
    threads: int


class _Reading(TypedDict, total=False):
    text_field: str | Sequence[str]
    input_format: Format | None
    encoding: str | Sequence[str] | Mapping[str, str]
    delimiter: str | None
    quoting: Quoting
    each: Each | None
    suffix: str | Sequence[str]
    max_record_bytes: int
    max_failed: str | int
    threads: int
    query: str | None


class _Decided(_Reading, total=False):
    id_field: str
    limit: int | None
    allow_empty: bool
    safe_cells: bool
    memory: str | int | None


class PassageSettings(_Decided, total=False):
    """The settings of `passages` and `templates`.

    Example:
        >>> PassageSettings(text_field="body")
        {'text_field': 'body'}
    """

    extract: Extract


class LineSettings(_Decided, total=False):
    """The settings of `lines`.

    Example:
        >>> LineSettings(text_field="body")
        {'text_field': 'body'}
    """

    output_format: Format | None
    shard_size: str | int | None


class FitSettings(_Reading, total=False):
    """The settings of `fit`.

    Example:
        >>> FitSettings(scheme="words64")
        {'scheme': 'words64'}
    """

    scheme: AnyScheme | Criterion | Sequence[AnyScheme | Criterion]
    extract: Extract
    fold: Fold
    cut_at: str | None
    strip: str | None
    ignore: str | os.PathLike[str] | None
    max_features: int
    batch: int


class Settings(FitSettings, LineSettings, RethresholdSettings, total=False):
    """The settings of `dedup` and `find_pairs`: every row of the table.

    Example:
        >>> Settings(similarity=0.8, keep=["longest", "first"])
        {'similarity': 0.8, 'keep': ['longest', 'first']}
    """

    field: str | Sequence[str]
    idf: str | os.PathLike[str] | Model
    measure: SimilarityMeasure
    max_ratio: float
    recall: float
    combine: Combine
    block_by: str | Sequence[str]
    differ: str | Sequence[str]
    near: str | Sequence[str]
    agree: str | Sequence[str]
    sure: str | None
    same: str | Sequence[str]
    window: str | timedelta | None
    date_field: str | None
    max_lost: int | None
    conflict: str | Sequence[str]
    kind: str | None
    verdicts: str | os.PathLike[str] | Iterable[Sequence[Any] | Mapping[str, Any]] | ArrowStream | None
    max_dropped: str | None
    drops_by: str | Sequence[str]
    keep: str | Sequence[str]
    seed: int
    max_pairs: int
    since_field: str | None
    fields: str | Sequence[str] | None
    merge: str | Sequence[str]
    with_edit: bool
    append: bool
    replace: bool
    mark: str | None
    apply: bool
    run_dir: str | os.PathLike[str] | None
    resume: bool
