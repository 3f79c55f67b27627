"""What the commands with settings share: their options, and what these give."""

import functools
import json
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import click

from simsieve.cli.common import as_source, closing_code, echo, noted, warned
from simsieve.cli.configured import Configured, given_settings
from simsieve.cli.options import (
    PATH,
    Decorator,
    add_after,
    failed_option,
    json_option,
    progress_option,
    quiet_option,
    settings_options,
)
from simsieve.cli.progress import shown_progress
from simsieve.config.settings import SETTINGS, DedupConfig
from simsieve.messages import tr
from simsieve.types import Progress

if TYPE_CHECKING:
    from simsieve.results.dedup import DedupResult
    from simsieve.sinks.checks import Sinks


@dataclass(slots=True)
class Given:
    """What a command line gives to a command with settings, besides the options of that command alone."""

    sources: tuple[str, ...]
    settings: dict[str, Any]
    against: tuple[str, ...] = ()
    output: str | None = None
    failed: str | None = None
    as_json: bool = False
    quiet: bool = False
    progress_kind: str = "auto"
    _config: DedupConfig | None = field(default=None, init=False)
    _read: dict[str, Any] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        """Keep what was read: a command may choose others."""
        self._read = dict(self.settings)

    @property
    def config(self) -> DedupConfig:
        """The settings, checked when they are first asked for."""
        if self._config is None:
            given = given_settings(self.settings)
            chosen = {name: value for name, value in self.settings.items() if value is not self._read.get(name)}
            self._config = DedupConfig.from_settings({**chosen, **given})
        return self._config

    @property
    def source(self) -> Any:
        """The sources as the library takes them."""
        return as_source(self.sources)

    @property
    def old(self) -> Any:
        """The old documents as the library takes them; None where there are none."""
        return as_source(self.against) if self.against else None

    def progress(self, output: str | None = None) -> AbstractContextManager[Progress | None]:
        """Show how the work goes on."""
        return shown_progress(quiet=self.quiet, output=output or self.output, kind=self.progress_kind)

    def print_json(self, numbers: object) -> None:
        """Print numbers as JSON, on stderr where the output is on stdout."""
        echo(json.dumps(numbers, ensure_ascii=False), err=self.output == "-")

    def code(self, failures: Sequence[tuple[int, str, str]], read: int, *, what: str = "records") -> int:
        """Report failed records, and give the exit code."""
        return closing_code(self.config, failures, read, quiet=self.quiet, what=what)

    @property
    def tell(self) -> Callable[[str], None]:
        """What takes the notes of a run."""
        return (lambda _: None) if self.quiet else noted

    def run(
        self, progress: Progress | None, sinks: "Sinks | None" = None, tell: Callable[[str], None] | None = None
    ) -> "DedupResult":
        """Carry out a run, which writes what `sinks` names; without sources, decide again on that of the directory."""
        from simsieve.run.again import config_again, made_run
        from simsieve.run.against import index_named, made_settings, with_settings_of
        from simsieve.run.forecast import note_program
        from simsieve.run.memory import small_bound
        from simsieve.run.pipeline import run_dedup

        source, old = (self.source, self.old) if self.sources else (None, None)
        if source is None:
            if (run_dir := self.settings["run_dir"]) is None:
                raise click.UsageError(
                    tr("Missing argument 'SOURCE...': name a file, or - for stdin, or --run-dir RUN")
                )
            if self.against:
                text = tr("--against is given without SOURCE: the run in {run} has its sources", run=run_dir)
                raise click.UsageError(text)
            made, source, old = made_run(run_dir)
            self._config = config_again(run_dir, made, given_settings(self.settings))
        elif (path := index_named(old)) is not None:
            self.settings = with_settings_of(made_settings(path), given_settings(self.settings))
        if (warning := small_bound(self.config)) is not None:
            warned(warning)
        return run_dedup(source, self.config, sinks, progress, old, warned, tell or note_program)

    def ended(self, result: "DedupResult") -> int:
        """Report the failed records of a run, and give the exit code."""
        code = closing_code(result.config, result.failures(), result.counts.read, quiet=self.quiet)
        old = result.old_failures(), result.old_read
        return max(code, closing_code(result.config, *old, quiet=self.quiet, what="old records"))


def reads(
    name: str, *, examples: Sequence[str], required: bool = True, as_json: str = "", failed: bool = False,
    before: Decorator | None = None, group: click.Group | None = None, cls: type[Configured] = Configured,
) -> Callable[[Callable[..., int]], click.Command]:  # fmt: skip
    """Make a command of a function with options: sources and the options of all commands with settings are added."""

    def made(function: Callable[..., int]) -> click.Command:
        @functools.wraps(function)
        def run(**given: Any) -> int:
            of_all = {one.name: given.pop(one.name) for one in fields(Given) if one.name in given}
            settings = {one: given.pop(one) for one in SETTINGS if one in given}
            return function(Given(settings=settings, **of_all), **given)

        told = json_option(as_json) if as_json else None
        add_after(
            run,
            function,
            failed_option if failed else None,
            settings_options(name),
            told,
            quiet_option,
            progress_option,
        )
        words = "SOURCE..." if required else "[SOURCE]..."
        click.argument("sources", nargs=-1, required=required, metavar=words, type=PATH)(run)
        if before is not None:
            before(run)
        return (click if group is None else group).command(cls=cls, examples=examples)(run)

    return made
