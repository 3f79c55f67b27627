"""simsieve finds the near-duplicates in a collection of texts, keeps one of each, and says why.

    >>> import simsieve
    >>> result = simsieve.dedup(["the quick brown fox jumps", "the quick brown fox jumps", "lorem ipsum dolor sit"])
    >>> result.counts.kept
    2

Durations of the stages of a run go to the logger `simsieve` of `logging`, at level INFO. On the command line it is
`simsieve dedup SOURCE -o FILE`; `simsieve --help` lists the commands.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from simsieve._core import __version__
from simsieve.config.settings import DedupConfig
from simsieve.config.toml import settings_from
from simsieve.config.typed import FitSettings, LineSettings, PassageSettings, RethresholdSettings, Settings
from simsieve.errors import (
    ConfigError,
    DigestError,
    FailedRecordsWarning,
    GuessedEncodingWarning,
    InternalError,
    Interrupted,
    ResumeError,
    ServiceError,
    SimsieveError,
    SimsieveWarning,
    SinkError,
    SourceError,
    StorageError,
    TextError,
    TooManyPairsError,
    UnreadFilesWarning,
)
from simsieve.schemes.criteria import Criterion
from simsieve.schemes.custom import CustomScheme
from simsieve.schemes.features import Feature
from simsieve.schemes.model import Model
from simsieve.schemes.scheme import Scheme, SchemeInfo, schemes
from simsieve.tabular import ArrowStream
from simsieve.types import Counts, Decision, Fingerprint, Pair, Recall

if TYPE_CHECKING:
    from simsieve.client import Client
    from simsieve.compare.explain import Explanation, explain
    from simsieve.compare.fingerprint import Fingerprinter, fingerprint
    from simsieve.compare.hamming import HammingIndex, hamming, near_pairs
    from simsieve.compare.minhash import minhash, minhash_jaccard
    from simsieve.compare.similarity import CosineEstimate, cosine_of_bits, similarity
    from simsieve.differences import Difference
    from simsieve.evaluate.calibrate import Calibration, calibrate
    from simsieve.evaluate.labels import Evaluation, evaluate_labels
    from simsieve.fingerprints import Fingerprints
    from simsieve.index import BatchCounts, Index, IndexBatch, IndexDocument, IndexMatch
    from simsieve.inside import (
        DocumentTotal,
        LinesResult,
        PassageResult,
        RepeatedUnit,
        ScopeTotal,
        SharedText,
        Span,
        Template,
        TemplatePlace,
        TemplatesResult,
        lines,
        passages,
        templates,
    )
    from simsieve.results.decisions import Decisions
    from simsieve.results.dedup import DedupResult
    from simsieve.results.near import NearDrops
    from simsieve.results.pairs import Pairs
    from simsieve.results.positions import Clusters
    from simsieve.results.review import ReviewPair, ReviewPairs
    from simsieve.results.thresholds import Threshold, Thresholds
    from simsieve.results.told import DropShare
    from simsieve.run.fit import fit
    from simsieve.run.pipeline import dedup, find_pairs
    from simsieve.run.plan import Plan, plan
    from simsieve.text.segment import Segmenter

__all__ = [
    "ArrowStream",
    "BatchCounts",
    "Calibration",
    "Client",
    "Clusters",
    "ConfigError",
    "CosineEstimate",
    "Counts",
    "Criterion",
    "CustomScheme",
    "Decision",
    "Decisions",
    "DedupConfig",
    "DedupResult",
    "Difference",
    "DigestError",
    "DocumentTotal",
    "DropShare",
    "Evaluation",
    "Explanation",
    "FailedRecordsWarning",
    "Feature",
    "Fingerprint",
    "Fingerprinter",
    "Fingerprints",
    "FitSettings",
    "GuessedEncodingWarning",
    "HammingIndex",
    "Index",
    "IndexBatch",
    "IndexDocument",
    "IndexMatch",
    "InternalError",
    "Interrupted",
    "LineSettings",
    "LinesResult",
    "Model",
    "NearDrops",
    "Pair",
    "Pairs",
    "PassageResult",
    "PassageSettings",
    "Plan",
    "Recall",
    "RepeatedUnit",
    "ResumeError",
    "RethresholdSettings",
    "ReviewPair",
    "ReviewPairs",
    "Scheme",
    "SchemeInfo",
    "ScopeTotal",
    "Segmenter",
    "ServiceError",
    "Settings",
    "SharedText",
    "SimsieveError",
    "SimsieveWarning",
    "SinkError",
    "SourceError",
    "Span",
    "StorageError",
    "Template",
    "TemplatePlace",
    "TemplatesResult",
    "TextError",
    "Threshold",
    "Thresholds",
    "TooManyPairsError",
    "UnreadFilesWarning",
    "__version__",
    "calibrate",
    "cosine_of_bits",
    "dedup",
    "evaluate_labels",
    "explain",
    "find_pairs",
    "fingerprint",
    "fit",
    "hamming",
    "lines",
    "minhash",
    "minhash_jaccard",
    "near_pairs",
    "passages",
    "plan",
    "schemes",
    "settings_from",
    "similarity",
    "templates",
]

# The modules that need numpy or are large, with their public names, each loaded when it is first used. Help and
# completion in a shell take half the time without them.
_HOMES = {
    "simsieve.client": ("Client",),
    "simsieve.compare.explain": ("Explanation", "explain"),
    "simsieve.compare.fingerprint": ("Fingerprinter", "fingerprint"),
    "simsieve.compare.hamming": ("HammingIndex", "hamming", "near_pairs"),
    "simsieve.compare.minhash": ("minhash", "minhash_jaccard"),
    "simsieve.compare.similarity": ("CosineEstimate", "cosine_of_bits", "similarity"),
    "simsieve.differences": ("Difference",),
    "simsieve.evaluate.calibrate": ("Calibration", "calibrate"),
    "simsieve.evaluate.labels": ("Evaluation", "evaluate_labels"),
    "simsieve.fingerprints": ("Fingerprints",),
    "simsieve.index": ("BatchCounts", "Index", "IndexBatch", "IndexDocument", "IndexMatch"),
    "simsieve.inside": (
        "DocumentTotal",
        "LinesResult",
        "PassageResult",
        "RepeatedUnit",
        "ScopeTotal",
        "SharedText",
        "Span",
        "Template",
        "TemplatePlace",
        "TemplatesResult",
        "lines",
        "passages",
        "templates",
    ),
    "simsieve.results.decisions": ("Decisions",),
    "simsieve.results.dedup": ("DedupResult",),
    "simsieve.results.near": ("NearDrops",),
    "simsieve.results.pairs": ("Pairs",),
    "simsieve.results.positions": ("Clusters",),
    "simsieve.results.review": ("ReviewPair", "ReviewPairs"),
    "simsieve.results.thresholds": ("Threshold", "Thresholds"),
    "simsieve.results.told": ("DropShare",),
    "simsieve.run.fit": ("fit",),
    "simsieve.run.plan": ("Plan", "plan"),
    "simsieve.run.pipeline": ("dedup", "find_pairs"),
    "simsieve.text.segment": ("Segmenter",),
}


# Type checkers see the imports above, and refuse a name that there is not.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """Load a public name with its module, when it is first used."""
        if name == "text":
            # The package of the public module `simsieve.text.html`.
            import_module("simsieve.text.html")
            return import_module("simsieve.text")
        home = next((module for module, names in _HOMES.items() if name in names), None)
        if home is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        found = getattr(import_module(home), name)
        # From here on it is found without this function.
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    """List the public names; the modules below are not among them."""
    return __all__
