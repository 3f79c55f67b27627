"""The parts of a served review: the queue, the log of verdicts, and texts with marks."""

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simsieve import dedup
from simsieve.differences import clipped
from simsieve.errors import ConfigError, SinkError
from simsieve.results.near import NearDrops
from simsieve.review.cards import guards_that_differ, side_by_side
from simsieve.review.queue import ORDERS, Queue, Wanted
from simsieve.review.reviewing import Ending, Reviewing
from simsieve.review.verdicts import VerdictLog, sent_rows
from simsieve.screen import visible

DROPS = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 10), st.integers(-1, 9), st.integers(0, 3)), min_size=1, max_size=30
)
VERDICTS = ("same", "different", "skip", "undo")
LIMITS = st.none() | st.tuples(st.integers(0, 10), st.integers(0, 10))
TEXT = st.text(alphabet="ab 不12\0\u202e\u200b好。", max_size=40)
FOX = "the quick brown fox jumps over the lazy dog"
RECORDS = [{"id": end, "text": f"{FOX} {end}"} for end in ("ant", "bee", "cat", "dog", "elk")]


def near_of(rows: list[tuple[int, int, int, int]]) -> NearDrops:
    """Near duplicates of representatives 0 to 4, at positions from 5 on."""
    heads, similar, lost, bits = (np.array(column) for column in zip(*rows, strict=True))
    return NearDrops(
        np.arange(5, 5 + len(rows)), heads, bits.astype(np.int32), similar / 10, lost, (lost % 2).astype(np.int8)
    )


@given(rows=DROPS, order=st.sampled_from(ORDERS), similarity=LIMITS, lost=LIMITS)
def test_a_view_is_that_of_plain_lists(rows: list[Any], order: str, similarity: Any, lost: Any) -> None:
    """Groups, filters and orders are those of loops over rows; each item has its members, the least near first."""
    near = near_of(rows)
    queue = Queue(
        near, np.zeros(len(rows), dtype=np.int64), 0,
        {"similarity": lambda: near.similarity, "lost": lambda: near.lost.astype(np.float64)},
    )  # fmt: skip
    ranges: list[Any] = [("similarity", similarity[0] / 10, similarity[1] / 10)] if similarity else []
    ranges += [("lost", *map(float, lost))] if lost else []
    view = queue.view(Wanted(order, ranges=tuple(ranges)))

    groups: dict[int, list[int]] = {}
    for at, (head, similar, loses, _) in enumerate(rows):
        limits = ((similarity, similar), (lost, loses))
        if all(limit is None or limit[0] <= value <= limit[1] for limit, value in limits):
            groups.setdefault(head, []).append(at)
    for members in groups.values():
        members.sort(key=lambda at: rows[at][1])
    keys: dict[str, Any] = {
        "doubt": lambda members: 0, "size": lambda members: -len(members),
        "lost": lambda members: -max(rows[at][2] for at in members),
        "conflict": lambda members: -max(rows[at][2] % 2 for at in members),
    }  # fmt: skip
    assert {int(queue.heads[item]): queue.members(int(item), view).tolist() for item in view.items} == groups
    if order in keys:
        wanted = sorted(groups, key=lambda head: (keys[order](groups[head]), rows[groups[head][0]][1], head))
        assert [int(queue.heads[item]) for item in view.items] == wanted
    assert [view.rank_of(int(item)) for item in view.items] == list(range(len(view.items)))


@settings(max_examples=20)
@given(
    steps=st.lists(
        st.tuples(st.sampled_from(("anna", "bo")), st.integers(1, 4), st.sampled_from(VERDICTS)),
        max_size=15,
    )
)  # fmt: skip
def test_verdicts_in_force_are_those_of_a_list(steps: list[tuple[str, int, str]]) -> None:
    """Undo takes back a person's own last verdict alone, any number of times; another process reads the same."""
    result = dedup(RECORDS)
    model: list[tuple[str, int, str]] = []
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "log")
        reviewing = Reviewing(result, log, (), lambda _: result, log, Ending(str, str))
        other = Reviewing(result, log, (), lambda _: result, log, Ending(str, str))
        for person, position, verdict in steps:
            if verdict == "undo":
                own = [at for at, one in enumerate(model) if one[0] == person]
                said = reviewing.undo(Wanted(), person)
                assert said["is_undone"] == bool(own)
                if own:
                    assert said["position"] == model.pop(own[-1])[1]
            else:
                seen = reviewing.changes(0)["pairs"].get(str(position), {"number": 0})["number"]
                reviewing.judge(position, verdict, seen, person)
                model.append((person, position, verdict))
        wanted = {position: verdict for _, position, verdict in model}
        again = Reviewing(result, log, (), lambda _: result, log, Ending(str, str))
        for one in (reviewing, other, again):
            pairs = one.changes(0)["pairs"]
            assert {int(at): pair["verdict"] for at, pair in pairs.items() if pair["verdict"]} == wanted
            judged = [verdict for verdict in wanted.values() if verdict != "skip"]
            assert one.state()["judged"] == len(judged)


