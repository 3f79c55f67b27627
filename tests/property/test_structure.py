"""Features and fingerprints of page structure against their definition, on pages written from known trees."""

import re
from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.property import own_twin, twin
from tests.strategies import widths

from simsieve import TextError
from simsieve.text.html import decode, dom_features, dom_fingerprint, extract_text, outline

# Tags that may stand in each other in any way without a parser's help, and class names.
TAGS = ("div", "section", "span", "ins", "x-own")
Tree = tuple[str, tuple[str, ...], list["Tree"]]

_leaves: st.SearchStrategy[Tree] = st.tuples(
    st.sampled_from(TAGS), st.lists(st.sampled_from("abc"), max_size=3).map(tuple), st.just([])
)
trees: st.SearchStrategy[Tree] = st.recursive(
    _leaves,
    lambda inside: st.tuples(
        st.sampled_from(TAGS), st.lists(st.sampled_from("abc"), max_size=3).map(tuple), st.lists(inside, max_size=5)
    ),
    max_leaves=40,
)


def written(tree: Tree) -> str:
    """A tree as markup, every tag closed."""
    tag, classes, children = tree
    attribute = f' class="{" ".join(classes)}"' if classes else ""
    return f"<{tag}{attribute}>x{''.join(map(written, children))}</{tag}>"


def elements(tree: Tree, above: tuple[str, ...], *, classes: bool) -> Iterator[tuple[str, ...]]:
    """The path of every element, its own label last."""
    tag, names, children = tree
    label = ".".join((tag, *sorted(set(names)))) if classes else tag
    yield (*above, label)
    for child in children:
        yield from elements(child, (*above, label), classes=classes)


def weights(paths: list[tuple[str, ...]], levels: int, weight: str, decay: float) -> dict[str, int]:
    """The weight of each feature by the definition: exact sums of powers made by repeated rounding, rounded once."""
    powers = [1.0]
    for _ in range(max(map(len, paths))):
        powers.append(powers[-1] * decay)
    depths = defaultdict(list)
    for path in paths:
        depths["/".join(path[-levels:])].append(len(path))
    if weight == "once":
        return dict.fromkeys(depths, 1)
    chosen = {text: [min(found)] if weight == "nearest" else found for text, found in depths.items()}
    made = {text: round(sum(Fraction(powers[depth]) for depth in found) * 2**20) for text, found in chosen.items()}
    return {text: value for text, value in made.items() if value > 0}


def print_of(features: dict[str, int], hash_name: str, width: int, least: int = 1) -> int | None:
    """The fingerprint by its definition."""
    hashed = own_twin.HASHES[hash_name]
    return twin.added_up([(hashed(text), weight) for text, weight in features.items()], width, least)


@given(
    trees, st.booleans(), st.integers(0, 4), st.sampled_from(["sum", "nearest", "once"]),
    st.sampled_from([0.1, 0.25, 0.45, 0.5, 0.9, 1.0]), st.sampled_from(["fnv1", "xxh3"]), widths,
)  # fmt: skip
def test_a_page_has_the_features_of_its_tree(
    tree: Tree, classes: bool, levels: int, weight: str, decay: float, hash_name: str, width: int
) -> None:
    """Features, weights, hashes and bits are those of the definition."""
    page = f"<html><head></head><body>{written(tree)}</body></html>"
    paths = [("html",), ("html", "head"), ("html", "body"), *elements(tree, ("html", "body"), classes=classes)]
    expected = weights(paths, levels, weight, decay)
    options = {"classes": classes, "levels": levels, "weight": weight, "decay": decay, "hash": hash_name}
    found = {feature.text: feature for feature in dom_features(page, **options)}  # type: ignore[arg-type]

    assert expected.keys() == found.keys()
    assert all(abs(expected[text] - found[text].weight) <= (weight == "sum") for text in expected)
    made = dom_fingerprint(page, width=width, **options)  # type: ignore[arg-type]
    assert made is not None
    assert print_of({text: feature.weight for text, feature in found.items()}, hash_name, width) == made.value


@given(st.lists(st.tuples(trees, st.text("ab <>&", max_size=5)), max_size=3))
def test_words_move_no_bit(pieces: list[tuple[Tree, str]]) -> None:
    """Text between elements changes the text alone."""
    bare = "".join(written(tree) for tree, _ in pieces)
    wordy = "".join(written(tree) + words.replace("&", "&amp;").replace("<", "&lt;") for tree, words in pieces)

    assert [it for it in outline(bare) if it.own] == [it for it in outline(wordy) if it.own]
    assert dom_fingerprint(bare) == dom_fingerprint(wordy)


@given(st.text("<>/!-ab =\"'&;#\0 \n", max_size=80), st.binary(max_size=60))
def test_any_soup_is_a_page(soup: str, raw: bytes) -> None:
    """No page and no bytes make it fail but by a TextError for bytes that are no text; the text has no wild space."""
    text = extract_text(soup)

    assert text == text.strip(" \n") and "  " not in text and "\n\n" not in text
    try:
        decode(raw)
    except TextError as error:
        with pytest.raises(TextError, match=re.escape(str(error))):
            extract_text(raw)
        return
    assert extract_text(raw) == extract_text(decode(raw)[0])
