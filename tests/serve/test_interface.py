"""What the service answers to what it understands: as an index in a process does."""

import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from tests.serve.conftest import KNOWN, Service, answered

from simsieve import Index, ServiceError

ALIKE = "the quick brown fox jumped over the lazy dog by the river bank"
NEW = "a sentence that nobody has written down here before today"


def test_a_check_is_what_the_index_says(shared: Service, made: Path) -> None:
    """Decisions over HTTP are those of an index in the process, with the ids that were sent."""
    asked = [ALIKE, NEW, KNOWN[1]["text"], NEW + "!"]
    with Index.open(made) as index:
        wanted = index.check_texts(asked, list("abcd"))

    assert shared.client().check_texts(asked, list("abcd")) == wanted
    assert [one.decision for one in wanted] == ["dropped", "kept", "dropped", "dropped"]


def test_what_was_added_is_there_and_is_removed(service: Service) -> None:
    """A document comes in, is found by its id and text, and goes; its batch comes back by its name."""
    client = service.client()
    assert client.add_texts([NEW], ["new"]).kept == 1
    assert ("new" in client, client.get("new"), 7 in client, 8 in client) == (True, NEW, True, False)
    assert [match.id for match in client.query(NEW)] == ["new"]
    client.add_texts([NEW + "!"], ["alike"])
    alike = client.find("alike")
    assert alike is not None and (alike.decision, alike.text, alike.representative) == ("dropped", None, "new")
    assert (client.get("alike"), client.find("nobody")) == (None, None)
    assert [(one.kept, one.dropped) for one in client.batches()] == [(len(KNOWN), 0), (1, 0), (0, 1)]
    assert client.remove(["new", "alike", "nobody"]).missing == ["nobody"] and "new" not in client

    assert client.add_texts([NEW, "yet another one of the many new sentences"], ["a", "b"], name="x/y").batch == "x/y"
    assert client.undo("x/y").kept == 2
    for name, code, error_id in (("x/y", "conflict", "batch_undone"), ("nosuch", "not_found", "no_such_batch")):
        with pytest.raises(ServiceError) as caught:
            client.undo(name)
        assert (caught.value.code, caught.value.id) == (code, f"index.{error_id}")
    assert [(one.name, one.undone) for one in client.batches()][-1] == ("x/y", True)
    assert len(client) == len(KNOWN)


def test_a_batch_that_is_sent_twice_changes_nothing(service: Service) -> None:
    """The same batch is answered as the first time; other documents under its name are refused, whatever differs."""
    client = service.client()
    texts, ids = [NEW, ALIKE], ["a", "b"]
    first = client.add_texts(texts, ids, name="monday")
    changes = client.stats()["changes"]
    again = client.add_texts(texts, ids, name="monday")

    assert (first.kept, first.dropped, again.known, again.kept) == (1, 1, 2, 0)
    assert again.decisions == first.decisions
    for other_texts, other_ids in (([NEW, ALIKE + " x"], ids), (texts, ["a", "c"]), ([NEW + " y", ALIKE], ids)):
        with pytest.raises(ServiceError, match="monday of other documents") as caught:
            client.add_texts(other_texts, other_ids, name="monday")
        assert (caught.value.code, caught.value.id) == ("conflict", "index.batch_exists")
    assert client.stats()["changes"] == changes


LINES = {"Content_Type": "application/x-ndjson"}


def answers(service: Service, path: str, body: bytes) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """Send a body of lines, and give the answers to the lines and the counts at the end."""
    answer = service.ask(f"/v1/indexes/seen/{path}", body, **LINES)
    assert answer.status == 200
    *rows, last = (json.loads(line) for line in answer.body.splitlines())
    return rows, last["counts"]


def test_single_documents_as_lines_are_decided_one_by_one(service: Service) -> None:
    """A body of lines is answered by a line each, and a line is held against the ones before it."""
    lines = [{"id": "a", "text": NEW}, {"id": "b", "text": NEW + "!"}, {"id": 7, "text": KNOWN[0]["text"]}]
    body = b"\n".join(json.dumps(line).encode() for line in lines)

    def decided(path: str) -> list[tuple[object, ...]]:
        rows, counts = answers(service, path, body)
        assert counts == {"decided": 3, "added": int(path == "add"), "failed": 0}
        return [(row["position"], row["id"], row["decision"], row["representative"]) for row in rows]

    assert decided("check") == [(0, "a", "kept", None), (1, "b", "kept", None), (2, 7, "dropped", 7)]
    assert decided("add") == [(0, "a", "kept", None), (1, "b", "dropped", "a"), (2, 7, "kept", None)]
    assert answers(service, "check", b"\n\n") == ([], {"decided": 0, "added": 0, "failed": 0})


