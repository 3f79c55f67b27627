"""The edited copies, and the other texts, that a scheme or a rival finds: by distance, by share, among all texts."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Literal, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.comparison.fingerprint import Fingerprinter
from simsieve.comparison.hamming import near_pairs
from simsieve.config.near_rows import DEFAULTS
from simsieve.config.settings import DedupConfig
from simsieve.errors import ConfigError
from simsieve.evaluate.edits import LONGEST_RUN, Originals, edited_words, originals_of
from simsieve.evaluate.labels import scored
from simsieve.evaluate.metrics import PairScore, similarities_from, sweep
from simsieve.messages import Setting
from simsieve.optional import datasketch
from simsieve.run.forecast import Warn, warn_program
from simsieve.run.steps import load
from simsieve.schemes.criteria import Criterion
from simsieve.schemes.scheme import load_scheme
from simsieve.sources.base import AnySource
from simsieve.text.segment import Segmenter
from simsieve.types import Progress

Found = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]
"""Of each pair the copy, the original, and the similarity or the distance."""
LOWEST = 0.5
"""The loosest similarity that is tried, unless a scheme is measured at a looser one; lower steps cost many more
comparisons."""
STEP = 0.01


class Matcher(Protocol):
    """What finds the near originals of texts."""

    name: str
    """The name of the scheme or rival, as the user gives it."""
    bound: float
    """The threshold that is measured: a similarity, or bits."""
    by_distance: bool
    """Whether the threshold is a distance."""
    thresholds: list[float]
    """All thresholds that are tried, the loosest first; the bound is one of them."""

    def near(self, texts: Sequence[str]) -> Found:
        """Find all pairs of a text and an original that are near at the loosest threshold."""
        ...


class DistanceMatcher:
    """Fingerprints within a distance; no text is verified."""

    by_distance = True

    def __init__(self, criterion: Criterion, originals: Sequence[str], config: DedupConfig) -> None:
        assert criterion.max_distance is not None
        self._fingerprinter = _fitted(criterion, originals)
        self._originals = self._fingerprinter.transform(originals, config.threads)
        self._config = config
        self.name, self.bound = str(criterion), float(criterion.max_distance)
        # Unrelated texts differ in half of the bits; at three eighths all schemes find many of them.
        most = max(criterion.max_distance, self._fingerprinter.width * 3 // 8)
        self.thresholds = [float(bits) for bits in range(most, -1, -1)]

    def near(self, texts: Sequence[str]) -> Found:
        """Find all pairs within the greatest distance."""
        copies = self._fingerprinter.transform(texts, self._config.threads)
        a, b, distance = near_pairs(
            copies, int(self.thresholds[0]), other=self._originals, max_pairs=self._config.max_pairs,
            threads=self._config.threads,
        )  # fmt: skip
        return a, b, distance.astype(np.float64)


class SimilarityMatcher:
    """Texts with a similarity, each pair verified, as `dedup` does it."""

    by_distance = False

    def __init__(self, criterion: Criterion, originals: Sequence[str], config: DedupConfig) -> None:
        assert criterion.similarity is not None
        model = _fitted(criterion, originals).model
        scheme = load_scheme(criterion.scheme)
        self._scheme = scheme if scheme.model is not None or model is None else scheme.with_model(model.core)
        self._scheme.check_similarity()
        self._originals = _core.Records.from_texts(originals)
        self.name, self.bound = str(criterion), criterion.similarity
        low = min(LOWEST, self.bound)
        self.thresholds = sorted({*similarities_from(low, STEP), self.bound})
        self._config = replace(
            config, scheme=criterion.scheme, similarity=low, max_distance=None, block_by=(), differ=(), same=(),
            near=(), agree=(), sure=None, verdicts=None,
        )  # fmt: skip

    def near(self, texts: Sequence[str]) -> Found:
        """Find all pairs of at least the loosest similarity."""
        store = _core.Records.from_texts(texts).against(self._originals)
        documents = load(store, [self._scheme], self._config, None)
        a, b, _, similarity, *_ = documents.pairs(self._config.max_pairs, threads=self._config.threads)
        return a, b - len(texts), similarity


def matcher_of(criterion: Criterion, originals: Sequence[str], config: DedupConfig) -> Matcher:
    """Make what measures a criterion."""
    kind = DistanceMatcher if criterion.similarity is None else SimilarityMatcher
    return kind(criterion, originals, config)


def _fitted(criterion: Criterion, originals: Sequence[str]) -> Fingerprinter:
    """What makes the scheme's fingerprints, with a model of the originals where it needs one and names none."""
    made = Fingerprinter(criterion.scheme)
    return made if made.model is not None else made.fit(list(originals))


_PERMUTATIONS = 128
_WINDOW = 3
_ROWS = 64
"""Signatures that are compared at a time."""


