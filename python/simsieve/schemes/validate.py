"""The parts of a custom scheme: what each may be, and the checks of what a user gives."""

import math
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from simsieve import _core
from simsieve.checks import nearest
from simsieve.errors import ConfigError, SourceError, not_read

STEPS = (
    "markup", "usual", "compact", "nfc", "nfd", "nfkc", "nfkd", "casefold", "lower", "spaces", "no-spaces",
    "no-punctuation", "no-digits", "t2s", "tw2sp",
)  # fmt: skip
"""The steps of normalising, by name."""
EXTRACTS = ("none", "text", "main")
"""What may be taken of pages, by name."""
FEATURES = ("chars", "words", "lines", "dom", "tokens")
"""The features that need no function."""
DECAYED = ("sum", "nearest")
"""The weights that only elements of a page have."""
WEIGHTS = ("once", "tf", "log", "idf", "log-idf", "tf-idf", "entropy", "given", *DECAYED)
UNSPACED = ("runs", "fours")
"""How words are cut of what scripts without spaces write: as runs, or into every four characters."""
MODES = ("exact", "full", "search")
"""How the segmenter cuts Han, by name."""
STOP_LISTS = ("zh",)
"""The built-in lists of stop words, by name."""
HASHES = ("xxh3", "fnv1", "fnv1a", "md5", "sha1", "given")
MOST_N = 64
MOST_LEVELS = 1000
DECAY = 0.45
MOST_BITS = 24
"""The most fraction bits of weights."""

_FLAGS = {re.IGNORECASE: "i", re.MULTILINE: "m", re.DOTALL: "s", re.VERBOSE: "x"}
"""The flags of compiled patterns, as a pattern has them."""
_NO_TEXTS = {"dom": "takes the elements of the page itself", "tokens": "takes lists of tokens as they are"}
_SIGN = re.compile(r"> *(=)? *(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)", re.IGNORECASE)


