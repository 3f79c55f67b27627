"""What a run will take, told before it begins, and next to it what it took.

`plan` forecasts from numbers alone, with the steps timed on this machine. `foresee` forecasts a run whose documents are
loaded, from one table of them. Neither changes a result.
"""

import os
import sys
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from simsieve import _core
from simsieve.checks import check_integer
from simsieve.config import DedupConfig
from simsieve.errors import ConfigError, core_errors
from simsieve.schemes import chosen_scheme

MANY_SECONDS = 3600.0
MANY_CANDIDATES = 100_000.0
"""A run is warned of above so many seconds, or so many candidates a document."""

Tell = Callable[[str], None]
_LONGEST = 1 << 30
_MOST_DOCUMENTS = 2**64 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a deduplication of so many documents will take; `plan` makes it.

    Counts are of the whole run and expected values: 0.2 of the documents are taken to be near another, and strangers to
    be as alike as those of the measured collections. Texts that are nearly near, such as families from one template,
    cannot be foreseen from numbers; a run forecasts once more when it has loaded them.

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
        tables: How many tables.
        looks: Pairs that meet in a table and are put to the filters.
        candidates: Of these, pairs that pass.
        verified: Of these, pairs compared by their features.
        bytes_per_document: Bytes that each document takes for good, its label apart.
        bytes: The most memory held at one time.
        available_bytes: Memory that this machine has free; None where it does not tell.
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
    tables: int
    looks: float
    candidates: float
    verified: float
    bytes_per_document: int
    bytes: int
    available_bytes: int | None
    seconds: dict[str, float]
    cpu_seconds: float
    recall_of_equals: float
    recall_of_parts: float
    why: tuple[str, ...]
    warnings: tuple[str, ...]


