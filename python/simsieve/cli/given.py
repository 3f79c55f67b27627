"""What the commands with settings share: their options, and what these give."""

import functools
import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click
from click.core import ParameterSource

from simsieve.checks import check_key, shown
from simsieve.cli.common import as_source, closing_code, echo, noted, shown_progress, warned
from simsieve.cli.help import Command, settings_of
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
from simsieve.config.settings import SETTINGS, DedupConfig
from simsieve.config.toml import over, read_toml, settings_from, settings_toml
from simsieve.config.uris import apart
from simsieve.config.words import from_file
from simsieve.errors import ConfigError
from simsieve.messages import tr
from simsieve.registry import in_database
from simsieve.types import Progress

if TYPE_CHECKING:
    from simsieve.results.dedup import DedupResult
    from simsieve.sinks.checks import Sinks


CONFIG = "simsieve.config"
"""The name under which a context knows the file of settings."""
_DROPPING = frozenset(("dedup", "index", "review", "thresholds"))
"""The commands that drop near records, or show a run that does."""


def _settings_in(command: click.Command, given: Mapping[str, Any]) -> list[str]:
    """The settings among the values of a command, without options of its own that have the name of one."""
    own = inspect.signature(cast("Callable[..., Any]", command.callback)).parameters
    return [name for name in SETTINGS if name in given and name not in own]


class Configured(Command):
    """A command that takes settings from a file if the command line does not give them."""

    drops = False
    """Whether the command drops near records."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the words of the command line; with `--print-config` none is needed."""
        named, _, _ = self.make_parser(ctx).parse_args(args=list(args))
        if not named.get("print_config"):
            return super().parse_args(ctx, args)
        needed = [param for param in self.get_params(ctx) if param.required]
        for param in needed:
            param.required = False
        try:
            return super().parse_args(ctx, args)
        finally:
            for param in needed:
                param.required = True

    def invoke(self, ctx: click.Context) -> Any:
        """Carry the command out, or print its settings."""
        file, printed = ctx.params.pop("config", None), ctx.params.pop("print_config", False)
        ctx.meta[CONFIG] = file
        from_file(() if file is None else SETTINGS)
        read = {} if file is None else settings_from(file)
        given = {name: ctx.params[name] for name in _settings_in(self, ctx.params) if is_given(ctx, name)}
        given |= _of_uris(ctx.params, settings_of(self))
        settings = over(given, read)
        from_file(name for name in read if name not in given)
        if printed:
            echo(settings_toml(DedupConfig.from_settings(settings, drops=self.drops)), nl=False)
            return 0
        for name in settings_of(self):
            # Also settings of the file that the command line has replaced.
            ctx.params[name] = settings.get(name, ctx.params.get(name, SETTINGS[name].default))
            if name in settings and not is_given(ctx, name):
                ctx.set_parameter_source(name, ParameterSource.DEFAULT_MAP)
        return super().invoke(ctx)


def _of_uris(params: dict[str, Any], taken: Sequence[str]) -> dict[str, Any]:
    """Take the settings out of the URIs of collections, and give them."""
    found: dict[str, Any] = {}

    def bare(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(map(bare, value))
        if not in_database(value):
            return value
        name, own = apart(value)
        for one in own:
            if one not in taken:
                raise ConfigError("?{name} in the URI is of no use to this command: leave it out", name=one)
        found.update(own)
        return name

    params.update({name: bare(value) for name, value in params.items()})
    return found


def take_file(ctx: click.Context, _: click.Parameter, path: str | None) -> None:
    """Take the values of options from a TOML file, for a command whose options are no settings."""
    if path is None:
        return
    known = {param.name: param for param in ctx.command.params if param.name and param.name not in {"config", "help"}}
    for name, value in read_toml(Path(path)).items():
        check_key("unknown option", name, known)
        of = known[name]
        is_list = of.nargs == -1 or of.multiple
        if isinstance(value, dict) or isinstance(value, list) != is_list:
            raise ConfigError(
                "{file}: {name} = {value} is of another type: give {wanted}",
                file=path, name=name, value=shown(value), wanted="a list" if is_list else "one value",
            )  # fmt: skip
        ctx.default_map = {**(ctx.default_map or {}), name: value}


def is_given(ctx: click.Context, name: str) -> bool:
    """Return whether the command line or a file of settings gives an option."""
    return ctx.get_parameter_source(name) not in (None, ParameterSource.DEFAULT)


def given_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that the command line or its file of settings gives."""
    context = click.get_current_context()
    return {name: value for name, value in settings.items() if is_given(context, name)}


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
    drops: bool = False
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
            self._config = DedupConfig.from_settings({**chosen, **given}, drops=self.drops)
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

    def close(self, numbers: object, tell: Callable[[], None]) -> None:
        """Print the numbers of a run as JSON, on stderr where the output is on stdout; or tell them, or nothing."""
        if self.as_json:
            echo(json.dumps(numbers, ensure_ascii=False), err=self.output == "-")
        elif not self.quiet:
            tell()

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
        from simsieve.run.against import index_named, made_settings, with_settings_of
        from simsieve.run.directory import config_again, made_run
        from simsieve.run.forecast import note_program, small_bound
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
            self.drops = False
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
            settings = {one: given.pop(one) for one in _settings_in(click.get_current_context().command, given)}
            return function(Given(settings=settings, drops=name in _DROPPING, **of_all), **given)

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
        command = (click if group is None else group).command(cls=cls, examples=examples)(run)
        cast("Configured", command).drops = name in _DROPPING
        return command

    return made
