"""The visible text of pages, against the tree of another parser."""

import gzip
import json
import random
import re
from pathlib import Path

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from tests.property.broken_pages import BROKEN
from tests.property.page_twin import nodes
from tests.property.visible_twin import visible

from simsieve import fingerprint
from simsieve.text.html import extract_main, extract_text, outline

TAGS = (
    "p div b i a span li ul td tr table h1 title script style textarea date foo x-own svg select option button pre"
).split()
PIECES = st.one_of(
    st.sampled_from(TAGS).flatmap(
        lambda tag: st.sampled_from(
            [
                f"<{tag}>",
                f"</{tag}>",
                f'<{tag} class="d">',
                f"<{tag} a='b'c=d e>",
                f'<{tag} alt="a "b" c">',
                f"</{tag} x>",
            ]
        )
    ),
    st.sampled_from(["a", "b c", " ", "&lt;", "&copy 1", "1 < 2", "<!-- c -->", "\n", "<br/>", "<?x>", "中"]),
)
SOUPS = st.lists(PIECES, max_size=25).map("".join)


@given(SOUPS)
@example("<title>Ferry</title <b>It leaves at seven.</b>")
@example('<p>Wed, <date class="d">Nov 20</date>')
def test_a_page_shows_what_the_standard_says(soup: str) -> None:
    """No tag of a page is text, no text is lost, and lines and spaces are those of the rules."""
    page = f"<!doctype html><body>{soup}"
    found, expected = extract_text(page), visible(page)

    # White space behind a comment between the rows of a table goes before the table.
    assert found == expected or ("<table" in soup and "".join(found.split()) == "".join(expected.split()))


@pytest.mark.parametrize("page", BROKEN)
def test_broken_pages_have_the_elements_and_the_text_of_the_standard(page: str) -> None:
    """Two parsers that share no line with the core find the same elements, own or invented, and the same text."""
    whole = page if page.lower().startswith("<!doctype") else f"<!doctype html>{page}"

    assert [(it.depth, it.tag, it.own) for it in outline(page)] == [
        (len(node.tags), node.tags[-1], node.own) for node in nodes(page)
    ]
    assert extract_text(whole) == visible(whole)


@given(SOUPS)
def test_no_known_tag_of_a_part_of_a_page_is_text(soup: str) -> None:
    """A text that is no page shows no tag that is written as tags are; a text area has text alone."""
    assume("<textarea" not in soup)
    assert not re.search(r'<(date|foo|x-own) class="d">|<(p|div|li|table)>|</\w+>', extract_text(soup))


def test_real_pages_show_what_the_standard_says(shared_data: Path) -> None:
    """The visible text of crawled pages and of pages of documentation is that of the tree of another parser."""
    texts = []
    for name, count in (("html_crawled_cc", 37), ("html_doc_sites", 40)):
        with gzip.open(shared_data / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
            texts += random.Random(7).sample([json.loads(line)["html"] for line in lines], count)
    for page in texts:
        assert extract_text(page) == visible(page), page[:200]


@pytest.mark.parametrize("count", [500, pytest.param(2000, marks=pytest.mark.slow)])
def test_real_pages_that_are_damaged_are_pages(shared_data: Path, count: int) -> None:
    """Real pages, whole or cut and with bytes changed, are read to their end."""
    draw = random.Random(7)
    texts = []
    for name in ("html_crawled_cc", "html_doc_sites"):
        with gzip.open(shared_data / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
            texts += [json.loads(line)["html"] for line in lines]
    for number in range(count):
        page = texts[number % len(texts)]
        if number >= len(texts) or number % 3 == 0:
            signs = list(page[: draw.randrange(1, len(page))])
            for _ in range(20):
                signs[draw.randrange(len(signs))] = draw.choice("<>/'\"=& \0-!bt")
            page = "".join(signs)
        assert len(extract_main(page)) <= len(page) and outline(page)
        for scheme in ("chars64:extract=text", "chars64:extract=main", "dom64"):
            fingerprint(page, scheme)
