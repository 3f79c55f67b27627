"""Custom schemes: built from parts in Python, or read from a TOML file."""

import builtins
import inspect
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from simsieve import _core
from simsieve.checks import check_key
from simsieve.errors import ConfigError, DigestError, SourceError, not_read
from simsieve.files import read_file
from simsieve.messages import Message
from simsieve.schemes.features import OfCore
from simsieve.schemes.model import Model

GivenFeature = str | tuple[str, float] | tuple[int, float]
"""What a function of features may give: a text, a text with its weight, or a hash with its weight."""

Tokens = Sequence[str] | Sequence[tuple[str, float]] | Mapping[str, float]
"""A document of a scheme with `features="tokens"`."""

_FLAGS = {re.IGNORECASE: "i", re.MULTILINE: "m", re.DOTALL: "s", re.VERBOSE: "x"}
"""The flags of compiled patterns, as a pattern has them."""


class CustomScheme(OfCore):
    """Build a scheme from parts; it goes wherever `scheme=` takes a name.

    Source: Charikar, "Similarity estimation techniques from rounding algorithms", STOC 2002, section 3.

    Args:
        name: Letters, digits, `_`, `-` and `.`; its spec is `own:NAME`. The digest distinguishes schemes, not the name.
        extract: The part that is taken of a page of HTML: `text` (all that a reader sees), `main` (the main
            text); `none` where it is a text. Exact copies are then pages with equal extracted texts.
        cut_at: A regular expression of Rust's regex crate: a text, or the extracted text, ends where the first match
            begins.
        strip: Another: all matches are removed from the rest.
        ignore: A file that `simsieve.templates` wrote: the rest is compared without the templates in it. Exact copies
            are copies of the rest with them.
        normalise: Steps, carried out in this order before features are taken, by default `usual` alone: `usual` (the
            normalised text), `compact` (the same without spaces and punctuation), `markup` (the visible text of a
            page), `nfc`, `nfd`, `nfkc`, `nfkd`, `casefold`, `lower`, `spaces`, `no-spaces`, `no-punctuation`,
            `no-digits`, `t2s` (Traditional Chinese characters become Simplified), `tw2sp` (and words of Taiwan those of
            the mainland), `numerals` (第一百二十三条 becomes 第123条), `marks` (café becomes cafe).
            Exact copies are, as everywhere, texts of equal normalised text, folded where a step folds.
        features: `chars`, `words`, `lines`; `dom`, the elements of the page that the text is, known by their tags,
            which takes no `normalise` and no `extract`; `tokens`, where a document is a list of texts, a list of pairs
            (text, weight) or a mapping from texts to weights, taken as they are; or a function: it is given the text
            and gives an iterable of texts (so any segmenter will do), of pairs (text, weight) under `weights="given"`,
            or of pairs (hash, weight) under `weights="given", hash="given"`; a hash is a whole number from 0 to
            2^256 - 1.
        n: Characters, words or texts of the function in a row that make a feature, 1 to 64; by default 3 for `chars`
            and 1 for the rest.
        levels: Of `dom`: how many tags of an element's path make its feature, from the element upward; 1 by default, 0
            for the whole path, at most 1,000.
        classes: Of `dom`: whether a tag has its class names with it, as `div.menu.open`; by default not.
        decay: Of `dom` under `sum` and `nearest`: above 0 and at most 1, by default 0.45.
        pattern: The pattern of interest, a regular expression of Rust's regex crate: tokens (characters, words, lines,
            texts of the function) stay that it matches from their beginning; the others are left out before `n` in a
            row are joined. `[\u4e00-\u9fa5]` keeps what begins with a Chinese character.
        weights: `once` (the default but for `dom` and `tokens`), `tf`, `log`, `idf`, `log-idf`, `tf-idf` (the count
            times the idf), `entropy` (root mean square of TF-IDF and of the entropy of neighbours), `given` (the
            default of `tokens`, where a token without a weight weighs 1); for `dom` also `sum` (its
            default: decay^depth summed over a feature's elements) and `nearest` (that of the element nearest to the
            root); a mapping from features to weights, which are multiplied by the count; or a function of (feature,
            count).
        other: The weight of features that the mapping does not have.
        stop: Words that are no features, in their normalised form; a UTF-8 file with a word a line; or `zh`,
            function words of Chinese.
        mode: Of `words`: how the segmenter cuts Han: `exact` (the default), `full` (all words of the dictionary,
            overlapping ones too) or `search` (long words and the short ones in them).
        hmm: Of `words`: whether the segmenter makes words that its dictionary does not have; by default it does.
        dict: Of `words`: a file of words for the segmenter's dictionary, in jieba's format. The words are there as
            the text has them after its steps.
        pos: Of `words`: only those of these parts of speech, as `n+v*` or `["n", "v*"]`, by jieba's tags.
        unspaced: Of `words`: `runs` (the default), or `fours`, which cuts words of Thai, Lao, Myanmar and
            Khmer into every four characters in a row.
        hash: `xxh3`, `fnv1`, `fnv1a` (up to 256 bits, those beyond 64 mixed from them), `md5` (128), `sha1` (160): the
            low bits are taken; `given`, where a hash of more bits than the width fails the text; or a
            function from a feature to a whole number from 0 to 2^256 - 1: its low bits are taken. Python's
            `hash` is refused: it differs from process to process.
        width: Bits of a fingerprint, 1 to 256, and no more than the hash has.
        sign: Which sums of weights give a 1: `> 0`, `>= 0`, or `> T` with a number T, such as `> 2.5` or `> 1e5`.
        fraction_bits: Fraction bits of weights that are given or computed by a function or a mapping, 0 to 24.
            They are rounded once, half to even, and lie from 0 to below 2^(32 - fraction_bits).
        version: Where functions are given: a text that names them in the digest. Change it when they change.
        model: The model for `idf`, `log-idf`, `tf-idf` and `entropy`, or its file; else `Fingerprinter.fit` or
            `idf="fit"` makes one.

    Raises:
        ConfigError: A part is not allowed; the text has the value and the allowed ones.
        SourceError: A file cannot be read.

    A function may raise, or give a weight that is no number, negative or infinite. In a run the record fails and the
    run goes on; a call raises `TextError`. Functions are called from the threads of a run, one at a time, so they must
    not depend on the order of calls.

    Example:
        >>> import simsieve
        >>> scheme = CustomScheme("letters", features=lambda text: [c for c in text if c.isalpha()], version="1")
        >>> simsieve.similarity("abc", "cab!", scheme=scheme)
        1.0
        >>> simsieve.dedup(["abc", "cab!", "xyz"], scheme=scheme).counts.dropped
        1
    """

    __slots__ = ("_parts", "name")

    def __init__(
        self,
        name: str,
        *,
        extract: str = "none",
        cut_at: str | None = None,
        strip: str | None = None,
        ignore: str | os.PathLike[str] | None = None,
        normalise: Sequence[str] | None = None,
        features: str | Callable[[str], Iterable[GivenFeature]] = "words",
        n: int | None = None,
        levels: int | None = None,
        classes: bool | None = None,
        decay: float | None = None,
        pattern: str | re.Pattern[str] | None = None,
        weights: str | Mapping[str, float] | Callable[[str, int], float] | None = None,
        other: float = 0.0,
        stop: str | Sequence[str] | os.PathLike[str] = (),
        mode: str | None = None,
        hmm: bool | None = None,
        dict: str | os.PathLike[str] | None = None,
        pos: str | Sequence[str] | None = None,
        unspaced: str | None = None,
        hash: str | Callable[[str], int] = "xxh3",
        width: int = 128,
        sign: str = "> 0",
        fraction_bits: int = 20,
        version: str = "",
        model: Model | str | os.PathLike[str] | None = None,
    ) -> None:
        given = {part: value for part, value in locals().items() if part not in ("self", "name", "model")}
        self.name = name
        self._parts = {part: _plain(name, part, value) for part, value in given.items() if value is not None}
        self.core = _core.Scheme.custom(name, self._parts)
        if model is not None:
            self.core = self.core.with_model((model if isinstance(model, Model) else Model.load(model)).core)

    def __reduce__(self) -> tuple[Any, ...]:
        """Give parts and model; functions must be importable, and the file of `dict` must be there too."""
        return _custom_scheme_of, (type(self), self.name, self._parts, model_of(self.core), self.digest)

    def __repr__(self) -> str:
        """Show name, width and digest."""
        return f"CustomScheme({self.name!r}, width={self.width}, digest={self.digest!r})"

    __str__ = __repr__

    @classmethod
    def from_toml(cls, path: str | os.PathLike[str]) -> Self:
        r"""Read a scheme from a TOML file, whose keys are the names of the parts; functions are for Python only.

        Args:
            path: A UTF-8 file. `weights` is a name or a table; `stop`, `dict`, `ignore` and `model` name files beside
                it, `stop` may be a list of words. Without `name` it is called as its file.

        Raises:
            SourceError: The file cannot be read or is no TOML.
            ConfigError: A key is unknown (the nearest known one is suggested), of another type, or has a value that is
                not allowed.

        Example:
            >>> import pathlib, tempfile
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     path = pathlib.Path(folder, "pairs.toml")
            ...     _ = path.write_text('features = "words"\nn = 2\nhash = "sha1"\nwidth = 160\n')
            ...     CustomScheme.from_toml(path).spec
            'own:pairs'
        """
        # Loaded here, since few runs read such a file.
        import tomllib  # noqa: PLC0415 - see above

        file = Path(path)
        try:
            parts = tomllib.loads(read_file(file).decode("utf-8-sig"))
        except OSError as error:
            raise not_read(file, "the scheme", error) from error
        except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
            raise SourceError(
                '{file}: is no TOML: {error}; write keys as in name = "value"', file=file, error=error
            ) from None
        for key in parts:
            check_key(Message("{file}: unknown key", file=file), key, _KEYS)
        for key in ("stop", "dict", "model", "ignore"):
            if isinstance(parts.get(key), str) and not (key == "stop" and parts[key] in _core.STOP_LISTS):
                parts[key] = file.parent / parts[key]
        try:
            return cls(parts.pop("name", file.stem), **parts)
        except ConfigError as error:
            raise ConfigError("{file}: {error}", file=file, error=error) from error

    def folded(self, fold: str) -> "CustomScheme":
        """Give this scheme with one or two more steps, after the others, that fold its texts.

        Args:
            fold: As for `Scheme.folded`.

        Raises:
            ConfigError: The scheme folds texts already, or takes none.

        Example:
            >>> CustomScheme("mine").folded("t2s").digest == CustomScheme("mine", normalise=["usual", "t2s"]).digest
            True
        """
        steps = [*self._parts.get("normalise", ("usual",))]
        if not {"t2s", "tw2sp", "numerals", "marks"}.isdisjoint(steps):
            raise ConfigError(
                "scheme {name!r} says already how texts are folded: leave out fold {fold!r}", name=self.name, fold=fold
            )
        parts = {**self._parts, "normalise": steps + fold.split("+")}
        return _made(type(self), self.name, parts, _core.Scheme.custom(self.name, parts))

    def on_pages(self, extract: str) -> "CustomScheme":
        """Give this scheme on the extracted text of pages.

        Args:
            extract: `text` or `main`.

        Raises:
            ConfigError: The scheme names an extraction already, or takes elements.

        Example:
            >>> CustomScheme("mine").on_pages("main").core.extract
            'main'
        """
        if self.core.extract != "none":
            raise ConfigError(
                "scheme {name!r} says already what is extracted: leave out extract {extract!r}",
                name=self.name, extract=extract,
            )  # fmt: skip
        return _made(type(self), self.name, {**self._parts, "extract": extract}, self.core.with_extract(extract))

    def cleaned(
        self, cut_at: str | None = None, strip: str | None = None, ignore: str | os.PathLike[str] | None = None
    ) -> "CustomScheme":
        """Give this scheme with parts removed from its texts; see `Scheme.cleaned`.

        Raises:
            ConfigError: A pattern is wrong, the scheme names one already, or takes elements.

        Example:
            >>> CustomScheme("mine").cleaned(strip="[0-9]").digest == CustomScheme("mine", strip="[0-9]").digest
            True
        """
        path = None if ignore is None else os.fsdecode(ignore)
        each = (("cut_at", cut_at), ("strip", strip), ("ignore", path))
        given = {key: value for key, value in each if value is not None}
        return _made(type(self), self.name, {**self._parts, **given}, self.core.with_cleaning(cut_at, strip, path))


