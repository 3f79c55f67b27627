"""An index with a window of time: dates, expiry, replacement, refusals; and a file that is cut under a reader."""

import datetime as dt
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.integration.conftest import Program

from simsieve import ConfigError, Index, SourceError, dedup, find_pairs

FOX = "the quick brown fox jumps over the lazy dog"
PAGES: list[dict[str, Any]] = [
    {"id": "a", "text": FOX, "date": "2026-11-01"},
    {"id": "b", "text": FOX + "!", "date": "2026-11-05T12:00:00+08:00"},
    {"id": "c", "text": FOX, "date": "2026-11-09"},
    {"id": "d", "text": "lorem ipsum dolor sit amet", "date": "2026-11-09"},
]
WEEK: dict[str, Any] = {"window": "7d", "date_field": "date"}


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    """An index with a window of a week, open for writing."""
    with Index.create(tmp_path / "seen", PAGES, sample=0, **WEEK) as made:
        yield made


def test_documents_of_the_window_are_compared(index: Index, tmp_path: Path) -> None:
    """A copy is dropped for one of its time, before or after; the files have the window."""
    assert [id_ for id_, _ in index] == ["a", "c", "d"]
    asked = [{"text": FOX, "date": f"2026-{day}"} for day in ("10-24", "10-25", "11-08", "11-12", "11-17")]
    assert [one.representative for one in index.check(asked[:1] + asked[2:]).decisions] == [None, "a", "c", None]
    assert index.check(asked[1:2]).decisions[0].reason == "exact"
    manifest = max((tmp_path / "seen").glob("manifest-*")).read_text(encoding="utf-8")
    assert json.loads(manifest.splitlines()[0])["common"]["window"] == 7 * 86_400_000


def test_a_record_with_another_date_replaces_its_document(index: Index) -> None:
    """The same id, text and date change nothing; another date is another document, of kept and of dropped ones."""
    again = index.add(PAGES)
    assert (again.known, again.replaced, again.kept, again.dropped) == (4, 0, 0, 0)
    moved = index.add([PAGES[0] | {"date": "2026-11-20"}, PAGES[1] | {"date": "2026-11-21"}])
    assert (moved.known, moved.replaced, moved.kept, moved.dropped) == (0, 2, 1, 1)
    assert index.find("b").representative == "a"  # type: ignore[union-attr]
    with pytest.raises(ConfigError, match='the id "c" is in the index with another text, date or field'):
        index.add([PAGES[2] | {"date": "2026-11-10"}], on_known_id="refuse")
    index.undo(moved.batch)
    assert index.add(PAGES).known == 4


def test_documents_expire_by_their_dates(index: Index) -> None:
    """What is older than a date goes, dropped documents too; those that were dropped for it are listed."""
    gone = index.expire("2026-11-05")
    assert (gone.kept, gone.dropped, gone.orphans) == (1, 0, ["b"])
    gone = index.expire(dt.datetime(2026, 11, 5, 12, tzinfo=dt.timezone(dt.timedelta(hours=7))))
    assert (gone.kept, gone.dropped, "b" in index) == (0, 1, False)
    assert index.expire("2026-11-09").kept == 0
    assert [id_ for id_, _ in index] == ["c", "d"]


def test_what_the_window_does_not_reach_can_expire(tmp_path: Path) -> None:
    """Day by day with expiry of documents older than the window: the decisions are those without expiry."""
    days = [[{"id": f"{day} {at}", "text": f"{FOX} {at % 3}" + "!" * at, "date": f"2026-11-{day:02}"}
             for at in range(day % 4)] for day in range(1, 29)]  # fmt: skip
    decided: list[list[Any]] = []
    for expires in (False, True):
        with Index.create(tmp_path / str(expires), [], **WEEK) as made:
            decided.append([])
            for day, rows in enumerate(days, 1):
                if expires and day > 8:
                    made.expire(f"2026-11-{day - 7:02}")
                decided[-1] += [(one.id, one.decision, one.representative) for one in made.add(rows).decisions]
            assert len(made) < 20 or not expires
    assert decided[0] == decided[1]


