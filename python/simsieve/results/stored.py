"""What a database notes of a run that wrote to it: its id, and what it was made of."""

import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from typing import Any

from simsieve.checks import nearest
from simsieve.config.setting import ID
from simsieve.config.settings import SETTINGS, DedupConfig
from simsieve.errors import ConfigError
from simsieve.messages import Message
from simsieve.results.run import Run

WRITING, COMPLETE, FAILED, UNDONE = "writing", "complete", "failed", "undone"
"""The states of a run."""


def identity_of(run: Run, source: str | None, targets: Sequence[str | None]) -> tuple[str, dict[str, Any]]:
    """Give the id of a run and what it is made of; the same records, settings and sinks have the same id."""
    about: dict[str, Any] = {
        "source": source,
        "source_digest": run.store.digest,
        "schemes": [
            {"scheme": scheme.spec, "digest": scheme.digest, "recipe": recipe["digest"]}
            for scheme, recipe in zip(run.schemes, run.documents.recipes, strict=True)
        ],
        "settings": _settings(run.config),
    }
    if run.config.verdicts is not None:
        # The file may be written again under its name.
        about["verdicts"] = run.documents.verdicts()[0]
    identity = json.dumps([about, list(targets)], sort_keys=True, default=str)
    return hashlib.blake2b(identity.encode(), digest_size=8).hexdigest(), about


def _settings(config: DedupConfig) -> dict[str, Any]:
    """The settings of a run that are not the usual ones, as JSON has them."""
    changed = {name: value for name, value in config.held(ID).items() if value != SETTINGS[name].default}
    return {name: json.loads(json.dumps(value, default=_named)) for name, value in changed.items()}


def _named(value: object) -> str:
    """The name of a file, or the type of an object in memory; digests of schemes tell these apart."""
    return os.fsdecode(value) if isinstance(value, os.PathLike) else type(value).__name__


def no_run(shown: str, run: str, known: Iterable[str]) -> ConfigError:
    """Give the error of a run that a database does not know."""
    near = nearest(run, dict.fromkeys(known))
    hint = Message("did you mean {near}?", near=near) if near else "`simsieve mongo runs` lists them"
    return ConfigError("{shown}: there is no run {run!r}: {hint}", shown=shown, run=run, hint=hint)