WRONG_LINES = [
    (b"broken", "is no JSON at byte 0: check how it was written"),
    (b"5", 'is of type integer: give {"text": "..."}'),
    (b"[]", 'is of type array: give {"text": "..."}'),
    (b"{}", 'has no field text: give {"text": "..."}'),
    (b'{"text": 5}', ": text is of type integer: give string"),
    (b'{"text": "\xff"}', "is no UTF-8: send UTF-8"),
    (b'{"text": "' + b"x" * 21_000 + b'"}', "has more than 20,000 bytes"),
    (b'{"text": "' + b"x" * 250_000 + b'"}', "has more than 120,000 bytes"),
    (b'{"text": "a", "id": [1]}', ": id is of type array: give integer or number or string or null"),
    (b'{"text": "cut o', "is JSON without its end: send it whole"),
]


@pytest.mark.parametrize("is_slow", [False, True])
def test_a_line_that_is_wrong_is_a_failed_line_among_the_others(folder: Path, *, is_slow: bool) -> None:
    """Whatever is wrong with lines, and however they come, the others are answered, added and counted."""
    good = [json.dumps({"id": f"g{at}", "text": f"{NEW} {at} {at * 7919}"}).encode() for at in range(len(WRONG_LINES))]
    lines = [one for pair in zip(good, (line for line, _ in WRONG_LINES), strict=True) for one in (*pair, b"  ")][:-1]
    body = b"\n".join(lines)
    service = Service(folder, "--max-text", "20000")
    if is_slow:
        head = (
            f"POST /v1/indexes/seen/add HTTP/1.1\r\nHost: {service.url[7:]}\r\nContent-Type: application/x-ndjson\r\n"
        )
        with service.connect() as connection:
            connection.sendall(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode())
            for at in range(0, len(body), 40_000):
                part = body[at : at + 40_000]
                connection.sendall(b"%x\r\n%s\r\n" % (len(part), part))
                time.sleep(0.05)
            connection.sendall(b"0\r\n\r\n")
            *rows, last = (json.loads(line) for line in answered(connection).body.splitlines())
    else:
        rows, counts = answers(service, "add", body)
        last = {"counts": counts}

    assert [row["position"] for row in rows] == list(range(2 * len(WRONG_LINES)))
    assert {row["id"] for row in rows[::2]} == {f"g{at}" for at in range(len(good))}
    assert len(service.client()) == len(KNOWN) + last["counts"]["added"]
    assert last["counts"]["decided"] == last["counts"]["failed"] == len(WRONG_LINES)
    for at, (row, (_, why)) in enumerate(zip(rows[1::2], WRONG_LINES, strict=True)):
        assert row["error"]["message"].startswith(f"line {3 * at + 2}"), row
        assert why in row["error"]["message"], row
    assert service.stop() == 0


def test_lines_that_the_index_refuses_are_failed_ones(service: Service) -> None:
    """A known id with another text is refused where that is asked for, and the lines beside it are added."""
    lines = [{"id": 7, "text": NEW}, {"id": 8, "text": NEW}]
    body = b"\n".join(json.dumps(line).encode() for line in lines)
    rows, counts = answers(service, "add?on_known_id=refuse", body)
    assert (rows[0]["error"]["code"], rows[1]["decision"]) == ("config", "kept")
    assert counts == {"decided": 1, "added": 1, "failed": 1}

    wrong = service.ask("/v1/indexes/seen/add?on_known_id=maybe", body, **LINES)
    assert (wrong.status, wrong.json["error"]["field"]) == (422, "on_known_id")


def test_an_index_of_other_fields_takes_records(tmp_path: Path) -> None:
    """Where the text is in other fields, or fields must be equal, documents are records with these fields."""
    records = [{"url": "u1", "title": "a b c", "body": KNOWN[0]["text"], "lang": "en"}]
    made = {"text_field": ["title", "body"], "id_field": "url", "differ": "lang"}
    Index.create(tmp_path / "seen", records, **made).close()  # type: ignore[arg-type]
    service = Service(tmp_path)
    asked = [records[0] | {"url": "u2"}, records[0] | {"url": "u3", "lang": "de"}, {"url": "u4"}]

    answer = service.ask("/v1/indexes/seen/check", {"documents": asked})
    added = service.ask("/v1/indexes/seen/add", {"documents": asked[:2], "batch": "x"})
    again = service.ask("/v1/indexes/seen/add", {"documents": asked[:2], "batch": "x"})
    assert service.stop() == 0

    decisions = [(row["id"], row["decision"], row["reason"]) for row in answer.json["decisions"]]
    assert decisions == [("u2", "dropped", "exact"), ("u3", "kept", "unique"), (None, "failed", "no_text_field")]
    assert (added.status, again.status, again.json["repeated"]) == (200, 200, True)


