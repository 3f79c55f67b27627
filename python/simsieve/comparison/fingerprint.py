"""Texts become fingerprints: one at a time, or a stream of them in batches."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, Self

import numpy as np

from simsieve import _core
from simsieve.checks import MOST, MOST_THREADS, check_integer, check_key
from simsieve.errors import ConfigError
from simsieve.fingerprints import Fingerprints
from simsieve.schemes.custom import CustomScheme, Tokens
from simsieve.schemes.model import DEFAULT_MAX_FEATURES, MOST_FEATURES, Model
from simsieve.schemes.scheme import DEFAULT_SCHEME, AnyScheme, Scheme, load_scheme
from simsieve.text.checks import all_written, lone_surrogates_named
from simsieve.types import Fingerprint

__all__ = ["Fingerprint", "Fingerprinter", "Fingerprints", "fingerprint"]

_BATCH = 8192


def fingerprint(text: str | int | bytes | Tokens, scheme: AnyScheme = DEFAULT_SCHEME) -> Fingerprint | None:
    """Compute the fingerprint of one text.

    Source: Charikar, "Similarity estimation techniques from rounding algorithms", STOC 2002, section 3; the scheme says
    which features, weights, hash and width.

    Args:
        text: Any text, of any length; under `external` schemes also a whole number (`format=int`) or bytes
            (`format=bytes`); under `CustomScheme(features="tokens")` a list of tokens or a mapping of weights.
        scheme: A scheme's name, a TOML file, a `Scheme` or a `CustomScheme`; the default makes 128 bits from character
            n-grams and suits every language.

    Returns:
        The fingerprint, or None where the text has no features.

    Raises:
        TypeError: The text is no `str`.
        ConfigError: The scheme is not known, or the text holds a lone surrogate.
        TextError: The scheme cannot use the text.

    Example:
        >>> len(fingerprint("the quick brown fox").hex)
        32
        >>> fingerprint("") is None
        True
    """
    core = load_scheme(scheme)
    (checked,) = _written([text], core)
    with lone_surrogates_named([checked]):
        raw = core.fingerprint(checked)
    return None if raw is None else Fingerprint(int.from_bytes(raw, "big"), core.width, core.spec, core.digest)


class Fingerprinter:
    """Make fingerprints of many texts with one scheme, as a transformer of scikit-learn.

    It has `fit`, `transform`, `fit_transform`, `get_params` and `set_params`: `clone`, `Pipeline` and joblib take it.
    scikit-learn itself is not needed. Other than its estimators, it checks its arguments when it is made.

    Args:
        scheme: A scheme's name, a TOML file, a `Scheme` or a `CustomScheme`; the default is that of `fingerprint`.
        model: The model that `weights=idf`, `log-idf` and `tf-idf` need; without it, and if the scheme names none,
            `fit` makes one.
        max_features: Features that a fitted model distinguishes, 1 to 67,108,864.

    Raises:
        ConfigError: The scheme is not known, takes no model, or the model is of other features.
        SourceError: The scheme names a model's file that cannot be read.

    Example:
        >>> prints = Fingerprinter("chars128").fit([]).transform(["one text", "another text"])
        >>> prints.values.dtype.name, prints.valid.tolist()
        ('uint64', [True, True])
        >>> Fingerprinter("chars128:weights=idf").fit(["one text", "another text"]).model.documents
        2
    """

    def __init__(
        self, scheme: AnyScheme = DEFAULT_SCHEME, model: Model | None = None, max_features: int = DEFAULT_MAX_FEATURES
    ) -> None:
        self._given = self._core = load_scheme(scheme, model)
        self._max_features = check_integer("max_features", max_features, 1, MOST_FEATURES)
        # The arguments as they came: a clone is made of the very same objects.
        self._params = {"scheme": scheme, "model": model, "max_features": max_features}
        self._scheme = Scheme(scheme) if isinstance(scheme, str) else scheme

    def __reduce__(self) -> tuple[Any, ...]:
        """Return scheme and models, as for a pickled scheme."""
        fitted = None if self._core is self._given else self.model
        return _fingerprinter_of, (self._params, self._scheme, fitted)

    def __repr__(self) -> str:
        """Show the scheme."""
        return f"Fingerprinter({self.scheme!r})"

    def __sklearn_tags__(self) -> Any:
        """Give scikit-learn, which alone calls this, its tags: a transformer of texts that needs no fit."""
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags  # noqa: PLC0415  it is loaded already

        return Tags(
            estimator_type="transformer",
            target_tags=TargetTags(required=False),
            transformer_tags=TransformerTags(preserves_dtype=[]),
            input_tags=InputTags(one_d_array=True, two_d_array=False, string=True),
            requires_fit=self._given.needs_model,
        )

    def __sklearn_is_fitted__(self) -> bool:
        """Say whether `transform` can be called."""
        return not self._core.needs_model or self._core.model is not None

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: FBT001, FBT002  scikit-learn's signature
        """Give the arguments that it was made with, by name.

        Args:
            deep: Of no effect: no argument has parameters of its own.

        Example:
            >>> Fingerprinter("chars64").get_params()["scheme"]
            'chars64'
        """
        return dict(self._params)

    def set_params(self, **params: Any) -> Self:
        """Change some of the arguments; what was fitted is forgotten.

        Args:
            **params: `scheme`, `model`, `max_features`.

        Returns:
            This object.

        Raises:
            ConfigError: A name or a value is not allowed; nothing is changed then.

        Example:
            >>> Fingerprinter("chars64").set_params(scheme="chars128").width
            128
        """
        for name in params:
            check_key("unknown parameter", name, self._params)
        if params:
            made = type(self)(**{**self._params, **params})
            vars(self).update(vars(made))
        return self

    @property
    def scheme(self) -> str:
        """The scheme's spec."""
        return self._core.spec

    @property
    def digest(self) -> str:
        """The scheme's digest, in hex."""
        return self._core.digest

    @property
    def model(self) -> Model | None:
        """The model in use; None where the scheme needs none, or before `fit`."""
        core = self._core.model
        return None if core is None else Model(core)

    @property
    def width(self) -> int:
        """Bits of a fingerprint."""
        return self._core.width

    def fit(self, texts: Iterable[str] | Iterable[Tokens], y: object = None) -> Self:
        """Fit the model of a scheme that needs one, in one pass; otherwise do nothing.

        Args:
            y: Not used; a Pipeline of scikit-learn gives it.
            texts: Texts. A generator is read batch by batch and never held whole. Where nothing is learned, a list or
                tuple is checked to hold texts only. Anything else is left unread, since a stream could not be read
                again.

        Returns:
            This object; `scheme` and `digest` now include the model.

        Raises:
            TypeError: One is no `str`, or `texts` is itself one text.
            ConfigError: The scheme has a model already, no text has features, or a text holds a lone surrogate.
            TextError: The scheme cannot use a text.

        Example:
            >>> Fingerprinter().fit(["a text"])
            Fingerprinter('chars128')
            >>> len(Fingerprinter("chars128:weights=idf").fit(["a text", "another"]).transform(["a text"]))
            1
        """
        _refuse_one_text(texts)
        if not self._given.needs_model:
            if isinstance(texts, (list, tuple)):
                _written(list(texts), self._given)
            return self
        if self._given.model is not None:
            raise ConfigError(
                "scheme {scheme!r} has its model already: make a Fingerprinter without one to fit it",
                scheme=self.scheme,
            )
        fitter = _core.Fitter(self._given, self._max_features)
        for chunk, start in _batches(texts, _BATCH, self._given):
            with lone_surrogates_named(chunk, start):
                fitter.add(chunk, first=start)
        self._core = self._given.with_model(fitter.finish())
        return self

    def fit_transform(self, texts: Iterable[str] | Iterable[Tokens], y: object = None) -> Fingerprints:
        """Fit, and compute the fingerprints of the same texts.

        Args:
            texts: As for `fit`. Where a model is fitted they are read twice, so a stream is held whole.
            y: Not used.

        Raises:
            SimsieveError: As for `fit` and `transform`.

        Example:
            >>> len(Fingerprinter("chars64:weights=idf").fit_transform(["a text", "another"]))
            2
        """
        if self._given.needs_model and isinstance(texts, Iterator):
            texts = list(texts)
        return self.fit(texts, y).transform(texts)

    def transform(
        self,
        texts: Iterable[str] | Iterable[int] | Iterable[bytes] | Iterable[Tokens],
        threads: int = 0,
        batch: int = 0,
    ) -> Fingerprints:
        """Compute the fingerprints of many texts, reading them batch by batch.

        Args:
            texts: Any iterable of texts, or of other inputs of `fingerprint`; a generator is never held whole.
            threads: Threads to work with, 0 to 1024; 0 takes all cores. Never changes a bit.
            batch: Texts to work on at a time, 0 to 2^63 - 1; 0 takes 8,192. Never changes a bit.

        Returns:
            One row a text, in the order given.

        Raises:
            TypeError: One is no `str` (the text names its index), or `texts` is itself one text.
            ConfigError: A number is not allowed, a text holds a lone surrogate, or the scheme's model is missing.
            TextError: The scheme cannot use a text; the error names the first such by its index.

        Example:
            >>> len(Fingerprinter().transform(f"text number {i}" for i in range(10)))
            10
        """
        _refuse_one_text(texts)
        workers = check_integer("threads", threads, 0, MOST_THREADS)
        size = check_integer("batch", batch, 0, MOST) or _BATCH
        core = self._core
        core.check_ready()
        values, valid = [], []
        for chunk, start in _batches(texts, size, core):
            with lone_surrogates_named(chunk, start):
                some_values, some_valid = core.transform(chunk, workers, first=start)
            if not some_valid.all():
                # A scheme whose sign is >= 0 sets every bit of a text without features.
                some_values[~some_valid] = 0
            values.append(some_values)
            valid.append(some_valid)
        if not values:
            values, valid = [np.zeros((0, (core.width + 63) // 64), np.uint64)], [np.zeros(0, np.bool_)]
        # A copy costs more than one text.
        whole = (values[0], valid[0]) if len(values) == 1 else (np.concatenate(values), np.concatenate(valid))
        return Fingerprints(*whole, core.width, core.spec, core.digest)


def _fingerprinter_of(params: dict[str, Any], scheme: Scheme | CustomScheme, fitted: Model | None) -> Fingerprinter:
    made = Fingerprinter(**{**params, "scheme": scheme})
    made._params = params  # noqa: SLF001 - the class's own maker
    if fitted is not None:
        made._core = made._given.with_model(fitted.core)  # noqa: SLF001 - the class's own maker
    return made


def _batches(texts: Iterable[Any], size: int, core: _core.Scheme) -> Iterator[tuple[list[str], int]]:
    """Checked batches of a stream, each with the index of its first text."""
    stream: Iterator[Any] = iter(texts)
    start = 0
    while chunk := list(islice(stream, size)):
        yield _written(chunk, core, start), start
        start += len(chunk)


def _written(given: list[Any], core: _core.Scheme, start: int = 0) -> list[str]:
    """Texts, and fingerprints of the form that the scheme takes as texts."""
    return all_written(given, () if core.given_as is None else (core.given_as,), start)


def _refuse_one_text(texts: object) -> None:
    if isinstance(texts, (str, bytes, bytearray)):
        raise TypeError(f"texts is one {type(texts).__name__}: give an iterable of texts, such as [text]")
