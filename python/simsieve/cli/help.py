"""Help in groups: the usual options by default, and every option with `--help-all`, in lines of at most 80 columns.

An option belongs to a group and may be a common one; both are rows of the settings table, or are given with the option.
"""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import click

from simsieve.cli.common import COULD_NOT_RUN
from simsieve.config.setting import ADVANCED, GROUPS, Setting
from simsieve.config.settings import ALIASES, SETTINGS
from simsieve.messages import tr
from simsieve.screen import cells, padded, wrapped

ALL = "simsieve.help_all"
"""The name under which a context knows that every option is to be shown."""
_FEW = 12
"""A command of at most this many options shows all of them."""
_COLUMN = 26
"""Where the texts of options begin at the latest; the longer ones have a line of their own."""
_SETTING = re.compile(r"`([a-z]+)`|`?\b([a-z]+_[a-z_]+)\b`?")
"""A setting that a help text names: between backticks where it is a word too."""
_NO_UTF8 = re.compile("[\ud800-\udfff]")
"""Bytes of the command line that are no UTF-8 are lone surrogates."""
_SENTENCE = re.compile(r"(?<=\.)\s|(?<=。)")


class Formatter(click.HelpFormatter):
    """Lines of help, whose width is counted in columns of the terminal."""

    first_column = 0
    """Where texts beside terms begin, after the margin; 0 goes by the terms."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """Write how the command is called."""
        head = tr("Usage: ") if prefix is None else prefix
        self._write_lines(wrapped(f"{prog} {args}", self.width - cells(head)), head)

    def write_heading(self, heading: str) -> None:
        """Write the title of a group."""
        self.write(f"{tr(heading)}{tr(':')}\n")

    def write_text(self, text: str) -> None:
        """Write paragraphs."""
        for number, paragraph in enumerate(text.split("\n\n")):
            if number:
                self.write_paragraph()
            self._write_lines(wrapped(paragraph, self.width - self.current_indent), " " * self.current_indent)

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = _COLUMN, col_spacing: int = 2) -> None:
        """Write terms with their texts beside them, which begin in one column for all groups."""
        rows = list(rows)
        shown = [cells(term) for term, _ in rows]
        first = self.first_column or min(max(shown, default=0), col_max) + col_spacing
        for (term, text), width in zip(rows, shown, strict=True):
            margin = " " * (self.current_indent + first)
            lines = wrapped(text, self.width - len(margin)) or [""]
            head = " " * self.current_indent + term
            if width > first - col_spacing:
                self.write(head + "\n")
                head = margin
            self.write(padded(head, len(margin)) + lines[0] + "\n")
            self.write("".join(f"{margin}{line}\n" for line in lines[1:]))

    def _write_lines(self, lines: Iterable[str], head: str) -> None:
        margin = " " * cells(head)
        self.write("".join(f"{margin if at else head}{line}\n" for at, line in enumerate(lines)))


class Context(click.Context):
    """What every command has: the short names of help, and the other names of options."""

    formatter_class = Formatter

    def __init__(self, command: click.Command, **given: Any) -> None:
        given.setdefault("help_option_names", ["-h", "--help"])
        given.setdefault("token_normalize_func", lambda name: ALIASES.get(name, name))
        super().__init__(command, **given)


class Option(click.Option):
    """An option with its place in the help."""

    def __init__(
        self, *given: Any, group: str = ADVANCED, common: bool = False, setting: Setting | None = None, **others: Any
    ) -> None:
        super().__init__(*given, **others)
        self.group = group
        self.common = common
        self.setting = setting

    def type_cast_value(self, ctx: click.Context, value: Any) -> Any:
        """Read the value; only names of files may have bytes that are no UTF-8."""
        made = super().type_cast_value(ctx, value)
        for one in made if isinstance(made, tuple | list) else (made,):
            if isinstance(one, str) and not isinstance(self.type, click.Path) and _NO_UTF8.search(one):
                raise click.BadParameter(
                    tr("{value} is not valid UTF-8: give a text in UTF-8", value=repr(os.fsencode(one))), ctx, self
                )
        return made

    def row(self, ctx: click.Context, *, everything: bool) -> tuple[str, str]:
        """Give how it is written and what it does; in the short help that is one sentence."""
        record = self.get_help_record(ctx)
        text = _SETTING.sub(_option, tr(self.help or ""))
        if not everything:
            text = _SENTENCE.split(text)[0]
        if self.setting is None:
            text += default_text(self.default)
        else:
            text += allowed_text(self.setting) if everything else default_text(self.setting.default)
        return "" if record is None else record[0], text + (tr(" Required.") if self.required else "")


def allowed_text(setting: Setting) -> str:
    """Write which values a setting takes, its default, an example, and its other names."""
    if setting.kind is bool:
        return ""
    unit = f" ({tr(setting.unit)})" if setting.unit else ""
    text = tr(" Allowed: {allowed}.", allowed=tr(setting.allowed) + unit)
    text += default_text(setting.default) + tr(" Example: {example}", example=setting.example)
    aliases = ", ".join(f"--{alias}" for alias in setting.aliases)
    return text + (tr(". Also: {names}", names=aliases) if aliases else "")


def default_text(default: Any) -> str:
    """Write a default that is a word or a number; that of a flag is off."""
    text = ",".join(default) if isinstance(default, tuple) else default
    shown = isinstance(text, str | int | float) and not isinstance(text, bool) and text != ""
    return tr(" Default: {default}.", default=text) if shown or text is True else ""


class Command(click.Command):
    """A command whose options are in groups."""

    context_class = Context

    def __init__(self, *given: Any, examples: Sequence[str] = (), **others: Any) -> None:
        super().__init__(*given, **others)
        self.examples = examples
        # Every command takes it; it is shown where there is more to show.
        self.params.append(_help_all(hidden=len(self._options()) <= _FEW))

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the help: short, or with everything."""
        everything = bool(ctx.meta.get(ALL))
        options = self._options()
        everything |= len(options) <= _FEW
        self.format_usage(ctx, formatter)
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text("\n\n".join(paragraphs(self)[: None if everything else 1]))
        if self.examples:
            with formatter.section("Examples"):
                examples = self.examples if everything else self.examples[:2]
                formatter.write("".join(f"  {line}\n" for example in examples for line in example.splitlines()))
        shown = [option for option in options if everything or option.common]
        rows = [(option.group, option.row(ctx, everything=everything)) for option in shown]
        if isinstance(formatter, Formatter):
            formatter.first_column = min(max((cells(row[0]) for _, row in rows), default=0), _COLUMN) + 2
        for group in GROUPS:
            if of_group := [row for its_group, row in rows if its_group == group]:
                with formatter.section(group):
                    formatter.write_dl(of_group)
        left = len(options) - len(shown)
        rare = [SETTINGS[name] for name in settings_of(self) if SETTINGS[name].rare]
        if rare and everything:
            formatter.write_paragraph()
            names = ", ".join(row.name for row in rare)
            formatter.write_text(tr("Settings without an option, for --config FILE: {names}.", names=names))
        if left:
            formatter.write_paragraph()
            text = tr("{count} more options: {command} --help-all", count=left, command=ctx.command_path)
            formatter.write_text(text)

    def _options(self) -> list[Option]:
        return [param for param in self.params if isinstance(param, Option) and not param.hidden]

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write how the command is called."""
        pieces = [tr(piece) for piece in self.collect_usage_pieces(ctx)]
        formatter.write_usage(ctx.command_path, " ".join(pieces))


class Group(click.Group, Command):
    """The program, whose help lists its commands in the order given."""

    sections: Mapping[str, Sequence[str]] | None = None
    """Titles, each with the names of its commands; without them all are under one title."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the words; without any, the help goes to stderr, since nothing was done."""
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help(), err=True)
            ctx.exit(COULD_NOT_RUN)
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Give the names of the commands."""
        return list(self.commands)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what the program is for, and a line for each command."""
        self.format_usage(ctx, formatter)
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text("\n\n".join(paragraphs(self)))
        sections = self.sections or {"Commands": self.list_commands(ctx)}
        if isinstance(formatter, Formatter):
            formatter.first_column = max(len(name) for names in sections.values() for name in names) + 2
        for title, names in sections.items():
            with formatter.section(title):
                told = ((name, paragraphs(self.commands[name])[0]) for name in names)
                formatter.write_dl([(name, _SENTENCE.split(text)[0]) for name, text in told])
        formatter.write_paragraph()
        formatter.write_text(tr("Options of a command: simsieve COMMAND --help. Version: simsieve -V."))


def paragraphs(command: click.Command) -> list[str]:
    """Give the paragraphs of a command's help, in the user's language."""
    return [tr(" ".join(text.split())) for text in (command.help or "").split("\n\n")]


def settings_of(command: click.Command) -> list[str]:
    """Give the names of the settings that a command takes, those without an option too."""
    taken: list[str] = getattr(command.callback, "settings", [])
    return taken


def _help_all(*, hidden: bool) -> Option:
    def show(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
        if asked and not ctx.resilient_parsing:
            ctx.meta[ALL] = True
            click.echo(ctx.get_help())
            ctx.exit()

    return Option(
        ["--help-all"], is_flag=True, is_eager=True, expose_value=False, callback=show, help="Show all options.",
        hidden=hidden,
    )  # fmt: skip


def _option(found: re.Match[str]) -> str:
    """The option of a setting that a help text names."""
    setting = SETTINGS.get(found[1] or found[2])
    return found[0] if setting is None else setting.option
