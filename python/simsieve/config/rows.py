"""The rows of the settings table: name, default, kind, what is allowed, help, an example, and the columns of `Setting`.

A setting is described only here. `DedupConfig` checks the values by these rows; the command line's options, files of
settings, runs that follow other runs, and the reference page are made from them too.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from simsieve.checks import MOST, MOST_THREADS
from simsieve.config import checks
from simsieve.config.encodings import COMMON, encoding
from simsieve.config.formats import FORMATS, known_format
from simsieve.config.mongo import mark, renamed_fields
from simsieve.config.setting import (
    AGAIN,
    CHOOSING,
    COMMAS,
    ENCODES,
    EVERY,
    FREE,
    ID,
    INPUT,
    INSIDE,
    NEAR,
    OUTPUT,
    READING,
    REPEATED,
    SEARCHES,
    STAYS,
    TEXTS,
)
from simsieve.config.verdicts import check_verdicts
from simsieve.schemes.criteria import Criterion
from simsieve.schemes.model import DEFAULT_MAX_FEATURES, MOST_FEATURES, Model
from simsieve.schemes.scheme import EXTRACTS, FOLDS, AnyScheme

DEFAULT_SIMILARITY = 0.6
"""The similarity at which two documents are near when no threshold is given; chosen by measurement."""

CONTAINMENT = "containment"
DEFAULTS = {"cosine": DEFAULT_SIMILARITY, "jaccard": 0.43, CONTAINMENT: 0.8}
"""The measures of similarity, each with its default threshold: two sets of one size with a cosine of 0.6 have a
Jaccard similarity of 0.6 / 1.4, which is 0.43. A part that was copied has all its features in the whole."""

DEFAULT_MAX_RATIO = 4.0
MOST_RATIO = 100

THRESHOLDS = ("similarity", "max_distance")
"""The two settings of which a run has one."""
FILE, LINE = checks.EACH
COMBINE = ("all", "any")
QUOTING = ("auto", "minimal", "none")
"""How the quotes of tables are read."""
NONE, FIT = "none", "fit"
"""Words that `idf` takes instead of a model."""


def _setting(default: Any, kind: type, *texts: str, unit: str = "", **columns: Any) -> Any:
    row = dict(zip(("allowed", "help", "example"), texts, strict=True), kind=kind, unit=unit, **columns)
    return field(default=default, metadata=row)


@dataclass(frozen=True, kw_only=True, init=False, repr=False, eq=False)
class Rows:
    """Hold the value of every setting, unchecked: `DedupConfig` checks them."""

    text_field: Sequence[str] = _setting(
        ("text",), str, "a field name, or several; dots reach into objects, .* into lists",
        "The field or column that holds the text. The texts of several fields, or of a list, are joined in order; a"
        " record may lack some fields.",
        "--text-field title --text-field 'messages.*.content'", group=INPUT, common=True, aliases=("column", "field"),
        check=checks.some_names, several=REPEATED, of=EVERY | {"compare", "fit", "plan"},
    )  # fmt: skip
    id_field: str = _setting(
        "id", str, "a field name; dots reach into objects", "The field that holds a record's label.", "--id-field url",
        group=INPUT, common=True, check=checks.text, of=EVERY | {"plan"},
    )  # fmt: skip
    scheme: AnyScheme | Criterion | Sequence[AnyScheme | Criterion] = _setting(  # noqa: RUF009 - a word, see below
        "chars128", str,
        "a name that `simsieve schemes` lists, name:option=value,..., or a file NAME.toml; optionally @0.8 or @3bits",
        "How a text becomes a fingerprint. A scheme has normaliser, features, weights, hash and width. Append @0.8 or"
        " @3bits for a threshold of its own.", "--scheme chars64", group=NEAR, common=True,
        several=REPEATED, metavar="NAME[@NEAR]", files=True,
        of=ENCODES | {"compare", "features", "fit", "plan", "spark"},
    )  # fmt: skip
    combine: str = _setting(
        "all", str, "all or any",
        "For several --scheme: documents are near if they are near under all of them, or under any. Under all, the"
        " first scheme finds the candidates.",
        "--combine any --scheme chars128 --scheme words64@0.5", group=NEAR,
        check=checks.one_of(COMBINE), words=COMBINE, metavar="all|any", of=SEARCHES | {"calibrate", "fingerprint"},
    )  # fmt: skip
    extract: str = _setting(
        NONE, str, "none, text or main",
        "The part of HTML texts that is used: the visible text, or the main text. Part of the scheme.",
        "--extract main", group=NEAR, check=checks.one_of(EXTRACTS), words=EXTRACTS, metavar="none|text|main",
        of=TEXTS | {"passages", "templates"},
    )  # fmt: skip
    fold: str = _setting(
        NONE, str, "none, t2s, tw2sp, numerals, t2s+numerals or tw2sp+numerals",
        "Compare Traditional Chinese as Simplified (t2s, words too: tw2sp), numerals as digits. Part of the scheme.",
        "--fold t2s", group=NEAR, check=checks.one_of(FOLDS), words=FOLDS, metavar="FOLD", of=TEXTS,
    )  # fmt: skip
    cut_at: str | None = _setting(
        None, str, "a regular expression of Rust's regex crate",
        "End a text where the first match begins; a text without one stays whole. Part of the scheme.",
        "--cut-at Solution:", group=NEAR, check=checks.text, metavar="REGEX", of=TEXTS,
    )  # fmt: skip
    strip: str | None = _setting(
        None, str, "a regular expression of Rust's regex crate",
        "Take all matches out of a text, after cut_at. Part of the scheme.", r"--strip '\(\d+ points?\)'", group=NEAR,
        check=checks.text, metavar="REGEX", of=TEXTS,
    )  # fmt: skip
    ignore: str | os.PathLike[str] | None = _setting(  # noqa: RUF009 - no call makes the default
        None, str, "a file that `simsieve templates` wrote",
        "Templates that weigh nothing: a text is compared without them, and exact copies are still copies of the whole."
        " Part of the scheme.", "--ignore templates.jsonl", group=NEAR, check=checks.path, metavar="FILE", files=True,
        of=TEXTS,
    )  # fmt: skip
    idf: str | os.PathLike[str] | Model = _setting(  # noqa: RUF009 - a word, which the linter cannot see
        NONE, str, "none, fit, or a file that `simsieve fit` wrote",
        "Weigh rare features more: `fit` counts features in a first pass over the sources, a file has such counts. "
        "weights=once of the scheme becomes idf, tf becomes tf-idf, log becomes log-idf.",
        "--idf fit", group=NEAR, check=checks.model, words=(NONE, FIT), metavar="none|fit|MODEL", files=True,
        of=SEARCHES | {"calibrate", "fingerprint", "spark"},
    )  # fmt: skip
    max_features: int = _setting(
        DEFAULT_MAX_FEATURES, int, f"1 to {MOST_FEATURES}",
        "Features that a fitted model distinguishes; above this some count together.", "--max-features 10000000",
        unit="features", check=checks.whole(1, MOST_FEATURES),
        of=SEARCHES | {"calibrate", "fingerprint", "fit", "spark"},
    )  # fmt: skip
    similarity: float | None = _setting(
        None, float, "(0, 1]",
        "Documents at least this similar are near. Without a threshold it is"
        f" {DEFAULT_SIMILARITY}, {DEFAULTS['jaccard']} under measure jaccard and {DEFAULTS[CONTAINMENT]} under"
        " containment. Not together with `max_distance`.",
        "--similarity 0.8", group=NEAR, common=True, aliases=("threshold", "sim"),
        check=checks.similarity, held={ID}, of=SEARCHES | {"plan", "spark"},
    )  # fmt: skip
    max_distance: int | None = _setting(
        None, int, "0 to the scheme's width less 1",
        "Fingerprints that differ in at most this many bits are near. Not together with `similarity`.",
        "--max-distance 3", unit="bits", group=NEAR, common=True, aliases=("distance",),
        held={ID}, of=SEARCHES | {"plan", "spark"},
    )  # fmt: skip
    measure: str = _setting(
        "cosine", str, "cosine, jaccard or containment",
        "The measure of similarity. cosine is that of the weighted features, jaccard that of the sets of features, for"
        " schemes whose features count once. Under containment a document is dropped if an earlier kept one has this"
        " share of its features; keep the longest first.", "--measure containment --keep longest",
        group=NEAR, common=True, check=checks.one_of(DEFAULTS), words=tuple(DEFAULTS), metavar="NAME",
        of=SEARCHES | {"calibrate", "edits", "plan", "spark"},
    )  # fmt: skip
    max_ratio: float = _setting(
        DEFAULT_MAX_RATIO, float, f"[1, {MOST_RATIO}]",
        "Under measure containment: a document is only compared with kept ones of at most this many times its features."
        " The search costs more for a larger ratio.", "--max-ratio 8 --measure containment", unit="times", group=NEAR,
        check=checks.real(f"[1, {MOST_RATIO}]", lambda x: 1 <= x <= MOST_RATIO), of=SEARCHES | {"plan"},
    )  # fmt: skip
    recall: float = _setting(
        0.98, float, "[0.5, 1)", "The share of the near pairs that the search is built to find, under similarity.",
        "--recall 0.99", check=checks.real("[0.5, 1)", lambda x: 0.5 <= x < 1), of=SEARCHES | {"plan", "spark"},
    )  # fmt: skip
    block_by: Sequence[str] = _setting(
        (), str, "a field name, or several; dots reach into objects",
        "Compare only records whose value of this field is equal. A missing value equals another missing one.",
        "--block-by subject --block-by grade", group=NEAR,
        check=checks.names, several=REPEATED, metavar="FIELD", of=SEARCHES | {"calibrate"},
    )  # fmt: skip
    differ: Sequence[str] = _setting(
        (), str, "a field name, or several; dots reach into objects",
        "Never drop a record for one whose value of this field differs, such as the answer to a question.",
        "--differ answer", group=NEAR,
        check=checks.names, several=REPEATED, metavar="FIELD", of=SEARCHES | {"calibrate"},
    )  # fmt: skip
    same: Sequence[str] = _setting(
        (), str, "numbers, negation",
        "Never drop a record for one whose text has other numbers, with their signs and units, or other words of"
        " negation, such as not and never. Clean the texts first if they have numbers of questions or pages.",
        "--same numbers --same negation", group=NEAR,
        check=checks.same, several=REPEATED, metavar="numbers|negation", of=SEARCHES | {"calibrate"},
    )  # fmt: skip
    max_lost: int | None = _setting(
        None, int, "0 to 2^31 - 1",
        "Never drop a record that loses more: the longest run of its text that the kept one does not have, in units. A"
        " Han, kana or Hangul character has 2 units, any other 1. With keep longest more records are dropped.",
        "--max-lost 10 --keep longest", unit="units", group=NEAR,
        check=checks.whole(0, 2**31 - 1), of=SEARCHES | {"spark"},
    )  # fmt: skip
    verdicts: Any = _setting(  # noqa: RUF009 - no call makes the default
        None, str, "a table of a, b and verdict: .csv, .tsv, .jsonl, .json or .parquet; in Python also a data frame, or"
        " rows of (a, b, verdict)",
        "Verdicts of people on pairs of ids: same, different, keep a or keep b; 1 and 0 are same and different. They"
        " override the texts.",
        "--verdicts verdicts.csv", group=NEAR,
        check=lambda _, value: check_verdicts(value), metavar="FILE", files=True, of={"pairs", "thresholds"},
    )  # fmt: skip
    keep: tuple[str, ...] = _setting(
        ("first",), str,
        "first, last, longest, shortest, path, shortest-name, max:FIELD, min:FIELD, or a list of them",
        "Which document of a cluster is kept. Later entries of a list break ties; the position breaks the last ones."
        " Texts of files can be ordered by max:mtime, path and shortest-name.",
        "--keep max:date,longest", group=STAYS, common=True,
        check=checks.keep_orders, several=COMMAS, words=checks.KEEP_WORDS, metavar="ORDER",
        of=SEARCHES - {"pairs"} | {"calibrate", "spark"},
    )  # fmt: skip
    seed: int = _setting(
        0, int, "0 to 2^64 - 1", "Seeds the search and the recall sample; the same seed gives the same result.",
        "--seed 7", check=checks.whole(0, 2**64 - 1), of=SEARCHES | {"calibrate", "edits", "spark"},
    )  # fmt: skip
    threads: int = _setting(
        0, int, "0 to 1024", "Number of threads; 0 uses all cores. Never changes a result.", "--threads 4",
        unit="threads", aliases=("jobs", "workers"), check=checks.whole(0, MOST_THREADS), held=FREE, letter="-j",
        of=EVERY | {"fit", "plan"},
    )  # fmt: skip
    batch: int = _setting(
        0, int, "0 to 2^63 - 1", "Documents processed at a time; 0 lets simsieve choose. Never changes a result.",
        "--batch 10000", unit="documents", check=checks.whole(0, MOST), held=FREE, of=ENCODES | {"fit"},
    )  # fmt: skip
    max_record_bytes: int = _setting(
        268_435_456, int, "1 to 2^63 - 1", "A longer record counts as failed.", "--max-record-bytes 1000000",
        unit="bytes", check=checks.whole(1, MOST), held=READING, of=EVERY | {"fit"},
    )  # fmt: skip
    max_failed: str = _setting(
        "0", str, "a number of records, or a percentage such as 1%",
        "With more failed records than this the exit code is 1; the results are written anyway.",
        "--max-failed 1%", group=INPUT, check=checks.failed_text, also=(int,), held=FREE,
        of=SEARCHES | INSIDE | {"fingerprint", "fit"},
    )  # fmt: skip
    max_pairs: int = _setting(
        100_000_000, int, "1 to 2^63 - 1",
        "Refuse an answer of more pairs than this. The message has their least number.",
        "--max-pairs 1000000", unit="pairs",
        check=checks.whole(1, MOST), held=FREE, of={"pairs", "calibrate", "edits", "labels"},
    )  # fmt: skip
    sample: int = _setting(
        1000, int, "0 to 2^63 - 1",
        "Kept documents that are compared with every earlier kept one to measure the recall; 0 measures nothing.",
        "--sample 5000", unit="documents", check=checks.whole(0, MOST), held=FREE, of={"review", "plan"},
    )  # fmt: skip
    input_format: str | None = _setting(
        None, str, "jsonl, json, txt, csv, tsv or parquet",
        "The form of the sources; by default the extension decides.", "--input-format jsonl", group=INPUT,
        check=known_format, words=FORMATS, metavar="FORMAT", held=READING, of_files=True,
        of=EVERY | {"compare", "fit", "plan"},
    )  # fmt: skip
    output_format: str | None = _setting(
        None, str, "that of the sources, jsonl, json, csv, tsv or parquet",
        "The form of the kept records; by default the output's ending decides. Where it is another than that of the"
        " sources, the fields of the records are written.",
        "--output-format jsonl", group=OUTPUT,
        check=known_format, words=FORMATS, metavar="FORMAT", held={ID}, of={"lines"},
    )  # fmt: skip
    shard_size: str | None = _setting(
        None, str, "a number of records, or a size such as 256MiB or 1GB",
        "Write the kept records to numbered files of at most this many records, or bytes before compression, in a"
        " folder: part-00000.jsonl and so on.",
        "--shard-size 1000000 -o kept/", group=OUTPUT, check=checks.shard_size, held={ID}, of={"lines"},
    )  # fmt: skip
    each: str | None = _setting(
        None, str, "file or line",
        "What is a document where sources are texts: a file or a line. By default a line of a file, and a file of a"
        " folder.",
        "--each file 'letters/*.txt'", group=INPUT,
        check=checks.each, metavar="file|line", held=READING, of_files=True, of=EVERY | {"fit", "plan"},
    )  # fmt: skip
    suffix: Sequence[str] = _setting(
        (), str, "the end of a file's name, or several",
        "The files of a folder that are documents, in place of those in .txt, .md and .html.",
        "--suffix .py --suffix .pyi", group=INPUT,
        check=checks.suffixes, several=REPEATED, metavar=".SUFFIX", held=READING, of_files=True,
        of=EVERY | {"fit", "plan"},
    )  # fmt: skip
    max_dropped: str | None = _setting(
        None, str, "a percentage such as 60%",
        "Stop before anything is written if more than this share of the records of a source is dropped. By default a"
        " share above one half is only told.",
        "--max-dropped 60%", group=OUTPUT, check=checks.share_text, held=FREE,
    )  # fmt: skip
    drops_by: Sequence[str] = _setting(
        (), str, "a field name, or several; dots reach into objects; @length is the size of a record",
        "Count how many records are dropped for each value of this field.",
        "--drops-by source --drops-by @length", group=OUTPUT,
        check=checks.names, several=REPEATED, metavar="FIELD", held=FREE,
    )  # fmt: skip
    limit: int | None = _setting(
        None, int, "1 to 2^63 - 1", "Read only the first records of the sources; old documents are all read.",
        "--limit 1000", unit="records", group=INPUT, check=checks.whole(1, MOST), held=CHOOSING, of=EVERY | {"plan"},
    )  # fmt: skip
    allow_empty: bool = _setting(
        False, bool, "true or false",  # noqa: FBT003 - a default like the others
        "Let a folder without texts count as no records, and let an output without records replace one that has some.",
        "--allow-empty -o kept.jsonl", group=OUTPUT, check=checks.flag, held=FREE, of=EVERY,
    )  # fmt: skip
    encoding: str | tuple[str, ...] = _setting(
        "utf-8", str,
        "auto, a name such as gb18030, big5, shift_jis, utf-16 or latin1, or PATTERN=NAME, or a list of them",
        "The encoding of the sources, and so of the kept records. auto finds it for each file by trying, and says what"
        " it found. PATTERN=NAME is for the files that match, such as '*.csv=gb18030'. May be repeated.",
        "--encoding '*.csv=gb18030' --encoding auto",
        group=INPUT, common=True, check=encoding, several=REPEATED, also=(dict,), words=COMMON,
        metavar="auto|[PATTERN=]NAME", held=READING, of_files=True, of=EVERY | {"compare", "fit", "plan"},
    )  # fmt: skip
    delimiter: str | None = _setting(
        None, str, "an ASCII sign that is no letter, digit, quote or line break; tab for a tab",
        "The sign between the fields of CSV and TSV. By default that of CSV is found: comma, semicolon, tab or |.",
        "--delimiter ';'", group=INPUT,
        check=checks.delimiter, metavar="SIGN", held=READING, of_files=True, of=EVERY | {"compare", "fit", "plan"},
    )  # fmt: skip
    quoting: str = _setting(
        "auto", str, "auto, minimal or none",
        "Whether quotes are around fields of CSV and TSV. none takes them as data, so that each line is a row. auto"
        " decides by what fails or is swallowed under each, and says it where quotes are data.",
        "--quoting none", group=INPUT,
        check=checks.one_of(QUOTING), words=QUOTING, metavar="auto|minimal|none", held=READING, of_files=True,
        of=EVERY | {"compare", "fit", "plan"},
    )  # fmt: skip
    query: str | None = _setting(
        None, str, "an object of extended JSON",
        "Read only those documents of a collection of MongoDB that a query finds.",
        """--query '{"year": {"$gte": 2020}}'""", group=INPUT, check=checks.text, held=CHOOSING, of=EVERY | {"fit"},
    )  # fmt: skip
    since_run: str | os.PathLike[str] | None = _setting(  # noqa: RUF009 - no call makes the default
        None, str, "the run directory of an earlier run on files, or the id of a run that wrote to MongoDB",
        "Drop records that are near what an earlier run kept. Its records are not encoded again. Of a collection only"
        " documents are read whose _id follows the last one that the run has read.",
        "--since-run monday.rundir --run-dir tuesday.rundir", group=STAYS,
        check=checks.path,
    )  # fmt: skip
    since_field: str | None = _setting(
        None, str, "a field name; dots reach into documents",
        "The field of a collection of MongoDB, such as the time of creation, whose greater values show to since_run"
        " which documents came in later. Give it in every run on the collection. By default _id shows it.",
        "--since-field created --since-run 1f0c6b4e2d9a8877", group=STAYS,
        check=checks.text,
    )  # fmt: skip
    fields: tuple[str, ...] | None = _setting(
        None, str, "FIELD or FIELD:NAME, or a list of them; @text is the text as it was compared, @original as it"
        " was read, @fingerprint its fingerprint in decimal digits, @hex and @bits the same in hex and in bits, @copies"
        " how many records it stands for",
        "Write only these fields of the kept records, under new names where they are given; to MongoDB _id is always"
        " written.",
        "--fields @text:content,_id:old_id,@fingerprint:simhash", group=OUTPUT,
        check=renamed_fields, several=COMMAS,
    )  # fmt: skip
    safe_cells: bool = _setting(
        True, bool, "true or false",  # noqa: FBT003 - a default like the others
        "In tables of results in CSV and TSV, put an apostrophe before a text that a spreadsheet would take for a"
        " formula. Kept, dropped and annotated records stay as they are.", "--safe-cells --decisions why.csv",
        group=OUTPUT, check=checks.flag, of=INSIDE | {"pairs", "review"},
    )  # fmt: skip
    with_edit: bool = _setting(
        False, bool, "true or false",  # noqa: FBT003 - a default like the others
        "Add a column edit to decisions and pairs: 1 less the edits of characters by the longer length. Needs the extra"
        " edit.", "--with-edit --decisions why.csv", group=OUTPUT, check=checks.with_edit, held=FREE, of={"pairs"},
    )  # fmt: skip
    append: bool = _setting(
        False, bool, "true or false",  # noqa: FBT003 - a default like the others
        "Add the kept documents to a collection of MongoDB that is there; those whose _id it has stay as they are.",
        "--append -o mongodb://localhost/exams.kept", group=OUTPUT, check=checks.flag,
    )  # fmt: skip
    replace: bool = _setting(
        False, bool, "true or false",  # noqa: FBT003 - a default like the others
        "Replace a collection of MongoDB that is there by the kept documents, once all are written; or a folder that"
        " has only files that the run writes.",
        "--replace -o mongodb://localhost/exams.kept", group=OUTPUT, check=checks.flag, held={ID},
    )  # fmt: skip
    mark: str | None = _setting(
        None, str, "a field name without dots",
        "Write what was decided about each document of a collection of MongoDB into this field of the document; only"
        " with the setting apply.",
        "--mark simsieve --apply", group=OUTPUT,
        check=mark,
    )  # fmt: skip
    apply: bool = _setting(
        False, bool, "true or false",  # noqa: FBT003 - a default like the others
        "Write the marks; without it the run says what it would write.", "--apply --mark simsieve", group=OUTPUT,
        check=checks.flag, held={AGAIN},
    )  # fmt: skip

    memory: str | None = _setting(
        None, str, "a size such as 8GiB, 512MiB or 2GB", "The memory that a run may hold; by default half of what is"
        " free. A run that needs more has its columns as files. Never changes a result.", "--memory 4GiB",
        check=checks.memory_size, held=FREE, of=INSIDE | {"plan"},
    )  # fmt: skip
    run_dir: str | None = _setting(
        None, str, "a folder that is new or empty, or holds a run", "Keep the columns of the run in this folder, and"
        " leave it there. By default a hidden folder beside the output is used where it is needed, and removed.",
        "--run-dir corpus.rundir",
        check=checks.path, held=FREE,
    )  # fmt: skip
    resume: bool = _setting(
        False, bool, "true or false",  # noqa: FBT003 - a default like the others
        "Go on with a run that was cut off, from the run directory.",
        "--resume -o kept.jsonl", check=checks.flag, held=FREE,
    )  # fmt: skip
