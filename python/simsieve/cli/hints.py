"""Errors in the user's language, with what was probably meant."""

import re
import shlex
from collections.abc import Sequence
from pathlib import Path

import click

from simsieve.checks import nearest
from simsieve.cli.help import settings_of
from simsieve.config.setting import IN_URI
from simsieve.config.settings import ALIASES, GONE, OTHERS, SETTINGS
from simsieve.config.words import in_words
from simsieve.errors import (
    ConfigError,
    InternalError,
    SimsieveError,
    SinkError,
    SourceError,
    StorageError,
    TextError,
    TooManyPairsError,
)
from simsieve.messages import language, tr

INSTEAD = {
    "jaccard": "--measure jaccard",
    "minhash": "--measure jaccard",
    "cosine": "--measure cosine",
    "containment": "--measure containment",
    "simhash": "--max-distance N",
    "hamming": "--max-distance N",
    "in": "SOURCE",
    "input": "SOURCE",
    "file": "SOURCE",
    "out": "--output",
    "reference": "--against",
    "sep": "--delimiter SIGN",
    "group-by": "--block-by FIELD",
    "exceptions": "--verdicts FILE",
}
"""Options that people know from other programs and that are none here, each with what to give."""

_COMMANDS = {
    "deduplicate": "dedup",
    "dedupe": "dedup",
    "duplicates": "pairs",
    "diff": "compare",
    "threshold": "thresholds",
}
"""Words that people take for commands, each with the command."""

_LEADS: tuple[tuple[type[SimsieveError], str], ...] = (
    (SourceError, "the input cannot be read: "),
    (SinkError, "the output cannot be written: "),
    (StorageError, "a file of the run cannot be written: "),
    (TooManyPairsError, "there are too many pairs: "),
    (TextError, "a text cannot be used: "),
    (InternalError, "simsieve has a fault: "),
    (ConfigError, "a setting or argument is not allowed: "),
)
_LIKE_FILE = re.compile(r"[./*?\\]")


def error_text(error: click.ClickException | SimsieveError) -> str:
    """Write an error as one line, with a hint where what was meant can be guessed.

    In another language than English a few words say what kind of error it is, before the translated message.
    """
    if isinstance(error, SimsieveError):
        leads = () if language() == "en" else _LEADS
        return next((tr(lead) for kind, lead in leads if isinstance(error, kind)), "") + in_words(error.message)
    if isinstance(error, click.UsageError):
        where = "" if error.ctx is None else tr(" (see `{command} --help`)", command=error.ctx.command_path)
        return _usage_text(error) + where
    return error.format_message()


def check_command(name: str, words: Sequence[str], known: Sequence[str], ctx: click.Context) -> None:
    """Refuse a word in place of a command, with the command line that was probably meant."""
    if name in known:
        return
    if name == "help":
        asked = next((word for word in words if word in known), None)
        meant = f"simsieve {asked} --help" if asked else "simsieve --help"
    elif _LIKE_FILE.search(name) or Path(name).exists():
        meant = shlex.join(["simsieve", "dedup", name, *words])
    else:
        near = _COMMANDS.get(name) or nearest(name, known)
        hint = tr(" Did you mean {meant}?", meant=near) if near else ""
        raise click.UsageError(tr("No such command {name}.", name=repr(name)) + hint, ctx)
    raise click.UsageError(tr("{name} is no command: did you mean `{meant}`?", name=repr(name), meant=meant), ctx)


def _usage_text(error: click.UsageError) -> str:
    if isinstance(error, click.NoSuchOption):
        if advice := _instead(error):
            return tr("No such option {name}.", name=error.option_name) + " " + advice
        hint = tr(" Did you mean {meant}?", meant=meant) if (meant := _meant(error)) else ""
        return tr("No such option {name}.", name=error.option_name) + hint
    if isinstance(error, click.BadParameter) and error.param is not None:
        is_argument = isinstance(error.param, click.Argument)
        name = error.param.human_readable_name if is_argument else error.param.opts[0]
        if not isinstance(error, click.MissingParameter):
            return tr("Invalid value for '{name}': {why}", name=name, why=in_words(error.message))
        missing = tr("Missing argument '{name}'.") if is_argument else tr("Missing option '{name}'.")
        return missing.format(name=name)
    return error.format_message()


def _instead(error: click.NoSuchOption) -> str | None:
    """What does the work of an option that is gone or of another program, or of a setting that has none."""
    name = error.option_name.lstrip("-").removeprefix("no-").replace("-", "_")
    if (advice := GONE.get(name) or OTHERS.get(name)) is not None:
        return in_words(advice)
    if error.ctx is None or name not in settings_of(error.ctx.command):
        return None
    if SETTINGS[name].rare == IN_URI:
        return tr("Give it in the URI of the collection: {example}", example=SETTINGS[name].example)
    return tr("Write it into a file of settings, and give --config FILE: {example}", example=SETTINGS[name].example)


def _meant(error: click.NoSuchOption) -> str | None:
    """The option that was probably meant, by the name that the help has."""
    name = error.option_name.lstrip("-")
    if name in INSTEAD or error.ctx is None:
        return INSTEAD.get(name)
    params = error.ctx.command.get_params(error.ctx)
    known = [word.lstrip("-") for param in params for word in param.opts if word.startswith("--")]
    near = nearest(name, [*known, *(alias for alias, meant in ALIASES.items() if meant in known)])
    near = near or next((word for word in known if word.startswith(f"{name}-")), None)
    return None if near is None else f"--{ALIASES.get(near, near)}"
