"""What terminals and notebooks show: results, pairs, plans, explanations; and the bar while a run works."""

import io
import sys
import types
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import pytest

import simsieve
from simsieve import ConfigError, Fingerprinter, dedup, explain, find_pairs, fit, plan
from simsieve.differences import aligned_parts, differences
from simsieve.display import html_side_by_side

A = "the quick brown fox jumps over the lazy dog again and again"
HOSTILE = "<script>alert('&')</script> jumps over the lazy dog"
RECORDS = [{"id": f"<b>{at}</b>", "text": A if at % 2 else f"{HOSTILE} {at}"} for at in range(30)]

SHOWN: dict[str, Callable[[], Any]] = {
    "result": lambda: dedup(RECORDS),
    "result of nothing": lambda: dedup([], sample=0),
    "decisions": lambda: dedup(RECORDS).decisions,
    "pairs": lambda: find_pairs(RECORDS),
    "review": lambda: dedup(RECORDS, similarity=0.4).review(),
    "thresholds": lambda: dedup(RECORDS, similarity=0.4).thresholds(),
    "no pairs": lambda: find_pairs([A]),
    "plan": lambda: plan(RECORDS),
    "plan with warnings": lambda: plan(RECORDS, documents=10**9, similarity=0.05),
    "explanation": lambda: explain(HOSTILE, HOSTILE.replace("lazy", "<i>idle</i>")),
    "explanation of one text": lambda: explain(A, A),
    "explanation of nothing": lambda: explain("", ""),
    "explanation of fingerprints": lambda: explain("00", "ff", scheme="external8"),
}


