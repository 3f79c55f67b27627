"""`simsieve plan`: the cost of a run, before it starts."""

import copy
import json
from dataclasses import asdict
from typing import Any

import click
from click.core import ParameterSource

from simsieve.cli.common import as_source, echo, noted, warned
from simsieve.cli.configured import Configured, is_given
from simsieve.cli.dedup import dedup
from simsieve.cli.help import Option
from simsieve.cli.options import PATH, json_option, option, settings_options
from simsieve.cli.progress import shown_progress
from simsieve.cli.values import COUNT
from simsieve.config.checks import with_bits
from simsieve.config.setting import INPUT, NEAR
from simsieve.config.settings import SETTINGS, DedupConfig
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


@click.command(
    cls=WithBits,
    examples=(
        "simsieve plan corpus.jsonl",
        "simsieve plan part.jsonl --documents 10000000",
        "simsieve plan corpus.jsonl --similarity 0.8 --recall 0.99 --json",
        "simsieve plan --documents 1000000 --bits 64 --max-distance 3",
    ),
)
@click.argument("sources", nargs=-1, metavar="[SOURCE]...", type=PATH)
@option(
    "--documents", type=COUNT, metavar="N", group=INPUT, common=True,
    help="How many documents, such as 50m, at most 2^32 - 2; SOURCE is a part of them, drawn at random.",
)  # fmt: skip
@option(
    "--bits", type=int, metavar="B", group=NEAR, common=True,
    help="Width of the default scheme: 64, 128 or 256. Not together with --scheme.",
)  # fmt: skip
@settings_options("plan")
@json_option("The plan as one JSON object.")
def plan(*, sources: tuple[str, ...], documents: int | None, as_json: bool, **settings: Any) -> int:
    """Forecast what a run will take: method, memory, seconds and recall.

    It is for the sources, or for a collection of N documents of which they are a part drawn at random. Sources are
    read once: what the search will meet is counted on a sample of their texts, and the steps are timed on some of
    them. Without SOURCE it is for N bare fingerprints under --max-distance. A warning on stderr names a setting that
    would fit.

    Every option of `simsieve dedup` is taken, so that `plan` can replace it in a command. Fields and settings are
    checked as there; nothing is written.
    """
    from simsieve.run.plan import run_plan

    if not sources and documents is None:
        raise click.UsageError(
            tr("SOURCE is missing: name a file, or give --documents N and --max-distance K"),
            click.get_current_context(),
        )
    config = DedupConfig.from_settings({name: settings[name] for name in SETTINGS if name in settings})
    against = settings["against"]
    with shown_progress(quiet=settings["quiet"], kind=settings["progress_kind"]) as progress:
        made = run_plan(
            as_source(sources) if sources else None, config, documents, as_source(against) if against else None,
            progress, warned, noted,
        )  # fmt: skip
    echo(json.dumps(asdict(made), ensure_ascii=False, allow_nan=False) if as_json else str(made))
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
