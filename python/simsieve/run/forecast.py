"""What a run will take, forecast before it begins, and beside it what it took.

`plan` forecasts from numbers alone, with the steps timed on this machine. `forecast` forecasts a run whose documents
are loaded: it searches them, and decides some by way of trial. Neither changes a result.
"""

import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Unpack

from simsieve import _core
from simsieve.checks import check_integer
from simsieve.config.checks import memory_bytes
from simsieve.config.settings import DedupConfig
from simsieve.config.typed import PlanSettings
from simsieve.display import counted, html_values
from simsieve.errors import ConfigError
from simsieve.machine import available_bytes, cores
from simsieve.report.table import aligned, readable_bytes
from simsieve.run.schemes import chosen_scheme

MANY_SECONDS = 3600.0
MANY_CANDIDATES = 100_000.0
"""Seconds of a run, and candidates a document, above which a warning is given."""

Warn = Callable[[str], None]
_LONGEST = 1 << 30
_MOST_DOCUMENTS = 2**64 - 1


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Plan:
    """What a deduplication of this many documents will take; `plan` makes it. Printed it is a table.

    Counts are of the whole run and expected values: 0.2 of the documents are taken to be near another, and strangers to
    be as alike as those of the measured collections. Texts that are nearly near, such as families from one template,
    cannot be forecast from numbers; a run forecasts once more when it has loaded them.

    Args:
        documents: How many documents.
        mean_bytes: Mean length of a text, in bytes of UTF-8.
        scheme: The scheme in force.
        similarity: The threshold, or None under `max_distance`.
        max_distance: The threshold in bits, or None.
        measure: What is measured: `cosine` or `jaccard`, or under `max_distance` `hamming`.
        recall: The recall asked for; under `max_distance` every pair within it is found whatever is asked.
        threads: Threads that the seconds are for.
        recipe: Where candidates come from, in words.
        digest: The recipe's digest at seed 0.
        keys: Search keys of a document; 1 where every pair is tested.
        looks: Pairs that have a key in common and are put to the filter.
        candidates: Of these, pairs that pass.
        verified: Of these, pairs compared by their features.
        bytes_per_document: Bytes that each document takes for good, its label apart.
        bytes: The most memory held at one time.
        available_bytes: Memory that this machine has free; None where it does not tell.
        memory_bytes: Memory that the run may hold; None where there is no bound.
        directory_bytes: The most memory held at one time with a run directory.
        disk_bytes: Bytes of that directory.
        seconds: Expected seconds for each stage: fingerprint, search, decide, recall.
        cpu_seconds: The same, of one thread, in all.
        recall_of_equals: The chance to find a pair at the threshold whose texts have equally many features, in [0, 1].
        recall_of_parts: The same where one text is a part of the other, the worst case.
        why: A sentence for each choice.
        warnings: What will not fit or takes very long, and what would fit; empty where all is well.

    Example:
        >>> plan(documents=1000).recipe
        'every pair'
    """

    documents: int
    mean_bytes: int
    scheme: str
    similarity: float | None
    max_distance: int | None
    measure: str
    recall: float
    threads: int
    recipe: str
    digest: str
    keys: int
    looks: float
    candidates: float
    verified: float
    bytes_per_document: int
    bytes: int
    available_bytes: int | None
    memory_bytes: int | None
    directory_bytes: int
    disk_bytes: int
    seconds: dict[str, float]
    cpu_seconds: float
    recall_of_equals: float
    recall_of_parts: float
    why: tuple[str, ...]
    warnings: tuple[str, ...]

    def __repr__(self) -> str:
        """Show recipe, time and memory."""
        took = f"{sum(self.seconds.values()):,.2f} s, {readable_bytes(self.bytes)}"
        return f"<Plan for {counted(self.documents, 'document')} by {self.scheme}: {self.recipe}, {took}>"

    def __str__(self) -> str:
        """The plan as lines of label and value; the warnings are not among them."""
        return aligned(self._rows())

    def _repr_html_(self) -> str:
        """Show the plan and its warnings in a notebook."""
        rows = [*self._rows(), *(("warning", text) for text in self.warnings)]
        return html_values(f"plan for {counted(self.documents, 'document')}", rows)

    def _rows(self) -> list[tuple[str, str]]:
        each = max(self.documents, 1)
        kind = "Jaccard similarity" if self.measure == "jaccard" else "similarity"
        threshold = f"distance {self.max_distance}" if self.similarity is None else f"{kind} {self.similarity:g}"
        free = "" if self.available_bytes is None else f" of {readable_bytes(self.available_bytes)} free"
        stages = ", ".join(f"{name} {seconds:,.2f}" for name, seconds in self.seconds.items())
        return [
            ("documents", f"{self.documents:,} of {self.mean_bytes:,} bytes"),
            ("scheme", self.scheme),
            ("threshold", threshold),
            ("recipe", f"{self.recipe} ({self.digest})"),
            ("keys", f"{self.keys:,} a document"),
            ("memory", f"{readable_bytes(self.bytes)}{free}; {self.bytes_per_document} bytes a document to stay"),
            ("run directory", self._directory()),
            ("looks", f"{self.looks / each:,.2f} a document"),
            ("candidates", f"{self.candidates / each:,.2f} a document"),
            ("verified", f"{self.verified / each:,.2f} a document"),
            ("seconds", f"{sum(self.seconds.values()):,.2f} with {self.threads} threads: {stages}"),
            ("CPU seconds", f"{self.cpu_seconds:,.2f}"),
            ("recall", f"{self.recall_of_equals:.4f} at the threshold, {self.recall_of_parts:.4f} of a part of a text"),
            *(("why", sentence) for sentence in self.why),
        ]

    def _directory(self) -> str:
        if self.memory_bytes is None or self.bytes <= self.memory_bytes:
            return "not needed"
        return (
            f"columns, keys and pairs in files: {readable_bytes(self.disk_bytes)} of disk, and"
            f" {readable_bytes(self.directory_bytes)} of memory, of {readable_bytes(self.memory_bytes)} allowed"
        )


