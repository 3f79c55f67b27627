"""`simsieve mongo`: the runs that wrote to a database, and undoing one."""

import click

from simsieve.cli.common import echo, say
from simsieve.cli.help import Command, Group
from simsieve.messages import tr


@click.group(cls=Group)
def mongo() -> None:
    """List the runs that wrote to a database of MongoDB or SQL, and undo one.

    `simsieve dedup mongodb://host/database.collection` and `simsieve dedup sqlite:///file.db?table=NAME` make them.
    """


@mongo.command(
    cls=Command, examples=("simsieve mongo runs mongodb://localhost/exams", "simsieve mongo runs sqlite:///exams.db")
)
@click.argument("uri")
def runs(*, uri: str) -> int:
    """List the runs that wrote to the database of URI.

    The latest comes first. Each has its id, state, source, counts and what it wrote.
    """
    from simsieve.registry import store_of
    from simsieve.report.databases import shown_run
    from simsieve.report.table import aligned

    found = store_of(uri).runs(uri)
    if not found:
        say(tr("{database}: no run wrote to this database", database=store_of(uri).database(uri)))
    for at, one in enumerate(found):
        echo(("\n" if at else "") + aligned(shown_run(one)))
    return 0


@mongo.command(cls=Command, examples=("simsieve mongo undo mongodb://localhost/exams 1f0c6b4e2d9a8877",))
@click.argument("uri")
@click.argument("run", required=False)
def undo(*, uri: str, run: str | None) -> int:
    """Take away what RUN wrote to the database of URI.

    That is its marks, its decisions, and the documents that it added to a target.
    """
    from simsieve.registry import store_of

    store = store_of(uri)
    if run is None:
        raise click.UsageError(
            tr("RUN is missing: `simsieve mongo runs {uri}` lists the runs", uri=store.database(uri))
        )
    done = store.undo(uri, run)
    for what, count in done:
        echo(tr("removed {count:,} {what}", count=count, what=what))
    if not done:
        say(tr("run {run}: there is nothing to undo", run=run))
    return 0
