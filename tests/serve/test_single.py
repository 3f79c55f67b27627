"""Texts that are done together have the answers that they would have alone."""

import asyncio
import tempfile
from pathlib import Path
from typing import Any, cast

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from simsieve.serve.bodies import Row
from simsieve.serve.served import ServedIndex
from simsieve.serve.single import Writer, decided

BASE = "the quick brown fox jumps over the lazy dog by the river bank"
TEXTS = (
    BASE, BASE.upper(), BASE + " now", BASE.replace("jumps", "jumped"), BASE.replace("jumps", "jumped").upper(),
    BASE.replace("lazy", "sleepy"), "lorem ipsum dolor sit amet consectetur", "lorem ipsum dolor sit amet consectetur!",
    "Lorem ipsum dolor sit amet consectetur", "lorem ipsum dolor sit amet, consectetuer", "", "10² and no more of it",
    "102 and no more of it",
)  # fmt: skip
ASKED = st.lists(st.tuples(st.sampled_from(TEXTS), st.sampled_from([None, "a", "b", 1, 2, "c"])), max_size=8)


def index_of(known: list[str]) -> ServedIndex:
    """An index that has these texts, where they are new."""
    index = ServedIndex.create(Path(tempfile.mkdtemp()) / "seen")
    for at, text in enumerate(known):
        index.add_texts([text], [f"known {at}"])
    return index


def plain(decision: Any, id: Any) -> Any:
    """A decision of a text alone, with its id."""
    of = decision.representative == id and decision.reason == "exact" and id is not None
    if of:
        return Row(0, id, "kept", None, None, None, None, None, "unique")
    return replace(decision, id=id)


@given(st.lists(st.sampled_from(TEXTS), max_size=3), ASKED)
def test_questions_together_are_questions_alone(known: list[str], asked: list[tuple[str, Any]]) -> None:
    """A group of questions has the decision of each text alone."""
    with index_of(known) as index:
        alone = [replace(cast(Any, index.check_texts([text])[0]), id=label) for text, label in asked]
        assert decided(index, asked) == alone


@given(st.lists(st.sampled_from(TEXTS), max_size=3), ASKED)
def test_additions_together_are_additions_one_after_another(known: list[str], asked: list[tuple[str, Any]]) -> None:
    """Additions that share a commit have the decisions and counts of additions one by one, and leave the same index."""

    async def together(index: ServedIndex) -> list[Any]:
        writer = Writer(index, lambda *_: None)
        waiting = [writer.add(text, label, "replace") for text, label in asked]
        answers = await asyncio.gather(*waiting)
        writer.close()
        return answers

    with index_of(known) as one, index_of(known) as other:
        got = asyncio.run(together(one))
        wanted = [other.add_texts([text], [label]) for text, label in asked]

        assert [batch.decisions for batch in got] == [
            [plain(batch.decisions[0], label)] for batch, (_, label) in zip(wanted, asked, strict=True)
        ]
        assert [(b.kept, b.dropped, b.known, b.replaced, b.orphans) for b in got] == [
            (b.kept, b.dropped, b.known, b.replaced, b.orphans) for b in wanted
        ]
        assert list(one) == list(other) and one.stats()["changes"] <= other.stats()["changes"]
