"""Schemes of one's own on pages: by their elements against the plain definition, and by what is extracted of them."""

from collections import Counter
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st
from tests.property import own_twin, twin
from tests.property.own_twin import by_length
from tests.property.plain import said, walked
from tests.property.test_page_runs import page, pages, some_trees
from tests.property.test_structure import Tree, elements, print_of, trees, weights

import simsieve
from simsieve import CustomScheme
from simsieve.text.html import extract_main, extract_text

HASHES = {"fnv1": 200, "fnv1a": 200, "md5": 128, "sha1": 160, "xxh3": 64}
TABLE = {"div": 2.5, "html/body": 0.25, "span.a": 1.5}


@st.composite
def element_schemes(draw: st.DrawFn) -> dict[str, Any]:
    """Parts of a scheme on elements that go together."""
    weigh = draw(st.sampled_from(["sum", "nearest", "once", "tf", by_length, TABLE]))
    hashing = draw(st.sampled_from(sorted(HASHES)))
    parts = {
        "features": "dom", "levels": draw(st.integers(0, 3)), "classes": draw(st.booleans()), "weights": weigh,
        "stop": draw(st.sampled_from([[], ["html", "div", "html/body"]])), "hash": hashing,
        "width": draw(st.integers(1, HASHES[hashing])), "other": 1.25, "sign": draw(st.sampled_from(["> 0", ">= 0"])),
    }  # fmt: skip
    if weigh in ("sum", "nearest"):
        parts["decay"] = draw(st.sampled_from([0.25, 0.45, 1.0]))
    return parts


def weighed(tree: Tree | None, parts: dict[str, Any]) -> dict[str, int]:
    """The features of a page that is written of a tree, with their whole weights; of no tree, none."""
    if tree is None:
        return {}
    inside = elements(tree, ("html", "body"), classes=parts["classes"])
    paths = [("html",), ("html", "head"), ("html", "body"), *inside]
    rule, levels = parts["weights"], parts["levels"]
    if rule in ("sum", "nearest"):
        made = weights(paths, levels, rule, parts["decay"])
    else:
        counts = Counter("/".join(path[-levels:]) for path in paths)
        twin = {**parts, "fraction_bits": 20}
        made = {path: own_twin.weight(path, count, twin) for path, count in counts.items()}
    return {path: weight for path, weight in made.items() if path not in parts["stop"]}


@given(element_schemes(), trees)
def test_elements_have_the_bits_of_the_definition(parts: dict[str, Any], tree: Tree) -> None:
    """Any parts give the bits of the definition; decays are powers whose sums are exact, or nearly."""
    assume(parts["weights"] != "sum" or parts["decay"] != 0.45)
    made = simsieve.fingerprint(page(tree), CustomScheme("tried", version="1", **parts))
    least = 0 if parts["sign"] == ">= 0" else 1
    wanted = print_of(weighed(tree, parts), parts["hash"], parts["width"], least)

    assert (None if made is None else int(made)) == wanted


@given(pages, st.integers(0, 3), st.booleans(), st.sampled_from(["sum", "nearest", "once"]))
def test_the_parts_of_a_built_in_scheme_give_its_bits(html: str, levels: int, classes: bool, weight: str) -> None:
    """With the same hash and width, a custom scheme is the built-in one, but for the digest."""
    own = {"features": "dom", "levels": levels, "classes": classes, "weights": weight}
    options = f"levels={levels},classes={'keep' if classes else 'drop'},weight={weight}"
    for spec, more in (
        (f"dom64:{options}", {"hash": "fnv1", "width": 64}),
        (f"dom256:{options},hash=xxh3", {"width": 256}),
    ):
        scheme = CustomScheme("same", **own, **more)  # type: ignore[arg-type]
        one, other = simsieve.fingerprint(html, scheme), simsieve.fingerprint(html, spec)
        assert (one and one.hex) == (other and other.hex)
        assert one is None or other is None or one.digest != other.digest
        again = html.replace("div", "p", 1)
        assert simsieve.similarity(html, again, scheme) == simsieve.similarity(html, again, spec)


@given(element_schemes(), some_trees, st.floats(0.1, 0.99))
def test_a_run_is_the_walk_over_the_definition(
    parts: dict[str, Any], found: list[Tree | None], threshold: float
) -> None:
    """What is kept is what the walk over the cosines of the defined weights keeps."""
    features = [weighed(tree, parts) for tree in found]
    cosines = [[twin.cosine(a, b) for b in features] for a in features]
    assume(all(abs(value - threshold) > 1e-4 for row in cosines for value in row))
    result = simsieve.dedup(map(page, found), scheme=CustomScheme("tried", version="1", **parts), similarity=threshold)

    assert list(result.kept) == walked(len(found), lambda a, b: cosines[a][b] >= threshold)


@given(
    st.lists(st.tuples(pages, st.text("ab cd", max_size=12)), max_size=6),
    st.sampled_from(["text", "main"]),
    st.sampled_from([{"features": "chars"}, {"features": str.split, "version": "1"}, {"normalise": ["casefold"]}]),
)
def test_what_is_extracted_is_what_the_scheme_sees(
    found: list[tuple[str, str]], extract: str, parts: dict[str, Any]
) -> None:
    """Fingerprints and decisions are those of the extracted texts under the same parts."""
    made = [f"<p>{words}</p>{html}" for html, words in found]
    texts = [(extract_text if extract == "text" else extract_main)(html) for html in made]
    plain, scheme = CustomScheme("mine", **parts), CustomScheme("mine", extract=extract, **parts)

    assert plain.digest != scheme.digest == CustomScheme("other", **parts).on_pages(extract).digest
    assert said(simsieve.dedup(made, scheme=scheme).decisions) == said(simsieve.dedup(texts, scheme=plain).decisions)
    for html, text in zip(made, texts, strict=True):
        one, other = simsieve.fingerprint(html, scheme), simsieve.fingerprint(text, plain)
        assert (one and one.hex) == (other and other.hex)


def test_models_count_elements() -> None:
    """`idf` is fitted on the elements of the pages, and a tag that all have weighs least."""
    found = ["<div><p>a</div>", "<div><ul>b</ul></div>", "<div><table></table></div>"]
    fitted = simsieve.Fingerprinter(CustomScheme("idf", features="dom", weights="idf")).fit(found)

    assert fitted.model is not None
    assert [fitted.model.document_frequency(tag) for tag in ("div", "p", "br")] == [3, 1, 0]
