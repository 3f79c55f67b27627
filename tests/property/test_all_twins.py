"""Every scheme against its plain twin: on own texts and pages, and on real ones where they are at hand."""

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.property import all_twins, twin
from tests.property.all_twins import PAGES, Twin, compared, folded_bits
from tests.strategies import weighted_hashes, widths
from tests.unit import segment_texts

from simsieve.schemes.scheme import schemes

# jieba leaves the files open that it reads.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")

RECORDS, CHARACTERS = 5, 3000
"""Records of each file, evenly spread, and characters of each text; `benches/experiments.py twins` takes all."""
TAGGED_RECORDS, TAGGED_CHARACTERS = 2, 300
"""The same for parts of speech: the tagger of jieba takes its time."""

FILES = [
    "en_sms", "en_tech_articles", "en_wikipedia", "html_crawled_cc", "html_doc_sites", "qbank", "zh_algorithm_wiki",
    "zh_docs_versions", "zh_law", "zh_manpages_hans_hant", "zh_poems_two_editions", "zh_tech_articles",
    "zh_tech_revisions", "zh_wikipedia_passages",
]  # fmt: skip

OWN_PAGES = [
    "", "words alone", "<p>a<p>b", "<html>", "<td>a", "<table><div class='b a b'>x</div><tr><td>y</table>",
    "<b><p>1</b>2</p><b><i><div>3</b>4</i>", "<a href=x>1<a href=y>2</a>", "<br><html class=late><head><body id=late>z",
    "<!doctype html><title>t</title><body class='\tone\r\ntwo '><svg><linearGradient/><foreignObject><p>x</svg>",
    "<ul><li>1<li>2<ul><li>3</ul><li>4</ul><select><option>a<option>b</select>",
    "<template><p>in</template><noscript><img></noscript><frameset>",
    "<html><frameset cols=2><frame src=a><frame src=b><noframes><p>none</noframes></frameset></html>",
    "<div>" * 300 + "deep", "<font><p>" * 40 + "<code>",
]  # fmt: skip

TWINS = all_twins.twins()


def is_tagged(one: Twin) -> bool:
    """Whether the twin asks jieba's tagger."""
    return "pos=" in one.name


def first_difference(one: Twin, texts: list[str]) -> str | None:
    """Which text has another fingerprint than the twin's, for the message."""
    for text, (value, expected) in zip(texts, compared(one, texts), strict=True):
        if value != expected:
            return f"{one.name}: {value}, and the twin has {expected}, of {text[:300]!r}"
    return None


@pytest.mark.parametrize("one", TWINS, ids=[one.name for one in TWINS])
def test_own_texts_have_the_twins_fingerprints(one: Twin) -> None:
    """Prose, oddities and broken pages of our own have the bits of the definition under every scheme."""
    own = [] if one.family in PAGES else list(segment_texts.lines())
    texts = [*OWN_PAGES, *own[:: 4 if is_tagged(one) else 1]]

    assert first_difference(one, texts) is None


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES)
def test_real_texts_have_the_twins_fingerprints(shared_data: Path, file: str) -> None:
    """Real texts and pages have the bits of the definition under every scheme."""
    with gzip.open(shared_data / f"{file}.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    rows = rows[:: -(-len(rows) // RECORDS)]
    texts = [row[field][:CHARACTERS] for field in ("text", "text_a", "text_b") for row in rows if row.get(field)]
    pages = [row["html"] for row in rows if row.get("html")]

    assert texts or pages
    assert bool(pages) == file.startswith("html")
    for one in TWINS:
        some = [text[:TAGGED_CHARACTERS] for text in texts[:TAGGED_RECORDS]] if is_tagged(one) else texts
        assert first_difference(one, [*texts, *pages] if one.family in PAGES else some) is None


def test_every_file_is_here(shared_data: Path) -> None:
    """No file of real texts is left out."""
    assert {path.name.removesuffix(".jsonl.gz") for path in shared_data.glob("*.jsonl.gz")} == set(FILES)


def test_every_scheme_is_here() -> None:
    """No built-in scheme is left out, but for its widths."""
    assert {row.name.rstrip("0123456789") for row in schemes()} <= {one.family for one in TWINS}


@given(weighted_hashes, widths)
@example([(0, 1), (2**64 - 1, 1)], 64)
@example([(7, 0)], 64)
def test_sums_of_all_twins_are_the_plain_ones(features: list[tuple[int, int]], width: int) -> None:
    """What adds up for the twins adds as the plainest does, at any width, and further words are mixed alike."""
    weights = [weight for _, weight in features]
    made = folded_bits((all_twins.wide([value for value, _ in features], width), weights), width, 1)

    assert made == (twin.fold(features, width) if any(weights) else None)


@given(st.sampled_from(TWINS))
def test_the_comparison_sees_a_difference(one: Twin) -> None:
    """A text that is not the one which the twin has seen is told."""
    text = "<p class=a>0123abc</p> The ferry leaves at seven\n渡船七点离开港口"
    other = Twin(one.family, one.name, one.scheme, one.width, lambda _: iter([([5], [1])]), one.least, one.given)

    assert first_difference(one, [text]) is None
    assert first_difference(other, [text]) is not None