def plan(*, documents: int, mean_bytes: int = 500, bits: int | None = None, **settings: Any) -> Plan:
    """Forecast a deduplication: how it will search, and what it will take on this machine.

    The steps are timed on invented texts, which takes some tenths of a second; so the seconds differ a little from
    call to call, and all else does not.

    Args:
        documents: How many documents, at most 2^32 - 2.
        mean_bytes: Mean length of a text in bytes of UTF-8, 1 to 2^30.
        bits: Width of the default scheme's fingerprints, 64, 128 or 256; not together with `scheme`.
        **settings: Rows of `simsieve.config.SETTINGS` that matter here: `scheme`, `similarity` or `max_distance`,
            `measure`, `recall`, `threads` and `sample`.

    Returns:
        The plan. What does not fit stands in its `warnings`, with what would.

    Raises:
        ConfigError: A value is not allowed, or the scheme waits for a model.

    Example:
        >>> made = plan(documents=200_000, similarity=0.8)
        >>> made.recipe, made.tables, made.recall_of_equals >= 0.98
        ('12 bands of 3 sketch bytes', 12, True)
        >>> made.warnings
        ()
    """
    documents = check_integer("documents", documents, 0, _MOST_DOCUMENTS)
    mean_bytes = check_integer("mean_bytes", mean_bytes, 1, _LONGEST)
    config = DedupConfig.from_settings(with_bits(bits, settings))
    scheme = chosen_scheme(config, "a plan")
    threads = config.threads or _cores()
    with core_errors():
        scheme.check_ready()
        told = _core.forecast(
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
    seconds = _seconds(told, threads)
    available = available_bytes()
    return Plan(
        documents=documents,
        mean_bytes=mean_bytes,
        scheme=scheme.spec,
        similarity=config.effective_similarity,
        max_distance=config.max_distance,
        measure=config.measure_of(config.effective_similarity),
        recall=config.recall,
        threads=threads,
        recipe=told["source"],
        digest=told["digest"],
        tables=told["tables"],
        looks=told["looks"],
        candidates=told["candidates"],
        verified=told["verified"],
        bytes_per_document=told["column_bytes"],
        bytes=int(told["bytes"]),
        available_bytes=available,
        seconds=seconds,
        cpu_seconds=sum(told[name] for name in ("load", "search", "decide", "measure")),
        recall_of_equals=told["recall_of_equals"],
        recall_of_parts=told["recall_of_parts"],
        why=tuple(told["why"]),
        warnings=_warnings(told, config, documents, sum(seconds.values()), int(told["bytes"]), available),
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
class Foreseen:
    """The forecast of a run for what comes after loading, and later its outcome.

    Args:
        told: What the core's survey told.
        config: The settings.
        documents: Records of the run.
        held_bytes: The most memory that was held before.

    Example:
        >>> Foreseen({"source": "every pair", "tables": 1}, DedupConfig(), 2, 0).summary()["forecast"] is None
        True
    """

    told: dict[str, Any]
    config: DedupConfig
    documents: int
    held_bytes: int
    outcome: dict[str, float] | None = None
    _start: tuple[float, float] = field(default_factory=lambda: (time.perf_counter(), time.process_time()))

    @property
    def forecast(self) -> dict[str, float] | None:
        """Candidates, verified pairs, seconds, CPU seconds and bytes; None where every pair of few is looked at."""
        told = self.told
        if "candidates" not in told:
            return None
        return {
            "candidates": round(told["candidates"]),
            "verified": round(told["verified"]),
            "seconds": round(sum(_seconds(told, self.config.threads or _cores()).values()), 6),
            "cpu_seconds": round(sum(told[name] for name in ("search", "decide", "measure")), 6),
            "bytes": self.held_bytes + round(told["bytes"]),
        }

    @property
    def warnings(self) -> tuple[str, ...]:
        """What will not be reached or takes very long."""
        forecast = self.forecast or {"seconds": 0.0, "bytes": 0}
        return _warnings(self.told, self.config, self.documents, forecast["seconds"], int(forecast["bytes"]), None)

    def settle(self, candidates: int, verified: int, peak_bytes: int) -> None:
        """Take down what became of it; the seconds are those since it was made."""
        wall, cpu = self._start
        self.outcome = {
            "candidates": candidates,
            "verified": verified,
            "seconds": round(time.perf_counter() - wall, 6),
            "cpu_seconds": round(time.process_time() - cpu, 6),
            "bytes": peak_bytes,
        }

    def summary(self) -> dict[str, Any]:
        """Recipe, tables, forecast and outcome, as the run's summary has them."""
        names = {"recipe": self.told["source"], "tables": self.told["tables"]}
        return {**names, "forecast": self.forecast, "outcome": self.outcome}


def foresee(documents: _core.Documents, config: DedupConfig, held_bytes: int) -> Foreseen:
    """Forecast the search, the decisions and the recall of loaded documents.

    One table of the recipe is made and what meets in it is tested, which costs about that table's share of the search.

    Args:
        documents: The loaded documents.
        config: The settings of the run.
        held_bytes: The most memory that was held so far.

    Raises:
        SourceError: A source has changed while it was read.

    Example:
        >>> from simsieve.sources import open_source
        >>> store = open_source(["one text"], DedupConfig()).store(DedupConfig(), None)
        >>> scheme = chosen_scheme(DedupConfig(), "a plan")
        >>> foresee(store.load(scheme, similarity=0.65), DedupConfig(), 0).told["tables"]
        1
    """
    with core_errors():
        told = _core.survey(documents, config.sample, config.threads)
    return Foreseen(told, config, len(documents.valid), held_bytes)


def _seconds(told: dict[str, Any], threads: int) -> dict[str, float]:
    """Seconds by the clock; of the search half is one thread's, the keys."""
    seconds = {"fingerprint": told["load"] / threads} if "load" in told else {}
    return {
        **seconds,
        "search": told["search"] * (0.5 + 0.5 / threads),
        "decide": told["decide"] / threads,
        "recall": told["measure"] / threads,
    }


def _warnings(
    told: dict[str, Any], config: DedupConfig, documents: int, seconds: float, needed: int, available: int | None
) -> tuple[str, ...]:
    told_of = []
    threshold = config.effective_similarity
    if told["least_similarity"] is not None and threshold is not None:
        told_of.append(
            f"similarity {threshold:g} is too low for a recall of {config.recall:g} over {documents:,} documents: of"
            f" pairs at the threshold {told['recall_of_equals']:.3f} will be found. What would fit: a similarity of"
            f" {told['least_similarity']:g}, a lower recall, or less than 8,192 documents, of which every pair is"
            " looked at"
        )
    if available is not None and needed > available:
        fitting = int(documents * available / needed)
        told_of.append(
            f"{needed / 1e9:.1f} GB are needed and {available / 1e9:.1f} GB are free: about {fitting:,} documents would"
            " fit, or a higher similarity or a lower recall, whose sketches are shorter"
        )
    loosen = "a higher similarity" if config.max_distance is None else "a smaller max_distance"
    if seconds > MANY_SECONDS:
        told_of.append(
            f"the forecast is {seconds / 3600:,.1f} hours; {loosen}, a lower recall or fewer documents take less"
        )
    each = told.get("looks", 0.0) / max(documents, 1)
    if each > MANY_CANDIDATES:
        told_of.append(
            f"each document meets about {each:,.0f} others that must be looked at; {loosen} or fewer documents meet"
            " less"
        )
    return tuple(told_of)


def _cores() -> int:
    """Cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def available_bytes() -> int | None:
    """Tell how much memory is free to this process, within its control group; None where the system does not tell.

    Example:
        >>> free = available_bytes()
        >>> free is None or free > 0
        True
    """
    lines = _lines("/proc/meminfo")
    bounds = [int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")]
    for limit, used in (
        ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
        ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
    ):
        values = [line for path in (limit, used) for line in _lines(path)[:1]]
        if len(values) == len((limit, used)) and all(value.isdigit() for value in values):
            bounds.append(max(int(values[0]) - int(values[1]), 1))
    return min(bounds, default=None)


def peak_rss_bytes() -> int:
    """Tell the most memory the process has held at one time, in bytes; 0 where the system does not tell.

    Example:
        >>> peak_rss_bytes() >= 0
        True
    """
    # Linux's own account first: getrusage would also count what a parent held when it forked us.
    for line in _lines("/proc/self/status"):
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    try:
        import resource  # noqa: PLC0415 - some systems have no such module
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def warn(text: str) -> None:
    """Tell a warning of the forecast to a program.

    Example:
        >>> with warnings.catch_warnings(record=True, action="always") as told:
        ...     warn("the forecast is 2 hours")
        >>> len(told)
        1
    """
    warnings.warn(text, RuntimeWarning, stacklevel=2)


def _lines(path: str) -> list[str]:
    """The lines of a file of the system; none where there is no such file."""
    try:
        return Path(path).read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return []
