"""What the commands share that make a run: of sources, or again in a run directory."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from simsieve.cli.common import as_source, warned
from simsieve.cli.configured import given_settings
from simsieve.config.settings import DedupConfig
from simsieve.messages import tr
from simsieve.types import Progress

if TYPE_CHECKING:
    from simsieve.results.dedup import DedupResult
    from simsieve.sinks.checks import Sinks


def result_of(
    sources: tuple[str, ...],
    settings: dict[str, Any],
    progress: Progress | None,
    sinks: "Sinks | None" = None,
    against: tuple[str, ...] = (),
    tell: Callable[[str], None] | None = None,
) -> "DedupResult":
    """Carry out a run, which writes what `sinks` names; without sources, decide again on that of the run directory."""
    from simsieve.run.again import config_again, made_run
    from simsieve.run.against import index_named, made_settings, with_settings_of
    from simsieve.run.forecast import note_program
    from simsieve.run.memory import small_bound
    from simsieve.run.pipeline import run_dedup

    if not sources:
        if (run_dir := settings["run_dir"]) is None:
            raise click.UsageError(tr("Missing argument 'SOURCE...': name a file, or - for stdin, or --run-dir RUN"))
        if against:
            raise click.UsageError(
                tr("--against is given without SOURCE: the run in {run} has its sources", run=run_dir)
            )
        made, source, old = made_run(run_dir)
        config = config_again(run_dir, made, given_settings(settings))
    else:
        source, old = as_source(sources), as_source(against) if against else None
        if (path := index_named(old)) is not None:
            settings = with_settings_of(made_settings(path), given_settings(settings))
        config = DedupConfig.from_settings(settings)
    if (warning := small_bound(config)) is not None:
        warned(warning)
    return run_dedup(source, config, sinks, progress, old, warned, tell or note_program)
