"""Click options made from the settings table, and the few that belong to commands alone."""

from collections.abc import Callable
from typing import Any

import click

from simsieve.cli.common import KINDS
from simsieve.cli.help import Option
from simsieve.cli.values import SHARE, completer
from simsieve.config.setting import OUTPUT, REPEATED, STAYS, Setting
from simsieve.config.settings import FIXED, GONE, SETTINGS

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

PATH = click.Path(readable=False)
"""The name of a file or folder, or `-`: a shell completes it; the code that reads it reports errors."""


def settings_options(command_name: str) -> Decorator:
    """Add an option for each setting that a command takes, in the order of the table; `--config`, `--print-config`."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        command = _config_option(_print_config_option(command))
        taken = [setting for setting in SETTINGS.values() if _takes(command_name, setting)]
        command.settings = [setting.name for setting in taken]  # type: ignore[attr-defined]
        for setting in reversed(taken):
            if not setting.rare:
                command = _option(setting)(command)
        return command

    return add


def _takes(command_name: str, setting: Setting) -> bool:
    """Whether a command takes a setting: `dedup` all, and runs against an index what is not fixed in it."""
    if command_name == "index-add":
        return _takes("index", setting) and setting.name not in FIXED | {"sample"}
    if command_name == "index":
        taken = bool({"review", "index"} & setting.of) or setting.name in {"verdicts", "output_format"}
        return taken and setting.name != "run_dir"
    return command_name in setting.of or (command_name == "dedup" and setting.name not in {"max_pairs", *GONE})


def add_after(run: Callable[..., int], function: Callable[..., Any], *options: Decorator | None) -> None:
    """Give to what runs a function the function's own options, and these after them."""
    # click keeps the last option of a command first.
    own, run.__click_params__ = getattr(function, "__click_params__", []), []  # type: ignore[attr-defined]
    for add in reversed([add for add in options if add is not None]):
        add(run)
    run.__click_params__ += own  # type: ignore[attr-defined]


def option(*names: str, **given: Any) -> Decorator:
    """Add an option that belongs to commands alone, with `group` and `common` as for `Option`."""
    return click.option(*names, cls=Option, **given)


def _option(setting: Setting) -> Decorator:
    default, several = setting.default, setting.several == REPEATED
    shown: dict[str, Any] = dict(setting=setting, help=setting.help, group=setting.group, common=setting.common)
    if setting.kind is bool:
        # What is on by default needs a way to turn it off.
        names = f"{setting.option}/--no-{setting.option[2:]}" if default else setting.option
        return option(names, setting.name, is_flag=True, default=default, **shown)
    if several and isinstance(default, str):
        default = (default,)
    elif isinstance(default, tuple) and not several:
        default = ",".join(default)
    return option(
        setting.option,
        *filter(None, [setting.letter]),
        setting.name,
        type=SHARE if setting.kind is float and not setting.unit else setting.kind,
        default=default,
        multiple=several,
        metavar=setting.metavar or {str: "TEXT", int: "N", float: "X"}[setting.kind],
        shell_complete=completer(setting),
        **shown,
    )


def against_option(help_text: str) -> Decorator:
    """Add `--against OLD`, which may be repeated."""
    return option("--against", metavar="OLD", type=PATH, multiple=True, help=help_text, group=STAYS, common=True)


def output_option(help_text: str, **given: Any) -> Decorator:
    """Add `--output FILE`, `-o FILE`."""
    given = {"metavar": "FILE", **given}
    return option("--output", "-o", type=PATH, help=help_text, group=OUTPUT, common=True, **given)


def file_option(name: str, help_text: str, *, common: bool = False, group: str = OUTPUT) -> Decorator:
    """Add an option that names a file to write."""
    return option(name, metavar="FILE", type=PATH, help=help_text, group=group, common=common)


def json_option(help_text: str) -> Decorator:
    """Add `--json`."""
    return option("--json", "as_json", is_flag=True, help=help_text, group=OUTPUT)


_config_option = option(
    "--config", metavar="FILE", type=PATH,
    help="Take settings from a TOML file, under their Python names; options given here take precedence.",
)  # fmt: skip
_print_config_option = option(
    "--print-config", is_flag=True, help="Only print the settings in force as TOML, for --config, each with its help."
)

failed_option = file_option("--failed", "Write the records that failed, with their bytes and the reason.")

quiet_option = option(
    "--quiet", "-q", is_flag=True, help="No progress and no closing report; errors are printed.", group=OUTPUT
)

progress_option = option(
    "--progress", "progress_kind", type=click.Choice(KINDS), default="auto", group=OUTPUT,
    help="How progress is shown on stderr: auto is a bar on a terminal and a line every five seconds elsewhere; json is"
    " one object a line, with stage, done, total, rate and eta_seconds.",
)  # fmt: skip
