"""`simsieve review`: near duplicates for people to judge."""

import click

from simsieve.cli.common import echo, say, warned
from simsieve.cli.given import Given, is_given, reads
from simsieve.cli.options import PATH, option, output_option
from simsieve.cli.review_page import Files, serve
from simsieve.config.setting import INPUT, OUTPUT, STAYS
from simsieve.messages import tr


@reads(
    "review",
    examples=(
        "simsieve review corpus.jsonl -o review.html",
        "simsieve review corpus.jsonl --verdicts verdicts.csv",
        "simsieve review --run-dir corpus.rundir -o review.csv --order similarity",
        "simsieve review corpus.jsonl --serve --show answer",
    ),
    required=False,
)
@output_option(
    "The page (.html) or the table (.csv, .tsv, .jsonl, .parquet) to fill in; with --serve the table of verdicts."
)
@option(
    "--pairs", "count", type=int, metavar="N", default=200, group=OUTPUT, common=True,
    help="How many pairs to show, at most 5000.",
)  # fmt: skip
@option(
    "--order", metavar="bands|similarity", default="bands", group=OUTPUT, common=True,
    help="Draw the pairs from ten bands of similarity alike, or take those nearest to the threshold.",
)  # fmt: skip
@option(
    "--verdicts", "marked", metavar="FILE", type=PATH, group=INPUT, common=True,
    help="Read what was judged, and print the run's precision with its interval. With -o, go on judging.",
)  # fmt: skip
@option(
    "--show", metavar="FIELD", multiple=True, group=OUTPUT, common=True,
    help="Show this field of both records beside the texts, such as the answer. It may be given more than once.",
)  # fmt: skip
@option(
    "--serve", "serves", is_flag=True, group=OUTPUT, common=True,
    help="Show the page in a browser, for one person or several; each verdict is kept at once. It prints the address.",
)  # fmt: skip
@option(
    "--host", metavar="NAME", default="127.0.0.1", group=OUTPUT,
    help="With --serve the address to listen on; 127.0.0.1 is reached from this machine alone.",
)  # fmt: skip
@option(
    "--port", metavar="N", type=click.IntRange(0, 65535), default=8080, group=OUTPUT,
    help="With --serve the port to listen on; 0 takes a free one.",
)  # fmt: skip
@option(
    "--log", metavar="FILE", type=PATH, group=OUTPUT,
    help="With --serve the file of the verdicts. Default: SOURCE.verdicts.sqlite.",
)  # fmt: skip
@option(
    "--against", "index", metavar="INDEX", type=PATH, group=STAYS,
    help="With --serve judge the records of SOURCE that are near documents of an index, before they are added.",
)  # fmt: skip
def review(
    given: Given, *, count: int, order: str, marked: str | None, show: tuple[str, ...], serves: bool, host: str,
    port: int, log: str | None, index: str | None,
) -> int:  # fmt: skip
    """Show near duplicates with their representatives, for people to judge.

    Each pair has both texts, their differences, and a place for a verdict: same, different, keep a or keep b; a is the
    representative. The page takes verdicts by keyboard and saves a file of them. From that file the command
    estimates the run's precision: the share of near duplicates that are rightly dropped.
    """
    from simsieve.evaluate.pairs import judged_rows
    from simsieve.evaluate.review import check_review, judged, review_of, write_review
    from simsieve.report.table import aligned, recall_text
    from simsieve.review.page import write_page
    from simsieve.sinks.checks import is_page

    context = click.get_current_context()
    if serves:
        for name, param in (("count", "--pairs"), ("order", "--order")):
            if is_given(context, name):
                raise click.UsageError(tr("{name} is for a file: with --serve the page has its own orders", name=param))
        files = Files(log, given.output, marked, show)
        return serve(given, index, files, host, port)
    for name, param in (("host", "host"), ("port", "port"), ("log", "log"), ("index", "against")):
        if is_given(context, name):
            raise click.UsageError(tr("--{name} is for a page that is served: give --serve too", name=param))
    output = given.output
    if output is None and marked is None:
        raise click.UsageError(tr("-o FILE is missing: give a file in .html or .csv, or --verdicts FILE, or --serve"))
    check_review(output, count, order)
    verdicts = None if marked is None else judged_rows(marked)
    with given.progress() as progress:
        result = given.run(progress)
    chosen = review_of(result, count, order, result.config.seed)
    words = {}
    if verdicts is not None:
        found = judged(result, chosen, verdicts)
        words = found.words
        for warning in filter(None, [found.warning]):
            warned(warning)
        if found.others:
            say(tr("{count:,} verdicts are on pairs that the run did not drop: they do not count", count=found.others))
        rows = [(tr("precision"), found.precision.text), (tr("recall"), recall_text(result.recall))]
        echo(aligned(rows))
    if output is not None:
        (write_page if is_page(output) else write_review)(result, chosen, output, words, show)
        if not given.quiet:
            text = tr("{count:,} of {near:,} near duplicates", count=len(chosen.chosen), near=len(chosen.near))
            say(f"{text} -> {output}")
    return given.ended(result)
