"""`simsieve lines` as a program: what it says and writes, stdin, folders, bounds of memory, and bad input."""

import json

from tests.integration.conftest import Program, jsonl

MENU, OWN = "首页 新闻 关于我们的港口", "老灯塔每隔两年都要重新刷漆一次。"


def records(texts: list[str]) -> str:
    """Records as JSON lines."""
    return jsonl({"id": at, "site": at % 2, "text": text} for at, text in enumerate(texts))


def test_outputs_and_numbers(simsieve: Program) -> None:
    """Records, table, short documents and numbers; a failed record is told and in no output."""
    texts = [f"{MENU}\n{OWN}{at}" for at in range(3)] + [f"{MENU}\nx"]
    simsieve.file("in.jsonl", records(texts) + "no json\n")
    done = simsieve(
        "lines", "in.jsonl", "-o", "out.jsonl", "--table", "units.csv", "--rest-below", "5", "--dropped", "short.jsonl",
        "--json", "--failed", "failed.jsonl", "--scope", "site",
    )  # fmt: skip
    numbers = json.loads(done.out)
    out = [row["text"] for row in simsieve.rows("out.jsonl")]
    short = json.loads((simsieve.folder / "short.jsonl").read_text(encoding="utf-8"))

    assert done.code == 1
    assert out == [texts[0], texts[1], f"{OWN}2"]
    assert (numbers["read"], numbers["failed"], numbers["short"], numbers["removed_units"]) == (5, 1, 1, 2)
    assert [one["scope"] for one in numbers["scopes"]] == [0, 1]
    assert (short["id"], short["repeated"], short["rest"]) == (3, [[0, len(MENU) + 1]], 1)
    assert (simsieve.folder / "units.csv").read_text(encoding="utf-8-sig").count(MENU) == 2
    assert (simsieve.folder / "failed.jsonl").read_bytes().count(b"\n") == 1


def test_stdin_and_bounds_change_no_byte(simsieve: Program) -> None:
    """From a pipe, packed, with any threads and memory the output is the same."""
    texts = [f"{MENU}{at % 50}\n{OWN}{at}\n{MENU}" for at in range(3000)]
    simsieve.file("in.jsonl", records(texts))
    whole = (simsieve.folder / "in.jsonl").read_bytes()
    free = simsieve("lines", "in.jsonl", "-o", "-", "-q", "--threads", "1")
    held = simsieve("lines", "in.jsonl", "-o", "-", "-q", "--threads", "3", "--memory", "1KiB")
    piped = simsieve("lines", "-", "-o", "-", "-q", "--input-format", "jsonl", given=whole)

    assert (free.code, held.code, piped.code) == (0, 0, 0), held.err + piped.err
    assert free.out == held.out == piped.out and free.out.count(MENU.encode()) <= 3000
    near = simsieve("lines", "in.jsonl", "-o", "-", "-q", "--near", "0.95", "--memory", "1KiB")
    assert near.code == 0 and near.out.count(b"\n") == 3000


def test_annotated_records_and_folders(simsieve: Program) -> None:
    """Annotated records are whole; files of a folder come out as files."""
    simsieve.file("in.csv", f"id,text\n1,{MENU}\n2,{MENU}\n")
    assert simsieve("lines", "in.csv", "-o", "all.csv", "--annotate", "-q").code == 0
    rows = (simsieve.folder / "all.csv").read_text(encoding="utf-8-sig").splitlines()
    assert rows[0] == "id,text,repeated,rest" and rows[2] == f'2,{MENU},"[[0, {len(MENU)}]]",0'
    (simsieve.folder / "pages").mkdir()
    for name in "ab":
        (simsieve.folder / f"pages/{name}.txt").write_text(f"{MENU}\n{name}", encoding="utf-8")
    assert simsieve("lines", "pages", "-o", "clean/", "-q").code == 0
    assert (simsieve.folder / "clean/b.txt").read_text(encoding="utf-8") == "b"
    assert "go to a folder" in simsieve("lines", "pages", "-o", "clean.txt").err


def test_hostile_shapes(simsieve: Program) -> None:
    """A hundred thousand equal lines, one line of every document, a document of 10 MB and empty ones take no time."""
    texts = [f"{MENU}\n" * 100_000, *(f"{MENU}\n{at}" for at in range(2000)), OWN * 200_000, "", "\n\n", " "]
    simsieve.file("in.jsonl", records(texts))
    done = simsieve("lines", "in.jsonl", "-o", "out.jsonl", "--unit", "line")
    out = [row["text"] for row in simsieve.rows("out.jsonl")]

    assert done.code == 0, done.err
    assert out == [f"{MENU}\n", *map(str, range(2000)), *texts[2001:]]
    assert "102,000" in done.err
