"""Inputs that are not as they should be, and what becomes of them: the cases behind `docs/reference/bad-input.md`.

Each case says what it expects: a record that fails with a code, an error by its name, or the numbers of records and
kept records. `run` makes its files and carries it out; `page` writes the table of the results.
"""

import gzip
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import chdir, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

from tests.integration.bad_files import (
    ENGLISH,
    GOOD,
    LINE,
    OTHER,
    cut,
    fifo,
    gbk_name,
    grown,
    gz,
    loop,
    nested,
    parquet,
    parquet_bytes,
    parquet_files,
    symlinked,
    write_files,
    zst,
)  # fmt: skip
from tests.integration.bad_runs import RUNS
from tests.integration.bad_schemes import ROWS
from tests.integration.paper_files import LOCKED, OLD_WORD, SCAN, pdf, pdf_of, shown, word, word_xml
from tests.integration.powerless import powerless, what_is_closed_is_closed
from tests.integration.warc_files import HTML, http, record

from simsieve import registry
from simsieve.config.settings import DedupConfig
from simsieve.errors import SimsieveError
from simsieve.registry import StoreName, on_disk
from simsieve.run.pipeline import run_dedup
from simsieve.sinks.checks import Sinks

Files = Mapping[str, bytes]
PAGE = http(LINE)
WARC = record(PAGE)


@dataclass(frozen=True)
class Case:
    """One bad input: format, what is wrong, its files or what makes them, and the outcome that is expected.

    `without` is a module that is not installed, and `closed` a file or folder to which everyone has the rights `mode`.
    """

    form: str
    what: str
    files: Files | Callable[[], None]
    expect: str
    source: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    sink: str = ""
    without: str = ""
    closed: str = ""
    mode: int = 0

    @property
    def name(self) -> str:
        """Its name in the report of the tests."""
        return f"{self.form}: {self.what}"


@contextmanager
def shut(name: str, mode: int) -> Iterator[None]:
    """Close a file or folder to everyone for a while, where one is named: root meets what any user meets."""
    if not name:
        yield
        return
    if not what_is_closed_is_closed():
        raise RuntimeError("root reads any file here, and that right cannot be put away: carry this out as a user")
    usual = Path(name).stat().st_mode
    Path(name).chmod(mode)
    try:
        with powerless():
            yield
    finally:
        Path(name).chmod(usual)


def run(case: Case) -> tuple[str, str]:
    """Carry a case out in an empty folder: its outcome in short, and the message word for word."""
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        if callable(case.files):
            case.files()
        else:
            write_files(case.files)
        source = case.source or next(iter(case.files if isinstance(case.files, Mapping) else ()))
        paths = [Path(name) if on_disk(name) else StoreName(name) for name in source.split()]
        sink = case.sink or ("kept.parquet" if source.endswith(".parquet") else "kept")
        stood = Path(sink).exists()
        hidden = {case.without: None} if case.without else {}
        try:
            with mock.patch.dict(sys.modules, hidden), shut(case.closed, case.mode):
                if hidden:  # A package of a store that was imported with the module has to look for it again.
                    registry.package.cache_clear()
                    for name in [name for name in sys.modules if name.startswith("simsieve.stores.")]:
                        del sys.modules[name]
                result = run_dedup(paths, DedupConfig.from_settings(case.settings), Sinks(sink), warn=lambda _: None)
        except SimsieveError as error:
            assert Path(sink).exists() == stood
            return type(error).__name__, str(error)
    counts = result.counts
    if result.failures():
        _, code, message = result.failures()[0]
        return f"{code}; {counts.failed} of {counts.read} fail", message
    return f"kept {counts.kept} of {counts.read}", ""


def table(text: str) -> bytes:
    """A table with a text column and these lines below its header."""
    return f"id,text\n1,{ENGLISH}\n{text}".encode()


