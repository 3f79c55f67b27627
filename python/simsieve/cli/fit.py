"""`simsieve fit`: count in how many documents each feature occurs."""

from typing import Any

import click

from simsieve.cli.common import as_source, closing_code, say, warned
from simsieve.cli.configured import Configured, config_options
from simsieve.cli.options import PATH, epilog, quiet_option, settings_options
from simsieve.cli.progress import shown_progress
from simsieve.config.settings import DedupConfig
from simsieve.run.fit import READ_SETTINGS, run_fit
from simsieve.schemes.model import Model


@click.command(
    cls=Configured,
    epilog=epilog(
        "simsieve fit corpus.jsonl -o corpus.model",
        "simsieve dedup new.jsonl -o kept.jsonl --idf corpus.model",
        "simsieve fit corpus.jsonl --scheme esimhash128 -o words.model",
        "simsieve fit today.jsonl --merge corpus.model -o corpus.model",
        "simsieve compare a.txt b.txt --scheme chars128:weights=idf,model=corpus.model",
    ),
)
@click.argument("sources", nargs=-1, metavar="[SOURCE]...", type=PATH)
@click.option("--output", "-o", metavar="MODEL", type=PATH, required=True, help="The file for the model.")
@click.option(
    "--merge", metavar="MODEL", type=PATH, multiple=True,
    help="A model of other documents to merge into the result; may be given several times.",
)  # fmt: skip
@settings_options(*READ_SETTINGS)
@config_options
@quiet_option
def fit(*, sources: tuple[str, ...], output: str, merge: tuple[str, ...], quiet: bool, **settings: Any) -> int:
    """Count in how many documents of the sources each feature occurs, so that rare features can weigh more.

    Only the scheme's features matter, not its weights and width. With --merge and no SOURCE, models are merged.
    """
    config = DedupConfig.from_settings(settings)
    models = [Model.load(path) for path in merge]
    with shown_progress(quiet=quiet) as progress:
        fitted = run_fit(as_source(sources) if sources else None, config, models, output, progress, warned)
    model = fitted.model
    if not quiet:
        told = f"{model.documents:,} documents, {model.features:,} features told apart by {model.bits} bits"
        if model.neighbour_bits is not None:
            told += f", neighbours by {model.neighbour_bits} of 96 bits"
        say(f"model {model.digest}: {told}")
    return closing_code(config, fitted.failures, fitted.read, quiet=quiet)
