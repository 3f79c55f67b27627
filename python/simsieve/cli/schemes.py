"""`simsieve schemes`: what `--scheme` takes."""

import dataclasses
import json

import click

from simsieve.checks import check_key
from simsieve.cli.common import echo
from simsieve.cli.help import Command
from simsieve.cli.options import json_option
from simsieve.messages import tr
from simsieve.report.table import aligned
from simsieve.schemes.scheme import DEFAULT_SCHEME, SchemeInfo, picture_schemes
from simsieve.schemes.scheme import schemes as known_schemes
from simsieve.screen import cells, padded

_WIDTH = 79


@click.command(cls=Command, examples=("simsieve schemes", "simsieve schemes chars128", "simsieve schemes --json"))
@click.argument("names", nargs=-1, metavar="[NAME]...")
@json_option("A JSON list of objects.")
def schemes(*, names: tuple[str, ...], as_json: bool) -> int:
    """List the schemes, or show those that are named.

    Of a scheme that is named, its source, features, weights, hash, width, sign, digest and options are shown.
    """
    infos = {info.name: info for info in (*known_schemes(), *picture_schemes())}
    for name in names:
        check_key("unknown scheme", name, infos)
    chosen = [infos[name] for name in names] or list(infos.values())
    if as_json:
        echo(json.dumps([dataclasses.asdict(info) for info in chosen], ensure_ascii=False))
    elif names:
        blocks = [[(tr(label), tr(str(value))) for label, value in dataclasses.asdict(info).items()] for info in chosen]
        echo("\n\n".join(aligned(rows, width=_WIDTH) for rows in blocks))
    else:
        echo(_table(chosen))
    return 0


def _table(infos: list[SchemeInfo]) -> str:
    """A line for each scheme, with the default marked."""
    rows = [(tr("name"), tr("bits"), tr("features"), tr("for what"))]
    for info in infos:
        mark = "*" if info.name == DEFAULT_SCHEME else ""
        rows.append((info.name + mark, str(info.width), tr(info.unit), tr(info.purpose)))
    widths = [max(cells(row[at]) for row in rows) + 2 for at in range(3)]
    lines = ["".join(map(padded, row, widths)) + row[3] for row in rows]
    notes = (
        tr("* the default. Any width from 1 to 256 is allowed in most names."),
        tr("Details: simsieve schemes NAME"),
    )
    return "\n".join([*lines, "", *notes])
