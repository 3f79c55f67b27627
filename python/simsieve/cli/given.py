"""What the commands with settings share: their options, and what these give."""

import functools
import json
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, fields
from typing import Any

import click

from simsieve.cli.common import as_source, closing_code, echo
from simsieve.cli.configured import Configured
from simsieve.cli.options import (
    PATH,
    add_after,
    failed_option,
    json_option,
    progress_option,
    quiet_option,
    settings_options,
)
from simsieve.cli.progress import shown_progress
from simsieve.config.settings import SETTINGS, DedupConfig
from simsieve.types import Progress


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

    @property
    def config(self) -> DedupConfig:
        """The settings, checked when they are first asked for."""
        if self._config is None:
            self._config = DedupConfig.from_settings(self.settings)
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


def reads(
    name: str, *, examples: Sequence[str], required: bool = True, as_json: str = "", failed: bool = False
) -> Callable[[Callable[..., int]], click.Command]:
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
        return click.command(cls=Configured, examples=examples)(run)

    return made
