"""Click options made from the settings table, and the few that belong to commands alone."""

from collections.abc import Callable
from typing import Any

import click

from simsieve.cli.values import completer
from simsieve.config.settings import SETTINGS, Setting

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

PATH = click.Path(readable=False)
"""The name of a file or folder, or `-`: a shell completes it; the code that reads it reports errors."""

SOURCE_SETTINGS = (
    "text_field",
    "id_field",
    "scheme",
    "combine",
    "extract",
    "idf",
    "max_features",
    "input_format",
    "encoding",
    "limit",
    "query",
    "max_record_bytes",
    "max_failed",
    "allow_empty",
    "threads",
    "batch",
)
SEVERAL = ("text_field", "scheme")
"""The settings whose option may be repeated; other lists have commas. What takes one scheme refuses several itself."""

SEARCH_SETTINGS = ("similarity", "max_distance", "measure", "recall", "seed")


def settings_options(*names: str) -> Decorator:
    """Add one option for each named setting, in the order given.

    Args:
        names: Keys of `SETTINGS`.

    Returns:
        A decorator for a click command; the command gets each value under the setting's name.

    Example:
        >>> callable(settings_options("seed"))
        True
    """

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        for name in reversed(names):
            command = _option(SETTINGS[name], several=name in SEVERAL)(command)
        return command

    return add


def option_help(setting: Setting) -> str:
    """Write a setting's help: what it does, what is allowed, its default, an example.

    Example:
        >>> option_help(SETTINGS["seed"]).endswith("Example: --seed 7")
        True
    """
    if setting.kind is bool:
        return setting.help
    default = ",".join(setting.default) if isinstance(setting.default, tuple) else setting.default
    unit = f" ({setting.unit})" if setting.unit else ""
    told = "" if default is None else f" Default: {default}."
    return f"{setting.help} Allowed: {setting.allowed}{unit}.{told} Example: {setting.example}"


def _option(setting: Setting, *, several: bool) -> Decorator:
    default = setting.default
    if setting.kind is bool:
        return click.option(setting.option, setting.name, is_flag=True, default=default, help=option_help(setting))
    if several and isinstance(default, str):
        default = (default,)
    elif isinstance(default, tuple) and not several:
        default = ",".join(default)
    return click.option(
        setting.option,
        setting.name,
        type=setting.kind,
        default=default,
        multiple=several,
        metavar=_metavar(setting),
        help=option_help(setting),
        shell_complete=completer(setting.name),
    )


def _metavar(setting: Setting) -> str:
    if setting.name.endswith("_format"):
        return "FORMAT"
    named = {
        "keep": "ORDER",
        "scheme": "NAME[@NEAR]",
        "combine": "all|any",
        "idf": "none|fit|MODEL",
        "encoding": "auto|NAME",
        "extract": "none|text|main",
    }
    if setting.name in named:
        return named[setting.name]
    return {str: "TEXT", int: "N", float: "X"}[setting.kind]


def against_option(told: str) -> Decorator:
    """Add `--against OLD`, which may be repeated.

    Args:
        told: Its help.

    Example:
        >>> callable(against_option("Old documents."))
        True
    """
    return click.option("--against", metavar="OLD", type=PATH, multiple=True, help=told)


def failed_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--failed FILE`, where failed records are kept.

    Example:
        >>> callable(failed_option)
        True
    """
    return click.option(
        "--failed", metavar="FILE", type=PATH, help="Write the records that failed, with their bytes and the reason."
    )(command)


def quiet_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--quiet`, which leaves out progress and the closing report but no error.

    Example:
        >>> callable(quiet_option)
        True
    """
    return click.option("--quiet", "-q", is_flag=True, help="No progress and no closing report; errors are printed.")(
        command
    )


def epilog(*lines: str) -> str:
    """Write a command's examples as click shows them unwrapped.

    Example:
        >>> "simsieve schemes" in epilog("simsieve schemes")
        True
    """
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)
