"""What a run will take, forecast at its start by the sample that is frozen; what it took; the memory it may hold."""

import inspect
import logging
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from simsieve import _core
from simsieve.config.checks import memory_bytes
from simsieve.config.settings import DedupConfig
from simsieve.display import readable_bytes
from simsieve.errors import SimsieveWarning
from simsieve.machine import available_bytes, cores
from simsieve.messages import Message

_log = logging.getLogger(__name__)

MANY_CANDIDATES = 100_000.0
"""Candidates a document, above which a warning is given."""

_FORECAST_BYTES = 32_000_000
"""Size of the sources from which on a run of few records is forecast: one of fewer takes less than a second."""

Warn = Callable[[str], None]


def now() -> tuple[float, float]:
    """Give the seconds of the clock and of the processors."""
    return time.perf_counter(), time.process_time()


@dataclass(frozen=True, slots=True)
class Forecast:
    """The forecast of a run."""

    told: dict[str, Any] | None
    warnings: tuple[str, ...]


def expected_recall(found: dict[str, Any]) -> float:
    """Return the recall that is expected of pairs: that of the sample, or at the threshold where it says too little."""
    of_sample = found.get("recall_of_sample")
    return float(found["recall_of_equals"] if of_sample is None else of_sample)


def forecast_start(loading: _core.Loading, config: DedupConfig) -> Forecast | None:
    """Forecast a run before its documents are encoded, by the sample that is frozen."""
    if loading.documents < _core.BRUTE_BELOW and loading.bytes_read < _FORECAST_BYTES:
        return None
    each = loading.forecasts(config.threads or cores())
    # Of several schemes that must all agree, one is searched.
    for other in each[1:] if config.combine == "all" else ():
        other.update(dict.fromkeys(("looks", "candidates"), 0.0))
    first = each[0]
    needed = round(max(found["bytes"] for found in each))
    told = {
        "texts": first["sampled"],
        "keys": round(first["keys_mean"], 3),
        "looks": round(sum(found["looks"] for found in each)),
        "candidates": round(sum(found["candidates"] for found in each)) if first["sampled"] else None,
        "verified": round(sum(found["verified"] for found in each)) if first["sampled"] else None,
        "near_pairs": first["near_pairs"],
        "crowd": first["crowd"],
        "bytes": needed,
        "recall": round(expected_recall(first), 6),
    }
    is_known = first["sampled"] or not first["has_sample"]
    return Forecast(told if is_known else None, warnings_of(first, config, loading.documents, needed, None))


def warnings_of(
    found: dict[str, Any], config: DedupConfig, documents: int, needed: int, available: int | None
) -> tuple[str, ...]:
    """Return what will not be reached or takes very long, and what would do instead."""
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
    each = found.get("looks", 0.0) / max(documents, 1)
    if each > MANY_CANDIDATES:
        texts.append(Message(
            "each document meets about {each:,.0f} others that must be looked at; {loosen} or fewer documents "
            "meet less",
            each=each, loosen=loosen,
        ))  # fmt: skip
    return tuple(texts)


def note_program(text: str) -> None:
    """Log a note before the long work; it is no warning."""
    _log.info(text)


def warn_program(text: str) -> None:
    """Issue a warning as a `SimsieveWarning` at the line of the program that called this package."""
    package, level = __name__.partition(".")[0], 1
    frame = inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        frame, level = frame.f_back, level + 1
    warnings.warn(str(text), getattr(text, "category", SimsieveWarning), stacklevel=level)


LEAST_BYTES = 256 << 20
"""Memory that every run may take, whatever the bound is."""
UNBOUNDED_BYTES = 1 << 62
"""Memory that is more than any machine has, where no bound is known."""

DISK_PARTS = ("columns", "keys", "pairs", "decisions")


def disk_values(parts: Mapping[str, int]) -> dict[str, str]:
    """Give what a run directory takes, in words: the bytes of the whole and of each part."""
    values = {name: readable_bytes(part) for name, part in parts.items()}
    return {"disk": readable_bytes(sum(parts.values())), **values}


def memory_bound(config: DedupConfig) -> int | None:
    """Return the bytes of memory that a run may hold; None where neither the settings nor the system give it."""
    if config.memory is not None:
        return memory_bytes(config.memory)
    free = available_bytes()
    return None if free is None else free // 2


def refusal(bound: int | None, in_memory: int, in_directory: int, documents: int) -> str | None:
    """Say why a run is refused for its memory; None where it is not."""
    if bound is None or in_memory <= bound or in_directory <= max(bound, LEAST_BYTES):
        return None
    return Message(
        "{readable_bytes} of memory are too little for {documents:,} records: about {readable_bytes_2} are needed "
        "with a run directory, and {readable_bytes_3} without; give more by {@`memory`}, or fewer records",
        readable_bytes=readable_bytes(bound), documents=documents, readable_bytes_2=readable_bytes(in_directory),
        readable_bytes_3=readable_bytes(in_memory),
    )  # fmt: skip


def small_bound(config: DedupConfig) -> str | None:
    """Say that a bound of memory is below what every run may take; None where it is not."""
    if config.memory is None or memory_bytes(config.memory) >= LEAST_BYTES:
        return None
    least = readable_bytes(LEAST_BYTES)
    return Message(
        "memory {memory} is below the {least} that every run may take: a run may hold {least}",
        memory=config.memory, least=least,
    )  # fmt: skip
