"""`simsieve page`: the fingerprints of pages of HTML, of their text and of their structure."""

import json

import click

from simsieve.cli.common import COULD_NOT_RUN, DONE, TOO_MANY_FAILED, page_of, say
from simsieve.cli.options import PATH, epilog, settings_options
from simsieve.cli.values import completer
from simsieve.compare.fingerprint import fingerprint
from simsieve.config.settings import DedupConfig
from simsieve.errors import ConfigError, SourceError, TextError, core_errors
from simsieve.schemes.criteria import threshold_apart
from simsieve.schemes.scheme import load_scheme
from simsieve.text.html import decode

TEXT_SCHEME = "chars128:extract=main"
STRUCTURE_SCHEME = "dom128:levels=2,classes=keep,weight=nearest,decay=0.8,hash=xxh3"
"""What is printed where no scheme is asked for; docs/explanation/dom.md says why these options."""


@click.command(
    epilog=epilog(
        "simsieve page index.html",
        "simsieve page index.html about.html --scheme chars128:extract=text --scheme dom64",
        "curl -s https://example.org/ | simsieve page - --json",
    )
)
@click.argument("pages", nargs=-1, metavar="PAGE...", type=PATH, required=True)
@click.option(
    "--scheme", "schemes", metavar="NAME", multiple=True, default=(TEXT_SCHEME, STRUCTURE_SCHEME), show_default=True,
    shell_complete=completer("scheme"),
    help="A scheme that `simsieve schemes` lists, name:option=value,..., or a file NAME.toml; may be repeated.",
)  # fmt: skip
@click.option("--charset", metavar="NAME", help="The pages' encoding; by default a page itself tells it, or a guess.")
@settings_options("max_failed")
@click.option("--json", "as_json", is_flag=True, help="A JSON object a line.")
def page(
    *, pages: tuple[str, ...], schemes: tuple[str, ...], charset: str | None, max_failed: str, as_json: bool
) -> int:
    """Write the fingerprints of pages, of their text and their structure: page, scheme and fingerprint, by tabs.

    A page is a file of HTML in any encoding that browsers know; one may be `-` for stdin. A page that cannot be used is
    told on stderr with the reason, and the others are written; so is a file that cannot be read, but the exit code is
    then 2.
    """
    if pages.count("-") > 1:
        raise ConfigError("stdin is named twice: give the other page as a file")
    config = DedupConfig(max_failed=max_failed)
    for spec in schemes:
        _check(spec)
    # An encoding that nobody knows is no fault of a page.
    decode(b"", charset)
    failed, unread = 0, 0
    for name in pages:
        try:
            html = page_of(name, charset)
            made = [(spec, fingerprint(html, spec)) for spec in schemes]
        except SourceError as error:
            unread += 1
            say(str(error))
            continue
        except (ConfigError, TextError) as error:
            failed += 1
            code, why = (error.code, error.why) if isinstance(error, TextError) else ("not_text", str(error))
            say(f"{name} ({code}): {why.removeprefix(f'{name}: ')}")
            continue
        for spec, found in made:
            value = None if found is None else found.hex
            if as_json:
                click.echo(json.dumps({"page": name, "scheme": spec, "fingerprint": value}, ensure_ascii=False))
            else:
                click.echo(f"{name}\t{spec}\t{value or ''}")
    allowed = config.allows_failed(failed, len(pages))
    if not allowed:
        say(f"{failed:,} of {len(pages):,} pages failed, more than --max-failed {config.max_failed} allows")
    if unread:
        return COULD_NOT_RUN
    return DONE if allowed else TOO_MANY_FAILED


def _check(spec: str) -> None:
    """Check that a scheme makes fingerprints as it stands, before any page is read."""
    name, threshold = threshold_apart(spec)
    if threshold:
        raise ConfigError(
            f"scheme {spec!r} has a threshold, {threshold}, which has no place here: fingerprints are written and"
            f" nothing is compared; give {name!r}"
        )
    with core_errors():
        load_scheme(spec).check_ready()
