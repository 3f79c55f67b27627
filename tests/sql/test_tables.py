"""Tables as sources and targets: the rows of a file, whole or not at all, and what is undone leaves nothing."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.integration.conftest import Program
from tests.sql.conftest import Bank, fill

import simsieve as library
from simsieve import ConfigError, SinkError
from simsieve.registry import store_of
from simsieve.results.stored import COMPLETE


def kept_ids(path: Path) -> list[Any]:
    """The ids of the kept rows in a file."""
    return [json.loads(line)["id"] for line in path.read_text(encoding="utf-8").splitlines()]


def kept(source: str, tmp_path: Path, **settings: Any) -> list[Any]:
    """The ids that a run on a source keeps."""
    library.dedup(source, **settings).write(tmp_path / "kept.jsonl")
    return kept_ids(tmp_path / "kept.jsonl")


def of_records(records: list[dict[str, Any]], **settings: Any) -> list[int]:
    """The positions that a run on records in memory keeps."""
    found: list[int] = library.dedup([{"text": one["text"]} for one in records], **settings).kept.tolist()
    return found


@pytest.mark.parametrize("settings", [{}, {"keep": ("longest",)}, {"similarity": 0.8}, {"limit": 30}], ids=str)
def test_a_table_is_decided_as_its_records(
    questions: str, examples: list[dict[str, Any]], tmp_path: Path, settings: dict[str, Any]
) -> None:
    """Under every setting the same rows are kept, in the order of the key."""
    assert kept(questions, tmp_path, **settings) == of_records(examples, **settings)


def test_where_and_query_choose_rows(
    bank: Bank, questions: str, examples: list[dict[str, Any]], tmp_path: Path
) -> None:
    """A condition and a query read what they say; a query has its own order."""
    assert kept(f"{questions}&where=id >= 20", tmp_path) == [20 + at for at in of_records(examples[20:])]
    turned = bank.uri()
    for end in ("", ";\n"):
        found = kept(turned, tmp_path, query=f"SELECT id, text FROM questions ORDER BY id DESC{end}")
        assert found == [len(examples) - 1 - at for at in of_records(examples[::-1])]
    assert kept(turned, tmp_path, query="SELECT id, text FROM questions WHERE id < 10 ORDER BY id", limit=5) == (
        of_records(examples[:5])
    )


KEYS: dict[str, dict[str, Any]] = {
    "sqlite": {"integer": range(300), "text": "k{:03}", "real": "{}.5", "blob": "X'{:04x}'"},
    "postgresql": {"bigint": range(300), "text": "k{:03}", "uuid": "00000000-0000-0000-0000-{:012x}",
                   "double precision": "{}.5", "timestamptz": "2026-01-01 00:00:00.{:06}+02", "numeric(9,3)": "{}.125",
                   "bytea": "\\x{:04x}", "date": "{:04}-03-01", "char(9)": "k{}"},
    "mysql": {"bigint unsigned": "1844674407370955{:04}", "varchar(20)": "K{:03}", "double": "{}.5",
              "datetime(6)": "2026-01-01 00:00:00.{:06}", "decimal(9,3)": "{}.125", "binary(4)": "k{:03}",
              "date": "{:04}-03-01"},
}  # fmt: skip


def test_a_key_may_be_of_any_type(bank: Bank, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages of few rows follow one another by keys of any type, and marks reach every row."""
    monkeypatch.setattr("simsieve.stores.sql.source._FIRST_ROWS", 7)
    monkeypatch.setattr("simsieve.stores.sql.source.BATCH_ROWS", 9)
    for at, (of, form) in enumerate(KEYS[bank.kind].items()):
        table = f"t{at}"
        values = [one if isinstance(form, range) else form.format(one) for one in range(1, 100)]
        quoted = [str(one) if isinstance(one, int) or one.startswith("X'") else f"'{one}'" for one in values]
        rows = ", ".join(f"({one}, 'text number {place * 7919} of {place}')" for place, one in enumerate(quoted))
        bank.run(f"CREATE TABLE {table} (id {of} PRIMARY KEY, text text)", f"INSERT INTO {table} VALUES {rows}")
        result = library.dedup(bank.uri(table), mark="near", apply=True, max_distance=0, scheme="chars64")
        result.write(None)
        assert (result.counts.read, result.summary["collection"]["marked"]) == (99, 99), of
        found = bank.run(f"SELECT count(*) FROM {table} WHERE near IS NOT NULL")
        assert found == [(99,)], of


