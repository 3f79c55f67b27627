"""`simsieve fit`: count in how many documents each feature occurs."""

from simsieve.cli.common import say, warned
from simsieve.cli.given import Given, reads
from simsieve.cli.options import PATH, option, output_option
from simsieve.config.setting import INPUT
from simsieve.messages import tr
from simsieve.schemes.model import Model


@reads(
    "fit",
    examples=(
        "simsieve fit corpus.jsonl -o corpus.model",
        "simsieve dedup new.jsonl -o kept.jsonl --idf corpus.model",
        "simsieve fit corpus.jsonl --scheme esimhash128 -o words.model",
        "simsieve fit today.jsonl --merge corpus.model -o corpus.model",
        "simsieve compare a.txt b.txt --scheme chars128:weights=idf,model=corpus.model",
    ),
    required=False,
)
@output_option("The file for the model.", metavar="MODEL", required=True)
@option(
    "--merge", "models", metavar="MODEL", type=PATH, multiple=True, group=INPUT,
    help="A model of other documents to merge into the result; may be given several times.",
)  # fmt: skip
def fit(given: Given, *, models: tuple[str, ...]) -> int:
    """Count features, so that rare ones can weigh more.

    The model has in how many documents of the sources each feature occurs. Only the scheme's features matter, not
    its weights and width. With --merge and no SOURCE, models are merged.
    """
    from simsieve.run.fit import run_fit

    with given.progress() as progress:
        source = given.source if given.sources else None
        fitted = run_fit(source, given.config, [Model.load(path) for path in models], given.output, progress, warned)
    model = fitted.model
    if not given.quiet:
        text = tr("model {digest}: {documents:,} documents, {features:,} features with hashes of {bits} bits")
        line = text.format(digest=model.digest, documents=model.documents, features=model.features, bits=model.bits)
        if model.neighbour_bits is not None:
            line += tr(", neighbours by {bits} of 96 bits", bits=model.neighbour_bits)
        say(f"{line} -> {given.output}")
    return given.code(fitted.failures, fitted.read)
