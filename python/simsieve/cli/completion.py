"""`simsieve completion`: the script for a shell's completion of commands, options and their values."""

import os

import click

from simsieve.cli.help import Command
from simsieve.messages import tr

VARIABLE = "_SIMSIEVE_COMPLETE"
"""The environment's name by which the script asks for the completions at a place."""
SHELLS = ("bash", "zsh", "fish")


@click.command(
    cls=Command,
    examples=(
        "simsieve completion bash >> ~/.bashrc",
        "simsieve completion zsh >> ~/.zshrc",
        "simsieve completion fish > ~/.config/fish/completions/simsieve.fish",
    ),
)
@click.argument("shell", type=click.Choice(SHELLS))
def completion(*, shell: str) -> int:
    """Print the script for completion in a shell.

    The shell then completes commands, options, schemes, keep orders and names of files. bash must be of version 4.4
    or newer.
    """
    from click.shell_completion import get_completion_class

    made = get_completion_class(shell)
    if made is None:
        text = tr("this release of click has no completion for {shell}; there are {shells}")
        raise click.UsageError(text.format(shell=shell, shells=", ".join(SHELLS)))
    root = click.get_current_context().find_root()
    click.echo(made(root.command, {}, "simsieve", VARIABLE).source())
    return 0


def completed(command: click.Command) -> int | None:
    """Print a shell's completions, if the environment requests them."""
    asked = os.environ.get(VARIABLE)
    if not asked:
        return None
    from click.shell_completion import shell_complete

    return shell_complete(command, {}, "simsieve", VARIABLE, asked)