def test_a_crowd_of_copies_is_decided_by_dates(tmp_path: Path) -> None:
    """Thousands of equal texts at random times: each is kept if no kept one is within the hour, batch by batch."""
    random = Random(7)
    rows = [{"id": at, "text": FOX * 2, "date": 1_790_000_000 + random.randrange(20 * 86_400)} for at in range(6000)]
    kept: list[dict[str, Any]] = []
    for row in rows:
        if all(abs(row["date"] - other["date"]) > 3600 for other in kept):
            kept.append(row)
    for expect in (0, 20_000):
        with Index.create(
            tmp_path / f"{expect}", rows[:2000], expect=expect, window="1h", date_field="date", sample=0
        ) as made:
            for start, end in ((2000, 2001), (2001, 4000), (4000, 6000)):
                made.add(rows[start:end], sample=0)
            assert [id_ for id_, _ in made] == [row["id"] for row in kept]


def test_dates_stay_through_every_upkeep(index: Index, tmp_path: Path) -> None:
    """Merges, new search keys, undo and a snapshot keep the dates of kept and dropped documents."""
    for day in range(12, 20):
        index.add([{"id": day, "text": f"number {day} of many", "date": f"2026-11-{day}"}], name=f"of {day}")
    index.undo("of 15")
    index.compact()
    index.refreeze(20_000)
    index.snapshot(tmp_path / "copy")
    asked = [{"text": FOX, "date": f"2026-11-{day:02}"} for day in range(1, 31)]
    expected = [one.representative for one in index.check(asked).decisions]
    with Index.open(tmp_path / "copy", write=True) as copy:
        copy.verify()
        copy.compact(purge=True)
        assert [one.representative for one in copy.check(asked).decisions] == expected
        assert copy.expire("2026-11-14").kept == 5
    assert index.recall() is not None
    index.export(tmp_path / "kept.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "kept.jsonl").read_text(encoding="utf-8").splitlines()]
    assert rows[0] == {"id": "a", "text": FOX, "date": "2026-11-01T00:00:00.000Z"}
    with Index.create(tmp_path / "again", rows, **WEEK) as again:
        assert list(again) == list(index)


def test_a_question_is_about_a_date_or_all_times(index: Index, simsieve: Program) -> None:
    """`query` shows near documents of all times, or of the window of a date."""
    path = str(index.path)
    assert [match.id for match in index.query(FOX)] == ["a", "c"]
    assert [match.id for match in index.query(FOX, date="2026-11-16")] == ["c"]
    assert [match.id for match in index.query(FOX, date=dt.date(2026, 10, 25))] == ["a"]
    index.close()
    shown = simsieve("index", "query", path, FOX, "--date", "2026-11-16").out.decode()
    assert [json.loads(line)["id"] for line in shown.splitlines()] == ["c"]


@pytest.mark.parametrize("kind", ["jsonl", "csv"])
def test_the_command_line_takes_dates(simsieve: Program, kind: str) -> None:
    """Dates in lines and tables; `add` takes another field, and a record without a date fails by name."""
    rows = [{"url": row["id"], "text": row["text"], "day": row["date"][:10]} for row in PAGES]
    file = simsieve.folder / f"pages.{kind}"
    if kind == "jsonl":
        file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    else:
        lines = ["url,text,day", *(f"{row['url']},{row['text']},{row['day']}" for row in rows)]
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    made = simsieve(
        "index", "create", "seen", str(file), "--id-field", "url", "--window", "7d", "--date-field", "day", "--json"
    )
    assert (json.loads(made.out)["kept"], made.code) == (3, 0)
    more = simsieve.folder / "more.jsonl"
    more.write_text(f'{{"url": "e", "text": "{FOX}", "at": 1794000000}}\n{{"url": 1, "text": "x y z"}}\n')
    added = simsieve("index", "add", "seen", str(more), "--date-field", "at", "--json", "--decisions", "why.jsonl")
    assert (added.code, json.loads(added.out)["dropped"], json.loads(added.out)["failed"]) == (1, 1, 1)
    assert "more.jsonl line 2: there is no date in the field" in added.err
    assert '"reason":"bad_date"' in (simsieve.folder / "why.jsonl").read_text(encoding="utf-8")
    taken = simsieve("index", "expire", "seen", "--before", "2026-11-06")
    assert "removed 1 kept documents and 1 dropped ones" in taken.out.decode()


def test_columns_of_times_are_dates() -> None:
    """Times of tables of every unit, with a zone and without, are the dates that they are as texts."""
    pa = pytest.importorskip("pyarrow")
    days = [dt.datetime.fromisoformat(row["date"][:10]) for row in PAGES]
    for unit in (pa.timestamp("ns", "Asia/Shanghai"), pa.timestamp("s"), pa.date32()):
        table = pa.table({"text": [row["text"] for row in PAGES], "date": pa.array(days, unit)})
        assert dedup(table, **WEEK).kept.tolist() == [0, 2, 3]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda index: index.check_texts([FOX]), "give records with dates in place of texts"),
        (lambda index: index.add_texts([FOX]), "give records with dates in place of texts"),
        (lambda index: index.add([FOX]), "texts in memory have no field"),
        (lambda index: index.check(PAGES, window="3d"), "window is 7d in the index, and 3d is given"),
        (lambda index: index.expire("yesterday"), '"yesterday" is no date'),
        (lambda index: index.query(FOX, date="11/26"), '"11/26" is no date'),
        (lambda _: dedup(PAGES, window="7d"), "window and date_field belong together"),
        (lambda _: dedup(PAGES, window="0d", date_field="date"), "window '0d' is not allowed"),
        (lambda _: dedup(PAGES, window="7 weeks", date_field="date"), "with its unit ms, s, min, h, d"),
        (lambda _: dedup(PAGES, window=dt.timedelta(days=-1), date_field="date"), "is not allowed"),
        (lambda _: find_pairs(PAGES, **WEEK), "window is for decisions"),
    ],
)
def test_a_mistake_is_named(index: Index, call: Any, message: str) -> None:
    """Each call that is wrong says what is, what is allowed, and leaves the index as it was."""
    before = index.stats()
    with pytest.raises((ConfigError, ValueError), match=message):
        call(index)
    assert index.stats() == before


