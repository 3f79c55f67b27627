"""What the commands share that look at a run: it is made of sources, or decided again from a saved run."""

from typing import TYPE_CHECKING, Any

import click

from simsieve.cli.common import as_source, warned
from simsieve.cli.configured import is_given
from simsieve.cli.options import PATH, Decorator, option
from simsieve.config.setting import INPUT
from simsieve.config.settings import DedupConfig
from simsieve.messages import tr
from simsieve.types import Progress

if TYPE_CHECKING:
    from simsieve.results.dedup import DedupResult

from_run_option: Decorator = option(
    "--from-run", metavar="FILE", type=PATH, group=INPUT,
    help="Take a saved run instead of SOURCE, at its threshold or a stricter one. Its sources must not have changed.",
)  # fmt: skip
"""Adds `--from-run FILE`, which names a saved run."""


def result_of(
    sources: tuple[str, ...], from_run: str | None, settings: dict[str, Any], progress: Progress | None
) -> "DedupResult":
    """Carry out a run that writes nothing."""
    from simsieve.run.pipeline import run_dedup, run_saved

    if from_run is None:
        if not sources:
            raise click.UsageError(tr("Missing argument 'SOURCE...': name a file, or - for stdin, or --from-run FILE"))
        return run_dedup(as_source(sources), DedupConfig.from_settings(settings), None, progress, None, warned)
    if sources:
        text = tr("{name} and --from-run are both given: a saved run has its sources; leave one out", name=sources[0])
        raise click.UsageError(text)
    context = click.get_current_context()
    given = {name: value for name, value in settings.items() if is_given(context, name)}
    return run_saved(from_run, given, None, progress)
