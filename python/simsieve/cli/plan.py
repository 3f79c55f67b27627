"""`simsieve plan`: the cost of a run, before it starts."""

import copy
import json
from dataclasses import asdict
from typing import Any

import click
from click.core import ParameterSource

from simsieve.cli.common import echo, noted, shown_progress, warned
from simsieve.cli.dedup import dedup
from simsieve.cli.given import Configured, Given, is_given, reads
from simsieve.cli.help import Option
from simsieve.cli.options import COUNT, option
from simsieve.config.checks import with_bits
from simsieve.config.setting import INPUT, NEAR
from simsieve.messages import tr


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


@reads(
    "plan",
    cls=WithBits,
    examples=(
        "simsieve plan corpus.jsonl",
        "simsieve plan part.jsonl --documents 10000000",
        "simsieve plan corpus.jsonl --similarity 0.8 --recall 0.99 --json",
        "simsieve plan --documents 1000000 --bits 64 --max-distance 3",
    ),
    as_json="The plan as one JSON object.",
    required=False,
)
@option(
    "--documents", type=COUNT, metavar="N", group=INPUT, common=True,
    help="How many documents, such as 50m; SOURCE is a part of them, drawn at random.",
)  # fmt: skip
@option(
    "--bits", type=int, metavar="B", group=NEAR, common=True,
    help="Width of the default scheme: 64, 128 or 256. Not together with --scheme.",
)  # fmt: skip
@option(
    "--executors", type=COUNT, metavar="N", group=INPUT,
    help="Forecast a job on a cluster of Spark with N executors, too: processor time, shuffle, disk and driver.",
)  # fmt: skip
def plan(given: Given, *, documents: int | None, executors: int | None, **_: Any) -> int:
    """Forecast what a run will take: method, memory and recall.

    It is for the sources, or for a collection of N documents of which they are a part drawn at random. Sources are read
    once: what the search will meet is counted on a sample of their texts. Without SOURCE it is for N bare fingerprints
    under --max-distance. A warning on stderr names a setting that would fit.

    Every option of `simsieve dedup` is taken, so that `plan` can replace it in a command. Fields and settings are
    checked as there; nothing is written.
    """
    from simsieve.run.plan import run_plan

    if not given.sources and documents is None:
        raise click.UsageError(
            tr("SOURCE is missing: name a file, or give --documents N and --max-distance K"),
            click.get_current_context(),
        )
    with shown_progress(quiet=given.quiet, kind=given.progress_kind) as progress:
        source = given.source if given.sources else None
        made = run_plan(source, given.config, documents, given.old, progress, warned, noted, executors)
    echo(json.dumps(asdict(made), ensure_ascii=False, allow_nan=False) if given.as_json else str(made))
    for warning in made.warnings:
        warned(warning)
    return 0


def _take_options_of_dedup() -> None:
    known = {param.name for param in plan.params}
    for param in dedup.params:
        if isinstance(param, Option) and param.name not in known:
            hidden = copy.copy(param)
            hidden.hidden = True
            plan.params.append(hidden)


_take_options_of_dedup()
