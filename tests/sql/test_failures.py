"""What goes wrong with databases of SQL ends with one line that says what to do, and leaves nothing."""

import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.integration.conftest import Program
from tests.sql.conftest import SERVERS, Bank, File, OnServer, bank_of, fill
from tools.databases import PASSWORD, QUOTED, Server
from tools.ports import free_port

import simsieve as library
from simsieve import ConfigError, SimsieveError, SinkError, SourceError

ROWS = 50_000
MISTAKES: list[tuple[list[str], dict[str, str], dict[str, Any], str]] = [
    ([], {"table": "question"}, {}, r"no such table: did you mean 'questions'\? there are .*questions.*check the URI"),
    ([], {}, {}, r"give \?table=NAME, or \?query=SELECT"),
    ([], {"table": "questions", "key": "no"}, {}, r"no column 'no' for \?key; there are 'id', 'text'"),
    ([], {"table": "questions", "where": "no > 1"}, {}, r"cannot read: .*no"),
    ([], {}, {"query": "SELECT FROM WHERE"}, r"cannot read: .*(FROM|WHERE|syntax)"),
    ([], {}, {"query": "SELEC 1"}, r"the query begins with 'SELEC 1', and .* begin it with SELECT or WITH"),
    ([], {}, {"query": "/* x */ delete from questions"}, r"the query begins with '/\* x \*/ delete from…'"),
    ([], {"table": "questions"}, {"text_field": "body"}, r"no column 'body'; there are 'id', 'text'"),
    ([], {"table": "questions"}, {"text_field": "id"}, r"column 'id' is of type int64, and text is needed"),
    ([], {"table": "questions"}, {"since_field": "id"}, "since_field"),
    (["CREATE VIEW v AS SELECT * FROM questions"], {"table": "v"}, {}, r"no primary key, or is a view: .*\?key=COLUMN"),
    (["CREATE VIEW v AS SELECT * FROM questions"], {"table": "v", "key": "id"}, {"mark": "near", "apply": True},
     "no table, so its rows cannot be marked|is for"),
    (["CREATE TABLE n (id integer, text text)"], {"table": "n"}, {}, r"no primary key, or is a view"),
    (["CREATE TABLE c (a integer, b integer, text text, PRIMARY KEY (a, b))"], {"table": "c"}, {},
     r"its key has several columns, 'a', 'b': name a column .*\?key=COLUMN"),
    (["CREATE TABLE d (id integer, text text)", "INSERT INTO d VALUES (1, 'a'), (1, 'b')"], {"table": "d", "key": "id"},
     {}, r"column 'id' is no key, because a value is there twice"),
    (["CREATE TABLE m (id integer, text text)", "INSERT INTO m VALUES (1, 'a'), (NULL, 'b')"],
     {"table": "m", "key": "id"}, {}, r"column 'id' is no key.*missing"),
    (["ALTER TABLE questions ADD COLUMN near integer", "UPDATE questions SET near = 1"], {"table": "questions"},
     {"mark": "near", "apply": True}, r"a row has in column 'near' a value"),
]  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES, ids=[str(at) for at in range(len(MISTAKES))])
def test_a_mistake_is_told(bank: Bank, questions: str, mistake: tuple[Any, ...]) -> None:
    """Each names the table, the value, and what to do."""
    statements, options, settings, told = mistake
    bank.run("SELECT 1", *statements)
    with pytest.raises(SimsieveError, match=told) as error:
        library.dedup(bank.uri(**options), **settings)
    assert PASSWORD not in str(error.value)
    assert QUOTED not in str(error.value)


def test_bytes_are_no_text(bank: Bank) -> None:
    """A column of bytes is refused as the text."""
    kind, value = {"sqlite": ("blob", "X'61'"), "postgresql": ("bytea", "'\\x61'"), "mysql": ("blob", "X'61'")}[
        bank.kind
    ]
    bank.run(f"CREATE TABLE b (id integer primary key, text {kind})", f"INSERT INTO b VALUES (1, {value})")
    with pytest.raises(ConfigError, match="column 'text' has bytes, and text is needed"):
        library.dedup(bank.uri("b"))


