"""`simsieve pairs`: list the near pairs and drop nothing."""

from simsieve.cli.common import say, warned
from simsieve.cli.given import Given, reads
from simsieve.cli.options import against_option, output_option
from simsieve.messages import tr


@reads(
    "pairs",
    examples=(
        "simsieve pairs corpus.jsonl -o pairs.jsonl",
        "simsieve pairs corpus.jsonl --max-distance 3 --scheme chars64 | head",
        "simsieve pairs new.jsonl --against old.jsonl -o across.jsonl",
    ),
    failed=True,
)
@output_option("Where the pairs go: .jsonl, .csv, .tsv or .parquet; `-` is stdout.", default="-")
@against_option("Give only pairs across two collections: a of the sources, b of this file. May be repeated.")
def pairs(given: Given) -> int:
    """List the pairs of near documents, and drop nothing.

    The pairs are those in the sources, or across two collections. Each is a row of a, b, distance and similarity: a
    and b are ids, and a comes before b in the sources. The rows are JSON lines on stdout.
    """
    from simsieve.run.pipeline import run_pairs

    with given.progress() as progress:
        found = run_pairs(given.source, given.config, given.output, progress, given.old, given.failed, warned)
    if not given.quiet:
        across = tr(" and {count:,} old ones", count=found.old_read) if given.against else ""
        unread = found.failed + len(found.old_failures())
        text = tr("{pairs:,} pairs among {read:,} records{across} ({failed:,} failed)")
        told = tr("; numbers of {count:,} pairs conflict", count=count) if (count := found.conflicts) else ""
        where = "" if given.output == "-" else f" -> {given.output}"
        say(text.format(pairs=len(found), read=found.read, across=across, failed=unread) + told + where)
    code = given.code(found.failures(), found.read)
    return max(code, given.code(found.old_failures(), found.old_read, what="old records"))
