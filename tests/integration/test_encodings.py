"""The encoding of a source is found by trying: no text changes, a bad record fails alone, and a guess is told."""

import gzip
import json
import warnings
from pathlib import Path

import pytest
from tests.integration.conftest import Program

import simsieve as library
from simsieve import GuessedEncodingWarning

CHINESE = (
    "港口的老灯塔每隔两年都要重新刷漆", "集市广场上的面包房改了营业时间", "合唱团在旧消防站里排练到屋顶修好为止",
    "第七个码头的渡船要等潮水退了才开", "图书馆把地图室搬到了三楼靠窗的一侧", "这里的人说话慢，走路也慢",
)  # fmt: skip
TRADITIONAL = (
    "港口的老燈塔每隔兩年都要重新刷漆", "集市廣場上的麵包房改了營業時間", "合唱團在舊消防站裡排練到屋頂修好為止",
    "第七個碼頭的渡船要等潮水退了才開", "圖書館把地圖室搬到了三樓靠窗的一側", "這裡的人說話慢，走路也慢",
)  # fmt: skip
JAPANESE = (
    "港の古い灯台は二年ごとに塗り直される", "広場のパン屋は朝の七時に店を開ける",
    "合唱団は屋根が直るまで消防署で練習する",
    "渡し船は潮が引くのを待ってから出る", "図書館は地図の部屋を三階に移した",
    "この町の人はゆっくり話す",
)  # fmt: skip
KOREAN = (
    "항구의 오래된 등대는 두 해마다 다시 칠한다", "광장의 빵집은 아침 일곱 시에 문을 연다",
    "합창단은 지붕이 고쳐질 때까지 연습한다",
    "나룻배는 물이 빠지기를 기다렸다가 떠난다",
    "도서관은 지도를 삼 층으로 옮겼다", "이 마을 사람들은 천천히 말한다",
)  # fmt: skip
WESTERN = (
    "Le vieux phare du port est repeint tous les deux ans en été", "Die Bäckerei am Marktplatz öffnet früh um sieben",
    "El coro ensaya en el antiguo cuartel mañana", "O barco só sai depois da maré às três",
    "Biblioteket flyttade kartorna till tredje våningen", "A plain line without any accent",
)  # fmt: skip
RUSSIAN = ("Старый маяк в порту красят каждые два года", "Пекарня на площади открывается в семь утра")
ENCODINGS = [
    ("utf-8", CHINESE), ("utf-8-sig", CHINESE), ("gb18030", CHINESE), ("gbk", TRADITIONAL), ("big5", TRADITIONAL),
    ("shift_jis", JAPANESE), ("euc_jp", JAPANESE), ("euc_kr", KOREAN), ("cp1252", WESTERN), ("utf-8", WESTERN),
    ("utf-8", RUSSIAN), ("cp1251", RUSSIAN), ("utf-16", CHINESE), ("utf-8", KOREAN), ("utf-8", JAPANESE),
]  # fmt: skip
LINE = {"txt": "%s", "csv": '%s,"x"', "jsonl": '{"text": "%s", "more": "x"}'}
HEAD = {"csv": "text,more\n", "txt": "", "jsonl": ""}


def file_of(texts: tuple[str, ...], ending: str) -> str:
    """A file with a record for each text."""
    return HEAD[ending] + "".join(LINE[ending].replace("%s", text) + "\n" for text in texts)