def test_an_index_with_a_window_takes_dates(tmp_path: Path) -> None:
    """Documents have the field of the date; single ones too, and one without a date fails by name."""
    first = KNOWN[0] | {"at": "2026-11-01"}
    Index.create(tmp_path / "seen", [first], window="7d", date_field="at").close()
    service = Service(tmp_path)

    def decided(path: str, *documents: object) -> list[tuple[object, ...]]:
        rows = service.ask(f"/v1/indexes/seen/{path}", {"documents": documents}).json["decisions"]
        return [(row["decision"], row["reason"], row["representative"]) for row in rows]

    later = [first | {"id": at, "at": f"2026-11-{at}"} for at in (10, 12)]
    assert decided("check", later[0]) == [("kept", "unique", 10)]
    assert decided("check", first | {"id": 8, "at": 1_793_000_000}) == [("dropped", "exact", 7)]
    assert decided("add", later[0]) == [("kept", "unique", 10)]
    added = decided("add", later[1], KNOWN[1])
    text = str(first["text"])
    assert [match.id for match in service.client().query(text, date="2026-11-12")] == [10]
    wrong = service.ask("/v1/indexes/seen/query", {"text": text, "date": "a day"})
    assert (wrong.status, "a day" in wrong.body.decode()) == (422, True)
    assert service.stop() == 0
    assert added == [("dropped", "exact", 10), ("failed", "bad_date", None)]


def test_the_service_tells_of_itself(service: Service) -> None:
    """Health, readiness, figures, the list of indexes, the description and its page answer without a body."""
    service.client().add_texts([NEW], ["a"])
    texts = {path: service.ask(path) for path in ("/healthz", "/readyz", "/metrics", "/openapi.json", "/docs")}

    assert {answer.status for answer in texts.values()} == {200}
    figures = texts["/metrics"].body.decode()
    for line in (
        'simsieve_decisions_total{index="seen",reason="unique"} 1.0', 'simsieve_index_kept{index="seen"} 3.0',
        'simsieve_commit_seconds_count{index="seen"} 1.0', 'simsieve_requests_total{endpoint="add",status="200"} 1.0',
    ):  # fmt: skip
        assert line in figures
    page = texts["/docs"].body.decode()
    assert "http" not in page.replace("http-equiv", "") and "default-src 'none'" in page
    assert [one["name"] for one in service.ask("/v1/indexes").json["indexes"]] == ["seen"]


def test_ids_are_named_by_their_text(shared: Service) -> None:
    """An id in an address is a text, or the number that it looks like; an unknown id is a 404."""
    assert shared.ask("/v1/indexes/seen/documents/7").json["id"] == 7
    assert shared.ask("/v1/indexes/seen/documents/seven").json["decision"] == "kept"
    for name in ("8", "7.5", "../seen", "%2e%2e%2fseen", "%00", "%ff", "[1]", "x" * 3000):
        answer = shared.ask(f"/v1/indexes/seen/documents/{name}")
        assert (answer.status, answer.code) == (404, "not_found"), name


def test_ids_that_an_address_could_confuse_are_named_as_json(folder: Path) -> None:
    """A line break, a text of digits beside the number, and a long id are named by GET and DELETE."""
    ids: list[Any] = ["a\nb", "\n", 1, "1", 1.5, "l" * 60_000]
    with Index.open(folder / "seen", write=True) as index:
        texts = [f" {at * 7919}".join("boats") for at in range(1, len(ids) + 1)]
        index.add_texts(texts, ids)
    service = Service(folder)
    client = service.client()
    assert [client.get(one) for one in ids] == texts
    assert service.ask("/v1/indexes/seen/documents/a%0Ab").json["id"] == "a\nb"
    both = service.ask("/v1/indexes/seen/documents/1")
    assert (both.status, "json=1" in both.json["error"]["message"]) == (422, True)
    assert service.ask("/v1/indexes/seen/documents/x?json=1").status == 404
    for name in ("a%0Ab", "1?json=1"):
        assert service.ask(f"/v1/indexes/seen/documents/{name}", method="DELETE").json["kept"] == 1
    assert [client.get(one) is None for one in ids] == [True, False, True, False, False, False]
    assert service.stop() == 0


