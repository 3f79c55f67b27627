"""`simsieve fingerprint`: the fingerprint of every document, or of pages of HTML, each of which is one document."""

import json
from collections.abc import Iterator, Mapping, Sequence

import click

from simsieve import _core
from simsieve.cli.common import COULD_NOT_RUN, DONE, TOO_MANY_FAILED, code_text, echo, page_of, say, warned
from simsieve.cli.given import Given, is_given, reads
from simsieve.cli.hints import error_text
from simsieve.cli.options import option, output_option
from simsieve.config.formats import PAGES
from simsieve.config.near_rows import FIT, NONE
from simsieve.config.setting import CLEANED, INPUT, OUTPUT
from simsieve.config.settings import DedupConfig
from simsieve.config.words import in_words
from simsieve.errors import ConfigError, SourceError, TextError
from simsieve.messages import tr
from simsieve.run.schemes import chosen_schemes
from simsieve.sinks.checks import check_sinks
from simsieve.sinks.files import write_text
from simsieve.sinks.tables import table_format, write_objects
from simsieve.text.checks import lone_surrogates_named
from simsieve.text.html import decode
from simsieve.types import Fingerprint, FingerprintFormat


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
    from simsieve.cli.fingerprint import STRUCTURE_SCHEME, TEXT_SCHEME, are_pages, write_pages
    from simsieve.run.fingerprints import run_fingerprints
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


TEXT_SCHEME = "chars128:extract=main"
STRUCTURE_SCHEME = "dom128:levels=2,classes=keep,weight=nearest,decay=0.8,hash=xxh3"
"""The schemes where none is given; docs/explanation/dom.md says why these options."""


def are_pages(sources: Sequence[str]) -> bool:
    """Return whether sources are pages, by the extensions of their names."""
    pages = [source for source in sources if source.lower().endswith(PAGES)]
    if pages and len(pages) < len(sources):
        other = next(source for source in sources if source not in pages)
        text = tr("{page} is a page and {other} is not: give them apart, or add --pages where each is a page")
        raise ConfigError(text.format(page=pages[0], other=other))
    return bool(pages)


def write_pages(
    pages: Sequence[str],
    config: DedupConfig,
    *,
    charset: str | None,
    output: str,
    form: FingerprintFormat,
    as_json: bool,
) -> int:
    """Write a line for each page: its name and its fingerprints, one for each scheme."""
    if pages.count("-") > 1:
        raise ConfigError(tr("stdin is named twice: give the other page as a file"))
    if config.idf == FIT:
        text = tr("idf fit counts over a collection, and these are single pages: fit a model and give its file")
        raise ConfigError(text)
    schemes = chosen_schemes(config)
    names = [str(criterion.scheme) for criterion in config.criteria]
    columns = ["fingerprint"] if len(names) == 1 else names
    # An encoding that nobody knows is no fault of a page.
    decode(b"", charset)
    check_sinks(pages, (output,))
    form_of_file = table_format(output)
    failed, unread = 0, 0
    rows: list[dict[str, str | None]] = []
    for name in pages:
        try:
            values = list(_fingerprints(page_of(name, charset), schemes, form))
        except SourceError as error:
            unread += 1
            say(error_text(error))
            continue
        except TextError as error:
            failed += 1
            say(f"{name} ({code_text(error.code)}): {in_words(error.why)}")
            continue
        made: list[dict[str, str | None]] = [{"id": name, **dict(zip(columns, values, strict=True))}]
        if as_json:
            each = zip(names, values, strict=True)
            made = [{"id": name, "scheme": spec, "fingerprint": value} for spec, value in each]
        if output == "-":
            echo("\n".join(_lines(made, as_json=as_json)))
        rows += made
    if form_of_file is not None:
        fields = ["id", "scheme", "fingerprint"] if as_json else ["id", *columns]
        write_objects(output, dict.fromkeys(fields), rows, safe=False)
    elif output != "-":
        write_text(output, "".join(f"{line}\n" for line in _lines(rows, as_json=as_json)))
    allowed = config.allows_failed(failed, len(pages))
    if not allowed:
        text = tr("{failed:,} of {count:,} pages failed, more than --max-failed {limit} allows")
        say(text.format(failed=failed, count=len(pages), limit=config.max_failed))
    if unread:
        return COULD_NOT_RUN
    return DONE if allowed else TOO_MANY_FAILED


def _fingerprints(html: str, schemes: Sequence[_core.Scheme], form: FingerprintFormat) -> Iterator[str | None]:
    for scheme in schemes:
        with lone_surrogates_named([html]):
            raw = scheme.fingerprint(html)
        if raw is None:
            yield None
            continue
        made = Fingerprint(int.from_bytes(raw, "big"), scheme.width, scheme.spec, scheme.digest)
        yield {"hex": made.hex, "int": str(made.value), "bits": made.bits}[form]


def _lines(rows: Sequence[Mapping[str, str | None]], *, as_json: bool) -> list[str]:
    """Rows as they go to stdout: objects, or fields with tabs."""
    if as_json:
        return [json.dumps(row, ensure_ascii=False) for row in rows]
    return ["\t".join(value or "" for value in row.values()) for row in rows]
