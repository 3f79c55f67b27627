"""`simsieve serve`: indexes over HTTP."""

from typing import Any

import click

from simsieve.cli.given import take_file
from simsieve.cli.help import Command
from simsieve.cli.options import PATH, option, quiet_option
from simsieve.config.setting import ADVANCED, INPUT
from simsieve.messages import tr


@click.command(
    cls=Command,
    examples=(
        "simsieve serve seen",
        "simsieve serve questions=/data/q news=/data/n --key-file keys --host 0.0.0.0",
        "simsieve serve --config serve.toml",
        "simsieve serve seen --review upload.jsonl",
    ),
)
@click.argument("indexes", nargs=-1, required=True, metavar="[NAME=]DIR...", type=PATH)
@option("--host", default="127.0.0.1", metavar="ADDRESS", group=INPUT, common=True,
        help="The address to listen on; any other than that of this machine alone needs keys.")  # fmt: skip
@option("--port", type=click.IntRange(0, 65535), default=8080, metavar="N", group=INPUT, common=True,
        help="The port to listen on; 0 takes a free one, which the log names.")  # fmt: skip
@option("--key-file", metavar="FILE", type=PATH, group=INPUT, common=True,
        help="A file of mode 600 with a role (read, write, admin) and a key a line. It is read again when it changes.",
        )  # fmt: skip
@option("--read-only", is_flag=True, group=INPUT, common=True,
        help="Let no request change an index, as is done by itself where its folder takes no files; several services"
        " may so serve one.")  # fmt: skip
@option("--review", metavar="[NAME=]SOURCE", type=PATH, group=INPUT, common=True,
        help="Show the review page under /review: of a finished run, by its directory, or of new records that are near"
        " documents of the index. The address that lets the first browser in is on stdout.")  # fmt: skip
@option("--review-log", metavar="FILE", type=PATH, group=INPUT,
        help="With --review the file of the verdicts. Default: SOURCE.verdicts.sqlite.")  # fmt: skip
@option("--show", metavar="FIELD", multiple=True, group=INPUT,
        help="With --review show this field of both records beside the texts. It may be given more than once.",
        )  # fmt: skip
@option("--certificate", metavar="FILE", type=PATH, group=INPUT,
        help="Encrypt connections (TLS) by this certificate, with those above it, in PEM.")  # fmt: skip
@option("--certificate-key", metavar="FILE", type=PATH, group=INPUT,
        help="The key of the certificate, in PEM without a password; not needed where the certificate's file has it.",
        )  # fmt: skip
@option("--allow-host", "allow_hosts", metavar="NAME", multiple=True, group=INPUT,
        help="A name by which the service may be asked, such as that of a proxy; without keys the names of this machine"
        " may always.")  # fmt: skip
@option("--proxy", metavar="ADDRESS", group=INPUT,
        help="The address of a proxy whose X-Forwarded-For and X-Forwarded-Proto are believed.")  # fmt: skip
@option("--max-body", type=click.IntRange(1), default=16 << 20, metavar="BYTES", group=ADVANCED,
        help="Bytes of a request at most.")  # fmt: skip
@option("--max-batch", type=click.IntRange(1), default=10_000, metavar="N", group=ADVANCED,
        help="Documents of a request at most.")  # fmt: skip
@option("--max-text", type=click.IntRange(1), default=1 << 20, metavar="BYTES", group=ADVANCED,
        help="Bytes of a text at most.")  # fmt: skip
@option("--max-requests", type=click.IntRange(1), default=512, metavar="N", group=ADVANCED,
        help="Requests that are worked on or wait; others are told to come again.")  # fmt: skip
@option("--timeout", type=click.FloatRange(0, min_open=True), default=30.0, metavar="SECONDS", group=ADVANCED,
        help="Seconds that a request may take.")  # fmt: skip
@option("--config", metavar="FILE", type=PATH, is_eager=True, expose_value=False, callback=take_file,
        help="Take these options from a TOML file, under their names with _ for -, and the directories as indexes;"
        " options given here take precedence.")  # fmt: skip
@quiet_option
def serve(
    *, indexes: tuple[str, ...], read_only: bool, review: str | None, review_log: str | None, show: tuple[str, ...],
    **options: Any,
) -> int:  # fmt: skip
    """Serve indexes over HTTP: check, add, query and remove documents, compare texts.

    A service that is told nothing is reached from this machine only. The log is JSON lines on stderr, without texts.
    SIGTERM ends it when the requests under way are done. `GET /docs` shows the interface.
    """
    from simsieve.optional import web_server

    web_server("httptools", "msgspec", "prometheus_client")
    from simsieve.serve.options import Options, named_indexes
    from simsieve.serve.run import run
    from simsieve.serve.served import Indexes

    checked = Options(**options)
    for name, value in (("--review-log", review_log), ("--show", show)):
        if value and review is None:
            raise click.UsageError(tr("{name} is for the review page: give --review too", name=name))
    opened = Indexes.open(named_indexes(indexes), read_only=read_only)
    if review is None:
        run(checked, opened)
        return 0
    from simsieve.cli.review_page import Files, mounted

    with mounted(review, opened, Files(review_log, show=show), quiet=options["quiet"]) as (page, tell):
        run(checked, opened, [page], tell)
    return 0