TEXT = [
    Case("jsonl", "an empty file", {"in.jsonl": b""}, "kept 0 of 0"),
    Case("jsonl", "blank lines", {"in.jsonl": b"\n \n" + GOOD + b"\n"}, "kept 1 of 1"),
    Case("jsonl", "no JSON", {"in.jsonl": GOOD + b"no JSON\n"}, "not_json; 1 of 2"),
    Case("jsonl", "a line cut off", {"in.jsonl": GOOD + b'{"text": "cut'}, "not_json; 1 of 2"),
    Case("jsonl", "two objects in a line", {"in.jsonl": GOOD + b'{"text": "a"} {}\n'}, "not_json; 1 of 2"),
    Case("jsonl", "a zero byte", {"in.jsonl": GOOD + b'{"text": "a\0b"}\n'}, "not_json; 1 of 2"),
    Case("jsonl", "a list", {"in.jsonl": GOOD + b"[1]\n"}, "not_object; 1 of 2"),
    Case("jsonl", "another field", {"in.jsonl": GOOD + b'{"body": "a"}\n'}, "no_text_field; 1 of 2"),
    Case("jsonl", "a key twice", {"in.jsonl": b'{"text": 1, "text": "the last one counts"}\n'}, "kept 1 of 1"),
    Case("jsonl", "a number for a text", {"in.jsonl": GOOD + b'{"text": 7}\n'}, "text_not_string; 1 of 2"),
    Case("jsonl", "null for a text", {"in.jsonl": GOOD + b'{"text": null}\n'}, "text_not_string; 1 of 2"),
    Case("jsonl", "half of a surrogate pair", {"in.jsonl": GOOD + b'{"text": "\\ud83d"}\n'}, "lone_surrogate; 1 of 2"),
    Case("jsonl", "bytes that are no UTF-8", {"in.jsonl": GOOD + b'{"text": "caf\xe9"}\n'}, "invalid_utf8; 1 of 2"),
    Case("jsonl", "UTF-16", {"in.jsonl": GOOD.decode().encode("utf-16")}, "SourceError"),
    Case("jsonl", "UTF-32", {"in.jsonl": GOOD.decode().encode("utf-32")}, "SourceError"),
    Case("jsonl", "a mark of UTF-8", {"in.jsonl": b"\xef\xbb\xbf" + GOOD}, "kept 1 of 1"),
    Case("jsonl", "a record beyond the limit", {"in.jsonl": GOOD + b'{"text": "' + b"x" * 200 + b'"}\n'},
         "too_long; 1 of 2", settings={"max_record_bytes": 150}),
    Case("jsonl", "200,000 brackets", {"in.jsonl": GOOD + b'{"a": ' + b"[" * 200_000 + b"\n"}, "not_json; 1 of 2"),
    Case("jsonl", "deep objects below the text field", nested, "no_text_field; 1 of 2", "in.jsonl"),
    Case("jsonl", "a file that is missing", {"other": b""}, "SourceError", "in.jsonl"),
    Case("jsonl", "a folder of that name", {"in.jsonl/a.txt": LINE}, "kept 1 of 1", "in.jsonl"),
    Case("jsonl", "a folder, and a format for files", {"in/a.jsonl": GOOD}, "SourceError", "in",
         {"input_format": "jsonl"}),
    Case("jsonl", "a file that grows while it is read", grown, "SourceError", "in.jsonl"),
    Case("jsonl", "a pattern that matches nothing", {"other": b""}, "SourceError", "*.jsonl"),
    Case("jsonl", "a loop of links", symlinked, "SourceError", "in.jsonl"),
    Case("jsonl", "a name in GBK", gbk_name, "SourceError", os.fsdecode(b"\xd6\xd0.jsonl")),
    Case("txt", "an empty file", {"in.txt": b""}, "kept 0 of 0"),
    Case("txt", "empty lines", {"in.txt": b"\n\n" + LINE}, "kept 3 of 3"),
    Case("txt", "a zero byte", {"in.txt": LINE + b"a\0b\n"}, "nul; 1 of 2"),
    Case("txt", "a picture", {"in.txt": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"}, "invalid_utf8; 2 of 3"),
    Case("gz", "cut off", {"in.jsonl.gz": cut(gz(GOOD))}, "SourceError"),
    Case("gz", "a damaged byte", {"in.jsonl.gz": gz(GOOD)[:-8] + bytes(8)}, "SourceError"),
    Case("gz", "not packed", {"in.jsonl.gz": GOOD}, "SourceError"),
    Case("gz", "nothing in it", {"in.jsonl.gz": b""}, "SourceError"),
    Case("gz", "the packing of nothing", {"in.jsonl.gz": gz(b"")}, "kept 0 of 0"),
    Case("gz", "packed, and not named so", {"in.jsonl": gz(GOOD)}, "SourceError"),
    Case("zst", "cut off", {"in.jsonl.zst": cut(zst(GOOD))}, "SourceError"),
    Case("zst", "another packing", {"in.jsonl.zst": gz(GOOD)}, "SourceError"),
]  # fmt: skip

TABLES = [
    Case("csv", "an empty file", {"in.csv": b""}, "kept 0 of 0"),
    Case("csv", "a header only", {"in.csv": b"id,text\n"}, "kept 0 of 0"),
    Case("csv", "a mark of UTF-8 and CRLF", {"in.csv": b"\xef\xbb\xbfid,text\r\n1," + LINE[:-1] + b"\r\n"},
         "kept 1 of 1"),
    Case("csv", "a field too few", {"in.csv": table("2\n")}, "ragged_row; 1 of 2"),
    Case("csv", "a field too many", {"in.csv": table("2,a, b\n")}, "ragged_row; 1 of 2"),
    Case("csv", "text after a quote", {"in.csv": table('2,"a"b\n')}, "bad_quotes; 1 of 2"),
    Case("csv", "a quote that is never closed", {"in.csv": table('2,"a\n3,b c d e\n')}, "bad_quotes; 1 of 3"),
    Case("csv", "a quote inside a field", {"in.csv": table('2,a 5" nail\n')}, "kept 2 of 2"),
    Case("csv", "line breaks inside quotes", {"in.csv": table('2,"two\nlines"\n3\n')}, "ragged_row; 1 of 3"),
    Case("csv", "a zero byte", {"in.csv": table("2,a\0b\n")}, "nul; 1 of 2"),
    Case("csv", "bytes that are no UTF-8", {"in.csv": table("") + b"2,caf\xe9\n"}, "invalid_utf8; 1 of 2"),
    Case("csv", "no column of the name", {"in.csv": b"id,body\n1,a\n"}, "ConfigError"),
    Case("csv", "two columns of the name", {"in.csv": b"text,text\na,b\n"}, "ConfigError"),
    Case("csv", "semicolons", {"in.csv": b"id;text\n1;a\n"}, "kept 1 of 1"),
    Case("csv", "tabs", {"in.csv": b"id\ttext\n1\ta\n"}, "kept 1 of 1"),
    Case("csv", "semicolons in some rows", {"in.csv": b"id;text\n1\n2;a\n3\n"}, "ConfigError"),
    Case("csv", "another sign is named", {"in.csv": b"id,text\n1,a\n"}, "ConfigError", settings={"delimiter": "|"}),
    Case("csv", "carriage returns alone", {"in.csv": b"id,text\r1,a\r"}, "SourceError"),
    Case("csv", "a header with an open quote", {"in.csv": b'id,"text\n1,a\n'}, "SourceError"),
    Case("csv", "a header that is no UTF-8", {"in.csv": b"caf\xe9,text\n1,a\n"}, "SourceError"),
    Case("csv", "100,000 columns", {"in.csv": b"c," * 99_999 + b"text\n" + b"1," * 99_999 + LINE}, "kept 1 of 1"),
    Case("csv", "100,000 columns, and a row of two", {"in.csv": b"c," * 99_999 + b"text\n1,2\n"}, "ragged_row; 1 of 1"),
    Case("csv", "tables of other columns", {"a.csv": b"id,text\n1,a\n", "b.csv": b"text\na\n"}, "ConfigError",
         "a.csv b.csv"),
    Case("csv", "cut off, packed", {"in.csv.gz": cut(gz(table("")))}, "SourceError"),
    Case("json", "an item that is no object", {"in.json": b'[{"text": "a"}, 3]'}, "not_object; 1 of 2"),
    Case("json", "an item that is no JSON", {"in.json": b'[{"text": "a"}, {"text": b}]'}, "not_json; 1 of 2"),
    Case("json", "cut off", {"in.json": b'[{"text": "a"}, {"text": "b'}, "SourceError"),
    Case("json", "a comma too many", {"in.json": b'[{"text": "a"},]'}, "SourceError"),
    Case("json", "JSON lines", {"in.json": GOOD}, "SourceError"),
    Case("tsv", "a row with commas", {"in.tsv": b"id\ttext\n1,a\n"}, "ragged_row; 1 of 1"),
    Case("all", "sources of two formats", {"in.jsonl": GOOD, "in.txt": LINE}, "ConfigError", "in.jsonl in.txt"),
    Case("all", "an ending that is not known", {"in.xlsx": b"PK"}, "ConfigError"),
]  # fmt: skip

OTHERS = [
    Case("folder", "nothing in it", {"in/.hidden": b""}, "SourceError", "in"),
    Case("folder", "other files", {"in/a.txt": LINE, "in/b.png": b"\x89PNG"}, "kept 1 of 1", "in"),
    Case("folder", "a loop of links", loop, "kept 1 of 1", "in"),
    Case("folder", "a pipe", fifo, "unreadable; 1 of 2", "in"),
    Case("folder", "a name in GBK", {"in/a.txt": LINE, os.fsdecode(b"in/\xd6\xd0.txt"): LINE},
         "bad_name; 1 of 2", "in"),
    Case("folder", "a text that is no UTF-8", {"in/a.txt": LINE, "in/b.txt": b"caf\xe9"}, "invalid_utf8; 1 of 2", "in"),
    Case("folder", "a page that is no text", {"in/a.txt": LINE, "in/b.html": bytes(range(1, 32)) * 9},
         "not_text; 1 of 2", "in"),
    Case("folder", "an output in the source", {"in/a.txt": LINE}, "ConfigError", "in", sink="in/kept/"),
    Case("folder", "a folder for records of files of others", {"in.txt": LINE, "kept/other.txt": LINE}, "SinkError",
         "in.txt", sink="kept/"),
    Case("folder", "the same, to be replaced", {"in.txt": LINE, "kept/other.txt": LINE}, "SinkError", "in.txt",
         {"replace": True}, "kept/"),
    Case("folder", "a folder for records that has the source", {"kept/in.txt": LINE}, "ConfigError", "kept/in.txt",
         sink="kept/"),
    Case("folder", "a folder and a file to one folder", {"in/a.txt": LINE, "b.txt": LINE}, "ConfigError", "in b.txt",
         sink="kept/"),
    Case("folder", "two files of one name in the output", {"a.txt": LINE, "a.jsonl": GOOD}, "ConfigError",
         "a.txt a.jsonl", {"output_format": "jsonl"}, "kept/"),
    Case("folder", "parts in a file", {"in.txt": LINE}, "ConfigError", "in.txt", {"shard_size": 10}),
    Case("folder", "parts of sources of two formats", {"a.txt": LINE, "b.jsonl": GOOD}, "ConfigError",
         "a.txt b.jsonl", {"shard_size": 10}, "kept/"),
    Case("folder", "a size that is none", {"in.txt": LINE}, "ConfigError", "in.txt", {"shard_size": "much"}, "kept/"),
    Case("parquet", "cut off", {"in.parquet": parquet_bytes()[:-20]}, "SourceError"),
    Case("parquet", "nothing in it", {"in.parquet": b""}, "SourceError"),
    Case("parquet", "no Parquet", {"in.parquet": GOOD * 9}, "SourceError"),
    Case("parquet", "damaged pages", {"in.parquet": parquet_bytes()[:4] + bytes(40) + parquet_bytes()[44:]},
         "SourceError"),
    Case("parquet", "no rows", parquet(text=[]), "kept 0 of 0", "in.parquet"),
    Case("parquet", "a text that is null", parquet(text=[ENGLISH, None]), "text_not_string; 1 of 2", "in.parquet"),
    Case("parquet", "bytes that are no UTF-8", parquet(text=[ENGLISH.encode(), b"caf\xe9"]), "invalid_utf8; 1 of 2",
         "in.parquet"),
    Case("parquet", "no column of the name", parquet(body=["a"]), "ConfigError", "in.parquet"),
    Case("parquet", "a column of numbers", parquet(text=[1, 2]), "ConfigError", "in.parquet"),
    Case("parquet", "an output of another format", parquet(text=[ENGLISH]), "ConfigError", "in.parquet", sink="o.txt"),
    Case("parquet", "files of other columns", parquet_files, "ConfigError", "a.parquet b.parquet"),
    Case("parquet", "no pyarrow", {"in.parquet": parquet_bytes()}, "ConfigError", without="pyarrow.parquet"),
    Case("docx", "cut off", {"in.docx": word([ENGLISH])[:-60]}, "unreadable; 1 of 1"),
    Case("docx", "no Word file", {"in.docx": GOOD}, "unreadable; 1 of 1"),
    Case("docx", "encrypted, or of the old format", {"in.docx": OLD_WORD}, "unreadable; 1 of 1"),
    Case("docx", "a text that is too long", {"in.docx": word([ENGLISH] * 99)}, "too_long; 1 of 1",
         settings={"max_record_bytes": 900}),
    Case("docx", "a part of another format", {"in.docx": word_xml("<w:altChunk/>")}, "unreadable; 1 of 1"),
    Case("docx", "an encoding", {"in.docx": word([ENGLISH])}, "ConfigError", settings={"encoding": "gbk"}),
    Case("docx", "nothing in it", {"in.docx": word([])}, "kept 1 of 1"),
    Case("pdf", "cut off", {"in.pdf": pdf([[ENGLISH]])[:400]}, "unreadable; 1 of 1"),
    Case("pdf", "encrypted", {"in.pdf": pdf_of([SCAN], LOCKED)}, "unreadable; 1 of 1"),
    Case("pdf", "pictures of pages", {"in.pdf": pdf_of([SCAN, SCAN])}, "not_text; 1 of 1"),
    Case("pdf", "nothing in it", {"in.pdf": pdf_of([""])}, "not_text; 1 of 1"),
    Case("pdf", "letters without a meaning", {"in.pdf": pdf_of([shown(["\1\2"])], coding="Identity-H")},
         "not_text; 1 of 1"),
    Case("pdf", "a folder of PDF files", {"in.pdf": pdf([[ENGLISH]])}, "kept 1 of 1", sink="kept/"),
    Case("pdf", "no pypdfium2", {"in.pdf": pdf([[ENGLISH]])}, "ConfigError", without="pypdfium2"),
    Case("odt", "no OpenDocument file", {"in.odt": word([ENGLISH])}, "unreadable; 1 of 1"),
    Case("epub", "no book", {"in.epub": word([ENGLISH])}, "unreadable; 1 of 1"),
    Case("rtf", "no RTF", {"in.rtf": GOOD}, "unreadable; 1 of 1"),
    Case("rtf", "no striprtf", {"in.rtf": b"{\\rtf1 a}"}, "ConfigError", without="striprtf.striprtf"),
    Case("eml", "no text", {"in.eml": b"Subject: a\nContent-Type: image/png\n\nx"}, "not_text; 1 of 1"),
    Case("mbox", "no mailbox", {"in.mbox": GOOD}, "unreadable; 1 of 1"),
    Case("mbox", "a mail without a text",
         {"in.mbox": b"From a@b Sat\nSubject: a\n\n\nFrom a@b Sat\nSubject: b\n\nb\n"}, "not_text; 1 of 2"),
    Case("mbox", "nothing in it", {"in.mbox": b""}, "kept 0 of 0"),
    Case("warc", "cut off", {"in.warc": WARC[:-60]}, "SourceError"),
    Case("warc", "cut off, packed", {"in.warc.gz": gzip.compress(WARC, mtime=0)[:-9]}, "SourceError"),
    Case("warc", "a record that is shorter than it says", {"in.warc": record(PAGE, length=len(PAGE) + 9)},
         "SourceError"),
    Case("warc", "a record that is longer than it says", {"in.warc": record(PAGE, length=len(PAGE) - 9) + WARC},
         "SourceError"),
    Case("warc", "a length that is no number", {"in.warc": record(PAGE, length="many")}, "SourceError"),
    Case("warc", "no WARC", {"in.warc": GOOD}, "SourceError"),
    Case("warc", "nothing in it", {"in.warc": b""}, "kept 0 of 0"),
    Case("warc", "no page", {"in.warc": record(http(b"PNG", "image/png"))}, "kept 0 of 0"),
    Case("warc", "a response that is no HTTP", {"in.warc": WARC + record(b"no HTTP")}, "unreadable; 1 of 2"),
    Case("warc", "a page that is no text", {"in.warc": WARC + record(http(bytes(range(1, 32)) * 9))},
         "not_text; 1 of 2"),
    Case("warc", "a page that is too long", {"in.warc": WARC + record(http(LINE * 99))}, "too_long; 1 of 2",
         settings={"max_record_bytes": 900}),
    Case("warc", "a charset that is not known", {"in.warc": record(http(LINE, "text/html; charset=no-such"))},
         "kept 1 of 1"),
    Case("warc", "not packed as its header says", {"in.warc": record(http(LINE, HTML, "Content-Encoding: gzip"))},
         "kept 1 of 1"),
    Case("warc", "an encoding for all pages", {"in.warc": WARC}, "ConfigError", settings={"encoding": "gbk"}),
    Case("warc", "a folder of WARC files", {"in.warc": WARC}, "ConfigError", sink="kept/"),
    Case("warc", "no warcio", {"in.warc": WARC}, "ConfigError", without="warcio.archiveiterator"),
    Case("encoding", "a record that does not decode", {"in.txt": "中文".encode("gbk") + b"\n\xff\xff\n"},
         "undecodable; 1 of 2", settings={"encoding": "gbk"}),
    Case("encoding", "a name that is wrong", {"in.txt": "中文\n".encode()}, "undecodable; 1 of 1",
         settings={"encoding": "shift_jis"}),
    Case("encoding", "half of a pair in UTF-16", {"in.txt": b"\xff\xfea\0\n\0\x3d\xd8"}, "undecodable; 1 of 2",
         settings={"encoding": "auto"}),
    Case("encoding", "a name that is not known", {"in.txt": LINE}, "ConfigError", settings={"encoding": "utf-9"}),
    Case("encoding", "a mark that says otherwise", {"in.txt": b"\xef\xbb\xbf" + LINE}, "SourceError",
         settings={"encoding": "big5"}),
    Case("encoding", "two encodings, one output", {"a.txt": "中文的一行\n".encode(), "b.txt": OTHER.encode("gbk")},
         "ConfigError", "a.txt b.txt", {"encoding": "auto"}),
]  # fmt: skip

RECORDS = {"in.jsonl": GOOD}
TWO = {"in/a.txt": LINE, "in/b/c.txt": LINE}
RIGHTS = [
    Case("rights", "a file that may not be read", RECORDS, "SourceError", closed="in.jsonl"),
    Case("rights", "a Parquet file that may not be read", {"in.parquet": parquet_bytes()}, "SourceError",
         closed="in.parquet"),
    Case("rights", "a file in a folder that may not be entered", TWO, "SourceError", "in/a.txt", closed="in"),
    Case("rights", "a pattern in a folder that may not be listed", TWO, "SourceError", "in/*.txt", closed="in"),
    Case("rights", "a folder that may not be listed", TWO, "SourceError", "in", closed="in"),
    Case("rights", "a text in a folder that may not be read", TWO, "unreadable; 1 of 2", "in", closed="in/b/c.txt"),
    Case("rights", "a folder in a folder that may not be listed", TWO, "unreadable; 1 of 2", "in", closed="in/b"),
    Case("rights", "a folder in a folder that may not be entered", TWO, "unreadable; 1 of 2", "in", closed="in/b",
         mode=0o444),
    Case("rights", "a folder that takes no output", {"out/o": b"", **RECORDS}, "SinkError", "in.jsonl",
         sink="out/kept.jsonl", closed="out", mode=0o555),
    Case("rights", "a folder that takes no folder of kept files", {"out/o": b"", **TWO}, "SinkError", "in",
         sink="out/kept/", closed="out", mode=0o555),
    Case("rights", "an output that is write-protected", {"o.jsonl": b"", **RECORDS}, "SinkError", "in.jsonl",
         sink="o.jsonl", closed="o.jsonl", mode=0o444),
    Case("rights", "a model that may not be read", {"a.model": b"", **RECORDS}, "SourceError", "in.jsonl",
         {"idf": "a.model"}, closed="a.model"),
    Case("rights", "a scheme that may not be read", {"mine.toml": b"", **RECORDS}, "SourceError", "in.jsonl",
         {"scheme": "mine.toml"}, closed="mine.toml"),
    Case("rights", "stop words of a custom scheme that may not be read",
         {"mine.toml": b'stop = "stop.txt"', "stop.txt": b"", **RECORDS}, "SourceError", "in.jsonl",
         {"scheme": "mine.toml"}, closed="stop.txt"),
    Case("rights", "stop words that may not be read", {"stop.txt": b"", **RECORDS}, "SourceError", "in.jsonl",
         {"scheme": "words64:stop=stop.txt"}, closed="stop.txt"),
    Case("rights", "a dictionary that may not be read", {"words.txt": b"", **RECORDS}, "SourceError", "in.jsonl",
         {"scheme": "words64:dict=words.txt"}, closed="words.txt"),
]  # fmt: skip

# What a real store answers is tested in tests/s3: it depends on the store.
STORES = [
    Case("s3", "no boto3", {}, "ConfigError", "s3://bucket/in.jsonl", without="boto3"),
    Case("s3", "a name without a bucket", {}, "ConfigError", "s3:///in.jsonl"),
    Case("s3", "an output without a bucket", RECORDS, "ConfigError", "in.jsonl", sink="s3://a b/kept.jsonl"),
]  # fmt: skip

SCHEMES = [Case("scheme", what, files, expect, "in.jsonl", given) for what, files, expect, given in ROWS]
RUN_DIRECTORIES = [
    Case("run directory", what, files, expect, source, given) for what, files, expect, source, given in RUNS
]

CASES = [*TEXT, *TABLES, *OTHERS, *STORES, *SCHEMES, *RUN_DIRECTORIES, *RIGHTS]

OPENING = """# Bad input

What becomes of input that is not as it should be, each row from a run: `python docs/make_bad_input.py` writes this
page, and a test holds it against the program. A record that fails is counted and kept aside (`--failed`), and the run
goes on; an error ends the run before anything is written. What codes and errors mean: [failures.md](failures.md).
Rows of `rights` are what a user meets who may not read or write something; root may, unless that right is taken away.

| format | input | outcome | message |
|---|---|---|---|
"""


def row(case: Case) -> str:
    """The case's line of the table."""
    outcome, message = run(case)
    shown = message if len(message) <= 400 else message[:400] + "..."
    # A name that is no UTF-8 is shown escaped, and a bar would end the cell.
    shown = shown.encode("utf-8", "backslashreplace").decode().replace("|", "\\|").replace("\0", "\\0")
    return f"| {case.form} | {case.what} | {outcome} | {f'``{shown}``' if shown else ''} |\n"


def page() -> str:
    """The whole page."""
    return OPENING + "".join(map(row, CASES))