def test_a_table_takes_no_merged_values(tmp_path: Path) -> None:
    """They were told as written; a rule on a field inside a column is named as the rule."""
    bank = File(tmp_path)
    fill(bank, "bank", [(1, "one text of words", None)], "id integer primary key, text text, doi text")
    with pytest.raises(ConfigError, match=r"`merge` doi changes kept records, .*table=kept is a database"):
        library.dedup(bank.uri("bank"), merge="doi").write(bank.uri("kept"))
    with pytest.raises(ConfigError, match=r"no column 'doi\.x': did you mean 'doi'.* with .*near"):
        library.dedup(bank.uri("bank"), near=["doi.x:1"])


def test_texts_that_are_no_utf8(tmp_path: Path) -> None:
    """As the text a value makes its record fail; as another column it is named, with the key, where it is written."""
    bank = File(tmp_path)
    fill(
        bank,
        "bank",
        [(7, "one text of words", "a"), (8, "two texts of words", "b")],
        "id integer primary key, text text, note text",
    )
    bank.run(
        "UPDATE bank SET note = CAST(X'ff41' AS TEXT) WHERE id = 8",
        "INSERT INTO bank VALUES (9, CAST(X'ff' AS TEXT), 'c')",
    )
    result = library.dedup(bank.uri("bank"), max_failed=1)
    assert (result.counts.kept, [code for _, code, _ in result.failures()]) == (2, ["invalid_utf8"])
    named = r"column 'note' has b'\\xffA', which is no text in UTF-8, where 'id' is 8: correct the value"
    for target in ("kept.jsonl", "kept.csv", bank.uri("kept")):
        with pytest.raises(SimsieveError, match=named):
            result.write(target if "://" in target else tmp_path / target)
    assert not (tmp_path / "kept.jsonl").exists()
    assert bank.run("SELECT count(*) FROM sqlite_master WHERE name = 'kept'") == [(0,)]


def test_targets_that_are_refused(bank: Bank, questions: str) -> None:
    """The source itself, a view, a table of other columns: before anything is written."""
    bank.run(
        "CREATE VIEW v AS SELECT * FROM questions", "CREATE TABLE other (x integer primary key)",
        "INSERT INTO other VALUES (1)",
    )  # fmt: skip
    result, added = library.dedup(questions), library.dedup(questions, append=True)
    for made, target, told in (
        (result, "questions", "is the source too"), (result, "v", "is a view"), (result, "other", "has rows: give"),
        (added, "other", "a table that has their columns and a key of one of them; it has x"),
    ):  # fmt: skip
        with pytest.raises(ConfigError, match=told):
            made.write(bank.uri(target))
    with pytest.raises(ConfigError, match="decisions go to a file"):
        result.write(None, decisions=bank.uri("decisions"))
    with pytest.raises(ConfigError, match=r"give \?table=NAME"):
        result.write(bank.uri())
    assert bank.run("SELECT * FROM other") == [(1,)]


@pytest.mark.parametrize(
    ("uri", "told"),
    [
        ("sqlite://exams.db", "the URI of sqlite is not valid: give sqlite:///folder/file.db"),
        ("sqlite:///none.db?table=t", "there is no file none.db; check the name"),
        ("sqlite:///none.db?table=t&mode=ro", "has an option mode that is not known"),
        ("postgresql://owner:se/cret@127.0.0.1:{port}/db?table=t", "no server answers"),
        ("mysql://owner:secret@host?table=t", "the URI of mysql is not valid"),
        ("mysql://owner:secret@host/db?table=t&charset=latin1", "has an option charset that is not known"),
        ("postgresql://owner:secret@127.0.0.1:{port}/db?table=t", "no server answers .*check host and port"),
        ("mysql://owner:secret@127.0.0.1:{port}/db?table=t", "no server answers .*check host and port"),
        ("postgresql://127.0.0.1:{port}/db?table=t&password=secret", "no server answers"),
    ],
)
def test_a_wrong_uri_is_told(uri: str, told: str, simsieve: Program) -> None:
    """In one line, with exit code 2, and without the password."""
    done = simsieve("dedup", uri.format(port=free_port()), "-o", "kept.jsonl", "--run-dir", "run")
    assert done.code == 2
    assert re.search(told, done.err), done.err
    assert "secret" not in done.err and "cret@" not in done.err
    assert len(done.err.splitlines()) == 1


