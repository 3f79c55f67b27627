"""The bodies of requests and answers, as they are read, written and described."""

from dataclasses import MISSING, fields
from typing import Annotated, Any, Literal, cast, get_type_hints

import msgspec
from msgspec import UNSET, Meta, UnsetType

from simsieve.config.settings import SETTINGS
from simsieve.differences import Difference
from simsieve.index import BatchCounts
from simsieve.inside.result import Span
from simsieve.schemes.scheme import DEFAULT_SCHEME
from simsieve.types import Decision

MOST_COMPARED = 100_000
"""Characters of a text that is compared with another."""
MOST_MATCHES = 100
MOST_KEY = 256

_KINDS = get_type_hints(Decision)
Row = cast(
    "type[Decision]",
    msgspec.defstruct(
        "Row",
        [(one.name, _KINDS[one.name], *(() if one.default is MISSING else (one.default,))) for one in fields(Decision)],
        gc=False,
    ),
)
"""A decision with the fields of `Decision`, which is made in a tenth of the time."""
ROW = tuple(one.name for one in fields(Decision))
"""Its fields."""

Id = Annotated[str | int | float | None, Meta(description="The id of the document, in its JSON type.")]
SchemeName = Annotated[str, Meta(description=SETTINGS["scheme"].help + " Only names of schemes, without options.")]


class Document(msgspec.Struct):
    """A document: its text and its id. Other fields are not read."""

    text: str
    id: Id = None


class CheckRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Documents to decide on, as one batch. An index of other fields takes records with them."""

    documents: list[Document]


class RecordsRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Records for an index that reads other fields than `text` and `id`."""

    documents: list[dict[str, Any]]


KnownId = Annotated[
    Literal["replace", "refuse"],
    Meta(description="What becomes of a document whose id the index has with another text."),
]
BatchName = Annotated[
    str,
    Meta(
        description="The name of the batch, by which it is undone. The same request twice changes nothing.",
        min_length=1, max_length=MOST_KEY,
    ),
]  # fmt: skip


class AddRequest(CheckRequest):
    """Documents to add as one batch."""

    batch: BatchName | None = None
    on_known_id: KnownId = "replace"


class AddRecordsRequest(RecordsRequest):
    """Records to add as one batch."""

    batch: BatchName | None = None
    on_known_id: KnownId = "replace"


class QueryRequest(msgspec.Struct, forbid_unknown_fields=True):
    """A text whose near documents are asked for."""

    text: str
    n: Annotated[int, Meta(ge=1, le=MOST_MATCHES, description="Documents at most.")] = 10
    differences: Annotated[bool, Meta(description="Whether the answer says where the texts differ.")] = False
    date: Annotated[
        str | None, Meta(description="Of an index with a window of time: only documents in the window of this date.")
    ] = None


class RemoveRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Ids of documents to remove."""

    ids: list[str | int | float]


class CompareRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Two texts to compare."""

    a: Annotated[str, Meta(max_length=MOST_COMPARED)]
    b: Annotated[str, Meta(max_length=MOST_COMPARED)]
    scheme: SchemeName = DEFAULT_SCHEME


class FingerprintRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Texts whose fingerprints are asked for."""

    texts: list[str]
    scheme: SchemeName = DEFAULT_SCHEME


class PassagesRequest(msgspec.Struct, forbid_unknown_fields=True):
    """A text, and what it is held against: another text, or the kept documents of an index."""

    text: str
    source: Annotated[str | None, Meta(description="The other text; null where an index is named.")] = None
    index: Annotated[str | None, Meta(description="The name of an index; null where a text is given.")] = None
    min_length: Annotated[
        int, Meta(ge=1, le=2**31 - 1, description="The least units of a passage: 2 a Chinese character, else 1.")
    ] = 60
    n: Annotated[int, Meta(ge=1, le=MOST_MATCHES, description="Sources at most.")] = 10


class CheckAnswer(msgspec.Struct):
    """A decision a document, in the order of the request."""

    decisions: list[Decision]


class AddAnswer(CheckAnswer):
    """What a batch came to."""

    batch: Annotated[str, Meta(description="Its name or number; empty where it was joined with others.")]
    kept: int
    dropped: int
    known: Annotated[int, Meta(description="Documents that the index had before as they are.")]
    replaced: int
    orphans: Annotated[list[Any], Meta(description="Ids of documents that were dropped for one that is gone.")]
    repeated: Annotated[bool, Meta(description="Whether this batch was added before, and nothing was changed.")] = False


class Match(msgspec.Struct):
    """A kept document that is near."""

    id: Id
    similarity: float | None
    distance: int | None
    text: str
    differences: list[Difference] | UnsetType = UNSET


class QueryAnswer(msgspec.Struct):
    """Near documents, the nearest first."""

    matches: list[Match]


class SourcePassages(msgspec.Struct):
    """What the text shares with one source."""

    id: Id
    share: Annotated[float, Meta(description="The share of the text's characters that stand in the source, in [0, 1].")]
    source_share: Annotated[float, Meta(description="The share of the source's characters that stand in the text.")]
    longest: Annotated[int, Meta(description="The characters of the longest passage.")]
    spans: Annotated[list[Span], Meta(description="The passages: places in characters of both texts.")]
    text: Annotated[str, Meta(description="The source.")]


class PassagesAnswer(msgspec.Struct):
    """What the text shares with all sources, and the sources, the largest share first."""

    share: Annotated[float, Meta(description="The share of the text in passages with any source, in [0, 1].")]
    own_share: Annotated[float, Meta(description="That share without quotations and the list of references.")]
    common_share: Annotated[float, Meta(description="The share that stands at too many places to lead to a source.")]
    found: Annotated[int, Meta(description="How many sources share a passage; `sources` may be fewer.")]
    sources: list[SourcePassages]


class RemovedAnswer(msgspec.Struct):
    """What was taken out of the index."""

    kept: int
    dropped: int
    missing: list[Any]
    orphans: list[Any]


class DocumentAnswer(msgspec.Struct):
    """What the index knows of an id."""

    id: Id
    decision: Literal["kept", "dropped"]
    text: Annotated[str | None, Meta(description="The text of a kept document; that of a dropped one is not stored.")]
    representative: Annotated[Id, Meta(description="Of a dropped document the id of the one that it is near.")] = None
    similarity: float | None = None


class BatchesAnswer(msgspec.Struct):
    """The batches of the index, in their order."""

    batches: list[BatchCounts]


class StatsAnswer(msgspec.Struct):
    """The counts and sizes of an index."""

    name: str
    kept: int
    dropped: int
    segments: int
    bytes: int
    changes: int
    epoch: int
    refreeze_due: bool
    largest_bucket: Annotated[int, Meta(description="About the most kept documents that share one search key.")] = 0


class IndexesAnswer(msgspec.Struct):
    """The indexes of the service."""

    indexes: list[StatsAnswer]


class CompareAnswer(msgspec.Struct):
    """Every measure of two texts, and where they differ."""

    scheme: str
    a: Annotated[str | None, Meta(description="The fingerprint in hex; null where the text has no features.")]
    b: str | None
    distance: int | None
    similarity: float | None
    jaccard: float | None
    a_in_b: float | None
    b_in_a: float | None
    edit: float | None
    edit_note: str | None
    tree_edit: Annotated[float | None, Meta(description="Of the elements of two pages.")]
    tree_edit_note: str | None
    differences: list[Difference]


class FingerprintAnswer(msgspec.Struct):
    """A fingerprint a text, in hex; null where a text has no features."""

    scheme: str
    fingerprints: list[str | None]


class HealthAnswer(msgspec.Struct):
    """That the service runs, or is ready."""

    status: str


class Failure(msgspec.Struct):
    """What went wrong."""

    code: Annotated[str, Meta(description="The kind of the fault, as a word.")]
    message: Annotated[str, Meta(description="One line, in English or Chinese by Accept-Language.")]
    values: Annotated[dict[str, Any], Meta(description="The values in the message.")]
    field: Annotated[str, Meta(description="The part of the request that is wrong; empty where it is the whole.")]
    hint: Annotated[str, Meta(description="What to do next.")]
    id: Annotated[str, Meta(description="The name of the error where it has one; how-to/serve.md lists them.")]


class ErrorAnswer(msgspec.Struct):
    """The shape of every error."""

    error: Failure