def test_an_index_without_a_window_is_as_before(tmp_path: Path) -> None:
    """It has no dates, and its settings no window; a date to a question is refused."""
    with Index.create(tmp_path / "plain", PAGES) as made:
        assert len(made) == 2
        with pytest.raises(ConfigError, match="the index has no window of time"):
            made.query(FOX, date="2026-11-01")
        with pytest.raises(ConfigError, match="window is None in the index, and 7d is given"):
            made.check(PAGES, **WEEK)
    manifest = json.loads(max((tmp_path / "plain").glob("manifest-*")).read_text(encoding="utf-8").splitlines()[0])
    assert manifest["simsieve_index"] == 3 and "window" not in manifest["settings"]


@pytest.mark.parametrize("pattern", ["segment-*", "frozen-*"])
@pytest.mark.parametrize("left", [0, 0.5, 0.9999])
def test_a_file_that_shrinks_is_an_error(tmp_path: Path, pattern: str, left: float) -> None:
    """Another program cuts a file of an open index: each call names the file, and the process lives."""
    rows = [{"id": at, "text": f"{FOX} {at:05}" * 3} for at in range(2000)]
    Index.create(tmp_path / "seen", rows, sample=0, similarity=0.99).close()
    with Index.open(tmp_path / "seen", write=True) as opened:
        file = next((tmp_path / "seen").glob(pattern))
        subprocess.run(["truncate", "--size", str(int(left * file.stat().st_size)), file], check=True)
        calls: list[Any] = [
            lambda: opened.check_texts([FOX]), lambda: opened.add_texts([FOX]), lambda: opened.query(FOX),
            lambda: opened.get(7), lambda: opened.find(7), lambda: list(opened), lambda: len(opened), opened.batches,
            lambda: opened.remove([7]), opened.compact, opened.refreeze, opened.recall, opened.verify, opened.stats,
            lambda: opened.check(rows[:2]), lambda: dedup(rows[:2], against=str(opened.path)),
        ]  # fmt: skip
        for call in calls:
            with pytest.raises(SourceError, match=file.name):
                call()