def test_the_advice_on_a_wrong_body_is_the_right_body(shared: Service) -> None:
    """A body of another shape is answered by the fields that it needs; one unknown field more is to be left out."""
    wanted = 'give {"documents": [{"text": "..."}]}'
    body: Any
    for path in ("check", "add"):
        for body in ({"text": "x"}, [{"text": "x"}], {"docs": []}, {}, "x", {"documents": {"text": "x"}},
                     {"documents": ["x"]}):  # fmt: skip
            message = shared.ask(f"/v1/indexes/seen/{path}", body).json["error"]["message"]
            assert message.endswith(wanted), (body, message)
    for path, body, advice in (
        ("indexes/seen/check", {"documents": [], "dry": True}, "unknown field dry: leave it out"),
        ("indexes/seen/query", {"q": "x"}, 'give {"text": "..."}'),
        ("indexes/seen/remove", [1], 'give {"ids": ["..."]}'),
        ("compare", {"a": "x"}, 'give {"a": "...", "b": "..."}'), ("fingerprint", {}, 'give {"texts": ["..."]}'),
    ):  # fmt: skip
        assert advice in shared.ask(f"/v1/{path}", body).json["error"]["message"]


def test_an_index_that_cannot_be_written_is_served(folder: Path) -> None:
    """By a word, or on a file system without writing: questions are answered, and changes are refused."""
    mounted = folder / "mounted"
    mounted.mkdir()
    ways = [(["--read-only"], folder / "seen")]
    by_mount = ["mount --bind {0} {1}", "mount -o remount,ro,bind {0} {1}"]
    if all(subprocess.run([*one.format(folder / "seen", mounted).split()], check=False).returncode == 0
           for one in by_mount if os.geteuid() == 0) and os.geteuid() == 0:  # fmt: skip
        ways.append(([], mounted))
    for words, path in ways:
        service = Service(folder, *words, indexes={"seen": path})
        assert service.log[0]["read_only"] == ["seen"]
        client = service.client()
        assert (len(client), client.get(7), len(client.query(ALIKE))) == (2, KNOWN[0]["text"], 1)
        assert client.check_texts([ALIKE])[0].representative == 7
        for name, given in (("add_texts", [NEW]), ("add_texts", [NEW, ALIKE]), ("remove", [7]), ("undo", "1")):
            with pytest.raises(ServiceError, match="for reading alone") as caught:
                getattr(client, name)(given)
            assert caught.value.code == "read_only"
        refused = service.ask("/v1/indexes/seen/add", b'{"text": "x"}', **LINES)
        assert (refused.status, refused.code) == (403, "read_only")
        assert service.stop() == 0
    subprocess.run(["umount", mounted], check=False, capture_output=True)


def test_a_language_that_is_asked_for_is_answered(shared: Service) -> None:
    """Messages and hints are Chinese where Chinese is preferred, and English otherwise; codes are the same."""
    asked = {"documents": [{"id": 1}]}
    texts = {}
    for wanted in ("zh-CN,zh;q=0.9,en;q=0.8", "en-GB", "de, zh;q=0.3, en;q=0.5", "", ";;q=,zh;q=x"):
        error = shared.ask("/v1/indexes/seen/check", asked, Accept_Language=wanted).json["error"]
        texts[wanted] = (error["message"], error["hint"])
        assert (error["code"], error["field"]) == ("bad_request", "documents[0]")

    chinese, *english = texts.values()
    assert chinese == ("documents[0] 缺少字段 text：请给出", "改正请求体；/docs 给出每种请求的写法。")
    assert set(english) == {("documents[0] has no field text: give it", "Correct the body; /docs shows each request.")}


def test_a_young_index_gets_its_search_keys(tmp_path: Path) -> None:
    """An index that began empty, and grows by single texts alone, does not go on to compare every pair."""
    Index.create(tmp_path / "seen").close()
    service = Service(tmp_path)
    client = service.client()
    count = 9_000
    for at in range(0, count, 1_000):
        client.add_texts([f"{n * 7919} words {n * 104729} of {n} sentence {n * 31}" for n in range(at, at + 1_000)])
    stats = client.stats()
    service.stop()

    assert not stats["refreeze_due"]


def test_the_log_has_no_texts_and_no_keys(folder: Path) -> None:
    """Lines of the log are JSON with a request id, and have neither texts nor ids nor keys."""
    keys = folder / "keys"
    keys.write_text("admin secret-secret-secret\n", encoding="utf-8")
    os.chmod(keys, 0o600)
    service = Service(folder, "--key-file", "keys")
    client = service.client(key="secret-secret-secret")
    client.add_texts([NEW], ["private-id"])
    assert client.get("private-id") == NEW
    service.ask("/v1/indexes/seen/stats", Authorization="Bearer wrong-wrong-wrong-wrong")
    assert service.stop() == 0

    text = json.dumps(service.log)
    assert [line["event"] for line in service.log][0] == "listening"
    assert [line["event"] for line in service.log][-1] == "ended"
    assert {line["status"] for line in service.log if line["event"] == "request"} == {200, 401}
    assert all(line["id"] for line in service.log if line["event"] == "request")
    for private in (NEW, "private-id", "secret", "wrong-wrong", str(folder)):
        assert private not in text