def model_of(core: _core.Scheme) -> Model | None:
    """Give the model that a scheme uses, where it has one."""
    return None if core.model is None else Model(core.model)


def restored(core: _core.Scheme, model: Model | None, spec: str, digest: str) -> _core.Scheme:
    """Give a scheme that was made again in another process its model, and check that it is the one that was given."""
    made = core if model is None else core.with_model(model.core, own=True)
    if made.digest != digest:
        raise DigestError(
            Message(
                "scheme {spec} has digest {digest} here and had {digest_2} where it was pickled: a file that it "
                "names, or the version of simsieve, differs",
                spec=spec, digest=made.digest, digest_2=digest,
            ),
            (made.digest, digest),
        )  # fmt: skip
    return made


def _made(kind: type[CustomScheme], name: str, parts: dict[str, Any], core: _core.Scheme) -> CustomScheme:
    made = object.__new__(kind)
    made.name, made._parts, made.core = name, parts, core
    return made


def _custom_scheme_of(
    kind: type[CustomScheme], name: str, parts: dict[str, Any], model: Model | None, digest: str
) -> CustomScheme:
    core = _core.Scheme.custom(name, parts)
    return _made(kind, name, parts, restored(core, model, core.spec, digest))


def _plain(name: str, part: str, value: Any) -> Any:
    """A part as the core takes it: a file of stop words is read, and a compiled pattern is a text with its flags."""
    if value is builtins.hash:
        return "hash"
    if callable(value) or isinstance(value, str | bytes):
        return value
    if isinstance(value, os.PathLike):
        path = os.fsdecode(value)
        # With its folder, a file is not taken for the built-in list of its name.
        return _core.stop_words(os.path.join(os.curdir, path)) if part == "stop" else path
    if isinstance(value, re.Pattern):
        if value.flags & ~(re.UNICODE | sum(_FLAGS)):
            raise ConfigError(
                "scheme {name!r}: {part} {value!r} is not allowed; give one without re.ASCII and re.LOCALE: write "
                "classes such as [0-9a-z]",
                name=name, part=part, value=value,
            )  # fmt: skip
        letters = "".join(letter for flag, letter in _FLAGS.items() if value.flags & flag)
        return f"(?{letters}){value.pattern}" if letters else value.pattern
    if isinstance(value, Mapping):
        return {**value}
    return list(value) if isinstance(value, Iterable) else value


_KEYS = tuple(part for part in inspect.signature(CustomScheme).parameters if part != "version")
