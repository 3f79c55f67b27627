"""Chinese word segmentation, equal to jieba 0.42.1 token for token; the work is done in the core.

A text comes in, a list of words goes out. The dictionary, the document frequencies and the models are jieba's own and
are built into the compiled module. A file of the user's can replace the dictionary or add to it.
"""

import os
import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from simsieve import _core
from simsieve.errors import ConfigError, DigestError, not_read
from simsieve.files import read_file
from simsieve.messages import Message
from simsieve.text.checks import check_texts, lone_surrogates_named

PathLike: TypeAlias = str | os.PathLike[str]


def _read(path: PathLike) -> tuple[str, bytes]:
    """Give a file's name and its bytes; a `SourceError` where it cannot be read."""
    name = os.fspath(path)
    try:
        return name, read_file(name)
    except OSError as error:
        raise not_read(name, "", error, "name a file that can be read") from error


def _paths(paths: PathLike | Sequence[PathLike]) -> Sequence[PathLike]:
    """Give a list of paths where a single path is allowed."""
    return [paths] if isinstance(paths, str | os.PathLike) else paths


class Segmenter:
    """Cuts Chinese texts into words, as jieba 0.42.1 does, with the same dictionary.

    Everything between Han characters, letters, digits and a few signs is a token of its own, white space too. So in
    exact mode the words make up the text. Threads may share a segmenter; a word that one of them adds is there for all.

    Args:
        dictionary: A file that replaces the built-in dictionary, such as jieba's big one, which knows Traditional
            Chinese: UTF-8, lines `word frequency tag`, the tag may be missing.
        words: User dictionaries, read in this order; see `load_words`.
        stop_words: Files of words that are no keywords, or `zh`; see `load_stop_words`.
        frequencies: A file of inverse document frequencies that replaces the built-in table: lines `word idf`.

    Raises:
        SourceError: A file cannot be read, or has a line that cannot be used; the text names the file, the line's
            number (from 1) and its content.

    Example:
        >>> Segmenter().cut("我来到北京清华大学")
        ['我', '来到', '北京', '清华大学']
    """

    def __init__(
        self,
        *,
        dictionary: PathLike | None = None,
        words: PathLike | Sequence[PathLike] = (),
        stop_words: PathLike | Sequence[PathLike] = (),
        frequencies: PathLike | None = None,
    ) -> None:
        self._steps: list[tuple[Any, ...]] = []
        self._lock = threading.Lock()
        self._dictionary = None if dictionary is None else _read(dictionary)
        self._core = _core.Segmenter(self._dictionary)
        for path in _paths(words):
            self.load_words(path)
        for path in _paths(stop_words):
            self.load_stop_words(path)
        if frequencies is not None:
            self._change("load_frequencies", *_read(frequencies))

    def __reduce__(self) -> tuple[Any, ...]:
        """Give what was read and added, in order, from which another process makes the segmenter again."""
        with self._lock:
            return _segmenter_of, (self._dictionary, list(self._steps), self._core.digest)

    def _change(self, step: str, *arguments: Any) -> Any:
        """Change the core's segmenter, and note how."""
        with self._lock:
            found = getattr(self._core, step)(*arguments)
            self._steps.append((step, *arguments))
        return found

    @property
    def digest(self) -> str:
        """32 hex digits that identify all that can move a word: rules, dictionary as it is now, models."""
        return self._core.digest

    @property
    def total(self) -> int:
        """The sum of all frequencies that were ever given; a word's probability is its share of this."""
        return self._core.total

    def cut(self, text: str, mode: str = "exact", *, hmm: bool = True) -> list[str]:
        """Cut a text into words.

        Args:
            text: The text.
            mode: `exact` (the likeliest words, each character in one), `full` (every word of the dictionary,
                overlapping ones too) or `search` (those of `exact`, before a long one the words of two and three
                characters in it).
            hmm: Whether the hidden Markov model finds words that the dictionary does not have; not in `full`.

        Returns:
            The words in jieba's order. In `full` mode jieba also gives empty texts around white space, which are left
            out. It glues single letters, even across a word between them; here they stay apart.

        Raises:
            TypeError: The text is no `str`.
            ConfigError: The mode is not known, or the text has a lone surrogate.

        Example:
            >>> Segmenter().cut("清华大学", "search")
            ['清华', '华大', '大学', '清华大学']
        """
        check_texts([text])
        with lone_surrogates_named([text]):
            return self._core.cut(text, mode, hmm)

    def cut_all(
        self, texts: Iterable[str], mode: str = "exact", *, hmm: bool = True, threads: int = 0
    ) -> list[list[str]]:
        """Cut many texts into words, on all cores.

        Args:
            texts: The texts.
            mode: As for `cut`.
            hmm: As for `cut`.
            threads: How many threads cut; 0 for one a core.

        Returns:
            The words of each text, in the order of the texts.

        Raises:
            TypeError: A text is no `str`.
            ConfigError: The mode is not known, or a text has a lone surrogate.

        Example:
            >>> Segmenter().cut_all(["清华大学", "我爱北京"])
            [['清华大学'], ['我', '爱', '北京']]
        """
        listed = list(texts)
        check_texts(listed)
        with lone_surrogates_named(listed):
            return self._core.cut_all(listed, mode, hmm, threads)

    def tag(self, text: str, *, hmm: bool = True) -> list[tuple[str, str]]:
        """Cut a text in exact mode and give each word's part of speech, as `jieba.posseg` does.

        Args:
            text: The text.
            hmm: Whether the hidden Markov model finds and tags words that the dictionary does not have.

        Returns:
            Pairs of word and tag: `n` is a noun, `v` a verb, `ns` a place, `m` a number, `eng` a run of letters, `x`
            anything else. The words are not always those of `cut`: here `%` and `-` are words of their own.

        Raises:
            TypeError: The text is no `str`.
            ConfigError: The text has a lone surrogate.

        Example:
            >>> Segmenter().tag("我爱北京")
            [('我', 'r'), ('爱', 'v'), ('北京', 'ns')]
        """
        check_texts([text])
        with lone_surrogates_named([text]):
            return self._core.tag(text, hmm)

    def keywords(
        self, text: str, top: int = 20, *, tags: Sequence[str] | Mapping[str, float] = ()
    ) -> list[tuple[str, float]]:
        """Find the words that say most of a text, by TF-IDF: jieba's `jieba.analyse.extract_tags`.

        Args:
            text: The text.
            top: How many words at most; 0 for all (jieba's `topK`).
            tags: Only words of these parts of speech (jieba's `allowPOS`); `n*` means all that begin with `n`;
                empty for all. A mapping gives each a factor from 0.001 to 1,000: an occurrence of a word counts as
                often as the factor of its tag says, in the word's share and in the sum of all.

        Returns:
            Pairs of word and weight, the heaviest first, equally heavy ones in the order in which they first occur in
            the text. The weight is the word's share of all words that were counted, times its inverse document
            frequency; a word that the table does not have gets its median. Words of one character and stop words are
            not counted.

        Raises:
            TypeError: The text is no `str`.
            ConfigError: `top` is negative, a tag or its factor is not allowed, or the text has a lone surrogate.

        Example:
            >>> segmenter = Segmenter()
            >>> [word for word, weight in segmenter.keywords("北京大学在北京", 1)]
            ['北京大学']
            >>> [word for word, weight in segmenter.keywords("北京大学在北京", tags={"ns": 3, "nt": 1})]
            ['北京', '北京大学']
        """
        check_texts([text])
        if top < 0:
            raise ConfigError("top {top} is negative: give a number of words, or 0 for all", top=top)
        factors = tags if isinstance(tags, Mapping) else dict.fromkeys(tags, 1.0)
        with lone_surrogates_named([text]):
            return self._core.keywords(text, top, list(factors.items()))

    def add_word(self, word: str, frequency: int | None = None, tag: str | None = None) -> int:
        """Add a word to the dictionary, or give one another frequency.

        Args:
            word: The word.
            frequency: From 0, which deletes the word, to 2^53; None for the least with which it is not cut.
            tag: Its part of speech; None keeps what the dictionary has.

        Returns:
            The frequency.

        Raises:
            ConfigError: The word is empty or has a lone surrogate, or the frequency is not allowed.

        Example:
            >>> segmenter = Segmenter()
            >>> segmenter.cut("石墨烯电池"), segmenter.add_word("石墨烯电池") > 0, segmenter.cut("石墨烯电池")
            (['石墨', '烯', '电池'], True, ['石墨烯电池'])
        """
        check_texts([word])
        if frequency is not None and not 0 <= frequency <= 1 << 53:
            raise ConfigError(
                "the frequency of {word!r} is {frequency}; it is a whole number from 0 to 2^53",
                word=word, frequency=frequency,
            )  # fmt: skip
        with lone_surrogates_named([word]):
            used: int = self._change("add_word", word, frequency, tag)
            return used

    def delete_word(self, word: str) -> None:
        """Delete a word: it is not made any more, by the hidden Markov model neither.

        Args:
            word: The word; one that the dictionary does not have may be named too.

        Raises:
            ConfigError: The word is empty or has a lone surrogate.

        Example:
            >>> segmenter = Segmenter()
            >>> segmenter.delete_word("清华大学")
            >>> segmenter.cut("清华大学")
            ['清华', '大学']
        """
        self.add_word(word, 0)

    def suggest_frequency(self, word: str | Sequence[str]) -> int:
        """Compute a frequency that keeps a word whole, or one that lets it be cut; nothing is changed.

        Args:
            word: A word that shall stay whole, or the list of parts into which one shall be cut.

        Returns:
            For a word the least frequency with which it is not cut, for parts the greatest with which it is. The hidden
            Markov model may still join parts.

        Raises:
            ConfigError: The dictionary's frequencies are all 0, or a part has a lone surrogate.

        Example:
            >>> Segmenter().suggest_frequency(["中", "将"])
            494
        """
        parts = [word] if isinstance(word, str) else list(word)
        check_texts(parts)
        with lone_surrogates_named(parts):
            return self._core.suggested(word) if isinstance(word, str) else self._core.suggested_apart(parts)

    def frequency(self, word: str) -> int | None:
        """Look a word's frequency up.

        Args:
            word: The word.

        Returns:
            The frequency; 0 for a deleted word or a mere beginning of words, None otherwise.

        Example:
            >>> Segmenter().frequency("清华大学")
            922
        """
        with lone_surrogates_named([word]):
            return self._core.frequency(word)

    def load_words(self, path: PathLike) -> None:
        """Add the words of a user dictionary, in jieba's format.

        Args:
            path: A UTF-8 file. A line is `word`, `word frequency`, `word tag` or `word frequency tag`, with one space
                between; empty lines count for nothing. Without a frequency a word gets the least with which it is not
                cut.

        Raises:
            SourceError: The file cannot be read, or a line is none of these; the text names the file, the line's number
                (from 1) and its content. The words of the lines before it stay added. jieba takes such a line for a
                word with white space, and never finds it.

        Example:
            >>> import pathlib, tempfile
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     path = pathlib.Path(folder, "words.txt")
            ...     _ = path.write_text("创新办 3 i", encoding="utf-8")
            ...     segmenter = Segmenter(words=path)
            >>> segmenter.cut("他是创新办主任")
            ['他', '是', '创新办', '主任']
        """
        self._change("load_words", *_read(path))

    def load_stop_words(self, path: PathLike) -> None:
        """Add words that are no keywords to jieba's own 31, which are English.

        Args:
            path: A UTF-8 file with a word a line; white space at a line's ends counts for nothing. Or `zh`, function
                words of Chinese; a file of that name is `./zh`.

        Raises:
            SourceError: The file cannot be read or is no UTF-8.

        Example:
            >>> import pathlib, tempfile
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     path = pathlib.Path(folder, "stop.txt")
            ...     _ = path.write_text("北京大学", encoding="utf-8")
            ...     segmenter = Segmenter(stop_words=path)
            >>> [word for word, weight in segmenter.keywords("北京大学在北京")]
            ['北京']
        """
        given = ("zh", "\n".join(_core.stop_words("zh")).encode()) if path == "zh" else _read(path)
        self._change("load_stop_words", *given)


def _segmenter_of(dictionary: tuple[str, bytes] | None, steps: list[tuple[Any, ...]], digest: str) -> Segmenter:
    made = Segmenter()
    if dictionary is not None:
        made._dictionary, made._core = dictionary, _core.Segmenter(dictionary)  # noqa: SLF001 - the class's own maker
    for step in steps:
        made._change(*step)  # noqa: SLF001 - as above
    if made.digest != digest:
        raise DigestError(
            Message(
                "the segmenter has digest {digest} here and had {digest_2} where it was pickled: the version of "
                "simsieve differs",
                digest=made.digest, digest_2=digest,
            ),
            (made.digest, digest),
        )  # fmt: skip
    return made
