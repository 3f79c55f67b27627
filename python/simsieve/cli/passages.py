"""`simsieve passages`: find what documents share inside."""

from typing import TYPE_CHECKING, Any

import click

from simsieve.cli.common import echo, say, warned
from simsieve.cli.given import Given, reads
from simsieve.cli.options import PATH, SHARE, file_option, option, output_option
from simsieve.cli.review_page import let_in
from simsieve.config.setting import INPUT, NEAR, OUTPUT, STAYS
from simsieve.display import cut
from simsieve.messages import tr
from simsieve.optional import web_server

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simsieve.config.pair_rows import PairRow
    from simsieve.inside import PassageResult

_SHOWN = 10
"""Documents whose totals are printed."""


@reads(
    "passages",
    examples=(
        "simsieve passages thesis.docx --against library/ --report report.html",
        "simsieve passages theses.jsonl --against papers.jsonl \\\n    -o shared.jsonl --totals totals.csv",
        "simsieve passages thesis.txt --against papers.jsonl --exclude quotes",
        "simsieve passages essays.jsonl --show title --own student --report report.html",
        "simsieve passages essays.jsonl --show title --serve",
        "simsieve passages train.jsonl --of tests.jsonl --contained 0.8 -o leaks.jsonl",
    ),
    as_json="The run's numbers as JSON on stdout, or on stderr with `-o -`.",
    failed=True,
)
@option(
    "--against", "--of", metavar="CORPUS|INDEX", type=PATH, multiple=True, group=STAYS, common=True,
    help="What the documents are held against: sources, or the directory of an index; without it each is held against"
    " the earlier ones. May be repeated.",
)  # fmt: skip
@option(
    "--against-text-field", "--of-text-field", metavar="FIELD", multiple=True, group=INPUT,
    help="The field of CORPUS that holds the text, where --text-field is of the documents alone. May be repeated.",
)  # fmt: skip
@output_option("Where the pairs go, a row each: .jsonl, .csv, .tsv or .parquet; `-` is stdout.")
@file_option("--totals", "Write the totals of each document: copied in all, without quotations, largest source.")
@file_option(
    "--report", "Write a page of HTML: a table and a graph of all documents, and each pair side by side. One file.",
    common=True,
)  # fmt: skip
@option(
    "--serve", "serves", is_flag=True, group=OUTPUT, common=True,
    help="Show the page in a browser, for thousands of documents: texts are read when they are looked at. It prints the"
    " address.",
)  # fmt: skip
@option(
    "--min-length", type=click.IntRange(min=1), metavar="N", group=NEAR, common=True,
    help="The least length of a passage in units: 2 a Chinese, Japanese or Korean character, 1 another letter or digit."
    " By default 60, and with --contained 16.",
)  # fmt: skip
@option(
    "--min-share", type=SHARE, default=0.0, metavar="X", group=NEAR,
    help="The least share of a document that it has in common with a source.",
)  # fmt: skip
@option(
    "--contained", type=SHARE, metavar="X", group=NEAR,
    help="The least share of a source that stands in a document: with test items as sources this finds leaks.",
)  # fmt: skip
@option(
    "--doubtful", is_flag=True, group=NEAR,
    help="With --contained give the rows too in which a part of the item is lacking, or the numbers are others.",
)  # fmt: skip
@option(
    "--exclude", metavar="quotes|references|FILE", multiple=True, group=NEAR, common=True,
    help="What does not count: quotations, the list of references, or text that is in a file. May be repeated.",
)  # fmt: skip
@option(
    "--common", type=click.IntRange(min=1), default=20, metavar="N", group=NEAR,
    help="What stands in more sources has a row for the first of them, with their number; without --against it has"
    " none, and its share is told. Equal sources count once, and N of them have rows; with --contained all.",
)  # fmt: skip
@option(
    "--pieces", is_flag=True, group=NEAR,
    help="List the pieces of a passage; else those with at most 150 letters between them are one.",
)  # fmt: skip
@option(
    "--within", is_flag=True, group=NEAR,
    help="Hold each document against itself too, for a part that comes twice. Without --against.",
)  # fmt: skip
@option(
    "--show", metavar="FIELD", multiple=True, group=OUTPUT,
    help="Name documents and sources on the page by this field, such as the title. May be repeated.",
)  # fmt: skip
@option(
    "--own", metavar="FIELD", group=NEAR,
    help="The field of the author: what a document shares with other works of its author counts apart.",
)  # fmt: skip
@file_option(
    "--anchors", "A file that keeps what is known of CORPUS, so that the next run does not read it through again. It is"
    " made where it is missing or does not fit.", common=True,
)  # fmt: skip
@file_option("--review", "Draw pairs from ten bands of their share alike, and write them to be judged: a page (.html)"
             " or a table (.csv, .tsv, .jsonl, .parquet).")  # fmt: skip
