"""The plain twin of E-Simhash, a few lines a formula, from the paper and the options' descriptions alone.

Source: Zhang Hang et al., Computer Engineering and Applications 56(11), 2020, 246-251. A twin of `token_twin`, whose
tokens and hash it takes.
"""

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.property import token_twin, twin

USUAL = {
    "tokens": "words", "tf": "count", "cap": "90%", "over": "ceiling", "place": "character", "from": "1",
    "repeat": "each",
}  # fmt: skip
"""The options that `esimhash128` stands for."""


@dataclass
class Corpus:
    """What a model knows: documents, document frequencies, and the neighbours on both sides."""

    documents: int = 0
    having: Counter[str] = field(default_factory=Counter)
    left: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    right: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    known: dict[str, float] = field(default_factory=dict)

    def add(self, words: list[str]) -> None:
        """Count a document."""
        self.known.clear()
        self.documents += bool(words)
        self.having.update(set(words))
        for a, b in itertools.pairwise(words):
            self.right[a][b] += 1
            self.left[b][a] += 1

    def entropy(self, word: str) -> float:
        """Formula 9, of formulas 7 and 8."""
        if word not in self.known:
            self.known[word] = (entropy(self.left[word]) + entropy(self.right[word])) / 2
        return self.known[word]


def entropy(counts: Counter[str]) -> float:
    """Formula 6. The sum is exact: neighbours counted alike give one entropy, in whatever order they came."""
    shares = [n / counts.total() for n in counts.values()]
    return -math.fsum(share * math.log2(share) for share in shares)


def words_of(text: str, options: dict[str, str]) -> list[str]:
    """All tokens of the segmenter, or words only."""
    return token_twin.segments(text) if options["tokens"] == "all" else token_twin.words(text)


def ceiling(cap: str, weights: list[float]) -> float:
    """W_t of a text."""
    if cap == "none":
        return math.inf
    if cap.endswith("%"):
        return max(weights) * float(cap[:-1]) / 100
    if cap.startswith("p"):
        return sorted(weights)[max(math.ceil(float(cap[1:]) / 100 * len(weights)), 1) - 1]
    return float(cap)


def weights_of(words: list[str], corpus: Corpus, options: dict[str, str]) -> dict[str, int]:
    """Formulas 3 to 5, 10 and 16, in steps of 2^-20."""
    exact = {}
    for word, n in Counter(words).items():
        tf = n if options["tf"] == "count" else n / len(words)
        tf_idf = tf * math.log(corpus.documents / (corpus.having[word] + 1))
        exact[word] = math.sqrt((tf_idf**2 + corpus.entropy(word) ** 2) / 2)
    most = ceiling(options["cap"], list(exact.values())) if exact else 0.0
    under = [weight for weight in exact.values() if weight <= most * (1 + 1e-12)]
    instead = {"ceiling": most, "zero": 0.0, "mean": sum(under) / len(under) if under else most}[options["over"]]
    # Two weights that are equal by the formulas may differ in the last bits of a double.
    above = most * (1 + 1e-12)
    return {word: round((instead if weight > above else weight) * 2**20) for word, weight in exact.items()}


def places_of(words: list[str], weights: dict[str, int], kind: str) -> Iterator[tuple[str, int]]:
    """Each word of the text with its place."""
    ranks = {word: at for at, word in enumerate(weights)}
    heavy = {word: at for at, word in enumerate(sorted(weights, key=lambda word: -weights[word]))}
    characters = 0
    for at, word in enumerate(words):
        yield word, {"word": at, "rank": ranks[word], "character": characters, "weight": heavy[word]}[kind]
        characters += len(word)


def rows(text: str, corpus: Corpus, options: dict[str, str]) -> list[tuple[int, int]]:
    """What is added up: hashes with places, and weights."""
    words = words_of(text, options)
    weights = weights_of(words, corpus, options)
    if options["place"] == "none":
        each = Counter(words) if options["repeat"] == "each" else Counter(set(words))
        return [(token_twin.md5(word), weights[word] * n) for word, n in each.items()]
    placed = list(places_of(words, weights, options["place"]))
    if options["repeat"] != "each":
        order = placed if options["repeat"] == "last" else placed[::-1]
        placed = list(dict(order).items())
    first = int(options["from"])
    return [(token_twin.md5(word) ^ (place + first), weights[word]) for word, place in placed]


def fingerprint(text: str, corpus: Corpus, options: dict[str, str], width: int) -> int | None:
    """The fingerprint; None where no word weighs."""
    return twin.added_up(rows(text, corpus, options), width)
