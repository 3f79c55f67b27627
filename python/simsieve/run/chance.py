"""A warning where texts are near by chance: short windows of long texts, or of few letters, occur in any other text.

Near texts share long runs. Two texts that share windows of six letters and hardly any of twenty-four are near because
there are few different windows, not because one was made from the other. This is told from both texts alone.
"""

from simsieve import _core
from simsieve.config.settings import DedupConfig
from simsieve.messages import Message
from simsieve.results.texts import Texts
from simsieve.run.forecast import Warn
from simsieve.schemes.scheme import options_of

_LARGEST, _DRAWN = 20, 20
"""Pairs that are looked at: those whose smaller text is largest, and some that are drawn."""
_MOST_FEATURES = 1 << 25
"""Features of both texts of all pairs that are looked at, at most: some seconds."""
_LETTERS, _HAN = (8, 10, 12, 16, 20, 24), (4, 5, 6, 8, 10, 12)
"""Characters of the windows that are tried; the last ones tell chance from a copy."""
_BY_CHANCE, _APART = 0.05, 0.15
"""A pair is near by chance if its similarity by the longest windows is less; windows do that leave it at most this."""


def warn_of_chance(
    documents: _core.Documents,
    schemes: tuple[_core.Scheme, ...],
    columns: _core.Decisions,
    config: DedupConfig,
    warn: Warn,
) -> None:
    """Warn of near duplicates that are near by chance, with the first pair and the windows that would tell it apart."""
    family = schemes[0].spec.partition(":")[0]
    # Windows of characters alone count in units.
    if len(schemes) > 1 or "units" not in options_of(family) or config.effective_similarity is None:
        return
    texts, left = Texts(documents, schemes[0], len(columns)), _MOST_FEATURES
    looked, found = 0, list[tuple[int, int, int, int, int]]()
    for b, a, features in columns.some_near(_LARGEST, _DRAWN, config.seed):
        # A pair that is larger by itself is looked at where it comes first.
        if looked and features > left:
            continue
        left -= features
        one, other = texts.text(a), texts.text(b)
        looked += 1
        if enough := _enough(one, other, config.measure):
            found.append((a, b, len(one), len(other), enough))
    if not found:
        return
    a, b, size_a, size_b, _ = found[0]
    similarity = columns.row(b)["similarity"]
    enough = max(one[-1] for one in found)
    warn(Message(
        "of {looked:,} near duplicates looked at, {count:,} are near by chance, such as {name!r} ({size_b:,} "
        "characters) and {name_2!r} ({size_a:,} characters) at {similarity:.2f}: they share short windows and no "
        "long run; the scheme {family}:n={enough} would tell them apart",
        looked=looked, count=len(found), name=texts.name(b), size_b=size_b, name_2=texts.name(a), size_a=size_a,
        similarity=similarity, family=family, enough=enough,
    ))  # fmt: skip


def _enough(one: str, other: str, measure: str) -> int:
    """The characters of the shortest windows that tell two texts apart, if they are near by chance; else 0."""
    wide = sum(c > "⺀" for c in one[:1000]) > 500
    characters = _HAN if wide else _LETTERS

    def similarity(n: int) -> float:
        return _core.Scheme(f"chars64:n={n}").similarity(one, other, measure)

    if min(len(one), len(other)) < 8 * characters[-1] or similarity(characters[-1]) >= _BY_CHANCE:
        return 0
    return next((n for n in characters if similarity(n) <= _APART), 0)
