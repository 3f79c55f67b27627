"""`simsieve passages` as a program: files of all kinds, what it says, and bad input."""

import json
from pathlib import Path

import pytest
from tests.integration.conftest import Program
from tests.integration.review_server import Passages

LINE = "港口的老灯塔每隔两年都要重新刷漆一次，守塔人说这是祖父那一辈留下来的规矩，谁也不敢忘记。"
OTHER = "夏天的午后，蝉声从槐树上落下来，整条街道都昏昏欲睡，只有卖冰棍的老人还推着车慢慢往前走。"


def lines(texts: list[str]) -> str:
    """Records as JSON lines."""
    return "".join(json.dumps({"id": f"t{at}", "text": text}) + "\n" for at, text in enumerate(texts))


def test_a_thesis_is_held_against_files_of_every_kind(simsieve: Program) -> None:
    """A file of text is one document, its lines together; the corpus may be a folder, JSON lines or a table."""
    simsieve.file("thesis.txt", f"第一章\n{OTHER}\n{LINE}\n")
    simsieve.file("corpus.jsonl", lines(["无关的文字", LINE]))
    simsieve.file("corpus.csv", f"id,text\nx,无关的文字\nt1,{LINE}\n")
    (simsieve.folder / "corpus").mkdir()
    simsieve.file("corpus/t1.txt", f"前言\n{LINE}\n")
    for corpus in ("corpus.jsonl", "corpus.csv", "corpus"):
        done = simsieve("passages", "thesis.txt", "--against", corpus, "-o", "-", "--totals", "totals.csv")
        (row,) = [json.loads(line) for line in done.out.splitlines()]
        assert done.code == 0, done.err
        assert (row["document"], row["source"].removesuffix(".txt")) == ("thesis.txt", "t1"), corpus
        (span,) = row["spans"]
        text = (simsieve.folder / "thesis.txt").read_text(encoding="utf-8")
        assert text[span["start"] : span["end"]] == LINE.rstrip("。")
        assert "1 passages in 1 pairs: 1 of 1 documents" in done.err
        assert "found for certain: a shared run of 15 Chinese characters, or 15 other letters" in done.err
        assert (simsieve.folder / "totals.csv").read_text(encoding="utf-8-sig").count("\n") == 2


def test_the_text_of_each_side_is_named(simsieve: Program) -> None:
    """`--of-text-field` is the field of the items, also with kept anchors and in a table."""
    simsieve.file("train.jsonl", lines([f"{OTHER}{LINE}"]))
    simsieve.file("test.jsonl", json.dumps({"id": 1, "stem": LINE}) + "\n")
    simsieve.file("test.csv", f"id,stem\n1,{LINE}\n")
    words = ("passages", "train.jsonl", "-o", "-", "-q", "--contained", "0.8")
    for items in ("test.jsonl", "test.csv"):
        assert "--against-text-field" in simsieve(*words, "--of", items).refused()
        named = (*words, "--of", items, "--of-text-field", "stem")
        found, made = simsieve(*named), simsieve(*named, "--anchors", f"{items}.anchors")
        again = simsieve(*named, "--anchors", f"{items}.anchors")
        assert found.code == 0 and found.out == made.out == again.out and found.out.count(b"\n") == 1


def test_hits_are_judged(simsieve: Program) -> None:
    """A table is filled in and read again; a page has the same rows, and doubtful rows are told or listed."""
    simsieve.file("train.jsonl", lines([f"{OTHER}{LINE}", f"{LINE}{OTHER}", f"{OTHER}{LINE[:30]}"]))
    simsieve.file("tests.jsonl", lines([LINE]))
    words = ("passages", "train.jsonl", "--of", "tests.jsonl", "--contained", "0.6")
    done = simsieve(*words, "--review", "sample.csv")
    assert "1 pairs that lack a part" in done.err and "2 of 2 pairs to judge -> sample.csv" in done.err
    table = (simsieve.folder / "sample.csv").read_text("utf-8-sig")
    judged = table.replace("t0,t0,,", "t0,t0,same,").replace("t1,t0,,", "t1,t0,different,")
    simsieve.file("judged.csv", judged)
    done = simsieve(*words, "--doubtful", "--verdicts", "judged.csv", "--review", "page.html", "--quiet").silent()
    assert "0.5000 (95 % interval" in done.out.decode()
    page = (simsieve.folder / "page.html").read_text("utf-8")
    assert page.count('"naming"') == 3 and page.count('"verdict": "different"') == 1


def test_the_numbers_are_json_and_failed_records_are_told(simsieve: Program) -> None:
    """`--json` has the counts; failed records of both sides go on, are named and give exit code 1."""
    simsieve.file("new.jsonl", lines([LINE]) + "no json\n")
    simsieve.file("old.jsonl", lines([LINE]) + "[1]\n")
    done = simsieve("passages", "new.jsonl", "--against", "old.jsonl", "--json", "--failed", "failed.jsonl")

    numbers = json.loads(done.out)
    assert done.code == 1
    assert (numbers["pairs"], numbers["passages"], numbers["read"], numbers["failed"]) == (1, 1, 2, 2)
    assert "not_json" in done.err and "not_object" in done.err
    assert (simsieve.folder / "failed.jsonl").read_bytes().count(b"\n") == 2
    quiet = simsieve("passages", "new.jsonl", "--against", "old.jsonl", "-q", "--max-failed", "1")
    assert quiet == (0, b"", "")


