"""A forecast of a run by a sample of its texts, and of a job on a cluster (docs/how-to/spark.md)."""

from dataclasses import dataclass, replace
from typing import Any, Self, Unpack

from simsieve import _core
from simsieve.checks import check_integer
from simsieve.config.checks import with_bits
from simsieve.config.near_rows import CONTAINMENT, FIT, NONE
from simsieve.config.settings import DedupConfig
from simsieve.config.typed import Settings, with_settings
from simsieve.config.verdicts import read_verdicts
from simsieve.display import counted, html_values, readable_bytes
from simsieve.errors import ConfigError, short_errors
from simsieve.machine import available_bytes, cores
from simsieve.messages import Message, shown, tr
from simsieve.progress import chosen_progress
from simsieve.report.table import aligned
from simsieve.run.forecast import (
    DISK_PARTS,
    LEAST_BYTES,
    UNBOUNDED_BYTES,
    Warn,
    disk_values,
    memory_bound,
    note_program,
    refusal,
    small_bound,
    warn_program,
    warnings_of,
)
from simsieve.run.schemes import chosen_scheme
from simsieve.run.steps import open_store
from simsieve.sources.base import COPY_OF_TEXT, AnySource, Both
from simsieve.sources.fields import PROBE
from simsieve.sources.opening import open_source
from simsieve.types import Progress, ProgressOption

