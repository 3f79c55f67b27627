"""`simsieve app` by its addresses: who is let in, what is looked at, groups, moves and their undo, kept files."""

import http.client
import json
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.integration.mixed_files import TOPICS, mixed, story
from tests.integration.paper_files import SCAN, pdf_of, shown
from tests.integration.review_server import App, records, write

from simsieve import Index
from simsieve.cli import main
from simsieve.messages import Message
from simsieve.tidy.moves import LOG, Moves
from simsieve.tidy.page import on_page


def files(folder: Path) -> dict[str, bytes]:
    """The files of a folder and their content, but for the log."""
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != LOG)
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


@pytest.fixture
def few(tmp_path: Path) -> Path:
    """A folder of three files, two of them alike."""
    folder = tmp_path / "docs"
    (folder / "b").mkdir(parents=True)
    (folder / "a.txt").write_text(story("harbour"), encoding="utf-8")
    (folder / "b" / "a.txt").write_text(story("harbour", 1), encoding="utf-8")
    (folder / "c.txt").write_text(story("glacier"), encoding="utf-8")
    return folder


@pytest.fixture
def app(few: Path) -> Iterator[App]:
    """The program on these, with a browser let in."""
    with App(few.parent, "docs") as running:
        running.enter()
        yield running


def test_only_who_has_the_address_is_let_in(app: App) -> None:
    """A token counts once, and Enter gives another; other hosts, other sites and no cookie are refused."""
    assert app.send("GET", f"/?token={app.token}")[0] == 401 and app.send("GET", "/api/look")[0] == 401
    assert app.send("GET", "/api/look", cookie=app.cookie, host="evil.example")[0] == 403
    sent = {"content_type": "application/json", "cookie": app.cookie}
    assert app.send("POST", "/api/move", b'{"where": "bin"}', origin="http://evil.example", **sent)[0] == 403
    assert app.send("POST", "/api/move", b'{"where": "bin"}', cookie=app.cookie, content_type="text/plain")[0] == 415
    assert app.send("GET", f"/?token={app.again()}")[0] == 200
    policy = app.send("GET", "/", cookie=app.cookie)[1]["content-security-policy"]
    assert "default-src 'none'" in policy and "http" not in policy


def test_nothing_outside_is_read(app: App, few: Path) -> None:
    """Links are told and not followed; names with `..` and paths are refused; addresses of files are none."""
    (few / "out.txt").symlink_to("/etc/passwd")
    (few / "far").symlink_to("/etc")
    look = app.ask("look")
    assert look["texts"] == 3 and sorted(name for *_, name in look["unread"]) == ["far", "out.txt"]
    assert app.found()["counts"]["groups"] == 1
    assert "root:" not in json.dumps(app.ask("groups?start=0"))
    for path in ("/etc/passwd", "/../docs/a.txt", "/%2e%2e/%2e%2e/etc/passwd", "/api/../../etc/passwd"):
        assert app.send("GET", path, cookie=app.cookie)[0] == 404
    assert app.ask("pair?position=99")["error"]["message"] == "there is no group -1"
    assert "there is no group" in app.ask("none", {"group": 77, "none": True})["error"]["message"]


def test_one_of_a_group_is_kept_unless_none_is_chosen(app: App) -> None:
    """The last box stays checked; `keep none` is a choice of its own."""
    app.found()
    (group,) = app.ask("groups?start=0")["groups"]
    head, other = (one["position"] for one in group["members"])
    assert "choose to keep none" in app.ask("check", {"position": head, "keep": False})["error"]["message"]
    kept = app.ask("check", {"position": other, "keep": True})
    assert kept["kept"] == {str(head): True, str(other): True} and kept["state"]["counts"]["gone"] == 0
    none = app.ask("none", {"group": group["head"], "none": True})
    assert none["state"]["counts"]["gone"] == 2 and "Of 1 groups none is kept" in none["state"]["counts"]["told"]
    back = app.ask("none", {"group": group["head"], "none": False})
    assert (back["kept"], back["none"]) == (kept["kept"], False)


