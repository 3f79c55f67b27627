"""What the commands share that make a run: of sources, or again in a run directory."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from simsieve.cli.common import warned
from simsieve.cli.configured import given_settings
from simsieve.messages import tr
from simsieve.types import Progress

if TYPE_CHECKING:
    from simsieve.cli.given import Given
    from simsieve.results.dedup import DedupResult
    from simsieve.sinks.checks import Sinks


def result_of(
    given: "Given", progress: Progress | None, sinks: "Sinks | None" = None, tell: Callable[[str], None] | None = None
) -> "DedupResult":
    """Carry out a run, which writes what `sinks` names; without sources, decide again on that of the run directory."""
    from simsieve.run.again import config_again, made_run
    from simsieve.run.against import index_named, made_settings, with_settings_of
    from simsieve.run.forecast import note_program
    from simsieve.run.memory import small_bound
    from simsieve.run.pipeline import run_dedup

    if not given.sources:
        if (run_dir := given.settings["run_dir"]) is None:
            raise click.UsageError(tr("Missing argument 'SOURCE...': name a file, or - for stdin, or --run-dir RUN"))
        if given.against:
            raise click.UsageError(
                tr("--against is given without SOURCE: the run in {run} has its sources", run=run_dir)
            )
        made, source, old = made_run(run_dir)
        config = config_again(run_dir, made, given_settings(given.settings))
    else:
        source, old = given.source, given.old
        if (path := index_named(old)) is not None:
            given.settings = with_settings_of(made_settings(path), given_settings(given.settings))
        config = given.config
    if (warning := small_bound(config)) is not None:
        warned(warning)
    return run_dedup(source, config, sinks, progress, old, warned, tell or note_program)
