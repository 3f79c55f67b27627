"""`simsieve fingerprint`: the fingerprint of every document."""

from typing import Any

import click

from simsieve.cli.common import closing_code
from simsieve.cli.configured import Configured, config_options
from simsieve.cli.options import PATH, SOURCE_SETTINGS, epilog, failed_option, quiet_option, settings_options
from simsieve.cli.progress import shown_progress
from simsieve.config.settings import DedupConfig
from simsieve.run.pipeline import run_fingerprints


@click.command(
    cls=Configured,
    epilog=epilog(
        "simsieve fingerprint corpus.jsonl -o prints.tsv",
        "simsieve fingerprint lines.txt --format bits --scheme chars64",
    ),
)
@click.argument("source", metavar="SOURCE", type=PATH)
@click.option(
    "--output", "-o", metavar="FILE", type=PATH, default="-", help="Where the lines go; `-`, the default, is stdout."
)
@click.option(
    "--format", "form", type=click.Choice(["hex", "int", "bits"]), default="hex", show_default=True,
    help="How a fingerprint is written; hex and bits have the most significant digit first.",
)  # fmt: skip
@failed_option
@settings_options(*SOURCE_SETTINGS)
@config_options
@quiet_option
def fingerprint(*, source: str, output: str, form: str, failed: str | None, quiet: bool, **settings: Any) -> int:
    """Write a line for each document of the source: id, tab, fingerprint."""
    # No pair is looked for; the narrowest threshold asks for the least besides the fingerprints.
    config = DedupConfig.from_settings({**settings, "max_distance": 0})
    with shown_progress(quiet=quiet) as progress:
        printed = run_fingerprints(source, config, output, form, progress, failed)
    return closing_code(config, printed.failures, printed.read, quiet=quiet)