@pytest.fixture(params=[pytest.param(name, marks=pytest.mark.long) for name in SERVERS])
def server(request: pytest.FixtureRequest, tmp_path: Path, servers: Callable[[str], Server]) -> OnServer:
    """A database on a server."""
    found = bank_of(request.param, tmp_path, servers)
    assert isinstance(found, OnServer)
    return found


def test_wrong_password(server: OnServer) -> None:
    """It is told, and not shown."""
    with pytest.raises(SourceError, match=r"user or password is wrong .*fix them in the URI") as error:
        library.dedup(server.uri("questions", login="owner:wrong-secret"))
    assert "wrong-secret" not in str(error.value)


def test_a_user_who_only_reads(server: OnServer) -> None:
    """Reads; what it may not write is told before the work, and nothing is there."""
    fill(server, "questions", [(1, "one text of words"), (2, "one text of words")])
    if server.kind == "postgresql":
        server.run(
            "DROP ROLE IF EXISTS reader", "CREATE ROLE reader LOGIN PASSWORD 'read'",
            "GRANT SELECT ON questions TO reader",
        )  # fmt: skip
    else:
        server.run(
            "DROP USER IF EXISTS reader", "CREATE USER reader@'%' IDENTIFIED BY 'read'",
            "GRANT SELECT ON exams.questions TO reader@'%'",
        )  # fmt: skip
    uri = server.uri("questions", login="reader:read")
    result = library.dedup(uri, mark="near", apply=True)
    assert result.counts.dropped == 1
    for target in (server.uri("kept", login="reader:read"), None):
        with pytest.raises(SinkError, match=r"the user of the URI has no right to write .*grant it"):
            result.write(target)
    assert len(server.run("SELECT * FROM questions")[0]) == 2
    if server.kind == "postgresql":
        server.run("DROP OWNED BY reader", "DROP ROLE reader")


