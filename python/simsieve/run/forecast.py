"""What a run will take, forecast when its documents are loaded, and beside it what it took.

`forecast` searches the documents, and decides some as a trial. It changes no result.
"""

import inspect
import logging
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from simsieve import _core
from simsieve.config.settings import DedupConfig
from simsieve.errors import SimsieveWarning
from simsieve.machine import cores
from simsieve.progress import ShownProgress
from simsieve.types import Progress

_log = logging.getLogger(__name__)

MANY_SECONDS = 3600.0
MANY_CANDIDATES = 100_000.0
"""Seconds of a run, and candidates a document, above which a warning is given."""

LEAST_EXPECTED = 50_000
"""Records from which on a forecast is made for the progress: it takes some tenths of a second."""

_SAMPLE_OF_LOAD, _COPIES_OF_LOAD, _WRITE_OF_LOAD = 0.3, 0.05, 0.1
"""Stages that the plan does not time, as parts of the time to fingerprint."""

Warn = Callable[[str], None]


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
            "seconds": round(sum(clock_seconds(survey, self.config.threads or cores()).values()), 6),
            "cpu_seconds": round(sum(survey[name] for name in ("search", "decide", "measure")), 6),
            "bytes": self.held_bytes + round(survey["bytes"]),
        }

    @property
    def warnings(self) -> tuple[str, ...]:
        """What will not be reached or takes very long."""
        expected = self.expected or {"seconds": 0.0, "bytes": 0}
        return warnings_of(self.survey, self.config, self.documents, expected["seconds"], int(expected["bytes"]), None)

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


def forecast(
    documents: _core.Documents, config: DedupConfig, held_bytes: int, progress: Progress | None = None
) -> Forecast:
    """Forecast the search, the decisions and the recall of loaded documents.

    The search is made, whose result the decisions use, and some hundred documents are decided as a trial.

    Args:
        documents: The loaded documents.
        config: The settings of the run.
        held_bytes: The most memory that was held so far.
        progress: Called now and then with (stage, done, total).

    Raises:
        SourceError: A source has changed while it was read.

    Example:
        >>> from simsieve.run.schemes import chosen_scheme
        >>> from simsieve.sources.opening import open_source
        >>> store = open_source(["one text"], DedupConfig()).store(DedupConfig(), None)
        >>> scheme = chosen_scheme(DedupConfig(), "a plan")
        >>> forecast(store.load(scheme, similarity=0.65), DedupConfig(), 0).survey["keys"]
        1
    """
    start = (time.perf_counter(), time.process_time())
    survey = _core.survey(documents, config.sample, config.threads, progress)
    return Forecast(survey, config, len(documents.valid), held_bytes, start)


def clock_seconds(survey: dict[str, Any], threads: int) -> dict[str, float]:
    """Return the seconds of stages by the clock; half of the search is one thread's.

    Example:
        >>> clock_seconds({"search": 2.0, "decide": 2.0, "measure": 0.0}, 2)
        {'search': 1.5, 'decide': 1.0, 'recall': 0.0}
    """
    seconds = {"fingerprint": survey["load"] / threads} if "load" in survey else {}
    return {
        **seconds,
        "search": survey["search"] * (0.5 + 0.5 / threads),
        "decide": survey["decide"] / threads,
        "recall": survey["measure"] / threads,
    }


def expect_stages(
    progress: Progress | None, store: _core.Store, schemes: Sequence[_core.Scheme], config: DedupConfig
) -> None:
    """Give a progress that shows the whole run the expected seconds of each stage.

    Args:
        progress: Any progress; one of the caller's own is left as it is.
        store: The opened sources.
        schemes: The schemes of the run, ready.
        config: The settings.

    Example:
        >>> expect_stages(None, _core.Store.from_texts(["a text"]), [], DedupConfig())
    """
    documents = len(store)
    if not isinstance(progress, ShownProgress) or documents < LEAST_EXPECTED:
        return
    mean = max(store.bytes_read // documents, 1)
    threads = config.threads or cores()
    seconds: dict[str, float] = defaultdict(float)
    for scheme, criterion in zip(schemes, config.criteria, strict=True):
        found = _core.forecast(
            scheme, documents, mean, config.recall, threads, config.sample, criterion.similarity,
            criterion.max_distance, config.measure, config.max_ratio,
        )  # fmt: skip
        for stage, expected in clock_seconds(found, threads).items():
            seconds[stage] += expected
    load = seconds["fingerprint"]
    progress.whole.expect(
        {
            "sample": load * _SAMPLE_OF_LOAD if config.effective_similarity is not None else 0.0,
            "fingerprint": load,
            "copies": load * _COPIES_OF_LOAD,
            **{stage: seconds[stage] for stage in ("search", "decide", "recall")},
            "write": load * _WRITE_OF_LOAD,
        }
    )


def warnings_of(
    survey: dict[str, Any], config: DedupConfig, documents: int, seconds: float, needed: int, available: int | None
) -> tuple[str, ...]:
    """Return what will not be reached or takes very long, and what would do.

    Args:
        survey: What the core's survey or forecast returned.
        config: The settings.
        documents: How many documents.
        seconds: By the clock.
        needed: Bytes of memory.
        available: Bytes that are free; None where they are not asked for.

    Example:
        >>> warnings_of({"least_similarity": None}, DedupConfig(), 10, 7200.0, 0, None)[0]
        'the forecast is 2.0 hours; a higher similarity, a lower recall or fewer documents take less'
    """
    texts = []
    threshold = config.effective_similarity
    if survey.get("largest_ratio") is not None:
        texts.append(
            f"max_ratio {config.max_ratio:g} is too large for a recall of {config.recall:g} over {documents:,}"
            f" documents: of pairs at the threshold and this ratio {survey['recall_of_parts']:.3f} will be found. What"
            f" would fit: a max_ratio of {survey['largest_ratio']:g}, a higher similarity, a lower recall, or less than"
            " 8,192 documents, of which every pair is tested"
        )
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
    if "alike" in survey:
        drawn, different, features, window = survey["alike"]
        longer = f"such as n={window} of the scheme chars128" if window else "such as words, or several of them"
        texts.append(
            f"{drawn} documents drawn at random have only {different:,} different features, and each has about"
            f" {features:,} of them: such features do not distinguish these documents, so the search compares most of"
            f" them. Longer features do, {longer}"
        )
    each = survey.get("looks", 0.0) / max(documents, 1)
    if each > MANY_CANDIDATES:
        texts.append(
            f"each document meets about {each:,.0f} others that must be looked at; {loosen} or fewer documents meet"
            " less"
        )
    return tuple(texts)


def note_program(text: str) -> None:
    """Log what is worth to know before the long work, and no warning.

    Example:
        >>> note_program("the run directory takes about 2 GB of disk")
    """
    _log.info(text)


def warn_program(text: str) -> None:
    """Issue a warning as a `SimsieveWarning` at the line of the program that called this package.

    Example:
        >>> with warnings.catch_warnings(record=True, action="always") as caught:
        ...     warn_program("the forecast is 2 hours")
        >>> len(caught)
        1
    """
    package, level = __name__.partition(".")[0], 1
    frame = inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        frame, level = frame.f_back, level + 1
    warnings.warn(text, SimsieveWarning, stacklevel=level)