class MinHashMatcher:
    """Signatures of datasketch over windows of three characters; every pair of signatures is compared."""

    by_distance = False
    name = f"datasketch MinHash({_PERMUTATIONS})@{DEFAULTS['jaccard']:g}"
    bound = DEFAULTS["jaccard"]

    def __init__(self, originals: Sequence[str]) -> None:
        self._minhash = datasketch().MinHash
        self._originals = self._signatures(originals)
        self.thresholds = sorted({*similarities_from(LOWEST, STEP), self.bound})

    def _signatures(self, texts: Sequence[str]) -> NDArray[np.uint32]:
        rows = []
        for text in texts:
            plain = _core.normalise(text)
            windows = {plain[at : at + _WINDOW].encode() for at in range(max(1, len(plain) - _WINDOW + 1))}
            signature = self._minhash(num_perm=_PERMUTATIONS)
            signature.update_batch(sorted(windows))
            rows.append(signature.hashvalues.astype(np.uint32))
        return np.array(rows)

    def near(self, texts: Sequence[str]) -> Found:
        """Find all pairs whose signatures agree in at least the loosest share."""
        copies = self._signatures(texts)
        found = []
        for start in range(0, len(copies), _ROWS):
            agree = (copies[start : start + _ROWS, None, :] == self._originals[None, :, :]).sum(axis=2)
            a, b = np.nonzero(agree >= self.thresholds[0] * _PERMUTATIONS)
            found.append((a + start, b, agree[a, b] / _PERMUTATIONS))
        a, b, nearness = (np.concatenate(columns) for columns in zip(*found, strict=True))
        return a, b, nearness


def rivals_of(originals: Sequence[str], config: DedupConfig) -> list[Matcher]:
    """Make the rivals that are measured beside the schemes."""
    jaccard = SimilarityMatcher(
        Criterion("chars128", similarity=DEFAULTS["jaccard"]), originals, replace(config, measure="jaccard")
    )
    jaccard.name = f"exact Jaccard@{DEFAULTS['jaccard']:g}"
    return [MinHashMatcher(originals), jaccard]


EditForm = Literal["runs", "words"]
"""Edits of runs of 1 to 8 words, or of single words."""

_DEFAULT = DedupConfig()
SCHEMES = (
    "words64@10bits",
    "words128@10bits",
    "keywords64@10bits",
    "esimhash_baseline128@10bits",
    "esimhash_baseline128:weights=once@10bits",
    "esimhash128@10bits",
    f"{_DEFAULT.scheme}@38bits",
    f"{_DEFAULT.scheme}@{_DEFAULT.threshold:g}",
)
"""The schemes that are measured by default; the last two are the default scheme without verification and with it."""
SHARES = (0.05, 0.1, 0.15, 0.2)
"""At most these shares of the words are edited."""
DISTANCE_SHARE = 0.15
"""The share at which rates are given by distance."""
DISTANCES = range(1, 11)
SEARCH_SHARE = 0.1
"""Exactly this share is edited of a text that is searched among all."""
LEAST_CHARACTERS = 800
_LEAST = 3
MOST_ARTICLES = 4000
"""Originals and copies are fewer than 8,192 texts then, so that every pair is compared."""


@dataclass(frozen=True, slots=True, eq=False)
class EditRates:
    """What one scheme found: for each share of edited words its scores, the loosest threshold first."""

    scheme: str
    bound: float
    by_distance: bool
    shares: dict[float, list[PairScore]]
    search: list[PairScore]
    spread: tuple[float, float]

    @property
    def best(self) -> float:
        """The threshold with the best F1 of the search; of equal ones the loosest."""
        return max(self.search, key=lambda row: row.f1).threshold

    @property
    def distances(self) -> list[PairScore]:
        """The scores within 1 to 10 bits; none under a similarity."""
        rows = self.shares[DISTANCE_SHARE] if self.by_distance else []
        return [row for row in reversed(rows) if row.threshold in DISTANCES]

    def at(self, share: float | None = None, threshold: float | None = None) -> PairScore:
        """Give the score of a share that is edited; None is the search."""
        wanted = self.bound if threshold is None else threshold
        rows = self.search if share is None else self.shares[share]
        return next(row for row in rows if row.threshold == wanted)

    @property
    def summary(self) -> dict[str, Any]:
        """All figures, ready for JSON."""
        return {
            "scheme": self.scheme, "threshold": self.bound, "by_distance": self.by_distance, "best": self.best,
            "distances": [scored(row) for row in self.distances],
            "shares": [
                {"share": share, "at": scored(self.at(share)), "best": scored(self.at(share, self.best))}
                for share in self.shares
            ],
            "search": {
                "at": scored(self.at()), "best": scored(self.at(threshold=self.best)), "f1_of_draws": list(self.spread),
                "thresholds": [scored(row) for row in self.search],
            },
        }  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class EditTrial:
    """What all schemes found."""

    originals: Originals
    edited: int
    draws: int
    edit: EditForm
    rates: list[EditRates]

    @property
    def summary(self) -> dict[str, Any]:
        """All figures, ready for JSON."""
        seen = self.originals
        return {
            "documents": seen.read, "left_out": seen.left_out, "short": seen.short, "articles": len(seen.texts),
            "edited": self.edited, "draws": self.draws, "edit": self.edit,
            "schemes": [rates.summary for rates in self.rates],
        }  # fmt: skip