@pytest.mark.parametrize("stage", ["read", "write", "mark"])
def test_a_lost_connection(server: OnServer, stage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server ends it in the middle of reading or writing: one line, and nothing is half-written."""
    monkeypatch.setattr("simsieve.stores.sql.source._PAGE_BYTES", 100_000)
    fill(server, "bank", [(at, f"text {at * 7919} of number {at}") for at in range(3000)])
    before, ended = server.run("SELECT * FROM bank ORDER BY id"), False

    def end(now: str, done: int, total: int) -> None:
        nonlocal ended
        if now == stage and not ended:
            ended = True
            server.server.end_connections()

    def run() -> None:
        result = library.dedup(server.uri("bank"), mark="near", apply=True, progress=end)
        result.write(server.uri("kept") if stage == "write" else None, progress=end)

    with pytest.raises(SimsieveError, match="the connection was lost") as error:
        run()
    assert ended
    assert PASSWORD not in str(error.value)
    assert server.run("SELECT * FROM bank ORDER BY id") == before
    tables = {
        name for (name,) in server.run("SELECT table_name FROM information_schema.tables WHERE table_name = 'kept'")
    }
    assert tables == set()


def documents(count: int) -> list[tuple[int, str]]:
    """Rows, each third near the one before it."""
    made = []
    for at in range(count):
        words = [f"word{at // 3 * 7919 * step % 9973}" for step in range(1, 13)]
        made.append((at, " ".join(["another", *words[1:]] if at % 3 == 2 else words)))
    return made


def command(source: str, target: str, *more: str) -> list[str]:
    """A command line of the program in a process of its own."""
    return [sys.executable, "-m", "simsieve", "dedup", source, "-o", target, "--quiet", *more]


def ended(*words: str) -> None:
    """Carry a command out, which does its work."""
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=os.environ | {"SIMSIEVE_LANG": "en"})
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("kind", SERVERS)
def test_a_run_that_is_killed_while_it_reads(kind: str, tmp_path: Path, servers: Callable[[str], Server]) -> None:
    """The table is read again, and the rows are those of an undisturbed run, which reads no row twice."""
    bank = bank_of(kind, tmp_path, servers)
    fill(bank, "bank", documents(ROWS))
    calm, folder = tmp_path / "calm", tmp_path / "run"
    ended(*command(bank.uri("bank"), str(tmp_path / "calm.jsonl"), "--run-dir", str(calm)))
    whole = next(calm.glob("*.copy")).stat().st_size
    words = command(bank.uri("bank"), str(tmp_path / "kept.jsonl"), "--run-dir", str(folder))
    run = subprocess.Popen(words, stderr=subprocess.DEVNULL)
    while not any(path.stat().st_size for path in folder.glob("*.copy")):
        time.sleep(0.001)
    run.kill()
    assert run.wait() == -signal.SIGKILL
    assert next(folder.glob("*.copy")).stat().st_size < whole
    assert not (tmp_path / "kept.jsonl").exists()
    ended(*words, "--resume")
    assert next(folder.glob("*.copy")).stat().st_size == whole
    assert (tmp_path / "kept.jsonl").read_bytes() == (tmp_path / "calm.jsonl").read_bytes()
    # What was read whole is not asked for again.
    (tmp_path / "kept.jsonl").unlink()
    bank.run("DELETE FROM bank WHERE id < 100")
    ended(*words, "--resume")
    assert (tmp_path / "kept.jsonl").read_bytes() == (tmp_path / "calm.jsonl").read_bytes()


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("kind", ["sqlite", *SERVERS])
def test_fifty_thousand_rows(kind: str, tmp_path: Path, servers: Callable[[str], Server]) -> None:
    """Kept, marked and undone as a file's; a run that is killed at random times goes on to the same rows."""
    bank = bank_of(kind, tmp_path, servers)
    rows = documents(ROWS)
    fill(bank, "bank", rows)
    expected = library.dedup([{"text": text} for _, text in rows]).kept.tolist()

    def words(name: str, *more: str) -> list[str]:
        return command(bank.uri("bank", mark="near", apply="true"), bank.uri(name), *more)

    def check(table: str) -> None:
        assert [one for (one,) in bank.run(f"SELECT id FROM {table} ORDER BY id")] == expected
        marked = 'SELECT count(*) FROM bank WHERE CAST(near AS char(300)) LIKE \'%"decision": "{}"%\''
        assert bank.run(marked.format("kept")) == [(len(expected),)]
        assert bank.run(marked.format("dropped")) == [(ROWS - len(expected),)]
        for (text,) in bank.run("SELECT about FROM simsieve_runs"):
            assert PASSWORD not in text and QUOTED not in text
        for run in library.registry.store_of(bank.uri()).runs(bank.uri()):
            library.registry.store_of(bank.uri()).undo(bank.uri(), run["_id"])

    began = time.monotonic()
    ended(*words("calm", "--run-dir", str(tmp_path / "calm")))
    seconds = time.monotonic() - began
    check("calm")
    chance, killed = random.Random(7), 0
    for at in range(3):
        folder = tmp_path / f"run-{at}"
        run = subprocess.Popen(words("kept", "--run-dir", str(folder)), stderr=subprocess.DEVNULL)
        time.sleep(seconds * chance.uniform(0.2, 1.0))
        run.send_signal(signal.SIGKILL)
        killed += run.wait() == -signal.SIGKILL
        if run.returncode:
            if not folder.is_dir() or not any(folder.iterdir()):
                folder.mkdir(exist_ok=True)
            ended(*words("kept", "--run-dir", str(folder), "--resume"))
        check("kept")
        for path in folder.rglob("*"):
            assert not path.is_file() or not any(one.encode() in path.read_bytes() for one in (PASSWORD, QUOTED)), path
    assert killed
