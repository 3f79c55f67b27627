"""The review page over HTTP: who is let in, what is kept, and what is done with the verdicts."""

import json
import signal
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.integration.conftest import Program
from tests.integration.review_server import Served, records, write

import simsieve as library

REFUSED = [
    ({"host": "evil.example"}, 403),
    ({"host": "evil.example:80"}, 403),
    ({"host": "127.0.0.1.evil.example"}, 403),
    ({"host": "[::1"}, 403),
    ({"origin": "http://evil.example"}, 403),
    ({"origin": "null"}, 403),
    ({"content_type": "text/plain"}, 415),
    ({"content_type": ""}, 415),
    ({"content_length": "9999999"}, 413),
]


def test_only_the_page_of_who_has_the_address_is_answered(tmp_path: Path) -> None:
    """A token lets in once, and Enter gives another; other hosts, pages and bodies are refused; answers have a policy.

    The cookie is not sent from other pages, and no script reads it.
    """
    write(tmp_path / "in.jsonl", records(2))
    with Served(tmp_path, "in.jsonl") as page:
        outside = [page.send("GET", path)[0] for path in ("/", "/api/begin", "/api/verdicts.csv", "/?token=x")]
        cookie = page.send("GET", f"/?token={page.token}")[1]["set-cookie"]
        page.cookie = cookie.partition(";")[0]
        assert page.send("GET", f"/?token={page.again()}")[0] == 200
        again = page.send("GET", f"/?token={page.token}")[0]
        first = page.send("GET", "/", cookie=page.cookie)
        usual = {"host": page.host, "origin": f"http://{page.host}", "content_type": "application/json",
                 "content_length": "2", "cookie": page.cookie}  # fmt: skip
        refused = []
        for headers, status in REFUSED:
            refused.append((page.send("POST", "/api/undo", b"{}", **usual | headers)[0], status))
        # A body in chunks has no length: its bytes are counted.
        long = usual | {"content_length": ""}
        parts = [page.send("POST", "/api/undo", iter([b" " * (1 << 20), more]), **long)[0] for more in (b"", b"{}")]
        paths = [page.send("GET", path, cookie=page.cookie)[0] for path in ("/../etc/passwd", "/%2e%2e%2fx", "/api/no")]
        methods = [page.send(method, "/api/begin", cookie=page.cookie)[0] for method in ("HEAD", "PUT", "DELETE")]

    assert outside == [401, 401, 401, 401] and again == 401 and first[0] == 200
    assert all(part in cookie.lower() for part in ("httponly", "samesite=strict", "path=/"))
    assert [found for found, _ in refused] == [wanted for _, wanted in refused]
    assert paths == [404, 404, 404] and methods == [200, 405, 405] and parts == [422, 413]
    policy = first[1]["content-security-policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy and "http" not in policy
    assert (first[1]["x-content-type-options"], first[1]["cache-control"]) == ("nosniff", "no-store")
    assert b"<script>" not in first[2] and b"<style" not in first[2] and b"style=" not in first[2]


@pytest.mark.parametrize(
    ("path", "body", "told"),
    [
        ("verdict", b"{", "the body is no JSON object"),
        ("verdict", b"[" * 100_000, "the body is no JSON object"),
        ("verdict", b'{"position": 1e999, "verdict": "same", "seen": 0}', "position inf is no whole number"),
        ("verdict", b'{"position": true, "verdict": "same", "seen": 0}', "position True is no whole number"),
        ("verdict", b'{"position": 0, "verdict": "same", "seen": 0}', "position 0 is of no near duplicate"),
        ("verdict", b'{"position": 1, "verdict": "maybe", "seen": 0}', "verdict maybe is unknown"),
        ("verdict", b'{"position": 1, "verdict": "same"}', "seen None is no whole number"),
        ("invite", b'{"name": "  "}', "a person needs a name"),
        ("take", b'{"name": "a.csv", "content": "\\u00e9"}', "the content of the table is no base64"),
        ("take", b'{"name": "a.csv.gz", "content": ""}', "'a.csv.gz' is no table of verdicts"),
        ("take", b'{"name": "../\\u0000x/a.csv", "content": ""}', "a.csv: has no pair"),
        ("take", b'{"name": "a.parquet", "content": "AAAA"}', "a.parquet: is no whole Parquet file"),
        ("take", b'{"name": "a.csv", "content": "YSxiLHZlcmRpY3QKeCx5LG1heWJlCg=="}', "a.csv, line 2: verdict 'maybe'"),
        ("undo?order=x", b"{}", ""),
        ("item?order=x", None, "order 'x' is not known"),
        ("item?similarity_from=x", None, "similarity_from x is no number"),
        ("item?lost_to=nan", None, "lost_to nan is no number"),
        ("item?field=secret&value=1", None, "secret is not shown"),
        ("item?rank=0&start=x", None, "start x is no whole number"),
        ("item?rank=9&start=0", None, "rank 9 is outside 0 to 1"),
        ("item?source=1e300", None, ""),
        ("changes", None, "after None is no whole number"),
    ],
)
def test_bad_requests_are_told(tmp_path: Path, asked: Served, path: str, body: bytes | None, told: str) -> None:
    """Each ends with one line, or as an empty queue, and never with a trace."""
    headers = {"cookie": asked.cookie, "origin": f"http://{asked.host}", "content_type": "application/json"}
    method, given = ("GET", {"cookie": asked.cookie}) if body is None else ("POST", headers)
    status, _, answer = asked.send(method, f"/api/{path}", body, **given)
    found = json.loads(answer)

    assert status == (422 if told else 200)
    assert not told or found["error"]["message"].startswith(told)


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A page that nobody judges on."""
    folder = tmp_path_factory.mktemp("asked")
    write(folder / "in.jsonl", records(2))
    with Served(folder, "in.jsonl") as page:
        yield page.enter()


def test_a_verdict_that_was_answered_is_there_after_a_kill(tmp_path: Path) -> None:
    """The page is killed at the moment of the answer, again and again; nothing that was answered is lost."""
    write(tmp_path / "in.jsonl", records(8))
    answered: dict[int, str] = {}
    for position, verdict in ((1, "different"), (3, "keep b")):
        with Served(tmp_path, "in.jsonl") as page:
            page.enter()
            assert page.ask("begin")["state"]["judged"] == len(answered)
            assert page.judge(position, verdict)["pair"]["verdict"] == verdict
            page.process.send_signal(signal.SIGKILL)
            answered[position] = verdict
    with Served(tmp_path, "in.jsonl") as page:
        table = page.enter().send("GET", "/api/verdicts.csv", cookie=page.cookie)[2].decode("utf-8-sig")
    rows = [line.split(",") for line in table.splitlines()]
    assert rows[0][:7] == ["a", "b", "verdict", "position_a", "position_b", "check_a", "check_b"]
    assert {int(row[4]): row[2] for row in rows[1:]} == answered


def test_the_effect_is_that_of_the_next_run(simsieve: Program, tmp_path: Path) -> None:
    """What the page counts is what `dedup --verdicts` keeps with its table, also of a run directory."""
    write(tmp_path / "in.jsonl", records(6, 3))
    saved = ["--run-dir", "in.dir"]
    assert simsieve("dedup", "in.jsonl", "-o", "k.jsonl", *saved, "--quiet").code == 0
    for words in (["in.jsonl"], ["--run-dir", "in.dir"]):
        log = ["--log", f"{len(words)}.sqlite", "-o", f"{len(words)}.csv"]
        with Served(tmp_path, *words, *log) as page:
            page.enter()
            item = page.ask("item?after=0")
            other, both = item["pairs"][0]["position"], item["pairs"][1]["position"]
            page.judge(other, "different")
            page.judge(both, "keep b")
            effects = page.ask("effects", {})["state"]["effects"]
            said = page.ask("apply", {})["said"]
        table = tmp_path / f"{len(words)}.csv"
        simsieve("dedup", "in.jsonl", "-o", "v.jsonl", "--verdicts", table.name, "--quiet").ok()
        kept = [len((tmp_path / name).read_bytes().splitlines()) for name in ("k.jsonl", "v.jsonl")]
        assert effects == f"{kept[1] - kept[0]} more would stay: {kept[1]} documents in place of {kept[0]}"
        assert f"--verdicts {table.name}" in said
        written = tmp_path / f"in.kept{'' if words == ['in.jsonl'] else '-2'}.jsonl"
        assert written.read_bytes() == (tmp_path / "v.jsonl").read_bytes() and f" in {written.name}." in said


def test_verdicts_are_taken_over_once(simsieve: Program, tmp_path: Path) -> None:
    """A table fills what the log does not know; what was undone or judged again stays so."""
    write(tmp_path / "in.jsonl", records(3))
    (tmp_path / "old.csv").write_text(
        "a,b,verdict\nr0-0,r0-1,different\nr1-1,r1-0,keep a\nx,y,same\n", encoding="utf-8"
    )
    for again in (False, True):
        with Served(tmp_path, "in.jsonl", "--verdicts", "old.csv") as page:
            state = page.enter().ask("begin")["state"]
            assert (state["judged"], state["others"]) == (2, 1)
            # The table names the near duplicate of the second pair first.
            assert page.ask("changes?after=0")["pairs"]["3"]["verdict"] == "keep b"
            if not again:
                number = page.ask("changes?after=0")["pairs"]["1"]["number"]
                assert page.judge(1, "same", 0)["error"]["id"] == "review.stale"
                assert page.judge(1, "same", number)["state"]["verdicts"]["same"] == 1
            else:
                assert page.ask("changes?after=0")["pairs"]["1"]["verdict"] == "same"


def test_new_records_are_judged_before_an_index_takes_them(simsieve: Program, tmp_path: Path) -> None:
    """A record that is said to be different is added; an old document is never dropped for a new one."""
    rows = records(4)
    write(tmp_path / "old.jsonl", rows[0::2])
    write(tmp_path / "new.jsonl", rows[1::2])
    assert simsieve("index", "create", "seen", "old.jsonl").code == 0
    with Served(tmp_path, "new.jsonl", "--against", "seen") as page:
        page.enter()
        assert page.judge(0, "keep b")["error"]["message"].startswith("an old document is never dropped")
        page.judge(0, "different")
        page.judge(1, "same")
        assert page.ask("effects", {})["state"]["effects"].startswith("1 more would stay: 1 documents")
        said = page.ask("apply", {})["said"]
    index = library.Index.open(tmp_path / "seen")
    assert "1 kept, 3 dropped" in said and "simsieve index undo seen" in said
    assert index.get(rows[1]["id"]) == rows[1]["text"] and index.get(rows[3]["id"]) is None
    index.close()


MISTAKES = [
    (["in.jsonl", "--log", "in.jsonl"], "in.jsonl"),
    (["in.jsonl", "--log", "other.db"], "is a database of another program"),
    (["in.jsonl", "--log", "text.txt"], "is no log of verdicts"),
    (["in.jsonl", "--log", "nowhere/log"], "its folder nowhere does not exist"),
    (["-"], "stdin can be read only once"),
    (["in.jsonl", "-o", "page.html"], "ending .html"),
    (["in.jsonl", "--order", "bands"], "--order is for a file"),
    (["in.jsonl", "--show", "nofield"], "show has 'nofield'"),
    (["in.jsonl", "--verdicts", "missing.csv"], "missing.csv"),
    (["in.jsonl", "--host", "no.such.host.invalid"], "cannot be listened on"),
    (["in.jsonl", "--port", "70000"], "70000"),
    (["--against", "seen"], "name the records that are to be added"),
    (["--run-dir", "x.run", "--against", "seen"], "both given"),
    (["in.jsonl", "--against", "seen"], "seen"),
    (["in.jsonl", "--log", "x.sqlite"], "--log is for a page that is served"),
]


@pytest.mark.parametrize(("words", "told"), MISTAKES, ids=[" ".join(words) for words, _ in MISTAKES])
def test_a_mistake_is_told_before_anything_is_served(
    simsieve: Program, tmp_path: Path, words: list[str], told: str
) -> None:
    """One line says it, and no file is made or changed."""
    write(tmp_path / "in.jsonl", records(1))
    (tmp_path / "text.txt").write_text("no database at all, but a text of some length\n" * 9, encoding="utf-8")
    with sqlite3.connect(tmp_path / "other.db") as other:
        other.execute("CREATE TABLE mine (x)")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    # Any free port: tests run beside one another.
    port = [] if "--port" in words else ["--port", "0"]
    done = simsieve("review", *words, *(["--serve", *port] if "x.sqlite" not in words else []))

    assert done.code == 2 and told in done.err and "Traceback" not in done.err, done.err
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