def test_no_name_of_a_rule_or_an_option_is_on_the_page() -> None:
    """A clause that names an option goes; a field of the page has its own name."""
    shown = on_page(Message("a; b.csv is read as {name}, as was found; {@`quoting`} minimal reads it", name="x"))
    assert shown == "a; b.csv is read as x, as was found"
    assert on_page(Message("{lack}, or {@allow_empty} if so", lack=Message("none: no file"))) == "none: no file"
    assert (
        on_page(Message("read as x; {@`encoding`} names another")) == "read as x; “Letters look wrong?” names another"
    )


@pytest.fixture
def home(few: Path) -> Iterator[App]:
    """The program without a name, in the home folder."""
    (few.parent / "link").symlink_to("/etc")
    (few.parent / ".secret").mkdir()
    (few.parent / "table.csv").write_text("text,note\na b c d,\n", encoding="utf-8")
    with App(few.parent) as running:
        yield running.enter()


def test_a_folder_is_chosen_below_the_root_alone(home: App, few: Path) -> None:
    """Folders and files that can be opened are listed; hidden ones, links and what is elsewhere are none."""
    assert home.ask("look") == {"is_closed": True, "may_choose": True}
    assert home.ask("state")["error"]["message"] == "nothing is open yet: choose a folder or a file"
    here = home.ask("folder", {})
    assert (here["up"], here["may_open"], here["left"]) == (None, False, 0)
    names = [name for name, _ in here["folders"]], [name for name, _ in here["files"]]
    assert names == (["docs"], ["stderr.txt", "table.csv"])
    wrong = ("/", "/etc", "..", "docs/..", "docs/../..", "link", "link/ssl", ".secret", "none", "\0", "\ud800")
    for inside in wrong:
        for what in ("folder", "choose"):
            refused = home.ask(what, {"inside": inside})
            assert refused["error"]["message"].endswith("there is no such folder or file here"), inside
    assert "no such folder" in home.ask("folder", {"inside": "table.csv"})["error"]["message"]
    assert "too much" in home.ask("choose", {"inside": ""})["error"]["message"]
    assert home.send("POST", "/api/folder", b"{}", content_type="application/json")[0] == 401
    deeper = home.ask("folder", {"inside": "docs"})
    assert (deeper["up"], deeper["may_open"], [path for _, path in deeper["folders"]]) == (".", True, ["docs/b"])
    look = home.ask("choose", {"inside": "docs"})
    assert (look["name"], look["texts"], look["may_choose"]) == (str(few), 3, True)
    assert home.found()["counts"]["gone"] == 1
    assert home.ask("choose", {"inside": "table.csv"})["fields"] == ["text", "note"]
    assert home.ask("state")["counts"] is None


def test_a_page_of_another_run_changes_nothing(home: App, few: Path) -> None:
    """A second tab has opened or found something else: what the first one shows is not taken for it."""
    home.ask("choose", {"inside": "docs"})
    home.found()
    seen = {"place": str(few), "run": home.ask("groups?start=0")["run"]}
    (group,) = home.ask("groups?start=0")["groups"]
    assert home.ask("none", {"group": group["head"], "none": True, **seen})["none"]
    home.found()
    for what, more in (("move", {"where": "beside"}), ("none", {"group": group["head"]}), ("rule", {"rule": "first"})):
        assert home.ask(what, {**more, **seen})["error"]["message"].endswith("an earlier run: load it again")
    home.ask("choose", {"inside": "docs/b"})
    assert home.ask("undo", {"batch": 1, "place": str(few)})["error"]["message"].startswith("this page shows another")
    assert len(files(few)) == 3