TYPES = {
    "sqlite": "a integer, b real, c text, d blob, e decimal(10,2), f date, g boolean, h json",
    "postgresql": "a bigint, b double precision, c varchar(90), d bytea, e numeric(10,2), f date, g boolean, h jsonb,"
    " i timestamptz, j uuid, k integer[], l numeric, m interval, n smallint",
    "mysql": "a bigint unsigned, b double, c varchar(90), d blob, e decimal(10,2), f date, g boolean, h json,"
    " i timestamp(6) null, j time, k enum('x', 'y'), l year, m datetime, n tinyint",
}
VALUES = {
    "sqlite": "-7, 0.1, 'it''s', X'00ff27', 1234567.25, '2026-02-28', 1, '{\"x\": [1]}'",
    "postgresql": "-7, 0.1, 'it''s \\ %', '\\x00ff27', 12345678.25, 'infinity', true, '{\"x\": [1]}',"
    " '2026-02-28 01:02:03.000004+05', '00000000-0000-0000-0000-000000000007', '{1,2}', 1e30, '3 days', 7",
    "mysql": "18446744073709551615, 0.1, 'it''s %s', X'00ff275c', 12345678.25, '0000-00-00', true,"
    " '{\"x\": [1]}', '2026-02-28 01:02:03.000004', '-12:00:01', 'y', 1999, '9999-12-31 00:00:00', -7",
}


def test_types_stay(bank: Bank) -> None:
    """The columns of a target are those of the source, and every value in them, missing ones too."""
    names = [one.split()[0] for one in TYPES[bank.kind].split(", ") if one[1] == " "]
    text = "text text, key_ integer primary key"
    none = ", ".join(["NULL"] * len(names))
    mode = ["SET sql_mode = ''"] if bank.kind == "mysql" else []
    bank.run(
        *mode, f"CREATE TABLE source ({text}, {TYPES[bank.kind]})",
        f"INSERT INTO source VALUES ('one text', 1, {VALUES[bank.kind]}), ('another one', 2, {none})",
    )  # fmt: skip
    library.dedup(bank.uri("source")).write(bank.uri("target"))
    # The driver of the tests has no infinite dates.
    whole = "CAST(t AS text)" if bank.kind == "postgresql" else "*"
    both = [bank.run(f"SELECT {whole} FROM {table} AS t ORDER BY key_") for table in ("source", "target")]
    assert both[0] == both[1] and len(both[0]) == 2
    kinds = {
        "sqlite": "SELECT name, type, pk FROM pragma_table_info('{}')",
        "postgresql": "SELECT CAST(attname AS text), format_type(atttypid, atttypmod), false FROM pg_attribute"
        " WHERE attrelid = '{}'::regclass AND attnum > 0",
        "mysql": "SELECT column_name, column_type, column_key FROM information_schema.columns"
        " WHERE table_schema = 'exams' AND table_name = '{}'",
    }  # fmt: skip
    described = [bank.run(kinds[bank.kind].format(table)) for table in ("source", "target")]
    assert described[0] == described[1]


def test_a_target_is_whole_and_can_be_undone(bank: Bank, questions: str, examples: list[dict[str, Any]]) -> None:
    """New, refused, replaced and added to; each run is taken back by itself, and what others wrote stays."""
    target, store = bank.uri("kept"), store_of(questions)
    expected = of_records(examples)
    result = library.dedup(questions)
    result.write(target)
    assert [one for (one,) in bank.run("SELECT id FROM kept ORDER BY id")] == expected
    with pytest.raises(ConfigError, match=r"has rows: give .*append"):
        result.write(target)
    first = library.dedup(questions, limit=20, replace=True)
    first.write(target)
    assert len(bank.run("SELECT id FROM kept")) == first.counts.kept
    more = library.dedup(questions, append=True)
    more.write(target)
    written = more.summary["collection"]
    assert (written["written"], written["present"]) == (len(expected) - first.counts.kept, first.counts.kept)
    bank.run("UPDATE kept SET text = 'mine' WHERE id = 0")
    runs = [run["_id"] for run in store.runs(bank.uri())]
    assert len(runs) == 3
    with pytest.raises(ConfigError, match="undo the later runs"):
        store.undo(bank.uri(), runs[1])
    assert store.undo(bank.uri(), runs[0])[0][1] == written["written"]
    assert bank.run("SELECT text FROM kept WHERE id = 0") == [("mine",)]
    assert store.undo(bank.uri(), runs[1])[0][1] == first.counts.kept and store.undo(bank.uri(), runs[1]) == []
    with pytest.raises(library.SourceError, match="no such table"):
        library.dedup(target)
    with pytest.raises(ConfigError, match="there is no run 'none'"):
        store.undo(bank.uri(), "none")


def test_marks_are_written_and_undone(bank: Bank, questions: str, examples: list[dict[str, Any]]) -> None:
    """Marks need `apply`, the same run changes nothing, another run is refused, and undo removes the column."""
    kept_rows, store = of_records(examples), store_of(questions)
    before = bank.run("SELECT * FROM questions ORDER BY id")
    for apply, marked in ((False, len(examples)), (True, len(examples)), (True, 0)):
        result = library.dedup(questions, mark="near", apply=apply)
        result.write(None)
        assert result.summary["collection"]["marked"] == marked
    run = result.summary["collection"]["run"]
    found = {
        key: json.loads(mark) if isinstance(mark, str) else mark
        for key, mark in bank.run("SELECT id, near FROM questions")
    }
    assert sorted(found) == list(range(len(examples)))
    for position, fate in enumerate(result.decisions):
        mark = found[position]
        assert (mark["run"], mark["decision"]) == (run, fate.decision)
        assert mark["representative"] == fate.representative_position
    assert sorted(key for key, mark in found.items() if mark["decision"] == "kept") == kept_rows
    with pytest.raises(ConfigError, match="the mark of another run"):
        library.dedup(questions, mark="near", apply=True, similarity=0.9).write(None)
    assert store.undo(bank.uri(), run)[0][1] == len(examples)
    assert bank.run("SELECT * FROM questions ORDER BY id") == before


