"""What the library refuses, by its doors: a wrong call, the class of its error, and parts of the message.

`test_refused.py` makes each call in an empty folder; `refused_schemes.py` has those on schemes. `each` has rows of one
call with other arguments, `of` rows of other calls with an error of one class.
"""

# mypy: disable-error-code="arg-type"

import gzip
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

import simsieve
from simsieve import ConfigError, Fingerprinter, Scheme, SourceError, dedup, fingerprint
from simsieve.config.pair_rows import read_pairs
from simsieve.config.settings import DedupConfig
from simsieve.config.verdicts import check_verdicts, read_verdicts
from simsieve.evaluate.calibrate import run_calibrate
from simsieve.evaluate.edit_rates import run_edits
from simsieve.evaluate.labels import run_labels
from simsieve.evaluate.review import check_review
from simsieve.json_values import json_of
from simsieve.results import Fingerprint
from simsieve.text.html import decode, dom_fingerprint, extract_text

Kind = type[Exception] | tuple[type[Exception], ...]
Row = tuple[Callable[[], object], Kind, tuple[str, ...]]

TEXTS = ["one text of words", "another text of other words", "one text of words"]
LINE = "a line that stands in every one of these texts"
RECORDS = [{"id": at, "text": f"text {at} of its own {at * 7919}", "of": at // 2, "parts": [LINE]} for at in range(60)]
TABLE = pa.table({"id": [7, 8], "text": TEXTS[:2], "n": [1.5, 2.0], "meta": [{"a": 1}, {"a": 2}]})
TEMPLATE = '{"simsieve_template": 1, "text": "阅读下面的短文，根据短文内容从每题所给的四个选项中选出最佳答案"}\n'
WORDS = np.zeros(3, np.uint64)
LOOP: list[Any] = []
LOOP.append(LOOP)


def each(call: Callable[..., object], error: Kind, *rows: tuple[dict[str, Any], *tuple[str, ...]]) -> list[Row]:
    """Rows of one call with other arguments."""
    return [(partial(call, **given), error, parts) for given, *parts in rows]  # type: ignore[misc]


def of(error: Kind, *rows: tuple[Callable[[], object], *tuple[str, ...]]) -> list[Row]:
    """Rows of other calls."""
    return [(call, error, tuple(parts)) for call, *parts in rows]


def file(name: str, content: str | bytes) -> str:
    """Make a file in the current folder."""
    Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return name


def stream(*items: Any, error: Exception) -> Iterator[Any]:
    """Give some items, and fail."""
    yield from items
    raise error


def table_stream(error: Exception, *names: str) -> Any:
    """A stream of Arrow that breaks off after a batch of two rows; with names only, one of these columns."""
    if names:
        return pa.RecordBatchReader.from_batches(pa.schema(dict.fromkeys(names, pa.string())), iter(()))
    return pa.RecordBatchReader.from_batches(TABLE.schema, stream(TABLE.to_batches()[0], error=error))


def cleaned(**given: Any) -> object:
    """A run with a setting that cleans texts; `content` is the file of `ignore`."""
    if "content" in given:
        given["ignore"] = file("wrong.jsonl", given.pop("content"))
    return dedup(["a"], **given)


def segmenter(**given: Any) -> object:
    """A segmenter by files of these contents."""
    return simsieve.Segmenter(**{name: file("file.txt", content) for name, content in given.items()})


SOURCES = [
    *each(dedup, TypeError,
          ({"source": 5}, "source is of type int"),
          ({"source": b"bytes"}, "source is of type bytes"),
          ({"source": {"text": "x"}}, "source is of type dict"),
          ({"source": ["a text", 5]}, "text 1 is of type int"),
          ({"source": [None, {"text": "x"}]}, "text 1 is of type dict"),
          ({"source": [{"text": "x"}, "y"]}, "record 1 is of type str"),
          ({"source": [{"text": {1, 2}}]}, "record 0: field 'text' is of type set, which is no text: give str"),
          ({"source": [{"text": "x", "n": LOOP}]}, "record 0 cannot be written as JSON: field 'n': it contains itself"),
          ({"source": [Path("a.jsonl"), 5]}, "source 1 is of type int"),
          ({"source": pl.LazyFrame({"text": ["a"]})}, "LazyFrame: give what its collect() or collect_batches() makes")),
    *each(dedup, ConfigError,
          ({"source": ["corpus.jsonl"]}, "wrap it in pathlib.Path"),
          ({"source": ["x.txt.gz"]}, "wrap it in pathlib.Path"),
          ({"source": [__file__]}, "names a file"),
          ({"source": ["a\ud800"]}, "text 0 has a lone surrogate"),
          ({"source": TEXTS, "input_format": "jsonl"}, "input_format 'jsonl' is for files"),
          ({"source": TEXTS, "delimiter": ";"}, "delimiter ';' is for files"),
          ({"source": TEXTS, "resume": True}, "there is no output file: give run_dir, or an output"),
          ({"source": table_stream(ValueError(), "body")}, "the table: no column 'text'; there are 'body'")),
    *of(SourceError,
        (lambda: dedup(Path("no-such-file.jsonl")), "no-such-file.jsonl"),
        (lambda: dedup(table_stream(pa.ArrowInvalid("no\nsuch day"))), "its stream broke off after 2 rows (no"),
        (lambda: dedup(TEXTS, scheme="no/such.toml"), "no/such.toml: the scheme cannot be read")),
    # What the caller's own code raises stays what it is.
    *of(FileNotFoundError, (lambda: dedup(stream({"text": "a text"}, error=FileNotFoundError("theirs"))), "theirs")),
    *of(KeyError, (lambda: dedup(table_stream(KeyError("own"))), "own")),
    *of(TypeError, (lambda: dedup(TEXTS).kept_rows(dict), "the kept rows are of type list, not dict")),
    *each(partial(dedup, TABLE), ConfigError,
          ({"text_field": "nope"}, "no column 'nope'; there are 'id', 'text', 'n', 'meta'"),
          ({"text_field": "meta.nope"}, "no column 'meta.nope'"),
          ({"text_field": "n"}, "column 'n' is of type double, and text is needed"),
          ({"id_field": "nope"}, "name the column with id_field or the setting `keep`"),
          ({"keep": "max:nope"}, "no column 'nope'"),
          ({"input_format": "parquet"}, "is for files"),
          ({"encoding": "gbk"}, "is for files")),
    *each(partial(dedup, "in.csv"), ConfigError,
          *(({"delimiter": sign}, "is not allowed: give one ASCII sign")
            for sign in ("", ";;", "a", '"', "\n", "；", 3, b";"))),
    *each(DedupConfig, ConfigError,
          *(({"memory": size}, "is not allowed: give a size such as 8GiB")
            for size in (-1, 0, True, "", "many", "1e9", "-1GiB", "0GiB", float("nan")))),
    *each(DedupConfig, ConfigError,
          *(({"conflict": kinds}, part)
            for kinds, part in (("nums", "'nums' is not known"), ("numbers,none", "'none' is not known"),
                                (["numbers", 1], "is not a name"), ("numbers,", "is not a name")))),
    *each(partial(dedup, TEXTS), ConfigError,
          ({"conflict": "numbers", "scheme": "external64", "max_distance": 3}, "conflict")),
    *of(ValueError, (lambda: json_of(LOOP), "contains itself")),
]  # fmt: skip

CLEANING = [
    *each(cleaned, ConfigError,
          ({"strip": "（(a"}, "strip: ", "at character 1", "unclosed group", "without look-around"),
          ({"cut_at": "a(?=b)"}, "cut_at: ", "at character 1", "look-around"),
          ({"strip": ""}, "strip '' is not a name"),
          ({"strip": 3}, "strip 3 is not a name"),
          ({"strip": "a", "scheme": "dom64"}, "strip: its features are the page's elements"),
          ({"cut_at": "a", "scheme": "external64", "max_distance": 3}, "cut_at: its texts are fingerprints"),
          ({"strip": "a", "scheme": "chars64:strip=b"}, 'strip: the scheme names "b" already'),
          ({"scheme": "chars64:strip=50%"}, "the % at byte 2", "% is written %25"),
          ({"scheme": "chars64:strip="}, "the pattern is empty"),
          ({"scheme": "chars64:strip=(?:\\w{1000}){1000}"}, "takes more than 10 MiB compiled"),
          ({"ignore": 3}, "ignore 3 is not a name"),
          ({"ignore": "a,b"}, "ignore is the name of a file"),
          ({"content": TEMPLATE, "scheme": "dom64"}, "its features are the page's elements"),
          ({"content": TEMPLATE, "scheme": "external64", "max_distance": 3}, "its texts are fingerprints"),
          ({"content": TEMPLATE, "scheme": "chars64:ignore=wrong.jsonl"}, "the scheme names templates already")),
    *each(cleaned, SourceError,
          ({"ignore": "missing.jsonl"}, "missing.jsonl"),
          ({"content": ""}, "wrong.jsonl", "has no template", "simsieve templates"),
          ({"content": "\n \n"}, "has no template"),
          ({"content": TEMPLATE + "stem\n"}, "line 2 is no template", '{"simsieve_template": 1, "text": "..."}'),
          ({"content": '["text"]\n'}, "line 1 is no template"),
          ({"content": '{"text": "a"}\n'}, "line 1 is no template"),
          ({"content": TEMPLATE.replace(": 1", ": 2")}, "line 1 is a template of version 2", "reads version 1"),
          ({"content": TEMPLATE + '{"simsieve_template": 1, "text": "short one"}\n'},
           "line 2: the template", "has 8 letters, and 15 are the fewest"),
          ({"content": b"\xff\xfe"}, "is no UTF-8")),
]  # fmt: skip

FINGERPRINTS = [
    *each(partial(Fingerprint, scheme="demo", digest="00"), ConfigError,
          *(({"value": value, "width": width}, f"{value} does not fit into {width} bits")
            for value, width in ((256, 8), (-1, 8), (1 << 128, 128)))),
    *of(TypeError,
        (lambda: Fingerprint(5, 8, "demo", "00").distance(10), "not with int"),
        (lambda: Fingerprint.from_bits(5, "demo", "00"), "give a text of zeros and ones"),
        (lambda: fingerprint(b"bytes"), "text 0 is of type bytes: give str"),
        (lambda: Fingerprinter().fit("a text"), "texts is one str"),
        (lambda: Fingerprinter().transform("a text"), "texts is one str"),
        (lambda: simsieve.minhash("a text"), "give a list of texts"),
        *((lambda value=value: Scheme("chars64").read(value), "is read of a text or a whole number")
          for value in (1.0, True, None, b"01")),
        *((lambda pair=pair: simsieve.hamming(*pair), "two fingerprints or two whole numbers")
          for pair in ((1, "1"), (Fingerprint(1, 8, "s", "d"), 1), (b"a", b"b"), (1.0, 1), (True, 1)))),
    *of(ConfigError,
        (lambda: Fingerprinter().transform(["a", "b", "c", "ab\ud800"], batch=2),
         "text 3 has a lone surrogate at character 2"),
        (lambda: simsieve.hamming(-1, 1), "-1 is negative"),
        (lambda: simsieve.minhash(["a text"], kind="affine64"), "give affine32 or legacy"),
        (lambda: simsieve.minhash_jaccard(np.zeros(4, np.uint32), np.zeros(5, np.uint32)), "do not compare"),
        *((lambda value=value: Scheme("chars64").read(value), part)
          for value, part in (("", "64 bits"), ("01", "64 bits"), ("g" * 16, "64 bits"), ("2" * 64, "are not allowed"),
                              ("0x" + "0" * 14, "64 bits"), (-1, "64 bits"), (2**64, "64 bits"),
                              ("+" + "1" * 15, "64 bits"))),
        *((lambda count=count: Fingerprinter("chars64").transform(TEXTS).blocks(count), "blocks ", "allowed is 1..64")
          for count in (0, 65, 2.0, True, "4"))),
    *each(partial(Fingerprinter().transform, []), ConfigError,
          ({"threads": -1}, "threads -1 is not allowed: allowed is 0..1024"),
          ({"threads": 2**70}, "threads 1180591620717411303424 is not allowed: allowed is 0..1024"),
          ({"threads": 1.5}, "threads 1.5 is not a whole number: allowed is 0..1024"),
          ({"batch": -1}, "batch -1 is not allowed: allowed is 0..9223372036854775807"),
          ({"batch": 2**64}, "batch 18446744073709551616 is not allowed: allowed is 0..9223372036854775807"),
          ({"batch": "8"}, "batch '8' is not a whole number")),
    *each(partial(simsieve.similarity, TEXTS[0]), ConfigError,
          ({"b": "", "scheme": "nosuch"}, "nosuch"),
          ({"b": "", "measure": "nosuch"}, "there are cosine, jaccard and containment"),
          ({"b": "\ud800"}, "text 1 has a lone surrogate")),
    *each(partial(simsieve.similarity, TEXTS[0]), TypeError, ({"b": 5}, "text 1 is of type int")),
    *each(partial(simsieve.near_pairs, max_distance=3), ConfigError,
          ({"fingerprints": [1, 2]}, "type list", "uint64"),
          ({"fingerprints": np.zeros(3, np.int64)}, "dtype int64", "uint64"),
          ({"fingerprints": np.zeros(3, ">u8")}, "dtype >u8", "uint64"),
          ({"fingerprints": np.zeros((3, 5), np.uint64)}, "shape (3, 5)", "1 to 4 words"),
          ({"fingerprints": np.zeros((3, 0), np.uint64)}, "shape (3, 0)", "1 to 4 words"),
          ({"fingerprints": np.zeros((2, 2, 2), np.uint64)}, "shape (2, 2, 2)"),
          ({"fingerprints": np.zeros((6, 2), np.uint64)[::2]}, "ascontiguousarray"),
          ({"fingerprints": WORDS, "max_distance": 64}, "max_distance 64 ", " 0..63"),
          ({"fingerprints": WORDS, "max_distance": -1}, "max_distance -1"),
          ({"fingerprints": WORDS, "max_distance": 1.5}, "max_distance 1.5"),
          ({"fingerprints": WORDS, "max_pairs": 0}, "max_pairs 0 ", " 1..9223372036854775807"),
          ({"fingerprints": WORDS, "max_pairs": 2**70}, "max_pairs 1180591620717411303424 "),
          ({"fingerprints": WORDS, "max_pairs": 1.5}, "max_pairs 1.5 is not a whole number"),
          ({"fingerprints": WORDS, "threads": -1}, "threads -1 ", " 0..1024"),
          ({"fingerprints": WORDS, "threads": 2**70}, "threads 1180591620717411303424 "),
          ({"fingerprints": WORDS, "threads": 1.5}, "threads 1.5 is not a whole number: allowed is 0..1024"),
          ({"fingerprints": WORDS, "memory": -1}, "memory -1"),
          ({"fingerprints": WORDS, "memory": 1.5}, "memory 1.5 is not a whole number"),
          ({"fingerprints": np.zeros(120_000, np.uint64), "memory": 100}, "memory 100 is too little to search 120000"),
          ({"fingerprints": WORDS, "recall": 0.0}, "recall 0 is not allowed"),
          ({"fingerprints": WORDS, "recall": 1.5}, "recall 1.5 is not allowed"),
          ({"fingerprints": WORDS, "recall": float("nan")}, "recall NaN is not allowed"),
          ({"fingerprints": WORDS, "recall": "all"}, "recall 'all' is not a number"),
          ({"fingerprints": WORDS, "seed": -1}, "seed -1"),
          ({"fingerprints": WORDS, "other": np.zeros((3, 2), np.uint64)}, "64 and of 128 bits cannot be compared"),
          ({"fingerprints": WORDS, "other": [1]}, "type list"),
          ({"fingerprints": np.frombuffer(bytes(25), np.uint8)[1:].view(np.uint64)}, "values.copy()")),
    *of(simsieve.TooManyPairsError, (lambda: simsieve.find_pairs(["a text of words"] * 4, max_pairs=5), "6")),
]  # fmt: skip

OTHERS = [
    *each(partial(simsieve.plan, TEXTS), ConfigError,
          ({"documents": 2**32}, "4294967296 documents are more than 2^32 - 2"),
          ({"documents": 2**70}, "documents 1180591620717411303424 is not allowed"),
          ({"documents": -1}, "documents -1 is not allowed"),
          ({"documents": 1.5}, "documents 1.5 is not a whole number"),
          ({"documents": 1}, "documents 1 is less than the 3 of the source"),
          ({"bits": 100}, "bits 100 is not allowed: allowed are 64, 128 and 256"),
          ({"bits": 64, "scheme": "chars64"}, "bits 64 and scheme 'chars64' are both given"),
          ({"bits": 64, "max_distance": 64}, "allowed are the whole numbers 0..63"),
          ({"similarity": 0}, "similarity 0 is outside (0, 1]"),
          ({"scheme": "chars64:weights=idf"}, "model"),
          ({"nonsense": 3}, "unknown setting 'nonsense'")),
    *each(simsieve.lines, ConfigError,
          *(({"source": RECORDS, **given}, part) for given, part in (
              ({"unit": "word"}, "is not known: allowed are line, sentence"),
              ({"near": 0}, "near 0 is outside (0, 1]"),
              ({"min_share": 2}, "min_share 2 is outside [0, 1]"),
              ({"keep_repeats": -1}, "keep_repeats -1 is not allowed"),
              ({"min_length": 0}, "min_length 0 is not allowed"),
              ({"scope": "nosuch"}, "scope has 'nosuch', and the first records have no such field"),
              ({"scope": ""}, "scope '' is no name"),
              ({"text_field": ["text", "id"]}, "units are cut out of one field"),
              ({"text_field": "parts.*"}, "not in one place"),
              ({"scheme": "chars64"}, "of no use to lines"),
              ({"output": "mongodb://localhost/a.b"}, "go to files")))),
    *each(partial(simsieve.passages, [{"text": "a"}]), ConfigError,
          ({"min_length": 0}, "min_length 0 is not allowed"),
          ({"min_share": 2}, "min_share 2 is outside [0, 1]"),
          ({"contained": 0}, "contained 0 is outside (0, 1]"),
          ({"common": "x"}, "common 'x' is not a whole number"),
          ({"exclude": [7]}, "exclude 7 is no name"),
          ({"scheme": "chars64"}, "of no use to passages"),
          ({"text_field": "body"}, "body")),
    *each(partial(dom_fingerprint, b"<p>a page"), ConfigError,
          ({"charset": "utf-99"}, '"utf-99" is not known; give a name such as utf-8'),
          ({"decay": 0.0}, "decay 0 is not allowed"),
          ({"decay": 1.1}, "decay 1.1 is not allowed"),
          ({"decay": float("nan")}, "decay NaN is not allowed"),
          ({"decay": "much"}, "decay 'much' is not allowed"),
          ({"weight": "twice"}, '"twice" is not known; there are sum, nearest, once'),
          ({"hash": "md5"}, '"md5" is not known; there are fnv1, xxh3'),
          ({"levels": -1}, "levels -1 is not allowed: allowed is 0..1000"),
          ({"width": 257}, "width 257 is not allowed: allowed is 1..256")),
    *of(ConfigError, (lambda: dom_fingerprint("a\udc80"), "lone surrogate at character 1")),
    *of(TypeError,
        (lambda: extract_text(3), "a page is str or bytes, and this is of type int"),
        (lambda: decode("a"), "html is of type str: give bytes")),
    *each(partial(run_labels, RECORDS, DedupConfig(), warn=lambda _: None), ConfigError,
          ({"field": "id"}, "no two of 60 documents are the same"),
          ({"field": "no_such"}, "none of 60 records has a label in the field 'no_such'"),
          ({}, "labels come from one place"),
          ({"field": "of", "lowest": 0.9}, "from 0.9 is not allowed")),
    *each(partial(run_calibrate, config=DedupConfig(), schemes=["chars128"], warn=lambda _: None), ConfigError,
          *(({"source": source}, "and a calibration by edited copies needs at least")
            for source in ([], ["one text"], ["a"] * 50, ["", "", ""])),
          *(({"source": RECORDS, **given}, next(iter(given))) for given in ({"precision": 1.5}, {"recall": 0}))),
    *of(ConfigError, (lambda: run_calibrate(RECORDS, DedupConfig(), ["chars128"], lowest=1), "1 is not allowed")),
    *each(partial(run_edits, TEXTS, DedupConfig()), ConfigError,
          ({"articles": 2}, "articles 2 is not allowed: give a whole number from 3 to 4,000"),
          ({"articles": 4001}, "articles 4001"),
          ({"edited": 0}, "edited 0"),
          ({"draws": 0}, "draws 0"),
          ({"edit": "letters"}, "edit 'letters' is not known: allowed are runs, words"),
          ({"least_characters": 10**6}, "of 3 documents 0 have at least 1,000,000 characters")),
    *each(check_review, ConfigError,
          *(({"sink": "review.html", "pairs": 5, "order": "bands", name: value}, str(value))
            for name, value in (("pairs", 0), ("pairs", 5001), ("order", "best"), ("sink", "review.pdf")))),
]  # fmt: skip

FILES = [
    *each(segmenter, SourceError,
          ({"words": "石墨烯 5 n\n坏\t3\n"}, "file.txt", "line 2", '"坏\\t3"', "one space"),
          ({"words": "好词 five N\n"}, "line 1", "lower-case"),
          ({"dictionary": "词 3 n\n\n词 4\n"}, 'line 2: ""', "word frequency"),
          ({"dictionary": "词 9007199254740992\n字 1\n"}, "line 2", "add up to more than 2^53"),
          ({"words": "New York 5 n\n"}, "line 1", '"New York 5 n"', "white space"),
          ({"words": "词 9007199254740993\n"}, "line 1", "from 0 to 2^53"),
          ({"dictionary": "词 3 n\n词\n"}, "line 2", '"词"', "word frequency"),
          ({"dictionary": "词 三 n\n"}, "line 1", '"词 三 n"', "whole number"),
          ({"frequencies": "词 3.5\n字\n"}, "line 2", '"字"', "word idf"),
          ({"frequencies": "词 nan\n"}, "line 1", "finite"),
          ({"frequencies": ""}, "no word"),
          ({"stop_words": b"\xff\n"}, "line 1", "UTF-8")),
    *each(simsieve.Segmenter, SourceError,
          *(({name: "missing.txt"}, "missing.txt", "name a file")
            for name in ("words", "dictionary", "frequencies", "stop_words"))),
    *of(ConfigError,
        (lambda: simsieve.Segmenter().cut(LINE, "fast"), "fast", "exact, full, search"),
        (lambda: simsieve.Segmenter().cut("a\ud800"), "lone surrogate at character 1"),
        (lambda: simsieve.Segmenter().keywords(LINE, -1), "top -1"),
        (lambda: simsieve.Segmenter().add_word("词", -5), "-5", "from 0 to 2"),
        (lambda: simsieve.Segmenter().add_word(""), "empty"),
        (lambda: simsieve.Segmenter().add_word("词", 1 << 53), "larger than 2")),
    *of(TypeError, (lambda: simsieve.Segmenter().cut(3), "int")),
    *each(lambda name, content: read_pairs(file(name, content)), SourceError,
          ({"name": "v.csv.gz", "content": b"a,b"}, "is no whole packed file"),
          ({"name": "v.csv.gz", "content": gzip.compress(b"a,b,verdict\n" * 99)[:-9]}, "is no whole packed file"),
          ({"name": "v.csv.zst", "content": b"a,b"}, "is no whole packed file"),
          ({"name": "v.parquet", "content": b"a,b"}, "is no whole Parquet file"),
          ({"name": "v.csv", "content": b"\xff\xffa,b"}, "is neither UTF-8 nor GB18030")),
    *of(SourceError, *((lambda name=name: read_pairs(name),
                        "the file of pairs cannot be read: No such file or directory; check the name")
                       for name in ("no.csv", "no.csv.gz", "no.csv.zst", "no.parquet"))),
    *each(lambda verdicts: dedup(["one text"], verdicts=verdicts), ConfigError,
          ({"verdicts": 7}, "give a file, a table, or rows of"),
          ({"verdicts": "v.txt"}, "is no table: give a file in .csv, .tsv, .jsonl, .json, .parquet"),
          ({"verdicts": [("q1", "q2")]}, "item 1 of verdicts has 2 values"),
          ({"verdicts": [{"a": "q1", "b": "q2", "verdikt": "same"}]}, "item 1 of verdicts: has no column 'verdict'"),
          ({"verdicts": ["q1,q2,same"]}, "item 1 of verdicts is 'q1,q2,same'"),
          ({"verdicts": [("q1", "q2", "same"), ("q1", "q2", "maybe")]}, "item 2 of verdicts: verdict 'maybe' is"),
          ({"verdicts": [("q1", "q2", "same"), ("q2", "q1", "different")]}, "item 1 of verdicts on 'q1' and 'q2'"),
          ({"verdicts": [("q1", None, "same")]}, "a pair needs two ids, and b is empty")),
    # Lines of messages are those of the file, also where an id has a line break.
    *of(ConfigError,
        (lambda: read_verdicts(check_verdicts(file("v.csv", 'a,b,verdict\n"q\n1",q2,same\nq3,q4,equal\n'))),
         "v.csv, line 4: verdict 'equal' is unknown")),
]  # fmt: skip
