"""Runs that ignore templates, against runs on texts without them."""

import itertools
import json
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.property.plain import said

from simsieve import CustomScheme, Scheme, dedup, explain, find_pairs, similarity, templates

pytestmark = pytest.mark.filterwarnings("ignore:0 of .* texts have a template")

PARTS = ("阅读下面的短文从四个选项中选出最佳答案", "choose the one answer that fits best")
OTHER = "港口的老灯塔每隔两年都要重新刷漆一次"
own = st.text("甲乙丙丁戊xyz ，", max_size=14)
texts = st.lists(st.lists(st.one_of(own, st.sampled_from(PARTS)), max_size=4).map("，".join), max_size=7)
specs = st.sampled_from(["chars64:n=2", "chars128:punctuation=keep", "words64", "simhash64", "keywords64", "mfonda64"])


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """A file of the templates that texts have, and one that no text has."""
    folder = tmp_path_factory.mktemp("templates")
    for name, parts in (("parts", PARTS), ("other", (OTHER,))):
        lines = (json.dumps({"simsieve_template": 1, "text": part}) for part in parts)
        Path(folder, name).write_text("\n".join(lines))
    return str(folder / "parts"), str(folder / "other")


def without(text: str) -> str:
    """The definition."""
    for part in PARTS:
        text = text.replace(part, "\n")
    return text


@given(texts, specs)
def test_texts_are_compared_as_if_their_templates_were_line_breaks(
    files: tuple[str, str], found: list[str], spec: str
) -> None:
    """Features, similarities and near pairs are those of the texts without; exact copies are of the whole."""
    scheme, plain = Scheme(spec).cleaned(ignore=files[0]), Scheme(spec)
    rest = [without(text) for text in found]
    for text, other in zip(found, rest, strict=True):
        assert scheme.features(text) == plain.features(other)
    for a, b in itertools.pairwise(found):
        told = explain(a, b, scheme)
        assert told.similarity == similarity(without(a), without(b), plain) == similarity(a, b, scheme)
    near = find_pairs(found, scheme=scheme, similarity=0.6)
    expected = find_pairs(rest, scheme=spec, similarity=0.6)
    assert [(pair.a_position, pair.b_position, pair.similarity) for pair in near] == [
        (pair.a_position, pair.b_position, pair.similarity) for pair in expected
    ]
    run = dedup(found, scheme=spec, ignore=files[0], similarity=0.6)
    assert run.summary["digest"] == scheme.digest != plain.digest
    whole = dedup([text for text, other in zip(found, rest, strict=True) if plain.features(other)], scheme=spec)
    assert run.counts.exact == whole.counts.exact
    assert run.kept.tolist() == dedup(rest, scheme=spec, similarity=0.6).kept.tolist()


@given(texts, specs)
def test_a_template_that_no_text_has_changes_no_decision(files: tuple[str, str], found: list[str], spec: str) -> None:
    """Only the digest is another one."""
    run, plain = (dedup(found, scheme=spec, similarity=0.6, ignore=file) for file in (files[1], None))
    assert said(run.decisions) == said(plain.decisions)
    assert run.summary["digest"] != plain.summary["digest"]


@given(st.lists(own, max_size=6))
def test_a_custom_scheme_ignores_as_a_built_in_one(files: tuple[str, str], found: list[str]) -> None:
    """The key of a custom scheme does what that of a spec does."""
    custom, plain = CustomScheme("mine", ignore=files[0]), CustomScheme("mine")
    assert plain.cleaned(ignore=files[0]).digest == custom.digest != plain.digest
    for text in found:
        assert similarity(text + PARTS[1], f"{PARTS[0]} {text}", custom) == similarity(text, text, plain)


@given(
    st.sets(st.text("子丑寅卯辰巳午未申酉戌亥", min_size=12, max_size=20), min_size=5, max_size=9), st.integers(0, 3)
)
def test_what_unlike_documents_share_is_found_and_can_be_ignored(
    tmp_path_factory: pytest.TempPathFactory, owns: set[str], copies: int
) -> None:
    """A planted template is found whole, however many copies a document has, and its file makes the texts their own."""
    texts = [f"{text[:6]}。{OTHER}。{text[6:]}" for text in sorted(owns)]
    assume(dedup([f"{text[:6]}。{text[6:]}" for text in owns], similarity=0.3).counts.dropped == 0)
    result = templates(texts + texts[:1] * copies, min_length=15, min_count=len(texts))
    assert [(one.groups, one.documents) for one in result] == [(len(texts), len(texts) + copies)]
    assert OTHER in result.templates[0].text
    file = tmp_path_factory.mktemp("found") / "templates.jsonl"
    result.write(file)
    scheme = Scheme("chars64").cleaned(ignore=file)
    rest = result.templates[0].text
    assert [scheme.features(text) for text in texts] == [
        Scheme("chars64").features(text.replace(rest, "\n")) for text in texts
    ]
