"""Block, differing fields and verdicts: decisions and pairs are those of a plain loop over all pairs of records."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simsieve import dedup, find_pairs, similarity

# Verdicts are drawn on records that the fields keep apart; a warning says so.
pytestmark = pytest.mark.filterwarnings("ignore:.*they stay apart")

NEAR = 0.5
TEXTS = st.sampled_from([
    "the quick brown fox jumps over the lazy dog",
    "the quick brown fox jumped over the lazy dog",
    "The quick brown fox jumps over the lazy dog",
    "a slow green turtle walks under the busy bridge",
    "a slow green turtle walked under the busy bridges",
    "题目：下列说法正确的是哪一项",
    "题目：下列说法错误的是哪一项",
    "!!!",
])  # fmt: skip
WORDS = st.sampled_from(["same", "different", "keep a", "keep b"])


@st.composite
def collections(draw: st.DrawFn) -> tuple[list[dict[str, Any]], list[tuple[str, str, str]]]:
    """Give records with ids, and at most one verdict a pair; what they keep goes round in no circle."""
    values = st.sampled_from(["A", "B", None])
    texts = draw(st.lists(TEXTS, min_size=2, max_size=9))
    rows = [
        {"id": f"q{at}", "text": text, "answer": draw(values), "grade": draw(values)} for at, text in enumerate(texts)
    ]
    ahead = "keep a" if draw(st.booleans()) else "keep b"
    pairs = [(a, b) for a in range(len(rows)) for b in range(a + 1, len(rows))]
    verdicts = []
    for a, b in draw(st.lists(st.sampled_from(pairs), max_size=6, unique=True)):
        word = draw(WORDS)
        one, other = (a, b) if draw(st.booleans()) else (b, a)
        if word.startswith("keep"):
            # Always the record in front, or always the one behind.
            word = ahead if one < other else {"keep a": "keep b", "keep b": "keep a"}[ahead]
        verdicts.append((f"q{one}", f"q{other}", word))
    return rows, verdicts


class Plain:
    """The relation in a few lines, over positions."""

    def __init__(self, rows: list[dict[str, Any]], verdicts: list[tuple[str, str, str]], equal: Sequence[str]) -> None:
        """Take the records and the rules."""
        self.rows, self.equal = rows, equal
        self.said = {(int(a[1:]), int(b[1:])): word for a, b, word in verdicts}
        self.said |= {
            (b, a): {"keep a": "keep b", "keep b": "keep a"}.get(word, word) for (a, b), word in self.said.items()
        }

    def near(self, a: int, b: int) -> bool:
        """Whether two records are near."""
        one, other, word = self.rows[a], self.rows[b], self.said.get((a, b))
        if any(one[name] != other[name] for name in self.equal) or word == "different":
            return False
        found = similarity(one["text"], other["text"])
        return word is not None or (found is not None and found >= NEAR)

    def kept(self) -> list[int]:
        """Walk in an order in which what is kept precedes, and keep what is near no kept one."""
        order: list[int] = []

        def place(at: int) -> None:
            if at not in order:
                for other in range(len(self.rows)):
                    if self.said.get((other, at)) == "keep a":
                        place(other)
                order.append(at)

        kept: list[int] = []
        for at in range(len(self.rows)):
            place(at)
        for at in order:
            if not any(self.near(at, other) for other in kept):
                kept.append(at)
        return sorted(kept)


@given(collections(), st.sampled_from([(), ("answer",), ("answer", "grade")]), st.booleans())
def test_rules_decide_as_a_plain_loop_does(
    given_rows: tuple[list[dict[str, Any]], list[tuple[str, str, str]]], equal: tuple[str, ...], block: bool
) -> None:
    """Kept sets, representatives, pairs, the books and a second decision are those of the relation."""
    rows, verdicts = given_rows
    plain = Plain(rows, verdicts, equal)
    rules: dict[str, Any] = {"verdicts": verdicts, "similarity": NEAR}
    if equal:
        rules |= {"block_by": equal[:1], "differ": equal[1:]} if block else {"differ": equal}
    result = dedup(rows, **rules)

    assert result.kept.tolist() == plain.kept()
    assert result.counts.balanced
    for decision in result.decisions:
        if decision.decision == "dropped":
            assert decision.representative_position in plain.kept()
            assert plain.near(decision.position, decision.representative_position)
    assert result.rethreshold(similarity=NEAR).kept.tolist() == plain.kept()
    told = result.summary["verdicts"]
    assert told["same"] + told["different"] + told["keep"] == len(verdicts)

    found = {(pair.a_position, pair.b_position) for pair in find_pairs(rows, **rules)}
    assert found == {(a, b) for b in range(len(rows)) for a in range(b) if plain.near(a, b)}
