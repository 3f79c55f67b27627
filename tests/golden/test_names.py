"""Names that were once released stay: of Python, of commands and their options, of the job for Spark, and of schemes.

`names.txt` has one name a line, and for an option the commands that take it. A release adds its new names, and no
name is taken away within a major version.
"""

import ast
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import click
import pytest
from tests.golden import make

import simsieve
import simsieve.config
import simsieve.inside
import simsieve.results
from simsieve.cli import cli


def commands(group: click.Group, before: str = "") -> Iterator[tuple[str, click.Command]]:
    """All commands with their full names, those of a group too."""
    for name, command in group.commands.items():
        yield before + name, command
        if isinstance(command, click.Group):
            yield from commands(command, f"{before}{name} ")


def names_of(engine: str) -> list[str]:
    """`simsieve.spark.__all__` or `simsieve.ray.__all__`, read without the engine."""
    source = Path(simsieve.__file__).with_name(engine) / "__init__.py"
    tree = ast.parse(source.read_text(encoding="utf-8"))
    [listed] = [
        node.value for node in tree.body if isinstance(node, ast.Assign) and ast.unparse(node).startswith("__all__")
    ]
    return list(ast.literal_eval(listed))


def names() -> set[str]:
    """All names that a user can rely on, as `names.txt` has them; those of the job's options are apart."""
    found = {f"python {name}" for name in dir(simsieve)}
    for place in (simsieve.results, simsieve.inside, simsieve.config):
        found |= {f"python {place.__name__.removeprefix('simsieve.')}.{name}" for name in vars(place)["__all__"]}
    found |= {f"python {engine}.{name}" for engine in ("ray", "spark") for name in names_of(engine)}
    found |= {f"scheme {row.name}" for row in simsieve.schemes()}
    for command_name, command in commands(cli):
        found.add(f"command {command_name}")
        options = [param for param in command.params if isinstance(param, click.Option)]
        found |= {
            f"option {command_name} {text}" for option in options for text in option.opts if text.startswith("--")
        }
    return found


def released() -> list[str]:
    """The names in `names.txt`, an option once for each of its commands."""
    found = []
    for line in (make.FOLDER / "names.txt").read_text(encoding="utf-8").splitlines():
        name, _, taking = line.partition(": ")
        found += [f"option {command} {name.removeprefix('option ')}" for command in taking.split(", ") if taking] or [
            line
        ]
    return found


def test_no_released_name_is_gone() -> None:
    """Each name that was released is there; what is new may be added at the next release."""
    lines = released()

    assert len(set(lines)) == len(lines)
    assert {line for line in lines if not line.startswith("job ")} - names() == set()
    assert len(lines) > 500


def test_every_public_type_is_listed() -> None:
    """The first release promises each name of Python, those for Spark too."""
    assert {name for name in names() if name.startswith("python ")} - set(released()) == set()


@pytest.mark.skipif(find_spec("pyspark") is None, reason="the job needs pyspark")
def test_no_option_of_the_job_is_gone() -> None:
    """Each option of `python -m simsieve.spark` that was released is there."""
    from simsieve.spark.__main__ import parser

    options = {f"job {text}" for action in parser()._actions for text in action.option_strings if text[:2] == "--"}

    assert {line for line in released() if line.startswith("job ")} - options == set()