def memory_bound(config: DedupConfig) -> int | None:
    """Return the bytes of memory that a run may hold; None where neither the settings nor the system tell.

    Example:
        >>> memory_bound(DedupConfig(memory="2GiB"))
        2147483648
    """
    if config.memory is not None:
        return memory_bytes(config.memory)
    free = available_bytes()
    return None if free is None else free // 2


def plan(*, documents: int, mean_bytes: int = 500, bits: int | None = None, **settings: Unpack[PlanSettings]) -> Plan:
    """Forecast a deduplication: how it will search, and what it will take on this machine.

    The steps are timed on sample texts, which takes some tenths of a second; so the seconds differ a little from
    call to call, and all else does not.

    Args:
        documents: How many documents, at most 2^32 - 2.
        mean_bytes: Mean length of a text in bytes of UTF-8, 1 to 2^30.
        bits: Width of the default scheme's fingerprints, 64, 128 or 256; not together with `scheme`.
        **settings: Rows of `simsieve.config.settings.SETTINGS` that matter here: `scheme`, `similarity` or
            `max_distance`, `measure`, `recall`, `threads`, `sample` and `memory`.

    Returns:
        The plan. What does not fit stands in its `warnings`, with what would.

    Raises:
        ConfigError: A value is not allowed, or the scheme waits for a model.

    Example:
        >>> made = plan(documents=200_000, similarity=0.8)
        >>> made.recipe, made.keys, round(made.recall_of_equals, 4)
        ('6.2 chosen paths a text', 7, 0.98)
        >>> made.warnings
        ()
    """
    documents = check_integer("documents", documents, 0, _MOST_DOCUMENTS)
    mean_bytes = check_integer("mean_bytes", mean_bytes, 1, _LONGEST)
    config = DedupConfig.from_settings(with_bits(bits, settings))
    scheme = chosen_scheme(config, "a plan")
    threads = config.threads or cores()
    scheme.check_ready()
    found = _core.forecast(
        scheme,
        documents,
        mean_bytes,
        config.recall,
        threads,
        config.sample,
        config.effective_similarity,
        config.max_distance,
        config.measure,
    )
    seconds = _seconds(found, threads)
    available = available_bytes()
    threshold = (config.effective_similarity, config.max_distance, config.measure)
    _, directory, disk = _core.run_bytes(scheme, documents, mean_bytes, config.recall, threads, threshold)
    return Plan(
        documents=documents,
        mean_bytes=mean_bytes,
        scheme=scheme.spec,
        similarity=config.effective_similarity,
        max_distance=config.max_distance,
        measure=config.measure_of(config.effective_similarity),
        recall=config.recall,
        threads=threads,
        recipe=found["source"],
        digest=found["digest"],
        keys=found["keys"],
        looks=found["looks"],
        candidates=found["candidates"],
        verified=found["verified"],
        bytes_per_document=found["column_bytes"],
        bytes=int(found["bytes"]),
        available_bytes=available,
        memory_bytes=memory_bound(config),
        directory_bytes=directory,
        disk_bytes=disk,
        seconds=seconds,
        cpu_seconds=sum(found[name] for name in ("load", "search", "decide", "measure")),
        recall_of_equals=found["recall_of_equals"],
        recall_of_parts=found["recall_of_parts"],
        why=tuple(found["why"]),
        warnings=_warnings(
            found, config, documents, sum(seconds.values()), min(int(found["bytes"]), directory), available
        ),
    )


