"""`simsieve schemes`: what `--scheme` takes."""

import dataclasses
import json

import click

from simsieve.cli.options import epilog
from simsieve.report.table import aligned
from simsieve.schemes.scheme import schemes as known_schemes


@click.command(epilog=epilog("simsieve schemes", "simsieve schemes --json"))
@click.option("--json", "as_json", is_flag=True, help="A JSON list of objects.")
def schemes(*, as_json: bool) -> int:
    """List the schemes: source, features, weights, hash, width, sign, digest and options of each."""
    rows = [dataclasses.asdict(info) for info in known_schemes()]
    if as_json:
        click.echo(json.dumps(rows, ensure_ascii=False))
        return 0
    blocks = [aligned([(name, str(value)) for name, value in row.items()]) for row in rows]
    click.echo("\n\n".join(blocks))
    return 0
