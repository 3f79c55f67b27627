"""`simsieve plan`: the cost of a run, before it starts."""

import dataclasses
import json
from typing import Any

import click
from click.core import ParameterSource

from simsieve.cli.common import say
from simsieve.cli.configured import Configured, config_options, is_given
from simsieve.cli.options import epilog, settings_options
from simsieve.run.forecast import plan as made_plan
from simsieve.run.forecast import with_bits


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
        click.echo(str(made))
    for warning in made.warnings:
        say(f"warning: {warning}")
    return 0
