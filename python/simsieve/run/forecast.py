"""What a run will take, forecast at its start by the sample that is frozen, and beside it what it took."""

import inspect
import logging
import time
import warnings
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from simsieve import _core
from simsieve.config.settings import DedupConfig
from simsieve.errors import SimsieveWarning
from simsieve.machine import cores
from simsieve.messages import Message
from simsieve.progress import ShownProgress
from simsieve.types import Progress

_log = logging.getLogger(__name__)

MANY_SECONDS = 3600.0
MANY_CANDIDATES = 100_000.0
"""Seconds of a run, and candidates a document, above which a warning is given."""

LEAST_BYTES = 32_000_000
"""Size of the sources from which on a run of few records is forecast: one of fewer takes less than a second."""

_SAMPLE_OF_LOAD, _COPIES_OF_LOAD, _WRITE_OF_LOAD = 0.3, 0.05, 0.1
"""Stages that the plan does not time, as parts of the time to fingerprint."""

Warn = Callable[[str], None]


def now() -> tuple[float, float]:
    """Give the seconds of the clock and of the processors."""
    return time.perf_counter(), time.process_time()


@dataclass(frozen=True, slots=True)
class Forecast:
    """The forecast of a run."""

    told: dict[str, Any] | None
    warnings: tuple[str, ...]


def cpu_stages(found: dict[str, Any]) -> dict[str, float]:
    """Return the seconds of one thread that each stage takes, in the order of the stages."""
    after = {"search": found["search"], "decide": found["decide"], "recall": found["measure"]}
    load = found["load"]
    if not load:
        return after
    sample = {"sample": load * _SAMPLE_OF_LOAD} if found["has_sample"] else {}
    return {**sample, "fingerprint": load, "copies": load * _COPIES_OF_LOAD, **after, "write": load * _WRITE_OF_LOAD}


def clock_seconds(found: dict[str, Any], threads: int) -> dict[str, float]:
    """Return the seconds of stages by the clock; half of the search is one thread's, and all of the writing."""
    parts = {"search": 0.5 + 0.5 / threads, "write": 1.0}
    return {stage: seconds * parts.get(stage, 1 / threads) for stage, seconds in cpu_stages(found).items()}


def expected_recall(found: dict[str, Any]) -> float:
    """Return the recall that is expected of pairs: that of the sample, or at the threshold where it says too little."""
    of_sample = found.get("recall_of_sample")
    return float(found["recall_of_equals"] if of_sample is None else of_sample)


def forecast_start(
    loading: _core.Loading, config: DedupConfig, run_start: tuple[float, float], progress: Progress | None
) -> Forecast | None:
    """Forecast a run before its documents are encoded: by the sample that is frozen, and some texts that are timed."""
    if loading.documents < _core.BRUTE_BELOW and loading.bytes_read < LEAST_BYTES:
        return None
    threads = config.threads or cores()
    wall, cpu = (here - before for here, before in zip(now(), run_start, strict=True))
    each = loading.forecasts(config.sample, threads)
    # Of several schemes of which all must agree one is searched.
    for other in each[1:] if config.combine == "all" else ():
        other.update(dict.fromkeys(("looks", "candidates", "search", "measure"), 0.0))
    clock: dict[str, float] = defaultdict(float)
    stages: dict[str, float] = defaultdict(float)
    for found in each:
        for total, own in ((clock, clock_seconds(found, threads)), (stages, cpu_stages(found))):
            for stage, seconds in own.items():
                total[stage] += seconds
    if isinstance(progress, ShownProgress):
        progress.whole.expect(clock)
    # The sample is taken, and what is written comes after the outcome.
    left = [stage for stage in stages if stage not in ("sample", "write")]
    first = each[0]
    seconds, needed = wall + sum(clock[stage] for stage in left), round(max(found["bytes"] for found in each))
    told = {
        "texts": first["sampled"],
        "keys": round(first["keys_mean"], 3),
        "looks": round(sum(found["looks"] for found in each)),
        "candidates": round(sum(found["candidates"] for found in each)) if first["sampled"] else None,
        "verified": round(sum(found["verified"] for found in each)) if first["sampled"] else None,
        "near_pairs": first["near_pairs"],
        "crowd": first["crowd"],
        "seconds": round(seconds, 6),
        "cpu_seconds": round(cpu + sum(stages[stage] for stage in left), 6),
        "bytes": needed,
        "recall": round(expected_recall(first), 6),
    }
    is_known = first["sampled"] or not first["has_sample"]
    return Forecast(told if is_known else None, warnings_of(first, config, loading.documents, seconds, needed, None))