def with_bits(bits: int | None, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Put the scheme that a width stands for among settings.

    Args:
        bits: Width of the default scheme's fingerprints, 64, 128 or 256; None leaves the settings as they are.
        settings: Settings by name, in which a scheme stands only where it is given.

    Raises:
        ConfigError: Another width, or there is a scheme too.

    Example:
        >>> with_bits(64, {"recall": 0.9})
        {'recall': 0.9, 'scheme': 'chars64'}
    """
    if bits is None:
        return dict(settings)
    if "scheme" in settings:
        raise ConfigError(f"bits {bits} and scheme {settings['scheme']!r} are both given: give one of them")
    if bits not in (64, 128, 256):
        raise ConfigError(f"bits {bits} is not allowed: allowed are 64, 128 and 256")
    return {**settings, "scheme": f"chars{bits}"}


@dataclass(slots=True)
class Forecast:
    """The forecast of a run for what comes after loading, and later its outcome.

    Args:
        survey: What the core's survey returned.
        config: The settings.
        documents: Records of the run.
        held_bytes: The most memory that was held before.
        start: When the survey began: seconds by the clock and of the processors.
        outcome: What became of it, once it is known.

    Example:
        >>> Forecast({"source": "every pair", "keys": 1}, DedupConfig(), 2, 0).summary()["forecast"] is None
        True
    """

    survey: dict[str, Any]
    config: DedupConfig
    documents: int
    held_bytes: int
    start: tuple[float, float] = field(default_factory=lambda: (time.perf_counter(), time.process_time()))
    outcome: dict[str, float] | None = None

    @property
    def expected(self) -> dict[str, float] | None:
        """Candidates, verified pairs, seconds, CPU seconds and bytes; None where every pair of few is looked at."""
        survey = self.survey
        if "candidates" not in survey:
            return None
        return {
            "candidates": round(survey["candidates"]),
            "verified": round(survey["verified"]),
            "seconds": round(sum(_seconds(survey, self.config.threads or cores()).values()), 6),
            "cpu_seconds": round(sum(survey[name] for name in ("search", "decide", "measure")), 6),
            "bytes": self.held_bytes + round(survey["bytes"]),
        }

    @property
    def warnings(self) -> tuple[str, ...]:
        """What will not be reached or takes very long."""
        expected = self.expected or {"seconds": 0.0, "bytes": 0}
        return _warnings(self.survey, self.config, self.documents, expected["seconds"], int(expected["bytes"]), None)

    def finish(self, candidates: int, verified: int, peak_bytes: int) -> None:
        """Take down what became of it; the seconds are those since it was made."""
        wall, cpu = self.start
        self.outcome = {
            "candidates": candidates,
            "verified": verified,
            "seconds": round(time.perf_counter() - wall, 6),
            "cpu_seconds": round(time.process_time() - cpu, 6),
            "bytes": peak_bytes,
        }

    def summary(self) -> dict[str, Any]:
        """Recipe, keys, forecast and outcome, as the run's summary has them."""
        names = {"recipe": self.survey["source"], "keys": self.survey["keys"]}
        return {**names, "forecast": self.expected, "outcome": self.outcome}


def forecast(documents: _core.Documents, config: DedupConfig, held_bytes: int) -> Forecast:
    """Forecast the search, the decisions and the recall of loaded documents.

    The search is made, whose result the decisions use, and some hundred documents are decided by way of trial.

    Args:
        documents: The loaded documents.
        config: The settings of the run.
        held_bytes: The most memory that was held so far.

    Raises:
        SourceError: A source has changed while it was read.

    Example:
        >>> from simsieve.sources.opening import open_source
        >>> store = open_source(["one text"], DedupConfig()).store(DedupConfig(), None)
        >>> scheme = chosen_scheme(DedupConfig(), "a plan")
        >>> forecast(store.load(scheme, similarity=0.65), DedupConfig(), 0).survey["keys"]
        1
    """
    start = (time.perf_counter(), time.process_time())
    survey = _core.survey(documents, config.sample, config.threads)
    return Forecast(survey, config, len(documents.valid), held_bytes, start)


def _seconds(survey: dict[str, Any], threads: int) -> dict[str, float]:
    """Seconds by the clock; half of the search is one thread's."""
    seconds = {"fingerprint": survey["load"] / threads} if "load" in survey else {}
    return {
        **seconds,
        "search": survey["search"] * (0.5 + 0.5 / threads),
        "decide": survey["decide"] / threads,
        "recall": survey["measure"] / threads,
    }


def _warnings(
    survey: dict[str, Any], config: DedupConfig, documents: int, seconds: float, needed: int, available: int | None
) -> tuple[str, ...]:
    texts = []
    threshold = config.effective_similarity
    if survey["least_similarity"] is not None and threshold is not None:
        texts.append(
            f"similarity {threshold:g} is too low for a recall of {config.recall:g} over {documents:,} documents: of"
            f" pairs at the threshold {survey['recall_of_equals']:.3f} will be found. What would fit: a similarity of"
            f" {survey['least_similarity']:g}, a lower recall, or less than 8,192 documents, of which every pair is"
            " tested"
        )
    if available is not None and needed > available:
        fitting = int(documents * available / needed)
        texts.append(
            f"{needed / 1e9:.1f} GB are needed and {available / 1e9:.1f} GB are free: about {fitting:,} documents would"
            " fit, or a higher similarity or a lower recall, which make fewer keys"
        )
    loosen = "a higher similarity" if config.max_distance is None else "a smaller max_distance"
    if seconds > MANY_SECONDS:
        texts.append(
            f"the forecast is {seconds / 3600:,.1f} hours; {loosen}, a lower recall or fewer documents take less"
        )
    each = survey.get("looks", 0.0) / max(documents, 1)
    if each > MANY_CANDIDATES:
        texts.append(
            f"each document meets about {each:,.0f} others that must be looked at; {loosen} or fewer documents meet"
            " less"
        )
    return tuple(texts)


def warn_program(text: str) -> None:
    """Issue a warning of the forecast as a `RuntimeWarning`.

    Example:
        >>> with warnings.catch_warnings(record=True, action="always") as caught:
        ...     warn_program("the forecast is 2 hours")
        >>> len(caught)
        1
    """
    warnings.warn(text, RuntimeWarning, stacklevel=2)
