"""`simsieve compare`: compare two texts."""

import dataclasses
import json
import sys
from pathlib import Path
from typing import Any

import click

from simsieve.cli.common import page_of
from simsieve.cli.configured import Configured, config_options
from simsieve.cli.options import PATH, epilog, settings_options
from simsieve.compare.explain import explain
from simsieve.config.settings import DedupConfig
from simsieve.errors import ConfigError, SourceError, TextError, not_read
from simsieve.run.schemes import only_criterion
from simsieve.schemes.scheme import load_scheme, with_input

_SHOWN = 20


@click.command(
    cls=Configured,
    epilog=epilog(
        "simsieve compare old.txt new.txt",
        'simsieve compare --text "the quick brown fox" "the quick red fox"',
        "simsieve compare old.html new.html --extract main",
        "simsieve compare old.txt new.txt --json",
    ),
)
@click.argument("a", metavar="A", type=PATH)
@click.argument("b", metavar="B", type=PATH)
@click.option("--text", "literal", is_flag=True, help="A and B are the texts themselves, not files.")
@settings_options("scheme", "extract", "cut_at", "strip")
@config_options
@click.option("--json", "as_json", is_flag=True, help="One JSON object, with every difference.")
def compare(*, a: str, b: str, literal: bool, as_json: bool, **settings: Any) -> int:
    """Compare two texts: distance, similarity, Jaccard similarity, containment both ways, edits, where they differ.

    A and B are files of UTF-8 text, one of them may be `-` for stdin. With --extract, or a scheme on pages, they are
    pages in any encoding that browsers know, and the differences are those of what is extracted.
    """
    if not literal and a == "-" and b == "-":
        raise ConfigError("A and B are both stdin: give one of them as a file")
    config = DedupConfig.from_settings(settings)
    used = with_input(only_criterion(config, "a comparison").scheme, config.extract, config.cut_at, config.strip)
    read = page_of if load_scheme(used).takes_pages else _read
    one, other = (a, b) if literal else (read(a), read(b))
    try:
        found = explain(one, other, used)
    except TextError as error:
        name = ("B" if error.index else "A") if literal else (a, b)[error.index]
        raise TextError.of(name, error) from error
    report = dataclasses.asdict(found)
    del report["texts"]
    report |= {side: None if value is None else value.hex for side, value in (("a", found.a), ("b", found.b))}
    if as_json:
        click.echo(json.dumps(report, ensure_ascii=False))
        return 0
    click.echo(f"distance    {'none: a text has no features' if found.distance is None else f'{found.distance} bits'}")
    if found.similarity is None:
        click.echo("similarity  none: the scheme has no features")
    else:
        click.echo(f"similarity  {found.similarity:.4f}")
        click.echo(f"jaccard     {found.jaccard:.4f}")
        click.echo(f"containment {found.a_in_b:.4f} of a in b, {found.b_in_a:.4f} of b in a")
        click.echo(f"edit        {f'none: {found.edit_note}' if found.edit is None else f'{found.edit:.4f}'}")
    click.echo(f"a           {report['a'] or 'no features'}")
    click.echo(f"b           {report['b'] or 'no features'}")
    for difference in found.differences[:_SHOWN]:
        click.echo(f"at {difference.a_start}, {difference.b_start}:  {difference.a!r} -> {difference.b!r}")
    if len(found.differences) > _SHOWN:
        click.echo(f"and {len(found.differences) - _SHOWN:,} more differences; --json lists them all")
    return 0


def _read(path: str) -> str:
    try:
        raw = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except OSError as error:
        raise not_read(path, "the text", error, "give a file of text, or --text for a literal") from error
    try:
        # Not "utf-8-sig", which counts bytes from after the mark.
        return raw.decode().removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise SourceError(f"{path}: byte {error.start} is not UTF-8; convert the file first") from error
