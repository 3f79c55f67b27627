"""Laws of repeated lines: the books, near lines, and the rest of the records."""

import json
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from simsieve import dedup, lines

LINE = st.text(st.sampled_from('灯塔aB ,。"\\😀é\t²2'), max_size=4)
TEXTS = st.lists(st.lists(LINE, max_size=6).map("\n".join), min_size=1, max_size=8)


@given(texts=TEXTS)
def test_books_balance(texts: list[str]) -> None:
    """Units that go are the repeated ones less the first of each; characters that go are those of all scopes."""
    records = [{"text": text, "site": at % 2} for at, text in enumerate(texts)]
    for scope in ("corpus", "site"):
        result = lines(records, min_length=1, scope=scope)
        summary = result.summary
        assert summary["removed_units"] == sum(one.count for one in result.repeated) - summary["repeated"]
        assert sum(one.removed for one in result.scopes) == summary["removed_characters"]
        assert sum(one.documents for one in result.scopes) == len(texts)
        assert sum(map(len, texts)) - sum(map(len, result.texts())) == summary["removed_characters"]


WORDS = st.lists(st.sampled_from("the red lamp harbour tide keeper paints every second year".split()), min_size=3)


@settings(max_examples=15)
@given(st.lists(WORDS.map(" ".join), min_size=2, max_size=12))
def test_near_lines_are_those_that_dedup_drops(written: list[str]) -> None:
    """A line that goes is one that `dedup` of all different lines drops, or a copy of one that was there before."""
    different = list(dict.fromkeys(line for line in written if len(line) >= 10))
    result = lines(written, near=0.8)
    if different:
        decided = dedup(different, similarity=0.8)
        kept = {different[at] for at in decided.kept.tolist()}
        firsts = {line: written.index(line) for line in kept}
        expected = [line if len(line) < 10 or firsts.get(line) == at else "" for at, line in enumerate(written)]
        assert [result.text(at) for at in range(len(written))] == expected


def test_the_rest_of_records_stays(tmp_path: Path) -> None:
    """A record is what it was but for what goes, in every format of lines."""
    head = '{"n": 1.50, "text": "Read the whole notice\\n\\u4e00", "z": [ ]}'
    (tmp_path / "in.jsonl").write_text(f'{head}\n{{"text": "two\\nRead the whole notice"}}\n', encoding="utf-8")
    lines(tmp_path / "in.jsonl", output=tmp_path / "out.jsonl")
    first, second = (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()

    assert first == head
    assert json.loads(second) == {"text": "two"}