@given(a=TEXT, b=TEXT, lost=TEXT)
def test_the_spans_are_the_texts(a: str, b: str, lost: str) -> None:
    """Joined they are what is shown of the texts, no sign that cannot be seen is left, and no equal part differs."""
    sides = side_by_side(a, b, lost)
    parts = clipped(a, b, 8_000)
    for side, spans in enumerate(sides):
        joined = "".join(text for text, names in spans if "sign" not in names)
        shown = "".join((one, other)[side] for _, one, other in parts)
        assert joined == "".join(sign for sign in shown if visible(sign) == sign and sign != "\u200b")
        assert not any(sign in text for text, _ in spans for sign in "\0\u202e\u200b")
        differs = sum(len(text) for text, names in spans if "differs" in names and "sign" not in names)
        assert differs <= sum(len((one, other)[side]) for equal, one, other in parts if not equal)


def test_what_a_person_must_see_is_marked() -> None:
    """A lost run in any width, other numbers, a negation, and a long equal part, which is folded."""
    a = f"一个球从45米高处落下。{'好' * 300}完"
    b = f"一个球从８０米高处落下，不是吗？{'好' * 300}完"
    one, other = side_by_side(a, b, "80米高处落下不是")
    assert ("45", "differs number") in one
    assert ("８０", "differs lost number") in other and ("不", "differs lost negation") in other
    assert [len(text) for text, names in one if "folded" in names] == [302 - 121]
    assert side_by_side("r15 costs 2", "r15 costs 5", "5")[1][-1] == ("5", "differs lost number")
    assert guards_that_differ(a, b) == [("numbers", ["45m"], ["80m"]), ("negation", [], ["不"])]


def test_the_first_open_document_is_one_that_nobody_else_is_at(tmp_path: Path) -> None:
    """The next person is sent to another document, and to the same one where no other is left."""
    rows = [
        {"id": f"{group}{at}", "text": f"{f'{group} words of family {group} ' * 4}{at}"}
        for group in "abc"
        for at in "xy"
    ]
    result = dedup(rows)
    reviewing = Reviewing(result, tmp_path / "log", (), lambda _: result, tmp_path / "t.csv", Ending(str, str))
    places = [reviewing.item(Wanted(), person)["rank"] for person in ("anna", "bo", "chi", "dai")]
    assert sorted(places[:3]) == [0, 1, 2] and places[3] == 0


def test_a_full_disk_is_told(tmp_path: Path) -> None:
    """What SQLite cannot write is an error that names the file."""
    log = VerdictLog(tmp_path / "log")
    log._connection.execute("PRAGMA query_only = 1")
    with pytest.raises(SinkError, match="log: a verdict cannot be kept there"):
        log.add([({"a": "1", "b": "2"}, "same")], "anna")
    log.close()


@pytest.mark.parametrize("row", [("\ud800", "b", "same"), ("a", "x\udfff", "same"), ("a", "b", "\udc00")])
def test_half_a_character_in_a_verdict_is_told(row: tuple[str, str, str]) -> None:
    """A lone surrogate, which JSON can write, is an error that names the row: no table could keep it."""
    with pytest.raises(ConfigError, match=r"half of a character|is unknown"):
        dedup(["a text", "another"], verdicts=[row])
    content = json.dumps(dict(zip(("a", "b", "verdict"), row, strict=True))).encode()
    for name, sent in (("v.jsonl", content), ("v.json", b"[" + content + b"]")):
        with pytest.raises(ConfigError, match=r"half of a character|is unknown"):
            sent_rows(name, sent)
