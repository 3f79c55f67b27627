"""`simsieve fit`: count in how many documents each feature occurs."""

from typing import Any

import click

from simsieve.cli.common import as_source, closing_code, say, warned
from simsieve.cli.configured import Configured
from simsieve.cli.options import PATH, option, output_option, quiet_option, settings_options
from simsieve.cli.progress import shown_progress
from simsieve.config.setting import INPUT
from simsieve.config.settings import DedupConfig
from simsieve.messages import tr
from simsieve.schemes.model import Model


@click.command(
    cls=Configured,
    examples=(
        "simsieve fit corpus.jsonl -o corpus.model",
        "simsieve dedup new.jsonl -o kept.jsonl --idf corpus.model",
        "simsieve fit corpus.jsonl --scheme esimhash128 -o words.model",
        "simsieve fit today.jsonl --merge corpus.model -o corpus.model",
        "simsieve compare a.txt b.txt --scheme chars128:weights=idf,model=corpus.model",
    ),
)
@click.argument("sources", nargs=-1, metavar="[SOURCE]...", type=PATH)
@output_option("The file for the model.", metavar="MODEL", required=True)
@option(
    "--merge", metavar="MODEL", type=PATH, multiple=True, group=INPUT,
    help="A model of other documents to merge into the result; may be given several times.",
)  # fmt: skip
@settings_options("fit")
@quiet_option
def fit(*, sources: tuple[str, ...], output: str, merge: tuple[str, ...], quiet: bool, **settings: Any) -> int:
    """Count features, so that rare ones can weigh more.

    The model has in how many documents of the sources each feature occurs. Only the scheme's features matter, not
    its weights and width. With --merge and no SOURCE, models are merged.
    """
    from simsieve.run.fit import run_fit

    config = DedupConfig.from_settings(settings)
    models = [Model.load(path) for path in merge]
    with shown_progress(quiet=quiet) as progress:
        fitted = run_fit(as_source(sources) if sources else None, config, models, output, progress, warned)
    model = fitted.model
    if not quiet:
        text = tr("model {digest}: {documents:,} documents, {features:,} features with hashes of {bits} bits")
        line = text.format(digest=model.digest, documents=model.documents, features=model.features, bits=model.bits)
        if model.neighbour_bits is not None:
            line += tr(", neighbours by {bits} of 96 bits", bits=model.neighbour_bits)
        say(f"{line} -> {output}")
    return closing_code(config, fitted.failures, fitted.read, quiet=quiet)