def warnings_of(
    found: dict[str, Any], config: DedupConfig, documents: int, seconds: float, needed: int, available: int | None
) -> tuple[str, ...]:
    """Return what will not be reached or takes very long, and what would do."""
    texts = []
    threshold = config.effective_similarity
    if found.get("largest_ratio") is not None:
        texts.append(Message(
            "{@max_ratio} {max_ratio:g} is too large for a recall of {recall:g} over {documents:,} documents: of "
            "pairs at the threshold and this ratio {found:.3f} will be found. What would fit: a {@max_ratio} of "
            "{found_2:g}, a higher similarity, a lower recall, or less than 8,192 documents, of which every pair "
            "is tested",
            max_ratio=config.max_ratio, recall=config.recall, documents=documents, found=found["recall_of_parts"],
            found_2=found["largest_ratio"],
        ))  # fmt: skip
    if found["least_similarity"] is not None and threshold is not None:
        texts.append(Message(
            "similarity {threshold:g} is too low for a recall of {recall:g} over {documents:,} documents: of "
            "pairs at the threshold {found:.3f} will be found. What would fit: a similarity of {found_2:g}, a "
            "lower recall, or less than 8,192 documents, of which every pair is tested",
            threshold=threshold, recall=config.recall, documents=documents, found=found["recall_of_equals"],
            found_2=found["least_similarity"],
        ))  # fmt: skip
    if available is not None and needed > available:
        fitting = int(documents * available / needed)
        texts.append(Message(
            "{needed:.1f} GB are needed and {available:.1f} GB are free: about {fitting:,} documents would fit, "
            "or a higher similarity or a lower recall, which make fewer keys",
            needed=needed / 1e9, available=available / 1e9, fitting=fitting,
        ))  # fmt: skip
    loosen = Message("a higher similarity" if config.max_distance is None else "a smaller {@max_distance}")
    if seconds > MANY_SECONDS:
        texts.append(Message(
            "the forecast is {seconds:,.1f} hours; {loosen}, a lower recall or fewer documents take less",
            seconds=seconds / 3600, loosen=loosen,
        ))  # fmt: skip
    if "alike" in found:
        drawn, different, features, window = found["alike"]
        longer = (
            Message("such as n={window} of the scheme chars128", window=window)
            if window
            else "such as words, or several of them"
        )
        texts.append(Message(
            "{drawn} documents drawn at random have only {different:,} different features, and each has about "
            "{features:,} of them: such features do not distinguish these documents, so the search compares most "
            "of them. Longer features do, {longer}",
            drawn=drawn, different=different, features=features, longer=longer,
        ))  # fmt: skip
    each = found.get("looks", 0.0) / max(documents, 1)
    if each > MANY_CANDIDATES:
        texts.append(Message(
            "each document meets about {each:,.0f} others that must be looked at; {loosen} or fewer documents "
            "meet less",
            each=each, loosen=loosen,
        ))  # fmt: skip
    return tuple(texts)


def note_program(text: str) -> None:
    """Log what is worth to know before the long work, and no warning."""
    _log.info(text)


def warn_program(text: str) -> None:
    """Issue a warning as a `SimsieveWarning` at the line of the program that called this package."""
    package, level = __name__.partition(".")[0], 1
    frame = inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        frame, level = frame.f_back, level + 1
    warnings.warn(str(text), getattr(text, "category", SimsieveWarning), stacklevel=level)
