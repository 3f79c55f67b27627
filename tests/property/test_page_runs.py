"""Runs over pages, by their structure and by what is extracted of them, against the plain walk of the definitions."""

import random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.property import twin
from tests.property.plain import said, walked
from tests.property.test_structure import Tree, elements, print_of, trees, weights, written

from simsieve import ConfigError, Fingerprinter, dedup, find_pairs, fingerprint, similarity
from simsieve.config.typed import Extract
from simsieve.text.html import dom_fingerprint, extract_main, extract_text

RULES = {
    "dom64": (1, False, "sum", 0.45, "fnv1"),
    "dom128:levels=2,classes=keep,weight=nearest,decay=0.5,hash=xxh3": (2, True, "nearest", 0.5, "xxh3"),
    "dom128:levels=0,weight=once": (0, False, "once", 0.45, "fnv1"),
    "dom256:decay=0.25,hash=xxh3": (1, False, "sum", 0.25, "xxh3"),
}

pages = st.one_of(
    st.sampled_from(["", "words alone", "<!-- nothing -->"]),
    trees.map(lambda tree: f"<html><head></head><body>{written(tree)}</body></html>"),
)
specs = st.sampled_from(sorted(RULES))


def features_of(tree: Tree | None, spec: str) -> dict[str, int]:
    """The features of a page that is written of a tree, by the definition; of no tree, none."""
    if tree is None:
        return {}
    levels, classes, weight, decay, _ = RULES[spec]
    paths = [("html",), ("html", "head"), ("html", "body"), *elements(tree, ("html", "body"), classes=classes)]
    return weights(paths, levels, weight, decay)


some_trees = st.lists(st.one_of(st.none(), trees), max_size=12)


def page(tree: Tree | None) -> str:
    """A page of a tree; of none, one without elements."""
    return "words alone" if tree is None else f"<html><head></head><body>{written(tree)}</body></html>"


@given(some_trees, specs, st.sampled_from([0, 3, 11]))
def test_a_run_by_distance_is_the_walk_over_the_definition(found: list[Tree | None], spec: str, bound: int) -> None:
    """What is kept is what the walk over the defined bits keeps; pages without elements are near to nothing."""
    width = int(spec.split(":", maxsplit=1)[0][3:])
    features = [features_of(tree, spec) for tree in found]
    values = [print_of(weighted, RULES[spec][4], width) or 0 for weighted in features]
    result = dedup(map(page, found), scheme=spec, max_distance=bound)

    def near(a: int, b: int) -> bool:
        return bool(features[a] and features[b]) and (values[a] ^ values[b]).bit_count() <= bound

    assert list(result.kept) == walked(len(found), near)
    assert {row.reason for row in result.decisions if not features[row.position]} <= {"no_features"}


@given(some_trees, specs, st.floats(0.1, 0.99))
def test_a_run_by_similarity_is_the_walk_over_the_definition(
    found: list[Tree | None], spec: str, threshold: float
) -> None:
    """What is kept is what the walk over the cosines of the defined weights keeps."""
    features = [features_of(tree, spec) for tree in found]
    cosines = [[twin.cosine(a, b) for b in features] for a in features]
    # The core's sums of many elements may differ from exact ones by a step of 2^-20.
    assume(all(abs(value - threshold) > 1e-4 for row in cosines for value in row))
    result = dedup(map(page, found), scheme=spec, similarity=threshold)

    assert list(result.kept) == walked(len(found), lambda a, b: cosines[a][b] >= threshold)
    for a, b in ((0, 1), (1, 2)):
        if b < len(found):
            assert similarity(page(found[a]), page(found[b]), spec) == pytest.approx(cosines[a][b], abs=1e-4)


@given(st.lists(pages, max_size=8), specs)
def test_a_scheme_has_the_bits_and_the_digest_of_the_function(found: list[str], spec: str) -> None:
    """`dom_fingerprint` and the scheme of the same options are one."""
    levels, classes, weight, decay, hash_name = RULES[spec]
    prints = Fingerprinter(spec).transform(found)
    options = {"levels": levels, "classes": classes, "weight": weight, "decay": decay, "hash": hash_name}

    for html, made in zip(found, prints, strict=True):
        wanted = dom_fingerprint(html, width=prints.width, **options)  # type: ignore[arg-type]
        assert (wanted and wanted.hex) == (made and made.hex)
        assert wanted is None or wanted.digest == prints.digest


@given(st.lists(st.tuples(pages, st.text("ab cd", max_size=12)), max_size=8), st.sampled_from(["text", "main"]))
def test_a_run_on_what_is_extracted_is_the_run_on_the_texts(found: list[tuple[str, str]], extract: Extract) -> None:
    """Fingerprints, pairs and decisions are those of the extracted texts under the plain scheme."""
    made = [f"<p>{words}</p>{html}" for html, words in found]
    texts = [(extract_text if extract == "text" else extract_main)(html) for html in made]
    spec = f"chars64:n=2,extract={extract}"

    assert said(dedup(made, scheme=spec).decisions) == said(dedup(texts, scheme="chars64:n=2").decisions)
    assert [(it.a_position, it.b_position) for it in find_pairs(made, scheme="chars64:n=2", extract=extract)] == [
        (it.a_position, it.b_position) for it in find_pairs(texts, scheme="chars64:n=2")
    ]
    for html, text in zip(made, texts, strict=True):
        one, other = fingerprint(html, spec), fingerprint(text, "chars64:n=2")
        assert (one and one.hex) == (other and other.hex)
        assert one is None or other is None or one.digest != other.digest


def test_templates_are_found_among_many_pages() -> None:
    """Beyond 8,191 documents, where bands or tables are looked at, the pages of one template still come together."""
    draw = random.Random(7)
    tags = ("div", "section", "span", "article", "h2", "ul", "li", "em")

    def template(number: int) -> list[str]:
        return [f'<{draw.choice(tags)} class="c{number} k{draw.randrange(30)}">' for _ in range(30)]

    templates = [template(number) for number in range(40)]

    def filled(number: int) -> str:
        words = (f"{mark}{draw.getrandbits(40)}" for mark in templates[number % 40])
        return f"<html><head></head><body>{''.join(words)}</body></html>"

    many = [filled(number) for number in range(8_400)]
    spec = "dom128:levels=2,classes=keep,weight=nearest,decay=0.9,hash=xxh3"
    for bound in ({"similarity": 0.8}, {"max_distance": 5}):
        result = dedup(many, scheme=spec, **bound)
        assert "every pair" not in result.recipe["source"] and list(result.kept) == list(range(40))
        assert {row.position % 40 == row.representative_position for row in result.decisions} == {True}


def test_what_is_extracted_is_said_once() -> None:
    """A scheme that says what is extracted takes no setting besides, and a scheme on structure takes none at all."""
    with pytest.raises(ConfigError, match="says already what is extracted"):
        dedup([""], scheme="chars64:extract=text", extract="main")
    with pytest.raises(ConfigError, match="its features are the page's elements"):
        dedup([""], scheme="dom64", extract="main")
    with pytest.raises(ConfigError, match="allowed are none, text, main"):
        dedup([""], extract="body")  # type: ignore[arg-type]