class Checked(HTMLParser):
    """HTML in which every element is closed in its place; `meta` alone has no end."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.opened: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open."""
        self.seen.append((tag, dict(attrs)))
        if tag != "meta":
            self.opened.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Close what was opened last."""
        assert self.opened.pop() == tag

    def handle_data(self, data: str) -> None:
        """Gather what is read."""
        self.text += data


@pytest.mark.parametrize("name", SHOWN)
def test_html_is_whole_and_escaped_and_a_repr_is_one_short_line(name: str) -> None:
    """Elements are closed, and nothing of a text or a label is one; no repr is an address, or as long as its data."""
    shown = SHOWN[name]()
    checked = Checked(shown._repr_html_())

    assert checked.opened == []
    tags = {tag for tag, _ in checked.seen}
    assert tags <= {"div", "b", "table", "thead", "tbody", "tr", "th", "td", "del", "ins", "i"}
    assert "&lt;script&gt;" in shown._repr_html_() or "script" not in checked.text
    line = repr(shown)
    assert "\n" not in line and " at 0x" not in line and len(line) < 160


def test_reprs_have_counts() -> None:
    """Counts of records, pairs, differences."""
    assert repr(dedup(RECORDS).decisions[:4]).startswith("<Decisions on 4 records: ")
    assert repr(find_pairs([A, A])) == "<Pairs: 1 near pair among 2 records>"
    assert repr(find_pairs([A], against=[A])) == "<Pairs: 1 near pair among 1 record and 1 old one>"
    assert repr(explain(A, A)) == "<Explanation by chars128: similarity 1.0000, distance 0 bits, 0 differences>"
    assert repr(plan(RECORDS)).startswith("<Plan for 30 documents by chars128: every pair, ")
    assert repr(Fingerprinter("chars64").transform([A, ""])) == "<Fingerprints of 2 texts by chars64, 1 with features>"


def test_only_some_rows_are_shown() -> None:
    """A table of many rows says how many it leaves out."""
    html = find_pairs([A] * 20)._repr_html_()

    assert "190 near pairs among 20 records; the first 10" in html
    table, texts = html.split("</table>", 1)
    assert (table.count("<tr>"), texts.count("<thead>")) == (11, 5)
    assert dedup(RECORDS).decisions[:4]._repr_html_().count("<tr>") == 5


def test_pairs_show_the_least_similar_texts() -> None:
    """Copies say little; by similarity or by bits the pairs at the threshold are shown."""
    texts = [A] * 20 + [A.replace("lazy", "idle")]
    for settings in ({}, {"max_distance": 60}):
        html = find_pairs(texts, **settings)._repr_html_()  # type: ignore[arg-type]
        assert html.count("idle</ins>") == 5


def test_differences_are_marked_in_their_text() -> None:
    """What is gone stands left, what is new right, and what is equal on both sides."""
    html = explain("the quick brown fox", "the very quick red fox")._repr_html_()
    left, right = html.split("<tbody>")[-1].split("</td><td")

    assert left.count("<del") == 1 and "brown</del>" in left and "<ins" not in left
    assert right.count("<ins") == 2 and "red</ins>" in right and "<del" not in right
    assert left.count("quick") == right.count("quick") == 1


def test_long_parts_are_shortened() -> None:
    """The number of characters that are left out is given."""
    html = html_side_by_side([(True, "e" * 10_000, "e" * 10_000), (False, "a" * 10_000, "")])

    assert "9,600 characters" in html and "9,000 characters" in html
    assert len(html) < 8_000


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("", ""), ("", "new"), ("old", ""), ("same", "same"), ("one two three", "one 2 three four"),
        ("我来到北京", "我来到了北京大学"), ("x\ny\n" * 9000, "x\nz\n" * 9000),
        ("a b\n" * 5000, "a c\n" * 5000 + "end"), ("y " * 9000, "z " * 9000),
    ],
)  # fmt: skip
def test_parts_are_the_whole_texts(a: str, b: str) -> None:
    """Joined they are the texts; differences are those of the parts that differ."""
    parts = list(aligned_parts(a, b))

    assert ("".join(part[1] for part in parts), "".join(part[2] for part in parts)) == (a, b)
    assert all(one == other for equal, one, other in parts if equal)
    assert len(differences(a, b)) == sum(not equal for equal, _, _ in parts)


RUNS: dict[str, Callable[[Any], Any]] = {
    "dedup": lambda progress: dedup(RECORDS, progress=progress),
    "find_pairs": lambda progress: find_pairs(RECORDS, progress=progress),
    "fit": lambda progress: fit(RECORDS, progress=progress),
    "again": lambda progress: dedup(RECORDS).rethreshold(similarity=0.9, progress=progress),
}


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        """Yes."""
        return True


@pytest.mark.parametrize("name", RUNS)
def test_progress_is_told_to_a_function(name: str) -> None:
    """It is called with stage, done and total; what it raises stops the run, and what is none is refused."""
    calls: list[tuple[str, int, int]] = []
    RUNS[name](lambda *call: calls.append(call))
    assert calls and all(isinstance(stage, str) and done >= 0 <= total for stage, done, total in calls)

    def stop(stage: str, done: int, total: int) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        RUNS[name](stop)
    for option in ("bar", True, 5):
        with pytest.raises(ConfigError, match=r"progress .* is not allowed: give 'auto', a function"):
            RUNS[name](option)


@pytest.mark.parametrize("name", RUNS)
def test_auto_is_a_bar_in_a_terminal_alone(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a script there is nothing, nor where none is asked for."""
    for stream, option, expected in [
        (Terminal(), "auto", True), (io.StringIO(), "auto", False), (Terminal(), None, False),
        (Terminal(), False, False),
    ]:  # fmt: skip
        monkeypatch.setattr(sys, "stderr", stream)
        RUNS[name](option)
        assert bool(stream.getvalue()) == expected


def test_a_notebook_without_widgets_has_plain_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines come every few seconds, and no warning of rich."""
    kernel = types.SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: kernel))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    with simsieve.progress.chosen_progress("auto") as progress:
        assert progress is not None
        progress("load", 1, 2)

    assert type(progress).__name__ == "PlainProgress"
