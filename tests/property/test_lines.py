"""Laws of repeated lines, against a count of a few lines."""

import json
from collections import Counter
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st

from simsieve import _core, dedup, lines

LINE = st.text(st.sampled_from('灯塔aB ,。"\\😀é\t²2'), max_size=4)
TEXTS = st.lists(st.lists(LINE, max_size=6).map("\n".join), min_size=1, max_size=8)


def key(line: str) -> str:
    """What must be equal in two lines: the text by which exact copies are known, numbers as they were written."""
    return f"{_core.normalise(line)} {[sign for sign in line if sign in '2²']}"


def plain(texts: list[str], least: int, keep: int) -> list[str]:
    """The texts without repeated lines, from a count of all."""
    counts = Counter(key(line) for text in texts for line in text.split("\n"))
    seen = Counter[str]()

    def stays(line: str) -> bool:
        one = key(line)
        seen[one] += 1
        return len(_core.normalise(line)) < least or counts[one] < 2 or seen[one] <= keep

    return ["\n".join(filter(stays, text.split("\n"))) for text in texts]


@example(["2²\n²2"], 1, 0, 1)
@given(TEXTS, st.integers(1, 3), st.integers(0, 2), st.integers(1, 3))
def test_texts_are_those_of_a_plain_count(texts: list[str], least: int, keep: int, threads: int) -> None:
    """Whatever the threads, all but the first of each repeated line go, and nothing else."""
    result = lines(texts, min_length=least, keep_repeats=keep, threads=threads)

    assert result.texts() == plain(texts, least, keep)
    for at, text in enumerate(texts):
        left = "".join(
            sign for place, sign in enumerate(text) if not any(start <= place < end for start, end in result.spans(at))
        )
        assert left == result.text(at)
        assert len(text) - len(left) == result.removed[at]


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