def test_rows_that_changed_since_are_not_marked(bank: Bank, questions: str, examples: list[dict[str, Any]]) -> None:
    """A text that was changed, or only in its case, and a row that is gone are counted; others are marked."""
    result = library.dedup(questions, mark="near", apply=True)
    bank.run("UPDATE questions SET text = upper(text) WHERE id = 0", "DELETE FROM questions WHERE id = 5")
    result.write(None)
    numbers = result.summary["collection"]
    assert (numbers["marked"], numbers["changed"]) == (len(examples) - 2, 2)
    assert bank.run("SELECT id FROM questions WHERE near IS NULL") == [(0,)]


def test_the_program_says_what_it_did(bank: Bank, questions: str, simsieve: Program, examples: list[Any]) -> None:
    """Copy, mark, list and undo from the command line, without a password in any of it."""
    done = simsieve("dedup", f"{questions}&mark=near&apply", "-o", bank.uri("kept"))
    assert done.code == 0, done.err
    assert re.search(rf"^marked +{len(examples)}$", done.err, re.MULTILINE)
    listed = simsieve("mongo", "runs", bank.uri())
    rows = dict(line.split(None, 1) for line in listed.out.decode().splitlines())
    assert rows["state"] == "complete" and rows["mark"].startswith("questions field near")
    assert rows["target"].startswith("kept new")
    undone = simsieve("mongo", "undo", bank.uri(), rows["run"])
    assert f"removed {len(examples)} marks in questions.near" in undone.out.decode()
    assert "which is dropped" in undone.out.decode()
    for told in (done, listed, undone):
        assert "p%40ss" not in told.err + told.out.decode()
        assert "p@ss" not in told.err + told.out.decode()


def test_reading_sees_one_moment(bank: Bank, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that come, go or change while a table is read are as they were when it began."""
    monkeypatch.setattr("simsieve.stores.sql.source._FIRST_ROWS", 10)
    monkeypatch.setattr("simsieve.stores.sql.source.BATCH_ROWS", 10)
    fill(bank, "bank", [(at, f"text {at * 7919} of number {at}") for at in range(100)])
    changed = False

    def change(stage: str, done: int, total: int) -> None:
        nonlocal changed
        if stage == "read" and not changed:
            changed = True
            bank.run(
                "INSERT INTO bank VALUES (1000, 'a later row')", "DELETE FROM bank WHERE id = 90",
                "UPDATE bank SET text = 'changed' WHERE id = 91",
            )  # fmt: skip

    result = library.dedup(bank.uri("bank"), progress=change)
    assert changed
    assert result.counts.read == 100
    result.write(tmp_path / "kept.jsonl")
    assert "changed" not in (tmp_path / "kept.jsonl").read_text(encoding="utf-8")


def test_a_frame_goes_to_a_table(bank: Bank, examples: list[dict[str, Any]]) -> None:
    """Rows of Arrow have types for columns; records without columns are refused."""
    import pyarrow as pa

    table = pa.table(
        {"id": range(len(examples)), "text": [one["text"] for one in examples], "x": [1.5] * len(examples)}
    )
    library.dedup(table).write(bank.uri("kept"))
    assert [one for (one,) in bank.run("SELECT id FROM kept ORDER BY id")] == of_records(examples)
    with pytest.raises(ConfigError, match="or give a file"):
        library.dedup(["a text"]).write(bank.uri("other"))


def test_nothing_is_half_written(bank: Bank, questions: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that fails while it writes leaves neither rows nor columns."""
    from simsieve.stores.sql import run as module

    before = bank.run("SELECT * FROM questions ORDER BY id")
    note = module._note

    def failing(database: Any, run: str, state: str, about: Any) -> None:
        note(database, run, state, about)
        if state == COMPLETE:
            database.do("SELECT * FROM no_such_table")

    monkeypatch.setattr(module, "_note", failing)
    with pytest.raises(SinkError, match="cannot write the rows"):
        library.dedup(questions).write(bank.uri("kept"))
    with pytest.raises(SinkError, match="cannot write the rows"):
        library.dedup(questions, mark="near", apply=True).write(None)
    assert bank.run("SELECT * FROM questions ORDER BY id") == before
    with pytest.raises(library.SourceError, match="no such table"):
        library.dedup(bank.uri("kept"))
