"""What the page on a run shows beside duplicates: rejected candidates, templates, lone features."""

from pathlib import Path

import numpy as np
import pytest

import simsieve
from simsieve import SimsieveWarning, dedup
from simsieve.results import DedupResult

HEAD = "This letter is sent to every customer of the ferry company. Please read it all, and keep it with your ticket."


def words_of(draw: np.random.Generator, count: int) -> str:
    """Words of four letters."""
    return " ".join("".join(draw.choice(list("abcdefghijklmnopqrstuvwxyz"), 4)) for _ in range(count))


def letters(count: int = 12, own: int = 60) -> list[str]:
    """Texts with one beginning, each with an end of its own; they are not near."""
    draw = np.random.default_rng(7)
    return [f"{HEAD} {words_of(draw, own)}" for _ in range(count)]


def strangers(count: int = 40) -> list[str]:
    """Texts that share nothing but a phrase."""
    draw = np.random.default_rng(8)
    return [f"{words_of(draw, 60)} in the name of the company" for _ in range(count)]


def rejected_of(result: DedupResult) -> list[tuple[int, int, int, float]]:
    """The rejected candidates of a run."""
    _, columns = result.with_sources()
    return list(zip(*(column.tolist() for column in columns.rejected(0, 2)), strict=True))


def test_rejected_candidates_are_kept_pairs_below_the_threshold() -> None:
    """Each has its similarity and distance; where every pair is tested, all that are a little below it are there."""
    texts = [*letters(15, 3), *strangers(), letters()[0]]
    result = dedup(texts, similarity=0.9)
    found = rejected_of(result)
    kept = set(result.kept.tolist())
    prints = [simsieve.fingerprint(text) for text in texts]

    assert found
    for a, b, distance, similarity in found:
        assert {a, b} <= kept and similarity == simsieve.similarity(texts[b], texts[a]) < 0.9
        one, other = prints[a], prints[b]
        assert one is not None and other is not None and one.distance(other) == distance
    near = {(a, b) for a in kept for b in kept if a < b and 0.85 < simsieve.similarity(texts[a], texts[b]) < 0.9}
    assert near <= {(min(a, b), max(a, b)) for a, b, _, _ in found}


@pytest.mark.parametrize("given", [{"max_distance": 5}, {"scheme": ["chars128", "words64"]}, {"limit": 1}], ids=str)
def test_some_runs_have_no_rejected_candidates(given: dict[str, object]) -> None:
    """Under a distance bits decide as they are compared, and of several schemes no one says it alone."""
    assert rejected_of(dedup(letters(), **given)) == []  # type: ignore[arg-type]


def test_the_page_has_templates_and_rejected_candidates(tmp_path: Path) -> None:
    """The common part is shown once, with names; without texts the names and numbers alone."""
    result = dedup([{"id": f"letter-{at}", "text": text} for at, text in enumerate(letters(12, 20))])
    result.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text("utf-8")
    result.report(tmp_path / "bare.html", texts=False)
    bare = (tmp_path / "bare.html").read_text("utf-8")

    assert "Similarity of rejected candidates" in page and "Distance of rejected candidates, in bits" in page
    title = "12 of 12 documents share 86 letters"
    assert title in page and title in bare
    assert page.split(title)[1].count(HEAD[:-1]) == 1 and HEAD[:-1] not in bare


def test_a_feature_that_decides_alone_is_a_warning() -> None:
    """Documents of which one word has more than half of the weight are counted, and one is named."""
    texts = [{"id": f"d{at}", "text": "sale " * 40 + f"of number{at} ships on the sea today"} for at in range(5)]
    texts.append({"id": "plain", "text": "one two three four five"})
    with pytest.warns(
        SimsieveWarning, match=r"of 6 documents looked at, 5 have one feature .* such as 'd0' with 'sale'"
    ):
        dedup(texts, scheme="words64:weights=tf", max_distance=3)
    for scheme in ("words64", "words64:weights=log", "chars128"):
        dedup(texts, scheme=scheme, similarity=0.99)
