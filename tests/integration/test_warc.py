"""Pages of WARC files: what is a record, its fields, its text, and where it goes."""

import gzip
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from tests.integration.conftest import Program
from tests.integration.warc_files import HTML, http, packed, pages, record

from simsieve import ConfigError, SourceError, dedup

A = "<h1>The ferry</h1><p>It leaves the harbour at seven, and whoever is late must walk.</p>"
B = "<p>The baker counts the loaves in the morning and again at night."
C = "<p>今天天气很好，我们去公园玩吧，大家都很高兴"


@pytest.mark.parametrize("packing", ["", "members", "one member"])
def test_pages_are_records_with_their_fields(packing: str, simsieve: Program) -> None:
    """Responses with HTML alone are records; what HTTP did to a page is undone."""
    records = [
        record(b"software: x\r\n", 1, "warcinfo"),
        record(b"GET / HTTP/1.1\r\n\r\n", 2, "request"),
        record(http(A.encode()), 3),
        record(http(C.encode("gbk"), "text/html; charset=gbk"), 4),
        record(http(b"\x89PNG", "image/png"), 5),
        record(http(gzip.compress(B.encode()), HTML, "Content-Encoding: gzip"), 6),
        record(http(b"%x\r\n" % len(A) + A.encode() + b"\r\n0\r\n\r\n", HTML, "Transfer-Encoding: chunked"), 7),
        record(http(b"<meta charset=big5>" + C.encode("big5", "replace"), "text/html; charset=no-such"), 8),
    ]
    name = "in.warc.gz" if packing else "in.warc"
    content = b"".join(records)
    simsieve.file(name, {"": content, "members": packed(records), "one member": gzip.compress(content)}[packing])
    simsieve("dedup", name, "-o", "kept.jsonl", "--decisions", "why.jsonl", "--quiet").silent()
    found = simsieve.rows("kept.jsonl")
    assert [row["text"] for row in found[:3]] == [A, C, B]
    assert found[3]["text"].startswith("<meta charset=big5><p>今天天")
    assert {name: value for name, value in found[0].items() if name != "text"} == {
        "id": "urn:uuid:3", "url": "http://example.org/3", "date": "2026-01-02T03:04:05Z"
    }  # fmt: skip
    assert [row["decision"] for row in simsieve.rows("why.jsonl")] == ["kept"] * 3 + ["dropped", "kept"]


def test_pages_are_compared_by_their_text(simsieve: Program) -> None:
    """`--extract text` and the other options for pages serve them."""
    simsieve.file("in.warc.gz", packed(pages([A, A.replace("h1", "h2"), B])))

    assert simsieve("dedup", "in.warc.gz", "-o", "kept.csv", "--extract", "text", "--quiet").code == 0
    assert (simsieve.folder / "kept.csv").read_text("utf-8-sig").splitlines()[0] == "id,url,date,text"
    assert (simsieve.folder / "kept.csv").read_text("utf-8-sig").count("urn:uuid") == 2


def test_archives_go_to_a_folder_of_another_format(simsieve: Program) -> None:
    """With other files too; WARC itself is not written."""
    simsieve.file("a.warc.gz", packed(pages([A, B])))
    simsieve.file("b.jsonl", json.dumps({"id": 1, "text": C, "n": 2}) + "\n" + json.dumps({"text": B}) + "\n")
    assert "--output-format" in simsieve("dedup", "a.warc.gz", "b.jsonl", "-o", "out/", "--quiet").refused()
    assert simsieve("dedup", "a.warc.gz", "b.jsonl", "-o", "out/", "--output-format", "jsonl", "--quiet").code == 0
    unpacked = gzip.decompress((simsieve.folder / "out" / "a.jsonl.gz").read_bytes()).decode().splitlines()
    assert [json.loads(line)["text"] for line in unpacked] == [A, B]
    assert simsieve.rows("out/b.jsonl") == [{"id": 1, "text": C, "n": 2}]
    assert simsieve("dedup", "a.warc.gz", "b.jsonl", "-o", "all.parquet", "--annotate", "--quiet").code == 0
    table = pq.read_table(simsieve.folder / "all.parquet")
    assert table["url"].to_pylist() == ["http://example.org/0", "http://example.org/1", None, None]
    assert table["decision"].to_pylist() == ["kept", "kept", "kept", "dropped"]
    assert simsieve("dedup", "a.warc.gz", "-o", "parts/", "--shard-size", "1", "--quiet").code == 0
    assert len(list((simsieve.folder / "parts").glob("part-0000?.jsonl.gz"))) == 2


def test_responses_that_cannot_be_used_are_failed_records(tmp_path: Path) -> None:
    """Each has its code, its place and what to do; the others are decided on."""
    bad = [b"no HTTP at all\r\n\r\n<p>x", b"", http(bytes(range(1, 32)) * 4), http(b"<p>" + b"long " * 300)]
    path = tmp_path / "in.warc"
    path.write_bytes(b"".join([*pages([A]), *(record(block, 2) for block in bad), *pages([B])]))
    result = dedup(path, max_failed=4, max_record_bytes=900)

    assert [(position, code) for position, code, _ in result.failures()] == [
        (1, "unreadable"), (2, "unreadable"), (3, "not_text"), (4, "too_long")
    ]  # fmt: skip
    assert f"{path} row 2: the response does not begin with a status line of HTTP" in result.failures()[0][2]
    assert result.counts.kept == 2
    result.write(None, failed=tmp_path / "bad.jsonl")
    assert "urn:uuid:2" in json.loads((tmp_path / "bad.jsonl").read_text().splitlines()[0])["record"]


@pytest.mark.parametrize("cut", [20, 60, 150, 260, 420])
def test_an_archive_that_is_cut_off_ends_the_run(cut: int, tmp_path: Path) -> None:
    """Wherever it is cut, packed or not."""
    plain, zipped = b"".join(pages([A, B])), packed(pages([A, B]))
    for name, content in (("in.warc", plain[:-cut]), ("in.warc.gz", zipped[: -cut // 2])):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(SourceError, match=f"{name}: is no whole .* file .*; fetch or write it again"):
            dedup(tmp_path / name)


@pytest.mark.parametrize("length", [1000, 50, "-5", "many", 10**12])
def test_a_record_of_another_length_ends_the_run(length: object, tmp_path: Path) -> None:
    """What follows it cannot be found; the message has the number of the record."""
    content = b"".join([*pages([A]), record(http(B.encode()), 1, length=length), *pages([C])])
    (tmp_path / "in.warc").write_bytes(content)
    with pytest.raises(SourceError, match=r"is no whole WARC file \(record [23]: "):
        dedup(tmp_path / "in.warc")


def test_settings_of_text_files_are_refused(tmp_path: Path) -> None:
    """Each page has an encoding of its own."""
    (tmp_path / "in.warc").write_bytes(b"".join(pages([A])))
    for setting in ({"encoding": "gbk"}, {"delimiter": ";"}):
        with pytest.raises(ConfigError, match="WARC has"):
            dedup(tmp_path / "in.warc", **setting)  # type: ignore[arg-type]