def test_a_bound_of_memory_changes_no_byte(simsieve: Program) -> None:
    """What does not fit goes through files, and the rows are the same."""
    texts = [f"{LINE[at % 9 :]}{at}{OTHER[: 45 - at % 7]}" for at in range(60)]
    simsieve.file("all.jsonl", lines(texts))
    free = simsieve("passages", "all.jsonl", "-o", "-", "--common", "100", "-q", "--threads", "1")
    held = simsieve("passages", "all.jsonl", "-o", "-", "--common", "100", "-q", "--memory", "1KiB", "--threads", "3")

    assert free.code == held.code == 0, held.err
    assert free.out == held.out and free.out.count(b"\n") > 1000


def test_the_served_page_gives_texts_to_who_has_the_address(tmp_path: Path) -> None:
    """Nobody else is answered, every answer has the policy, and what is no document or source of it is not there."""
    (tmp_path / "a.jsonl").write_text(lines([LINE, f"{OTHER}{LINE}", OTHER[:20]]), encoding="utf-8")
    with Passages(tmp_path, "a.jsonl") as page:
        asked = ["/", "/api/begin", "/api/document?number=0", "/api/text?number=0&of=0"]
        outside = [page.send("GET", path)[0] for path in asked]
        page.enter()
        answers = [page.send("GET", path, cookie=page.cookie) for path in asked]
        other = page.send("GET", "/api/begin", cookie=page.cookie, origin="http://evil.example")[0]
        wrong = ["document?number=1", "document?number=99", "text?number=2&of=0", "text?number=9&of=9", "text?number=x"]
        codes = [page.ask(path)["error"]["code"] for path in wrong]
        begun, document, text = (json.loads(answer[2]) for answer in answers[1:])

    assert outside == [401] * 4 and other == 403
    for status, headers, _ in answers:
        policy = headers["content-security-policy"]
        assert status == 200 and "default-src 'none'" in policy and "unsafe" not in policy
    assert LINE.encode() not in answers[0][2] + answers[1][2] + answers[2][2]
    assert (begun["names"], document["names"]) == ({"0": "t1", "1": "t0", "2": "t2"}, {"1": "t0"})
    assert text == [[0, f"{OTHER}{LINE}", False]]
    assert codes == ["not_found"] * 4 + ["config"]


@pytest.mark.slow
def test_a_huge_document_and_a_million_lines(simsieve: Program) -> None:
    """A document of 50 MB is held against its own middle, and a million equal lines end and are told."""
    unit = "".join(chr(0x4E00 + at * 7919 % 20000) for at in range(20000))
    huge = "".join(unit[at * 37 % 19000 :] + unit[: at * 37 % 19000] for at in range(850))
    simsieve.file("huge.txt", huge)
    simsieve.file("middle.txt", LINE + huge[9_000_000:9_001_000])
    done = simsieve("passages", "huge.txt", "--against", "middle.txt", "--json", "-q")
    assert done.code == 0 and len(huge.encode()) > 50_000_000
    simsieve.file("lines.jsonl", json.dumps({"text": LINE}, ensure_ascii=False) + "\n")
    line = (simsieve.folder / "lines.jsonl").read_bytes()
    (simsieve.folder / "lines.jsonl").write_bytes(line * 1_000_000)
    done = simsieve("passages", "lines.jsonl", "--json", "-q")
    assert json.loads(done.out)["common"] == 1_000_000 and json.loads(done.out)["pairs"] == 0


def test_anchors_are_kept_and_made_anew_where_the_corpus_changes(simsieve: Program) -> None:
    """With kept anchors a run gives the same rows; a changed corpus is told; another file is refused."""
    simsieve.file("thesis.jsonl", lines([f"{OTHER}{LINE}", OTHER]))
    simsieve.file("corpus.jsonl", lines(["无关的文字", LINE]) + "no json\n")
    words = ("passages", "thesis.jsonl", "--against", "corpus.jsonl", "-o", "-")
    plain = simsieve(*words)
    made = simsieve(*words, "--anchors", "kept.anchors")
    stamp = (simsieve.folder / "kept.anchors").stat().st_mtime_ns
    again = simsieve(*words, "--anchors", "kept.anchors", "--memory", "1KiB")
    assert (made.out, again.out, again.err) == (plain.out, plain.out, plain.err)
    assert (simsieve.folder / "kept.anchors").stat().st_mtime_ns == stamp

    simsieve.file("corpus.jsonl", lines(["无关的文字", OTHER]))
    changed = simsieve(*words, "--anchors", "kept.anchors")
    assert "kept.anchors was made of other records" in changed.err and changed.out == simsieve(*words).out

    wrong = simsieve(*words, "--anchors", "corpus.jsonl")
    assert (wrong.code, wrong.out) == (2, b"") and "corpus.jsonl: is not a file of anchors" in wrong.err
    alone = simsieve("passages", "thesis.jsonl", "--anchors", "kept.anchors")
    assert alone.code == 2 and "--anchors keeps what is known of old records" in alone.err
