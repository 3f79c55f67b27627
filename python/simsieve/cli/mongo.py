"""`simsieve mongo`: the runs that wrote to a database, and undoing one."""

import click

from simsieve.cli.common import say
from simsieve.cli.options import epilog
from simsieve.mongo import address_of
from simsieve.report.collections import shown_run
from simsieve.report.table import aligned
from simsieve.sinks.mongo_runs import list_runs, undo_run


@click.group()
def mongo() -> None:
    """List the runs that wrote to a database of MongoDB, and undo one.

    `simsieve dedup mongodb://host/database.collection` makes such runs.
    """


@mongo.command(epilog=epilog("simsieve mongo runs mongodb://localhost/exams"))
@click.argument("uri")
def runs(*, uri: str) -> int:
    """List the runs that wrote to the database of URI, the latest first: id, state, source, counts and writes."""
    address = address_of(uri, collection=False)
    found = list_runs(address)
    if not found:
        say(f"{address.shown}: no run wrote to this database")
    for at, one in enumerate(found):
        click.echo(("\n" if at else "") + aligned(shown_run(one)))
    return 0


@mongo.command(epilog=epilog("simsieve mongo undo mongodb://localhost/exams 1f0c6b4e2d9a8877"))
@click.argument("uri")
@click.argument("run")
def undo(*, uri: str, run: str) -> int:
    """Take away what RUN wrote to the database of URI: its marks, its decisions, and the documents that it added."""
    done = undo_run(address_of(uri, collection=False), run)
    for what, count in done:
        click.echo(f"removed {count:,} {what}")
    if not done:
        say(f"run {run}: there is nothing to undo")
    return 0