_SECONDS = (47e-6, 0.121e-6)
"""Processor seconds of a text, and of a byte of it: 62 microseconds at 121 bytes, 254 at 1,703."""
_TEST = 5e-9
"""Processor seconds of a pair that is tested, with its part of the sort."""
_SHUFFLED = (354, 2.48)
"""The same in bytes that are shuffled: 654 at 121 bytes, 4,577 at 1,703."""
_ON_DISK = (700, 4)
_ROUNDS = 400
"""Bytes that are shuffled for a near pair in the rounds of decisions."""
_SAMPLED = 1 << 20
"""Texts that the driver samples at most; it sees counts of the rest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterPlan:
    """What a job on a cluster takes; processor time, shuffle and disk are measured ones in proportion.

    Args:
        executors: How many executors.
        core_hours: Hours of one core, in all.
        shuffle_bytes: Bytes that are moved between executors.
        disk_bytes: Bytes on the disks of all executors.
        driver_bytes: Bytes of the sample that the driver takes, at most.
    """

    executors: int
    core_hours: float
    shuffle_bytes: int
    disk_bytes: int
    driver_bytes: int

    @classmethod
    def of(cls, executors: int, documents: int, mean_bytes: int, found: dict[str, Any]) -> Self:
        """Plan a job on documents, by what a forecast of them has found."""
        seconds, shuffled, on_disk = (
            documents * (a_text + a_byte * mean_bytes) for a_text, a_byte in (_SECONDS, _SHUFFLED, _ON_DISK)
        )
        return cls(
            executors=executors,
            core_hours=(seconds + _TEST * found["looks"]) / 3600,
            shuffle_bytes=round(shuffled + _ROUNDS * found["verified"]),
            disk_bytes=round(on_disk),
            driver_bytes=min(documents, _SAMPLED) * mean_bytes,
        )

    def __str__(self) -> str:
        """The plan as a line."""
        return tr(
            "Spark on {executors:,} executors: {hours:,.1f} core-hours; {shuffle} are shuffled, {disk} are on disk,"
            " {each} on each; the driver takes {driver}",
            executors=self.executors,
            hours=self.core_hours,
            shuffle=readable_bytes(self.shuffle_bytes),
            disk=readable_bytes(self.disk_bytes),
            each=readable_bytes(self.disk_bytes // self.executors),
            driver=readable_bytes(self.driver_bytes),
        )


SCREEN = 80
"""Columns that a plan takes."""
_MOST_DOCUMENTS = 2**64 - 1
_MOST_OF_ONE = 2**32 - 2
_OF_CORE = (
    "digest", "keys", "keys_mean", "sampled", "near_pairs", "crowd", "looks", "candidates", "verified",
    "recall_of_sample", "recall_of_equals", "recall_of_parts",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Plan:
    """What a deduplication of this many documents will take; `plan` makes it. Printed it is a table.

    Counts are of the whole run and expected values. They follow from a sample of the texts of the source. Under a
    distance, and where every pair of few texts is compared, they follow from the recipe, and 0.2 of the documents are
    taken to be near another.

    Args:
        documents: How many documents.
        mean_bytes: Mean length of a text, in bytes of UTF-8; 0 without a source.
        scheme: The scheme in force.
        similarity: The threshold, or None under `max_distance`.
        max_distance: The threshold in bits, or None.
        measure: The measure: `cosine`, `jaccard` or `containment`, or under `max_distance` `hamming`.
        max_ratio: Under containment the most features that a kept document has for each of a dropped one; else None.
        recall: The recall asked for; under `max_distance` every pair within it is found whatever is asked.
        threads: Threads that the memory is for.
        recipe: Where candidates come from, in words.
        digest: The recipe's digest.
        keys: Search keys of a document; 1 where every pair is tested.
        keys_mean: The same in the mean, with those of split paths; 0 where every pair is tested.
        sampled: Texts of the sample that the counts follow from; 0 where they follow from the recipe alone.
        near_pairs: Near pairs of the sample. Fewer than 24 say little about candidates and verified pairs.
        crowd: Documents in groups with many near and many far pairs. Their cost is not known before the search. 0
            where there is no such group, or no sample.
        looks: Pairs that have a key in common and are put to the filter.
        candidates: Of these, pairs that pass.
        verified: Of these, pairs compared by their features.
        bytes_per_document: Bytes that each document takes for good, its label apart.
        bytes: The most memory held at one time.
        available_bytes: Memory that this machine has free; None where it does not report it.
        memory_bytes: Memory that the run may hold; None where there is no bound.
        directory_bytes: The most memory held at one time with a run directory.
        disk_bytes: Bytes of that directory, without a copy of the texts.
        disk_parts: The parts of them: `columns` of documents, search `keys`, `pairs` that are found, and `decisions`.
        copy_bytes: Bytes of the compressed copy of the texts, on disk. JSON lines and tables of text have none where
            they are files that are not compressed.
        recall_of_sample: The share of the near pairs of the sample that have a key in common; None where the sample has
            too few of them, or there is none.
        recall_of_equals: The chance to find a pair at the threshold whose texts have equally many features, in [0, 1].
        recall_of_parts: The same in the worst case: one text is a part of the other, or under containment the kept one
            is as large as `max_ratio` allows.
        recall_by_size: The same for texts of unequal sizes, as pairs of a ratio and the chance. The ratio is that of
            the features of the smaller text to those of the larger one, from 1 down to the least that near texts have.
            Under containment it is that of the kept text to the dropped one, up to `max_ratio`. Empty where every pair
            within the threshold is found.
        cluster: What a job on a cluster takes; None where it is not asked for.
        why: A sentence for each choice.
        warnings: What will not fit or takes very long, and what would fit; empty where all is well.

    Example:
        >>> plan(["one text", "another text"]).recipe
        'every pair'
    """

    documents: int
    mean_bytes: int
    scheme: str
    similarity: float | None
    max_distance: int | None
    measure: str
    max_ratio: float | None
    recall: float
    threads: int
    recipe: str
    digest: str
    keys: int
    keys_mean: float
    sampled: int
    near_pairs: int
    crowd: int
    looks: float
    candidates: float
    verified: float
    bytes_per_document: int
    bytes: int
    available_bytes: int | None
    memory_bytes: int | None
    directory_bytes: int
    disk_bytes: int
    disk_parts: dict[str, int]
    copy_bytes: int
    recall_of_sample: float | None
    recall_of_equals: float
    recall_of_parts: float
    recall_by_size: tuple[tuple[float, float], ...]
    cluster: ClusterPlan | None
    why: tuple[str, ...]
    warnings: tuple[str, ...]

    def __repr__(self) -> str:
        """Show recipe and memory."""
        held = readable_bytes(self.bytes)
        return f"<Plan for {counted(self.documents, 'document')} by {self.scheme}: {self.recipe}, {held}>"

    def __str__(self) -> str:
        """The plan as lines of label and value; the warnings are not among them."""
        return aligned(self._rows(), width=SCREEN)

    def _repr_html_(self) -> str:
        """Show the plan and its warnings in a notebook."""
        rows = [*self._rows(), *(("warning", text) for text in self.warnings)]
        return html_values(f"plan for {counted(self.documents, 'document')}", rows)

    def _rows(self) -> list[tuple[str, str]]:
        each = max(self.documents, 1)
        kind = tr("similarity")
        if self.measure == "jaccard":
            kind = tr("Jaccard similarity")
        elif self.measure == CONTAINMENT:
            kind = tr("containment")
        threshold = (
            f"{tr('distance')} {self.max_distance}" if self.similarity is None else f"{kind} {self.similarity:g}"
        )
        if self.max_ratio is not None:
            threshold += tr(" in a kept document of at most {ratio:g} times the features", ratio=self.max_ratio)
        free = "" if self.available_bytes is None else tr(" of {size} free", size=readable_bytes(self.available_bytes))
        stays = tr("; {count} bytes a document for good", count=self.bytes_per_document)
        found = tr("{equals:.4f} at the threshold; {parts:.4f} if one text is a part of the other")
        if self.max_ratio is not None:
            found = tr("{equals:.4f} at the threshold; {parts:.4f} at the largest ratio")
        a_document = [
            (tr(label), tr("{count:,.2f} a document", count=count / each))
            for label, count in (
                ("tested pairs", self.looks),
                ("candidates", self.candidates),
                ("verified", self.verified),
            )
        ]
        counts = tr("by a sample of {count:,} texts", count=self.sampled) if self.sampled else tr("by the recipe")
        if self.crowd:
            counts += tr("; not known before the search of {count:,} documents in mixed groups", count=self.crowd)
        if self.recall_of_sample is not None:
            found = tr("{value:.4f} of the pairs of the sample; ", value=self.recall_of_sample) + found
        return [
            (tr("collection"), tr("{count:,} documents of {size:,} bytes", count=self.documents, size=self.mean_bytes)),
            (tr("scheme"), self.scheme),
            (tr("threshold"), threshold),
            (tr("recipe"), shown(self.recipe, str)),
            (tr("keys"), tr("{count:,} a document", count=self.keys)),
            (tr("memory"), readable_bytes(self.bytes) + free + stays),
            (tr("run directory"), self._directory()),
            *([] if self.cluster is None else [(tr("cluster"), str(self.cluster))]),
            (tr("counts"), counts),
            *a_document,
            (tr("recall"), found.format(equals=self.recall_of_equals, parts=self.recall_of_parts)),
            *self._by_size(),
            *((tr("why"), shown(sentence, str)) for sentence in self.why),
        ]

    def _by_size(self) -> list[tuple[str, str]]:
        if not self.recall_by_size:
            return []
        sizes = tr("features of the smaller text for each of the larger one; the recall at the threshold")
        if self.max_ratio is not None:
            sizes = tr("features of the kept text for each of the dropped one; the recall at the threshold")
        by_size = [(f"  {ratio:.4g}", f"{recall:.4f}") for ratio, recall in self.recall_by_size]
        return [(tr("size ratio"), sizes), *by_size]

    def _directory(self) -> str:
        if self.memory_bytes is None or self.bytes <= self.memory_bytes:
            return tr("not needed")
        if refusal(self.memory_bytes, self.bytes, self.directory_bytes, self.documents) is not None:
            return tr(
                "refused: {held} of memory are needed, and {allowed} are allowed",
                held=readable_bytes(self.directory_bytes),
                allowed=readable_bytes(self.memory_bytes),
            )
        return tr(
            "{disk} of disk ({columns} columns, {keys} search keys, {pairs} pairs found, {decisions} decisions), and"
            " {held} of memory, of {allowed} allowed; {copy} more of disk for texts of .gz, .zst, Parquet, WARC,"
            " streams and MongoDB",
            **disk_values(self.disk_parts),
            copy=readable_bytes(self.copy_bytes),
            held=readable_bytes(self.directory_bytes),
            allowed=readable_bytes(self.memory_bytes),
        )


@with_settings
def plan(
    source: AnySource | None = None,
    *,
    documents: int | None = None,
    against: AnySource | None = None,
    bits: int | None = None,
    executors: int | None = None,
    progress: ProgressOption = None,
    **settings: Unpack[Settings],
) -> Plan:
    """Forecast a deduplication: how it will search, and what it will take on this machine.

    The source is read once. What the search will meet is counted on a sample of its texts. How long a run takes, a run
    on a part of the source tells.

    Args:
        source: As for `dedup`. Without one the plan is for bare fingerprints under `max_distance`.
        documents: How many documents; at most 2^32 - 2 on one machine. With a source the forecast is for a collection
            of this size, and the source is a random part of it. None means those of the source.
        against: As for `dedup`.
        bits: Width of the default scheme's fingerprints, 64, 128 or 256; not together with `scheme`.
        executors: Executors of a cluster of Spark, at least 1: then the plan has what a job there takes, too.
        progress: As for `dedup`.
        **settings: As for `dedup`, so that one file of settings serves both. Nothing is written.

    Returns:
        The plan. What does not fit is in its `warnings`, with what would.

    Raises:
        ConfigError: A value is not allowed, the scheme waits for a model, or there is neither a source nor
            `max_distance`.
        SourceError: A source cannot be read.

    Example:
        >>> made = plan(["one text", "another text"], documents=200_000, similarity=0.8)
        >>> made.recipe, made.keys, round(made.recall_of_equals, 4)
        ('4 chosen paths a text', 4, 0.9904)
        >>> plan(documents=1_000_000, bits=64, max_distance=3).recipe
        '4 tables of agreeing bits'
    """
    with short_errors, chosen_progress(progress) as show:
        config = DedupConfig.from_settings(with_bits(bits, settings))
        return run_plan(source, config, documents, against, show, executors=executors)


def run_plan(
    source: AnySource | None,
    config: DedupConfig,
    documents: int | None,
    against: AnySource | None = None,
    progress: Progress | None = None,
    warn: Warn = warn_program,
    tell: Warn = note_program,
    executors: int | None = None,
) -> Plan:
    """Make a plan of checked settings; fields are checked as in a run."""
    if documents is not None:
        documents = check_integer("documents", documents, 0, _MOST_DOCUMENTS)
    if executors is not None:
        executors = check_integer("executors", executors, 1, _MOST_DOCUMENTS)
    # There is no model yet; what it weighs does not change the cost much.
    config = replace(config, idf=NONE) if config.idf == FIT else config
    scheme = chosen_scheme(config, "a plan")
    scheme.check_ready()
    if source is None:
        if documents is None or config.effective_similarity is not None:
            raise ConfigError(
                "a plan without a source is for fingerprints under {@max_distance}: give a source, whose texts say "
                "what a search by similarity meets, or documents and {@max_distance}"
            )
        return _planned(config, scheme, documents, None, progress, executors)
    read_verdicts(config.verdicts)
    new = open_source(source, config)
    opened = new if against is None else Both(new, open_source(against, replace(config, limit=None)))
    store, config = open_store(opened, config, progress, warn, tell=tell)
    # The core's own check of the fields that are named, on one record.
    store.first(min(1, store.new_len)).encode([_core.Scheme(PROBE)], config.text_field, config.id_field)
    if documents is not None and documents < len(store):
        raise ConfigError(
            "documents {documents:,} is less than the {count:,} of the source: leave it out, or plan a part by limit",
            documents=documents, count=len(store),
        )  # fmt: skip
    return _planned(config, scheme, len(store) if documents is None else documents, store, progress, executors)


_FEW = 1_000
"""Documents for each text read, above which counts on the texts say little of pairs."""


def _from_few(store: _core.Records | None, documents: int) -> Message | None:
    """Say that a forecast of many documents is from few texts."""
    if store is None or documents <= _FEW * len(store):
        return None
    return Message(
        "the forecast of {documents:,} documents is from {count:,} texts: pairs may be ten times less or more;"
        " give at least {wanted:,} of them, drawn at random",
        documents=documents, count=len(store), wanted=-(-documents // _FEW),
    )  # fmt: skip


def _planned(
    config: DedupConfig,
    scheme: _core.Scheme,
    documents: int,
    store: _core.Records | None,
    progress: Progress | None,
    executors: int | None,
) -> Plan:
    """The plan of a collection, of whose texts the store has a part."""
    # A cluster may have more. What each document meets is forecast by the largest run of one machine.
    whole, documents = documents, documents if executors is None else min(documents, _MOST_OF_ONE)
    threads = config.threads or cores()
    found = _core.forecast(
        scheme, documents, config.recall, config.seed, threads, config.nearness[0], store, config.text_field, progress
    )
    found |= {name: found[name] * whole / max(documents, 1) for name in ("looks", "candidates", "verified")}
    mean_bytes, mean_features = found["mean_bytes"], None
    if store is not None:
        (mean_features,) = store.mean_features([scheme], config.text_field)
    available = available_bytes()
    bound = memory_bound(config)
    allowed = UNBOUNDED_BYTES if bound is None else max(bound, LEAST_BYTES)
    in_memory, directory, parts = _core.run_bytes(
        scheme, documents, (mean_bytes, mean_features), config.recall, threads, config.nearness[0], allowed
    )
    if store is not None:
        in_memory = max(in_memory, round(found["bytes"]))
    needed = min(in_memory, directory)
    # Without a bound of the user the warning is on the free memory.
    asked = None if config.memory is None else bound
    refused = refusal(asked, in_memory, directory, documents)
    cluster = None if executors is None else ClusterPlan.of(executors, whole, mean_bytes, found)
    return Plan(
        **{name: found[name] for name in _OF_CORE},
        documents=whole,
        mean_bytes=mean_bytes,
        scheme=scheme.spec,
        similarity=config.effective_similarity,
        max_distance=config.max_distance,
        measure=config.measure_of(config.effective_similarity),
        max_ratio=config.max_ratio if config.measure == CONTAINMENT else None,
        recall=config.recall,
        threads=threads,
        recipe=found["source"],
        bytes_per_document=found["column_bytes"],
        bytes=in_memory,
        available_bytes=available,
        memory_bytes=bound,
        directory_bytes=directory,
        disk_bytes=sum(parts),
        disk_parts=dict(zip(DISK_PARTS, parts, strict=True)),
        copy_bytes=round(documents * mean_bytes * COPY_OF_TEXT),
        recall_by_size=tuple(found["recall_by_size"]),
        cluster=cluster,
        why=tuple(found["why"]),
        warnings=(
            *filter(None, (refused, small_bound(config))),
            *warnings_of(found, config, documents, needed, available),
            *filter(None, (_from_few(store, whole),)),
        ),
    )
