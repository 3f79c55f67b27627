"""The review page of a service: who may look, judge and apply, and what becomes of the verdicts."""

import base64
from pathlib import Path
from typing import Any

import pytest
from tests.integration.review_server import write
from tests.serve.conftest import KNOWN, Answer, Service
from tests.serve.test_keys import ROLES, all_keys, written

from simsieve import Index
from simsieve.cli import main

NEW = [
    {"id": "new", "text": KNOWN[0]["text"] + " again"},
    {"id": "other", "text": KNOWN[1]["text"].replace("elit", "elit,")},
    {"id": "far", "text": "nothing of this is in the index, and so it is not shown"},
]


def basic(role: str, name: str = "Ann") -> dict[str, str]:
    """The header by which a browser sends a key."""
    return {"Authorization": f"Basic {base64.b64encode(f'{name}:{ROLES[role]}'.encode()).decode()}"}


def do(service: Service, what: str, body: Any, **headers: str) -> Answer:
    """Do something as the page does."""
    return service.ask(f"/review/api/{what}", body, Origin=f"http://127.0.0.1:{service.port}", **headers)


def invitation(service: Service) -> str:
    """The path of the address that the service has printed."""
    assert service.process.stdout is not None
    address = service.process.stdout.readline().decode().strip()
    assert address.startswith(f"{service.url}/review/?token=")
    return address.removeprefix(service.url)


def entered(service: Service, path: str) -> dict[str, str]:
    """The header of a browser that has opened an address."""
    answer = service.ask(path)
    assert answer.status == 200 and "Path=/review/;" in answer.headers["set-cookie"]
    return {"Cookie": answer.headers["set-cookie"].partition(";")[0]}


def test_a_key_of_a_role_looks_judges_or_applies(folder: Path) -> None:
    """What each role may do on the page, under the name that the browser sent; without a key it asks for one."""
    written(folder, all_keys())
    write(folder / "new.jsonl", NEW)
    service = Service(folder, "--review", "new.jsonl", "--key-file", "keys")
    verdict = {"position": 0, "verdict": "different", "seen": 0}
    asked = service.ask("/review/")
    looked = [service.ask("/review/api/item", **basic(role)).status for role in ROLES]
    applied = {role: do(service, "apply", {}, **basic(role)).status for role in ("read", "write")}
    invited = {role: do(service, "invite", {"name": "Bo"}, **basic(role)).status for role in ("write", "admin")}
    judged = {role: do(service, "verdict", verdict, **basic(role, "Ánn")) for role in ("read", "write")}

    assert (asked.status, asked.headers["www-authenticate"][:5]) == (401, "Basic")
    assert service.ask("/review?x=1").headers["location"] == "/review/?x=1"
    assert service.ask("/review/api/item").status == 401
    assert looked == [200, 200, 200]
    assert (applied, invited) == ({"read": 403, "write": 403}, {"write": 403, "admin": 200})
    assert (judged["read"].status, judged["write"].json["pair"]["person"]) == (403, "Ánn")
    assert "frame-ancestors 'none'" in service.ask("/review/", **basic("read")).headers["content-security-policy"]
    for origin in ("http://evil.example", "null"):
        assert service.ask("/review/api/undo", {}, Origin=origin, **basic("admin")).status == 403
    assert service.stop() == 0


def test_an_address_lets_one_browser_in(service_of_new: Service) -> None:
    """The printed address opens once, to all rights; who is invited judges, and neither applies nor invites."""
    service = service_of_new
    path = invitation(service)
    first = entered(service, path)
    token = do(service, "invite", {"name": "Bo"}, **first).json["token"]
    other = entered(service, f"/review/?token={token}")
    shown = service.ask("/review/", **first)

    assert [service.ask(path).status, service.ask("/review/").status] == [401, 401]
    assert [do(service, what, {"name": "x"}, **other).status for what in ("apply", "invite")] == [403, 403]
    assert do(service, "verdict", {"position": 0, "verdict": "same", "seen": 0}, **other).json["pair"]["person"] == "Bo"
    assert service.ask("/review/api/begin", **other).json["may"] == {"judge": True, "apply": False}
    assert service.ask("/v1/indexes", **other).status == 200 and service.ask("/review/review.js").status == 200
    assert b'src="review.js"' in shown.body and b'href="/' not in shown.body and b'src="/' not in shown.body


