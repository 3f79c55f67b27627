"""The run of `simsieve templates`: from checked settings to the parts of text that many documents share."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.checks import check_integer, check_real
from simsieve.config.settings import DedupConfig, check_taken
from simsieve.config.typed import PassageSettings, with_settings
from simsieve.errors import short_errors
from simsieve.inside.find import MOST_PLACES, run_directory
from simsieve.inside.shared import TemplatesResult
from simsieve.progress import chosen_progress
from simsieve.results.arrow import DROPPED
from simsieve.results.run import warn_of_failed
from simsieve.run.forecast import Warn, warn_program
from simsieve.run.no_effect import warn_of_markup
from simsieve.run.schemes import chosen_scheme
from simsieve.run.steps import begin, open_store
from simsieve.sinks.checks import Output, check_outputs, write_outputs
from simsieve.sources.base import AnySource
from simsieve.sources.opening import open_source
from simsieve.types import Progress, ProgressOption

MIN_LENGTH, MIN_COUNT, NEAR = 30, 5, 0.9
"""The usual least letters and groups of a template, and the similarity from which documents count as one."""

_REST = 0.4
"""Documents that are this similar without their templates count as one."""


@dataclass(frozen=True, slots=True)
class TemplateChoice:
    """What a template is; see `templates`."""

    min_length: int = MIN_LENGTH
    min_count: int = MIN_COUNT
    near: float = NEAR

    def __post_init__(self) -> None:
        """Check the values."""
        check_integer("min_length", self.min_length, _core.Templates.LEAST, MOST_PLACES)
        check_integer("min_count", self.min_count, 2, MOST_PLACES)
        check_real("near", self.near, "(0, 1]", lambda x: 0 < x <= 1)


@with_settings
def templates(
    source: AnySource,
    *,
    min_length: int = MIN_LENGTH,
    min_count: int = MIN_COUNT,
    near: float = NEAR,
    progress: ProgressOption = None,
    **settings: Unpack[PassageSettings],
) -> TemplatesResult:
    """Find the parts of text that many documents share, though the documents are not near one another.

    Source: winnowing (Schleimer, Wilkerson and Aiken, "Winnowing: local algorithms for document fingerprinting",
    2003) finds places where texts may be equal; from there a part grows as long as documents times letters do. No text
    of a document is in two parts. A part with a changed letter is two parts.

    Args:
        source: The documents, as for `dedup`.
        min_length: The least length of a template in letters, at least 15: spaces and punctuation do not count. A
            text of whole words of that length that `min_count` groups and no other document have is found for certain.
        min_count: The least number of documents that have it. Near documents count as one.
        near: Documents of at least this similarity to a kept one are near, in (0, 1], as a run of `dedup` finds them:
            copies of one document make no template.
        progress: As for `dedup`.
        **settings: `text_field`, `id_field`, `extract`, `threads`, `memory` and how the records are read; see `dedup`.

    Returns:
        The templates, and `write` to write a file that `ignore` of other runs takes.

    Raises:
        ConfigError: A setting is unknown or not allowed.
        SimsieveError: As for `dedup`.

    Example:
        >>> stem = "Choose the one answer that completes the sentence best"
        >>> own = ["He ... home.", "It ... late.", "We ... you."]
        >>> result = templates([f"{stem}. {text}" for text in own], min_count=3)
        >>> [(one.groups, one.text) for one in result]
        [(3, 'Choose the one answer that completes the sentence best')]
    """
    with short_errors, chosen_progress(progress) as show:
        check_taken("templates", settings, tuple(PassageSettings.__annotations__))
        config = DedupConfig.from_settings(settings)
        result = run_templates(source, config, TemplateChoice(min_length, min_count, near), progress=show)
    warn_of_failed(config, result.failures(), result.read)
    return result


def run_templates(
    source: AnySource,
    config: DedupConfig,
    choice: TemplateChoice,
    outputs: Sequence[Output] = (),
    *,
    progress: Progress | None = None,
    warn: Warn = warn_program,
) -> TemplatesResult:
    """Find templates with checked settings, and write the outputs of the result."""
    config = replace(config, similarity=choice.near)
    scheme = chosen_scheme(config, "a search for templates")
    opened = open_source(source, config)
    check_outputs(outputs, opened.paths)
    store, reading = open_store(opened, config, progress, warn)
    warn_of_markup(store, [scheme], reading, warn)
    with run_directory(store, config, progress) as directory:
        groups = _groups(store, scheme, reading, progress, directory)
    with run_directory(store, config, progress) as directory:
        core = _core.Templates(
            store, scheme, reading.text_field, reading.id_field, choice.min_length, choice.min_count, groups,
            config.threads, progress, directory,
        )  # fmt: skip
    rest, alike = core.ignored_by(scheme), replace(reading, similarity=_REST)
    with run_directory(store, config, progress) as directory:
        core.count(_groups(store, rest, alike, progress, directory), config.threads, progress)
    result = TemplatesResult(core, len(store), config)
    write_outputs(outputs, result)
    return result


def _groups(
    store: _core.Records, scheme: _core.Scheme, config: DedupConfig, progress: Progress | None,
    directory: _core.RunDirectory | None,
) -> NDArray[np.uint32]:  # fmt: skip
    """Give for each record the kept one that it is near to, or itself."""
    documents = begin(store, [scheme], config, progress, directory).finish(config.threads, progress)
    decided = documents.dedup(config.threads, progress)
    groups = np.arange(len(store), dtype=np.uint32)
    dropped = np.flatnonzero(decided.decision == DROPPED)
    groups[dropped] = decided.representative[dropped]
    return groups