def run_edits(
    source: AnySource,
    config: DedupConfig,
    *,
    articles: int = 1565,
    edited: int = 1162,
    edit: EditForm = "runs",
    draws: int = 3,
    least_characters: int = LEAST_CHARACTERS,
    rivals: bool = False,
    progress: Progress | None = None,
    warn: Warn = warn_program,
) -> EditTrial:
    """Edit copies of texts, and measure how many of them each scheme finds, and how many other texts."""
    # The experiments are those of Zhang Hang et al., Computer Engineering and Applications 56(11), 2020, section 3: the
    # share of edited copies that is found within 1 to 10 bits; the same by the share of words that is edited;
    # precision, recall and F1 of one edited copy searched among all texts.
    _check(articles, edited, edit, draws, least_characters)
    config.check_undirected("evaluate")
    whole = replace(config, scheme="chars128", similarity=None, max_distance=None, measure="cosine")
    seed = Random(config.seed)  # noqa: S311 - it draws a sample, no secret
    originals = originals_of(source, whole, articles, seed, progress, warn, least_characters)
    texts = originals.texts
    if len(texts) < _LEAST:
        raise ConfigError(
            "of {read:,} documents {count:,} have at least {least_characters:,} characters and are no copies of one "
            "another, and the experiments need at least {least}: give more documents, or a lower {@min_characters}",
            read=originals.read, count=len(texts), least_characters=least_characters, least=_LEAST,
        )  # fmt: skip
    matchers = [matcher_of(criterion, texts, config) for criterion in config.criteria]
    if rivals:
        matchers += rivals_of(texts, config)
    segmenter = Segmenter()
    words = [_words(segmenter.cut(text)) for text in texts]
    count = min(edited, len(texts))
    totals: dict[tuple[int, float | None], list[PairScore]] = {}
    f1: list[list[float]] = [[] for _ in matchers]
    steps = draws * (len(SHARES) + 1) * len(matchers)
    done = 0
    for number in range(draws):
        draw = Random(f"{config.seed} {number}")  # noqa: S311 - it draws edits, no secret
        chosen = sorted(draw.sample(range(len(texts)), count))
        for share in (*SHARES, None):
            copies = [_copy(words[at], share, edit, draw, words) for at in chosen]
            for place, matcher in enumerate(matchers):
                if progress is not None:
                    progress("measure", done, steps)
                done += 1
                copy, original, nearness = matcher.near(copies)
                right = np.array(chosen)[copy] == original
                rows = sweep(nearness, right, count, matcher.thresholds, by_distance=matcher.by_distance)
                known = totals.get((place, share))
                totals[place, share] = rows if known is None else _added(known, rows)
                if share is None:
                    f1[place].append(next(row.f1 for row in rows if row.threshold == matcher.bound))
    found = [
        EditRates(
            matcher.name, matcher.bound, matcher.by_distance, {share: totals[place, share] for share in SHARES},
            totals[place, None], (min(f1[place]), max(f1[place])),
        )
        for place, matcher in enumerate(matchers)
    ]  # fmt: skip
    return EditTrial(originals, count, draws, edit, found)


def _check(articles: int, edited: int, edit: str, draws: int, least_characters: int) -> None:
    for name, value, least, most in (
        ("articles", articles, _LEAST, MOST_ARTICLES), ("edited", edited, 1, MOST_ARTICLES), ("draws", draws, 1, 100),
        ("min_characters", least_characters, 0, 10**9),
    ):  # fmt: skip
        if not least <= value <= most:
            raise ConfigError(
                "{name} {value} is not allowed: give a whole number from {least:,} to {most:,}",
                name=Setting(name), value=value, least=least, most=most,
            )  # fmt: skip
    if edit not in get_args(EditForm):
        raise ConfigError(
            "edit {edit!r} is not known: allowed are {get_args}", edit=edit, get_args=", ".join(get_args(EditForm))
        )


def _words(tokens: Sequence[str]) -> list[str]:
    """Words with the white space after them: an edit of white space alone would be none."""
    words: list[str] = []
    for token in tokens:
        if words and token.isspace():
            words[-1] += token
        else:
            words.append(token)
    return words


def _copy(words: Sequence[str], share: float | None, edit: EditForm, draw: Random, all_words: list[list[str]]) -> str:
    """An edited copy; a share is the most that is edited, None edits the share of the search."""
    part = SEARCH_SHARE if share is None else draw.uniform(0, share)
    longest = LONGEST_RUN if edit == "runs" else 1
    return edited_words(words, part, longest, draw, all_words[draw.randrange(len(all_words))])


def _added(one: Sequence[PairScore], other: Sequence[PairScore]) -> list[PairScore]:
    return [
        PairScore(a.threshold, a.found + b.found, a.right + b.right, a.gold + b.gold)
        for a, b in zip(one, other, strict=True)
    ]
