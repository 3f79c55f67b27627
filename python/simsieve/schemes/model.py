"""Models of document frequencies: in how many documents of a collection each feature occurs."""

import os
from typing import Any, Self

from simsieve import _core
from simsieve.errors import ConfigError, DigestError
from simsieve.messages import Message

DEFAULT_MAX_FEATURES = 4_194_304
MOST_FEATURES = 67_108_864


class Model:
    """Hold the document frequencies of a collection; made by `simsieve.fit`, by `Fingerprinter.fit` or by `Model.load`.

    A model belongs to the features of a scheme: normaliser, punctuation, window or words, and hash. It serves every
    width, and `weights=idf`, `log-idf` and `tf-idf`. It keeps at most `max_features` numbers. Where a collection has
    more features, they are distinguished by the first `bits` bits of their hash, as many as fit. Features with equal
    bits are counted together. It is a function of the documents alone, in whatever order they come; two models merged
    are the model of both collections.

    That of an `esimhash` scheme also counts each word's neighbours: at most 4 x `max_features` pairs, of 16 bytes each.
    Where a collection has more, pairs are distinguished by the first `neighbour_bits` of 96 bits. So the neighbours of
    one word are the first to be counted together. It serves schemes of the same words that take no neighbours, too.

    Args:
        core: The core's object.

    Example:
        >>> import simsieve
        >>> model = simsieve.fit(["the quick brown fox", "the quick red fox"])
        >>> model.documents, model.document_frequency("thequi"), model.document_frequency("redfox")
        (2, 2, 1)
    """

    __slots__ = ("core",)

    def __init__(self, core: _core.Model) -> None:
        if not isinstance(core, _core.Model):
            raise ConfigError("a model is not made of {name}: use simsieve.fit or Model.load", name=type(core).__name__)
        self.core = core

    def __repr__(self) -> str:
        """Show what it counts and how much."""
        return f"Model({self.features_spec!r}, documents={self.documents}, features={self.features}, bits={self.bits})"

    def __eq__(self, other: object) -> bool:
        """Equal digests are equal models."""
        return isinstance(other, Model) and self.digest == other.digest

    def __hash__(self) -> int:
        """As equality asks."""
        return hash(self.digest)

    def __reduce__(self) -> tuple[Any, ...]:
        """Give the bytes of the model's file, from which another process makes it again."""
        return _model_of, (self.core.to_bytes(),)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a model's file.

        Args:
            path: A file that `save` or `simsieve fit` wrote.

        Raises:
            SourceError: It is missing, is no model, or is cut off or damaged; the text says which.

        Example:
            >>> Model.load("no-such.model")
            Traceback (most recent call last):
            ...
            simsieve.errors.SourceError: no-such.model: does not exist; ...
        """
        return cls(_core.Model.load(os.fsdecode(path)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, which appears whole or not at all; it is compressed already.

        Args:
            path: Where to; not stdout, and no name that ends with .gz or .zst.

        Raises:
            SinkError: It cannot be written.
            ConfigError: The name is not allowed.

        Example:
            >>> import tempfile, simsieve
            >>> model = simsieve.fit(["a text", "another text"])
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     model.save(f"{folder}/texts.model")
            ...     Model.load(f"{folder}/texts.model") == model
            True
        """
        self.core.save(os.fsdecode(path))

    def merge(self, *others: "Model") -> "Model":
        """Make the model of this collection and others together, under the smallest of their `max_features`.

        Args:
            others: Models of the same features.

        Returns:
            A new model, equal to one that was fitted on all documents.

        Raises:
            DigestError: One is of other features; the text names both.

        Example:
            >>> import simsieve
            >>> one, other = ["a text of words"], ["a text of other words"]
            >>> simsieve.fit(one).merge(simsieve.fit(other)) == simsieve.fit(one + other)
            True
        """
        core = self.core
        for other in others:
            if not isinstance(other, Model):
                raise TypeError(f"a model is merged with models, not with {type(other).__name__}")
            if core.features_digest != other.features_digest:
                raise DigestError(
                    Message(
                        "a model of {features_spec} (digest {features_digest}) cannot be merged with one of "
                        "{features_spec_2} (digest {features_digest_2}); fit both with one scheme",
                        features_spec=core.features_spec, features_digest=core.features_digest,
                        features_spec_2=other.features_spec, features_digest_2=other.features_digest,
                    ),
                    (core.features_digest, other.features_digest),
                )  # fmt: skip
            core = core.merge(other.core)
        return Model(core)

    def document_frequency(self, feature: str) -> int:
        """Count the documents that have a feature.

        Args:
            feature: A text that makes exactly one feature, normalised as the scheme does; in models of words a word,
                taken as it is.

        Returns:
            0 to `documents`; exact while `bits` is 64, and an upper bound where it is less.

        Raises:
            TypeError: It is no `str`.
            ConfigError: It has no feature or more than one.

        Example:
            >>> import simsieve
            >>> simsieve.fit(["中文字符", "中文字"]).document_frequency("中文字")
            2
        """
        if not isinstance(feature, str):
            raise TypeError(f"feature is of type {type(feature).__name__}: give str")
        return self.core.document_frequency(feature)

    def neighbour_entropies(self, word: str) -> tuple[float, float]:
        """Measure how much the left and the right neighbours of a word differ.

        Source: formulas 7 and 8 of Zhang Hang et al., Computer Engineering and Applications 56(11), 2020, 246-251.

        Args:
            word: A word, taken as it is.

        Returns:
            The entropies of both distributions in bits, from 0; 0 where there is no neighbour. The ends of a text are
            no neighbours. Neighbours that are counted together (see `neighbour_bits`) make an entropy lower.

        Raises:
            TypeError: It is no `str`.
            ConfigError: The model counts no neighbours.

        Example:
            >>> import simsieve
            >>> model = simsieve.fit(["a red ball", "the red ball"], scheme="esimhash64")
            >>> model.neighbour_entropies("red")
            (1.0, 0.0)
        """
        if not isinstance(word, str):
            raise TypeError(f"word is of type {type(word).__name__}: give str")
        entropies = self.core.neighbour_entropies(word)
        if entropies is None:
            raise ConfigError(
                "model {digest} counts no neighbours: fit one with an esimhash scheme", digest=self.digest
            )
        return entropies

    @property
    def neighbour_bits(self) -> int | None:
        """Bits by which a word and its neighbour are known, 0 to 96; None where a model counts no neighbours."""
        return self.core.neighbour_bits

    @property
    def documents(self) -> int:
        """Documents with at least one feature."""
        return self.core.documents

    @property
    def features(self) -> int:
        """Distinct features that the model distinguishes."""
        return self.core.features

    @property
    def max_features(self) -> int:
        """The most features that the model distinguishes."""
        return self.core.max_features

    @property
    def bits(self) -> int:
        """Bits of its hash by which a feature is known, 0 to 64; 64 distinguishes all."""
        return self.core.bits

    @property
    def digest(self) -> str:
        """Hex digest of all that the model says."""
        return self.core.digest

    @property
    def features_spec(self) -> str:
        """The options of a scheme that its features have, such as `units=6,punctuation=drop`."""
        return self.core.features_spec

    @property
    def features_digest(self) -> str:
        """Hex digest of all that can change a feature; models that are merged have the same."""
        return self.core.features_digest


def _model_of(content: bytes) -> Model:
    return Model(_core.Model.from_bytes(content))
