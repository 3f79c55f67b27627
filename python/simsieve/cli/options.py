"""Click options made from the settings table, those of commands alone, and the values of both."""

import re
from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import click

from simsieve import _core
from simsieve.cli.common import KINDS
from simsieve.cli.help import Option
from simsieve.config.setting import COMMAS, OUTPUT, REPEATED, STAYS, Setting
from simsieve.config.settings import FIXED, GONE, SETTINGS
from simsieve.messages import tr
from simsieve.schemes.scheme import PICTURES, schemes

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
    """Whether a command takes a setting: `dedup` takes all, and a run against an index those that it leaves open."""
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
        # An option that is on by default needs a way to turn it off.
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


if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    _Number = click.ParamType[float]
    _Whole = click.ParamType[int]
else:
    # Older releases of click have no types here.
    _Number = click.ParamType
    _Whole = click.ParamType


class Share(_Number):
    """A number that may be a percentage: `0.8` or `80%`."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Read it; what looks like a percentage without its sign is refused with the number that was meant."""
        if isinstance(value, float):
            return value
        text = value.strip()
        try:
            number = float(text.rstrip("%％"))
        except ValueError:
            near = text.replace(",", ".").replace("，", ".")
            hint = tr("did you mean {number}?", number=near) if _is_number(near) else tr("give a number such as 0.8")
            self.fail(tr("{value} is not a number: {hint}", value=repr(value), hint=hint), param, ctx)
        if text.endswith(("%", "％")):
            return number / 100
        if _LEAST_PERCENTAGE <= number <= 100:
            text = tr("{value} is more than 1: did you mean {number:g}, or {value}%?", value=text, number=number / 100)
            self.fail(text, param, ctx)
        return number


SHARE = Share()


class Count(_Whole):
    """A whole number that may have a power of ten or a unit: `1000000`, `1e6`, `1m`."""

    name = "integer"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read it; a fraction of a record is refused."""
        if isinstance(value, int):
            return value
        text = value.strip().lower().replace(",", "").replace("_", "")
        found = re.fullmatch(r"([+-]?\d{1,19}(?:\.\d{1,9})?)(?:e\+?(\d{1,2})|([kmb]))?", text)
        number = Decimal(found[1]) * 10 ** (int(found[2] or 0) + _UNITS[found[3] or ""]) if found else Decimal("0.5")
        if number != int(number):
            self.fail(
                tr("{value} is not a whole number: give one such as 1000000, 1e6 or 50m", value=repr(value)), param, ctx
            )
        return int(number)


COUNT = Count()
_UNITS = {"": 0, "k": 3, "m": 6, "b": 9}
"""The powers of ten of thousand, million and billion."""
_LEAST_PERCENTAGE = 10
"""A number from here to 100 was meant as a percentage; a smaller one is just too large."""


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


Completer = Callable[[click.Context, click.Parameter, str], "list[CompletionItem]"]


def _schemes(incomplete: str) -> list[str]:
    """Names of schemes; after a colon the options of that scheme, each with its values where these can be listed."""
    name, colon, options = incomplete.partition(":")
    if not colon:
        return [*(info.name for info in schemes()), *PICTURES]
    done, comma, _ = options.rpartition(",")
    given = {option.partition("=")[0] for option in done.split(",")}
    family = name.rstrip("0123456789")
    rows = [row for row in _core.scheme_options() if family in row["families"] and row["key"] not in given]
    words = [f"{row['key']}={value}" for row in rows for value in row["choices"] or [""]]
    return [f"{name}:{done}{comma}{word}" for word in words]


def completer(setting: Setting) -> Completer:
    """Return the completer of a setting's option: its words, and names of files if it takes them."""

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem]":
        from click.shell_completion import CompletionItem

        del ctx, param
        # Of a list with commas the last one is being written, and of a pattern the word behind it.
        cut = incomplete.rfind("," if setting.several == COMMAS else "=" if dict in setting.also else "\0") + 1
        done, last = incomplete[:cut], incomplete[cut:]
        words = _schemes(incomplete) if setting.name == "scheme" else setting.words
        found = [CompletionItem(done + word) for word in words if word.startswith(last)]
        return found or ([CompletionItem(incomplete, type="file")] if setting.files else [])

    return complete
