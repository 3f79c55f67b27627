"""`simsieve fingerprint`: the fingerprint of every document."""

import click

from simsieve.cli.common import warned
from simsieve.cli.given import Given, is_given, reads
from simsieve.cli.options import option, output_option
from simsieve.config.near_rows import NONE
from simsieve.config.setting import CLEANED, INPUT, OUTPUT
from simsieve.errors import ConfigError
from simsieve.messages import tr
from simsieve.types import FingerprintFormat


@reads(
    "fingerprint",
    examples=(
        "simsieve fingerprint corpus.jsonl -o prints.tsv",
        "simsieve fingerprint lines.txt --format bits --scheme chars64",
        "simsieve fingerprint corpus.jsonl --scheme chars64 --blocks 4 -o blocks.tsv",
        "simsieve fingerprint corpus.jsonl --minhash 128 -o signatures.parquet",
        "simsieve fingerprint index.html about.html",
        "simsieve fingerprint index.html \\\n    --scheme chars128:extract=text --scheme dom64 --json",
        "curl -s https://example.org/ | simsieve fingerprint - --pages",
    ),
    as_json="For pages: a JSON object for each page and scheme.",
    failed=True,
)
@output_option("Where the fingerprints go: .tsv, .csv, .jsonl or .parquet; `-` is stdout.", default="-")
@option(
    "--format", "form", type=click.Choice(["hex", "int", "bits"]), default="hex", group=OUTPUT, common=True,
    help="The notation of a fingerprint; hex and bits have the most significant digit first.",
)  # fmt: skip
@option(
    "--blocks", type=int, metavar="K", group=OUTPUT,
    help="Cut each fingerprint into K blocks, a column each: texts within K - 1 bits share one. For records only.",
)  # fmt: skip
@option(
    "--minhash", type=int, metavar="N", group=OUTPUT,
    help="In place of fingerprints, MinHash signatures of N values, those of datasketch 2.0: 8 hex digits a value.",
)  # fmt: skip
@option(
    "--pages", is_flag=True, group=INPUT, common=True,
    help="Each SOURCE is one page of HTML. Names with .html, .htm or .xhtml are pages without this option.",
)  # fmt: skip
def fingerprint(given: Given, *, form: FingerprintFormat, blocks: int | None, minhash: int | None, pages: bool) -> int:
    """Write the fingerprint of each document.

    A line has id, tab, fingerprint; of several schemes, a column each. A file has the columns id and fingerprint
    with a header; of several schemes each has a column of its name.

    A SOURCE is a collection, or a page of HTML. The id of a page is its name. Its encoding is found as browsers find
    it, unless --encoding names it. Without --scheme and --extract a page has two fingerprints, of its main text and of
    its structure, which --fold, --cut-at, --strip and --ignore leave out. A page that cannot be used is reported on
    stderr with the reason, and the others are written. So is a file that cannot be read, but the exit code is then 2.
    """
    from simsieve.cli.pages import STRUCTURE_SCHEME, TEXT_SCHEME, are_pages, write_pages
    from simsieve.run.fit import run_fingerprints
    from simsieve.run.schemes import without_thresholds

    output = str(given.output)
    if pages or are_pages(given.sources):
        if blocks is not None:
            raise ConfigError(tr("--blocks is for records: leave it out for pages"))
        if minhash is not None:
            raise ConfigError(tr("--minhash is for records: leave it out for pages"))
        if given.failed is not None:
            text = tr("--failed is for records: a page that fails is named on stderr, and its file is there")
            raise ConfigError(text)
        settings, ctx = given.settings, click.get_current_context()
        if not is_given(ctx, "scheme") and settings["extract"] == NONE:
            cleaned = any(settings[name] for name in CLEANED) or settings["fold"] != NONE
            settings["scheme"] = (TEXT_SCHEME,) if cleaned else (TEXT_SCHEME, STRUCTURE_SCHEME)
        config = without_thresholds(given.config)
        if not isinstance(config.encoding, str):
            raise ConfigError(tr("--encoding with a pattern is for records: give one name for the pages, or none"))
        charset = config.encoding if is_given(ctx, "encoding") and config.encoding != "auto" else None
        return write_pages(given.sources, config, charset=charset, output=output, form=form, as_json=given.as_json)
    if given.as_json:
        text = tr("--json is for pages: leave it out, and each record has a line with id, tab, fingerprint")
        raise ConfigError(text)
    if minhash is not None and (blocks is not None or form != "hex"):
        raise ConfigError(tr("--minhash has a form of its own: leave out --blocks and --format"))
    with given.progress() as progress:
        printed = run_fingerprints(
            given.source, given.config, output, form, progress, given.failed, blocks, warned, minhash
        )
    return given.code(printed.failures, printed.read)
