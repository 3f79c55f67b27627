"""simsieve finds the near-duplicates in a collection of texts, keeps one of each, and says why.

    >>> import simsieve
    >>> result = simsieve.dedup(["the quick brown fox jumps", "the quick brown fox jumps", "lorem ipsum dolor sit"])
    >>> result.counts.kept
    2

On the command line it is `simsieve dedup SOURCE -o SINK`; `simsieve --help` lists the commands.
"""

from simsieve._core import __version__
from simsieve.criteria import Criterion
from simsieve.decide import DedupResult
from simsieve.errors import ConfigError, SimsieveError, SinkError, SourceError, TextError, TooManyPairsError
from simsieve.explain import Explanation, explain
from simsieve.fingerprint import Fingerprint, Fingerprinter, Fingerprints, fingerprint
from simsieve.fitting import fit
from simsieve.model import Model
from simsieve.own import Scheme
from simsieve.pipeline import dedup, find_pairs
from simsieve.plan import Plan, plan
from simsieve.records import Decision, Recall
from simsieve.schemes import schemes
from simsieve.search import Neighbours, near_pairs
from simsieve.segment import Segmenter
from simsieve.settings import settings_from
from simsieve.similarity import hamming, similarity

__all__ = [
    "ConfigError",
    "Criterion",
    "Decision",
    "DedupResult",
    "Explanation",
    "Fingerprint",
    "Fingerprinter",
    "Fingerprints",
    "Model",
    "Neighbours",
    "Plan",
    "Recall",
    "Scheme",
    "Segmenter",
    "SimsieveError",
    "SinkError",
    "SourceError",
    "TextError",
    "TooManyPairsError",
    "__version__",
    "dedup",
    "explain",
    "find_pairs",
    "fingerprint",
    "fit",
    "hamming",
    "near_pairs",
    "plan",
    "schemes",
    "settings_from",
    "similarity",
]