@option(
    "--pairs", "count", type=click.IntRange(1, 5000), metavar="N", default=200, group=OUTPUT,
    help="How many pairs --review draws.",
)  # fmt: skip
@option(
    "--verdicts", "marked", metavar="FILE", type=PATH, group=INPUT,
    help="Read what was judged, and print the precision with its interval. With --review, go on judging.",
)  # fmt: skip
def passages(
    given: Given, *, against_text_field: tuple[str, ...], totals: str | None, report: str | None,
    serves: bool, min_length: int | None, min_share: float, contained: float | None, doubtful: bool,
    exclude: tuple[str, ...], common: int, anchors: str | None, pieces: bool, within: bool, show: tuple[str, ...],
    own: str | None, review: str | None, count: int, marked: str | None,
) -> int:  # fmt: skip
    """Find the passages that documents share, though the rest of them differs.

    A row is what a document shares with a source: the share, and spans in characters of both texts. Passages with
    edits are found too.
    """
    from simsieve.evaluate.pairs import judged_rows
    from simsieve.inside.find import run_passages
    from simsieve.inside.result import PassageResult
    from simsieve.sinks.checks import Output, is_page

    if serves:
        if "-" in (*given.sources, *given.against):
            raise click.UsageError(tr("stdin can be read only once: --serve needs files"))
        web_server("httptools", "msgspec", "prometheus_client")
    verdicts = None if marked is None else judged_rows(marked)
    outputs = [
        Output(review, "page" if review and is_page(review) else "table"),
        Output(given.failed, "table", PassageResult.write_failed),
        Output(totals, "table", lambda result, name: result.write(name, totals=True)),
        Output(report, "page", PassageResult.report),
        Output(given.output, "table", PassageResult.write),
    ]
    with given.progress() as progress:
        result = run_passages(
            given.source, given.old, given.config, min_length, min_share, contained, exclude, common, anchors,
            against_text_field, pieces=pieces, within=within, show=show, own=own, doubtful=doubtful, outputs=outputs,
            progress=progress, warn=warned,
        )  # fmt: skip
    given.close(result.summary, lambda: _tell(result, given.output, doubtful=doubtful))
    if review is not None or verdicts is not None:
        _judge(result, review, count, verdicts, quiet=given.quiet)
    if serves:
        _serve(result)
    code = given.code(result.failures(), result.read)
    return max(code, given.code(result.old_failures(), result.old_read, what="old records"))


def _judge(
    result: "PassageResult", review: str | None, count: int, verdicts: "Sequence[PairRow] | None", *, quiet: bool
) -> None:  # fmt: skip
    """Print the precision by what was judged, and write pairs to be judged."""
    from simsieve.report.table import aligned
    from simsieve.review.passages import judged, write_sample

    words = dict[int, str]()
    if verdicts is not None:
        precision, words, others = judged(result, verdicts)
        if others:
            say(tr("{count:,} verdicts are on pairs that the run did not find: they do not count", count=others))
        echo(aligned([(tr("precision"), precision.text)]))
    if review is not None:
        written = write_sample(result, review, count, verdicts=words)
        if not quiet:
            say(tr("{count:,} of {all:,} pairs to judge", count=written, all=len(result)) + f" -> {review}")


def _serve(result: "PassageResult") -> None:
    """Show the page until Ctrl-C, on a free port of this machine."""
    from simsieve.serve.app import Mounted
    from simsieve.serve.doors import LOOKS, Doors
    from simsieve.serve.options import Options
    from simsieve.serve.pages import passages_app
    from simsieve.serve.run import run
    from simsieve.serve.served import Indexes

    doors = Doors()

    def tell(url: str) -> None:
        let_in(lambda: f"{url}/?token={doors.invite('', LOOKS)}")

    say(tr("open the address in a browser of this machine; Enter prints another one, Ctrl-C ends the program"))
    app = Mounted("", passages_app(result, doors))
    run(Options(port=0, has_doors=True, quiet=True), Indexes({}), [app], tell)


def _tell(result: "PassageResult", output: str | None, *, doubtful: bool) -> None:
    """Say what was found, and the totals of the documents that have most."""
    from simsieve.report.table import columned

    numbers = result.summary
    text = tr("{passages:,} passages in {pairs:,} pairs: {documents:,} of {read:,} documents, {sources:,} sources")
    say(text.format(**numbers) + ("" if output in (None, "-") else f" -> {output}"))
    text = tr(
        "found for certain: a shared run of {certain_characters} Chinese characters, or {certain_letters} other letters"
    )
    say(text.format(**numbers))
    if numbers["common"]:
        text = tr("{common:,} documents have text that stands in many others and leads to no pair; --common bounds it")
        say(text.format(**numbers))
    if not doubtful and numbers["lacking"] + numbers["other_numbers"]:
        text = tr(
            "left out, since they may be no leaks: {lacking:,} pairs that lack a part of the item, {other_numbers:,}"
            " with other numbers; --doubtful lists them"
        )
        say(text.format(**numbers))
    if numbers["unlisted"]:
        text = tr("{unlisted:,} pairs with further equal sources have no row; --common bounds these")
        say(text.format(**numbers))
    first = result.largest(_SHOWN)
    head = (tr("document"), tr("shared"), tr("without quotations and references"), tr("largest source"))
    rows = [
        (_name(total.document, total.document_position), f"{total.share:.1%}", f"{total.own_share:.1%}",
         f"{total.largest_share:.1%} {_name(total.largest_source, None)}")
        for total in first if total.sources
    ]  # fmt: skip
    if rows:
        echo(columned([head, *rows]), err=True)


def _name(label: Any, position: int | None) -> str:
    return cut(str(label if label is not None else "" if position is None else position), 40)
