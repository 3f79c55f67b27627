"""Commands that take settings from a TOML file (`--config`) and print those in force (`--print-config`)."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from simsieve.checks import check_key, shown
from simsieve.cli.common import echo
from simsieve.cli.help import Command, settings_of
from simsieve.config.settings import SETTINGS, DedupConfig
from simsieve.config.toml import over, read_toml, settings_from, settings_toml
from simsieve.config.uris import apart
from simsieve.config.words import from_file
from simsieve.errors import ConfigError
from simsieve.registry import in_database

CONFIG = "simsieve.config"
"""The name under which a context knows the file of settings."""


class Configured(Command):
    """A command that takes settings from a file if the command line does not give them."""

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
        given = {name: ctx.params[name] for name in SETTINGS if name in ctx.params and is_given(ctx, name)}
        given |= _of_uris(ctx.params, settings_of(self))
        settings = over(given, read)
        from_file(name for name in read if name not in given)
        if printed:
            echo(settings_toml(DedupConfig.from_settings(settings)), nl=False)
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