class SpecValidator:
    """Checks the parts of a custom scheme one by one; a `ConfigError` says what is allowed.

    Args:
        name: The scheme's name, for the messages.

    Example:
        >>> SpecValidator("mine").whole("width", 64, 1, 256)
        64
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def refuse(self, part: str, value: object, allowed: str) -> ConfigError:
        """The error of a value that is not allowed."""
        shown = value if isinstance(value, str) and part == "hash" else repr(value)
        return ConfigError(f"scheme {self.name!r}: {part} {shown} is not allowed; give {allowed}")

    def choice(self, part: str, value: object, known: Sequence[str]) -> str:
        """One of the known names; else the nearest is suggested."""
        if isinstance(value, str) and value in known:
            return value
        near = nearest(value, known)
        raise self.refuse(part, value, f"one of {', '.join(known)}" if near is None else f"{near!r}, which is near")

    def choice_or_call(self, part: str, value: object, known: Sequence[str]) -> str:
        """One of the known names, or `called` for a function."""
        return "called" if callable(value) else self.choice(part, value, known)

    def whole(self, part: str, value: object, low: int, high: int) -> int:
        """A whole number from `low` to `high`."""
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise self.refuse(part, value, f"a whole number from {low} to {high}")
        return value

    def weight(self, word: object, weight: object, bits: int) -> None:
        """A row of a table of weights, with this many fraction bits."""
        if not isinstance(word, str):
            raise self.refuse("weights", word, "a mapping from texts to weights")
        most = 2 ** (32 - bits)
        number = weight if isinstance(weight, int | float) and not isinstance(weight, bool) else math.nan
        if not 0 <= number < most:
            allowed = f"a finite number from 0 to below {most}, which fraction_bits = {bits} sets"
            raise self.refuse(f"the weight of {word!r}", weight, allowed)

    def count(self, n: int | None, kind: str) -> int:
        """How many in a row make a feature of this kind."""
        count = self.whole("n", (3 if kind == "chars" else 1) if n is None else n, 1, MOST_N)
        if kind == "lines" and count != 1:
            raise self.refuse("n", n, "1 for lines")
        if kind == "dom" and count != 1:
            raise self.refuse("n", n, "1 for dom, where levels says how many tags make a feature")
        return count

    def unspaced(self, unspaced: object, kind: str) -> str:
        """How words of scripts without spaces are cut; a question of `words` alone."""
        if unspaced is None:
            return UNSPACED[0]
        if kind != "words":
            raise self.refuse("unspaced", unspaced, "it with features = 'words' only")
        return self.choice("unspaced", unspaced, UNSPACED)

    def words(self, kind: str, options: Mapping[str, object]) -> list[tuple[str, str]]:
        """The options of words that are given, as the core takes them; a question of `words` alone."""
        chosen = {part: value for part, value in options.items() if value is not None}
        for part, value in chosen.items():
            if kind != "words":
                raise self.refuse(part, value, "it with features = 'words' only")
        if "dict" in chosen and (not isinstance(chosen["dict"], str | os.PathLike) or not os.fspath(chosen["dict"])):
            raise self.refuse("dict", chosen["dict"], "the file of a dictionary")
        if "pos" in chosen:
            chosen["pos"] = self.tags(chosen["pos"])
        if "mode" in chosen:
            self.choice("mode", chosen["mode"], MODES)
        if "hmm" in chosen:
            if not isinstance(chosen["hmm"], bool):
                raise self.refuse("hmm", chosen["hmm"], "True or False")
            chosen["hmm"] = "on" if chosen["hmm"] else "off"
        return [(part, os.fsdecode(value)) for part, value in chosen.items()]  # type: ignore[arg-type]

    def tags(self, pos: object) -> str:
        """Parts of speech, with `+` between them."""
        tags = pos.split("+") if isinstance(pos, str) else pos
        if not isinstance(tags, Sequence) or not tags or not all(isinstance(tag, str) for tag in tags):
            raise self.refuse("pos", pos, "parts of speech, such as 'n+v' or ['n', 'v']")
        return "+".join(tags)

    def pattern(self, pattern: object, kind: str, hashing: str) -> str | None:
        """The pattern of interest, which the core compiles; flags of a compiled one are written into it."""
        if pattern is None:
            return None
        if kind == "dom":
            raise self.refuse("pattern", pattern, "none: features = 'dom' takes elements; leave some out by `stop`")
        if hashing == "given":
            raise self.refuse("pattern", pattern, "none: where the hash is given a feature has no text")
        text, flags = (pattern.pattern, pattern.flags) if isinstance(pattern, re.Pattern) else (pattern, 0)
        if not isinstance(text, str):
            raise self.refuse("pattern", pattern, "a regular expression of Rust's regex crate, as a text")
        if flags & ~(re.UNICODE | sum(_FLAGS)):
            raise self.refuse("pattern", pattern, "one without re.ASCII and re.LOCALE: write classes such as [0-9a-z]")
        letters = "".join(letter for flag, letter in _FLAGS.items() if flags & flag)
        return f"(?{letters}){text}" if letters else text

    def extract(self, extract: str, kind: str) -> None:
        """What is taken of pages before features of this kind."""
        self.choice("extract", extract, EXTRACTS)
        if kind in _NO_TEXTS and extract != "none":
            raise self.refuse("extract", extract, f"none: features = {kind!r} {_NO_TEXTS[kind]}")

    def regex(self, part: str, pattern: object, kind: str) -> str | None:
        """What is taken out of texts before features of this kind; the core reads the pattern."""
        if pattern is None:
            return None
        if kind in _NO_TEXTS:
            raise self.refuse(part, pattern, f"none: features = {kind!r} {_NO_TEXTS[kind]}")
        if not isinstance(pattern, str):
            raise self.refuse(part, pattern, "a regular expression as a text")
        return pattern

    def steps(self, normalise: Sequence[str] | None, kind: str) -> list[str]:
        """The steps before features of this kind."""
        if kind == "dom":
            if normalise:
                raise self.refuse(
                    "normalise",
                    normalise,
                    "none: features = 'dom' reads the page as it is, and its words are no features",
                )
            return []
        if kind == "tokens":
            if normalise:
                raise self.refuse("normalise", normalise, f"none: features = 'tokens' {_NO_TEXTS[kind]}")
            return []
        if isinstance(normalise, str):
            raise self.refuse("normalise", normalise, "a list of steps, such as ['usual']")
        return [self.choice("normalise", step, STEPS) for step in (("usual",) if normalise is None else normalise)]

    def elements(self, kind: str, weigh: str, levels: object, classes: object, decay: object) -> "Elements":
        """The options of elements; there are none where features are of another kind."""
        for part, value in (("levels", levels), ("classes", classes), ("decay", decay)):
            if kind != "dom" and value is not None:
                raise self.refuse(part, value, "it with features = 'dom' only")
        if kind != "dom":
            if weigh in DECAYED:
                raise self.refuse("weights", weigh, "it with features = 'dom' only: it goes by the depth of elements")
            return Elements()
        if weigh == "entropy":
            raise self.refuse("weights", weigh, "another rule: entropy is of words in a row, elements form a tree")
        if decay is not None and weigh not in DECAYED:
            raise self.refuse("decay", decay, f"it with weights {' or '.join(DECAYED)} only")
        if classes is not None and not isinstance(classes, bool):
            raise self.refuse("classes", classes, "True or False")
        share = DECAY if decay is None else decay
        if isinstance(share, bool) or not isinstance(share, int | float) or not 0 < share <= 1:
            raise self.refuse("decay", decay, "a number above 0 and at most 1")
        count = self.whole("levels", 1 if levels is None else levels, 0, MOST_LEVELS)
        return Elements(count, bool(classes), float(share))

    def sign(self, sign: object, *, scaled: bool) -> float | None:
        """The bound that a sum must exceed for a 1; None where it may be 0 too."""
        match = _SIGN.fullmatch(sign.strip()) if isinstance(sign, str) else None
        if match is None or (match[1] and float(match[2]) != 0):
            raise self.refuse("sign", sign, "'> 0', '>= 0', or '> T' with a number T, such as '> 2.5' or '> 1e5'")
        if scaled and float(match[2]) != 0:
            raise self.refuse(
                "sign", sign, "'> 0' or '>= 0': weights by depth are scaled where a page has many elements"
            )
        return None if match[1] else float(match[2])


class Elements(NamedTuple):
    """The options of the elements of a page, with their defaults.

    Example:
        >>> Elements().levels
        1
    """

    levels: int = 1
    classes: bool = False
    decay: float = DECAY


def stop_words(stop: str | Sequence[str] | os.PathLike[str]) -> list[str]:
    """Give the stop words in order, each once, of a list, a file with a word a line, or a built-in list.

    Raises:
        ConfigError: It is a text, or a word is none.
        SourceError: The file cannot be read.

    Example:
        >>> stop_words(["the", "of", "the"])
        ['of', 'the']
    """
    if isinstance(stop, str):
        if stop not in STOP_LISTS:
            raise ConfigError(
                f"stop {stop!r} is one text: give a list of words, pathlib.Path of a file, or {' or '.join(STOP_LISTS)}"
            )
        return sorted(_core.stop_words(stop))
    if isinstance(stop, os.PathLike):
        try:
            # The mark of UTF-8 is taken away afterwards: what decodes it, too, counts bytes from its end.
            lines = Path(stop).read_bytes().decode().lstrip("\ufeff").splitlines()
        except OSError as error:
            raise not_read(stop, "the file of stop words", error) from error
        except UnicodeDecodeError as error:
            raise SourceError(f"{os.fspath(stop)}: is no UTF-8 at byte {error.start}; save it as UTF-8") from error
        stop = [line.strip() for line in lines]
    for word in stop:
        if not isinstance(word, str):
            raise ConfigError(f"the stop word {word!r} is of type {type(word).__name__}: give str")
    return sorted({word for word in stop if word})
