"""`simsieve plan`: the cost of a run, before it starts."""

import dataclasses
import json
from typing import Any

import click
from click.core import ParameterSource

from simsieve.cli.common import say
from simsieve.cli.configured import Configured, config_options, is_given
from simsieve.cli.options import epilog, settings_options
from simsieve.report.table import aligned, readable_bytes
from simsieve.run.forecast import Plan, with_bits
from simsieve.run.forecast import plan as made_plan


class WithBits(Configured):
    """The command `plan`. Its --bits means a scheme, so it precedes the scheme of a file of settings."""

    def invoke(self, ctx: click.Context) -> Any:
        """Carry the command out, or print its settings."""
        named = {"scheme": " and ".join(ctx.params["scheme"])} if is_given(ctx, "scheme") else {}
        chosen = with_bits(ctx.params.pop("bits"), named)
        if chosen != named:
            ctx.params["scheme"] = (chosen["scheme"],)
            ctx.set_parameter_source("scheme", ParameterSource.COMMANDLINE)
        return super().invoke(ctx)


@click.command(
    cls=WithBits,
    epilog=epilog(
        "simsieve plan --documents 10000000 --mean-bytes 2000",
        "simsieve plan --documents 1000000 --similarity 0.8 --recall 0.99 --json",
        "simsieve plan --documents 1000000 --bits 64 --max-distance 3",
    ),
)
@click.option("--documents", type=int, required=True, metavar="N", help="How many documents, at most 2^32 - 2.")
@click.option(
    "--mean-bytes", type=int, default=500, metavar="N", help="Mean length of a text in bytes, 1 to 2^30. Default: 500."
)
@click.option(
    "--bits", type=int, metavar="B", help="Width of the default scheme: 64, 128 or 256. Not together with --scheme."
)
@settings_options("scheme", "similarity", "max_distance", "measure", "recall", "threads", "sample")
@config_options
@click.option("--json", "as_json", is_flag=True, help="The plan as one JSON object.")
def plan(*, documents: int, mean_bytes: int, as_json: bool, **settings: Any) -> int:
    """Forecast the search of a collection of N documents: method, memory, seconds and recall.

    Nothing is read; the steps are timed on sample texts. A warning on stderr names a setting that would fit.
    """
    context = click.get_current_context()
    given = {name: value for name, value in settings.items() if is_given(context, name)}
    made = made_plan(documents=documents, mean_bytes=mean_bytes, **given)
    if as_json:
        click.echo(json.dumps(dataclasses.asdict(made), ensure_ascii=False, allow_nan=False))
    else:
        click.echo(aligned(_rows(made)))
    for warning in made.warnings:
        say(f"warning: {warning}")
    return 0


def _rows(made: Plan) -> list[tuple[str, str]]:
    each = max(made.documents, 1)
    kind = "Jaccard similarity" if made.measure == "jaccard" else "similarity"
    threshold = f"distance {made.max_distance}" if made.similarity is None else f"{kind} {made.similarity:g}"
    free = "" if made.available_bytes is None else f" of {readable_bytes(made.available_bytes)} free"
    stages = ", ".join(f"{name} {seconds:,.2f}" for name, seconds in made.seconds.items())
    return [
        ("documents", f"{made.documents:,} of {made.mean_bytes:,} bytes"),
        ("scheme", made.scheme),
        ("threshold", threshold),
        ("recipe", f"{made.recipe} ({made.digest})"),
        ("tables", f"{made.tables:,}"),
        ("memory", f"{readable_bytes(made.bytes)}{free}; {made.bytes_per_document} bytes a document to stay"),
        ("looks", f"{made.looks / each:,.2f} a document"),
        ("candidates", f"{made.candidates / each:,.2f} a document"),
        ("verified", f"{made.verified / each:,.2f} a document"),
        ("seconds", f"{sum(made.seconds.values()):,.2f} with {made.threads} threads: {stages}"),
        ("CPU seconds", f"{made.cpu_seconds:,.2f}"),
        ("recall", f"{made.recall_of_equals:.4f} at the threshold, {made.recall_of_parts:.4f} of a part of a text"),
        *(("why", sentence) for sentence in made.why),
    ]
