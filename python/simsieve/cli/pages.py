"""Pages of HTML as the sources of `simsieve fingerprint`: each file is one document."""

import json
from collections.abc import Iterator, Mapping, Sequence

from simsieve import _core
from simsieve.cli.common import COULD_NOT_RUN, DONE, TOO_MANY_FAILED, code_text, echo, page_of, say
from simsieve.cli.hints import error_text
from simsieve.config.formats import PAGES
from simsieve.config.near_rows import FIT
from simsieve.config.settings import DedupConfig
from simsieve.config.words import in_words
from simsieve.errors import ConfigError, SourceError, TextError
from simsieve.messages import tr
from simsieve.run.schemes import chosen_schemes
from simsieve.sinks.base import write_text
from simsieve.sinks.checks import check_sinks
from simsieve.sinks.tables import table_format, write_objects
from simsieve.text.checks import lone_surrogates_named
from simsieve.text.html import decode
from simsieve.types import Fingerprint, FingerprintFormat

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
