"""The edits of elements between two pages against the plain recurrence, and in `explain` and `compare`."""

import json
from functools import cache
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from simsieve import explain
from simsieve.cli import main
from simsieve.text.edit import MOST_CELLS, tree_distance, tree_of, tree_similarity
from simsieve.text.html import outline

# A tree as its name and its children.
trees: Any = st.recursive(
    st.tuples(st.sampled_from("ab"), st.just(())),
    lambda inner: st.tuples(st.sampled_from("abc"), st.lists(inner, max_size=4).map(tuple)),
    max_leaves=7,
)
CHAIN: Any = ("a", (("b", (("a", (("b", ()),)),)),))
COMB: Any = ("a", (("b", ()), ("a", (("b", ()), ("a", (("b", ()), ("c", ())))))))


def elements(tree: Any, depth: int = 1) -> list[tuple[str, int]]:
    """The names in document order, with their depths."""
    name, children = tree
    return [(name, depth), *(row for child in children for row in elements(child, depth + 1))]


@cache
def size(forest: Any) -> int:
    """The elements of a forest."""
    return sum(1 + size(children) for _, children in forest)


@cache
def edits(a: Any, b: Any) -> int:
    """The least number of elements of two forests to insert, delete or rename, by the recurrence that defines it."""
    if not a or not b:
        return size(a) + size(b)
    (one, of_one), (other, of_other) = a[-1], b[-1]
    least: int = min(
        edits(a[:-1] + of_one, b) + 1,
        edits(a, b[:-1] + of_other) + 1,
        edits(of_one, of_other) + edits(a[:-1], b[:-1]) + (one != other),
    )
    return least


@given(trees, trees)
@example(CHAIN, COMB)
@example(COMB, ("c", ()))
def test_edits_are_the_least(a: Any, b: Any) -> None:
    """The distance is that of the recurrence, and the same in both directions."""
    one, other = tree_of(elements(a)), tree_of(elements(b))

    assert tree_distance(one, other) == tree_distance(other, one) == edits((a,), (b,))


def test_a_list_and_a_table_of_the_same_words_are_told_apart(tmp_path: Any, capfd: pytest.CaptureFixture[str]) -> None:
    """Pages have the share of the larger one's elements that need no edit; texts have none, and a note says why."""
    one, other = "<ul><li>one<li>two<li>three</ul>", "<table><tr><td>one<td>two<td>three</table>"
    found = explain(one, other, "dom64")
    distance = tree_distance(*(tree_of((row.tag, row.depth) for row in outline(page)) for page in (one, other)))
    larger = len(outline(other))

    # ul and three li get other names, and tbody and tr are put in.
    assert distance == 6
    assert found.tree_edit == pytest.approx(1 - distance / larger)
    assert explain(one, one.replace("two", "2"), "chars128:extract=text").tree_edit == 1
    of_texts = explain("a", "b")
    assert (of_texts.tree_edit, of_texts.tree_edit_note) == (None, "the scheme takes texts, not pages")
    for name, page in (("a.html", one), ("b.html", other)):
        (tmp_path / name).write_text(page, encoding="utf-8")
    files = [str(tmp_path / name) for name in ("a.html", "b.html")]
    assert main(["compare", *files, "--scheme", "dom64"]) == 0
    assert f"tree edit   {found.tree_edit:.4f}" in capfd.readouterr().out
    assert main(["compare", *files, "--extract", "text", "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["tree_edit"] == found.tree_edit


def test_pages_that_are_too_large_are_told() -> None:
    """A page without elements and a large one have an answer at once; two large ones have a note with their sizes."""
    large, other = "<p><b>" * 200 + "<p>" * 8_000, "<i>x</i>" * 9_000
    value, why = tree_similarity(large, other)

    assert value is None
    assert why.endswith("elements are too large, as deep as they are")
    assert tree_similarity(large, large) == (1.0, "")
    assert tree_similarity("", "") == (1.0, "")
    assert tree_of(()).columns == 0
    assert tree_distance(tree_of(()), tree_of([("a", 1), ("b", 2)])) == 2
    assert tree_of((row.tag, row.depth) for row in outline(other)).columns ** 2 > MOST_CELLS
