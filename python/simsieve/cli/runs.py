"""What the commands share that make a run: of sources, or again from a saved run."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from simsieve.cli.common import as_source, warned
from simsieve.cli.configured import given_settings
from simsieve.cli.options import PATH, Decorator, option
from simsieve.config.setting import INPUT
from simsieve.config.settings import DedupConfig
from simsieve.messages import tr
from simsieve.types import Progress

if TYPE_CHECKING:
    from simsieve.results.dedup import DedupResult
    from simsieve.sinks.checks import Sinks

from_run_option: Decorator = option(
    "--from-run", metavar="FILE", type=PATH, group=INPUT,
    help="Take a saved run instead of SOURCE, at its threshold or a stricter one. Its sources must not have changed.",
)  # fmt: skip


def result_of(
    sources: tuple[str, ...],
    from_run: str | None,
    settings: dict[str, Any],
    progress: Progress | None,
    sinks: "Sinks | None" = None,
    against: tuple[str, ...] = (),
    tell: Callable[[str], None] | None = None,
) -> "DedupResult":
    """Carry out a run, which writes what `sinks` names."""
    from simsieve.run.against import index_named, made_settings, with_settings_of
    from simsieve.run.forecast import note_program
    from simsieve.run.memory import small_bound
    from simsieve.run.pipeline import run_dedup, run_saved

    if from_run is None:
        if not sources:
            raise click.UsageError(tr("Missing argument 'SOURCE...': name a file, or - for stdin, or --from-run FILE"))
        old = as_source(against) if against else None
        if (path := index_named(old)) is not None:
            settings = with_settings_of(made_settings(path), given_settings(settings))
        config = DedupConfig.from_settings(settings)
        if (warning := small_bound(config)) is not None:
            warned(warning)
        return run_dedup(as_source(sources), config, sinks, progress, old, warned, tell or note_program)
    for name in (*sources, *against):
        text = tr("{name} and --from-run are both given: a saved run has its sources; leave one out", name=name)
        raise click.UsageError(text)
    if sinks is not None and sinks.run is not None:
        text = tr("--save-run and --from-run are both given: the saved run serves every stricter threshold")
        raise click.UsageError(text)
    return run_saved(from_run, given_settings(settings), sinks, progress)
