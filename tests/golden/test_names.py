"""Names that were once released stay: of Python, of commands and their options, and of schemes.

`names.txt` has one name a line. A release adds its new names, and no name is taken away within a major version.
"""

import click
from tests.golden import make

import simsieve
from simsieve.cli import cli


def names() -> set[str]:
    """All names that a user can rely on, as `names.txt` has them."""
    found = {f"python {name}" for name in simsieve.__all__}
    found |= {f"scheme {row.name}" for row in simsieve.schemes()}
    for command_name, command in cli.commands.items():
        found.add(f"command {command_name}")
        options = [param for param in command.params if isinstance(param, click.Option)]
        found |= {
            f"option {command_name} {text}" for option in options for text in option.opts if text.startswith("--")
        }
    return found


def test_no_released_name_is_gone() -> None:
    """Each name that was released is there; what is new may be added at the next release."""
    released = (make.FOLDER / "names.txt").read_text(encoding="utf-8").splitlines()

    assert sorted(set(released)) == released
    assert set(released) - names() == set()
    assert len(released) > 150
