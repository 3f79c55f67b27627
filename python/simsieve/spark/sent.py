"""What a job sends to the executors: a scheme and a frozen search, made again once in each worker process."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Self

import numpy as np

from simsieve import _core
from simsieve.errors import ConfigError
from simsieve.schemes.custom import model_of, restored
from simsieve.schemes.model import Model


@dataclass(frozen=True, slots=True)
class SentScheme:
    """A scheme on its way to an executor."""

    spec: str
    digest: str
    model: Model | None = field(default=None, compare=False)
    version: str = _core.__version__

    @classmethod
    def of(cls, scheme: _core.Scheme) -> Self:
        """Send a scheme."""
        try:
            _core.Scheme(scheme.spec)
        except ConfigError as error:
            raise ConfigError(
                "scheme {spec!r} is not sent to other machines: a job takes built-in schemes ({error})",
                spec=scheme.spec, error=error,
            ) from None  # fmt: skip
        return cls(scheme.spec, scheme.digest, model_of(scheme))

    def scheme(self) -> _core.Scheme:
        """Make the scheme again."""
        if self.version != _core.__version__:
            raise ConfigError(
                "simsieve {version} sent the job, and simsieve {version_2} is on this executor: install one version "
                "on all machines",
                version=self.version, version_2=_core.__version__,
            )  # fmt: skip
        return _scheme(self)


@lru_cache(maxsize=4)
def _scheme(sent: SentScheme) -> _core.Scheme:
    return restored(_core.Scheme(sent.spec), sent.model, sent.spec, sent.digest)


@dataclass(frozen=True, slots=True)
class SentSearch:
    """A frozen search on its way to an executor."""

    scheme: SentScheme
    digest: str
    parts: tuple[str, str, bytes, bytes] = field(compare=False)
    conflict: tuple[str, ...] = ()

    @classmethod
    def of(cls, scheme: _core.Scheme, search: _core.FrozenSearch, conflict: Sequence[str] = ()) -> Self:
        """Send a search, and the kinds of conflict that keep its pairs apart."""
        import hashlib  # noqa: PLC0415 - on the driver alone

        recipe, state, classes, verdicts = search.parts()
        parts = (recipe, state, classes, verdicts.tobytes())
        digest = hashlib.sha256(repr(parts[:2]).encode() + parts[2] + parts[3]).hexdigest()
        return cls(SentScheme.of(scheme), digest, parts, tuple(conflict))

    def search(self) -> _core.FrozenSearch:
        """Make the search again."""
        self.scheme.scheme()
        return _search(self)


@lru_cache(maxsize=2)
def _search(sent: SentSearch) -> _core.FrozenSearch:
    recipe, state, classes, verdicts = sent.parts
    return _core.FrozenSearch(sent.scheme.scheme(), recipe, state, classes, np.frombuffer(verdicts, dtype=np.uint64))
