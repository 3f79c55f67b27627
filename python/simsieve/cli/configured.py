"""Commands that take settings from a TOML file (`--config`) and print those in force (`--print-config`)."""

from collections.abc import Mapping
from typing import Any

import click
from click.core import ParameterSource

from simsieve.cli.common import echo
from simsieve.cli.help import Command
from simsieve.config.settings import SETTINGS, DedupConfig
from simsieve.config.toml import over, settings_from, settings_toml
from simsieve.config.words import from_file


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
        from_file(() if file is None else SETTINGS)
        read = {} if file is None else settings_from(file)
        given = {name: ctx.params[name] for name in SETTINGS if name in ctx.params and is_given(ctx, name)}
        settings = over(given, read)
        from_file(name for name in read if name not in given)
        if printed:
            echo(settings_toml(DedupConfig.from_settings(settings)), nl=False)
            return 0
        for name in SETTINGS:
            if name in ctx.params and name not in given:
                # Also settings of the file that the command line has replaced.
                ctx.params[name] = settings.get(name, ctx.params[name])
                if name in settings:
                    ctx.set_parameter_source(name, ParameterSource.DEFAULT_MAP)
        return super().invoke(ctx)


def is_given(ctx: click.Context, name: str) -> bool:
    """Return whether the command line or a file of settings gives an option."""
    return ctx.get_parameter_source(name) not in (None, ParameterSource.DEFAULT)


def given_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that the command line or its file of settings gives."""
    context = click.get_current_context()
    return {name: value for name, value in settings.items() if is_given(context, name)}