def read_in(folder: Path, name: str) -> tuple[set[str], int]:
    """The texts of all records that simsieve reads with the encoding found, and how many fail."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", library.SimsieveWarning)
        result = library.dedup(folder / name, encoding="auto", similarity=1)
        result.write(folder / "all.jsonl", annotate=True)
    rows = [json.loads(line) for line in (folder / "all.jsonl").read_text().splitlines()]
    return {row["text"] for row in rows if row["decision"] != "failed"}, result.counts.failed


@pytest.mark.parametrize("ending", ["txt", "csv", "jsonl"])
@pytest.mark.parametrize(("encoding", "texts"), ENCODINGS)
@pytest.mark.parametrize("packed", [False, True])
def test_a_clean_file_is_read_as_it_was_written(
    encoding: str, texts: tuple[str, ...], ending: str, tmp_path: Path, *, packed: bool
) -> None:
    """In every encoding and format, packed or not, no text changes and no record fails."""
    data = file_of(texts, ending).encode(encoding)
    name = f"in.{ending}" + (".gz" if packed else "")
    (tmp_path / name).write_bytes(gzip.compress(data) if packed else data)

    assert read_in(tmp_path, name) == (set(texts), 0)


@pytest.mark.parametrize("ending", ["txt", "csv", "jsonl"])
@pytest.mark.parametrize(("encoding", "texts"), [each for each in ENCODINGS if each[0] not in ("utf-16", "cp1251")])
@pytest.mark.parametrize("bad", ["byte", "cut"])
def test_a_bad_record_fails_alone(encoding: str, texts: tuple[str, ...], ending: str, bad: str, tmp_path: Path) -> None:
    """One byte FF, or a line cut inside a character, costs that record, and the others come in as they were."""
    lines = file_of(texts, ending).encode(encoding).splitlines(keepends=True)
    at = len(lines) - len(texts)
    line = lines[at].rstrip(b"\n")
    place = max(place for place, byte in enumerate(line) if byte >= 0x80)
    lines[at] = (line[:place] if bad == "cut" else line[:place] + b"\xff" + line[place:]) + b"\n"
    (tmp_path / f"in.{ending}").write_bytes(b"".join(lines))
    read, failed = read_in(tmp_path, f"in.{ending}")

    # A line of single bytes that is cut is whole in every encoding; as a text it is what it says.
    whole = {line[:place].decode("cp1252")} if bad == "cut" and (ending, encoding) == ("txt", "cp1252") else set()
    assert read == whole | set(texts[1:])
    assert failed == 1 - len(whole)


@pytest.mark.parametrize(
    ("data", "texts"),
    [
        ("\n".join(CHINESE).encode("gbk") + b"\n" + "最后一行是别人用别的程序写的".encode() + b"\n", CHINESE),
        ("\n".join(CHINESE).encode() + b"\n" + "最后一行是别人用别的程序写的".encode("gbk") + b"\n", CHINESE),
        ("\n".join(CHINESE).encode() + b"\n\xed\xa0\xbd\xed\xb8\x80 " + "笑脸".encode() + b"\n", CHINESE),
        ("\n".join(CHINESE).encode() + b"\na\0b\n", CHINESE),
        (b"a\0b and little more\n" + WESTERN[0].encode() + b"\n", WESTERN[:1]),
        ("\n".join(WESTERN).encode() + b"\n" + "Öl und Käse".encode("cp1252") + b"\n", WESTERN),
        ("\n".join(WESTERN).encode("cp1252") + "\nÖl und Käse für später\n".encode(), WESTERN),
    ],
)
def test_a_record_of_another_encoding_fails_alone(data: bytes, texts: tuple[str, ...], tmp_path: Path) -> None:
    """A line that is not as the others are fails: UTF-8 in GBK, GBK in UTF-8, CESU-8, a zero byte."""
    (tmp_path / "in.txt").write_bytes(data)

    assert read_in(tmp_path, "in.txt") == (set(texts), 1)


@pytest.mark.parametrize(
    "data",
    [
        # Each line is cut inside a character.
        b"".join(text.encode("gbk")[:-1] + b"\n" for text in CHINESE),
        b"".join(text.encode("big5")[:-1] + b"\n" for text in TRADITIONAL),
        # Four bytes that are usual characters in two encodings.
        "堡垒".encode("gbk") + b"\n",
        bytes(range(128, 256)) * 8,
    ],
)
@pytest.mark.parametrize("output", ["kept.txt", "kept.jsonl"])
def test_what_cannot_be_told_stops(data: bytes, output: str, simsieve: Program) -> None:
    """Where no reading is right nothing is written: exit 2 with the file, what fails, and --encoding."""
    simsieve.file("in.txt", data)
    outcome = simsieve("dedup", "in.txt", "-o", output, "--encoding", "auto", "-q")

    assert outcome.code == 2 and "in.txt: its encoding cannot be told: of " in outcome.err
    assert "fail as UTF-8" in outcome.err and "--encoding" in outcome.err
    assert not (simsieve.folder / output).exists()


def test_a_guess_is_told_even_under_quiet(simsieve: Program) -> None:
    """What is not UTF-8 is told once, on stderr, and with --quiet too; UTF-8 is not."""
    simsieve.file("a.txt", file_of(CHINESE, "txt").encode("gb18030"))
    simsieve.file("b.txt", file_of(CHINESE, "txt").encode())
    quiet = simsieve("dedup", "a.txt", "-o", "out.txt", "--encoding", "auto", "-q")
    loud = simsieve("dedup", "a.txt", "-o", "out.txt", "--encoding", "auto")
    against = simsieve("dedup", "b.txt", "--against", "a.txt", "-o", "out2.txt", "--encoding", "auto", "-q")

    assert quiet.err == (
        "simsieve: warning: a.txt is read as gb18030, as was found by trying; --encoding names another\n"
    )
    assert loud.err.count("gb18030") == 1
    assert against.err == quiet.err
    assert (simsieve.folder / "out2.txt").read_bytes() == b""


def test_sources_of_one_encoding_are_told_in_one_line(simsieve: Program) -> None:
    """One source is named, several are counted, for each encoding."""
    names = [f"{name}.txt" for name in "abcdefgh"]
    for name in names:
        simsieve.file(name, file_of(CHINESE, "txt").encode())
    simsieve.file("i.txt", b"a plain line\n")
    found = simsieve("dedup", *names, "-o", "out.txt", "--encoding", "auto")
    given = simsieve("dedup", *names, "i.txt", "-o", "out.jsonl", "--encoding", "i.txt=gb18030", "--encoding", "UTF-8")

    assert [line for line in found.err.splitlines() if "UTF-8" in line] == [
        "simsieve: 8 sources are read as UTF-8, as was found out"
    ]
    assert "simsieve: i.txt is read as gb18030\n" in given.err


def test_a_guess_is_a_warning_in_python(tmp_path: Path) -> None:
    """A program gets a warning of a class of its own, with the file and the encoding."""
    (tmp_path / "in.txt").write_bytes(file_of(TRADITIONAL, "txt").encode("big5"))

    with pytest.warns(GuessedEncodingWarning, match=r"in\.txt is read as Big5"):
        result = library.dedup(tmp_path / "in.txt", encoding="auto")
    assert [told[1:] for told in result.encodings] == [("Big5", True)]


def test_files_of_a_folder_have_their_own_encodings(simsieve: Program) -> None:
    """Each file of a folder is decided alone: a bad one fails, pages without a charset too are read right."""
    (simsieve.folder / "in").mkdir()
    for name, data in {
        "a.txt": "\n".join(CHINESE).encode("gb18030"), "b.txt": "\n".join(TRADITIONAL).encode("big5"),
        "c.md": "\n".join(CHINESE).encode() + b"\xff", "d.html": ("<p>" + "<p>\n".join(CHINESE)).encode()[:-1],
        "e.txt": "\n".join(CHINESE).encode("gb18030") + b"\xff",
    }.items():  # fmt: skip
        simsieve.file(f"in/{name}", data)
    copies = ["\n".join(CHINESE), "\n".join(TRADITIONAL)]
    simsieve.file("copies.jsonl", "".join(json.dumps({"text": text}) + "\n" for text in copies))
    words = ("--encoding", "auto", "--similarity", "1", "--max-failed", "2", "-q")
    outcome = simsieve("dedup", "copies.jsonl", "in", "-o", "out.jsonl", "--decisions", "why.jsonl", *words)
    rows = simsieve.rows("why.jsonl")

    assert outcome.code == 0, outcome.err
    assert [row["decision"] for row in rows] == ["kept", "kept", "dropped", "dropped", "failed", "kept", "failed"]
    assert [row["representative_position"] for row in rows[2:4]] == [0, 1]
    assert [row["reason"] for row in rows if row["decision"] == "failed"] == ["invalid_utf8", "undecodable"]
    assert "in (1 file) is read as gb18030" in outcome.err and "in (1 file) is read as Big5" in outcome.err


MIXED = {"a.csv": ("gb18030", "csv"), "b.csv": ("gb18030", "csv"), "c.jsonl": ("utf-8", "jsonl")}


def mixed(program: Program) -> None:
    """Three files in two encodings."""
    for number, (name, (encoding, ending)) in enumerate(MIXED.items()):
        program.file(name, file_of(CHINESE[2 * number : 2 * number + 2], ending).encode(encoding))


@pytest.mark.parametrize(
    "words",
    [
        ("--encoding", "*.csv=gb18030"),
        ("--encoding", "*.csv=gb18030", "--encoding", "auto"),
        ("--encoding", "utf-8", "--encoding", "?.csv=gbk"),
        ("--encoding", "a.csv=gbk", "--encoding", "*.csv=gb18030", "--encoding", "[c].jsonl=utf-8"),
        ("--config", "run.toml"),
    ],
)
def test_an_encoding_may_be_for_some_sources(words: tuple[str, ...], simsieve: Program) -> None:
    """PATTERN=NAME is for the files that match; the first that matches counts, and a plain name is for the rest."""
    mixed(simsieve)
    simsieve.file("run.toml", 'encoding = ["*.csv=gb18030"]\n')
    simsieve("dedup", "a.csv", "b.csv", "c.jsonl", "-o", "out.jsonl", *words, "-q").silent()
    rows = simsieve.rows("out.jsonl")
    assert [row["text"] for row in rows] == list(CHINESE)


def test_patterns_in_python_in_folders_and_in_saved_runs(simsieve: Program) -> None:
    """A mapping names encodings by patterns, also of files in a folder; a run directory has them all."""
    (simsieve.folder / "in").mkdir()
    simsieve.file("in/a.txt", CHINESE[0].encode("gbk"))
    simsieve.file("in/b.txt", TRADITIONAL[0].encode("big5"))
    simsieve.file("c.txt", CHINESE[1].encode())
    sources_in_python = [simsieve.folder / "in", simsieve.folder / "c.txt"]
    assert library.dedup(sources_in_python, encoding={"a.txt": "gbk", "*/b*": "big5"}).counts.failed == 0
    mixed(simsieve)
    words = ("--encoding", "*.csv=gb18030")
    sources = ("a.csv", "b.csv", "c.jsonl")
    assert simsieve("dedup", *sources, "-o", "one.jsonl", *words, "--run-dir", "a.run", "-q").code == 0
    simsieve("dedup", "--run-dir", "a.run", "-o", "two.jsonl", "-q").silent()
    assert (simsieve.folder / "one.jsonl").read_bytes() == (simsieve.folder / "two.jsonl").read_bytes()