def test_passages_are_for_who_was_let_in(home: App, few: Path) -> None:
    """The page on passages is there after a run on them alone, and only to the browser that has the address."""
    home.ask("choose", {"inside": "docs"})
    assert home.send("GET", "/passages/", cookie=home.cookie)[0] == 422
    state = home.found(what="passages")
    assert (state["passages"], state["counts"]) == ("2 of 3 texts share passages with an earlier one.", None)
    assert home.send("GET", "/passages/", cookie=home.cookie)[0] == 200
    for path in ("/passages/", "/passages/api/begin", "/passages/passages.js"):
        assert home.send("GET", path)[0] == 401
    begun = json.loads(home.send("GET", "/passages/api/begin", cookie=home.cookie)[2])
    assert [row["sources"] > 0 for row in begun["documents"]] == [True, True, False]
    assert home.found()["counts"]["gone"] == 1 and home.send("GET", "/passages/", cookie=home.cookie)[0] == 422


def test_a_named_file_leaves_no_choice(app: App, few: Path) -> None:
    """Of a folder that was named, those below it may be chosen; of a file nothing else."""
    assert app.ask("choose", {"inside": "b"})["texts"] == 1
    assert app.ask("choose", {"inside": "../docs"})["error"]
    with App(few, "c.txt") as other:
        assert other.enter().ask("look")["may_choose"] is False
        assert other.ask("folder", {})["error"] and other.ask("choose", {"inside": "a.txt"})["error"]