def test_records_are_added_by_their_verdicts_while_the_service_runs(service_of_new: Service) -> None:
    """What was judged different is in the index when the page has applied it; the address that it names undoes it."""
    service = service_of_new
    cookie = entered(service, invitation(service))
    table = "a,b,verdict\n7,new,different\nseven,other,same\nx,y,same\n"
    content = base64.b64encode(table.encode()).decode()
    before = do(service, "verdict", {"position": 1, "verdict": "different", "seen": 0}, **cookie)
    taken = do(service, "take", {"name": "old.csv", "content": content}, **cookie).json
    said = do(service, "apply", {}, **cookie).json["said"]
    client = service.client()

    assert before.status == 200
    assert taken["said"] == (
        "2 verdicts are taken over; 0 were here before. 1 say otherwise than this review, which stays as it is:"
        " seven ~ other (here different, there same)"
    )
    assert "3 kept, 0 dropped" in said
    assert all(one["id"] in client for one in NEW)
    assert client.undo(said.rpartition("/")[2]).kept == 3
    assert "new" not in client and 7 in client


@pytest.fixture
def service_of_new(folder: Path) -> Any:
    """A service with the page of new records."""
    write(folder / "new.jsonl", NEW)
    service = Service(folder, "--review", "new.jsonl")
    yield service
    assert service.stop() == 0


def test_a_saved_run_is_reviewed_beside_its_index(folder: Path) -> None:
    """The page of a finished run writes a table for the next run, whatever the indexes of the service are."""
    write(folder / "all.jsonl", [*KNOWN, *NEW])
    assert main(["dedup", str(folder / "all.jsonl"), "-o", str(folder / "k"), "--run-dir", str(folder / "x.run"),
                 "--output-format", "jsonl", "--quiet"]) == 0  # fmt: skip
    Index.create(folder / "two").close()
    indexes = {"seen": folder / "seen", "two": folder / "two"}
    service = Service(folder, "--review", "x.run", "--show", "id", indexes=indexes)
    cookie = entered(service, invitation(service))
    item = service.ask("/review/api/item", **cookie).json
    position = item["pairs"][0]["position"]
    do(service, "verdict", {"position": position, "verdict": "different", "seen": 0}, **cookie)
    said = do(service, "apply", {}, **cookie).json["said"]

    assert item["total"] == 2 and item["pairs"][0]["fields"][0][0] == "id"
    assert said.endswith("The verdicts are in x.run.verdicts.csv: give the next run --verdicts x.run.verdicts.csv")
    assert said.startswith(f"4 records are in {folder / 'all.kept.jsonl'}")
    assert service.stop() == 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["seen", "--show", "answer"], "--show is for the review page"),
        (["seen", "--review-log", "x"], "--review-log is for the review page"),
        (["seen", "two=two", "--review", "new.jsonl"], "NAME=new.jsonl"),
        (["seen", "--review", "none.jsonl"], "none.jsonl"),
        (["seen", "--certificate-key", "keys"], "give --certificate too"),
        (["seen", "--certificate", "new.jsonl"], "new.jsonl: is no certificate"),
        (["seen", "--certificate", "none.pem"], "No such file"),
    ],
)
def test_a_mistake_is_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: list[str], told: str
) -> None:
    """One line says it, and nothing is served."""
    monkeypatch.chdir(folder)
    Index.create(folder / "two").close()
    write(folder / "new.jsonl", NEW)

    assert main(["serve", "--port", "0", *words]) == 2
    assert told in capsys.readouterr().err


def test_records_that_are_near_nothing_are_added_without_a_verdict(folder: Path) -> None:
    """A page without a pair adds its records too, and its words offer it."""
    write(folder / "new.jsonl", NEW[2:])
    service = Service(folder, "--review", "new.jsonl")
    cookie = entered(service, invitation(service))
    begun = service.ask("/review/api/begin", **cookie).json
    added = do(service, "apply", {}, **cookie)

    assert begun["words"]["apply"] == "Add the records to the index"
    assert begun["words"]["none"].startswith("None of the 1 records is near a document of the index: add them")
    assert (added.status, "1 kept" in added.json["said"], "verdicts" in added.json["said"]) == (200, True, False)
    assert service.client().get("far") == NEW[2]["text"] and service.stop() == 0
