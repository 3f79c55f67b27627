"""`simsieve plan`: the cost of a run, before it starts."""

import copy
import json
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from simsieve.cli.common import as_source, echo, noted, warned
from simsieve.cli.configured import Configured, config_options, is_given
from simsieve.cli.dedup import dedup
from simsieve.cli.help import Option
from simsieve.cli.options import PATH, json_option, option, settings_options
from simsieve.cli.progress import shown_progress
from simsieve.cli.values import COUNT
from simsieve.config.checks import with_bits
from simsieve.config.rows import FIT
from simsieve.config.setting import INPUT, NEAR
from simsieve.config.settings import SETTINGS, DedupConfig
from simsieve.messages import tr

if TYPE_CHECKING:
    from simsieve.run.plan import Plan

_PROBE = "external64"
"""A scheme that makes no features: a record is parsed under it, and no more."""


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
        "simsieve plan --documents 10000000 --mean-bytes 2000",
        "simsieve plan --documents 1000000 --similarity 0.8 --recall 0.99 --json",
        "simsieve plan --documents 1000000 --bits 64 --max-distance 3",
    ),
)
@click.argument("sources", nargs=-1, metavar="[SOURCE]...", type=PATH)
@option(
    "--documents", type=COUNT, metavar="N", group=INPUT, common=True,
    help="How many documents, such as 50m, at most 2^32 - 2; instead of SOURCE.",
)  # fmt: skip
@option(
    "--mean-bytes", type=int, default=500, metavar="N", group=INPUT, common=True,
    help="Mean length of a text in bytes, 1 to 2^30. Default: 500.",
)  # fmt: skip
@option(
    "--bits", type=int, metavar="B", group=NEAR, common=True,
    help="Width of the default scheme: 64, 128 or 256. Not together with --scheme.",
)  # fmt: skip
@settings_options("plan")
@config_options
@json_option("The plan as one JSON object.")
def plan(*, sources: tuple[str, ...], documents: int | None, mean_bytes: int, as_json: bool, **settings: Any) -> int:
    """Forecast what a run will take: method, memory, seconds and recall.

    It is for the sources, or for a collection of N documents. Sources are read once: what the search will meet is
    counted on a sample of their texts, and the steps are timed on some of them. From N alone it is assumed what
    texts have in common. A warning on stderr names a setting that would fit.

    Every option of `simsieve dedup` is taken, so that `plan` can replace it in a command. Fields and settings are
    checked as there; nothing is written.
    """
    from simsieve.run.plan import PLAN_SETTINGS
    from simsieve.run.plan import plan as made_plan

    context = click.get_current_context()
    if sources and (documents is not None or is_given(context, "mean_bytes")):
        raise click.UsageError(
            tr("SOURCE and --documents or --mean-bytes are both given: leave one of them out"), context
        )
    given = {name: settings[name] for name in PLAN_SETTINGS if is_given(context, name)}
    if given.get("idf") == FIT:
        # There is no model yet; what it weighs does not change the cost much.
        del given["idf"]
    if sources:
        made = _of_sources(sources, settings, given)
    elif documents is None:
        raise click.UsageError(tr("SOURCE is missing: name a file, or give --documents N"), context)
    else:
        made = made_plan(documents=documents, mean_bytes=mean_bytes, **given)
    if as_json:
        echo(json.dumps(asdict(made), ensure_ascii=False, allow_nan=False))
    else:
        echo(str(made))
    for warning in made.warnings:
        warned(warning)
    return 0


def _of_sources(sources: tuple[str, ...], settings: dict[str, Any], given: dict[str, Any]) -> "Plan":
    """The plan of sources, old records with them; the settings of the plan are those that are given."""
    from simsieve import _core
    from simsieve.config.verdicts import read_verdicts
    from simsieve.run.plan import plan_of
    from simsieve.run.steps import open_store
    from simsieve.sources.base import Both
    from simsieve.sources.opening import open_source

    config = DedupConfig.from_settings({name: settings[name] for name in SETTINGS if name in settings})
    read_verdicts(config.verdicts)
    with shown_progress(quiet=settings["quiet"], kind=settings["progress_kind"]) as progress:
        new, against = open_source(as_source(sources), config), settings["against"]
        opened = Both(new, open_source(as_source(against), replace(config, limit=None))) if against else new
        store, config = open_store(opened, config, progress, warned, tell=noted)
        # The core's own check of the fields that are named, on one record.
        store.first(min(1, store.new_len)).encode([_core.Scheme(_PROBE)], config.text_field, config.id_field)
        return plan_of(store, replace(config, idf=DedupConfig.from_settings(given).idf), progress)


def _take_options_of_dedup() -> None:
    known = {param.name for param in plan.params}
    for param in dedup.params:
        if isinstance(param, Option) and param.name not in known:
            hidden = copy.copy(param)
            hidden.hidden = True
            plan.params.append(hidden)


_take_options_of_dedup()
