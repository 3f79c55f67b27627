"""The rows of the settings table: name, default, kind, what is allowed, help, an example, and the columns of `Setting`.

A setting is described only here. `DedupConfig` checks the values by these rows; the command line's options, files of
settings, runs that follow other runs, and the reference page are made from them too.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from simsieve.checks import MOST, MOST_THREADS
from simsieve.config import checks
from simsieve.config.checks import mark, renamed_fields
from simsieve.config.formats import COMMON, FORMATS, encoding, known_format
from simsieve.config.near_rows import NearRows
from simsieve.config.setting import (
    AGAIN,
    CHOOSING,
    COMMAS,
    ENCODES,
    EVERY,
    FREE,
    ID,
    IN_FILE,
    IN_URI,
    INPUT,
    INSIDE,
    OUTPUT,
    REPEATED,
    SEARCHES,
    STAYS,
    row_of,
)

FILE, LINE = checks.EACH
QUOTING = ("auto", "minimal", "none")
"""How the quotes of tables are read."""


@dataclass(frozen=True, kw_only=True, init=False, repr=False, eq=False)
class Rows(NearRows):
    """Hold the value of every setting, unchecked: `DedupConfig` checks them."""

    keep: tuple[str, ...] = row_of(
        ("first",), str,
        "first, last, longest, shortest, path, shortest-name, max:FIELD, min:FIELD, or a list of them",
        "Which document of a cluster is kept. Later entries of a list break ties; the position breaks the last ones."
        " Texts of files can be ordered by max:mtime, path and shortest-name.",
        "--keep max:date,longest", group=STAYS, common=True,
        check=checks.keep_orders, several=COMMAS, words=checks.KEEP_WORDS, metavar="ORDER",
        of=SEARCHES - {"pairs"} | {"calibrate", "spark"},
    )  # fmt: skip
    seed: int = row_of(
        0, int, "0 to 2^64 - 1", "Seeds the search and the recall sample; the same seed gives the same result.",
        "seed = 7", rare=IN_FILE, check=checks.whole(0, 2**64 - 1), of=SEARCHES | {"calibrate", "edits", "spark"},
    )  # fmt: skip
    threads: int = row_of(
        0, int, "0 to 1024", "Number of threads; 0 uses all cores. Never changes a result.", "--threads 4",
        unit="threads", aliases=("jobs", "workers"), check=checks.whole(0, MOST_THREADS), held=FREE, letter="-j",
        of=EVERY | {"fit", "plan"},
    )  # fmt: skip
    batch: int = row_of(
        0, int, "0 to 2^63 - 1", "Documents processed at a time; 0 lets simsieve choose. Never changes a result.",
        "batch = 10000", unit="documents", rare=IN_FILE, check=checks.whole(0, MOST), held=FREE, of=ENCODES | {"fit"},
    )  # fmt: skip
    max_record_bytes: int = row_of(
        268_435_456, int, "1 to 2^63 - 1", "A longer record counts as failed.", "max_record_bytes = 1000000",
        unit="bytes", rare=IN_FILE, check=checks.whole(1, MOST), held=CHOOSING, of=EVERY | {"fit"},
    )  # fmt: skip
    max_failed: str = row_of(
        "0", str, "a number of records, or a percentage such as 1%",
        "With more failed records than this the exit code is 1; the results are written anyway.",
        "--max-failed 1%", group=INPUT, check=checks.failed_text, also=(int,), held=FREE,
        of=SEARCHES | INSIDE | {"fingerprint", "fit"},
    )  # fmt: skip
    max_pairs: int = row_of(
        100_000_000, int, "1 to 2^63 - 1",
        "Refuse an answer of more pairs than this. The message has their least number.",
        "--max-pairs 1000000", unit="pairs",
        check=checks.whole(1, MOST), held=FREE, of={"pairs", "calibrate", "edits", "labels"},
    )  # fmt: skip
    sample: int | None = row_of(
        None, int, "0 to 2^63 - 1",
        "Kept documents that are compared with every earlier kept one to measure the recall; 0 measures nothing. By"
        " default 1,000 to 5,000, the fewer the more are kept.",
        "--sample 5000", unit="documents", check=checks.whole(0, MOST), held=FREE, of={"review"},
    )  # fmt: skip
    input_format: str | None = row_of(
        None, str, "jsonl, json, txt, csv, tsv or parquet",
        "The form of the sources; by default the extension decides.", "--input-format jsonl", group=INPUT,
        check=known_format, words=FORMATS, metavar="FORMAT", held=CHOOSING, of_files=True,
        of=EVERY | {"compare", "fit", "plan"},
    )  # fmt: skip
    output_format: str | None = row_of(
        None, str, "that of the sources, jsonl, json, csv, tsv or parquet",
        "The form of the kept records; by default the output's ending decides. Where it is another than that of the"
        " sources, the fields of the records are written.",
        "--output-format jsonl", group=OUTPUT,
        check=known_format, words=FORMATS, metavar="FORMAT", held={ID}, of={"lines"},
    )  # fmt: skip
    shard_size: str | None = row_of(
        None, str, "a number of records, or a size such as 256MiB or 1GB",
        "Write the kept records to numbered files of at most this many records, or bytes before compression, in a"
        " folder: part-00000.jsonl and so on.",
        "--shard-size 1000000 -o kept/", group=OUTPUT, check=checks.shard_size, held={ID}, of={"lines"},
    )  # fmt: skip
    each: str | None = row_of(
        None, str, "file or line",
        "What is a document where sources are texts: a file or a line. By default a line of a file, and a file of a"
        " folder. Files with records beside texts, such as those of --against, are read by their records.",
        "--each file 'letters/*.txt'", group=INPUT,
        check=checks.each, metavar="file|line", held=CHOOSING, of_files=True, of=EVERY | {"fit", "plan"},
    )  # fmt: skip
    suffix: Sequence[str] = row_of(
        (), str, "the end of a file's name, or several",
        "The files of a folder that are documents, in place of those in .txt, .md, .html, .docx, .pdf and others that"
        " are read as such. Each is read as what its ending says, and any other as text.",
        "--suffix .py --suffix .pyi", group=INPUT,
        check=checks.suffixes, several=REPEATED, metavar=".SUFFIX", held=CHOOSING, of_files=True,
        of=EVERY | {"fit", "plan"},
    )  # fmt: skip
    max_dropped: str | None = row_of(
        None, str, "a percentage such as 60%",
        "Stop before anything is written if more than this share of the records of a source is dropped. By default a"
        " share above one half is only told.",
        "--max-dropped 60%", group=OUTPUT, check=checks.share_text, held=FREE,
    )  # fmt: skip
    drops_by: Sequence[str] = row_of(
        (), str, "a field name, or several; dots reach into objects; @length is the size of a record",
        "Count how many records are dropped for each value of this field.",
        "--drops-by source --drops-by @length", group=OUTPUT,
        check=checks.names, several=REPEATED, metavar="FIELD", held=FREE,
    )  # fmt: skip
    limit: int | None = row_of(
        None, int, "1 to 2^63 - 1", "Read only the first records of the sources; old documents are all read.",
        "--limit 1000", unit="records", group=INPUT, check=checks.whole(1, MOST), held=CHOOSING, of=EVERY | {"plan"},
    )  # fmt: skip
    allow_empty: bool = row_of(
        False, bool, "true or false",  # noqa: FBT003 - a default like the others
        "Let a folder without texts count as no records, and let an output without records replace one that has some.",
        "--allow-empty -o kept.jsonl", group=OUTPUT, check=checks.flag, held=FREE, of=EVERY,
    )  # fmt: skip
    encoding: str | tuple[str, ...] = row_of(
        "utf-8", str,
        "auto, a name such as gb18030, big5, shift_jis, utf-16 or latin1, or PATTERN=NAME, or a list of them",
        "The encoding of the sources, and so of the kept records. auto finds it for each file by trying, and says what"
        " it found. PATTERN=NAME is for the files that match, such as '*.csv=gb18030'. May be repeated.",
        "--encoding '*.csv=gb18030' --encoding auto",
        group=INPUT, common=True, check=encoding, several=REPEATED, also=(dict,), words=COMMON,
        metavar="auto|[PATTERN=]NAME", held=CHOOSING, of_files=True, of=EVERY | {"compare", "fit", "plan"},
    )  # fmt: skip
    delimiter: str | None = row_of(
        None, str, "an ASCII sign that is no letter, digit, quote or line break; tab for a tab",
        "The sign between the fields of CSV and TSV. By default that of CSV is found: comma, semicolon, tab or |.",
        "--delimiter ';'", group=INPUT,
        check=checks.delimiter, metavar="SIGN", held=CHOOSING, of_files=True, of=EVERY | {"compare", "fit", "plan"},
    )  # fmt: skip
    quoting: str = row_of(
        "auto", str, "auto, minimal or none",
        "Whether quotes are around fields of CSV and TSV. none takes them as data, so that each line is a row. auto"
        " decides by what fails or is swallowed under each, and says it where quotes are data.",
        'quoting = "none"', group=INPUT, rare=IN_FILE,
        check=checks.one_of(QUOTING), words=QUOTING, metavar="auto|minimal|none", held=CHOOSING, of_files=True,
        of=EVERY | {"compare", "fit", "plan"},
    )  # fmt: skip
    query: str | None = row_of(
        None, str, "an object of extended JSON, or a SELECT of SQL",
        "Read only those documents of a collection of MongoDB that a query finds, or what a query of SQL gives.",
        """'mongodb://localhost/exams.raw?query={"year":{"$gte":2020}}'""", group=INPUT, rare=IN_URI,
        check=checks.text, held=CHOOSING, of=EVERY | {"fit"},
    )  # fmt: skip
    since_field: str | None = row_of(
        None, str, "a field name; dots reach into documents",
        "The field of a collection of MongoDB, such as the time of creation, whose greater values show to an index"
        " which documents came in since it has read the collection. Give it each time.",
        "mongodb://localhost/exams.raw?since_field=created", group=STAYS, rare=IN_URI, check=checks.text, of={"index"},
    )  # fmt: skip
    fields: tuple[str, ...] | None = row_of(
        None, str, "FIELD or FIELD:NAME, or a list of them; @text is the text as it was compared, @original as it"
        " was read, @fingerprint its fingerprint in decimal digits, @hex and @bits the same in hex and in bits, @copies"
        " how many records it stands for",
        "Write only these fields of the kept records, under new names where they are given; to MongoDB _id is always"
        " written.",
        "--fields @text:content,_id:old_id,@fingerprint:simhash", group=OUTPUT,
        check=renamed_fields, several=COMMAS,
    )  # fmt: skip
    merge: Sequence[str] = row_of(
        (), str, "a field name, or several; * for all but the id",
        "Give a kept record the values that it lacks and a record that was dropped for it has, the first one in the"
        " order of the sources. No value is overwritten.",
        "--merge doi --merge abstract", group=OUTPUT, check=checks.names, several=REPEATED, metavar="FIELD",
        held={ID},
    )  # fmt: skip
    safe_cells: bool = row_of(
        True, bool, "true or false",  # noqa: FBT003 - a default like the others
        "In tables of results in CSV and TSV, put an apostrophe before a text that a spreadsheet would take for a"
        " formula. Kept, dropped and annotated records stay as they are.", "safe_cells = false",
        group=OUTPUT, rare=IN_FILE, check=checks.flag, of=INSIDE | {"pairs", "review"},
    )  # fmt: skip
    with_edit: bool = row_of(
        False, bool, "true or false",  # noqa: FBT003 - a default like the others
        "Add a column edit to decisions and pairs: 1 less the edits of characters by the longer length. Needs the extra"
        " edit.", "--with-edit --decisions why.csv", group=OUTPUT, check=checks.with_edit, held=FREE, of={"pairs"},
    )  # fmt: skip
    append: bool = row_of(
        False, bool, "true or false",  # noqa: FBT003 - a default like the others
        "Add the kept records to a collection of MongoDB or a table of SQL that is there; those whose _id or key it"
        " has stay as they are.",
        "-o mongodb://localhost/exams.kept?append", group=OUTPUT, rare=IN_URI, check=checks.flag, of={"index"},
    )  # fmt: skip
    replace: bool = row_of(
        False, bool, "true or false",  # noqa: FBT003 - a default like the others
        "Replace a collection of MongoDB or a table of SQL that is there by the kept records, once all are written; or"
        " a folder that has only files that the run writes.",
        "-o mongodb://localhost/exams.kept?replace", group=OUTPUT, rare=IN_URI,
        check=checks.flag, held={ID}, of={"index"},
    )  # fmt: skip
    mark: str | None = row_of(
        None, str, "a field name without dots",
        "Write what was decided about each document of a collection of MongoDB, or each row of a table of SQL, into"
        " this field of it; only with the setting apply.",
        "'mongodb://localhost/exams.raw?mark=simsieve&apply'", group=OUTPUT, rare=IN_URI,
        check=mark, of={"index"},
    )  # fmt: skip
    apply: bool = row_of(
        False, bool, "true or false",  # noqa: FBT003 - a default like the others
        "Write the marks; without it the run says what it would write.",
        "'mongodb://localhost/exams.raw?mark=simsieve&apply'", group=OUTPUT, rare=IN_URI,
        check=checks.flag, held={AGAIN}, of={"index"},
    )  # fmt: skip

    memory: str | None = row_of(
        None, str, "a size such as 8GiB, 512MiB or 2GB", "The memory that a run may hold; by default half of what is"
        " free. A run that needs more has its columns as files. Never changes a result.", "--memory 4GiB",
        check=checks.memory_size, held=FREE, of=INSIDE | {"plan"},
    )  # fmt: skip
    run_dir: str | None = row_of(
        None, str, "a folder that is new or empty, or holds a run", "Keep the columns of the run in this folder, and"
        " leave it there; without SOURCE, decide again on the run that it holds. By default a hidden folder beside the"
        " output is used where it is needed, and removed.",
        "--run-dir corpus.rundir",
        check=checks.path, held=FREE, of={"review", "thresholds"},
    )  # fmt: skip
    resume: bool = row_of(
        False, bool, "true or false",  # noqa: FBT003 - a default like the others
        "Go on with a run that was cut off, from the run directory; or decide again on a finished one.",
        "--resume -o kept.jsonl", check=checks.flag, held=FREE,
    )  # fmt: skip