def test_another_program_is_told_where_a_folder_is_open(
    home: App, few: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It ends with the address of the first; in the page it goes on with what was open. After an end all is free."""
    with App(few.parent, "docs") as first:
        told = home.ask("choose", {"inside": "docs"})["error"]["message"]
        assert told.startswith(f"{few} is open in another simsieve app, at http://{first.host}: go on there")
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(few.parent / ".runtime"))
        assert main(["app", str(few), "--no-open"]) == 2
        assert f"at http://{first.host}: go on there" in capsys.readouterr().err
        first.process.send_signal(signal.SIGKILL)
        first.process.wait()
    assert home.ask("choose", {"inside": "docs"})["texts"] == 3
    assert home.ask("choose", {"inside": "docs/b"})["texts"] == 1
    with App(few.parent, "docs") as again:
        assert again.enter().found()["counts"]["gone"] == 1


def test_empty_files_and_moved_ones_are_no_texts(home: App, few: Path) -> None:
    """They are counted with the reason; the folder of a move is not read with the folder above it."""
    (few / "empty.txt").touch()
    (few / "b" / "d.txt").write_text(story("harbour"), encoding="utf-8")
    home.ask("choose", {"inside": "docs/b"})
    home.found()
    home.ask("move", {"where": "beside"})
    look = home.ask("choose", {"inside": "docs"})
    assert {why: names for _, _, why, names in look["unread"]} == {
        "an empty file": "empty.txt", "files that were moved there before": "b.duplicates"
    }  # fmt: skip
    assert look["texts"] == 3 and home.found()["counts"]["told"].startswith("3 read")


@pytest.mark.parametrize("where", ["beside", "bin"])
def test_what_is_moved_comes_back_after_a_restart(few: Path, where: str) -> None:
    """Moves are undone by another process; a second move takes another name; what stands in the way stays."""
    before = files(few)
    for turn in range(2):
        with App(few.parent, "docs") as app:
            app.enter().found()
            assert app.ask("move", {"where": where})["said"].startswith("1 file was moved to ")
        (gone,) = set(before) - set(files(few))
        (few / gone).write_bytes(before[gone] if not turn else b"something else")
    place = few.parent / ("docs.duplicates" if where == "beside" else "data/Trash/files")
    assert len(files(place)) == 2 and set(files(place).values()) == {before[gone]}
    with App(few.parent, "docs") as app:
        batches = app.enter().ask("state")["moved"]
        refused = app.ask("undo", {"batch": batches[0][0]})
        assert (refused["said"], "something else is there now" in refused["refused"][0]) == ("0 files are back.", True)
        (few / gone).unlink()
        done = app.ask("undo", {"batch": batches[0][0]})
        assert (done["said"], len(done["state"]["moved"])) == ("1 file is back.", 1)
    assert files(few) == before and len(files(place)) == 1
    if where == "bin":
        assert len(list((few.parent / "data/Trash/info").iterdir())) == 1


def test_a_file_that_has_changed_stays(app: App, few: Path) -> None:
    """A file that was written after it was read is not moved, nor are copies of one that is kept no more."""
    app.found()
    app.ask("rule", {"rule": "longest"})
    (few / "a.txt").write_text("new text of a person", encoding="utf-8")
    answer = app.ask("move", {"where": "beside"})
    assert (
        answer["said"].startswith("0 files were moved") and "it has changed since it was read" in answer["refused"][0]
    )
    app.found()
    app.ask("look")
    assert (few / "a.txt").read_text(encoding="utf-8") == "new text of a person"


def test_a_link_in_the_way_is_not_followed(few: Path, tmp_path: Path) -> None:
    """Where the folder beside is a link, nothing is moved there; a log that was made up moves nothing in or out."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "docs.duplicates").symlink_to("elsewhere")
    secret = tmp_path / "secret.txt"
    secret.write_text("secret", encoding="utf-8")
    made_up = {"batch": 1, "time": "x", "size": 6, "changed": os.stat(secret).st_mtime_ns}
    ways = [("x.txt", secret), ("../x.txt", tmp_path / "docs.duplicates/a"), ("/x", secret), ("x", few / "a.txt")]
    rows = [json.dumps({**made_up, "from": source, "to": str(target)}) + "\n" for source, target in ways]
    (few / LOG).write_text("".join(rows) + '{"cut', encoding="utf-8")
    assert Moves(few).batches() == [] and Moves(few).undo(1) == (0, [])
    with App(few.parent, "docs") as app:
        app.enter().found()
        answer = app.ask("move", {"where": "beside"})
    assert answer["said"].startswith("0 files were moved") and "is a link to elsewhere" in answer["refused"][0]
    assert not any((tmp_path / "elsewhere").iterdir()) and secret.exists()


def test_a_kill_loses_no_file(tmp_path: Path) -> None:
    """The program is killed while it moves: each file is at one of its two places, and the undo brings all back."""
    folder = mixed(tmp_path / "docs")
    before = files(folder)
    with App(tmp_path, "docs") as app:
        app.enter().found()

        def move() -> None:
            with suppress(OSError, http.client.HTTPException):
                app.ask("move", {"where": "beside"})

        thread = threading.Thread(target=move)
        thread.start()
        while not (folder / LOG).exists():
            pass
        app.process.send_signal(signal.SIGKILL)
        thread.join()
    moves = Moves(folder)
    for batch, _, _ in moves.batches():
        assert moves.undo(batch)[1] == []
    assert files(folder) == before


def test_the_rules_keep_what_is_near_no_kept_one(tmp_path: Path) -> None:
    """By a rule one of each group stays, and those not near that one, so that nothing is lost."""
    words = [f"word{chr(97 + at // 6)}{chr(97 + at % 6)}" for at in range(30)]
    folder = tmp_path / "docs"
    folder.mkdir()
    for at, (start, end) in enumerate([(5, 25), (0, 20), (10, 30)]):
        (folder / f"{at}.txt").write_text(" ".join(words[start:end]) + " " * at, encoding="utf-8")
        os.utime(folder / f"{at}.txt", (1_700_000_000 + at,) * 2)
    with App(tmp_path, "docs") as app:
        app.enter().found()
        (group,) = app.ask("groups?start=0")["groups"]
        assert [(one["name"], one["kept"]) for one in group["members"]] == [
            ("0.txt", True), ("1.txt", False), ("2.txt", False)
        ]  # fmt: skip
        app.ask("rule", {"rule": "newest"})
        kept = {one["name"]: one["kept"] for one in app.ask("groups?start=0")["groups"][0]["members"]}
        assert kept == {"0.txt": False, "1.txt": True, "2.txt": True}
        (folder / "later.txt").symlink_to("/etc/hosts")
        app.found()
        assert app.ask("state")["counts"]["told"].startswith("3 read")
        assert "rule x is not known" in app.ask("rule", {"rule": "x"})["error"]["message"]


def test_forms_with_other_numbers_are_no_group_and_all_of_a_group_can_stay(app: App, few: Path) -> None:
    """Texts whose numbers conflict stay apart; what is changed by hand stays where a rule is for all."""
    for at in range(3):
        text = f"Invoice {71 * at + 1024} of {13 * at + 207} euro for the repair of the harbour wall in the old town"
        (few / f"invoice {at}.txt").write_text(text, encoding="utf-8")
    assert app.found()["counts"]["groups"] == 1
    (group,) = app.ask("groups?start=0")["groups"]
    assert app.ask("none", {"group": group["head"], "all": True})["state"]["counts"]["gone"] == 0
    assert app.ask("rule", {"rule": "first"})["state"]["counts"]["gone"] == 0


def test_groups_that_are_near_one_another_are_linked(tmp_path: Path) -> None:
    """A kept file that is near a dropped one of a group is named there; a scan without text is told."""
    words = [f"word{chr(97 + at // 6)}{chr(97 + at % 6)}" for at in range(30)]
    folder = tmp_path / "docs"
    folder.mkdir()
    for at, start in enumerate([0, 5, 10]):
        (folder / f"{at}.txt").write_text(" ".join(words[start : start + 20]), encoding="utf-8")
    (folder / "scan.pdf").write_bytes(pdf_of([SCAN]))
    (folder / "some.pdf").write_bytes(pdf_of([shown(["one page of text"]), SCAN]))
    with App(tmp_path, "docs") as app:
        state = app.enter().found()
        (group,) = app.ask("groups?start=0")["groups"]
    assert ([one["name"] for one in group["members"]], group["linked"]) == (["0.txt", "1.txt"], ["2.txt"])
    assert "ocrmypdf" in state["counts"]["failures"][0]
    assert "pages are pictures, as in a scan" in state["counts"]["notes"][0]


def test_the_kept_records_are_written_to_a_new_file(tmp_path: Path) -> None:
    """Records of a table are chosen by a field, and come out byte for byte under a new name, never over a file."""
    rows = [[f"{story('harbour', turn)}".replace("\n", " "), turn % 3] for turn in range(3)] + [
        [story("bakery")[:80], 9]
    ]
    lines = ["stem,score,note\n", *(f'"{text}",{score}, \n' for text, score in rows)]
    (tmp_path / "bank.csv").write_text("".join(lines), encoding="utf-8")
    with App(tmp_path, "bank.csv") as app:
        look = app.enter().ask("look")
        assert look["fields"] == ["stem", "score", "note"] and not look["is_folder"]
        state = app.found(field="stem")
        assert (state["counts"]["name"], state["counts"]["gone"]) == ("bank.kept.csv", 2)
        lines_of = app.ask("rule", {"rule": "field", "field": "note", "least": False})["said"]
        assert lines_of == (
            "3 of 3 records in groups have no value in note: those with a value go before them."
            " In 1 groups none has a value: the first one stays there."
        )
        assert app.ask("rule", {"rule": "field", "field": "score", "least": False})["said"] == ""
        app.ask("rule", {"rule": "field", "field": "score", "least": True})
        assert app.ask("groups?start=0")["groups"][0]["members"][0]["kept"]
        app.ask("rule", {"rule": "field", "field": "score", "least": False})
        for name in ("../x.csv", "/x.csv", "", ".x.csv", "a/b.csv"):
            assert "is no name of a file" in app.ask("write", {"name": name})["error"]["message"]
        assert app.ask("write", {"name": "bank.csv"})["error"]["message"].endswith("give another name")
        assert "2 records are in" in app.ask("write", {"name": "bank.kept.csv"})["said"]
        assert app.ask("state")["counts"]["name"] == "bank.kept-2.csv"
        assert "error" in app.ask("move", {"where": "bin"})
    assert (tmp_path / "bank.kept.csv").read_text(encoding="utf-8") == "".join([lines[0], lines[3], lines[4]])
    assert sorted(path.name for path in tmp_path.iterdir() if path.suffix == ".csv") == ["bank.csv", "bank.kept.csv"]


def test_a_copy_of_a_near_file_is_told_as_near(tmp_path: Path) -> None:
    """A file that is an exact copy of another one, and not of the kept one, says how near it is to that."""
    (tmp_path / "docs").mkdir()
    for name, turn in (("a", 0), ("b", 1), ("c", 1), ("d", 0)):
        (tmp_path / f"docs/{name}.txt").write_text(story("museum", turn), encoding="utf-8")
    with App(tmp_path, "docs") as app:
        app.enter().found()
        why = {one["name"][0]: one["why"] for one in app.ask("groups?start=0")["groups"][0]["members"]}
        assert why["b"] == why["c"] == "The two texts share about 97% of their wording."
        assert why["d"] == "It has the same text."
        pair = app.ask("pair?position=2")
        assert pair["why"] == why["c"] and pair["exact"].startswith("similarity 0.96")


def test_pictures_are_a_run_of_their_own(tmp_path: Path) -> None:
    """Pictures are shown as such, and the larger file of a pair is kept by the rule."""
    folder = mixed(tmp_path / "docs")
    with App(tmp_path, "docs") as app:
        assert app.enter().ask("look")["pictures"] == 6
        state = app.found(what="pictures", limit=8)
        groups = app.ask("groups?start=0")["groups"]
        assert groups and all(one["picture"].startswith("data:image/") for group in groups for one in group["members"])
        first = groups[0]
        kept = {str(one["position"]): one["kept"] for one in first["members"]}
        app.ask("none", {"group": first["head"], "none": True})
        assert app.ask("none", {"group": first["head"], "none": False})["kept"] == kept
        pair = app.ask(f"pair?position={groups[0]['members'][1]['position']}")
        assert all(pair["pictures"]) and pair["guards"] == []
        app.ask("rule", {"rule": "longest"})
        assert app.ask("move", {"where": "beside"})["said"].startswith(
            f"{state['counts']['gone']} files were moved to "
        )
    assert len(list(folder.glob("*.png"))) + len(list(folder.glob("old/*.jpg"))) == 6 - state["counts"]["gone"]


def test_a_kind_is_proposed_with_its_reason(tmp_path: Path) -> None:
    """Questions with options are seen as such, with their threshold; a run can be cancelled."""
    rows = [
        {"text": f"What is {at} times {topic}?\nA. {at}\nB. two\nC. three\nD. four"}
        for at in range(30)
        for topic in TOPICS
    ]
    write(tmp_path / "q.jsonl", rows)
    with App(tmp_path, "q.jsonl") as app:
        look: Any = app.enter().ask("look")
        assert (look["kind"], look["proposal"]["limits"]["questions"]) == ("questions", 0.5)
        assert look["proposal"]["why"] == (
            "100 of 100 texts have options A to D. The first 100 records were looked at."
        )
        app.ask("start", {"what": "texts", "limit": 0.5, "field": "text", "kind": "questions"})
        state = app.ask("cancel", {})["state"]
        assert state["running"] is False and (state["error"].startswith("The run was cancelled") or state["counts"])


def test_texts_are_looked_up_in_an_index(tmp_path: Path) -> None:
    """What is near a text of a person is shown beside it, and nothing of the index changes."""
    rows = records(3)
    Index.create(tmp_path / "seen", rows[::2]).close()
    before = files(tmp_path / "seen")
    with App(tmp_path, "seen") as app:
        assert app.enter().ask("look")["index"] == "3 documents are kept."
        (match,) = app.ask("ask", {"text": rows[1]["text"]})["matches"]
        assert match["names"] == ["r0-0", "your text"] and match["guards"] == ["numbers differ: 2 | 3"]
        assert app.ask("ask", {"text": "nothing like it anywhere"})["matches"] == []
        assert "error" in app.ask("start", {"what": "texts", "limit": 0.6})
    assert files(tmp_path / "seen") == before


def test_a_place_that_is_not_there_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line names it."""
    assert main(["app", str(tmp_path / "none")]) == 2
    assert "there is no folder or file of this name" in capsys.readouterr().err
