"""A run's summary: the schemes in it, and its form as a line of JSON."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from simsieve import _core
from simsieve.config.settings import DedupConfig
from simsieve.sinks.base import SinkPath
from simsieve.sinks.files import write_text

SCHEMA_VERSION = 1
"""Version of the summary's keys and their meaning."""


def summary_line(summary: Mapping[str, Any]) -> str:
    """Write a summary as one line of JSON, without a line end.

    Example:
        >>> summary_line({"read": 1})
        '{"read": 1}'
    """
    return json.dumps(summary, ensure_ascii=False, allow_nan=False)


def write_summary(sink: SinkPath, summary: Mapping[str, Any]) -> None:
    """Write a summary to a file, which appears whole.

    Args:
        sink: The file; one that is there is replaced.
        summary: What `DedupResult.summary` gives.

    Raises:
        SinkError: The file cannot be written; nothing is left at its name.

    Example:
        >>> import os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_summary(folder + "/summary.json", {"read": 1})
        ...     os.listdir(folder)
        ['summary.json']
    """
    write_text(sink, summary_line(summary) + "\n")


def describe_schemes(
    schemes: Sequence[_core.Scheme], config: DedupConfig, recipes: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """Describe the schemes of a run for its summary; of several, the digests cover all together.

    Args:
        schemes: The schemes in force.
        config: The settings.
        recipes: The recipe under each.

    Example:
        >>> describe_schemes([_core.Scheme("chars64")], DedupConfig(), [{"digest": "00ff"}])["scheme"]
        'chars64'
    """
    if len(schemes) == 1:
        return {"scheme": schemes[0].spec, "digest": schemes[0].digest, "recipe_digest": recipes[0]["digest"]}
    each = [
        {
            "scheme": scheme.spec,
            "digest": scheme.digest,
            "recipe_digest": recipe["digest"],
            "similarity": criterion.similarity,
            "max_distance": criterion.max_distance,
            "measure": config.measure_of(criterion.similarity),
        }
        for scheme, recipe, criterion in zip(schemes, recipes, config.criteria, strict=True)
    ]

    def of_all(name: str) -> str:
        joined = "\n".join([config.combine, *(str(row[name]) for row in each)])
        return hashlib.blake2b(joined.encode(), digest_size=16).hexdigest()

    return {
        "scheme": f"{config.combine} of {', '.join(scheme.spec for scheme in schemes)}",
        "digest": of_all("digest"),
        "recipe_digest": of_all("recipe_digest"),
        "schemes": each,
    }
