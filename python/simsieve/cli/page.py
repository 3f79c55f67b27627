"""`simsieve page`: the fingerprints of pages of HTML, of their text and of their structure."""

import json

import click

from simsieve.cli.common import page_of
from simsieve.cli.options import PATH, epilog
from simsieve.cli.values import completer
from simsieve.errors import ConfigError
from simsieve.fingerprint import fingerprint

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
    help="A scheme that `simsieve schemes` lists, or name:option=value,...; may be repeated.",
)  # fmt: skip
@click.option("--charset", metavar="NAME", help="The pages' encoding; by default a page itself tells it, or a guess.")
@click.option("--json", "as_json", is_flag=True, help="A JSON object a line.")
def page(*, pages: tuple[str, ...], schemes: tuple[str, ...], charset: str | None, as_json: bool) -> int:
    """Write the fingerprints of pages, of their text and their structure: page, scheme and fingerprint, by tabs.

    A page is a file of HTML in any encoding that browsers know; one may be `-` for stdin.
    """
    if pages.count("-") > 1:
        raise ConfigError("stdin is named twice: give the other page as a file")
    for name in pages:
        html = page_of(name, charset)
        for spec in schemes:
            made = fingerprint(html, spec)
            value = None if made is None else made.hex
            if as_json:
                click.echo(json.dumps({"page": name, "scheme": spec, "fingerprint": value}, ensure_ascii=False))
            else:
                click.echo(f"{name}\t{spec}\t{value or ''}")
    return 0
